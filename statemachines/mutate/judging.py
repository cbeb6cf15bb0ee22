"""One mutant after the other: is it the same, was it seen before, do the spec's own properties notice it."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, evolve, field, frozen

from statemachines.explore.claims import FAULTS
from statemachines.explore.columns import Row
from statemachines.explore.coverage import COVERED, named
from statemachines.explore.results import Examined, Exploration, Trace
from statemachines.explore.scopes import Scope
from statemachines.explore.world import World
from statemachines.model.machines import Event, Machine, Spec
from statemachines.model.verdicts import Verdict
from statemachines.mutate.edits import mutated_machine
from statemachines.mutate.mutants import Mutant
from statemachines.mutate.originals import (
    TYPED,
    Original,
    Slot,
    begins_of,
    ceiling_of,
    expanded,
    original_of,
    slots_apart,
    uninterrupted,
    world_like,
)
from statemachines.mutate.results import Fate, Judge, Notice
from statemachines.mutate.sameness import Apart, first_apart
from statemachines.notation.resolve import machine_of
from statemachines.semantics.tables import Tables, tables_of

MOST_LOST = 3
"""States and transitions that are named where a mutant comes to fewer."""
NO_VALUE = "every expression has a value"


@frozen(eq=False)
class _Known:
    """A mutant that others may turn out to be."""

    number: int
    world: World
    rows: list[Row]


@frozen(eq=False)
class Explored:
    """What exploring says of a mutant."""

    fate: Fate
    notices: tuple[Notice, ...] = ()
    why: str = ""
    same_as: int | None = None
    apart: Apart | None = None
    original: Original | None = None
    tables: Tables | None = None
    """The mutant's."""


@define(eq=False)
class Explorer:
    """Judges mutants by exploring them; it remembers the original, release by release, and the mutants that it has seen."""

    spec: Spec
    machine: Machine
    scope: Scope
    most_states: int
    originals: dict[tuple[str, tuple[str, ...]], Original] = field(factory=dict)
    seen: dict[object, list[_Known]] = field(factory=dict)

    def original(self, release: str, wanted: tuple[Event, ...] = ()) -> Original:
        """Return the original in a release, asked for some events that it may not have."""
        machine = self.machine if release == self.machine.release else machine_of(self.spec, release)
        known = {event.name for event in machine.events}
        new = tuple(event for event in wanted if event.name not in known)
        key = release, tuple(event.name for event in new)
        if key not in self.originals:
            whole = evolve(machine, events=(*machine.events, *new)) if new else machine
            self.originals[key] = original_of(whole, self.scope, self.most_states)
        return self.originals[key]

    def judge(self, mutant: Mutant) -> Explored:
        """Explore a mutant, as far as is needed."""
        try:
            original, slots, world = self._made(mutant)
            apart = _apart(original, world, slots)
        except TYPED as problem:
            return Explored(Fate.KILLED, (_no_value(problem),))
        if apart is None:
            if original.ceiling:
                return Explored(Fate.NOT_JUDGED, why=f"no difference up to {original.ceiling}")
            return Explored(Fate.EQUIVALENT)
        return self._explored(mutant, original, world, apart)

    def _made(self, mutant: Mutant) -> tuple[Original, frozenset[Slot], World]:
        draft = mutant.draft
        base = self.original(draft.release)
        changed = mutated_machine(base.machine, self.spec, draft.edit)
        if len(changed.events) > len(base.machine.events):
            base = self.original(draft.release, changed.events[len(base.machine.events) :])
            changed = mutated_machine(base.machine, self.spec, draft.edit)
        slots = slots_apart(base.world.tables, tables_of(changed))
        return base, slots, world_like(base, changed, slots, begins=draft.edit.moves_beginnings)

    def _explored(self, mutant: Mutant, original: Original, world: World, apart: Apart) -> Explored:
        try:
            exploration, seen = uninterrupted(world, original.how)
            same = self._same(mutant, original, world, apart, [*seen.rows]) if not ceiling_of(seen.bounds) else None
        except TYPED as problem:
            return Explored(Fate.KILLED, (_no_value(problem),), apart=apart)
        # The world is kept for later mutants to be compared with; what its rules remember of the search nobody asks again.
        for rule in world.rules:
            rule.known = {}
        if same is not None:
            return Explored(Fate.DUPLICATE, same_as=same)
        notices = tuple(noticed(original.exploration, exploration, complete=not ceiling_of(seen.bounds)))
        if notices:
            return Explored(Fate.KILLED, notices, apart=apart)
        ceiling = ceiling_of(seen.bounds) or original.ceiling
        if ceiling:
            return Explored(Fate.NOT_JUDGED, why=f"nothing wrong up to {ceiling}")
        return Explored(Fate.SURVIVED, apart=apart, original=original, tables=world.tables)

    def _same(self, mutant: Mutant, original: Original, world: World, apart: Apart, rows: list[Row]) -> int | None:
        """Return the number of the earlier mutant that this one is; both part from the original at the same place then."""
        begins = frozenset(world.begins) if apart.row < 0 else None
        alike = self.seen.setdefault((original.machine.release, len(original.machine.events), apart.key, begins), [])
        for known in alike:
            slots = slots_apart(known.world.tables, world.tables)
            if first_apart(expanded(known.world, known.rows), known.world, world, slots) is None:
                return known.number
        alike.append(_Known(mutant.number, world, rows))
        return None


def _no_value(problem: Exception) -> Notice:
    return Notice(Judge.CHECKS, NO_VALUE, f"{type(problem).__name__}: {problem}")


def _apart(original: Original, world: World, slots: frozenset[Slot]) -> Apart | None:
    if frozenset(begins_of(world)) != frozenset(original.begins):
        return Apart(-1)
    return first_apart(original.expanded, original.world, world, slots)


def noticed(original: Exploration, mutant: Exploration, *, complete: bool) -> Iterator[Notice]:
    """Yield what says otherwise of a mutant than of the original.

    Args:
        original: what exploring found.
        mutant: likewise.
        complete: whether every state of the mutant was seen; if not, only what is violated counts.
    """
    before = {one.name: one for one in original.examined}
    for one in mutant.examined:
        was = before.get(one.name)
        if was is None or one.name == COVERED:
            continue
        if one.verdict is not was.verdict and (complete or one.verdict is Verdict.VIOLATED) and was.verdict is not Verdict.VIOLATED:
            yield Notice(Judge.CHECKS if one.name == FAULTS.name else Judge.PROPERTIES, one.name, one.said, _shown(one))
    if complete and (lost := _lost(original, mutant)):
        more = f" and {len(lost) - MOST_LOST} more" if len(lost) > MOST_LOST else ""
        yield Notice(Judge.CHECKS, COVERED, f"never {', '.join(lost[:MOST_LOST])}{more}")


def _shown(one: Examined) -> Trace | None:
    return one.trace if one.verdict is Verdict.VIOLATED else None


def _lost(original: Exploration, mutant: Exploration) -> list[str]:
    """Return the states and transitions that only the mutant never comes to; one that it does not have is not missed."""
    found = [f"in {state}" for state in mutant.unreached if state not in original.unreached]
    known = {named(arrow) for arrow in original.untaken}
    return found + [f"taken: {named(arrow)}" for arrow in mutant.untaken if named(arrow) not in known]
