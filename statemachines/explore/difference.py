"""What changed between two machines in behaviour: states, transitions, what becomes of other requests, log lines; each with a trace."""

from __future__ import annotations

import enum
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TypeVar

from attrs import evolve, field, frozen

from statemachines.explore.coverage import named
from statemachines.explore.pairs import Parting, Together, walk_together
from statemachines.model.data import Parameter, Variable
from statemachines.model.loglines import Line
from statemachines.model.machines import Machine, Otherwise, Transition, asks_for
from statemachines.semantics.step import manner
from statemachines.semantics.tables import tables_of

T = TypeVar("T")


class About(enum.StrEnum):
    """What a change is about; the order of a report."""

    STATE = "state"
    DATA = "variable or parameter"
    TRANSITION = "transition"
    REQUEST = "request that nothing takes"
    PREDICATE = "predicate"
    PROPERTY = "property"
    LINE = "log line"


class Sign(enum.StrEnum):
    """Which way it changed."""

    ADDED = "+"
    REMOVED = "-"
    CHANGED = "~"


@frozen
class Change:
    """One thing that is not as it was."""

    about: About
    sign: Sign
    what: str
    parting: Parting | None = None
    """A shortest run that the two do not answer alike; None where no run shows it."""
    doc: str = field(default="", eq=False)
    places: frozenset[tuple[str, str]] = field(default=frozenset(), eq=False)
    """(state, event) of all requests that it tells of."""


@frozen
class Difference:
    """All that changed between two machines."""

    old: Machine
    new: Machine
    changes: tuple[Change, ...]
    bounded: bool = False
    """Whether the two were not walked together to the end: a change may lack its trace."""

    @property
    def same_behaviour(self) -> bool | None:
        """Whether no run tells the two apart; None where not all runs were looked at."""
        if any(change.parting is not None for change in self.changes):
            return False
        return None if self.bounded else True


def difference(old: Machine, new: Machine) -> Difference:
    """Compare two machines: two releases of one, or two specs.

    Args:
        old: what was.
        new: what is.

    Returns:
        The changes, in the order of `About`, then the author's. Each is shown by a shortest run: one of the two takes its last event
        and the other does not, or they answer it otherwise.
    """
    together = walk_together(old, new)
    changes = [*_states(old, new, together), *_data(old, new, together), *_transitions(old, new, together), *_requests(old, new, together)]
    changes += [*_other_answers(changes, together), *_predicates(old, new), *_properties(old, new), *_lines(old, new)]
    return Difference(old, new, tuple(changes), together.bounded)


def _states(old: Machine, new: Machine, together: Together) -> Iterator[Change]:
    before, after = ({state.name: state for state in machine.states} for machine in (old, new))
    for name, state in after.items():
        if name not in before:
            yield Change(About.STATE, Sign.ADDED, name, together.entering(name, of_new=True), state.doc)
    for name, state in before.items():
        if name not in after:
            yield Change(About.STATE, Sign.REMOVED, name, together.entering(name, of_new=False), state.doc)
        else:
            for word, was, now in (("initial", state.initial, after[name].initial), ("final", state.final, after[name].final)):
                if was != now:
                    parting = together.beginning(name, of_new=now) if word == "initial" else None
                    yield Change(About.STATE, Sign.CHANGED, f"{name} is {'now' if now else 'no longer'} {word}", parting)


def _data(old: Machine, new: Machine, together: Together) -> Iterator[Change]:
    """Yield which parameters and variables came, went, or have another type or first value."""
    before, after = ({one.name: (_typed(one), evolve(one, doc="")) for one in _held(machine)} for machine in (old, new))
    yield from _named_things(About.DATA, before, after, lambda name, one: f"{name}: {one[0]}")
    if together.begun is not None:
        yield Change(About.DATA, Sign.CHANGED, "instances begin with other values", together.begun)


def _held(machine: Machine) -> tuple[Parameter | Variable, ...]:
    return (*machine.data.parameters, *machine.data.variables)


def _typed(one: Parameter | Variable) -> str:
    return str(one.type)


def _transitions(old: Machine, new: Machine, together: Together) -> Iterator[Change]:
    matched = _matched(old.transitions, new.transitions)
    before = {id(now): was for was, now in matched}
    kept = {id(was) for was, _ in matched}
    for arrow in new.transitions:
        if id(arrow) not in before:
            yield _of_arrow(Sign.ADDED, arrow, together, of_new=True)
    for arrow in old.transitions:
        if id(arrow) not in kept:
            yield _of_arrow(Sign.REMOVED, arrow, together, of_new=False)
    for was, now in matched:
        yield from _of_both(was, now, together)


def _of_both(was: Transition, now: Transition, together: Together) -> Iterator[Change]:
    """Yield what changed of a transition that both have."""
    if was.taken != now.taken:
        said = f"{named(now)} is {'taken now' if now.taken else 'never taken any more'}"
        yield Change(About.TRANSITION, Sign.CHANGED, said, together.taking(now if now.taken else was, of_new=now.taken), now.doc)
    elif was.silent != now.silent:
        yield Change(About.TRANSITION, Sign.CHANGED, f"{named(now)} {'may now' if now.silent else 'no longer'} pass in silence")
    elif _content(was) != _content(now):
        parting = together.partings.get((was.source, was.event))
        if parting is None and not together.bounded:
            yield Change(About.TRANSITION, Sign.CHANGED, f"{named(now)} is written otherwise, and no run shows it", doc=now.doc)
        else:
            yield Change(About.TRANSITION, Sign.CHANGED, f"{named(now)} does something else", parting, now.doc)


def _matched(old: Sequence[Transition], new: Sequence[Transition]) -> list[tuple[Transition, Transition]]:
    """Return the transitions that both have: those that are the same, then the others of an event in their order."""
    pending: dict[object, list[Transition]] = {}
    for arrow in old:
        pending.setdefault((arrow.source, arrow.target, arrow.event), []).append(arrow)
    found, others = [], list[Transition]()
    for arrow in new:
        alike = pending.get((arrow.source, arrow.target, arrow.event), [])
        same = next((one for one in alike if _content(one) == _content(arrow)), None)
        if same is None:
            others.append(arrow)
        else:
            alike.remove(same)
            found.append((same, arrow))
    for arrow in others:
        alike = pending.get((arrow.source, arrow.target, arrow.event), [])
        if alike:
            found.append((alike.pop(0), arrow))
    return found


def _content(arrow: Transition) -> object:
    """Return what a transition does, whatever its number among the cases."""
    return evolve(arrow.case, number=0, doc="") if arrow.case is not None else None


def _of_arrow(sign: Sign, arrow: Transition, together: Together, *, of_new: bool) -> Change:
    """Tell of a transition that one of the two has; of one that is never taken no run shows anything."""
    if not arrow.taken:
        return Change(About.TRANSITION, sign, f"{named(arrow)} (never taken)", doc=arrow.doc)
    return Change(About.TRANSITION, sign, named(arrow), together.taking(arrow, of_new=of_new), arrow.doc)


def _requests(old: Machine, new: Machine, together: Together) -> Iterator[Change]:
    """Yield what becomes otherwise of requests that neither machine has a transition for; alike changes are one."""
    one, other = tables_of(old), tables_of(new)
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for state in (name for name in one.states if name in other.number):
        for event in (name for name in one.events if name in other.event_number):
            if (state, event) in one.candidates or (state, event) in other.candidates:
                continue
            was, now = in_words(manner(one, state, event)), in_words(manner(other, state, event))
            if was != now:
                found.setdefault((was, now), {}).setdefault(state, []).append(event)
    for (was, now), places in found.items():
        parting = next((together.partings[s, e] for s, events in places.items() for e in events if (s, e) in together.partings), None)
        told = frozenset((state, event) for state, events in places.items() for event in events)
        yield Change(About.REQUEST, Sign.CHANGED, f"{was}, now {now}: {_listed(places, one.number)}", parting, places=told)


def in_words(entry: Otherwise | None) -> str:
    """Say what becomes of a request that no transition takes."""
    if entry is None:
        return "refused"
    words = {"ignore": "ignored", "refuse": "refused", "raise": f"raised {entry.error}", "force": "done all the same"}
    return words[entry.does.value]


def _listed(places: dict[str, list[str]], states: Container[str]) -> str:
    """Say where a request is made, states with the same requests together."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for state, events in places.items():
        alike.setdefault(tuple(asks_for(event, states) or event for event in events), []).append(state)
    return "; ".join(f"in {', '.join(states)} to {', '.join(events)}" for events, states in alike.items())


def _other_answers(known: list[Change], together: Together) -> Iterator[Change]:
    """Yield where the two part and nothing else says so: results, errors and effects of operations."""
    shown = {change.parting.place for change in known if change.parting}
    explained = {(arrow.source, arrow.event) for arrow in together.changed} | shown
    explained = explained.union(*(change.places for change in known))
    told = {arrow.event for arrow in together.changed}
    for (state, event), parting in together.partings.items():
        comes_or_goes = isinstance(parting.old, str) or isinstance(parting.new, str)
        if (state, event) not in explained and not (parting.is_request and comes_or_goes and event in told):
            about = About.REQUEST if parting.is_request else About.TRANSITION
            yield Change(about, Sign.CHANGED, f"{event}{f' in {state}' if state else ''} is answered otherwise", parting)


def _predicates(old: Machine, new: Machine) -> Iterator[Change]:
    before, after = ({one.name: one.states for one in machine.predicates} for machine in (old, new))
    yield from _named_things(About.PREDICATE, before, after, lambda name, states: f"{name}: {', '.join(states)}")


def _properties(old: Machine, new: Machine) -> Iterator[Change]:
    before, after = ({f"{one.claim.value} {one.name}": evolve(one, doc="") for one in machine.data.properties} for machine in (old, new))
    yield from _named_things(About.PROPERTY, before, after, lambda name, _: name)


def _lines(old: Machine, new: Machine) -> Iterator[Change]:
    before, after = (dict(_wordings(machine.log.lines if machine.log else ())) for machine in (old, new))
    yield from _named_things(About.LINE, before, after, lambda key, said: f"{said}: {key}")


def _wordings(lines: Iterable[Line]) -> Iterator[tuple[str, str]]:
    """Yield every wording with what it says and how loud."""
    for line in lines:
        said = " or ".join(one.value for one in line.says) + (f" ({line.level})" if line.level else "")
        yield from ((template.text, said) for template in line.templates)


def _named_things(about: About, before: dict[str, T], after: dict[str, T], say: Callable[[str, T], str]) -> Iterator[Change]:
    for name, thing in after.items():
        if name not in before:
            yield Change(about, Sign.ADDED, say(name, thing))
        elif before[name] != thing:
            yield Change(about, Sign.CHANGED, say(name, thing))
    yield from (Change(about, Sign.REMOVED, say(name, thing)) for name, thing in before.items() if name not in after)
