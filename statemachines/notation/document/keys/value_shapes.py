"""Shapes that many keys have, and the keys that stand everywhere: `doc`, `source`, `in`."""

from __future__ import annotations

from statemachines.notation.document.key_shapes import (
    NAME,
    NAME_RULE,
    AlternativeShapes,
    ExpressionShape,
    ListShape,
    MappingKey,
    MappingShape,
    NamesShape,
    TextShape,
)

TEXT = TextShape()
DURATION = TextShape(
    pattern=r"[1-9]\d{0,8} (ms|s|min|h|d)( [1-9]\d{0,8} (ms|s|min|h))*",
    label="a duration, such as `30 s` or `1 min 30 s`",
    unit="s",
)
NAME_TEXT = TextShape(pattern=NAME, label="a name", code="SM114", rule=NAME_RULE)
SPEC_NAME = TextShape(
    pattern=r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*",
    label="a catalogue name",
    code="SM114",
    rule="it has letters, digits, `_`, `.` and `-`, and `/` between folders",
)
MANY_NAMES = AlternativeShapes((NAME_TEXT, ListShape(NAME_TEXT)))

TIME_LIMIT = AlternativeShapes((
    DURATION,
    MappingShape((
        MappingKey("told", NAME_TEXT,
            "A field that the instance remembers: a number of milliseconds.", required=True),
        MappingKey("and", DURATION, "So much beyond it."),
        MappingKey("otherwise", DURATION, "Where no line told it.", required=True),
    ), "a time that a line tells"),
))  # fmt: skip
"""How long something may last: a time of the spec, or one that the log tells."""

MANY_TEXTS = AlternativeShapes((TEXT, ListShape(TEXT)))

DOC = MappingKey("doc", TEXT, "What it is, for people (CommonMark).")
SOURCE = MappingKey("source", TEXT, "Where it was taken from: class, file, paper or URL.")
IN_RELEASES = MappingKey(
    "in",
    TEXT,
    'The releases that have it: "2.2.0..2.3.1", "2.6.0..", "..1.0.2", a name of `eras`, several'
    " with commas; none: every release of the machine.",
)


def one_or_ranged(shape: MappingShape) -> AlternativeShapes:
    """Allow a list of values with disjoint `in` where one value may stand.

    Args:
        shape: of one value.

    Returns:
        Either that, or a list of it.
    """
    return AlternativeShapes((shape, ListShape(shape)))


def named_expressions(doc: str, name: str) -> MappingKey:
    """Make a key whose value is a mapping from names to expressions.

    Args:
        doc: what the schema and the reference say of the key.
        name: of the key.

    Returns:
        The key.
    """
    return MappingKey(name, NamesShape(ExpressionShape()), doc)
