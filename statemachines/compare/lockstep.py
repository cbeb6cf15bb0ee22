"""Two machines given the same events: where they part, and the shortest way there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from attrs import define, field, frozen

from statemachines.explore.scopes import (
    DEFAULT_SCOPE,
    scope_extent,
    scoped_initial_snapshots,
)
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Ignored,
    NamedValues,
    Raised,
    Refused,
    Snapshot,
)
from statemachines.semantics.arguments.value_sampling import (
    fitting_arguments,
)
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables
from statemachines.semantics.machine.step import step, unchecked_step, was_taken
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.messages.value_text import format_literal

T = TypeVar("T")
_MOST_EVENTS = 3_000
"""Events that are asked about on one walk; beyond, a change may lack its trace."""
_MOST_STARTS = 20
"""Beginnings that a walk sets out from, where a machine has more."""


@frozen
class EventCall:
    """An event with its arguments."""

    event: str
    arguments: NamedValues = field(factory=dict)


@frozen
class Divergence:
    """A run that two machines do not answer alike: they do up to its last event, unless no such run
    shows the change.
    """

    begin: Snapshot
    events: tuple[EventCall, ...]
    old: Answer | str
    """What the older one says to the last event; a text where it cannot be asked (any more)."""
    new: Answer | str
    state_event: tuple[str, str]
    """(state, event) at the end."""

    @property
    def is_request(self) -> bool:
        """Whether neither takes the last event: it is about what becomes of a request."""
        return not (was_taken(self.old) or was_taken(self.new))


@define(eq=False)
class Lockstep:
    """Two machines walked through side by side."""

    old: MachineTables
    new: MachineTables
    divergences: dict[tuple[str, str], Divergence] = field(factory=dict)
    """(state, event) to the shortest run after which they answer otherwise, for runs that they
    answer alike before.
    """
    changed: list[Transition] = field(factory=list)
    bounded: bool = False
    start_divergence: Divergence | None = None
    """A beginning that the other one has with other values."""
    known_alone: dict[bool, dict[str | int, Divergence]] = field(factory=dict)

    def run_taking(self, transition: Transition, *, of_new: bool) -> Divergence | None:
        """Return a shortest run that ends with a transition which one of the two has.

        Args:
            transition: of one of the two.
            of_new: whether it is the new machine's.

        Returns:
            None where no run takes it.
        """
        self.changed.append(transition)
        parting = self.divergences.get((transition.source, transition.event))
        answer = parting and (parting.new if of_new else parting.old)
        if isinstance(answer, Advanced | Forced | Raised) and answer.decided_by is transition:
            return parting
        return self._runs_alone(of_new).get(id(transition))

    def run_entering(self, state: str, *, of_new: bool) -> Divergence | None:
        """Return a shortest run that ends in a state which one of the two has.

        Args:
            state: its name.
            of_new: whether it is the new machine's.

        Returns:
            None where no run enters it.
        """
        for parting in self.divergences.values():
            answer = parting.new if of_new else parting.old
            if not isinstance(answer, str) and answer.after.state == state:
                return parting
        return self.run_starting_in(state, of_new=of_new) or self._runs_alone(of_new).get(state)

    def run_starting_in(self, state: str, *, of_new: bool) -> Divergence | None:
        """Return a run of no events: an instance of one of the two begins in a state; None where
        none does.

        Args:
            state: its name.
            of_new: whether it is the new machine's.

        Returns:
            A run of no steps.
        """
        begin = next(
            (
                initial_snapshot
                for initial_snapshot in _initial_snapshots(self.new if of_new else self.old)
                if initial_snapshot.state == state
            ),
            None,
        )
        if begin is None:
            return None
        nothing, something = f"nothing begins in {state}", f"an instance begins in {state}"
        return Divergence(
            begin, (), *((nothing, something) if of_new else (something, nothing)), (state, "")
        )

    def _runs_alone(self, of_new: bool) -> dict[str | int, Divergence]:
        """Return the shortest runs of one of the two alone, the other answering as far as it can:
        by the last transition and state.
        """
        if of_new not in self.known_alone:
            tables, other = (self.new, self.old) if of_new else (self.old, self.new)
            divergences = self.known_alone[of_new] = dict[str | int, Divergence]()
            for begin, events, now, call, answer in _legal_steps(tables):
                ends: list[str | int] = [id(answer.decided_by), answer.after.state]
                keys = [end for end in ends if end not in divergences]
                if keys:
                    other_answer = _last_answer(other, begin, (*events, call))
                    old, new = (other_answer, answer) if of_new else (answer, other_answer)
                    divergences |= dict.fromkeys(
                        keys,
                        Divergence(begin, (*events, call), old, new, (now.state, call.event)),
                    )
        return self.known_alone[of_new]


def walk_in_lockstep(old: MachineDefinition, new: MachineDefinition) -> Lockstep:
    """Give two machines the same events, breadth first, as long as they answer alike.

    Args:
        old: in one release.
        new: in another one, or of another spec.

    Returns:
        Where they part, with a shortest way to each.
    """
    together = Lockstep(machine_tables(old), machine_tables(new))
    pairs: dict[tuple[Snapshot, Snapshot], tuple[Snapshot, tuple[EventCall, ...]]] = {}
    for one, other in _common_starts(together):
        pairs.setdefault((one, other), (one, ()))
    pending, asks = list(pairs), 0
    for pair in pending:
        begin, events = pairs[pair]
        for call, answers in _answer_pairs(together, *pair):
            asks += 1
            if asks > _MOST_EVENTS:
                together.bounded = True
                return together
            if not _are_alike(*answers):
                run = Divergence(begin, (*events, call), *answers, (pair[0].state, call.event))
                together.divergences.setdefault(run.state_event, run)
            elif not isinstance(answers[0], str) and not isinstance(answers[1], str):
                following = answers[0].after, answers[1].after
                if following not in pairs:
                    pairs[following] = begin, (*events, call)
                    pending.append(following)
    return together


def _common_starts(together: Lockstep) -> list[tuple[Snapshot, Snapshot]]:
    """Return beginnings that the two have in common: same state, same parameters and variables as
    far as both have them.
    """
    shared = _parameter_names(together.old) & _parameter_names(together.new)
    others: dict[object, list[Snapshot]] = {}
    for other in _initial_snapshots(together.new):
        others.setdefault(_start_key(other, shared), []).append(other)
    pairs = []
    for initial_snapshot in _initial_snapshots(together.old):
        like = others.get(_start_key(initial_snapshot, shared), [])
        agreeing = [
            (initial_snapshot, other)
            for other in like
            if _agree_on_variables(initial_snapshot, other)
        ]
        if like and not agreeing and together.start_divergence is None:
            held, now = _differing_variables(initial_snapshot, like[0])
            together.start_divergence = Divergence(
                initial_snapshot,
                (),
                f"begins with {held}",
                f"begins with {now}",
                (initial_snapshot.state, ""),
            )
        pairs += agreeing
    return _spread_sample(pairs)


def _differing_variables(one: Snapshot, other: Snapshot) -> tuple[str, str]:
    """Say what two snapshots hold otherwise of the variables that both have."""
    names = [
        name
        for name, value in one.variables.items()
        if name in other.variables and other.variables[name] != value
    ]
    first, second = (
        ", ".join(f"{name}={format_literal(snapshot.variables[name])}" for name in names)
        for snapshot in (one, other)
    )
    return first, second


def _parameter_names(tables: MachineTables) -> frozenset[str]:
    return frozenset(parameter.name for parameter in tables.machine.data.parameters)


def _start_key(begin: Snapshot, shared: frozenset[str]) -> object:
    return begin.state, frozenset(
        (name, value) for name, value in begin.parameters.items() if name in shared
    )


@lru_cache(maxsize=8)
def _initial_snapshots(tables: MachineTables) -> tuple[Snapshot, ...]:
    """Return the beginnings of a machine within its own scope."""
    return scoped_initial_snapshots(
        tables.behaviour, scope_extent(tables.behaviour, DEFAULT_SCOPE), DEFAULT_SCOPE
    )


def _spread_sample(items: Sequence[T]) -> list[T]:
    """Return some of many, the first one among them, spread over all."""
    return list(items[:: max(1, -(-len(items) // _MOST_STARTS))])


def _agree_on_variables(one: Snapshot, other: Snapshot) -> bool:
    """Tell whether variables that both have are the same."""
    return all(
        other.variables[name] == value
        for name, value in one.variables.items()
        if name in other.variables
    )


def _answer_pairs(
    together: Lockstep, one: Snapshot, other: Snapshot
) -> Iterator[tuple[EventCall, tuple[Answer | str, Answer | str]]]:
    """Yield every event that one of the two takes, with both answers."""
    for event in dict.fromkeys((*together.new.events, *together.old.events)):
        drawn_by, now = (
            (together.new, other) if event in together.new.event_index else (together.old, one)
        )
        for call in _event_calls(drawn_by, now, event):
            yield (
                call,
                (
                    machine_answer(together.old, one, call),
                    machine_answer(together.new, other, call),
                ),
            )


def _event_calls(tables: MachineTables, now: Snapshot, event: str) -> Iterator[EventCall]:
    extent = scope_extent(tables.behaviour, DEFAULT_SCOPE)
    arguments = fitting_arguments(tables.behaviour, extent, now, event)
    return (EventCall(event, argument) for argument in arguments)


def machine_answer(tables: MachineTables, now: Snapshot, call: EventCall) -> Answer | str:
    """Return what a machine says to an event; a text where it cannot be asked.

    Args:
        tables: of the machine.
        now: where the machine is.
        call: an event with its arguments.

    Returns:
        An answer, or why it is none.
    """
    if call.event not in tables.event_index:
        return "there is no such event"
    try:
        return step(tables, now, call.event, **call.arguments)
    except ArgumentsError as problem:
        return str(problem)


def _last_answer(
    tables: MachineTables, begin: Snapshot, events: tuple[EventCall, ...]
) -> Answer | str:
    """Return what a machine says to the last of some events, or to the first one before it that it
    does not take.
    """
    shared = _parameter_names(tables) & begin.parameters.keys()
    wanted = _start_key(begin, frozenset(shared))
    now = next(
        (
            initial_snapshot
            for initial_snapshot in _initial_snapshots(tables)
            if _start_key(initial_snapshot, frozenset(shared)) == wanted
        ),
        None,
    )
    if now is None:
        return f"nothing begins in {begin.state}"
    answer: Answer | str = "nothing happens"
    for number, call in enumerate(events):
        answer = machine_answer(tables, now, call)
        if isinstance(answer, str) or (number + 1 < len(events) and not was_taken(answer)):
            return (
                answer
                if isinstance(answer, str)
                else f"not reached ({call.event}: {answer_text(answer)})"
            )
        now = answer.after
    return answer


def answer_text(answer: Answer | str) -> str:
    """Say an answer in a few words.

    Args:
        answer: of `step`.

    Returns:
        A few words.
    """
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


def answer_texts(parting: Divergence) -> tuple[str, str]:
    """Say both answers at the end of a run; where a few words are the same, what is returned and
    what is held then.

    Args:
        parting: the end of the run.

    Returns:
        That of the old machine, and that of the new one.
    """
    old, new = parting.old, parting.new
    first, second = answer_text(old), answer_text(new)
    if first != second or isinstance(old, str) or isinstance(new, str):
        return first, second
    if old.returned != new.returned:
        return (
            f"{first}, returns {format_literal(old.returned)}",
            f"{second}, returns {format_literal(new.returned)}",
        )
    held, now = _differing_variables(old.after, new.after)
    return f"{first}, {held}", f"{second}, {now}"


def _legal_steps(
    tables: MachineTables,
) -> Iterator[tuple[Snapshot, tuple[EventCall, ...], Snapshot, EventCall, Answer]]:
    """Yield every legal step of a machine, and the shortest legal run before it.

    Yields:
        Where it began, its events, where it is then, the event of the step, and the answer.
    """
    runs: dict[Snapshot, tuple[Snapshot, tuple[EventCall, ...]]] = {
        snapshot: (snapshot, ()) for snapshot in _spread_sample(_initial_snapshots(tables))
    }
    pending = list(runs)
    asks = 0
    for now in pending:
        begin, events = runs[now]
        for event in tables.events:
            for call in _event_calls(tables, now, event):
                asks += 1
                if asks > _MOST_EVENTS:
                    return
                answer = unchecked_step(tables, now, event, call.arguments)
                if not was_taken(answer) or isinstance(answer, Forced):
                    continue
                yield begin, events, now, call, answer
                if answer.after not in runs:
                    runs[answer.after] = begin, (*events, call)
                    pending.append(answer.after)


def _are_alike(one: Answer | str, other: Answer | str) -> bool:
    """Tell whether two answers are the same to whoever asked; an event that is not there comes to
    the same as one that is refused.
    """
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str | Refused) and isinstance(other, str | Refused)
    same = type(one) is type(other) and one.error == other.error and one.returned == other.returned
    return (
        same
        and one.after.state == other.after.state
        and _agree_on_variables(one.after, other.after)
    )
