"""Typed expressions in TLA+."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import singledispatch

from attrs import define, field

from statemachines.interop.export_limits import CannotExport
from statemachines.interop.tla.tla_calls import call_text, minus_one, range_bounds
from statemachines.interop.tla.tla_comprehensions import (
    bound_set,
    kept_elements,
    list_text,
    set_text,
    single_clause,
)
from statemachines.interop.tla.tla_names import parenthesised, record_field, tla_value
from statemachines.model.language import expression_nodes as e
from statemachines.model.language.value_types import (
    BagType,
    IntType,
    ListType,
    MapType,
    RecordType,
    SetType,
    base_type,
)
from statemachines.semantics.messages.expression_text import format_expression


@define
class TlaWriter:
    """Writes expressions; `names` are those that they use, `primed` says that variables are those
    after a step.
    """

    names: Mapping[tuple[e.NameKind, str], str]
    definitions: Mapping[str, str] = field(factory=dict)
    """Definition to its operator."""
    variable_readers: Collection[str] = ()
    """Definitions that look at variables: they are primed where variables are."""
    primed: bool = False
    local_names: dict[tuple[str, int], str] = field(factory=dict)
    """Generator's variable to what stands for it."""
    name_count: int = 0

    def write(self, node: e.Expression) -> str:
        """Return an expression; what stands beside an operator is put in parentheses by `part`.

        Args:
            node: the expression.

        Returns:
            An expression of TLA+.
        """
        return _expression_text(node, self)

    def write_operand(self, node: e.Expression) -> str:
        """Return an expression that any operator may stand beside.

        Args:
            node: the expression.

        Returns:
            An expression of TLA+, in parentheses where it needs them.
        """
        return parenthesised(self.write(node))

    def fresh_name(self, stem: str) -> str:
        """Return a name that nothing has yet: TLA+ does not let one name hide another.

        Args:
            stem: what the name begins with.

        Returns:
            The name.
        """
        self.name_count += 1
        return f"{stem}_{self.name_count}"

    def bind_local(self, target: e.Local, text: str | None = None) -> str:
        """Give a generator's variable a name, or a text that stands for it.

        Args:
            target: the variable.
            text: what stands for it; None: a fresh name.

        Returns:
            The name or the text.
        """
        name = self.local_names[target.name, target.id] = (
            self.fresh_name(target.name) if text is None else text
        )
        return name

    def as_set(self, node: e.Expression) -> str:
        """Return what an expression has, as a set.

        Args:
            node: the expression.

        Returns:
            An expression of TLA+ that gives a set.
        """
        if isinstance(node, e.Comprehension) and node.kind in ("generator", "set"):
            return set_text(self, node.element, node.clauses)
        if isinstance(node, e.Call) and node.function == "range":
            low, high = range_bounds(self, node)
            return f"{parenthesised(low)}..{parenthesised(minus_one(high))}"
        type_ = base_type(node.type)
        if isinstance(node, e.MapView):
            return (
                f"DOMAIN {self.write_operand(node.map)}"
                if node.method == "keys"
                else f"Range({self.write(node.map)})"
            )
        if isinstance(type_, MapType):
            return f"DOMAIN {self.write_operand(node)}"
        return (
            f"Range({self.write(node)})"
            if isinstance(type_, ListType | BagType)
            else self.write(node)
        )

    def as_list(self, node: e.Expression) -> str:
        """Return what an expression has, in its order.

        Args:
            node: the expression.

        Returns:
            An expression of TLA+ that gives a sequence.
        """
        if isinstance(node, e.Comprehension) and node.kind in ("generator", "list"):
            return list_text(self, node.element, node.clauses)
        if isinstance(node, e.Call) and node.function == "range":
            low, high = range_bounds(self, node)
            index = self.fresh_name("i")
            many = high if low == "0" else f"{parenthesised(high)} - {parenthesised(low)}"
            if not many.isdigit():
                # TLC takes the length of `1..-1` to be -1, and cannot append to such a sequence.
                many = f"Greatest({{0, {many}}})"
            first = "" if low == "0" else f"{parenthesised(low)} + "
            return f"[{index} \\in 1..{parenthesised(many)} |-> {first}{index} - 1]"
        return self.write(node)


@singledispatch
def _expression_text(node: e.Expression, writer: TlaWriter) -> str:
    raise NotImplementedError(type(node).__name__)


@_expression_text.register
def _literal(node: e.Literal, writer: TlaWriter) -> str:
    return tla_value(node.value)


@_expression_text.register
def _name(node: e.Name, writer: TlaWriter) -> str:
    if node.kind is e.NameKind.BEFORE:
        return (
            writer.names.get((e.NameKind.VARIABLE, node.name))
            or writer.names[e.NameKind.STATE, node.name]
        )
    name = writer.names[
        node.kind, node.name.rpartition(".")[2] if node.kind is e.NameKind.INPUT else node.name
    ]
    return (
        f"{name}'"
        if writer.primed and node.kind in (e.NameKind.VARIABLE, e.NameKind.STATE)
        else name
    )


@_expression_text.register
def _local(node: e.Local, writer: TlaWriter) -> str:
    return writer.local_names[node.name, node.id]


@_expression_text.register
def _in_states(node: e.InStates, writer: TlaWriter) -> str:
    state = writer.names[e.NameKind.STATE, "state"] + (
        "'" if writer.primed and not node.before else ""
    )
    return f"{state} \\in {tla_value(frozenset(node.states))}"


@_expression_text.register
def _enabled(node: e.Enabled, writer: TlaWriter) -> str:
    if writer.primed:
        raise CannotExport(f"`{format_expression(node)}`: what is enabled is not written of steps")
    if not node.arguments:
        return f"ENABLED Event_{node.event}"
    names, values = zip(*node.arguments, strict=True)
    given = ", ".join(map(writer.write, values))
    return f"ENABLED {action_given(node.event, names)}({given})"


def action_given(event: str, arguments: Sequence[str]) -> str:
    """Return what the action of an event is called that is given some arguments.

    Args:
        event: its name.
        arguments: theirs, in the order in which they are given.

    Returns:
        A name of the module.
    """
    return f"Event_{event}_of_{'_'.join(arguments)}"


@_expression_text.register
def _boolean(node: e.BooleanOperation, writer: TlaWriter) -> str:
    return {"and": " /\\ ", "or": " \\/ "}[node.operator].join(
        map(writer.write_operand, node.operands)
    )


@_expression_text.register
def _not(node: e.Not, writer: TlaWriter) -> str:
    return (
        f"{writer.write_operand(node.operand.operand)} # None"
        if isinstance(node.operand, e.IsNone)
        else f"~{writer.write_operand(node.operand)}"
    )


@_expression_text.register
def _implies(node: e.Implies, writer: TlaWriter) -> str:
    return f"{writer.write_operand(node.condition)} => {writer.write_operand(node.consequence)}"


_MEMBER_OPERATORS = {"in": "\\in", "not in": "\\notin"}
SET_OPERATORS = {"|": "\\cup", "&": "\\cap", "-": "\\"}
_NUMBER_OPERATORS = {"+": "+", "-": "-", "*": "*", "//": "\\div", "%": "%"}
_COMPARISON_OPERATORS = {"==": "=", "!=": "#", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@_expression_text.register
def _compare(node: e.Comparison, writer: TlaWriter) -> str:
    left = writer.write_operand(node.left)
    if node.operator in ("in", "not in"):
        return " ".join(
            (left, _MEMBER_OPERATORS[node.operator], parenthesised(writer.as_set(node.right)))
        )
    right = writer.write_operand(node.right)
    if node.operator in ("==", "!=") or isinstance(base_type(node.left.type), IntType):
        return f"{left} {_COMPARISON_OPERATORS[node.operator]} {right}"
    small, large = (left, right) if node.operator in ("<", "<=") else (right, left)
    return f"{small} \\subseteq {large}" + (
        f" /\\ {left} # {right}" if node.operator in ("<", ">") else ""
    )


@_expression_text.register
def _is_none(node: e.IsNone, writer: TlaWriter) -> str:
    return f"{writer.write_operand(node.operand)} = None"


@_expression_text.register
def _binary(node: e.BinaryOperation, writer: TlaWriter) -> str:
    left, right, type_ = (
        writer.write_operand(node.left),
        writer.write_operand(node.right),
        base_type(node.type),
    )
    if isinstance(type_, MapType):
        return f"{right} @@ {left}"
    if isinstance(type_, ListType):
        return (
            f"{parenthesised(writer.as_list(node.left))} \\o"
            f" {parenthesised(writer.as_list(node.right))}"
        )
    if node.operator == "^":
        return f"({left} \\ {right}) \\cup ({right} \\ {left})"
    if isinstance(type_, SetType):
        return f"{left} {SET_OPERATORS[node.operator]} {right}"
    return f"{left} {_NUMBER_OPERATORS[node.operator]} {right}"


@_expression_text.register
def _negative(node: e.Negative, writer: TlaWriter) -> str:
    return f"-{writer.write_operand(node.operand)}"


@_expression_text.register
def _conditional(node: e.Conditional, writer: TlaWriter) -> str:
    return (
        f"IF {writer.write(node.test)} THEN {writer.write(node.yes)} ELSE {writer.write(node.no)}"
    )


@_expression_text.register
def _set_display(node: e.SetDisplay, writer: TlaWriter) -> str:
    return f"{{{', '.join(map(writer.write, node.items))}}}"


@_expression_text.register
def _list_display(node: e.ListDisplay, writer: TlaWriter) -> str:
    return f"<<{', '.join(map(writer.write, node.items))}>>"


@_expression_text.register
def _map_display(node: e.MapDisplay, writer: TlaWriter) -> str:
    pairs = [
        f"{writer.write_operand(key)} :> {writer.write_operand(value)}" for key, value in node.pairs
    ]
    return (
        " @@ ".join(parenthesised(pair) if len(pairs) > 1 else pair for pair in reversed(pairs))
        or "<<>>"
    )


@_expression_text.register
def _comprehension(node: e.Comprehension, writer: TlaWriter) -> str:
    if node.kind == "list":
        return list_text(writer, node.element, node.clauses)
    if node.kind != "map":
        return set_text(writer, node.element, node.clauses)
    assert node.value is not None
    [clause] = single_clause(node.clauses)
    if node.element != clause.targets[0]:
        raise CannotExport(
            "TLA+ has maps by their keys: the key of a map comprehension must be the variable of"
            " its `for`"
        )
    domain, bound = bound_set(writer, clause)
    return (
        f"[{bound} \\in {kept_elements(writer, domain, bound, clause)} |->"
        f" {writer.write(node.value)}]"
    )


@_expression_text.register
def _call(node: e.Call, writer: TlaWriter) -> str:
    return call_text(writer, node)


@_expression_text.register
def _view(node: e.MapView, writer: TlaWriter) -> str:
    return writer.as_set(node)


@_expression_text.register
def _get(node: e.MapGet, writer: TlaWriter) -> str:
    map_, key = writer.write_operand(node.map), writer.write(node.key)
    otherwise = "None" if node.default is None else writer.write(node.default)
    return f"IF {parenthesised(key)} \\in DOMAIN {map_} THEN {map_}[{key}] ELSE {otherwise}"


@_expression_text.register
def _item(node: e.ItemAccess, writer: TlaWriter) -> str:
    container = writer.write_operand(node.container)
    if isinstance(base_type(node.container.type), MapType):
        return f"{container}[{writer.write(node.key)}]"
    return f"{container}[{_list_index(writer, node.key, container, 1)}]"


def _list_index(writer: TlaWriter, node: e.Expression, container: str, shift: int) -> str:
    """Return a place in a list: from 1 there, and without negative ones."""
    match node:
        case e.Literal(value=int(number)):
            return str(number + shift) if number >= 0 else f"Len({container}) + {number + shift}"
        case e.Negative(operand=e.Literal(value=int(number))):
            return f"Len({container}) + {shift - number}" if number else str(shift)
    written = writer.write_operand(node)
    return f"(IF {written} < 0 THEN Len({container}) ELSE 0) + {written} + {shift}"


@_expression_text.register
def _slice(node: e.Slice, writer: TlaWriter) -> str:
    items, whole = writer.fresh_name("list"), writer.as_list(node.items)
    low = "1" if node.low is None else f"Greatest({{1, {_list_index(writer, node.low, items, 1)}}})"
    high = (
        f"Len({items})"
        if node.high is None
        else f"Least({{Len({items}), {_list_index(writer, node.high, items, 0)}}})"
    )
    return f"LET {items} == {whole} IN SubSeq({items}, {low}, {high})"


@_expression_text.register
def _make(node: e.RecordDisplay, writer: TlaWriter) -> str:
    type_ = base_type(node.type)
    assert isinstance(type_, RecordType)
    pairs = zip(type_.fields, node.values, strict=True)
    fields = (f"{record_field(name)} |-> {writer.write(value)}" for (name, _), value in pairs)
    return f"[{', '.join(fields)}]"


@_expression_text.register
def _field(node: e.FieldAccess, writer: TlaWriter) -> str:
    return f"{writer.write_operand(node.record)}.{record_field(node.name)}"


@_expression_text.register
def _replace(node: e.RecordUpdate, writer: TlaWriter) -> str:
    changes = ", ".join(
        f"!.{record_field(name)} = {writer.write(value)}" for name, value in node.changes
    )
    return f"[{writer.write(node.record)} EXCEPT {changes}]"


@_expression_text.register
def _apply(node: e.DefinitionCall, writer: TlaWriter) -> str:
    operator = writer.definitions[node.definition]
    if not writer.primed or node.definition not in writer.variable_readers:
        return (
            f"{operator}({', '.join(map(writer.write, node.arguments))})"
            if node.arguments
            else operator
        )
    if any(_reads_before(argument) for argument in node.arguments):
        raise CannotExport(
            f"`{node.definition}` looks at what is after a step and is given what was before it;"
            " TLA+ cannot say that"
        )
    writer.primed = False
    written = ", ".join(map(writer.write, node.arguments))
    writer.primed = True
    return f"{operator}({written})'" if written else f"{operator}'"


def _reads_before(node: e.Expression) -> bool:
    return any(
        (isinstance(part, e.Name) and part.kind is e.NameKind.BEFORE)
        or (isinstance(part, e.InStates) and part.before)
        for part in e.walk(node)
    )


@_expression_text.register
def _allows(node: e.AllowsCall, writer: TlaWriter) -> str:
    pairs = ", ".join(sorted(map(tla_value, node.pairs)))
    return f"<<{writer.write(node.source)}, {writer.write(node.target)}>> \\in {{{pairs}}}"
