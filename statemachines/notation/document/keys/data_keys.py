"""Keys of data: types, errors, named expressions, parameters and variables."""

from __future__ import annotations

from statemachines.notation.document.key_shapes import (
    AlternativeShapes,
    EmptyShape,
    ExpressionShape,
    FlagShape,
    ListShape,
    MappingKey,
    MappingShape,
    NamesShape,
)
from statemachines.notation.document.keys.value_shapes import (
    DOC,
    IN_RELEASES,
    NAME_TEXT,
    SOURCE,
    SPEC_NAME,
    TEXT,
)

ARGUMENT = MappingShape((
    MappingKey("type", ExpressionShape(),
        "A type, or a set-valued expression that stands for one.", required=True),
    MappingKey("chosen", FlagShape(), "The system, not the caller, decides it."),
    DOC, SOURCE, IN_RELEASES,
), "an argument")  # fmt: skip
ARGUMENTS = NamesShape(AlternativeShapes((ExpressionShape(), ARGUMENT, ListShape(ARGUMENT))))

VARIABLE = MappingShape((
    MappingKey("type", ExpressionShape(), "Its type.", required=True),
    MappingKey("initial", ExpressionShape(), "Its first value, or `any` with `initially:`."),
    MappingKey("observable", FlagShape(), "`false`: an implementation need not show it."),
    DOC, SOURCE, IN_RELEASES,
), "a variable")  # fmt: skip
PARAMETER = MappingShape(
    (MappingKey("type", ExpressionShape(), "Its type.", required=True), DOC, SOURCE, IN_RELEASES),
    "a parameter",
)
DEFINITION = MappingShape(
    (
        MappingKey("args", ARGUMENTS, "Names and types."),
        MappingKey("is", ExpressionShape(), "Its value.", required=True),
        DOC,
        SOURCE,
        IN_RELEASES,
    ),
    "a definition",
)
ERROR = MappingShape((DOC, SOURCE, IN_RELEASES), "an error")
TYPE = AlternativeShapes((ExpressionShape(), ListShape(NAME_TEXT), NamesShape(ExpressionShape())))

_TEXT_TEMPLATE = MappingShape(
    (MappingKey("text", TEXT, "With {name} for values.", required=True), DOC, SOURCE, IN_RELEASES),
    "a text",
)

USE = MappingKey(
    "use",
    AlternativeShapes((SPEC_NAME, ListShape(SPEC_NAME))),
    "Libraries and machines whose names are brought in.",
)
LIBRARY_KEYS = (
    USE,
    MappingKey("types", NamesShape(TYPE), "Types of values."),
    MappingKey(
        "errors",
        NamesShape(AlternativeShapes((EmptyShape(), TEXT, ERROR, ListShape(ERROR)))),
        "Errors that may be raised.",
    ),
    MappingKey(
        "define",
        NamesShape(AlternativeShapes((ExpressionShape(), DEFINITION, ListShape(DEFINITION)))),
        "Named expressions and functions.",
    ),
)

DATA_KEYS = (
    MappingKey(
        "parameters",
        NamesShape(AlternativeShapes((ExpressionShape(), PARAMETER, ListShape(PARAMETER)))),
        "Values that are fixed for an instance.",
    ),
    MappingKey("where", ExpressionShape(), "What parameters satisfy."),
    MappingKey(
        "variables",
        NamesShape(AlternativeShapes((ExpressionShape(), VARIABLE, ListShape(VARIABLE)))),
        "What changes.",
    ),
    MappingKey("initially", ExpressionShape(), "The condition of a beginning."),
    MappingKey("final", ExpressionShape(), "Where, beside final states, it is legal to stop."),
    MappingKey(
        "texts",
        NamesShape(AlternativeShapes((TEXT, _TEXT_TEMPLATE, ListShape(_TEXT_TEMPLATE)))),
        "Templates for people.",
    ),
)
