"""The data part of a spec in one class of releases; what says the same in several classes is read
once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import attrs
from attrs import define, field, frozen

from statemachines.model.definitions.data_definitions import (
    Case,
    MachineData,
    Property,
    Refinement,
    Signature,
)
from statemachines.model.definitions.machine_definitions import Event
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.language.value_types import EnumType
from statemachines.notation.data.data_reader import DataReader
from statemachines.notation.data.declaration_reader import (
    read_errors,
    read_initial_values,
    read_parameters,
    read_types,
    read_variables,
)
from statemachines.notation.data.definition_reader import read_definitions
from statemachines.notation.data.fairness_reader import EventArguments
from statemachines.notation.data.namespaces import Namespace
from statemachines.notation.data.operation_reader import (
    ParsedOperation,
    has_operation,
    read_operation,
)
from statemachines.notation.data.property_reader import (
    read_properties,
    read_scope,
    read_texts,
)
from statemachines.notation.data.refinement_reader import read_refinements
from statemachines.notation.data.signature_reader import EventScope, read_signature
from statemachines.notation.data.used_specs import (
    UsedSpecs,
    declare_used_machines,
    used_release_masks,
)
from statemachines.notation.document.keys.data_keys import DATA_KEYS, LIBRARY_KEYS
from statemachines.notation.document.keys.property_keys import PROPERTY_KEYS
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    node_items,
    node_text,
)
from statemachines.notation.passes.spec_builder import ParsedTransition, SpecBuilder
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.releases.release_partition import node_range_masks
from statemachines.notation.typing.type_agreement import without_element_types

T = TypeVar("T")
_DECLARATION_KEYS = frozenset(key.name for key in (*LIBRARY_KEYS, *DATA_KEYS)) | {"scope"}
_FRAME_KEYS = ("types", "errors", "where")
"""What any expression may rest on."""
_NAMED_KEYS = ("parameters", "variables", "define")
"""What is declared by name, of which an event needs what its text names."""
_WORD = re.compile(r"[^\W\d]\w*")
_PROPERTY_SECTION_KEYS = frozenset(key.name for key in PROPERTY_KEYS) - {"scope"}
_MemoKey = tuple[object, ...]
ReadData = tuple[MachineData, list[Case | None], list[Signature | None]]


@frozen(eq=False)
class _Declarations:
    """What was declared in some classes: all of them in which nothing of it is said differently."""

    key: _MemoKey
    frame: _MemoKey
    """The part of the key that is of what any expression may rest on."""
    data: MachineData
    facts: Facts
    namespace: Namespace


@define
class ReleaseDataReader:
    """Reads class after class, and keeps what was read by what it was read from."""

    work: SpecBuilder
    used: UsedSpecs
    diagnostics: list[Diagnostic]
    _known_values: dict[_MemoKey, Any] = field(factory=dict)
    _masks: dict[int, tuple[ReleaseSet, ...]] = field(factory=dict)
    _needed_masks: dict[str, tuple[ReleaseSet, ...]] = field(factory=dict)
    """Those of all declarations that an event needs, by its name."""

    def read(self, releases: ReleaseSet) -> ReadData:
        """Read everything in one class of releases.

        Args:
            releases: in all of which the text of the data is the same.

        Returns:
            Data, events and operations as they are in any of them.
        """
        work, bit = self.work, releases & -releases
        frame = self._frame_key(bit)
        nodes = self._sections(_DECLARATION_KEYS)
        key = ("declared", *frame, *[self._node_key(node, bit) for node in nodes])
        declared = self._memoized(key, lambda: self._read_declarations(key, frame, bit))
        reader = DataReader(work.family, bit, self.diagnostics, declared.facts)
        reader.namespace = declared.namespace
        insides = [
            (
                self._event_scope(declared, reader, event.name, node)
                if event.releases & releases
                else None
            )
            for event, node in self._events_with_nodes()
        ]
        by_event = {
            event.name: (inside, node)
            for (event, node), inside in zip(self._events_with_nodes(), insides, strict=True)
            if inside is not None
        }
        cases = [
            (
                self._read_case(declared, reader, transition, by_event)
                if transition.transition.releases & releases
                else None
            )
            for transition in work.transitions
        ]
        events = self._event_arguments(
            releases, {name: inside for name, (inside, _) in by_event.items()}
        )
        properties = self._read_properties(declared, reader, events)
        signatures = [
            None if inside is None or inside.signature == Signature() else inside.signature
            for inside in insides
        ]
        refinements = self._read_refinements(declared, reader, events)
        data = attrs.evolve(declared.data, properties=properties, refinements=refinements)
        return data, cases, signatures

    def _memoized(self, key: _MemoKey, read: Callable[[], T]) -> T:
        """Return what was read before from the same things, else read it."""
        if key not in self._known_values:
            self._known_values[key] = read()
        value: T = self._known_values[key]
        return value

    def _node_key(self, node: YamlNode, bit: ReleaseSet) -> _MemoKey:
        """Return which of the ranges in a node have a release: where two classes agree, it says the
        same in both.
        """
        # A list, as everywhere here where much is asked: each value of a generator costs a call.
        return (id(node), *[bool(mask & bit) for mask in self._masks_of(node)])

    def _masks_of(self, node: YamlNode) -> tuple[ReleaseSet, ...]:
        if id(node) not in self._masks:
            self._masks[id(node)] = node_range_masks(node, self.work.family)
        return self._masks[id(node)]

    def _frame_key(self, bit: ReleaseSet) -> _MemoKey:
        """Return what tells classes apart in what any expression may rest on."""
        work = self.work
        masks = [
            *used_release_masks(self.used),
            *(state.releases for state in work.states),
            *(predicate.releases for predicate in work.predicates),
        ]
        nodes = self._sections(_FRAME_KEYS)
        return (
            *[bool(mask & bit) for mask in masks],
            *[self._node_key(node, bit) for node in nodes],
        )

    def _sections(self, keys: Collection[str]) -> list[YamlNode]:
        """Return what stands under some keys of the document, and of those that it uses."""
        roots = (*self.used.libraries, self.work.root)
        return [node for root in roots for key, node in root.entries if key.text in keys]

    def _needed_key(self, declared: _Declarations, event: str, bit: ReleaseSet) -> _MemoKey:
        """Return what tells classes apart in what an event and its operations need of what is
        declared: where two classes agree, their texts mean the same in both.
        """
        if event not in self._needed_masks:
            needed = self._needed_declarations(event)
            self._needed_masks[event] = tuple(
                [mask for node in needed for mask in self._masks_of(node)]
            )
        return (declared.frame, *[bool(mask & bit) for mask in self._needed_masks[event]])

    def _needed_declarations(self, event: str) -> list[YamlNode]:
        """Return what is declared under the names in the texts of an event and its operations, and
        in turn in what is declared: any word counts, as more than is needed does no harm.
        """
        named: dict[str, list[YamlNode]] = self._memoized(("named",), self._named_declarations)
        own = [node for mine, node in self._events_with_nodes() if mine.name == event]
        own += [each.entry for each in self.work.transitions if each.transition.event == event]
        pending, needed = [*_words([*own, *self._sections(("where",))])], set[str]()
        while pending:
            word = pending.pop()
            if word in named and word not in needed:
                needed.add(word)
                pending += _words(named[word])
        return [node for word in named if word in needed for node in named[word]]

    def _named_declarations(self) -> dict[str, list[YamlNode]]:
        named = dict[str, list[YamlNode]]()
        for section in self._sections(_NAMED_KEYS):
            for name, node in section.entries if isinstance(section, YamlMapping) else ():
                named.setdefault(name.text, []).append(node)
        return named

    def _read_declarations(self, key: _MemoKey, frame: _MemoKey, bit: ReleaseSet) -> _Declarations:
        reader = DataReader(self.work.family, bit, self.diagnostics)
        declare_used_machines(reader, self.used)
        data = _read_declared_data(self.work, reader, self.used)
        return _Declarations(key, frame, data, reader.facts, reader.namespace)

    def _events_with_nodes(self) -> list[tuple[Event, YamlMapping]]:
        return list(zip(self.work.events, self.work.event_nodes, strict=True))

    def _event_scope(
        self, declared: _Declarations, reader: DataReader, event: str, node: YamlMapping
    ) -> EventScope:
        operations: frozenset[int] = self._memoized(
            ("operations",),
            lambda: frozenset(id(transition.entry) for transition in self.work.transitions),
        )
        needed = self._needed_key(declared, event, reader.bit)
        key = ("event", needed, *self._node_key(node, reader.bit))
        return self._memoized(
            key, lambda: read_signature(reader, node, is_operation=id(node) in operations)
        )

    def _read_case(
        self,
        declared: _Declarations,
        reader: DataReader,
        transition: ParsedTransition,
        events: dict[str, tuple[EventScope, YamlMapping]],
    ) -> Case | None:
        """Read the operation of a transition and return its case."""
        if not has_operation(transition.entry):
            return None
        event = transition.transition.event
        inside, node = events.get(event) or (
            EventScope(Signature(), reader.facts, reader.namespace.nested()),
            transition.entry,
        )
        errors = tuple(error.name for error in declared.data.errors)
        is_event = transition.transition.entry < 0
        key = (
            "operation",
            event,
            self._needed_key(declared, event, reader.bit),
            self._node_key(node, reader.bit),
            self._node_key(transition.entry, reader.bit),
        )
        operation: ParsedOperation = self._memoized(
            key, lambda: read_operation(reader, transition.entry, inside, errors, is_event=is_event)
        )
        return operation.case_at(transition.case)

    def _event_arguments(
        self,
        releases: ReleaseSet,
        insides: dict[str, EventScope],
    ) -> EventArguments:
        """Return what `assuming` and `enabled` may name in some releases."""
        events: EventArguments = {
            transition.transition.event: ()
            for transition in self.work.transitions
            if transition.transition.releases & releases
        }
        read = {transition.transition.event for transition in self.work.transitions}
        events |= dict.fromkeys(self._transition_events() - read, ())
        events |= {
            name: tuple(
                (argument.name, without_element_types(argument.type))
                for argument in inside.signature.arguments
            )
            for name, inside in insides.items()
        }
        return events

    def _transition_events(self) -> set[str]:
        """Return the events of all transitions, also of those in which something is wrong."""
        entries = node_items(self.work.root.get("transitions"))
        return {
            node_text(entry.get("event")) for entry in entries if isinstance(entry, YamlMapping)
        }

    def _read_properties(
        self, declared: _Declarations, reader: DataReader, events: EventArguments
    ) -> tuple[Property, ...]:
        own = YamlMapping(
            tuple(
                entry for entry in self.work.root.entries if entry[0].text in _PROPERTY_SECTION_KEYS
            ),
            self.work.root.span,
        )
        own = self._memoized(("claims",), lambda: own)
        key = ("properties", declared.key, *self._node_key(own, reader.bit), tuple(events.items()))
        return self._memoized(key, lambda: read_properties(reader, own, events))

    def _read_refinements(
        self, declared: _Declarations, reader: DataReader, events: EventArguments
    ) -> tuple[Refinement, ...]:
        root = self.work.root
        entries = tuple(entry for entry in root.entries if entry[0].text == "refines")
        own = self._memoized(("refines",), lambda: YamlMapping(entries, root.span))
        key = ("refinements", declared.key, *self._node_key(own, reader.bit), tuple(events.items()))
        specs = dict(self.used.abstracts)
        return self._memoized(key, lambda: read_refinements(reader, own, specs, events))


def _words(nodes: list[YamlNode]) -> set[str]:
    """Return the words of all texts in some nodes, keys included."""
    texts, pending = list[str](), [*nodes]
    while pending:
        part = pending.pop()
        if isinstance(part, YamlScalar):
            texts.append(part.text)
        elif isinstance(part, YamlMapping):
            for entry in part.entries:
                pending += entry
        else:
            pending += part.items
    return set(_WORD.findall(" ".join(texts)))


def _read_declared_data(work: SpecBuilder, reader: DataReader, used: UsedSpecs) -> MachineData:
    """Read what an expression may name, in the order in which one needs another."""
    root, roots = work.root, [*used.libraries, work.root]
    _declare_states(work, reader)
    types, errors = read_types(reader, roots), read_errors(reader, roots)
    parameters = read_parameters(reader, root)
    where = reader.read_condition(root.get("where"))
    if where is not None:
        reader.facts = reader.facts.assuming(where)
    read = read_variables(reader, root)
    definitions = read_definitions(reader, roots)
    return MachineData(
        types,
        parameters,
        where,
        read_initial_values(reader, read),
        reader.read_condition(root.get("initially")),
        definitions,
        errors,
        read_texts(reader, root),
        (),
        reader.read_condition(root.get("final")),
        read_scope(reader, root, parameters),
    )


def _declare_states(work: SpecBuilder, reader: DataReader) -> None:
    """Bring in `state` and the predicates."""
    names = tuple(state.name for state in work.states if state.releases & reader.bit and state.name)
    predicates = {
        predicate.name: tuple(s for s in predicate.states if s in names)
        for predicate in work.predicates
        if predicate.releases & reader.bit
    }
    for predicate in work.predicates:
        if predicate.span is not None:
            reader.namespace.spans.setdefault(predicate.name, predicate.span)
    state = EnumType("State", names) if names else None
    reader.set_scope(attrs.evolve(reader.scope, state=state, predicates=predicates))
