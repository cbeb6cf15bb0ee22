"""Judging again what new lines are about, and only that."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterable, Sequence

from attrs import Factory, define, field, frozen

from statemachines.conform.engines.follow.continued_contexts import (
    exhaust,
    is_continued,
    is_later,
    is_same,
    may_continue,
    stands_what_was_let_go,
)
from statemachines.conform.engines.follow.followed_log import FollowedLog
from statemachines.conform.engines.follow.followed_observations import (
    FollowedObservations,
    RenumberedObservations,
    Teller,
)
from statemachines.conform.engines.follow.generations.superseded_instances import (
    SupersededInstances,
)
from statemachines.conform.engines.follow.idle_instances import (
    ChangeSources,
    SilentInstances,
    span_ms,
)
from statemachines.conform.engines.follow.quiet_instances import QuietInstances
from statemachines.conform.engines.follow.settled_past import (
    later_points,
    settled_moment,
    shortest_memory_ms,
    without_past,
)
from statemachines.conform.engines.growing.content_readings import ContentReading
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.join.report_assembly import ReportAssembly
from statemachines.conform.join.report_sources import instance_sort_key
from statemachines.conform.judge.judgement_pass import InstanceFold, JudgementPass
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    instance_identity,
    order_observations,
    reporting_process,
    settle_context,
)
from statemachines.model.evidence.reports import Report


@frozen
class _LiveFold:
    """What judging an instance came to."""

    packed: bytes
    """An `InstanceFold`: a pass that goes on changes its own copy."""
    last: Position
    """Where the last line stands that it takes in."""


@define
class LiveJudging:
    """The judgements of instances, as of the lines that came so far; of what ended or has long been
    silent, and of which no change is told, there is none. It is judged again where a line tells of
    it, or something that was learnt of its process may change what was found of it.

    Complexity: memory for the instances that lines tell of, and for those with whom something was
    wrong that is not settled yet.
    """

    plan: CheckPlan
    observations: FollowedObservations
    settled_before: int | None = None
    """What was over before this moment (ms) is let go; None: nothing is."""
    tables: JudgingTables = field(init=False)
    _quiet: QuietInstances = field(init=False)
    _sources: ChangeSources = field(init=False)
    _silent: SilentInstances = Factory(SilentInstances)
    _superseded: SupersededInstances = field(init=False)
    _memory_ms: int = field(init=False)
    _context: JudgingContext | None = None
    _judged: dict[InstanceIdentity, InstanceJudgement] = Factory(dict)
    _folds: dict[InstanceIdentity, _LiveFold] = Factory(dict)
    _tellers: dict[InstanceIdentity, dict[Teller, None]] = Factory(lambda: defaultdict(dict))
    """Who tells of an instance; of those of `_partly_known` the latest alone, the others are found
    by machine and key.
    """
    _partly_known: set[InstanceIdentity] = Factory(set)
    _profiles: dict[int, tuple[ContentReading, Profile]] = Factory(dict)
    """By the number of a log: what was read of it, and what that shows."""

    def __attrs_post_init__(self) -> None:
        self.tables, self._memory_ms = JudgingTables(self.plan), shortest_memory_ms(self.plan)
        self._quiet, self._sources = QuietInstances(self.tables), ChangeSources(self.plan)
        self._superseded = SupersededInstances(self.plan)

    def report(self, logs: Sequence[FollowedLog]) -> Report:
        """Return what is known now, without timeline, steps that were counted, rules of systems,
        and instances that ended and of which there is nothing to say.

        Args:
            logs: all that are followed, in the order in which a check has them as files.

        Complexity: judges the instances that new lines are about from where they were, and from
        their beginning those whose history others tell too, and all of a process of which something
        new was learnt, such as its release.
        """
        profiles = [self._profile(log, number) for number, log in enumerate(logs)]
        context = settle_context(self.plan, tuple(log.as_file() for log in logs), profiles)
        self._forget_outdated(context)
        self._context = context
        numbers = {log.number: number for number, log in enumerate(logs)}
        rows = RenumberedObservations(self.observations, numbers)
        self._judge_new(context, rows)
        if self._superseded.is_undone(context, self._judged.values()):
            self.observations.touch_all()
            self._judge_new(context, rows)
        judged = [
            self._superseded.whole(context, who, self._judged[who])
            for who in sorted(self._judged, key=lambda who: instance_sort_key(context, who))
        ]
        judged += self._superseded.spans()
        facts = [log.reading.facts for log in logs]
        assembly = ReportAssembly(context, self.tables, profiles, facts)
        return assembly.report(judged, TimelineCounts(), ())

    def _judge_new(self, context: JudgingContext, rows: RenumberedObservations) -> None:
        """Judge the instances of which something else is known than before."""
        for touched in self.observations.take_touched():
            affected = self._affected(context, rows, touched)
            for who in affected:
                self._judge(context, who, rows)
            self._let_go(context, affected)
        for who in [who for who in self._tellers if self._judgement(who) is None]:
            self._judge(context, who, rows)

    def _profile(self, log: FollowedLog, number: int) -> Profile:
        """Return what a log shows as the file of a check with a number; joined once for what was
        read.
        """
        if log.number != number:
            return log.reading.of_file(number).profile
        known = self._profiles.get(number)
        if known is None or known[0] is not log.reading:
            known = self._profiles[number] = log.reading, log.reading.profile
        return known[1]

    def settle_past(self, report: Report) -> bool:
        """Let go of what is over for long, where that is much; say whether it was.

        Args:
            report: the latest: when the logs end.

        Complexity: that of a report; it is done again when as much is over once more.
        """
        ends = [source.last.ms for source in report.sources if source.last and source.last.ms]
        known = *self._judged.values(), *self._superseded.pasts
        moment = settled_moment(known, max(ends, default=0), self._memory_ms)
        if moment is None or self._context is None:
            return False
        self.settled_before = max(moment, self.settled_before or moment)
        self._superseded.settle_past(self.settled_before)
        for who, judged in self._judged.items():
            self._judged[who] = self._still_known(judged)
            if self._judged[who] is not judged and who in self._folds:
                fold = pickle.loads(self._folds[who].packed)
                self._folds[who] = self._folded(fold, self._folds[who].last)
        self._let_go(self._context, list(self._tellers))
        return True

    def _still_known(self, judged: InstanceJudgement) -> InstanceJudgement:
        before = self.settled_before
        return judged if before is None else without_past(judged, before)

    def _folded(self, fold: InstanceFold, last: Position) -> _LiveFold:
        if self.settled_before is not None:
            points = fold.episodes.points
            points[:] = later_points(points, self.settled_before)
        return _LiveFold(pickle.dumps(fold, 5), last)

    def _judgement(self, who: InstanceIdentity) -> InstanceJudgement | None:
        return self._judged.get(who) or self._quiet.judgement(who)

    def _let_go(self, context: JudgingContext, affected: Iterable[InstanceIdentity]) -> None:
        """Forget the judgements of what ended, and of what has been silent for long, where nothing
        of it is told as a change.
        """
        abroad = {observation.owner for observation in context.abroad}
        for who in affected:
            if who[0] not in abroad:
                span = self._quiet.span_ms(who) or span_ms(self._judged.get(who))
                self._silent.take(who, *span)
        silent = dict.fromkeys(self._silent.take_silent())
        for who in {**dict.fromkeys(affected), **silent}:
            judged = self._judgement(who)
            if judged is None or who[0] in abroad:
                continue
            if who in silent or self._sources.is_at_its_end(judged):
                is_open = any(map(self.observations.is_at_an_end, self._tellers[who]))
                if not is_open and self._may_go(context, who, judged):
                    self._forget(who)
                    continue
            if who in silent:
                self._silent.wait(who)

    def _may_go(
        self, context: JudgingContext, who: InstanceIdentity, judged: InstanceJudgement
    ) -> bool:
        if not self._superseded.has_generations(who[0]):
            return not self._sources.is_source(judged)
        if who not in self._judged or self._sources.is_more(judged):
            return False
        return self._superseded.let_go(context, who, self._judged)

    def _forget(self, who: InstanceIdentity) -> None:
        del self._tellers[who]
        self._partly_known.discard(who)
        self._judged.pop(who, None)
        self._folds.pop(who, None)
        self._quiet.forget(who)
        self._silent.forget(who)

    def _affected(
        self, context: JudgingContext, rows: RenumberedObservations, touched: Iterable[Teller]
    ) -> Iterable[InstanceIdentity]:
        """Return the instances of which something new was told, and note who tells of them."""
        affected: dict[InstanceIdentity, None] = {}
        for teller in touched:
            owner, key, file, unit = teller
            if None not in key and self.observations.is_known(teller):
                process = context.process_by_unit[rows.numbers[file], unit]
                who = owner, reporting_process(context, owner, process), key
                affected |= self._hold(context, rows, who)
                self._tellers[who][teller] = affected[who] = None
                continue
            if None in key:
                self._superseded.leave_out(owner)
            for observation in rows.of_teller(teller):
                whole = context.with_generation(observation)
                if whole is not None:
                    who = instance_identity(context, whole)
                    affected |= self._hold(context, rows, who)
                    self._tellers[who][teller] = None
                    affected[who] = None
            # those of whom the end of a log, read again, says nothing any more
            affected |= {who: None for who, tellers in self._tellers.items() if teller in tellers}
        return affected

    def _hold(
        self, context: JudgingContext, rows: RenumberedObservations, who: InstanceIdentity
    ) -> dict[InstanceIdentity, None]:
        """Hold an instance that is new, or was let go; return all of its subject where a later
        generation of that was let go.

        Complexity: in that case all who tell of anything are looked at.
        """
        if who in self._tellers:
            return {}
        self._tellers[who].update(dict.fromkeys(rows.tellers_of(context, who)))
        if not self._superseded.has_generations(who[0]):
            return {}
        subject = self._superseded.take(context, who)
        others = dict[InstanceIdentity, None]()
        for other in rows.instances(context, who[0]) if subject is not None else ():
            if subject is not None and self._superseded.is_of(context, other, subject):
                others |= {other: None, **self._hold(context, rows, other)}
        return others

    def _judge(
        self, context: JudgingContext, who: InstanceIdentity, rows: RenumberedObservations
    ) -> None:
        """Judge an instance: from where it was, if all that is new stands behind that."""
        tellers, before = self._tellers[who], self._folds.pop(who, None)
        fresh = [observation for teller in tellers for observation in rows.take_fresh(teller)]
        ends = [observation for teller in tellers for observation in rows.ends(teller)]
        if self._went_as_others(context, who, rows, fresh, ends):
            return
        if before is None or not self._goes_on(context, who, before, rows, [*fresh, *ends]):
            before, tellers = None, self._all_tellers(context, who, rows)
            if not may_continue(context, who, tellers, rows):
                self._judge_as_a_whole(context, who, rows)
                return
            fresh = [observation for teller in tellers for observation in rows.settled(teller)]
        fold = pickle.loads(before.packed) if before is not None else None
        judging = self._new_pass(context, who, (), fold)
        ordered = order_observations(context, fresh)
        exhaust(judging.runs_before_more(ordered))
        last = before.last if before is not None else None
        last = context.position(ordered[-1]) if ordered else last
        if last is not None and is_later(context, last, ends):
            self._folds[who] = self._folded(judging.fold(), last)
            self._know_latest_tellers(who)
        elif ends and last is not None:  # lines of several units of one file
            self._judge_as_a_whole(context, who, rows)
            return
        exhaust(judging.runs_before_more(order_observations(context, ends)))
        self._judged[who] = self._finished(judging)

    def _judge_as_a_whole(
        self, context: JudgingContext, who: InstanceIdentity, rows: RenumberedObservations
    ) -> None:
        observations = rows.of_instance(context, who, self._all_tellers(context, who, rows))
        self._judged[who] = self._finished(self._new_pass(context, who, observations))

    def _goes_on(
        self,
        context: JudgingContext,
        who: InstanceIdentity,
        before: _LiveFold,
        rows: RenumberedObservations,
        new: list[Observation],
    ) -> bool:
        """Say whether all that is new of an instance stands behind what was judged of it."""
        may_be = may_continue(context, who, self._tellers[who], rows)
        return may_be and is_later(context, before.last, new)

    def _all_tellers(
        self, context: JudgingContext, who: InstanceIdentity, rows: RenumberedObservations
    ) -> dict[Teller, None]:
        """Return all who tell of an instance, and know them."""
        if who in self._partly_known:
            self._partly_known.discard(who)
            others = dict.fromkeys(rows.tellers_of(context, who))
            self._tellers[who] = {**others, **self._tellers[who]}
        return self._tellers[who]

    def _know_latest_tellers(self, who: InstanceIdentity) -> None:
        """Forget who told of an instance in logs that are settled, but for the last: there is one
        more after each rotation.
        """
        tellers = self._tellers[who]
        settled = [of for of in tellers if not self.observations.is_at_an_end(of)]
        for teller in settled[:-1]:
            del tellers[teller]
            self._partly_known.add(who)

    def _went_as_others(
        self,
        context: JudgingContext,
        who: InstanceIdentity,
        rows: RenumberedObservations,
        fresh: list[Observation],
        ends: list[Observation],
    ) -> bool:
        """Say whether nothing has to be judged of an instance; where another one went its way
        before, what comes of that is learnt.
        """
        tellers, quiet = self._tellers[who], self._quiet
        self._judged.pop(who, None)
        if len(tellers) != 1 or who in self._partly_known:
            quiet.forget(who)
            return False
        if not quiet.knows_lines(who):
            fresh = [observation for teller in tellers for observation in rows.settled(teller)]
        variant = quiet.take(who, fresh, ends)
        if variant is not None and quiet.repeated.is_worth_learning(variant):
            judging = quiet.repeated.judge(who, rows.of_instance(context, who, tellers))
            exhaust(judging.runs())
            assert judging.judgement is not None  # there is no group that it would be of
            self._judged[who] = self._still_known(judging.judgement)
        return self._judgement(who) is not None

    def _new_pass(
        self,
        context: JudgingContext,
        who: InstanceIdentity,
        observations: Iterable[Observation],
        fold: InstanceFold | None = None,
    ) -> JudgementPass:
        return JudgementPass(context, self.tables, who[0], who[2], observations, fold)

    def _finished(self, judging: JudgementPass) -> InstanceJudgement:
        exhaust(judging.runs())
        return self._still_known(judging.judgement)

    def _forget_outdated(self, context: JudgingContext) -> None:
        """Forget judgements that rest on what is known otherwise by now."""
        before = self._context
        if before is not None and not stands_what_was_let_go(before, context):
            self._superseded.forget_past()
            self.observations.touch_all()
        if before is None or not is_continued(before, context):
            if not self._superseded.is_empty:
                self.observations.touch_all()
            self._superseded.clear()
            self.observations.touched |= {
                teller: None for tellers in self._tellers.values() for teller in tellers
            }
            self._judged.clear()
            self._folds.clear()
            self._tellers.clear()
            self._partly_known.clear()
            self._silent.clear()
            self._quiet.begin(context)
            self.tables.forget_shown_lines()
            return
        changed = {
            number
            for number, (old, new) in enumerate(
                zip(before.processes, context.processes, strict=False)
            )
            if not is_same(old, new)
        }
        self._quiet.go_on(context, changed)
        for who in [
            who
            for who, judged in self._judged.items()
            if changed and (who[1] in changed or changed.intersection(judged.processes))
        ]:
            del self._judged[who]
            self._folds.pop(who, None)
        if changed:
            self.tables.forget_shown_lines()
