"""Calls in TLA+: lengths, sums, the least and the greatest, ranges, `any`, `all` and `next`."""

from __future__ import annotations

from statemachines.interop.export_limits import CannotExport
from statemachines.interop.tla.tla_comprehensions import InnerWriter, quantified, sum_text
from statemachines.interop.tla.tla_names import parenthesised
from statemachines.model.language import expression_nodes as e
from statemachines.model.language.value_types import ListType, base_type


def call_text(writer: InnerWriter, node: e.Call) -> str:
    """Write a call of a function that every machine has.

    Args:
        writer: of expressions, which knows the names in use.
        node: the expression.

    Returns:
        An expression of TLA+.
    """
    first = node.arguments[0] if node.arguments else None
    match node.function:
        case "set":
            return "{}" if first is None else writer.as_set(first)
        case "range":
            return writer.as_list(node)
        case "next":
            assert first is not None
            items = writer.fresh_name("found")
            given = writer.as_list(first)
            otherwise = "None" if node.default is None else writer.write_operand(node.default)
            return f"LET {items} == {given} IN IF {items} = <<>> THEN {otherwise} ELSE {items}[1]"
        case "any" | "all":
            assert first is not None
            if isinstance(first, e.Comprehension) and first.kind == "generator":
                return quantified(
                    writer, *(("\\E", "/\\") if node.function == "any" else ("\\A", "=>")), first
                )
            return (
                f"TRUE \\in {parenthesised(writer.as_set(first))}"
                if node.function == "any"
                else f"FALSE \\notin {parenthesised(writer.as_set(first))}"
            )
        case "len" | "sum":
            assert first is not None
            return (
                _length_text(writer, first) if node.function == "len" else _sum_text(writer, first)
            )
    return _least_or_greatest(writer, node)


def _length_text(writer: InnerWriter, node: e.Expression) -> str:
    """Write how many elements an expression has."""
    if isinstance(base_type(node.type), ListType):
        return f"Len({writer.as_list(node)})"
    if isinstance(node, e.MapView):
        return f"Cardinality(DOMAIN {writer.write_operand(node.map)})"
    return f"Cardinality({writer.as_set(node)})"


def _sum_text(writer: InnerWriter, node: e.Expression) -> str:
    if isinstance(node, e.Comprehension) and node.kind == "generator":
        return sum_text(writer, node.element, node.clauses)
    if isinstance(node, e.MapView) and node.method == "values":
        return f"Sum({writer.write(node.map)})"
    if isinstance(base_type(node.type), ListType):
        return f"Sum({writer.as_list(node)})"
    number = writer.fresh_name("n")
    return f"Sum([{number} \\in {writer.as_set(node)} |-> {number}])"


def _least_or_greatest(writer: InnerWriter, node: e.Call) -> str:
    operator = {"min": "Least", "max": "Greatest"}[node.function]
    if len(node.arguments) > 1:
        return f"{operator}({{{', '.join(map(writer.write, node.arguments))}}})"
    elements = writer.as_set(node.arguments[0])
    if node.default is None:
        return f"{operator}({elements})"
    name = writer.fresh_name("found")
    return (
        f"LET {name} == {elements} IN IF {name} = {{}} THEN {writer.write(node.default)} ELSE"
        f" {operator}({name})"
    )


def range_bounds(writer: InnerWriter, node: e.Call) -> tuple[str, str]:
    """Return the first number and the one after the last.

    Args:
        writer: of expressions, which knows the names in use.
        node: the expression.

    Returns:
        Two expressions of TLA+.

    Raises:
        CannotExport: the range has a step.
    """
    written = [writer.write(argument) for argument in node.arguments]
    if len(written) > 2:
        raise CannotExport("TLA+ has no ranges with steps")
    return ("0", written[0]) if len(written) == 1 else (written[0], written[1])


def minus_one(text: str) -> str:
    """Write one less than a number.

    Args:
        text: an expression of TLA+.

    Returns:
        An expression of TLA+; a number where the text is one.
    """
    return str(int(text) - 1) if text.isdigit() else f"{parenthesised(text)} - 1"
