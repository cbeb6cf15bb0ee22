"""What fails is shown short, with simple arguments, as a program that fails by itself; and nothing small is left out or blind.

Covers: statemachines.semantics.arguments.value_sampling, statemachines.testing.runs.boundary_values,
statemachines.testing.runs.paired_runs, statemachines.testing.shrinking.failure_shrinking,
statemachines.testing.shrinking.fresh_processes, statemachines.testing.shrinking.simpler_arguments.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from statemachines.embed.instances import Instance
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.semantics.arguments.value_sampling import sample_value
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    ValueContext,
    enumerate_values,
)
from statemachines.testing import from_machine
from statemachines.testing.runs.attempts import Attempt
from statemachines.testing.runs.paired_runs import SequenceStart
from statemachines.testing.shrinking.fresh_processes import NoFreshProcess, fresh_process_check
from statemachines.testing.shrinking.simpler_arguments import simpler_values
from statemachines.testing.threads.thread_checks import check_threads
from tests.data_machines import machine
from tests.planted import panel
from tests.refusing import No
from tests.sampling import few_always

FEW = settings(
    max_examples=1, stateful_step_count=1, database=None, deadline=None, derandomize=True
)

ROOT = Path(__file__).parent.parent.parent.parent


def program(of: MachineDefinition, make: Any) -> str:
    """Return the program that shows what is wrong, by what is planned alone."""
    with pytest.raises(AssertionError) as failure:
        run_state_machine_as_test(from_machine(of, make, refusals=(No,)), settings=FEW)
    return str(failure.value).rpartition("The program that shows it:\n")[2]


def test_arguments_are_made_simple_as_well_as_calls_few() -> None:
    """Twenty calls that use up what a large number gives back say less than three and a one."""
    said = program(panel.RATE, panel.RefillsLess)
    assert said.count("subject.") <= 6
    assert "refill(n=1)" in said


def test_what_subjects_share_is_shown_with_two_of_them() -> None:
    """One alone fails here, where others were before it, and nowhere else."""
    if threading.active_count() > 1:
        pytest.skip("processes cannot be forked here")
    said = program(panel.BUFFER, panel.sharing())
    assert said.count("make_subject()") == 2
    known: dict[str, Any] = {"make_subject": panel.sharing()}
    exec(said.replace("    ", ""), known)
    assert known["subject"].items


def test_one_argument_of_441_is_not_missed() -> None:
    """A machine that is small enough is toured whole."""
    assert "subject.press(row=13, column=8)" in program(panel.PANEL, panel.DeadKey)


def test_a_scope_of_one_makes_no_test_blind() -> None:
    """The spec's scope bounds a search; a registry with one name in it shows little."""
    assert "Task2" in program(panel.REGISTRY, panel.DropsAll)


@pytest.mark.parametrize("least", [3, 9])
def test_a_list_longer_than_the_scope_has_is_tried(least: int) -> None:
    """A program that does a few otherwise than many passed: no list of three was ever given."""
    of = machine("""
types: {Item: id}
variables: {total: "0..99 = 0"}
events: {load: {args: {items: "list[Item]"}, effect: {total: len(items)}, returns: len(items)}}
""")

    class Loses:
        total = 0

        def load(self, items: Any) -> int:
            self.total = len(items)
            return self.total - (self.total >= least)

    some = settings(FEW, max_examples=20, stateful_step_count=20)
    test = from_machine(of, Loses)
    with pytest.raises(AssertionError, match=rf"must return {least} "):
        run_state_machine_as_test(test, settings=some)
    run_state_machine_as_test(from_machine(of, lambda: Instance(of)), settings=some)


@pytest.mark.parametrize(
    ("begins", "join"),
    [
        ("set[Member] = set()", "{args: {who: Member}, effect: {members: 'members | {who}'}}"),
        ("set[Member] = set()", "{args: {who: 'set[Member]'}, effect: {members: who}}"),
        ("map[Member, 0..1] = {}", "{args: {who: 'map[Member, 0..1]'}, effect: {members: who}}"),
    ],
)
@pytest.mark.parametrize("scope", few_always(["", "scope: {Member: 1}"], [""]))
def test_more_names_than_the_scope_has_are_tried(begins: str, join: str, scope: str) -> None:
    """A program that was wrong from three members on passed: the names were two."""
    of = machine(f"""
types: {{Member: id}}
{scope}
variables: {{members: "{begins}"}}
events: {{join: {join}}}
""")

    class Loses:
        def __init__(self) -> None:
            self.members: Any = {} if begins.startswith("map") else set()
            self.lock = threading.Lock()

        def join(self, who: Any) -> None:
            with self.lock:
                after = self.members | {who} if isinstance(who, str) else who
                self.members = after if len(after) < 3 else type(after)()

    some = settings(FEW, max_examples=20, stateful_step_count=20)
    with pytest.raises(AssertionError, match=r"must be [^\n]*(Member\d.*){3}, and is"):
        run_state_machine_as_test(from_machine(of, Loses), settings=some)
    run_state_machine_as_test(from_machine(of, lambda: Instance(of)), settings=some)
    # who says how many has so many
    run_state_machine_as_test(from_machine(of, Loses, sizes={"Member": 2}), settings=some)
    # and threads that call at once draw what the random runs draw; waiting for a lock takes time
    if scope:
        with pytest.raises(AssertionError, match="no order of these calls"):
            check_threads(of, Loses, calls=4)
        check_threads(of, Loses, sizes={"Member": 2}, runs=20)


def test_names_that_the_system_decides_are_those_of_the_scope() -> None:
    """What the program chose is looked for among these, and a right one must be found."""
    of = machine("""
types: {Member: id}
variables: {leader: "Member? = None"}
events:
  elect:
    args: {among: "set[Member]", new: {type: Member, chosen: true}}
    where: new in among
    effect: {leader: new}
""")

    class Elects:
        leader = None

        def elect(self, among: Any) -> None:
            self.leader = max(among)

    some = settings(FEW, max_examples=20, stateful_step_count=20)
    run_state_machine_as_test(from_machine(of, Elects), settings=some)


def test_what_was_never_taken_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """A test that passes says nothing of what it never did."""
    of = machine("""
states: {A: {initial: true}, B: {}, C: {}}
variables: {n: "0..1 = 0"}
transitions:
  - {from: A, to: B, event: go, guard: n == 1}
  - {from: A, to: C, event: leave}
""")
    run_state_machine_as_test(from_machine(of, lambda: Instance(of)), settings=FEW)
    assert "small: never taken, so not tested: A.go " in capsys.readouterr().err


@pytest.mark.parametrize("scope", ["", "scope: {int: 0..2}"])
@pytest.mark.parametrize("least", [7, 700, -700])
def test_a_guard_that_asks_for_more_than_is_enumerated_is_passed(
    least: int, scope: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A number without bounds is small where it is enumerated, and the transition behind such a guard was never taken."""
    guard = f"n >= {least}" if least > 0 else f"n <= {least}"
    of = machine(f"""
{scope}
states: {{A: {{initial: true}}, FULL: {{}}}}
variables: {{total: "int = 0"}}
events: {{add: {{args: {{n: int}}}}}}
transitions:
  - {{from: A, to: FULL, event: add, guard: {guard}, effect: {{total: n}}}}
""")
    run_state_machine_as_test(from_machine(of, lambda: Instance(of)), settings=FEW)
    assert "never taken" not in capsys.readouterr().err

    def off_by_one(subject: Any) -> int:
        """Show a total that is one off where the guard only just holds."""
        shown: int = subject.total
        return shown - (shown == least)

    test = from_machine(of, lambda: Instance(of), observe={"total": off_by_one})
    with pytest.raises(AssertionError, match=rf"add\(n={least}\)"):
        run_state_machine_as_test(test, settings=FEW)


@pytest.mark.parametrize(
    "given_settings",
    ["TestPanel.settings = settings(max_examples=3)", "settings=settings(max_examples=3)"],
)
def test_the_planned_tours_count_for_no_deadline(given_settings: str, tmp_path: Path) -> None:
    """Settings that a person gives bring back Hypothesis' 200 ms: a right program whose tours take longer must pass."""
    lines = [
        "from hypothesis import HealthCheck, settings",
        "from hypothesis.stateful import run_state_machine_as_test",
        "from statemachines.testing import from_machine",
        "from tests.planted.panel import BUFFER, Buffer",
        "test = from_machine(BUFFER, Buffer)",
    ]
    if given_settings.startswith("Test"):
        lines += ["TestPanel = test.TestCase", given_settings, "TestPanel('runTest').debug()"]
    else:
        lines.append(f"run_state_machine_as_test(test, {given_settings})")
    lines = [
        line.replace(
            "max_examples=3", "max_examples=3, suppress_health_check=[HealthCheck.too_slow]"
        )
        for line in lines
    ]
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        cwd=root,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_fresh_process_knows_nothing_of_this_one() -> None:
    """What was done here after it was made ready does not count there, and what is done there does not count here."""
    done = list[int]()

    def fails(asked: Any) -> str | None:
        done.append(1)
        return f"{len(done)} {asked[-1]!r}" if asked else None

    with fresh_process_check(fails) as fresh:
        if fresh is None:
            pytest.skip("processes cannot be forked here")
        done.append(1)
        asked = [SequenceStart({}), Attempt("put", {"items": frozenset({"Item1"}), "n": 2})]
        assert fresh(asked) == fresh(asked) == f"1 {asked[-1]!r}"
        assert fresh([]) is None
    assert done == [1]


def test_a_fresh_process_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A subject may wait there for a thread that is not there."""
    import time

    monkeypatch.setattr("statemachines.testing.shrinking.fresh_processes.TIMEOUT_SECONDS", 0.2)
    with fresh_process_check(lambda _: time.sleep(30)) as fresh:
        if fresh is None:
            pytest.skip("processes cannot be forked here")
        with pytest.raises(NoFreshProcess):
            fresh([SequenceStart({})])


TYPED = machine("""
types: {Item: id, Info: {left: 0..3, right: bool}}
variables: {n: "int = 0"}
events:
  do: {args: {a: -3..5, b: "Item?", c: "set[Item]", d: "list[0..3]", e: "map[Item, 0..2]", f: Info, g: bool, h: int}}
""")


@given(st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_simpler_values_are_of_the_type_and_end(random: Any) -> None:
    """Each is a value of the type, none is simpler than itself, and there is an end to it."""
    tables, extent = machine_tables(TYPED), DomainSizes({"Item": 3})
    moment = ValueContext(tables.behaviour, extent, "", {"n": 0}, {}, {})
    for argument in tables.behaviour.signature("do").arguments:
        value, steps = sample_value(argument.type, moment, random), 0
        while others := [
            other for other in simpler_values(argument.type, value, extent) if other != value
        ]:
            value, steps = random.choice(others), steps + 1
            assert steps < 200
            if argument.name not in "dh":
                assert value in list(enumerate_values(argument.type, moment))


@pytest.mark.skipif(
    "threading.active_count() == 1",
    reason="the tests themselves run, in this process of one thread",
)
def test_in_a_process_of_one_thread_all_of_it_runs() -> None:
    """Where tests run side by side there are threads, and nothing is forked: what needs it runs in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        __file__,
        "-k",
        "fresh_process or subjects_share",
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
    assert "skipped" not in done.stdout
