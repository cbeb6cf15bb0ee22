"""Machines that logs show: states, steps, where incarnations begin and end, and the lines that show
it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from attrs import Factory, define, evolve, field, frozen

from statemachines.mining.inference.instance_keys import (
    Instance,
    InstanceKeyFit,
    ObservedMove,
    best_key,
)
from statemachines.mining.inference.other_lines import OtherLines, other_lines
from statemachines.mining.inference.state_lines import StateLines
from statemachines.mining.templates.message_templates import MinedTemplate, TemplateRow
from statemachines.mining.templates.message_words import is_state_word
from statemachines.model.evidence.reports import Place

_FEWEST_LINES = 3
"""Of a machine none of whose lines go on from another."""
_END_WORDS = frozenset(
    (
        *("dead", "closed", "done", "finished", "completed", "complete", "failed", "stopped"),
        *("ended", "terminated", "killed", "succeeded", "deleted", "removed", "gone", "expired"),
        *("cancelled", "canceled", "aborted", "rejected", "exited", "destroyed", "delivered"),
        *("returned", "released"),
    )
)
"""Names that people give to states that nothing leaves."""


@define
class Evidence:
    """How often something was seen, and where first."""

    count: int = 0
    first: Place | None = None

    def add(self, place: Place) -> None:
        """Count one more.

        Args:
            place: the line that shows it.
        """
        self.count += 1
        self.first = self.first or place


@frozen(eq=False)
class InferredMachine:
    """What logs show of a machine."""

    fit: InstanceKeyFit
    states: dict[str, Evidence]
    """In the order in which they were first seen."""
    steps: dict[tuple[str, str], Evidence]
    unseen: dict[tuple[str, str], Evidence]
    """Steps that no line tells: an instance went on in another state than it was left in."""
    initial: dict[str, int]
    """States and how many instances were first seen in them; none of the states that only logs
    that begin late begin in.
    """
    final: tuple[str, ...]
    instances: int
    notes: tuple[OtherLines, ...] = ()
    """Templates that name its instances and tell of no state."""

    @property
    def count(self) -> int:
        """How many lines tell of it."""
        return sum(lines.template.count for lines in self.fit.lines)


def find_machines(templates: Sequence[MinedTemplate]) -> list[InferredMachine]:
    """Return the machines that templates tell of, the one with the most lines first.

    Args:
        templates: what the messages of all lines have in common.

    Returns:
        The machines with their steps.
    """
    by_template = [lines for template in templates if (lines := state_lines(template))]
    left = [lines for lines in by_template if not lines.names_a_failure()]
    left.sort(key=lambda lines: -lines.template.count)
    machines = list[InferredMachine]()
    while left:
        group = [left[0], *(lines for lines in left[1:] if lines.is_like(left[0]))]
        fit = best_key(group)
        left = [lines for lines in left if lines not in fit.lines]
        if fit.lines[0].source is None or fit.linked >= fit.broken:
            machines.append(observed_machine(fit))
    about = tuple(
        template
        for template in templates
        if all(lines.template is not template for lines in by_template)
    )
    whole = [machine for machine in machines if _is_shown(machine)]
    return [
        evolve(inferred_machine, notes=tuple(other_lines(inferred_machine.fit, about)))
        for inferred_machine in whole
    ]


def _is_shown(machine: InferredMachine) -> bool:
    """Tell whether lines show a machine, and not words that look like states once or twice."""
    return (
        len(machine.steps) > 0
        and len(machine.states) > 1
        and (machine.fit.linked > 0 or machine.count >= _FEWEST_LINES)
    )


def observed_machine(fit: InstanceKeyFit) -> InferredMachine:
    """Return the machine that lines tell of, as far as they show it.

    Args:
        fit: lines that tell of its states, with the words that name an instance.

    Returns:
        States and steps, each with its evidence.
    """
    labels = {lines.label for lines in fit.lines if lines.target is None}
    counts = _MoveCounts()
    for move in fit.moves():
        counts.add(move)
    return InferredMachine(
        fit,
        counts.states,
        counts.steps,
        counts.unseen,
        _initial_states(counts),
        tuple(_final_states(counts, labels)),
        len(counts.reached),
    )


@define
class _MoveCounts:
    """Counts what lines tell, instance by instance."""

    states: dict[str, Evidence] = Factory(dict)
    steps: dict[tuple[str, str], Evidence] = Factory(dict)
    unseen: dict[tuple[str, str], Evidence] = Factory(dict)
    first: Counter[str] = field(factory=Counter)
    reached: dict[Instance, str] = Factory(dict)

    def add(self, move: ObservedMove) -> None:
        before, place = self.reached.get(move.instance), move.row.place
        source = move.source or before
        if source is not None and source != before:
            self.states.setdefault(source, Evidence()).add(place)
        self.states.setdefault(move.target, Evidence()).add(place)
        if before is None:
            self.first[source or move.target] += 1
        elif before != source:
            self.unseen.setdefault((before, source or ""), Evidence()).add(place)
        if source is not None:
            self.steps.setdefault((source, move.target), Evidence()).add(place)
        self.reached[move.instance] = move.target


def _initial_states(counts: _MoveCounts) -> dict[str, int]:
    """Return the states in which instances begin: those that no step leads to, and where every
    state is led to, that in which most were first seen.
    """
    entered = {target for source, target in counts.steps if source != target}
    only_left = {state: n for state, n in counts.first.items() if state not in entered}
    return only_left or dict(counts.first.most_common(1))


def _final_states(counts: _MoveCounts, labels: set[str]) -> Iterable[str]:
    """Yield the states that nothing was seen to leave and whose name says that it is the end; of
    wordings that stand for states, those with which several instances ended.
    """
    left = {source for source, target in counts.steps if source != target}
    ended = Counter(counts.reached.values())
    for state in counts.states:
        is_end = not _END_WORDS.isdisjoint(re.split("[-_]", state.lower()))
        if state not in left and (is_end or (state in labels and ended[state] > 1)):
            yield state


MOST_STATES = 40
"""Different values of a field that may be states."""
_FEWEST_LINKS = 3
"""Lines that continue others, before a word is taken for a state that no wording says is one."""
_MOST_BROKEN = 0.1
"""Share of lines that do not continue the one before, of such a word."""


def state_lines(template: MinedTemplate) -> StateLines | None:
    """Return how a template tells of states; None where nothing shows that it does.

    Args:
        template: what the messages of some lines have in common.

    Returns:
        Its lines with the words that are states, or None.
    """
    if template.cue:
        return StateLines(template, template.cue.source, template.cue.target)
    tried = (StateLines(template, source, target) for source, target in _state_pairs(template))
    fits = ((lines, best_key((lines,))) for lines in tried)
    chains = [(fit.linked - fit.broken, lines) for lines, fit in fits if _is_chain(fit)]
    return max(chains, key=lambda chain: chain[0], default=(0, None))[1]


def _is_chain(fit: InstanceKeyFit) -> bool:
    return fit.linked >= _FEWEST_LINKS and fit.broken <= _MOST_BROKEN * fit.linked


def _state_pairs(template: MinedTemplate) -> Iterator[tuple[int, int]]:
    """Yield the words, in either order, that take the same few values and differ in most lines."""
    values = {i: _few_state_words(template.rows, i) for i in template.fields}
    for one, other in combinations([i for i in values if values[i]], 2):
        differ = sum(row.words[one] != row.words[other] for row in template.rows)
        if values[one] & values[other] and 2 * differ > len(template.rows):
            yield from ((one, other), (other, one))


def _few_state_words(rows: Iterable[TemplateRow], i: int) -> set[str]:
    """Return the values of a field whose values may all be states, and nothing for another one."""
    values = set[str]()
    for row in rows:
        values.add(row.words[i])
        if len(values) > MOST_STATES or not is_state_word(row.words[i]):
            return set()
    return values
