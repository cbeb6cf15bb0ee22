"""Methods of generated classes for events with data: guards, cases and effects in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, evolve, field

from statemachines.embed.code_generation.event_branches import (
    EventBranch,
    GeneratorContext,
    event_branches,
)
from statemachines.embed.code_generation.python_text import safe_name, string_literal
from statemachines.embed.code_generation.readable_python import (
    negated_condition,
)
from statemachines.embed.code_generation.table_class import (
    Branch,
    state_condition,
)
from statemachines.model.definitions.data_definitions import Case, Let
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.language.expression_nodes import Expression, NameKind
from statemachines.semantics.evaluation.compiler import needed_lets
from statemachines.semantics.evaluation.python_source import identifier
from statemachines.semantics.machine.machine_tables import MachineTables
from statemachines.semantics.messages.expression_text import format_expression
from statemachines.semantics.messages.refusal_reasons import condition_clauses

_EMPTY = ("{}", "()", "frozenset()")
"""Values that have no type by themselves: no local name has them."""


def method_lines(context: GeneratorContext, event: str) -> list[str]:
    """Return the lines of an event's method behind its docstring and the look at its arguments.

    Args:
        context: the machine, and what its module calls things.
        event: its name in the spec.

    Returns:
        Lines of Python, indented.
    """
    return _body_lines(_MethodBody(context, event))


def guard_method_lines(context: GeneratorContext, event: str) -> list[str]:
    """Return the lines of the method that tells whether a transition would take an event.

    Args:
        context: the machine, and what its module calls things.
        event: its name in the spec.

    Returns:
        Lines of Python, indented.
    """
    lines = _body_lines(_GuardMethodBody(context, event))
    while (shorter := _inlined_condition(lines)) != lines:
        lines = shorter
    return lines


def _inlined_condition(lines: list[str]) -> list[str]:
    """Return a condition itself where one is looked at only to return whether it holds."""
    for index in range(len(lines) - 2):
        test, yes, no = lines[index : index + 3]
        blanks = test[: len(test) - len(test.lstrip())]
        if not test.lstrip().startswith("if ") or not no.startswith(f"{blanks}return"):
            continue
        condition = test.strip()[3:-1]
        result = {
            f"{blanks}    return True": condition,
            f"{blanks}    return False": negated_condition(condition),
        }.get(yes)
        if result is not None and {yes.strip(), no.strip()} == {"return True", "return False"}:
            return [*lines[:index], f"{blanks}return {result}", *lines[index + 3 :]]
    return lines


def _body_lines(lines: _MethodBody) -> list[str]:
    context, event = lines.context, lines.event
    branches = event_branches(context, event)
    *tested, last = sorted(branches.items(), key=lambda item: not item[0].cases)
    for branch, states in tested:
        lines.lines += state_condition(states, context.names, "        ", "if self.state", ":")
        evolve(lines, indent=3).write_branch((branch, states))
    lines.write_branch(last)
    return lines.lines


@define
class _MethodBody:
    """The body of a method, line by line."""

    context: GeneratorContext
    event: str
    indent: int = 2
    lines: list[str] = field(factory=list)
    known_lets: frozenset[str] = frozenset()
    """`let` names that have their values here."""

    def add(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def indented(self) -> _MethodBody:
        return evolve(self, indent=self.indent + 1)

    def write_branch(self, branch_states: tuple[EventBranch, tuple[str, ...]]) -> None:
        """Write what is done in some states."""
        branch, states = branch_states
        transitions = self.context.tables.candidates.get((states[0], self.event), ())
        for entry in dict.fromkeys(transition.entry for transition in transitions):
            self._write_entry(
                [transition for transition in transitions if transition.entry == entry]
            )
        self._write_fallback(branch.fallback, self._false_clauses(transitions))

    def _false_clauses(self, transitions: Iterable[Transition]) -> tuple[str, ...]:
        """Return what gives the clause that kept each transition from being taken; nothing where
        that rests on names that have no values at the end of the method.
        """
        clauses = dict.fromkeys(
            (transition.case.guard, transition.case.when)
            for transition in transitions
            if transition.case is not None and (transition.case.guard or transition.case.when)
        )
        if not all(map(self._is_known, (node for pair in clauses for node in pair if node))):
            return ()
        return tuple(self._false_clause(pair) for pair in clauses)

    def _is_known(self, condition: Expression) -> bool:
        lets = self.context.tables.behaviour.signature(self.event).lets
        return set(needed_lets(lets, [condition])) <= self.known_lets

    def _false_clause(self, conditions: tuple[Expression | None, ...]) -> str:
        """Return an expression for the first clause of conditions that is false; one is."""
        *tested, last = [part for node in conditions if node for part in condition_clauses(node)]
        tests = "".join(
            f"{string_literal(format_expression(part))}"
            f" if {negated_condition(self.context.writer.text(part))} else "
            for part in tested
        )
        return tests + string_literal(format_expression(last))

    def _write_entry(self, transitions: list[Transition]) -> None:
        first = transitions[0].case
        if first is None:
            self._write_transition(transitions[0])
            return
        lines = self
        if first.guard is not None:
            self._write_lets(first, [first.guard])
            self.add(f"if {self.context.writer.text(first.guard)}:")
            lines = self.indented()
        for transition in sorted(
            transitions, key=lambda transition: transition.case.index if transition.case else 0
        ):
            lines._write_case(transition)

    def _write_transition(self, transition: Transition) -> None:
        self._write_state_change(transition)
        self.add("return None" if self._has_result() else "return")

    def _write_case(self, transition: Transition) -> None:
        case, lines = transition.case, self
        assert case is not None
        if case.when is not None:
            self._write_lets(case, [case.when])
            self.add(f"if {self.context.writer.text(case.when)}:")
            lines = self.indented()
        lines._write_effect(transition, case)

    def _write_effect(self, transition: Transition, case: Case) -> None:
        """Write values first, all of them over what was before, then what changes, then what is
        given back.
        """
        values = [assignment.value for assignment in case.effect]
        returned = (
            dict(case.returns)
            if isinstance(case.returns, tuple)
            else {"value": case.returns}
            if case.returns is not None
            else {}
        )
        self._write_lets(case, [*values, *returned.values()])
        text, result = self.context.writer.text, safe_name("result", self._local_names())
        several = len(case.effect) + len(returned) > 1 or any(
            not assignment.proved for assignment in case.effect
        )
        fresh = {
            assignment.variable: safe_name(f"new_{assignment.variable}", self._local_names())
            for assignment in case.effect
        }
        for assignment in case.effect:
            value, own = text(assignment.value), self._attribute(assignment.variable)
            if several and value in _EMPTY:
                fresh[assignment.variable] = value
            else:
                self.add(f"{fresh[assignment.variable] if several else own} = {value}")
        for name, node in returned.items() if case.effect or len(returned) > 1 else ():
            self.add(
                f"{result if name == 'value' else safe_name(f'{name}_given', self._local_names())}"
                f" = {text(node)}"
            )
        self._write_bound_checks(case, fresh)
        for assignment in case.effect if several else ():
            self.add(f"{self._attribute(assignment.variable)} = {fresh[assignment.variable]}")
        for name in returned if case.effect or len(returned) > 1 else ():
            if name != "value":
                self.add(
                    f"self.{self.context.extra_results[name]} ="
                    f" {safe_name(f'{name}_given', self._local_names())}"
                )
        self._write_state_change(transition)
        self._write_end(
            case,
            (
                result
                if case.effect or len(returned) > 1
                else "".join(text(node) for node in returned.values())
            ),
            returned,
        )

    def _write_end(self, case: Case, result: str, returned: dict[str, Expression]) -> None:
        if case.raises is not None:
            self.add(
                f"raise {self.context.names.errors[case.raises]}({string_literal(self.event)})"
            )
        elif "value" in returned:
            self.add(f"return {result}")
        else:
            self.add("return None" if self._has_result() else "return")

    def _write_bound_checks(self, case: Case, fresh: dict[str, str]) -> None:
        """Look at values that were not shown to be of their types: one that is not is an error of
        the spec.
        """
        script = self.context.writer
        script.renames = {identifier(NameKind.VARIABLE, name): new for name, new in fresh.items()}
        for name, type_ in self.context.tables.behaviour.compiler.unproved_variables(case.effect):
            check = script.check(
                type_, script.renamed_identifier(identifier(NameKind.VARIABLE, name))
            )
            if check:
                self.add(f"if {negated_condition(check)}:")
                self.indented()._write_refusal("NotAllowed")
        script.renames = {}

    def _write_fallback(self, branch: Branch, clauses: tuple[str, ...]) -> None:
        if branch.kind == "never":
            return
        if branch.kind == "raise":
            error = self.context.names.errors[branch.detail]
            self._write_refusal(
                f"{error}NotAllowed" if error in raised_errors(self.context.tables) else error,
                clauses,
            )
        elif branch.kind == "refuse":
            self._write_refusal("NotAllowed", clauses)
        else:
            if branch.kind == "force":
                self.add(f"self.state = {self.context.names.constants[branch.detail]}")
            self.add("return None" if self._has_result() else "return")

    def _write_refusal(self, error: str, clauses: tuple[str, ...] = ()) -> None:
        state = "self.state" if self.context.has_states else '""'
        given = (state, string_literal(self.event), "self.legal", *clauses)
        self.add(f"raise {error}({', '.join(given)})")

    def _write_state_change(self, transition: Transition) -> None:
        if transition.target != transition.source:
            self.add(f"self.state = {self.context.names.constants[transition.target]}")

    def _write_lets(self, case: Case, nodes: list[Expression]) -> None:
        """Write the `let` names that expressions need and that are not known yet."""
        lets: tuple[Let, ...] = (
            *self.context.tables.behaviour.signature(self.event).lets,
            *case.lets,
        )
        wanted = needed_lets(lets, nodes)
        for let in lets:
            if let.name in wanted and let.name not in self.known_lets:
                self.add(f"{let.name} = {self.context.writer.text(let.value)}")
                self.known_lets |= {let.name}

    def _attribute(self, variable: str) -> str:
        return f"self.{self.context.variables[variable]}"

    def _has_result(self) -> bool:
        return result_type(self.context, self.event) != "None"

    def _local_names(self) -> set[str]:
        signature = self.context.tables.behaviour.signature(self.event)
        return {argument.name for argument in signature.arguments} | {
            let.name for let in signature.lets
        }


@define
class _GuardMethodBody(_MethodBody):
    """The body of a method that only asks: conditions, and what they say."""

    def _write_effect(self, transition: Transition, case: Case) -> None:
        if case.raises is not None:
            self.add("return False")
            return
        doubted = [assignment for assignment in case.effect if not assignment.proved]
        self._write_lets(case, [assignment.value for assignment in doubted])
        fresh = {
            assignment.variable: safe_name(f"new_{assignment.variable}", self._local_names())
            for assignment in doubted
        }
        for assignment in doubted:
            self.add(f"{fresh[assignment.variable]} = {self.context.writer.text(assignment.value)}")
        self._write_bound_checks(case, fresh)
        self.add("return True")

    def _write_transition(self, transition: Transition) -> None:
        self.add("return True")

    def _write_fallback(self, branch: Branch, clauses: tuple[str, ...]) -> None:
        if branch.kind != "never":
            self.add("return False")

    def _write_refusal(self, error: str, clauses: tuple[str, ...] = ()) -> None:
        self.add("return False")


def raised_errors(tables: MachineTables) -> set[str]:
    """Return the errors that transitions raise.

    Args:
        tables: those of the machine.

    Returns:
        Names of errors as the spec has them.
    """
    return {
        transition.case.raises
        for transition in tables.machine.transitions
        if transition.case is not None and transition.case.raises is not None
    }


def _result_expressions(context: GeneratorContext, event: str) -> Iterator[Expression | None]:
    """Yield what the outcomes of an event give back; None where one gives nothing."""
    for transition in context.tables.machine.transitions:
        if transition.event == event and transition.taken:
            case = transition.case
            if case is None or case.raises is None:
                returns = case.returns if case is not None else None
                yield dict(returns).get("value") if isinstance(returns, tuple) else returns


def result_type(context: GeneratorContext, event: str) -> str:
    """Return the annotation of what a method gives back.

    Args:
        context: the machine, and what its module calls things.
        event: its name in the spec.

    Returns:
        An annotation, such as `frozenset[str]`.
    """
    results = list(_result_expressions(context, event))
    types = dict.fromkeys(context.writer.type(node.type) for node in results if node is not None)
    if not types:
        return "None"
    kinds = {branch.fallback.kind for branch in event_branches(context, event)}
    nothing = None in results or bool(kinds & {"ignore", "force"})
    return " | ".join(
        dict.fromkeys(
            part
            for type_ in (*types, *(["None"] if nothing else []))
            for part in type_.split(" | ")
        )
    )


def argument_check_lines(context: GeneratorContext, event: str) -> Iterator[str]:
    """Yield the lines that look at an event's arguments.

    Args:
        context: the machine, and what its module calls things.
        event: its name in the spec.

    Yields:
        Lines of Python, indented; none for an event without arguments.
    """
    signature = context.tables.behaviour.signature(event)
    lines = _MethodBody(context, event)
    for argument in signature.arguments:
        check = context.writer.check(argument.type, argument.name)
        if check:
            yield f"        if {negated_condition(check)}:"
            message = string_literal(
                f"`{argument.name}` of `{event}` is not of type `{argument.type}` here"
            )
            yield f"            raise ArgumentsError({message})"
    if signature.where is not None:
        lines._write_lets(Case(), [signature.where])
        yield from lines.lines
        for clause in condition_clauses(signature.where):
            yield f"        if {negated_condition(context.writer.text(clause))}:"
            message = string_literal(
                f"the arguments of `{event}` are against its `where`:"
                f" `{format_expression(clause)}` is false"
            )
            yield f"            raise ArgumentsError({message})"
