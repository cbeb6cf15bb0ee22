"""From a system to its picture: its parts as boxes, what they send each other and what they need of each other as arrows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
from attrs import evolve

from statemachines.draw.graph import Edge, Graph, Node, Tone
from statemachines.model import expressions as e
from statemachines.model.data import Claim, Data, Property
from statemachines.model.systems import Link, Part, System
from statemachines.semantics.wording import wording

SHARED = "shared data"
"""The box of what links change; a blank keeps it apart from every part's name."""
RULES = "all rules"
MOST = 12
"""Lines beside one arrow."""
WIDEST = 56
"""Letters of a line."""
Gathered = dict[tuple[str, str, bool], list[tuple[str, Link]]]
"""Two parts and whether one only needs something of the other, and the links between them with their texts."""


def system_graph(system: System, *, releases: str = "") -> Graph:
    """Picture a system.

    Args:
        system: in one release.
        releases: what the caption calls the releases that look like this one; the system's own where empty.

    Returns:
        One box a part, one for the data that links change, one for the names of the rules; an arrow for all that one part sends to
        another, a dotted one for what a part's steps need of another.
    """
    nodes = (*map(_part, system.parts), *_shared(system), *_rules(system))
    gathered: Gathered = {}
    for link in system.links:
        for target, needs, text in _arrows(link, system):
            gathered.setdefault((link.on, target, needs), []).append((text, link))
    edges = tuple(_edge(source, target, needs, told) for (source, target, needs), told in gathered.items())
    caption = releases or system.release
    drawn = Graph(system.name, nodes, edges, title=system.name, caption=caption)
    return evolve(drawn, description=_description(system, gathered))


def _description(system: System, gathered: Gathered) -> str:
    """Return the picture in words, for those who cannot see it."""
    parts = ", ".join(f"{part.name} ({', '.join(part_lines(part))})" for part in system.parts)
    said = [f"A system of {len(system.parts)} parts: {parts}."]
    for (source, target, needs), told in gathered.items():
        verb = "needs of" if needs else "changes" if target == SHARED else "sends to"
        said.append(f"{source} {verb} {'itself' if source == target else target}: {'; '.join(text for text, _ in told)}.")
    rules = ", ".join(map(rule_name, _told_rules(system)))
    return " ".join([*said, *([f"Rules: {rules}."] if rules else [])])


def occasion(link: Link) -> str:
    """Say which step fires a link: `enters OPEN`, `leaves SHUT`, the event, or any step."""
    states = [f"enters {' or '.join(link.enters)}"] if link.enters else []
    states += [f"leaves {' or '.join(link.leaves)}"] if link.leaves else []
    return " and ".join([*([link.event] if link.event else []), *states]) or "any step"


def does(link: Link) -> str:
    """Say what a link does: what is sent to whom, what is changed; nothing where it only forbids."""
    told = []
    if link.send is not None:
        key = f"[{wording(link.send.key)}]" if link.send.key is not None else ""
        arguments = ", ".join(f"{name}={wording(value)}" for name, value in link.send.arguments)
        later = "later " if link.later else ""
        told.append(f"{later}{link.send.part}{key}.{link.send.event}{f'({arguments})' if arguments else ''}")
    told += [f"{each.variable} = {wording(each.value)}" for each in link.effect]
    return "; ".join(told)


def rule_name(rule: Property) -> str:
    """Return a rule's kind and name."""
    return str(rule.claim) if rule.claim is Claim.NO_DEADLOCK else f"{rule.claim} {rule.name}"


def part_lines(part: Part) -> tuple[str, ...]:
    """Return a part's machine, and how many there are of it."""
    told = [part.machine.rpartition("/")[2]]
    told += [f"one for each {_type_name(part)}"] if part.each is not None else []
    return (*told, *(["may be absent"] if part.optional else []))


def _part(part: Part) -> Node:
    return Node(part.name, lines=part_lines(part), note=part.doc.strip())


def _type_name(part: Part) -> str:
    return str(getattr(part.each, "name", part.each))


def _shared(system: System) -> Iterator[Node]:
    if system.data.variables:
        lines = tuple(f"{each.name}: {each.type}" for each in system.data.variables)
        yield Node(SHARED, "shared", lines, tone=Tone.OUT, note="what links change")


def _told_rules(system: System) -> tuple[Property, ...]:
    return tuple(rule for rule in system.data.properties if rule.holds is not None)


def _rules(system: System) -> Iterator[Node]:
    if rules := _told_rules(system):
        yield Node(RULES, "rules", tuple(map(rule_name, rules)), tone=Tone.OUT, note="\n".join(map(_rule, rules)))


def _rule(rule: Property) -> str:
    assert rule.holds is not None
    return f"{rule_name(rule)}: {wording(rule.holds)}"


def _arrows(link: Link, system: System) -> Iterator[tuple[str, bool, str]]:
    """Yield whom a link concerns, whether it only needs something there, and its whole text."""
    guard = f" [{wording(link.guard)}]" if link.guard is not None else ""
    if link.send is not None:
        yield link.send.part, False, f"{occasion(link)}{guard} / {does(evolve(link, effect=()))}"
    if link.effect:
        yield SHARED, False, f"{occasion(link)}{guard} / {does(evolve(link, send=None))}"
    if link.only_if is not None:
        looked = [name for name in _parts_in(link.only_if, system) if name != link.on] or [link.on]
        for name in looked:
            yield name, True, f"{occasion(link)}{guard} only if {wording(link.only_if)}"


def _edge(source: str, target: str, needs: bool, told: list[tuple[str, Link]]) -> Edge:
    lines = tuple(line for _, link in told for line in _label(link, needs, target))
    shown = lines if len(lines) <= MOST else (*lines[: MOST - 1], f"and {len(lines) - MOST + 1} more lines")
    docs = dict.fromkeys(link.doc.strip() for _, link in told if link.doc.strip())
    note = "\n".join((f"{source} → {target}", *(text for text, _ in told), *docs))
    return Edge(source, target, labels=shown, needs=needs, note=note)


def _label(link: Link, needs: bool, target: str) -> tuple[str, ...]:
    """Return the lines of one link, without what the arrow itself says."""
    guard = (f"[{wording(link.guard)}]",) if link.guard is not None else ()
    if needs:
        assert link.only_if is not None
        return _broken((occasion(link), *guard, f"only if {wording(link.only_if)}"))
    done = evolve(link, send=None) if target == SHARED else evolve(link, effect=())
    return _broken((occasion(link), *guard, f"/ {does(done).replace(f'{target}.', '', 1)}"))


def _broken(text: tuple[str, ...]) -> tuple[str, ...]:
    whole = " ".join(text)
    return (whole,) if len(whole) <= WIDEST else tuple(part if len(part) <= WIDEST else f"{part[: WIDEST - 1]}…" for part in text)


def _parts_in(expression: e.Expression, system: System) -> tuple[str, ...]:
    """Return the parts that an expression looks at, in the order of the system; those of its definitions too."""
    seen = set(_names(expression, system.data, frozenset()))
    return tuple(part.name for part in system.parts if part.name in seen)


def _names(value: object, data: Data, within: frozenset[str]) -> Iterator[str]:
    if isinstance(value, e.Name):
        yield value.name.removeprefix("before.")
    if isinstance(value, e.Apply) and value.definition not in within:
        body = next((each.body for each in data.definitions if each.name == value.definition), None)
        yield from _names(body, data, within | {value.definition})
    for inside in _inside(value):
        yield from _names(inside, data, within)


def _inside(value: object) -> Iterable[Any]:
    """Return what a node of an expression holds; its type is none of it."""
    if isinstance(value, (tuple, list)):
        return value
    if isinstance(value, Mapping):
        return value.values()
    if isinstance(value, (e.Expression, e.Clause)):
        return (getattr(value, field.name) for field in attrs.fields(type(value)) if field.name != "type")
    return ()
