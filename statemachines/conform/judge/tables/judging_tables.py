"""The release classes of every machine, and what a file shows of their lines; cached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from statemachines.conform.columns.column_steps import PlainStepTable
from statemachines.conform.interchange.check_plan import (
    LEVEL_RANKS,
    CheckPlan,
    given_level_ranks,
    spec_properties,
)
from statemachines.conform.interchange.judgements import Belief
from statemachines.conform.interchange.observations import LineReading, LineWords
from statemachines.conform.judge.tables.episode_states import EpisodeStates, make_episode_states
from statemachines.conform.judge.tables.release_tables import ReleaseClass, release_classes
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind
from statemachines.model.evidence.verdicts import Verdict

if TYPE_CHECKING:
    from statemachines.conform.judge.tables.compiled_properties import (
        CompiledProperties,
        PropertyWatch,
        StepAnswers,
    )
    from statemachines.conform.judge.tables.known_variables import (
        CompiledConditions,
        KnownVariables,
    )


_MOST_SIMPLE_STEPS = 10_000
"""Readings of which it is remembered whether they are simple steps."""


class JudgingTables:
    """Rules by machine and releases."""

    def __init__(self, plan: CheckPlan) -> None:
        self.plan = plan
        self._conditions: dict[int, CompiledConditions | None] = {}
        self._properties: dict[int, CompiledProperties | None] = {}
        self._all_classes: dict[int, tuple[ReleaseClass, ...]] = {}
        self._fitting_classes: dict[tuple[int, int], list[ReleaseClass]] = {}
        self._classes_by_reading: dict[
            tuple[int, int, tuple[tuple[int, int], ...]],
            tuple[tuple[int, tuple[ReleaseClass, ...]], ...],
        ] = {}
        self._exact_beliefs: dict[tuple[int, int, str], dict[int, Belief]] = {}
        self._simple_steps: dict[tuple[int, int, tuple[LineReading, ...]], bool] = {}
        self._step_tables: dict[tuple[int, int, frozenset[str]], PlainStepTable] = {}
        self._episode_states: dict[int, EpisodeStates] = {}
        self._lines_it_would_show: dict[tuple[int, int], frozenset[int]] = {}
        self.single_release_verdicts: dict[tuple[object, ...], Verdict] = {}
        """What a class of releases by itself says of a line, by all that it depends on."""
        self._shown_lines: dict[tuple[int, int, int], frozenset[int]] = {}

    def all_classes(self, owner: int) -> tuple[ReleaseClass, ...]:
        """Return the classes of a machine's releases.

        Args:
            owner: number of the machine.

        Returns:
            Classes of releases that behave alike.
        """
        if owner not in self._all_classes:
            self._all_classes[owner] = release_classes(self.plan.specs[owner])
        return self._all_classes[owner]

    def new_variables(self, owner: int) -> KnownVariables | None:
        """Return what is known of an instance in the beginning: nothing; None for a machine whose
        lines tell no values.

        Args:
            owner: number of the machine.

        Returns:
            A value that the caller may change.
        """
        if owner not in self._conditions:
            self._conditions[owner] = self._make_conditions(owner)
        conditions = self._conditions[owner]
        return conditions.new_variables() if conditions is not None else None

    def _make_conditions(self, owner: int) -> CompiledConditions | None:
        spec = self.plan.specs[owner]
        if not any(
            line.variable_templates or line.event or line.argument_templates
            for line in (spec.log.lines if spec.log else ())
        ):
            return None
        from statemachines.conform.judge.tables.known_variables import (
            CompiledConditions,  # with the compiler of guards, which few logs need
        )

        return CompiledConditions(spec)

    def new_watch(self, owner: int) -> PropertyWatch | None:
        """Return what looks at an instance's properties; None for a machine without any that logs
        can be judged by.

        Args:
            owner: number of the machine.

        Returns:
            A value that the caller may change.
        """
        if owner not in self._properties:
            self._properties[owner] = self._make_properties(owner)
        properties = self._properties[owner]
        if properties is None:
            return None
        from statemachines.conform.judge.tables.compiled_properties import PropertyWatch

        return PropertyWatch(properties)

    def step_answers(self, owner: int, fitting: int, step: tuple[str, str]) -> StepAnswers:
        """Return what the properties of a machine whose lines tell no values say of a simple step.

        Args:
            owner: number of the machine.
            fitting: the releases that fit.
            step: from where to where.

        Returns:
            An answer for each property that is asked.
        """
        watch = self.new_watch(owner)
        if watch is None:
            return ()
        classes = self.fitting_classes(owner, fitting)
        return watch.properties.simple_step_answers(classes, fitting, *step)

    def is_allowed_step(self, owner: int, fitting: int, step: tuple[str, str]) -> bool:
        """Say whether a simple step breaks no property of its machine.

        Args:
            owner: number of the machine.
            fitting: the releases that fit.
            step: from where to where.

        Returns:
            True also of a machine without properties.
        """
        return all(answer is not False for _, answer in self.step_answers(owner, fitting, step))

    def _make_properties(self, owner: int) -> CompiledProperties | None:
        if not any(
            spec_property.versions for spec_property in spec_properties(self.plan.specs[owner])
        ):
            return None
        from statemachines.conform.judge.tables.compiled_properties import (
            CompiledProperties,  # with the compiler of conditions, which few logs need
        )

        return CompiledProperties(self.plan.specs[owner])

    def episode_states(self, owner: int) -> EpisodeStates:
        """Return a machine's episodes as sets of states.

        Args:
            owner: number of the machine.

        Returns:
            The states of each episode.
        """
        if owner not in self._episode_states:
            self._episode_states[owner] = make_episode_states(self.plan.specs[owner])
        return self._episode_states[owner]

    def fitting_classes(self, owner: int, fitting: int) -> list[ReleaseClass]:
        """Return the classes in which some release fits.

        Args:
            owner: number of the machine.
            fitting: the releases, a bit each.

        Returns:
            The classes, in their order.
        """
        key = owner, fitting
        if key not in self._fitting_classes:
            self._fitting_classes[key] = [
                rules for rules in self.all_classes(owner) if rules.releases & fitting
            ]
        return self._fitting_classes[key]

    def classes_by_reading(
        self, owner: int, fitting: int, tellings: tuple[LineReading, ...]
    ) -> tuple[tuple[int, tuple[ReleaseClass, ...]], ...]:
        """Return which of some tellings counts in which classes: the place of a telling, and the
        classes that read it.

        Kept by the entries and releases of the tellings, since a log has few kinds of lines.

        Args:
            owner: number of the machine.
            fitting: the releases, a bit each.
            tellings: what releases read in one line.

        Returns:
            A row for each telling that counts.
        """
        key = owner, fitting, tuple((t.releases, t.entry) for t in tellings)
        if key not in self._classes_by_reading:
            classes_by_index: dict[int, list[ReleaseClass]] = {}
            for rules in self.fitting_classes(owner, fitting):
                index = next(
                    (index for index, t in enumerate(tellings) if t.releases & rules.releases), None
                )
                if index is not None:
                    classes_by_index.setdefault(index, []).append(rules)
            self._classes_by_reading[key] = tuple(
                (index, tuple(classes)) for index, classes in classes_by_index.items()
            )
        return self._classes_by_reading[key]

    def exact_belief(self, owner: int, fitting: int, state: str) -> dict[int, Belief]:
        """Return the belief of every class that the instance is in one state; not to be changed.

        Args:
            owner: number of the machine.
            fitting: the releases, a bit each.
            state: by name.

        Returns:
            Number of a class to its belief.
        """
        key = owner, fitting, state
        if key not in self._exact_beliefs:
            self._exact_beliefs[key] = {
                rules.releases: frozenset((state,))
                for rules in self.fitting_classes(owner, fitting)
            }
        return self._exact_beliefs[key]

    def is_simple_step(self, owner: int, fitting: int, readings: tuple[LineReading, ...]) -> bool:
        """Say whether a line tells one step that is legal and taken in every class that fits:
        nothing is to be said of it where its source is believed.

        Args:
            owner: number of the machine.
            fitting: the releases, a bit each.
            readings: what releases read in the line.

        Returns:
            True where it is so.
        """
        key = owner, fitting, readings
        known = self._simple_steps.get(key)
        if known is None:
            if len(self._simple_steps) >= _MOST_SIMPLE_STEPS:
                self._simple_steps.clear()
            known = self._simple_steps[key] = self._find_simple_step(owner, fitting, readings)
        return known

    def _find_simple_step(
        self, owner: int, fitting: int, readings: tuple[LineReading, ...]
    ) -> bool:
        lines = {line.index: line for line in self.plan.owners[owner].lines}
        source, target = readings[0].source, readings[0].target
        if source is None or target is None:
            return False
        if any(
            (reading.source, reading.target) != (source, target)
            or lines[reading.entry].kinds != (LineKind.STEP,)
            or lines[reading.entry].echo
            or lines[reading.entry].counter
            for reading in readings
        ):
            return False
        unread = fitting & self.plan.specs[owner].releases
        for reading in readings:
            unread &= ~reading.releases
        return not unread and all(
            rules.allows(source, target) and rules.takes(source, target)
            for rules in self.fitting_classes(owner, fitting)
        )

    def step_table(
        self, owner: int, fitting: int, words: Sequence[LineWords], targets: frozenset[str]
    ) -> PlainStepTable:
        """Return the steps of a machine that are simple where some releases fit, lead to some
        states, and break no property.

        Args:
            owner: number of the machine.
            fitting: the releases.
            words: all that lines say; the same list each time.
            targets: the states.

        Returns:
            A table that `plain_steps` looks lines up in.
        """
        key = owner, fitting, targets
        if key not in self._step_tables:

            def step_of(words_of_line: LineWords) -> tuple[str, str] | None:
                readings = words_of_line.readings
                source, target = readings[0].source, readings[0].target
                if not source or not target or target not in targets:
                    return None
                simple = self.is_simple_step(owner, fitting, readings)
                step = source, target
                return step if simple and self.is_allowed_step(owner, fitting, step) else None

            self._step_tables[key] = PlainStepTable(words, step_of)
        return self._step_tables[key]

    def forget_shown_lines(self) -> None:
        """Forget which lines processes show: more is known of their levels by now."""
        self._shown_lines.clear()
        self._lines_it_would_show.clear()

    def shown_lines(
        self, context: JudgingContext, process: int, file: int, owner: int
    ) -> frozenset[int]:
        """Return the numbers of a machine's lines that a process's files of one name show.

        Args:
            context: what all files say together.
            process: its number.
            file: number of one of its files.
            owner: number of the machine.

        Returns:
            Places of lines in the plan.
        """
        stem = context.stems[context.files[file].stem]
        key = process, stem, owner
        if key not in self._shown_lines:
            lines = self.plan.owners[owner].lines
            self._shown_lines[key] = frozenset(
                line.index for line in lines if _is_shown(context, process, stem, owner, line)
            )
        return self._shown_lines[key]

    def lines_shown_anywhere(
        self, context: JudgingContext, process: int, owner: int
    ) -> frozenset[int]:
        """Return the numbers of a machine's lines that any file of a process shows.

        Args:
            context: what all files say together.
            process: its number.
            owner: number of the machine.

        Returns:
            Places of lines in the plan.
        """
        files = {file for file, _ in context.processes[process].units}
        return frozenset().union(
            *(self.shown_lines(context, process, file, owner) for file in files)
        )

    def lines_it_would_show(
        self, context: JudgingContext, process: int, owner: int
    ) -> frozenset[int]:
        """Return the numbers of a machine's lines that a process would show, as the lines of any
        machine tell its loggers' levels.

        Args:
            context: what all files say together.
            process: its number.
            owner: number of the machine.

        Returns:
            Places of lines in the plan.
        """
        key = process, owner
        if key not in self._lines_it_would_show:
            quietest: dict[str, int] = {}
            for (_, _, logger), rank in context.processes[process].shown_levels.items():
                quietest[logger] = min(rank, quietest.get(logger, rank))
            lines = (
                line
                for line in self.plan.owners[owner].lines
                if any(_is_loud_enough(line, quietest.get(name, 9)) for name in line.loggers)
            )
            self._lines_it_would_show[key] = frozenset(
                line.index for line in lines
            ) | self.lines_shown_anywhere(context, process, owner)
        return self._lines_it_would_show[key]


def _is_loud_enough(line: LineDefinition, rank: int) -> bool:
    return rank < 9 and (line.level is None or LEVEL_RANKS[line.level] >= rank)


def _is_shown(
    context: JudgingContext, process: int, stem: int, owner: int, line: LineDefinition
) -> bool:
    shown = context.processes[process].shown_levels
    for logger in line.loggers or ("",):
        rank = min(
            given_level_ranks(context.plan, logger), default=shown.get((stem, owner, logger), 9)
        )
        if _is_loud_enough(line, rank):
            return True
    return False
