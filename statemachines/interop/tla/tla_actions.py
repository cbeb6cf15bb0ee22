"""Events with data as actions of TLA+."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from attrs import frozen

from statemachines.interop.tla.tla_expressions import TlaWriter
from statemachines.interop.tla.tla_names import parenthesised, tla_value
from statemachines.interop.tla.tla_types import TlaTypeWriter
from statemachines.model.definitions.data_definitions import Argument, Case, Let, Signature
from statemachines.model.definitions.machine_definitions import FallbackKind, Transition
from statemachines.model.language.expression_nodes import NameKind
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.machine.step import forced_target, matching_fallback

TlaLines = list[str]


def joined_blocks(sign: str, blocks: Iterable[TlaLines]) -> TlaLines:
    """Put blocks of lines under one another, each behind the sign.

    Args:
        sign: such as a conjunction.
        blocks: lines each.

    Returns:
        Lines, those of each block indented alike.

    >>> joined_blocks("/\\\\", [["a"], ["IF b", "THEN c"]])
    ['/\\\\ a', '/\\\\ IF b', '   THEN c']
    """
    joined = list(blocks)
    if len(joined) == 1:
        return joined[0]
    return [line for block in joined for line in _indented_lines(block, f"{sign} ")]


def _indented_lines(lines: TlaLines, first: str) -> TlaLines:
    """Return lines behind a text, the later ones below the first one."""
    return [(first if index == 0 else " " * len(first)) + line for index, line in enumerate(lines)]


@frozen(eq=False)
class TlaActionWriter:
    """Writes the actions of one machine."""

    tables: MachineTables
    writer: TlaWriter
    types: TlaTypeWriter
    variables: tuple[str, ...]
    """All variables of the module, the state included, as they are called there."""

    def action(self, event: str, *, raising: bool = True, given: Collection[str] = ()) -> TlaLines:
        """Return what an event does.

        Args:
            event: its name.
            raising: whether steps that raise are written.
            given: arguments that the action is given.

        Returns:
            Lines of TLA+.
        """
        signature = self.tables.behaviour.signature(event)
        blocks = list(self._branches(event, raising))
        body = joined_blocks("\\/", blocks) if blocks else ["FALSE"]
        if signature.where is not None:
            body = joined_blocks("/\\", [[self.writer.write(signature.where)], body])
        return self._quantified_arguments(signature, self._let_lines(signature.lets, body), given)

    def _quantified_arguments(
        self, signature: Signature, body: TlaLines, given: Collection[str]
    ) -> TlaLines:
        for argument in reversed(signature.arguments):
            name, values = self._argument_name(argument), self.types.value_set(argument.type)
            if argument.name in given:
                body = joined_blocks("/\\", [[f"{name} \\in {parenthesised(values)}"], body])
            else:
                body = [f"\\E {name} \\in {values} :", *(f"  {line}" for line in body)]
        return body

    def _argument_name(self, argument: Argument) -> str:
        return self.writer.names[NameKind.ARGUMENT, argument.name]

    def _let_lines(self, lets: Sequence[Let], body: TlaLines) -> TlaLines:
        if not lets:
            return body
        written = [
            f"{self.writer.names[NameKind.LET, let.name]} == {self.writer.write(let.value)}"
            for let in lets
        ]
        return [*_indented_lines(written, "LET "), *_indented_lines(body, "IN ")]

    def _branches(self, event: str, raising: bool) -> Iterable[TlaLines]:
        """Yield what is done in some states: each operation, then what is forced where none takes
        the event.
        """
        branches: dict[tuple[tuple[object, ...], str | None], tuple[str, ...]] = {}
        for state in self.tables.states:
            transitions = self.tables.candidates.get((state, event), ())
            key = (
                tuple(
                    (
                        transition.entry,
                        transition.case.index if transition.case else -1,
                        self._changed_target(transition),
                    )
                    for transition in transitions
                ),
                self._forced_target(state, event),
            )
            branches[key] = (*branches.get(key, ()), state)
        for (_, forced), states in branches.items():
            transitions = self.tables.candidates.get((states[0], event), ())
            entries = dict.fromkeys(transition.entry for transition in transitions)
            plans = [
                [transition for transition in transitions if transition.entry == entry]
                for entry in entries
            ]
            blocks = [block for plan in plans if (block := self._operation(plan, raising))]
            if forced is not None and not any(map(_takes_always, plans)):
                blocks.append(
                    joined_blocks(
                        "/\\",
                        [
                            *([f"~{parenthesised(self._taken_condition(plan))}"] for plan in plans),
                            self._change_lines({}, forced),
                        ],
                    )
                )
            if blocks:
                yield joined_blocks(
                    "/\\", [*self._state_condition(states), joined_blocks("\\/", blocks)]
                )

    def _state_condition(self, states: tuple[str, ...]) -> Iterable[TlaLines]:
        if states != self.tables.states:
            name = self.writer.names[NameKind.STATE, "state"]
            yield [
                (
                    f"{name} = {tla_value(states[0])}"
                    if len(states) == 1
                    else f"{name} \\in {tla_value(frozenset(states))}"
                )
            ]

    def _changed_target(self, transition: Transition) -> str:
        return "" if transition.target == transition.source else transition.target

    def _forced_target(self, state: str, event: str) -> str | None:
        entry = matching_fallback(self.tables, state, event)
        if entry is None or entry.does is not FallbackKind.FORCE:
            return None
        target = forced_target(self.tables, state, event)
        return "" if target == state else target

    def _operation(self, transitions: list[Transition], raising: bool) -> TlaLines:
        """Return one operation with all its cases; the first whose condition holds is taken."""
        first = transitions[0].case
        if first is None:
            return self._change_lines({}, self._changed_target(transitions[0]))
        lines: TlaLines = ["FALSE"]
        for transition in sorted(transitions, key=_case_number, reverse=True):
            case = transition.case
            assert case is not None
            block = (
                self._effect_lines(case, self._changed_target(transition))
                if raising or case.raises is None
                else ["FALSE"]
            )
            lines = (
                block
                if case.when is None
                else self._choice_lines(self.writer.write(case.when), block, lines)
            )
        if lines == ["FALSE"]:
            return []
        if first.guard is not None:
            lines = joined_blocks("/\\", [[self.writer.write(first.guard)], lines])
        return self._let_lines(first.lets, lines)

    def _choice_lines(self, condition: str, yes: TlaLines, no: TlaLines) -> TlaLines:
        if no == ["FALSE"]:
            return joined_blocks("/\\", [[condition], yes])
        return [f"IF {condition}", *_indented_lines(yes, "THEN "), *_indented_lines(no, "ELSE ")]

    def _taken_condition(self, transitions: list[Transition]) -> str:
        """Return the condition that an operation takes the event."""
        cases = [transition.case for transition in transitions if transition.case is not None]
        conditions = (
            [self.writer.write_operand(cases[0].guard)]
            if cases and cases[0].guard is not None
            else []
        )
        whens = [self.writer.write_operand(case.when) for case in cases if case.when is not None]
        if len(whens) == len(cases):
            conditions.append(parenthesised(" \\/ ".join(whens)))
        condition = " /\\ ".join(conditions)
        lets = cases[0].lets if cases else ()
        return " ".join(self._let_lines(lets, [condition])) if lets else condition

    def _effect_lines(self, case: Case, target: str) -> TlaLines:
        names = self.writer.names
        return self._change_lines(
            {
                names[NameKind.VARIABLE, assignment.variable]: self.writer.write(assignment.value)
                for assignment in case.effect
            },
            target,
        )

    def _change_lines(self, values: dict[str, str], target: str) -> TlaLines:
        if target:
            values = {self.writer.names[NameKind.STATE, "state"]: tla_value(target), **values}
        variables = [name for name in self.variables if name not in values]
        updates = [[f"{name}' = {value}"] for name, value in values.items()]
        return joined_blocks(
            "/\\", [*updates, *([[f"UNCHANGED << {', '.join(variables)} >>"]] if variables else [])]
        )


def _case_number(transition: Transition) -> int:
    return transition.case.index if transition.case is not None else -1


def _takes_always(transitions: list[Transition]) -> bool:
    """Tell whether an operation takes its event whatever the data."""
    case = max(transitions, key=_case_number).case
    return case is None or (case.guard is None and case.when is None)
