"""All keys of the notation with their shapes: the one table that the reader checks by and the JSON Schema is made from."""

from __future__ import annotations

from attrs import evolve

from statemachines.notation.shapes import NAME, Either, Expression, Flag, Key, Keys, Listed, Names, Nothing, Number, Shape, Text

SAYS = ("step", "asked", "ignored", "refused", "raised", "forced", "failed", "begin", "end", "is", "event", "note")
FAMILY_SAYS = ("release", "process begins", "process may begin", "process ends", "note")
LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")

TEXT = Text()
NAMED = Text(pattern=NAME, called="a name", code="SM114")
SPEC_NAME = Text(pattern=r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*", called="a catalogue name", code="SM114")
MANY_NAMES = Either((NAMED, Listed(NAMED)))
FROM = Either((Text(pattern=rf"{NAME}|\*", called="a state or `*`", code="SM114"), Listed(NAMED)))
MANY_TEXTS = Either((TEXT, Listed(TEXT)))
DOES = Text(pattern=rf"ignore|refuse|force|raise {NAME}", called="`ignore`, `refuse`, `force` or `raise SomeException`")

DOC = Key("doc", TEXT, "What it is, for people (CommonMark).")
SOURCE = Key("source", TEXT, "Where it was taken from: class, file, paper or URL.")
IN = Key(
    "in", TEXT, 'The releases that have it: "2.2.0..2.3.1", "2.6.0..", "..1.0.2", several with commas; none: every release of the machine.'
)


def ranged(shape: Keys) -> Either:
    """Allow a list of values with disjoint `in` where one value may stand."""
    return Either((shape, Listed(shape)))


def expressions(doc: str, name: str) -> Key:
    """Make a key whose value is a mapping from names to expressions."""
    return Key(name, Names(Expression()), doc)


STATE = Keys((
    Key("initial", Flag(), "An instance may begin in it."),
    Key("final", Flag(), "It may be left only where a transition says so."),
    Key("as", MANY_TEXTS, "Other spellings in logs."),
    Key("group", TEXT, "States of one group are drawn together."),
    DOC, SOURCE, IN,
), "a state")  # fmt: skip

PREDICATE = Keys((Key("states", MANY_NAMES, "The states in which it holds.", required=True), DOC, SOURCE, IN), "a predicate")

RESULTS = Either((Expression(), Names(Expression())))
CASE = Keys((
    Key("when", Expression(), "The case is taken if this holds and no earlier case was taken."),
    Key("to", MANY_NAMES, "The state it goes to; none: it stays."),
    expressions("New values of variables, added to those of the event.", "effect"),
    Key("returns", RESULTS, "What is given back: an expression, or names and expressions."),
    Key("raises", Expression(), "The error that leaves the system."),
    DOC, SOURCE, IN,
), "a case")  # fmt: skip
OPERATION = (
    expressions("Named values, in order, for everything in it.", "let"),
    Key("guard", Expression(), "It is taken only if this holds."),
    expressions("New values of variables; all right-hand sides see the old ones.", "effect"),
    Key("returns", RESULTS, "What is given back: an expression, or names and expressions."),
    Key("raises", Expression(), "The error that leaves the system."),
    Key("cases", Listed(CASE), "The outcomes; the first whose `when` holds is taken."),
)
TRANSITION = Keys((
    Key("from", FROM, 'Where it starts: a state, a list of states, or "*" for every state (also when left out).'),
    Key("to", MANY_NAMES, "Where it goes; left out: it stays."),
    Key("event", NAMED, "What it answers to; left out: `to_` and its target."),
    Key("by", MANY_TEXTS, "Who asks for it, for people."),
    Key("silent", Flag(), "It may pass without any line in a log."),
    Key("taken", Flag(), "`false`: it stands in the system's own table, and its code never takes it."),
    *OPERATION, DOC, SOURCE, IN,
), "a transition")  # fmt: skip
OTHERWISE = Keys((
    Key("from", FROM, "In which states it counts; left out: in all."),
    Key("to", MANY_NAMES, "For events `to_` these targets; left out: for all events."),
    Key("event", NAMED, "For this event only."),
    Key("does", DOES, "ignore, refuse, force, or raise SomeException.", required=True),
    DOC, SOURCE, IN,
), "an entry of `otherwise`")  # fmt: skip

ARGUMENT = Keys((
    Key("type", Expression(), "A type, or a set-valued expression that stands for one.", required=True),
    Key("chosen", Flag(), "The system, not the caller, decides it."),
    DOC, SOURCE, IN,
), "an argument")  # fmt: skip
ARGUMENTS = Names(Either((Expression(), ARGUMENT, Listed(ARGUMENT))))
EVENT = Keys((
    Key("args", ARGUMENTS, "What the environment decides, in order."),
    Key("where", Expression(), "What else the world guarantees of the arguments."),
    *OPERATION, DOC, SOURCE, IN,
), "an event")  # fmt: skip
VARIABLE = Keys((
    Key("type", Expression(), "Its type.", required=True),
    Key("initial", Expression(), "Its first value, or `any` with `initially:`."),
    Key("observable", Flag(), "`false`: an implementation need not show it."),
    DOC, SOURCE, IN,
), "a variable")  # fmt: skip
PARAMETER = Keys((Key("type", Expression(), "Its type.", required=True), DOC, SOURCE, IN), "a parameter")
DEFINITION = Keys(
    (Key("args", ARGUMENTS, "Names and types."), Key("is", Expression(), "Its value.", required=True), DOC, SOURCE, IN), "a definition"
)
ERROR = Keys((DOC, SOURCE, IN), "an error")
TYPE = Either((Expression(), Listed(NAMED), Names(Expression())))
PROPERTY = Keys((
    Key("holds", Expression(), "What holds.", required=True),
    Key("until", Text(choices=("raised",)), "`raised`: only in runs in which no step has raised."),
    Key("expect", Text(choices=("fails",)), "`fails`: a known bug of the real system."),
    DOC, SOURCE, IN,
), "a property")  # fmt: skip
PROPERTIES = Names(Either((Expression(), PROPERTY, Listed(PROPERTY))))
FAIR = Names(Expression(), rf"{NAME}(\.{NAME})?")
PROMISE = Keys((
    Key("when", Expression(), "What begins it.", required=True),
    Key("then", Expression(), "What must follow.", required=True),
    Key("assuming", Either((TEXT, Listed(Either((TEXT, FAIR))))), "Events that are not put off for ever; of a part: `part.event`."),
    Key("until", Text(choices=("raised",)), "`raised`: only in runs in which no step has raised."),
    Key("expect", Text(choices=("fails",)), "`fails`: a known bug of the real system."),
    DOC, SOURCE, IN,
), "a promise")  # fmt: skip
NO_DEADLOCK = Keys((Key("expect", Text(choices=("fails",)), "`fails`: a known bug of the real system."), DOC, SOURCE, IN), "`no deadlock`")
TEXT_TEMPLATE = Keys((Key("text", TEXT, "With {name} for values.", required=True), DOC, SOURCE, IN), "a text")

SAMPLE = Either((TEXT, Keys((
    Key("line", TEXT, "A message without its layout.", required=True),
    Key("yields", Names(Expression()), "What its fields must be read as."),
    DOC, SOURCE,
), "a sample")))  # fmt: skip
EACH = Key("each", Names(TEXT), "A captured list that stands for many instances, and the template of one item.")


def line_keys(says: tuple[str, ...]) -> Keys:
    """Return the keys of a line that may say these things."""
    said = Text(choices=says, called="what a line says")
    return Keys((
        Key("text", MANY_TEXTS, "The first line of the message: {field} captures, {*} is anything, all else is literal.", required=True),
        Key("says", Either((said, Listed(said))), "What the line tells.", required=True),
        Key("from", MANY_NAMES, "The state it comes from, where the text does not tell it."),
        Key("to", MANY_NAMES, "The state it goes to, where the text does not tell it."),
        Key("state", NAMED, "The state it is in, where the text does not tell it."),
        Key("event", NAMED, "The event that came, for `says: event`."),
        Key("args", Names(TEXT), "Templates of the event's arguments."),
        Key("set", Names(TEXT), "What the line tells of variables: templates of their values."),
        EACH,
        Key("logger", MANY_TEXTS, "The logger that writes it."),
        Key("thread", TEXT, "The name of the thread that writes it: {field} captures, also keys of the instance."),
        Key("level", Text(choices=LEVELS, called="a level"), "How loud it is."),
        Key("strict", Flag(), "A line that tells another logger, or none, is not read by this entry."),
        Key("echo", Flag(), "It only repeats what another line tells."),
        Key("mark", TEXT, "What people count, in a few words: a report says how often it happened."),
        Key("samples", Listed(SAMPLE), "Messages that this line must read."),
        DOC, SOURCE, IN,
    ), "a line")  # fmt: skip


PATTERNS = Key("patterns", Names(TEXT), "Regular expressions of fields; without one a field is `\\S+`.")
EPISODE = Keys((
    Key("while", Expression(), "The condition over `state` under which it is open.", required=True),
    Key("title", TEXT, "What people read, with {key} fields.", required=True),
    Key("blame", Either((Text(choices=SAYS), Listed(Text(choices=SAYS)))), "Kinds of lines, the first of which is to blame."),
    Key("because", MANY_TEXTS, "Words of marks: the last line with one of them before the episode began is to blame."),
    Key("of", MANY_NAMES, "Key fields: it is open while the condition holds of all instances with the same values of them."),
    Key("until", Expression(), "The condition over `state` by which it has healed; without one, any other state heals it."),
    Key("orderly", Expression(), "The condition over `state` by which it ends in order: it was no trouble."),
    Key("replaced", Expression(), "The state of another instance of the program, begun since, that heals it too."),
    Key("opens", Text(choices=("state", "step"), called="what opens an episode"), "`step`: only a step opens it, and no line of what is."),
    Key("was", TEXT, "What people read when it is over, as `title`."),
    DOC, SOURCE, IN,
), "an episode")  # fmt: skip
LINES = Key("lines", Listed(line_keys((*SAYS, "release"))), "The lines that tell of this machine.")
LOG = Keys((
    Key("instance", MANY_NAMES, "The fields whose values name an instance; left out: there is one in each process."),
    PATTERNS,
    Key("shared", Flag(), "Several processes tell of one instance."),
    Key("program", Flag(), "An instance is a whole program: what ends while it is being closed ends in order."),
    Key("subject", MANY_NAMES, "The keys that stay the same thing for a person when another key moves on."),
    Key("generation", Either((NAMED, Names(NAMED))), "The key that orders instances, or that key and the field that carries it."),
    LINES,
    Key("episodes", Names(ranged(EPISODE)), "Conditions people ask about."),
    DOC, SOURCE,
), "a log")  # fmt: skip
MORE_LOG = Keys((evolve(LINES, required=True), PATTERNS, DOC, SOURCE), "the log of an extension")
FAMILY_LOG = Keys((
    Key("process", NAMED, "The field whose value names a process where a file's lines agree on it."),
    PATTERNS,
    Key("lines", Listed(line_keys(FAMILY_SAYS)), "The lines that tell of the process."),
    DOC, SOURCE,
), "the log of a family")  # fmt: skip
ALIAS = Keys((
    Key("like", TEXT, "A pattern such as 7.3.*.", required=True),
    Key("is", TEXT, "The release or minor line it stands for.", required=True),
    DOC, SOURCE,
), "an alias")  # fmt: skip

NOTATION = Key("notation", Number(1), "The version of the notation; the first key.", required=True)
FAMILY = Key("family", NAMED, "The system whose releases it lists or belongs to.")
USE = Key("use", Either((SPEC_NAME, Listed(SPEC_NAME))), "Libraries and machines whose names are brought in.")
LIBRARY_KEYS = (
    USE,
    Key("types", Names(TYPE), "Types of values."),
    Key("errors", Names(Either((Nothing(), TEXT, ERROR, Listed(ERROR)))), "Errors that may be raised."),
    Key("define", Names(Either((Expression(), DEFINITION, Listed(DEFINITION)))), "Named expressions and functions."),
)
PROPERTY_KEYS = (
    Key("always", PROPERTIES, "What holds in every reachable snapshot."),
    Key("each step", PROPERTIES, "What holds of every step; `before.x` is the old value."),
    Key("sometimes", PROPERTIES, "What a reachable snapshot must show."),
    Key("leads to", Names(ranged(PROMISE)), "What must follow."),
    Key("no deadlock", Either((Flag(), NO_DEADLOCK)), "Where it is not final, some event changes something; on by default."),
    Key("scope", Names(Expression()), "How many values a type has when exploring, ranges of integers, values of parameters."),
)
DATA_KEYS = (
    Key("parameters", Names(Either((Expression(), PARAMETER, Listed(PARAMETER)))), "Values that are fixed for an instance."),
    Key("where", Expression(), "What parameters satisfy."),
    Key("variables", Names(Either((Expression(), VARIABLE, Listed(VARIABLE)))), "What changes."),
    Key("initially", Expression(), "The condition of a beginning."),
    Key("final", Expression(), "Where, beside final states, it is legal to stop."),
    Key("texts", Names(Either((TEXT, TEXT_TEMPLATE, Listed(TEXT_TEMPLATE)))), "Templates for people."),
)
MACHINE = Keys((
    NOTATION, Key("machine", NAMED, "Its name.", required=True), FAMILY, IN, DOC, SOURCE,
    *LIBRARY_KEYS, *DATA_KEYS,
    Key("states", Names(Either((Nothing(), STATE, Listed(STATE)))), "The states in the author's order."),
    Key("predicates", Names(Either((PREDICATE, Listed(NAMED), Listed(PREDICATE)))), "Named sets of states."),
    Key("events", Names(Either((Nothing(), EVENT, Listed(EVENT)))), "What may arrive; needed where it has arguments."),
    Key("transitions", Listed(TRANSITION), "The arrows."),
    Key("otherwise", Listed(OTHERWISE), "What becomes of events that no transition takes; the first entry that matches counts."),
    *PROPERTY_KEYS,
    Key("log", LOG, "How logs tell of it."),
), "a machine")  # fmt: skip
FAMILY_FILE = Keys((
    NOTATION, evolve(FAMILY, required=True), DOC, SOURCE,
    Key("releases", Listed(TEXT), "All releases, oldest first.", required=True),
    Key("aliases", Listed(ALIAS), "Vendors' numbers."),
    Key("suffixes", Listed(TEXT), "Patterns of endings that are cut from a number."),
    Key("log", FAMILY_LOG, "Lines that tell of a process."),
), "a family")  # fmt: skip
LIBRARY = Keys((NOTATION, Key("library", NAMED, "Its name.", required=True), FAMILY, IN, DOC, SOURCE, *LIBRARY_KEYS), "a library")
EXTENSION = Keys((
    NOTATION, Key("extends", SPEC_NAME, "The machine to which it adds lines.", required=True), DOC, SOURCE,
    Key("log", MORE_LOG, "The lines it adds.", required=True),
), "an extension")  # fmt: skip
PART = Keys((
    Key("machine", SPEC_NAME, "The machine it is one of.", required=True),
    Key("each", NAMED, "There is one for each value of this type."),
    Key("optional", Flag(), "It may be absent."),
    Key("with", Names(Expression()), "Its parameters."),
    DOC, SOURCE, IN,
), "a part")  # fmt: skip
LINK = Keys((
    Key("on", NAMED, "The part whose step fires it.", required=True),
    Key("enters", MANY_NAMES, "It fires when the part enters a state."),
    Key("leaves", MANY_NAMES, "It fires when the part leaves a state."),
    Key("event", NAMED, "It fires at this event of the part."),
    Key("guard", Expression(), "It fires only if this holds."),
    Key("send", TEXT, "The receiver and the event: client.to_RUNNING."),
    Key("args", Names(Expression()), "The event's arguments."),
    Key("effect", Names(Expression()), "New values of the system's variables."),
    Key("later", Flag(), "The event waits and is delivered in any order."),
    Key("only if", Expression(), "In place of `send`: the step is forbidden unless this holds."),
    DOC, SOURCE, IN,
), "a link")  # fmt: skip
SYSTEM = Keys((
    NOTATION, Key("system", NAMED, "Its name.", required=True), FAMILY, IN, DOC, SOURCE,
    *LIBRARY_KEYS, *DATA_KEYS,
    Key("parts", Names(ranged(PART)), "The machines it is made of.", required=True),
    Key("links", Listed(LINK), "What one part's step does to others."),
    *PROPERTY_KEYS,
), "a system")  # fmt: skip

KINDS: dict[str, Shape] = {"machine": MACHINE, "system": SYSTEM, "library": LIBRARY, "extends": EXTENSION, "family": FAMILY_FILE}
"""The kinds of files by the key that tells them; `family` where none of the others stands."""
