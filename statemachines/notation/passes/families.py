"""The family that a file names, and the releases that it has within it."""

from __future__ import annotations

from pathlib import Path

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.loglines import FamilyLog
from statemachines.model.releases import Alias, Family
from statemachines.model.suggestions import hint
from statemachines.notation.files import file_bytes, is_there
from statemachines.notation.keys import FAMILY_FILE
from statemachines.notation.nodes import Mapping, Node, Scalar, items_of, text_of, texts_of
from statemachines.notation.passes.loglines import Reader, lines_of, patterns_of
from statemachines.notation.passes.logs import process_signs, stateless, untold
from statemachines.notation.ranges import releases_in
from statemachines.notation.shapecheck import fit
from statemachines.notation.work import Known, Work
from statemachines.notation.yamltext import read_yaml


def families(work: Work) -> list[Diagnostic]:
    """Find the family's file, read it, and settle the releases of the whole machine."""
    found: list[Diagnostic] = []
    name = work.root.get("family")
    if isinstance(name, Scalar):
        path = family_file(name.text, work.path, work.specs)
        if path is None:
            found.append(Diagnostic("SM212", f"there is no family `{name.text}`", name.span, f"it is read from {name.text}.yaml"))
            return found
        if path not in work.families:
            work.families[path] = _family_of(path, display(path, work), name)
        known, wrong = work.families[path]
        found += wrong
        if known:
            work.family, work.family_log = known.family, known.log
    work.releases = releases_in(work.root.get("in"), work.family, work.family.everything, found)
    return found


def _family_of(path: Path, file: str, name: Scalar) -> tuple[Known | None, tuple[Diagnostic, ...]]:
    try:
        return read_family(file_bytes(path), file)
    except OSError as error:
        return None, (Diagnostic("SM604", f"cannot read the family `{name.text}`: {error.strerror}", name.span),)


def family_file(name: str, path: Path | None, specs: Path | None) -> Path | None:
    """Return where a family is written: beside the spec, in a folder above it up to the specs folder, else in the catalogue."""
    folders: list[Path] = []
    if path is not None:
        for folder in path.absolute().parents:
            folders.append(folder)
            if folder.name == "specs" or folder == specs:
                break
    if specs is not None:
        folders.append(specs / name)
    return next((folder / f"{name}.yaml" for folder in folders if is_there(folder / f"{name}.yaml")), None)


def display(path: Path, work: Work) -> str:
    """Return a path as reports name it: below the specs folder where it lies there."""
    for folder in path.parents:
        if folder == work.specs or folder.name == "specs":
            return path.relative_to(folder).as_posix()
    return path.as_posix()


def read_family(data: bytes, file: str) -> tuple[Known | None, tuple[Diagnostic, ...]]:
    """Read a family file."""
    root, wrong = read_yaml(data, file)
    if root is None:
        return None, wrong
    fitted, misfits = fit(root, FAMILY_FILE)
    found = [*wrong, *misfits]
    if not isinstance(fitted, Mapping) or not texts_of(fitted.get("releases")):
        return None, tuple(found)
    family = _family(fitted, found)
    return Known(family, _log(fitted.get("log"), family, file, found)), tuple(found)


def _family(root: Mapping, found: list[Diagnostic]) -> Family:
    names: dict[str, None] = {}
    for release in items_of(root.get("releases")):
        if text_of(release) in names:
            found.append(Diagnostic("SM205", f"release `{text_of(release)}` is listed twice", release.span))
        else:
            names[text_of(release)] = None
    lines = {name.rsplit(".", cut)[0] for name in names for cut in range(name.count(".") + 1)}
    aliases = tuple(_alias(node, lines, tuple(names), found) for node in items_of(root.get("aliases")) if isinstance(node, Mapping))
    return Family(text_of(root.get("family")), tuple(names), aliases, texts_of(root.get("suffixes")))


def _alias(node: Mapping, lines: set[str], names: tuple[str, ...], found: list[Diagnostic]) -> Alias:
    stands_for = node.get("is")
    text = text_of(stands_for)
    if stands_for and text not in lines:
        found.append(Diagnostic("SM201", f"unknown release `{text}`", stands_for.span, hint(len(found), text, names)))
    return Alias(text_of(node.get("like")), text)


def _log(node: Node | None, family: Family, file: str, found: list[Diagnostic]) -> FamilyLog | None:
    if not isinstance(node, Mapping):
        return None
    patterns = patterns_of(node.get("patterns"), found)
    lines = tuple(lines_of(node.get("lines"), Reader(family, family.everything, patterns), found))
    found += stateless(lines)
    found += process_signs(lines)
    found += [wrong for line in lines for wrong in untold(line)]
    return FamilyLog(lines, text_of(node.get("process")) or None, tuple(patterns.items()), file)
