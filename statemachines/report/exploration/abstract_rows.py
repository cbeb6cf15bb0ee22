"""The abstract machine's side of a run, for a person and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve

from statemachines.explore.results.abstract_runs import AbstractRun, AbstractStep
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.semantics.messages.changed_values import changed_texts
from statemachines.semantics.messages.python_literals import python_literal
from statemachines.semantics.messages.value_text import format_literal


def abstract_texts(run: AbstractRun | None, many: int) -> tuple[str, ...]:
    """Return what each step of a run is to the abstract machine; empty texts where there is none.

    Args:
        run: the abstract machine's side.
        many: how many steps the run has.

    Returns:
        One text a step.
    """
    return ("",) * many if run is None else tuple(_step_texts(run))


def _step_texts(run: AbstractRun) -> Iterator[str]:
    before = run.begin
    for step in run.steps:
        yield _step_text(before, step)
        before = step.after


def _step_text(before: Snapshot, step: AbstractStep) -> str:
    if not step.is_legal:
        return f"impossible: {_changes_text(before, step.after)}"
    if not step.event:
        return "nothing changes"
    if step.earlier:
        befores = (before, *(inner.after for inner in step.earlier))
        steps = (*step.earlier, evolve(step, earlier=()))
        return ", then ".join(map(_step_text, befores, steps))
    given = ", ".join(
        f"{name}={format_literal(argument)}" for name, argument in step.arguments.items()
    )
    return f"{step.event}({given})  {_changes_text(before, step.after)}"


def _changes_text(before: Snapshot, after: Snapshot) -> str:
    changed = [f"{before.state} -> {after.state}"] if before.state != after.state else []
    old = {**before.parameters, **before.variables}
    new = {**after.parameters, **after.variables}
    return "  ".join([*changed, *changed_texts(old, new)])


def abstract_data(run: AbstractRun) -> dict[str, object]:
    """Return the abstract machine's side of a run as plain data.

    Args:
        run: of a refinement.

    Returns:
        Values as Python writes them.
    """
    return {
        "machine": run.machine,
        "begin": snapshot_data(run.begin),
        "steps": list(map(_step_data, run.steps)),
    }


def _step_data(step: AbstractStep) -> dict[str, object]:
    data: dict[str, object] = {
        "event": step.event,
        "arguments": values_data(step.arguments),
        "legal": step.is_legal,
        "after": snapshot_data(step.after),
    }
    return data | {"earlier": list(map(_step_data, step.earlier))} if step.earlier else data


def snapshot_text(snapshot: Snapshot) -> str:
    """Write a snapshot on one line.

    Args:
        snapshot: of a machine.

    Returns:
        The state, then variables in their order.
    """
    values = {**snapshot.parameters, **snapshot.variables}
    return "  ".join(
        ([snapshot.state] if snapshot.state else [])
        + [f"{name}={format_literal(value)}" for name, value in values.items()]
    )


def snapshot_data(snapshot: Snapshot) -> dict[str, object]:
    """Return a snapshot as plain data.

    Args:
        snapshot: of a machine.

    Returns:
        State, variables and parameters.
    """
    return {
        "state": snapshot.state,
        "variables": values_data(snapshot.variables),
        "parameters": values_data(snapshot.parameters),
    }


def values_data(values: Mapping[str, Value]) -> dict[str, str]:
    """Write values as Python does: JSON has no sets.

    Args:
        values: by name.

    Returns:
        Texts by name, in the same order.
    """
    return {name: python_literal(value) for name, value in values.items()}
