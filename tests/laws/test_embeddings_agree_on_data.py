"""Law: `step`, an Instance, generated code and the `transitions` machine of a machine with data are one machine.

Covers: statemachines.embed.code_generation.generated_module,
statemachines.embed.code_generation.python_text, statemachines.embed.code_generation.table_class,
statemachines.embed.errors, statemachines.embed.instances, statemachines.interop.transitions.bridge,
statemachines.interop.transitions.data_bridge, statemachines.semantics.machine.initial_snapshots,
statemachines.semantics.machine.machine_tables, statemachines.semantics.machine.step,
statemachines.semantics.machine.value_enumeration, statemachines.testing.runs.attempts,
statemachines.testing.runs.subject_contact.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from attrs import frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.embed.code_generation.generated_module import generate_code
from statemachines.embed.code_generation.python_text import class_name
from statemachines.embed.code_generation.table_class import CannotGenerate
from statemachines.embed.errors import Declared, NotAllowed
from statemachines.embed.instances import Instance, operation_result
from statemachines.interop.transitions.bridge import to_transitions
from statemachines.interop.transitions.data_bridge import RefusedByMachine
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Ignored,
    Refused,
    Snapshot,
)
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step
from statemachines.semantics.machine.value_enumeration import default_domain_sizes
from statemachines.testing.runs.attempts import Attempt, AttemptFinder, sample_subject_parameters
from statemachines.testing.runs.subject_contact import as_value, is_same_value
from tests.data_machines import EXAMPLES, example, machine
from tests.effort import some_of
from tests.planted.worker import WORKER

LAW = settings(
    suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=some_of(60)
)

LIFT = machine("""
types: {Floor: 0..3, Wish: {floor: Floor, urgent: bool}}
errors: {Stuck: Between two floors., TooFar: It does not go there.}
parameters: {top: 1..3, served: "set[Floor]"}
where: top in served
states: {IDLE: {initial: true}, MOVING: {}, BROKEN: {final: true}}
predicates: {working: [IDLE, MOVING]}
variables:
  at: {type: Floor, initial: "0"}
  wishes: {type: "list[Wish]", initial: "[]"}
  goal: {type: "Floor?", initial: "None"}
  trips: {type: 0..2, initial: "0"}
define:
  pressing: "[w for w in wishes if w.urgent]"
  known: {args: {floor: Floor}, is: "any(w.floor == floor for w in wishes)"}
events:
  call: {args: {floor: Floor, urgent: bool}, doc: Somebody pressed a button.}
  go: {}
  arrive: {let: {here: "goal"}}
  jam: {}
transitions:
  - from: [IDLE, MOVING]
    event: call
    let: {wish: "Wish(floor, urgent)"}
    cases:
      - {when: "floor > top", raises: TooFar}
      - {when: known(floor), returns: "False"}
      - {when: len(wishes) < 2, effect: {wishes: "wishes + [wish]"}, returns: "True"}
  - {from: IDLE, to: MOVING, event: go, guard: "wishes != [] and trips < 2", effect: {goal: "pressing[0].floor if pressing != [] else wishes[0].floor", trips: trips + 1}, returns: {value: trips, left: at}}
  - from: MOVING
    to: IDLE
    event: arrive
    guard: here is not None
    effect: {at: "at if here is None else here", wishes: "[w for w in wishes if w.floor != here]", goal: "None"}
    returns: here
  - {from: MOVING, to: BROKEN, event: jam, raises: Stuck, effect: {goal: "None"}}
otherwise:
  - {event: arrive, does: ignore}
  - {event: go, from: BROKEN, does: raise Stuck}
  - {event: jam, from: IDLE, does: force}
""")
"""Of everything something: records, lists, optional values, lets, errors of transitions and of `otherwise`, a forced event."""

MACHINES = {name: example(name) for name in EXAMPLES} | {"Lift": LIFT, "Worker": WORKER}


@cache
def module_of(name: str) -> dict[str, Any]:
    """The names of the generated module."""
    made = ModuleType(f"generated_{name}")
    sys.modules[made.__name__] = made  # dataclasses look for their module there
    exec(compile(generate_code(MACHINES[name]), f"{name}.py", "exec"), made.__dict__)
    return made.__dict__


@frozen
class Told:
    """What a caller gets: a value, or an error by its name."""

    value: object = None
    error: str = ""


def told(answer: Answer) -> Told:
    """What a step tells the caller."""
    if isinstance(answer, Advanced | Forced | Ignored):
        return Told(operation_result(answer))
    return Told(error=answer.error or "refused")


def done(act: Callable[[], object], refusal: type[Exception]) -> Told:
    """What an embedding tells the caller."""
    try:
        return Told(as_value(act()))
    except (NotAllowed, Declared, refusal) as error:
        plain = type(error) in (refusal, NotAllowed)
        return Told(error="refused" if plain else type(error).__name__.removesuffix("NotAllowed"))
    except Exception as error:
        if type(error).__name__ in {each.name for each in LIFT.data.errors} or type(
            error
        ).__module__.startswith("generated"):
            return Told(error=type(error).__name__)
        raise


def attempts_at(trials: AttemptFinder, before: Snapshot) -> list[Attempt]:
    """All that may be tried."""
    return [
        attempt
        for event in trials.tables.events
        for attempt, _ in trials.event_attempts(before, event).answered
    ]


@pytest.mark.parametrize("name", MACHINES)
@LAW
@given(data=st.data())
def test_all_embeddings_do_what_step_does(name: str, data: st.DataObject) -> None:
    """Same snapshots, same results, same refusals, at every event of a random run."""
    of, module = MACHINES[name], module_of(name)
    trials = AttemptFinder(machine_tables(of), default_domain_sizes(machine_tables(of).behaviour))
    parameters = sample_subject_parameters(
        trials, data.draw(st.builds(Random, st.integers(0, 5))), wide=data.draw(st.booleans())
    )
    before = initial_snapshots(of, **parameters)[0]
    chosen = {
        one.name: before.variables[one.name] for one in of.data.variables if one.initial is None
    }
    instance, generated = Instance(of, before), module[class_name(of.name)](**parameters, **chosen)
    bridged = to_transitions(of, begin=before)
    same(of, before, generated)
    for _ in range(data.draw(st.integers(0, 25))):
        choices = attempts_at(trials, before)
        if not choices:
            break
        attempt = data.draw(st.sampled_from(choices))
        possible = data.draw(st.sampled_from(trials.possible_steps(before, attempt)))
        arguments = {**attempt.arguments, **possible.system_choice}
        answer = step(of, before, attempt.event, **arguments)
        assert answer == possible.answer
        assert instance.may(attempt.event, **arguments) == isinstance(answer, Advanced)
        assert done(lambda a=attempt, k=arguments: instance.send(a.event, **k), NotAllowed) == told(
            answer
        )
        assert getattr(generated, f"may_{attempt.event}")(**arguments) == isinstance(
            answer, Advanced
        )
        assert getattr(bridged, f"may_{attempt.event}")(**arguments) == isinstance(answer, Advanced)
        assert done(
            lambda a=attempt, k=arguments: triggered(bridged, a.event, k), RefusedByMachine
        ) == told(answer)
        assert bridged.snapshot == answer.after
        assert done(
            lambda a=attempt, k=arguments: getattr(generated, a.event)(**k), module["NotAllowed"]
        ) == told(answer)
        if isinstance(answer, Refused):
            with pytest.raises(module["NotAllowed"]) as refusal:
                getattr(generated, attempt.event)(**arguments)
            assert refusal.value.why in (answer.reason, "")
        before = answer.after
        assert instance.snapshot == before
        same(of, before, generated)
        given_out(answer, generated)


def triggered(bridged: Any, event: str, arguments: dict[str, Any]) -> object:
    """Trigger an event of the `transitions` machine; what it gives back."""
    done = bridged.trigger(event, **arguments)
    assert done == (not isinstance(bridged.answer, Ignored))
    assert bridged.state == (bridged.snapshot.state or "there")
    return operation_result(bridged.answer)


def same(of: MachineDefinition, expected: Snapshot, generated: Any) -> None:
    """State and all variables are as in the snapshot."""
    assert not expected.state or generated.state == expected.state
    for variable in of.data.variables:
        assert is_same_value(
            variable.type,
            as_value(getattr(generated, variable.name)),
            expected.variables[variable.name],
        ), variable.name
    assert generated.legal == Instance(of, expected).legal


def given_out(answer: Answer, generated: Any) -> None:
    """What went to others is shown."""
    decided = answer.decided_by
    returns = (
        decided.case.returns
        if isinstance(decided, Transition) and decided.case is not None
        else None
    )
    for name, _ in returns if isinstance(returns, tuple) else ():
        if name != "value":
            assert isinstance(answer.returned, dict)
            assert as_value(getattr(generated, name)) == answer.returned[name]


def test_generated_modules_are_typed_and_tidy(tmp_path: Path) -> None:
    """Strictly typed; nothing that a linter would change, and long lines alone that a formatter would."""
    paths = []
    for name, of in MACHINES.items():
        paths.append(tmp_path / f"made_{name.lower()}.py")
        paths[-1].write_text(generate_code(of))
    checked = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
    command = [sys.executable, "-m", "ruff", "format", "--diff", "--isolated", "--no-cache"]
    formatted = subprocess.run(
        [*command, *map(str, paths)], capture_output=True, text=True, check=False
    ).stdout.splitlines()
    broken = [line for line in formatted if line.startswith("-") and not line.startswith("---")]
    assert [line for line in broken if len(line) - 1 <= 88] == []
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        f"--cache-dir={tmp_path}",
        *map(str, paths),
    ]
    typed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert typed.returncode == 0, typed.stdout


@pytest.mark.parametrize("name", MACHINES)
def test_the_same_machine_gives_the_same_bytes(name: str) -> None:
    """Whatever was generated before it."""
    assert generate_code(MACHINES[name]) == generate_code(MACHINES[name])


def test_what_python_has_no_words_for_is_refused_by_name() -> None:
    """A dict has no hash."""
    odd = machine(
        "types: {T: id}\nvariables: {seen: 'set[map[T, bool]] = set()'}\nevents: {go: {}}\n"
    )
    with pytest.raises(CannotGenerate, match="`seen` has maps in a set"):
        generate_code(odd)


def test_arguments_are_looked_at() -> None:
    """As by an instance: they are the caller's mistake."""
    module = module_of("Orders")
    orders = module["Orders"](shelf={"tea": 1, "milk": 1})
    for event, arguments in (
        ("place", ("a", "coffee", 1)),
        ("place", ("a", "tea", 3)),
        ("pay", ("a",)),
        ("ship", (frozenset("a"),)),
    ):
        with pytest.raises(module["ArgumentsError"], match=f"`{event}`"):
            getattr(orders, event)(*arguments)
    with pytest.raises(module["ArgumentsError"], match="`shelf` is not of type"):
        module["Orders"](shelf={"tea": 7, "milk": 1})
