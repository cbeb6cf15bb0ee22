"""What exploring saw, as a picture: every state with the values that distinguish it from the
others, every step between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statemachines.api.queries.pictures import CannotDraw, graph_picture
from statemachines.draw.graphs.graph import Edge, Graph, Node
from statemachines.explore.machine_exploration import explore_model
from statemachines.explore.models.machine_model import MachineModel, build_machine_model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.rows.row_search import SearchResult
from statemachines.explore.symmetry.canonical_rows import build_canonical_row
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.semantics.messages.value_text import format_literal

MOST_STATES = 300
"""States of a picture that a person can still read."""
_MOST_LABELS = 3
"""Steps between the same two states that are named one by one."""


LabelsBetween = dict[tuple[int, int], list[str]]
"""Places of two states to what leads from one to the other."""


def state_graph(
    machine: MachineDefinition,
    texts: Iterable[str] = (),
    *,
    symmetry: bool = False,
    copies: int = 1,
) -> Graph:
    """Return the graph of all states of a machine within its scope.

    Args:
        machine: in one release.
        texts: a scope; see `scope_from_texts`.
        symmetry: states that differ in interchangeable names are one.
        copies: how many of the machine step side by side.

    Returns:
        A node a state, in the order in which they were found, and an edge a step.

    Raises:
        CannotDraw: it has more than 300 states.
        ArgumentsError: the scope does not fit the machine.
    """
    model = build_machine_model(machine, scope_from_texts(machine, texts), copies)
    exploration, search = explore_model(
        model,
        ExplorationOptions(
            symmetry=symmetry, copies=copies, engine="rows", limits=Limits(most_states=MOST_STATES)
        ),
    )
    if search.limit_reached:
        raise too_many_states()
    caption = "   ".join(
        part
        for part in (machine.release, exploration.scope, f"{exploration.states:,} states")
        if part
    )
    return graph_from_nodes(
        machine.name,
        caption,
        tuple(_state_nodes(model, search)),
        _labels_between(model, search, symmetry),
    )


def too_many_states() -> CannotDraw:
    """Return what is wrong with more states than a person can read."""
    return CannotDraw(
        f"more than {MOST_STATES} states are no picture; explore a narrower --scope, or with"
        " --symmetry"
    )


def graph_from_nodes(
    name: str, caption: str, nodes: tuple[Node, ...], between: LabelsBetween
) -> Graph:
    """Return the graph of some states, which are numbered from 1.

    Args:
        name: of the machine or system.
        caption: what stands below the title.
        nodes: one a state.
        between: the numbers of two nodes to the labels of the steps from the first to the
            second.

    Returns:
        A neutral graph, which every form of picture takes.
    """
    description = f"The {len(nodes)} states that {name} comes to, and the steps between them."
    return Graph(
        name,
        nodes,
        tuple(_labelled_edges(between)),
        title=name,
        caption=caption,
        description=description,
    )


def state_graph_picture(
    machine: MachineDefinition,
    form: str,
    texts: Iterable[str] = (),
    *,
    symmetry: bool = False,
    copies: int = 1,
) -> bytes:
    """Draw the graph of all states; see `state_graph` and `graph_picture`.

    Args:
        machine: in one release.
        form: one of `PICTURES`.
        texts: a scope, as `state_graph` takes it.
        symmetry: states that differ in interchangeable names are one.
        copies: how many of the machine step side by side.

    Returns:
        The whole file; text forms are UTF-8.
    """
    return graph_picture(state_graph(machine, texts, symmetry=symmetry, copies=copies), form)


def _state_nodes(model: MachineModel, search: SearchResult) -> Iterator[Node]:
    """Yield the states; what is the same in all of them is left out."""
    width, copies = model.width, range(model.copies)
    columns = [
        column_index
        for column_index in range(width * model.copies)
        if column_index % width and len({row[column_index] for row in search.rows}) > 1
    ]
    initial_rows, final = set(model.initial_rows), model.tables.final
    for number, row in enumerate(search.rows, 1):
        states = [str(model.columns[0].values[row[copy * width]]) for copy in copies]
        lines = tuple(
            _value_line(model, column_index, row[column_index]) for column_index in columns
        )
        label = ", ".join(states) if any(states) else str(number)
        yield Node(
            str(number),
            label,
            lines,
            row in initial_rows,
            all(final >> row[copy * width] & 1 for copy in copies),
        )


def _value_line(model: MachineModel, column_index: int, number: int) -> str:
    copy, column = divmod(column_index, model.width)
    who = f"{copy + 1}: " if model.copies > 1 else ""
    return (
        f"{who}{model.columns[column].name}={format_literal(model.columns[column].values[number])}"
    )


def _labels_between(model: MachineModel, search: SearchResult, symmetry: bool) -> LabelsBetween:
    canonical = build_canonical_row(model) if symmetry else None
    between: LabelsBetween = {}
    for number, row in enumerate(search.rows):
        for event, outcome, after in model.steps(row) if model.goes_on_from(row) else ():
            target = search.indices[canonical(after) if canonical is not None else after]
            if target != number:
                who = f"{event.copy + 1}: " if model.copies > 1 else ""
                arguments = ", ".join(
                    f"{name}={format_literal(value)}" for name, value in outcome.arguments.items()
                )
                between.setdefault((number, target), []).append(
                    who + event.memo.event + (f"({arguments})" if arguments else "")
                )
    return between


def _labelled_edges(between: LabelsBetween) -> Iterator[Edge]:
    for (source, target), labels in between.items():
        more = (f"… {len(labels) - _MOST_LABELS} more",) if len(labels) > _MOST_LABELS else ()
        yield Edge(str(source + 1), str(target + 1), (*labels[:_MOST_LABELS], *more))
