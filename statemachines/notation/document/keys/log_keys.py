"""Keys of `log:` of a machine, an extension and a family, and of episodes."""

from __future__ import annotations

from attrs import evolve

from statemachines.notation.document.key_shapes import (
    NAME,
    AlternativeShapes,
    EmptyShape,
    ExpressionShape,
    FlagShape,
    ListShape,
    MappingKey,
    MappingShape,
    NamesShape,
    Shape,
    TextShape,
)
from statemachines.notation.document.keys.line_keys import (
    FAMILY_LINE_KINDS,
    LINE_DEFAULTS,
    LINE_KINDS,
    LINES,
    PATTERNS,
    lines_key,
)
from statemachines.notation.document.keys.value_shapes import (
    DOC,
    DURATION,
    IN_RELEASES,
    MANY_NAMES,
    MANY_TEXTS,
    NAME_TEXT,
    SOURCE,
    SPEC_NAME,
    TEXT,
    TIME_LIMIT,
    one_or_ranged,
)

_INCIDENT_KIND = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"
"""What names a kind of incident."""
_INCIDENT_TEXT = TextShape(
    pattern=_INCIDENT_KIND,
    label="a kind of incident",
    code="SM114",
    rule="it is written in small letters and digits, with `-` between words: `not-paid`",
)
_OWN_FIELDS = rf"{NAME}|[^{{}}]*(\{{{NAME}\}}[^{{}}]*)+"
"""A field, or a text with fields in it: `{thread}-consumer`."""
_WHOSE = AlternativeShapes((
    NamesShape(NAME_TEXT, _OWN_FIELDS), TextShape(choices=("any",), label="`any`"), EmptyShape(),
))  # fmt: skip


def _incident_names(value: Shape) -> NamesShape:
    """Return the shape of a mapping from kinds of incidents."""
    return NamesShape(value, _INCIDENT_KIND, label=_INCIDENT_TEXT.label, rule=_INCIDENT_TEXT.rule)


INCIDENT = MappingShape((
    MappingKey("of", MANY_TEXTS,
        "Names of episodes and words of marks: each of them is an incident of this kind.",
        required=True),
    MappingKey("harm", TextShape(choices=("outage", "loss", "delay", "none"), label="a harm"),
        "`outage`: users notice; `loss` (the default): others do its work; `delay`: normal where"
        " it ends."),
    MappingKey("title", TEXT, "What people read, with {key} fields; of a mark it is needed."),
    MappingKey("was", TEXT, "What people read when it is over, as `title`."),
    MappingKey("many", TEXT, "What several have in common: `brokers are fenced`."),
    MappingKey("within", DURATION, "What is over by then is no incident."),
    MappingKey("repeats", DURATION,
        "What stands no farther apart is one incident: episodes of one subject, and lines of a"
        " mark, of which it goes on until then."),
    MappingKey("at least",
        TextShape(pattern=r"([2-9]|[1-9]\d{1,3}) times", label="a number, such as `5 times`"),
        "What happens to one subject so often, each time no longer than `repeats` after the time"
        " before, is an incident by itself; needs `title`."),
    MappingKey("subject", MANY_NAMES, "Key fields: marks with the same values are of one subject."),
    MappingKey("follows",
        AlternativeShapes((
            _INCIDENT_TEXT,
            ListShape(_INCIDENT_TEXT),
            _incident_names(_WHOSE),
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
        " only where something followed from it, or where it is an episode that is over."),
    MappingKey("lasts", TextShape(choices=("process", "absence", "moment"), label="how long"),
        "`process`: what a mark tells may go on until its process ends or begins anew. `absence`:"
        " it goes on until its process begins anew. `moment`: it is over as it is told, and lines"
        " that `repeats` joins tell of one time."),
    MappingKey("inferred", FlagShape(), "Its lines do not say so themselves."),
    MappingKey("means", TEXT, "What it means, for its page (CommonMark)."),
    MappingKey("often", MANY_TEXTS, "What people usually find."),
    MappingKey("look", MANY_TEXTS, "What to look at next."),
    MappingKey("words", MANY_TEXTS, "The system's own words: settings, metrics, tools, proposals."),
    MappingKey("sources", MANY_TEXTS, "Where that is said: URLs, classes."),
), "an incident")  # fmt: skip

INCIDENTS = MappingKey(
    "incidents",
    _incident_names(INCIDENT),
    "Which episodes and marks are trouble, how bad, and what brings them about.",
)


SUBJECT_PHRASE = MappingShape((
    MappingKey("text", TEXT, "What reports call the instance, with {fields}.", required=True),
    MappingKey("where", NamesShape(TEXT),
        "Fields, and the regular expressions that their whole values match.", required=True),
), "a phrase for some instances")  # fmt: skip
BLAMED = TextShape(choices=LINE_KINDS)
END_SIGN = MappingShape((
    MappingKey("of", SPEC_NAME,
        "The machine that tells it: one beside this one, or a catalogue name.", required=True),
    MappingKey("about", NamesShape(TEXT),
        "Its keys, or what its instances remember, with {fields} that this one is known by.",
        required=True),
    MappingKey("signs", MANY_TEXTS,
        "Names of its episodes, whose end it is, and words of its marks.", required=True),
    MappingKey("says", TEXT,
        "What people read of the state that the silent one was in, with {key} fields.",
        required=True),
    DOC, SOURCE,
), "an end that another machine tells")  # fmt: skip
EPISODE = MappingShape((
    MappingKey("while", ExpressionShape(),
        "The condition over `state` under which it is open.", required=True),
    MappingKey("title", TEXT, "What people read, with {key} fields.", required=True),
    MappingKey("blame", AlternativeShapes((BLAMED, ListShape(BLAMED))),
        "Kinds of lines, the first of which is to blame."),
    MappingKey("because", MANY_TEXTS,
        "Words of marks: the last line with one of them before the episode began is to blame, else"
        " the first one behind that tells a reason."),
    MappingKey("of", MANY_NAMES,
        "Key fields: it is open while the condition holds of all instances with the same values"
        " of them."),
    MappingKey("until", ExpressionShape(),
        "The condition over `state` by which it has healed; without one, any other state"
        " heals it."),
    MappingKey("orderly", ExpressionShape(),
        "The condition over `state` by which it ends in order: it was no trouble."),
    MappingKey("replaced", ExpressionShape(),
        "The state of another instance of the program, begun since, that heals it too."),
    MappingKey("opens", TextShape(choices=("state", "step"), label="what opens an episode"),
        "`step`: only a step opens it, and no line of what is."),
    MappingKey("left", ExpressionShape(),
        "The condition over `state` that a step must leave to open it: what never was well has"
        " not become worse."),
    MappingKey("opened by", MANY_TEXTS, "Words of marks: only a line with one of them opens it."),
    MappingKey("not opened by", MANY_TEXTS, "Words of marks: no line with one of them opens it."),
    MappingKey("was", TEXT, "What people read when it is over, as `title`."),
    MappingKey("longer than", TIME_LIMIT,
        "It counts only where it lasts longer: `30 s`, `1 min 30 s`, or what a line told."),
    MappingKey("within", TIME_LIMIT,
        "By then it must be over: one that lasts longer breaks a rule."),
    MappingKey("ends with", END_SIGN,
        "What another machine tells by which it is over, where nothing was told of its own since."),
    MappingKey("maybe", FlagShape(), "It is open while the condition may hold, not known to."),
    DOC, SOURCE, IN_RELEASES,
), "an episode")  # fmt: skip

DOUBT = MappingShape((
    MappingKey("while", ExpressionShape(),
        "The condition over `state` under which it is cast.", required=True),
    MappingKey("of", SPEC_NAME,
        "The machine whose instances are in doubt: one beside this one, or a catalogue name.",
        required=True),
    MappingKey("about", NamesShape(TEXT),
        "Its keys with the values of the instances, with {key} fields of this machine.",
        required=True),
    MappingKey("process", FlagShape(),
        "Whatever the process tells that tells of the instance is in doubt, once it is silent."),
    MappingKey("says", TEXT, "What people read, with {key} fields.", required=True),
    DOC, SOURCE, IN_RELEASES,
), "a doubt")  # fmt: skip

LOG = MappingShape((
    MappingKey("instance", MANY_NAMES,
        "The fields whose values name an instance; left out: there is one in each process."),
    PATTERNS,
    MappingKey("shared", FlagShape(), "Several processes tell of one instance."),
    MappingKey("program", FlagShape(),
        "An instance is a whole program: what ends while it is being closed ends in order."),
    MappingKey("life", NAME_TEXT,
        "The field that names a life of an instance: another value is another life."),
    MappingKey("sequence", NAME_TEXT,
        "The field that numbers the changes of a life: one number is one change."),
    MappingKey("previous", NAME_TEXT,
        "The field of the number that the change before had: one less, where a line tells it."),
    MappingKey("remembers", MANY_NAMES,
        "Fields that an instance is known by from the line on that tells them, beside its keys."),
    MappingKey("subject", MANY_NAMES,
        "The keys that stay the same thing for a person when another key moves on."),
    MappingKey("called",
        AlternativeShapes((TEXT, SUBJECT_PHRASE, ListShape(
            AlternativeShapes((TEXT, SUBJECT_PHRASE))))),
        "What reports call an instance, with {fields} of its keys, of what it remembers, and"
        " {process}; of several phrases the first one that fits."),
    MappingKey("generation", AlternativeShapes((NAME_TEXT, NamesShape(NAME_TEXT))),
        "The key that orders instances, or that key and the field that carries it."),
    MappingKey("sole",
        MappingShape((
            MappingKey("state", NAME_TEXT, "The state.", required=True),
            MappingKey("by", NAME_TEXT, "The variable or key that orders them.", required=True),
        ), "a state of one instance at most"),
        "A state that one of all instances is in: the one with the greatest value."),
    *LINE_DEFAULTS,
    LINES,
    MappingKey("episodes", NamesShape(one_or_ranged(EPISODE)), "Conditions people ask about."),
    INCIDENTS,
    MappingKey("doubts", NamesShape(one_or_ranged(DOUBT)),
        "States that say that others are no longer as they were seen last."),
    DOC, SOURCE,
), "a log")  # fmt: skip
EXTENSION_LOG = MappingShape(
    (evolve(LINES, required=True), PATTERNS, *LINE_DEFAULTS, DOC, SOURCE),
    "the log of an extension",
)
FAMILY_LOG = MappingShape((
    MappingKey("process", AlternativeShapes((NAME_TEXT, NamesShape(NAME_TEXT))),
        "The field whose value names a process where a file's lines agree on it; or that field"
        " and what people call such a process."),
    MappingKey("packages", MANY_TEXTS,
        "Packages of the system and of what it runs on: the first line of a stack trace in another"
        " one is where the user's own program threw."),
    PATTERNS,
    *LINE_DEFAULTS,
    lines_key(FAMILY_LINE_KINDS, "The lines that tell of the process."),
    DOC, SOURCE,
), "the log of a family")  # fmt: skip
