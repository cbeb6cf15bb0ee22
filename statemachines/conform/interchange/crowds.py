"""Instances that went as another one did, and of which nothing is told but where each is at the
end: what they have in common is kept once, and of each a few numbers.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator

from attrs import field

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.model.definitions.log_definitions import LogDefinition
from statemachines.model.values import define

CrowdKey = tuple[int | str, ...]
"""A key of which all is told."""
FirstLine = tuple[int, int, str]
"""File, line and text."""


@define(eq=False)
class Course:
    """How one instance went, and how many others went the same way."""

    number: int
    judgement: InstanceJudgement
    """Of that one, which is judged by itself and none of the others."""
    others: int = 0
    first_line: FirstLine | None = None
    """The first line of all others."""


@define(eq=False)
class Crowd:
    """The instances of one machine that went as others did, in the order of the report."""

    keys: list[CrowdKey] = field(factory=list)
    courses: array[int] = field(factory=lambda: array("i"))
    points: array[int] = field(factory=lambda: array("q"))
    """Of each the time and the line of `since` and of `first_since`; 0 where its way has none."""


@define(eq=False)
class Crowds:
    """All that went as others did.

    Complexity: memory for a key and forty bytes an instance.
    """

    courses: list[Course] = field(factory=list)
    by_owner: dict[int, Crowd] = field(factory=lambda: defaultdict(Crowd))

    def new_course(self, judgement: InstanceJudgement) -> Course:
        """Return the way of an instance that others may go, too."""
        self.courses.append(Course(len(self.courses), judgement))
        return self.courses[-1]

    def add(self, course: Course, key: CrowdKey, points: Iterable[int]) -> None:
        """Take an instance in, which comes behind the others of its machine.

        Args:
            course: which it went.
            key: its key.
            points: as `Crowd.points` has them.
        """
        crowd = self.by_owner[course.judgement.owner]
        course.others += 1
        crowd.keys.append(key)
        crowd.courses.append(course.number)
        crowd.points.extend(points)

    def members_so_far(self) -> dict[int, Crowd]:
        """Return those that came since this was asked last, and keep their ways alone."""
        members, self.by_owner = dict(self.by_owner), defaultdict(Crowd)
        return members

    def courses_of(self, owner: int) -> Iterator[Course]:
        """Yield the ways of a machine's instances."""
        return (course for course in self.courses if course.judgement.owner == owner)


def may_be_told_together(plan: CheckPlan, owner: int) -> bool:
    """Say whether nothing but an instance's own lines decides what is said of it, and nothing of
    it decides what is said of others: each is a subject of its own, casts no doubt and is in none,
    and no episode or incident is looked for in what several of them do.
    """
    log, name = plan.owners[owner].log, plan.owners[owner].name
    if log is None or log.generation is not None or log.subject not in ((), log.instance):
        return False
    if [owner.name for owner in plan.owners].count(name) > 1:
        return False
    if log.is_program or log.sole is not None or log.doubts:
        return False
    if any(kind.grouped_by or kind.within or kind.ends_with for kind in log.episodes):
        return False
    return not any(_asks_about(other.log, name) for other in plan.owners if other.log is not None)


def _asks_about(log: LogDefinition, machine: str) -> bool:
    """Say whether what is said of one machine depends on where another's instances are."""
    signs = (episode.ends_with for episode in log.episodes)
    return (
        any(doubt.machine == machine for doubt in log.doubts)
        or any(sign is not None and sign.machine == machine for sign in signs)
        or any(kind.through == machine for kind in log.incidents)
    )
