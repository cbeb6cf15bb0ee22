"""What is asked of a machine's or a system's model beside what its spec claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import evolve, frozen

from statemachines.explore.models.machine_model import MachineModel
from statemachines.explore.models.system_model import SystemModel
from statemachines.explore.properties.vacuity import holds_by_types
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.scopes import (
    id_types,
    is_bounded,
    is_complete,
    scope_text,
    unstated_bounds,
)
from statemachines.explore.verdicts.reach_coverage import (
    coverage_result,
    find_unreached_states,
    find_untaken_transitions,
)
from statemachines.model.definitions.data_definitions import Property
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import NamedValues
from statemachines.model.evidence.verdicts import Verdict

LINKS_TITLE = "every link sends"


@frozen(eq=False)
class ModelQuestions:
    """What is asked; all but the scope when the search is over."""

    scope: str
    """What is explored, as `--scope` takes it."""
    assumed_bounds: Callable[[], list[str]]
    """The bounds that nobody named, and those that drawing values hit."""
    own_result: Callable[[bool], PropertyResult[Any]]
    """What is asked of every model of its kind; is told whether something was not seen."""
    holds_by_types: Callable[[Property], bool]
    """Whether the types alone make a rule true."""
    unreached_states: Callable[[], tuple[str, ...]]
    untaken_transitions: Callable[[], tuple[Transition, ...]]


def model_questions(model: MachineModel | SystemModel) -> ModelQuestions:
    """Return what is asked of a model."""
    if isinstance(model, MachineModel):
        return ModelQuestions(
            _machine_scope(model),
            lambda: _machine_bounds(model),
            lambda unseen: coverage_result(model, unseen, is_complete(model.machine, model.scope)),
            lambda claimed: holds_by_types(model, claimed),
            lambda: find_unreached_states(model),
            lambda: find_untaken_transitions(model),
        )
    return ModelQuestions(
        _system_scope(model),
        lambda: list(_system_bounds(model)),
        lambda unseen: _links_result(model, unseen),
        lambda _: False,
        lambda: tuple(_unreached_states(model)),
        tuple,
    )


def _machine_bounds(model: MachineModel) -> list[str]:
    unstated = unstated_bounds(model.tables.behaviour, model.scope)
    argument_bounds = (
        bound for memo in model.memos for bound in memo.enumeration.bounds(memo.event)
    )
    return [*unstated, *model.truncations, *argument_bounds]


def _machine_scope(model: MachineModel) -> str:
    """Say what is explored, as `--scope` takes it: sizes of types, ranges, given parameters; then
    the copies.
    """
    sizes = {type_.name: len(model.extent.id_values(type_)) for type_ in id_types(model.machine)}
    begins = _initial_parameters(model)
    text = scope_text(model.tables.behaviour, model.extent, sizes, model.scope, begins)
    copies = f"{len(model.blocks)} copies" if len(model.blocks) > 1 else ""
    return ", ".join(filter(None, [text, copies]))


def _initial_parameters(model: MachineModel) -> Iterator[NamedValues]:
    """Yield the parameters of every beginning of one copy."""
    columns = model.columns[1 : 1 + len(model.machine.data.parameters)]
    for row in {row[: 1 + len(columns)] for row in model.initial_rows} if columns else ():
        yield {
            column.name: column.values[number]
            for column, number in zip(columns, row[1:], strict=True)
        }


def _links_result(model: SystemModel, bounds: bool) -> PropertyResult[Any]:
    """Say which links never send anything: a guard that never holds, or a state that is never
    entered.
    """
    fired = model.linked_steps.fired_links
    links = [
        link
        for link in model.system.links
        if (link.send is not None or link.create is not None) and link.index not in fired
    ]
    if not links:
        return PropertyResult(LINKS_TITLE, Verdict.HOLDS)
    named = ", ".join(
        f"link {link.index + 1}" + (f" (line {link.span.line})" if link.span is not None else "")
        for link in links
    )
    parts = model.tables.parts.values()
    machines = [
        model.tables.behaviour.machine,
        *(table.machine for table in model.tables.tables.values()),
    ]
    sure = (
        not bounds
        and not any(part.each is not None for part in parts)
        and all(map(is_bounded, machines))
    )
    return PropertyResult(
        LINKS_TITLE,
        Verdict.VIOLATED if sure else Verdict.INCONCLUSIVE,
        f"{'not yet' if bounds else 'never'}: {named}",
    )


def _unreached_states(model: SystemModel) -> Iterator[str]:
    """Yield the states that no part comes to."""
    reached = model.reached_states()
    for name, tables in model.tables.tables.items():
        yield from (
            f"{name}.{state}" for state in tables.states if state and (name, state) not in reached
        )


def _system_bounds(model: SystemModel) -> Iterator[str]:
    """Yield the bounds that nobody named, including those that were hit by random values."""
    own, scope = model.system.data.scope, model.scope
    longest = own.longest_list if scope.longest is None else scope.longest
    named = evolve(
        scope,
        sizes={**dict(own.sizes), **scope.sizes},
        integers=scope.integers or own.integers,
        longest=longest,
    )
    yield from unstated_bounds(model.tables.behaviour, named)
    for name, part in model.tables.parts.items():
        type_names = [
            id_type.name
            for id_type in id_types(model.tables.behaviour.machine)
            if part.each is not None and id_type.name in str(part.each)
        ]
        yield from (
            f"{type_} has 2 values, as no scope names it"
            for type_ in type_names
            if type_ not in named.sizes
        )
        yield from unstated_bounds(model.tables.tables[name].behaviour, named)
    yield from model.truncations
    for name, moves in model.linked_steps.part_moves.items():
        for memo in moves.kind.memos:
            yield from memo.enumeration.bounds(f"{name}.{memo.event}")


def _system_scope(model: SystemModel) -> str:
    """Say what was explored, as `--scope` takes it: sizes of types, those of parts too, ranges,
    given parameters.
    """
    own, extents = model.tables.behaviour, model.extents
    sizes = {type_.name: len(model.extent.id_values(type_)) for type_ in id_types(own.machine)}
    for name, tables in model.tables.tables.items():
        for type_ in id_types(tables.machine):
            sizes.setdefault(type_.name, len(extents[name].id_values(type_)))
    place = model.layout.parameters_place
    begins: list[NamedValues] = [
        model.layout.column_value(place, number)
        for number in {row[place] for row in model.initial_rows}
    ]
    return scope_text(own, model.extent, sizes, model.scope, begins)
