"""The pass that reads the data of a machine: once for each class of releases, equal results put together again."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
from attrs import define, field

from statemachines.model.data import Case, Data, Signature
from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Event
from statemachines.model.releases import Releases
from statemachines.model.types import EnumType
from statemachines.notation.data.classes import classes_of, masks_in
from statemachines.notation.data.declarations import (
    read_definitions,
    read_errors,
    read_initial,
    read_parameters,
    read_types,
    read_variables,
)
from statemachines.notation.data.operations import OPERATION_KEYS, Operation, has_operation, read_operation
from statemachines.notation.data.properties import read_properties, read_scope, read_texts
from statemachines.notation.data.reader import Reader
from statemachines.notation.data.signatures import Inside, read_signature
from statemachines.notation.data.uses import Used, bring_in, masks_of, read_uses
from statemachines.notation.keys import DATA_KEYS, LIBRARY_KEYS, PROPERTY_KEYS
from statemachines.notation.nodes import Mapping, items_of, text_of
from statemachines.notation.suggestions import did_you_mean
from statemachines.notation.work import Arrow, Work

_DATA_KEYS = frozenset(key.name for key in (*LIBRARY_KEYS, *DATA_KEYS, *PROPERTY_KEYS))


def data(work: Work) -> list[Diagnostic]:
    """Read types, variables, operations and properties, and put guards, effects and results on the arrows."""
    if not _has_data(work):
        return []
    found: list[Diagnostic] = []
    used = read_uses(work, found)
    masks = [*masks_in(work.root, work.family, work.releases, found), *masks_of(used)]
    masks += [state.releases for state in work.states] + [predicate.releases for predicate in work.predicates]
    merged = _Merged(work)
    for releases in classes_of(work.releases, masks):
        merged.add(releases, *_read(work, releases, used, found))
    found += _undeclared(work, tuple(dict.fromkeys(error.name for data in merged.data for error in data.errors)))
    work.versions, work.arrows = merged.versions(), merged.arrows()
    work.events, work.event_nodes = merged.events()
    return list(dict.fromkeys(found))


def _undeclared(work: Work, errors: tuple[str, ...]) -> Iterator[Diagnostic]:
    """Report what `otherwise` raises and no `errors:` declares, where there are any."""
    for entry in items_of(work.root.get("otherwise")):
        does = entry.get("does") if isinstance(entry, Mapping) else None
        error = text_of(does).removeprefix("raise ")
        if errors and does is not None and error != text_of(does) and error not in errors:
            hint = did_you_mean(error, errors) or "declare it under `errors:`"
            yield Diagnostic("SM325", f"error `{error}` is declared nowhere", does.span, hint)


def _has_data(work: Work) -> bool:
    if any(work.root.get(key) is not None for key in _DATA_KEYS):
        return True
    if any(node.get(key) is not None for node in work.event_nodes for key in ("args", "where", *OPERATION_KEYS)):
        return True
    return any(isinstance(node, Mapping) and has_operation(node) for node in items_of(work.root.get("transitions")))


@define
class _Merged:
    """What was read in all classes, with equal results of several classes as one."""

    work: Work
    data: dict[Data, Releases] = field(factory=dict)
    cases: list[dict[Case | None, Releases]] = field(init=False)
    signatures: list[dict[Signature | None, Releases]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.cases = [{} for _ in self.work.arrows]
        self.signatures = [{} for _ in self.work.events]

    def add(self, releases: Releases, data: Data, cases: list[Case | None], signatures: list[Signature | None]) -> None:
        """Add what was read in one class."""
        self.data[data] = self.data.get(data, 0) | releases
        for arrow, case, known in zip(self.work.arrows, cases, self.cases, strict=True):
            if arrow.transition.releases & releases:
                known[case] = known.get(case, 0) | (arrow.transition.releases & releases)
        for event, signature, read in zip(self.work.events, signatures, self.signatures, strict=True):
            if event.releases & releases:
                read[signature] = read.get(signature, 0) | (event.releases & releases)

    def versions(self) -> tuple[tuple[Releases, Data], ...]:
        return tuple((releases, data) for data, releases in self.data.items())

    def arrows(self) -> tuple[Arrow, ...]:
        return tuple(
            attrs.evolve(arrow, transition=attrs.evolve(arrow.transition, case=case, releases=releases))
            for arrow, known in zip(self.work.arrows, self.cases, strict=True)
            for case, releases in known.items()
        )

    def events(self) -> tuple[tuple[Event, ...], tuple[Mapping, ...]]:
        pairs = [
            (attrs.evolve(event, signature=signature, releases=releases), node)
            for event, node, known in zip(self.work.events, self.work.event_nodes, self.signatures, strict=True)
            for signature, releases in known.items()
        ]
        return tuple(event for event, _ in pairs), tuple(node for _, node in pairs)


def _read(work: Work, releases: Releases, used: Used, found: list[Diagnostic]) -> tuple[Data, list[Case | None], list[Signature | None]]:
    """Read everything in one class of releases."""
    reader = Reader(work.family, releases & -releases, found)
    bring_in(reader, used)
    data, errors = _declarations(work, reader, used)
    operations = {id(arrow.entry) for arrow in work.arrows}
    insides = [
        read_signature(reader, node, is_operation=id(node) in operations) if event.releases & releases else None
        for event, node in _events(work)
    ]
    by_event = {event.name: inside for (event, _), inside in zip(_events(work), insides, strict=True) if inside is not None}
    cases = _cases(work, reader, releases, by_event, errors)
    arguments = {arrow.transition.event: () for arrow in work.arrows if arrow.transition.releases & releases}
    named = {name: tuple(argument.name for argument in inside.signature.arguments) for name, inside in by_event.items()}
    data = attrs.evolve(data, properties=read_properties(reader, work.root, {**arguments, **named}))
    return data, cases, [None if inside is None or inside.signature == Signature() else inside.signature for inside in insides]


def _events(work: Work) -> list[tuple[Event, Mapping]]:
    return list(zip(work.events, work.event_nodes, strict=True))


def _declarations(work: Work, reader: Reader, used: Used) -> tuple[Data, tuple[str, ...]]:
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
    data = Data(
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
    return data, tuple(error.name for error in errors)


def _states(work: Work, reader: Reader) -> None:
    """Bring in `state` and the predicates."""
    names = tuple(state.name for state in work.states if state.releases & reader.bit and state.name)
    predicates = {each.name: tuple(s for s in each.states if s in names) for each in work.predicates if each.releases & reader.bit}
    for each in work.predicates:
        if each.span is not None:
            reader.taken.places.setdefault(each.name, each.span)
    state = EnumType("State", names) if names else None
    reader.within(attrs.evolve(reader.scope, state=state, predicates=predicates))


def _cases(work: Work, reader: Reader, releases: Releases, events: dict[str, Inside], errors: tuple[str, ...]) -> list[Case | None]:
    """Read the operation of each arrow, each entry once."""
    read: dict[tuple[int, str], Operation | None] = {}
    cases: list[Case | None] = []
    for arrow in work.arrows:
        if not arrow.transition.releases & releases:
            cases.append(None)
            continue
        key = (id(arrow.entry), arrow.transition.event)
        if key not in read:
            read[key] = _operation(reader, arrow, events, errors)
        operation = read[key]
        cases.append(None if operation is None else operation.of(arrow.case))
    return cases


def _operation(reader: Reader, arrow: Arrow, events: dict[str, Inside], errors: tuple[str, ...]) -> Operation | None:
    if not has_operation(arrow.entry):
        return None
    inside = events.get(arrow.transition.event) or Inside(Signature(), reader.facts, reader.taken.inner())
    return read_operation(reader, arrow.entry, inside, errors, is_event=arrow.transition.entry < 0)
