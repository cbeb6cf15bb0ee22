"""What changed between two releases, or two specs: as text, Markdown and JSON, and over all
releases as a history.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from attrs import evolve, frozen

from statemachines.compare.lockstep import Divergence, EventCall, answer_texts
from statemachines.compare.machine_changes import ChangeKind, MachineChange
from statemachines.compare.machine_differences import (
    MachineDifference,
    compare_machines,
)
from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    SpecDefinition,
    requested_state,
)
from statemachines.semantics.messages.value_text import format_literal

_SECTION_TITLES = {
    ChangeKind.STATE: "States",
    ChangeKind.DATA: "Variables and parameters",
    ChangeKind.TRANSITION: "Transitions",
    ChangeKind.REQUEST: "Requests that no transition takes",
    ChangeKind.PREDICATE: "Predicates",
    ChangeKind.PROPERTY: "Properties",
    ChangeKind.LINE: "Log lines",
}
"""In the order of a report."""

_EMPTY_VALUES: tuple[object, ...] = (None, frozenset(), (), {})
"""Values that are not named where a run begins."""


@frozen
class ChangeRow:
    """A change for a person."""

    sign: str
    what: str
    trace: str
    """Where it begins and its events; empty where no run shows the change."""
    old: str
    new: str
    doc: str


@frozen
class ChangeSection:
    """The changes about one kind of things."""

    title: str
    changes: tuple[ChangeRow, ...]


def machine_difference(old: MachineDefinition, new: MachineDefinition) -> MachineDifference:
    """Compare two machines.

    Args:
        old: in one release.
        new: in another one, or of another spec.

    Returns:
        What differs, with runs that show it.
    """
    return compare_machines(old, new)


def change_sections(difference: MachineDifference) -> tuple[ChangeSection, ...]:
    """Return the changes in the order of a report.

    Args:
        difference: of two machines.

    Returns:
        Sections that have a change.
    """
    states = {
        state.name for machine in (difference.old, difference.new) for state in machine.states
    }
    kinds = {
        about: tuple(
            _change_row(change, states) for change in difference.changes if change.about is about
        )
        for about in _SECTION_TITLES
    }
    return tuple(
        ChangeSection(_SECTION_TITLES[about], changes)
        for about, changes in kinds.items()
        if changes
    )


def _change_row(change: MachineChange, states: Set[str]) -> ChangeRow:
    parting = change.divergence
    if parting is None:
        return ChangeRow(change.sign.value, change.what, "", "", "", change.doc)
    return ChangeRow(
        change.sign.value,
        change.what,
        _trace_text(parting, states),
        *answer_texts(parting),
        change.doc,
    )


def _trace_text(parting: Divergence, states: Set[str]) -> str:
    """Write a run on one line: where it begins, then its events.

    Steps of a table are told by where they lead.

    Args:
        parting: the run, and what becomes of its last event.
        states: names of the states that an event may ask for.
    """
    held = [
        f"{name}={format_literal(value)}"
        for name, value in parting.begin.variables.items()
        if value not in _EMPTY_VALUES
    ]
    begin = parting.begin.state or ", ".join(held) or "the beginning"
    return " → ".join([begin, *(_event_text(call, states) for call in parting.events)])


def _event_text(call: EventCall, states: Set[str]) -> str:
    arguments = ", ".join(
        f"{name}={format_literal(value)}" for name, value in call.arguments.items()
    )
    return (
        f"{call.event}({arguments})"
        if arguments
        else requested_state(call.event, states) or call.event
    )


def to_markdown(difference: MachineDifference, level: int = 1) -> str:
    """Return the changes as Markdown.

    Args:
        difference: of two machines.
        level: of the headings, from 1.

    Returns:
        A document.
    """
    title = f"{machine_title(difference.old)} → {difference.new.release or difference.new.name}"
    return "\n".join(
        [
            f"{'#' * level} {title}",
            "",
            *(
                f"{note[0].upper()}{note[1:]}.\n"
                for note in [difference_summary(difference)]
                if note
            ),
            *_section_lines(difference, level + 1),
        ]
    )


def difference_summary(difference: MachineDifference) -> str:
    """Say of changes what is to be known of all of them; empty where each is shown by a run.

    Args:
        difference: of two machines.

    Returns:
        One sentence.
    """
    if difference.bounded and not difference.changes:
        return "there are too many runs to look at all of them: those looked at show no change"
    if difference.bounded:
        return "there are too many runs to look at all of them: a change without a run may have one"
    if not difference.changes or not difference.same_behaviour:
        return ""
    but = " but by time" if any(change.is_of_time for change in difference.changes) else ""
    return f"the same behaviour: no run tells the two apart{but}"


def machine_title(machine: MachineDefinition) -> str:
    """Return a machine's name and release.

    Args:
        machine: in one release.

    Returns:
        One text.
    """
    return f"{machine.name} {machine.release}".strip()


def _section_lines(difference: MachineDifference, level: int) -> Iterator[str]:
    for section in change_sections(difference):
        yield f"{'#' * level} {section.title}"
        yield ""
        for change in section.changes:
            yield f"- `{change.sign}` {_code_span(change.what)}"
            if change.trace:
                yield (
                    f"  - {change.trace}: before {_markdown_text(change.old)}; now"
                    f" {_markdown_text(change.new)}"
                )
            if change.doc:
                yield f"  - {_markdown_text(change.doc)}"
        yield ""


def _code_span(text: str) -> str:
    """Write a text as code, whatever is in it."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def _markdown_text(text: str) -> str:
    """Write a text on one line so that Markdown reads nothing into it."""
    return " ".join(text.split()).replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def to_json(difference: MachineDifference) -> dict[str, object]:
    """Return the changes as plain data.

    Args:
        difference: of two machines.

    Returns:
        What `diff --format json` prints.
    """
    return {
        "format": "statemachines.difference/1",
        "old": {"machine": difference.old.name, "release": difference.old.release},
        "new": {"machine": difference.new.name, "release": difference.new.release},
        "same": not difference.changes,
        "same_behaviour": difference.same_behaviour,
        "walked_to_the_end": not difference.bounded,
        "changes": [_change_data(change) for change in difference.changes],
    }


def _change_data(change: MachineChange) -> dict[str, object]:
    data: dict[str, object] = {
        "about": change.about.value,
        "sign": change.sign.value,
        "what": change.what,
    }
    parting = change.divergence
    if parting is None:
        return {**data, "trace": None}
    events = [
        {
            "event": event.event,
            "arguments": {name: format_literal(value) for name, value in event.arguments.items()},
        }
        for event in parting.events
    ]
    old, new = answer_texts(parting)
    return {
        **data,
        "trace": {"begin": parting.begin.state, "events": events, "old": old, "new": new},
    }


def release_history(spec: SpecDefinition) -> Iterator[MachineDifference]:
    """Yield what changed from release to release, in the order of the family's list; releases
    without changes are passed over.

    Args:
        spec: in all its releases.

    Yields:
        Differences of a release to the one before it.
    """
    from statemachines.notation import machine_of

    names = list(spec.family.names(spec.releases))
    before = machine_of(spec, names[0])
    for name in names[1:]:
        machine = machine_of(spec, name)
        if evolve(machine, release=before.release) != before:
            machines = compare_machines(before, machine)
            if machines.changes:
                yield machines
        before = machine
