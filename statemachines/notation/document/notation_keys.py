"""All keys of the notation with their shapes: the one table that the reader checks by and the JSON
Schema is made from.
"""

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
    NumberShape,
    Shape,
    TextShape,
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

TEXT = TextShape()
DURATION = TextShape(
    pattern=r"[1-9]\d* (ms|s|min|h|d)( [1-9]\d* (ms|s|min|h))*",
    label="a duration, such as `30 s` or `1 min 30 s`",
)
NAME_TEXT = TextShape(pattern=NAME, label="a name", code="SM114")
SPEC_NAME = TextShape(
    pattern=r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*", label="a catalogue name", code="SM114"
)
MANY_NAMES = AlternativeShapes((NAME_TEXT, ListShape(NAME_TEXT)))
SOURCE_STATES = AlternativeShapes(
    (TextShape(pattern=rf"{NAME}|\*", label="a state or `*`", code="SM114"), ListShape(NAME_TEXT))
)
MANY_TEXTS = AlternativeShapes((TEXT, ListShape(TEXT)))
FALLBACK = TextShape(
    pattern=rf"ignore|refuse|force|raise {NAME}",
    label="`ignore`, `refuse`, `force` or `raise SomeException`",
)

DOC = MappingKey("doc", TEXT, "What it is, for people (CommonMark).")
SOURCE = MappingKey("source", TEXT, "Where it was taken from: class, file, paper or URL.")
IN_RELEASES = MappingKey(
    "in",
    TEXT,
    'The releases that have it: "2.2.0..2.3.1", "2.6.0..", "..1.0.2", a name of `eras`, several'
    " with commas; none: every release of the machine.",
)


def one_or_ranged(shape: MappingShape) -> AlternativeShapes:
    """Allow a list of values with disjoint `in` where one value may stand."""
    return AlternativeShapes((shape, ListShape(shape)))


def named_expressions(doc: str, name: str) -> MappingKey:
    """Make a key whose value is a mapping from names to expressions."""
    return MappingKey(name, NamesShape(ExpressionShape()), doc)


STATE = MappingShape((
    MappingKey("initial", FlagShape(), "An instance may begin in it."),
    MappingKey("final", FlagShape(), "It may be left only where a transition says so."),
    MappingKey("as", MANY_TEXTS, "Other spellings in logs."),
    MappingKey("group", TEXT, "States of one group are drawn together."),
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
INCLUDE = MappingShape(
    (
        MappingKey("include", NAME_TEXT, "The name of a list of `cases:`.", required=True),
        DOC,
        SOURCE,
        IN_RELEASES,
    ),
    "cases that are included",
)
CASES = ListShape(AlternativeShapes((INCLUDE, CASE)))
MEMBER_CASES = NamesShape(
    AlternativeShapes((EmptyShape(), INCLUDE, CASE, CASES)), rf"{NAME}( or {NAME})*"
)
OPERATION = (
    named_expressions("Named values, in order, for everything in it.", "let"),
    MappingKey("guard", ExpressionShape(), "It is taken only if this holds."),
    named_expressions("New values of variables; all right-hand sides see the old ones.", "effect"),
    MappingKey("returns", RESULTS, "What is given back: an expression, or names and expressions."),
    MappingKey("raises", ExpressionShape(),
        "The error that leaves the system, or an expression of the declared errors."),
    MappingKey("match", ExpressionShape(), "The value, of an enumeration, that the cases are for."),
    MappingKey("cases", AlternativeShapes((MEMBER_CASES, CASES)),
        "The outcomes; the first whose `when` holds is taken. With `match`: one for each member."),
)  # fmt: skip
TRANSITION = MappingShape((
    MappingKey("from", SOURCE_STATES,
        'Where it starts: a state, a list of states, or "*" for every state (also when left out).'),
    MappingKey("to", MANY_NAMES, "Where it goes; left out: it stays."),
    MappingKey("event", NAME_TEXT, "What it answers to; left out: `to_` and its target."),
    MappingKey("by", MANY_TEXTS, "Who asks for it, for people."),
    MappingKey("after", DURATION,
        "Time takes it, when the instance has been in `from` so long: `30 s`, `1 min 30 s`."),
    MappingKey("silent", FlagShape(), "It may pass without any line in a log."),
    MappingKey("taken", FlagShape(),
        "`false`: it stands in the system's own table, and its code never takes it."),
    *OPERATION, DOC, SOURCE, IN_RELEASES,
), "a transition")  # fmt: skip
OTHERWISE = MappingShape((
    MappingKey("from", SOURCE_STATES, "In which states it counts; left out: in all."),
    MappingKey("to", MANY_NAMES, "For events `to_` these targets; left out: for all events."),
    MappingKey("event", NAME_TEXT, "For this event only."),
    MappingKey("does", FALLBACK, "ignore, refuse, force, or raise SomeException.", required=True),
    MappingKey("quiet", FlagShape(),
        "It happens all the time: a report of logs has no word of it."),
    DOC, SOURCE, IN_RELEASES,
), "an entry of `otherwise`")  # fmt: skip

ARGUMENT = MappingShape((
    MappingKey("type", ExpressionShape(),
        "A type, or a set-valued expression that stands for one.", required=True),
    MappingKey("chosen", FlagShape(), "The system, not the caller, decides it."),
    DOC, SOURCE, IN_RELEASES,
), "an argument")  # fmt: skip
ARGUMENTS = NamesShape(AlternativeShapes((ExpressionShape(), ARGUMENT, ListShape(ARGUMENT))))
LOOP = MappingShape((
    MappingKey("over", TEXT, "`element in set`: the set that it goes over.", required=True),
    MappingKey("until", TEXT,
        "The condition on the element by which an exception ends it.", required=True),
    DOC, SOURCE, IN_RELEASES,
), "how far a loop came")  # fmt: skip
EVENT_ARGUMENTS = NamesShape(
    AlternativeShapes(
        (ExpressionShape(), LOOP, ARGUMENT, ListShape(AlternativeShapes((LOOP, ARGUMENT))))
    )
)
EVENT = MappingShape((
    MappingKey("like", NAME_TEXT,
        "Another event: what that one says, this one says too, but for what it says itself."),
    MappingKey("args", EVENT_ARGUMENTS, "What the environment decides, in order."),
    MappingKey("where", ExpressionShape(), "What else the world guarantees of the arguments."),
    MappingKey("target", NAME_TEXT,
        "The state that it asks for: `otherwise` matches it by `to`, and forces it."),
    *OPERATION, DOC, SOURCE, IN_RELEASES,
), "an event")  # fmt: skip
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
PROPERTY = MappingShape((
    MappingKey("holds", ExpressionShape(), "What holds.", required=True),
    MappingKey("until", TextShape(choices=("raised",)),
        "`raised`: only in runs in which no step has raised."),
    MappingKey("expect", TextShape(choices=("fails",)), "`fails`: a known bug of the real system."),
    DOC, SOURCE, IN_RELEASES,
), "a property")  # fmt: skip
PROPERTIES = NamesShape(AlternativeShapes((ExpressionShape(), PROPERTY, ListShape(PROPERTY))))
FAIRNESS = NamesShape(ExpressionShape(), rf"{NAME}(\.{NAME})?")
FAIR_EVENTS = AlternativeShapes((TEXT, ListShape(AlternativeShapes((TEXT, FAIRNESS)))))
ASSUMING = MappingKey("assuming",
    AlternativeShapes((*FAIR_EVENTS.shapes, MappingShape((
        MappingKey("weakly", FAIR_EVENTS, "They happen where they are possible without a break."),
        MappingKey("strongly", FAIR_EVENTS,
            "They happen where they are possible again and again."),
    ), "what is assumed"))),
    "Events that are not put off for ever; of a part: `part.event`.")  # fmt: skip
OF_RUNS = (
    ASSUMING,
    MappingKey("until", TextShape(choices=("raised",)),
        "`raised`: only in runs in which no step has raised."),
    MappingKey("expect", TextShape(choices=("fails",)), "`fails`: a known bug of the real system."),
    DOC, SOURCE, IN_RELEASES,
)  # fmt: skip
LEADS_TO = MappingShape((
    MappingKey("when", ExpressionShape(), "What begins it.", required=True),
    MappingKey("then", ExpressionShape(), "What must follow.", required=True),
    *OF_RUNS,
), "a promise")  # fmt: skip
RECURRENCE = MappingShape((
    MappingKey("holds", ExpressionShape(), "What holds.", required=True), *OF_RUNS,
), "a promise")  # fmt: skip
EACH_PATTERN = rf"for each {NAME} in .+"
RECURRENCES = NamesShape(
    AlternativeShapes((ExpressionShape(), RECURRENCE, ListShape(RECURRENCE))),
    each_pattern=EACH_PATTERN,
)
UNTIL = MappingShape((
    MappingKey("when", ExpressionShape(), "What begins it.", required=True),
    MappingKey("holds", ExpressionShape(), "What holds until then.", required=True),
    MappingKey("then", ExpressionShape(), "What must follow.", required=True),
    *OF_RUNS,
), "a promise")  # fmt: skip
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
TEXT_TEMPLATE = MappingShape(
    (MappingKey("text", TEXT, "With {name} for values.", required=True), DOC, SOURCE, IN_RELEASES),
    "a text",
)

SAMPLE = AlternativeShapes((TEXT, MappingShape((
    MappingKey("line", TEXT, "A message without its layout.", required=True),
    MappingKey("yields", NamesShape(ExpressionShape(native=False)),
        "What its fields must be read as."),
    DOC, SOURCE,
), "a sample")))  # fmt: skip
EACH = MappingKey(
    "each",
    NamesShape(TEXT),
    "A captured list that stands for many instances, and the template of one item.",
)
INSIDE = MappingKey(
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


def line_keys(says: tuple[str, ...]) -> MappingShape:
    """Return the keys of a line that may say these things."""
    said = TextShape(choices=says, label="what a line says")
    return MappingShape((
        MappingKey("text", MANY_TEXTS,
            "The first line of the message: {field} captures, {*} is anything, all else is"
            " literal.",
            required=True),
        MappingKey("prefix", MANY_TEXTS,
            "What its texts begin with, in place of what its log or its group says."),
        MappingKey("says", AlternativeShapes((said, ListShape(said))),
            "What the line tells.", required=True),
        MappingKey("from", MANY_NAMES, "The state it comes from, where the text does not tell it."),
        MappingKey("to", MANY_NAMES, "The state it goes to, where the text does not tell it."),
        MappingKey("state", NAME_TEXT, "The state it is in, where the text does not tell it."),
        MappingKey("event", NAME_TEXT, "The event that came, for `says: event`."),
        MappingKey("args", NamesShape(TEXT), "Templates of the event's arguments."),
        MappingKey("set", NamesShape(TEXT),
            "What the line tells of variables: templates of their values."),
        EACH,
        INSIDE,
        LOGGER,
        MappingKey("thread", TEXT,
            "The name of the thread that writes it: {field} captures, also keys of the instance."),
        MappingKey("rest", TEXT,
            "A line of the record below its first that must be there: {field} captures."),
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


def lines_key(says: tuple[str, ...], doc: str) -> MappingKey:
    """Return the key of a list of lines and of groups of lines."""
    line = line_keys(says)
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
BLAMED = TextShape(choices=LINE_KINDS)
EPISODE = MappingShape((
    MappingKey("while", ExpressionShape(),
        "The condition over `state` under which it is open.", required=True),
    MappingKey("title", TEXT, "What people read, with {key} fields.", required=True),
    MappingKey("blame", AlternativeShapes((BLAMED, ListShape(BLAMED))),
        "Kinds of lines, the first of which is to blame."),
    MappingKey("because", MANY_TEXTS,
        "Words of marks: the last line with one of them before the episode began is to blame."),
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
    MappingKey("was", TEXT, "What people read when it is over, as `title`."),
    MappingKey("longer than", DURATION,
        "It counts only where it lasts longer: `30 s`, `1 min 30 s`."),
    MappingKey("maybe", FlagShape(), "It is open while the condition may hold, not known to."),
    DOC, SOURCE, IN_RELEASES,
), "an episode")  # fmt: skip
LINES = lines_key((*LINE_KINDS, "release"), "The lines that tell of this machine.")
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
    MappingKey("subject", MANY_NAMES,
        "The keys that stay the same thing for a person when another key moves on."),
    MappingKey("generation", AlternativeShapes((NAME_TEXT, NamesShape(NAME_TEXT))),
        "The key that orders instances, or that key and the field that carries it."),
    MappingKey("sole",
        MappingShape((
            MappingKey("state", NAME_TEXT, "The state.", required=True),
            MappingKey("by", NAME_TEXT, "The variable that orders them.", required=True),
        ), "a state of one instance at most"),
        "A state that one of all instances is in: the one with the greatest value."),
    *LINE_DEFAULTS,
    LINES,
    MappingKey("episodes", NamesShape(one_or_ranged(EPISODE)), "Conditions people ask about."),
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
    PATTERNS,
    *LINE_DEFAULTS,
    lines_key(FAMILY_LINE_KINDS, "The lines that tell of the process."),
    DOC, SOURCE,
), "the log of a family")  # fmt: skip
ALIAS = MappingShape((
    MappingKey("like", TEXT, "A pattern such as 7.3.*.", required=True),
    MappingKey("is", TEXT, "The release or minor line it stands for.", required=True),
    DOC, SOURCE,
), "an alias")  # fmt: skip

NOTATION = MappingKey(
    "notation", NumberShape(1, (1.1,)), "The version of the notation; the first key.", required=True
)
ERAS = MappingKey(
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
PROPERTY_KEYS = (
    MappingKey("always", PROPERTIES, "What holds in every reachable snapshot."),
    MappingKey("each step", PROPERTIES, "What holds of every step; `before.x` is the old value."),
    MappingKey("sometimes", PROPERTIES, "What a reachable snapshot must show."),
    MappingKey(
        "leads to",
        NamesShape(one_or_ranged(LEADS_TO), each_pattern=EACH_PATTERN),
        "What must follow.",
    ),
    MappingKey("always eventually", RECURRENCES, "What holds again and again."),
    MappingKey("eventually always", RECURRENCES, "What holds for ever from some moment on."),
    MappingKey(
        "until",
        NamesShape(one_or_ranged(UNTIL), each_pattern=EACH_PATTERN),
        "What holds until something follows, which must.",
    ),
    MappingKey(
        "no deadlock",
        AlternativeShapes((FlagShape(), NO_DEADLOCK)),
        "Where it is not final, some event changes something; on by default.",
    ),
    MappingKey(
        "scope",
        NamesShape(ExpressionShape()),
        "How many values a type has when exploring, ranges of integers, values of parameters.",
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
        NamesShape(AlternativeShapes((TEXT, TEXT_TEMPLATE, ListShape(TEXT_TEMPLATE)))),
        "Templates for people.",
    ),
)
MACHINE = MappingShape((
    NOTATION, MappingKey("machine", NAME_TEXT, "Its name.", required=True), FAMILY, IN_RELEASES,
    ERAS, DOC, SOURCE,
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
    MappingKey("transitions", ListShape(TRANSITION), "The arrows."),
    MappingKey("otherwise", ListShape(OTHERWISE),
        "What becomes of events that no transition takes; the first entry that matches counts."),
    *PROPERTY_KEYS,
    MappingKey("log", LOG, "How logs tell of it."),
), "a machine")  # fmt: skip
FAMILY_FILE = MappingShape((
    NOTATION, evolve(FAMILY, required=True), DOC, SOURCE,
    MappingKey("releases", ListShape(TEXT), "All releases, oldest first.", required=True),
    MappingKey("aliases", ListShape(ALIAS), "Vendors' numbers."),
    MappingKey("suffixes", ListShape(TEXT),
        "Patterns of endings that are cut from a number."),
    ERAS,
    MappingKey("log", FAMILY_LOG, "Lines that tell of a process."),
), "a family")  # fmt: skip
LIBRARY = MappingShape(
    (
        NOTATION,
        MappingKey("library", NAME_TEXT, "Its name.", required=True),
        FAMILY,
        IN_RELEASES,
        ERAS,
        DOC,
        SOURCE,
        *LIBRARY_KEYS,
    ),
    "a library",
)
EXTENSION = MappingShape((
    NOTATION,
    MappingKey("extends", SPEC_NAME,
        "The machine to which it adds lines.", required=True), DOC, SOURCE,
    MappingKey("log", EXTENSION_LOG, "The lines it adds.", required=True),
), "an extension")  # fmt: skip
PART = MappingShape((
    MappingKey("machine", SPEC_NAME, "The machine it is one of.", required=True),
    MappingKey("each", NAME_TEXT, "There is one for each value of this type."),
    MappingKey("optional", FlagShape(), "It may be absent."),
    MappingKey("with", NamesShape(ExpressionShape()), "Its parameters."),
    DOC, SOURCE, IN_RELEASES,
), "a part")  # fmt: skip
LINK = MappingShape((
    MappingKey("on", NAME_TEXT, "The part whose step fires it.", required=True),
    MappingKey("enters", MANY_NAMES, "It fires when the part enters a state."),
    MappingKey("leaves", MANY_NAMES, "It fires when the part leaves a state."),
    MappingKey("event", NAME_TEXT, "It fires at this event of the part."),
    MappingKey("guard", ExpressionShape(), "It fires only if this holds."),
    MappingKey("send", TEXT, "The receiver and the event: client.to_RUNNING."),
    MappingKey("args", NamesShape(ExpressionShape()), "The event's arguments."),
    MappingKey("effect", NamesShape(ExpressionShape()), "New values of the system's variables."),
    MappingKey("later", FlagShape(), "The event waits and is delivered in any order."),
    MappingKey("only if", ExpressionShape(),
        "In place of `send`: the step is forbidden unless this holds."),
    DOC, SOURCE, IN_RELEASES,
), "a link")  # fmt: skip
SAME_VARIABLE = MappingShape((
    MappingKey("of", ListShape(TEXT),
        "The variables that are one: `part.variable`.", required=True),
    DOC, SOURCE, IN_RELEASES,
), "a variable of several parts")  # fmt: skip
SYSTEM = MappingShape((
    NOTATION, MappingKey("system", NAME_TEXT, "Its name.", required=True), FAMILY, IN_RELEASES,
    ERAS, DOC, SOURCE,
    *LIBRARY_KEYS, *DATA_KEYS,
    MappingKey("parts", NamesShape(one_or_ranged(PART)),
        "The machines it is made of.", required=True),
    MappingKey("same", NamesShape(AlternativeShapes((ListShape(TEXT), SAME_VARIABLE))),
        "Variables of several parts that are one: what one writes, the others read."),
    MappingKey("links", ListShape(LINK), "What one part's step does to others."),
    *PROPERTY_KEYS,
), "a system")  # fmt: skip

SHAPES_BY_FILE_KIND: dict[str, Shape] = {
    "machine": MACHINE,
    "system": SYSTEM,
    "library": LIBRARY,
    "extends": EXTENSION,
    "family": FAMILY_FILE,
}
"""The kinds of files by the key that tells them; `family` where none of the others stands."""
