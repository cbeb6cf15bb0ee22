"""Calls: the functions of the language, records, definitions, the methods of maps."""

from __future__ import annotations

import ast
from collections.abc import Callable

from statemachines.model.expressions import (
    MOST_WALKED,
    Allows,
    Apply,
    Call,
    Comprehension,
    Expression,
    Get,
    Implies,
    Kind,
    Literal,
    Make,
    Name,
    Replace,
    SetDisplay,
    View,
)
from statemachines.model.suggestions import meant
from statemachines.model.types import (
    BOOL,
    INT,
    NEVER,
    BagType,
    BoolType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    PairsType,
    RecordType,
    SetType,
    Type,
    WrongType,
    base_of,
)
from statemachines.notation.expressions.agreement import element_of, fits, join
from statemachines.notation.expressions.bounds import bounds
from statemachines.notation.expressions.comprehensions import needs_order, read_generator
from statemachines.notation.expressions.mismatches import explain_misfit, explain_pair
from statemachines.notation.expressions.obligations import is_shown, loosened
from statemachines.notation.expressions.terms import substitute_in_type
from statemachines.notation.expressions.typing import Here, Typing, said

_Reader = Callable[[Typing, ast.Call, Here], Expression]


def read_call(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type a call of one of the language's functions, of a record, a definition or a map's method."""
    assert isinstance(node, ast.Call)
    if any(isinstance(part, ast.Starred) for part in node.args) or any(keyword.arg is None for keyword in node.keywords):
        return typing.wrong("SM302", "`*` in a call is no part of the language", node)
    if isinstance(node.func, ast.Attribute):
        return _read_method(typing, node, node.func, here)
    if not isinstance(node.func, ast.Name):
        return typing.wrong("SM302", f"`{typing.written.source(node.func)}` is no function", node.func)
    name = node.func.id
    if name in typing.scope.definitions:
        return _read_apply(typing, node, name, here)
    if isinstance(typing.scope.types.get(name), RecordType):
        return _read_record(typing, node, name, here)
    if name in FUNCTIONS:
        return FUNCTIONS[name](typing, node, here)
    declared = typing.scope.names.get(name)
    if declared is not None and isinstance(declared.type, WrongType):
        return _wrong(node)
    known = [*FUNCTIONS, *typing.scope.definitions, *(n for n, type_ in typing.scope.types.items() if isinstance(type_, RecordType))]
    hint = meant(name, known) or f"functions are {', '.join(FUNCTIONS)}"
    return typing.wrong("SM303", f"`{name}` is no function", node.func, hint)


def _arguments(typing: Typing, node: ast.Call, low: int, high: int, form: str) -> bool:
    """Report a wrong number of arguments, or named ones where there are none."""
    if low <= len(node.args) <= high and not node.keywords:
        return True
    typing.wrong("SM308", f"`{typing.written.source(node)}` has other arguments than `{form}`", node, f"write `{form}`")
    return False


def _wrong(node: ast.Call) -> Literal:
    return Literal(None, type=WrongType())


def _read_walked(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type what is walked once: a generator, a set, a list, a map, `m.values()`."""
    if isinstance(node, ast.GeneratorExp):
        return read_generator(typing, node, here)
    typed = typing.read(node, here)
    if element_of(typed.type) is None:
        return typing.wrong("SM304", f"this is {said(typed.type)}; a set, list or map is wanted", node)
    return typed


def _read_len(typing: Typing, node: ast.Call, here: Here) -> Expression:
    if not _arguments(typing, node, 1, 1, "len(x)"):
        return _wrong(node)
    argument = typing.read(node.args[0], here)
    if element_of(argument.type) is None and not isinstance(argument.type, PairsType):
        return typing.wrong("SM304", f"this is {said(argument.type)}; `len` counts sets, lists and maps", node.args[0])
    return Call("len", (argument,), type=IntType(0, None))


def _read_quantifier(typing: Typing, node: ast.Call, here: Here) -> Expression:
    function = typing.written.source(node.func)
    if not _arguments(typing, node, 1, 1, f"{function}(… for x in s)"):
        return _wrong(node)
    walked = _read_walked(typing, node.args[0], here)
    item = element_of(walked.type)
    if item is not None and not isinstance(base_of(item), BoolType | WrongType):
        place = walked.element.span if isinstance(walked, Comprehension) and walked.element.span else node.args[0]
        return typing.wrong("SM305", f"this is {said(item)}; `{function}` asks for True or False", place)
    return Call(function, (walked,), type=BOOL)


def _read_sum(typing: Typing, node: ast.Call, here: Here) -> Expression:
    if not _arguments(typing, node, 1, 1, "sum(… for x in s)"):
        return _wrong(node)
    walked = _read_walked(typing, node.args[0], here)
    return _not_numbers(typing, node, walked) or Call("sum", (walked,), type=INT)


def _not_numbers(typing: Typing, node: ast.Call, walked: Expression) -> Expression | None:
    item = element_of(walked.type)
    if item is None or isinstance(base_of(item), IntType | WrongType) or item == NEVER:
        return None
    place = walked.element.span if isinstance(walked, Comprehension) and walked.element.span else node.args[0]
    hint = "bool is no int: write `1 if c else 0`, or `len({… if c})`" if isinstance(base_of(item), BoolType) else ""
    return typing.wrong("SM304", f"this is {said(item)}; numbers are wanted", place, hint)


def _read_extreme(typing: Typing, node: ast.Call, here: Here) -> Expression:
    """Type `min(a, b)`, `min(s)` of what is not empty, `min(s, default=0)`."""
    function = typing.written.source(node.func)
    if len(node.args) > 1 and not node.keywords:
        several = tuple(typing.read(part, here) for part in node.args)
        for part, typed in zip(node.args, several, strict=True):
            if not isinstance(base_of(typed.type), IntType | WrongType):
                return typing.wrong("SM304", f"this is {said(typed.type)}; a number is wanted", part)
        return Call(function, several, type=INT)
    if len(node.args) != 1 or [keyword.arg for keyword in node.keywords] not in ([], ["default"]):
        return typing.wrong("SM308", f"`{function}` is `{function}(a, b)` or `{function}(s, default=0)`", node)
    walked = _read_walked(typing, node.args[0], here)
    default = typing.read(node.keywords[0].value, here) if node.keywords else None
    return _extreme_of(typing, node, function, walked, default, here)


def _extreme_of(typing: Typing, node: ast.Call, function: str, walked: Expression, default: Expression | None, here: Here) -> Expression:
    wrong = _not_numbers(typing, node, walked)
    if wrong is not None:
        return wrong
    item = element_of(walked.type) or INT
    if default is None:
        if not _is_filled(walked, here):
            source = typing.written.source(node.args[0])
            lacks = "that it has an element" if isinstance(walked, Comprehension) else f"`len({source}) > 0`"
            fact = f"the fact {lacks} is missing"
            return typing.wrong("SM309", f"`{source}` may be empty here", node.args[0], f"{fact}; or give a `default=`")
        return Call(function, (walked,), type=item)
    type_ = join(item, default.type)
    return explain_pair(typing, node, walked, default) if type_ is None else Call(function, (walked,), default, type=type_)


def _is_filled(walked: Expression, here: Here) -> bool:
    low = bounds(here.facts, Call("len", (walked,), type=IntType(0, None))).low
    return low is not None and low > 0


def _read_set(typing: Typing, node: ast.Call, here: Here) -> Expression:
    if not node.args and not node.keywords:
        return SetDisplay((), type=SetType(NEVER))
    if not _arguments(typing, node, 1, 1, "set(x)"):
        return _wrong(node)
    walked = _read_walked(typing, node.args[0], here)
    return Call("set", (walked,), type=SetType(element_of(walked.type) or WrongType()))


def _read_range(typing: Typing, node: ast.Call, here: Here) -> Expression:
    if not _arguments(typing, node, 1, 2, "range(low, high)"):
        return _wrong(node)
    ends = tuple(typing.read(part, here) for part in node.args)
    for part, typed in zip(node.args, ends, strict=True):
        if not isinstance(base_of(typed.type), IntType | WrongType):
            return typing.wrong("SM304", f"this is {said(typed.type)}; a number is wanted", part)
    low = base_of(ends[0].type) if len(ends) == 2 else IntType(0, 0)
    high = base_of(ends[-1].type)
    fewest = _fewest(low, high)
    if fewest > MOST_WALKED:
        return typing.wrong("SM317", f"this walks {fewest:,} numbers; the most is {MOST_WALKED:,}", node)
    last = high.high - 1 if isinstance(high, IntType) and high.high is not None else None
    return Call("range", ends, type=ListType(IntType(low.low if isinstance(low, IntType) else None, last)))


def _fewest(low: Type, high: Type) -> int:
    """Return how many numbers a range surely has."""
    if not isinstance(low, IntType) or not isinstance(high, IntType) or low.high is None or high.low is None:
        return 0
    return high.low - low.high


def _read_next(typing: Typing, node: ast.Call, here: Here) -> Expression:
    form = "next((x for x in xs if c), None)"
    if not _arguments(typing, node, 2, 2, form):
        return _wrong(node)
    generator, default = node.args
    if not isinstance(generator, ast.GeneratorExp) or not (isinstance(default, ast.Constant) and default.value is None):
        return typing.wrong("SM308", f"`next` is `{form}`", node)
    walked = read_generator(typing, generator, here)
    needs_order(typing, walked.clauses, "`next`")
    item = walked.element.type
    return Call("next", (walked,), type=item if isinstance(item, OptionalType) else OptionalType(item))


def _read_implies(typing: Typing, node: ast.Call, here: Here) -> Expression:
    if not _arguments(typing, node, 2, 2, "implies(a, b)"):
        return _wrong(node)
    condition = typing.condition(node.args[0], here)
    return Implies(condition, typing.condition(node.args[1], here.knowing(condition)), type=BOOL)


def _read_replace(typing: Typing, node: ast.Call, here: Here) -> Expression:
    """Type `replace(x, state='RUNNING')`."""
    if len(node.args) != 1 or not node.keywords:
        return typing.wrong("SM308", "`replace` is `replace(record, field=value)`", node)
    record = typing.read(node.args[0], here)
    type_ = base_of(record.type)
    if not isinstance(type_, RecordType):
        message = f"this is {said(type_)}; `replace` changes records"
        return record if isinstance(type_, WrongType) else typing.wrong("SM304", message, node.args[0])
    declared = typing.scope.types.get(type_.name, type_)
    changes, types = [], dict(type_.fields)
    for keyword in node.keywords:
        changed = _field_value(typing, keyword.value, keyword.arg or "", declared, here)
        if changed is None:
            return _no_field(typing, keyword, keyword.arg or "", type_)
        types[keyword.arg or ""] = changed[1]
        changes.append((keyword.arg or "", changed[0]))
    return Replace(record, tuple(changes), type=RecordType(type_.name, tuple(types.items())))


def _field_value(typing: Typing, node: ast.expr, name: str, record: Type, here: Here) -> tuple[Expression, Type] | None:
    """Type a field's value; return it with what is known of it."""
    declared = record.get(name) if isinstance(record, RecordType) else None
    if declared is None:
        return None
    value = typing.read(node, here)
    if not fits(value.type, declared):
        value = explain_misfit(typing, value, declared, node)
    known = declared if is_shown(here.facts, value, declared) else value.type if isinstance(value.type, IntType) else loosened(declared)
    return value, known


def _no_field(typing: Typing, node: ast.AST, name: str, record: RecordType) -> Expression:
    names = [field for field, _ in record.fields]
    hint = meant(name, names) or f"its fields are {', '.join(names)}"
    return typing.wrong("SM307", f"`{record.name}` has no field `{name}`", node, hint)


def _read_record(typing: Typing, node: ast.Call, name: str, here: Here) -> Expression:
    """Type `Info('active', state='RUNNING')`."""
    declared = typing.scope.types[name]
    assert isinstance(declared, RecordType)
    names = [field for field, _ in declared.fields]
    given = [*zip(names, node.args, strict=False), *((keyword.arg or "", keyword.value) for keyword in node.keywords)]
    missing = [field for field in names if field not in dict(given)]
    twice = len(given) != len(dict(given)) or len(node.args) > len(names)
    if missing or twice:
        what = f"lacks {', '.join(f'`{field}`' for field in missing)}" if missing else "has a field twice"
        return typing.wrong("SM308", f"`{typing.written.source(node)}` {what}", node, f"write `{name}({', '.join(names)})`")
    values, types = {}, {}
    for field, part in given:
        value = _field_value(typing, part, field, declared, here)
        if value is None:
            return _no_field(typing, part, field, declared)
        values[field], types[field] = value
    return Make(tuple(values[field] for field in names), type=RecordType(name, tuple((field, types[field]) for field in names)))


def _read_apply(typing: Typing, node: ast.Call, name: str, here: Here) -> Expression:
    """Type the use of a definition; what its inputs' types ask must be shown here."""
    definition = typing.scope.definitions[name]
    names = [given.split(".")[-1] for given, _ in definition.inputs]
    form = f"{name}({', '.join(names)})"
    parts = {**dict(zip(names, node.args, strict=False)), **{keyword.arg or "": keyword.value for keyword in node.keywords}}
    if set(parts) != set(names) or len(node.args) + len(node.keywords) != len(names):
        return typing.wrong("SM308", f"`{typing.written.source(node)}` has other arguments than `{form}`", node, f"write `{form}`")
    values: dict[Expression, Expression] = {}
    for given, type_ in definition.inputs:
        part = parts[given.split(".")[-1]]
        values[Name(Kind.INPUT, given, type=type_)] = _input(typing, part, type_, values, here)
    return Apply(name, tuple(values.values()), type=definition.body.type)


def _input(typing: Typing, node: ast.expr, type_: Type, earlier: dict[Expression, Expression], here: Here) -> Expression:
    value = typing.read(node, here)
    declared = substitute_in_type(type_, earlier)
    if not fits(value.type, declared):
        return explain_misfit(typing, value, declared, node)
    if not isinstance(value.type, WrongType) and not is_shown(here.facts, value, declared):
        source = typing.written.source(node)
        return typing.wrong("SM318", f"`{source}` is not shown to be of type `{declared}` here", node, "a fact that says so is missing")
    return value


def _read_method(typing: Typing, node: ast.Call, function: ast.Attribute, here: Here) -> Expression:
    """Type `m.get(k, d)`, `m.keys()`, `m.values()`, `m.items()`, `Task.allows(a, b)`."""
    if isinstance(function.value, ast.Name) and function.value.id in typing.scope.neighbours and function.attr == "allows":
        return _read_allows(typing, node, function.value.id, here)
    owner = typing.read(function.value, here)
    type_ = base_of(owner.type)
    if isinstance(type_, WrongType):
        return owner
    if not isinstance(type_, MapType) or function.attr not in ("get", "keys", "values", "items"):
        hint = "maps have get, keys, values and items; nothing else has methods"
        return typing.wrong("SM307", f"a value {said(type_)} has no method `{function.attr}`", function, hint)
    if function.attr == "get":
        return _read_get(typing, node, owner, type_, here)
    if not _arguments(typing, node, 0, 0, f"m.{function.attr}()"):
        return _wrong(node)
    given: dict[str, Type] = {"keys": SetType(type_.key), "values": BagType(type_.value), "items": PairsType(type_.key, type_.value)}
    return View(function.attr, owner, type=given[function.attr])


def _read_get(typing: Typing, node: ast.Call, owner: Expression, type_: MapType, here: Here) -> Expression:
    if not _arguments(typing, node, 1, 2, "m.get(k, d)"):
        return _wrong(node)
    key = typing.read(node.args[0], here)
    if join(key.type, type_.key) is None:
        return explain_misfit(typing, key, type_.key, node.args[0])
    if len(node.args) == 1:
        value = type_.value if isinstance(type_.value, OptionalType) else OptionalType(type_.value)
        return Get(owner, key, type=value)
    default = typing.read(node.args[1], here)
    if isinstance(default, Literal) and default.value is None and not isinstance(default.type, WrongType):
        return Get(owner, key, type=type_.value if isinstance(type_.value, OptionalType) else OptionalType(type_.value))
    joined = join(type_.value, default.type)
    if joined is None:
        return explain_misfit(typing, default, type_.value, node.args[1])
    return Get(owner, key, default, type=joined)


def _read_allows(typing: Typing, node: ast.Call, machine: str, here: Here) -> Expression:
    if not _arguments(typing, node, 2, 2, f"{machine}.allows(a, b)"):
        return _wrong(node)
    neighbour = typing.scope.neighbours[machine]
    source, target = (typing.read(part, here) for part in node.args)
    for part, typed in zip(node.args, (source, target), strict=True):
        if not fits(typed.type, neighbour.states):
            return explain_misfit(typing, typed, neighbour.states, part)
    return Allows(neighbour.name, neighbour.pairs, source, target, type=BOOL)


FUNCTIONS: dict[str, _Reader] = {
    "len": _read_len,
    "any": _read_quantifier,
    "all": _read_quantifier,
    "sum": _read_sum,
    "min": _read_extreme,
    "max": _read_extreme,
    "set": _read_set,
    "range": _read_range,
    "next": _read_next,
    "implies": _read_implies,
    "replace": _read_replace,
}
__all__ = ["FUNCTIONS", "read_call"]
