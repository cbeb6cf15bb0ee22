"""An embedded machine's own log, in the wording of its spec.

Covers: statemachines.api.step_logs.
"""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.api.step_logs import LogLine
from tests.machines import TURNSTILE

DOOR = """\
notation: 1
machine: door
states:
  CLOSED: {initial: true}
  OPEN:
  GONE: {final: true}
transitions:
  - {from: CLOSED, to: OPEN, event: open}
  - {from: OPEN, to: CLOSED, event: close}
  - {from: [CLOSED, OPEN], to: GONE}
otherwise:
  - {from: GONE, to: OPEN, does: force}
  - {event: close, does: ignore}
log:
  instance: [door]
  patterns: {door: '\\w+'}
  lines:
    - {text: "door {door} was hung", says: begin, state: CLOSED}
    - {text: "door {door} is taken away", says: step, to: GONE, level: WARN, logger: house.Doors}
    - {text: "door {door} goes from {from} to {to}", says: step, logger: house.Doors}
    - {text: "door {door} was forced from {from} to {to}", says: forced, level: ERROR, logger: house.Doors}
    - {text: "door {door}: nobody may go from {from} to {to}", says: refused, level: WARN, logger: house.Doors}
"""


@pytest.fixture
def door(tmp_path: Path) -> sm.Machine:
    """A door from a file."""
    path = tmp_path / "door.yaml"
    path.write_text(DOOR)
    return sm.load(path).at()


def test_steps_are_written_as_the_spec_reads_them(door: sm.Machine) -> None:
    """The most telling of the lines that fit is the first one; a swallowed event has no line here."""
    lines: list[LogLine] = []
    log = door.step_log(lines.append, door="front")
    front = door.bind(after=[log]).instance()
    log.begin(front.state)
    for event in ("open", "close", "close", "to_GONE", "to_OPEN"):
        front.send(event)
    with pytest.raises(sm.NotAllowed):
        front.send("to_OPEN")
    assert lines == [
        LogLine("door front was hung", "INFO", door.name),
        LogLine("door front goes from CLOSED to OPEN", "INFO", "house.Doors"),
        LogLine("door front goes from OPEN to CLOSED", "INFO", "house.Doors"),
        LogLine("door front is taken away", "WARN", "house.Doors"),
        LogLine("door front was forced from GONE to OPEN", "ERROR", "house.Doors"),
        LogLine("door front: nobody may go from OPEN to OPEN", "WARN", "house.Doors"),
    ]


def test_pythons_logging_is_the_default(door: sm.Machine, caplog: pytest.LogCaptureFixture) -> None:
    """To the logger and at the level that the spec names."""
    with caplog.at_level(logging.INFO):
        door.bind(after=[door.step_log(door="back")]).instance().send("to_GONE")
    assert [(record.name, record.levelname, record.getMessage()) for record in caplog.records] == [
        ("house.Doors", "WARNING", "door back is taken away")
    ]


def test_what_would_not_be_read_back_is_not_written(door: sm.Machine) -> None:
    """A name with a blank does not match the spec's pattern: such a line would mislead."""
    lines: list[LogLine] = []
    door.bind(after=[door.step_log(lines.append, door="front door")]).instance().send("open")
    assert lines == []


def test_keys_and_lines_must_be_there(door: sm.Machine) -> None:
    """Lines that nobody can tell apart help nobody."""
    with pytest.raises(ValueError, match="need `door`"):
        door.step_log()
    with pytest.raises(ValueError, match="add `log:` to its spec"):
        sm.Machine(TURNSTILE).step_log()
