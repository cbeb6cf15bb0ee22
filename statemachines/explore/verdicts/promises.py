"""Promises with the conditions that they are made of: what is looked for in whole runs."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from statemachines.explore.models.model_protocol import Condition, Model
from statemachines.model.definitions.data_definitions import Property


@frozen(eq=False)
class PromiseConditions:
    """What a promise speaks of, of one copy and one value of each of its names."""

    when: Condition
    """What begins it."""
    then: Condition
    """What must follow."""
    meanwhile: Condition
    """Of `until`: what holds until then."""


@frozen(eq=False)
class Promise:
    """Something that must come one day."""

    claimed: Property
    conditions: tuple[PromiseConditions, ...]
    """For each copy, and for each value that names stand for."""


def promises(model: Model) -> Iterator[Promise]:
    """Yield what is promised of the runs of a model, by itself or as an abstract machine."""
    for claimed in model.data.properties:
        if claimed.kind.is_of_runs:
            yield Promise(claimed, tuple(promise_conditions(model, claimed)))


def promise_conditions(model: Model, claimed: Property) -> Iterator[PromiseConditions]:
    """Yield what a promise speaks of, for each copy and each value that its names stand for."""
    assert claimed.when is not None
    assert claimed.holds is not None
    for when, then, meanwhile in zip(
        model.conditions(claimed.when, claimed.each),
        model.conditions(claimed.holds, claimed.each),
        model.conditions(claimed.meanwhile or claimed.when, claimed.each),
        strict=True,
    ):
        yield PromiseConditions(when, then, meanwhile)
