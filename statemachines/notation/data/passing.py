"""The pass that reads the data of a machine: once for each class of releases, equal results put together again."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
from attrs import define, field

from statemachines.model.data import Case, Data, Signature
from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Event
from statemachines.model.releases import Releases
from statemachines.model.suggestions import meant
from statemachines.notation.data.classes import classes_of, masks_in
from statemachines.notation.data.keeping import Kept
from statemachines.notation.data.operations import OPERATION_KEYS, has_operation
from statemachines.notation.data.uses import masks_of, read_uses
from statemachines.notation.keys import DATA_KEYS, LIBRARY_KEYS, PROPERTY_KEYS
from statemachines.notation.nodes import Mapping, items_of, text_of
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
    kept = Kept(work, used, found)
    for releases in classes_of(work.releases, masks):
        merged.add(releases, *kept.read(releases))
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
            hint = meant(error, errors) or "declare it under `errors:`"
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
