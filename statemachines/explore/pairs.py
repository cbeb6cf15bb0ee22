"""Two machines given the same events: where they part, and the shortest way there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from attrs import define, field, frozen

from statemachines.explore.drawing import MOST_GONE_THROUGH, MOST_TRIED, Values, all_arguments
from statemachines.explore.scopes import NOTHING_SAID, beginnings, extent
from statemachines.model.machines import Machine, Transition
from statemachines.model.snapshots import Advanced, Answer, Forced, Ignored, Raised, Refused, Snapshot
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.step import decided, step
from statemachines.semantics.tables import Tables, tables_of
from statemachines.semantics.texts import exact

T = TypeVar("T")
MOST_ASKED = 3_000
"""Events that are asked about on one walk; beyond, a change may lack its trace."""
MOST_BEGINNINGS = 20
"""Beginnings that a walk sets out from, where a machine has more."""


@frozen
class Asked:
    """An event with its arguments."""

    event: str
    arguments: Values = field(factory=dict)


@frozen
class Parting:
    """A run that two machines do not answer alike: they do up to its last event, unless no such run shows the change."""

    begin: Snapshot
    events: tuple[Asked, ...]
    old: Answer | str
    """What the older one says to the last event; a text where it cannot be asked (any more)."""
    new: Answer | str
    place: tuple[str, str]
    """(state, event) at the end."""

    @property
    def is_request(self) -> bool:
        """Whether neither takes the last event: it is about what becomes of a request."""
        return not (_takes(self.old) or _takes(self.new))


@define(eq=False)
class Together:
    """Two machines walked through side by side."""

    old: Tables
    new: Tables
    partings: dict[tuple[str, str], Parting] = field(factory=dict)
    """(state, event) to the shortest run after which they answer otherwise, for runs that they answer alike before."""
    changed: list[Transition] = field(factory=list)
    bounded: bool = False
    begun: Parting | None = None
    """A beginning that the other one has with other values."""
    alone: dict[bool, dict[str | int, Parting]] = field(factory=dict)

    def taking(self, arrow: Transition, *, of_new: bool) -> Parting | None:
        """Return a shortest run that ends with a transition which one of the two has."""
        self.changed.append(arrow)
        return self.partings.get((arrow.source, arrow.event)) or self._alone(of_new).get(id(arrow))

    def entering(self, state: str, *, of_new: bool) -> Parting | None:
        """Return a shortest run that ends in a state which one of the two has."""
        for parting in self.partings.values():
            answer = parting.new if of_new else parting.old
            if not isinstance(answer, str) and answer.after.state == state:
                return parting
        return self.beginning(state, of_new=of_new) or self._alone(of_new).get(state)

    def beginning(self, state: str, *, of_new: bool) -> Parting | None:
        """Return a run of no events: an instance of one of the two begins in a state; None where none does."""
        begin = next((one for one in _beginnings(self.new if of_new else self.old) if one.state == state), None)
        if begin is None:
            return None
        nothing, something = f"nothing begins in {state}", f"an instance begins in {state}"
        return Parting(begin, (), *((nothing, something) if of_new else (something, nothing)), (state, ""))

    def _alone(self, of_new: bool) -> dict[str | int, Parting]:
        """Return the shortest runs of one of the two alone, the other answering as far as it can: by the last transition and state."""
        if of_new not in self.alone:
            tables, other = (self.new, self.old) if of_new else (self.old, self.new)
            found = self.alone[of_new] = dict[str | int, Parting]()
            for begin, events, now, asked, answer in runs(tables):
                ends: list[str | int] = [id(answer.decided_by), answer.after.state]
                keys = [end for end in ends if end not in found]
                if keys:
                    said = last_answer(other, begin, (*events, asked))
                    old, new = (said, answer) if of_new else (answer, said)
                    found |= dict.fromkeys(keys, Parting(begin, (*events, asked), old, new, (now.state, asked.event)))
        return self.alone[of_new]


def walk_together(old: Machine, new: Machine) -> Together:
    """Give two machines the same events, breadth first, as long as they answer alike."""
    together = Together(tables_of(old), tables_of(new))
    pairs: dict[tuple[Snapshot, Snapshot], tuple[Snapshot, tuple[Asked, ...]]] = {}
    for one, other in _begin_together(together):
        pairs.setdefault((one, other), (one, ()))
    pending, asks = list(pairs), 0
    for pair in pending:
        begin, events = pairs[pair]
        for asked, answers in _answers(together, *pair):
            asks += 1
            if asks > MOST_ASKED:
                together.bounded = True
                return together
            if not _alike(*answers):
                run = Parting(begin, (*events, asked), *answers, (pair[0].state, asked.event))
                together.partings.setdefault(run.place, run)
            elif not isinstance(answers[0], str) and not isinstance(answers[1], str):
                following = answers[0].after, answers[1].after
                if following not in pairs:
                    pairs[following] = begin, (*events, asked)
                    pending.append(following)
    return together


def _begin_together(together: Together) -> list[tuple[Snapshot, Snapshot]]:
    """Return beginnings that the two have in common: same state, same parameters and variables as far as both have them."""
    shared = _parameters(together.old) & _parameters(together.new)
    others: dict[object, list[Snapshot]] = {}
    for other in _beginnings(together.new):
        others.setdefault(_known_by(other, shared), []).append(other)
    found = []
    for one in _beginnings(together.old):
        like = others.get(_known_by(one, shared), [])
        agreeing = [(one, other) for other in like if _agree(one, other)]
        if like and not agreeing and together.begun is None:
            held, now = _apart(one, like[0])
            together.begun = Parting(one, (), f"begins with {held}", f"begins with {now}", (one.state, ""))
        found += agreeing
    return _spread(found)


def _apart(one: Snapshot, other: Snapshot) -> tuple[str, str]:
    """Say what two snapshots hold otherwise of the variables that both have."""
    names = [name for name, value in one.variables.items() if name in other.variables and other.variables[name] != value]
    first, second = (", ".join(f"{name}={exact(each.variables[name])}" for name in names) for each in (one, other))
    return first, second


def _parameters(tables: Tables) -> frozenset[str]:
    return frozenset(parameter.name for parameter in tables.machine.data.parameters)


def _known_by(begin: Snapshot, shared: frozenset[str]) -> object:
    return begin.state, frozenset((name, value) for name, value in begin.parameters.items() if name in shared)


@lru_cache(maxsize=8)
def _beginnings(tables: Tables) -> tuple[Snapshot, ...]:
    """Return the beginnings of a machine within its own scope."""
    return beginnings(tables.behaviour, extent(tables.behaviour, NOTHING_SAID), NOTHING_SAID)


def _spread(found: Sequence[T]) -> list[T]:
    """Return some of many, the first one among them, spread over all."""
    return list(found[:: max(1, -(-len(found) // MOST_BEGINNINGS))])


def _agree(one: Snapshot, other: Snapshot) -> bool:
    """Tell whether variables that both have are the same."""
    return all(other.variables[name] == value for name, value in one.variables.items() if name in other.variables)


def _answers(together: Together, one: Snapshot, other: Snapshot) -> Iterator[tuple[Asked, tuple[Answer | str, Answer | str]]]:
    """Yield every event that one of the two takes, with both answers."""
    for event in dict.fromkeys((*together.new.events, *together.old.events)):
        drawn_by, now = (together.new, other) if event in together.new.event_number else (together.old, one)
        for asked in _asked(drawn_by, now, event):
            yield asked, (answer_of(together.old, one, asked), answer_of(together.new, other, asked))


def _asked(tables: Tables, now: Snapshot, event: str) -> Iterator[Asked]:
    arguments = all_arguments(tables.behaviour, extent(tables.behaviour, NOTHING_SAID), now, event, most=MOST_GONE_THROUGH)
    return (Asked(event, one) for one in itertools.islice(arguments, MOST_TRIED))


def answer_of(tables: Tables, now: Snapshot, asked: Asked) -> Answer | str:
    """Return what a machine says to an event; a text where it cannot be asked."""
    if asked.event not in tables.event_number:
        return "there is no such event"
    try:
        return step(tables, now, asked.event, **asked.arguments)
    except ArgumentsError as problem:
        return str(problem)


def last_answer(tables: Tables, begin: Snapshot, events: tuple[Asked, ...]) -> Answer | str:
    """Return what a machine says to the last of some events, or to the first one before it that it does not take."""
    shared = _parameters(tables) & begin.parameters.keys()
    wanted = _known_by(begin, frozenset(shared))
    now = next((one for one in _beginnings(tables) if _known_by(one, frozenset(shared)) == wanted), None)
    if now is None:
        return f"nothing begins in {begin.state}"
    said: Answer | str = "nothing happens"
    for number, asked in enumerate(events):
        said = answer_of(tables, now, asked)
        if isinstance(said, str) or (number + 1 < len(events) and not _takes(said)):
            return said if isinstance(said, str) else f"{asked.event} before it is {words_of(said)}"
        now = said.after
    return said


def words_of(answer: Answer | str) -> str:
    """Say an answer in a few words."""
    match answer:
        case str():
            return answer
        case Ignored():
            return "ignored"
        case Refused(reason=reason):
            return f"refused: {reason}" if reason else "refused"
        case Raised(error=error):
            return f"raised {error}"
        case Forced(after=after):
            return f"done all the same, to {after.state}"
        case Advanced(after=after):
            return f"taken, to {after.state}" if after.state else "taken"


def both_in_words(parting: Parting) -> tuple[str, str]:
    """Say both answers at the end of a run; where a few words are the same, what is returned and what is held then."""
    old, new = parting.old, parting.new
    first, second = words_of(old), words_of(new)
    if first != second or isinstance(old, str) or isinstance(new, str):
        return first, second
    if old.returned != new.returned:
        return f"{first}, returns {exact(old.returned)}", f"{second}, returns {exact(new.returned)}"
    held, now = _apart(old.after, new.after)
    return f"{first}, {held}", f"{second}, {now}"


def runs(tables: Tables) -> Iterator[tuple[Snapshot, tuple[Asked, ...], Snapshot, Asked, Answer]]:
    """Yield every legal step of a machine, and the shortest legal run before it.

    Yields:
        Where it began, its events, where it is then, the event of the step, and the answer.
    """
    ways: dict[Snapshot, tuple[Snapshot, tuple[Asked, ...]]] = {one: (one, ()) for one in _spread(_beginnings(tables))}
    pending = list(ways)
    asks = 0
    for now in pending:
        begin, events = ways[now]
        for event in tables.events:
            for asked in _asked(tables, now, event):
                asks += 1
                if asks > MOST_ASKED:
                    return
                answer = decided(tables, now, event, asked.arguments)
                if not _takes(answer) or isinstance(answer, Forced):
                    continue
                yield begin, events, now, asked, answer
                if answer.after not in ways:
                    ways[answer.after] = begin, (*events, asked)
                    pending.append(answer.after)


def _alike(one: Answer | str, other: Answer | str) -> bool:
    """Tell whether two answers are the same to whoever asked; an event that is not there comes to the same as one that is refused."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str | Refused) and isinstance(other, str | Refused)
    same = type(one) is type(other) and one.error == other.error and one.returned == other.returned
    return same and one.after.state == other.after.state and _agree(one.after, other.after)


def _takes(answer: Answer | str) -> bool:
    return isinstance(answer, Advanced | Forced) or (isinstance(answer, Raised) and isinstance(answer.decided_by, Transition))
