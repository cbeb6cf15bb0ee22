"""Keys of properties: what holds always, of each step, sometimes, and of whole runs."""

from __future__ import annotations

from statemachines.notation.document.key_shapes import (
    NAME,
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
    SOURCE,
    SPEC_NAME,
    TEXT,
    one_or_ranged,
)

PROPERTY = MappingShape((
    MappingKey("holds", ExpressionShape(), "What holds.", required=True),
    MappingKey("until", TextShape(choices=("raised",)),
        "`raised`: only in runs in which no step has raised."),
    MappingKey("expect", TextShape(choices=("fails",)), "`fails`: a known bug of the real system."),
    DOC, SOURCE, IN_RELEASES,
), "a property")  # fmt: skip
_EACH_PATTERN = rf"for each {NAME} in .+"
PROPERTIES = NamesShape(
    AlternativeShapes((ExpressionShape(), PROPERTY, ListShape(PROPERTY))),
    each_pattern=_EACH_PATTERN,
)
_FAIRNESS = NamesShape(ExpressionShape(), rf"{NAME}(\.{NAME})?|any step")
_FAIR_EVENT = AlternativeShapes((TEXT, _FAIRNESS))
_FAIR_EVENTS = AlternativeShapes(
    (TEXT, ListShape(AlternativeShapes((*_FAIR_EVENT.shapes, ListShape(_FAIR_EVENT)))))
)
_ASSUMING = MappingKey("assuming",
    AlternativeShapes((*_FAIR_EVENTS.shapes, MappingShape((
        MappingKey("weakly", _FAIR_EVENTS, "They happen where they are possible without a break."),
        MappingKey("strongly", _FAIR_EVENTS,
            "They happen where they are possible again and again."),
    ), "what is assumed"))),
    "Events that are not put off for ever; of a part: `part.event`; a list in the list is fair as"
    " one event, a part as all of its events, `any step` as all that there are.")  # fmt: skip
_FAIR_HERE = MappingKey("assuming", _ASSUMING.shape,
    "Events of this spec that are not put off for ever: where they are not, what the abstract"
    " machine promises of whole runs is kept. Without it no promise is claimed.")  # fmt: skip
_OF_RUNS = (
    _ASSUMING,
    MappingKey("until", TextShape(choices=("raised",)),
        "`raised`: only in runs in which no step has raised."),
    MappingKey("expect", TextShape(choices=("fails",)), "`fails`: a known bug of the real system."),
    DOC, SOURCE, IN_RELEASES,
)  # fmt: skip
LEADS_TO = MappingShape((
    MappingKey("when", ExpressionShape(), "What begins it.", required=True),
    MappingKey("then", ExpressionShape(), "What must follow.", required=True),
    *_OF_RUNS,
), "a promise")  # fmt: skip
_RECURRENCE = MappingShape((
    MappingKey("holds", ExpressionShape(), "What holds.", required=True), *_OF_RUNS,
), "a promise")  # fmt: skip
_RECURRENCES = NamesShape(
    AlternativeShapes((ExpressionShape(), _RECURRENCE, ListShape(_RECURRENCE))),
    each_pattern=_EACH_PATTERN,
)
UNTIL = MappingShape((
    MappingKey("when", ExpressionShape(), "What begins it.", required=True),
    MappingKey("holds", ExpressionShape(), "What holds until then.", required=True),
    MappingKey("then", ExpressionShape(), "What must follow.", required=True),
    *_OF_RUNS,
), "a promise")  # fmt: skip
_SEEN_AS = MappingShape((
    MappingKey("is", ExpressionShape(), "What it is here.", required=True),
    DOC, SOURCE, IN_RELEASES,
), "what something is here")  # fmt: skip
_REFINEMENT = MappingShape((
    MappingKey("spec", SPEC_NAME, "The abstract machine.", required=True),
    MappingKey("by", NamesShape(AlternativeShapes((ExpressionShape(), ListShape(_SEEN_AS)))),
        "What its `state`, its parameters and its variables are here; what is not named is what has"
        " its name here."),
    MappingKey("for each", TEXT, "It is claimed for each of these: `t in Task`."),
    MappingKey("steps", TextShape(pattern="up to ([2-9]|1[0-6])", label="`up to` 2 to 16"),
        "How many steps of the abstract machine one step is at most, where that is more than one."),
    _FAIR_HERE,
    MappingKey("expect", TextShape(choices=("fails",)), "`fails`: it is known not to be so."),
    DOC, SOURCE, IN_RELEASES,
), "a refinement")  # fmt: skip
NO_DEADLOCK = MappingShape(
    (
        MappingKey(
            "expect", TextShape(choices=("fails",)), "`fails`: a known bug of the real system."
        ),
        DOC,
        SOURCE,
        IN_RELEASES,
    ),
    "`no deadlock`",
)

PROPERTY_KEYS = (
    MappingKey("always", PROPERTIES, "What holds in every reachable snapshot."),
    MappingKey("each step", PROPERTIES, "What holds of every step; `before.x` is the old value."),
    MappingKey("sometimes", PROPERTIES, "What a reachable snapshot must show."),
    MappingKey(
        "leads to",
        NamesShape(one_or_ranged(LEADS_TO), each_pattern=_EACH_PATTERN),
        "What must follow.",
    ),
    MappingKey("always eventually", _RECURRENCES, "What holds again and again."),
    MappingKey("eventually always", _RECURRENCES, "What holds for ever from some moment on."),
    MappingKey(
        "until",
        NamesShape(one_or_ranged(UNTIL), each_pattern=_EACH_PATTERN),
        "What holds until something follows, which must.",
    ),
    MappingKey(
        "refines",
        AlternativeShapes((_REFINEMENT, ListShape(_REFINEMENT))),
        "A machine that says less: every step is one of its steps, or changes nothing there.",
    ),
    MappingKey(
        "no deadlock",
        AlternativeShapes((FlagShape(), NO_DEADLOCK)),
        "Where it is not final, some event changes something; on by default.",
    ),
    MappingKey(
        "scope",
        NamesShape(ExpressionShape(), f"{NAME}|state constraint"),
        "How many values a type has when exploring, ranges of integers, values of parameters; as"
        " `state constraint` what holds of the states that are gone on from.",
    ),
)
