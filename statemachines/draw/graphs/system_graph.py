"""From a system to its picture: its parts as boxes, what they send each other and what they need of
each other as arrows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
from attrs import evolve

from statemachines.draw.graphs.graph import Edge, Graph, Node, Tone
from statemachines.model.definitions.data_definitions import MachineData, Property, PropertyKind
from statemachines.model.definitions.system_definitions import (
    Channel,
    CreatedPart,
    Link,
    SameVariable,
    SystemDefinition,
    SystemPart,
    WhenFull,
)
from statemachines.model.language import expression_nodes as e
from statemachines.semantics.messages.expression_text import format_expression

_SHARED_DATA_BOX = "shared data"
"""The box of what links change; a blank keeps it apart from every part's name."""
_RULES_BOX = "all rules"
MOST_LINES = 12
"""Lines beside one arrow."""
WIDEST_LINE = 56
"""Letters of a line."""
_LinksByEnds = dict[tuple[str, str, bool], list[tuple[str, Link]]]
"""Two parts and whether one only needs something of the other, and the links between them with
their texts.
"""


def system_graph(system: SystemDefinition, *, releases: str = "") -> Graph:
    """Picture a system.

    Args:
        system: in one release.
        releases: what the caption calls the releases that look like this one; the system's own
            where empty.

    Returns:
        One box a part, one for the data that links change, one for the names of the rules; an arrow
        for all that one part sends to another, a dotted one for what a part's steps need of
        another.
    """
    nodes = (*map(_part_node, system.parts), *_shared_data_node(system), *_rules_node(system))
    gathered: _LinksByEnds = {}
    for link in system.links:
        for target, needs, text in _link_edges(link, system):
            gathered.setdefault((link.on, target, needs), []).append((text, link))
    edges = tuple(
        _system_edge(source, target, needs, texts)
        for (source, target, needs), texts in gathered.items()
    )
    caption = releases or system.release
    graph = Graph(system.name, nodes, edges, title=system.name, caption=caption)
    return evolve(graph, description=_system_description(system, gathered))


def _system_description(system: SystemDefinition, gathered: _LinksByEnds) -> str:
    """Return the picture in words, for those who cannot see it."""
    parts = ", ".join(f"{part.name} ({', '.join(part_description(part))})" for part in system.parts)
    sentences = [f"A system of {len(system.parts)} parts: {parts}."]
    for (source, target, needs), texts in gathered.items():
        verb = "needs of" if needs else "changes" if target == _SHARED_DATA_BOX else "sends to"
        sentences.append(
            f"{source} {verb} {'itself' if source == target else target}:"
            f" {'; '.join(text for text, _ in texts)}."
        )
    rules = ", ".join(map(property_name, _shown_properties(system)))
    return " ".join([*sentences, *([f"Rules: {rules}."] if rules else [])])


def link_trigger(link: Link) -> str:
    """Say which step fires a link: `enters OPEN`, `leaves SHUT`, the event, or any step; `begins`
    where none does.

    Args:
        link: of the system.

    Returns:
        A few words.
    """
    if link.begins:
        return "begins"
    states = [f"enters {' or '.join(link.enters)}"] if link.enters else []
    states += [f"leaves {' or '.join(link.leaves)}"] if link.leaves else []
    return " and ".join([*([link.event] if link.event else []), *states]) or "any step"


def link_effect(link: Link) -> str:
    """Say what a link sends to whom and what it changes; nothing if it only forbids.

    Args:
        link: of the system.

    Returns:
        A few words, or the empty text.
    """
    texts = [] if link.create is None else [_creation_text(link.create)]
    if link.send is not None:
        key = f"[{format_expression(link.send.key)}]" if link.send.key is not None else ""
        arguments = ", ".join(
            f"{name}={format_expression(value)}" for name, value in link.send.arguments
        )
        later = f"through {link.channel} " if link.channel else "later " if link.deferred else ""
        texts.append(
            f"{later}{link.send.part}{key}.{link.send.event}{f'({arguments})' if arguments else ''}"
        )
    texts += [
        f"{assignment.variable} = {format_expression(assignment.value)}"
        for assignment in link.effect
    ]
    return "; ".join(texts)


def _creation_text(part: CreatedPart) -> str:
    return f"create {part.part}[{format_expression(part.key)}]"


def property_name(rule: Property) -> str:
    """Return a rule's kind and name.

    Args:
        rule: a property of the system.

    Returns:
        Such as `always noTwo`.
    """
    return str(rule.kind) if rule.kind is PropertyKind.NO_DEADLOCK else f"{rule.kind} {rule.name}"


def each_text(rule: Property) -> str:
    """Say for each of what a rule is claimed; nothing where it is claimed once.

    Args:
        rule: a property of the system.

    Returns:
        A few words, or the empty text.
    """
    return "".join(f" for each {name} in {type_}" for name, type_ in rule.each)


def part_description(part: SystemPart) -> tuple[str, ...]:
    """Return a part's machine, and how many there are of it.

    Args:
        part: of the system.

    Returns:
        One text a line.
    """
    texts = [part.machine.rpartition("/")[2]]
    texts += [f"one for each {_type_name(part)}"] if part.each is not None else []
    texts += ["created by links"] if part.is_created else []
    texts += [f"ends in {' or '.join(part.ends)}"] if part.ends else []
    return (*texts, *(["may be absent"] if part.optional else []))


def _part_node(part: SystemPart) -> Node:
    return Node(part.name, lines=part_description(part), note=part.doc.strip())


def _type_name(part: SystemPart) -> str:
    return str(getattr(part.each, "name", part.each))


def _shared_data_node(system: SystemDefinition) -> Iterator[Node]:
    lines = tuple(f"{variable.name}: {variable.type}" for variable in system.data.variables)
    lines += tuple(f"{shared.name}: {same_members(shared)}" for shared in system.same)
    lines += tuple(f"{channel.name}: {channel_text(channel)}" for channel in system.channels)
    if lines:
        texts = ["what links change"] if system.data.variables else []
        texts += ["what parts have in common"] if system.same else []
        texts += ["channels"] if system.channels else []
        yield Node(_SHARED_DATA_BOX, "shared", lines, tone=Tone.OUT, note=", ".join(texts))


def channel_text(channel: Channel) -> str:
    """Say what a channel holds, and how far it is to be trusted.

    Args:
        channel: as the system declares it.

    Returns:
        A few words.
    """
    faults = {"lose": channel.loses, "repeat": channel.repeats, "reorder": channel.reorders}
    may = [word for word, does in faults.items() if does]
    texts = [f"holds {channel.holds}", *([f"may {' and '.join(may)}"] if may else [])]
    texts += [] if channel.full is WhenFull.REFUSE else [f"where full {channel.full}"]
    texts += ["keeps what is refused"] if channel.keeps_refused else []
    return ", ".join([*texts, *(["shared by all senders"] if channel.shared else [])])


def same_members(shared: SameVariable) -> str:
    """Say which variables are one: `left.count = right.count`.

    Args:
        shared: as the system declares it.

    Returns:
        Names of variables with ` = ` between them.
    """
    return " = ".join(f"{part}.{variable}" for part, variable in shared.members)


def _shown_properties(system: SystemDefinition) -> tuple[Property, ...]:
    return tuple(rule for rule in system.data.properties if rule.holds is not None)


def _rules_node(system: SystemDefinition) -> Iterator[Node]:
    if rules := _shown_properties(system):
        yield Node(
            _RULES_BOX,
            "rules",
            tuple(map(property_name, rules)),
            tone=Tone.OUT,
            note="\n".join(map(_property_line, rules)),
        )


def _property_line(rule: Property) -> str:
    assert rule.holds is not None
    return f"{property_name(rule)}{each_text(rule)}: {format_expression(rule.holds)}"


def _link_edges(link: Link, system: SystemDefinition) -> Iterator[tuple[str, bool, str]]:
    """Yield whom a link concerns, whether it only needs something there, and its whole text."""
    guard = f" [{format_expression(link.guard)}]" if link.guard is not None else ""
    if link.send is not None:
        yield (
            link.send.part,
            False,
            f"{link_trigger(link)}{guard} / {link_effect(evolve(link, effect=()))}",
        )
    if link.create is not None:
        text = f"{link_trigger(link)}{guard} / {_creation_text(link.create)}"
        yield link.create.part, False, text
    if link.effect:
        yield (
            _SHARED_DATA_BOX,
            False,
            f"{link_trigger(link)}{guard} / {link_effect(evolve(link, send=None, create=None))}",
        )
    if link.only_if is not None:
        read = [name for name in _parts_read_by(link.only_if, system) if name != link.on] or [
            link.on
        ]
        for name in read:
            yield (
                name,
                True,
                f"{link_trigger(link)}{guard} only if {format_expression(link.only_if)}",
            )


def _system_edge(source: str, target: str, needs: bool, texts: list[tuple[str, Link]]) -> Edge:
    lines = tuple(line for _, link in texts for line in _link_label(link, needs, target))
    shown = (
        lines
        if len(lines) <= MOST_LINES
        else (*lines[: MOST_LINES - 1], f"and {len(lines) - MOST_LINES + 1} more lines")
    )
    docs = dict.fromkeys(link.doc.strip() for _, link in texts if link.doc.strip())
    note = "\n".join((f"{source} → {target}", *(text for text, _ in texts), *docs))
    return Edge(source, target, labels=shown, is_requirement=needs, note=note)


def _link_label(link: Link, needs: bool, target: str) -> tuple[str, ...]:
    """Return the lines of one link, without what the arrow itself says."""
    guard = (f"[{format_expression(link.guard)}]",) if link.guard is not None else ()
    if needs:
        assert link.only_if is not None
        return _broken_label(
            (link_trigger(link), *guard, f"only if {format_expression(link.only_if)}")
        )
    done = (
        evolve(link, send=None, create=None)
        if target == _SHARED_DATA_BOX
        else evolve(link, effect=())
    )
    return _broken_label(
        (link_trigger(link), *guard, f"/ {link_effect(done).replace(f'{target}.', '', 1)}")
    )


def _broken_label(text: tuple[str, ...]) -> tuple[str, ...]:
    whole = " ".join(text)
    return (
        (whole,)
        if len(whole) <= WIDEST_LINE
        else tuple(
            part if len(part) <= WIDEST_LINE else f"{part[: WIDEST_LINE - 1]}…" for part in text
        )
    )


def _parts_read_by(expression: e.Expression, system: SystemDefinition) -> tuple[str, ...]:
    """Return the parts that an expression looks at, in the order of the system; those of its
    definitions too.
    """
    names = set(_names_in(expression, system.data, frozenset()))
    return tuple(part.name for part in system.parts if part.name in names)


def _names_in(value: object, data: MachineData, within: frozenset[str]) -> Iterator[str]:
    if isinstance(value, e.Name):
        yield value.name.removeprefix("before.")
    if isinstance(value, e.DefinitionCall) and value.definition not in within:
        body = next(
            (
                definition.body
                for definition in data.definitions
                if definition.name == value.definition
            ),
            None,
        )
        yield from _names_in(body, data, within | {value.definition})
    for inside in _child_nodes(value):
        yield from _names_in(inside, data, within)


def _child_nodes(value: object) -> Iterable[Any]:
    """Return what a node of an expression holds; its type is none of it."""
    if isinstance(value, (tuple, list)):
        return value
    if isinstance(value, Mapping):
        return value.values()
    if isinstance(value, (e.Expression, e.Clause)):
        return (
            getattr(value, field.name)
            for field in attrs.fields(type(value))
            if field.name != "type"
        )
    return ()
