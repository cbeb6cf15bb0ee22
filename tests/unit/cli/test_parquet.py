"""`check --format parquet`: findings and timeline as tables.

Covers: statemachines.api.queries.observation_files, statemachines.api.queries.parquet_files,
statemachines.conform.engines.spark.user_frames.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from statemachines.api.queries import parquet_files
from statemachines.api.queries.observation_files import write_observations
from statemachines.api.queries.parquet_files import CannotWrite, write_parquet
from statemachines.cli import main
from statemachines.model.evidence.reports import Report, TimelineStep
from tests.unit.report.handmade import FULL, STEPS, finding
from tests.unit.report.test_surroundings import shop

pq = pytest.importorskip("pyarrow.parquet")


def read(folder: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    rows: list[dict[str, Any]] = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return rows


def test_the_command_writes_two_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Into a folder, again and again; the exit code is that of the check."""
    log, spec = shop(tmp_path)
    folder = tmp_path / "tables"
    for _ in range(2):
        assert (
            main(["check", str(log), "--spec", str(spec), "--format", "parquet", "-o", str(folder)])
            == 1
        )
    (found,) = [row for row in read(folder, "findings") if row["verdict"] == "VIOLATED"]
    assert (found["kind"], found["line"], dict(found["instance"])) == (
        "forbidden",
        3,
        {"order": "7"},
    )
    told = read(folder, "observations")
    assert {row["line"] for row in told} >= {found["line"]}
    (forbidden,) = [row for row in told if row["line"] == found["line"]]
    assert (forbidden["from"], forbidden["to"]) == (found["from"], found["to"])
    assert (dict(forbidden["instance"]), forbidden["text"]) == ({"order": "7"}, found["text"])
    assert next((row["from"], row["to"], row["how"]) for row in read(folder, "timeline")) == (
        "CART",
        "PAID",
        "told",
    )
    assert (
        main(
            [
                "check",
                str(log),
                "--spec",
                str(spec),
                "--format",
                "parquet",
                "--no-timeline",
                "-o",
                str(tmp_path / "less"),
            ]
        )
        == 1
    )
    assert not (tmp_path / "less" / "timeline.parquet").exists()
    capsys.readouterr()


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    """What came through a pipe is gone when its observations are asked for."""
    assert not write_observations(["-"], tmp_path)
    assert not (tmp_path / "observations.parquet").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "give -o FOLDER"),
        (["-o", "-"], "give -o FOLDER"),
        (["-o", "t", "--engine", "spark", "--since", "2h"], "query the tables that Spark writes"),
    ],
)
def test_what_does_not_go_is_said_before_anything_is_read(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Parquet on a terminal is of no use."""
    assert main(["check", "nowhere", "--format", "parquet", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_episodes_are_a_table(tmp_path: Path) -> None:
    """Whoever asks in SQL which systems were ill needs from when to when, and why."""
    write_parquet(FULL, tmp_path, timeline=False)
    first, second = read(tmp_path, "episodes")
    assert (first["title"], first["open"], first["until_ms"]) == ("order 7 is not paid", True, None)
    assert (first["file"], first["line"], first["text"]) == ("shop.log", 3, "failed")
    assert (second["outcome"], second["until_ms"] - second["since_ms"]) == ("healed", 14_000)
    assert dict(second["subject"]) == {"shop": "north", "order": "8"}
    assert second["file"] is None


def test_without_the_library_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clear sentence, and the form that needs nothing."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(CannotWrite, match=r"pip install .*; or use --format csv"):
        write_parquet(FULL, tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error_with_its_name(tmp_path: Path) -> None:
    """A file is in the way."""
    (tmp_path / "tables").write_text("")
    with pytest.raises(CannotWrite, match="tables is no folder"):
        write_parquet(FULL, tmp_path / "tables")


def test_tables_hold_all_rows_in_the_order_of_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is written at once; times and places may be missing, names of files may be no text."""
    monkeypatch.setattr(parquet_files, "ROWS_AT_ONCE", 2)

    class Long:
        def __iter__(self) -> Iterator[TimelineStep]:
            return (evolve(step, process="bytes\udcff.log") for _ in range(3) for step in STEPS)

    report: Report = evolve(
        FULL, timeline=Long(), findings=tuple(finding(line=line) for line in range(1, 8))
    )
    write_parquet(report, tmp_path)
    assert [row["line"] for row in read(tmp_path, "findings")] == list(range(1, 8))
    rows = read(tmp_path, "timeline")
    assert len(rows) == 3 * len(STEPS)
    assert [(row["life"], row["at_ms"], row["file"]) for row in rows[:3]] == [
        (step.life, step.at.ms if step.at else None, step.place.file if step.place else None)
        for step in STEPS
    ]
    assert rows[0]["process"] == "bytes\ufffd.log"
