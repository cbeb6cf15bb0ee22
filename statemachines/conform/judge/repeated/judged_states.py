"""All that judging the next line of an instance depends on, but for times, places and counts."""

from __future__ import annotations

from typing import Any, NamedTuple

from statemachines.conform.interchange.judgements import Belief, StatePoint
from statemachines.conform.judge.instance.instance_judge import InstanceJudge
from statemachines.conform.judge.tables.episode_tracker import EpisodeTracker
from statemachines.model.definitions.snapshots import Value


class JudgedState(NamedTuple):
    """Where an instance is known to be, as its judge and its episodes keep it."""

    process: int
    """Of the line before."""
    beliefs: tuple[tuple[int, Belief], ...]
    exact: tuple[int, str] | None
    if_untrue: frozenset[str]
    point: StatePoint | None
    """Without time and place."""
    first_point: StatePoint | None
    """Likewise."""
    is_named: bool
    """Whether only a line that names them tells of the states, and no step led there."""
    is_over: bool
    is_alive: bool
    order_unclear: bool
    has_begin_sign: bool
    is_beginning: bool
    last_step: tuple[str | None, str | None] | None
    values: tuple[tuple[str, Value], ...] | None
    """Of its variables, as far as they are known; None where its lines tell none."""
    broken: frozenset[int]
    """Its properties that do not hold, by their place."""
    episodes: tuple[Any, ...]
    """As `EpisodeTracker.state` gives it."""


def state_of(judge: InstanceJudge, tracker: EpisodeTracker) -> JudgedState:
    """Return the state of an instance of which a line was judged."""
    believed, before = judge.believed, judge.line_before
    variables, properties = judge.known_variables, judge.property_checks
    return JudgedState(
        before.place[0] if before.place is not None else -1,
        tuple(believed.beliefs.items()),
        believed.exact,
        believed.if_untrue,
        unplaced(believed.point),
        unplaced(believed.first_point),
        believed.named_since is not None,
        judge.is_over,
        judge.is_alive,
        judge.order_unclear,
        before.has_begin_sign,
        before.is_beginning,
        judge.last_step,
        variables.resume_point() if variables is not None else None,
        properties.watch.broken() if properties is not None else frozenset(),
        tracker.state(judge.incarnation),
    )


def go_to(state: JudgedState, judge: InstanceJudge, tracker: EpisodeTracker) -> None:
    """Have a judge and its episodes be in a state; points and the line before stay as they are."""
    believed, before = judge.believed, judge.line_before
    believed.beliefs = dict(state.beliefs)
    believed.exact, believed.if_untrue = state.exact, state.if_untrue
    if not state.is_named:
        believed.named_since = None
    judge.is_over, judge.is_alive, judge.order_unclear = (
        state.is_over,
        state.is_alive,
        state.order_unclear,
    )
    before.has_begin_sign, before.is_beginning = state.has_begin_sign, state.is_beginning
    judge.last_step = state.last_step
    if judge.known_variables is not None and state.values is not None:
        judge.known_variables.resume(state.values)
    if judge.property_checks is not None:
        judge.property_checks.watch.have_broken(state.broken)
    tracker.go_to(state.episodes, judge.incarnation)


def unplaced(point: StatePoint | None) -> StatePoint | None:
    """Return a point without its time and place; its process stays."""
    if point is None:
        return None
    return StatePoint(point.states, None, "", point.process, 0, 0, point.by_step)
