"""`check` as a person meets it: verdicts, exit codes, messages; the judge itself is tested elsewhere.

Covers: statemachines.cli.arguments.check_request, statemachines.cli.verbs.check,
statemachines.cli.verbs.report.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from statemachines.cli import main
from statemachines.report.schema import report_schema

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
ORDERS = ("--spec", str(EXAMPLES / "orders" / "Order.yaml"))
SOUND = """\
2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order 7 was placed
2026-11-21 12:00:05.000 INFO  [http-1] shop.Orders - order 7: NEW -> PAID
2026-11-21 12:00:09.000 INFO  [http-1] shop.Orders - order 7: PAID -> SHIPPED
"""
FORBIDDEN = (
    SOUND + "2026-11-21 12:00:10.000 INFO  [http-1] shop.Orders - order 7: SHIPPED -> PAID\n"
)


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Names in reports are as given, so tests give short ones."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


def wrote(name: str, text: str) -> str:
    """A log in the current folder."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, "utf-8")
    return name


def test_a_sound_log_holds(capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict is the first word, and scripts learn it by the exit code."""
    assert main(["check", wrote("shop.log", SOUND), *ORDERS]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines()[1].startswith("HOLDS")
    assert told.err == ""


def first_sentence(capsys: pytest.CaptureFixture[str], log: str) -> str:
    """Return the line that `head -n 1` takes of a report."""
    main(["check", log, *ORDERS])
    return capsys.readouterr().out.splitlines()[0]


def test_a_pipe_gets_whole_lines_and_a_width_that_is_asked_for_is_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a program searches for stands behind the cut as often as before it; `--all` is all."""
    log = wrote("shop.log", FORBIDDEN.replace("[http-1]", f"[http-{'1' * 200}]"))
    main(["check", log, *ORDERS])
    assert "…" not in capsys.readouterr().out
    first = first_sentence(capsys, log)
    monkeypatch.setenv("COLUMNS", "80")
    assert first_sentence(capsys, log) == first
    main(["check", log, *ORDERS])
    assert "…" in capsys.readouterr().out
    main(["check", log, *ORDERS, "--all"])
    assert "…" not in capsys.readouterr().out


def test_a_forbidden_step_is_violated_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Where to look, and what was legal."""
    assert main(["check", wrote("shop.log", FORBIDDEN), *ORDERS]) == 1
    told = capsys.readouterr().out
    assert told.splitlines()[1].startswith("VIOLATED")
    assert "shop.log:4" in told


def test_json_goes_to_stdout_and_its_first_line_to_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A program reads the one, a person in a pipeline the other."""
    assert main(["check", wrote("shop.log", FORBIDDEN), *ORDERS, "--format", "json"]) == 1
    told = capsys.readouterr()
    assert json.loads(told.out)["verdict"] == "VIOLATED"
    assert "VIOLATED" in told.err
    assert main(["check", "shop.log", *ORDERS, "--format", "json", "--quiet"]) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("logs", "specs"), [("orders/logs", ORDERS), ("logs", ())])
def test_reports_of_real_logs_fit_the_shipped_schema(
    logs: str, specs: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """What the judge makes, not only what tests make by hand."""
    main(["check", str(EXAMPLES / logs), *specs, "--format", "json", "--unread", "--quiet"])
    jsonschema.Draft202012Validator(report_schema()).validate(json.loads(capsys.readouterr().out))


def test_a_report_may_go_to_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing on stdout then; the summary says how it went."""
    assert (
        main(["check", wrote("shop.log", SOUND), *ORDERS, "--format", "json", "-o", "report.json"])
        == 0
    )
    assert json.loads(Path("report.json").read_text("utf-8"))["verdict"] == "HOLDS"
    told = capsys.readouterr()
    assert told.out == ""
    assert "HOLDS" in told.err


def test_known_findings_do_not_count_and_new_ones_do(capsys: pytest.CaptureFixture[str]) -> None:
    """A project begins to use the gate with what it has, and hears of what is new."""
    log = wrote("shop.log", FORBIDDEN)
    main(["check", log, *ORDERS, "--format", "baseline", "-o", "known.json", "--quiet"])
    assert main(["check", log, *ORDERS, "--baseline", "known.json"]) == 0
    assert "1 known finding of known.json left out" in capsys.readouterr().err
    later = FORBIDDEN.replace("12:00:", "13:00:")
    assert main(["check", wrote("later.log", later), *ORDERS, "--baseline", "known.json"]) == 0
    assert (
        main(
            [
                "check",
                wrote("other.log", FORBIDDEN.replace("order 7", "order 8")),
                *ORDERS,
                "--baseline",
                "known.json",
            ]
        )
        == 1
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"format": "statemachines.report/1"}',
        '{"format": "statemachines.baseline/1", "findings": 3}',
    ],
)
def test_what_is_no_baseline_is_told(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is judged."""
    assert (
        main(["check", wrote("shop.log", SOUND), *ORDERS, "--baseline", wrote("known.json", text)])
        == 2
    )
    assert "known.json: " in capsys.readouterr().err


def test_fail_on_chooses_what_counts() -> None:
    """A gate in a pipeline may tolerate, or ask for more."""
    log = wrote("shop.log", FORBIDDEN)
    assert main(["check", log, *ORDERS, "--fail-on", "never"]) == 0
    assert main(["check", log, *ORDERS, "--fail-on", "inconclusive"]) == 0
    assert main(["check", log, *ORDERS, "--fail-on", "violated"]) == 1


def test_nothing_of_the_catalogue_is_inconclusive(capsys: pytest.CaptureFixture[str]) -> None:
    """The wrong log must not pass as a sound one."""
    assert main(["check", wrote("other.log", "hello\nworld\n"), *ORDERS]) == 3
    assert "nothing of the catalogue was seen" in capsys.readouterr().out.splitlines()[1]


def test_a_missing_path_is_told_and_the_others_are_judged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One typo among ten paths must not hide what the nine say."""
    assert main(["check", wrote("shop.log", FORBIDDEN), "nowhere.log", *ORDERS]) == 2
    told = capsys.readouterr()
    assert told.out.splitlines()[1].startswith("VIOLATED")
    assert "nowhere.log" in told.err


def test_what_was_not_read_is_not_said_to_hold(capsys: pytest.CaptureFixture[str]) -> None:
    """The line that breaks the rules may stand in the file that is not there, or behind the cut of an archive."""
    whole = gzip.compress(SOUND.encode() * 2_000)
    Path("cut.log.gz").write_bytes(whole[: len(whole) // 2])
    for missing in ("nowhere.log", "cut.log.gz"):
        assert main(["check", wrote("shop.log", SOUND), missing, *ORDERS]) == 2
        first = capsys.readouterr().out.splitlines()[1]
        assert first.startswith("INCONCLUSIVE")
    assert main(["check", "shop.log", "nowhere.log", *ORDERS]) == 2
    assert "1 could not be read" in capsys.readouterr().out.splitlines()[1]


def test_a_folder_without_logs_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty folder is not a healthy system."""
    Path("empty").mkdir()
    assert main(["check", "empty", *ORDERS]) in (2, 3)
    told = capsys.readouterr()
    assert "empty" in told.err + told.out


def test_an_unknown_spec_gets_the_nearest_name(capsys: pytest.CaptureFixture[str]) -> None:
    """Did you mean."""
    assert main(["check", wrote("shop.log", SOUND), "--spec", "StreamThred"]) == 2
    told = capsys.readouterr()
    assert "StreamThread" in told.err
    assert told.out == ""


def test_a_broken_spec_beside_a_good_one_is_told_and_the_good_one_judges(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2, and the report all the same."""
    broken = wrote(
        "broken.yaml",
        "notation: 1\nmachine: Broken\nstates: {A: }\ntransitions: [{from: A, to: B}]\n",
    )
    assert main(["check", wrote("shop.log", FORBIDDEN), *ORDERS, "--spec", broken]) == 2
    told = capsys.readouterr()
    assert told.out.splitlines()[1].startswith("VIOLATED")
    assert "broken.yaml:4" in told.err


def test_a_broken_spec_alone_is_shown_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    """As a compiler would."""
    broken = wrote(
        "broken.yaml",
        "notation: 1\nmachine: Broken\nstates: {A: }\ntransitions: [{from: A, to: B}]\n",
    )
    assert main(["check", wrote("shop.log", SOUND), "--spec", broken]) == 2
    assert "    4 | transitions: [{from: A, to: B}]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing to read"),
        (["x", "--master", "spark://a:7077", "--remote", "sc://a"], "exclude each other"),
        (
            ["x", "--engine", "local", "--master", "spark://a:7077"],
            "--engine local reads on this machine",
        ),
        (["-", "-"], "standard input can be read once"),
        (["x", "--fail-on", "violatd"], "did you mean `violated`?"),
        (["x", "--fail-on", ""], "it is empty; say violated, "),
        (["x", "--since", "yesterday"], "`yesterday` is not a time; write 2026-11-21T15:30"),
        (["x", "--since", "2h", "--until", "3h"], "--since 2h is after --until 3h"),
        (["x", "--master", "foo"], "`foo` is no Spark cluster; spark://host:7077, yarn"),
        (["x", "--remote", "host:15002"], "`host:15002` is no Spark Connect server; sc://host"),
        (["x", "--state", ""], "--state is empty: give it a value, or leave it out"),
        (["x", "--spec", "Order", "--spec", ""], "--spec is empty"),
        (["x", "--follow", "--exec", ""], "--exec is empty"),
        (["x", ""], "[PATH…|-] is empty"),
        (["x", "--tolerance", "soon"], "`soon` is no number of seconds"),
        (["x", "--tolerance", "-1"], "`-1` is no number of seconds"),
        (["x", "--level", "shop=LOUD"], "`LOUD` is no level; there are `TRACE`, `DEBUG`"),
        (["x", "--engine", "sparc"], "sparc"),
        (["x", "--relese", "1"], "--release"),
        (["x", "--tolerance", "-1"], "tolerance"),
        (["x", "--zone", "Mars/Base"], "there is no time zone `Mars/Base`; write Europe/Berlin"),
        (["x", *ORDERS, "--release", "2.1.0"], "no spec has a release `2.1.0`; did you mean"),
        (["x", "--layout", "jsno"], "no layout is called"),
    ],
)
def test_wrong_usage_says_what_is_wrong(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and one sentence, never a traceback."""
    assert main(["check", *words]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert told.out == ""


def test_since_after_until_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A window that holds nothing is a typo."""
    assert (
        main(
            [
                "check",
                wrote("shop.log", FORBIDDEN),
                *ORDERS,
                "--since",
                "12:00:09",
                "--until",
                "12:00:01",
            ]
        )
        == 2
    )
    assert "--since 12:00:09 is after --until 12:00:01" in capsys.readouterr().err
    assert main(["check", "shop.log", *ORDERS, "--until", "12:00:09.5"]) == 0
    assert main(["check", "shop.log", *ORDERS, "--since", "yesterday"]) == 2


def test_a_folder_of_reports_is_answered_with_what_to_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whoever keeps reports in a folder names the folder first."""
    Path("reports").mkdir()
    assert main(["report", "reports"]) == 2
    assert "reports is a folder; name the reports in it: reports/*.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["check", "shop.log", "-o", "./shop.log"],
        ["check", "shop.log", "--spec", "Door.yaml", "-o", "Door.yaml"],
        ["draw", "shop.log", "--format", "svg", "-o", "link.log"],
        ["draw", "Door.yaml", "--format", "dot", "-o", "Door.yaml"],
        ["report", "--trend", "old.json", "-o", "old.json"],
    ],
    ids=" ".join,
)
def test_an_input_is_not_overwritten(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A slip of the hand must not cost the log that it is about; a report of before is replaced."""
    before = {name: wrote(name, SOUND) for name in ("shop.log", "Door.yaml", "old.json")}
    Path("link.log").symlink_to("shop.log")
    assert main(words) == 2
    assert "is an input of this command" in capsys.readouterr().err
    assert {Path(name).read_text() for name in before} == {SOUND}
    assert main(["check", "shop.log", *ORDERS, "-o", wrote("report.txt", "old")]) == 0


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("no/such/folder.txt", "no/such/folder.txt: there is no folder no/such"),
        ("reports", "reports is a folder; name a file in it"),
        ("{here}/reports", "/reports is a folder; name a file in it"),
    ],
)
def test_an_output_that_cannot_be_written_is_told(
    output: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What would be right, by the path that was given."""
    Path("reports").mkdir()
    words = ["check", wrote("shop.log", SOUND), *ORDERS, "-o", output.format(here=Path.cwd())]
    assert main(words) == 2
    assert message in capsys.readouterr().err


def test_colours_need_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A report in a file has no escapes in it."""
    main(["check", wrote("shop.log", FORBIDDEN), *ORDERS])
    assert "\x1b" not in capsys.readouterr().out


def test_a_file_that_is_no_machine_says_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """The family lies beside the machine; everybody names it once by mistake."""
    assert (
        main(["check", wrote("shop.log", SOUND), "--spec", str(EXAMPLES / "orders" / "shop.yaml")])
        == 2
    )
    assert "this is a family, not a machine" in capsys.readouterr().err


def test_a_folder_without_specs_is_called_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody can name a file in it."""
    (tmp_path / "none").mkdir()
    log = wrote("shop.log", SOUND)
    assert main(["check", log, "--spec", str(tmp_path / "none")]) == 2
    assert "this is a folder without specs (*.yaml)" in capsys.readouterr().err


def test_a_folder_of_specs_stands_for_its_machines() -> None:
    """Specs of one system lie in one folder."""
    assert main(["check", wrote("shop.log", FORBIDDEN), "--spec", str(EXAMPLES / "orders")]) == 1


def test_a_cut_archive_is_judged_as_far_as_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    """A full disk cuts archives; what was saved is worth reading, and nobody may take it for all."""
    Path("shop.log.gz").write_bytes(gzip.compress(SOUND.encode())[:-20])
    assert main(["check", "shop.log.gz", *ORDERS]) == 2
    told, said = capsys.readouterr()
    assert "cut archive" in said
    assert told.count("cut archive") == 1
    assert "not read to its end: shop.log.gz" in told


def test_the_second_system_is_judged_by_the_same_code(capsys: pytest.CaptureFixture[str]) -> None:
    """No word of the first catalogue is needed: a shop's orders with a family, releases and a log of their own."""
    folder = EXAMPLES / "orders"
    assert main(["check", str(folder / "logs"), *ORDERS]) == 1
    told = capsys.readouterr().out
    assert "1 forbidden" in told.splitlines()[1]
    assert "SHIPPED -> PAID" in told
    assert "order 8 is not paid" in told


def test_instances_of_one_name_in_two_processes_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two replicas in one compose log: which of them has the order that was paid?"""
    line = "{} | 2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order 7: NEW -> {}\n"
    (tmp_path / "a.log").write_text(
        line.format("app-1", "PAID") + line.format("app-2", "CANCELLED"), "utf-8"
    )
    main(
        [
            "check",
            str(tmp_path / "a.log"),
            "--spec",
            str(ROOT / "examples" / "orders" / "Order.yaml"),
        ]
    )
    out = capsys.readouterr().out
    assert "7 in app-1" in out
    assert "7 in app-2" in out


@pytest.mark.parametrize(
    ("window", "said"),
    [
        (("--until", "1h"), "before the log begins"),
        (("--since", "2027-01-01"), "after the log ends"),
    ],
)
def test_a_time_outside_the_log_is_said_to_be(
    window: tuple[str, str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """HOLDS with nothing below it reads as if all were well then."""
    (tmp_path / "a.log").write_text(
        "2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order 7: NEW -> PAID\n", "utf-8"
    )
    main(
        [
            "check",
            str(tmp_path / "a.log"),
            "--spec",
            str(ROOT / "examples" / "orders" / "Order.yaml"),
            *window,
        ]
    )
    assert said in capsys.readouterr().err


def test_a_script_can_ask_whether_the_system_is_ill() -> None:
    """A log may follow every rule, and somebody must be woken all the same."""
    wrote("sound.log", SOUND)
    wrote("ill.log", SOUND.splitlines()[0] + "\n")
    assert main(["check", "sound.log", *ORDERS, "--fail-on", "ill"]) == 0
    assert main(["check", "ill.log", *ORDERS, "--fail-on", "violated"]) == 0
    assert main(["check", "ill.log", *ORDERS, "--fail-on", "ill"]) == 1


def test_a_stretch_that_a_followed_log_does_not_have_costs_no_report() -> None:
    """What came through a pipe for days cannot be had again."""
    told = subprocess.run(
        [sys.executable, "-m", "statemachines", "check", "--follow", "-", *ORDERS, "--since", "2h"],
        input=FORBIDDEN.replace("2026-11-21 12:00:", ""),
        capture_output=True,
        text=True,
    )
    assert "VIOLATED" in told.stdout
    assert "`2h` counts from the last time of the log" in told.stderr
    assert "; all is shown" in told.stderr
    assert told.returncode == 1
