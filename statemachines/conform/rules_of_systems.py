"""Rules of systems, judged over a report: the timelines of the parts merged, and each rule looked at wherever a part moved.

Only what the log tells counts: a rule is broken where it does not hold whatever the parts that were not seen do. A part's line and those of
the parts that follow it are a little apart, so what lasts no longer is said nothing of; where several files tell of one process, what lasts
no longer than the tolerance cannot be told.

Limits: systems with parameters, shared variables or parts with data are not judged, for logs do not tell them; neither is one without a
part that there is exactly once, for nothing says which instances belong together; nor a process with several releases in one log.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, frozen

from statemachines.model.data import Claim, Property
from statemachines.model.places import Span
from statemachines.model.reports import Finding, Key, Place, Report, Step
from statemachines.model.snapshots import Snapshot
from statemachines.model.systems import Part, System, SystemSnapshot, SystemSpec
from statemachines.model.values import FrozenMap
from statemachines.model.verdicts import Verdict
from statemachines.notation.ranges import parse_ranges
from statemachines.notation.systems.reading import system_of
from statemachines.semantics.systems import SystemTables, tables_of_system

IN_FLIGHT = 50
"""Milliseconds by which the line of a part may be behind that of the part that it follows; a second where times have no milliseconds."""
MOST_COMPLETIONS = 512
"""How many ways to complete what was not seen are gone through; beyond, nothing is said."""


@frozen
class Life:
    """What the log tells of one instance: where its states may be, from row to row."""

    part: str
    key: str | None
    steps: tuple[Step, ...]
    """Told ones, with times and places, in order."""
    between: tuple[frozenset[str], ...]
    """The states in which it may be before each step, and after the last one, unseen moves included."""
    hides: bool
    """Whether some of its moves are hidden: then more may be, behind its last line."""
    born: bool
    """Whether it was not there before its first step."""

    def states(self, since: int, until: int, seen: int) -> frozenset[str | None]:
        """Return the states in which it may be in a span of milliseconds, `seen` of its steps being told; None: not there."""
        found = set[str | None](self._after(seen))
        for place, step in enumerate(self.steps):
            if since <= _ms(step) <= until:
                found |= {*self._after(place), *self._after(place + 1)}
        return frozenset(found)

    def _after(self, seen: int) -> frozenset[str | None]:
        """Return the states in which it may be when so many of its steps are told."""
        absent = {None} if seen == 0 and self.born else set[None]()
        last = {self.steps[seen - 1].target} if seen else set[None]()
        return frozenset({*self.between[seen], *absent, *last})


def rules_of_systems(report: Report, specs: Iterable[SystemSpec], *, tolerance: int = 1_000) -> tuple[Finding, ...]:
    """Judge the rules of systems over what a check found.

    Args:
        report: with its timeline.
        specs: systems of the catalogue; those that logs cannot be judged against are passed over.
        tolerance: milliseconds by which the files of one process may be apart.

    Returns:
        Findings of the kind `broken rule`, by time; INCONCLUSIVE where the order lies within the tolerance.
    """
    rows: dict[tuple[str, str, Key], list[Step]] = defaultdict(list)
    chosen = [spec for spec in specs if any(_judged(system_of(spec, release)) for release in _samples(spec))]
    machines = {machine.name for spec in chosen for _, machine in spec.machines}
    for step in report.timeline:
        if step.machine in machines:
            rows[step.process, step.machine, step.instance].append(step)
    found = [finding for spec in chosen for process in _processes(rows) for finding in _of_process(report, spec, process, rows, tolerance)]
    return tuple(sorted(found, key=lambda one: (-one.verdict, one.at.ms if one.at and one.at.ms is not None else -1, one.message)))


def _samples(spec: SystemSpec) -> Iterator[str]:
    """Yield a release of each class of releases in which the system is the same."""
    yield from (spec.family.newest(releases) for releases, _ in spec.versions)


def _judged(system: System) -> bool:
    """Tell whether a log tells all that the rules need."""
    alone = [part for part in system.parts if part.each is None and not part.optional]
    data = any(machine.data.variables or machine.data.parameters for _, machine in system.machines)
    return len(alone) == 1 and not (data or system.data.parameters or system.data.variables)


def _processes(rows: Mapping[tuple[str, str, Key], object]) -> list[str]:
    return list(dict.fromkeys(process for process, _, _ in rows))


def _of_process(
    report: Report, spec: SystemSpec, process: str, rows: Mapping[tuple[str, str, Key], list[Step]], tolerance: int
) -> Iterator[Finding]:
    """Judge the systems of one process in every class of releases that fits; what all of them say counts, and the mildest of it."""
    own = [row for row in report.releases if row.process == process]
    fits = parse_ranges(own[0].releases, spec.family, Span("", 1, 1))[0] if len(own) == 1 else 0
    classes = [spec.family.newest(releases & fits) for releases, _ in spec.versions if releases & fits]
    said: list[dict[tuple[str, Place | None], Finding]] = []
    for release in classes:
        system = system_of(spec, release)
        if not _judged(system):
            return
        mine = {(machine, key): steps for (of, machine, key), steps in rows.items() if of == process}
        groups = _groups(system, mine)
        findings = [finding for group in groups for finding in _Group(spec, system, group, process, tolerance).findings()]
        said.append({(finding.message, finding.place): finding for finding in findings})
    for key, finding in said[0].items() if said else ():
        if all(key in other for other in said):
            yield evolve(finding, verdict=min(other[key].verdict for other in said))


def _groups(system: System, rows: Mapping[tuple[str, Key], list[Step]]) -> Iterator[list[Life]]:
    """Gather the instances that belong together: all of a process around its only one, else those whose names begin with its name."""
    alone = next(part for part in system.parts if part.each is None and not part.optional)
    anchors = [key for machine, key in rows if machine == alone.machine]
    for anchor in anchors:
        lives = [_life(alone.name, None, rows[alone.machine, anchor])]
        for part in system.parts:
            keys = [key for machine, key in rows if machine == part.machine and part != alone and _mine(key, anchor, anchors)]
            lives += [_life(part.name, _name(key) if part.each is not None else None, rows[part.machine, key]) for key in keys]
        usable = [life for life in lives if life.steps]
        if len(usable) == len(lives) and all(step.at is not None and step.at.ms is not None for life in lives for step in life.steps):
            yield lives


def _name(key: Key) -> str:
    return " ".join(str(value) for _, value in key)


def _mine(key: Key, anchor: Key, anchors: Sequence[Key]) -> bool:
    fitting = [one for one in anchors if len(anchors) == 1 or _name(key).startswith(_name(one))]
    return bool(fitting) and max(fitting, key=lambda one: len(_name(one))) == anchor


def _life(part: str, key: str | None, rows: list[Step]) -> Life:
    """Read the rows of one instance: told steps, and what it may have been between them."""
    told, between, unseen = list[Step](), list[frozenset[str]](), set[str]()
    for row in rows:
        states = {state for state in (row.source, row.target) if state is not None}
        if row.how == "told" and row.target is not None and row.place is not None:
            told.append(row)
            between.append(frozenset(unseen | ({row.source} if row.source is not None else set())))
            unseen = set()
        else:
            unseen |= states
    hides = any(row.how == "hidden" for row in rows)
    return Life(part, key, tuple(told), (*between, frozenset(unseen)), hides, born=False)


def _ms(step: Step) -> int:
    """Return when a told step of a usable life was, in milliseconds."""
    return step.at.ms if step.at is not None and step.at.ms is not None else 0


class _Group:
    """One instance of a system in a log."""

    def __init__(self, spec: SystemSpec, system: System, lives: list[Life], process: str, tolerance: int) -> None:
        self.spec, self.system, self.process, self.tolerance = spec, system, process, tolerance
        self.tables: SystemTables = tables_of_system(system)
        self.lives = [self._settled(life) for life in lives]
        self.moves = sorted(
            ((life, number) for life in range(len(lives)) for number in range(len(lives[life].steps))), key=lambda move: self._order(*move)
        )
        files = {step.place.file for life in lives for step in life.steps if step.place is not None}
        whole = all(_ms(step) % 1_000 == 0 for life in lives for step in life.steps)
        self.flight = 1_000 if whole else IN_FLIGHT
        self.near = self.flight if len(files) == 1 else max(tolerance, self.flight)

    def _settled(self, life: Life) -> Life:
        """Say of an instance what its machine knows: whether it began in the log, and where it may be behind its last line."""
        tables = self.tables.tables[life.part]
        initial, first = tables.names(tables.initial), life.steps[0].source
        born = life.key is not None and (first is None or first in initial)
        end = frozenset(tables.states) if life.hides else life.between[-1]
        return evolve(life, born=born, between=(*life.between[:-1], end))

    def _order(self, life: int, number: int) -> tuple[int, str, int]:
        step = self.lives[life].steps[number]
        assert step.place is not None
        return _ms(step), step.place.file, step.place.line

    def findings(self) -> Iterator[Finding]:
        """Yield what is broken: each rule where it begins to be."""
        for rule in self.system.data.properties:
            if rule.claim is Claim.ALWAYS:
                yield from self._always(rule)
            elif rule.claim is Claim.EACH_STEP:
                yield from self._each_step(rule)

    def _always(self, rule: Property) -> Iterator[Finding]:
        """Look at a rule after each step, and at how long it stays broken."""
        seen, began = [0] * len(self.lives), None
        for place, (life, number) in enumerate(self.moves):
            seen[life] = number + 1
            broken = self._broken(rule, [one.states(1, 0, count) for one, count in zip(self.lives, seen, strict=True)], None)
            now = _ms(self.lives[life].steps[number])
            if began is not None and not broken:
                yield from self._stretch(rule, began, now)
            began = (began if began is not None else (place, tuple(seen))) if broken else None
        if began is not None:
            yield from self._stretch(rule, began, None)

    def _stretch(self, rule: Property, began: tuple[int, tuple[int, ...]], end: int | None) -> Iterator[Finding]:
        life, number = self.moves[began[0]]
        lasted = None if end is None else end - _ms(self.lives[life].steps[number])
        if lasted is None and not self._rests(began[0]):
            yield self._finding(rule, Verdict.INCONCLUSIVE, life, number, began[1])
        elif lasted is None or lasted > self.near:
            yield self._finding(rule, Verdict.VIOLATED, life, number, began[1])
        elif lasted > self.flight:
            yield self._finding(rule, Verdict.INCONCLUSIVE, life, number, began[1])

    def _rests(self, place: int) -> bool:
        """Tell whether the log goes on for long enough after a move to see what comes of it."""
        first, last = self.moves[place], self.moves[-1]
        return _ms(self.lives[last[0]].steps[last[1]]) - _ms(self.lives[first[0]].steps[first[1]]) > self.near

    def _each_step(self, rule: Property) -> Iterator[Finding]:
        seen = [0] * len(self.lives)
        for life, number in self.moves:
            before = tuple(seen)
            seen[life] = number + 1
            told, source = self.lives[life].steps[number], self.lives[life].steps[number].source
            if source is None:
                continue
            exact = [one.states(1, 0, count) for one, count in zip(self.lives, before, strict=True)]
            if not self._broken(rule, exact, (life, source, told.target)):
                continue
            move = (life, source, told.target)
            if self._broken(rule, self._around(_ms(told), self.near, before), move):
                yield self._finding(rule, Verdict.VIOLATED, life, number, tuple(seen))
            elif self._broken(rule, self._around(_ms(told), self.flight, before), move):
                yield self._finding(rule, Verdict.INCONCLUSIVE, life, number, tuple(seen))

    def _around(self, at: int, span: int, seen: tuple[int, ...]) -> list[frozenset[str | None]]:
        """Return the states in which each instance may be within a span of milliseconds around a moment."""
        return [one.states(at - span, at + span, count) for one, count in zip(self.lives, seen, strict=True)]

    def _broken(self, rule: Property, states: list[frozenset[str | None]], move: tuple[int, str, str | None] | None) -> bool:
        """Tell whether a rule does not hold however what was not seen is completed."""
        assert rule.holds is not None
        if move is not None:
            states = [frozenset([move[1]]) if place == move[0] else one for place, one in enumerate(states)]
        absent = [part for part in self.system.parts if part.optional and all(life.part != part.name for life in self.lives)]
        extra = [(None, *self.tables.tables[part.name].states) for part in absent]
        for tried, chosen in enumerate(itertools.product(*(sorted(one, key=str) for one in states), *extra)):
            if tried >= MOST_COMPLETIONS:
                return False
            now = self._snapshot(chosen, absent)
            if now is None:
                return False
            if move is None:
                holds = self.tables.holds(rule.holds, now)
            else:
                after = self._snapshot([move[2] if place == move[0] else one for place, one in enumerate(chosen)], absent)
                holds = after is None or self.tables.holds(rule.holds, after, now)
            if holds:
                return False
        return True

    def _snapshot(self, chosen: Sequence[str | None], absent: Sequence[Part]) -> SystemSnapshot | None:
        """Return one completion as a snapshot; None where a state is none of the release, or the only part of its name is not there."""
        parts: dict[str, object] = {part.name: FrozenMap() if part.each is not None else None for part in self.system.parts}
        for life, state in zip(self.lives, chosen, strict=False):
            if state is not None and state not in self.tables.tables[life.part].number:
                return None
            if state is not None:
                one = Snapshot(state, FrozenMap(), FrozenMap())
                held = parts[life.part]
                parts[life.part] = FrozenMap({**held, life.key: one}) if isinstance(held, Mapping) else one
        for part, state in zip(absent, chosen[len(self.lives) :], strict=True):
            parts[part.name] = None if state is None else Snapshot(state, FrozenMap(), FrozenMap())
        whole = all(parts[part.name] is not None for part in self.system.parts if not part.optional)
        return SystemSnapshot(FrozenMap(parts)) if whole else None  # type: ignore[arg-type]  # each is held as its part is

    def _finding(self, rule: Property, verdict: Verdict, life: int, number: int, seen: tuple[int, ...]) -> Finding:
        step, anchor = self.lives[life].steps[number], self.lives[0].steps[0]
        spec = Place(self.spec.file, rule.span.line) if rule.span is not None else None
        said = f"{rule.name}: {rule.doc or 'does not hold'} ({self._described(seen)})"
        unsure = "" if verdict is Verdict.VIOLATED else "; the order of the lines cannot be told"
        return Finding(
            "broken rule", verdict, self.spec.name, anchor.instance, self.process, step.at, step.place, None, step.source, step.target,
            None, (), (), None, None, spec, 1, said + unsure,
        )  # fmt: skip

    def _described(self, seen: tuple[int, ...]) -> str:
        """Say in which state each part is."""
        told = (
            (one, sorted(str(state) for state in one.states(1, 0, count) if state)) for one, count in zip(self.lives, seen, strict=True)
        )
        return ", ".join(f"{one.key or one.part} {' or '.join(states)}" for one, states in told if states)
