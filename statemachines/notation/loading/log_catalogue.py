"""What a check of logs needs of the catalogue, small enough to be there at once."""

from __future__ import annotations

from typing import Any, TypeVar

import attrs

from statemachines.model.definitions.data_definitions import MachineData, Property
from statemachines.model.definitions.log_definitions import EpisodeDefinition, LineDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.definitions.system_definitions import Link, SystemSpecDefinition

SpecsAndSystems = tuple[tuple[SpecDefinition, ...], tuple[SystemSpecDefinition, ...]]
"""All machines of a folder, and all systems."""

_Value = TypeVar("_Value")
_NAMED_PLACES = (EpisodeDefinition, LineDefinition, Link, Property)
_PLAIN = (str, int, bool, bytes)


def reduced_for_logs(whole: SpecsAndSystems) -> SpecsAndSystems:
    """Leave out what no check of logs asks for: of machines without lines what they do, samples,
    and places but those of properties, episodes, links and log lines, which a report names.

    Values that are equal, places included, are one object in what is returned: a fifth of the
    objects, and loading a pickled catalogue takes as long as it has objects.

    Args:
        whole: the machines and the systems.

    Returns:
        The same, of those without lines no more than their names.
    """
    specs, systems = whole
    reduced = (
        tuple(
            attrs.evolve(spec, abstracts=())
            if spec.log and spec.log.lines
            else _without_behaviour(spec)
            for spec in specs
        ),
        tuple(attrs.evolve(system, abstracts=()) for system in systems),
    )
    return _Interning().shared(reduced)


def _without_behaviour(spec: SpecDefinition) -> SpecDefinition:
    return attrs.evolve(
        spec,
        transitions=(),
        otherwise=(),
        predicates=(),
        events=(),
        data=_property_names(spec),
        versions=(),
        abstracts=(),
    )


def _property_names(spec: SpecDefinition) -> MachineData:
    """Return the properties of a machine by name: a check says of each that it was not judged."""
    listed = [
        property_
        for data in (spec.data, *(data for _, data in spec.versions))
        for property_ in data.properties
    ]
    return MachineData(
        properties=tuple(
            Property(claim, name)
            for claim, name in dict.fromkeys(
                (property_.kind, property_.name) for property_ in listed
            )
        )
    )


class _Interning:
    """Values built again from parts that are each kept once.

    Parts are told apart by their identities, as all of their own parts are shared before: equality
    of values looks past places, and would take long.
    """

    def __init__(self) -> None:
        self._shared: dict[object, Any] = {}
        self._known: dict[int, tuple[object, Any]] = {}
        """By identity: a value, which is held so that no other gets its identity, and its like."""

    def shared(self, value: _Value) -> _Value:
        """Return the one object for a value; what is no plain value, tuple, frozen set or value of
        ours stands for itself.
        """
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = value, self._built(value)
        like: _Value = known[1]
        return like

    def _built(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return self._shared.setdefault((kind, value), value)
        if kind in (tuple, frozenset):
            parts = [self.shared(part) for part in value]
            return self._shared.setdefault((kind, kind(map(id, parts))), kind(parts))
        if attrs.has(kind):
            return self._built_of_attributes(value, kind)
        return value

    def _built_of_attributes(self, value: Any, kind: Any) -> Any:
        parts = [(name, self.shared(_value_to_keep(value, name))) for name in _names(kind)]
        key = kind, tuple(id(part) for _, part in parts)
        if key not in self._shared:
            like = self._shared[key] = kind.__new__(kind)
            like.__setstate__(dict(parts))  # as unpickling does: it has room for its hash then
        return self._shared[key]


def _names(kind: Any) -> list[str]:
    return [attribute.name for attribute in attrs.fields(kind)]


def _value_to_keep(value: Any, name: str) -> Any:
    """Return what is kept of an attribute: of places those that a report names, and no samples."""
    if name == "span" and not isinstance(value, _NAMED_PLACES):
        return None
    return () if name == "samples" and isinstance(value, LineDefinition) else getattr(value, name)
