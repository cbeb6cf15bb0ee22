"""The table of a machine for a class of releases that behave alike, as the judge asks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from operator import attrgetter
from typing import TypeVar

from attrs import field

from statemachines.model.breadth_first import search_breadth_first
from statemachines.model.definitions.log_definitions import LineDefinition, LineKind
from statemachines.model.definitions.machine_definitions import (
    Otherwise,
    SpecDefinition,
    State,
    Transition,
    state_moves,
)
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.values import frozen

_WithReleases = TypeVar("_WithReleases", State, Transition, Otherwise, LineDefinition)
STEP_LINE_KINDS = {LineKind.STEP, LineKind.FORCED, LineKind.EVENT}
_Path = tuple[tuple[str, str], ...]
"""Transitions one after the other, each with its from and to."""
_MOST_PATHS = 10_000
"""Shortest paths of a class of releases that are kept."""


@frozen(eq=False)
class ReleaseClass:
    """States, transitions and lines that a set of releases has in common."""

    spec: SpecDefinition
    releases: ReleaseSet
    """The releases that behave like this."""
    states: tuple[str, ...]
    transitions: tuple[Transition, ...]
    all_transitions: tuple[Transition, ...]
    """The transitions, and what is called or happens beside a table of moves."""
    fallbacks: tuple[Otherwise, ...]
    lines: tuple[LineDefinition, ...]
    initial: frozenset[str]
    final: frozenset[str]
    legal_targets: dict[str, tuple[str, ...]] = field(init=False)
    """Targets of each state, in the author's order; those that the code never takes too."""

    @legal_targets.default
    def _legal(self) -> dict[str, tuple[str, ...]]:
        targets: dict[str, dict[str, None]] = {state: {} for state in self.states}
        for transition in self.transitions:
            targets[transition.source][transition.target] = None
        return {state: tuple(target) for state, target in targets.items()}

    def allows(self, source: str, target: str) -> bool:
        """Say whether there is a transition between the two."""
        return target in self.legal_targets.get(source, ())

    def takes(self, source: str, target: str) -> bool:
        """Say whether there is one that the system's code takes."""
        return (source, target) in self.taken_steps

    def may_return_to(self, state: str) -> bool:
        """Say whether steps lead away from a state and back: else it is on the way to an end."""
        others = [other for other in self.legal_targets.get(state, ()) if other != state]
        return bool(others) and self.paths.path(others, state) is not None

    @cached_property
    def taken_steps(self) -> frozenset[tuple[str, str]]:
        """From and to of the transitions that the system's code takes."""
        return frozenset((a.source, a.target) for a in self.transitions if a.taken)

    def request_fallback(self, source: str, target: str) -> Otherwise | None:
        """Return what the spec says of a forbidden request; None: it is refused."""
        for entry in self.fallbacks:
            if entry.sources is not None and source not in entry.sources:
                continue
            if entry.targets is not None and target not in entry.targets:
                continue
            if entry.event is None or entry.event == f"to_{target}":
                return entry
        return None

    def event_fallback(self, source: str, event: str) -> Otherwise | None:
        """Return what the spec says of an event that no transition takes; None: it says nothing."""
        entries = (
            entry
            for entry in self.fallbacks
            if entry.targets is None and entry.event in (None, event)
        )
        return next(
            (entry for entry in entries if entry.sources is None or source in entry.sources), None
        )

    @cached_property
    def lines_by_step(self) -> dict[tuple[str, str], tuple[LineDefinition, ...]]:
        """The lines that tell each transition."""
        lines = [line for line in self.lines if STEP_LINE_KINDS.intersection(line.kinds)]
        return {
            (a.source, a.target): tuple(line for line in lines if _may_observe(line, a))
            for a in self.transitions
        }

    def lines_observing(self, transition: Transition) -> tuple[LineDefinition, ...]:
        """Return the lines that tell one transition, be it a move of the table or not."""
        return tuple(
            line
            for line in self.lines
            if STEP_LINE_KINDS.intersection(line.kinds) and _may_observe(line, transition)
        )

    @cached_property
    def unseen(self) -> UnseenTransitions:
        """The transitions that a log may leave out, by what it shows."""
        return UnseenTransitions(self)

    @cached_property
    def paths(self) -> KnownPaths:
        """The shortest paths that were asked for."""
        return KnownPaths(self)


def _may_observe(line: LineDefinition, transition: Transition) -> bool:
    """Say whether a line tells a transition in a sound log."""
    if line.event is not None and line.event != transition.event:
        return False
    return (not line.source or transition.source in line.source) and (
        not line.target or transition.target in line.target
    )


class UnseenTransitions:
    """For a set of shown lines: how each transition may pass unseen.

    Kept, since a log shows few different sets.
    """

    def __init__(self, rules: ReleaseClass) -> None:
        self._rules = rules
        self._cache: dict[frozenset[int], dict[tuple[str, str], str]] = {}

    def unseen_steps(self, shown: frozenset[int]) -> dict[tuple[str, str], str]:
        """Return `silent` or `hidden` for every transition that may pass without a shown line."""
        known = self._cache.get(shown)
        if known is None:
            known = self._cache[shown] = dict(self._find_unseen_steps(shown))
        return known

    def _find_unseen_steps(self, shown: frozenset[int]) -> Iterable[tuple[tuple[str, str], str]]:
        if any(line.event for line in self._rules.lines):
            yield from self._unseen_events(shown)
        for transition in self._rules.transitions:
            pair = transition.source, transition.target
            if transition.silent:
                yield pair, "silent"
            elif transition.taken and not any(
                line.index in shown for line in self._rules.lines_by_step[pair]
            ):
                yield pair, "hidden"

    def _unseen_events(self, shown: frozenset[int]) -> Iterable[tuple[tuple[str, str], str]]:
        """Yield what events do whose own lines are not shown, also where another event does the
        same and is.
        """
        for transition in self._rules.all_transitions:
            if transition.taken and not any(
                line.index in shown for line in self._rules.lines_observing(transition)
            ):
                yield (transition.source, transition.target), "hidden"


class KnownPaths:
    """The shortest paths of transitions from any of some states to another; ties go to the author's
    order.

    Kept, since a log that is wrong is mostly wrong in the same way again and again.
    """

    def __init__(self, rules: ReleaseClass) -> None:
        self._rules = rules
        self._known: dict[tuple[frozenset[str], str, frozenset[int] | None], _Path | None] = {}

    def path(self, start: Iterable[str], goal: str) -> _Path | None:
        """Return the shortest path over transitions that the system's code takes.

        Returns:
            The transitions in their order; empty where the goal is among the first states; None
            where nothing leads there.
        """
        return self._path(frozenset(start), goal, None)

    def unseen_path(self, start: Iterable[str], goal: str, shown: frozenset[int]) -> _Path | None:
        """Return the same over transitions of which a log tells nothing.

        Args:
            start: any of these.
            goal: where the path leads.
            shown: the numbers of the lines that the log shows.
        """
        return self._path(frozenset(start), goal, shown)

    def _path(self, start: frozenset[str], goal: str, shown: frozenset[int] | None) -> _Path | None:
        key = start, goal, shown
        if key not in self._known:
            if len(self._known) >= _MOST_PATHS:
                self._known.clear()
            self._known[key] = self._find_path(start, goal, shown)
        return self._known[key]

    def _find_path(
        self, start: frozenset[str], goal: str, shown: frozenset[int] | None
    ) -> _Path | None:
        rules = self._rules
        allowed = rules.taken_steps if shown is None else rules.unseen.unseen_steps(shown)

        def steps(state: str) -> Iterator[tuple[tuple[str, str], str]]:
            for target in rules.legal_targets[state]:
                if (state, target) in allowed:
                    yield (state, target), target

        search = search_breadth_first(
            (state for state in rules.states if state in start), steps, goal.__eq__
        )
        return None if search.goal is None else tuple(search.path_to(goal)[1])


def possible_states(
    rules: ReleaseClass, belief: Iterable[str] | None, shown: frozenset[int]
) -> frozenset[str]:
    """Return where an instance may be after steps of which no shown line tells.

    Args:
        rules: of a class of releases.
        belief: where it was believed to be; None: anywhere.
        shown: the numbers of the lines that the file shows.
    """
    if belief is None:
        return frozenset(rules.states)
    unseen, known = rules.unseen.unseen_steps(shown), frozenset(belief)
    return frozenset(
        state
        for state in rules.states
        if state in known or (unseen and rules.paths.unseen_path(known, state, shown) is not None)
    )


def release_classes(spec: SpecDefinition) -> tuple[ReleaseClass, ...]:
    """Return the classes of releases of a spec that behave alike and write the same lines, oldest
    first.
    """
    classes: dict[tuple[object, ...], ReleaseSet] = {}
    index, rest = 0, spec.releases
    while rest >> index:
        if rest >> index & 1:
            bit = 1 << index
            key = _behaviour_key(spec, bit)
            classes[key] = classes.get(key, 0) | bit
        index += 1
    return tuple(_make_release_class(spec, releases) for releases in classes.values())


def _behaviour_key(spec: SpecDefinition, bit: ReleaseSet) -> tuple[object, ...]:
    lines = spec.log.lines if spec.log else ()
    ranged = (
        _indexes_in_releases(spec.states, bit),
        _indexes_in_releases(spec.transitions, bit),
        _indexes_in_releases(spec.otherwise, bit),
        _indexes_in_releases(lines, bit),
    )
    data = next(
        (index for index, (releases, _) in enumerate(spec.versions) if releases & bit), None
    )
    return (*ranged, data if any(line.variable_templates or line.event for line in lines) else None)


def _indexes_in_releases(things: Iterable[_WithReleases], releases: ReleaseSet) -> tuple[int, ...]:
    return tuple(index for index, thing in enumerate(things) if thing.releases & releases)


def _make_release_class(spec: SpecDefinition, releases: ReleaseSet) -> ReleaseClass:
    states = _in_releases(spec.states, releases)
    initial, final = (
        frozenset(s.name for s in states if chosen(s))
        for chosen in (attrgetter("initial"), attrgetter("final"))
    )
    lines = _in_releases(spec.log.lines if spec.log else (), releases)
    names = tuple(state.name for state in states)
    transitions = _in_releases(spec.transitions, releases)
    return ReleaseClass(
        spec,
        releases,
        names,
        state_moves(transitions),
        transitions,
        _in_releases(spec.otherwise, releases),
        lines,
        initial,
        final,
    )


def _in_releases(
    things: Iterable[_WithReleases], releases: ReleaseSet
) -> tuple[_WithReleases, ...]:
    return tuple(thing for thing in things if thing.releases & releases)
