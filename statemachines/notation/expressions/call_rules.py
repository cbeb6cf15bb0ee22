"""Calls: the functions of the language, records, definitions, the methods of maps."""

from __future__ import annotations

import ast
from collections.abc import Callable

from statemachines.model.diagnosis.suggestions import nearest_hint
from statemachines.model.language.expression_nodes import (
    LONGEST_RANGE,
    AllowsCall,
    Call,
    Comprehension,
    DefinitionCall,
    Expression,
    Implies,
    Literal,
    MapGet,
    MapView,
    Name,
    NameKind,
    RecordDisplay,
    RecordUpdate,
    SetDisplay,
)
from statemachines.model.language.value_types import (
    BOOL,
    INT,
    NEVER,
    BagType,
    BoolType,
    ErrorType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    PairsType,
    RecordType,
    SetType,
    Type,
    base_type,
)
from statemachines.notation.expressions.comprehension_rules import read_generator, require_order
from statemachines.notation.expressions.expression_typer import (
    ExpressionTyper,
    TypingContext,
    type_phrase,
)
from statemachines.notation.expressions.type_mismatches import report_misfit, report_unlike_pair
from statemachines.notation.proofs.number_bounds import number_bounds
from statemachines.notation.proofs.type_obligations import is_proved_of_type, unconstrained_type
from statemachines.notation.typing.substitution import substitute_type
from statemachines.notation.typing.type_agreement import element_type, is_same_kind, joined_type

_CallRule = Callable[[ExpressionTyper, ast.Call, TypingContext], Expression]


def read_call(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type a call of one of the language's functions, a record, a definition or a map's method."""
    assert isinstance(node, ast.Call)
    if any(isinstance(part, ast.Starred) for part in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    ):
        return typing.report_error("SM302", "`*` in a call is no part of the language", node)
    if isinstance(node.func, ast.Attribute):
        return _read_method(typing, node, node.func, here)
    if not isinstance(node.func, ast.Name):
        return typing.report_error(
            "SM302", f"`{typing.source.node_text(node.func)}` is no function", node.func
        )
    name = node.func.id
    if name in typing.scope.definitions:
        return _read_apply(typing, node, name, here)
    if isinstance(typing.scope.types.get(name), RecordType):
        return _read_record(typing, node, name, here)
    if name in CALL_RULES:
        return CALL_RULES[name](typing, node, here)
    declared = typing.scope.names.get(name)
    if declared is not None and isinstance(declared.type, ErrorType):
        return _error_literal(node)
    known = [
        *CALL_RULES,
        *typing.scope.definitions,
        *(n for n, type_ in typing.scope.types.items() if isinstance(type_, RecordType)),
    ]
    hint = nearest_hint(name, known) or f"functions are {', '.join(CALL_RULES)}"
    return typing.report_error("SM303", f"`{name}` is no function", node.func, hint)


def _has_argument_count(
    typing: ExpressionTyper, node: ast.Call, low: int, high: int, form: str
) -> bool:
    """Report a wrong number of arguments, or named ones where there are none."""
    if low <= len(node.args) <= high and not node.keywords:
        return True
    typing.report_error(
        "SM308",
        f"`{typing.source.node_text(node)}` has other arguments than `{form}`",
        node,
        f"write `{form}`",
    )
    return False


def _error_literal(node: ast.Call) -> Literal:
    return Literal(None, type=ErrorType())


def _read_iterable(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type what is walked once: a generator, a set, a list, a map, `m.values()`."""
    if isinstance(node, ast.GeneratorExp):
        return read_generator(typing, node, here)
    typed = typing.read_narrow(node, here)
    if element_type(typed.type) is None:
        return typing.report_error(
            "SM304", f"this is {type_phrase(typed.type)}; a set, list or map is wanted", node
        )
    return typed


def _read_len(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    if not _has_argument_count(typing, node, 1, 1, "len(x)"):
        return _error_literal(node)
    argument = typing.read_narrow(node.args[0], here)
    if element_type(argument.type) is None and not isinstance(argument.type, PairsType):
        return typing.report_error(
            "SM304",
            f"this is {type_phrase(argument.type)}; `len` counts sets, lists and maps",
            node.args[0],
        )
    return Call("len", (argument,), type=IntType(0, None))


def _read_quantifier(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    function = typing.source.node_text(node.func)
    if not _has_argument_count(typing, node, 1, 1, f"{function}(… for x in s)"):
        return _error_literal(node)
    walked = _read_iterable(typing, node.args[0], here)
    item = element_type(walked.type)
    if item is not None and not isinstance(base_type(item), BoolType | ErrorType):
        place = (
            walked.element.span
            if isinstance(walked, Comprehension) and walked.element.span
            else node.args[0]
        )
        return typing.report_error(
            "SM305", f"this is {type_phrase(item)}; `{function}` asks for True or False", place
        )
    return Call(function, (walked,), type=BOOL)


def _read_sum(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    if not _has_argument_count(typing, node, 1, 1, "sum(… for x in s)"):
        return _error_literal(node)
    walked = _read_iterable(typing, node.args[0], here)
    return _non_number_error(typing, node, walked) or Call("sum", (walked,), type=INT)


def _non_number_error(
    typing: ExpressionTyper, node: ast.Call, walked: Expression
) -> Expression | None:
    item = element_type(walked.type)
    if item is None or isinstance(base_type(item), IntType | ErrorType) or item == NEVER:
        return None
    place = (
        walked.element.span
        if isinstance(walked, Comprehension) and walked.element.span
        else node.args[0]
    )
    hint = (
        "bool is no int: write `1 if c else 0`, or `len({… if c})`"
        if isinstance(base_type(item), BoolType)
        else ""
    )
    return typing.report_error(
        "SM304", f"this is {type_phrase(item)}; numbers are wanted", place, hint
    )


def _read_extreme(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    """Type `min(a, b)`, `min(s)` of what is not empty, `min(s, default=0)`."""
    function = typing.source.node_text(node.func)
    if len(node.args) > 1 and not node.keywords:
        several = tuple(typing.read_narrow(part, here) for part in node.args)
        for part, typed in zip(node.args, several, strict=True):
            if not isinstance(base_type(typed.type), IntType | ErrorType):
                return typing.report_error(
                    "SM304", f"this is {type_phrase(typed.type)}; a number is wanted", part
                )
        return Call(function, several, type=INT)
    if len(node.args) != 1 or [keyword.arg for keyword in node.keywords] not in ([], ["default"]):
        return typing.report_error(
            "SM308", f"`{function}` is `{function}(a, b)` or `{function}(s, default=0)`", node
        )
    walked = _read_iterable(typing, node.args[0], here)
    default = typing.read_narrow(node.keywords[0].value, here) if node.keywords else None
    return _read_extreme_of_iterable(typing, node, function, walked, default, here)


def _read_extreme_of_iterable(
    typing: ExpressionTyper,
    node: ast.Call,
    function: str,
    walked: Expression,
    default: Expression | None,
    here: TypingContext,
) -> Expression:
    wrong = _non_number_error(typing, node, walked)
    if wrong is not None:
        return wrong
    item = element_type(walked.type) or INT
    if default is None:
        if not _is_non_empty(walked, here):
            source = typing.source.node_text(node.args[0])
            lacks = (
                "that it has an element"
                if isinstance(walked, Comprehension)
                else f"`len({source}) > 0`"
            )
            fact = f"the fact {lacks} is missing"
            return typing.report_error(
                "SM309",
                f"`{source}` may be empty here",
                node.args[0],
                f"{fact}; or give a `default=`",
            )
        return Call(function, (walked,), type=item)
    type_ = joined_type(item, default.type)
    return (
        report_unlike_pair(typing, node, walked, default)
        if type_ is None
        else Call(function, (walked,), default, type=type_)
    )


def _is_non_empty(walked: Expression, here: TypingContext) -> bool:
    low = number_bounds(here.facts, Call("len", (walked,), type=IntType(0, None))).low
    return low is not None and low > 0


def _read_set(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    if not node.args and not node.keywords:
        return SetDisplay((), type=SetType(NEVER))
    if not _has_argument_count(typing, node, 1, 1, "set(x)"):
        return _error_literal(node)
    walked = _read_iterable(typing, node.args[0], here)
    return Call("set", (walked,), type=SetType(element_type(walked.type) or ErrorType()))


def _read_range(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    if not _has_argument_count(typing, node, 1, 2, "range(low, high)"):
        return _error_literal(node)
    ends = tuple(typing.read_narrow(part, here) for part in node.args)
    for part, typed in zip(node.args, ends, strict=True):
        if not isinstance(base_type(typed.type), IntType | ErrorType):
            return typing.report_error(
                "SM304", f"this is {type_phrase(typed.type)}; a number is wanted", part
            )
    low = base_type(ends[0].type) if len(ends) == 2 else IntType(0, 0)
    high = base_type(ends[-1].type)
    fewest = _least_range_length(low, high)
    if fewest > LONGEST_RANGE:
        return typing.report_error(
            "SM317", f"this walks {fewest:,} numbers; the most is {LONGEST_RANGE:,}", node
        )
    last = high.high - 1 if isinstance(high, IntType) and high.high is not None else None
    return Call(
        "range", ends, type=ListType(IntType(low.low if isinstance(low, IntType) else None, last))
    )


def _least_range_length(low: Type, high: Type) -> int:
    """Return how many numbers a range surely has."""
    if (
        not isinstance(low, IntType)
        or not isinstance(high, IntType)
        or low.high is None
        or high.low is None
    ):
        return 0
    return high.low - low.high


def _read_next(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    form = "next((x for x in xs if c), None)"
    if not _has_argument_count(typing, node, 2, 2, form):
        return _error_literal(node)
    generator, default = node.args
    if not isinstance(generator, ast.GeneratorExp) or not (
        isinstance(default, ast.Constant) and default.value is None
    ):
        return typing.report_error("SM308", f"`next` is `{form}`", node)
    walked = read_generator(typing, generator, here)
    require_order(typing, walked.clauses, "`next`")
    item = walked.element.type
    return Call(
        "next", (walked,), type=item if isinstance(item, OptionalType) else OptionalType(item)
    )


def _read_implies(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    if not _has_argument_count(typing, node, 2, 2, "implies(a, b)"):
        return _error_literal(node)
    condition = typing.read_condition(node.args[0], here)
    return Implies(
        condition, typing.read_condition(node.args[1], here.assuming(condition)), type=BOOL
    )


def _read_replace(typing: ExpressionTyper, node: ast.Call, here: TypingContext) -> Expression:
    """Type `replace(x, state='RUNNING')`."""
    if len(node.args) != 1 or not node.keywords:
        return typing.report_error("SM308", "`replace` is `replace(record, field=value)`", node)
    record = typing.read_narrow(node.args[0], here)
    type_ = base_type(record.type)
    if not isinstance(type_, RecordType):
        message = f"this is {type_phrase(type_)}; `replace` changes records"
        return (
            record
            if isinstance(type_, ErrorType)
            else typing.report_error("SM304", message, node.args[0])
        )
    declared = typing.scope.types.get(type_.name, type_)
    changes, types = [], dict(type_.fields)
    for keyword in node.keywords:
        changed = _read_field_value(typing, keyword.value, keyword.arg or "", declared, here)
        if changed is None:
            return _unknown_field_error(typing, keyword, keyword.arg or "", type_)
        types[keyword.arg or ""] = changed[1]
        changes.append((keyword.arg or "", changed[0]))
    return RecordUpdate(record, tuple(changes), type=RecordType(type_.name, tuple(types.items())))


def _read_field_value(
    typing: ExpressionTyper, node: ast.expr, name: str, record: Type, here: TypingContext
) -> tuple[Expression, Type] | None:
    """Type a field's value; return it with what is known of it."""
    declared = record.get(name) if isinstance(record, RecordType) else None
    if declared is None:
        return None
    value = typing.read_narrow(node, here)
    if not is_same_kind(value.type, declared):
        value = report_misfit(typing, value, declared, node)
    known = (
        declared
        if is_proved_of_type(here.facts, value, declared)
        else value.type
        if isinstance(value.type, IntType)
        else unconstrained_type(declared)
    )
    return value, known


def _unknown_field_error(
    typing: ExpressionTyper, node: ast.AST, name: str, record: RecordType
) -> Expression:
    names = [field for field, _ in record.fields]
    hint = nearest_hint(name, names) or f"its fields are {', '.join(names)}"
    return typing.report_error("SM307", f"`{record.name}` has no field `{name}`", node, hint)


def _read_record(
    typing: ExpressionTyper, node: ast.Call, name: str, here: TypingContext
) -> Expression:
    """Type `Info('active', state='RUNNING')`."""
    declared = typing.scope.types[name]
    assert isinstance(declared, RecordType)
    names = [field for field, _ in declared.fields]
    given = [
        *zip(names, node.args, strict=False),
        *((keyword.arg or "", keyword.value) for keyword in node.keywords),
    ]
    missing = [field for field in names if field not in dict(given)]
    twice = len(given) != len(dict(given)) or len(node.args) > len(names)
    if missing or twice:
        what = (
            f"lacks {', '.join(f'`{field}`' for field in missing)}"
            if missing
            else "has a field twice"
        )
        return typing.report_error(
            "SM308",
            f"`{typing.source.node_text(node)}` {what}",
            node,
            f"write `{name}({', '.join(names)})`",
        )
    values, types = {}, {}
    for field, part in given:
        value = _read_field_value(typing, part, field, declared, here)
        if value is None:
            return _unknown_field_error(typing, part, field, declared)
        values[field], types[field] = value
    return RecordDisplay(
        tuple(values[field] for field in names),
        type=RecordType(name, tuple((field, types[field]) for field in names)),
    )


def _read_apply(
    typing: ExpressionTyper, node: ast.Call, name: str, here: TypingContext
) -> Expression:
    """Type the use of a definition; what its inputs' types ask must be shown here."""
    definition = typing.scope.definitions[name]
    names = [given.split(".")[-1] for given, _ in definition.inputs]
    form = f"{name}({', '.join(names)})"
    parts = {
        **dict(zip(names, node.args, strict=False)),
        **{keyword.arg or "": keyword.value for keyword in node.keywords},
    }
    if set(parts) != set(names) or len(node.args) + len(node.keywords) != len(names):
        return typing.report_error(
            "SM308",
            f"`{typing.source.node_text(node)}` has other arguments than `{form}`",
            node,
            f"write `{form}`",
        )
    values: dict[Expression, Expression] = {}
    for given, type_ in definition.inputs:
        part = parts[given.split(".")[-1]]
        values[Name(NameKind.INPUT, given, type=type_)] = _read_input(
            typing, part, type_, values, here
        )
    return DefinitionCall(name, tuple(values.values()), type=definition.body.type)


def _read_input(
    typing: ExpressionTyper,
    node: ast.expr,
    type_: Type,
    earlier: dict[Expression, Expression],
    here: TypingContext,
) -> Expression:
    value = typing.read_narrow(node, here)
    declared = substitute_type(type_, earlier)
    if not is_same_kind(value.type, declared):
        return report_misfit(typing, value, declared, node)
    if not isinstance(value.type, ErrorType) and not is_proved_of_type(here.facts, value, declared):
        source = typing.source.node_text(node)
        return typing.report_error(
            "SM318",
            f"`{source}` is not shown to be of type `{declared}` here",
            node,
            "a fact that says so is missing",
        )
    return value


def _read_method(
    typing: ExpressionTyper, node: ast.Call, function: ast.Attribute, here: TypingContext
) -> Expression:
    """Type `m.get(k, d)`, `m.keys()`, `m.values()`, `m.items()`, `Task.allows(a, b)`."""
    if (
        isinstance(function.value, ast.Name)
        and function.value.id in typing.scope.used_machines
        and function.attr == "allows"
    ):
        return _read_allows(typing, node, function.value.id, here)
    owner = typing.read_narrow(function.value, here)
    type_ = base_type(owner.type)
    if isinstance(type_, ErrorType):
        return owner
    if not isinstance(type_, MapType) or function.attr not in ("get", "keys", "values", "items"):
        hint = "maps have get, keys, values and items; nothing else has methods"
        return typing.report_error(
            "SM307", f"a value {type_phrase(type_)} has no method `{function.attr}`", function, hint
        )
    if function.attr == "get":
        return _read_get(typing, node, owner, type_, here)
    if not _has_argument_count(typing, node, 0, 0, f"m.{function.attr}()"):
        return _error_literal(node)
    given: dict[str, Type] = {
        "keys": SetType(type_.key),
        "values": BagType(type_.value),
        "items": PairsType(type_.key, type_.value),
    }
    return MapView(function.attr, owner, type=given[function.attr])


def _read_get(
    typing: ExpressionTyper, node: ast.Call, owner: Expression, type_: MapType, here: TypingContext
) -> Expression:
    if not _has_argument_count(typing, node, 1, 2, "m.get(k, d)"):
        return _error_literal(node)
    key = typing.read_narrow(node.args[0], here)
    if joined_type(key.type, type_.key) is None:
        return report_misfit(typing, key, type_.key, node.args[0])
    if len(node.args) == 1:
        value = type_.value if isinstance(type_.value, OptionalType) else OptionalType(type_.value)
        return MapGet(owner, key, type=value)
    default = typing.read_narrow(node.args[1], here)
    if (
        isinstance(default, Literal)
        and default.value is None
        and not isinstance(default.type, ErrorType)
    ):
        return MapGet(
            owner,
            key,
            type=(
                type_.value if isinstance(type_.value, OptionalType) else OptionalType(type_.value)
            ),
        )
    joined = joined_type(type_.value, default.type)
    if joined is None:
        return report_misfit(typing, default, type_.value, node.args[1])
    return MapGet(owner, key, default, type=joined)


def _read_allows(
    typing: ExpressionTyper, node: ast.Call, machine: str, here: TypingContext
) -> Expression:
    if not _has_argument_count(typing, node, 2, 2, f"{machine}.allows(a, b)"):
        return _error_literal(node)
    neighbour = typing.scope.used_machines[machine]
    source, target = (typing.read_narrow(part, here) for part in node.args)
    for part, typed in zip(node.args, (source, target), strict=True):
        if not is_same_kind(typed.type, neighbour.states):
            return report_misfit(typing, typed, neighbour.states, part)
    return AllowsCall(neighbour.name, neighbour.allowed_moves, source, target, type=BOOL)


CALL_RULES: dict[str, _CallRule] = {
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
__all__ = ["CALL_RULES", "read_call"]
