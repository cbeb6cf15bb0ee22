"""Judging the instances of a check that uses a state folder, and keeping what it came to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from attrs import define, field

from statemachines.conform.columns.column_lines import ColumnInstance, ColumnLines, FoldedLines
from statemachines.conform.engines.local import InstancePass
from statemachines.conform.engines.state.judged_facts import JudgementHead
from statemachines.conform.engines.state.kept_instances import KeptInstances, KnownInstance
from statemachines.conform.engines.state.kept_judgements import KeptJudgements
from statemachines.conform.engines.state.kept_results import KeptJudgement
from statemachines.conform.engines.state.kept_variants import (
    MOST_MEMBERS,
    OpenGroup,
    StandingInstance,
)
from statemachines.conform.engines.state.packed_values import pack_value
from statemachines.conform.interchange.judgements import InstanceJudgement, RowCounts, StepRow
from statemachines.conform.interchange.observations import Observation, Position
from statemachines.conform.interchange.variants import VariantTable
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.join.joined_variants import put_in_order
from statemachines.conform.judge.judgement_pass import (
    InstanceFold,
    JudgementPass,
    ended_with_process,
    may_go_on,
)
from statemachines.conform.judge.repeated.judged_variants import JudgedVariant, VariantLines
from statemachines.conform.judge.repeated.repeated_instances import RepeatedInstances
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import InstanceIdentity

_NO_ROWS = RowCounts(0, 0, frozenset())


@define
class KeptPasses:
    """Judges instances one after the other; `conclude` keeps what came of them."""

    instances: KeptInstances
    tables: JudgingTables
    grouped: VariantTable
    """Takes instances that went as others did."""
    keeps: bool
    """Whether all was read, so that what is judged may be kept."""
    _repeated: RepeatedInstances = field(init=False)
    _open: dict[tuple[int, int, int, bool], OpenGroup] = field(init=False, factory=dict)
    """What is kept of such instances, by machine, teller and file, and whether each has a
    judgement.
    """
    numbering: int = field(init=False)
    _written: set[str] = field(init=False, factory=set)
    _used: set[int] = field(init=False, factory=set)

    @numbering.default
    def _numbering(self) -> int:
        judgements, now = self.instances.state.judgements, self.instances.numbering
        known = [
            number for number, numbering in judgements.numberings().items() if numbering == now
        ]
        return known[0] if known else judgements.add_numbering(now)

    @_repeated.default
    def _make_repeated(self) -> RepeatedInstances:
        return RepeatedInstances(self.instances.context, self.tables, self.grouped, self)

    def judge(self, who: InstanceIdentity, observations: Iterable[Observation]) -> InstancePass:
        """Return what judges an instance.

        Args:
            who: it is.
            observations: those that its judgement does not take in yet.
        """
        if isinstance(observations, StandingInstance):
            return observations.judge(self.grouped)
        known = self.instances.known.get(who)
        if known is None:
            return self._repeated.judge(who, observations)
        self._used.add(known.head.numbering)
        return KeptPass(self, who, known, observations)

    def single_pass(self, who: InstanceIdentity, observations: Iterable[Observation]) -> KeptPass:
        """Return what judges an instance by itself that no judgement is known of."""
        return KeptPass(self, who, None, observations)

    def keep_in_group(
        self, who: InstanceIdentity, judged: JudgedVariant, lines: VariantLines, *, are_apart: bool
    ) -> bool:
        """Keep an instance that went as another one did, with its judgement where each of its group
        has one; False where it is to be judged by itself,
        for its last lines may be read otherwise when more are there, or are quoted.
        """
        instances, (owner, teller, _) = self.instances, who
        is_quoted = owner in instances.context.plan.system_part_owners
        is_in_tail = lines.lines[-1] > instances.files[lines.file].reading.settled.lines
        if is_quoted or (is_in_tail and not instances.is_finished(lines.file)):
            return False
        if self.keeps:
            of = owner, teller, lines.file, are_apart
            group = self._open.get(of)
            if group is None:
                has_rows = instances.keeps_rows(owner)
                group = self._open[of] = OpenGroup(has_rows, are_apart)
            group.add(who, judged, lines)
            group.is_in_tail |= is_in_tail
            if len(group.keys) >= MOST_MEMBERS:
                self._keep_group(of)
        return True

    def _keep_group(self, of: tuple[int, int, int, bool]) -> None:
        """Write the instances of a group that are there so far."""
        instances, group, (owner, teller, file, _) = self.instances, self._open.pop(of), of
        process = instances.context.process_by_unit[file, None]
        head = JudgementHead(
            owner,
            instances.teller_identity(teller),
            (),
            self.numbering,
            group.last,
            (instances.numbering.processes[process],),
            ((content := instances.numbering.files[file], None),),
            ((content, instances.files[file].reading.size),) if group.is_in_tail else (),
            quotes_names=False,
            may_go_on=False,
            has_rows=group.has_rows,
        )
        instances.state.judgements.put_group(head, group.variants(), group.members())

    def add_standing(self, counts: TimelineCounts) -> None:
        """Add those of earlier checks of which no rows are asked for, as the columns that they are
        kept in.

        Args:
            counts: takes what is counted of their rows.
        """
        columns = self.instances.groups_as_columns()
        for group in columns:
            group.add_all_to(self.grouped, counts, self.instances.context)
        if columns:
            put_in_order(self.instances.context, self.grouped)

    def note_written(self, name: str) -> None:
        """Note that a judgement was written."""
        self._written.add(name)

    def conclude(self) -> None:
        """Keep what all judgements rest on; forget those that do not hold any more."""
        if self.keeps:
            state = self.instances.state.judgements
            state.forget(self.instances.outdated - self._written)
            state.forget_groups(self.instances.outdated_groups)
            for group in self.instances.grouped:
                self._used.add(group.head.numbering)
                if group.is_changed:
                    state.put_group(group.head, *group.as_kept(), group.number)
            for of in list(self._open):
                self._keep_group(of)
            state.conclude(
                self.instances.facts,
                self.numbering,
                self.instances.judged_contents(),
                self._used,
            )


@define
class KeptPass:
    """Iterates over the rows of one instance; afterwards `judgement` is its judgement."""

    passes: KeptPasses
    who: InstanceIdentity
    known: KnownInstance | None
    observations: Iterable[Observation]
    judgement: InstanceJudgement = field(init=False)
    is_over: bool = field(init=False)
    """Whether a line told the end of the instance."""
    counted_before: RowCounts | None = field(init=False, default=None)
    """What was counted of rows that are not there any more."""
    _tails: dict[int, int] = field(init=False, factory=dict)
    _last: Position | None = field(init=False, default=None)

    def runs(self) -> Iterator[Sequence[StepRow]]:
        """Yield the rows of the instance as they come, those of earlier checks first where rows are
        asked for.
        """
        if self.known is not None and not _are_any(self.observations):
            judgement = self._judgements.judgement(self.known.name)
            if judgement is not None:
                yield from self._standing(self.known, self.known.renumbering.moved(judgement))
                return
        if self._may_go_on():
            yield from self._gone_on()
        else:
            yield from self._judged_as_a_whole()

    def _standing(
        self, known: KnownInstance, judgement: KeptJudgement
    ) -> Iterator[Sequence[StepRow]]:
        """Give the judgement of an earlier check."""
        context, judged = self.passes.instances.context, judgement.judgement
        ended = judgement.process >= 0 and judged.last_heard is not None and ended_with_process(
            context, self.who[0], judgement.process, judged.last_heard
        )  # fmt: skip
        self.judgement = judged._replace(is_over=judged.is_over or ended)
        self.is_over = judged.is_over
        yield from self._rows_before(known, _joined(judgement.counts, judgement.last_counts))
        if self._has_rows:
            yield judgement.last_rows

    def _rows_before(self, known: KnownInstance, counts: RowCounts) -> Iterator[Sequence[StepRow]]:
        """Give the rows before the fold, or what was counted of them."""
        if not self._has_rows:
            self.counted_before = counts
            return
        for numbering, rows in self._judgements.rows(known.name):
            yield self.passes.instances.moved(numbering, rows)

    def _may_go_on(self) -> bool:
        """Say whether judging can stop somewhere and go on when more is there."""
        instances = self.passes.instances
        units = instances.units_of(self.known, self.observations)
        return may_go_on(instances.context, self.who[0], {file for file, _ in units})

    def _gone_on(self) -> Iterator[Sequence[StepRow]]:
        """Judge what can be read in no other way any more, keep what that came to, and judge the
        rest.
        """
        before, fold = _NO_ROWS, None
        if self.known is not None:
            kept_fold, before = self._judgements.fold(self.known.name)
            fold = self.known.renumbering.moved(kept_fold)
            self._tails.update(self.known.head.tails)
            yield from self._rows_before(self.known, before)
        elif self.passes.keeps:
            self._judgements.forget_rows(self._name)
        judging, counts = self._new_pass((), fold), TimelineCounts()
        rest = list[Observation]()
        for run in self._settled_runs(judging, rest):
            counts.count_rows(self.who[0], run)
            self._keep_rows(run)
            yield run
        goes_on = all(map(self.passes.instances.is_open, rest))
        counted = _joined(before, counts.of_machine(self.who[0]))
        packed = pack_value((judging.fold(), counted)) if self.passes.keeps and goes_on else None
        last, rows, counts = self._last, list[StepRow](), TimelineCounts()
        lines = iter(rest) if goes_on else self._noted(rest)
        for run in chain(judging.runs_before_more(lines), judging.runs()):
            counts.count_rows(self.who[0], run)
            rows += run if self._has_rows else ()
            yield run
        self.judgement, self.is_over = judging.judgement, judging.is_over
        if self.passes.keeps and (last is not None or not goes_on):
            self._last = last if goes_on else self._last
            judgement = self._kept_judgement(judging, counted, counts, rows)
            self._put(None if goes_on and rest else judgement, packed)

    def _settled_runs(
        self, judging: JudgementPass, rest: list[Observation]
    ) -> Iterator[Sequence[StepRow]]:
        """Judge lines until one may be read otherwise when more is there; that one and those behind
        it are in the rest then.
        """
        observations = self.observations
        if isinstance(observations, ColumnInstance) and observations.is_of_one_log:
            pieces = self._noted_pieces(self._settled_pieces(observations.pieces(), rest))
            yield from judging.runs_of_columns_before_more(pieces)
            return
        lines = iter(observations)
        yield from judging.runs_before_more(self._noted(self._settled(lines, rest)))
        rest += lines

    def _settled_pieces(
        self, pieces: Iterator[ColumnLines | FoldedLines], rest: list[Observation]
    ) -> Iterator[ColumnLines | FoldedLines]:
        """Yield lines that are columns likewise, and put all others into the rest."""
        for piece in pieces:
            count = self.passes.instances.count_settled(piece)
            if count == len(piece):
                yield piece
                continue
            if count:
                yield piece.part(0, count)
            rest += piece.part(count, len(piece))
            break
        rest += chain.from_iterable(pieces)

    def _settled(
        self, lines: Iterator[Observation], rest: list[Observation]
    ) -> Iterator[Observation]:
        """Yield lines until one may be read otherwise when more is there; that one is in the rest
        then.
        """
        for observation in lines:
            if self.passes.instances.is_open(observation):
                rest.append(observation)
                return
            yield observation

    def _judged_as_a_whole(self) -> Iterator[Sequence[StepRow]]:
        """Judge all lines, and keep no more than what came of them."""
        judging, counts = self._new_pass(self._all_noted()), TimelineCounts()
        rows = list[StepRow]()
        for run in judging.runs():
            counts.count_rows(self.who[0], run)
            rows += run if self._has_rows else ()
            yield run
        self.judgement, self.is_over = judging.judgement, judging.is_over
        if self.passes.keeps:
            self._judgements.forget_rows(self._name)
            self._put(self._kept_judgement(judging, _NO_ROWS, counts, rows), None)

    # ----------------------------------------------------------------------------------------------
    # what is kept

    @property
    def _judgements(self) -> KeptJudgements:
        return self.passes.instances.state.judgements

    @property
    def _has_rows(self) -> bool:
        return self.passes.instances.keeps_rows(self.who[0])

    @property
    def _name(self) -> str:
        """What the instance is called in the folder."""
        owner, teller, key = self.who
        return repr((owner, self.passes.instances.teller_identity(teller), key))

    def _new_pass(
        self, observations: Iterable[Observation], fold: InstanceFold | None = None
    ) -> JudgementPass:
        context, (owner, _, key) = self.passes.instances.context, self.who
        return JudgementPass(context, self.passes.tables, owner, key, observations, fold)

    def _noted(self, observations: Iterable[Observation]) -> Iterator[Observation]:
        """Yield observations, and note what a judgement of them is of."""
        instances, last = self.passes.instances, None
        for last in observations:
            if instances.is_end(last):
                of = instances.files[last.file]
                self._tails[of.content] = of.reading.size
            yield last
        if last is not None:
            self._last = instances.context.position(last)

    def _all_noted(self) -> Iterable[Observation]:
        """Return all observations, and note the same of them; columns stay what they are."""
        observations = self.observations
        if not (isinstance(observations, ColumnInstance) and observations.is_of_one_log):
            return self._noted(observations)
        for _ in self._noted_pieces(observations.pieces()):
            continue
        return observations

    def _noted_pieces(
        self, pieces: Iterator[ColumnLines | FoldedLines]
    ) -> Iterator[ColumnLines | FoldedLines]:
        """Yield lines that are columns, and note the same of them."""
        instances, last = self.passes.instances, None
        for last in pieces:
            if instances.is_end_line(last.file, last.last_line):
                of = instances.files[last.file]
                self._tails[of.content] = of.reading.size
            yield last
        if last is not None:
            self._last = instances.context.position(last[-1])

    def _keep_rows(self, run: Sequence[StepRow]) -> None:
        if self.passes.keeps and self._has_rows:
            self._judgements.add_rows(self._name, self.passes.numbering, run)

    def _kept_judgement(
        self,
        judging: JudgementPass,
        before: RowCounts,
        counts: TimelineCounts,
        rows: Sequence[StepRow],
    ) -> KeptJudgement:
        judged = self.judgement._replace(is_over=judging.is_over)
        last = counts.of_machine(self.who[0])
        return KeptJudgement(judged, judging.last_process, before, last, tuple(rows))

    def _put(self, judged: KeptJudgement | None, fold: bytes | None) -> None:
        instances, (owner, teller, key) = self.passes.instances, self.who
        units = instances.units_of(self.known, self.observations)
        judgement = self.judgement
        head = JudgementHead(
            owner,
            instances.teller_identity(teller),
            key,
            self.passes.numbering,
            self._last,
            tuple(instances.numbering.processes[process] for process in judgement.processes),
            tuple((instances.numbering.files[file], unit) for file, unit in units),
            tuple(self._tails.items()),
            quotes_names=bool(judgement.findings or judgement.single_release_findings),
            may_go_on=fold is not None,
            has_rows=self._has_rows,
        )
        self._judgements.put(self._name, head, judged, fold)
        self.passes.note_written(self._name)


def _are_any(observations: Iterable[Observation]) -> bool:
    """Say whether there are observations; of columns some always are."""
    is_column = isinstance(observations, ColumnInstance)
    return is_column or next(iter(observations), None) is not None


def _joined(left: RowCounts, right: RowCounts) -> RowCounts:
    return RowCounts(
        left.hidden + right.hidden,
        left.missing + right.missing,
        left.steps_seen | right.steps_seen,
    )
