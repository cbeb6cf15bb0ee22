"""Texts that go on behind a comma and have no quotes: between braces and square brackets YAML reads
what stands behind the comma as something of its own, as in `{guard: max(x, 1) > 0}`.

A parenthesis that is still open at the comma tells them from what was meant to be several.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import YamlNode, YamlScalar, is_null

Entry = tuple[YamlNode, YamlNode]
_MOST_PIECES = 100
"""Pieces of a text that are looked at: a hostile file may open a parenthesis in each of many."""


def rejoin_entries(entries: Iterable[Entry], wrong: list[Diagnostic]) -> Iterator[Entry]:
    """Yield the entries of a mapping between braces as they were meant.

    Args:
        entries: keys and values, as YAML has them.
        wrong: takes a diagnostic for each text that has no quotes.

    Yields:
        Those that are whole, and one for all pieces of a text.

    Complexity: linear in the pieces.
    """
    waiting = list(entries)
    pieces = [key if is_null(value) else None for key, value in waiting]
    place = 0
    while place < len(waiting):
        key, value = waiting[place]
        more = _more_pieces(value, pieces, place + 1)
        place += 1 + len(more)
        yield (key, _joined(value, more, wrong)) if more else (key, value)


def rejoin_items(items: Iterable[YamlNode], wrong: list[Diagnostic]) -> Iterator[YamlNode]:
    """Yield the items of a list between square brackets as they were meant.

    Args:
        items: as YAML has them.
        wrong: takes a diagnostic for each text that has no quotes.

    Yields:
        Those that are whole, and one for all pieces of a text.

    Complexity: linear in the pieces.
    """
    waiting = list(items)
    place = 0
    while place < len(waiting):
        item = waiting[place]
        more = _more_pieces(item, waiting, place + 1)
        place += 1 + len(more)
        yield _joined(item, more, wrong) if more else item


def _more_pieces(
    first: YamlNode, pieces: Sequence[YamlNode | None], start: int
) -> list[YamlScalar]:
    """Return the pieces with which a text goes on until its parentheses are closed; none where
    they are closed, or never are.
    """
    depth, more = _open_parentheses(first), list[YamlScalar]()
    for piece in pieces[start : start + _MOST_PIECES]:
        if depth <= 0:
            break
        if not isinstance(piece, YamlScalar) or piece.quoted:
            return []
        more.append(piece)
        depth += _open_parentheses(piece)
    return more if depth == 0 else []


def _open_parentheses(node: YamlNode) -> int:
    if not isinstance(node, YamlScalar) or node.quoted:
        return 0
    return node.text.count("(") - node.text.count(")")


def _joined(first: YamlNode, more: Sequence[YamlScalar], wrong: list[Diagnostic]) -> YamlScalar:
    """Return a text in one piece, and report that it has no quotes."""
    assert isinstance(first, YamlScalar)
    text = ", ".join(piece.text for piece in (first, *more))
    text = text.removesuffix('"')  # the one before it was forgotten
    last, span = more[-1].span, first.span
    if last.line == span.line:
        span = evolve(span, length=last.column + last.length - span.column)
    message = "quotes are missing: the text goes on behind a comma"
    wrong.append(Diagnostic("SM312", message, span, f'put quotes around it: "{text}"'))
    return evolve(first, text=text, raw=(), span=span)
