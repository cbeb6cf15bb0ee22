"""`check --state`: what a person sees of it.

Covers: statemachines.conform.engines.state.packed_values.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest

import statemachines as sm
from statemachines.cli import main
from statemachines.conform.engines.growing.content_readings import ContentReading
from statemachines.conform.engines.state import packed_values
from statemachines.conform.engines.state.state_folder import StateFolder
from statemachines.conform.interchange.loud_lines import LoudLine
from statemachines.conform.interchange.observations import LineReading
from statemachines.report.formats import report_in_form

ORDER = Path(__file__).parents[3] / "examples" / "orders"
PLACED = "2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order 7 was placed\n"
SHIPPED = "2026-11-21 12:00:01.000 INFO  [http-1] shop.Orders - order 7: NEW -> SHIPPED\n"
CHECK = ["check", "logs", "--spec", str(ORDER), "--state", "state", "--format", "json"]


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a log in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "shop.log").write_text(PLACED)
    return tmp_path / "logs" / "shop.log"


def report(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    code = main([*CHECK, *options, "--quiet"])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_log_that_grew_is_judged_as_a_whole(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second check reads one line, and knows the one before it."""
    assert report(capsys)[0] == 0
    with log.open("a") as written:
        written.write(SHIPPED)
    code, out, err = report(capsys)
    assert (code, err) == (1, "")
    main([*CHECK[:4], "--format", "json", "--quiet"])
    assert capsys.readouterr().out == out


def test_a_state_folder_among_the_logs_is_no_log(capsys: pytest.CaptureFixture[str]) -> None:
    """It would be listed as a file that is no text, and differ each time."""
    outs = [report(capsys, "--state", "logs/state")[1] for _ in range(2)]
    assert outs[0] == outs[1]
    assert "sqlite" not in outs[0]


@pytest.mark.parametrize("place", ["logs", ".", "logs/..", "logs/state"])
def test_logs_beside_the_state_are_judged(
    place: str, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who kept the state in the folder of the logs, or above it, was told that there were none."""
    log.write_text(PLACED + SHIPPED)
    main([*CHECK[:4], "--format", "json", "--quiet"])
    expected = capsys.readouterr().out
    assert [report(capsys, "--state", place) for _ in range(2)] == [(1, expected, "")] * 2
    with sm.follow("logs", specs=ORDER, state=place) as follower:
        follower.poll()
        followed = json.loads("".join(report_in_form(follower.report(), "json")))
    assert {**followed, "made_with": None} == {**json.loads(expected), "made_with": None}


def test_a_folder_in_use_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Two checks that write one folder would spoil it."""
    report(capsys)
    before = Path("state/readings.sqlite").read_bytes()
    other = sqlite3.connect("state/readings.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    code, out, err = report(capsys)
    other.close()
    assert (code, out) == (2, "")
    assert err == (
        "statemachines: the state folder state is in use by another check; wait for it, or name"
        " another folder\n"
    )
    assert Path("state/readings.sqlite").read_bytes() == before
    with pytest.raises(sm.CannotCheck, match="state"):
        sm.check("logs", specs=ORDER, state="/dev/null/state")


def test_a_database_that_is_none_is_kept_and_made_anew(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever it was, it is not written over."""
    first = report(capsys)
    Path("state/readings.sqlite").write_bytes(b"this is something else\n" * 100)
    code, out, err = report(capsys)
    assert (code, out) == first[:2]
    assert "is damaged" in err
    assert "kept as damaged-1.sqlite, and all is read anew" in err
    assert Path("state/damaged-1.sqlite").read_bytes().startswith(b"this is something else")
    assert report(capsys) == first


def spoil(table: str, column: str) -> None:
    """Let a bit fall over in every row of a table."""
    database = sqlite3.connect("state/readings.sqlite")
    rows = database.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
    assert rows
    for rowid, packed in rows:
        spoiled = packed[:-9] + bytes([packed[-9] ^ 1]) + packed[-8:]
        database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (spoiled, rowid))
    database.commit()
    database.close()


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("contents", "reading"),
        ("observations", "rows"),
        ("observations", "tellers"),
        ("judgements", "head"),
        ("judgements", "fold"),
        ("step_rows", "rows"),
        ("numberings", "numbering"),
        ("rested_on", "facts"),
    ],
)
def test_a_damaged_row_is_said_and_read_anew(
    table: str, column: str, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bit that fell over must not come into a report."""
    log.write_text((PLACED + SHIPPED) * 3 + PLACED * 3_000 + SHIPPED)
    report(capsys)
    spoil(table, column)
    if table == "observations":  # asked for where findings name a file that is called otherwise now
        log = log.rename(log.with_name("shop.log.1"))
    else:
        with log.open("a") as written:
            written.write(SHIPPED)
    code, out, err = report(capsys)
    assert "is damaged (a row is not as it was written)" in err
    main([*CHECK[:4], "--format", "json", "--quiet"])
    assert (code, out) == (1, capsys.readouterr().out)
    assert report(capsys) == (code, out, "")


def test_a_disk_that_is_full_is_said_and_the_check_goes_on(
    log: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept only saves time; the folder stays as the last check left it."""
    log.write_text(PLACED * 3_000 + SHIPPED)
    report(capsys)
    before = Path("state/readings.sqlite").read_bytes()
    prepared = StateFolder._prepared

    def small(folder: StateFolder) -> sqlite3.Connection:
        database = prepared(folder)
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        database.execute(f"PRAGMA max_page_count = {pages}")
        return database

    monkeypatch.setattr(StateFolder, "_prepared", small)
    log.write_text(PLACED * 9_000 + SHIPPED)
    code, out, err = report(capsys)
    assert "state cannot be written (database or disk is full); this check keeps nothing" in err
    main([*CHECK[:4], "--format", "json", "--quiet"])
    assert (code, out) == (1, capsys.readouterr().out)
    assert Path("state/readings.sqlite").read_bytes() == before


def test_a_folder_on_a_full_disk_keeps_nothing_and_the_check_goes_on(
    log: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the folder is new: whoever checks every night wants the report of tonight."""
    connect = sqlite3.connect

    def full(file: Path, **options: Any) -> sqlite3.Connection:
        database: sqlite3.Connection = connect(file, **options)
        if str(file) != ":memory:":
            database.execute("PRAGMA max_page_count = 1")
        return database

    monkeypatch.setattr(sqlite3, "connect", full)
    log.write_text(PLACED * 3_000 + SHIPPED)
    code, out, err = report(capsys)
    assert "state cannot be written (database or disk is full); this check keeps nothing" in err
    main([*CHECK[:4], "--format", "json", "--quiet"])
    assert (code, out) == (1, capsys.readouterr().out)


def test_where_the_disk_has_undone_everything_the_reason_is_said(tmp_path: Path) -> None:
    """A database whose disk is full may undo all of it by itself: that is what a person must know,
    and not that there was nothing left to undo.
    """
    with StateFolder(tmp_path / "state", {}) as folder:
        undone = folder.undone_on_failure()
        undone.__enter__()
        folder._database.execute("ROLLBACK")
        full = sqlite3.OperationalError("database or disk is full")
        assert undone.__exit__(type(full), full, None) is False, "it goes on as it is"


def test_a_value_that_would_run_something_is_refused() -> None:
    """A state folder may come from elsewhere, as a cache of a build server does."""
    import os
    import pickle

    from statemachines.conform.engines.state.packed_values import (
        DamagedValue,
        pack_value,
        unpack_value,
    )

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.system, ("touch trapped",)

    assert pickle.dumps(Trap())
    with pytest.raises(DamagedValue, match="system is no part of a reading"):
        unpack_value(pack_value(Trap()))
    assert not Path("trapped").exists()


def classes_within(value: object, known: dict[type, None]) -> dict[type, None]:
    """Return the classes of which a type is made, by what its fields say."""
    for part in get_args(value):
        classes_within(part, known)
    kind = get_origin(value) or value
    if (
        isinstance(kind, type)
        and kind.__module__.startswith("statemachines.")
        and kind not in known
    ):
        known[kind] = None
        for hint in get_type_hints(kind).values():
            classes_within(hint, known)
    return known


def test_all_that_a_reading_is_made_of_comes_out_again() -> None:
    """A class that was forgotten would have every state folder that holds one read anew."""
    made_of = classes_within(ContentReading, {})
    assert LoudLine in made_of
    assert LineReading in made_of
    assert not set(made_of) - set(packed_values._CLASSES.values())


def test_what_is_read_on_a_cluster_is_not_kept_here(capsys: pytest.CaptureFixture[str]) -> None:
    """It would be passed over in silence."""
    assert main([*CHECK, "--engine", "spark"]) == 2
    assert "--state keeps what this machine has read" in capsys.readouterr().err
    with pytest.raises(ValueError, match="leave it out to use Spark"):
        sm.CheckOptions(state="state", engine="spark")
