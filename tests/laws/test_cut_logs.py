"""Law: a log that was copied while it was written, so that its last line is cut anywhere, breaks nothing that the whole log does not break.

Covers: statemachines.conform.observe.cut_records,
statemachines.notation.lines.longer_texts
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.conform import check
from statemachines.conform.observe.observer import CUT_REASON
from statemachines.model.evidence.verdicts import Verdict
from tests.doors import lines
from tests.effort import some_of

SPEC = """
notation: 1
machine: Task
states: {R: {initial: true}, RUN: {}, RUNNING: {}, RUN_OUT: {}, OUT: {}}
transitions:
  - {from: R, to: RUNNING}
  - {from: RUNNING, to: RUN_OUT}
  - {from: RUN_OUT, to: R}
  - {from: R, to: OUT}
  - {from: OUT, to: RUN}
  - {from: RUN, to: R}
log:
  instance: task
  lines:
    - {text: "task {task} goes from {from} to {to}", says: step}
    - {text: "{to} is where task {task}", says: step}
    - {text: "try {*} of task {task} came to {to}", says: step, from: R}
"""
NEXT = {"R": ["RUNNING", "OUT"], "RUNNING": ["RUN_OUT"], "RUN_OUT": ["R"], "OUT": ["RUN"], "RUN": ["R"]}  # fmt: skip
TASKS = ("1", "12", "123")


@st.composite
def legal_messages(draw: st.DrawFn) -> list[str]:
    """Draw what some tasks write whose names begin alike, as their states do."""
    states, messages = dict.fromkeys(TASKS, "R"), []
    for _ in range(draw(st.integers(1, 6))):
        task = draw(st.sampled_from(TASKS))
        before, states[task] = states[task], draw(st.sampled_from(NEXT[states[task]]))
        told = draw(st.booleans())
        messages.append(
            f"task {task} goes from {before} to {states[task]}"
            if told
            else f"{states[task]} is where task {task}"
        )
    return messages


def verdict_of(folder: Path, text: str, spec: str = SPEC, **options: object) -> Verdict:
    """Judge a log."""
    (folder / "Task.yaml").write_text(spec, "utf-8")
    (folder / "app.log").write_text(text, "utf-8")
    return check(
        [folder / "app.log"], specs=[folder / "Task.yaml"], engine="local", **options
    ).verdict


def plain(messages: list[str]) -> list[str]:
    """Write lines at whose end the message stands."""
    return [f"2026-01-02 03:04:{at:02d},000 INFO {message}" for at, message in enumerate(messages)]


@given(messages=legal_messages())
@settings(max_examples=some_of(15))
def test_nothing_is_broken_by_a_line_that_may_go_on(
    messages: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Wherever the last line of a legal log is cut."""
    folder, text = tmp_path_factory.mktemp("cut"), "\n".join(plain(messages))
    assert verdict_of(folder, text + "\n") is not Verdict.VIOLATED
    for end in range(len(text) - len(plain(messages)[-1]), len(text) + 1):
        assert verdict_of(folder, text[:end]) is not Verdict.VIOLATED, text[:end]


@pytest.mark.parametrize("state", [False, True])
def test_what_may_go_on_is_said_and_judged_when_it_has_gone_on(tmp_path: Path, state: bool) -> None:
    """A step to RUN is forbidden from RUNNING; to RUN_OUT it is not."""
    options = {"state": tmp_path / "state"} if state else {}
    text = "\n".join(plain(["task 1 goes from R to RUNNING", "task 1 goes from RUNNING to RUN"]))
    verdicts = [verdict_of(tmp_path, text + end, **options) for end in ("", "_OUT", "_OUT\n")]
    assert verdicts == [Verdict.HOLDS, Verdict.HOLDS, Verdict.HOLDS]
    assert verdict_of(tmp_path, text + "\n", **options) is Verdict.VIOLATED
    report = check([tmp_path / "app.log"], specs=[tmp_path / "Task.yaml"], engine="local")
    assert CUT_REASON not in str(report.unjudged)
    verdict_of(tmp_path, text)
    report = check([tmp_path / "app.log"], specs=[tmp_path / "Task.yaml"], engine="local")
    assert CUT_REASON in str(report.unjudged)


def test_what_cannot_go_on_is_judged_without_its_end(tmp_path: Path) -> None:
    """No state begins with RUNNING but that one; what a layout has behind the message ends it."""
    wrong = ["task 1 goes from R to RUNNING", "task 1 goes from RUN_OUT to RUNNING"]
    assert verdict_of(tmp_path, "\n".join(plain(wrong))) is Verdict.VIOLATED
    wrong = ["task 1 goes from R to RUNNING", "task 1 goes from RUNNING to RUN"]
    assert verdict_of(tmp_path, "\n".join(lines(*wrong))) is Verdict.VIOLATED


REFUSED = (
    SPEC + """    - {text: "task {task} goes from {from} to {to} was refused", says: refused}\n"""
)
FAMILY = """
notation: 1
family: plant
releases: ["1.1", "1.10"]
log:
  patterns: {release: '\\d+[.]\\d+'}
  lines:
    - {text: "Plant software version {release}", says: release}
"""


def test_words_may_follow(tmp_path: Path) -> None:
    """A line that tells a step, and one that begins as it does and says that it was refused."""
    text = "\n".join(plain(["task 1 goes from R to RUNNING", "task 1 goes from RUNNING to OUT"]))
    verdicts = [
        verdict_of(tmp_path, text + end, REFUSED) for end in ("", " ", " was", " was refused")
    ]
    assert verdicts == [Verdict.HOLDS] * 4
    assert verdict_of(tmp_path, text + "\n", REFUSED) is Verdict.VIOLATED


def test_a_banner_that_may_go_on_settles_no_release(tmp_path: Path) -> None:
    """1.1 may be 1.10, in which the step before it is allowed."""
    (tmp_path / "plant.yaml").write_text(FAMILY, "utf-8")
    spec = SPEC.replace("machine: Task", "machine: Task\nfamily: plant").replace(
        "{from: RUN, to: R}", '{from: RUN, to: R}\n  - {from: R, to: RUN, in: "1.10"}'
    )
    text = "\n".join(plain(["task 1 goes from R to RUN", "Plant software version 1.1"]))
    verdicts = [verdict_of(tmp_path, text + end, spec) for end in ("", "0\n", "\n")]
    assert verdicts == [Verdict.HOLDS, Verdict.HOLDS, Verdict.VIOLATED]


def test_a_part_whose_rest_is_missing_may_go_on(tmp_path: Path) -> None:
    """Kubernetes cut the line, and the file ends with the part: a line feed does not end it."""
    head = "2026-01-02T03:04:05.000000000Z stdout"
    whole = f"{head} F 2026-01-02 03:04:05,000 INFO task 1 goes from R to RUNNING\n"
    part = f"{head} P 2026-01-02 03:04:05,000 INFO task 1 goes from RUNNING to RUN\n"
    rest = [f"{head} F _OUT\n", f"{head} F \n"]
    verdicts = [verdict_of(tmp_path, whole + part + end) for end in ("", *rest)]
    assert verdicts == [Verdict.HOLDS, Verdict.HOLDS, Verdict.VIOLATED]


def test_nothing_that_is_judged_rests_on_it(tmp_path: Path) -> None:
    """Not where another file goes on, nor in a later rotation."""
    first = "\n".join(plain(["task 1 goes from R to RUNNING", "task 1 goes from RUNNING to RUN"]))
    (tmp_path / "app.log.1").write_text(first, "utf-8")
    (tmp_path / "app.log").write_text(plain(["task 1 goes from RUN_OUT to R"])[0] + "\n", "utf-8")
    (tmp_path / "Task.yaml").write_text(SPEC, "utf-8")
    files = [tmp_path / "app.log.1", tmp_path / "app.log"]
    report = check(files, specs=[tmp_path / "Task.yaml"], engine="local")
    assert report.verdict is not Verdict.VIOLATED
