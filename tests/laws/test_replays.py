"""What `explore --format json` writes is what `--replay` reads: every trace goes again as it did.

Covers: statemachines.report.exploration.replays.recorded_traces,
statemachines.report.exploration.replays.replayed_traces,
statemachines.report.exploration.replays.replay_report.
"""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings

from statemachines.explore.options import ExplorationOptions
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.report.exploration.exploration_report import (
    ExplorationReport,
    exploration_report,
    to_json,
)
from statemachines.report.exploration.replays.recorded_traces import read_exploration
from statemachines.report.exploration.replays.replay_report import replay_reports
from tests import exploring, exploring_systems
from tests.data_machines import machine
from tests.effort import some_of

FEW = settings(
    max_examples=some_of(12),
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
)


def check(
    value: MachineDefinition | SystemDefinition, found: ExplorationReport, file: Path
) -> None:
    """Every trace of an exploration goes again, to the same rows."""
    file.write_text(json.dumps(to_json(found)), "utf-8")
    shown = [one for one in found.examined if one.start]
    reports = replay_reports(value, read_exploration(file), traces="all") if shown else ()
    assert [one.stop or one.remark for one in reports] == [""] * len(shown)
    assert [one.shown.start for one in reports] == [one.start for one in shown]
    for again, before in zip(reports, shown, strict=True):
        assert [(row.event, row.outcome) for row in again.shown.rows] == [
            (row.event, row.outcome) for row in before.rows
        ]
        assert again.shown.loop_start == before.loop_start


@given(exploring.machines())
@FEW
def test_traces_of_machines_go_again(tmp_path: Path, small: MachineDefinition) -> None:
    """Counterexamples, witnesses and lassos, of one and of two copies."""
    for copies in (1, 2):
        how = ExplorationOptions(copies=copies)
        check(small, exploration_report(small, (), how, ""), tmp_path / "found.json")


@given(exploring_systems.systems())
@FEW
def test_traces_of_systems_go_again(tmp_path: Path, system: SystemDefinition) -> None:
    """With what waited, was lost, and was repeated."""
    how = ExplorationOptions()
    check(system, exploration_report(system, (), how, ""), tmp_path / "found.json")


KINDS = """
types: {Job: id, Info: {left: 0..1, tags: "set[Job]"}}
variables:
  info: {type: Info, initial: "Info(0, set())"}
  at: "map[Job, 0..1] = {}"
  order: "list[Job] = []"
  none: "Job? = None"
scope: {Job: 2, list: 2}
events:
  keep: {args: {given: Info}, effect: {info: given}}
  move: {args: {jobs: "set[Job]"}, effect: {at: "{job: 1 for job in jobs}"}}
  line: {args: {jobs: "list[Job]", best: "Job?"}, guard: len(jobs) <= 2, effect: {order: jobs, none: best}}
always:
  a: len(info.tags) < 2
  b: len(at) < 2
  c: len(order) < 2
  d: none is None
sometimes: {all: "len(info.tags) == 2 and len(at) == 2 and len(order) == 2"}
"""


def test_values_of_every_kind_are_read_as_they_were(tmp_path: Path) -> None:
    """Sets, maps, records and lists, in arguments and in variables."""
    small = machine(KINDS)
    found = exploration_report(small, (), ExplorationOptions(), "")
    assert sum(bool(one.start) for one in found.examined) >= 5
    check(small, found, tmp_path / "found.json")
