"""Machines from mappings: nested dictionaries, lists of transitions, XState's configuration
objects.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from statemachines.interop.drafting.drafts import (
    NO_EVENT,
    Draft,
    ImportFailed,
    build_draft,
    unique_names,
)
from statemachines.model.definitions.machine_definitions import State, Transition
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.model.diagnosis.suggestions import nearest_word

_EVENT_KEYS = ("event", "trigger", "on", "name")
_SOURCE_KEYS = ("from", "source", "src")
_TARGET_KEYS = ("to", "dest", "target", "dst")
_TRANSITION_KEYS = {*_EVENT_KEYS, *_SOURCE_KEYS, *_TARGET_KEYS, "doc"}
_MACHINE_KEYS = {"id", "name", "initial", "states"}
_DEFAULT_VALUES: tuple[Any, ...] = (None, False, "", [], (), {}, ("taken", True))
"""Values that say nothing, and pairs of a key and a value that do."""


@frozen
class ForeignTransition:
    """One transition as the mapping has it."""

    source: str
    event: str
    target: str
    doc: str = ""


@frozen
class ForeignChart:
    """A machine as the mapping has it, before its names are made ours."""

    states: Mapping[str, Any]
    transitions: tuple[ForeignTransition, ...]
    name: str | None = None
    initial: str | None = None


@refuses_unknown_options()
def from_mapping(
    mapping: Mapping[str, Any],
    *,
    name: str = "draft",
    initial: str | None = None,
    final: Iterable[str] = (),
) -> Draft:
    """Read a machine from a mapping, as a draft.

    Three forms are known, told apart by what is there:

    - `{"LOCKED": {"coin": "OPEN"}, "OPEN": {"push": "LOCKED"}}`: state to event to target,
    - `{"states": ["LOCKED", …], "transitions": [{"trigger": "coin", "source": "LOCKED", "dest":
      "OPEN"}], "initial": "LOCKED"}`,
    - `{"id": "…", "initial": "LOCKED", "states": {"LOCKED": {"on": {"coin": "OPEN"}}}}`, as XState
      has it.

    Args:
        mapping: one of these.
        name: of the machine, where the mapping has none.
        initial: where it begins; else what the mapping says, else the first state.
        final: further states in which it may end.

    Returns:
        The machine, the text of its spec, and what did not carry over.

    Raises:
        ImportFailed: a transition names no target or no source, or a value is none of these forms.

    >>> table = {"LOCKED": {"coin": "OPEN"}, "OPEN": {"push": "LOCKED"}}
    >>> from_mapping(table).machine.transitions[0].target
    'OPEN'
    """
    lost: list[str] = []
    chart = _read_chart(mapping, lost)
    moves, states = chart.transitions, chart.states
    known = unique_names(
        [*states, *(end for move in moves for end in (move.source, move.target))], lost, "state"
    )
    first = _first_state(initial if initial is not None else chart.initial, known)
    ends = {
        *final,
        *(key for key, value in states.items() if isinstance(value, Mapping) and _is_final(value)),
    }
    events = unique_names((move.event for move in moves), lost, "event")
    return build_draft(
        name if chart.name is None else chart.name,
        (State(given, initial=text == first, final=text in ends) for text, given in known.items()),
        (
            Transition(known[move.source], known[move.target], events[move.event], doc=move.doc)
            for move in moves
        ),
        lost,
    )


def _read_chart(mapping: Mapping[str, Any], lost: list[str]) -> ForeignChart:
    """Read whichever of the three forms a mapping is of."""
    _require_shape(mapping)
    if isinstance(mapping.get("transitions"), Sequence):
        return _listed_chart(mapping, lost)
    if isinstance(mapping.get("states"), Mapping):
        return _nested_chart(mapping, lost)
    return ForeignChart(mapping, tuple(_transitions_from_states(mapping, lost)))


def _require_shape(mapping: Mapping[str, Any]) -> None:
    """Refuse what is none of the three forms.

    Raises:
        ImportFailed: it is no mapping, or one of its keys holds another kind of thing.
    """
    _require_kind("a machine", mapping, (Mapping,), "a mapping")
    _require_key("transitions", mapping, isinstance(mapping.get("states"), (list, tuple)))
    if "states" not in mapping:
        return
    _require_kind("on", mapping.get("on"), (Mapping, type(None)), "a mapping from events to states")


def _listed_chart(mapping: Mapping[str, Any], lost: list[str]) -> ForeignChart:
    """Read a list of states and a list of transitions."""
    states = _listed_states(mapping)
    moves = tuple(_transitions_from_list(mapping["transitions"], list(states), lost))
    keys = {*_MACHINE_KEYS, "transitions", "format", "machine"}
    _note_unknown_keys(mapping, keys, "the whole machine", lost)
    return ForeignChart(states, moves, _name_of(mapping), mapping.get("initial"))


def _nested_chart(mapping: Mapping[str, Any], lost: list[str]) -> ForeignChart:
    """Read states that hold their transitions, as XState writes them."""
    states = mapping["states"]
    moves = tuple(_transitions_from_states(states, lost))
    _note_unknown_keys(mapping, {*_MACHINE_KEYS, "on"}, "the whole machine", lost)
    of_all = _transitions_of_every_state(mapping.get("on") or {}, states, lost)
    return ForeignChart(states, (*moves, *of_all), _name_of(mapping), mapping.get("initial"))


def _name_of(mapping: Mapping[str, Any]) -> str | None:
    name = mapping.get("id") or mapping.get("name")
    return str(name) if name else None


def _first_state(initial: str | None, known: Mapping[str, str]) -> str:
    """Return the state in which a machine begins: the first one where nothing is said.

    Raises:
        ImportFailed: it has no states, begins in none of them, or in what is no name.
    """
    _require_kind("initial", initial, (str, type(None)), "the name of a state")
    if initial is not None and initial not in known:
        raise ImportFailed(
            f"it begins in `{initial}`, which is none of its states: {', '.join(known)}"
        )
    if not known:
        raise ImportFailed("it has no states")
    return initial if initial is not None else next(iter(known))


def _require_kind(what: str, value: Any, kinds: tuple[type, ...], wanted: str) -> Any:
    """Return a value of one of some kinds.

    Raises:
        ImportFailed: it is of another kind.
    """
    if not isinstance(value, kinds):
        raise ImportFailed(f"{what} should be {wanted}, not {reprlib.repr(value)}")
    return value


def _require_key(wanted: str, mapping: Mapping[str, Any], needed: bool) -> None:
    """Refuse a mapping without a key that it needs, and name the one that was probably meant.

    Raises:
        ImportFailed: the key is missing.
    """
    if needed and wanted not in mapping:
        near = _misspelt_key(wanted, mapping)
        raise ImportFailed(
            f"the mapping has no `{wanted}`" + (f"; it has `{near}`" if near else "")
        )


def _misspelt_key(wanted: str, mapping: Mapping[str, Any]) -> str | None:
    """Return the key that was probably meant to be another one."""
    return nearest_word(wanted, [key for key in mapping if isinstance(key, str)])


def _is_final(state: Mapping[str, Any]) -> bool:
    return state.get("final") is True or state.get("type") == "final"


def _listed_states(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Return the states of a list (of names, or of mappings with a name) or of a mapping."""
    states = mapping.get("states", ())
    if isinstance(states, Mapping):
        return dict(states)
    for row in _require_kind("states", states, (list, tuple), "a list of names, or a mapping"):
        _require_kind(
            "a state",
            row.get("name") if isinstance(row, Mapping) else row,
            (str, int),
            "a name, or a mapping with a `name`",
        )
    return {
        str(state["name"]) if isinstance(state, Mapping) else str(state): state for state in states
    }


def _transitions_from_list(
    transitions: Sequence[Any], states: list[str], lost: list[str]
) -> Iterator[ForeignTransition]:
    """Read `{"trigger": …, "source": …, "dest": …}` and `["trigger", "source", "dest"]`."""
    for index, transition in enumerate(transitions):
        _require_kind(
            f"transition {index}",
            transition,
            (Mapping, list, tuple),
            "a mapping, or a list of event, source and target",
        )
        entry = (
            transition
            if isinstance(transition, Mapping)
            else dict(zip(("trigger", "source", "dest"), transition, strict=False))
        )
        sources, targets = _first_value(entry, _SOURCE_KEYS), _first_value(entry, _TARGET_KEYS)
        if sources is None:
            near = next((key for name in _SOURCE_KEYS if (key := _misspelt_key(name, entry))), "")
            hint = f"; `{near}` is none of {', '.join(_SOURCE_KEYS)}" if near else ""
            raise ImportFailed(f"transition {index} names no source: {dict(entry)}{hint}")
        _require_kind(
            f"the source of transition {index}",
            sources,
            (str, list, tuple),
            "the name of a state, or a list of names",
        )
        event = _first_value(entry, _EVENT_KEYS)
        _note_unknown_keys(entry, _TRANSITION_KEYS, f"transition {index}", lost)
        for source in (
            states if sources == "*" else [sources] if isinstance(sources, str) else sources
        ):
            name = str(
                _require_kind(f"a source of transition {index}", source, (str, int), "a name")
            )
            target = name if targets in (None, "=") else str(targets)
            yield ForeignTransition(
                name,
                f"to_{target}" if event is None else str(event),
                target,
                str(entry.get("doc") or ""),
            )


def _transitions_from_states(
    states: Mapping[str, Any], lost: list[str]
) -> Iterator[ForeignTransition]:
    """Read state to event to target, with or without an `on` between."""
    for source, state in states.items():
        if not isinstance(state, Mapping):
            if state not in (None, [], ()):
                raise ImportFailed(
                    f"state `{source}` should be a mapping from events to states, not {state!r}"
                )
            continue
        of_xstate = (
            "on" in state
            or "type" in state
            or "states" in state
            or "always" in state
            or "after" in state
        )
        if of_xstate:
            _note_unknown_keys(
                state, {"on", "always", "type", "final", "id"}, f"state {source}", lost
            )
            yield from _eventless_transitions(source, state.get("always"), lost)
        on = (
            _require_kind(
                f"`on` of {source}",
                state.get("on") or {},
                (Mapping,),
                "a mapping from events to states",
            )
            if of_xstate
            else state
        )
        for event, targets in on.items():
            yield from _target_transitions(source, str(event), targets, lost)


def _transitions_of_every_state(
    on: Mapping[str, Any], states: Mapping[str, Any], lost: list[str]
) -> Iterator[ForeignTransition]:
    """Read what every state takes that does not take it by itself and is no end."""
    for source, state in states.items():
        own = (state.get("on") or {}) if isinstance(state, Mapping) else {}
        if not (isinstance(state, Mapping) and _is_final(state)):
            for event in (event for event in on if event not in own):
                yield from _target_transitions(source, str(event), on[event], lost)


def _eventless_transitions(
    source: str, targets: Any, lost: list[str]
) -> Iterator[ForeignTransition]:
    if targets is not None:
        lost.append(f"{source} is left without an event: the event `{NO_EVENT}` stands for that")
        yield from _target_transitions(source, NO_EVENT, targets, lost)


def _target_transitions(
    source: str, event: str, targets: Any, lost: list[str]
) -> Iterator[ForeignTransition]:
    """Read one target, a mapping with a target, or a list of these."""
    for named in targets if isinstance(targets, (list, tuple)) else [targets]:
        if isinstance(named, Mapping):
            guard = next((str(named[key]) for key in ("guard", "cond") if key in named), "")
            _note_unknown_keys(named, {"target"}, f"`{event}` from {source}", lost)
            target = _require_kind(
                f"the target of `{event}` from {source}",
                named.get("target") or source,
                (str,),
                "the name of a state",
            )
            yield ForeignTransition(
                source, event, _bare_target(target), doc=f"only if {guard}" if guard else ""
            )
        elif isinstance(named, str):
            yield ForeignTransition(source, event, _bare_target(named))
        elif named is None:
            yield ForeignTransition(source, event, source)
        else:
            raise ImportFailed(
                f"`{event}` from {source} should lead to the name of a state, not to {named!r}"
            )


def _bare_target(target: str) -> str:
    """Take XState's marks of a target off: `#id`, `.child`."""
    return target.lstrip("#.")


def _first_value(entry: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((entry[key] for key in keys if key in entry), None)


def _note_unknown_keys(
    entry: Mapping[str, Any], known: set[str], where: str, lost: list[str]
) -> None:
    lost.extend(
        f"{where}: `{key}: {value}`"
        for key, value in entry.items()
        if key not in known and not _is_default(key, value)
    )


def _is_default(key: str, value: Any) -> bool:
    return any(value == usual or (key, value) == usual for usual in _DEFAULT_VALUES)
