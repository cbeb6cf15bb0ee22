"""How a log tells of a machine: the lines of a spec, as values."""

from __future__ import annotations

import enum

from attrs import field, frozen

from statemachines.model.places import Span
from statemachines.model.releases import Releases


class Says(enum.StrEnum):
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
    """A regular expression for the whole first line of the message, its trailing blanks taken off; each named field is a group of its
    name (a field that stands twice must agree), `{*}` is none."""
    fields: tuple[str, ...]
    """Named fields in order of their first mention."""
    literal: str
    """What a scanner looks for: a run of at least six plain characters that stands in every line of this wording."""


@frozen
class Each:
    """A captured list that stands for many instances."""

    field: str
    """The captured field that holds the list."""
    item: Template
    """Searched for again and again in the captured text; its pattern is not anchored."""


@frozen
class Sample:
    """A message that a line must read."""

    line: str
    yields: tuple[tuple[str, str], ...] = ()
    """Field and the text it must be read as."""
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Line:
    """One entry of a spec's `log: lines:`."""

    number: int
    """Place in the spec's list, from 0: names the entry within its spec."""
    says: tuple[Says, ...]
    """One; or two for a wording that means either (`[refused, failed]`)."""
    templates: tuple[Template, ...]
    source: tuple[str, ...] = ()
    """`from:` one fixed value where the text does not capture it; beside a captured one, what the line tells in a sound log."""
    target: tuple[str, ...] = ()
    """`to:` likewise."""
    state: str | None = None
    event: str | None = None
    arguments: tuple[tuple[str, str], ...] = ()
    """`args:` argument and the template of its value, for `says: event`."""
    sets: tuple[tuple[str, str], ...] = ()
    """`set:` variable and the template of its value."""
    each: Each | None = None
    loggers: tuple[str, ...] = ()
    thread: Template | None = None
    """The name of the thread that writes it: what it captures is told by the line as well, if the line tells a thread."""
    level: str | None = None
    """TRACE, DEBUG, INFO, WARN, ERROR or FATAL."""
    strict: bool = False
    echo: bool = False
    mark: str = ""
    """What people count, in their words: `was fenced`; empty: nothing to count."""
    samples: tuple[Sample, ...] = ()
    doc: str = ""
    releases: Releases = 1
    span: Span | None = field(default=None, eq=False, repr=False)


@frozen
class Episode:
    """A condition people ask about, open while a set of states holds."""

    name: str
    states: tuple[str, ...]
    """The states in which it is open (`while:` over `state`, settled when the spec is read)."""
    title: str
    """A template over key fields, such as `{topic}-{partition} has no leader`."""
    blame: tuple[Says, ...] = ()
    """Kinds of lines, the first of which while it is open is to blame; none: the line that opened it."""
    doc: str = ""
    releases: Releases = 1
    span: Span | None = field(default=None, eq=False, repr=False)
    because: tuple[str, ...] = ()
    """Words of marks: the last line with one of them before the episode opened, in the same life, is to blame."""
    of: tuple[str, ...] = ()
    """Key fields: the episode is of what all instances with the same values have in common; none: of each subject alone."""
    until: tuple[str, ...] = ()
    """The states by which it has healed; none: any other state. Until then it is open, whatever comes in between."""
    orderly: tuple[str, ...] = ()
    """States by which it ends in order: what led there was no trouble."""
    replaced: tuple[str, ...] = ()
    """States of another instance of the same program, begun since, by which it has healed too."""
    by_step: bool = False
    """Whether only a step into its states opens it, and no word of what is."""
    was: str = ""
    """The title of one that is over; none: `title`."""


@frozen
class Log:
    """How logs tell of a machine."""

    instance: tuple[str, ...]
    """Key fields."""
    lines: tuple[Line, ...]
    patterns: tuple[tuple[str, str], ...] = ()
    """Field and regular expression: the family's, then the machine's own over them."""
    shared: bool = False
    subject: tuple[str, ...] = ()
    """The same as `instance` where the spec has none."""
    generation: str | None = None
    """The key that orders instances of one subject."""
    carried_by: str | None = None
    """`generation: {epoch: controller}`: the field whose last told generation a line without one takes."""
    episodes: tuple[Episode, ...] = ()
    numbers: frozenset[str] = frozenset()
    """Fields whose pattern is digits only: numbers in the report."""
    program: bool = False
    """An instance is a whole program: what ends while it is being closed ends in order."""


@frozen
class FamilyLog:
    """What lines tell of the processes of a family."""

    lines: tuple[Line, ...] = ()
    """Their `says` is release, process begins, process ends or note."""
    process: str | None = None
    """The field whose value names a process where a file's lines agree on it."""
    patterns: tuple[tuple[str, str], ...] = ()
    file: str = ""
