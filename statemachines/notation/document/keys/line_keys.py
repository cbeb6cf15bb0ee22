"""Keys of the lines of a log: their texts, what they say, and what a log says once for all."""

from __future__ import annotations

from attrs import evolve

from statemachines.notation.document.key_shapes import (
    AlternativeShapes,
    ExpressionShape,
    FlagShape,
    ListShape,
    MappingKey,
    MappingShape,
    NamesShape,
    TextShape,
)
from statemachines.notation.document.keys.value_shapes import (
    DOC,
    IN_RELEASES,
    MANY_NAMES,
    MANY_TEXTS,
    NAME_TEXT,
    SOURCE,
    TEXT,
    TIME_LIMIT,
)

LINE_KINDS = (
    "step",
    "asked",
    "ignored",
    "refused",
    "raised",
    "forced",
    "failed",
    "begin",
    "end",
    "is",
    "event",
    "note",
    "may be",
    "may not be",
    "is not",
    "undone",
)
FAMILY_LINE_KINDS = ("release", "process begins", "process may begin", "process ends", "note")
LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")

SAMPLE = AlternativeShapes((TEXT, MappingShape((
    MappingKey("line", TEXT, "A message without its layout.", required=True),
    MappingKey("yields", NamesShape(ExpressionShape(native=False)),
        "What its fields must be read as."),
    DOC, SOURCE,
), "a sample")))  # fmt: skip
_EACH = MappingKey(
    "each",
    NamesShape(TEXT),
    "A captured list that stands for many instances, and the template of one item; below it"
    " a list that each item holds.",
)
_INSIDE = MappingKey(
    "inside",
    NamesShape(MANY_TEXTS),
    "A captured text, and templates of its parts, each of which may be missing.",
)
ABOUT = MappingKey(
    "about",
    NamesShape(TEXT),
    "A line without the key is of every known instance whose keys or variables have these values.",
)

LOGGER = MappingKey("logger", MANY_TEXTS, "The logger that writes it.")
LEVEL = MappingKey("level", TextShape(choices=LEVELS, label="a level"), "How loud it is.")


def line_keys(kinds: tuple[str, ...]) -> MappingShape:
    """Return the keys of a line that may say these things.

    Args:
        kinds: words that `says` may have.

    Returns:
        The shape of one entry of `lines`.
    """
    kind = TextShape(choices=kinds, label="what a line says")
    return MappingShape((
        MappingKey("text", MANY_TEXTS,
            "The first line of the message: {field} captures, {*} is anything, all else is"
            " literal.",
            required=True),
        MappingKey("prefix", MANY_TEXTS,
            "What its texts begin with, in place of what its log or its group says."),
        MappingKey("says", AlternativeShapes((kind, ListShape(kind))),
            "What the line tells.", required=True),
        MappingKey("from", MANY_NAMES, "The state it comes from, where the text does not tell it."),
        MappingKey("to", MANY_NAMES, "The state it goes to, where the text does not tell it."),
        MappingKey("state", NAME_TEXT, "The state it is in, where the text does not tell it."),
        MappingKey("event", NAME_TEXT, "The event that came, for `says: event`."),
        MappingKey("args", NamesShape(TEXT), "Templates of the event's arguments."),
        MappingKey("set", NamesShape(TEXT),
            "What the line tells of variables: templates of their values."),
        _EACH,
        MappingKey("others", NAME_TEXT,
            "Its list is complete: the state of every instance known before that it does not"
            " name; with `about`, of those that have these values."),
        _INSIDE,
        LOGGER,
        MappingKey("thread", TEXT,
            "The name of the thread that writes it: {field} captures, also keys of the instance."),
        MappingKey("rest", MANY_TEXTS,
            "Lines of the record below its first that must be there: {field} captures."),
        LEVEL,
        MappingKey("strict", FlagShape(),
            "A line that tells another logger, or none, is not read by this entry."),
        MappingKey("echo", FlagShape(), "It only repeats what another line tells."),
        MappingKey("known", FlagShape(),
            "It tells only of an instance that another line told of before, in the same life."),
        MappingKey("mark", TEXT,
            "What people count, in a few words: a report says how often it happened."),
        MappingKey("takes", FlagShape(),
            "The process that writes it holds the instance from here on."),
        MappingKey("holder", FlagShape(),
            "It counts only where the process that writes it holds the instance."),
        MappingKey("undoes", FlagShape(),
            "What the instance's line before it told did not happen."),
        MappingKey("replayed", FlagShape(),
            "Every process that follows writes it, and again when it starts anew."),
        ABOUT,
        MappingKey("within", TIME_LIMIT,
            "By then what it asks for must be done, or said that it will not be."),
        MappingKey("samples", ListShape(SAMPLE), "Messages that this line must read."),
        DOC, SOURCE, IN_RELEASES,
    ), "a line")  # fmt: skip


LINE_DEFAULTS = (
    evolve(LOGGER, doc="The logger of all lines below that name none."),
    evolve(LEVEL, doc="The level of all lines below that name none."),
    MappingKey(
        "prefix", MANY_TEXTS, "What every text below begins with, one or the other; empty for none."
    ),
)
"""What a log, or a group of its lines, says once for its lines."""


def lines_key(kinds: tuple[str, ...], doc: str) -> MappingKey:
    """Return the key of a list of lines and of groups of lines.

    Args:
        kinds: words that `says` may have.
        doc: what the schema and the reference say of the key.

    Returns:
        The key `lines`.
    """
    line = line_keys(kinds)
    group = MappingShape(
        (
            MappingKey("lines", ListShape(line), "The lines of the group.", required=True),
            *LINE_DEFAULTS, DOC, SOURCE, IN_RELEASES,
        ),
        "a group of lines",
    )  # fmt: skip
    return MappingKey("lines", ListShape(AlternativeShapes((group, line))), doc)


PATTERNS = MappingKey(
    "patterns", NamesShape(TEXT), "Regular expressions of fields; without one a field is `\\S+`."
)

LINES = lines_key((*LINE_KINDS, "release"), "The lines that tell of this machine.")
