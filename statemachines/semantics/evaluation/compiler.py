"""Typed expressions and operations to Python functions: generated from our nodes, never from a
user's text.

A function sees a snapshot's values as local names. A `let` is computed where it is first needed,
after what makes it safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import define, field

from statemachines.model.definitions.data_definitions import (
    Assignment,
    Case,
    Definition,
    Let,
    MachineData,
)
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.expression_nodes import (
    DefinitionCall,
    Expression,
    InStates,
    Name,
    NameKind,
    type_sets,
    walk,
)
from statemachines.model.language.value_types import Type
from statemachines.semantics.evaluation.python_source import PythonWriter, identifier
from statemachines.semantics.evaluation.type_checks import type_check_source

_NAME_SOURCES = {
    NameKind.VARIABLE: "V[{name!r}]",
    NameKind.PARAMETER: "P[{name!r}]",
    NameKind.ARGUMENT: "A[{name!r}]",
    NameKind.BEFORE: "B.variables[{name!r}]",
    NameKind.OUTSIDE: "O[{name!r}]",
}
_FUNCTION_HEAD = "def {name}(S, V, P, A=None, B=None, O=None):"


Evaluator = Callable[..., Any]
"""Called with the state, variables, parameters, and where they are used arguments, the snapshot
before, and names from outside.
"""
OperationFunction = Callable[
    ..., "tuple[int, dict[str, Value] | None, Value, tuple[str, Value] | None] | None"
]


def used_names(nodes: Iterable[Expression]) -> set[Name]:
    """Return the declared names that stand in expressions; predicates count as `state`.

    Args:
        nodes: expressions.

    Returns:
        The names; those that definitions use are not among them.
    """
    names = set[Name]()
    for node in nodes:
        for part in walk(node):
            if isinstance(part, Name):
                names.add(part)
            elif isinstance(part, InStates):
                names.add(
                    Name(
                        NameKind.BEFORE if part.before else NameKind.STATE, "state", type=part.type
                    )
                )
    return names


@define
class Compiler:
    """Compiles the expressions of one machine."""

    data: MachineData
    writer: PythonWriter
    namespace: dict[str, Any] = field(factory=dict)
    """What compiled functions may refer to: constants and definitions."""
    _free: dict[str, frozenset[Name]] = field(factory=dict)

    @classmethod
    def for_data(cls, data: MachineData) -> Compiler:
        """Compile a machine's definitions; the rest is compiled as it is asked for.

        Args:
            data: of the machine.

        Returns:
            A compiler that knows the definitions.
        """
        definitions = {definition.name: definition for definition in data.definitions}
        free = {
            name: _free_names(definition, definitions) for name, definition in definitions.items()
        }
        passed = {
            name: tuple(sorted(identifier(read.kind, read.name) for read in names))
            for name, names in free.items()
        }
        made = cls(data, PythonWriter(passed), free=free)
        for definition in data.definitions:
            made.define_function(f"d_{definition.name}", made._definition_source(definition))
        return made

    def compile_expression(self, node: Expression, lets: tuple[Let, ...] = ()) -> Evaluator:
        """Compile an expression to a function of its surroundings.

        Args:
            node: the expression.
            lets: names that it may use, in the order of the spec.

        Returns:
            A function of state, variables, parameters and arguments.
        """
        body = _FunctionBody(self)
        body.bind_names(self.all_used_names([node, *(let.value for let in lets)]))
        body.compute_lets(lets, [node])
        body.add_line(f"return {self.writer.expression_source(node)}")
        made: Evaluator = self.define_function(
            "evaluate", f"{_FUNCTION_HEAD.format(name='evaluate')}\n{body.source()}"
        )
        return made

    def compile_condition(self, source: str, names: Iterable[Expression]) -> Callable[..., bool]:
        """Compile a condition that `checks` wrote, over the names that stand in it.

        Args:
            source: a Python expression.
            names: expressions whose names stand in it.

        Returns:
            A function of state, variables, parameters and arguments.
        """
        body = _FunctionBody(self)
        body.bind_names(self.all_used_names(names))
        body.add_line(f"return {source}")
        made: Callable[..., bool] = self.define_function(
            "holds", f"{_FUNCTION_HEAD.format(name='holds')}\n{body.source()}"
        )
        return made

    def compile_operation(
        self, lets: tuple[Let, ...], cases: tuple[Case, ...]
    ) -> OperationFunction:
        """Compile an operation: guard, cases in order, effects that all see the old values, what is
        given back.

        The function returns None where the guard is false or no case is taken, else the number of
        the case, the changes, what is returned, and the first variable that would leave its type
        (then there are no changes).

        Args:
            lets: names that the cases may use, in the order of the spec.
            cases: of the operation, in the author's order.

        Returns:
            The function.
        """
        body = _FunctionBody(self)
        body.bind_names(
            self.all_used_names(
                [
                    *_case_expressions(cases),
                    *(let.value for let in lets),
                    *self._checked_expressions(cases),
                ]
            )
        )
        guard = cases[0].guard
        if guard is not None:
            body.compute_lets(lets, [guard])
            body.add_line(f"if not {self.writer.expression_source(guard)}: return None")
        for case in cases:
            self._write_case(body, lets, case)
        if cases[-1].when is not None:
            body.add_line("return None")
        made: OperationFunction = self.define_function(
            "decide", f"{_FUNCTION_HEAD.format(name='decide')}\n{body.source()}"
        )
        return made

    def _write_case(self, body: _FunctionBody, lets: tuple[Let, ...], case: Case) -> None:
        """Write one case: an `if` that returns, or the end of the function."""
        inner = body
        if case.when is not None:
            body.compute_lets(lets, [case.when])
            body.add_line(f"if {self.writer.expression_source(case.when)}:")
            inner = body.branch()
        inner.compute_lets(
            lets, [*(assignment.value for assignment in case.effect), *_returned_expressions(case)]
        )
        for assignment in case.effect:
            inner.add_line(
                f"n_{assignment.variable} = {self.writer.expression_source(assignment.value)}"
            )
        self._write_type_checks(inner, case)
        changes = ", ".join(
            f"{assignment.variable!r}: n_{assignment.variable}" for assignment in case.effect
        )
        inner.add_line(f"return {case.index}, {{{changes}}}, {self._returns_source(case)}, None")

    def _write_type_checks(self, body: _FunctionBody, case: Case) -> None:
        """Write what is looked at after the effect: values that were not shown to be of their
        types.
        """
        after = {
            identifier(NameKind.VARIABLE, assignment.variable): f"n_{assignment.variable}"
            for assignment in case.effect
        }
        self.writer.renames = after
        for name, type_ in self.unproved_variables(case.effect):
            value = after.get(
                identifier(NameKind.VARIABLE, name), identifier(NameKind.VARIABLE, name)
            )
            check = type_check_source(self.writer, type_, value)
            if check:
                body.add_line(
                    f"if not {check}: return {case.index}, None, None, ({name!r}, {value})"
                )
        self.writer.renames = {}

    def unproved_variables(self, effect: tuple[Assignment, ...]) -> list[tuple[str, Type]]:
        """Return the variables whose types must be looked at after an effect.

        Those that are assigned and not shown, and those whose type is a set that the effect
        changes.

        Args:
            effect: the assignments of a case.

        Returns:
            Names and types, in the order of the declarations.
        """
        changed = {assignment.variable for assignment in effect}
        shown = {assignment.variable for assignment in effect if assignment.proved}
        unproved_variables = []
        for variable in self.data.variables:
            depends = {
                name.name
                for name in self.all_used_names(type_sets(variable.type))
                if name.kind is NameKind.VARIABLE
            }
            if depends & changed or (variable.name in changed and variable.name not in shown):
                unproved_variables.append((variable.name, variable.type))
        return unproved_variables

    def _returns_source(self, case: Case) -> str:
        if case.returns is None:
            return "None"
        if isinstance(case.returns, Expression):
            return self.writer.expression_source(case.returns)
        pairs = ", ".join(
            f"{name!r}: {self.writer.expression_source(value)}" for name, value in case.returns
        )
        return f"FrozenMap({{{pairs}}})"

    def _checked_expressions(self, cases: tuple[Case, ...]) -> list[Expression]:
        """Return the variables and sets that checks refer to."""
        checked = [
            (name, type_) for case in cases for name, type_ in self.unproved_variables(case.effect)
        ]
        names: list[Expression] = [
            Name(NameKind.VARIABLE, name, type=type_) for name, type_ in checked
        ]
        return [*names, *(part for _, type_ in checked for part in type_sets(type_))]

    def _definition_source(self, definition: Definition) -> str:
        inputs = [identifier(NameKind.INPUT, name) for name, _ in definition.inputs]
        passed = self.writer.captured_names[definition.name]
        return (
            f"def d_{definition.name}({', '.join([*inputs, *passed])}):\n    return"
            f" {self.writer.expression_source(definition.body)}"
        )

    def all_used_names(self, nodes: Iterable[Expression]) -> set[Name]:
        """Return all names that expressions and the definitions in them use.

        Args:
            nodes: expressions.

        Returns:
            The declared names.
        """
        listed = list(nodes)
        names = used_names(listed)
        for node in listed:
            for part in walk(node):
                if isinstance(part, DefinitionCall):
                    names |= self._free[part.definition]
        return names

    def define_function(self, name: str, source: str) -> Any:
        """Make a function from source that was written here.

        Args:
            name: of the function that the source defines.
            source: Python that this package wrote.

        Returns:
            The function.
        """
        self.namespace.update(self.writer.constants)
        made = dict[str, Any]()
        exec(compile(source, f"<{name}>", "exec"), self.namespace, made)  # the source is ours alone
        if name.startswith("d_"):
            self.namespace[name] = made[name]
        return made[name]


@define
class _FunctionBody:
    """The body of a function, line by line."""

    compiler: Compiler
    indent: int = 1
    lines: list[str] = field(factory=list)
    computed_lets: frozenset[str] = frozenset()
    """`let` names that have their values already."""

    def add_line(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def bind_names(self, names: set[Name]) -> None:
        """Take the values of names from the surroundings."""
        for name in sorted(names, key=lambda name: (name.kind, name.name)):
            own = identifier(name.kind, name.name)
            if name.kind in (NameKind.STATE, NameKind.BEFORE) and name.name == "state":
                self.add_line(f"{own} = S" if name.kind is NameKind.STATE else f"{own} = B.state")
            elif name.kind in _NAME_SOURCES:
                self.add_line(f"{own} = {_NAME_SOURCES[name.kind].format(name=name.name)}")

    def compute_lets(self, lets: tuple[Let, ...], nodes: list[Expression]) -> None:
        """Compute the `let` names that expressions need and that are not known yet."""
        wanted = needed_lets(lets, nodes)
        for let in lets:
            if let.name in wanted and let.name not in self.computed_lets:
                self.add_line(
                    f"{identifier(NameKind.LET, let.name)} ="
                    f" {self.compiler.writer.expression_source(let.value)}"
                )
                self.computed_lets |= {let.name}

    def branch(self) -> _FunctionBody:
        """Return the lines of a branch, which knows what is known here."""
        return _FunctionBody(self.compiler, self.indent + 1, self.lines, self.computed_lets)

    def source(self) -> str:
        return "\n".join(self.lines)


def needed_lets(lets: tuple[Let, ...], nodes: Iterable[Expression]) -> set[str]:
    """Return the `let` names that expressions need, those that others need included.

    Args:
        lets: all that may be used, in the order of the spec.
        nodes: expressions that use some of them.

    Returns:
        Names of lets.
    """
    wanted = {name.name for name in used_names(nodes) if name.kind is NameKind.LET}
    for let in reversed(lets):
        if let.name in wanted:
            wanted |= {name.name for name in used_names([let.value]) if name.kind is NameKind.LET}
    return wanted


def _case_expressions(cases: tuple[Case, ...]) -> list[Expression]:
    """Return all expressions of some cases."""
    expressions = [part for case in cases for part in (case.guard, case.when) if part is not None]
    expressions += [assignment.value for case in cases for assignment in case.effect]
    return expressions + [value for case in cases for value in _returned_expressions(case)]


def _returned_expressions(case: Case) -> list[Expression]:
    if case.returns is None:
        return []
    return (
        [case.returns]
        if isinstance(case.returns, Expression)
        else [value for _, value in case.returns]
    )


def _free_names(definition: Definition, definitions: Mapping[str, Definition]) -> frozenset[Name]:
    """Return the names that a definition uses beside its inputs, through other definitions too."""
    free_names, pending, visited = set[Name](), [definition], set[str]()
    while pending:
        used_definition = pending.pop()
        if used_definition.name not in visited:
            visited.add(used_definition.name)
            free_names |= {
                name
                for name in used_names([used_definition.body])
                if name.kind is not NameKind.INPUT
            }
            pending += [
                definitions[part.definition]
                for part in walk(used_definition.body)
                if isinstance(part, DefinitionCall)
            ]
    return frozenset(free_names)
