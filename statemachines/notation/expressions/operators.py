"""`and or not`, comparisons, arithmetic, sets, conditional expressions."""

from __future__ import annotations

import ast

from statemachines.model.expressions import Binary, Boolean, Compare, Conditional, Expression, IsNone, Literal, Negative, Not
from statemachines.model.types import (
    BOOL,
    INT,
    BagType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    PairsType,
    SetType,
    TextType,
    Type,
    WrongType,
    base_of,
)
from statemachines.notation.expressions.agreement import element_of, join
from statemachines.notation.expressions.mismatches import explain_pair, mixing_hint
from statemachines.notation.expressions.typing import Here, Typing, said

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}
_CHAINS = ({"<", "<="}, {">", ">="}, {"=="})
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.BitXor: "^",
}


def read_boolean(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type `a and b`, `a or b`: each operand knows what the earlier ones said."""
    assert isinstance(node, ast.BoolOp)
    operator = "and" if isinstance(node.op, ast.And) else "or"
    operands = []
    for part in node.values:
        operands.append(typing.condition(part, here))
        here = here.knowing(operands[-1], truth=operator == "and")
    return Boolean(operator, tuple(operands), type=BOOL)


def read_unary(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type `not x` and `-n`."""
    assert isinstance(node, ast.UnaryOp)
    if isinstance(node.op, ast.Not):
        return Not(typing.condition(node.operand, here), type=BOOL)
    if not isinstance(node.op, ast.USub):
        return typing.wrong("SM302", f"`{typing.written.source(node)}` is no part of the language", node)
    operand = typing.read(node.operand, here)
    if isinstance(operand, Literal) and isinstance(operand.value, int) and not isinstance(operand.value, bool):
        return Literal(-operand.value, type=IntType(-operand.value, -operand.value))
    return _numbers(typing, (operand,)) or Negative(operand, type=INT)


def _numbers(typing: Typing, operands: tuple[Expression, ...]) -> Expression | None:
    """Report the first operand that is no number."""
    for operand in operands:
        if not isinstance(base_of(operand.type), IntType | WrongType):
            place = operand.span or typing.written.span
            return typing.wrong("SM304", f"this is {said(operand.type)}; a number is wanted", place, _number_hint(operand.type))
    return None


def _number_hint(type_: Type) -> str:
    return "a fact such as `x is not None` is missing" if isinstance(type_, OptionalType) else mixing_hint(INT, type_)


def read_conditional(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type `a if c else b`."""
    assert isinstance(node, ast.IfExp)
    test = typing.condition(node.test, here)
    yes, no = typing.read(node.body, here.knowing(test)), typing.read(node.orelse, here.knowing(test, truth=False))
    type_ = join(yes.type, no.type)
    return explain_pair(typing, node, yes, no) if type_ is None else Conditional(test, yes, no, type=type_)


def read_comparison(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type a comparison or a chain of them, which holds one kind of operator."""
    assert isinstance(node, ast.Compare)
    if isinstance(node.ops[0], ast.Is | ast.IsNot):
        return _read_is(typing, node, here)
    signs = [_COMPARISONS.get(type(operator), "is") for operator in node.ops]
    if len(signs) > 1 and not any(set(signs) <= kind for kind in _CHAINS):
        return typing.wrong("SM310", "a chain of comparisons holds one kind of operator", node, "join two comparisons by `and`")
    operands = [typing.read(part, here) for part in (node.left, *node.comparators)]
    pairs = [_compare(typing, node, sign, left, right) for sign, left, right in zip(signs, operands, operands[1:], strict=False)]
    return pairs[0] if len(pairs) == 1 else Boolean("and", tuple(pairs), type=BOOL)


def _read_is(typing: Typing, node: ast.Compare, here: Here) -> Expression:
    """Type `x is None` and `x is not None`."""
    other = node.comparators[0]
    if len(node.ops) > 1 or not (isinstance(other, ast.Constant) and other.value is None):
        return typing.wrong("SM302", "`is` compares with None only", node, "write `==`")
    operand = typing.wide(node.left, here)
    if not isinstance(operand.type, OptionalType | WrongType):
        return typing.wrong("SM304", f"`{typing.written.source(node.left)}` is {said(operand.type)} and never None", node)
    asked = IsNone(operand, type=BOOL)
    return asked if isinstance(node.ops[0], ast.Is) else Not(asked, type=BOOL)


def _compare(typing: Typing, node: ast.Compare, sign: str, left: Expression, right: Expression) -> Expression:
    """Type one comparison of two operands."""
    if any(isinstance(side.type, WrongType) for side in (left, right)):
        return Literal(None, type=left.type if isinstance(left.type, WrongType) else right.type)
    if sign in ("in", "not in"):
        return _read_in(typing, node, sign, left, right)
    for side in (left, right):
        if isinstance(base_of(side.type), TextType | BagType | PairsType):
            place = side.span or typing.written.of(node)
            hint = "texts are carried and printed only: what decides is an enumeration, a `bool` or an `id`"
            text = isinstance(base_of(side.type), TextType)
            return typing.wrong("SM304", f"this is {said(side.type)} and is never compared", place, hint if text else "")
    if sign in ("==", "!="):
        return _read_equal(typing, node, sign, left, right)
    if all(isinstance(base_of(side.type), SetType) for side in (left, right)) and join(left.type, right.type) is not None:
        return Compare(sign, left, right, type=BOOL)
    if any(isinstance(base_of(side.type), SetType) for side in (left, right)):
        return explain_pair(typing, node, left, right)
    return _numbers(typing, (left, right)) or Compare(sign, left, right, type=BOOL)


def _read_equal(typing: Typing, node: ast.Compare, sign: str, left: Expression, right: Expression) -> Expression:
    for side, other in ((left, node.left), (right, node.comparators[-1])):
        if isinstance(side, Literal) and side.value is None:
            asked = "is" if sign == "==" else "is not"
            return typing.wrong("SM302", "None is not compared by `==`", other, f"write `x {asked} None`")
    if join(left.type, right.type) is None:
        return explain_pair(typing, node, left, right)
    return Compare(sign, left, right, type=BOOL)


def _read_in(typing: Typing, node: ast.Compare, sign: str, left: Expression, right: Expression) -> Expression:
    item = None if isinstance(base_of(right.type), PairsType) else element_of(right.type)
    if item is None:
        place = right.span or typing.written.of(node)
        return typing.wrong("SM304", f"this is {said(right.type)}; `in` looks into sets, lists and maps", place)
    if join(left.type, item) is None:
        pretended = Literal(None, type=item, span=right.span)
        return explain_pair(typing, node, left, right if _has_words(right) else pretended)
    return Compare(sign, left, right, type=BOOL)


def _has_words(node: Expression) -> bool:
    return "WordsType" in repr(node.type)


def read_binary(typing: Typing, node: ast.expr, here: Here) -> Expression:
    """Type arithmetic, and what joins sets, lists and maps."""
    assert isinstance(node, ast.BinOp)
    operator = _BINARY.get(type(node.op))
    if operator is None:
        hint = "numbers are whole: write `//`" if isinstance(node.op, ast.Div) else ""
        return typing.wrong("SM302", f"`{typing.written.source(node)}` is no part of the language", node, hint)
    left, right = typing.read(node.left, here), typing.read(node.right, here)
    if any(isinstance(side.type, WrongType) for side in (left, right)):
        return Literal(None, type=left.type if isinstance(left.type, WrongType) else right.type)
    kinds = base_of(left.type), base_of(right.type)
    if any(isinstance(kind, SetType | ListType | MapType) for kind in kinds):
        return _read_collections(typing, node, operator, left, right)
    return _read_numbers(typing, node, operator, left, right)


def _read_numbers(typing: Typing, node: ast.BinOp, operator: str, left: Expression, right: Expression) -> Expression:
    if operator in "|&^":
        return typing.wrong("SM304", f"`{operator}` joins sets; this is {said(left.type)}", left.span or typing.written.of(node))
    wrong = _numbers(typing, (left, right))
    if wrong is not None:
        return wrong
    right_type = base_of(right.type)
    positive = isinstance(right_type, IntType) and right_type.low is not None and right_type.low > 0
    if operator in ("//", "%") and not positive:
        source = typing.written.source(node.right)
        return typing.wrong("SM309", f"`{source}` may be 0 or less here", node.right, f"the fact `{source} > 0` is missing")
    return Binary(operator, left, right, type=INT)


def _read_collections(typing: Typing, node: ast.BinOp, operator: str, left: Expression, right: Expression) -> Expression:
    """Type `| & - ^` of sets, `|` of maps, `+` of lists."""
    mine, theirs = base_of(left.type), base_of(right.type)
    joined = join(left.type, right.type)
    kinds: tuple[type, ...] = {"+": (ListType,), "|": (SetType, MapType)}.get(operator, (SetType,))
    if not isinstance(mine, kinds) or not isinstance(theirs, kinds):
        return _no_operator(typing, node, operator, left, right)
    if joined is None:
        return explain_pair(typing, node, left, right)
    return Binary(operator, left, right, type=left.type if operator in "&-" else joined)


def _no_operator(typing: Typing, node: ast.BinOp, operator: str, left: Expression, right: Expression) -> Expression:
    hint = mixing_hint(left.type, right.type)
    if operator == "+" and isinstance(base_of(left.type), SetType | MapType):
        hint = "`|` joins sets and maps"
    elif operator in "-&^" and any(isinstance(base_of(side.type), MapType) for side in (left, right)):
        hint = "the keys of a map are `set(m)`; a map without some: `{k: v for k, v in m.items() if k not in s}`"
    message = f"`{operator}` does not join a value {said(left.type)} and one {said(right.type)}"
    return typing.wrong("SM304", message, node, hint)
