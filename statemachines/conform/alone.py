"""Each release by itself: what a whole history would be called if only that release fitted.

The judge takes the mildest word at every line; a log that does at one line what only an old release allows and at another what only a new
one does is mild at both, and no release has written it. So each instance keeps, for every class of releases that behave alike, the first
line at which that class alone would have said worse than HOLDS. That is a value: what the instances of one run of a process say joins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from statemachines.conform.events import EventHearing
from statemachines.conform.hearing import Group, Hearing
from statemachines.conform.judged import Alone, Belief, Found, Judged, StatePoint
from statemachines.conform.observations import Observation, Position
from statemachines.conform.processes import Context
from statemachines.conform.rules import Rules
from statemachines.conform.tables import Tables
from statemachines.model.loglines import Says
from statemachines.model.releases import Releases
from statemachines.model.verdicts import Verdict

if TYPE_CHECKING:
    from statemachines.conform.judge import Judge
    from statemachines.conform.knowing import Knowing

KIND = "no release"
"""The kind of finding that says that no release that fits has written all of it."""
TOLD = (Says.STEP, Says.IS)
"""Lines of which it is mostly clear at a glance that nothing is to be said of them."""


class Releasing:
    """What each class of releases alone says of one instance.

    Complexity: nothing for a line that is plain in all of them; else a look-up a class that has not said VIOLATED yet.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._worst: dict[tuple[object, ...], Verdict] = {}
        self.said: list[Alone] = []

    def copy(self, judge: Judge) -> Releasing:
        """Return the same for a judge that goes on by itself."""
        other = Releasing(judge)
        other._worst = dict(self._worst)
        return other

    def look(self, groups: Sequence[Group], seen: Observation, process: int, fitting: Releases, *, signed: bool, near: bool) -> None:
        """Take in a line, before anything follows from it.

        Args:
            groups: how the classes read it.
            seen: the line.
            process: of the line.
            fitting: the releases that fit.
            signed: whether a life may have begun since the line before.
            near: whether the order of this line and the one before cannot be told.
        """
        if sum(len(group.classes) for group in groups) < 2:
            return
        run = self._judge.context.run_of(process, self._judge.owner, self._judge.context.position(seen))
        fresh: dict[Verdict, Alone] = {}
        for group in groups:
            for rules in group.classes:
                known = self._worst.get((run, rules.releases), Verdict.HOLDS)
                if known is Verdict.VIOLATED or self._is_fine(group, rules):
                    continue
                worst = self._said(group, rules, seen, process, known, signed=signed, near=near)
                if worst is not None and worst.verdict > known:
                    self._worst[run, rules.releases] = worst.verdict
                    before = fresh[worst.verdict].releases if worst.verdict in fresh else 0
                    fresh[worst.verdict] = Alone(run, fitting, before | rules.releases & fitting, worst)
        self.said += fresh.values()

    def _is_fine(self, group: Group, rules: Rules) -> bool:
        telling, belief = group.telling, self._judge.believed(rules)
        if group.line.says[0] not in TOLD or group.line.echo or telling.unknown or self._judge.knowing is not None:
            return False
        state = telling.source if group.line.says[0] is Says.STEP else telling.state or telling.source
        if state is None or not (belief is None or state in belief):
            return False
        return state in rules.legal if group.line.says[0] is Says.IS else rules.allows(state, telling.target or "")

    def _said(
        self, group: Group, rules: Rules, seen: Observation, process: int, known: Verdict, *, signed: bool, near: bool
    ) -> Found | None:
        """Return the worst that a class by itself finds at a line; kept, without the words, by all that it depends on."""
        judge, one = self._judge, _One(self._judge, rules)
        here = judge.point is not None and judge.point.process == process
        shown = judge.tables.shown(judge.context, process, seen.file, judge.owner)
        key = (judge.owner, rules.releases, group.telling, one.belief, shown, signed, near, judge.over, here)
        usable = judge.knowing is None and not group.line.echo
        if usable and judge.tables.alone.get(key, Verdict.VIOLATED) <= known:
            return None
        own = Group(group.telling, group.line, [rules])
        untold = group.line.says[0] is Says.EVENT and group.telling.target is None
        (EventHearing if untold else Hearing)(one, seen, process, own, signed).judge()
        worst = max(own.findings, key=lambda finding: finding.verdict, default=None)
        if worst is not None and near and worst.kind in ("gap", "began again", "impossible"):
            worst.verdict = Verdict.INCONCLUSIVE
        if usable:
            judge.tables.alone[key] = worst.verdict if worst is not None else Verdict.HOLDS
        return worst if worst is not None and worst.verdict is not Verdict.HOLDS else None


class _One:
    """The instance as one class of releases alone sees it."""

    def __init__(self, judge: Judge, rules: Rules) -> None:
        self.context: Context = judge.context
        self.tables: Tables = judge.tables
        self.owner, self.spec, self.life, self.over = judge.owner, judge.spec, judge.life, judge.over
        self.one_life, self.told = judge.one_life, judge.told
        self.point: StatePoint | None = judge.point
        self.instead: frozenset[str] = frozenset()
        self.knowing: Knowing | None = judge.knowing.copy() if judge.knowing is not None else None
        self.belief: Belief = judge.believed(rules)

    def states(self) -> tuple[str, ...] | None:
        """The states that it may be in; None: any."""
        return None if self.belief is None else tuple(dict.fromkeys(s.name for s in self.spec.states if s.name in self.belief))

    def believed(self, rules: Rules) -> Belief:
        """The states that the class believes in."""
        return self.belief


def with_histories(context: Context, judged: Sequence[Judged]) -> list[Judged]:
    """Return judgements with a finding more for every run of a process that no release that fits has written, where none says so yet."""
    runs: dict[tuple[object, ...], list[tuple[Position, int, Alone]]] = defaultdict(list)
    for number, one in enumerate(judged):
        for said in one.alone:
            runs[said.run].append((context.position(said.found.seen), number, said))
    known: dict[int, Verdict] = {}
    for finding in (finding for one in judged for finding in one.findings):
        known[finding.process] = max(finding.verdict, known.get(finding.process, Verdict.HOLDS))
    found = list(judged)
    for entries in runs.values():
        for number, finding in _finding(context, sorted(entries, key=lambda entry: entry[:2]), judged, known):
            found[number] = found[number]._replace(findings=(*found[number].findings, finding))
    return found


def _finding(
    context: Context, entries: Sequence[tuple[Position, int, Alone]], judged: Sequence[Judged], known: Mapping[int, Verdict]
) -> Iterator[tuple[int, Found]]:
    """Yield the one finding of a run, with the instance at whose line the last release is ruled out; none where a line rules out all."""
    for verdict in (Verdict.VIOLATED, Verdict.INCONCLUSIVE):
        left, taken = entries[0][2].fitting, list[tuple[int, Alone, Releases]]()
        for _, number, said in entries:
            if said.found.verdict >= verdict and left & said.releases:
                taken.append((number, said, left & said.releases))
                left &= ~said.releases
        if left or not taken:
            continue
        if len(taken) > 1 and known.get(taken[0][1].found.process, Verdict.HOLDS) < verdict:
            number, last, _ = taken[-1]
            yield number, evolve(last.found, kind=KIND, verdict=verdict, message=_words(context, judged, taken), outcome=None, legal_in=0)
        return


def _words(context: Context, judged: Sequence[Judged], taken: Sequence[tuple[int, Alone, Releases]]) -> str:
    """Say which line rules out which releases."""
    said = []
    for number, alone, releases in taken:
        spec, seen = context.plan.specs[judged[number].owner], alone.found.seen
        step = " -> ".join(state for state in (alone.found.source, alone.found.target) if state)
        place = f"{context.files[seen.file].name}:{seen.line}"
        said.append(f"{step or alone.found.kind} ({place}) is {alone.found.kind} in {spec.family.ranges(releases)}")
    return "no release that fits allows all of it: " + ", ".join(said)
