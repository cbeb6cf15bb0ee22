"""What the passes work on: a document on its way to a spec; and what several of them read: names of
states, and how long something may last (`30 s`, or a field that gives it).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from attrs import define, frozen

from statemachines.model.counts import count_text
from statemachines.model.definitions.data_definitions import MachineData
from statemachines.model.definitions.log_definitions import (
    FamilyLog,
    LineDefinition,
    LogDefinition,
    TimeLimit,
)
from statemachines.model.definitions.machine_definitions import (
    Event,
    Otherwise,
    Predicate,
    SpecDefinition,
    State,
    Transition,
)
from statemachines.model.definitions.release_sets import NAMELESS_FAMILY, ReleaseFamily, ReleaseSet
from statemachines.model.definitions.system_definitions import SystemSpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity, SpecError
from statemachines.model.diagnosis.suggestions import MOST_HINTS, did_you_mean, nearest_word
from statemachines.model.evidence.durations import parse_duration
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_items,
    node_text,
)
from statemachines.notation.sources.file_cache import file_exists


def read_time_limit(node: YamlNode | None) -> TimeLimit | None:
    """Return how long something may last; None where nothing is said of it.

    Args:
        node: as the spec has it; None where it is missing.

    Returns:
        Milliseconds, or the field that tells them.
    """
    if node is None:
        return None
    if not isinstance(node, YamlMapping):
        return TimeLimit(parse_duration(node_text(node)))
    otherwise, more = (parse_duration(node_text(node.get(key))) for key in ("otherwise", "and"))
    return TimeLimit(otherwise, node_text(node.get("told")), more)


def unknown_limit_fields(node: YamlNode | None, log: LogDefinition | None) -> Iterator[Diagnostic]:
    """Report a field of a limit that is no number that the instance remembers.

    Args:
        node: of the limit.
        log: of the machine; None: it has none.

    Yields:
        A diagnostic, or nothing.
    """
    scalar = node.get("told") if isinstance(node, YamlMapping) else None
    numbers = [name for name in log.remembers if name in log.numeric_fields] if log else []
    if isinstance(scalar, YamlScalar) and scalar.text not in numbers:
        message = f"`{scalar.text}` is no number that the instance remembers"
        yield Diagnostic("SM514", message, scalar.span, did_you_mean(scalar.text, numbers))


@frozen
class ParsedTransition:
    """A transition and the nodes that it was read from; the data part finds guard, effect and
    results there.
    """

    transition: Transition
    entry: YamlMapping
    """The entry of `transitions:`, or the value of `events:` that carries an operation."""
    case: YamlMapping | None = None
    """The entry of its `cases:`, for one outcome of several."""


@frozen
class ParsedFamily:
    """A family with what its lines tell."""

    family: ReleaseFamily
    log: FamilyLog | None


ParsedFamilies = dict[Path, tuple[ParsedFamily | None, tuple[Diagnostic, ...]]]


class SpecFileReader(Protocol):
    """Reads another spec that a document names; the reader of files knows the passes, and they do
    not know it.
    """

    def __call__(
        self,
        name_or_path: str | Path,
        *,
        folder: Path | None = None,
        families: ParsedFamilies | None = None,
    ) -> SpecReading:
        """Read a spec of the catalogue, or a file, and report all that is wrong with it."""


@define
class SpecBuilder:
    """A document and what the passes have made of it so far; each pass fills in its own fields."""

    root: YamlMapping
    kind: str
    file: str
    name: str
    path: Path | None
    """Where the file lies; None for a text that was handed over."""
    specs: Path | None
    """The folder of catalogue names."""
    families: ParsedFamilies
    """Families that were read already."""
    read_other: SpecFileReader
    """Reads the specs that it uses, and the machines of parts."""
    family: ReleaseFamily = NAMELESS_FAMILY
    family_log: FamilyLog | None = None
    releases: ReleaseSet = 1
    states: tuple[State, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    events: tuple[Event, ...] = ()
    event_nodes: tuple[YamlMapping, ...] = ()
    """Parallel to `events`; an empty mapping for an event without value."""
    transitions: tuple[ParsedTransition, ...] = ()
    otherwise: tuple[Otherwise, ...] = ()
    lines: tuple[LineDefinition, ...] = ()
    log: LogDefinition | None = None
    versions: tuple[tuple[ReleaseSet, MachineData], ...] = ()
    """The data of each class of releases in which it is the same."""
    abstracts: tuple[tuple[str, SpecDefinition], ...] = ()
    """The machines that it refines, by the names that it has for them."""
    base_line_count: int = 0
    """How many lines the extended machine has, for an extension."""

    _known: tuple[tuple[State, ...], dict[str, ReleaseSet]] = ((), {})
    """Releases of each state's name, and the states that they were taken from."""

    def state_names(self) -> tuple[str, ...]:
        """Return each state's name once, in the author's order."""
        return tuple(self._releases_by_state())

    def releases_of(self, state: str) -> ReleaseSet:
        """Return the releases that have a state.

        Args:
            state: its name.

        Returns:
            None of them of an unknown state.
        """
        return self._releases_by_state().get(state, 0)

    def _releases_by_state(self) -> dict[str, ReleaseSet]:
        if self._known[0] is not self.states:
            masks: dict[str, ReleaseSet] = {}
            for state in self.states:
                masks[state.name] = masks.get(state.name, 0) | state.releases
            self._known = (self.states, masks)
        return self._known[1]


@frozen
class SpecReading:
    """What became of one file."""

    spec: SpecDefinition | None
    """None where an error was found, and for a file that is no machine."""
    diagnostics: tuple[Diagnostic, ...]
    builder: SpecBuilder | None = None
    """The document with what the passes made of it; None where it is no mapping of a known kind."""
    system: SystemSpecDefinition | None = None
    """The system, for a file of one without errors."""

    @property
    def has_errors(self) -> bool:
        """Whether there is an error among the diagnostics."""
        return any(wrong.severity is Severity.ERROR for wrong in self.diagnostics)

    def valid_spec(self) -> SpecDefinition:
        """Return the spec.

        Raises:
            SpecError: it has errors.
        """
        if self.spec is not None:
            return self.spec
        if self.builder is None or self.has_errors:
            raise SpecError(self.diagnostics)
        kind = {"extends": "an extension"}.get(self.builder.kind, f"a {self.builder.kind}")
        hint = "name a machine" + (
            "; show, draw, explore, simulate, mutate and generate take systems"
            if self.builder.kind == "system"
            else ""
        )
        raise SpecError(
            (Diagnostic("SM606", f"this is {kind}, not a machine", self.builder.root.span, hint),)
        )


def neighbouring_spec(work: SpecBuilder, named: str) -> Path | None:
    """Find the machine that an extension or a system names in its own specs folder; None: it is one
    of the catalogue.

    Args:
        work: the spec that is read; what is read is put into it.
        named: the machine, as the spec names it.

    Returns:
        The path of its file.
    """
    if work.path is None:
        return None
    folders = [folder for folder in work.path.absolute().parents if folder.name == "specs"]
    files = (folder / f"{named}.yaml" for folder in (*folders, work.path.parent))
    return next((file for file in files if file_exists(file)), None)


_CATALOGUE_CODES = "SM6"
"""How codes begin of what keeps a file from being found or read at all: it has no place in it."""


def why_unusable(reading: SpecReading, diagnostics: list[Diagnostic]) -> tuple[str, str]:
    """Say why a spec that another names cannot be used; errors in its own file are reported as they
    stand there.

    Args:
        reading: what became of the file that is named.
        diagnostics: takes the errors of that file.

    Returns:
        The reason and what would be right; both empty where the file has no errors.
    """
    errors = [wrong for wrong in reading.diagnostics if wrong.severity is Severity.ERROR]
    if not errors:
        return "", ""
    first = errors[0]
    if first.code.startswith(_CATALOGUE_CODES):
        return first.message, first.hint
    diagnostics += errors
    place = f"{first.span.file}:{first.span.line}:{first.span.column}"
    return f"it has {count_text(len(errors), 'error')}", f"see {place}"


def known_states(
    node: YamlNode | None, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> tuple[YamlScalar, ...]:
    """Return the names of a scalar or list that are states, and report the others.

    Args:
        node: as the spec has it; None where it is missing.
        work: the spec that is read; what is read is put into it.
        diagnostics: takes what is wrong.

    Returns:
        Names of states with their places, in the author's order.
    """
    names = [item for item in node_items(node) if isinstance(item, YamlScalar)]
    for name in names:
        if not work.releases_of(name.text):
            diagnostics.append(unknown_state_error(name, work, len(diagnostics)))
    return tuple(name for name in names if work.releases_of(name.text))


def unknown_state_error(name: YamlScalar, work: SpecBuilder, reported: int = 0) -> Diagnostic:
    """Report a name that is no state, with a hint while not enough was told.

    Args:
        name: as the spec has it.
        work: the spec that is read; what is read is put into it.
        reported: how many hints were given already.

    Returns:
        The diagnostic SM204.
    """
    message = f"unknown state `{name.text}`"
    if reported >= MOST_HINTS:
        return Diagnostic("SM204", message, name.span, undeclared=name.text)
    near = nearest_word(name.text, work.state_names())
    line = next(
        (state.span.line for state in work.states if state.name == near and state.span), None
    )
    hint = did_you_mean(name.text, work.state_names(), f"declared on line {line}" if line else "")
    return Diagnostic("SM204", message, name.span, hint, undeclared=name.text)


def absent_states(
    node: YamlMapping, keys: tuple[str, ...], own: ReleaseSet, work: SpecBuilder
) -> list[Diagnostic]:
    """Report states that an entry names singly and that some releases of its own `in` lack.

    Args:
        node: an entry of the document.
        keys: of the entry that name states.
        own: the releases of the entry.
        work: the spec that is read; what is read is put into it.

    Returns:
        A diagnostic a state.
    """
    if not isinstance(node.get("in"), YamlScalar):
        return []
    diagnostics = []
    for key in keys:
        name = node.get(key)
        if isinstance(name, YamlSequence) or not isinstance(name, YamlScalar) or name.text == "*":
            continue
        missing = own & ~work.releases_of(name.text)
        if missing and work.releases_of(name.text):
            ranges = work.family.ranges(missing)
            has = work.family.ranges(work.releases_of(name.text))
            diagnostics.append(
                Diagnostic(
                    "SM206",
                    f"there is no state `{name.text}` in `{ranges}`",
                    name.span,
                    f"it exists in `{has}`",
                )
            )
    return diagnostics
