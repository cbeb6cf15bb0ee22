"""Damaged logs: numbers that are none, halves of characters, times out of this world. A check answers, and never crashes.

Covers: statemachines.logs.search.literal_sets.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.report.json_format import to_json

SPEC = """
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: {}}
transitions: [{from: SHUT, to: OPEN}, {from: OPEN, to: SHUT}]
log:
  instance: [door]
  patterns: {door: '\\d+'}
  lines:
    - {text: "door {door} went from {from} to {to}", says: step, logger: D, level: INFO, samples: ["door 7 went from SHUT to OPEN"]}
"""
MESSAGE = "door 7 went from SHUT to OPEN"
LONG = "9" * 5000


def told(message: object = MESSAGE, **keys: object) -> str:
    """Return a line of a JSON log."""
    return json.dumps(
        {
            "@timestamp": "2026-01-01T10:00:00Z",
            "level": "INFO",
            "logger_name": "D",
            "message": message,
        }
        | keys
    )


def checked(folder: Path, *lines: str) -> sm.Report:
    """Judge some lines, and write the report."""
    (folder / "Door.yaml").write_text(SPEC, "utf-8")
    (folder / "door.log").write_text("\n".join(lines) + "\n", "utf-8")
    report = sm.check(
        [folder / "door.log"], specs=[folder / "Door.yaml"], engine="local", zone="+14:00"
    )
    json.loads("".join(to_json(report)).encode())
    return report


@pytest.mark.parametrize(
    "keys",
    [
        {"level": "²"},
        {"level": LONG},
        {"@timestamp": "²" * 13},
        {"@timestamp": {"epochSecond": 10**30}},
        {"@timestamp": {"epochSecond": 1, "nanoOfSecond": "x"}},
        {"@timestamp": {"epochSecond": 1, "nanoOfSecond": None}},
        {"@timestamp": {"epochSecond": 1, "nanoOfSecond": float("inf")}},
        {"@timestamp": 10**30},
        {"thread": "cut in the middle of \ud83d"},
    ],
    ids=str,
)
def test_a_line_is_read_whatever_stands_beside_its_message(
    tmp_path: Path, keys: dict[str, object]
) -> None:
    """A level or a time that is none is not told; the step is."""
    assert checked(tmp_path, told(**keys)).checked.steps == 1


@pytest.mark.parametrize("micros", ["²" * 16, LONG, "9" * 30])
def test_a_wrapper_whose_time_is_none_is_taken_off_all_the_same(
    tmp_path: Path, micros: str
) -> None:
    """As journald writes it."""
    line = {
        "__REALTIME_TIMESTAMP": micros,
        "_HOSTNAME": "h",
        "SYSLOG_IDENTIFIER": "d",
        "MESSAGE": f"[2026-01-01 10:00:00,000] INFO {MESSAGE} (D)",
    }
    assert checked(tmp_path, json.dumps(line)).checked.steps == 1


@pytest.mark.parametrize("half", ["\ud83d", "x\udc00"])
def test_half_a_character_spoils_its_own_place_only(tmp_path: Path, half: str) -> None:
    """Programs cut messages to a length, and JSON writes the half that is left as an escape; whole ones stay what they are."""
    report = checked(tmp_path, told(f"{half} {MESSAGE}"), told(thread=f"\U0001f600 {half}"))
    assert report.checked.steps == 1
    whole = sm.check([tmp_path / "door.log"], specs=[tmp_path / "Door.yaml"], unread=True)
    assert [row.text for row in whole.unread] == [told(f"{half} {MESSAGE}")]


def test_a_number_too_long_for_one_names_no_instance(tmp_path: Path) -> None:
    """Python refuses to read thousands of digits; nobody counts so many doors."""
    report = checked(tmp_path, told(MESSAGE.replace("7", LONG)), told())
    assert report.checked.steps == 1
    assert [(row.why, row.count) for row in report.unjudged] == [("no instance", 1)]


def test_a_release_too_long_for_one_is_not_known(tmp_path: Path) -> None:
    """A banner with damage says nothing of the release."""
    (tmp_path / "doors.yaml").write_text(
        "notation: 1\nfamily: doors\nreleases: ['1.0', '1.1']\nlog:\n  lines:\n"
        '    - {text: "doors version {release} begins", says: release, logger: D, level: INFO}\n',
        "utf-8",
    )
    (tmp_path / "Door.yaml").write_text(
        SPEC.replace("machine: Door", "machine: Door\nfamily: doors\nin: '1.0..'"), "utf-8"
    )
    (tmp_path / "door.log").write_text(
        told(f"doors version 1.{LONG} begins") + "\n" + told() + "\n", "utf-8"
    )
    report = sm.check([tmp_path / "door.log"], specs=[tmp_path / "Door.yaml"])
    assert report.checked.steps == 1
    assert "is not known to doors" in report.sources[0].problems[0]
