"""The rules of one instance of a system, looked at wherever one of its parts moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from statemachines.conform.asked import why_not
from statemachines.conform.systems.completing import Completing, Holds, Move
from statemachines.conform.systems.lives import Life, States, ms, settled
from statemachines.conform.systems.ordering import in_order, logs_of
from statemachines.model.data import Claim, Property
from statemachines.model.places import Span
from statemachines.model.releases import Releases
from statemachines.model.reports import Finding, Place, Step
from statemachines.model.systems import Link, System, SystemSnapshot, SystemSpec
from statemachines.model.verdicts import Verdict
from statemachines.semantics.systems import tables_of_system

IN_FLIGHT = 50
"""Milliseconds by which the line of a part may be behind that of the part that it follows; a second where times have no milliseconds."""


SLOW = 1_000
"""Milliseconds by which it may be behind where all stood still, or the part was busy."""
UNSEEN = "; only a part that no line tells of would explain it"
ORDER = "; the order of the lines cannot be told"
LOST = "; lines at the end of a part's that are not in the log would explain it"


ONLY_IF = "only if"
"""The claim of a link."""
Counts = tuple[int, int]
Asked = tuple[str, str, Releases]
"""Claim and name of a rule, and the releases that fit where it was asked."""


@frozen
class Seen:
    """What is known of each life at one moment."""

    counts: tuple[int, ...]
    """How many of its steps are told."""
    states: tuple[States, ...]


@frozen
class Rule:
    """What is looked at: over each moment, or over each step of some part."""

    claim: str
    name: str
    doc: str
    holds: Holds
    stays: bool
    """Over each moment; a break that lasts no longer than a line is behind is none."""
    span: Span | None
    link: Link | None = None
    """Where a link's `only if` says it: the steps that it speaks of."""

    @property
    def key(self) -> object:
        """What tells it from the system's other rules: two links may be called alike."""
        return self.claim, self.name, self.link.number if self.link else None


def rules_of(system: System) -> tuple[Rule, ...]:
    """Return what can be looked at in logs: `always`, `each step`, and the `only if` of links that speak of states."""
    told = [_of_property(system, one) for one in system.data.properties if not why_not(one)]
    asked = [_of_link(system, link) for link in system.links if link.only_if is not None and (link.enters or link.leaves)]
    return (*told, *asked)


def _of_property(system: System, rule: Property) -> Rule:
    tables, node = tables_of_system(system), rule.holds
    assert node is not None
    return Rule(
        str(rule.claim),
        rule.name,
        rule.doc or "does not hold",
        lambda now, before: tables.holds(node, now, before),
        rule.claim is Claim.ALWAYS,
        rule.span,
    )


def name_of_link(link: Link) -> str:
    """Return how a link is called whose `only if` does not hold."""
    if link.event is not None:
        return f"{link.on} takes {link.event} too early"
    states = " or ".join((*(link.enters or ()), *(link.leaves or ())))
    return f"{link.on} {'enters' if link.enters else 'leaves'} {states} too early"


def _of_link(system: System, link: Link) -> Rule:
    tables = tables_of_system(system)
    name = name_of_link(link)

    def holds(_: SystemSnapshot, before: SystemSnapshot | None) -> bool:
        assert before is not None  # what a link asks is asked of steps only
        guarded = link.guard is None or tables.holds(link.guard, before)
        return not guarded or link.only_if is None or tables.holds(link.only_if, before)

    return Rule(ONLY_IF, name, link.doc or "the system forbids it", holds, False, link.span, link)


class Group:
    """One instance of a system in a log.

    Complexity: linear in the steps, times the instances that belong together; what is asked again is not gone through again.
    """

    def __init__(
        self, spec: SystemSpec, system: System, lives: Sequence[Life], tolerance: int, fitting: Callable[[Step], Releases]
    ) -> None:
        tables = tables_of_system(system)
        self.spec, self.system = spec, system
        self.fitting = fitting
        """The releases that fit a line."""
        self.counts: dict[Asked, Counts] = {}
        """How often a rule was decided, and how often it was not."""
        self.lives = [settled(life, tables.tables[life.part]) for life in lives]
        self.completing = Completing(system, self.lives)
        self.flight = 1_000 if all(ms(step) % 1_000 == 0 for life in lives for step in life.steps) else IN_FLIGHT
        self.one_log = len(logs_of(lives)) == 1
        self.near = self.flight if self.one_log else max(tolerance, self.flight)
        self.moves = list(in_order(lives))
        self.initial = tables.tables[lives[0].part].names(tables.tables[lives[0].part].initial)
        self.anywhere: list[States] = [frozenset({None, *tables.tables[life.part].states}) for life in lives]
        """Of a part that was there before the whole began anew: it may be in any state, and it need not be there."""
        self.enters = list(self._entered())
        """Of each life the last beginning of the whole before its first step, as the number of that step; -1 without any."""
        self.followers = {(link.on, link.send.part) for link in system.links if link.send is not None and not link.later}
        """Parts, and those whose step follows one of theirs."""

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
        began: tuple[int, Seen] | None = None
        for place, seen in enumerate(self._told()):
            broken = self._looks(rule, self._step(place), seen.states) is False
            if began is not None and not broken:
                yield from self._stretch(rule, *began, place)
            began = (began if began is not None else (place, seen)) if broken else None
        if began is not None:
            yield from self._stretch(rule, *began, None)

    def _looks(self, rule: Rule, step: Step, states: tuple[States, ...], move: Move | None = None) -> bool | None:
        """Return whether a rule holds at a step, as `Completing.decided` does, and count it."""
        answer = self.completing.decided(rule.key, rule.holds, states, move)
        asked = rule.claim, rule.name, self.fitting(step)
        decided, undecided = self.counts.get(asked, (0, 0))
        self.counts[asked] = (decided, undecided + 1) if answer is None else (decided + 1, undecided)
        return answer

    def _told(self) -> Iterator[Seen]:
        """Yield what is known after each step."""
        seen = self._nothing()
        for move in self.moves:
            seen = self._moved(seen, *move)
            yield seen

    def _moved(self, seen: Seen, life: int, number: int) -> Seen:
        """Return what is known after one more step; where the whole begins anew, what was known of its parts is of no use."""
        counts, states = list(seen.counts), list(seen.states)
        if life == 0 and self._begins(number):
            states = [self._when_it_begins(place, number, count, states[place]) for place, count in enumerate(counts)]
        counts[life], states[life] = number + 1, self.lives[life].after(number + 1)
        return Seen(tuple(counts), tuple(states))

    def _when_it_begins(self, life: int, number: int, count: int, state: States) -> States:
        """Return what is known of a part when the whole begins: of one that was there before nothing."""
        if count:
            return self.anywhere[life]
        return self.lives[life].after(0) if self.enters[life] == number else state

    def _nothing(self) -> Seen:
        """Return what is known before the first step."""
        known = zip(self.lives, self.anywhere, self.enters, strict=True)
        states = (anywhere if entered >= 0 and place else life.after(0) for place, (life, anywhere, entered) in enumerate(known))
        return Seen(tuple(0 for _ in self.lives), tuple(states))

    def _entered(self) -> Iterator[int]:
        """Yield of each life the last beginning of the whole before its first step."""
        found, began = dict[int, int](), -1
        for life, number in self.moves:
            began = number if life == 0 and self._begins(number) else began
            found.setdefault(life, began)
        yield from (found[life] for life in range(len(self.lives)))

    def _begins(self, number: int) -> bool:
        """Tell whether a step of the one that there is exactly once is the first of a life."""
        steps = self.lives[0].steps
        return steps[number].source in self.initial or (number > 0 and steps[number - 1].life != steps[number].life)

    def _stretch(self, rule: Rule, began: int, seen: Seen, end: int | None) -> Iterator[Finding]:
        life, number = self.moves[began]
        since = ms(self.lives[life].steps[number])
        lasted = None if end is None else ms(self._step(end)) - since
        if lasted is not None and lasted <= self.flight:
            return
        sure = self._rests(began) if lasted is None else lasted > (SLOW if self._follows(began, end) else self.near)
        unsure = self._excuse(rule, seen, self._proved(seen, life)) if sure else ORDER
        yield self._finding(rule, life, number, seen, unsure)

    def _excuse(self, rule: Rule, seen: Seen, proved: tuple[States, ...], move: Move | None = None) -> str:
        """Say what could explain a break that the lines of the log do not; empty where nothing could."""
        if not self.completing.is_broken(rule.key, rule.holds, seen.states, move):
            return UNSEEN
        return "" if self.completing.is_broken(rule.key, rule.holds, proved, move) else LOST

    def _step(self, place: int) -> Step:
        life, number = self.moves[place]
        return self.lives[life].steps[number]

    def _follows(self, began: int, end: int | None) -> bool:
        """Tell whether the step that ends a break is what follows the one that began it: it may only be slow."""
        return end is not None and (self.lives[self.moves[began][0]].part, self.lives[self.moves[end][0]].part) in self.followers

    def _proved(self, seen: Seen, mover: int) -> tuple[States, ...]:
        """Return where each instance may be even if lines behind its last one were lost; the one that just moved is where its line says."""
        told = zip(self.lives, seen.counts, seen.states, strict=True)
        return tuple(
            one.loose | {None} if place != mover and count == len(one.steps) and count else states
            for place, (one, count, states) in enumerate(told)
        )

    def _rests(self, place: int) -> bool:
        """Tell whether the log goes on for long enough after a move to see what comes of it."""
        first, last = self.moves[place], self.moves[-1]
        return ms(self.lives[last[0]].steps[last[1]]) - ms(self.lives[first[0]].steps[first[1]]) > self.near

    def _each_step(self, rule: Rule) -> Iterator[Finding]:
        """Look at a rule of steps at each of them: as the lines stand, then with what may be behind or before them."""
        before = self._nothing()
        for (life, number), after in zip(self.moves, self._told(), strict=True):
            told = self.lives[life].steps[number]
            if told.source is not None and _speaks_of(rule, self.lives[life], told.source, told.target):
                move = (life, told.source, told.target)
                here = self._moved(before, life, number) if life == 0 and self._begins(number) else before
                if self._looks(rule, told, here.states, move) is False:
                    yield from self._unless_near(rule, move, number, here, after)
            before = after

    def _unless_near(self, rule: Rule, move: Move, number: int, before: Seen, after: Seen) -> Iterator[Finding]:
        """Say that a step breaks a rule; where the lines of other parts are so near that their order means little, that it may.

        In one log the line of a part is written after those of the parts that it follows, so such a break cannot be told; in
        several logs the clocks say more than the lines.
        """
        life, at = move[0], ms(self.lives[move[0]].steps[number])
        if self._is_broken(rule, self._around(at, self.near, before), move):
            yield self._finding(rule, life, number, after, self._excuse(rule, before, self._proved(before, life), move))
        elif self.one_log or self._is_broken(rule, self._around(at, self.flight, before), move):
            yield self._finding(rule, life, number, after, ORDER)

    def _is_broken(self, rule: Rule, states: tuple[States, ...], move: Move) -> bool:
        return self.completing.is_broken(rule.key, rule.holds, states, move, guess=False)

    def _around(self, at: int, span: int, seen: Seen) -> tuple[States, ...]:
        """Return the states in which each instance may be within a span of milliseconds around a moment."""
        told = zip(self.lives, seen.counts, seen.states, strict=True)
        return tuple(states | one.around(at - span, at + span, count) for one, count, states in told)

    def _finding(self, rule: Rule, life: int, number: int, seen: Seen, unsure: str) -> Finding:
        """Return what is said of a break: VIOLATED unless something makes it unsure."""
        verdict = Verdict.INCONCLUSIVE if unsure else Verdict.VIOLATED
        step, anchor = self.lives[life].steps[number], self.lives[0].steps[0]
        spec = Place(self.spec.file, rule.span.line) if rule.span is not None else None
        said = f"{rule.name}: {rule.doc} ({self._described(seen.states)}){unsure}"
        return Finding(
            "broken rule", verdict, self.spec.name, anchor.instance, step.process, step.at, step.place, step.text, step.source, step.target,
            None, (), (), None, None, spec, 1, said, rule=(rule.claim, rule.name),
        )  # fmt: skip

    def _described(self, states: tuple[States, ...]) -> str:
        """Say in which state each part is."""
        told = zip(self.lives, self.anywhere, states, strict=True)
        named = ((one, sorted(state for state in known if state)) for one, anywhere, known in told if known != anywhere)
        return ", ".join(f"{one.key or one.part} {' or '.join(known)}" for one, known in named if known)


def _speaks_of(rule: Rule, life: Life, source: str, target: str | None) -> bool:
    """Tell whether a rule looks at a step."""
    if rule.link is None:
        return True
    if rule.link.on != life.part or source == target:
        return False
    return target in rule.link.enters if rule.link.enters is not None else source in (rule.link.leaves or ())
