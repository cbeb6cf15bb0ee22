"""Where an instance may be, as far as its lines show: by class of releases, and as points of its
timeline.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from statemachines.conform.interchange.judgements import (
    ANY_STATE,
    Belief,
    SimpleSteps,
    StatePoint,
    point_after,
)
from statemachines.conform.judge.checks.group_check import ClassGroup
from statemachines.conform.judge.tables.release_tables import ReleaseClass


class BelievedStates:
    """The states in which each class of releases believes an instance to be."""

    def __init__(self, states: Sequence[str]) -> None:
        self._all_states = tuple(states)
        """Of the spec, in the author's order."""
        self.beliefs: dict[int, Belief] = {}
        """By the releases of a class; never changed, but replaced."""
        self.exact: tuple[int, str] | None = None
        """What fits, and the one state in which every class of it believes."""
        self.if_untrue: frozenset[str] = frozenset()
        """After a forbidden step: the states in which it may be if the line is not true."""
        self.point: StatePoint | None = None
        self.point_before: StatePoint | None = None
        """The point before the last."""
        self.first_point: StatePoint | None = None
        """The first point that tells the same states as the last: a step, where one does."""
        self.named_since: int | None = None
        """When a line first named these states, where no step led there."""
        self._listed: tuple[dict[int, Belief], tuple[str, ...] | None] = self.beliefs, None
        """Beliefs, and the states in them."""

    def copy(self) -> BelievedStates:
        """Return the same for a judge that goes on by itself."""
        return copy(self)

    def states(self) -> tuple[str, ...] | None:
        """Return the states that the instance may be in, in the author's order; None: any."""
        if self._listed[0] is not self.beliefs:
            self._listed = self.beliefs, self._find_states()
        return self._listed[1]

    def _find_states(self) -> tuple[str, ...] | None:
        possible: set[str] = set()
        for belief in self.beliefs.values():
            if belief is None:
                return None
            possible |= belief
        if not self.beliefs:
            return None
        return tuple(dict.fromkeys(name for name in self._all_states if name in possible))

    def class_belief(self, rules: ReleaseClass) -> Belief:
        """Return the states that a class of releases believes in; what another class believed holds
        where it was not asked before.
        """
        if rules.releases in self.beliefs or not self.beliefs:
            return self.beliefs.get(rules.releases, ANY_STATE)
        states = self.states()
        return ANY_STATE if states is None else frozenset(states)

    def forget(self) -> None:
        """Believe in any state from here on."""
        self.beliefs, self.exact = {}, None

    def take_simple_steps(
        self, steps: SimpleSteps, beliefs: dict[int, Belief], fitting: int
    ) -> None:
        """Go where simple steps lead.

        Args:
            steps: what counts of them.
            beliefs: of every class, after the last of them.
            fitting: the releases that fit all of them.
        """
        self.if_untrue = frozenset()
        self.beliefs, self.exact = beliefs, (fitting, steps.last.target or "")
        self.point_before = point_after(steps.before) if steps.before is not None else self.point
        self.point = point_after(steps.last)
        came = steps.came
        if came is None and (self.first_point is None or not self.first_point.by_step):
            came = steps.first
        if came is not None:
            self.first_point = point_after(came)
        self.named_since = None

    def take_group(
        self,
        beliefs: dict[int, Belief],
        chosen: ClassGroup,
        here: StatePoint,
        *,
        anew: bool = False,
    ) -> StatePoint | None:
        """Believe what a line tells.

        Args:
            beliefs: of every class that read the line.
            chosen: the group that counts.
            here: where the line stands; its states are filled in.
            anew: whether a life, or the process that tells of it, began here or since the line
                before: then it came to these states now, also where it was in them before.

        Returns:
            The new point, where the states change.
        """
        self.if_untrue, self.beliefs = chosen.states_if_untrue, beliefs
        states, begins = self.states(), chosen.begins_incarnation or anew
        if states is None:
            self.point_before, self.point, self.first_point = self.point, None, None
            self.named_since = None
            return None
        if self.point is not None and self.point.states == states and not (chosen.rows or begins):
            return None
        self.point_before, self.point = self.point, here._replace(states=states)
        if begins or not self._repeats_first_point(self.point):
            self.first_point, self.named_since = self.point, here.at
        if any(target is not None for _, target, _ in chosen.rows):
            self.named_since = None
        return self.point

    def set_exact(self, fitting: int, *, all_classes_read: bool) -> None:
        """Note what fits and the one state that every class of it believes in, where they agree.

        Args:
            fitting: the releases that fit.
            all_classes_read: whether every class in which one of them fits read the line.
        """
        states = self.states()
        agreed = all_classes_read and states is not None and len(states) == 1
        self.exact = (fitting, states[0]) if agreed and states else None

    def _repeats_first_point(self, point: StatePoint) -> bool:
        """Whether a point only repeats the first one; a step tells more than a word about the
        state, which may be old.
        """
        first = self.first_point
        return (
            first is not None
            and first.states == point.states
            and (first.by_step or not point.by_step)
        )
