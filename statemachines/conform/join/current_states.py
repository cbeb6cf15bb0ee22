"""What a report says of subjects and machines: what is true now, and what was seen of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from attrs import field

from statemachines.conform.interchange.judgements import (
    CountedRows,
    InstanceJudgement,
    RowCounts,
    StepRow,
)
from statemachines.conform.join.doubts import find_doubts
from statemachines.conform.join.log_subjects import LogSubjects, find_end_moments, fitting_releases
from statemachines.conform.join.report_sources import machine_log, subject_key, to_instant
from statemachines.conform.judge.repeats import rank_reasons
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.evidence.reports import CurrentState, MachineSummary, Place, Repetition
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


def current_states(log_subjects: LogSubjects) -> Iterator[CurrentState]:
    """Yield what is true at the end of the log: the last generation's state, where its process did
    not end.
    """
    context, doubts = log_subjects.context, find_doubts(log_subjects)
    ends = find_end_moments(log_subjects)
    for owner, subject, instances in log_subjects.subjects:
        last = instances[-1]
        if (
            last.states is None
            or last.since is None
            or last.is_over
            or log_subjects.ended_since(subject, last) is not None
        ):
            continue
        finals = {state.name for state in context.plan.specs[owner].states if state.final}
        doubt = _doubt_message(log_subjects, last) or doubts.overtaken_message(
            log_subjects, subject, last
        )
        if not doubt and not set(last.states) <= finals:
            doubt = doubts.message(log_subjects, subject, last) or ends.message(subject, last)
        since = last.since if doubt else last.first_since or last.since
        place = Place(context.files[since.file].name, since.line)
        process = context.processes[last.since.process].name
        program, final = machine_log(context.plan, owner).is_program, set(last.states) <= finals
        name = context.plan.owners[owner].name
        yield CurrentState(
            name,
            subject,
            last.states,
            to_instant(since),
            final,
            place,
            process,
            program,
            doubt,
        )


def _doubt_message(log_subjects: LogSubjects, last: InstanceJudgement) -> str:
    """Say why a state may not be the last one; empty where the log would tell, or where nobody
    would ask.
    """
    if log_subjects.restarted_since(last) is not None:
        return "before the restart of its process"
    is_open_state = any(
        set(last.states or ()) <= states
        for states in log_subjects.tables.episode_states(last.owner).open_states
    )
    if last.since is None or last.since.by_step or not is_open_state:
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
        yield MachineSummary(
            context.plan.owners[owner].name, len(mine), sum(j.steps for j in mine), verdict, never
        )


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
