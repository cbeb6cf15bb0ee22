"""A machine as its spec has it, explored once: what all its mutants are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, field, frozen

from statemachines.explore.columns import Row
from statemachines.explore.exploring import How, explore_world
from statemachines.explore.limits import Limits
from statemachines.explore.results import Exploration
from statemachines.explore.rules import Doings, Rule, picker, rules_of
from statemachines.explore.scopes import Scope, beginnings
from statemachines.explore.search import Searched
from statemachines.explore.world import Event, World, world_of
from statemachines.model.machines import Machine
from statemachines.model.snapshots import Snapshot
from statemachines.mutate.reach import expressions_of, used_definitions
from statemachines.semantics.step import forced_target, manner
from statemachines.semantics.tables import Tables, tables_of

Slot = tuple[str, str]
"""A state and an event."""
TYPED = (KeyError, IndexError, ValueError, TypeError, AttributeError, ZeroDivisionError)
"""What an expression raises where the fact that made it safe is gone; the reader of specs refuses such a spec."""


@frozen(eq=False)
class Original:
    """A machine and all that exploring found."""

    machine: Machine
    world: World
    seen: Searched
    exploration: Exploration
    how: How
    begins: tuple[Snapshot, ...]

    @property
    def expanded(self) -> list[Row]:
        """The rows that the search went on from, in the order in which they were met."""
        return expanded(self.world, self.seen.rows)

    @property
    def ceiling(self) -> str:
        """What kept the search from seeing every state within the scope; empty where nothing did."""
        return ceiling_of(self.seen.bounds)


def expanded(world: World, rows: Sequence[Row]) -> list[Row]:
    """Return the rows that a search goes on from: not those in which an integer has left its range."""
    return [row for row in rows if not world.is_outside(row)]


def ceiling_of(bounds: Iterable[str]) -> str:
    """Return what ended a search early; integers that leave their range are the scope's end, not the search's."""
    return next((bound for bound in bounds if bound.startswith("the ceiling")), "")


def original_of(machine: Machine, scope: Scope, most_states: int) -> Original:
    """Explore a machine.

    Args:
        machine: in one release.
        scope: what is said beside the spec's own.
        most_states: the ceiling, also for its mutants.

    Raises:
        ArgumentsError: the scope does not fit the machine.
    """
    how = How(limits=Limits(most_states), engine="rows")
    world = world_of(machine, scope)
    exploration, seen = uninterrupted(world, how)
    return Original(machine, world, seen, exploration, how, begins_of(world))


def uninterrupted(world: World, how: How) -> tuple[Exploration, Searched]:
    """Explore a world; a search that Ctrl-C ended is not a result but an end of it all.

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    exploration, seen = explore_world(world, how)
    if seen.interrupted:
        raise KeyboardInterrupt
    return exploration, seen


def begins_of(world: World) -> tuple[Snapshot, ...]:
    """Return the snapshots in which a world begins."""
    return tuple(world.snapshots(row)[0] for row in world.begins)


@define(eq=False)
class Remembered(Rule):
    """An event that a mutant does not change: what it does was asked of the original already, or is asked for both."""

    memory: dict[Row, Doings] = field(factory=dict)

    def _ask(self, numbers: Row) -> Doings:
        found = self.memory.get(numbers)
        if found is None:
            found = self.memory[numbers] = Rule._ask(self, numbers)
        self.asked_in.add(numbers[0])
        self.took.update(id(outcome.arrow) for outcome in found.outcomes)
        return found


def world_like(original: Original, machine: Machine, slots: frozenset[Slot], *, begins: bool) -> World:
    """Return a mutant's world: it shares with the original's all that the mutant does not change.

    Args:
        original: what it is a mutant of.
        machine: the mutant.
        slots: where it differs.
        begins: whether it begins otherwise.
    """
    base = original.world
    tables, changed = tables_of(machine), {event for _, event in slots}
    known = {rule.event: rule for rule in base.rules if rule.event not in changed}
    rules = tuple(_remembered(rule, known) for rule in rules_of(tables, base.extent, base.columns))
    events = tuple(Event(0, 0, rule, picker(rule.reads)) for rule in rules)
    world = World(tables, base.extent, base.scope, base.columns, rules, events, 1, base.begins)
    if begins:
        world.begins = tuple(dict.fromkeys(map(world.row, beginnings(tables.behaviour, base.extent, base.scope))))
    return world


def _remembered(rule: Rule, known: dict[str, Rule]) -> Rule:
    like = known.get(rule.event)
    if like is None or like.reads != rule.reads:
        return rule
    parts = rule.tables, rule.columns, rule.event, rule.reads, rule.variables, rule.draws, rule.may_leave
    return Remembered(*parts, memory=like.known)


def slots_apart(one: Tables, other: Tables) -> frozenset[Slot]:
    """Return where two machines of the same states and events may answer otherwise."""
    meant = _meant_otherwise(one.machine, other.machine, one.events)
    return frozenset(
        (state, event)
        for event in one.events
        for state in one.states
        if event in meant or _asked(one, state, event) != _asked(other, state, event)
    )


def _meant_otherwise(one: Machine, other: Machine, events: Iterable[str]) -> frozenset[str]:
    """Return the events that take other arguments, or use definitions that are not the same in both."""
    taken = {event.name: event.signature for event in one.events}
    found = {event.name for event in other.events if event.signature != taken.get(event.name)}
    if one.data.definitions != other.data.definitions:
        known = {each.name: each.body for each in one.data.definitions}
        changed = {each.name for each in other.data.definitions if each.body != known.get(each.name)}
        found |= {event for event in events if changed & used_definitions(one.data, expressions_of(one, event))}
        found |= {event for event in events if changed & used_definitions(other.data, expressions_of(other, event))}
    return frozenset(found)


def _asked(tables: Tables, state: str, event: str) -> object:
    entry = manner(tables, state, event)
    does = (entry.does, entry.error, forced_target(tables, state, event)) if entry else None
    return tables.candidates.get((state, event), ()), does
