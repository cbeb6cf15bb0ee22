"""Machines as text of the notation: what an import starts a spec with."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator

from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    Otherwise,
    Predicate,
    State,
    Transition,
)
from statemachines.model.evidence.durations import exact_duration

_PLAIN_SCALAR = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
"""Texts that YAML reads as they are, but for those that mean something else."""
_YAML_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))


def to_notation(machine: MachineDefinition, notes: Iterable[str] = ()) -> str:
    """Write a machine as a spec file, ending in a line feed.

    Args:
        machine: a table of moves, or one with events; variables and log lines are not written.
        notes: comments on top, such as what an import could not carry over.

    Returns:
        Text that reads back as the same machine, of one nameless release.
    """
    head = [comment_line(line) for note in notes for line in note.splitlines()]
    head += ["notation: 1", f"machine: {yaml_scalar(machine.name.rpartition('/')[2])}"]
    head += [
        f"{key}: {yaml_scalar(text)}"
        for key, text in (("doc", machine.doc), ("source", machine.source))
        if text
    ]
    timed = {transition.source for transition in machine.transitions if transition.after_ms}
    parts = (
        ("states", (_state_entry(state) for state in machine.states)),
        ("predicates", (_predicate_entry(predicate) for predicate in machine.predicates)),
        ("events", _event_entries(machine)),
        (
            "transitions",
            (f"- {_transition_entry(transition, timed)}" for transition in machine.transitions),
        ),
        ("otherwise", (f"- {_fallback_entry(fallback)}" for fallback in machine.otherwise)),
    )
    return "\n".join((*head, *_section_lines(parts))) + "\n"


def comment_line(text: str) -> str:
    """Write a text as a comment: what YAML forbids in a file is shown as a sign.

    Args:
        text: on one line; perhaps a name out of somebody's diagram or log.

    Returns:
        The comment, without line feed.
    """
    return "# " + "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def yaml_scalar(text: str) -> str:
    """Write a text as YAML, in quotes where it could be read as something else.

    Args:
        text: what is written.

    Returns:
        A scalar, on one line.

    >>> [yaml_scalar(text) for text in ("RUNNING", "no", "a: b", "1.0")]
    ['RUNNING', '"no"', '"a: b"', '"1.0"']
    """
    return (
        text
        if _PLAIN_SCALAR.fullmatch(text) and text.lower() not in _YAML_WORDS
        else json.dumps(text, ensure_ascii=False)
    )


_yaml_key = yaml_scalar


def _section_lines(parts: Iterable[tuple[str, Iterable[str]]]) -> Iterator[str]:
    for name, entries in parts:
        written = [f"  {entry}" for entry in entries]
        if written:
            yield f"{name}:"
            yield from written


def _event_entries(machine: MachineDefinition) -> Iterator[str]:
    """Declare the events that say more than their name, and those that no transition mentions."""
    used = {transition.event for transition in machine.transitions}
    for event in machine.events:
        words = [f"doc: {yaml_scalar(event.doc)}"] if event.doc else []
        words += [f"target: {yaml_scalar(event.target)}"] if event.target else []
        if words or event.name not in used:
            yield f"{_yaml_key(event.name)}: {_flow_mapping(words)}"


def _state_entry(state: State) -> str:
    words = ["initial: true"] if state.initial else []
    words += ["final: true"] if state.final else []
    words += [f"as: {_flow_list(state.spellings)}"] if state.spellings else []
    words += [f"group: {yaml_scalar(state.group)}"] if state.group else []
    words += [f"doc: {yaml_scalar(state.doc)}"] if state.doc else []
    return f"{_yaml_key(state.name)}:" + (f" {_flow_mapping(words)}" if words else "")


def _predicate_entry(predicate: Predicate) -> str:
    if not predicate.doc:
        return f"{_yaml_key(predicate.name)}: {_flow_list(predicate.states)}"
    words = [f"states: {_flow_list(predicate.states)}", f"doc: {yaml_scalar(predicate.doc)}"]
    return f"{_yaml_key(predicate.name)}: {_flow_mapping(words)}"


def _transition_entry(transition: Transition, timed: Container[str]) -> str:
    """Return an entry; one that only stays in one of the states where time counts has no `to`."""
    source, target = transition.source, transition.target
    stays = source == target and source in timed and not transition.restarts
    words = [f"from: {yaml_scalar(source)}"] + ([] if stays else [f"to: {yaml_scalar(target)}"])
    words += (
        [f"event: {yaml_scalar(transition.event)}"]
        if transition.event != f"to_{transition.target}"
        else []
    )
    words += [f"by: {_flow_list(transition.by)}"] if transition.by else []
    after = transition.after_ms
    words += [f"after: {exact_duration(after)}"] if after else []
    words += ["silent: true"] if transition.silent else []
    words += [] if transition.taken else ["taken: false"]
    words += [f"doc: {yaml_scalar(transition.doc)}"] if transition.doc else []
    words += [f"source: {yaml_scalar(transition.citation)}"] if transition.citation else []
    return _flow_mapping(words)


def _fallback_entry(entry: Otherwise) -> str:
    words = [f"from: {_flow_list(entry.sources)}"] if entry.sources is not None else []
    words += [f"to: {_flow_list(entry.targets)}"] if entry.targets is not None else []
    words += [f"event: {yaml_scalar(entry.event)}"] if entry.event is not None else []
    words += [f"does: {entry.does}{f' {entry.error}' if entry.error else ''}"]
    words += [f"doc: {yaml_scalar(entry.doc)}"] if entry.doc else []
    return _flow_mapping(words)


def _flow_list(texts: tuple[str, ...]) -> str:
    return f"[{', '.join(map(yaml_scalar, texts))}]"


def _flow_mapping(words: list[str]) -> str:
    return f"{{{', '.join(words)}}}"
