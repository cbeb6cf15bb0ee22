"""Typed expressions in TLA+."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import singledispatch

from attrs import define, field

from statemachines.embed.exports import CannotExport
from statemachines.embed.tla_names import atom, record_field, tla_value
from statemachines.embed.tla_walks import bound_set, kept_of, list_of, only_one, quantified, set_of, sum_of
from statemachines.model import expressions as e
from statemachines.model.types import BagType, IntType, ListType, MapType, RecordType, SetType, base_of


@define
class TlaWriter:
    """Writes expressions; `names` are those that they use, `primed` says that variables are those after a step."""

    names: Mapping[tuple[e.Kind, str], str]
    definitions: Mapping[str, str] = field(factory=dict)
    """Definition to its operator."""
    watching: Collection[str] = ()
    """Definitions that look at variables: they are primed where variables are."""
    primed: bool = False
    locals: dict[tuple[str, int], str] = field(factory=dict)
    """Generator's variable to what stands for it."""
    counted: int = 0

    def write(self, node: e.Expression) -> str:
        """Return an expression; what stands beside an operator is put in parentheses by `part`."""
        return _written(node, self)

    def part(self, node: e.Expression) -> str:
        """Return an expression that any operator may stand beside."""
        return atom(self.write(node))

    def fresh(self, stem: str) -> str:
        """Return a name that nothing has yet: TLA+ does not let one name hide another."""
        self.counted += 1
        return f"{stem}_{self.counted}"

    def bind(self, target: e.Local, text: str | None = None) -> str:
        """Give a generator's variable a name, or a text that stands for it."""
        found = self.locals[target.name, target.number] = self.fresh(target.name) if text is None else text
        return found

    def as_set(self, node: e.Expression) -> str:
        """Return what an expression has, as a set."""
        if isinstance(node, e.Comprehension) and node.kind in ("generator", "set"):
            return set_of(self, node.element, node.clauses)
        if isinstance(node, e.Call) and node.function == "range":
            low, high = _range(self, node)
            return f"{atom(low)}..{atom(_less(high))}"
        type_ = base_of(node.type)
        if isinstance(node, e.View):
            return f"DOMAIN {self.part(node.map)}" if node.method == "keys" else f"Range({self.write(node.map)})"
        if isinstance(type_, MapType):
            return f"DOMAIN {self.part(node)}"
        return f"Range({self.write(node)})" if isinstance(type_, ListType | BagType) else self.write(node)

    def as_list(self, node: e.Expression) -> str:
        """Return what an expression has, in its order."""
        if isinstance(node, e.Comprehension) and node.kind in ("generator", "list"):
            return list_of(self, node.element, node.clauses)
        if isinstance(node, e.Call) and node.function == "range":
            low, high = _range(self, node)
            place = self.fresh("i")
            if low == "0":
                return f"[{place} \\in 1..{atom(high)} |-> {place} - 1]"
            return f"[{place} \\in 1..({atom(high)} - {atom(low)}) |-> {atom(low)} + {place} - 1]"
        return self.write(node)


def _range(writer: TlaWriter, node: e.Call) -> tuple[str, str]:
    """Return the first number and the one after the last."""
    written = [writer.write(one) for one in node.arguments]
    if len(written) > 2:
        raise CannotExport("TLA+ has no ranges with steps")
    return ("0", written[0]) if len(written) == 1 else (written[0], written[1])


def _less(text: str) -> str:
    return str(int(text) - 1) if text.isdigit() else f"{atom(text)} - 1"


@singledispatch
def _written(node: e.Expression, writer: TlaWriter) -> str:
    raise NotImplementedError(type(node).__name__)


@_written.register
def _literal(node: e.Literal, writer: TlaWriter) -> str:
    return tla_value(node.value)


@_written.register
def _name(node: e.Name, writer: TlaWriter) -> str:
    if node.kind is e.Kind.BEFORE:
        return writer.names.get((e.Kind.VARIABLE, node.name)) or writer.names[e.Kind.STATE, node.name]
    found = writer.names[node.kind, node.name.rpartition(".")[2] if node.kind is e.Kind.INPUT else node.name]
    return f"{found}'" if writer.primed and node.kind in (e.Kind.VARIABLE, e.Kind.STATE) else found


@_written.register
def _local(node: e.Local, writer: TlaWriter) -> str:
    return writer.locals[node.name, node.number]


@_written.register
def _in_states(node: e.InStates, writer: TlaWriter) -> str:
    state = writer.names[e.Kind.STATE, "state"] + ("'" if writer.primed and not node.before else "")
    return f"{state} \\in {tla_value(frozenset(node.states))}"


@_written.register
def _boolean(node: e.Boolean, writer: TlaWriter) -> str:
    return {"and": " /\\ ", "or": " \\/ "}[node.operator].join(map(writer.part, node.operands))


@_written.register
def _not(node: e.Not, writer: TlaWriter) -> str:
    return f"{writer.part(node.operand.operand)} # None" if isinstance(node.operand, e.IsNone) else f"~{writer.part(node.operand)}"


@_written.register
def _implies(node: e.Implies, writer: TlaWriter) -> str:
    return f"{writer.part(node.condition)} => {writer.part(node.consequence)}"


MEMBER = {"in": "\\in", "not in": "\\notin"}
SETS = {"|": "\\cup", "&": "\\cap", "-": "\\"}
NUMBERS = {"==": "=", "!=": "#", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@_written.register
def _compare(node: e.Compare, writer: TlaWriter) -> str:
    left = writer.part(node.left)
    if node.operator in ("in", "not in"):
        return " ".join((left, MEMBER[node.operator], atom(writer.as_set(node.right))))
    right = writer.part(node.right)
    if node.operator in ("==", "!=") or isinstance(base_of(node.left.type), IntType):
        return f"{left} {NUMBERS[node.operator]} {right}"
    small, large = (left, right) if node.operator in ("<", "<=") else (right, left)
    return f"{small} \\subseteq {large}" + (f" /\\ {left} # {right}" if node.operator in ("<", ">") else "")


@_written.register
def _is_none(node: e.IsNone, writer: TlaWriter) -> str:
    return f"{writer.part(node.operand)} = None"


@_written.register
def _binary(node: e.Binary, writer: TlaWriter) -> str:
    left, right, type_ = writer.part(node.left), writer.part(node.right), base_of(node.type)
    if isinstance(type_, MapType):
        return f"{right} @@ {left}"
    if isinstance(type_, ListType):
        return f"{atom(writer.as_list(node.left))} \\o {atom(writer.as_list(node.right))}"
    if node.operator == "^":
        return f"({left} \\ {right}) \\cup ({right} \\ {left})"
    if isinstance(type_, SetType):
        return f"{left} {SETS[node.operator]} {right}"
    return " ".join((left, "\\div" if node.operator == "//" else node.operator, right))


@_written.register
def _negative(node: e.Negative, writer: TlaWriter) -> str:
    return f"-{writer.part(node.operand)}"


@_written.register
def _conditional(node: e.Conditional, writer: TlaWriter) -> str:
    return f"IF {writer.write(node.test)} THEN {writer.write(node.yes)} ELSE {writer.write(node.no)}"


@_written.register
def _set(node: e.SetDisplay, writer: TlaWriter) -> str:
    return f"{{{', '.join(map(writer.write, node.items))}}}"


@_written.register
def _list(node: e.ListDisplay, writer: TlaWriter) -> str:
    return f"<<{', '.join(map(writer.write, node.items))}>>"


@_written.register
def _map(node: e.MapDisplay, writer: TlaWriter) -> str:
    pairs = [f"{writer.part(key)} :> {writer.part(value)}" for key, value in node.pairs]
    return " @@ ".join(atom(pair) if len(pairs) > 1 else pair for pair in reversed(pairs)) or "<<>>"


@_written.register
def _comprehension(node: e.Comprehension, writer: TlaWriter) -> str:
    if node.kind == "list":
        return list_of(writer, node.element, node.clauses)
    if node.kind != "map":
        return set_of(writer, node.element, node.clauses)
    assert node.value is not None
    [clause] = only_one(node.clauses)
    if node.element != clause.targets[0]:
        raise CannotExport("TLA+ has maps by their keys: the key of a map comprehension must be the variable of its `for`")
    domain, bound = bound_set(writer, clause)
    return f"[{bound} \\in {kept_of(writer, domain, bound, clause)} |-> {writer.write(node.value)}]"


@_written.register
def _call(node: e.Call, writer: TlaWriter) -> str:
    first = node.arguments[0] if node.arguments else None
    match node.function:
        case "set":
            return "{}" if first is None else writer.as_set(first)
        case "range":
            return writer.as_list(node)
        case "next":
            assert first is not None
            found = writer.fresh("found")
            return f"LET {found} == {writer.as_list(first)} IN IF {found} = <<>> THEN None ELSE {found}[1]"
        case "any" | "all":
            assert first is not None
            if isinstance(first, e.Comprehension) and first.kind == "generator":
                return quantified(writer, *(("\\E", "/\\") if node.function == "any" else ("\\A", "=>")), first)
            return f"TRUE \\in {atom(writer.as_set(first))}" if node.function == "any" else f"FALSE \\notin {atom(writer.as_set(first))}"
        case "len" | "sum":
            assert first is not None
            return _length(writer, first) if node.function == "len" else _total(writer, first)
    return _extreme(writer, node)


def _length(writer: TlaWriter, node: e.Expression) -> str:
    if isinstance(base_of(node.type), ListType):
        return f"Len({writer.as_list(node)})"
    if isinstance(node, e.View):
        return f"Cardinality(DOMAIN {writer.part(node.map)})"
    return f"Cardinality({writer.as_set(node)})"


def _total(writer: TlaWriter, node: e.Expression) -> str:
    if isinstance(node, e.Comprehension) and node.kind == "generator":
        return sum_of(writer, node.element, node.clauses)
    if isinstance(node, e.View) and node.method == "values":
        return f"Sum({writer.write(node.map)})"
    if isinstance(base_of(node.type), ListType):
        return f"Sum({writer.as_list(node)})"
    one = writer.fresh("n")
    return f"Sum([{one} \\in {writer.as_set(node)} |-> {one}])"


def _extreme(writer: TlaWriter, node: e.Call) -> str:
    operator = {"min": "Least", "max": "Greatest"}[node.function]
    if len(node.arguments) > 1:
        return f"{operator}({{{', '.join(map(writer.write, node.arguments))}}})"
    found = writer.as_set(node.arguments[0])
    if node.otherwise is None:
        return f"{operator}({found})"
    name = writer.fresh("found")
    return f"LET {name} == {found} IN IF {name} = {{}} THEN {writer.write(node.otherwise)} ELSE {operator}({name})"


@_written.register
def _view(node: e.View, writer: TlaWriter) -> str:
    return writer.as_set(node)


@_written.register
def _get(node: e.Get, writer: TlaWriter) -> str:
    map_, key = writer.part(node.map), writer.write(node.key)
    otherwise = "None" if node.otherwise is None else writer.write(node.otherwise)
    return f"IF {atom(key)} \\in DOMAIN {map_} THEN {map_}[{key}] ELSE {otherwise}"


@_written.register
def _item(node: e.Item, writer: TlaWriter) -> str:
    container = writer.part(node.container)
    if isinstance(base_of(node.container.type), MapType):
        return f"{container}[{writer.write(node.key)}]"
    return f"{container}[{_place(writer, node.key, container, 1)}]"


def _place(writer: TlaWriter, node: e.Expression, container: str, shift: int) -> str:
    """Return a place in a list: from 1 there, and without negative ones."""
    match node:
        case e.Literal(value=int(number)):
            return str(number + shift) if number >= 0 else f"Len({container}) + {number + shift}"
        case e.Negative(operand=e.Literal(value=int(number))):
            return f"Len({container}) + {shift - number}" if number else str(shift)
    written = writer.part(node)
    return f"(IF {written} < 0 THEN Len({container}) ELSE 0) + {written} + {shift}"


@_written.register
def _slice(node: e.Slice, writer: TlaWriter) -> str:
    items, whole = writer.fresh("list"), writer.as_list(node.items)
    low = "1" if node.low is None else f"Greatest({{1, {_place(writer, node.low, items, 1)}}})"
    high = f"Len({items})" if node.high is None else f"Least({{Len({items}), {_place(writer, node.high, items, 0)}}})"
    return f"LET {items} == {whole} IN SubSeq({items}, {low}, {high})"


@_written.register
def _make(node: e.Make, writer: TlaWriter) -> str:
    type_ = base_of(node.type)
    assert isinstance(type_, RecordType)
    pairs = zip(type_.fields, node.values, strict=True)
    return f"[{', '.join(f'{record_field(name)} |-> {writer.write(value)}' for (name, _), value in pairs)}]"


@_written.register
def _field(node: e.Field, writer: TlaWriter) -> str:
    return f"{writer.part(node.record)}.{record_field(node.name)}"


@_written.register
def _replace(node: e.Replace, writer: TlaWriter) -> str:
    changes = ", ".join(f"!.{record_field(name)} = {writer.write(value)}" for name, value in node.changes)
    return f"[{writer.write(node.record)} EXCEPT {changes}]"


@_written.register
def _apply(node: e.Apply, writer: TlaWriter) -> str:
    operator = writer.definitions[node.definition]
    if not writer.primed or node.definition not in writer.watching:
        return f"{operator}({', '.join(map(writer.write, node.arguments))})" if node.arguments else operator
    if any(_looks_back(each) for each in node.arguments):
        raise CannotExport(f"`{node.definition}` looks at what is after a step and is given what was before it; TLA+ cannot say that")
    writer.primed = False
    written = ", ".join(map(writer.write, node.arguments))
    writer.primed = True
    return f"{operator}({written})'" if written else f"{operator}'"


def _looks_back(node: e.Expression) -> bool:
    return any(
        (isinstance(each, e.Name) and each.kind is e.Kind.BEFORE) or (isinstance(each, e.InStates) and each.before) for each in e.walk(node)
    )


@_written.register
def _allows(node: e.Allows, writer: TlaWriter) -> str:
    pairs = ", ".join(sorted(map(tla_value, node.pairs)))
    return f"<<{writer.write(node.source)}, {writer.write(node.target)}>> \\in {{{pairs}}}"
