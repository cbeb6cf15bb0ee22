"""Catalogue names and the files behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from attrs import evolve

from statemachines.model.diagnostics import Diagnostic, Severity, SpecError
from statemachines.model.loglines import FamilyLog
from statemachines.model.machines import Spec
from statemachines.model.places import Span
from statemachines.model.releases import Family
from statemachines.model.suggestions import did_you_mean, meant, nearest
from statemachines.model.systems import SystemSpec
from statemachines.notation.extending import extend, place_of
from statemachines.notation.files import file_bytes, is_there
from statemachines.notation.folders import specs_folder
from statemachines.notation.literals import settle_literals
from statemachines.notation.nodes import text_of
from statemachines.notation.passes.families import family_file, read_family
from statemachines.notation.reading import Reading, read_text
from statemachines.notation.standins import in_place_of
from statemachines.notation.work import Known, Work

_KIND = re.compile(rb"(?m)^(machine|system|library|extends)[ \t]*:")

Families = dict[Path, tuple[Known | None, tuple[Diagnostic, ...]]]


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
    """Tell a file's kind by its first key of a kind; one that cannot be read counts as a machine, so that loading it says why."""
    try:
        found = _KIND.search(file_bytes(path))
    except OSError:
        return "machine"
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
    reading = _reading(name_or_path, root, families)
    if reading.work is not None and reading.work.kind == "extends" and not reading.broken:
        reading = _extended(reading, reading.work, root, families)
    return evolve(reading, spec=in_place_of(reading.spec)) if reading.spec is not None else reading


def load_system(name_or_path: str | Path, *, folder: Path | None = None) -> SystemSpec:
    """Load one system; see `load_spec`.

    Raises:
        SpecError: there is no such file, it has errors, or it is no system.
    """
    reading = read_spec(name_or_path, folder=folder)
    if reading.system is not None:
        return reading.system
    if reading.work is None or reading.broken:
        raise SpecError(reading.diagnostics)
    raise SpecError((Diagnostic("SM606", f"this is a {reading.work.kind}, not a system", reading.work.root.span, "name a system"),))


def _reading(name_or_path: str | Path, root: Path, families: Families | None) -> Reading:
    """Read one file as it stands, without what it extends."""
    try:
        path, name, file = locate(name_or_path, root)
        data = file_bytes(path)
    except SpecError as error:
        return Reading(None, error.diagnostics)
    except OSError as error:
        where = Span(str(name_or_path), 1, 1)
        return Reading(None, (Diagnostic("SM604", f"cannot read it: {error.strerror}", where, _beside(Path(name_or_path))),))
    reading = read_text(data, file, name=name, path=path, specs=root, families=families)
    return by_its_own_name(reading, root) if _is_path(name_or_path) else reading


def by_its_own_name(reading: Reading, root: Path) -> Reading:
    """Return what was read from a path under the name that it gives itself: a file that is renamed is the same machine as before.

    Below a folder `specs/` the folders between stay part of the name, as for the catalogue.
    """
    own = text_of(reading.work.root.get(reading.work.kind)) if reading.work else ""
    if not own or reading.work is None or reading.work.path is None:
        return reading
    folder = folder_of(reading.work.path, root)
    name = f"{folder}/{own}" if folder else own
    spec, system = reading.spec, reading.system
    return evolve(reading, spec=spec and evolve(spec, name=name), system=system and evolve(system, name=name))


def _extended(reading: Reading, work: Work, root: Path, families: Families | None) -> Reading:
    """Add an extension's lines to the machine that it names."""
    named = text_of(work.root.get("extends"))
    base = _reading(beside(work, named) or named, root, families)
    if base.spec is None:
        why = base.diagnostics[0].hint or "it has errors" if base.diagnostics else "it is no machine"
        return Reading(None, (*reading.diagnostics, Diagnostic("SM605", f"cannot extend `{named}`", place_of(work), why)), work)
    spec, found = extend(work, base.spec)
    whole = Reading(spec, (*reading.diagnostics, *found), work)
    return evolve(whole, spec=None) if whole.broken else whole


def beside(work: Work, named: str) -> Path | None:
    """Find the machine that an extension or a system names in its own specs folder; None: it is one of the catalogue."""
    if work.path is None:
        return None
    folders = [folder for folder in work.path.absolute().parents if folder.name == "specs"]
    files = (folder / f"{named}.yaml" for folder in (*folders, work.path.parent))
    return next((file for file in files if is_there(file)), None)


def told_apart(readings: list[Reading], folder: Path | None = None) -> list[Reading]:
    """Return machines that were read from several files, those of one name that are not the same under the names of their files.

    An extension has the name of its machine: the two are put together by `merged`.
    """
    root = folder or specs_folder()
    known: dict[str, set[str]] = {}
    for reading in readings:
        if reading.spec is not None:
            known.setdefault(reading.spec.name, set()).add(reading.spec.sha256)
    return [_by_its_file(reading, root) if reading.spec and len(known[reading.spec.name]) > 1 else reading for reading in readings]


def _by_its_file(reading: Reading, root: Path) -> Reading:
    if reading.spec is None or reading.work is None or reading.work.path is None or reading.work.kind == "extends":
        return reading
    return evolve(reading, spec=evolve(reading.spec, name=name_of(reading.work.path, root)))


def load_catalogue(names: Iterable[str | Path] | None = None, *, folder: Path | None = None) -> tuple[Spec, ...]:
    """Load several machines, each family once, with literals settled over all of them.

    Raises:
        SpecError: one of them has errors; `diagnostics` has those of all.
    """
    families: Families = {}
    chosen = catalogue(folder) if names is None else tuple(names)
    readings = told_apart([read_spec(name, folder=folder, families=families) for name in chosen], folder)
    broken = tuple(dict.fromkeys(wrong for reading in readings if reading.spec is None for wrong in reading.diagnostics))
    if broken:
        raise SpecError(broken)
    return settle_literals(merged([reading.checked() for reading in readings]))


def merged(specs: list[Spec]) -> list[Spec]:
    """Put machines of one name together: an extension has all lines of its machine, then its own."""
    merged: dict[str, Spec] = {}
    for spec in specs:
        earlier = merged.get(spec.name)
        if earlier is not None and earlier.log is not None and spec.log is not None:
            added = tuple(line for line in spec.log.lines if line not in earlier.log.lines)
            first = len(earlier.log.lines)
            lines = earlier.log.lines + tuple(evolve(line, number=first + place) for place, line in enumerate(added))
            spec = evolve(
                spec, log=evolve(spec.log, lines=lines, patterns=tuple((dict(earlier.log.patterns) | dict(spec.log.patterns)).items()))
            )
        merged[spec.name] = spec
    return list(merged.values())


def load_family(name: str, *, folder: Path | None = None) -> tuple[Family, FamilyLog]:
    """Load a family of the catalogue: its releases and what its lines tell of processes.

    Raises:
        SpecError: there is no such family, or it has errors.
    """
    root = folder or specs_folder()
    path = family_file(name, None, root)
    if path is None:
        near = did_you_mean(name, [known.rsplit("/", 1)[-1] for known in catalogue(root, kind="family")])
        raise SpecError((Diagnostic("SM601", f"there is no family `{name}`", Span(name, 1, 1), near),))
    known, found = read_family(file_bytes(path), path.relative_to(root).as_posix())
    if known is None or any(wrong.severity is Severity.ERROR for wrong in found):
        raise SpecError(found)
    return known.family, known.log or FamilyLog()


def family_log(name: str, *, folder: Path | None = None) -> FamilyLog:
    """Return what the lines of a family tell; see `load_family`."""
    return load_family(name, folder=folder)[1]


def locate(name_or_path: str | Path, root: Path) -> tuple[Path, str, str]:
    """Find a spec's file.

    Returns:
        The path, the catalogue name, and the name that places carry.

    Raises:
        SpecError: SM601 no such spec, SM602 several.
    """
    text = str(name_or_path)
    if _is_path(name_or_path):
        path = Path(text)
        return path, name_of(path, root), text
    plain = root / f"{text}.yaml"
    if ".." not in text.split("/") and plain.exists():
        return plain, text, f"{text}.yaml"
    known = dict(_files(root))
    ends = sorted(name for name, path in known.items() if name.endswith("/" + text) and _kind(path) != "family")
    if len(ends) == 1:
        return known[ends[0]], ends[0], f"{ends[0]}.yaml"
    raise SpecError((_no_such(text, ends, known),))


def _is_path(name_or_path: str | Path) -> bool:
    return isinstance(name_or_path, Path) or name_or_path.endswith((".yaml", ".yml"))


def _no_such(text: str, ends: list[str], known: dict[str, Path]) -> Diagnostic:
    if ends:
        return Diagnostic(
            "SM602", f"several specs are called `{text}`", Span(text, 1, 1), "write " + " or ".join(f"`{name}`" for name in ends)
        )
    names = [name for name, path in known.items() if _kind(path) != "family"]
    near = meant(text, names) or meant(text, [name.rsplit("/", 1)[-1] for name in names])
    return Diagnostic("SM601", f"there is no spec `{text}`", Span(text, 1, 1), _what_it_is(Path(text)) or near or _beside(Path(text)))


def _beside(path: Path) -> str:
    """Return the spec of the same folder that was probably meant, as a hint."""
    if path.exists() or not path.parent.is_dir():
        return ""
    stem = path.stem if path.suffix in (".yaml", ".yml") else path.name
    near = nearest(stem, [one.stem for one in sorted(path.parent.glob("*.yaml"))])
    return f"did you mean `{path.parent / near}.yaml`?" if near else ""


def _what_it_is(path: Path) -> str | None:
    """Say why something that is there is no spec."""
    if path.is_dir():
        return "this is a folder; name a file in it that ends in `.yaml`"
    return "a spec's file ends in `.yaml`" if path.is_file() else None


def name_of(path: Path, root: Path) -> str:
    """Return the name of a file given by path: the path without its ending, below `specs/` where it has one."""
    parts = _below_specs(path, root)
    return path.with_suffix("").as_posix() if parts is None else "/".join(parts)


def folder_of(path: Path, root: Path) -> str:
    """Return the folders that belong to a spec's name: those between it and the folder `specs/`; of any other path none."""
    return "/".join((_below_specs(path, root) or ())[:-1])


def _below_specs(path: Path, root: Path) -> tuple[str, ...] | None:
    """Return the parts of a path below `specs/`, without its ending; None where it has no such folder."""
    parts = path.with_suffix("").parts
    if "specs" in parts:
        return parts[len(parts) - parts[::-1].index("specs") :]
    if path.absolute().is_relative_to(root.absolute()):
        return path.absolute().relative_to(root.absolute()).with_suffix("").parts
    return None
