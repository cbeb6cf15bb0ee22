"""Keys of `incidents` of a log: what trouble is, and what people read of it."""

from __future__ import annotations

from statemachines.notation.document.key_shapes import (
    NAME,
    AlternativeShapes,
    EmptyShape,
    FlagShape,
    ListShape,
    MappingKey,
    MappingShape,
    NamesShape,
    TextShape,
)
from statemachines.notation.document.keys.value_shapes import (
    DURATION,
    MANY_NAMES,
    MANY_TEXTS,
    NAME_TEXT,
    SPEC_NAME,
    TEXT,
)

_INCIDENT_KIND = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"
"""What names a kind of incident."""
_OWN_FIELDS = rf"{NAME}|[^{{}}]*(\{{{NAME}\}}[^{{}}]*)+"
"""A field, or a text with fields in it: `{thread}-consumer`."""
_WHOSE = AlternativeShapes((
    NamesShape(NAME_TEXT, _OWN_FIELDS), TextShape(choices=("any",), label="`any`"), EmptyShape(),
))  # fmt: skip
INCIDENT = MappingShape((
    MappingKey("of", MANY_TEXTS,
        "Names of episodes and words of marks: each of them is an incident of this kind.",
        required=True),
    MappingKey("harm", TextShape(choices=("outage", "loss", "delay"), label="a harm"),
        "`outage`: users notice; `loss` (the default): others do its work; `delay`: normal where"
        " it ends."),
    MappingKey("title", TEXT, "What people read, with {key} fields; of a mark it is needed."),
    MappingKey("was", TEXT, "What people read when it is over, as `title`."),
    MappingKey("many", TEXT, "What several have in common: `brokers are fenced`."),
    MappingKey("within", DURATION, "What is over by then is no incident."),
    MappingKey("repeats", DURATION,
        "What stands no farther apart is one incident, which goes on until then: lines of a mark,"
        " and with `at least` episodes."),
    MappingKey("at least",
        TextShape(pattern=r"([2-9]|[1-9]\d{1,3}) times", label="a number, such as `5 times`"),
        "What happens to one subject so often, each time no longer than `repeats` after the time"
        " before, is an incident by itself; needs `title`."),
    MappingKey("subject", MANY_NAMES, "Key fields: marks with the same values are of one subject."),
    MappingKey("follows",
        AlternativeShapes((
            TextShape(pattern=_INCIDENT_KIND, label="a kind of incident", code="SM114"),
            ListShape(TextShape(pattern=_INCIDENT_KIND, label="a kind of incident", code="SM114")),
            NamesShape(_WHOSE, _INCIDENT_KIND),
        )),
        "Kinds of incidents that bring it about; of each, its own fields (or texts with such fields"
        " in them) and theirs that agree; `any`: whoever they befell."),
    MappingKey("through", SPEC_NAME,
        "A machine whose instances, those with the same values in fields of one name, lend their"
        " fields to `follows`."),
    MappingKey("settles", DURATION,
        "What a process tells of, and tells no more, so soon after its start is a part of it."),
    MappingKey("needs", TextShape(choices=("cause", "effect"), label="what it needs"),
        "`cause`: it is trouble only where a line names a reason, else it was asked for. `effect`:"
        " only where something followed from it."),
    MappingKey("lasts", TextShape(choices=("process",), label="how long it lasts"),
        "`process`: what a mark tells may go on until its process ends or begins anew."),
    MappingKey("inferred", FlagShape(), "Its lines do not say so themselves."),
    MappingKey("means", TEXT, "What it means, for its page (CommonMark)."),
    MappingKey("often", MANY_TEXTS, "What people usually find."),
    MappingKey("look", MANY_TEXTS, "What to look at next."),
    MappingKey("words", MANY_TEXTS, "The system's own words: settings, metrics, tools, proposals."),
    MappingKey("sources", MANY_TEXTS, "Where that is said: URLs, classes."),
), "an incident")  # fmt: skip

INCIDENTS = MappingKey(
    "incidents",
    NamesShape(INCIDENT, _INCIDENT_KIND),
    "Which episodes and marks are trouble, how bad, and what brings them about.",
)
