"""The rules of one instance of a system, looked at wherever one of its parts moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from statemachines.conform.systems.completing import Completing, Holds
from statemachines.conform.systems.lives import Life, States, ms, settled
from statemachines.model.data import Claim, Property
from statemachines.model.expressions import Expression
from statemachines.model.places import Span
from statemachines.model.reports import Finding, Place
from statemachines.model.systems import Link, System, SystemSpec
from statemachines.model.verdicts import Verdict
from statemachines.semantics.systems import tables_of_system

IN_FLIGHT = 50
"""Milliseconds by which the line of a part may be behind that of the part that it follows; a second where times have no milliseconds."""


@frozen
class Rule:
    """What is looked at: over each moment, or over each step of some part."""

    name: str
    doc: str
    holds: Holds
    stays: bool
    """Over each moment; a break that lasts no longer than a line is behind is none."""
    span: Span | None
    link: Link | None = None
    """Where a link's `only if` says it: the steps that it speaks of."""


def rules_of(system: System) -> tuple[Rule, ...]:
    """Return what can be looked at in logs: `always`, `each step`, and the `only if` of links that speak of states."""
    told = [_of_property(system, one) for one in system.data.properties if one.claim in (Claim.ALWAYS, Claim.EACH_STEP)]
    asked = [_of_link(system, link) for link in system.links if link.only_if is not None and (link.enters or link.leaves)]
    return (*told, *asked)


def _of_property(system: System, rule: Property) -> Rule:
    tables, node = tables_of_system(system), rule.holds
    assert node is not None
    return Rule(
        rule.name, rule.doc or "does not hold", lambda now, before: tables.holds(node, now, before), rule.claim is Claim.ALWAYS, rule.span
    )


def _of_link(system: System, link: Link) -> Rule:
    tables = tables_of_system(system)
    demands: list[Expression] = [link.only_if] if link.only_if is not None else []
    states = " or ".join((*(link.enters or ()), *(link.leaves or ())))
    name = f"{link.on} {'enters' if link.enters else 'leaves'} {states} too early"

    def holds(_: object, before: object) -> bool:
        guarded = link.guard is None or tables.holds(link.guard, before)  # type: ignore[arg-type]  # a step has a before
        return not guarded or all(tables.holds(node, before) for node in demands)  # type: ignore[arg-type]

    return Rule(name, link.doc or "the system forbids it", holds, False, link.span, link)


class Group:
    """One instance of a system in a log.

    Complexity: linear in the steps, times the instances that belong together; what is asked again is not gone through again.
    """

    def __init__(self, spec: SystemSpec, system: System, lives: Sequence[Life], process: str, tolerance: int) -> None:
        tables = tables_of_system(system)
        self.spec, self.system, self.process = spec, system, process
        self.lives = [settled(life, tables.tables[life.part]) for life in lives]
        self.completing = Completing(system, self.lives)
        steps = [step for life in lives for step in life.steps]
        self.flight = 1_000 if all(ms(step) % 1_000 == 0 for step in steps) else IN_FLIGHT
        self.one_file = len({step.place.file for step in steps if step.place is not None}) == 1
        self.near = self.flight if self.one_file else max(tolerance, self.flight)
        numbered = ((life, number) for life in range(len(lives)) for number in range(len(lives[life].steps)))
        self.moves = sorted(numbered, key=lambda move: self._order(*move))

    def _order(self, life: int, number: int) -> tuple[int, str, int]:
        """Order by time; in one file as the lines stand, for a program writes them in the order of what it does."""
        step = self.lives[life].steps[number]
        assert step.place is not None
        return 0 if self.one_file else ms(step), step.place.file, step.place.line

    def findings(self) -> Iterator[Finding]:
        """Yield what is broken: each rule where it begins to be; a link's only where no rule says it already."""
        said = set[Place | None]()
        for rule in rules_of(self.system):
            for finding in self._always(rule) if rule.stays else self._each_step(rule):
                if rule.link is None or finding.place not in said:
                    said.add(finding.place)
                    yield finding

    def _always(self, rule: Rule) -> Iterator[Finding]:
        """Look at a rule after each step, and at how long it stays broken."""
        seen, began = [0] * len(self.lives), None
        states = [life.after(0) for life in self.lives]
        for place, (life, number) in enumerate(self.moves):
            seen[life], states[life] = number + 1, self.lives[life].after(number + 1)
            broken = self.completing.is_broken(rule.name, rule.holds, tuple(states))
            if began is not None and not broken:
                yield from self._stretch(rule, began, ms(self.lives[life].steps[number]))
            began = (began if began is not None else (place, tuple(seen))) if broken else None
        if began is not None:
            yield from self._stretch(rule, began, None)

    def _stretch(self, rule: Rule, began: tuple[int, tuple[int, ...]], end: int | None) -> Iterator[Finding]:
        life, number = self.moves[began[0]]
        lasted = None if end is None else end - ms(self.lives[life].steps[number])
        if lasted is None and not self._rests(began[0]):
            yield self._finding(rule, Verdict.INCONCLUSIVE, life, number, began[1])
        elif lasted is None or lasted > self.near:
            yield self._finding(rule, Verdict.VIOLATED, life, number, began[1])
        elif lasted > self.flight:
            yield self._finding(rule, Verdict.INCONCLUSIVE, life, number, began[1])

    def _rests(self, place: int) -> bool:
        """Tell whether the log goes on for long enough after a move to see what comes of it."""
        first, last = self.moves[place], self.moves[-1]
        return ms(self.lives[last[0]].steps[last[1]]) - ms(self.lives[first[0]].steps[first[1]]) > self.near

    def _each_step(self, rule: Rule) -> Iterator[Finding]:
        """Look at a rule of steps at each of them: as the lines stand, then with what may be behind or before them."""
        seen = [0] * len(self.lives)
        states = [life.after(0) for life in self.lives]
        for life, number in self.moves:
            told, before = self.lives[life].steps[number], tuple(seen)
            if told.source is not None and _speaks_of(rule, self.lives[life], told.source, told.target):
                move = (life, told.source, told.target)
                if self.completing.is_broken(rule.name, rule.holds, tuple(states), move):
                    yield from self._unless_near(rule, move, number, before)
            seen[life], states[life] = number + 1, self.lives[life].after(number + 1)

    def _unless_near(self, rule: Rule, move: tuple[int, str, str | None], number: int, before: tuple[int, ...]) -> Iterator[Finding]:
        """Say that a step breaks a rule; where the lines of other parts are so near that their order means little, that it may.

        In one file the line of a part is written after those of the parts that it follows, so such a break cannot be told; in
        several files the clocks say more than the lines.
        """
        life, at = move[0], ms(self.lives[move[0]].steps[number])
        after = tuple(count + (place == life) for place, count in enumerate(before))
        if self.completing.is_broken(rule.name, rule.holds, self._around(at, self.near, before), move):
            yield self._finding(rule, Verdict.VIOLATED, life, number, after)
        elif self.one_file or self.completing.is_broken(rule.name, rule.holds, self._around(at, self.flight, before), move):
            yield self._finding(rule, Verdict.INCONCLUSIVE, life, number, after)

    def _around(self, at: int, span: int, seen: tuple[int, ...]) -> tuple[States, ...]:
        """Return the states in which each instance may be within a span of milliseconds around a moment."""
        return tuple(one.around(at - span, at + span, count) for one, count in zip(self.lives, seen, strict=True))

    def _finding(self, rule: Rule, verdict: Verdict, life: int, number: int, seen: tuple[int, ...]) -> Finding:
        step, anchor = self.lives[life].steps[number], self.lives[0].steps[0]
        spec = Place(self.spec.file, rule.span.line) if rule.span is not None else None
        unsure = "" if verdict is Verdict.VIOLATED else "; the order of the lines cannot be told"
        said = f"{rule.name}: {rule.doc} ({self._described(seen)}){unsure}"
        return Finding(
            "broken rule", verdict, self.spec.name, anchor.instance, self.process, step.at, step.place, step.text, step.source, step.target,
            None, (), (), None, None, spec, 1, said,
        )  # fmt: skip

    def _described(self, seen: tuple[int, ...]) -> str:
        """Say in which state each part is."""
        told = ((one, sorted(str(state) for state in one.after(count) if state)) for one, count in zip(self.lives, seen, strict=True))
        return ", ".join(f"{one.key or one.part} {' or '.join(states)}" for one, states in told if states)


def _speaks_of(rule: Rule, life: Life, source: str, target: str | None) -> bool:
    """Tell whether a rule looks at a step."""
    if rule.link is None:
        return True
    if rule.link.on != life.part or source == target:
        return False
    return target in rule.link.enters if rule.link.enters is not None else source in (rule.link.leaves or ())
