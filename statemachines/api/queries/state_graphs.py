"""What exploring saw, as a picture: every state with the values that distinguish it from the
others, every step between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from statemachines.api.queries.pictures import CannotDraw, graph_picture
from statemachines.draw.graphs.graph import Edge, Graph, Node
from statemachines.explore.exploration import build_model
from statemachines.explore.model_exploration import explore_model
from statemachines.explore.models.model_protocol import Model, Taken
from statemachines.explore.models.row_columns import Row
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.rows.row_search import CanonicalRow
from statemachines.explore.rows.search_goals import SearchResult
from statemachines.explore.symmetry.canonical_rows import build_canonical_row
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.report.exploration.system_run_texts import system_event_text
from statemachines.semantics.messages.value_text import format_literal

MOST_STATES = 300
"""States of a picture that a person can still read."""
_MOST_LABELS = 3
"""Steps between the same two states that are named one by one."""


_LabelsBetween = dict[tuple[int, int], list[str]]
"""Places of two states to what leads from one to the other."""


def state_graph_picture(
    definition: MachineDefinition | SystemDefinition,
    form: str,
    texts: Iterable[str] = (),
    *,
    symmetry: bool = False,
    copies: int = 1,
) -> bytes:
    """Draw the graph of all states of a machine or a system within its scope: a node a state, in
    the order in which they were found, and an edge a step.

    Args:
        definition: in one release.
        form: one of `PICTURES`.
        texts: a scope; see `scope_from_texts`.
        symmetry: states that differ in interchangeable names are one.
        copies: how many of a machine step side by side.

    Returns:
        The whole file; text forms are UTF-8.

    Raises:
        CannotDraw: it has more than 300 states.
        ArgumentsError: the scope does not fit.
    """
    how = ExplorationOptions(symmetry, copies, Limits(most_states=MOST_STATES), engine="rows")
    model = build_model(definition, scope_from_texts(definition, texts), how)
    exploration, search = explore_model(model, how)
    if search.limit_reached:
        raise CannotDraw(
            f"more than {MOST_STATES} states are no picture; explore a narrower --scope, or with"
            " --symmetry"
        )
    canonical = build_canonical_row(model) if symmetry else lambda row: row
    initial_rows = {canonical(row) for row in model.initial_rows}
    nodes = tuple(
        _machine_nodes(model, search, initial_rows)
        if model.layout is None
        else _system_nodes(model, search, initial_rows)
    )
    name, caption = definition.name, (exploration.scope, f"{exploration.states:,} states")
    graph = Graph(
        name,
        nodes,
        tuple(_labelled_edges(_labels_between(model, search, canonical))),
        title=name,
        caption="   ".join(filter(None, (definition.release, *caption))),
        description=f"The {len(nodes)} states that {name} comes to, and the steps between them.",
    )
    return graph_picture(graph, form)


def _machine_nodes(model: Model, search: SearchResult, initial_rows: set[Row]) -> Iterator[Node]:
    """Yield the states; what is the same in all of them is left out."""
    every = [model.whole_snapshot(row) for row in search.rows]
    values = [
        [{**snapshot.parameters, **snapshot.variables} for snapshot in copies] for copies in every
    ]
    shown = [
        (copy, name)
        for copy, first in enumerate(values[0])
        for name in first
        if len({copies[copy][name] for copies in values}) > 1
    ]
    final = model.machine_tables.final
    for number, (row, copies) in enumerate(zip(search.rows, every, strict=True), 1):
        lines = tuple(
            f"{f'{copy + 1}: ' if len(copies) > 1 else ''}{name}={format_literal(value)}"
            for copy, name in shown
            for value in (values[number - 1][copy][name],)
        )
        states = [snapshot.state for snapshot in copies]
        label = ", ".join(states) if any(states) else str(number)
        stops = all(final >> row[block.offset] & 1 for block in model.blocks)
        yield Node(str(number), label, lines, row in initial_rows, stops)


def _system_nodes(model: Model, search: SearchResult, initial_rows: set[Row]) -> Iterator[Node]:
    """Yield the states; what is the same in all of them is left out."""
    snapshots = [model.whole_snapshot(row) for row in search.rows]
    lines = [list(_snapshot_lines(model, snapshot)) for snapshot in snapshots]
    same = {line for line in lines[0] if all(line in shown for shown in lines)}
    for number, row in enumerate(search.rows, 1):
        own = tuple(line for line in lines[number - 1] if line not in same)
        yield Node(str(number), "", own, row in initial_rows, model.may_stop(row))


def _snapshot_lines(model: Model, snapshot: SystemSnapshot) -> Iterator[str]:
    """Yield what there is of each part, what is shared, and what waits."""
    layout = model.system_columns
    held = dict(layout.present_parts(snapshot))
    for name, key in layout.blocks:
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
        link = layout.tables.link_of[waiting.link]
        assert link.send is not None
        who = (
            link.send.part
            if waiting.receiver is None
            else f"{link.send.part}[{format_literal(waiting.receiver)}]"
        )
        yield f"waiting: {who}.{link.send.event}({', '.join(_value_texts(arguments))})"


def _value_texts(values: Mapping[str, Value]) -> Iterator[str]:
    return (f"{name}={format_literal(value)}" for name, value in values.items())


def _labels_between(model: Model, search: SearchResult, canonical: CanonicalRow) -> _LabelsBetween:
    between: _LabelsBetween = {}
    for number, row in enumerate(search.rows):
        for event, successor, after in model.steps(row) if model.goes_on_from(row) else ():
            target = search.indices[canonical(after)]
            if target != number:
                label = _step_label(model, row, (event, successor))
                between.setdefault((number, target), []).append(label)
    return between


def _step_label(model: Model, row: Row, taken: Taken) -> str:
    event, successor = taken
    if model.layout is not None:
        step = model.trace_step(model.whole_snapshot(row), event, successor)
        return system_event_text(step).removesuffix("()")
    who = f"{event.block.key + 1}: " if len(model.blocks) > 1 else ""
    arguments = ", ".join(_value_texts(successor.arguments))
    return f"{who}{event.name}" + (f"({arguments})" if arguments else "")


def _labelled_edges(between: _LabelsBetween) -> Iterator[Edge]:
    for (source, target), labels in between.items():
        more = (f"… {len(labels) - _MOST_LABELS} more",) if len(labels) > _MOST_LABELS else ()
        yield Edge(str(source + 1), str(target + 1), (*labels[:_MOST_LABELS], *more))
