"""The catalogue reads the lines that Kafka writes: right values, right meaning, in the right releases, and nothing else."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.machine_definitions import state_moves
from statemachines.notation import spec_names
from statemachines.notation.linting import lint
from tests.catalogue.claims import (
    LINES,
    UNCLAIMED,
    claimed,
    line_rows,
    patterns,
    table,
    unclaimed_rows,
)
from tests.catalogue.fact_lines import VALUES, FactLine
from tests.catalogue.readings import MACHINES, readings, spec_of
from tests.catalogue.reasons import NO_REASON
from tests.shipped import shipped_spec

FACTS_ARE_WRONG = {
    "kafka.controller.PartitionStateMachine": "kafka.controller.ZkPartitionStateMachine",
    "kafka.controller.ReplicaStateMachine": "kafka.controller.ZkReplicaStateMachine",
    "org.apache.kafka.streams.processor.internals.GlobalStreamThread": (
        "org.apache.kafka.streams.processor.internals.GlobalStreamThread$StateConsumer"
    ),
}
"""Loggers that the facts name after the class that has the statement; the program names the class of the object."""


def test_every_shipped_spec_is_without_fault() -> None:
    """Nothing unread, nothing read twice with two meanings, nothing unreachable."""
    assert [str(wrong) for wrong in lint(spec_names())] == []


@pytest.mark.parametrize("row", table(LINES), ids=lambda row: f"{row[0]}: {row[4][:60]}")
def test_a_carried_line_is_read_in_its_releases_and_in_no_other(row: tuple[str, ...]) -> None:
    """One meaning in one machine, at the level that the facts name; where a release lacks the wording, nothing of this meaning reads it."""
    machine, says, level, ranges, message = row
    spec = spec_of(machine)
    read_in = 0
    for release in spec.family.names(spec.releases):
        found = [
            each
            for each in readings(message, release, (machine,))
            if (each.says, each.line.level) == (says, level)
        ]
        read_in |= spec.family.bit(release) if found else 0
    assert spec.family.ranges(read_in) == ranges


def test_the_carried_lines_are_those_that_the_facts_tell(shared: Path) -> None:
    """`python -m tests.catalogue.claims` writes them anew; read the difference before you commit it."""
    assert table(LINES) == line_rows(shared)


def test_what_is_left_out_is_counted_and_has_a_reason(shared: Path) -> None:
    """A line that the facts gain is claimed, or it is counted here for a reason."""
    rows = unclaimed_rows(shared)
    assert rows == table(UNCLAIMED)
    assert not [row for row in rows if row[-1] == NO_REASON]


def test_a_line_of_the_facts_is_claimed_in_all_its_releases_or_in_none(shared: Path) -> None:
    """A range that ends too early hides the steps of the releases after it."""
    read: dict[FactLine, dict[str, str]] = {}
    for line, release, reading, *_ in claimed(shared):
        read.setdefault(line, {})[release] = reading.machine
    partly = {}
    for line, machines in read.items():
        specs = [spec_of(name) for name in set(machines.values())]
        there = [
            name
            for name in line.releases
            if any(spec.family.bit(name) & spec.releases for spec in specs)
        ]
        if missing := [release for release in there if release not in machines]:
            partly[line.key] = missing
    assert partly == {}


def test_a_claimed_line_is_read_with_the_values_that_were_printed(shared: Path) -> None:
    """Every captured field is what the program printed there, or a word of the text itself."""
    for line, release, reading, message, roles in claimed(shared):
        for field, value in reading.values.items():
            if field not in (*VALUES, "from", "to", "state"):
                # printed, and nothing that the facts name; or words of the text
                assert re.fullmatch(r"value\d+", value) or value in line.template
                continue
            true = {
                roles.get(field),
                roles.get("state" if field in ("from", "to") else field),
                roles.get("global"),
                (roles.get("thread") or "").rpartition("-StreamThread-")[
                    0
                ],  # a client names its threads so
            }
            assert value in true or re.search(rf"(?<!\w){re.escape(value)}(?!\w)", line.template), (
                release,
                message,
                field,
                value,
                roles,
            )


def test_a_claimed_line_has_the_level_and_the_logger_of_the_program(shared: Path) -> None:
    """Levels decide what a log can show, so a wrong one turns missing lines into gaps."""
    for line, release, reading, message, _ in claimed(shared):
        assert reading.line.level == line.level, (release, message)
        wrong = FACTS_ARE_WRONG.get(line.logger)
        assert line.logger in reading.line.loggers or wrong in reading.line.loggers, (
            release,
            message,
            line.logger,
        )


def test_a_message_means_one_thing_in_one_release(shared: Path) -> None:
    """Two machines that read one line would count one happening twice."""
    meanings: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for _, release, reading, message, _ in claimed(shared):
        meanings.setdefault((release, message), set()).add((reading.machine, reading.says))
    assert {key: said for key, said in meanings.items() if len(said) > 1} == {}


def test_no_release_reads_a_wording_that_it_does_not_have(shared: Path) -> None:
    """Beside the releases of a line of the facts nothing reads its message, unless another line there is worded the same."""
    lines = {line: message for line, _, _, message, _ in claimed(shared)}
    there = patterns(shared)
    for line, message in lines.items():
        for release in _beside(line, tuple(there)):
            if readings(message, release):
                assert there[release].match(message), (release, message)


def _beside(line: FactLine, releases: tuple[str, ...]) -> list[str]:
    """The releases without the line whose neighbour has it."""
    pairs = [*pairwise(releases), *pairwise(releases[::-1])]
    return [one for one, other in pairs if one not in line.releases and other in line.releases]


@pytest.mark.parametrize("name", MACHINES)
def test_every_kind_of_step_is_told_by_some_line(name: str) -> None:
    """A transition that no line tells is silent, hidden in every log, or never taken; the spec must say which."""
    spec = shipped_spec(name)
    assert spec.log is not None
    untold = []
    for arrow in state_moves(spec.transitions):
        there = 0
        for line in spec.log.lines:
            tells = (LineKind.STEP in line.kinds or LineKind.FORCED in line.kinds) and (
                not line.target or arrow.target in line.target
            )
            there |= line.releases if tells and line.templates[0].fields[:1] else 0
        if not arrow.silent and arrow.taken and arrow.releases & ~there:
            untold.append((arrow.source, arrow.target, spec.family.ranges(arrow.releases & ~there)))
    assert {releases for *_, releases in untold} <= {"0.10.2.0"}, untold


@pytest.mark.parametrize("name", MACHINES)
def test_every_entry_teaches_by_a_sample(name: str) -> None:
    """A sample is what people look at first, and what `lint` reads back."""
    log = shipped_spec(name).log
    assert log is not None
    assert [line.index for line in log.lines if not line.samples] == []
