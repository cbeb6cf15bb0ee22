"""Typed expressions and operations to Python functions: generated from our nodes, never from a user's text.

A function sees a snapshot's values as local names. A `let` is computed where it is first needed, after what makes it safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import define, field

from statemachines.model.data import Assignment, Case, Data, Definition, Let
from statemachines.model.expressions import Apply, Expression, InStates, Kind, Name, sets_in_type, walk
from statemachines.model.snapshots import Value
from statemachines.model.types import Type
from statemachines.semantics.checks import check_of
from statemachines.semantics.source import Writer, identifier

_SOURCES = {
    Kind.VARIABLE: "V[{name!r}]",
    Kind.PARAMETER: "P[{name!r}]",
    Kind.ARGUMENT: "A[{name!r}]",
    Kind.BEFORE: "B.variables[{name!r}]",
    Kind.OUTSIDE: "O[{name!r}]",
}
_HEAD = "def {name}(S, V, P, A=None, B=None, O=None):"


Evaluate = Callable[..., Any]
"""Called with the state, variables, parameters, and where they are used arguments, the snapshot before, and names from outside."""
Decide = Callable[..., "tuple[int, dict[str, Value] | None, Value, tuple[str, Value] | None] | None"]


def used_names(nodes: Iterable[Expression]) -> set[Name]:
    """Return the declared names that stand in expressions; predicates count as `state`."""
    found = set[Name]()
    for node in nodes:
        for part in walk(node):
            if isinstance(part, Name):
                found.add(part)
            elif isinstance(part, InStates):
                found.add(Name(Kind.BEFORE if part.before else Kind.STATE, "state", type=part.type))
    return found


@define
class Compiler:
    """Compiles the expressions of one machine."""

    data: Data
    writer: Writer
    functions: dict[str, Any] = field(factory=dict)
    """What compiled functions may refer to: constants and definitions."""
    _free: dict[str, frozenset[Name]] = field(factory=dict)

    @classmethod
    def of(cls, data: Data) -> Compiler:
        """Compile a machine's definitions; the rest is compiled as it is asked for."""
        definitions = {definition.name: definition for definition in data.definitions}
        free = {name: _free_names(definition, definitions) for name, definition in definitions.items()}
        passed = {name: tuple(sorted(identifier(one.kind, one.name) for one in names)) for name, names in free.items()}
        made = cls(data, Writer(passed), free=free)
        for definition in data.definitions:
            made.define(f"d_{definition.name}", made._definition(definition))
        return made

    def expression(self, node: Expression, lets: tuple[Let, ...] = ()) -> Evaluate:
        """Compile an expression to a function of its surroundings."""
        body = _Lines(self)
        body.begin(self.names_of([node, *(let.value for let in lets)]))
        body.lets(lets, [node])
        body.add(f"return {self.writer.write(node)}")
        made: Evaluate = self.define("evaluate", f"{_HEAD.format(name='evaluate')}\n{body.text()}")
        return made

    def condition(self, source: str, names: Iterable[Expression]) -> Callable[..., bool]:
        """Compile a condition that `checks` wrote, over the names that stand in it."""
        body = _Lines(self)
        body.begin(self.names_of(names))
        body.add(f"return {source}")
        made: Callable[..., bool] = self.define("holds", f"{_HEAD.format(name='holds')}\n{body.text()}")
        return made

    def operation(self, lets: tuple[Let, ...], cases: tuple[Case, ...]) -> Decide:
        """Compile an operation: guard, cases in order, effects that all see the old values, what is given back.

        The function returns None where the guard is false or no case is taken, else the number of the case, the changes, what is
        returned, and the first variable that would leave its type (then there are no changes).
        """
        body = _Lines(self)
        body.begin(self.names_of([*_parts(cases), *(let.value for let in lets), *self._types(cases)]))
        guard = cases[0].guard
        if guard is not None:
            body.lets(lets, [guard])
            body.add(f"if not {self.writer.write(guard)}: return None")
        for case in cases:
            self._case(body, lets, case)
        if cases[-1].when is not None:
            body.add("return None")
        made: Decide = self.define("decide", f"{_HEAD.format(name='decide')}\n{body.text()}")
        return made

    def _case(self, body: _Lines, lets: tuple[Let, ...], case: Case) -> None:
        """Write one case: an `if` that returns, or the end of the function."""
        inner = body
        if case.when is not None:
            body.lets(lets, [case.when])
            body.add(f"if {self.writer.write(case.when)}:")
            inner = body.inside()
        inner.lets(lets, [*(assignment.value for assignment in case.effect), *_returned(case)])
        for assignment in case.effect:
            inner.add(f"n_{assignment.variable} = {self.writer.write(assignment.value)}")
        self._checks(inner, case)
        changes = ", ".join(f"{assignment.variable!r}: n_{assignment.variable}" for assignment in case.effect)
        inner.add(f"return {case.number}, {{{changes}}}, {self._returns(case)}, None")

    def _checks(self, body: _Lines, case: Case) -> None:
        """Write what is looked at after the effect: values that were not shown to be of their types."""
        after = {identifier(Kind.VARIABLE, one.variable): f"n_{one.variable}" for one in case.effect}
        self.writer.renamed = after
        for name, type_ in self.to_check(case.effect):
            value = after.get(identifier(Kind.VARIABLE, name), identifier(Kind.VARIABLE, name))
            check = check_of(self.writer, type_, value)
            if check:
                body.add(f"if not {check}: return {case.number}, None, None, ({name!r}, {value})")
        self.writer.renamed = {}

    def to_check(self, effect: tuple[Assignment, ...]) -> list[tuple[str, Type]]:
        """Return the variables whose types must be looked at after an effect.

        Those that are assigned and not shown, and those whose type is a set that the effect changes.
        """
        changed = {assignment.variable for assignment in effect}
        shown = {assignment.variable for assignment in effect if assignment.shown}
        found = []
        for variable in self.data.variables:
            depends = {name.name for name in self.names_of(sets_in_type(variable.type)) if name.kind is Kind.VARIABLE}
            if depends & changed or (variable.name in changed and variable.name not in shown):
                found.append((variable.name, variable.type))
        return found

    def _returns(self, case: Case) -> str:
        if case.returns is None:
            return "None"
        if isinstance(case.returns, Expression):
            return self.writer.write(case.returns)
        pairs = ", ".join(f"{name!r}: {self.writer.write(value)}" for name, value in case.returns)
        return f"FrozenMap({{{pairs}}})"

    def _types(self, cases: tuple[Case, ...]) -> list[Expression]:
        """Return the variables and sets that checks refer to."""
        checked = [(name, type_) for case in cases for name, type_ in self.to_check(case.effect)]
        names: list[Expression] = [Name(Kind.VARIABLE, name, type=type_) for name, type_ in checked]
        return [*names, *(part for _, type_ in checked for part in sets_in_type(type_))]

    def _definition(self, definition: Definition) -> str:
        inputs = [identifier(Kind.INPUT, name) for name, _ in definition.inputs]
        passed = self.writer.free[definition.name]
        return f"def d_{definition.name}({', '.join([*inputs, *passed])}):\n    return {self.writer.write(definition.body)}"

    def names_of(self, nodes: Iterable[Expression]) -> set[Name]:
        """Return all names that expressions and the definitions in them use."""
        listed = list(nodes)
        found = used_names(listed)
        for node in listed:
            for part in walk(node):
                if isinstance(part, Apply):
                    found |= self._free[part.definition]
        return found

    def define(self, name: str, source: str) -> Any:
        """Make a function from source that was written here."""
        self.functions.update(self.writer.constants)
        made = dict[str, Any]()
        exec(compile(source, f"<{name}>", "exec"), self.functions, made)  # the source is ours alone
        if name.startswith("d_"):
            self.functions[name] = made[name]
        return made[name]


@define
class _Lines:
    """The body of a function, line by line."""

    compiler: Compiler
    indent: int = 1
    lines: list[str] = field(factory=list)
    known: frozenset[str] = frozenset()
    """`let` names that have their values already."""

    def add(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def begin(self, names: set[Name]) -> None:
        """Take the values of names from the surroundings."""
        for name in sorted(names, key=lambda name: (name.kind, name.name)):
            own = identifier(name.kind, name.name)
            if name.kind in (Kind.STATE, Kind.BEFORE) and name.name == "state":
                self.add(f"{own} = S" if name.kind is Kind.STATE else f"{own} = B.state")
            elif name.kind in _SOURCES:
                self.add(f"{own} = {_SOURCES[name.kind].format(name=name.name)}")

    def lets(self, lets: tuple[Let, ...], nodes: list[Expression]) -> None:
        """Compute the `let` names that expressions need and that are not known yet."""
        wanted = needed(lets, nodes)
        for let in lets:
            if let.name in wanted and let.name not in self.known:
                self.add(f"{identifier(Kind.LET, let.name)} = {self.compiler.writer.write(let.value)}")
                self.known |= {let.name}

    def inside(self) -> _Lines:
        """Return the lines of a branch, which knows what is known here."""
        return _Lines(self.compiler, self.indent + 1, self.lines, self.known)

    def text(self) -> str:
        return "\n".join(self.lines)


def needed(lets: tuple[Let, ...], nodes: Iterable[Expression]) -> set[str]:
    """Return the `let` names that expressions need, those that others need included."""
    wanted = {name.name for name in used_names(nodes) if name.kind is Kind.LET}
    for let in reversed(lets):
        if let.name in wanted:
            wanted |= {name.name for name in used_names([let.value]) if name.kind is Kind.LET}
    return wanted


def _parts(cases: tuple[Case, ...]) -> list[Expression]:
    """Return all expressions of some cases."""
    found = [part for case in cases for part in (case.guard, case.when) if part is not None]
    found += [assignment.value for case in cases for assignment in case.effect]
    return found + [value for case in cases for value in _returned(case)]


def _returned(case: Case) -> list[Expression]:
    if case.returns is None:
        return []
    return [case.returns] if isinstance(case.returns, Expression) else [value for _, value in case.returns]


def _free_names(definition: Definition, definitions: Mapping[str, Definition]) -> frozenset[Name]:
    """Return the names that a definition uses beside its inputs, through other definitions too."""
    found, pending, seen = set[Name](), [definition], set[str]()
    while pending:
        one = pending.pop()
        if one.name not in seen:
            seen.add(one.name)
            found |= {name for name in used_names([one.body]) if name.kind is not Kind.INPUT}
            pending += [definitions[part.definition] for part in walk(one.body) if isinstance(part, Apply)]
    return frozenset(found)
