"""A system file to a system: read once for each class of releases in which it and its machines say the same."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.data import Data
from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Spec
from statemachines.model.releases import Releases
from statemachines.model.systems import Link, SystemSpec, Wiring
from statemachines.notation.data.classes import classes_of, masks_in
from statemachines.notation.data.declarations import (
    read_definitions,
    read_errors,
    read_initial,
    read_parameters,
    read_types,
    read_variables,
)
from statemachines.notation.data.properties import read_properties, read_scope, read_texts
from statemachines.notation.data.reader import Reader
from statemachines.notation.data.uses import Used, bring_in, masks_of, read_uses
from statemachines.notation.nodes import text_of
from statemachines.notation.passes.families import families
from statemachines.notation.passes.names import names
from statemachines.notation.systems.links import Links, arguments_of, circles, events_of
from statemachines.notation.systems.parts import Member, read_machines, read_parts, reading_part
from statemachines.notation.systems.resolving import bit_of
from statemachines.notation.work import Work


def read_system(work: Work, sha256: str) -> tuple[SystemSpec | None, tuple[Diagnostic, ...]]:
    """Read a system.

    Args:
        work: the document.
        sha256: of the file's bytes.

    Returns:
        The system, None where its family is unknown, or it is named as a part of a system; and all that is wrong.
    """
    if reading_part.get():
        return None, ()
    found = [*families(work), *names(work)]
    if work.root.get("family") is not None and not work.family.name:
        return None, tuple(found)
    machines, used = read_machines(work, found), read_uses(work, found)
    merged: dict[Wiring, Releases] = {}
    for releases in classes_of(work.releases, _masks(work, used, machines, found)):
        wiring = _wiring(work, used, machines, releases & -releases, found)
        merged[wiring] = merged.get(wiring, 0) | releases
    versions = tuple((releases, wiring) for wiring, releases in merged.items())
    doc, source = text_of(work.root.get("doc")), text_of(work.root.get("source"))
    spec = SystemSpec(work.name, work.family, work.releases, tuple(machines.items()), versions, doc, source, work.name + ".yaml", sha256)
    return spec, tuple(dict.fromkeys(found))


def _masks(work: Work, used: Used, machines: dict[str, Spec], found: list[Diagnostic]) -> Iterator[Releases]:
    """Yield the releases in which the system or one of its machines differs."""
    yield from masks_in(work.root, work.family, work.releases, found)
    yield from masks_of(used)
    for spec in machines.values():
        if spec.family.name and spec.family.name == work.family.name:
            yield spec.releases
            for things in (spec.states, spec.transitions, spec.otherwise, spec.predicates, spec.events):
                yield from (one.releases for one in things)
            yield from (releases for releases, _ in spec.versions)


def _wiring(work: Work, used: Used, machines: dict[str, Spec], bit: Releases, found: list[Diagnostic]) -> Wiring:
    """Read a system in one release, in the order in which one thing needs another."""
    root, roots = work.root, [*used.libraries, work.root]
    reader = Reader(work.family, bit, found)
    bring_in(reader, used)
    bring_in(reader, Used((), tuple(spec for spec in machines.values() if bit_of(spec, work.family, bit))))
    types, errors = read_types(reader, roots), read_errors(reader, roots)
    parameters = read_parameters(reader, root)
    where = reader.condition(root.get("where"))
    if where is not None:
        reader.facts = reader.facts.knowing(where)
    members = read_parts(reader, root, machines)
    read = read_variables(reader, root)
    definitions = read_definitions(reader, roots)
    links = Links(reader, root, members, {one.name: one.type for one, _ in read}).read()
    found.extend(_circling(links, members))
    data = Data(
        types,
        parameters,
        where,
        read_initial(reader, read),
        reader.condition(root.get("initially")),
        definitions,
        errors,
        read_texts(reader, root),
        read_properties(reader, root, _events(members)),
        reader.condition(root.get("final")),
        read_scope(reader, root, parameters),
    )
    return Wiring(tuple(member.part for member in members.values()), links, data)


def _circling(links: tuple[Link, ...], members: dict[str, Member]) -> Iterator[Diagnostic]:
    """Report links that fire each other for ever."""
    machines = {name: member.machine for name, member in members.items()}
    for circle in circles(links, machines):
        sent = [f"`{link.send.part}.{link.send.event}`" for link in circle if link.send is not None]
        message = f"links fire each other without end: {' sends '.join([*sent, sent[0]])}"
        if circle[0].span is not None:
            yield Diagnostic("SM417", message, circle[0].span, "give one of them `later: true`")


def _events(members: dict[str, Member]) -> dict[str, tuple[str, ...]]:
    """Return the events of all parts with the names of their arguments, for `assuming`."""
    return {
        f"{name}.{event}": tuple(argument for argument, _ in arguments_of(member.machine, event))
        + (("key",) if member.part.each is not None else ())
        for name, member in members.items()
        for event in events_of(member.machine)
    }
