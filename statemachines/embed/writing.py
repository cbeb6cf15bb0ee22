"""Machines as text of the notation: what an import starts a spec with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from statemachines.model.machines import Machine, Otherwise, Predicate, State, Transition

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
"""Texts that YAML reads as they are, but for those that mean something else."""
TAKEN = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))


def to_notation(machine: Machine, notes: Iterable[str] = ()) -> str:
    """Write a machine as a spec file, ending in a line feed.

    Args:
        machine: a table of moves, or one with events; variables and log lines are not written.
        notes: comments on top, such as what an import could not carry over.

    Returns:
        Text that reads back as the same machine, of one nameless release.
    """
    head = [f"# {line}" for note in notes for line in note.splitlines()]
    head += ["notation: 1", f"machine: {scalar(machine.name.rpartition('/')[2])}"]
    head += [f"{key}: {scalar(text)}" for key, text in (("doc", machine.doc), ("source", machine.source)) if text]
    parts = (
        ("states", (_state(state) for state in machine.states)),
        ("predicates", (_predicate(each) for each in machine.predicates)),
        ("events", _events(machine)),
        ("transitions", (f"- {_transition(each)}" for each in machine.transitions)),
        ("otherwise", (f"- {_otherwise(each)}" for each in machine.otherwise)),
    )
    return "\n".join((*head, *_sections(parts))) + "\n"


def scalar(text: str) -> str:
    """Write a text as YAML, in quotes where it could be read as something else.

    >>> [scalar(text) for text in ("RUNNING", "no", "a: b", "1.0")]
    ['RUNNING', '"no"', '"a: b"', '"1.0"']
    """
    return text if PLAIN.fullmatch(text) and text.lower() not in TAKEN else json.dumps(text, ensure_ascii=False)


_key = scalar


def _sections(parts: Iterable[tuple[str, Iterable[str]]]) -> Iterator[str]:
    for name, entries in parts:
        written = [f"  {entry}" for entry in entries]
        if written:
            yield f"{name}:"
            yield from written


def _events(machine: Machine) -> Iterator[str]:
    """Declare the events that have a doc, and those that no transition mentions."""
    used = {each.event for each in machine.transitions}
    for event in machine.events:
        if event.doc or event.name not in used:
            yield f"{_key(event.name)}: " + (f"{{doc: {scalar(event.doc)}}}" if event.doc else "{}")


def _state(state: State) -> str:
    words = ["initial: true"] if state.initial else []
    words += ["final: true"] if state.final else []
    words += [f"as: {_list(state.spellings)}"] if state.spellings else []
    words += [f"group: {scalar(state.group)}"] if state.group else []
    words += [f"doc: {scalar(state.doc)}"] if state.doc else []
    return f"{_key(state.name)}:" + (f" {_flow(words)}" if words else "")


def _predicate(predicate: Predicate) -> str:
    if not predicate.doc:
        return f"{_key(predicate.name)}: {_list(predicate.states)}"
    return f"{_key(predicate.name)}: {_flow([f'states: {_list(predicate.states)}', f'doc: {scalar(predicate.doc)}'])}"


def _transition(transition: Transition) -> str:
    words = [f"from: {scalar(transition.source)}", f"to: {scalar(transition.target)}"]
    words += [f"event: {scalar(transition.event)}"] if transition.event != f"to_{transition.target}" else []
    words += [f"by: {_list(transition.by)}"] if transition.by else []
    words += ["silent: true"] if transition.silent else []
    words += [] if transition.taken else ["taken: false"]
    words += [f"doc: {scalar(transition.doc)}"] if transition.doc else []
    words += [f"source: {scalar(transition.source_of)}"] if transition.source_of else []
    return _flow(words)


def _otherwise(entry: Otherwise) -> str:
    words = [f"from: {_list(entry.sources)}"] if entry.sources is not None else []
    words += [f"to: {_list(entry.targets)}"] if entry.targets is not None else []
    words += [f"event: {scalar(entry.event)}"] if entry.event is not None else []
    words += [f"does: {entry.does}{f' {entry.error}' if entry.error else ''}"]
    words += [f"doc: {scalar(entry.doc)}"] if entry.doc else []
    return _flow(words)


def _list(texts: tuple[str, ...]) -> str:
    return f"[{', '.join(map(scalar, texts))}]"


def _flow(words: list[str]) -> str:
    return f"{{{', '.join(words)}}}"
