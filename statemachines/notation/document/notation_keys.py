"""The kinds of files with their keys and shapes: the one table that the reader checks by and the
JSON Schema is made from.
"""

from __future__ import annotations

from attrs import evolve

from statemachines.notation.document.key_shapes import (
    AlternativeShapes,
    EmptyShape,
    ExpressionShape,
    FlagShape,
    ListShape,
    MappingKey,
    MappingShape,
    NamesShape,
    NumberShape,
    Shape,
    TextShape,
)
from statemachines.notation.document.keys.behaviour_keys import (
    CASES,
    EVENT,
    OTHERWISE,
    PREDICATE,
    STATE,
    TRANSITION,
)
from statemachines.notation.document.keys.data_keys import DATA_KEYS, LIBRARY_KEYS
from statemachines.notation.document.keys.log_keys import EXTENSION_LOG, FAMILY_LOG, LOG
from statemachines.notation.document.keys.property_keys import PROPERTY_KEYS
from statemachines.notation.document.keys.value_shapes import (
    DOC,
    IN_RELEASES,
    MANY_NAMES,
    NAME_TEXT,
    SOURCE,
    SPEC_NAME,
    TEXT,
    one_or_ranged,
)

ALIAS = MappingShape((
    MappingKey("like", TEXT, "A pattern such as 7.3.*.", required=True),
    MappingKey("is", TEXT, "The release or minor line it stands for.", required=True),
    DOC, SOURCE,
), "an alias")  # fmt: skip

_NOTATION = MappingKey(
    "notation", NumberShape(1, (1.1,)), "The version of the notation; the first key.", required=True
)
_ERAS = MappingKey(
    "eras",
    NamesShape(
        AlternativeShapes(
            (
                TEXT,
                MappingShape(
                    (MappingKey("is", TEXT, "Its ranges.", required=True), DOC, SOURCE), "an era"
                ),
            )
        )
    ),
    "Names of ranges of releases, for `in`.",
)
FAMILY = MappingKey("family", NAME_TEXT, "The system whose releases it lists or belongs to.")

MACHINE = MappingShape((
    _NOTATION, MappingKey("machine", NAME_TEXT, "Its name.", required=True), FAMILY, IN_RELEASES,
    _ERAS, DOC, SOURCE,
    *LIBRARY_KEYS, *DATA_KEYS,
    MappingKey("states", NamesShape(AlternativeShapes((EmptyShape(), STATE, ListShape(STATE)))),
        "The states in the author's order."),
    MappingKey("predicates",
        NamesShape(AlternativeShapes((PREDICATE, ListShape(NAME_TEXT), ListShape(PREDICATE)))),
        "Named sets of states."),
    MappingKey("events", NamesShape(AlternativeShapes((EmptyShape(), EVENT, ListShape(EVENT)))),
        "What may arrive; needed where it has arguments."),
    MappingKey("cases", NamesShape(CASES),
        "Lists of cases that operations include by their names."),
    MappingKey("transitions", ListShape(TRANSITION, may_be_empty=True), "The transitions."),
    MappingKey("otherwise", ListShape(OTHERWISE, may_be_empty=True),
        "What becomes of events that no transition takes; the first entry that matches counts."),
    *PROPERTY_KEYS,
    MappingKey("log", LOG, "How logs tell of it."),
), "a machine")  # fmt: skip
FAMILY_FILE = MappingShape((
    _NOTATION, evolve(FAMILY, required=True), DOC, SOURCE,
    MappingKey("releases", ListShape(TEXT), "All releases, oldest first.", required=True),
    MappingKey("aliases", ListShape(ALIAS), "Vendors' numbers."),
    MappingKey("suffixes", ListShape(TEXT),
        "Patterns of endings that are cut from a number."),
    _ERAS,
    MappingKey("log", FAMILY_LOG, "Lines that tell of a process."),
), "a family")  # fmt: skip
_LIBRARY = MappingShape(
    (
        _NOTATION,
        MappingKey("library", NAME_TEXT, "Its name.", required=True),
        FAMILY,
        IN_RELEASES,
        _ERAS,
        DOC,
        SOURCE,
        *LIBRARY_KEYS,
    ),
    "a library",
)
_EXTENSION = MappingShape((
    _NOTATION,
    MappingKey("extends", SPEC_NAME,
        "The machine to which it adds lines.", required=True), DOC, SOURCE,
    MappingKey("log", EXTENSION_LOG, "The lines it adds.", required=True),
), "an extension")  # fmt: skip
PART = MappingShape((
    MappingKey("machine", SPEC_NAME, "The machine it is one of.", required=True),
    MappingKey("each", TEXT, "There is one for each value of this type."),
    MappingKey("optional", FlagShape(), "It may be absent."),
    MappingKey("created", FlagShape(), "None is there at the beginning; links create them."),
    MappingKey("ends", MANY_NAMES, "In these states one that was created is there no longer."),
    MappingKey("with", NamesShape(ExpressionShape()), "Its parameters."),
    DOC, SOURCE, IN_RELEASES,
), "a part")  # fmt: skip
LINK = MappingShape((
    MappingKey("on", NAME_TEXT, "The part whose step fires it.", required=True),
    MappingKey("enters", MANY_NAMES, "It fires when the part enters a state."),
    MappingKey("leaves", MANY_NAMES, "It fires when the part leaves a state."),
    MappingKey("event", NAME_TEXT, "It fires at this event of the part."),
    MappingKey("begins", FlagShape(), "What it sends waits when the system begins."),
    MappingKey("guard", ExpressionShape(), "It fires only if this holds."),
    MappingKey("send", TEXT, "The receiver and the event: client.to_RUNNING."),
    MappingKey("create", TEXT, "One more of a part that is created: sessions[client]."),
    MappingKey("args", NamesShape(ExpressionShape()), "The event's arguments."),
    MappingKey("effect", NamesShape(ExpressionShape()), "New values of the system's variables."),
    MappingKey("later", FlagShape(), "The event waits and is delivered in any order."),
    MappingKey("through", NAME_TEXT, "The event waits in this channel."),
    MappingKey("only if", ExpressionShape(),
        "In place of `send`: the step is forbidden unless this holds."),
    DOC, SOURCE, IN_RELEASES,
), "a link")  # fmt: skip
_SAME_VARIABLE = MappingShape((
    MappingKey("of", ListShape(TEXT),
        "The variables that are one: `part.variable`.", required=True),
    DOC, SOURCE, IN_RELEASES,
), "a variable of several parts")  # fmt: skip
_CHANNEL = MappingShape((
    MappingKey("holds", ExpressionShape(),
        "How many events wait in a queue at most; 0: each is taken as it is sent.", required=True),
    MappingKey("may",
        ListShape(TextShape(choices=("lose", "repeat", "reorder")), may_be_empty=True),
        "What may become of what waits, beside arriving in its order."),
    MappingKey("full", TextShape(choices=("refuse", "drop new", "drop old")),
        "What becomes of an event for which there is no room: `refuse` what sends it (default)."),
    MappingKey("refused", TextShape(choices=("drop", "wait")),
        "What becomes of an event that its receiver refuses: `drop` (default), or it waits on."),
    MappingKey("shared", FlagShape(), "All senders share one queue to a receiver: its mailbox."),
    DOC, SOURCE, IN_RELEASES,
), "a channel")  # fmt: skip
SYSTEM = MappingShape((
    _NOTATION, MappingKey("system", NAME_TEXT, "Its name.", required=True), FAMILY, IN_RELEASES,
    _ERAS, DOC, SOURCE,
    *LIBRARY_KEYS, *DATA_KEYS,
    MappingKey("parts", NamesShape(one_or_ranged(PART)),
        "The machines it is made of.", required=True),
    MappingKey("same", NamesShape(AlternativeShapes((ListShape(TEXT), _SAME_VARIABLE))),
        "Variables of several parts that are one: what one writes, the others read."),
    MappingKey("links", ListShape(LINK, may_be_empty=True), "What one part's step does to others."),
    MappingKey("channels", NamesShape(one_or_ranged(_CHANNEL)),
        "Queues in which what links send waits."),
    *PROPERTY_KEYS,
), "a system")  # fmt: skip

SHAPES_BY_FILE_KIND: dict[str, Shape] = {
    "machine": MACHINE,
    "system": SYSTEM,
    "library": _LIBRARY,
    "extends": _EXTENSION,
    "family": FAMILY_FILE,
}
"""The kinds of files by the key that tells them; `family` where none of the others stands."""
