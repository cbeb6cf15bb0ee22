"""Cases that can be taken in the state they start from: an operation of all states asks in its
guard or `when` which of them it is in.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from statemachines.model.definitions.data_definitions import Case, MachineData, Signature
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.language.conditions_in_state import NamedValues, StateConditions
from statemachines.model.language.expression_nodes import FALSE, TRUE
from statemachines.notation.passes.spec_builder import SpecBuilder


def possible_cases(
    work: SpecBuilder,
    data: MachineData,
    cases: Sequence[Case | None],
    signatures: Sequence[Signature | None],
) -> list[bool]:
    """Tell of each transition whether its case can be taken in its source.

    It cannot where the state alone makes the guard, `when` or the event's `where` false, or the
    `when` of a case before it true. Costs one walk over the conditions of each transition.

    Args:
        work: the document; its transitions stand in the order of their cases.
        data: of one class of releases.
        cases: parallel to the transitions.
        signatures: parallel to the events.

    Returns:
        A flag for each transition, in their order.
    """
    known = {
        event.name: signature
        for event, signature in zip(work.events, signatures, strict=True)
        if signature is not None
    }
    search = _CaseSearch(
        {definition.name: definition.body for definition in data.definitions}, known
    )
    return [
        case is None or search.is_possible(entry.transition, case)
        for entry, case in zip(work.transitions, cases, strict=True)
    ]


_NO_SIGNATURE = Signature()


@define
class _CaseSearch:
    """Goes through the cases of one class of releases in their order."""

    definitions: NamedValues
    signatures: dict[str, Signature]
    """By event."""
    _always: dict[tuple[int, str, str], int] = field(factory=dict)
    """The case that is always taken, by entry, event and source."""

    def is_possible(self, transition: Transition, case: Case) -> bool:
        """Tell whether a case can be taken, and remember one that always is."""
        operation = (transition.entry, transition.event, transition.source)
        if case.index > self._always.get(operation, case.index):
            return False
        signature = self.signatures.get(transition.event, _NO_SIGNATURE)
        lets = {let.name: let.value for let in (*signature.lets, *case.lets)}
        known = StateConditions(transition.source, self.definitions, lets)
        needed = (signature.where, case.guard)
        if any(
            expression is not None and known.reduce(expression) == FALSE for expression in needed
        ):
            return False
        when = TRUE if case.when is None else known.reduce(case.when)
        if when == TRUE:
            self._always.setdefault(operation, case.index)
        return when != FALSE
