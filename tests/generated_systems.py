"""A generated system and the embedded one, side by side: beginnings, what is tried, and what is seen of both."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from random import Random
from types import ModuleType
from typing import Any

from attrs import frozen

from statemachines.api.system import System
from statemachines.embed.code_generation.system_code.system_module import generate_system_code
from statemachines.embed.errors import Declared, NotAllowed
from statemachines.embed.systems.embedded_systems import SystemInstance
from statemachines.explore.models.system_model import part_extents, system_extent
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.snapshots import Raised, Refused, Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    DeliveryOutcome,
    PartSnapshots,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.system_tables import SystemTables, system_tables
from statemachines.testing.systems.system_attempts import SystemAttempt, SystemAttempts


def plain(value: Any) -> Value:
    """Return a value as both have it: records as tuples with a name, states as texts."""
    if is_dataclass(value):
        return tuple(plain(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, Mapping):
        return tuple(sorted(((plain(k), plain(v)) for k, v in value.items()), key=repr))
    if isinstance(value, frozenset):
        return frozenset(map(plain, value))
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return str(value) if isinstance(value, str) else value


@frozen(slots=False, eq=False)
class SideBySide:
    """A system, and the module that was made of it."""

    system: SystemDefinition

    @cached_property
    def module(self) -> dict[str, Any]:
        """The names of the generated module."""
        module = ModuleType("generated")
        sys.modules["generated"] = module
        exec(compile(generate_system_code(self.system), "generated.py", "exec"), vars(module))
        return vars(module)

    @property
    def tables(self) -> SystemTables:
        """Those of the system."""
        return system_tables(self.system)

    @cached_property
    def kind(self) -> Any:
        """The class of the generated system."""
        base = self.module["_System"]
        return next(
            one
            for one in self.module.values()
            if isinstance(one, type) and issubclass(one, base) and one is not base
        )

    def made(self, value: Any) -> Any:
        """Return a value as the generated module has it."""
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            name = type(value).__name__.rpartition(".")[2]
            return self.module[name](*map(self.made, value))
        if isinstance(value, Mapping):
            return {self.made(key): self.made(held) for key, held in value.items()}
        if isinstance(value, frozenset | tuple):
            return type(value)(map(self.made, value))
        return value

    def part(self, name: str, held: Snapshot) -> Any:
        """Return an object of the generated class of a part that is as a snapshot says."""
        first = next(iter(self.kind._parts[name].events.values()))
        kind = self.module[first.act.__qualname__.partition(".")[0]]
        one = kind.__new__(kind)
        for slot in kind.__slots__:
            setattr(one, slot, None)
        for called, value in {**held.variables, **held.parameters}.items():
            setattr(one, self.field(kind, called), self.made(value))
        if "state" in kind.__slots__:
            states = type(kind.__init__.__defaults__[-1])
            one.state = states(held.state)
        return one

    def field(self, kind: Any, called: str) -> str:
        """Return the attribute that a variable is."""
        return next(
            slot for slot in (called, f"{called}_", f"{called}__") if slot in kind.__slots__
        )

    def begun(self, now: SystemSnapshot) -> Any:
        """Return the generated system, begun where a snapshot is."""
        given: dict[str, Any] = {name: self.made(value) for name, value in now.parameters.items()}
        given |= {
            variable.name: self.made(now.variables[variable.name])
            for variable in self.system.data.variables
            if variable.initial is None
        }
        for name, held in now.parts.items():
            if isinstance(held, Mapping) and not self.tables.parts[name].is_created:
                given[name] = {key: self.part(name, one) for key, one in held.items()}
            elif isinstance(held, Snapshot):
                given[name] = self.part(name, held)
        missing = [name for name, held in now.parts.items() if held is None]
        if missing:
            given["absent"] = missing
        return self.kind(**given)

    def seen_part(self, held: PartSnapshots) -> Value:
        """Return what both see of a part."""
        if held is None:
            return None
        if isinstance(held, Mapping):
            return plain({key: self.seen_part(one) for key, one in held.items()})
        return held.state, plain({**held.variables, **held.parameters})

    def seen_object(self, name: str, held: Any) -> Value:
        """Return the same of a generated part."""
        if held is None:
            return None
        if isinstance(held, dict):
            return plain({key: self.seen_object(name, one) for key, one in held.items()})
        machine = self.tables.tables[name].machine.data
        names = [one.name for one in (*machine.variables, *machine.parameters)]
        values = {called: getattr(held, self.field(type(held), called)) for called in names}
        return str(getattr(held, "state", "")), plain(values)

    def same(self, now: SystemSnapshot, one: Any) -> None:
        """Look whether both are in one place."""
        for name, held in now.parts.items():
            ours = getattr(one, self.kind._parts[name].attribute)
            assert self.seen_object(name, ours) == self.seen_part(held), name
            if isinstance(held, Mapping):
                assert list(ours) == list(held)
        for name, value in now.variables.items():
            assert plain(getattr(one, name)) == plain(value), name


def outcome(act: Any, module: Mapping[str, Any]) -> object:
    """Do something; return its result, or the name of what it raised."""
    try:
        return plain(act())
    except (NotAllowed, Declared) as error:
        name = type(error).__name__
        return f"raised {name}"
    except ArgumentsError:
        return "raised ArgumentsError"
    except Exception as error:
        if type(error).__module__ != "generated":
            raise
        return f"raised {type(error).__name__}"


def start(attempts: SystemAttempts, random: Random) -> SystemSnapshot:
    """Draw a beginning until `initially` holds of one."""
    for _ in range(100):
        try:
            return attempts.start(random)
        except ArgumentsError as against:
            reason = against
    raise reason


def walk_beside(system: SystemDefinition, seed: int, steps: int) -> int:
    """Go a random walk with both; return how many steps changed something."""
    both, random, scope = SideBySide(system), Random(seed), ExplorationScope()
    tables = both.tables
    extent = system_extent(tables, scope)
    attempts = SystemAttempts(tables, extent, part_extents(tables, extent, scope))
    begin = start(attempts, random)
    embedded, generated, moved = System(system).instance(begin), both.begun(begin), 0
    for _ in range(steps):
        both.same(embedded.snapshot, generated)
        assert waiting_of(embedded) == waiting_of(generated)
        drawn = attempts.sample(embedded.snapshot, random, lambda *_: True)
        if drawn is None:
            break
        before = embedded.snapshot
        try_both(both, embedded, generated, drawn[0])
        moved += embedded.snapshot != before
    return moved


def try_both(
    both: SideBySide, embedded: SystemInstance, generated: Any, attempt: SystemAttempt
) -> None:
    """Let both do one thing, and compare what they say."""
    given = {name: both.made(value) for name, value in attempt.arguments.items()}
    place = attempt.delivered_from
    if place is not None:
        waits = described(embedded, place)
        other = next(one for one in generated.waiting if described_there(generated, one) == waits)
        answer = embedded.deliver(place)
        refused = any(isinstance(step.answer, Refused | Raised) for step in answer.steps[:1])
        is_lost = place.fate is DeliveryOutcome.LOST
        assert generated.deliver(other) == (is_lost or (bool(answer.steps) and not refused))
        return
    event = f"{attempt.part}.{attempt.event}"
    assert embedded.may(event, key=attempt.key, **attempt.arguments) == generated.may(
        event, attempt.key, **given
    )
    first = outcome(lambda: embedded.send(event, key=attempt.key, **attempt.arguments), {})
    second = outcome(lambda: generated.send(event, attempt.key, **given), both.module)
    assert str(second).removesuffix("NotAllowed") == str(first).removesuffix("NotAllowed"), event


def described(embedded: SystemInstance, place: Any) -> tuple[object, ...]:
    """Return what waits, as both have it."""
    link = embedded.tables.link_of[place.link]
    assert link.send is not None
    bare = next(
        at
        for at in embedded.snapshot.waiting
        if (at.link, at.sender, at.receiver, at.position)
        == (place.link, place.sender, place.receiver, place.position)
    )
    given = embedded.snapshot.waiting[bare]
    channel = embedded.tables.channels.get(link.channel or "")
    on = "" if channel is not None and channel.shared else link.on
    queue = (on, place.sender, link.send.part, place.receiver)
    position = 0 if channel is not None and channel.reorders else place.position
    return queue, link.send.event, plain(given), position, str(place.fate)


def described_there(generated: Any, one: Any) -> tuple[object, ...]:
    """Return the same of what waits in a generated system."""
    reorders = "reorder" in generated._waiting[one.queue][one.position].route.may
    position = 0 if reorders else one.position
    return one.queue[1:], one.event, plain(one.arguments), position, one.fate


def waiting_of(one: Any) -> Counter[tuple[object, ...]]:
    """Return all that waits, whatever its order."""
    if isinstance(one, SystemInstance):
        return Counter(described(one, place) for place in one.waiting)
    return Counter(described_there(one, place) for place in one.waiting)
