"""What changed between two releases, or two specs: as text, Markdown and JSON, and over all releases as a history."""

from __future__ import annotations

from collections.abc import Iterator, Set

from attrs import evolve, frozen

from statemachines.explore.difference import About, Change, Difference, difference
from statemachines.explore.pairs import Asked, Parting, both_in_words
from statemachines.model.machines import Machine, Spec, asks_for
from statemachines.semantics.texts import exact

TITLES = {
    About.STATE: "States",
    About.DATA: "Variables and parameters",
    About.TRANSITION: "Transitions",
    About.REQUEST: "Requests that no transition takes",
    About.PREDICATE: "Predicates",
    About.PROPERTY: "Properties",
    About.LINE: "Log lines",
}
"""In the order of a report."""

EMPTY: tuple[object, ...] = (None, frozenset(), (), {})
"""Values that are not named where a run begins."""


@frozen
class Shown:
    """A change for a person."""

    sign: str
    what: str
    run: str
    """Where it begins and its events; empty where no run shows the change."""
    old: str
    new: str
    doc: str


@frozen
class Section:
    """The changes about one kind of things."""

    title: str
    changes: tuple[Shown, ...]


def differences(old: Machine, new: Machine) -> Difference:
    """Compare two machines."""
    return difference(old, new)


def sections(found: Difference) -> tuple[Section, ...]:
    """Return the changes in the order of a report."""
    states = {state.name for machine in (found.old, found.new) for state in machine.states}
    kinds = {about: tuple(_shown(one, states) for one in found.changes if one.about is about) for about in TITLES}
    return tuple(Section(TITLES[about], changes) for about, changes in kinds.items() if changes)


def _shown(change: Change, states: Set[str]) -> Shown:
    parting = change.parting
    if parting is None:
        return Shown(change.sign.value, change.what, "", "", "", change.doc)
    return Shown(change.sign.value, change.what, run(parting, states), *both_in_words(parting), change.doc)


def run(parting: Parting, states: Set[str]) -> str:
    """Write a run on one line: where it begins, then its events.

    Steps of a table are told by where they lead.

    Args:
        parting: the run, and what becomes of its last event.
        states: names of the states that an event may ask for.
    """
    held = [f"{name}={exact(value)}" for name, value in parting.begin.variables.items() if value not in EMPTY]
    begin = parting.begin.state or ", ".join(held) or "the beginning"
    return " → ".join([begin, *(_event(asked, states) for asked in parting.events)])


def _event(asked: Asked, states: Set[str]) -> str:
    arguments = ", ".join(f"{name}={exact(value)}" for name, value in asked.arguments.items())
    return f"{asked.event}({arguments})" if arguments else asks_for(asked.event, states) or asked.event


def to_markdown(found: Difference, level: int = 1) -> str:
    """Return the changes as Markdown."""
    title = f"{title_of(found.old)} → {found.new.release or found.new.name}"
    return "\n".join([f"{'#' * level} {title}", "", *(f"{note}.\n" for note in [summary(found)] if note), *_markdown(found, level + 1)])


def summary(found: Difference) -> str:
    """Say of changes what is to be known of all of them; empty where each is shown by a run."""
    if found.bounded:
        return "too many runs to look at all of them: a change that has none may have one"
    return "the same behaviour: no run tells the two apart" if found.changes and found.same_behaviour else ""


def title_of(machine: Machine) -> str:
    """Return a machine's name and release."""
    return f"{machine.name} {machine.release}".strip()


def _markdown(found: Difference, level: int) -> Iterator[str]:
    for section in sections(found):
        yield f"{'#' * level} {section.title}"
        yield ""
        for change in section.changes:
            yield f"- `{change.sign}` {_code(change.what)}"
            if change.run:
                yield f"  - {change.run}: before {_plain(change.old)}; now {_plain(change.new)}"
            if change.doc:
                yield f"  - {_plain(change.doc)}"
        yield ""


def _code(text: str) -> str:
    """Write a text as code, whatever is in it."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def _plain(text: str) -> str:
    """Write a text on one line so that Markdown reads nothing into it."""
    return " ".join(text.split()).replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def to_json(found: Difference) -> dict[str, object]:
    """Return the changes as plain data."""
    return {
        "format": "statemachines.difference/1",
        "old": {"machine": found.old.name, "release": found.old.release},
        "new": {"machine": found.new.name, "release": found.new.release},
        "same": not found.changes,
        "same_behaviour": found.same_behaviour,
        "walked_to_the_end": not found.bounded,
        "changes": [_change(one) for one in found.changes],
    }


def _change(change: Change) -> dict[str, object]:
    told: dict[str, object] = {"about": change.about.value, "sign": change.sign.value, "what": change.what}
    parting = change.parting
    if parting is None:
        return {**told, "trace": None}
    events = [{"event": one.event, "arguments": {name: exact(value) for name, value in one.arguments.items()}} for one in parting.events]
    old, new = both_in_words(parting)
    return {**told, "trace": {"begin": parting.begin.state, "events": events, "old": old, "new": new}}


def history(spec: Spec) -> Iterator[Difference]:
    """Yield what changed from release to release, in the order of the family's list; releases without changes are passed over."""
    from statemachines.notation import machine_of

    names = list(spec.family.names(spec.releases))
    before = machine_of(spec, names[0])
    for name in names[1:]:
        machine = machine_of(spec, name)
        if evolve(machine, release=before.release) != before:
            found = difference(before, machine)
            if found.changes:
                yield found
        before = machine
