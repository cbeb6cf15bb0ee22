"""What a log shows of a machine: the lines of a spec, as values."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from functools import cached_property

from attrs import field

from statemachines.model.definitions.incident_definitions import IncidentDefinition
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.subject_phrases import SubjectPhrase
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.values import frozen


class LineKind(enum.StrEnum):
    """What a line tells."""

    STEP = "step"
    ASKED = "asked"
    IGNORED = "ignored"
    REFUSED = "refused"
    RAISED = "raised"
    FORCED = "forced"
    FAILED = "failed"
    BEGIN = "begin"
    END = "end"
    IS = "is"
    EVENT = "event"
    NOTE = "note"
    MAY_BE = "may be"
    MAY_NOT_BE = "may not be"
    IS_NOT = "is not"
    UNDONE = "undone"
    RELEASE = "release"
    PROCESS_BEGINS = "process begins"
    PROCESS_MAY_BEGIN = "process may begin"
    PROCESS_ENDS = "process ends"


@frozen
class Template:
    """One wording of a line."""

    text: str
    """As the spec has it, with `{field}` and `{*}`."""
    pattern: str
    """A regular expression for the whole first line of the message, its trailing blanks taken off;
    each named field is a group of its name (a field that stands twice must agree), `{*}` is none.
    """
    fields: tuple[str, ...]
    """Named fields in order of their first mention."""
    literal: str
    """What a scanner looks for: a run of at least six plain characters that stands in every line of
    this wording.
    """


@frozen
class ListCapture:
    """A captured list that stands for many instances."""

    field: str
    """The captured field that holds the list."""
    item: Template
    """Searched for again and again in the captured text; its pattern is not anchored."""
    inner: ListCapture | None = None
    """A list that each item holds, whose items stand for the instances."""

    @property
    def items(self) -> tuple[Template, ...]:
        """The templates of an item, and of the items of its own list."""
        return (self.item, *(self.inner.items if self.inner else ()))

    @property
    def lists(self) -> tuple[str, ...]:
        """The fields that hold a list, the outer one first."""
        return (self.field, *(self.inner.lists if self.inner else ()))


@frozen
class Inside:
    """Parts of a captured text, each of which may be missing."""

    field: str
    """The captured field that holds the text."""
    parts: tuple[Template, ...]
    """Searched for once each; their patterns are not anchored."""


@frozen
class Sample:
    """A message that a line must read."""

    line: str
    yields: tuple[tuple[str, str], ...] = ()
    """Field and the text it must be read as."""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class TimeLimit:
    """How long something may last: a time of the spec, or one that the log itself tells, as
    programs write their settings.
    """

    otherwise_ms: int
    """Milliseconds, where no line told them."""
    field_name: str = ""
    """The field that tells them, which an instance remembers; empty: the spec alone does."""
    more_ms: int = 0
    """Milliseconds beyond what was told."""

    def ms(self, values: Mapping[str, str]) -> int:
        """Return how many milliseconds are allowed, given what an instance remembers.

        Args:
            values: remembered fields with their texts.

        Returns:
            Milliseconds.
        """
        known = values.get(self.field_name) if self.field_name else None
        return self.otherwise_ms if known is None else int(known) + self.more_ms


@frozen
class LineDefinition:
    """One entry of a spec's `log: lines:`."""

    index: int
    """Place in the spec's list, from 0: names the entry within its spec."""
    kinds: tuple[LineKind, ...]
    """One; or two for a wording that means either (`[refused, failed]`)."""
    templates: tuple[Template, ...]
    source: tuple[str, ...] = ()
    """`from:` one fixed value where the text does not capture it; beside a captured one, what the
    line tells in a sound log.
    """
    target: tuple[str, ...] = ()
    """`to:` likewise."""
    state: str | None = None
    event: str | None = None
    argument_templates: tuple[tuple[str, str], ...] = ()
    """`args:` argument and the template of its value, of an event or of the step that the line
    tells.
    """
    variable_templates: tuple[tuple[str, str], ...] = ()
    """`set:` variable and the template of its value."""
    each: ListCapture | None = None
    inside: tuple[Inside, ...] = ()
    loggers: tuple[str, ...] = ()
    thread: Template | None = None
    """The name of the thread that writes it: what it captures is told by the line as well, if the
    line tells a thread.
    """
    level: str | None = None
    """TRACE, DEBUG, INFO, WARN, ERROR or FATAL."""
    strict: bool = False
    echo: bool = False
    known: bool = False
    """Whether it tells only of an instance that another line told of before, in the same life: it
    names things of every kind.
    """
    counter: str = ""
    """What people count, in their words: `was fenced`; empty: nothing to count.

    Of notes, requests and steps.
    """
    takes_instance: bool = False
    """Whether the process that writes it holds the instance from here on."""
    only_from_holder: bool = False
    """Whether it counts only where the process that writes it holds the instance."""
    undoes_previous: bool = False
    """Whether what the instance's line before it told did not happen."""
    following_lines: tuple[Template, ...] = ()
    """Of the record's lines below the first: the record is this line's only where each of these
    reads one.
    """
    replayed: bool = False
    """Whether every process that follows writes it, and again when it starts anew."""
    about: tuple[tuple[str, str], ...] | None = None
    """Keys or variables and the templates of their values: of a line without the key, the instances
    that it is about.
    """
    within: TimeLimit | None = None
    """By when what it asks for must be done, or said that it will not be."""
    state_of_others: str | None = None
    """Of a line whose list is complete: the state of every instance that it does not name, and that
    another line named before; with `about`, of those that have these values.
    """
    samples: tuple[Sample, ...] = ()
    doc: str = ""
    releases: ReleaseSet = 1
    span: Span | None = field(default=None, eq=False, repr=False)

    @property
    def is_abroad(self) -> bool:
        """Whether it is of many instances, and does not tell their keys."""
        about_many = self.about is not None and self.state_of_others is None
        return about_many or LineKind.UNDONE in self.kinds

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields that it may tell, in order of their first mention."""
        parts = [part for inside in self.inside for part in inside.parts]
        templates = [
            *self.templates,
            *parts,
            *(self.each.items if self.each else ()),
            *([self.thread] if self.thread else []),
            *self.following_lines,
        ]
        return tuple(dict.fromkeys(name for template in templates for name in template.fields))


@frozen
class EndSign:
    """What another machine tells by which an episode is over, though its subject said nothing."""

    machine: str
    """The catalogue name of the machine that tells it."""
    about: tuple[tuple[str, str], ...]
    """Its keys and what its instances remember, and templates of their values over those of the
    subject.
    """
    signs: tuple[str, ...]
    """Names of its episodes, which end by then, and words of its marks."""
    message: str
    """What people read of the subject's state: a template over what it is known by."""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class EpisodeDefinition:
    """A condition people ask about, open while a set of states holds."""

    name: str
    states: tuple[str, ...]
    """The states in which it is open (`while:` over `state`, settled when the spec is read)."""
    title: str
    """A template over key fields, such as `{topic}-{partition} has no leader`."""
    blame: tuple[LineKind, ...] = ()
    """Kinds of lines, the first of which while it is open is to blame; none: the line that opened
    it.
    """
    doc: str = ""
    releases: ReleaseSet = 1
    span: Span | None = field(default=None, eq=False, repr=False)
    because: tuple[str, ...] = ()
    """Words of marks: the last line with one of them before the episode opened, in the same life,
    is to blame.
    """
    grouped_by: tuple[str, ...] = ()
    """Key fields: the episode is of what all instances with the same values have in common; none:
    of each subject alone.
    """
    until: tuple[str, ...] = ()
    """The states by which it has healed; none: any other state.

    Until then it is open, whatever comes in between.
    """
    orderly: tuple[str, ...] = ()
    """States by which it ends in order: what led there was no trouble."""
    replaced: tuple[str, ...] = ()
    """States of another instance of the same program, begun since, by which it has healed too."""
    by_step: bool = False
    """Whether only a step into its states opens it, and no word of what is."""
    left: tuple[str, ...] = ()
    """The states from which a step must come to open it; none: any."""
    opened_by: tuple[str, ...] = ()
    """Words of marks: only a line with one of them opens it; none: any line."""
    not_opened_by: tuple[str, ...] = ()
    """Words of marks: no line with one of them opens it."""
    past_title: str = ""
    """The title of one that is over; none: `title`."""
    maybe: bool = False
    """Whether it is open while the condition may hold, and is not known to."""
    longer_than: TimeLimit | None = None
    """How long it has to last; what is over earlier is none."""
    within: TimeLimit | None = None
    """By when it must be over: what lasts longer breaks a rule."""
    requests: tuple[int, ...] = ()
    """Lines by which it is open until it is done, or said that it will not be, what they ask for;
    then it has no states.
    """
    ends_with: EndSign | None = None


@frozen
class SoleState:
    """A state in which one instance of all is at most, and what says which."""

    state: str
    by: str
    """A variable, or a key of the instances. Who came there with its greatest value is in it; the
    others are no longer.
    """


@frozen
class DoubtDefinition:
    """States of one machine that make what others were last seen in doubtful.

    They do so where nothing was told of those others since.
    """

    name: str
    states: tuple[str, ...]
    """The states that cast the doubt."""
    machine: str
    """The catalogue name of the machine whose instances are in doubt."""
    about: tuple[tuple[str, str], ...]
    """Its keys, and templates of their values over the keys of the instance that casts it."""
    message: str
    """What people read: a template over key fields, such as `office {office} is closed`."""
    whole_process: bool = False
    """Whether all that the same process tells is in doubt, once the process is silent."""
    doc: str = ""
    releases: ReleaseSet = 1
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class LogDefinition:
    """How logs tell of a machine."""

    instance: tuple[str, ...]
    """Key fields."""
    lines: tuple[LineDefinition, ...]
    patterns: tuple[tuple[str, str], ...] = ()
    """Field and regular expression: the family's, then the machine's own over them."""
    shared: bool = False
    subject: tuple[str, ...] = ()
    """The same as `instance` where the spec has none."""
    generation: str | None = None
    """The key that orders instances of one subject."""
    generation_carrier: str | None = None
    """`generation: {epoch: controller}`: the field whose last told generation a line without one
    takes.
    """
    episodes: tuple[EpisodeDefinition, ...] = ()
    numeric_fields: frozenset[str] = frozenset()
    """Fields whose pattern is digits only: numbers in the report."""
    is_program: bool = False
    """An instance is a whole program: what ends while it is being closed ends in order."""
    life: str | None = None
    """The field that names a life of an instance, which outlives the processes that tell of it."""
    sequence: str | None = None
    """The field that numbers the changes of a life."""
    previous: str | None = None
    """The field of the number that the change before had."""
    remembers: tuple[str, ...] = ()
    """Fields that an instance is known by, beside its keys, from the line on that tells them."""
    sole: SoleState | None = None
    incidents: tuple[IncidentDefinition, ...] = ()
    doubts: tuple[DoubtDefinition, ...] = ()
    called: tuple[SubjectPhrase, ...] = ()
    """How reports call an instance; the first phrase that fits."""

    @cached_property
    def is_history(self) -> bool:
        """Whether several processes tell one history: lines have another order than that of their
        times, and some only repeat others.
        """
        return bool(self.life or self.sequence) or any(
            line.replayed or line.is_abroad or line.state_of_others for line in self.lines
        )

    @property
    def known_by(self) -> tuple[str, ...]:
        """What names an instance in other machines' words: its keys and what it remembers."""
        return (*self.instance, *self.remembers)

    @cached_property
    def has_holder(self) -> bool:
        """Whether one process after the other holds an instance, which outlives each of them."""
        return any(line.takes_instance for line in self.lines)

    @cached_property
    def may_discount_lines(self) -> bool:
        """Whether a line may not count, as only a holder's does, or as another line undoes it."""
        return self.has_holder or any(line.undoes_previous for line in self.lines)


@frozen
class FamilyLog:
    """What lines tell of the processes of a family."""

    lines: tuple[LineDefinition, ...] = ()
    """Their `says` is release, process begins, process ends or note."""
    process: str | None = None
    """The field whose value names a process where a file's lines agree on it."""
    patterns: tuple[tuple[str, str], ...] = ()
    file: str = ""
    process_word: str | None = None
    """What people call such a process; None: as the field is called."""
    packages: tuple[str, ...] = ()
    """Of the system and of what it runs on: lines of a stack trace in others are the user's own."""
