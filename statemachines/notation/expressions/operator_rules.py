"""`and or not`, comparisons, arithmetic, sets, conditional expressions."""

from __future__ import annotations

import ast

from statemachines.model.language.expression_nodes import (
    BinaryOperation,
    BinaryOperator,
    BooleanOperation,
    BooleanOperator,
    Comparison,
    ComparisonOperator,
    Conditional,
    Expression,
    IsNone,
    Literal,
    Negative,
    Not,
)
from statemachines.model.language.value_types import (
    BOOL,
    INT,
    BagType,
    BoolType,
    ErrorType,
    IntType,
    ListType,
    MapType,
    OptionalType,
    PairsType,
    SetType,
    TextType,
    Type,
    base_type,
)
from statemachines.notation.expressions.expression_typer import (
    ExpressionTyper,
    TypingContext,
    type_phrase,
)
from statemachines.notation.expressions.type_mismatches import (
    kind_mismatch_hint,
    report_unlike_pair,
    unknown_member,
)
from statemachines.notation.expressions.update_rules import read_update
from statemachines.notation.typing.type_agreement import element_type, is_same_kind, joined_type

_COMPARISONS: dict[type[ast.cmpop], ComparisonOperator] = {
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
_BINARY: dict[type[ast.operator], BinaryOperator] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.BitXor: "^",
}


def read_boolean(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type `a and b`, `a or b`: each operand knows what the earlier ones said.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        A node of type bool.
    """
    assert isinstance(node, ast.BoolOp)
    operator: BooleanOperator = "and" if isinstance(node.op, ast.And) else "or"
    operands: list[Expression] = []
    for part in node.values:
        operands.append(typing.read_narrow(part, here))
        if isinstance(operands[-1].type, BoolType):
            here = here.assuming(operands[-1], truth=operator == "and")
    if not any(isinstance(base_type(operand.type), BoolType | ErrorType) for operand in operands):
        # Nothing of it is a condition: the operator is what is wrong, which is one mistake.
        return typing.require_condition(operands[0], node.values[0])
    conditions = map(typing.require_condition, operands, node.values)
    return BooleanOperation(operator, tuple(conditions), type=BOOL)


def read_unary(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type `not x` and `-n`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        A node of type bool, or of a whole number's.
    """
    assert isinstance(node, ast.UnaryOp)
    if isinstance(node.op, ast.Not):
        return Not(typing.read_condition(node.operand, here), type=BOOL)
    if not isinstance(node.op, ast.USub):
        return typing.report_error(
            "SM302", f"`{typing.source.node_text(node)}` is not part of the language", node
        )
    operand = typing.read_narrow(node.operand, here)
    if (
        isinstance(operand, Literal)
        and isinstance(operand.value, int)
        and not isinstance(operand.value, bool)
    ):
        return Literal(-operand.value, type=IntType(-operand.value, -operand.value))
    return _non_number_error(typing, (operand,)) or Negative(operand, type=INT)


def _non_number_error(
    typing: ExpressionTyper, operands: tuple[Expression, ...]
) -> Expression | None:
    """Report the first operand that is no number."""
    for operand in operands:
        if not isinstance(base_type(operand.type), IntType | ErrorType):
            span = operand.span or typing.source.span
            return typing.report_error(
                "SM304",
                f"this is {type_phrase(operand.type)}; a number is needed",
                span,
                _number_hint(operand.type),
            )
    return None


def _number_hint(type_: Type) -> str:
    return (
        "a fact such as `x is not None` is missing"
        if isinstance(type_, OptionalType)
        else kind_mismatch_hint(INT, type_)
    )


def read_conditional(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type `a if c else b`.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        A node of the type that has the values of both sides.
    """
    assert isinstance(node, ast.IfExp)
    test = typing.read_condition(node.test, here)
    yes, no = (
        typing.read_narrow(node.body, here.assuming(test)),
        typing.read_narrow(node.orelse, here.assuming(test, truth=False)),
    )
    type_ = joined_type(yes.type, no.type)
    return (
        report_unlike_pair(typing, node, yes, no)
        if type_ is None
        else Conditional(test, yes, no, type=type_)
    )


def read_comparison(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type a comparison or a chain of them, which holds one kind of operator.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        A node of type bool.
    """
    assert isinstance(node, ast.Compare)
    if isinstance(node.ops[0], ast.Is | ast.IsNot):
        return _read_none_test(typing, node, here)
    signs = [_COMPARISONS[kind] for kind in map(type, node.ops) if kind in _COMPARISONS]
    is_chain = len(node.ops) > 1
    if is_chain and not (
        len(signs) == len(node.ops) and any(set(signs) <= kind for kind in _CHAINS)
    ):
        return typing.report_error(
            "SM310",
            "a chain of comparisons has operators of one kind only",
            node,
            "join two comparisons by `and`",
        )
    operands = [typing.read_narrow(part, here) for part in (node.left, *node.comparators)]
    pairs = [
        _read_comparison_of_two(typing, node, sign, left, right)
        for sign, left, right in zip(signs, operands, operands[1:], strict=False)
    ]
    return pairs[0] if len(pairs) == 1 else BooleanOperation("and", tuple(pairs), type=BOOL)


def _read_none_test(typing: ExpressionTyper, node: ast.Compare, here: TypingContext) -> Expression:
    """Type `x is None` and `x is not None`."""
    other = node.comparators[0]
    if len(node.ops) > 1 or not (isinstance(other, ast.Constant) and other.value is None):
        return typing.report_error("SM302", "`is` compares with None only", node, "write `==`")
    operand = typing.read_declared(node.left, here)
    if not isinstance(operand.type, OptionalType | ErrorType):
        return typing.report_error(
            "SM304",
            f"`{typing.source.node_text(node.left)}` is {type_phrase(operand.type)} and never None",
            node,
        )
    operator = IsNone(operand, type=BOOL)
    return operator if isinstance(node.ops[0], ast.Is) else Not(operator, type=BOOL)


def _read_comparison_of_two(
    typing: ExpressionTyper,
    node: ast.Compare,
    sign: ComparisonOperator,
    left: Expression,
    right: Expression,
) -> Expression:
    """Type one comparison of two operands."""
    if isinstance(left.type, ErrorType) or isinstance(right.type, ErrorType):
        return Literal(None, type=left.type if isinstance(left.type, ErrorType) else right.type)
    if sign in ("in", "not in"):
        return _read_membership(typing, node, sign, left, right)
    for side in (left, right):
        if isinstance(base_type(side.type), TextType | BagType | PairsType):
            span = side.span or typing.source.node_span(node)
            hint = (
                "texts are carried and printed only: what decides is an enumeration, a `bool` or an"
                " `id`"
            )
            text = isinstance(base_type(side.type), TextType)
            return typing.report_error(
                "SM304",
                f"this is {type_phrase(side.type)}, which cannot be compared",
                span,
                hint if text else "",
            )
    if sign in ("==", "!="):
        return _read_equality(typing, node, sign, left, right)
    if (
        all(isinstance(base_type(side.type), SetType) for side in (left, right))
        and joined_type(left.type, right.type) is not None
    ):
        return Comparison(sign, left, right, type=BOOL)
    if any(isinstance(base_type(side.type), SetType) for side in (left, right)):
        return report_unlike_pair(typing, node, left, right)
    return _non_number_error(typing, (left, right)) or Comparison(sign, left, right, type=BOOL)


def _read_equality(
    typing: ExpressionTyper,
    node: ast.Compare,
    sign: ComparisonOperator,
    left: Expression,
    right: Expression,
) -> Expression:
    for side, other in ((left, node.left), (right, node.comparators[-1])):
        if isinstance(side, Literal) and side.value is None:
            operator = "is" if sign == "==" else "is not"
            return typing.report_error(
                "SM302", "None is not compared by `==`", other, f"write `x {operator} None`"
            )
    if joined_type(left.type, right.type) is None:
        return report_unlike_pair(typing, node, left, right)
    return Comparison(sign, left, right, type=BOOL)


def _read_membership(
    typing: ExpressionTyper,
    node: ast.Compare,
    sign: ComparisonOperator,
    left: Expression,
    right: Expression,
) -> Expression:
    item = None if isinstance(base_type(right.type), PairsType) else element_type(right.type)
    if item is None:
        span = right.span or typing.source.node_span(node)
        return typing.report_error(
            "SM304",
            f"this is {type_phrase(right.type)}; `in` looks into sets, lists and maps",
            span,
            "`==` compares with one value" if is_same_kind(left.type, right.type) else "",
        )
    if joined_type(left.type, item) is None:
        pretended = Literal(None, type=item, span=right.span)
        return report_unlike_pair(
            typing, node, left, right if _has_untyped_words(right) else pretended
        )
    return Comparison(sign, left, right, type=BOOL)


def _has_untyped_words(node: Expression) -> bool:
    return "WordsType" in repr(node.type)


def read_binary(typing: ExpressionTyper, node: ast.expr, here: TypingContext) -> Expression:
    """Type arithmetic, and what joins sets, lists and maps.

    Args:
        typing: takes what is wrong, and types parts.
        node: the part of the syntax tree.
        here: names and facts that are known there.

    Returns:
        A node of the type that the two sides give.
    """
    assert isinstance(node, ast.BinOp)
    operator = _BINARY.get(type(node.op))
    if isinstance(node.op, ast.MatMult):
        return read_update(typing, node, here)
    if operator is None:
        hint = "numbers are whole: write `//`" if isinstance(node.op, ast.Div) else ""
        return typing.report_error(
            "SM302", f"`{typing.source.node_text(node)}` is not part of the language", node, hint
        )
    left, right = typing.read_narrow(node.left, here), typing.read_narrow(node.right, here)
    if any(isinstance(side.type, ErrorType) for side in (left, right)):
        return Literal(None, type=left.type if isinstance(left.type, ErrorType) else right.type)
    kinds = base_type(left.type), base_type(right.type)
    if any(isinstance(kind, SetType | ListType | MapType) for kind in kinds):
        return _read_collections(typing, node, operator, left, right)
    return _read_arithmetic(typing, node, operator, left, right)


def _read_arithmetic(
    typing: ExpressionTyper,
    node: ast.BinOp,
    operator: BinaryOperator,
    left: Expression,
    right: Expression,
) -> Expression:
    if operator in "|&^":
        return typing.report_error(
            "SM304",
            f"`{operator}` joins sets; this is {type_phrase(left.type)}",
            left.span or typing.source.node_span(node),
        )
    wrong = _non_number_error(typing, (left, right))
    if wrong is not None:
        return wrong
    right_type = base_type(right.type)
    positive = isinstance(right_type, IntType) and right_type.low is not None and right_type.low > 0
    if operator in ("//", "%") and not positive:
        source = typing.source.node_text(node.right)
        return typing.report_error(
            "SM309",
            f"`{source}` may be 0 or less here",
            node.right,
            f"the fact `{source} > 0` is missing",
        )
    return BinaryOperation(operator, left, right, type=INT)


def _read_collections(
    typing: ExpressionTyper,
    node: ast.BinOp,
    operator: BinaryOperator,
    left: Expression,
    right: Expression,
) -> Expression:
    """Type `| & - ^` of sets, `|` of maps, `+` of lists."""
    mine, theirs = base_type(left.type), base_type(right.type)
    joined = joined_type(left.type, right.type)
    kinds: tuple[type, ...] = {"+": (ListType,), "|": (SetType, MapType)}.get(operator, (SetType,))
    if not isinstance(mine, kinds) or not isinstance(theirs, kinds):
        return _unsupported_operator_error(typing, node, operator, left, right)
    if joined is None:
        return report_unlike_pair(typing, node, left, right)
    return BinaryOperation(operator, left, right, type=left.type if operator in "&-" else joined)


def _unsupported_operator_error(
    typing: ExpressionTyper, node: ast.BinOp, operator: str, left: Expression, right: Expression
) -> Expression:
    hint = kind_mismatch_hint(left.type, right.type)
    if operator == "+" and isinstance(base_type(left.type), SetType | MapType):
        hint = "`|` joins sets and maps"
    elif operator in "-&^" and any(
        isinstance(base_type(side.type), MapType) for side in (left, right)
    ):
        hint = (
            "the keys of a map are `set(m)`; a map without some: `{k: v for k, v in m.items() if k"
            " not in s}`"
        )
    message = (
        f"`{operator}` does not join a value {type_phrase(left.type)} and one"
        f" {type_phrase(right.type)}"
    )
    return typing.report_error(
        "SM304", message, node, hint, undeclared=unknown_member(left.type, right.type)
    )
