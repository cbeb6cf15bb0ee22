"""The properties of a machine over the lines of one instance: looked at wherever what is known decides them.

One is broken where it does not hold in any state in which the instance may be, by any release that fits, whatever the values are that are
not known; so lost values accuse nobody. What is broken stays so until it is seen to hold, and is told once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from attrs import define, field, frozen

from statemachines.conform.asked import Asked, properties_of
from statemachines.conform.rules import Rules
from statemachines.model.data import Claim, Data
from statemachines.model.expressions import Kind, Name
from statemachines.model.machines import Spec
from statemachines.model.releases import Releases
from statemachines.model.snapshots import Snapshot
from statemachines.semantics.compile import Compiler
from statemachines.semantics.partial import NOTHING, Ask, Partial, asked

Moment = tuple[str, "str | None"]
"""A state that may be, and for a step the one before it."""
Option = tuple[Releases, Sequence[Moment]]
"""Releases that fit, and what by them may be."""
Answer = bool | None | str
"""Whether it holds; None: it cannot be told; `ABSENT`: nothing is asked."""
ABSENT = "absent"


@frozen
class Moved:
    """What is known before and after a line."""

    before: Partial
    after: Partial
    in_doubt: bool = False
    """Whether the order of the line and the one before cannot be told."""


STILL = Moved(NOTHING, NOTHING)
"""Of an instance whose lines tell no values."""


@frozen(eq=False)
class Checkable:
    """A property that logs can be judged by, compiled."""

    number: int
    """Its place among the properties of the spec."""
    asked: Asked
    versions: tuple[tuple[Releases, Ask], ...]
    reads: frozenset[Name]
    """What it looks at, in any release."""

    def words(self, move: tuple[str | None, str | None], values: Moved) -> str:
        """Return what is known of what it looks at, in words."""
        said = [" -> ".join(dict.fromkeys(state for state in move if state))] if any(move) else []
        known = {Kind.BEFORE: ("before.", values.before), Kind.VARIABLE: ("", values.after)}
        for name in sorted(self.reads, key=lambda one: (one.name, one.kind is Kind.VARIABLE)):
            prefix, told = known.get(name.kind, ("", Partial()))
            said += [f"{prefix}{name.name} = {told[name.name]!r}"] if name.name in told else []
        return ", ".join(said) or "whatever is not known"

    def answer(self, options: Iterable[Option], values: Moved) -> Answer:
        """Return what all releases that fit say; the mildest where they differ."""
        found: set[Answer] = set()
        for releases, moments in options:
            rest = releases
            for having, ask in self.versions:
                if having & releases:
                    rest &= ~having
                    found.update(ask(now, values.after, _before(was, values)) for now, was in moments)
            found |= {ABSENT} if rest else set()
        if found == {False}:
            return False
        return None if found - {True, ABSENT} else (True if True in found else ABSENT)


def _before(state: str | None, values: Moved) -> Snapshot | None:
    return None if state is None else Snapshot(state, values.before)


class Properties:
    """Those of a machine that logs can be judged by; shared by all of its instances."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._compilers: dict[int, Compiler] = {}
        self._plain: dict[tuple[int, str, str], tuple[tuple[Checkable, Answer], ...]] = {}

    @cached_property
    def all(self) -> tuple[Checkable, ...]:
        """Each, compiled when the first instance is judged."""
        asked_for = enumerate(properties_of(self.spec))
        return tuple(Checkable(n, one, tuple(self._compiled(one)), self._reads(one)) for n, one in asked_for if one.versions)

    def _reads(self, one: Asked) -> frozenset[Name]:
        rules = [(releases, rule.holds) for releases, rule in one.versions if rule.holds is not None]
        return frozenset(name for releases, holds in rules for name in self._compiler(releases).names_of([holds]))

    def _compiled(self, one: Asked) -> Iterator[tuple[Releases, Ask]]:
        for releases, rule in one.versions:
            if rule.holds is not None:
                yield releases, asked(self._compiler(releases), rule.holds)

    def _compiler(self, releases: Releases) -> Compiler:
        if releases not in self._compilers:
            self._compilers[releases] = Compiler.of(self._data(releases))
        return self._compilers[releases]

    def _data(self, releases: Releases) -> Data:
        return next((data for having, data in self.spec.versions if having & releases), self.spec.data)

    def plain(self, classes: Sequence[Rules], fitting: int, source: str, target: str) -> tuple[tuple[Checkable, Answer], ...]:
        """Return the answers for a told step of a machine whose lines tell no values; kept, since a log has few kinds of steps."""
        key = fitting, source, target
        if key not in self._plain:
            options = [(rules.releases & fitting, [(target, source)]) for rules in classes]
            self._plain[key] = tuple((one, one.answer(options, STILL)) for one in self.all)
        return self._plain[key]


@define
class Counted:
    """How often a property was looked at."""

    judged: int = 0
    undecided: int = 0
    broken: int = 0


@define
class Watch:
    """The properties of a machine over one instance."""

    properties: Properties
    counts: dict[int, Counted] = field(factory=dict)
    """By the place of the property; only those that were asked."""
    _broken: set[int] = field(factory=set)

    def looked(self, answers: Iterable[tuple[Checkable, Answer]]) -> Iterator[Checkable]:
        """Count some answers, and yield what begins to be broken; of steps whatever is."""
        for one, answer in answers:
            if answer is ABSENT:
                continue
            counted = self.counts.setdefault(one.number, Counted())
            counted.undecided += answer is None
            counted.judged += answer is not None
            if answer is False and one.number not in self._broken:
                counted.broken += 1
                yield one
            if one.asked.claim is Claim.ALWAYS and answer is not None:
                (self._broken.discard if answer else self._broken.add)(one.number)

    def at(self, now: Sequence[Option], steps: Sequence[Option], values: Moved) -> Iterator[Checkable]:
        """Look at a line: at where the instance may be after it, and at the step that it tells."""
        options = {Claim.ALWAYS: now, Claim.EACH_STEP: steps}
        yield from self.looked((one, one.answer(options[one.asked.claim], values)) for one in self.properties.all)

    def begins(self) -> None:
        """A new life: what was broken in the last one is over."""
        self._broken.clear()
