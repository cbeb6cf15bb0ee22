"""The data part of a spec in one class of releases; what says the same in several classes is read once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import attrs
from attrs import define, field, frozen

from statemachines.model.data import Case, Data, Property, Signature
from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Event
from statemachines.model.releases import Releases
from statemachines.model.types import EnumType
from statemachines.notation.data.classes import masks_of_node
from statemachines.notation.data.declarations import (
    read_definitions,
    read_errors,
    read_initial,
    read_parameters,
    read_types,
    read_variables,
)
from statemachines.notation.data.names import Taken
from statemachines.notation.data.operations import Operation, has_operation, read_operation
from statemachines.notation.data.properties import read_properties, read_scope, read_texts
from statemachines.notation.data.reader import Reader
from statemachines.notation.data.signatures import Inside, read_signature
from statemachines.notation.data.uses import Used, bring_in, masks_of
from statemachines.notation.expressions.facts import Facts
from statemachines.notation.keys import DATA_KEYS, LIBRARY_KEYS, PROPERTY_KEYS
from statemachines.notation.nodes import Mapping
from statemachines.notation.work import Arrow, Work

T = TypeVar("T")
_DECLARED = frozenset(key.name for key in (*LIBRARY_KEYS, *DATA_KEYS)) | {"scope"}
_CLAIMED = frozenset(key.name for key in PROPERTY_KEYS) - {"scope"}
Key = tuple[object, ...]
Read = tuple[Data, list[Case | None], list[Signature | None]]


@frozen(eq=False)
class Declared:
    """What was declared in some classes: all of them in which nothing of it is said differently."""

    key: Key
    data: Data
    facts: Facts
    taken: Taken


@define
class Kept:
    """Reads class after class, and keeps what was read by what it was read from."""

    work: Work
    used: Used
    found: list[Diagnostic]
    _kept: dict[Key, object] = field(factory=dict)
    _masks: dict[int, tuple[Releases, ...]] = field(factory=dict)

    def read(self, releases: Releases) -> Read:
        """Read everything in one class of releases."""
        work, bit = self.work, releases & -releases
        key = ("declared", *self._declared_key(bit))
        declared = self._once(key, lambda: self._declarations(key, bit))
        reader = Reader(work.family, bit, self.found, declared.facts)
        reader.taken = declared.taken
        insides = [self._inside(declared, reader, node) if event.releases & releases else None for event, node in self._events()]
        by_event = {event.name: (inside, node) for (event, node), inside in zip(self._events(), insides, strict=True) if inside is not None}
        cases = [self._case(declared, reader, arrow, by_event) if arrow.transition.releases & releases else None for arrow in work.arrows]
        properties = self._properties(declared, reader, releases, {name: inside for name, (inside, _) in by_event.items()})
        signatures = [None if inside is None or inside.signature == Signature() else inside.signature for inside in insides]
        return attrs.evolve(declared.data, properties=properties), cases, signatures

    def _once(self, key: Key, read: Callable[[], T]) -> T:
        """Return what was read before from the same things, else read it."""
        if key not in self._kept:
            self._kept[key] = read()
        kept: T = self._kept[key]  # type: ignore[assignment]  # a key is of one kind of thing
        return kept

    def _key(self, node: Mapping, bit: Releases) -> Key:
        """Return which of the ranges in a node have a release: where two classes agree, it says the same in both."""
        if id(node) not in self._masks:
            self._masks[id(node)] = masks_of_node(node, self.work.family)
        return (id(node), *(bool(mask & bit) for mask in self._masks[id(node)]))

    def _declared_key(self, bit: Releases) -> Key:
        work = self.work
        masks = [*masks_of(self.used), *(state.releases for state in work.states), *(one.releases for one in work.predicates)]
        own = Mapping(tuple(entry for entry in work.root.entries if entry[0].text in _DECLARED), work.root.span)
        own = self._once(("own",), lambda: own)
        return (*(bool(mask & bit) for mask in masks), *self._key(own, bit), *(self._key(one, bit) for one in self.used.libraries))

    def _declarations(self, key: Key, bit: Releases) -> Declared:
        reader = Reader(self.work.family, bit, self.found)
        bring_in(reader, self.used)
        data = _declarations(self.work, reader, self.used)
        return Declared(key, data, reader.facts, reader.taken)

    def _events(self) -> list[tuple[Event, Mapping]]:
        return list(zip(self.work.events, self.work.event_nodes, strict=True))

    def _inside(self, declared: Declared, reader: Reader, node: Mapping) -> Inside:
        is_operation = any(arrow.entry is node for arrow in self.work.arrows)
        key = ("event", declared.key, *self._key(node, reader.bit))
        return self._once(key, lambda: read_signature(reader, node, is_operation=is_operation))

    def _case(self, declared: Declared, reader: Reader, arrow: Arrow, events: dict[str, tuple[Inside, Mapping]]) -> Case | None:
        """Read the operation of an arrow and return its case."""
        if not has_operation(arrow.entry):
            return None
        event = arrow.transition.event
        inside, node = events.get(event) or (Inside(Signature(), reader.facts, reader.taken.inner()), arrow.entry)
        errors = tuple(error.name for error in declared.data.errors)
        is_event = arrow.transition.entry < 0
        key = ("operation", event, declared.key, self._key(node, reader.bit), self._key(arrow.entry, reader.bit))
        operation: Operation = self._once(key, lambda: read_operation(reader, arrow.entry, inside, errors, is_event=is_event))
        return operation.of(arrow.case)

    def _properties(self, declared: Declared, reader: Reader, releases: Releases, insides: dict[str, Inside]) -> tuple[Property, ...]:
        events: dict[str, tuple[str, ...]] = {one.transition.event: () for one in self.work.arrows if one.transition.releases & releases}
        events |= {name: tuple(argument.name for argument in inside.signature.arguments) for name, inside in insides.items()}
        own = Mapping(tuple(entry for entry in self.work.root.entries if entry[0].text in _CLAIMED), self.work.root.span)
        own = self._once(("claims",), lambda: own)
        key = ("properties", declared.key, *self._key(own, reader.bit), tuple(events.items()))
        return self._once(key, lambda: read_properties(reader, own, events))


def _declarations(work: Work, reader: Reader, used: Used) -> Data:
    """Read what an expression may name, in the order in which one needs another."""
    root, roots = work.root, [*used.libraries, work.root]
    _states(work, reader)
    types, errors = read_types(reader, roots), read_errors(reader, roots)
    parameters = read_parameters(reader, root)
    where = reader.condition(root.get("where"))
    if where is not None:
        reader.facts = reader.facts.knowing(where)
    read = read_variables(reader, root)
    definitions = read_definitions(reader, roots)
    return Data(
        types,
        parameters,
        where,
        read_initial(reader, read),
        reader.condition(root.get("initially")),
        definitions,
        errors,
        read_texts(reader, root),
        (),
        reader.condition(root.get("final")),
        read_scope(reader, root, parameters),
    )


def _states(work: Work, reader: Reader) -> None:
    """Bring in `state` and the predicates."""
    names = tuple(state.name for state in work.states if state.releases & reader.bit and state.name)
    predicates = {each.name: tuple(s for s in each.states if s in names) for each in work.predicates if each.releases & reader.bit}
    for each in work.predicates:
        if each.span is not None:
            reader.taken.places.setdefault(each.name, each.span)
    state = EnumType("State", names) if names else None
    reader.within(attrs.evolve(reader.scope, state=state, predicates=predicates))
