"""Catalogue names and the files behind them."""

from __future__ import annotations

import re
from pathlib import Path

from statemachines.model.diagnosis.diagnostics import Diagnostic, Span, SpecError
from statemachines.model.diagnosis.suggestions import (
    meant_hint,
    nearest_hint,
    nearest_word,
)
from statemachines.notation.sources.file_cache import file_bytes

_KIND_KEY = re.compile(rb"(?m)^(machine|system|library|extends)[ \t]*:")


def spec_names(folder: Path | None = None, *, kind: str = "machine") -> tuple[str, ...]:
    """Return the catalogue names of a kind of files, in alphabetical order.

    Args:
        folder: the specs folder; None for the shipped one.
        kind: `machine`, `system`, `library`, `extends` or `family`.

    Returns:
        Names such as `shop/Order`.
    """
    root = folder or specs_folder()
    return tuple(name for name, path in sorted(_spec_files(root)) if _file_kind(path) == kind)


def _spec_files(root: Path) -> list[tuple[str, Path]]:
    return [
        (path.relative_to(root).with_suffix("").as_posix(), path) for path in root.rglob("*.yaml")
    ]


def _file_kind(path: Path) -> str:
    """Tell a file's kind by its first key of a kind; one that cannot be read counts as a machine,
    so that loading it says why.
    """
    try:
        match = _KIND_KEY.search(file_bytes(path))
    except OSError:
        return "machine"
    return match.group(1).decode() if match else "family"


def locate_spec(name_or_path: str | Path, root: Path) -> tuple[Path, str, str]:
    """Find a spec's file.

    Args:
        name_or_path: a catalogue name (`shop/Order`, or its last part where only one ends so) or a
            path.
        root: the specs folder.

    Returns:
        The path, the catalogue name, and the name that places carry.

    Raises:
        SpecError: SM601 no such spec, SM602 several.
    """
    text = str(name_or_path)
    if is_path(name_or_path):
        path = Path(text)
        return path, name_from_path(path, root), text
    plain = root / f"{text}.yaml"
    if ".." not in text.split("/") and plain.exists():
        return plain, text, f"{text}.yaml"
    known = dict(_spec_files(root))
    ends = sorted(
        name
        for name, path in known.items()
        if name.endswith("/" + text) and _file_kind(path) != "family"
    )
    if len(ends) == 1:
        return known[ends[0]], ends[0], f"{ends[0]}.yaml"
    raise SpecError((_no_such_spec(text, ends, known),))


def is_path(name_or_path: str | Path) -> bool:
    """Tell whether a user means a file, and not a name of the catalogue.

    Args:
        name_or_path: as a user names a spec.

    Returns:
        True of a path and of a text that ends in `.yaml` or `.yml`.
    """
    return isinstance(name_or_path, Path) or name_or_path.endswith((".yaml", ".yml"))


def _no_such_spec(text: str, ends: list[str], known: dict[str, Path]) -> Diagnostic:
    if ends:
        return Diagnostic(
            "SM602",
            f"several specs are called `{text}`",
            Span(text, 1, 1),
            "write " + " or ".join(f"`{name}`" for name in ends),
        )
    names = [name for name, path in known.items() if _file_kind(path) != "family"]
    near = nearest_hint(text, names) or nearest_hint(
        text, [name.rsplit("/", 1)[-1] for name in names]
    )
    return Diagnostic(
        "SM601",
        f"there is no spec `{text}`",
        Span(text, 1, 1),
        not_a_spec_hint(Path(text)) or near or neighbour_hint(Path(text)),
    )


def neighbour_hint(path: Path) -> str:
    """Return the spec of the same folder that was probably meant, as a hint.

    Args:
        path: of a file that is not there.

    Returns:
        A clause; empty where none is near.
    """
    if path.exists() or not path.parent.is_dir():
        return ""
    stem = path.stem if path.suffix in (".yaml", ".yml") else path.name
    near = nearest_word(stem, [sibling.stem for sibling in sorted(path.parent.glob("*.yaml"))])
    return meant_hint(f"{path.parent / near}.yaml") if near else ""


def not_a_spec_hint(path: Path) -> str:
    """Say why something that is there is no spec.

    Args:
        path: of a file or folder.

    Returns:
        A clause; empty where nothing is there.
    """
    if path.is_dir():
        if next((entry for entry in path.rglob("*.yaml") if entry.is_file()), None) is None:
            return "this is a folder without specs (*.yaml)"
        return "this is a folder; name a file in it that ends in `.yaml`"
    return "a spec's file ends in `.yaml`" if path.is_file() else ""


def name_from_path(path: Path, root: Path) -> str:
    """Return the name of a file given by path: the path without its ending, below `specs/` where it
    has one.

    Args:
        path: of a spec.
        root: the specs folder.

    Returns:
        A catalogue name.
    """
    parts = _path_within_specs(path, root)
    return path.with_suffix("").as_posix() if parts is None else "/".join(parts)


def folder_within_specs(path: Path, root: Path) -> str:
    """Return the folders that belong to a spec's name: those between it and the folder `specs/`; of
    any other path none.

    Args:
        path: of a spec.
        root: the specs folder.

    Returns:
        Folders with `/` between them; empty where there are none.
    """
    return "/".join((_path_within_specs(path, root) or ())[:-1])


def _path_within_specs(path: Path, root: Path) -> tuple[str, ...] | None:
    """Return the parts of a path below `specs/`, without its ending; None where it has no such
    folder.
    """
    parts = path.with_suffix("").parts
    if "specs" in parts:
        return parts[len(parts) - parts[::-1].index("specs") :]
    if path.absolute().is_relative_to(root.absolute()):
        return path.absolute().relative_to(root.absolute()).with_suffix("").parts
    return None


def specs_folder() -> Path:
    """Return the folder of the shipped specs: within the installed package, else beside it in a
    checkout.
    """
    package = Path(__file__).resolve().parent.parent.parent
    inside = package / "specs"
    return inside if inside.is_dir() else package.parent / "specs"
