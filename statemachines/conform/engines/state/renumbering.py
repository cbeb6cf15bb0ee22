"""Values of an earlier check with the numbers that files and processes have in this one.

Files are numbered by their names and processes by their files, so a rotation moves most numbers.
What a judgement is made of has them in fields of the same few names.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from typing import Any

from attrs import Factory, define, frozen

from statemachines.conform.interchange.observations import LineReading, Observation, Position
from statemachines.conform.judge.instance.finding_list import FindingList
from statemachines.conform.judge.instance.instance_belief import SingleReleaseWords
from statemachines.model.evidence.reports import StepValues

_FILE_FIELDS, _VALUES = {"file", "last_file"}, {"values", "rank"}
_UNNUMBERED = (str, int, float, bytes, frozenset, set, LineReading, StepValues, type(None))
_PLACE = tuple[int, int]
"""Of a file in the order of a process: its stem and its part."""


@frozen
class Numbering:
    """What the numbers of a check mean."""

    files: tuple[int, ...]
    """The content of each file."""
    places: tuple[_PLACE, ...]
    """Of each file."""
    processes: tuple[str, ...]
    """The identity of each process."""


@define(slots=False)
class Renumbering:
    """From the numbers of one check to those of another."""

    files: Mapping[int, int]
    processes: Mapping[int, int]
    places: Mapping[_PLACE, _PLACE]
    _changed: dict[int, tuple[object, object]] = Factory(dict)
    """What was changed, by its number in memory, so that what is one thing stays one."""

    @classmethod
    def between(cls, before: Numbering, now: Numbering) -> Renumbering | None:
        """Return how numbers move; None where what was before another would be after it."""
        number = {content: file for file, content in enumerate(now.files)}
        files = {
            old: number[content] for old, content in enumerate(before.files) if content in number
        }
        places = {before.places[old]: now.places[new] for old, new in files.items()}
        ordered = [places[place] for place in sorted(places)]
        if ordered != sorted(ordered):
            return None
        index = {name: process for process, name in enumerate(now.processes)}
        processes = {old: index[name] for old, name in enumerate(before.processes) if name in index}
        return cls(files, processes, {**places, (-1, -1): (-1, -1)})

    @cached_property
    def changes_nothing(self) -> bool:
        """Whether all numbers stay as they are."""
        moves = (*self.files.items(), *self.processes.items(), *self.places.items())
        return all(old == new for old, new in moves)

    def moved(self, value: Any) -> Any:
        """Return a value with the new numbers.

        Raises:
            KeyError: it is of a file or a process that is not there any more.
        """
        if self.changes_nothing:
            return value
        self._changed.clear()
        return self._moved_value(value)

    def position(self, place: Position) -> Position:
        """Return where a position is now."""
        return Position(place.reached, *self.places[place.stem, place.part], place.line)

    def _moved_value(self, value: Any) -> Any:
        kind = type(value)
        if kind is Position:
            return self.position(value)
        if kind is Observation:
            return value._replace(file=self.files[value.file])
        if isinstance(value, tuple):
            if hasattr(value, "_fields"):
                return self._moved_tuple(value)
            return tuple(map(self._moved_value, value))
        if isinstance(value, _UNNUMBERED):
            return value
        if kind is list:
            return list(map(self._moved_value, value))
        if kind is dict:
            return {key: self._moved_value(item) for key, item in value.items()}
        if kind is FindingList:
            return value.mapped(self._moved_object)
        return self._moved_object(value)

    def _moved_tuple(self, value: Any) -> Any:
        if isinstance(value, SingleReleaseWords):
            worst = tuple(((self._run(run), of), wording) for (run, of), wording in value.worst)
            return SingleReleaseWords(worst, self._moved_value(value.findings))
        fields = zip(value._fields, value, strict=True)
        return value._make(self._field(name, item) for name, item in fields)

    def _moved_object(self, value: Any) -> Any:
        known = self._changed.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        changed = copy(value)
        names = [attribute.name for attribute in getattr(type(value), "__attrs_attrs__", ())]
        for name in names or vars(value):
            object.__setattr__(changed, name, self._field(name, getattr(value, name)))
        self._changed[id(value)] = value, changed
        return changed

    def _field(self, name: str, item: Any) -> Any:
        if name in _FILE_FIELDS:
            return self.files.get(item, 0) if name == "last_file" else self.files[item]
        if name in _VALUES:
            return item
        if name == "process":
            return self.processes[item] if item >= 0 else item
        if name == "processes":
            return tuple(self.processes[process] for process in item)
        if name == "run":
            return self._run(item)
        if name == "first_line" and item is not None:
            return (self.files[item[0]], *item[1:])
        return self._moved_value(item)

    def _run(self, run: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self.processes[run[0]], *run[1:])
