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


def state_graph(machine: Machine, texts: Iterable[str] = (), *, symmetry: bool = False) -> Graph:
    """Return the graph of all states of a machine within its scope.

    Args:
        machine: in one release.
        texts: a scope; see `explore.scope_of`.
        symmetry: states that differ in interchangeable names are one.

    Raises:
        CannotDraw: it has more than 300 states.
        ArgumentsError: the scope does not fit the machine.
    """
    world = world_of(machine, scope_of(machine, texts))
    found, seen = explore_world(world, How(symmetry=symmetry, engine="rows", limits=Limits(most_states=MOST)))
    if seen.gave_up:
        raise CannotDraw(f"more than {MOST} states are no picture; explore a narrower --scope, or with --symmetry")
    nodes = tuple(_nodes(world, seen))
    caption = "   ".join(part for part in (machine.release, found.scope, f"{found.states:,} states") if part)
    said = f"The {found.states} states that {machine.name} comes to, and the steps between them."
    return Graph(machine.name, nodes, tuple(_edges(world, seen, symmetry)), title=machine.name, caption=caption, description=said)


def state_graph_drawn(machine: Machine, form: str, texts: Iterable[str] = (), *, symmetry: bool = False) -> bytes:
    """Draw the graph of all states; see `state_graph` and `drawing.graph_drawn`."""
    return graph_drawn(state_graph(machine, texts, symmetry=symmetry), form)


def _nodes(world: World, seen: Searched) -> Iterator[Node]:
    """Yield the states; what is the same in all of them is left out."""
    columns = [place for place in range(1, world.width) if len({row[place] for row in seen.rows}) > 1]
    begins, final = set(world.begins), world.tables.final
    for number, row in enumerate(seen.rows):
        state = str(world.columns[0].values[row[0]])
        lines = tuple(f"{world.columns[place].name}={exact(world.columns[place].values[row[place]])}" for place in columns)
        label = state or str(number + 1)
        yield Node(str(number + 1), label, lines, row in begins, bool(final >> row[0] & 1))


def _edges(world: World, seen: Searched, symmetry: bool) -> Iterator[Edge]:
    canonical = canonical_of(world) if symmetry else None
    between: dict[tuple[int, int], list[str]] = {}
    for number, row in enumerate(seen.rows):
        for event, outcome, after in world.steps(row) if not world.is_outside(row) else ():
            target = seen.place[canonical(after) if canonical is not None else after]
            if target != number:
                arguments = ", ".join(f"{name}={exact(value)}" for name, value in outcome.arguments.items())
                between.setdefault((number, target), []).append(f"{event.rule.event}({arguments})" if arguments else event.rule.event)
    for (source, target), labels in between.items():
        more = (f"… {len(labels) - LABELS} more",) if len(labels) > LABELS else ()
        yield Edge(str(source + 1), str(target + 1), (*labels[:LABELS], *more))
