"""Catalogue names and the files behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from statemachines.model.diagnostics import Diagnostic, SpecError
from statemachines.model.machines import Spec
from statemachines.model.places import Span
from statemachines.notation.literals import settle_literals
from statemachines.notation.reading import Reading, read_text
from statemachines.notation.suggestions import did_you_mean
from statemachines.notation.work import Known

_KIND = re.compile(rb"(?m)^(machine|system|library|extends)[ \t]*:")

Families = dict[Path, tuple[Known | None, tuple[Diagnostic, ...]]]


def specs_folder() -> Path:
    """Return the folder of the shipped specs: within the installed package, else beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "specs"
    return inside if inside.is_dir() else package.parent / "specs"


def catalogue(folder: Path | None = None, *, kind: str = "machine") -> tuple[str, ...]:
    """Return the catalogue names of a kind of files, in alphabetical order.

    Args:
        folder: the specs folder; None for the shipped one.
        kind: `machine`, `system`, `library`, `extends` or `family`.
    """
    root = folder or specs_folder()
    return tuple(name for name, path in sorted(_files(root)) if _kind(path) == kind)


def _files(root: Path) -> list[tuple[str, Path]]:
    return [(path.relative_to(root).with_suffix("").as_posix(), path) for path in root.rglob("*.yaml")]


def _kind(path: Path) -> str:
    found = _KIND.search(path.read_bytes())
    return found.group(1).decode() if found else "family"


def load_spec(name_or_path: str | Path, *, folder: Path | None = None) -> Spec:
    """Load one machine.

    Args:
        name_or_path: a catalogue name (`shop/Order`, or its last part where only one ends so) or a path.
        folder: the specs folder of catalogue names; None for the shipped one.

    Raises:
        SpecError: there is no such spec, or it has errors; `diagnostics` has all of them.
    """
    return read_spec(name_or_path, folder=folder).checked()


def read_spec(name_or_path: str | Path, *, folder: Path | None = None, families: Families | None = None) -> Reading:
    """Read one machine and report everything that is wrong with it; see `load_spec`."""
    root = folder or specs_folder()
    try:
        path, name, file = locate(name_or_path, root)
        data = path.read_bytes()
    except SpecError as error:
        return Reading(None, error.diagnostics)
    except OSError as error:
        return Reading(None, (Diagnostic("SM604", f"cannot read it: {error.strerror}", Span(str(name_or_path), 1, 1)),))
    return read_text(data, file, name=name, path=path, specs=root, families=families)


def load_catalogue(names: Iterable[str | Path] | None = None, *, folder: Path | None = None) -> tuple[Spec, ...]:
    """Load several machines, each family once, with literals settled over all of them.

    Raises:
        SpecError: one of them has errors; `diagnostics` has those of all.
    """
    families: Families = {}
    chosen = catalogue(folder) if names is None else tuple(names)
    readings = [read_spec(name, folder=folder, families=families) for name in chosen]
    broken = tuple(dict.fromkeys(wrong for reading in readings if reading.spec is None for wrong in reading.diagnostics))
    if broken:
        raise SpecError(broken)
    return settle_literals([reading.checked() for reading in readings])


def locate(name_or_path: str | Path, root: Path) -> tuple[Path, str, str]:
    """Find a spec's file.

    Returns:
        The path, the catalogue name, and the name that places carry.

    Raises:
        SpecError: SM601 no such spec, SM602 several.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith((".yaml", ".yml")):
        path = Path(text)
        return path, name_of(path, root), text
    known = dict(_files(root))
    if text in known:
        return known[text], text, f"{text}.yaml"
    ends = sorted(name for name, path in known.items() if name.endswith("/" + text) and _kind(path) != "family")
    if len(ends) == 1:
        return known[ends[0]], ends[0], f"{ends[0]}.yaml"
    raise SpecError((_no_such(text, ends, known),))


def _no_such(text: str, ends: list[str], known: dict[str, Path]) -> Diagnostic:
    if ends:
        return Diagnostic(
            "SM602", f"several specs are called `{text}`", Span(text, 1, 1), "write " + " or ".join(f"`{name}`" for name in ends)
        )
    names = [name for name, path in known.items() if _kind(path) != "family"]
    near = did_you_mean(text, names) or did_you_mean(text, [name.rsplit("/", 1)[-1] for name in names])
    return Diagnostic("SM601", f"there is no spec `{text}`", Span(text, 1, 1), near)


def name_of(path: Path, root: Path) -> str:
    """Return the name of a spec given by path: the path without its ending, below `specs/` where it has one."""
    parts = path.with_suffix("").parts
    if "specs" in parts:
        return "/".join(parts[len(parts) - parts[::-1].index("specs") :])
    if path.absolute().is_relative_to(root.absolute()):
        return path.absolute().relative_to(root.absolute()).with_suffix("").as_posix()
    return path.with_suffix("").as_posix()
