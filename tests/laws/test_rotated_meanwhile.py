"""Law: logs that are rotated while they are checked are judged as they were listed, or it is said
what of them was not read.

Covers: statemachines.logs.storage.listed_files, statemachines.conform.engines.inputs,
statemachines.conform.engines.local, statemachines.conform.engines.processes.reading_tasks,
statemachines.conform.engines.state.kept_files, statemachines.conform.engines.growing.raw_files.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import check_locally, load_specs, make_plan, make_request
from statemachines.conform.engines import file_reader, inputs
from statemachines.conform.engines.growing import content_readings
from statemachines.conform.engines.inputs import Input, list_inputs
from statemachines.conform.engines.local import check_files
from statemachines.conform.engines.state.kept_check import check_kept_files
from statemachines.conform.engines.state.reading_keys import reading_keys
from statemachines.conform.engines.state.state_folder import StateFolder
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.join.report_assembly import with_incompleteness
from statemachines.logs import default_layouts
from statemachines.logs.storage import listed_files
from statemachines.logs.storage.listed_files import ListedFile, list_file
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.json_format import to_json
from tests.doors import House, line
from tests.effort import some_of
from tests.growing_logs import Host

SOME = settings(
    max_examples=some_of(20),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
Checked = Callable[[CheckPlan, list[Input], Path], Report]


def in_one_process(plan: CheckPlan, files: list[Input], _: Path) -> Report:
    return check_files(plan, files, default_layouts())


def in_two_processes(plan: CheckPlan, files: list[Input], _: Path) -> Report:
    return check_files(plan, files, default_layouts(), jobs=2)


def with_a_state_folder(plan: CheckPlan, files: list[Input], spare: Path) -> Report:
    with StateFolder(spare / "state", reading_keys(plan, default_layouts())) as state:
        return check_kept_files(plan, files, default_layouts(), state)


DOORS = [in_one_process, in_two_processes, with_a_state_folder]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> CheckPlan:
    house = House(tmp_path_factory.mktemp("house"))
    return make_plan(load_specs([house.spec]).machines)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let short logs have several pieces, which are opened one by one."""
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
    monkeypatch.setattr(file_reader, "READ_CHUNK_BYTES", 250)


def inputs_of(folder: Path) -> list[Input]:
    return [entry for entry in list_inputs([str(folder)], folder) if isinstance(entry, Input)]


def without_notes(report: Report) -> Any:
    """A report, but for what it says of names that files have by now."""
    told = json.loads("".join(to_json(report)))
    for source in told["sources"]:
        source["problems"] = [p for p in source["problems"] if "renamed" not in p]
    return told


def listed_host(factory: pytest.TempPathFactory, seed: int) -> tuple[Path, Host, list[Input]]:
    """A folder with room for a check, a host in it on which a few days have passed, and its logs as
    they were listed then.
    """
    spare = factory.mktemp("host")
    host = Host(spare / "logs", random.Random(seed))
    host.folder.mkdir()
    for _ in range(12):
        host.chance.choice([host.write, host.write, host.write, host.rotate, host.pack])()
    return spare, host, inputs_of(host.folder)


@SOME
@given(seed=st.integers(0, 10**6))
@pytest.mark.parametrize("checked", DOORS)
def test_what_is_renamed_before_it_is_opened_is_read(
    plan: CheckPlan, tmp_path_factory: pytest.TempPathFactory, checked: Checked, seed: int
) -> None:
    """Whatever is written under the old names by then: the report is that of what was listed."""
    spare, host, files = listed_host(tmp_path_factory, seed)
    before = without_notes(in_one_process(plan, files, spare))
    for _ in range(host.chance.randint(1, 3)):
        host.rotate()
        (host.folder / "house.log").write_text(host.text())
    report = checked(plan, files, spare)
    assert without_notes(report) == before
    notes = [p for source in report.sources for p in source.problems if "renamed" in p]
    assert notes or not any(entry.name.startswith("house") for entry in files)


@SOME
@given(seed=st.integers(0, 10**6))
@pytest.mark.parametrize("checked", DOORS)
def test_what_is_not_read_is_named(
    plan: CheckPlan, tmp_path_factory: pytest.TempPathFactory, checked: Checked, seed: int
) -> None:
    """Whatever becomes of files: all that was listed is in the report, or it is no HOLDS."""
    spare, host, files = listed_host(tmp_path_factory, seed)
    before = in_one_process(plan, files, spare)
    things = [host.rotate, host.pack, host.copy_and_truncate, host.lose, host.rewrite, host.write]
    for _ in range(host.chance.randint(1, 4)):
        host.chance.choice(things)()
    report = with_incompleteness(checked(plan, files, spare))
    read = {source.file: source.lines for source in report.sources}
    less = [source.file for source in before.sources if read[source.file] < source.lines]
    assert {error.partition(":")[0] for error in report.errors} >= set(less)
    assert not less or report.verdict is not Verdict.HOLDS


@pytest.mark.parametrize("checked", DOORS)
def test_what_was_deleted_leaves_a_check_open(
    plan: CheckPlan, tmp_path: Path, checked: Checked
) -> None:
    """The oldest file of a rotation goes while others are read: nobody knows what it held."""
    (tmp_path / "logs").mkdir()
    for at, name in enumerate(("house.log.1", "house.log")):
        (tmp_path / "logs" / name).write_text(line("Door d stands OPEN", at) + "\n")
    files = inputs_of(tmp_path / "logs")
    (tmp_path / "logs/house.log.1").unlink()
    (tmp_path / "logs/house.log").rename(tmp_path / "logs/house.log.1")
    (tmp_path / "logs/house.log").write_text(line("Door d stands GONE", 9) + "\n")
    report = with_incompleteness(checked(plan, files, tmp_path))
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.errors == (f"house.log.1: {listed_files.REPLACED}",)
    assert report.checked.observations == 1


def test_a_folder_that_is_rotated_while_it_is_listed_is_listed_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each file that is looked at, for the first few, all get the next name."""
    for number in range(1, 4):
        (tmp_path / f"house.log.{number}").write_text(f"{number}\n")
    left = [4]

    def rotated(path: Path) -> ListedFile | None:
        known = list_file(path)
        if left[0]:
            left[0] -= 1
            for number in range(9, 0, -1):
                file = tmp_path / f"house.log.{number}"
                if file.exists():
                    file.rename(tmp_path / f"house.log.{number + 1}")
        return known

    monkeypatch.setattr(inputs, "list_file", rotated)
    files = inputs_of(tmp_path)
    assert sorted(entry.path.read_text() for entry in files) == ["1\n", "2\n", "3\n"]


def test_a_check_whose_files_are_rotated_between_listing_and_reading_ends_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a program sees it, for whom one call lists and reads: what was lost is an error."""
    house = House(tmp_path / "house")
    log = tmp_path / "house.log"
    log.write_text(line("Door d stands OPEN", 1) + "\n")
    request, seen = make_request(CheckOptions(specs=[house.spec])), inputs.list_file

    def removed(path: Path) -> ListedFile | None:
        known = seen(path)
        path.unlink()
        return known

    assert check_locally([log], request).verdict is Verdict.HOLDS
    monkeypatch.setattr(inputs, "list_file", removed)
    assert check_locally([log], request).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("fault", ["numbers are not looked at", "beginnings are not looked at"])
def test_both_ways_to_know_a_file_are_needed(
    plan: CheckPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """The laws above have teeth: a new file is taken for the one that was listed."""
    log = tmp_path / "house.log"
    log.write_text(line("Door d stands OPEN", 1) + "\n")
    files = inputs_of(tmp_path)
    if fault == "numbers are not looked at":
        monkeypatch.setattr(ListedFile, "_places", lambda self: iter([self.path]))
        monkeypatch.setattr(ListedFile, "_is_same", lambda *_: True)
        log.rename(tmp_path / "other.log")
    else:
        monkeypatch.setattr(ListedFile, "_begins", lambda *_: True)
    log.write_text(line("Door d stands JAMMED", 1) + "\n")
    report = check_files(plan, files, default_layouts())
    assert [row.state for row in report.now] == [("JAMMED",)]
