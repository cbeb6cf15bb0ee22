"""Random machines and random runs, for the laws."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from statemachines.model.definitions.machine_definitions import (
    Event,
    FallbackKind,
    MachineDefinition,
    Otherwise,
    Predicate,
    State,
    Transition,
)

LETTERS = "ABCDEF"
NAMED_EVENTS = ("go", "halt", "kick")
ERRORS = ("Broken", "TooLate")


@st.composite
def table_machines(draw: st.DrawFn, *, most_states: int = 5) -> MachineDefinition:
    """Draw a machine that is a table: one to five states, moves and named events, every manner of `otherwise`.

    No state has two arrows of one event; there is at least one beginning; some arrows are silent, some never taken.
    """
    names = tuple(LETTERS[: draw(st.integers(1, most_states))])
    beginnings = draw(st.sets(st.sampled_from(names), min_size=1))
    endings = draw(st.sets(st.sampled_from(names)))
    transitions = draw(_transitions(names))
    otherwise = tuple(draw(st.lists(_manners(names), max_size=4)))
    mentioned = [arrow.event for arrow in transitions] + [
        entry.event for entry in otherwise if entry.event is not None
    ]
    return MachineDefinition(
        name="random",
        release=draw(st.sampled_from(["", "1.0"])),
        states=tuple(
            State(name, initial=name in beginnings, final=name in endings) for name in names
        ),
        transitions=transitions,
        otherwise=otherwise,
        predicates=tuple(
            Predicate(f"p{place}", tuple(states))
            for place, states in enumerate(draw(st.lists(_some(names), max_size=2)))
        ),
        events=tuple(Event(name) for name in dict.fromkeys(mentioned)),
    )


def runs(events: Sequence[str], *, longest: int = 30) -> st.SearchStrategy[list[str]]:
    """Draw the events of a run, legal or not."""
    return st.lists(st.sampled_from(list(events)), max_size=longest)


@st.composite
def _transitions(draw: st.DrawFn, names: tuple[str, ...]) -> tuple[Transition, ...]:
    events = ("move", *NAMED_EVENTS)
    wanted = draw(
        st.lists(
            st.tuples(st.sampled_from(names), st.sampled_from(names), st.sampled_from(events)),
            max_size=14,
        )
    )
    found: dict[tuple[str, str], Transition] = {}
    for source, target, event in wanted:
        name = f"to_{target}" if event == "move" else event
        silent, taken = draw(st.booleans()), draw(st.integers(0, 5)) > 0
        found.setdefault(
            (source, name),
            Transition(source, target, name, silent=silent, taken=taken, entry=len(found)),
        )
    return tuple(found.values())


@st.composite
def _manners(draw: st.DrawFn, names: tuple[str, ...]) -> Otherwise:
    does = draw(st.sampled_from(list(FallbackKind)))
    event = draw(st.none() | st.sampled_from(NAMED_EVENTS))
    return Otherwise(
        does,
        error=draw(st.sampled_from(ERRORS)) if does is FallbackKind.RAISE else None,
        sources=draw(st.none() | _some(names)),
        targets=draw(st.none() | _some(names)) if event is None else None,
        event=event,
    )


def _some(names: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.sets(st.sampled_from(names), min_size=1).map(
        lambda chosen: tuple(name for name in names if name in chosen)
    )
