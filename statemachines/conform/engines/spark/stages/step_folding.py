"""Folding plain steps on the workers that read them, so that whoever judges an instance of millions
of lines need not look at each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

from attrs import evolve, field, frozen

from statemachines.conform.columns.observation_columns import FoldedSteps, ObservationColumns
from statemachines.conform.engines.spark.stages.stage_rows import pack_lines, unpack_lines
from statemachines.conform.interchange.observations import LineWords
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.arrays import load_numpy

FEWEST_FOLDED = 1000
"""Fewer lines of an instance cost the same as columns."""

_NO_SOURCE, _NO_TARGET = -2, -1


@frozen
class StepFolder:
    """Folds the plain steps of instances of which there are many lines together."""

    context: JudgingContext
    _tables: JudgingTables = field(init=False)

    @_tables.default
    def _make_tables(self) -> JudgingTables:
        return JudgingTables(self.context.plan)

    def folded(self, columns: ObservationColumns) -> ObservationColumns:
        """Return the same lines, some of them folded.

        Args:
            columns: Lines at their places in the whole file, each instance once.
        """
        numpy, codes = load_numpy(), columns.instance_codes
        folded, is_left = list[FoldedSteps](), numpy.ones(len(codes), bool)
        for code in numpy.flatnonzero(numpy.bincount(codes) >= FEWEST_FOLDED).tolist():
            owner, _ = columns.instances[code]
            fitting = self._fitting(owner, columns.file)
            if fitting is None:
                continue
            for places in self._runs(columns, numpy.flatnonzero(codes == code), owner, fitting):
                folded.append(self._fold(columns, places, fitting))
                is_left[places] = False
        return evolve(columns.part(is_left), folded=tuple(folded)) if folded else columns

    def _fitting(self, owner: int, file: int) -> int | None:
        """Return the releases that fit all of a file; None of a machine whose lines are more than
        steps or all wanted, or where the releases changed.
        """
        context, plan = self.context, self.context.plan
        log = plan.owners[owner].log
        if (
            log is None
            or log.is_history
            or log.may_discount_lines
            or owner in plan.system_part_owners
            or self._tables.new_variables(owner) is not None
        ):
            return None
        process = context.processes[context.process_by_unit[file, None]]
        fitting = process.only_fit(owner, plan.specs[owner].family.name)
        return fitting if fitting != -1 else None

    def _runs(
        self, columns: ObservationColumns, places: Any, owner: int, fitting: int
    ) -> Iterator[Any]:
        """Yield the places of steps each of which begins where the one before led, and not earlier.

        Args:
            columns: Lines.
            places: Those of one instance.
            owner: Number of its machine.
            fitting: The releases that fit.
        """
        numpy, states = load_numpy(), dict[str, int]()
        moving = self._tables.episode_states(owner).always_moving

        def step_of(words: LineWords) -> tuple[int, int]:
            source, target = words.readings[0].source, words.readings[0].target
            is_simple = self._tables.is_simple_step(owner, fitting, words.readings)
            if not is_simple or source is None or target is None or target in moving:
                return _NO_SOURCE, _NO_TARGET
            is_allowed = self._tables.is_allowed_step(owner, fitting, (source, target))
            if words.remembered or not is_allowed:
                return _NO_SOURCE, _NO_TARGET
            return states.setdefault(source, len(states)), states.setdefault(target, len(states))

        steps = numpy.array(list(map(step_of, columns.words)), numpy.int64)
        steps, at = steps[columns.word_codes[places]], columns.at[places]
        goes_on = (steps[1:, 0] == steps[:-1, 1]) & (at[1:] >= at[:-1])
        starts = numpy.flatnonzero(numpy.concatenate([[True], ~goes_on, [True]])).tolist()
        for start, end in pairwise(starts):
            if end - start >= FEWEST_FOLDED and steps[start, 0] != _NO_SOURCE:
                yield places[start:end]

    def _fold(self, columns: ObservationColumns, places: Any, fitting: int) -> FoldedSteps:
        """Fold lines that are a run of steps."""
        lines, totals = columns.part(places), Counter[tuple[str, str]]()
        readings = [words.readings[0] for words in lines.words]
        steps = [(reading.source or "", reading.target or "") for reading in readings]
        for step, times in zip(steps, load_numpy().bincount(lines.word_codes), strict=True):
            totals[step] += int(times)
        moves = load_numpy().array([source != target for source, target in steps])
        moved = load_numpy().flatnonzero(moves[lines.word_codes])
        shown = [0, max(0, len(places) - 2), len(places) - 1, *moved[-1:].tolist()]
        first, before, last, *came = lines.observations(shown)
        return FoldedSteps(
            fitting, len(places), first, before, last, came[0] if came else None,
            totals, lines.words, partial(unpack_lines, pack_lines(lines)),
        )  # fmt: skip
