"""The table of a machine for a class of releases that behave alike, as the judge asks it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import cached_property
from operator import attrgetter
from typing import TypeVar

from attrs import field, frozen

from statemachines.model.loglines import Line, Says
from statemachines.model.machines import Otherwise, Spec, State, Transition, moves_of
from statemachines.model.releases import Releases

Ranged = TypeVar("Ranged", State, Transition, Otherwise, Line)
TELLS_A_STEP = {Says.STEP, Says.FORCED, Says.EVENT}


@frozen(eq=False)
class Rules:
    """States, arrows and lines that a set of releases has in common."""

    spec: Spec
    releases: Releases
    """The releases that behave like this."""
    states: tuple[str, ...]
    arrows: tuple[Transition, ...]
    every: tuple[Transition, ...]
    """The arrows, and what is called or happens beside a table of moves."""
    otherwise: tuple[Otherwise, ...]
    lines: tuple[Line, ...]
    initial: frozenset[str]
    final: frozenset[str]
    legal: dict[str, tuple[str, ...]] = field(init=False)
    """Targets of each state, in the author's order; those that the code never takes too."""

    @legal.default
    def _legal(self) -> dict[str, tuple[str, ...]]:
        targets: dict[str, dict[str, None]] = {state: {} for state in self.states}
        for arrow in self.arrows:
            targets[arrow.source][arrow.target] = None
        return {state: tuple(found) for state, found in targets.items()}

    def allows(self, source: str, target: str) -> bool:
        """Say whether there is an arrow between the two."""
        return target in self.legal.get(source, ())

    def takes(self, source: str, target: str) -> bool:
        """Say whether there is one that the system's code takes."""
        return any(arrow.taken for arrow in self.arrows if (arrow.source, arrow.target) == (source, target))

    def decided(self, source: str, target: str) -> Otherwise | None:
        """Return what the spec says of a forbidden request; None: it is refused."""
        for entry in self.otherwise:
            if entry.sources is not None and source not in entry.sources:
                continue
            if entry.targets is not None and target not in entry.targets:
                continue
            if entry.event is None or entry.event == f"to_{target}":
                return entry
        return None

    def decided_event(self, source: str, event: str) -> Otherwise | None:
        """Return what the spec says of an event that no arrow takes; None: it says nothing."""
        entries = (entry for entry in self.otherwise if entry.targets is None and entry.event in (None, event))
        return next((entry for entry in entries if entry.sources is None or source in entry.sources), None)

    @cached_property
    def tellers(self) -> dict[tuple[str, str], tuple[Line, ...]]:
        """The lines that tell each arrow."""
        lines = [line for line in self.lines if TELLS_A_STEP.intersection(line.says)]
        return {(a.source, a.target): tuple(line for line in lines if may_tell(line, a)) for a in self.arrows}

    def told_by(self, arrow: Transition) -> tuple[Line, ...]:
        """Return the lines that tell one arrow, be it a move of the table or not."""
        return tuple(line for line in self.lines if TELLS_A_STEP.intersection(line.says) and may_tell(line, arrow))

    @cached_property
    def unseen(self) -> UnseenArrows:
        """The arrows that a log may leave out, by what it shows."""
        return UnseenArrows(self)


def may_tell(line: Line, arrow: Transition) -> bool:
    """Say whether a line tells an arrow in a sound log."""
    if line.event is not None and line.event != arrow.event:
        return False
    return (not line.source or arrow.source in line.source) and (not line.target or arrow.target in line.target)


class UnseenArrows:
    """For a set of shown lines: how each arrow may pass unseen. Kept, since a log shows few different sets."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._known: dict[frozenset[int], dict[tuple[str, str], str]] = {}

    def under(self, shown: frozenset[int]) -> dict[tuple[str, str], str]:
        """Return `silent` or `hidden` for every arrow that may pass without a shown line."""
        known = self._known.get(shown)
        if known is None:
            known = self._known[shown] = dict(self._found(shown))
        return known

    def _found(self, shown: frozenset[int]) -> Iterable[tuple[tuple[str, str], str]]:
        if any(line.event for line in self._rules.lines):
            yield from self._events(shown)
        for arrow in self._rules.arrows:
            pair = arrow.source, arrow.target
            if arrow.silent:
                yield pair, "silent"
            elif arrow.taken and not any(line.number in shown for line in self._rules.tellers[pair]):
                yield pair, "hidden"

    def _events(self, shown: frozenset[int]) -> Iterable[tuple[tuple[str, str], str]]:
        """Yield what events do whose own lines are not shown, also where another event does the same and is."""
        for arrow in self._rules.every:
            if arrow.taken and not any(line.number in shown for line in self._rules.told_by(arrow)):
                yield (arrow.source, arrow.target), "hidden"


def shortest(
    rules: Rules, start: Iterable[str], goal: str, within: Iterable[tuple[str, str]] | None = None
) -> list[tuple[str, str]] | None:
    """Return the shortest path of arrows from any of some states to another; ties go to the author's order.

    Args:
        within: the arrows that may be used; None: all that the code takes.

    Returns:
        The arrows in their order; empty where the goal is among the first states; None where nothing leads there.
    """
    allowed = None if within is None else set(within)
    came: dict[str, tuple[str, str] | None] = dict.fromkeys(state for state in rules.states if state in set(start))
    todo = deque(came)
    while todo:
        state = todo.popleft()
        if state == goal:
            return _walked(came, goal)
        for target in rules.legal[state]:
            usable = rules.takes(state, target) if allowed is None else (state, target) in allowed
            if usable and target not in came:
                came[target] = (state, target)
                todo.append(target)
    return None


def may_be_in(rules: Rules, belief: Iterable[str] | None, shown: frozenset[int]) -> frozenset[str]:
    """Return where an instance may be after steps of which no shown line tells.

    Args:
        rules: of a class of releases.
        belief: where it was believed to be; None: anywhere.
        shown: the numbers of the lines that the file shows.
    """
    if belief is None:
        return frozenset(rules.states)
    unseen, known = rules.unseen.under(shown), frozenset(belief)
    return frozenset(state for state in rules.states if state in known or (unseen and shortest(rules, known, state, unseen) is not None))


def _walked(came: dict[str, tuple[str, str] | None], goal: str) -> list[tuple[str, str]]:
    path = []
    arrow = came[goal]
    while arrow:
        path.append(arrow)
        arrow = came[arrow[0]]
    return path[::-1]


def rules_of(spec: Spec) -> tuple[Rules, ...]:
    """Return the classes of releases of a spec that behave alike and write the same lines, oldest first."""
    classes: dict[tuple[object, ...], Releases] = {}
    place, rest = 0, spec.releases
    while rest >> place:
        if rest >> place & 1:
            bit = 1 << place
            classes[_behaviour(spec, bit)] = classes.get(_behaviour(spec, bit), 0) | bit
        place += 1
    return tuple(_rules(spec, releases) for releases in classes.values())


def _behaviour(spec: Spec, bit: Releases) -> tuple[object, ...]:
    lines = spec.log.lines if spec.log else ()
    ranged = _places(spec.states, bit), _places(spec.transitions, bit), _places(spec.otherwise, bit), _places(lines, bit)
    data = next((place for place, (releases, _) in enumerate(spec.versions) if releases & bit), None)
    return (*ranged, data if any(line.sets or line.event for line in lines) else None)


def _places(things: Iterable[Ranged], releases: Releases) -> tuple[int, ...]:
    return tuple(place for place, thing in enumerate(things) if thing.releases & releases)


def _rules(spec: Spec, releases: Releases) -> Rules:
    states = _kept(spec.states, releases)
    initial, final = (frozenset(s.name for s in states if chosen(s)) for chosen in (attrgetter("initial"), attrgetter("final")))
    lines = _kept(spec.log.lines if spec.log else (), releases)
    names = tuple(state.name for state in states)
    arrows = _kept(spec.transitions, releases)
    return Rules(spec, releases, names, moves_of(arrows), arrows, _kept(spec.otherwise, releases), lines, initial, final)


def _kept(things: Iterable[Ranged], releases: Releases) -> tuple[Ranged, ...]:
    return tuple(thing for thing in things if thing.releases & releases)
