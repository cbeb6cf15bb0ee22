"""The pass that reads the data of a machine: once for each class of releases, equal results put
together again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
from attrs import define, field

from statemachines.model.definitions.data_definitions import Case, MachineData, Signature
from statemachines.model.definitions.machine_definitions import Event, Transition
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity
from statemachines.model.diagnosis.suggestions import nearest_hint
from statemachines.model.language.conditions_in_state import NamedValues, StateConditions
from statemachines.model.language.expression_nodes import FALSE, TRUE
from statemachines.notation.data.operation_reader import OPERATION_KEYS, has_operation
from statemachines.notation.data.release_data import ReleaseDataReader
from statemachines.notation.data.used_specs import read_used_specs, used_release_masks
from statemachines.notation.document.keys.data_keys import DATA_KEYS, LIBRARY_KEYS
from statemachines.notation.document.keys.property_keys import PROPERTY_KEYS
from statemachines.notation.document.yaml_nodes import YamlMapping, node_items, node_text
from statemachines.notation.passes.spec_builder import ParsedTransition, SpecBuilder
from statemachines.notation.releases.release_partition import range_masks, release_partition

_NodeIds = tuple[int, int]
"""An entry's and its case's node."""
_DATA_KEYS = frozenset(key.name for key in (*LIBRARY_KEYS, *DATA_KEYS, *PROPERTY_KEYS))


def read_data(work: SpecBuilder) -> list[Diagnostic]:
    """Read types, variables, operations and properties, and put guards, effects and results on the
    transitions.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    if not _has_data(work):
        return []
    diagnostics: list[Diagnostic] = []
    used = read_used_specs(work, diagnostics)
    work.abstracts = used.abstracts
    masks = [
        *range_masks(work.root, work.family, work.releases, diagnostics),
        *used_release_masks(used),
    ]
    masks += [state.releases for state in work.states] + [
        predicate.releases for predicate in work.predicates
    ]
    merged = _MergedVersions(work)
    reader = ReleaseDataReader(work, used, diagnostics)
    for releases in release_partition(work.releases, masks):
        merged.add(releases, *reader.read(releases))
    diagnostics += _undeclared_errors(
        work, tuple(dict.fromkeys(error.name for data in merged.data for error in data.errors))
    )
    if all(diagnostic.severity is Severity.WARNING for diagnostic in diagnostics):
        # What an error stands for is no condition, and decides nothing.
        diagnostics += _cases_never_taken(work, merged.taken)
    work.versions, work.transitions = merged.versions(), merged.transitions()
    work.events, work.event_nodes = merged.events()
    return list(dict.fromkeys(diagnostics))


def _undeclared_errors(work: SpecBuilder, errors: tuple[str, ...]) -> Iterator[Diagnostic]:
    """Report what `otherwise` raises and no `errors:` declares, where there are any."""
    for entry in node_items(work.root.get("otherwise")):
        does = entry.get("does") if isinstance(entry, YamlMapping) else None
        error = node_text(does).removeprefix("raise ")
        if errors and does is not None and error != node_text(does) and error not in errors:
            hint = nearest_hint(error, errors) or "declare it under `errors:`"
            yield Diagnostic("SM325", f"error `{error}` is not declared", does.span, hint)


def _cases_never_taken(work: SpecBuilder, taken: set[_NodeIds]) -> Iterator[Diagnostic]:
    """Warn of what no state that it starts from lets anybody take, in any release."""
    for ids, entry in {
        _node_ids(transition): transition for transition in work.transitions
    }.items():
        if ids not in taken and entry.transition.span is not None:
            hint = "every state it starts from decides against it, or for a case before it"
            where, message = entry.transition.span, "this case is never taken"
            yield Diagnostic("SM324", message, where, hint, Severity.WARNING)


def _node_ids(entry: ParsedTransition) -> _NodeIds:
    return id(entry.entry), id(entry.case)


def _has_data(work: SpecBuilder) -> bool:
    if any(work.root.get(key) is not None for key in _DATA_KEYS):
        return True
    if any(
        node.get(key) is not None
        for node in work.event_nodes
        for key in ("args", "where", *OPERATION_KEYS)
    ):
        return True
    return any(
        isinstance(node, YamlMapping) and has_operation(node)
        for node in node_items(work.root.get("transitions"))
    )


@define
class _MergedVersions:
    """What was read in all classes, with equal results of several classes as one."""

    work: SpecBuilder
    data: dict[MachineData, ReleaseSet] = field(factory=dict)
    cases: list[dict[Case | None, ReleaseSet]] = field(init=False)
    signatures: list[dict[Signature | None, ReleaseSet]] = field(init=False)
    taken: set[_NodeIds] = field(factory=set)
    """Entries and cases that can be taken from some state in some release."""

    def __attrs_post_init__(self) -> None:
        self.cases = [{} for _ in self.work.transitions]
        self.signatures = [{} for _ in self.work.events]

    def add(
        self,
        releases: ReleaseSet,
        data: MachineData,
        cases: list[Case | None],
        signatures: list[Signature | None],
    ) -> None:
        """Add what was read in one class; a case that its source decides against goes, unless
        nothing else is left of its event.
        """
        self.data[data] = self.data.get(data, 0) | releases
        here = [
            (entry, case, known, is_possible)
            for entry, case, known, is_possible in zip(
                self.work.transitions,
                cases,
                self.cases,
                possible_cases(self.work, data, cases, signatures),
                strict=True,
            )
            if entry.transition.releases & releases
        ]
        self.taken |= {_node_ids(entry) for entry, _, _, is_possible in here if is_possible}
        events = {entry.transition.event for entry, _, _, is_possible in here if is_possible}
        for entry, case, known, is_possible in here:
            if is_possible or entry.transition.event not in events:
                known[case] = known.get(case, 0) | (entry.transition.releases & releases)
        for event, signature, read in zip(
            self.work.events, signatures, self.signatures, strict=True
        ):
            if event.releases & releases:
                read[signature] = read.get(signature, 0) | (event.releases & releases)

    def versions(self) -> tuple[tuple[ReleaseSet, MachineData], ...]:
        return tuple((releases, data) for data, releases in self.data.items())

    def transitions(self) -> tuple[ParsedTransition, ...]:
        return tuple(
            attrs.evolve(
                entry, transition=attrs.evolve(entry.transition, case=case, releases=releases)
            )
            for entry, known in zip(self.work.transitions, self.cases, strict=True)
            for case, releases in known.items()
        )

    def events(self) -> tuple[tuple[Event, ...], tuple[YamlMapping, ...]]:
        pairs = [
            (attrs.evolve(event, signature=signature, releases=releases), node)
            for event, node, known in zip(
                self.work.events, self.work.event_nodes, self.signatures, strict=True
            )
            for signature, releases in known.items()
        ]
        return tuple(event for event, _ in pairs), tuple(node for _, node in pairs)


def possible_cases(
    work: SpecBuilder,
    data: MachineData,
    cases: Sequence[Case | None],
    signatures: Sequence[Signature | None],
) -> list[bool]:
    """Tell of each transition whether its case can be taken in its source.

    It cannot where the state alone makes the guard, `when` or the event's `where` false, or the
    `when` of a case before it true. Costs one walk over the conditions of each transition.

    Args:
        work: the document; its transitions stand in the order of their cases.
        data: of one class of releases.
        cases: parallel to the transitions.
        signatures: parallel to the events.

    Returns:
        A flag for each transition, in their order.
    """
    known = {
        event.name: signature
        for event, signature in zip(work.events, signatures, strict=True)
        if signature is not None
    }
    search = _CaseSearch(
        {definition.name: definition.body for definition in data.definitions}, known
    )
    return [
        case is None or search.is_possible(entry.transition, case)
        for entry, case in zip(work.transitions, cases, strict=True)
    ]


_NO_SIGNATURE = Signature()


@define
class _CaseSearch:
    """Goes through the cases of one class of releases in their order."""

    definitions: NamedValues
    signatures: dict[str, Signature]
    """By event."""
    _always: dict[tuple[int, str, str], int] = field(factory=dict)
    """The case that is always taken, by entry, event and source."""

    def is_possible(self, transition: Transition, case: Case) -> bool:
        """Tell whether a case can be taken, and remember one that always is."""
        operation = (transition.entry, transition.event, transition.source)
        if case.index > self._always.get(operation, case.index):
            return False
        signature = self.signatures.get(transition.event, _NO_SIGNATURE)
        lets = {let.name: let.value for let in (*signature.lets, *case.lets)}
        known = StateConditions(transition.source, self.definitions, lets)
        needed = (signature.where, case.guard)
        if any(
            expression is not None and known.reduce(expression) == FALSE for expression in needed
        ):
            return False
        when = TRUE if case.when is None else known.reduce(case.when)
        if when == TRUE:
            self._always.setdefault(operation, case.index)
        return when != FALSE
