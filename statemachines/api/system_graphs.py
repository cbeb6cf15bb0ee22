"""What exploring saw of a system, as a picture: every state by what its parts are in, every step between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from statemachines.api.drawing import graph_drawn
from statemachines.api.explore import scope_of
from statemachines.api.state_graphs import MOST, Between, graph_of, too_many
from statemachines.api.walking_systems import asked
from statemachines.draw.graph import Graph, Node
from statemachines.explore.exploring import How
from statemachines.explore.exploring_systems import explore_system_world
from statemachines.explore.limits import Limits
from statemachines.explore.system_search import Run
from statemachines.explore.system_world import system_world
from statemachines.explore.walking_systems import may_stop
from statemachines.model.snapshots import Value
from statemachines.model.systems import System, SystemSnapshot
from statemachines.semantics.systems import tables_of_system
from statemachines.semantics.texts import exact


def system_state_graph(system: System, texts: Iterable[str] = (), *, symmetry: bool = False) -> Graph:
    """Return the graph of all states of a system within its scope.

    Args:
        system: in one release.
        texts: a scope; see `explore.scope_of`.
        symmetry: states that differ in interchangeable names are one.

    Raises:
        CannotDraw: it has more than 300 states.
        ArgumentsError: the scope does not fit the system.
    """
    scope = scope_of(tables_of_system(system).behaviour.machine, texts)
    found, seen = explore_system_world(system_world(system, scope), scope, How(symmetry, limits=Limits(most_states=MOST)))
    if seen.gave_up:
        raise too_many()
    caption = "   ".join(part for part in (system.release, found.scope, f"{found.states:,} states") if part)
    return graph_of(system.name, caption, tuple(_nodes(seen)), _between(seen))


def system_state_graph_drawn(system: System, form: str, texts: Iterable[str] = (), *, symmetry: bool = False) -> bytes:
    """Draw the graph of all states; see `system_state_graph` and `drawing.graph_drawn`."""
    return graph_drawn(system_state_graph(system, texts, symmetry=symmetry), form)


def _nodes(seen: Run) -> Iterator[Node]:
    """Yield the states; what is the same in all of them is left out."""
    snapshots = [seen.world.snapshot(row) for row in seen.rows]
    lines = [list(_lines(seen, one)) for one in snapshots]
    same = {line for line in lines[0] if all(line in each for each in lines)}
    begins = {seen.same(row) for row in seen.world.begins}
    for number, (row, snapshot) in enumerate(zip(seen.rows, snapshots, strict=True), 1):
        told = tuple(line for line in lines[number - 1] if line not in same)
        yield Node(str(number), "", told, row in begins, may_stop(seen.world.tables, snapshot))


def _lines(seen: Run, snapshot: SystemSnapshot) -> Iterator[str]:
    """Yield what there is of each part, what is shared, and what waits."""
    held = dict(seen.world.held_in(snapshot))
    for name, key in seen.world.places:
        one = held.get((name, key))
        who = name if key is None else f"{name}[{exact(key)}]"
        yield f"no {who}" if one is None else "  ".join([f"{who} {one.state}".rstrip(), *_values(one.variables)])
    yield from _values({**snapshot.parameters, **snapshot.variables})
    for waiting, arguments in snapshot.waiting.items():
        link = next(one for one in seen.world.system.links if one.number == waiting.link)
        assert link.send is not None
        who = link.send.part if waiting.receiver is None else f"{link.send.part}[{exact(waiting.receiver)}]"
        yield f"waiting: {who}.{link.send.event}({', '.join(_values(arguments))})"


def _values(values: Mapping[str, Value]) -> Iterator[str]:
    return (f"{name}={exact(value)}" for name, value in values.items())


def _between(seen: Run) -> Between:
    between: Between = {}
    for number, row in enumerate(seen.rows):
        for step in seen.world.steps(row) if not seen.world.is_outside(row) else ():
            target = seen.place[seen.same(step.after)]
            if target != number:
                between.setdefault((number, target), []).append(asked(step.occurrence).removesuffix("()"))
    return between
