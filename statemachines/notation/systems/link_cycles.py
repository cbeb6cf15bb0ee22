"""Links that fire each other without end."""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.model.breadth_first import search_breadth_first
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import Link


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
