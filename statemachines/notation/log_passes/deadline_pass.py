"""Deadlines of states and of requests, as episodes that must be over by then."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import reduce
from operator import or_

from attrs import evolve

from statemachines.model.definitions.log_definitions import (
    EpisodeDefinition,
    LineDefinition,
    LineKind,
    LogDefinition,
    TimeLimit,
)
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlNode, node_items, node_text
from statemachines.notation.passes.spec_builder import SpecBuilder
from statemachines.notation.passes.time_limits import unknown_limit_fields

UNANSWERED = "unanswered"
"""The episode of a request until it is answered."""


def read_deadlines(work: SpecBuilder) -> list[Diagnostic]:
    """Read `within` of states and of lines, beside the episodes of a log.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    if work.log is None:
        return []
    diagnostics = [wrong for node in _nodes(work) for wrong in _wrong_limits(node, work.log)]
    diagnostics += [_no_request(line) for line in work.log.lines if line.within and not _asks(line)]
    subject = _subject_text(node_text(work.root.get("machine"), work.name), work.log)
    more = (*_state_deadlines(work, subject), *_request_deadlines(work.log, subject))
    work.log = evolve(work.log, episodes=(*work.log.episodes, *more))
    return diagnostics


def _subject_text(machine: str, log: LogDefinition) -> str:
    """Return what titles call an instance: its spec's phrase for all, if that needs keys only."""
    for phrase in log.called:
        if not phrase.where and set(phrase.fields) <= set(log.instance):
            return phrase.text
    return " ".join((machine.rpartition("/")[2], *(f"{{{key}}}" for key in log.instance)))


def _asks(line: LineDefinition) -> bool:
    return line.kinds == (LineKind.ASKED,)


def _no_request(line: LineDefinition) -> Diagnostic:
    assert line.span is not None
    message = "`within` stands on a line that asks for something"
    return Diagnostic("SM509", message, line.span, "write `says: asked`, or take `within` away")


def _nodes(work: SpecBuilder) -> Iterator[YamlNode]:
    """Yield the states, and the lines of the log."""
    states, log = work.root.get("states"), work.root.get("log")
    if isinstance(states, YamlMapping):
        for _, value in states.entries:
            yield from (value,) if isinstance(value, YamlMapping) else node_items(value)
    if isinstance(log, YamlMapping):
        yield from node_items(log.get("lines"))


def _wrong_limits(node: YamlNode, log: LogDefinition) -> Iterator[Diagnostic]:
    if isinstance(node, YamlMapping):
        yield from unknown_limit_fields(node.get("within"), log)


def _state_deadlines(work: SpecBuilder, subject: str) -> Iterator[EpisodeDefinition]:
    names = tuple(dict.fromkeys(state.name for state in work.states))
    for state in work.states:
        if state.within is not None:
            yield EpisodeDefinition(
                f"{state.name} too long", (state.name,), f"{subject} is in {state.name} too long",
                releases=state.releases, span=state.span, longer_than=state.within,
                within=state.within, past_title=f"{subject} stayed in {state.name} too long",
                until=tuple(name for name in names if name != state.name),
            )  # fmt: skip


def _request_deadlines(log: LogDefinition, subject: str) -> Iterator[EpisodeDefinition]:
    """Yield an episode for the requests of each time: one request is open until it is answered."""
    by_limit: dict[TimeLimit, list[LineDefinition]] = defaultdict(list)
    for line in log.lines:
        if line.within is not None and _asks(line):
            by_limit[line.within].append(line)
    for number, (limit, lines) in enumerate(by_limit.items(), start=1):
        name = UNANSWERED if len(by_limit) == 1 else f"{UNANSWERED} {number}"
        releases = reduce(or_, (line.releases for line in lines))
        yield EpisodeDefinition(
            name, (), f"{subject} has not done what it was asked to",
            releases=releases, span=lines[0].span, longer_than=limit, within=limit,
            past_title=f"{subject} was late to do what it was asked to",
            requests=tuple(line.index for line in lines),
        )  # fmt: skip
