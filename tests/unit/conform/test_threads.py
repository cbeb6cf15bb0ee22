"""The name of a thread tells which instance speaks, where the message does not.

Covers: statemachines.conform.engine_choice, statemachines.conform.engines.local,
statemachines.conform.engines.observation_store, statemachines.conform.interchange.check_plan,
statemachines.conform.interchange.profiles, statemachines.conform.join.report_sources,
statemachines.conform.join.eras, statemachines.conform.judge.judgement_pass,
statemachines.conform.settle.judging_context, statemachines.model.definitions.log_definitions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.notation import read_spec

SPEC = """
notation: 1
machine: Pump
states: {IDLE: {initial: true}, BUSY: }
transitions:
  - {from: IDLE, to: BUSY}
  - {from: BUSY, to: IDLE}
log:
  instance: [pump]
  patterns: {pump: '\\d+'}
  lines:
    - {text: "work went from {from} to {to}", says: step, logger: org.example.Pump, level: INFO, thread: "pump-{pump}", samples: ["work went from IDLE to BUSY"]}
"""
LOG = """\
2026-01-02 12:00:00,000 INFO  [pump-1] org.example.Pump - work went from IDLE to BUSY
2026-01-02 12:00:01,000 INFO  [pump-2] org.example.Pump - work went from IDLE to BUSY
2026-01-02 12:00:02,000 INFO  [pump-1] org.example.Pump - work went from BUSY to IDLE
2026-01-02 12:00:03,000 INFO  [other] org.example.Pump - work went from IDLE to BUSY
2026-01-02 12:00:04,000 INFO  org.example.Pump - work went from IDLE to BUSY
"""


@pytest.fixture
def checked(tmp_path: Path) -> sm.Report:
    """What the log tells."""
    (tmp_path / "Pump.yaml").write_text(SPEC)
    (tmp_path / "pump.log").write_text(LOG)
    return sm.check(tmp_path / "pump.log", specs=[tmp_path / "Pump.yaml"])


def test_an_instance_is_named_by_its_thread(checked: sm.Report) -> None:
    """Two threads write equal messages of two instances; taken for one, they would break its rules."""
    assert str(checked.verdict) != "VIOLATED"
    assert checked.checked.steps == 3


def test_a_line_without_thread_has_no_instance_and_it_is_said(checked: sm.Report) -> None:
    """Not to know which is no reason to guess."""
    assert [row.count for row in checked.unjudged if row.why == "no instance"] == [1]


def test_a_key_that_only_a_thread_tells_is_told(tmp_path: Path) -> None:
    """And one that nobody tells is a mistake of the spec."""
    file = tmp_path / "Pump.yaml"
    file.write_text(SPEC)
    assert read_spec(file).diagnostics == ()
    file.write_text(SPEC.replace("pump-{pump}", "pump-{*}"))
    assert "SM515" in [found.code for found in read_spec(file).diagnostics]


def test_a_url_needs_spark_and_says_so_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was called a file that is not there."""
    monkeypatch.setattr("statemachines.conform.engine_choice._has_spark", lambda: False)
    report = sm.check("s3a://bucket/logs")
    assert report.errors == (
        "s3a://bucket/logs: a URL is read by Spark: --engine spark, and the extra 'spark'",
    )


@pytest.mark.parametrize("odd", ["x" * 300, "s3a://" + "x" * 300, "a\0b", "\udcff"])
def test_a_path_that_no_file_can_have_costs_nothing_else(
    odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One name that is too long lost all logs, as did a file that vanished at the wrong moment."""
    monkeypatch.setattr("statemachines.conform.engine_choice._has_spark", lambda: False)
    (tmp_path / "a.log").write_text("nothing of interest\n")
    report = sm.check([odd, tmp_path])
    assert [error.partition(": ")[0] for error in report.errors] == [odd]
    assert report.checked.lines == 1
