"""A system file to a system: read once for each class of releases in which it and its machines say
the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from statemachines.model.breadth_first import search_breadth_first
from statemachines.model.definitions.data_definitions import MachineData
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.system_definitions import (
    Channel,
    Link,
    SystemSpecDefinition,
    SystemVersion,
    WhenFull,
)
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.data.data_reader import DataReader, doc_text
from statemachines.notation.data.declaration_reader import (
    read_errors,
    read_initial_values,
    read_parameters,
    read_types,
    read_variables,
)
from statemachines.notation.data.definition_reader import read_definitions
from statemachines.notation.data.fairness_reader import EventArguments
from statemachines.notation.data.property_reader import (
    read_properties,
    read_scope,
    read_texts,
)
from statemachines.notation.data.refinement_reader import read_refinements
from statemachines.notation.data.used_specs import (
    UsedSpecs,
    declare_used_machines,
    read_used_specs,
    used_release_masks,
)
from statemachines.notation.document.yaml_nodes import YamlMapping, is_true, node_text, node_texts
from statemachines.notation.log_passes.family_pass import read_family_of_spec
from statemachines.notation.passes.declaration_pass import duplicate_names
from statemachines.notation.passes.spec_builder import SpecBuilder
from statemachines.notation.releases.machine_selection import release_of_other
from statemachines.notation.releases.release_partition import range_masks, release_partition
from statemachines.notation.releases.release_selection import entries_in_release
from statemachines.notation.systems.link_reader import LinkReader, event_arguments, machine_events
from statemachines.notation.systems.part_reader import (
    PartMember,
    is_reading_part,
    read_part_machines,
    read_parts,
    with_parameters,
)
from statemachines.notation.systems.part_types import read_part_types
from statemachines.notation.systems.same_reader import read_same_variables


def link_cycles(
    links: Iterable[Link], machines: dict[str, MachineDefinition]
) -> list[tuple[Link, ...]]:
    """Return the links that fire each other without end: what one sends at once makes the next one
    fire, and so on back to it.

    Args:
        links: of the system.
        machines: by part.

    Returns:
        The shortest circle of each link that is the first of its circle, in the order of `links`.
    """
    now = [link for link in links if link.send is not None and not link.deferred]
    follows = {
        link.index: [other for other in now if _may_fire(link, other, machines)] for link in now
    }
    cycles: list[tuple[Link, ...]] = []
    for first in now:
        path = _shortest_cycle(first, follows)
        if path is not None and min(link.index for link in path) == first.index:
            cycles.append(path)
    return cycles


def _shortest_cycle(first: Link, follows: dict[int, list[Link]]) -> tuple[Link, ...] | None:
    """Return the shortest chain of links from one back to itself."""
    cycle = search_breadth_first(
        [first.index],
        lambda index: ((other, other.index) for other in follows[index]),
        lambda index: any(other.index == first.index for other in follows[index]),
    )
    return None if cycle.goal is None else (first, *cycle.path_to(cycle.goal)[1])


def _may_fire(link: Link, other: Link, machines: dict[str, MachineDefinition]) -> bool:
    """Tell whether what one link sends may fire another."""
    send = link.send
    if send is None or other.on != send.part:
        return False
    if other.event is not None:
        return other.event == send.event
    machine = machines[send.part]
    transitions = [
        transition for transition in machine.transitions if transition.event == send.event
    ]
    named = send.event.removeprefix("to_")
    if other.enters is not None:
        return named in other.enters or any(
            transition.target in other.enters for transition in transitions
        )
    forced = any(entry.does == "force" for entry in machine.otherwise)
    return forced or any(
        transition.source in (other.leaves or ()) and transition.target != transition.source
        for transition in transitions
    )


def read_system(
    work: SpecBuilder, sha256: str
) -> tuple[SystemSpecDefinition | None, tuple[Diagnostic, ...]]:
    """Read a system.

    Args:
        work: the document.
        sha256: of the file's bytes.

    Returns:
        The system, None where its family is unknown, or it is named as a part of a system; and all
        that is wrong.
    """
    if is_reading_part.get():
        return None, ()
    diagnostics = [*read_family_of_spec(work), *duplicate_names(work)]
    if work.root.get("family") is not None and not work.family.name:
        return None, tuple(diagnostics)
    machines, used = read_part_machines(work, diagnostics), read_used_specs(work, diagnostics)
    merged: dict[SystemVersion, ReleaseSet] = {}
    for releases in release_partition(
        work.releases, _release_masks(work, used, machines, diagnostics)
    ):
        wiring = _read_version(work, used, machines, releases & -releases, diagnostics)
        merged[wiring] = merged.get(wiring, 0) | releases
    versions = tuple((releases, wiring) for wiring, releases in merged.items())
    doc, source = node_text(work.root.get("doc")), node_text(work.root.get("source"))
    spec = SystemSpecDefinition(
        work.name,
        work.family,
        work.releases,
        tuple(machines.items()),
        versions,
        doc,
        source,
        work.name + ".yaml",
        sha256,
        used.abstracts,
    )
    return spec, tuple(dict.fromkeys(diagnostics))


def _release_masks(
    work: SpecBuilder,
    used: UsedSpecs,
    machines: dict[str, SpecDefinition],
    diagnostics: list[Diagnostic],
) -> Iterator[ReleaseSet]:
    """Yield the releases in which the system or one of its machines differs."""
    yield from range_masks(work.root, work.family, work.releases, diagnostics)
    yield from used_release_masks(used)
    for spec in machines.values():
        if spec.family.name and spec.family.name == work.family.name:
            yield spec.releases
            for things in (
                spec.states,
                spec.transitions,
                spec.otherwise,
                spec.predicates,
                spec.events,
            ):
                yield from (thing.releases for thing in things)
            yield from (releases for releases, _ in spec.versions)


def _read_version(
    work: SpecBuilder,
    used: UsedSpecs,
    machines: dict[str, SpecDefinition],
    bit: ReleaseSet,
    diagnostics: list[Diagnostic],
) -> SystemVersion:
    """Read a system in one release, in the order in which one thing needs another."""
    root, roots = work.root, [*used.libraries, work.root]
    reader = _new_reader(work, used, machines, bit, diagnostics)
    types, errors = read_types(reader, roots), read_errors(reader, roots)
    types += read_part_types(reader, root, machines)
    parameters = read_parameters(reader, root)
    where = reader.read_condition(root.get("where"))
    if where is not None:
        reader.facts = reader.facts.assuming(where)
    members = read_parts(reader, root, machines)
    read = read_variables(reader, root)
    definitions = read_definitions(reader, roots)
    members = with_parameters(reader, root, members)
    channels = read_channels(reader, root)
    shared, named = (
        {variable.name: variable.type for variable, _ in read},
        {channel.name: channel for channel in channels},
    )
    links = LinkReader(reader, root, members, shared, named).read_links()
    diagnostics.extend(_endless_links(links, members))
    events = _part_events(members)
    data = MachineData(
        types,
        parameters,
        where,
        read_initial_values(reader, read),
        reader.read_condition(root.get("initially")),
        definitions,
        errors,
        read_texts(reader, root),
        read_properties(reader, root, events),
        reader.read_condition(root.get("final")),
        read_scope(reader, root, parameters),
        read_refinements(reader, root, dict(used.abstracts), events),
    )
    same = read_same_variables(reader, root, members)
    parts = tuple(member.part for member in members.values())
    return SystemVersion(parts, links, data, same, channels)


def _new_reader(
    work: SpecBuilder,
    used: UsedSpecs,
    machines: dict[str, SpecDefinition],
    bit: ReleaseSet,
    diagnostics: list[Diagnostic],
) -> DataReader:
    """Return what reads a system in one release, which knows the machines that it uses."""
    reader = DataReader(work.family, bit, diagnostics)
    declare_used_machines(reader, used)
    here = tuple(spec for spec in machines.values() if release_of_other(spec, work.family, bit))
    declare_used_machines(reader, UsedSpecs((), here))
    return reader


def _endless_links(links: tuple[Link, ...], members: dict[str, PartMember]) -> Iterator[Diagnostic]:
    """Report links that fire each other for ever."""
    machines = {name: member.machine for name, member in members.items()}
    for circle in link_cycles(links, machines):
        sent = [f"`{link.send.part}.{link.send.event}`" for link in circle if link.send is not None]
        message = f"links fire each other without end: {' sends '.join([*sent, sent[0]])}"
        if circle[0].span is not None:
            yield Diagnostic("SM417", message, circle[0].span, "give one of them `later: true`")


def _part_events(members: dict[str, PartMember]) -> EventArguments:
    """Return the events of all parts with their arguments, for `assuming` and `enabled`."""
    return {
        f"{name}.{event}": (
            event_arguments(member.machine, event)
            + ((("key", member.part.each),) if member.part.each is not None else ())
        )
        for name, member in members.items()
        for event in machine_events(member.machine)
    }


_QUEUE_LENGTH = re.compile("0|[1-9][0-9]{0,8}")


def read_channels(reader: DataReader, root: YamlMapping) -> tuple[Channel, ...]:
    """Read `channels:` in one release, in the author's order.

    Args:
        reader: the release, and where mistakes go.
        root: the system.

    Returns:
        Those of this release.
    """
    return tuple(_existing_channels(reader, root))


def _existing_channels(reader: DataReader, root: YamlMapping) -> Iterator[Channel]:
    for name, node in entries_in_release(root.get("channels"), reader.family, reader.bit):
        if not isinstance(node, YamlMapping):
            continue
        wrong = _channel_clash(name.text, node)
        if wrong is not None:
            reader.diagnostics.append(Diagnostic("SM419", wrong[0], name.span, wrong[1]))
            continue
        may = node_texts(node.get("may"))
        yield Channel(
            name.text,
            int(node_text(node.get("holds"))),
            "lose" in may,
            "repeat" in may,
            "reorder" in may,
            WhenFull(node_text(node.get("full")) or WhenFull.REFUSE),
            is_true(node.get("shared")),
            node_text(node.get("refused")) == "wait",
            doc_text(node),
            name.span,
        )


def _channel_clash(name: str, node: YamlMapping) -> tuple[str, str] | None:
    """Return what a channel cannot be, and what to write; None where nothing is wrong with it."""
    holds = node_text(node.get("holds"))
    if not _QUEUE_LENGTH.fullmatch(holds):
        hint = "say how many events wait in one queue at most; 0: none, each is taken as it is sent"
        return f"`{name}` holds `{holds}`", hint
    useless = [key for key in ("may", "full", "refused", "shared") if node.get(key) is not None]
    if holds == "0" and useless:
        hint = f"nothing waits in it: leave `{useless[0]}` out, or let it hold 1"
        return f"`{name}` holds 0, and says `{useless[0]}`", hint
    if node_text(node.get("full")) == WhenFull.DROP_OLD and "reorder" in node_texts(
        node.get("may")
    ):
        return (
            f"`{name}` may reorder, and drops the oldest where it is full",
            "what may arrive in any order has no oldest: say `full: drop new`, or let it lose",
        )
    return None
