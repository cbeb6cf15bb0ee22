"""Generated code: readable, typed, formatted, and the same bytes every time.

Covers: statemachines.embed.code_generation.data_class,
statemachines.embed.code_generation.data_module,
statemachines.embed.code_generation.generated_module,
statemachines.embed.code_generation.method_bodies, statemachines.embed.code_generation.event_branches,
statemachines.embed.code_generation.python_text,
statemachines.embed.code_generation.readable_python,
statemachines.embed.code_generation.table_class.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

import statemachines as sm
from statemachines.cli import main
from statemachines.embed.code_generation.generated_module import generate_code
from statemachines.embed.code_generation.python_text import class_name
from statemachines.embed.instances import Instance
from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    Predicate,
    State,
    Transition,
)
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.testing import from_machine
from tests.data_machines import machine as small_machine
from tests.effort import some_of
from tests.machines import COUNTER, DEAD_END, ORDER, TINY, TURNSTILE

AWKWARD = MachineDefinition(
    name="odd/state",
    release="",
    states=(
        State("None", initial=True, doc='Says """nothing""" \\ "much"'),
        State("_"),
        State("mro"),
        State("name", final=True),
    ),
    transitions=(
        Transition("None", "_", "class"),
        Transition("_", "mro", "state"),
        Transition("mro", "name", "legal"),
        Transition("name", "None", "open"),
    ),
    predicates=(Predicate("open", ("None",)), Predicate("may", ("mro", "name"))),
    doc="First paragraph, which is long enough that it must be wrapped somewhere before its very end.\n\nSecond.",
    source="A. Paper, 1999",
)
"""Names that Python or the module itself has other plans with."""


def loaded(machine: MachineDefinition) -> dict[str, Any]:
    """The generated module's names."""
    namespace: dict[str, Any] = {"__name__": "generated"}
    exec(compile(generate_code(machine), "generated.py", "exec"), namespace)
    return namespace


def test_it_reads_as_if_written_by_hand() -> None:
    """The whole of a small one."""
    text = generate_code(TURNSTILE)
    assert '"""The life cycle turnstile.\n' in text
    assert (
        text[text.index("    def push") :]
        == '''\
    def push(self) -> None:
        """From OPEN to LOCKED. Refused in LOCKED."""
        state = self.state
        if state is _OPEN:
            self.state = _LOCKED
        else:
            raise NotAllowed(state, "push", _LEGAL[state])
'''
    )


@pytest.mark.parametrize("machine", [*TINY, AWKWARD], ids=lambda machine: machine.name)
def test_formatters_and_linters_leave_it_alone(machine: MachineDefinition, tmp_path: Path) -> None:
    """Under their own defaults: it goes into other people's projects."""
    path = tmp_path / "made.py"
    path.write_text(generate_code(machine))
    for command in (["format", "--check"], ["check"]):
        subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--isolated", "--no-cache", str(path)],
            check=True,
            capture_output=True,
        )


def test_it_is_typed(tmp_path: Path) -> None:
    """Strictly."""
    paths = []
    for place, machine in enumerate((*TINY, AWKWARD)):
        paths.append(tmp_path / f"made{place}.py")
        paths[-1].write_text(generate_code(machine))
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        f"--cache-dir={tmp_path}",
        *map(str, paths),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("machine", TINY, ids=lambda machine: machine.name)
def test_it_passes_the_test_made_from_its_machine(machine: MachineDefinition) -> None:
    """Its methods, its states, its errors."""
    module = loaded(machine)
    few = settings(
        max_examples=some_of(20),
        stateful_step_count=20,
        database=None,
        deadline=None,
        phases=[Phase.generate],
    )
    made = from_machine(machine, module[class_name(machine.name)], refusals=(module["NotAllowed"],))
    run_state_machine_as_test(made, settings=few)


def test_its_refusals_say_what_would_have_been_legal() -> None:
    """As those of instances do."""
    module = loaded(ORDER)
    order = module["Order"](module["State"].CLOSED)
    with pytest.raises(
        module["TooLate"],
        match=r"shop/Order 2\.0: `pay` is not allowed in CLOSED; legal here: nothing",
    ):
        order.pay()
    assert (order.legal, order.may("pay"), order.done, order.open) == ((), False, True, False)
    assert order.state == "CLOSED"


BASKET = small_machine("""
parameters: {room: 1..3}
variables: {eggs: "0..3 = 0"}
events:
  add: {args: {count: 1..2}, let: {after: eggs + count}, guard: eggs < 3 and after <= room, effect: {eggs: after}}
  take: {cases: [{when: eggs == 1, effect: {eggs: "0"}}, {when: eggs == 2, effect: {eggs: "1"}}]}
""")


def test_its_refusals_name_the_clause_that_is_false() -> None:
    """As those of instances do: the first of a guard, and one of each case."""
    basket = loaded(BASKET)["Small"](room=1)
    instance = Instance(BASKET, initial_snapshots(BASKET, room=1)[0])
    basket.add(1)
    instance.send("add", count=1)
    refused = refusal(lambda: basket.add(1))
    assert refused.why == refusal(lambda: instance.send("add", count=1)).why
    assert (
        str(refused)
        == "small: `add` is not allowed now: `after <= room` is false; legal here: `take`"
    )
    basket.take()
    assert refusal(basket.take).why == "`eggs == 1` and `eggs == 2` are false"


def refusal(act: Callable[[], object]) -> Any:
    """What is raised."""
    with pytest.raises(Exception, match="not allowed") as refused:
        act()
    return refused.value


@pytest.mark.parametrize("machine", [TURNSTILE, ORDER], ids=lambda machine: machine.name)
def test_a_state_may_be_given_as_its_name(machine: MachineDefinition) -> None:
    """As a database gives it back: it is the state; another word is an error straight away."""
    made = loaded(machine)
    kind = made[class_name(machine.name)]
    name = str(kind().state)
    given = kind(state=name)
    assert given.state is made["State"](name)
    with pytest.raises(ValueError, match="'NOWHERE' is not a valid State"):
        kind(state="NOWHERE")


def test_awkward_names_are_made_python() -> None:
    """A state called None, an event called class; what the module needs itself keeps its name."""
    module = loaded(AWKWARD)
    odd = module["StateMachine"]()
    for event in ("class_", "state_", "legal_", "open"):
        assert odd.open_ == (odd.state == "None")
        getattr(odd, event)()
    assert [str(state) for state in module["State"]] == ["None", "_", "mro", "name"]


def test_the_same_machine_gives_the_same_bytes() -> None:
    """And another one others."""
    assert generate_code(COUNTER) == generate_code(evolve(COUNTER))
    assert generate_code(COUNTER) != generate_code(DEAD_END)


def test_a_build_can_check_that_it_is_up_to_date(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Written, checked, spoiled, found."""
    path = tmp_path / "thread.py"
    command = ["generate", "code", "StreamThread", "-o", str(path)]
    assert main([*command, "--check"]) == 1
    assert "is not there" in capsys.readouterr().err
    assert main(command) == 0
    assert main([*command, "--check"]) == 0
    path.write_text(path.read_text().replace("_RUNNING", "_RUNING"))
    assert main([*command, "--check"]) == 1
    assert "is out of date" in capsys.readouterr().err
    assert main(["generate", "code", "StreamThread", "--check"]) == 2
    assert "name it with -o FILE" in capsys.readouterr().err
    assert main(["generate", "code", "StreamThread"]) == 0
    assert capsys.readouterr().out.startswith('"""The life cycle')


TWO_CLAUSES = """\
notation: 1
machine: Slot
states: {A: {initial: true}, B: {final: true}}
parameters: {low: 0..9, high: 0..9}
where: low < high and high > 3
events: {go: {args: {k: 0..9}, where: k > low and k < high}}
transitions: [{from: A, to: B, event: go}]
"""


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [((5, 4), None), ((1, 2), None), ((2, 6), 1), ((2, 6), 7)],
)
def test_the_clause_that_is_false_is_named_as_the_machine_names_it(
    parameters: tuple[int, int], arguments: int | None, tmp_path: Path
) -> None:
    """A person with a condition of five clauses would have to try each."""
    (tmp_path / "Slot.yaml").write_text(TWO_CLAUSES)
    machine = sm.load(tmp_path / "Slot.yaml").at()
    made: dict[str, Any] = {"__name__": "slot"}
    exec(generate_code(machine.value), made)
    low, high = parameters

    def said(make: Callable[..., Any]) -> str:
        with pytest.raises(ValueError, match="is false") as wrong:
            make(low=low, high=high).go(k=arguments)
        return str(wrong.value).split(" with ")[0]

    assert said(made["Slot"]) == said(machine.instance)
