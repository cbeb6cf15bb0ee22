"""What exploring saw of a system, as a picture: every state by what its parts are in, every step
between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from statemachines.api.queries.pictures import graph_picture
from statemachines.api.queries.state_graphs import (
    MOST_STATES,
    LabelsBetween,
    graph_from_nodes,
    too_many_states,
)
from statemachines.draw.graphs.graph import Graph, Node
from statemachines.explore.models.system_initial_rows import build_system_model
from statemachines.explore.models.system_model import SystemModel
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.rows.row_search import CanonicalRow, SearchResult
from statemachines.explore.symmetry.canonical_rows import build_canonical_row
from statemachines.explore.system_exploration import explore_system_model
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.report.exploration.system_run_texts import system_event_text
from statemachines.semantics.messages.value_text import format_literal
from statemachines.semantics.system.system_tables import system_tables


def _system_state_graph(
    system: SystemDefinition, texts: Iterable[str] = (), *, symmetry: bool = False
) -> Graph:
    """Return the graph of all states of a system within its scope.

    Args:
        system: in one release.
        texts: a scope; see `scope_from_texts`.
        symmetry: states that differ in interchangeable names are one.

    Returns:
        A node a state, in the order in which they were found, and an edge a step.

    Raises:
        CannotDraw: it has more than 300 states.
        ArgumentsError: the scope does not fit the system.
    """
    scope = scope_from_texts(system_tables(system).behaviour.machine, texts)
    model = build_system_model(system, scope)
    limits = Limits(most_states=MOST_STATES)
    how = ExplorationOptions(symmetry, limits=limits, engine="rows")
    exploration, search = explore_system_model(model, scope, how)
    if search.limit_reached:
        raise too_many_states()
    caption = "   ".join(
        part
        for part in (system.release, exploration.scope, f"{exploration.states:,} states")
        if part
    )
    canonical = build_canonical_row(model) if symmetry else lambda row: row
    return graph_from_nodes(
        system.name,
        caption,
        tuple(_state_nodes(model, search, canonical)),
        _labels_between(model, search, canonical),
    )


def system_state_graph_picture(
    system: SystemDefinition, form: str, texts: Iterable[str] = (), *, symmetry: bool = False
) -> bytes:
    """Draw the graph of all states; see `_system_state_graph` and `graph_picture`.

    Args:
        system: in one release.
        form: one of `PICTURES`.
        texts: a scope, as `_system_state_graph` takes it.
        symmetry: states that differ in interchangeable names are one.

    Returns:
        The whole file; text forms are UTF-8.
    """
    return graph_picture(_system_state_graph(system, texts, symmetry=symmetry), form)


def _state_nodes(
    model: SystemModel, search: SearchResult, canonical: CanonicalRow
) -> Iterator[Node]:
    """Yield the states; what is the same in all of them is left out."""
    snapshots = [model.snapshot(row) for row in search.rows]
    lines = [list(_snapshot_lines(model, snapshot)) for snapshot in snapshots]
    same = {line for line in lines[0] if all(line in shown for shown in lines)}
    initial_rows = {canonical(row) for row in model.initial_rows}
    for number, (row, snapshot) in enumerate(zip(search.rows, snapshots, strict=True), 1):
        own = tuple(line for line in lines[number - 1] if line not in same)
        yield Node(str(number), "", own, row in initial_rows, model.tables.may_stop(snapshot))


def _snapshot_lines(model: SystemModel, snapshot: SystemSnapshot) -> Iterator[str]:
    """Yield what there is of each part, what is shared, and what waits."""
    held = dict(model.layout.present_parts(snapshot))
    for name, key in model.layout.part_keys:
        part_snapshot = held.get((name, key))
        who = name if key is None else f"{name}[{format_literal(key)}]"
        yield (
            f"no {who}"
            if part_snapshot is None
            else "  ".join(
                [f"{who} {part_snapshot.state}".rstrip(), *_value_texts(part_snapshot.variables)]
            )
        )
    yield from _value_texts({**snapshot.parameters, **snapshot.variables})
    for waiting, arguments in snapshot.waiting.items():
        link = model.tables.link_of[waiting.link]
        assert link.send is not None
        who = (
            link.send.part
            if waiting.receiver is None
            else f"{link.send.part}[{format_literal(waiting.receiver)}]"
        )
        yield f"waiting: {who}.{link.send.event}({', '.join(_value_texts(arguments))})"


def _value_texts(values: Mapping[str, Value]) -> Iterator[str]:
    return (f"{name}={format_literal(value)}" for name, value in values.items())


def _labels_between(
    model: SystemModel, search: SearchResult, canonical: CanonicalRow
) -> LabelsBetween:
    between: LabelsBetween = {}
    for number, row in enumerate(search.rows):
        now = model.snapshot(row)
        for _, taken, after in model.steps(row) if model.goes_on_from(row) else ():
            target = search.indices[canonical(after)]
            if target != number:
                between.setdefault((number, target), []).append(
                    system_event_text(model.trace_step(now, taken)).removesuffix("()")
                )
    return between
