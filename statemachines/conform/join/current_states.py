"""What a report says of subjects and machines: what is true now, and what was seen of each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, groupby

from attrs import field

from statemachines.conform.interchange.judgements import (
    CountedRows,
    InstanceJudgement,
    RowCounts,
    StepRow,
)
from statemachines.conform.interchange.variants import VariantTable
from statemachines.conform.join.doubts import find_doubts
from statemachines.conform.join.eras import SubjectInstances
from statemachines.conform.join.listed_states import GroupStates, ListedStates, Stretch
from statemachines.conform.join.log_subjects import LogSubjects, find_end_moments, fitting_releases
from statemachines.conform.join.report_sources import (
    are_compared_as_they_are,
    instance_sort_key,
    machine_log,
    named_key,
    subject_key,
    to_instant,
)
from statemachines.conform.judge.repeats import rank_reasons
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import JudgingContext, reporting_process
from statemachines.model.evidence.reports import (
    CurrentState,
    InstanceKey,
    MachineSummary,
    Place,
    Repetition,
)
from statemachines.model.evidence.verdicts import worst_verdict
from statemachines.model.values import define


@define
class TimelineCounts:
    """What was counted while the timeline went by."""

    hidden: int = 0
    missing: int = 0
    steps_seen: dict[int, set[tuple[str, str]]] = field(factory=lambda: defaultdict(set))
    """By machine, the steps that were told or proved."""

    def count_rows(self, owner: int, rows: Sequence[StepRow]) -> None:
        """Count some rows of the timeline."""
        if isinstance(rows, CountedRows):
            self.add(owner, rows.counts())
            return
        steps = {(row.source, row.target, row.how) for row in rows}
        if any(how != "told" for _, _, how in steps):
            self.hidden += sum(row.how in ("hidden", "silent") for row in rows)
            self.missing += sum(row.how == "missing" for row in rows)
        self.steps_seen[owner] |= {
            (source, target)
            for source, target, _ in steps
            if source is not None and target is not None
        }

    def of_machine(self, owner: int) -> RowCounts:
        """Return what was counted, where all rows are of one machine."""
        return RowCounts(self.hidden, self.missing, frozenset(self.steps_seen[owner]))

    def add(self, owner: int, counted: RowCounts) -> None:
        """Count what was counted elsewhere."""
        self.hidden += counted.hidden
        self.missing += counted.missing
        self.steps_seen[owner] |= counted.steps_seen


def current_states(log_subjects: LogSubjects, grouped: VariantTable) -> Sequence[CurrentState]:
    """Return what is true at the end of the log: the last generation's state, where its process did
    not end.

    Args:
        log_subjects: the subjects of the log, but for those of `grouped`.
        grouped: instances that went as others did.
    """
    states = _StatesAtTheEnd(log_subjects)
    if not grouped.by_owner:
        return tuple(filter(None, map(states.row, log_subjects.subjects)))
    parts = list[Sequence[CurrentState]]()
    for owner, subjects in groupby(log_subjects.subjects, lambda subject: subject[0]):
        if owner in grouped.by_owner:
            parts += _mixed_states(states, grouped, owner, list(subjects))
        else:
            parts.append(tuple(filter(None, map(states.row, subjects))))
    return ListedStates(parts)


def _mixed_states(
    states: _StatesAtTheEnd,
    grouped: VariantTable,
    owner: int,
    subjects: Sequence[SubjectInstances],
) -> Iterator[Sequence[CurrentState]]:
    """Yield the states of a group and of those of its machine that were judged by themselves, of
    which one at least is the first of its variant.
    """
    group, place = _group_states(states, grouped, owner), 0
    context, keys = states.log_subjects.context, group.keys
    is_plain = are_compared_as_they_are(chain(keys, (of[2][-1].key for of in subjects)))

    def sort_key(index: int) -> tuple[object, ...]:
        judgement = grouped.variants[group.variants[index]].judgement
        told_by = reporting_process(context, owner, judgement.processes[0])
        return instance_sort_key(context, (owner, told_by, group.keys[index]))

    for subject in subjects:
        last, first, end = subject[2][-1], place, len(keys)
        if is_plain:  # comparing keys takes a tenth of making what all is sorted by
            first = bisect_left(keys, last.key, lo=place)
            end = bisect_right(keys, last.key, lo=first)
        if first < end:
            told_by = reporting_process(context, owner, last.processes[0]) if last.processes else -1
            mine = instance_sort_key(context, (owner, told_by, last.key))
            end = bisect_left(range(len(keys)), mine, first, end, key=sort_key)
        yield Stretch(group, range(place, end))
        place, row = end, states.row(subject)
        yield (row,) if row is not None else ()
    yield Stretch(group, range(place, len(group)))


def _group_states(states: _StatesAtTheEnd, grouped: VariantTable, owner: int) -> GroupStates:
    """Return the states of those of a machine of which one is known."""
    group, context = grouped.by_owner[owner], states.log_subjects.context
    models = [
        states.row((owner, named_key(context, owner, variant.judgement.key), [variant.judgement]))
        if variant.judgement.owner == owner
        else None
        for variant in grouped.variants
    ]
    since_last = [model is not None and bool(model.doubt) for model in models]
    names = machine_log(context.plan, owner).instance
    if not any(since_last) and all(models[number] is not None for number in set(group.variants)):
        return GroupStates(
            names, models, group.keys, group.variants, group.points[2::4], group.points[3::4]
        )
    rows = GroupStates(names, models)
    for index, (variant, key) in enumerate(zip(group.variants, group.keys, strict=True)):
        if models[variant] is not None:
            place = 4 * index if since_last[variant] else 4 * index + 2
            rows.keys.append(key)
            rows.variants.append(variant)
            rows.times.append(group.points[place])
            rows.lines.append(group.points[place + 1])
    return rows


class _StatesAtTheEnd:
    """Says where subjects are at the end of the log, and what is in doubt of it."""

    def __init__(self, log_subjects: LogSubjects) -> None:
        self.log_subjects = log_subjects
        self._doubts, self._ends = find_doubts(log_subjects), find_end_moments(log_subjects)
        self._finals = [
            frozenset(state.name for state in spec.states if state.final)
            for spec in log_subjects.context.plan.specs
        ]

    def row(self, of: SubjectInstances) -> CurrentState | None:
        """Return the row of a subject; None where it is over, or nothing is known."""
        owner, subject, instances = of
        log_subjects, context, last = self.log_subjects, self.log_subjects.context, instances[-1]
        if (
            last.states is None
            or last.since is None
            or last.is_over
            or log_subjects.ended_since(subject, last) is not None
        ):
            return None
        final = self._finals[owner].issuperset(last.states)
        doubt = self._doubt(subject, last, final=final)
        since = last.since if doubt else last.first_since or last.since
        place = Place(context.files[since.file].name, since.line)
        process = context.processes[last.since.process].name
        program, name = machine_log(context.plan, owner).is_program, context.plan.owners[owner].name
        return CurrentState(
            name, subject, last.states, to_instant(since), final, place, process, program, doubt
        )

    def _doubt(self, subject: InstanceKey, last: InstanceJudgement, *, final: bool) -> str:
        """Say why it may be so no longer; empty where the log would tell."""
        log_subjects, doubts = self.log_subjects, self._doubts
        doubt = _doubt_message(log_subjects, last) or doubts.overtaken_message(
            log_subjects, subject, last
        )
        if doubt or final:
            return doubt
        return doubts.message(log_subjects, subject, last) or self._ends.message(subject, last)


def _doubt_message(log_subjects: LogSubjects, last: InstanceJudgement) -> str:
    """Say why a state may not be the last one; empty where the log would tell, or where nobody
    would ask.
    """
    if log_subjects.restarted_since(last) is not None:
        return "before the restart of its process"
    if last.since is None or last.since.by_step:
        return ""
    open_states = log_subjects.tables.episode_states(last.owner).open_states
    if not any(states.issuperset(last.states or ()) for states in open_states):
        return ""
    others = frozenset(
        state.name for state in log_subjects.context.plan.specs[last.owner].states
    ) - frozenset(last.states or ())
    return (
        "may have changed (no line would tell)" if log_subjects.may_have_left(last, others) else ""
    )


def counter_rows(
    context: JudgingContext, judged: Sequence[InstanceJudgement]
) -> Iterator[Repetition]:
    """Yield what lines are counted for, a row an instance and mark."""
    for j in judged:
        for counter in j.counters:
            first, last = counter.first, counter.last
            places = [Place(context.files[point.file].name, point.line) for point in (first, last)]
            yield Repetition(
                counter.counter, context.plan.owners[j.owner].name,
                subject_key(context, j.owner, j.key), context.processes[first.process].name,
                counter.total, to_instant(first), to_instant(last), None, None,
                rank_reasons(counter.reasons), False, *places,
            )  # fmt: skip


def machine_summaries(
    context: JudgingContext,
    tables: JudgingTables,
    judged: Sequence[InstanceJudgement],
    observed_counts: TimelineCounts,
    grouped: VariantTable,
) -> Iterator[MachineSummary]:
    """Yield what was seen of each machine that a line told of, by name."""
    for owner in sorted(
        {j.owner for j in judged}, key=lambda number: context.plan.owners[number].name
    ):
        mine = [j for j in judged if j.owner == owner]
        verdict = worst_verdict([finding.verdict for j in mine for finding in j.findings])
        never = tuple(
            _unused_steps(context, tables, owner, mine, observed_counts.steps_seen[owner])
        )
        name, variants = context.plan.owners[owner].name, list(grouped.variants_of(owner))
        instances = len(mine) + sum(variant.others for variant in variants)
        steps = sum(j.steps for j in mine) + sum(
            variant.others * variant.judgement.steps for variant in variants
        )
        yield MachineSummary(name, instances, steps, verdict, never)


def _unused_steps(
    context: JudgingContext,
    tables: JudgingTables,
    owner: int,
    judged: list[InstanceJudgement],
    observed: set[tuple[str, str]],
) -> Iterator[str]:
    """Yield the transitions of the newest release that fits which no step took."""
    fits = fitting_releases(context, owner, judged)
    classes = tables.fitting_classes(owner, fits)
    if classes:
        newest = max(classes, key=lambda rules: (rules.releases & fits).bit_length())
        pairs = dict.fromkeys(
            (transition.source, transition.target)
            for transition in newest.transitions
            if transition.taken
        )
        yield from (
            f"{source} -> {target}" for source, target in pairs if (source, target) not in observed
        )
