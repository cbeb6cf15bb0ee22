"""Which trouble brought another one about, by what the specs say of their kinds."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import field

from statemachines.conform.incidents.incident_kinds import IncidentKinds
from statemachines.conform.incidents.troubles import Trouble
from statemachines.conform.join.log_subjects import LogSubjects
from statemachines.conform.join.report_sources import subject_key
from statemachines.model.definitions.incident_definitions import FollowedKind
from statemachines.model.evidence.instance_names import whole_finder
from statemachines.model.evidence.reports import InstanceKey
from statemachines.model.values import define
from statemachines.notation.lines.line_templates import render_template, template_fields

KnownFields = Mapping[str, int | str]
"""Fields by which something is known, and their values."""


@define
class LinkedInstances:
    """Finds the instances that incidents follow `through`.

    Complexity: each lookup is one of a dictionary that is made once for two sets of fields.
    """

    keys: Mapping[str, Sequence[InstanceKey]]
    """By machine, the subjects that the log tells of, each once."""
    _by_values: dict[tuple[str, tuple[str, ...]], dict[InstanceKey, list[InstanceKey]]] = field(
        init=False, factory=dict
    )
    """By machine and fields: keys by the values of these fields."""

    def known_as(self, trouble: Trouble) -> Sequence[KnownFields]:
        """Return the fields that a trouble is known by: those of its subject, with those of each
        instance that it follows through; its own alone where the log tells of no such instance.
        """
        own = dict(trouble.subject)
        linked = self._linked(trouble.kind.through, own) if trouble.kind.through else ()
        return [{**dict(key), **own} for key in linked] or [own]

    def _linked(self, machine: str, own: KnownFields) -> Sequence[InstanceKey]:
        keys = self.keys.get(machine, ())
        if not keys:
            return ()
        common = tuple(name for name, _ in keys[0] if name in own)
        known = self._by_values.get((machine, common))
        if known is None:
            known = self._by_values[machine, common] = defaultdict(list)
            for key in keys:
                known[tuple(part for part in key if part[0] in common)].append(key)
        return known.get(tuple((name, own[name]) for name in common), ())


def linked_instances(log_subjects: LogSubjects) -> LinkedInstances:
    """Gather the instances that any incident of a check follows through.

    Args:
        log_subjects: the subjects of the log.
    """
    context = log_subjects.context
    logs = (owner.log for owner in context.plan.owners if owner.log)
    wanted = {kind.through for log in logs for kind in log.incidents if kind.through}
    numbers = {n: owner.name for n, owner in enumerate(context.plan.owners) if owner.name in wanted}
    keys: dict[str, dict[InstanceKey, None]] = defaultdict(dict)
    for judgement in log_subjects.instances:
        if judgement.owner in numbers:
            keys[numbers[judgement.owner]][subject_key(context, judgement.owner, judgement.key)] = (
                None
            )
    return LinkedInstances({machine: tuple(subjects) for machine, subjects in keys.items()})


NOTICED_MS = 15_000
"""A cause may be told so much later than what it brought about, and what follows so long after it
was over: a session times out, an election is held, clocks differ.
"""
CLOCK_MS = 1_000
"""What differs by no more began at the same time."""
MOST_TRIED = 8
"""Earlier causes of one subject that are looked at: of several that went on, the latest counts."""

_JoinFields = tuple[tuple[str, str], ...]
"""Fields of what followed (or texts with fields in them) and of its cause that have the same value.
"""


@define
class CauseFinder:
    """Finds what each of many troubles followed from.

    Complexity: that of sorting them; each lookup is a binary search.
    """

    kinds: IncidentKinds
    troubles: Sequence[Trouble]
    programs: Mapping[str, Sequence[InstanceKey]]
    """By process, the subjects that are whole programs."""
    links: LinkedInstances
    parts: Mapping[int, int] = field(factory=dict)
    """By index: the one that another is a single time of, and that is told in its place."""
    _by_kind: dict[tuple[str, str], list[int]] = field(init=False)
    """By kind and machine: indexes of troubles, in the order of their beginning."""
    _indexes: dict[tuple[object, ...], dict[tuple[object, ...], list[int]]] = field(
        init=False, factory=dict
    )
    _wholes: dict[str, Callable[[InstanceKey], InstanceKey | None]] = field(
        init=False, factory=dict
    )
    """By process, what finds the program of a part."""

    def __attrs_post_init__(self) -> None:
        self._by_kind = defaultdict(list)
        for index in sorted(range(len(self.troubles)), key=lambda i: self.troubles[i].since_ms):
            trouble = self.troubles[index]
            self._by_kind[trouble.kind.kind, trouble.machine].append(index)
        self._wholes = {name: whole_finder(keys) for name, keys in self.programs.items()}

    def roots(self) -> list[int]:
        """Return, for each trouble, the index of the one that all began with: its own where
        nothing brought it about.
        """
        causes = [self.parts.get(index, self._cause(index)) for index in range(len(self.troubles))]
        return [self._root(index, causes) for index in range(len(self.troubles))]

    def _root(self, index: int, causes: Sequence[int | None]) -> int:
        visited = {index}
        at = index
        while (cause := causes[at]) is not None and cause not in visited:
            visited.add(cause)
            at = cause
        return at

    def _cause(self, index: int) -> int | None:
        """Return what a trouble followed from: the latest of the first kind that went on as it
        began, else the nearest in time of all.
        """
        trouble = self.troubles[index]
        nearest: list[int] = []
        for followed in trouble.kind.follows:
            fits = [
                cause
                for machine in self._machines(followed.kind)
                if (cause := self._latest(index, followed, machine)) is not None
            ]
            if not fits:
                continue
            cause = min(fits, key=lambda cause: self._nearness(cause, trouble))
            if self._apart_ms(cause, trouble) == 0:
                return cause
            nearest.append(cause)
        return min(nearest, key=lambda cause: self._apart_ms(cause, trouble), default=None)

    def _nearness(self, cause: int, trouble: Trouble) -> tuple[int, int, int]:
        return self._apart_ms(cause, trouble), -self.troubles[cause].since_ms, cause

    def _machines(self, kind: str) -> Iterator[str]:
        return (machine for known, machine in self._by_kind if known == kind)

    def _latest(self, index: int, followed: FollowedKind, machine: str) -> int | None:
        trouble, others = self.troubles[index], self._by_kind[followed.kind, machine]
        known = self.links.known_as(trouble)
        fields = self._join_fields(known[0], followed, self.troubles[others[0]])
        names = tuple(own for own, _ in fields)
        causes = self._index(followed.kind, machine, trouble.machine, fields)
        same = {
            cause
            for subject in known
            for cause in causes.get(self._values(trouble, subject, names, machine), ())
        }
        return self._nearest(index, sorted(same, key=lambda i: (self.troubles[i].since_ms, i)))

    def _nearest(self, index: int, same: Sequence[int]) -> int | None:
        """Return the latest cause that went on as the trouble began, else the nearest in time: one
        that was over before, or the first that was told soon after.
        """
        trouble = self.troubles[index]
        starts = bisect_right(
            same, trouble.since_ms + CLOCK_MS, key=lambda cause: self.troubles[cause].since_ms
        )
        near = [
            cause
            for cause in (
                *reversed(same[max(starts - MOST_TRIED, 0) : starts]),
                *same[starts : starts + 1],
            )
            if cause != index and self._apart_ms(cause, trouble) <= NOTICED_MS - CLOCK_MS
        ]
        return min(near, key=lambda cause: self._apart_ms(cause, trouble), default=None)

    def _apart_ms(self, cause: int, trouble: Trouble) -> int:
        """Return how long a cause had been over as a trouble began, or after it was told, beyond
        what clocks differ: those of one log do not. 0 where it went on.
        """
        other = self.troubles[cause]
        over = 0 if other.until_ms is None else trouble.since_ms - other.until_ms - CLOCK_MS
        later = other.since_ms - trouble.since_ms
        return max(over, later if other.process == trouble.process else later - CLOCK_MS, 0)

    @staticmethod
    def _join_fields(known: KnownFields, followed: FollowedKind, other: Trouble) -> _JoinFields:
        """Return the fields that must agree, of those that a trouble is known by."""
        if followed.is_any:
            return ()
        theirs = {name for name, _ in other.subject}
        same = [pair for pair in followed.same if all(n in known for n in _fields_in(pair[0]))]
        named = {name for own, _ in same for name in _fields_in(own)}
        common = [(n, n) for n in known if n in theirs and n not in named]
        return (*same, *common)

    def _index(
        self, kind: str, machine: str, follower: str, fields: _JoinFields
    ) -> dict[tuple[object, ...], list[int]]:
        key = kind, machine, self._one_is_program(machine, follower), fields
        if key not in self._indexes:
            by_values: dict[tuple[object, ...], list[int]] = defaultdict(list)
            names = tuple(theirs for _, theirs in fields)
            for index in self._by_kind[kind, machine]:
                cause = self.troubles[index]
                known = self.kinds.known_by(cause.machine, cause.process, cause.subject)
                by_values[self._values(cause, known, names, follower)].append(index)
            self._indexes[key] = by_values
        return self._indexes[key]

    def _values(
        self, trouble: Trouble, subject: KnownFields, names: tuple[str, ...], other_machine: str
    ) -> tuple[object, ...]:
        """Return what must be equal of what followed and of its cause."""
        values: tuple[object, ...] = tuple(_value(name, subject) for name in names)
        if self._one_is_program(trouble.machine, other_machine):
            return (*values, trouble.process, self._program(trouble))
        return values

    def _one_is_program(self, machine: str, other: str) -> bool:
        return self.kinds.is_program(machine) != self.kinds.is_program(other)

    def _program(self, trouble: Trouble) -> InstanceKey | None:
        if self.kinds.is_program(trouble.machine):
            return trouble.subject
        whole = self._wholes.get(trouble.process)
        return whole(trouble.subject) if whole else None


def _value(name: str, subject: Mapping[str, int | str]) -> str:
    """Return the value of a field, or a text with the fields in it filled in."""
    if "{" not in name:
        return str(subject.get(name))
    return render_template(name, {field_name: str(value) for field_name, value in subject.items()})


def _fields_in(name: str) -> tuple[str, ...]:
    return template_fields(name) if "{" in name else (name,)
