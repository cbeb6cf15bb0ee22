"""Keys of what a machine does: states, events, transitions, cases and fallbacks."""

from __future__ import annotations

from statemachines.notation.document.key_shapes import (
    NAME,
    NAME_RULE,
    AlternativeShapes,
    EmptyShape,
    ExpressionShape,
    FlagShape,
    ListShape,
    MappingKey,
    MappingShape,
    NamesShape,
    TextShape,
)
from statemachines.notation.document.keys.data_keys import ARGUMENT
from statemachines.notation.document.keys.value_shapes import (
    DOC,
    DURATION,
    IN_RELEASES,
    MANY_NAMES,
    MANY_TEXTS,
    NAME_TEXT,
    SOURCE,
    TEXT,
    TIME_LIMIT,
    named_expressions,
)

_SOURCE_STATES = AlternativeShapes(
    (
        TextShape(pattern=rf"{NAME}|\*", label="a state or `*`", code="SM114", rule=NAME_RULE),
        ListShape(NAME_TEXT),
    )
)

_FALLBACK = TextShape(
    pattern=rf"ignore|refuse|force|raise {NAME}",
    label="`ignore`, `refuse`, `force` or `raise SomeException`",
)

STATE = MappingShape((
    MappingKey("initial", FlagShape(), "An instance may begin in it."),
    MappingKey("final", FlagShape(), "It may be left only where a transition says so."),
    MappingKey("as", MANY_TEXTS, "Other spellings in logs."),
    MappingKey("group", TEXT, "States of one group are drawn together."),
    MappingKey("within", TIME_LIMIT,
        "By then it must be left: whoever is in it longer breaks a rule."),
    DOC, SOURCE, IN_RELEASES,
), "a state")  # fmt: skip

PREDICATE = MappingShape(
    (
        MappingKey("states", MANY_NAMES, "The states in which it holds.", required=True),
        DOC,
        SOURCE,
        IN_RELEASES,
    ),
    "a predicate",
)

RESULTS = AlternativeShapes((ExpressionShape(), NamesShape(ExpressionShape())))
CASE = MappingShape((
    MappingKey("when", ExpressionShape(),
        "The case is taken if this holds and no earlier case was taken; `otherwise`: if none was."),
    MappingKey("to", MANY_NAMES, "The state it goes to; none: it stays."),
    named_expressions("New values of variables, added to those of the event.", "effect"),
    MappingKey("returns", RESULTS, "What is given back: an expression, or names and expressions."),
    MappingKey("raises", ExpressionShape(), "The error that leaves the system."),
    DOC, SOURCE, IN_RELEASES,
), "a case")  # fmt: skip
_INCLUDE = MappingShape(
    (
        MappingKey("include", NAME_TEXT, "The name of a list of `cases:`.", required=True),
        DOC,
        SOURCE,
        IN_RELEASES,
    ),
    "cases that are included",
)
CASES = ListShape(AlternativeShapes((_INCLUDE, CASE)))
_MEMBER_CASES = NamesShape(
    AlternativeShapes((EmptyShape(), _INCLUDE, CASE, CASES)), rf"{NAME}( or {NAME})*"
)
_OPERATION = (
    named_expressions("Named values, in order, for everything in it.", "let"),
    MappingKey("guard", ExpressionShape(), "It is taken only if this holds."),
    named_expressions("New values of variables; all right-hand sides see the old ones.", "effect"),
    MappingKey("returns", RESULTS, "What is given back: an expression, or names and expressions."),
    MappingKey("raises", ExpressionShape(),
        "The error that leaves the system, or an expression of the declared errors."),
    MappingKey("match", ExpressionShape(), "The value, of an enumeration, that the cases are for."),
    MappingKey("cases", AlternativeShapes((_MEMBER_CASES, CASES)),
        "The outcomes; the first whose `when` holds is taken. With `match`: one for each member."),
)  # fmt: skip
TRANSITION = MappingShape((
    MappingKey("from", _SOURCE_STATES,
        'Where it starts: a state, a list of states, or "*" for every state (also when left out).'),
    MappingKey("to", MANY_NAMES, "Where it goes; left out: it stays."),
    MappingKey("event", NAME_TEXT, "What it answers to; left out: `to_` and its target."),
    MappingKey("by", MANY_TEXTS, "Who asks for it, for people."),
    MappingKey("after", DURATION,
        "Time takes it, when the instance has been in `from` so long: `30 s`, `1 min 30 s`."),
    MappingKey("silent", FlagShape(), "It may pass without any line in a log."),
    MappingKey("taken", FlagShape(),
        "`false`: it stands in the system's own table, and its code never takes it."),
    *_OPERATION, DOC, SOURCE, IN_RELEASES,
), "a transition")  # fmt: skip
OTHERWISE = MappingShape((
    MappingKey("from", _SOURCE_STATES, "In which states it counts; left out: in all."),
    MappingKey("to", MANY_NAMES, "For events `to_` these targets; left out: for all events."),
    MappingKey("event", NAME_TEXT, "For this event only."),
    MappingKey("does", _FALLBACK, "ignore, refuse, force, or raise SomeException.", required=True),
    MappingKey("quiet", FlagShape(),
        "It happens all the time: a report of logs has no word of it."),
    DOC, SOURCE, IN_RELEASES,
), "an entry of `otherwise`")  # fmt: skip

LOOP = MappingShape((
    MappingKey("over", TEXT, "`element in set`: the set that it goes over.", required=True),
    MappingKey("until", TEXT,
        "The condition on the element by which an exception ends it.", required=True),
    DOC, SOURCE, IN_RELEASES,
), "how far a loop came")  # fmt: skip
_EVENT_ARGUMENTS = NamesShape(
    AlternativeShapes(
        (ExpressionShape(), LOOP, ARGUMENT, ListShape(AlternativeShapes((LOOP, ARGUMENT))))
    )
)
EVENT = MappingShape((
    MappingKey("like", NAME_TEXT,
        "Another event: what that one says, this one says too, but for what it says itself."),
    MappingKey("args", _EVENT_ARGUMENTS, "What the environment decides, in order."),
    MappingKey("where", ExpressionShape(), "What else the world guarantees of the arguments."),
    MappingKey("target", NAME_TEXT,
        "The state that it asks for: `otherwise` matches it by `to`, and forces it."),
    *_OPERATION, DOC, SOURCE, IN_RELEASES,
), "an event")  # fmt: skip
