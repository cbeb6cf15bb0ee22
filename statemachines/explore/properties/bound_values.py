"""What is claimed for each of something: the values that its name stands for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.value_types import Type, base_type
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    ValueContext,
    enumerate_values,
)

EachName = tuple[str, Type]
"""A name, and the type of the values that it stands for."""


def bindings(
    each: Sequence[EachName], behaviour: Behaviour, extent: DomainSizes
) -> Iterator[Mapping[str, Value]]:
    """Yield what names may stand for within a scope: one mapping without names where there are
    none.

    Args:
        each: the names. Of one that stands for the elements of a set, all values of their type are
            given: what is claimed says itself that it is about elements.
        behaviour: of the machine or system.
        extent: how many values types have.
    """
    moment = ValueContext(behaviour, extent, "", {}, {}, {})
    values = [tuple(enumerate_values(base_type(type_), moment)) for _, type_ in each]
    for chosen in itertools.product(*values):
        yield dict(zip((name for name, _ in each), chosen, strict=True))
