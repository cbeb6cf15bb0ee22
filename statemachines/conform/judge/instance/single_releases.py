"""Each release by itself: what a whole history would be called if only that release fitted.

The judge takes the mildest word at every line; a log that does at one line what only an old release
allows and at another what only a new one does is mild at both, and no release has written it. So
each instance keeps, for every class of releases that behave alike, the first line at which that
class alone would have said worse than HOLDS. That is a value: what the instances of one run of a
process say joins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from statemachines.conform.interchange.judgements import (
    Belief,
    InstanceJudgement,
    PendingFinding,
    SingleReleaseFinding,
    StatePoint,
)
from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.judge.checks.event_check import EventCheck
from statemachines.conform.judge.checks.group_check import ClassGroup, JudgedInstance
from statemachines.conform.judge.checks.observation_check import ObservationCheck
from statemachines.conform.judge.instance.instance_belief import RunClass, SingleReleaseWords
from statemachines.conform.judge.instance.line_before import ORDER_KINDS
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.judge.tables.release_tables import ReleaseClass
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.evidence.verdicts import Verdict

if TYPE_CHECKING:
    from statemachines.conform.judge.tables.known_variables import KnownVariables

_NO_RELEASE_KIND = "no release"
"""The kind of finding that says that no release that fits has written all of it."""
_SIMPLE_LINE_KINDS = (LineKind.STEP, LineKind.IS)
"""Lines of which it is mostly clear at a glance that nothing is to be said of them."""


class SingleReleases:
    """What each class of releases alone says of one instance.

    Complexity: nothing for a line that is plain in all of them; else a look-up a class that has not
    said VIOLATED yet.
    """

    def __init__(self, judge: JudgedInstance) -> None:
        self._judge = judge
        self._worst: dict[RunClass, Verdict] = {}
        self.findings: list[SingleReleaseFinding] = []

    def copy(self, judge: JudgedInstance) -> SingleReleases:
        """Return the same for a judge that goes on by itself."""
        other = SingleReleases(judge)
        other._worst = dict(self._worst)
        return other

    def resume_point(self) -> SingleReleaseWords:
        """Return what another one goes on from."""
        return SingleReleaseWords(tuple(self._worst.items()), tuple(self.findings))

    def resume(self, point: SingleReleaseWords) -> None:
        """Go on from what was kept."""
        self._worst, self.findings = dict(point.worst), list(point.findings)

    def check_line(
        self,
        groups: Sequence[ClassGroup],
        observation: Observation,
        process: int,
        fitting: ReleaseSet,
        *,
        signed: bool,
        near: bool,
    ) -> None:
        """Take in a line, before anything follows from it.

        Args:
            groups: how the classes read it.
            observation: the line.
            process: of the line.
            fitting: the releases that fit.
            signed: whether a life may have begun since the line before.
            near: whether the order of this line and the one before cannot be told.
        """
        if sum(len(group.classes) for group in groups) < 2:
            return
        run = self._judge.context.run_key(
            process, self._judge.owner, self._judge.context.position(observation)
        )
        fresh: dict[Verdict, SingleReleaseFinding] = {}
        for group in groups:
            for rules in group.classes:
                known = self._worst.get((run, rules.releases), Verdict.HOLDS)
                if known is Verdict.VIOLATED or self._is_plainly_legal(group, rules):
                    continue
                worst = self._worst_finding(
                    group, rules, observation, process, known, signed=signed, near=near
                )
                if worst is not None and worst.verdict > known:
                    self._worst[run, rules.releases] = worst.verdict
                    before = fresh[worst.verdict].releases if worst.verdict in fresh else 0
                    fresh[worst.verdict] = SingleReleaseFinding(
                        run, fitting, before | rules.releases & fitting, worst
                    )
        self.findings += fresh.values()

    def _is_plainly_legal(self, group: ClassGroup, rules: ReleaseClass) -> bool:
        reading, belief = group.reading, self._judge.class_belief(rules)
        if (
            group.line.kinds[0] not in _SIMPLE_LINE_KINDS
            or group.line.echo
            or reading.unknown_states
            or self._judge.known_variables is not None
        ):
            return False
        state = (
            reading.source
            if group.line.kinds[0] is LineKind.STEP
            else reading.state or reading.source
        )
        if state is None or not (belief is None or state in belief):
            return False
        return (
            state in rules.legal_targets
            if group.line.kinds[0] is LineKind.IS
            else rules.allows(state, reading.target or "")
        )

    def _worst_finding(
        self,
        group: ClassGroup,
        rules: ReleaseClass,
        observation: Observation,
        process: int,
        known: Verdict,
        *,
        signed: bool,
        near: bool,
    ) -> PendingFinding | None:
        """Return the worst that a class by itself finds at a line; kept, without the words, by all
        that it depends on.
        """
        judge, instance = self._judge, _SingleReleaseInstance(self._judge, rules)
        here = judge.point is not None and judge.point.process == process
        shown = judge.tables.shown_lines(judge.context, process, observation.file, judge.owner)
        key = (
            judge.owner,
            rules.releases,
            group.reading,
            instance.belief,
            shown,
            signed,
            near,
            judge.is_over,
            here,
        )
        usable = judge.known_variables is None and not group.line.echo
        if usable and judge.tables.single_release_verdicts.get(key, Verdict.VIOLATED) <= known:
            return None
        own = ClassGroup(group.reading, group.line, [rules])
        is_plain_event = group.line.kinds[0] is LineKind.EVENT and group.reading.target is None
        (EventCheck if is_plain_event else ObservationCheck)(
            instance, observation, process, own, signed
        ).judge()
        worst = max(own.findings, key=lambda finding: finding.verdict, default=None)
        if worst is not None and near and worst.kind in ORDER_KINDS:
            worst.verdict = Verdict.INCONCLUSIVE
        if usable:
            judge.tables.single_release_verdicts[key] = (
                worst.verdict if worst is not None else Verdict.HOLDS
            )
        return worst if worst is not None and worst.verdict is not Verdict.HOLDS else None


class _SingleReleaseInstance:
    """The instance as one class of releases alone sees it."""

    def __init__(self, judge: JudgedInstance, rules: ReleaseClass) -> None:
        self.context: JudgingContext = judge.context
        self.tables: JudgingTables = judge.tables
        self.owner, self.spec, self.incarnation, self.is_over = (
            judge.owner,
            judge.spec,
            judge.incarnation,
            judge.is_over,
        )
        self.single_incarnation, self.last_step = judge.single_incarnation, judge.last_step
        self.point: StatePoint | None = judge.point
        self.states_if_untrue: frozenset[str] = frozenset()
        self.known_variables: KnownVariables | None = (
            judge.known_variables.copy() if judge.known_variables is not None else None
        )
        self.belief: Belief = judge.class_belief(rules)

    def states(self) -> tuple[str, ...] | None:
        """The states that it may be in; None: any."""
        return (
            None
            if self.belief is None
            else tuple(dict.fromkeys(s.name for s in self.spec.states if s.name in self.belief))
        )

    def class_belief(self, rules: ReleaseClass) -> Belief:
        """The states that the class believes in."""
        return self.belief


def with_release_findings(
    context: JudgingContext, judged: Sequence[InstanceJudgement]
) -> list[InstanceJudgement]:
    """Return judgements with a finding more for every run of a process that no release that fits
    has written, where none says so yet.
    """
    runs: dict[tuple[object, ...], list[tuple[Position, int, SingleReleaseFinding]]] = defaultdict(
        list
    )
    for number, judgement in enumerate(judged):
        for of_run in judgement.single_release_findings:
            runs[of_run.run].append((context.position(of_run.finding.observation), number, of_run))
    known: dict[int, Verdict] = {}
    for finding in (finding for judgement in judged for finding in judgement.findings):
        known[finding.process] = max(finding.verdict, known.get(finding.process, Verdict.HOLDS))
    release_findings = list(judged)
    for entries in runs.values():
        for number, finding in _run_findings(
            context, sorted(entries, key=lambda entry: entry[:2]), judged, known
        ):
            release_findings[number] = release_findings[number]._replace(
                findings=(*release_findings[number].findings, finding)
            )
    return release_findings


def _run_findings(
    context: JudgingContext,
    entries: Sequence[tuple[Position, int, SingleReleaseFinding]],
    judged: Sequence[InstanceJudgement],
    known: Mapping[int, Verdict],
) -> Iterator[tuple[int, PendingFinding]]:
    """Yield the one finding of a run, with the instance at whose line the last release is ruled
    out; none where a line rules out all.
    """
    for verdict in (Verdict.VIOLATED, Verdict.INCONCLUSIVE):
        left, taken = entries[0][2].fitting, list[tuple[int, SingleReleaseFinding, ReleaseSet]]()
        for _, number, entry in entries:
            if entry.finding.verdict >= verdict and left & entry.releases:
                taken.append((number, entry, left & entry.releases))
                left &= ~entry.releases
        if left or not taken:
            continue
        if len(taken) > 1 and known.get(taken[0][1].finding.process, Verdict.HOLDS) < verdict:
            number, last, _ = taken[-1]
            yield (
                number,
                evolve(
                    last.finding,
                    kind=_NO_RELEASE_KIND,
                    verdict=verdict,
                    message=_run_message(context, judged, taken),
                    outcome=None,
                    legal_in=0,
                ),
            )
        return


def _run_message(
    context: JudgingContext,
    judged: Sequence[InstanceJudgement],
    taken: Sequence[tuple[int, SingleReleaseFinding, ReleaseSet]],
) -> str:
    """Say which line rules out which releases."""
    parts = []
    for number, alone, releases in taken:
        spec, observation = context.plan.specs[judged[number].owner], alone.finding.observation
        step = " -> ".join(state for state in (alone.finding.source, alone.finding.target) if state)
        place = f"{context.files[observation.file].name}:{observation.line}"
        parts.append(
            f"{step or alone.finding.kind} ({place}) is {alone.finding.kind} in"
            f" {spec.family.ranges(releases)}"
        )
    return "no release that fits allows all of it: " + ", ".join(parts)
