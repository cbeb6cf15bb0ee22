"""The log lines of the facts, written out as a program would write them, with what each printed value is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from attrs import field, frozen

from tests.catalogue.facts import CONTROLLER, LATER, NAMED_DIFFERENTLY, STREAMS, in_range, read

LAST_OF_THE_OLDER = "3.8.0"
"""The later facts tell of every release after it."""
NOT_IN_THE_OLDER = {"0.11.0.3": "0.11.0.2", "3.7.2": "3.7.1"}
"""Releases that the older facts leave out, and the one whose lines they have."""
THREAD, CLIENT, GLOBAL, TASK = (
    "orders-client-StreamThread-1",
    "orders-client",
    "orders-client-GlobalStreamThread",
    "0_1",
)
VALUES = {
    "thread": THREAD, "client": CLIENT, "global": GLOBAL, "task": TASK, "controller": "1", "epoch": "4", "topic": "pay-ments-2",
    "partition": "0", "replica": "3", "leader": "2", "broker": "5", "release": "2.5.1",
}  # fmt: skip
PREFIXES = {
    "KafkaStreams": "stream-client [{client}] ",
    "KafkaStreams.StreamStateListener": "stream-client [{client}] ",
    "GlobalStreamThread": "global-stream-thread [{global}] ",
    "StreamTask": "stream-thread [{thread}] task [{task}] ",
    "StandbyTask": "stream-thread [{thread}] standby-task [{task}] ",
    "AbstractTask": "stream-thread [{thread}] task [{task}] ",
    "DefaultStateUpdater": "state-updater [{thread}] ",
}
"""Of the later facts, which tell no prefix; all other classes of streams have the thread's."""
WITHOUT_PREFIX = re.compile(r"Creating (restore )?consumer client for thread")
OTHERS = "Shutting down broker"
"""What a controller says of another broker; in its other lines a `brokerId` is its own."""
ROLES = (
    (re.compile(r"logPrefix$"), "prefix"),
    (re.compile(r"oldState$"), "from"),
    (re.compile(r"newState$|targetState$|State\.RUNNING$|state == State\.PENDING_SHUTDOWN"), "to"),
    (re.compile(r"(streamThread\.)?state(\(\))?$|stateSnapshot$|immutableStateCopy$"), "state"),
    (re.compile(r"(this\.)?getName\(\)$|thread(Name|Id)$"), "thread"),
    (re.compile(r"ClientMetrics\.version\(\)$"), "release"),
    (re.compile(r"((\w*[tT]ask|this)\.)?(id|taskId)(\(\))?$"), "task"),
)
"""What an argument's expression prints; everything else is opaque."""
BEFORE = ((re.compile(r"in state +$"), "state"), (re.compile(r"restoration for $"), "task"))
"""What is printed after some words, where the facts do not tell the expression."""
STILL_THERE = re.compile(r"Failed to (close|recycle) task %s cleanly")
"""Of the older facts; the later ones print the computed text as `{}`. Read in the sources of 3.9.1 and 4.3.1."""

WIDER = {
    (
        "AssignedStreamsTasks",
        "Failed to process stream task {} due to the following error:",
    ): "1.0.0..2.5.1"
}
"""Class and template to the releases, where the older facts leave some out: AssignedTasks of 1.0 prints the same, the kind of task filled in."""


@frozen
class FactLine:
    """One line of the facts in some releases."""

    key: str
    """File, class, level and template: what is counted."""
    group: tuple[str, str, str]
    """File, class, event: what is left out together, for one reason."""
    template: str
    """With `{role}` or `{}` for what is printed; the prefix is part of it."""
    level: str
    logger: str
    releases: tuple[str, ...] = field(repr=False)

    def written(self, states: dict[str, str]) -> tuple[str, dict[str, str]]:
        """Write the message; return it, without its further lines, and the text of each role.

        Args:
            states: texts for `from`, `to` and `state`.
        """
        values, opaque = {**VALUES, **states}, iter(range(71, 999))
        printed = re.sub(
            r"\{([a-z]*)\}",
            lambda found: values.get(found.group(1)) or f"value{next(opaque)}",
            self.template,
        )
        roles = set(re.findall(r"\{([a-z]+)\}", self.template))
        return printed.split("\n")[0].rstrip(), {
            role: values[role] for role in roles if role in values
        }


def fact_lines(folder: Path, releases: tuple[str, ...]) -> list[FactLine]:
    """Return every log line of the facts, with the releases of the list in which it exists."""
    found = (*_older(folder, releases), *_later(folder, releases), *_controller(folder, releases))
    return [line for line in found if line.releases]


def _older(folder: Path, releases: tuple[str, ...]) -> Iterator[FactLine]:
    for row in read(folder, STREAMS)["log_templates"]:
        ranges = WIDER.get((row["class"], row["template"]), row["releases"])
        prefixes = (
            row["log_prefix"]
            if isinstance(row["log_prefix"], dict)
            else {ranges: row["log_prefix"]}
        )
        arguments = row["argument_expressions"]
        by_range = arguments if isinstance(arguments, dict) else {ranges: arguments or ""}
        own = set(_up_to(ranges, releases))
        newest = (
            releases[releases.index(LAST_OF_THE_OLDER) :]
            if STILL_THERE.match(row["template"]) and "trunk" in row["releases"]
            else ()
        )
        for prefix_range, prefix in prefixes.items():
            for argument_range, expressions in by_range.items():
                there = (
                    own
                    & set(_up_to(prefix_range, releases))
                    & set(_up_to(argument_range, releases))
                )
                there |= {
                    name
                    for name in newest
                    if releases.index(name) > releases.index(LAST_OF_THE_OLDER)
                    and LAST_OF_THE_OLDER in there
                }
                template = _prefix(prefix, row["class"]) + _with_roles(
                    row["template"], expressions, prefix
                )
                yield _line(
                    STREAMS,
                    row,
                    row["event"],
                    template,
                    row["logger_category"],
                    sorted(there, key=releases.index),
                )


def _up_to(text: str, releases: tuple[str, ...]) -> list[str]:
    """The releases of a range of the older facts, which have others' lines for two that they leave out, and end early."""
    known = releases[: releases.index(LAST_OF_THE_OLDER) + 1]
    parts = [
        part
        for part in text.replace(";", ",").split(",")
        if NAMED_DIFFERENTLY.get(first := part.strip().split("..")[0], first) in known
    ]
    found = {name for part in parts for name in in_range(part, known)}
    found |= {name for name, same in NOT_IN_THE_OLDER.items() if same in found}
    return [name for name in known if name in found]


def _later(folder: Path, releases: tuple[str, ...]) -> Iterator[FactLine]:
    begin = releases.index(LAST_OF_THE_OLDER) + 1
    for row in read(folder, LATER)["log_templates"]:
        there = [
            name for name in in_range(row["releases"], releases) if releases.index(name) >= begin
        ]
        prefix = (
            PREFIXES.get(row["class"], "stream-thread [{thread}] ")
            if row["group"] == "streams"
            else ""
        )
        if WITHOUT_PREFIX.match(row["template"]):
            prefix = ""
        template = prefix + _with_roles(row["template"], row.get("arguments") or "", "")
        for logger, some in _loggers(row, releases):
            yield _line(
                LATER, row, row["group"], template, logger, [name for name in there if name in some]
            )


def _loggers(
    row: dict[str, Any], releases: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A logger, several of which one wrote, or loggers and their ranges."""
    if isinstance(row["logger"], dict):
        yield from (
            (logger, tuple(in_range(ranges, releases))) for logger, ranges in row["logger"].items()
        )
    else:
        yield (row["logger"] if isinstance(row["logger"], str) else row["logger"][0]), releases


def _controller(folder: Path, releases: tuple[str, ...]) -> Iterator[FactLine]:
    for row in read(folder, CONTROLLER)["log_templates"]:
        for prefix in row["prefix"]:
            there = set(_pairs(row["releases"], releases)) & set(
                _pairs(prefix["releases"], releases)
            )
            ordered = sorted(there, key=releases.index)
            for brackets in (True, False):
                some = [
                    name
                    for name in ordered
                    if (releases.index(name) < releases.index("1.0.0")) == brackets
                ]
                template = _named(prefix["prefix"] + row["template"], brackets=brackets)
                yield _line(CONTROLLER, row, row["event"], template, row["logger"], some)


def _pairs(ranges: Iterable[list[str]], releases: tuple[str, ...]) -> Iterator[str]:
    """The releases of pairs of ends; 0.11.0.3, 3.8.1 and what followed 3.9.0-rc3 have the lines of their neighbours."""
    for first, last in ranges:
        end = {"0.11.0.2": "0.11.0.3", "3.7.1": "3.7.2", "3.9.0-rc3": "3.9.2"}.get(last, last)
        yield from in_range(f"{first}..{end}", releases)


def _named(text: str, *, brackets: bool) -> str:
    """Write the printed values of a controller's line by the names of ours; a partition is `[t,0]` up to 0.11 and `t-0` later."""
    text = text.replace("{tp}", "[{topic},{partition}]" if brackets else "{topic}-{partition}")
    ours = {
        "controllerId": "controller", "controllerEpoch": "epoch", "partitionId": "partition", "replicaId": "replica", "fromState": "from",
        "brokerId": "broker" if OTHERS in text else "controller", "toState": "to", "newLeader": "leader", "topic": "topic", "leader": "leader", "partition": "partition",
    }  # fmt: skip
    return re.sub(r"\{(\w+)\}", lambda found: "{" + ours.get(found.group(1), "") + "}", text)


def _prefix(prefix: str, owner: str) -> str:
    if prefix.startswith("(none") or "argument" in prefix:
        return ""
    kind = "standby-task" if owner == "StandbyTask" else "task"
    written = prefix.replace("task|standby-task", kind).replace("stream-task|standby-task", kind)
    for name, role in (
        ("stream-client", "client"),
        ("global-stream-thread", "global"),
        ("task", "task"),
        ("stream-thread", "thread"),
    ):
        written = re.sub(rf"(^|[ -]){name} \[%s\]", rf"\1{name} [{{{role}}}]", written, count=1)
    return written.replace("%s", "{}")


def _with_roles(template: str, expressions: str, prefix: str) -> str:
    """Name what is printed by the expressions of the arguments, in their order; `${…}` and `%s` are printed values too."""
    arguments = iter(_split(expressions))
    first = re.sub(r'^"(.*)" passed.*$', r"\1", prefix)

    def role(found: re.Match[str]) -> str:
        expression = found.group(1) if found.group(1) is not None else next(arguments, "")
        before = template[: found.start()]
        name = next((name for pattern, name in ROLES if pattern.match(expression.strip())), "")
        name = name or next((name for pattern, name in BEFORE if pattern.search(before)), "")
        return (
            _prefix(first, "")
            if name == "prefix" and "argument" in prefix
            else "stream-client [{client}]"
            if name == "prefix"
            else "{" + name + "}"
        )

    return re.sub(r"\$\{([^}]*)\}|\{\}|%[sd]", role, template)


def _split(expressions: str) -> list[str]:
    """Split at the commas (semicolons in the later facts) that stand in no brackets."""
    parts, depth = [""], 0
    for sign in expressions:
        depth += sign in "([{"
        depth -= sign in ")]}"
        if sign in ",;" and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _line(
    file: str, row: dict[str, Any], event: str, template: str, logger: str, releases: Iterable[str]
) -> FactLine:
    group = (file, row["class"], event)
    return FactLine(
        f"{file} {row['class']} {row['level']} {row['template']}",
        group,
        template,
        row["level"],
        logger,
        tuple(releases),
    )
