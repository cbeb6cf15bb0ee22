"""The properties of a machine over the lines of one instance: looked at wherever what is known
decides them.

One is broken where it does not hold in any state in which the instance may be, by any release that
fits, whatever the values are that are not known; so lost values accuse nobody. What is broken stays
so until it is seen to hold, and is told once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from attrs import define, field, frozen

from statemachines.conform.interchange.check_plan import (
    VersionedProperty,
    spec_properties,
)
from statemachines.conform.judge.tables.release_tables import ReleaseClass
from statemachines.model.definitions.data_definitions import MachineData, PropertyKind
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.language.expression_nodes import Name, NameKind
from statemachines.semantics.evaluation.compiler import Compiler
from statemachines.semantics.evaluation.partial_evaluation import (
    NO_VALUES,
    PartialCondition,
    PartialContext,
    PartialValuation,
    compile_partial_condition,
)

StepAnswers = tuple[tuple["CompiledProperty", "PropertyAnswer"], ...]
"""What the properties say of a step."""
_StepStates = tuple[str, "str | None"]
"""A state that may be, and for a step the one before it."""
ReleaseCase = tuple[ReleaseSet, Sequence[_StepStates]]
"""Releases that fit, and what by them may be."""
PropertyAnswer = bool | None | str
"""Whether it holds; None: it cannot be told; `ABSENT`: nothing is asked."""
_NOT_APPLICABLE = "absent"


@frozen
class ValueChange:
    """What is known before and after a line."""

    before: PartialValuation
    after: PartialValuation
    order_unclear: bool = False
    """Whether the order of the line and the one before cannot be told."""


NO_CHANGE = ValueChange(NO_VALUES, NO_VALUES)
"""Of an instance whose lines tell no values."""


@frozen(eq=False)
class CompiledProperty:
    """A property that logs can be judged by, compiled."""

    index: int
    """Its place among the properties of the spec."""
    versioned: VersionedProperty
    versions: tuple[tuple[ReleaseSet, PartialCondition], ...]
    names_read: frozenset[Name]
    """What it looks at, in any release."""

    def values_message(self, move: tuple[str | None, str | None], values: ValueChange) -> str:
        """Return what is known of what it looks at, in words."""
        parts = [" -> ".join(dict.fromkeys(state for state in move if state))] if any(move) else []
        known = {NameKind.BEFORE: ("before.", values.before), NameKind.VARIABLE: ("", values.after)}
        for name in sorted(
            self.names_read, key=lambda name: (name.name, name.kind is NameKind.VARIABLE)
        ):
            prefix, valuation = known.get(name.kind, ("", PartialValuation()))
            parts += (
                [f"{prefix}{name.name} = {valuation[name.name]!r}"]
                if name.name in valuation
                else []
            )
        return ", ".join(parts) or "whatever is not known"

    def evaluate(self, options: Iterable[ReleaseCase], values: ValueChange) -> PropertyAnswer:
        """Return what all releases that fit say; the mildest where they differ."""
        answers: set[PropertyAnswer] = set()
        for releases, moments in options:
            rest = releases
            for having, ask in self.versions:
                if having & releases:
                    rest &= ~having
                    answers.update(
                        ask(PartialContext(now, values.after, _snapshot_before(was, values)))
                        for now, was in moments
                    )
            answers |= {_NOT_APPLICABLE} if rest else set()
        if answers == {False}:
            return False
        return (
            None
            if answers - {True, _NOT_APPLICABLE}
            else (True if True in answers else _NOT_APPLICABLE)
        )


def _snapshot_before(state: str | None, values: ValueChange) -> Snapshot | None:
    return None if state is None else Snapshot(state, values.before)


class CompiledProperties:
    """Those of a machine that logs can be judged by; shared by all of its instances."""

    def __init__(self, spec: SpecDefinition) -> None:
        self.spec = spec
        self._compilers: dict[int, Compiler] = {}
        self._simple_steps: dict[tuple[int, str, str], StepAnswers] = {}

    @cached_property
    def compiled(self) -> tuple[CompiledProperty, ...]:
        """Each, compiled when the first instance is judged."""
        asked_for = enumerate(spec_properties(self.spec))
        return tuple(
            CompiledProperty(
                n,
                versioned_property,
                tuple(self._compiled_versions(versioned_property)),
                self._names_read(versioned_property),
            )
            for n, versioned_property in asked_for
            if versioned_property.versions
        )

    def _names_read(self, versioned_property: VersionedProperty) -> frozenset[Name]:
        rules = [
            (releases, rule.holds)
            for releases, rule in versioned_property.versions
            if rule.holds is not None
        ]
        return frozenset(
            name
            for releases, holds in rules
            for name in self._release_compiler(releases).all_used_names([holds])
        )

    def _compiled_versions(
        self, versioned_property: VersionedProperty
    ) -> Iterator[tuple[ReleaseSet, PartialCondition]]:
        for releases, rule in versioned_property.versions:
            if rule.holds is not None:
                yield (
                    releases,
                    compile_partial_condition(self._release_compiler(releases), rule.holds),
                )

    def _release_compiler(self, releases: ReleaseSet) -> Compiler:
        if releases not in self._compilers:
            self._compilers[releases] = Compiler.for_data(self._release_data(releases))
        return self._compilers[releases]

    def _release_data(self, releases: ReleaseSet) -> MachineData:
        return next(
            (data for having, data in self.spec.versions if having & releases), self.spec.data
        )

    def simple_step_answers(
        self, classes: Sequence[ReleaseClass], fitting: int, source: str, target: str
    ) -> StepAnswers:
        """Return the answers for a told step of a machine whose lines tell no values; kept, since a
        log has few kinds of steps.
        """
        key = fitting, source, target
        if key not in self._simple_steps:
            options = [(rules.releases & fitting, [(target, source)]) for rules in classes]
            self._simple_steps[key] = tuple(
                (compiled, compiled.evaluate(options, NO_CHANGE)) for compiled in self.compiled
            )
        return self._simple_steps[key]


class PropertyTotals(NamedTuple):
    """What looking at the properties of an instance came to."""

    counts: tuple[tuple[int, int, int, int], ...]
    """The place of a property, and how often it was decided, undecided and broken."""
    broken: frozenset[int]


@define
class PropertyTally:
    """How often a property was looked at."""

    decided: int = 0
    undecided: int = 0
    broken: int = 0


@define
class PropertyWatch:
    """The properties of a machine over one instance."""

    properties: CompiledProperties
    counts: dict[int, PropertyTally] = field(factory=dict)
    """By the place of the property; only those that were asked."""
    _broken: set[int] = field(factory=set)

    def count_answers(
        self, answers: Iterable[tuple[CompiledProperty, PropertyAnswer]]
    ) -> Iterator[CompiledProperty]:
        """Count some answers, and yield what begins to be broken; of steps whatever is."""
        for compiled, answer in answers:
            if answer is _NOT_APPLICABLE:
                continue
            counted = self.counts.setdefault(compiled.index, PropertyTally())
            counted.undecided += answer is None
            counted.decided += answer is not None
            if answer is False and compiled.index not in self._broken:
                counted.broken += 1
                yield compiled
            if compiled.versioned.kind is PropertyKind.ALWAYS and answer is not None:
                (self._broken.discard if answer else self._broken.add)(compiled.index)

    def count_answers_often(
        self, answers: Iterable[tuple[CompiledProperty, PropertyAnswer]], times: int
    ) -> None:
        """Count the same answers several times; none says that a property is broken."""
        for compiled, answer in answers:
            if answer is not _NOT_APPLICABLE:
                counted = self.counts.setdefault(compiled.index, PropertyTally())
                counted.undecided += times * (answer is None)
                counted.decided += times * (answer is not None)

    def check_line(
        self, now: Sequence[ReleaseCase], steps: Sequence[ReleaseCase], values: ValueChange
    ) -> Iterator[CompiledProperty]:
        """Look at a line: at where the instance may be after it, and at the step that it tells."""
        options = {PropertyKind.ALWAYS: now, PropertyKind.EACH_STEP: steps}
        yield from self.count_answers(
            (compiled, compiled.evaluate(options[compiled.versioned.kind], values))
            for compiled in self.properties.compiled
        )

    def resume_point(self) -> PropertyTotals:
        """Return what another one goes on from."""
        rows = (
            (index, tally.decided, tally.undecided, tally.broken)
            for index, tally in self.counts.items()
        )
        return PropertyTotals(tuple(rows), frozenset(self._broken))

    def resume(self, point: PropertyTotals) -> None:
        """Go on from what was kept."""
        self.counts = {index: PropertyTally(*rest) for index, *rest in point.counts}
        self._broken = set(point.broken)

    def broken(self) -> frozenset[int]:
        """Return what is broken now, by the place of the property."""
        return frozenset(self._broken)

    def have_broken(self, broken: frozenset[int]) -> None:
        """Let this be broken, and nothing else."""
        self._broken = set(broken)

    def totals(self) -> dict[int, tuple[int, int, int]]:
        """Return how often each property was decided, undecided and broken, by its place."""
        return {
            index: (tally.decided, tally.undecided, tally.broken)
            for index, tally in self.counts.items()
        }

    def add_totals(self, totals: Iterable[tuple[int, tuple[int, int, int]]], lines: int) -> None:
        """Count properties for some lines that count them alike, each as `totals` has it."""
        for index, (decided, undecided, broken) in totals:
            counted = self.counts[index]
            counted.decided += decided * lines
            counted.undecided += undecided * lines
            counted.broken += broken * lines

    def begin_incarnation(self) -> None:
        """A new life: what was broken in the last one is over."""
        self._broken.clear()
