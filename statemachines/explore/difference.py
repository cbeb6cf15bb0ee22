"""What changed between two machines in behaviour: states, transitions, what becomes of other requests, log lines; each with a trace."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from attrs import evolve, field, frozen

from statemachines.explore.coverage import named
from statemachines.explore.pairs import Parting, Together, walk_together
from statemachines.model.loglines import Line
from statemachines.model.machines import Machine, Otherwise, Transition
from statemachines.semantics.step import manner
from statemachines.semantics.tables import tables_of

T = TypeVar("T")


class About(enum.StrEnum):
    """What a change is about; the order of a report."""

    STATE = "state"
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


@frozen
class Difference:
    """All that changed between two machines."""

    old: Machine
    new: Machine
    changes: tuple[Change, ...]
    bounded: bool = False
    """Whether the two were not walked together to the end: a change may lack its trace."""


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
    changes = [*_states(old, new, together), *_transitions(old, new, together), *_requests(old, new, together)]
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
                    yield Change(About.STATE, Sign.CHANGED, f"{name} is {'now' if now else 'no longer'} {word}")


def _transitions(old: Machine, new: Machine, together: Together) -> Iterator[Change]:
    before, after = _arrows(old), _arrows(new)
    for key, arrow in after.items():
        if key not in before:
            yield Change(About.TRANSITION, Sign.ADDED, named(arrow), together.taking(arrow, of_new=True), arrow.doc)
    for key, arrow in before.items():
        if key not in after:
            yield Change(About.TRANSITION, Sign.REMOVED, named(arrow), together.taking(arrow, of_new=False), arrow.doc)
        elif arrow.taken != after[key].taken:
            said = f"{named(arrow)} is {'taken now' if after[key].taken else 'never taken any more'}"
            yield Change(About.TRANSITION, Sign.CHANGED, said, together.taking(arrow, of_new=after[key].taken), after[key].doc)
        elif arrow.silent != after[key].silent:
            yield Change(
                About.TRANSITION, Sign.CHANGED, f"{named(arrow)} {'may now' if after[key].silent else 'no longer'} pass in silence"
            )
        elif arrow.case != after[key].case:
            parting = together.partings.get((arrow.source, arrow.event))
            yield Change(About.TRANSITION, Sign.CHANGED, f"{named(arrow)} does something else", parting, after[key].doc)


def _arrows(machine: Machine) -> dict[tuple[str, str, str, int], Transition]:
    """Return the transitions by what they are known by; of two alike, the first."""
    found: dict[tuple[str, str, str, int], Transition] = {}
    for arrow in machine.transitions:
        found.setdefault((arrow.source, arrow.target, arrow.event, arrow.case.number if arrow.case else 0), arrow)
    return found


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
        yield Change(About.REQUEST, Sign.CHANGED, f"{was}, now {now}: {_listed(places)}", parting)


def in_words(entry: Otherwise | None) -> str:
    """Say what becomes of a request that no transition takes."""
    if entry is None:
        return "refused"
    words = {"ignore": "ignored", "refuse": "refused", "raise": f"raised {entry.error}", "force": "done all the same"}
    return words[entry.does.value]


def _listed(places: dict[str, list[str]]) -> str:
    """Say where a request is made, states with the same requests together."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for state, events in places.items():
        alike.setdefault(tuple(event.removeprefix("to_") for event in events), []).append(state)
    return "; ".join(f"in {', '.join(states)} to {', '.join(events)}" for events, states in alike.items())


def _other_answers(known: list[Change], together: Together) -> Iterator[Change]:
    """Yield where the two part and nothing else says so: results, errors and effects of operations."""
    shown = {change.parting.place for change in known if change.parting}
    explained = {(arrow.source, arrow.event) for arrow in together.changed} | shown
    for (state, event), parting in together.partings.items():
        if (state, event) not in explained and not parting.is_request:
            yield Change(About.TRANSITION, Sign.CHANGED, f"{event}{f' in {state}' if state else ''} is answered otherwise", parting)


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
