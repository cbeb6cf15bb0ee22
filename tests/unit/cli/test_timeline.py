"""`timeline`: what StateChangeLogMerger-like tools did, for any system.

Covers: statemachines.api.queries.instance_lines, statemachines.cli.verbs.timeline.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from statemachines.cli import main

ROOT = Path(__file__).parents[3]
ORDER = ("--spec", str(ROOT / "examples" / "orders" / "Order.yaml"))
FRONT = """\
2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order 7 was placed
2026-11-21 12:00:01.000 INFO  [http-1] shop.Orders - order 8 was placed
2026-11-21 12:00:09.000 WARN  [http-1] shop.Orders - order 7 may not go from PAID to NEW
"""
BANK = """\
2026-11-21 12:00:05.000 ERROR [bank-1] shop.Bank - order 7: payment failed: card expired
2026-11-21 12:00:07.000 INFO  [bank-1] shop.Orders - order 7: NEW -> PAID
"""
SHIP = r"""
notation: 1
machine: Ship
states: {AWAY: {initial: true}, MOORED: {initial: true}}
transitions: [{from: "*", to: MOORED}, {from: "*", to: AWAY}]
log:
  instance: [ship]
  shared: true
  patterns: {ship: '\d+', ships: '.*'}
  logger: coast.Harbour
  level: INFO
  lines:
    - {text: "the harbour sees ship {ship} moor", says: step, to: MOORED}
    - text: "the harbour sees these ships: {ships}"
      says: step
      to: MOORED
      each: {ships: "{ship}"}
      others: AWAY
"""


@pytest.fixture(autouse=True)
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files of one shop."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "front.log").write_text(FRONT, "utf-8")
    (tmp_path / "logs" / "bank.log").write_text(BANK, "utf-8")


def test_lines_of_one_instance_are_merged_by_time(capsys: pytest.CaptureFixture[str]) -> None:
    """Steps, failures and refusals, from both files, and nothing of others."""
    assert main(["timeline", "logs", "--instance", "order=7", *ORDER, "--says"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in told] == [
        "front.log:1",
        "bank.log:1",
        "bank.log:2",
        "front.log:3",
    ]
    assert "failed" in told[1]


def test_a_value_may_stand_for_many(capsys: pytest.CaptureFixture[str]) -> None:
    """A thread's name is long; nobody types it."""
    assert main(["timeline", "logs", "--instance", "order=*", *ORDER]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    assert main(["timeline", "logs", "--instance", "order=9", *ORDER]) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("order=70",),
            "no line tells of order=70; there are `order=7`, `order=8`, and --instance 'order=*' --says shows all",
        ),
        (("order=nine",), "no line tells of order=nine; there are `order=7`, `order=8`"),
        (("release=9",), "no line tells of release=9, nor of another release"),
    ],
)
def test_an_instance_that_no_line_tells_of_is_said_to_be_missing_and_the_nearest_are_named(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Silence reads as a broken program; standard output stays empty for a pipe, and one line is enough for a person."""
    asked = [word for each in words for word in ("--instance", each)]
    assert main(["timeline", "logs", *asked, *ORDER]) == 1
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert said in shown.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("logs", "--instance", "oder=7"), "lines tell order, release"),
        (("logs", "--instance", "order"), "no FIELD=VALUE"),
        (("nowhere", "--instance", "order=7"), "nowhere"),
    ],
)
def test_wrong_words_get_a_sentence(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2."""
    assert main(["timeline", *words, *ORDER]) == 2
    assert said in capsys.readouterr().err


def test_rotated_and_packed_files_are_one_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A log is rotated within a millisecond: the older file comes first, whatever its name; ties of two files go by name, then by line."""
    line = "2026-11-21 12:00:0{}.000 INFO  [http-1] shop.Orders - order {} was placed\n"
    folder = tmp_path / "logs"
    (folder / "front.log").write_text(line.format(5, 7), "utf-8")
    (folder / "front.log.1").write_text(line.format(5, 7) * 2, "utf-8")
    (folder / "front.log.2.gz").write_bytes(
        gzip.compress((line.format(1, 7) + line.format(5, 7)).encode())
    )
    (folder / "bank.log").write_text(line.format(5, 7) + line.format(6, 7), "utf-8")
    assert main(["timeline", "logs", "--instance", "order=7", *ORDER]) == 0
    told = [each.split()[0] for each in capsys.readouterr().out.splitlines()]
    assert told == [
        *(
            "front.log.2.gz:1",
            "bank.log:1",
            "front.log.2.gz:2",
            "front.log.1:1",
            "front.log.1:2",
            "front.log:1",
            "bank.log:2",
        ),
    ]


def test_every_line_that_check_reads_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """*No line tells of order 9* is said to a person whom `check` has just sent here: a state that the spec lacks, a header nobody knows."""
    text = "2026-11-21 12:00:11.000 INFO  [http-1] shop.Orders - order 9: NEW -> LOST\n"
    (tmp_path / "logs" / "lost.log").write_text(text, "utf-8")
    (tmp_path / "logs" / "odd.log").write_text("[front|worker-0] order 9: NEW -> PAID\n", "utf-8")
    assert main(["timeline", "logs", "--instance", "order=9", *ORDER]) == 0
    assert sorted(line.split()[0] for line in capsys.readouterr().out.splitlines()) == [
        "lost.log:1",
        "odd.log:1",
    ]


def test_a_complete_list_tells_of_those_whom_it_leaves_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check` blames that line; one whom no line ever names is not made up of it."""
    (tmp_path / "Ship.yaml").write_text(SHIP, "utf-8")
    line = "[2026-01-01 10:00:0{},000] INFO the harbour sees {} (coast.Harbour)\n"
    seen = ["ship 1 moor", "ship 2 moor", "these ships: 2"]
    text = "".join(line.format(at, each) for at, each in enumerate(seen))
    (tmp_path / "ships.log").write_text(text, "utf-8")
    for ship, lines in ((1, ["ships.log:1", "ships.log:3"]), (2, ["ships.log:2", "ships.log:3"])):
        words = ["timeline", "ships.log", "--spec", "Ship.yaml", "--instance", f"ship={ship}"]
        assert main(words) == 0
        assert [each.split()[0] for each in capsys.readouterr().out.splitlines()] == lines
    words = ["timeline", "ships.log", "--spec", "Ship.yaml", "--instance", "ship=3"]
    assert main(words) == 1
    assert "no line tells of ship=3; there are `ship=1`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("more.zip", b"PK\x03\x04" + FRONT.encode(), "unpack it"),
        ("heap.hprof", bytes(range(256)) * 40, "not a text file"),
        ("more.log.gz", gzip.compress(FRONT.encode() * 99)[:-30], "cut archive"),
    ],
)
def test_a_named_file_that_cannot_be_read_is_said(
    name: str, content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line of it may be the one that is looked for."""
    (tmp_path / name).write_bytes(content)
    assert main(["timeline", "logs", name, "--instance", "order=7", *ORDER]) == 2
    assert said in capsys.readouterr().err
