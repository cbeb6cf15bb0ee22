"""What the tests of a machine went through: transitions, pairs of them, outcomes of guards,
invariants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from attrs import define, field, frozen

from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import Answer, Snapshot
from statemachines.model.language.expression_nodes import NameKind
from statemachines.semantics.evaluation.compiler import Evaluator
from statemachines.semantics.machine.machine_tables import MachineTables

TransitionKey = tuple[str, str, int, int]
"""Source, event, entry of the spec, number of the case."""
CoverageData = tuple[str, int, int, list[tuple[str, list[str], list[str]]]]
"""A machine's title, steps, lives; and of each kind of thing its name, all that there are, and what
was met.
"""
_MOST_DISTINCT_VALUES = 50
"""How many different values of an invariant's names are told apart."""


def transition_key(transition: Transition) -> TransitionKey:
    """Return what tells a transition from all others.

    Args:
        transition: one of the machine's.

    Returns:
        Its source, its event, its entry and its case.
    """
    return (
        transition.source,
        transition.event,
        transition.entry,
        transition.case.index if transition.case is not None else 0,
    )


def is_guarded(transition: Transition) -> bool:
    """Tell whether a transition may pass an event on.

    Args:
        transition: one of the machine's.

    Returns:
        Whether its case has a guard or a `when`.
    """
    case = transition.case
    return case is not None and (case.guard is not None or case.when is not None)


def coverable_transitions(tables: MachineTables) -> tuple[Transition, ...]:
    """Return the transitions that `step` may take, in the author's order.

    Args:
        tables: those of the machine.

    Returns:
        The transitions, one for each source and case.
    """
    return tuple(transition for transition in tables.machine.transitions if transition.taken)


def transition_pairs(tables: MachineTables) -> Iterator[tuple[TransitionKey, TransitionKey]]:
    """Yield the transitions that may follow each other, as far as their states tell; guards may
    forbid some.

    Args:
        tables: those of the machine.

    Yields:
        The keys of a transition and of one that begins where it ends.
    """
    transitions = coverable_transitions(tables)
    for first in transitions:
        for second in transitions:
            if first.target == second.source:
                yield transition_key(first), transition_key(second)


def rejected_transitions(tables: MachineTables, answer: Answer) -> Iterator[Transition]:
    """Yield the transitions whose guard, or whose case's condition, was false.

    Args:
        tables: those of the machine.
        answer: what the machine says to it.

    Yields:
        Those that `step` looked at before it decided, in its order.
    """
    yield from answer.candidates
    decided = answer.decided_by
    if isinstance(decided, Transition) and decided.case is not None:
        for transition in tables.candidates.get((decided.source, decided.event), ()):
            if (
                transition.entry == decided.entry
                and transition.case is not None
                and transition.case.index < decided.case.index
            ):
                yield transition


@frozen(eq=False)
class _CompiledInvariant:
    """An invariant, compiled, and what it speaks of."""

    name: str
    holds: Evaluator
    variables: tuple[str, ...]
    reads_state: bool


@define
class Coverage:
    """Counts of all that was met, over all runs of a test."""

    tables: MachineTables
    taken: Counter[TransitionKey] = field(factory=Counter)
    pairs: Counter[tuple[TransitionKey, TransitionKey]] = field(factory=Counter)
    guards: Counter[tuple[TransitionKey, bool]] = field(factory=Counter)
    forbidden: Counter[tuple[str, str]] = field(factory=Counter)
    """(state, event) of what no transition took."""
    invariant_values: dict[str, set[int]] = field(factory=dict)
    """Invariant to the different values of its names, as hashes."""
    sequences: int = 0
    steps: int = 0
    tours_passed: bool = False
    """Whether all that was planned was done, and nothing failed."""
    _invariants: tuple[_CompiledInvariant, ...] | None = field(default=None, init=False)

    def count_step(
        self, before: Snapshot, event: str, answer: Answer, last: TransitionKey | None
    ) -> TransitionKey | None:
        """Count a step; return what the next one follows.

        Args:
            before: the snapshot before it.
            event: the name of the event.
            answer: what the machine says to it.
            last: the transition that was taken before, if one was.

        Returns:
            The key of the transition that was taken; None where none was.
        """
        self.steps += 1
        for passed in rejected_transitions(self.tables, answer):
            self.guards[transition_key(passed), False] += 1
        decided = answer.decided_by
        if not isinstance(decided, Transition):
            self.forbidden[before.state, event] += 1
            return last if answer.after == before else None
        transition = transition_key(decided)
        self.taken[transition] += 1
        if last is not None:
            self.pairs[last, transition] += 1
        if is_guarded(decided):
            self.guards[transition, True] += 1
        return transition

    def check_invariants(self, snapshot: Snapshot) -> Iterator[str]:
        """Check the machine's own invariants; yield the names of those that are broken.

        Args:
            snapshot: the one after a step.

        Yields:
            Names of properties, in the spec's order.
        """
        if self._invariants is None:
            self._invariants = tuple(_compile_invariants(self.tables))
        for invariant in self._invariants:
            if not invariant.holds(snapshot.state, snapshot.variables, snapshot.parameters):
                yield invariant.name
            values = self.invariant_values.setdefault(invariant.name, set())
            if len(values) < _MOST_DISTINCT_VALUES:
                values.add(
                    hash(
                        (
                            snapshot.state if invariant.reads_state else "",
                            *(snapshot.variables[name] for name in invariant.variables),
                        )
                    )
                )

    def never_taken(self) -> list[str]:
        """Return the transitions that nothing has taken, as tables name them; of one from every
        state, one has to be taken.
        """
        transitions, states = coverable_transitions(self.tables), len(self.tables.states)
        sources = Counter(transition_key(transition)[1:] for transition in transitions)
        used = {transition[1:] for transition in self.taken}
        missed = [
            transition_key(transition)
            for transition in transitions
            if transition_key(transition) not in self.taken
        ]
        everywhere = {key for key, count in sources.items() if key[1] < 0 or count == states}
        missed = [key for key in missed if not (key[1:] in used and key[1:] in everywhere)]
        return list(dict.fromkeys(map(_transition_text, missed)))

    def to_data(self) -> CoverageData:
        """Return what was counted as plain names and numbers: what another process can be sent."""
        transitions, guarded = (
            coverable_transitions(self.tables),
            [
                transition
                for transition in coverable_transitions(self.tables)
                if is_guarded(transition)
            ],
        )
        outcomes = [
            (transition_key(transition), value) for transition in guarded for value in (True, False)
        ]
        parts = [
            (
                "transitions",
                [_transition_text(transition_key(transition)) for transition in transitions],
                list(map(_transition_text, self.taken)),
            ),
            (
                "pairs",
                list(map(_pair_text, transition_pairs(self.tables))),
                list(map(_pair_text, self.pairs)),
            ),
            (
                "guard outcomes",
                list(map(_outcome_text, outcomes)),
                list(map(_outcome_text, self.guards)),
            ),
            ("forbidden tried", [], [f"{event} in {state}" for state, event in self.forbidden]),
            (
                "invariants",
                [invariant.name for invariant in invariants(self.tables)],
                [
                    name
                    for name, invariant_value in self.invariant_values.items()
                    if len(invariant_value) > 1
                ],
            ),
        ]
        return self.tables.title, self.steps, self.sequences, parts

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield what was counted: what, how much of how much, and what is missing of it."""
        yield from _coverage_rows(self.to_data())

    def table(self) -> str:
        """Return the counts as lines for people."""
        return coverage_text(self.to_data())


def merge_coverage(several: Iterable[CoverageData]) -> tuple[CoverageData, ...]:
    """Add up what tests in several processes went through: what one of them met is met.

    Args:
        several: what each process counted.

    Returns:
        One for each title, in the order in which they came first.
    """
    merged: dict[str, CoverageData] = {}
    for title, steps, sequences, parts in several:
        if title in merged:
            _, before, begun, known = merged[title]
            steps, sequences = steps + before, sequences + begun
            parts = [
                (what, wanted, [*covered, *also])
                for (what, wanted, covered), (_, _, also) in zip(parts, known, strict=True)
            ]
        merged[title] = title, steps, sequences, parts
    return tuple(merged.values())


def coverage_text(coverage: CoverageData) -> str:
    """Return counts as lines for people.

    Args:
        coverage: what was counted of one machine.

    Returns:
        Lines joined by line feeds: the title, then a row for each kind of goal.
    """
    title, steps, sequences, _ = coverage
    rows = [
        (what, how, missing) for what, how, missing in _coverage_rows(coverage) if how != "0 of 0"
    ]
    lines = [f"{title}: {steps} steps in {sequences} lives"]
    return "\n".join(
        lines + [f"  {what:<16} {how:>10}  {missing}".rstrip() for what, how, missing in rows]
    )


def _coverage_rows(coverage: CoverageData) -> Iterator[tuple[str, str, str]]:
    for what, wanted, covered in coverage[3]:
        if what == "forbidden tried":
            yield what, f"{len(set(covered))}", ""
            continue
        missing = [item for item in wanted if item not in set(covered)]
        shown = ", ".join(missing[:3]) + (
            f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        )
        yield (
            what,
            f"{len(wanted) - len(missing)} of {len(wanted)}",
            f"never: {shown}" if missing else "",
        )


def invariants(tables: MachineTables) -> tuple[Property, ...]:
    """Return what the spec claims of every snapshot of every run.

    Args:
        tables: those of the machine.

    Returns:
        The properties `always`, but for those that need a scope or are expected to fail.
    """
    claimed = tables.machine.data.properties
    return tuple(
        property_
        for property_ in claimed
        if property_.kind is PropertyKind.ALWAYS
        and property_.holds
        and not property_.needs_scope
        and not property_.expect_fails
        and not property_.until_raised
    )


def _compile_invariants(tables: MachineTables) -> Iterator[_CompiledInvariant]:
    """Yield the invariants, compiled: they are looked at after every step."""
    for invariant in invariants(tables):
        assert invariant.holds is not None
        names = tables.behaviour.compiler.all_used_names([invariant.holds])
        changing = tuple(sorted(name.name for name in names if name.kind is NameKind.VARIABLE))
        by_state = any(name.kind is NameKind.STATE for name in names)
        yield _CompiledInvariant(
            invariant.name, tables.behaviour.evaluator(invariant.holds), changing, by_state
        )


def _transition_text(transition: TransitionKey) -> str:
    source, event, _, case = transition
    return f"{source}.{event}{f'#{case + 1}' if case else ''}".lstrip(".")


def _pair_text(pair: tuple[TransitionKey, TransitionKey]) -> str:
    return f"{_transition_text(pair[0])} then {_transition_text(pair[1])}"


def _outcome_text(outcome: tuple[TransitionKey, bool]) -> str:
    return f"{_transition_text(outcome[0])} {'true' if outcome[1] else 'false'}"
