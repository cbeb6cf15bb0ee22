"""Traces as `explore --format json` wrote them, read again."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.definitions.system_definitions import (
    PartSnapshots,
    PendingEvent,
    SystemSnapshot,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.opened_files import NotText, read_text

_EXPLORATION_FORMAT = "statemachines.exploration/1"
_COPIES = re.compile(r"(, |^)[0-9]+ copies$")
"""What a scope says that `--scope` does not take: each trace has a beginning for each copy."""


@frozen
class RecordedStep:
    """One step of a trace, as it was written."""

    event: str
    """Of a system as `part.event`."""
    arguments: Mapping[str, Value]
    answers: tuple[str, ...]
    """What became of it in each part, as text that tells one outcome from another."""
    after: Mapping[str, Any]
    """The snapshot after it, as it was written; what waits without the numbers of links, for
    another link may stand above them now.
    """
    key: Value = None
    copy: int = 0
    delivered_from: PendingEvent | None = None
    """Of an event that waited; its link is 0 whatever it was."""


@frozen
class RecordedTrace:
    """One trace, with what it shows."""

    property: str
    verdict: Verdict
    message: str
    begin: tuple[Snapshot, ...] | SystemSnapshot
    """Of a machine one snapshot for each copy; values are not yet those of the spec's types."""
    steps: tuple[RecordedStep, ...]
    loop_start: int | None


@frozen
class RecordedExploration:
    """What a file holds of an exploration: what was explored, and its traces."""

    title: str
    is_system: bool
    release: str
    scope: str
    """As `--scope` takes it."""
    traces: tuple[RecordedTrace, ...]


def read_exploration(file: Path) -> RecordedExploration:
    """Read the traces of an exploration.

    Args:
        file: as `explore --format json` writes it.

    Returns:
        The traces, with what they are of.

    Raises:
        ValueError: it cannot be read, or is no exploration.
    """
    try:
        read = json.loads(read_text(file))
    except OSError as problem:
        raise ValueError(f"{file}: {problem.strerror or problem}") from None
    except NotText:
        raise
    except (ValueError, RecursionError):
        raise ValueError(f"{file} is not JSON; `explore --format json` writes it") from None
    if not isinstance(read, dict) or read.get("format") != _EXPLORATION_FORMAT:
        raise ValueError(
            f"{file} is no exploration as `explore --format json` writes it: `format` is not"
            f" {_EXPLORATION_FORMAT!r}"
        )
    try:
        return _exploration(read)
    except (AttributeError, KeyError, TypeError, ValueError, SyntaxError, RecursionError):
        raise ValueError(f"{file}: its traces are not as `explore` writes them") from None


def _exploration(read: Mapping[str, Any]) -> RecordedExploration:
    return RecordedExploration(
        str(read["system"] if "system" in read else read["machine"]),
        "system" in read,
        str(read["release"]),
        _COPIES.sub("", str(read["scope"])),
        tuple(_trace(property_) for property_ in read["properties"] if "trace" in property_),
    )


def _trace(read: Mapping[str, Any]) -> RecordedTrace:
    trace, loop_start = read["trace"], read["trace"]["back_to"]
    return RecordedTrace(
        str(read["name"]),
        Verdict[read["verdict"]],
        str(read["said"]),
        _begin(trace["begin"]),
        tuple(map(_step, trace["steps"])),
        None if loop_start is None else int(loop_start),
    )


def _begin(written: Any) -> tuple[Snapshot, ...] | SystemSnapshot:
    if isinstance(written, list):
        return tuple(map(_snapshot, written))
    return SystemSnapshot(
        {name: _part(held) for name, held in written["parts"].items()},
        _read_values(written["variables"]),
        _read_values(written["parameters"]),
        FrozenMap(
            (
                _pending_event(waiting, int(waiting["link"])),
                FrozenMap(_read_values(waiting["arguments"])),
            )
            for waiting in written.get("waiting", ())
        ),
    )


def _snapshot(written: Mapping[str, Any]) -> Snapshot:
    return Snapshot(
        str(written["state"]),
        _read_values(written["variables"]),
        _read_values(written["parameters"]),
    )


def _part(written: Any) -> PartSnapshots:
    if written is None:
        return None
    if isinstance(written.get("state"), str):
        return _snapshot(written)
    return {ast.literal_eval(key): _snapshot(snapshot) for key, snapshot in written.items()}


def _step(read: Mapping[str, Any]) -> RecordedStep:
    return RecordedStep(
        str(read["event"]),
        _read_values(read["arguments"]),
        tuple(_answers(read)),
        comparable_snapshot(read["after"]),
        ast.literal_eval(read["key"]) if "key" in read else None,
        int(read.get("copy", 0)),
        _delivered_from(read.get("delivered")),
    )


def _delivered_from(written: Mapping[str, Any] | None) -> PendingEvent | None:
    """Return where a delivered event waited; which link sent it is found again."""
    return None if written is None else _pending_event(written, 0)


def _pending_event(written: Mapping[str, Any], link: int) -> PendingEvent:
    return PendingEvent(
        link,
        ast.literal_eval(written["sender"]),
        ast.literal_eval(written["receiver"]),
        int(written.get("position", 0)),
        written.get("fate", "delivered"),
    )


def _answers(read: Mapping[str, Any]) -> Iterator[str]:
    """Yield what became of a step in each part; of a machine there is one."""
    if "answer" in read:
        yield answer_text("", read["answer"], read["error"])
    for answer in read.get("answers", ()):
        yield answer_text(
            f"{answer['part']}[{answer['key']}].{answer['event']}",
            answer["answer"],
            answer["error"],
        )


def answer_text(who: str, kind: str, error: str | None) -> str:
    """Say what became of an event, so that the same texts are the same outcomes.

    Args:
        who: part or copy.
        kind: of the answer.
        error: that was raised, if one was.

    Returns:
        One line.
    """
    return " ".join(text for text in (who.replace("[None]", ""), kind, error) if text)


def comparable_snapshot(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return a snapshot as it was written, what waits in one order and without numbers of links.

    Args:
        written: as JSON has it.

    Returns:
        A new mapping.
    """
    places = [
        {name: waiting[name] for name in waiting if name != "link"}
        for waiting in written.get("waiting", ())
    ]
    ordered = sorted(places, key=lambda place: json.dumps(place, sort_keys=True))
    return {**written, "waiting": ordered}


def _read_values(written: Mapping[str, str]) -> dict[str, Value]:
    """Return values that were written as Python; a record is a map, as a caller may give it.

    >>> _read_values({"who": "'ann'", "votes": "{2}", "log": "[1, 2]"})
    {'who': 'ann', 'votes': frozenset({2}), 'log': (1, 2)}
    """
    return {name: _frozen(ast.literal_eval(text)) for name, text in written.items()}


def _frozen(value: Any) -> Value:
    match value:
        case list():
            return tuple(map(_frozen, value))
        case set():
            return frozenset(map(_frozen, value))
        case dict():
            return FrozenMap({_frozen(key): _frozen(item) for key, item in value.items()})
    plain: Value = value
    return plain
