"""Options of calls: a misspelt one is found by type checkers, and answered at run time with the one that was meant.

Covers: statemachines.conform.check_options, statemachines.model.diagnosis.call_options.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import statemachines as sm
from statemachines.cli.arguments.check_request import ENGINES as cli_engines
from statemachines.cli.verbs.check import verb
from statemachines.conform.check_options import ENGINES, OPTION_NAMES, CheckKeywords
from statemachines.conform.engines.spark import spark_checks

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: sm.check("x", tolerence=3),
            r"check\(\) has no option `tolerence`; did you mean `tolerance`\?",
        ),
        (
            lambda: sm.check("x", relase="1", specz=()),
            r"`relase`; did you mean `release`\?, and no option `specz`; did you mean `specs`\?",
        ),
        (
            lambda: sm.load("examples/Orders").at().explore(memry=3),
            "`memry`; did you mean `memory`",
        ),
        (
            lambda: spark_checks.findings(None, (), layout=("x",)),
            "`layout`; did you mean `layouts`",
        ),
        (lambda: spark_checks.timeline(None, (), zones="x"), "`zones`; did you mean `zone`"),
    ],
)
def test_a_misspelt_option_is_answered(call: Callable[[], object], said: str) -> None:
    """All of them at once, where there are several."""
    with pytest.raises(TypeError, match=said):
        call()


PUBLIC = [
    name
    for name in sm.__all__
    if inspect.isfunction(getattr(sm, name)) and name not in ("step", "to_transitions")
]
"""Functions of the package; arguments of events and options of another library are passed on."""


@pytest.mark.parametrize("name", [*PUBLIC, "from_machine"])
def test_every_door_answers_a_misspelt_option(name: str) -> None:
    """The law: whatever a person calls says which options there are, before it does anything."""
    from statemachines.testing.stateful import from_machine

    function = from_machine if name == "from_machine" else getattr(sm, name)
    with pytest.raises(TypeError, match=rf"{name}\(\) has no option `nonsense`; (there|did)"):
        function(None, nonsense=1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: sm.check(None), "files, folders or '-' .*not None"),
        (lambda: sm.check(["a.log", None]), r"not \['a.log', None\]"),
        (lambda: sm.check("x", levels="INFO"), "such as .*not 'INFO'"),
        (lambda: sm.check("x", layouts="jsn"), "no layout is called 'jsn'"),
        (lambda: sm.from_mapping(None), "should be a mapping, not None"),
        (lambda: sm.from_mermaid(None), "a diagram is text, not None"),
        (lambda: sm.from_scxml(None), "SCXML is text, not None"),
        (
            lambda: sm.from_mapping({"states": ["A"], "initial": "A", "transitons": []}),
            "has no `transitions`; it has `transitons`",
        ),
        (
            lambda: sm.from_mapping(
                {"states": ["A"], "transitions": [{"trigger": "x", "sorce": "A", "dest": "A"}]}
            ),
            "names no source: .*`sorce` is none of from, source, src",
        ),
        (
            lambda: sm.load("examples/Orders").at().bind(None),
            "None has no action, .* called before_EVENT",
        ),
        (lambda: sm.load("examples/Orders").at().bind("x"), "'x' has no action"),
    ],
)
def test_what_is_none_is_answered_with_what_would_be_right(
    call: Callable[[], object], said: str
) -> None:
    """A value of another kind that goes through in silence does nothing, and nobody knows."""
    with pytest.raises((TypeError, ValueError), match=said):
        call()


def test_options_are_one_value_for_every_door(tmp_path: Path) -> None:
    """Keywords, the value and both together say the same; keywords win."""
    log = tmp_path / "a.log"
    log.write_text("nothing\n", "utf-8")
    base = sm.CheckOptions(
        specs="examples/Orders", tolerance=2, levels=[(None, "info")], timeline=False
    )
    reports = [
        sm.check(
            log, specs=["examples/Orders"], tolerance=2, levels=[(None, "INFO")], timeline=False
        ),
        sm.check(log, options=base),
        sm.check(log, options=base.updated(tolerance=7), tolerance=2),
    ]
    assert reports[0] == reports[1] == reports[2]
    assert reports[0].made_with["options"] == {"levels": ((None, "INFO"),), "tolerance_ms": 2000}
    assert base.levels == ((None, "INFO"),)
    with pytest.raises(AttributeError):
        base.zone = "UTC"


def test_the_doors_name_the_same_options() -> None:
    """What a type checker sees, what the value holds and what the command line takes."""
    assert set(CheckKeywords.__annotations__) == set(OPTION_NAMES)
    given = {each.name for each in verb.params}
    assert set(OPTION_NAMES) <= given
    assert cli_engines == ENGINES


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"master": "spark://h:7077", "remote": "sc://h"}, "one place to run"),
        ({"engine": "local", "master": "spark://h:7077"}, "engine='local' reads on this machine"),
        ({"zone": "Europe/Berlim"}, "no time zone `Europe/Berlim`; did you mean `Europe/Berlin`"),
    ],
)
def test_options_are_checked_when_they_are_given(options: dict[str, Any], said: str) -> None:
    """Not after the logs of an hour were read, and none is passed over in silence."""
    with pytest.raises(ValueError, match=said):
        sm.CheckOptions(**options)


USER = """
import statemachines as sm

def report_of(log: str) -> sm.Report:
    options = sm.CheckOptions(zone="UTC", specs=["examples/Orders"])
    report: sm.Report = sm.check(log, options=options, tolerance=3)
    finding: sm.Finding | None = next(iter(report.findings), None)
    system: sm.System = sm.load_system("kafka/TopicDeletion").at()
    print(finding, system)
    return sm.check([log], release="1", levels=[(None, "INFO")], unread=True)
"""
MISSPELT = """
import statemachines as sm

sm.check("x", tolerence=3)
sm.check("x", tolerance="3")
sm.CheckOptions(zones="UTC")
sm.CheckOptions().updated(engin="local")
sm.CheckOptions().zone = "UTC"
"""


def test_a_type_checker_sees_every_option(tmp_path: Path) -> None:
    """A program of a user is right, and each mistake of another one is found where it stands."""
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(USER, "utf-8")
    wrong.write_text(MISSPELT, "utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--follow-imports=silent",  # what the package itself lacks is another check's business
        str(right),
        str(wrong),
    ]
    found = subprocess.run(
        [*command, "--cache-dir", str(ROOT / ".mypy_cache")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        check=False,
    )
    lines = [line for line in found.stdout.splitlines() if ": error:" in line]
    assert not [line for line in lines if "right.py" in line], found.stdout
    assert [line.split(":")[1] for line in lines] == ["4", "5", "6", "7", "8"], found.stdout
    assert 'did you mean "tolerance"' in lines[0]


def test_an_engine_that_there_is_not_is_refused() -> None:
    """Another one would judge in its place."""
    with pytest.raises(ValueError, match="no engine `sprk`; did you mean `spark`"):
        sm.check("x", engine="sprk")


def test_what_is_returned_can_be_named() -> None:
    """In the annotations of a program."""
    for name in ("Report", "Finding", "System", "SystemSpec", "Machine", "Spec", "Snapshot"):
        assert isinstance(getattr(sm, name), type)
        assert name in sm.__all__


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"levels": [("shop.Orders", "LOUD")]}, "`LOUD` is no level; there are `TRACE`"),
        ({"levels": [(None, "INFOO")]}, "did you mean `INFO`"),
        ({"levels": {"shop.Orders": "INFO"}}, "a level is a pair of a logger"),
        ({"levels": ["INFO"]}, "a level is a pair of a logger"),
        ({"tolerance": -1}, "clocks cannot differ by -1 seconds"),
        ({"tolerance": float("nan")}, "clocks cannot differ by nan seconds"),
        ({"tolerance": float("inf")}, "clocks cannot differ by inf seconds"),
    ],
)
def test_an_option_that_says_nothing_is_refused(
    options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """Else the log is judged as if nobody had said it, or breaks in the middle."""
    (tmp_path / "a.log").write_text("nothing\n", "utf-8")
    with pytest.raises(ValueError, match=said):
        sm.check(tmp_path / "a.log", specs=["examples/Orders"], **options)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: sm.check("x", specs=[]), ValueError, "no spec is named"),
        (
            lambda: sm.check("x", specs=[sm.load("examples/Orders")]),
            TypeError,
            "names of the catalogue, patterns or files, not <spec",
        ),
        (
            lambda: sm.step(sm.load("examples/Orders"), sm.Snapshot(""), "x"),
            ValueError,
            r"is no machine; `at\(\)` of a spec",
        ),
    ],
)
def test_what_is_not_what_is_asked_for_is_told(
    call: Callable[[], object], error: type[Exception], said: str
) -> None:
    """An index that is out of range names no mistake of the caller."""
    with pytest.raises(error, match=said):
        call()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tolerance": "x"}, "a number of seconds, not 'x'"),
        ({"tolerance": True}, "a number of seconds, not True"),
        ({"timeline": "no"}, "`timeline` is True or False, not 'no'"),
        ({"unread": 1}, "`unread` is True or False, not 1"),
    ],
)
def test_a_value_of_another_kind_is_told_what_would_be_right(
    given: dict[str, Any], said: str
) -> None:
    """`"no"` is true to Python, and an option that means its opposite judges wrongly."""
    with pytest.raises(TypeError, match=re.escape(said)):
        sm.CheckOptions(**given)


def test_names_are_texts() -> None:
    """Of events and of releases."""
    thread = sm.load("examples/BankAccount")
    with pytest.raises(sm.UnknownRelease, match=re.escape("not 2.5")):
        thread.at(2.5)
    machine = sm.load("examples/BoundedCounter").at()
    with pytest.raises(sm.ArgumentsError, match="is a text, not `None`"):
        sm.step(machine, machine.start(limit=2), None)


def test_what_was_meant_otherwise_is_no_silent_nothing() -> None:
    """A check of no path, or by options that are a mapping, must not look like a sound log."""
    with pytest.raises(ValueError, match="no path is named"):
        sm.check([])
    with pytest.raises(TypeError, match="is no CheckOptions"):
        sm.check("nowhere", options={})
