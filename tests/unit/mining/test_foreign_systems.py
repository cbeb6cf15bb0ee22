"""Logs of programs that no spec of ours knows: what they show becomes a spec, and judges them.

Covers: statemachines.mining.checked_drafts, statemachines.mining.drafts.draft_lines,
statemachines.mining.drafts.draft_text, statemachines.mining.inference.field_names,
statemachines.mining.inference.instance_keys, statemachines.mining.inference.machines,
statemachines.mining.inference.state_lines, statemachines.mining.inference.workflows,
statemachines.mining.mined_specs, statemachines.mining.read_logs.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import statemachines as sm
from tests.unit.mining.foreign_logs import (
    APP_STEPS,
    QUORUM_STEPS,
    TASK_STEPS,
    hdfs_log,
    yarn_log,
    zookeeper_log,
)


def mined(tmp_path: Path, text: str) -> dict[str, sm.Spec]:
    """Write a log, mine it, and load every draft as a person would: from a file."""
    log = tmp_path / "program.log"
    log.write_text(text)
    result = sm.mine(log)
    assert result.errors == ()
    specs = {}
    for draft in result.specs:
        assert draft.verdict is sm.Verdict.HOLDS
        file = tmp_path / f"{draft.name}.yaml"
        file.write_text(draft.text)
        specs[draft.name] = sm.load(file)
        report = sm.check(log, specs=file)
        assert report.verdict is sm.Verdict.HOLDS
        assert report.checked.steps == draft.steps > 0
    return specs


def arrows(spec: sm.Spec) -> set[tuple[str, str]]:
    """The moves of a machine."""
    return {(move.source, move.target) for move in spec.value.transitions}


def table(steps: dict[str, tuple[str, ...]]) -> set[tuple[str, str]]:
    """The moves of a program's own table."""
    return {(source, target) for source, targets in steps.items() for target in targets}


def test_states_that_are_told_from_and_to_are_found_with_the_names_before_the_words(
    tmp_path: Path,
) -> None:
    """YARN: two loggers, two machines; the words behind the states (`on event =`) are no states."""
    specs = mined(tmp_path, yarn_log())
    assert set(specs) == {"Task", "RMApp"}
    assert arrows(specs["Task"]) == table(TASK_STEPS)
    assert arrows(specs["RMApp"]) == table(APP_STEPS)
    log = specs["Task"].value.log
    assert log is not None
    assert log.instance == ("task",)
    assert [state.name for state in specs["Task"].value.states if state.initial] == ["NEW"]
    finals = {state.name for state in specs["Task"].value.states if state.final}
    assert finals == {"SUCCEEDED", "FAILED", "KILLED"}


def test_a_state_that_is_a_line_alone_is_found_with_the_process_as_its_instance(
    tmp_path: Path,
) -> None:
    """ZooKeeper: a peer says LOOKING, FOLLOWING, LEADING and nothing else."""
    specs = mined(tmp_path, zookeeper_log())
    assert arrows(specs["QuorumPeer"]) == table(QUORUM_STEPS)
    assert specs["QuorumPeer"].value.log.instance == ()


def test_things_that_several_wordings_name_have_a_life(tmp_path: Path) -> None:
    """HDFS: no line names a state; that a block is received after it was allocated is told by the order of lines."""
    spec = mined(tmp_path, hdfs_log())["Block"]
    states = [state.name for state in spec.value.states]
    assert states == [
        "ALLOCATEBLOCK",
        "RECEIVING",
        "RECEIVED",
        "ADDSTOREDBLOCK_BLOCKMAP",
        "DELETING",
    ]
    assert arrows(spec) == set(pairwise(states))


@pytest.mark.parametrize("words", ["RUNNING to NEW", "SUCCEEDED to RUNNING"])
def test_what_was_mined_judges(tmp_path: Path, words: str) -> None:
    """A draft that admits everything would hold as well: a step that the program never took is found at its line."""
    mined(tmp_path, yarn_log())
    task = "task_1445144423722_0020_m_000002"
    line = f"2015-10-18 19:00:00,978 INFO [main] org.apache.hadoop.mapreduce.v2.app.job.impl.TaskImpl: {task} Task Transitioned from {words}\n"
    (tmp_path / "wrong.log").write_text(yarn_log() + line)
    report = sm.check(tmp_path / "wrong.log", specs=tmp_path / "Task.yaml")
    assert report.verdict is sm.Verdict.VIOLATED
    last = len(yarn_log().splitlines()) + 1
    assert {finding.place.line for finding in report.findings if finding.place} == {last}


def test_a_log_without_a_life_gives_no_draft(tmp_path: Path) -> None:
    """Lines that name nothing twice are no life cycle."""
    (tmp_path / "plain.log").write_text(
        "\n".join(f"2026-01-01 10:00:0{n} INFO started {'abcdefghi'[n]}" for n in range(9))
    )
    assert sm.mine(tmp_path / "plain.log").specs == ()


def test_a_list_names_no_instance(tmp_path: Path) -> None:
    """Lists of names recur like names, and no field of the notation reads one with its blanks."""
    head = "2026-01-01 10:00:0{n},000 INFO "
    lines = [
        head + "members [a-1, b-2] went from IDLE to BUSY (app.Team)",
        head + "members [a-1, b-2] went from BUSY to IDLE (app.Team)",
        head + "members [c-3, d-4] went from IDLE to BUSY (app.Team)",
        head + "members [c-3, d-4] went from BUSY to IDLE (app.Team)",
    ]
    spec = mined(tmp_path, "".join(f"{line.format(n=n)}\n" for n, line in enumerate(lines)))["Team"]
    assert spec.value.log is not None
    assert spec.value.log.instance == ()


def test_a_state_that_is_told_once_each_is_no_machine(tmp_path: Path) -> None:
    """Nothing follows anything: there is no step to write down."""
    lines = (
        f"2026-01-01 10:00:0{n},000 INFO job {n} status: {word} (app.Jobs)"
        for n, word in enumerate(("OPEN", "DONE", "LATE"))
    )
    assert mined(tmp_path, "\n".join(lines) + "\n") == {}
