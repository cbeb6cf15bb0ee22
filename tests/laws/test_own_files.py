"""Law: what this program wrote, and what it judges by, is no log, wherever it lies and whoever
reads it.

Covers: statemachines.logs.storage.own_files.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.cli import main
from statemachines.logs.storage.own_files import OWN_REPORT, SPEC_FILE
from statemachines.logs.storage.unpacking import HEAD_BYTES
from statemachines.report.formats import report_in_form
from statemachines.report.text.document import to_text

ROOT = Path(__file__).parents[2]
LOGS = ROOT / "examples" / "logs"
SPECS = ROOT / "examples" / "orders"
FORMS = ("json", "markdown", "junit", "sarif", "csv", "findings-csv", "baseline")
ORDERS = """\
2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order 7 was placed
2026-11-21 12:00:05.000 INFO  [http-1] shop.Orders - order 8 was placed
2026-11-21 12:00:06.000 INFO  [http-1] shop.Orders - order 7: NEW -> SHIPPED
"""


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a log of orders."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "shop.log").write_text(ORDERS, "utf-8")
    return tmp_path / "logs"


def rows(report: sm.Report) -> dict[str, Any]:
    """The report without what counts files and names them."""
    read: dict[str, Any] = json.loads("".join(report_in_form(report, "json")))
    counts = {**read.pop("checked"), "files": None}
    return {**read, "checked": counts, "sources": None, "made_with": None}


def test_reports_among_the_logs_are_judged_through_no_door(logs: Path, tmp_path: Path) -> None:
    """A report in Markdown was taken for a program that was killed, as a line that it quotes says."""
    expected = sm.check("logs", specs=SPECS)
    for number, report in enumerate([expected, sm.check(LOGS / "dead_brokers")]):
        texts = {form: "".join(report_in_form(report, form)) for form in FORMS}
        texts["text"] = "".join(f"{line}\n" for line in to_text(report))
        for form, text in texts.items():
            (logs / f"{number}.{form}").write_text(text, "utf-8")
            (logs / f"{number}.{form}.wide").write_text(text, "utf-16")
    for spec in SPECS.glob("*.yaml"):
        (logs / spec.name).write_bytes(spec.read_bytes())
    with sm.follow("logs", specs=SPECS) as follower:
        follower.poll()
        followed = follower.report()
    for report in (
        sm.check("logs", specs=SPECS),
        sm.check("logs", specs=SPECS, state=tmp_path / "state"),
        sm.check("logs", specs=SPECS, state=tmp_path / "state"),
        followed,
    ):
        assert rows(report) == rows(expected)
        reasons = {source.file: source.problems[-1:] for source in report.sources}
        assert reasons.pop("shop.log") == ()
        assert {file for file, why in reasons.items() if why == (SPEC_FILE,)} == {
            spec.name for spec in SPECS.glob("*.yaml")
        }
        assert {*reasons.values()} == {(SPEC_FILE,), (OWN_REPORT,)}


def test_several_processes_judge_no_report_that_is_cut_into_chunks(logs: Path) -> None:
    """Each of them sees another part of it, and only one its beginning."""
    text = "".join(report_in_form(sm.check(LOGS / "dead_brokers"), "json"))
    (logs / "report.json").write_text(text * (1 + 3 * HEAD_BYTES // len(text)), "utf-8")
    program = (
        "import statemachines as sm\n"
        f"if __name__ == '__main__': print(sm.check('logs', specs={str(SPECS)!r}, jobs=2).checked)"
    )
    (logs.parent / "program.py").write_text(program, "utf-8")
    shown = subprocess.run(
        [sys.executable, "program.py"], capture_output=True, text=True, check=True
    ).stdout
    assert f"{sm.check('logs', specs=SPECS).checked}" == shown.strip()


def test_changes_that_were_written_down_are_no_log(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check --follow logs > logs/changes.txt` read what it wrote."""
    from statemachines.report.change_lines import change_json, change_line

    with sm.follow("logs", specs=SPECS) as follower:
        changes = follower.poll()
    assert changes
    for name, write in (("a.txt", change_line), ("a.jsonl", change_json)):
        (logs / name).write_text("".join(f"{write(change)}\n" for change in changes), "utf-8")
    assert main(["check", "logs", "--spec", str(SPECS / "Order.yaml"), "--format", "json"]) == 1
    sources = json.loads(capsys.readouterr().out)["sources"]
    assert [source["problems"] for source in sources] == [[OWN_REPORT], [OWN_REPORT], []]


@pytest.mark.parametrize(("file", "why"), [("report.json", OWN_REPORT), ("Order.yaml", SPEC_FILE)])
def test_who_names_one_as_a_log_is_answered_with_what_it_is(
    logs: Path, capsys: pytest.CaptureFixture[str], file: str, why: str
) -> None:
    """It was answered that nothing of the catalogue was seen."""
    Path("report.json").write_text("".join(report_in_form(sm.check("logs"), "json")), "utf-8")
    Path("Order.yaml").write_bytes((SPECS / "Order.yaml").read_bytes())
    assert main(["check", file, "--quiet"]) == 2
    assert f"{file}: {why}" in capsys.readouterr().err
