"""The family that a file names, and the releases that it has within it."""

from __future__ import annotations

from pathlib import Path

from statemachines.model.definitions.log_definitions import FamilyLog
from statemachines.model.definitions.release_sets import ReleaseAlias, ReleaseFamily
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import limited_hint
from statemachines.notation.document.notation_keys import FAMILY_FILE
from statemachines.notation.document.shape_checker import fit_shape
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    node_items,
    node_text,
    node_texts,
)
from statemachines.notation.document.yaml_reader import read_yaml
from statemachines.notation.log_passes.line_pass import LineContext, read_lines, read_patterns
from statemachines.notation.log_passes.log_pass import (
    missing_required_fields,
    read_field_pair,
    states_in_family_lines,
    weak_process_signs,
)
from statemachines.notation.passes.spec_builder import ParsedFamily, SpecBuilder
from statemachines.notation.releases.release_ranges import releases_of_node, with_eras
from statemachines.notation.shorthands.written_out import written_out
from statemachines.notation.sources.file_cache import file_bytes, file_exists


def read_family_of_spec(work: SpecBuilder) -> list[Diagnostic]:
    """Find the family's file, read it, and settle the releases of the whole machine.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong with the family and with `in` of the machine.
    """
    diagnostics: list[Diagnostic] = []
    name = work.root.get("family")
    if isinstance(name, YamlScalar):
        path = family_file(name.text, work.path, work.specs)
        if path is None:
            diagnostics.append(
                Diagnostic(
                    "SM212",
                    f"there is no family `{name.text}`",
                    name.span,
                    f"it is read from {name.text}.yaml",
                )
            )
            return diagnostics
        if path not in work.families:
            work.families[path] = _read_family_file(path, _displayed_path(path, work), name)
        known, wrong = work.families[path]
        diagnostics += wrong
        if known:
            work.family, work.family_log = known.family, known.log
    work.family = with_eras(work.family, work.root.get("eras"), diagnostics)
    work.releases = releases_of_node(
        work.root.get("in"), work.family, work.family.all_releases, diagnostics
    )
    return diagnostics


def _read_family_file(
    path: Path, file: str, name: YamlScalar
) -> tuple[ParsedFamily | None, tuple[Diagnostic, ...]]:
    try:
        return read_family(file_bytes(path), file)
    except OSError as error:
        return None, (
            Diagnostic(
                "SM604", f"cannot read the family `{name.text}`: {error.strerror}", name.span
            ),
        )


def family_file(name: str, path: Path | None, specs: Path | None) -> Path | None:
    """Return where a family is written: beside the spec, in a folder above it up to the specs
    folder, else in the catalogue.

    Args:
        name: of the family.
        path: of the spec; None where it lies nowhere.
        specs: the folder of catalogue names.

    Returns:
        None where there is none.
    """
    folders: list[Path] = []
    if path is not None:
        for folder in path.absolute().parents:
            folders.append(folder)
            if folder.name == "specs" or folder == specs:
                break
    if specs is not None:
        folders.append(specs / name)
    return next(
        (folder / f"{name}.yaml" for folder in folders if file_exists(folder / f"{name}.yaml")),
        None,
    )


def _displayed_path(path: Path, work: SpecBuilder) -> str:
    """Return a path as reports name it: below the specs folder where it lies there."""
    for folder in path.parents:
        if folder == work.specs or folder.name == "specs":
            return path.relative_to(folder).as_posix()
    return path.as_posix()


def read_family(data: bytes, file: str) -> tuple[ParsedFamily | None, tuple[Diagnostic, ...]]:
    """Read a family file.

    Args:
        data: the file's bytes.
        file: its name in places.

    Returns:
        The family, None where it has errors, and all diagnostics.
    """
    root, wrong = read_yaml(data, file)
    if root is None:
        return None, wrong
    fitted, misfits = fit_shape(root, FAMILY_FILE)
    diagnostics = [*wrong, *misfits]
    if not isinstance(fitted, YamlMapping) or not node_texts(fitted.get("releases")):
        return None, tuple(diagnostics)
    fitted, _ = written_out(fitted)
    family = with_eras(_make_family(fitted, diagnostics), fitted.get("eras"), diagnostics)
    return ParsedFamily(
        family, _read_family_log(fitted.get("log"), family, file, diagnostics)
    ), tuple(diagnostics)


def _make_family(root: YamlMapping, diagnostics: list[Diagnostic]) -> ReleaseFamily:
    names: dict[str, None] = {}
    for release in node_items(root.get("releases")):
        if node_text(release) in names:
            diagnostics.append(
                Diagnostic("SM205", f"release `{node_text(release)}` is listed twice", release.span)
            )
        else:
            names[node_text(release)] = None
    lines = {name.rsplit(".", cut)[0] for name in names for cut in range(name.count(".") + 1)}
    aliases = tuple(
        _make_alias(node, lines, tuple(names), diagnostics)
        for node in node_items(root.get("aliases"))
        if isinstance(node, YamlMapping)
    )
    return ReleaseFamily(
        node_text(root.get("family")), tuple(names), aliases, node_texts(root.get("suffixes"))
    )


def _make_alias(
    node: YamlMapping, lines: set[str], names: tuple[str, ...], diagnostics: list[Diagnostic]
) -> ReleaseAlias:
    stands_for = node.get("is")
    text = node_text(stands_for)
    if stands_for and text not in lines:
        diagnostics.append(
            Diagnostic(
                "SM201",
                f"unknown release `{text}`",
                stands_for.span,
                limited_hint(len(diagnostics), text, names),
            )
        )
    return ReleaseAlias(node_text(node.get("like")), text)


def _read_family_log(
    node: YamlNode | None, family: ReleaseFamily, file: str, diagnostics: list[Diagnostic]
) -> FamilyLog | None:
    if not isinstance(node, YamlMapping):
        return None
    patterns = read_patterns(node.get("patterns"), diagnostics)
    lines = tuple(
        read_lines(
            node.get("lines"), LineContext(family, family.all_releases, patterns), diagnostics
        )
    )
    diagnostics += states_in_family_lines(lines)
    diagnostics += weak_process_signs(lines)
    diagnostics += [wrong for line in lines for wrong in missing_required_fields(line)]
    process, word = read_field_pair(node.get("process"))
    packages = node_texts(node.get("packages"))
    return FamilyLog(lines, process, tuple(patterns.items()), file, word, packages)
