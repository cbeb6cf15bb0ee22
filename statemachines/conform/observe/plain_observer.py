"""From lines of known forms to observations: the same as from their records, and much cheaper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import cast

from statemachines.conform.columns.observation_columns import ObservationColumns
from statemachines.conform.interchange.doubled_lines import LineSignature
from statemachines.conform.interchange.observations import (
    KeyValues,
    Observation,
    plain_observation,
)
from statemachines.conform.interchange.profiles import ProcessEvent, UnitProfile
from statemachines.conform.observe.chunk_profile import ChunkProfile
from statemachines.conform.observe.equal_lines import EqualLineCounter
from statemachines.conform.observe.form_columns import code_values, observation_columns
from statemachines.conform.observe.known_lines import AbroadForm, KnownLine, ProcessWords
from statemachines.logs import LoudRecord
from statemachines.logs.records.plain_columns import PlainColumns
from statemachines.logs.records.plain_lines import LineForm, PlainRun
from statemachines.model.arrays import load_numpy

_Counts = dict[tuple[str | None, KnownLine], int]
"""By process and form, how many lines there were."""


class PlainObserver:
    """Turns the lines of known forms of one piece into observations; what they show of the piece is
    noted in its profile.
    """

    def __init__(self, notes: ChunkProfile, file: int, equal: EqualLineCounter) -> None:
        self._notes, self._file, self._counts, self._equal = notes, file, _Counts(), equal
        self.columns = list[ObservationColumns]()
        """What was observed as columns."""

    def observe_run(self, run: PlainRun) -> list[Observation]:
        """Return what lines tell."""
        unit = self._unit_of(run.counts(), run.process)
        forms = cast("list[KnownLine]", run.forms)
        if any(known.process is not None for known in forms):
            self._take_processes(run, unit)
        if any(known.is_unread for known in forms):
            self._sample_unread(run)
        self._count_doubles(run, unit)
        times = run.times if unit.reached is None else [unit.reached, *run.times]
        reached = list(accumulate(times, max))[-len(run.times) :]
        unit.reached, unit.dated = reached[-1], True
        if any(known.notes_lines for known in set(forms)):
            self._note_lines(run, reached, unit)
        return self._make_observations(run, reached)

    def _count_doubles(self, run: PlainRun, unit: UnitProfile) -> None:
        forms, texts, numbers = cast("list[KnownLine]", run.forms), run.quoted, run.numbers
        repeating = (
            place
            for place, (before, text) in enumerate(pairwise(texts), 1)
            if before == text and numbers[place] == numbers[place - 1] + 1
        )
        self._equal.take_all(
            numbers,
            repeating,
            lambda place: (texts[place], forms[place].signatures),
            run.process,
            unit,
        )

    def _count_column_doubles(self, lines: PlainColumns, unit: UnitProfile) -> None:
        """The same of columns: only lines with the same form and time are looked at."""
        numpy, kinds = load_numpy(), cast("Sequence[KnownLine]", lines.kinds)
        goes_on = numpy.diff(lines.numbers) == 1
        for column in (lines.times, lines.forms, lines.sizes):
            goes_on &= numpy.diff(column) == 0
        places = (numpy.flatnonzero(goes_on) + 1).tolist()
        repeating = (place for place in places if lines.text(place) == lines.text(place - 1))

        def line_at(place: int) -> tuple[str, tuple[LineSignature, ...]]:
            return lines.text(place), kinds[lines.forms[place]].signatures

        self._equal.take_all(lines.numbers.tolist(), repeating, line_at, None, unit)

    def observe_columns(self, lines: PlainColumns) -> list[Observation]:
        """Put what lines tell into `columns`; return what does not fit there."""
        unit = self._unit_of(lines.counts(), None)
        kinds = cast("Sequence[KnownLine]", lines.kinds)
        if any(known.process is not None for known in kinds):
            self._take_column_processes(lines, unit)
        if any(known.is_unread for known in kinds):
            self._sample_unread(lines.of_forms({kind for kind in kinds if kind.is_unread}).run())
        self._count_column_doubles(lines, unit)
        numpy = load_numpy()
        least = lines.times[:1] if unit.reached is None else [unit.reached]
        reached = numpy.maximum(numpy.maximum.accumulate(lines.times), least)
        unit.reached, unit.dated = int(reached[-1]), True
        if any(known.notes_lines for known in kinds):
            noted = numpy.array([known.notes_lines for known in kinds], bool)[lines.forms]
            self._note_lines(lines.selected(noted).run(), reached[noted].tolist(), unit)
        columns, left = observation_columns(lines, reached, self._file)
        self.columns += columns
        return self._make_observations(lines.selected(left).run(), reached[left].tolist())

    def finish(self) -> None:
        """Put the lines that were counted into the profile."""
        for (process, known), times in self._counts.items():
            if times > 1:
                self._count_lines(known, times - 1, self._notes.profile.unit(process))
        self._counts.clear()
        self._notes.profile.abroad.sort(key=lambda observation: observation.line)

    def _unit_of(self, counts: Mapping[LineForm, int], process: str | None) -> UnitProfile:
        """Count lines, and return the profile of their process."""
        profile = self._notes.profile
        unit = profile.units.get(process) or profile.unit(process)
        for known, times in cast("Mapping[KnownLine, int]", counts).items():
            if (process, known) not in self._counts:
                self._count_lines(known, 1, unit)  # the first at once, the others at the end
            self._counts[process, known] = self._counts.get((process, known), 0) + times
        return unit

    def _count_lines(self, known: KnownLine, times: int, unit: UnitProfile) -> None:
        """Put into the profile what all lines of a form show alike."""
        profile = self._notes.profile
        profile.records += times
        unit.records += times
        profile.layouts[known.layout] += times
        profile.unread += times * known.is_unread
        for signature in known.signatures:
            unit.signatures[signature] += times
        for key, rank in known.levels:
            unit.levels[key] = min(rank, unit.levels.get(key, rank))

    def _make_observations(self, run: PlainRun, reached: Sequence[int]) -> list[Observation]:
        make, file, observations = tuple.__new__, self._file, list[Observation]()
        nobody: frozenset[KeyValues] = frozenset()
        forms = cast("list[KnownLine]", run.forms)
        columns = forms, run.texts, run.quoted, run.numbers, run.times, reached
        process = run.process
        for known, text, quoted, line, at, latest in zip(*columns, strict=True):
            for form in known.observations:
                key, words = form.key, form.words
                zone, readings, reason, life, number, previous, known_by = words[words.cut(text)]
                about_line = line, latest, at, zone, quoted, reason, life, number
                end = None, None, previous, "", known_by, nobody
                fields = form.owner, key[key.cut(text)], readings, file, process, *about_line, *end
                observations.append(make(Observation, fields))  # half the time of its constructor
        return observations

    def _note_lines(self, run: PlainRun, reached: Sequence[int], unit: UnitProfile) -> None:
        """Put into the profile what single lines tell of their process, of instances that they do
        not name, and as warnings.
        """
        forms = cast("list[KnownLine]", run.forms)
        for known, text, quoted, line, at, latest in zip(
            forms, run.texts, run.quoted, run.numbers, run.times, reached, strict=True
        ):
            if known.process_events is not None:
                unit.process_events += (
                    ProcessEvent(latest, line, *event) for event in known.process_events(text)
                )
            if known.warning_level and known.is_unread:
                warning = known.warning_message, known.warning_level
                self._notes.note_warning(LoudRecord(run.process, at, True, line, quoted, *warning))
            self._notes.profile.abroad += (
                self._abroad_observation(form, text, line, at, latest)._replace(
                    text=quoted, unit=run.process
                )
                for form in known.abroad
            )

    def _abroad_observation(
        self, form: AbroadForm, text: str, line: int, at: int, latest: int
    ) -> Observation:
        observed, (about, listed) = form.form, form.others(text)
        key, words = observed.key(text), observed.words(text)
        observation = plain_observation(
            observed.owner, key, words, self._file, line, latest, at, text
        )
        return observation._replace(about=about, listed=frozenset(listed))

    def _take_processes(self, run: PlainRun, unit: UnitProfile) -> None:
        """Put into the profile what lines tell of their process; what the line before told changes
        nothing, unless it told of several generations.
        """
        last: ProcessWords | None = None
        forms = cast("list[KnownLine]", run.forms)
        for form, text, line in zip(forms, run.texts, run.numbers, strict=True):
            slot = form.process
            if slot is None or (words := slot[slot.cut(text)]) == last:
                continue
            self._take_words(words, line, unit, run.process)
            last = words if len(words.generations) < 2 else None

    def _take_words(
        self, words: ProcessWords, line: int, unit: UnitProfile, process: str | None
    ) -> None:
        for family, name in words.names:
            self._notes.take_process_name(family, name, unit)
        for generation in words.generations:
            if process is not None or generation != self._notes.last_generation:
                self._notes.take_generation(generation[:3], generation[3], process, line, unit)

    def _take_column_processes(self, lines: PlainColumns, unit: UnitProfile) -> None:
        """The same of columns: only lines that tell something else than the line before count."""
        telling = lines.of_forms(
            {known for known in lines.kinds if cast("KnownLine", known).process is not None}
        )
        coded = code_values(telling, lambda known: known.process)
        if coded is None or any(len(words.generations) > 1 for words in coded.values):
            self._take_processes(telling.run(), unit)
            return
        last: ProcessWords | None = None
        for place in load_numpy().flatnonzero(load_numpy().diff(coded.codes, prepend=-1)).tolist():
            words = coded.values[int(coded.codes[place])]
            if words != last:
                self._take_words(words, int(telling.numbers[place]), unit, None)
            last = words

    def _sample_unread(self, run: PlainRun) -> None:
        forms = cast("list[KnownLine]", run.forms)
        for known, text, line in zip(forms, run.quoted, run.numbers, strict=True):
            if known.is_unread:
                self._notes.sample_unread(line, text)
                if known.logger is not None:
                    self._notes.count_unread(run.process, known.logger, line, text)
