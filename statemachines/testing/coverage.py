"""What the tests of a machine went through: transitions, pairs of them, outcomes of guards, invariants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from attrs import define, field, frozen

from statemachines.model.data import Claim, Property
from statemachines.model.expressions import Kind
from statemachines.model.machines import Transition
from statemachines.model.snapshots import Answer, Snapshot
from statemachines.semantics.compile import Evaluate
from statemachines.semantics.tables import Tables

Arrow = tuple[str, str, int, int]
"""Source, event, entry of the spec, number of the case."""
Told = tuple[str, int, int, list[tuple[str, list[str], list[str]]]]
"""A machine's title, steps, lives; and of each kind of thing its name, all that there are, and what was met."""
MOST_SEEN = 50
"""How many different values of an invariant's names are told apart."""


def arrow_of(transition: Transition) -> Arrow:
    """Return what tells a transition from all others."""
    return transition.source, transition.event, transition.entry, transition.case.number if transition.case is not None else 0


def is_guarded(transition: Transition) -> bool:
    """Tell whether a transition may pass an event on."""
    case = transition.case
    return case is not None and (case.guard is not None or case.when is not None)


def arrows_of(tables: Tables) -> tuple[Transition, ...]:
    """Return the transitions that `step` may take, in the author's order."""
    return tuple(arrow for arrow in tables.machine.transitions if arrow.taken)


def pairs_of(tables: Tables) -> Iterator[tuple[Arrow, Arrow]]:
    """Yield the transitions that may follow each other, as far as their states tell; guards may forbid some."""
    arrows = arrows_of(tables)
    for first in arrows:
        for second in arrows:
            if first.target == second.source:
                yield arrow_of(first), arrow_of(second)


def passed_over(tables: Tables, answer: Answer) -> Iterator[Transition]:
    """Yield the transitions whose guard, or whose case's condition, was false."""
    yield from answer.candidates
    decided = answer.decided_by
    if isinstance(decided, Transition) and decided.case is not None:
        for arrow in tables.candidates.get((decided.source, decided.event), ()):
            if arrow.entry == decided.entry and arrow.case is not None and arrow.case.number < decided.case.number:
                yield arrow


@frozen(eq=False)
class Claimed:
    """An invariant, compiled, and what it speaks of."""

    name: str
    holds: Evaluate
    variables: tuple[str, ...]
    by_state: bool


@define
class Coverage:
    """Counts of all that was met, over all runs of a test."""

    tables: Tables
    taken: Counter[Arrow] = field(factory=Counter)
    pairs: Counter[tuple[Arrow, Arrow]] = field(factory=Counter)
    guards: Counter[tuple[Arrow, bool]] = field(factory=Counter)
    forbidden: Counter[tuple[str, str]] = field(factory=Counter)
    """(state, event) of what no transition took."""
    seen: dict[str, set[int]] = field(factory=dict)
    """Invariant to the different values of its names, as hashes."""
    lives: int = 0
    steps: int = 0
    toured: bool = False
    """Whether all that was planned was done, and nothing failed."""
    _claimed: tuple[Claimed, ...] | None = field(default=None, init=False)

    def saw(self, before: Snapshot, event: str, answer: Answer, last: Arrow | None) -> Arrow | None:
        """Count a step; return what the next one follows."""
        self.steps += 1
        for passed in passed_over(self.tables, answer):
            self.guards[arrow_of(passed), False] += 1
        decided = answer.decided_by
        if not isinstance(decided, Transition):
            self.forbidden[before.state, event] += 1
            return last if answer.after == before else None
        arrow = arrow_of(decided)
        self.taken[arrow] += 1
        if last is not None:
            self.pairs[last, arrow] += 1
        if is_guarded(decided):
            self.guards[arrow, True] += 1
        return arrow

    def stood(self, snapshot: Snapshot) -> Iterator[str]:
        """Look at the invariants of the machine itself; yield the names of those that are broken."""
        if self._claimed is None:
            self._claimed = tuple(claimed(self.tables))
        for one in self._claimed:
            if not one.holds(snapshot.state, snapshot.variables, snapshot.parameters):
                yield one.name
            seen = self.seen.setdefault(one.name, set())
            if len(seen) < MOST_SEEN:
                seen.add(hash((snapshot.state if one.by_state else "", *(snapshot.variables[name] for name in one.variables))))

    def never_taken(self) -> list[str]:
        """Return the transitions that nothing has taken, as tables name them; of one from every state, one has to be taken."""
        arrows, states = arrows_of(self.tables), len(self.tables.states)
        sources = Counter(arrow_of(arrow)[1:] for arrow in arrows)
        used = {arrow[1:] for arrow in self.taken}
        missed = [arrow_of(arrow) for arrow in arrows if arrow_of(arrow) not in self.taken]
        missed = [arrow for arrow in missed if not (sources[arrow[1:]] == states and arrow[1:] in used)]
        return list(dict.fromkeys(map(_arrow, missed)))

    def told(self) -> Told:
        """Return what was counted as plain names and numbers: what another process can be sent."""
        arrows, guarded = arrows_of(self.tables), [arrow for arrow in arrows_of(self.tables) if is_guarded(arrow)]
        outcomes = [(arrow_of(arrow), value) for arrow in guarded for value in (True, False)]
        parts = [
            ("transitions", [_arrow(arrow_of(arrow)) for arrow in arrows], list(map(_arrow, self.taken))),
            ("pairs", list(map(_pair, pairs_of(self.tables))), list(map(_pair, self.pairs))),
            ("guard outcomes", list(map(_outcome, outcomes)), list(map(_outcome, self.guards))),
            ("forbidden tried", [], [f"{event} in {state}" for state, event in self.forbidden]),
            ("invariants", [one.name for one in invariants(self.tables)], [name for name, seen in self.seen.items() if len(seen) > 1]),
        ]
        return self.tables.title, self.steps, self.lives, parts

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield what was counted: what, how much of how much, and what is missing of it."""
        yield from _rows(self.told())

    def table(self) -> str:
        """Return the counts as lines for people."""
        return table_of(self.told())


def added(several: Iterable[Told]) -> tuple[Told, ...]:
    """Add up what tests in several processes went through: what one of them met is met."""
    found: dict[str, Told] = {}
    for title, steps, lives, parts in several:
        if title in found:
            _, before, begun, known = found[title]
            steps, lives = steps + before, lives + begun
            parts = [(what, wanted, [*met, *also]) for (what, wanted, met), (_, _, also) in zip(parts, known, strict=True)]
        found[title] = title, steps, lives, parts
    return tuple(found.values())


def table_of(told: Told) -> str:
    """Return counts as lines for people."""
    title, steps, lives, _ = told
    rows = [(what, how, missing) for what, how, missing in _rows(told) if how != "0 of 0"]
    lines = [f"{title}: {steps} steps in {lives} lives"]
    return "\n".join(lines + [f"  {what:<16} {how:>10}  {missing}".rstrip() for what, how, missing in rows])


def _rows(told: Told) -> Iterator[tuple[str, str, str]]:
    for what, wanted, met in told[3]:
        if what == "forbidden tried":
            yield what, f"{len(set(met))}", ""
            continue
        missing = [one for one in wanted if one not in set(met)]
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        yield what, f"{len(wanted) - len(missing)} of {len(wanted)}", f"never: {shown}" if missing else ""


def invariants(tables: Tables) -> tuple[Property, ...]:
    """Return what the spec claims of every snapshot of every run."""
    claimed = tables.machine.data.properties
    return tuple(one for one in claimed if one.claim is Claim.ALWAYS and one.holds and not one.expect_fails and not one.until_raised)


def claimed(tables: Tables) -> Iterator[Claimed]:
    """Yield the invariants, compiled: they are looked at after every step."""
    for one in invariants(tables):
        assert one.holds is not None
        names = tables.behaviour.compiler.names_of([one.holds])
        changing = tuple(sorted(name.name for name in names if name.kind is Kind.VARIABLE))
        by_state = any(name.kind is Kind.STATE for name in names)
        yield Claimed(one.name, tables.behaviour.evaluate(one.holds), changing, by_state)


def _arrow(arrow: Arrow) -> str:
    source, event, _, case = arrow
    return f"{source}.{event}{f'#{case + 1}' if case else ''}".lstrip(".")


def _pair(pair: tuple[Arrow, Arrow]) -> str:
    return f"{_arrow(pair[0])} then {_arrow(pair[1])}"


def _outcome(one: tuple[Arrow, bool]) -> str:
    return f"{_arrow(one[0])} {'true' if one[1] else 'false'}"
