"""What is tried of a system: an event of a part, or what waits to be delivered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random

from attrs import define, field, frozen

from statemachines.model.definitions.snapshots import NamedValues, Refused, Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemAnswer,
    SystemSnapshot,
)
from statemachines.semantics.arguments.value_sampling import sample_arguments
from statemachines.semantics.machine.value_enumeration import DomainSizes
from statemachines.semantics.messages.value_text import format_literal
from statemachines.semantics.system.channels import possible_fates
from statemachines.semantics.system.random_beginnings import random_initial_snapshot
from statemachines.semantics.system.system_step import deliver_event, step_system
from statemachines.semantics.system.system_tables import SystemTables

MOST_DRAWN = 4
"""How often an event is drawn that something takes, before one that nothing takes is tried."""


@frozen
class SystemAttempt:
    """An event that a part of the subject is given, as failing runs print it."""

    part: str
    key: Value
    event: str
    arguments: NamedValues = field(factory=dict)
    delivered_from: PendingEvent | None = None
    """Where it waits; None for an event from outside."""

    def __repr__(self) -> str:
        if self.delivered_from is not None:
            return f"deliver({self.delivered_from!r})"
        given = (f"{name}={format_literal(value)}" for name, value in self.arguments.items())
        which = "" if self.key is None else f"[{self.key!r}]"
        return f"{self.part}{which}.{self.event}({', '.join(given)})"


@define(eq=False)
class SystemAttempts:
    """What may be tried of one system, within its scope."""

    tables: SystemTables
    extent: DomainSizes
    """Of the system's own types."""
    extents: Mapping[str, DomainSizes]
    """Part to the extent within which its arguments are drawn."""

    def start(self, random: Random) -> SystemSnapshot:
        """Draw a beginning.

        Args:
            random: what is drawn from.

        Returns:
            A snapshot in which the system may begin.
        """
        return random_initial_snapshot(self.tables, self.extent, random, {})

    def sample(
        self, now: SystemSnapshot, random: Random, can_call: Callable[[str, Value, str], bool]
    ) -> tuple[SystemAttempt, SystemAnswer] | None:
        """Draw an attempt, with what the system answers; most are taken. None: there is none.

        Args:
            now: where the system is.
            random: what is drawn from.
            can_call: given a part, a key and an event: whether the subject can be asked for it.

        Returns:
            The attempt and the answer, or None.
        """
        choices, sample = self._choices(now, can_call), None
        for _ in range(MOST_DRAWN if choices else 0):
            attempt = self._drawn_attempt(now, random.choice(choices), random)
            if attempt is not None:
                sample = attempt, self.answer(now, attempt)
                if not is_refused(sample[1]):
                    break
        return sample

    def draw_some(
        self,
        now: SystemSnapshot,
        random: Random,
        can_call: Callable[[str, Value, str], bool],
        many: int,
    ) -> list[tuple[SystemAttempt, SystemAnswer]]:
        """Draw several attempts, whether anything takes them or not.

        Args:
            now: where the system is.
            random: what is drawn from.
            can_call: as `sample` takes it.
            many: how many at most.

        Returns:
            Attempts with the answers of the system, fewer where there are fewer.
        """
        choices = self._choices(now, can_call)
        chosen = random.sample(choices, min(many, len(choices)))
        sampled = [self._drawn_attempt(now, choice, random) for choice in chosen]
        return [(attempt, self.answer(now, attempt)) for attempt in sampled if attempt is not None]

    def _choices(
        self, now: SystemSnapshot, can_call: Callable[[str, Value, str], bool]
    ) -> list[tuple[str, Value, str] | PendingEvent]:
        """Return the events that can be tried, and what waits."""
        events = [event for event in self._events(now) if can_call(*event)]
        return [*events, *possible_fates(self.tables, now.waiting)]

    def answer(self, now: SystemSnapshot, attempt: SystemAttempt) -> SystemAnswer:
        """Answer what becomes of an attempt.

        Args:
            now: the snapshot in which the machine is.
            attempt: the event with its arguments.

        Returns:
            The answer, with the snapshot after it.

        Raises:
            ArgumentsError: it cannot be tried in this snapshot.
        """
        if attempt.delivered_from is not None:
            return deliver_event(self.tables.system, now, attempt.delivered_from)
        name = f"{attempt.part}.{attempt.event}"
        return step_system(self.tables.system, now, name, key=attempt.key, **attempt.arguments)

    def _events(self, now: SystemSnapshot) -> Iterator[tuple[str, Value, str]]:
        for name, machine in self.tables.tables.items():
            held = now.parts[name]
            keys = tuple(held) if isinstance(held, Mapping) else () if held is None else (None,)
            for key in keys:
                for event in machine.events:
                    yield name, key, event

    def _drawn_attempt(
        self,
        now: SystemSnapshot,
        chosen: tuple[str, Value, str] | PendingEvent,
        random: Random,
    ) -> SystemAttempt | None:
        if isinstance(chosen, PendingEvent):
            link = self.tables.link_of[chosen.link]
            assert link.send is not None
            return SystemAttempt(link.send.part, chosen.receiver, link.send.event, {}, chosen)
        name, key, event = chosen
        whole = now.parts[name]
        held = whole[key] if isinstance(whole, Mapping) else whole
        assert isinstance(held, Snapshot)
        behaviour = self.tables.tables[name].behaviour
        arguments = sample_arguments(behaviour, self.extents[name], held, event, random)
        return None if arguments is None else SystemAttempt(name, key, event, arguments)


def is_refused(answer: SystemAnswer) -> bool:
    """Tell whether the event itself was refused.

    Args:
        answer: of the system.

    Returns:
        Whether its first step is a refusal; what becomes of what links send does not count.
    """
    return bool(answer.steps) and isinstance(answer.steps[0].answer, Refused)
