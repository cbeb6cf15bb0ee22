"""Instances that went as others did, as a state folder keeps them: by log, in columns, with what
all of them rest on. One of which a new line tells is taken out and judged anew.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, cast

from attrs import evolve, field

from statemachines.conform.engines.state.judged_facts import JudgementHead
from statemachines.conform.engines.state.renumbering import Renumbering
from statemachines.conform.interchange.crowds import Course, CrowdKey, Crowds, FirstLine
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.interchange.observations import KeyValues, Observation, Position
from statemachines.conform.judge.judgement_pass import ended_with_process
from statemachines.conform.judge.repeated.judged_courses import (
    CourseLines,
    JudgedCourse,
)
from statemachines.conform.judge.repeated.repeated_instances import RepeatedPass
from statemachines.conform.settle.judging_context import InstanceIdentity, JudgingContext
from statemachines.model.values import define, frozen

MOST_MEMBERS = 10_000
"""Instances that are kept together."""
_POINTS = 4
"""Numbers of each in `Crowd.points`."""


class KeptCourse(NamedTuple):
    """How some instances went."""

    judged: JudgedCourse
    """Of that one of them whose lines end last."""
    model: int
    """Which of the crowd it is."""
    line_count: int
    """Lines of each."""
    first_line: FirstLine
    """Of all of them."""
    first: int
    """Whose that is."""


class KeptMembers(NamedTuple):
    """What is kept of each, in the order of the report."""

    keys: list[CrowdKey]
    courses: bytes
    """Numbers of 32 bits, as all others of 64."""
    points: bytes
    """As `Crowd.points` has them."""
    at: bytes
    """When each of its lines was written, one instance behind the other; nothing where no rows are
    kept.
    """
    lines: bytes
    """Likewise their numbers."""


# --------------------------------------------------------------------------------------------------
# what is kept


@define
class _OpenCourse:
    """How some members of a crowd went that is being made."""

    judged: JudgedCourse
    first_line: FirstLine
    first: int
    model: int
    model_who: InstanceIdentity
    model_lines: CourseLines
    ends: Position


@define
class OpenCrowd:
    """Instances that one log tells of and that went as others did, to be kept."""

    has_rows: bool
    is_in_tail: bool = False
    """Whether some of their lines are near the end of their log."""
    keys: list[CrowdKey] = field(factory=list)
    _courses: array[int] = field(factory=lambda: array("i"))
    _points: array[int] = field(factory=lambda: array("q"))
    _at: array[int] = field(factory=lambda: array("q"))
    _lines: array[int] = field(factory=lambda: array("q"))
    _numbers: dict[int, int] = field(factory=dict)
    """Of ways, by their identity."""
    _ways: list[_OpenCourse] = field(factory=list)

    def add(self, who: InstanceIdentity, judged: JudgedCourse, lines: CourseLines) -> None:
        """Take in an instance that comes behind the others."""
        place, ends = len(self.keys), lines.position(len(lines.at) - 1)
        first = lines.file, lines.lines[0], lines.text(0)
        number = self._numbers.get(id(judged))
        if number is None:
            number = self._numbers[id(judged)] = len(self._ways)
            self._ways.append(_OpenCourse(judged, first, place, place, who, lines, ends))
        open_course = self._ways[number]
        if first[1] < open_course.first_line[1]:
            open_course.first_line, open_course.first = first, place
        if ends > open_course.ends:
            open_course.model, open_course.ends = place, ends
            open_course.model_who, open_course.model_lines = who, lines
        self.keys.append(cast("CrowdKey", who[2]))  # all of it is told
        self._courses.append(number)
        self._points.extend(judged.points_of(lines))
        if self.has_rows:
            self._at.extend(lines.at)
            self._lines.extend(lines.lines)

    @property
    def last(self) -> Position:
        """Where the last of their lines stands."""
        return max(open_course.ends for open_course in self._ways)

    def courses(self) -> list[KeptCourse]:
        """Return how they went."""
        return list(map(_kept_course, self._ways))

    def members(self) -> KeptMembers:
        """Return what is kept of each."""
        columns = self._courses, self._points, self._at, self._lines
        return KeptMembers(self.keys, *(column.tobytes() for column in columns))


def _kept_course(open_course: _OpenCourse) -> KeptCourse:
    lines = open_course.model_lines
    judgement = open_course.judged.judgement_of(open_course.model_who, lines)._replace(
        first_line=(lines.file, lines.lines[0], lines.text(0)), is_over=open_course.judged.is_over
    )
    judged = evolve(open_course.judged, judgement=judgement, course=None)
    return KeptCourse(
        judged, open_course.model, len(lines.at), open_course.first_line, open_course.first
    )


# --------------------------------------------------------------------------------------------------
# what was kept


@define(eq=False)
class KeptCrowd:
    """Instances of an earlier check whose judgements stand."""

    number: int
    """What its row in the folder is called."""
    head: JudgementHead
    """What all of them rest on; its key is empty."""
    teller: int
    file: int
    kept_courses: Sequence[KeptCourse]
    """As they were written."""
    courses: Sequence[KeptCourse]
    """With the numbers of this check."""
    keys: list[CrowdKey]
    _codes: array[int]
    _points: array[int]
    _at: array[int]
    _lines: array[int]
    _removed: set[int] = field(init=False, factory=set)
    _known: dict[int, Course] = field(init=False, factory=dict)

    @staticmethod
    def with_numbers(
        number: int,
        head: JudgementHead,
        teller: int,
        kept_courses: Sequence[KeptCourse],
        members: KeptMembers,
        renumbering: Renumbering,
        file: int,
    ) -> KeptCrowd:
        """Return a crowd with the numbers of this check.

        Args:
            number: what its row is called.
            head: what it rests on.
            teller: who tells of it.
            kept: how they went, as it was written.
            members: who they are.
            renumbering: from the numbers that it is written with.
            file: in which their lines stand.
        """
        moved = [
            course._replace(
                judged=renumbering.moved(course.judged), first_line=(file, *course.first_line[1:])
            )
            for course in kept_courses
        ]
        columns = map(_as_array, "iqqq", members[1:])
        return KeptCrowd(number, head, teller, file, kept_courses, moved, members.keys, *columns)

    def leave_out(self, told_keys: set[KeyValues]) -> None:
        """Take those out of which new lines tell; and those that went as one did whose line was
        the first of all, for which line is now is not known.
        """
        removed = {place for place, key in enumerate(self.keys) if key in told_keys}
        if removed:
            unknown = {code for code, course in enumerate(self.courses) if course.first in removed}
            removed |= {place for place, code in enumerate(self._codes) if code in unknown}
        self._removed |= removed

    @property
    def is_changed(self) -> bool:
        """Whether some were taken out."""
        return bool(self._removed)

    def standing_keys(self) -> Iterator[CrowdKey]:
        """Yield those that are left."""
        return (key for place, key in enumerate(self.keys) if place not in self._removed)

    def as_kept(self) -> tuple[list[KeptCourse], KeptMembers]:
        """Return those that are left as they were written."""
        places = [place for place in range(len(self.keys)) if place not in self._removed]
        index = {place: number for number, place in enumerate(places)}
        left = [code for code, course in enumerate(self.kept_courses) if course.first in index]
        codes = {code: number for number, code in enumerate(left)}
        courses = [
            course._replace(model=index.get(course.model, -1), first=index[course.first])
            for course in map(self.kept_courses.__getitem__, left)
        ]
        points, at, lines = array("q"), array("q"), array("q")
        starts = self._starts()
        for place in places:
            points.extend(self._points[_POINTS * place : _POINTS * (place + 1)])
            at.extend(self._at[starts[place] : starts[place + 1]])
            lines.extend(self._lines[starts[place] : starts[place + 1]])
        ways = array("i", (codes[self._codes[place]] for place in places))
        columns = (column.tobytes() for column in (ways, points, at, lines))
        return courses, KeptMembers(list(map(self.keys.__getitem__, places)), *columns)

    def _starts(self) -> Sequence[int]:
        """Return where the lines of each begin, and where those of the last one end."""
        if not self.head.has_rows:
            return [0] * (len(self.keys) + 1)
        counts = [course.line_count for course in self.courses]
        return list(accumulate(map(counts.__getitem__, self._codes), initial=0))

    def pairs(self, context: JudgingContext) -> Iterator[tuple[InstanceIdentity, StandingInstance]]:
        """Yield those that are left, in the order of the report."""
        models, starts = {course.model for course in self.courses}, self._starts()
        for place, key in enumerate(self.keys):
            if place not in self._removed:
                lines = CourseLines(
                    context,
                    self.file,
                    self._lines[starts[place] : starts[place + 1]],
                    self._at[starts[place] : starts[place + 1]],
                    (),
                    (),
                    _no_text,
                )
                who = self.head.owner, self.teller, key
                yield who, StandingInstance(self, place, place in models, lines)

    def judged(self, place: int) -> JudgedCourse:
        """Return how one of them went."""
        return self.courses[self._codes[place]].judged

    def judgement(self, place: int, context: JudgingContext) -> InstanceJudgement:
        """Return the judgement of that one of a way which stands for the others."""
        judged = self.judged(place)
        judgement = judged.judgement
        assert judgement.last_heard is not None
        ended = ended_with_process(
            context, judgement.owner, judgement.processes[0], judgement.last_heard
        )
        return judgement._replace(is_over=judged.is_over or ended)

    def add_to(self, crowds: Crowds, place: int, context: JudgingContext) -> None:
        """Have one of them in a crowd, behind the others of its machine."""
        code = self._codes[place]
        course = self._known.get(code)
        if course is None:
            course = self._known[code] = crowds.new_course(self.judgement(place, context))
            course.first_line = self.courses[code].first_line
        points = self._points[_POINTS * place : _POINTS * (place + 1)]
        crowds.add(course, self.keys[place], points)


@frozen(eq=False)
class StandingInstance:
    """One of a crowd, of which no new line tells; iterates over those."""

    crowd: KeptCrowd
    place: int
    stands_for_others: bool
    lines: CourseLines

    def __iter__(self) -> Iterator[Observation]:
        return iter(())

    def judge(self, crowds: Crowds) -> RepeatedPass:
        """Return what has judged it: as one of a crowd, or by itself where it stands for others, of
        whose machine there is one with a judgement at least.
        """
        context, judgement = self.lines.context, None
        if self.stands_for_others:
            judgement = self.crowd.judgement(self.place, context)
        else:
            self.crowd.add_to(crowds, self.place, context)
        return RepeatedPass(judgement, self.crowd.judged(self.place), self.lines)


def _as_array(code: str, packed: bytes) -> array[int]:
    made = array(code)
    made.frombytes(packed)
    return made


def _no_text(index: int) -> str:
    raise AssertionError("no step of those that are kept so quotes its line")
