"""What exploring saw, as a picture: every state with the values that tell it from the others, every step between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.api.drawing import CannotDraw, graph_drawn
from statemachines.api.explore import scope_of
from statemachines.draw.graph import Edge, Graph, Node
from statemachines.explore.exploring import How, explore_world
from statemachines.explore.limits import Limits
from statemachines.explore.search import Searched
from statemachines.explore.symmetry import canonical_of
from statemachines.explore.world import World, world_of
from statemachines.model.machines import Machine
from statemachines.semantics.texts import exact

MOST = 300
"""States of a picture that a person can still read."""
LABELS = 3
"""Steps between the same two states that are named one by one."""


Between = dict[tuple[int, int], list[str]]
"""Places of two states to what leads from one to the other."""


def state_graph(machine: Machine, texts: Iterable[str] = (), *, symmetry: bool = False, copies: int = 1) -> Graph:
    """Return the graph of all states of a machine within its scope.

    Args:
        machine: in one release.
        texts: a scope; see `explore.scope_of`.
        symmetry: states that differ in interchangeable names are one.
        copies: how many of the machine step side by side.

    Raises:
        CannotDraw: it has more than 300 states.
        ArgumentsError: the scope does not fit the machine.
    """
    world = world_of(machine, scope_of(machine, texts), copies)
    found, seen = explore_world(world, How(symmetry=symmetry, copies=copies, engine="rows", limits=Limits(most_states=MOST)))
    if seen.gave_up:
        raise too_many()
    caption = "   ".join(part for part in (machine.release, found.scope, f"{found.states:,} states") if part)
    return graph_of(machine.name, caption, tuple(_nodes(world, seen)), _between(world, seen, symmetry))


def too_many() -> CannotDraw:
    """Return what is wrong with more states than a person can read."""
    return CannotDraw(f"more than {MOST} states are no picture; explore a narrower --scope, or with --symmetry")


def graph_of(name: str, caption: str, nodes: tuple[Node, ...], between: Between) -> Graph:
    """Return the graph of some states, which are called by their places from 1."""
    said = f"The {len(nodes)} states that {name} comes to, and the steps between them."
    return Graph(name, nodes, tuple(_edges(between)), title=name, caption=caption, description=said)


def state_graph_drawn(machine: Machine, form: str, texts: Iterable[str] = (), *, symmetry: bool = False, copies: int = 1) -> bytes:
    """Draw the graph of all states; see `state_graph` and `drawing.graph_drawn`."""
    return graph_drawn(state_graph(machine, texts, symmetry=symmetry, copies=copies), form)


def _nodes(world: World, seen: Searched) -> Iterator[Node]:
    """Yield the states; what is the same in all of them is left out."""
    width, copies = world.width, range(world.copies)
    columns = [place for place in range(width * world.copies) if place % width and len({row[place] for row in seen.rows}) > 1]
    begins, final = set(world.begins), world.tables.final
    for number, row in enumerate(seen.rows, 1):
        states = [str(world.columns[0].values[row[copy * width]]) for copy in copies]
        lines = tuple(_value(world, place, row[place]) for place in columns)
        label = ", ".join(states) if any(states) else str(number)
        yield Node(str(number), label, lines, row in begins, all(final >> row[copy * width] & 1 for copy in copies))


def _value(world: World, place: int, number: int) -> str:
    copy, column = divmod(place, world.width)
    who = f"{copy + 1}: " if world.copies > 1 else ""
    return f"{who}{world.columns[column].name}={exact(world.columns[column].values[number])}"


def _between(world: World, seen: Searched, symmetry: bool) -> Between:
    canonical = canonical_of(world) if symmetry else None
    between: Between = {}
    for number, row in enumerate(seen.rows):
        for event, outcome, after in world.steps(row) if not world.is_outside(row) else ():
            target = seen.place[canonical(after) if canonical is not None else after]
            if target != number:
                who = f"{event.copy + 1}: " if world.copies > 1 else ""
                arguments = ", ".join(f"{name}={exact(value)}" for name, value in outcome.arguments.items())
                between.setdefault((number, target), []).append(who + event.rule.event + (f"({arguments})" if arguments else ""))
    return between


def _edges(between: Between) -> Iterator[Edge]:
    for (source, target), labels in between.items():
        more = (f"… {len(labels) - LABELS} more",) if len(labels) > LABELS else ()
        yield Edge(str(source + 1), str(target + 1), (*labels[:LABELS], *more))
