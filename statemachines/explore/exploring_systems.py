"""A system explored as one machine: every state within a scope, and what its rules say of them."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, Mapping

from attrs import define, field

from statemachines.explore.claims import WRONG, title_of
from statemachines.explore.columns import Row
from statemachines.explore.draws import MOST
from statemachines.explore.exploring import ANYHOW, How
from statemachines.explore.scopes import NOTHING_SAID, Scope, assumed, id_types
from statemachines.explore.search import Budget, Canonical, Enough
from statemachines.explore.system_fairness import promise
from statemachines.explore.system_results import SystemExamined, SystemExploration, SystemTrace
from statemachines.explore.system_rules import Rules, as_expected
from statemachines.explore.system_symmetry import canonical_system
from statemachines.explore.system_world import SystemStep, SystemWorld, system_world
from statemachines.explore.walking_systems import SystemOccurrence
from statemachines.model.data import Claim, Property
from statemachines.model.snapshots import Raised, Snapshot, Value
from statemachines.model.systems import System
from statemachines.model.verdicts import Verdict
from statemachines.semantics.systems import deliver, step_system

SOUND, SENT = "the spec is sound", "every link sends"


def explore_system(system: System, scope: Scope = NOTHING_SAID, how: How = ANYHOW) -> SystemExploration:
    """Visit every state of a system, breadth first, and look at its rules.

    Args:
        system: in one release.
        scope: sizes of `id` types (the keys of parts too), ranges, and parameters of the system.
        how: symmetry and limits; a system is explored by rows, one of it.

    Returns:
        What was found: HOLDS is said of all states within the scope; where a bound was hit, what was not broken is INCONCLUSIVE.

    Raises:
        ArgumentsError: the scope does not fit the system, or nothing begins.

    Complexity: each step is asked of the system once; some 500 bytes a state.
    """
    begun = time.perf_counter()
    world = system_world(system, scope)
    canonical = canonical_system(world) if how.symmetry else None
    run = _searched(world, how, canonical, raising=True)
    bounds = [*_assumed(world, scope), *run.bounds]
    examined = [_sound(run, bool(bounds)), _sent(run, bool(bounds))]
    for claimed in system.data.properties:
        examined.append(as_expected(_examined(world, run, claimed, how, canonical, bounds)))
    return SystemExploration(
        system,
        _scope_said(world, scope),
        how.symmetry,
        len(run.rows),
        run.transitions,
        run.turned_down,
        run.deepest,
        tuple(examined),
        tuple(dict.fromkeys(bounds)),
        tuple(_unreached(world)),
        run.interrupted,
        time.perf_counter() - begun,
    )


@define(eq=False)
class Run:
    """A search as it goes."""

    world: SystemWorld
    canonical: Canonical | None
    raising: bool
    rules: Rules
    bounds: list[str] = field(factory=list)
    rows: list[Row] = field(factory=list)
    place: dict[Row, int] = field(factory=dict)
    parents: array[int] = field(factory=lambda: array("q"))
    transitions: int = 0
    turned_down: int = 0
    deepest: int = 0
    met: dict[int, tuple[int, SystemOccurrence | None]] = field(factory=dict)
    """Place of a property to the row that meets it, and the step from there where it is one."""
    fired: set[int] = field(factory=set)
    """Numbers of links that sent something."""
    interrupted: bool = False
    left: bool = False
    """Whether an integer without bounds left the range that is explored."""

    def go(self, budget: Budget) -> None:
        """Visit all rows."""
        for row in self.world.begins:
            self.meet(row, -1)
        end, place = len(self.rows), 0
        while place < len(self.rows):
            if place == end:
                self.deepest, end = self.deepest + 1, len(self.rows)
            if place % 256 == 0 or len(self.rows) > budget.limits.most_states:
                budget.look(len(self.rows), self.transitions, self.transitions)
            self.expand(place)
            place += 1

    def meet(self, row: Row, parent: int) -> None:
        """Add a row that is new, and look at what is claimed of it."""
        if self.canonical is not None:
            row = self.canonical(row)
        if row in self.place:
            return
        place = self.place[row] = len(self.rows)
        self.rows.append(row)
        self.parents.append(parent)
        for number in self.rules.met_by_row(row, self.met):
            self.met[number] = place, None

    def expand(self, place: int) -> None:
        """Take every step from a row."""
        row, moves = self.rows[place], False
        if self.world.is_outside(row):
            self.left = True
            return
        for step in self.world.steps(row):
            self.fired.update(_senders(step.occurrence))
            if not self.raising and has_raised(step.occurrence):
                continue
            self.transitions += step.weight
            moves = moves or step.after != row
            for number in self.rules.met_by_step(row, step.after, self.met):
                self.met[number] = place, step.occurrence
            self.meet(step.after, place)
        if not moves:
            for number in self.rules.met_by_standing(row, self.met):
                self.met[number] = place, None

    def trace(self, number: int) -> SystemTrace:
        """Return the way to what a property looked for."""
        place, last = self.met[number]
        if last is None:
            return self.way(place)
        wanted = self.rules.step_wanted(number)
        return self.way(place, lambda row, step: wanted(row, step.after))

    def way(self, place: int, last: Callable[[Row, SystemStep], bool] | None = None) -> SystemTrace:
        """Return a shortest way to a row, and a last step from there where one is asked for."""
        rows = [self.rows[place]]
        while (place := self.parents[place]) >= 0:
            rows.append(self.rows[place])
        rows.reverse()
        now = next(row for row in self.world.begins if self.same(row) == rows[0])
        begin, steps = self.world.snapshot(now), list[SystemOccurrence]()
        for following in rows[1:]:
            step = next(each for each in self.steps(now) if self.same(each.after) == following)
            steps.append(step.occurrence)
            now = step.after
        if last is not None:
            steps.append(next(each.occurrence for each in self.steps(now) if last(now, each)))
        return SystemTrace(begin, tuple(steps))

    def steps(self, row: Row) -> Iterator[SystemStep]:
        """Yield the steps that the search takes from a row."""
        return (step for step in self.world.steps(row) if self.raising or not has_raised(step.occurrence))

    def same(self, row: Row) -> Row:
        """Return the row that stands for one."""
        return row if self.canonical is None else self.canonical(row)


def _searched(world: SystemWorld, how: How, canonical: Canonical | None, *, raising: bool) -> Run:
    run = Run(world, canonical, raising, Rules(world, raising))
    try:
        run.go(Budget(how.limits, run.bounds))
    except Enough:
        pass
    except KeyboardInterrupt:
        run.interrupted = True
        run.bounds.append("interrupted")
    if run.left:
        run.bounds.append("an integer without bounds left {}..{}; nothing was explored from there".format(*world.extent.integers))
    run.turned_down = world.turned_down
    return run


def _senders(occurrence: SystemOccurrence) -> Iterator[int]:
    """Yield the links that sent something at once, or that something was kept for."""
    yield from (step.link for step in occurrence.answer.steps if step.link is not None)
    yield from (place.link for place in occurrence.answer.after.waiting)


def has_raised(occurrence: SystemOccurrence) -> bool:
    """Tell whether some part raised in a step."""
    return any(isinstance(step.answer, Raised) for step in occurrence.answer.steps)


def _examined(world: SystemWorld, run: Run, claimed: Property, how: How, canonical: Canonical | None, bounds: list[str]) -> SystemExamined:
    title, undecided = title_of(claimed), Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS
    if claimed.claim is Claim.LEADS_TO:
        return promise(run, claimed, bool(bounds))
    if claimed.until_raised:
        run = _searched(world, how, canonical, raising=False)
        undecided = Verdict.INCONCLUSIVE if run.bounds or bounds else Verdict.HOLDS
    number = world.system.data.properties.index(claimed)
    trace = run.trace(number) if number in run.met else None
    if claimed.claim is Claim.SOMETIMES:
        if trace is not None:
            return SystemExamined(title, Verdict.HOLDS, "a witness", trace, claimed)
        return SystemExamined(title, Verdict.INCONCLUSIVE if bounds else Verdict.VIOLATED, "no witness", property=claimed)
    if trace is not None:
        return SystemExamined(title, Verdict.VIOLATED, WRONG[claimed.claim], trace, claimed)
    return SystemExamined(title, undecided, property=claimed)


def _sound(run: Run, bounds: bool) -> SystemExamined:
    """Say whether shared variables keep to their types, and what links send fits."""
    if not run.world.wrong:
        return SystemExamined(SOUND, Verdict.INCONCLUSIVE if bounds else Verdict.HOLDS)
    row, _ = run.world.wrong[0]
    trace = run.way(run.place[row], lambda _, step: bool(step.occurrence.answer.wrong))
    return SystemExamined(SOUND, Verdict.VIOLATED, trace.steps[-1].answer.wrong[0], trace)


def _sent(run: Run, bounds: bool) -> SystemExamined:
    """Say which links never send anything: a guard that never holds, or a state that is never entered."""
    links = [link for link in run.world.system.links if link.send is not None and link.number not in run.fired]
    if not links:
        return SystemExamined(SENT, Verdict.HOLDS)
    named = ", ".join(f"link {link.number + 1}" + (f" (line {link.span.line})" if link.span is not None else "") for link in links)
    return SystemExamined(SENT, Verdict.INCONCLUSIVE, f"{'not yet' if bounds else 'never'}: {named}")


def _unreached(world: SystemWorld) -> Iterator[str]:
    """Yield the states that no part comes to."""
    for name, tables in world.tables.tables.items():
        reached = {one.state for one in world.held[name].values if isinstance(one, Snapshot)}
        yield from (f"{name}.{state}" for state in tables.states if state and state not in reached)


def _assumed(world: SystemWorld, scope: Scope) -> Iterator[str]:
    """Yield the bounds that nobody named, those that were hit while something was drawn included."""
    yield from assumed(world.tables.behaviour, scope)
    known = {*dict(world.system.data.scope.sizes), *scope.sizes}
    for name, part in world.tables.parts.items():
        behaviour = world.tables.tables[name].behaviour
        each = [one.name for one in id_types(world.tables.behaviour.machine) if part.each is not None and one.name in str(part.each)]
        for type_ in each:
            if type_ not in known:
                yield f"{type_} has 2 values, as no scope names it"
        yield from (one for one in assumed(behaviour, scope) if one.split()[0] not in known)
    yield from world.cut
    for (name, event), draws in world.draws.items():
        if draws.cut:
            yield f"`{name}.{event}` has more than {MOST:,} arguments somewhere; the others were not looked at"


def _scope_said(world: SystemWorld, scope: Scope) -> str:
    said = {type_.name: len(world.extent.ids(type_)) for type_ in id_types(world.tables.behaviour.machine)} | dict(scope.sizes)
    rest = [f"int={scope.integers[0]}..{scope.integers[1]}"] if scope.integers else []
    rest += [f"list={scope.longest}"] if scope.longest is not None else []
    return ", ".join([*(f"{name}={size}" for name, size in said.items()), *rest])


def replays(system: System, trace: SystemTrace) -> bool:
    """Tell whether the system's step gives the answers of a trace, arguments looked at too."""
    now = trace.begin
    for one in trace.steps:
        if one.delivered is not None:
            answer = deliver(system, now, one.delivered)
        else:
            given: Mapping[str, Value] = one.arguments
            answer = step_system(system, now, one.event, key=one.key, **given)
        if answer != one.answer:
            return False
        now = answer.after
    return True
