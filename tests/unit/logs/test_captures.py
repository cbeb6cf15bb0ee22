"""The captured logs and the public ones are read sensibly.

Covers: statemachines.logs.layouts.tabular_lines, statemachines.logs.records.physical_lines.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from statemachines.logs import NO_LAYOUT, Scanner, first_and_last_times, open_log, scan

EVERY = Scanner([b" ", b'"'])
"""Nearly every line."""
TAKEN = {
    "springboot2.log": "spring-boot",
    "springboot3.log": "spring-boot",
    "short_logger.log": "thread-level-logger",
    "abbreviated_logger.log": "level-logger",
    "no_logger.log": "level-message",
    "time_only.log": "thread-level-logger",
    "epoch_millis.log": "pipes",
    "logstash.json": "logstash",
    "ecs.json": "ecs",
    "gelf.json": "gelf",
    "log4j2_event.json": "logstash",
}


def captures(shared: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The captures with what is known of them."""
    folders = sorted((shared / "logs" / "captured").glob("*/truth.json"))
    return [(truth.parent, json.loads(truth.read_text())) for truth in folders]


@pytest.mark.corpus
def test_the_line_that_tells_a_step_is_read_with_its_time(shared: Path) -> None:
    """Whatever the layout a record begins there, with a level, at the step's time (4 s of slack; the zone, whole minutes, set aside)."""
    checked = 0
    for folder, truth in captures(shared):
        wanted = _lines_of_steps(truth)
        for name, steps in wanted.items():
            with open_log(folder / name) as log:
                told = {record.line: record for record in scan(log.buffer, 0, log.size, EVERY)}
            for line, at_ms in steps:
                record = told[line]
                assert record.level is not None
                assert record.layout != NO_LAYOUT
                late = (record.at_ms or 0) - at_ms
                assert abs((late + 30_000) % 60_000 - 30_000) < 4000 or not record.dated, (
                    folder.name,
                    name,
                    line,
                )
                checked += 1
    assert checked > 9_000


def _lines_of_steps(truth: dict[str, Any]) -> dict[str, list[tuple[int, int]]]:
    wanted: dict[str, list[tuple[int, int]]] = {}
    for step in truth["steps"]:
        if step.get("logged") and step.get("line") and "zk_at_ms" not in step:
            for name, line in {step["file"]: step["line"], **step.get("lines", {})}.items():
                wanted.setdefault(name, []).append((line, step["at_ms"]))
    return wanted


@pytest.mark.corpus
def test_the_layout_of_each_capture_is_told(shared: Path) -> None:
    """One layout a file, that of its program."""
    for folder in sorted((shared / "logs" / "captured").glob("*_layouts")):
        for path in sorted(folder.glob("*[.log][.json]")):
            if path.name in TAKEN:
                with open_log(path) as log:
                    reading = scan(log.buffer, 0, log.size, Scanner([b"State transition"]))
                    assert len(list(reading)) > 20
                    assert set(reading.layouts) == {TAKEN[path.name]}


@pytest.mark.corpus
def test_a_merged_file_says_what_the_separate_ones_say(shared: Path) -> None:
    """Compose, kubectl and the CRI write the same records around different prefixes."""
    folder = shared / "logs" / "captured" / "s251_onefile"
    told = {}
    for path in sorted(folder.glob("*.log")):
        with open_log(path) as log:
            told[path.name] = [
                (r.message, r.level, r.logger, r.at_ms, r.following_lines)
                for r in scan(log.buffer, 0, log.size, Scanner([b"transition"]))
            ]
    assert (
        told["compose.log"] == told["compose_v2.log"] == told["kubectl.log"] == told["cri_both.log"]
    )
    assert sorted(told["cri_app1.log"] + told["cri_app2.log"], key=str) == sorted(
        told["compose.log"], key=str
    )


@pytest.mark.corpus
def test_every_file_has_a_first_and_a_last_time(shared: Path) -> None:
    """In order, and every one dated but where the program writes no date."""
    for path in sorted((shared / "logs").glob("*/**/*.log*")):
        with open_log(path) as log:
            first, last = first_and_last_times(log.buffer)
        assert first is not None
        assert last is not None
        assert first.at_ms <= last.at_ms + 1000 or not first.dated


@pytest.mark.corpus
def test_hardly_a_line_of_the_captures_is_read_by_no_layout(shared: Path) -> None:
    """What is left begins a public excerpt in the middle of a record."""
    plain = []
    for path in sorted((shared / "logs").glob("*/**/*.log")):
        if path.stat().st_size < 60_000:
            with open_log(path) as log:
                plain += [
                    path.name
                    for record in scan(log.buffer, 0, log.size, EVERY)
                    if record.layout == NO_LAYOUT
                ]
    assert len(plain) < 8
