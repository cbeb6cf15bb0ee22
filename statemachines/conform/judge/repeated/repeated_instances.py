"""Instances whose lines say what those of another one said, line for line: what came of that one
comes of each of them, at its own places. So of a million short lives that went alike one is judged.

`JudgementPass` judges any instance by itself, and is the reference.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from operator import le
from typing import Protocol, cast

from statemachines.conform.columns.column_lines import ColumnInstance
from statemachines.conform.columns.stored_columns import NO_WORDS
from statemachines.conform.engines.spilled_observations import StoredInstance
from statemachines.conform.interchange.judgements import (
    InstanceJudgement,
    RowCounts,
    StepRow,
)
from statemachines.conform.interchange.observations import (
    LineWords,
    Observation,
    Position,
    words_of,
)
from statemachines.conform.interchange.variants import (
    MemberKey,
    VariantTable,
    may_be_told_together,
)
from statemachines.conform.judge.checks.state_check import RESTART_MS
from statemachines.conform.judge.judgement_pass import JudgementPass
from statemachines.conform.judge.repeated.judged_variants import (
    JudgedVariant,
    VariantLines,
    VariantRows,
    earlier_line,
)
from statemachines.conform.judge.repeated.learnt_variants import (
    LearningPass,
    SinglePass,
    VariantKey,
)
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import InstanceIdentity, JudgingContext

_MOST_LINES = 64
"""Of an instance that is looked at here: longer ones hardly ever go alike."""
_MOST_KNOWN = 10_000
"""Variants that are remembered."""
_MOST_ONCE = 10 * _MOST_KNOWN
"""Variants that are known again when they are met for the second time."""


class InstanceKeeper(Protocol):
    """Keeps what is judged for other checks."""

    def single_pass(self, who: InstanceIdentity, observations: Iterable[Observation]) -> SinglePass:
        """Return what judges an instance by itself, and keeps what came of it."""

    def keep_in_group(
        self, who: InstanceIdentity, judged: JudgedVariant, lines: VariantLines, *, are_apart: bool
    ) -> bool:
        """Keep an instance that went as another one did, with its judgement where each of its group
        has one; False where it is to be judged by itself.
        """


class RepeatedInstances:
    """Judges instances, each once for all that went alike.

    Complexity: reading the lines of an instance, and a look-up; memory for `_MOST_KNOWN` judgements
    of at most `_MOST_LINES` lines.
    """

    def __init__(
        self,
        context: JudgingContext,
        tables: JudgingTables,
        grouped: VariantTable | None = None,
        keeper: InstanceKeeper | None = None,
    ) -> None:
        """Prepare to judge instances.

        Args:
            context: what all files say together.
            tables: what judging looks up.
            grouped: takes those of which nothing is told but where they are, and which have no
                judgements then; None: each has one.
            keeper: keeps what is judged, and judges each by itself that is not of a group; None:
                nothing is kept.
        """
        self._context, self._tables, self._grouped = context, tables, grouped
        self._keeper = keeper
        self._known = dict[VariantKey, JudgedVariant | None]()
        self._once = set[VariantKey]()
        """Variants of which one instance was seen; the next one tells what comes of them."""
        self._words = dict[LineWords, int]()
        """Numbers of what lines say that are no columns, where those are not: below zero."""
        self._may_repeat = dict[tuple[int, int], bool]()
        """By machine and file."""
        self._may_be_together = dict[tuple[int, int], bool]()
        """By machine and process."""
        self._may_have_copies = bool(context.doubled) or context.may_have_copies

    @property
    def is_full(self) -> bool:
        """Whether no more variants are learnt."""
        sizes = len(self._words), len(self._once), _MOST_ONCE // _MOST_KNOWN * len(self._known)
        return max(sizes) >= _MOST_ONCE

    def go_on(self, context: JudgingContext, changed: Container[int]) -> None:
        """Go on with what is known now, where files and processes have the numbers that they had.

        Args:
            context: what all files say together.
            changed: processes of which something else is known.
        """
        processes = context.process_by_unit
        self._context = context
        self._may_have_copies = bool(context.doubled) or context.may_have_copies
        self._may_repeat.clear()
        self._may_be_together.clear()
        if changed:
            self._once = {
                variant for variant in self._once if processes[variant[1], None] not in changed
            }
            self._known = {
                variant: judged
                for variant, judged in self._known.items()
                if processes[variant[1], None] not in changed
            }

    def know_files(self, files: Container[int]) -> None:
        """Forget the variants of instances in other files.

        Args:
            files: numbers of those in which instances go on.
        """
        self._once = {variant for variant in self._once if variant[1] in files}
        self._known = {
            variant: judged for variant, judged in self._known.items() if variant[1] in files
        }

    def judge(
        self, who: InstanceIdentity, observations: Iterable[Observation]
    ) -> SinglePass | RepeatedPass | LearningPass:
        """Return what judges an instance, or has judged another that went alike.

        Args:
            who: the instance.
            observations: all of it, in their order.
        """
        if isinstance(observations, StoredInstance):
            observations = observations.few() or observations
        lines = self._lines(who[0], observations)
        variant = None if lines is None else self.variant_of(who[0], lines)
        known = None if variant is None else self._known.get(variant)
        if lines is not None and known is not None:
            repeated = self._repeated(known, who, lines)
            if repeated is not None:
                return repeated
        judging = self._single_pass(who, observations)
        if lines is None or variant is None or not self.is_worth_learning(variant):
            return judging
        return LearningPass(judging, who, lines, variant, self._known)

    def judged_of(self, variant: VariantKey) -> JudgedVariant | None:
        """Return what came of instances of a variant; None where nobody knows, or where more than
        what their lines say counts.
        """
        return self._known.get(variant)

    def _single_pass(
        self, who: InstanceIdentity, observations: Iterable[Observation]
    ) -> SinglePass:
        """Return what judges an instance by itself."""
        if self._keeper is not None:
            return self._keeper.single_pass(who, observations)
        return JudgementPass(self._context, self._tables, who[0], who[2], observations)

    def is_worth_learning(self, variant: VariantKey) -> bool:
        """Say whether another instance went the same way before, of which nothing is known yet."""
        if variant in self._known or len(self._known) >= _MOST_KNOWN:
            return False
        if variant in self._once:
            return True
        if len(self._once) < _MOST_ONCE:
            self._once.add(variant)
        return False

    def _repeated(
        self, known: JudgedVariant, who: InstanceIdentity, lines: VariantLines
    ) -> RepeatedPass | None:
        """Return what has judged an instance of a known variant; None where it is judged by
        itself, so that it is kept.
        """
        grouped, keeper = self._grouped, self._keeper
        if None in who[2] or grouped is None or not self.may_be_in_group(known.judgement):
            is_kept = keeper is None or (
                None not in who[2] and keeper.keep_in_group(who, known, lines, are_apart=True)
            )
            return RepeatedPass(known.judgement_of(who, lines), known, lines) if is_kept else None
        if keeper is not None and not keeper.keep_in_group(who, known, lines, are_apart=False):
            return None
        known.variant = known.variant or grouped.new_variant(known.judgement)
        grouped.add(known.variant, cast("MemberKey", who[2]), known.points_of(lines))
        known.variant.first_line = earlier_line(known.variant.first_line, lines)
        return RepeatedPass(None, known, lines)

    def may_be_in_group(self, judgement: InstanceJudgement) -> bool:
        """Say whether where an instance is, is all that is told of it; what a process says of its
        programs when it begins is told of their parts, too.
        """
        plan = self._context.plan
        if self._may_have_copies or not judgement.processes:
            return False
        had_episode = any(point.holds for point in judgement.episode_points)
        if had_episode or judgement.remembered or not judgement.observations:
            return False
        where = judgement.owner, judgement.processes[0]
        may_be = self._may_be_together.get(where)
        if may_be is None:
            begins = self._context.processes[where[1]].possible_starts
            programs = any(owner.log and owner.log.is_program for owner in plan.owners)
            may_be = may_be_told_together(plan, where[0]) and not (begins and programs)
            self._may_be_together[where] = may_be
        return may_be

    def _lines(self, owner: int, observations: Iterable[Observation]) -> VariantLines | None:
        """Return the lines of an instance; None where it is judged by more than what they say, or
        not all of them stand in one file.
        """
        if isinstance(observations, list):
            lines = self.lines_with(owner, self.no_lines, observations)
            return None if lines is None else lines._replace(text=partial(_text, observations))
        if self._may_have_copies or not isinstance(observations, ColumnInstance):
            return None
        lines = self._column_lines(observations)
        if lines is None or not _is_sorted(lines.at):
            return None
        return lines if self._is_judged_by_lines(owner, lines.file) else None

    def _column_lines(self, instance: ColumnInstance) -> VariantLines | None:
        if instance.other_units or len(instance.sources) != 1:
            return None
        ((file, code),), stored = instance.sources, instance.stored
        columns = stored.few_rows(code, _MOST_LINES)
        if columns is None:
            return None
        lines, at, reached, places, sizes, words = columns
        if NO_WORDS in words:
            return None
        return VariantLines(
            self._context, file, lines, at, reached, words,
            lambda index: stored.text(places[index], sizes[index]),
        )  # fmt: skip

    @property
    def no_lines(self) -> VariantLines:
        """What was said of an instance before the first of its lines."""
        return VariantLines(self._context, -1, (), (), (), (), str)

    def lines_with(
        self, owner: int, before: VariantLines, more: Sequence[Observation]
    ) -> VariantLines | None:
        """Return lines with more behind them, without their texts; None where more counts than
        words, keys and times.

        Args:
            owner: the machine.
            before: lines of an instance that are known.
            more: those of it that come behind them, in their order.

        Complexity: that of all its lines.
        """
        if not more:
            return before
        if len(more) == 1:
            return self._with_one_line(owner, before, more[0])
        count = len(before.at) + len(more)
        if self._may_have_copies or count > _MOST_LINES or len(self._words) >= _MOST_ONCE:
            return None
        _, _, readings, files, unit, lines, reached, at, zone, _, *others = zip(*more, strict=True)
        file = files[0]
        if files.count(file) < len(files) or None in at or None in reached:
            return None
        if before.at and before.file != file:
            return None
        times = *before.at, *at
        contents = zip(map(id, readings), unit, zone, *others, strict=True)
        words = self._words_of(more, list(contents)) if _is_sorted(times) else None
        if words is None or not self._is_judged_by_lines(owner, file):
            return None
        return VariantLines(
            before.context, file, (*before.lines, *lines), times, (*before.reached, *reached),
            (*before.words, *words), before.text,
        )  # fmt: skip

    def _with_one_line(
        self, owner: int, before: VariantLines, line: Observation
    ) -> VariantLines | None:
        """Return what `lines_with` would return of a single line. Who follows logs mostly has one
        more line of an instance, and columns of one are most of the cost then.
        """
        if self._may_have_copies or len(before.at) >= _MOST_LINES or len(self._words) >= _MOST_ONCE:
            return None
        file, at, reached, words = line.file, line.at, line.reached, words_of(line)
        if words is None or at is None or reached is None:
            return None
        if before.at and (before.file != file or before.at[-1] > at):
            return None
        if not self._is_judged_by_lines(owner, file):
            return None
        number = self._words.setdefault(words, NO_WORDS - 1 - len(self._words))
        return VariantLines(
            before.context, file, (*before.lines, line.line), (*before.at, at),
            (*before.reached, reached), (*before.words, number), before.text,
        )  # fmt: skip

    def _words_of(
        self, observations: Sequence[Observation], contents: Sequence[tuple[object, ...]]
    ) -> Sequence[int] | None:
        """Return what lines say, each as a number; None where one says what is no words.

        Args:
            observations: the lines.
            contents: of each all that it says, the same of those that say the same.
        """
        numbers = dict[object, int]()
        for key, line in dict(zip(contents, observations, strict=True)).items():
            known = words_of(line)
            if known is None:
                return None
            numbers[key] = self._words.setdefault(known, NO_WORDS - 1 - len(self._words))
        return [numbers[key] for key in contents]

    def _is_judged_by_lines(self, owner: int, file: int) -> bool:
        """Say whether nothing but what lines say, and the order of some of them, decides what is
        found of a machine's instances: not values, other instances or other releases.
        """
        known = self._may_repeat.get((owner, file))
        if known is None:
            spec, log = self._context.plan.specs[owner], self._context.plan.owners[owner].log
            settled = self._context.processes[self._context.process_by_unit[file, None]]
            known = self._may_repeat[owner, file] = (
                not (log is not None and (log.is_history or log.may_discount_lines))
                and self._tables.new_variables(owner) is None
                and self._tables.new_watch(owner) is None
                and not self._tables.episode_states(owner).replaceable
                and settled.only_fit(owner, spec.family.name) != -1
            )
        return known

    def variant_of(self, owner: int, lines: VariantLines) -> VariantKey | None:
        """Return the variant of an instance with some lines; None where its process began or ended
        meanwhile.
        """
        process = self._context.processes[self._context.process_by_unit[lines.file, None]]
        signs = process.possible_starts, process.certain_starts, process.ends
        runs = self._runs(lines, 0, signs) if any(signs) else ()
        if runs and runs != self._runs(lines, len(lines.at) - 1, signs):
            return None
        at = lines.at
        if at[-1] - at[0] <= RESTART_MS:
            return owner, lines.file, runs, *lines.words
        soon = tuple(bisect_left(at, time - RESTART_MS) for time in at)
        return owner, lines.file, runs, soon, *lines.words

    def _runs(
        self, lines: VariantLines, index: int, signs: Sequence[Sequence[Position]]
    ) -> tuple[int, ...]:
        """Return between which beginnings and ends of its process a line stands."""
        place = lines._replace(context=self._context).position(index)
        return tuple(bisect_right(of_kind, place) for of_kind in signs)


def _text(observations: Sequence[Observation], index: int) -> str:
    return observations[index].text


def _is_sorted(times: Sequence[int]) -> bool:
    return all(map(le, times, islice(times, 1, None)))


class RepeatedPass:
    """Has judged an instance."""

    counted_before: RowCounts | None = None

    def __init__(
        self, judgement: InstanceJudgement | None, judged: JudgedVariant, lines: VariantLines
    ) -> None:
        self.judgement = judgement
        self._rows = VariantRows(judged, lines)

    def runs(self) -> Iterator[Sequence[StepRow]]:
        """Yield its rows at once."""
        yield self._rows
