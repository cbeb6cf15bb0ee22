"""Law: `step`, an Instance, generated code and the `transitions` machine are one machine.

Covers: statemachines.embed.code_generation.generated_module, statemachines.embed.errors,
statemachines.embed.instances, statemachines.interop.transitions.bridge,
statemachines.semantics.machine.initial_snapshots, statemachines.semantics.machine.machine_tables,
statemachines.semantics.machine.step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.embed.code_generation.generated_module import generate_code
from statemachines.embed.errors import NotAllowed, not_allowed
from statemachines.embed.instances import Instance
from statemachines.interop.transitions.bridge import to_transitions
from statemachines.model.definitions.machine_definitions import MachineDefinition
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
from tests.strategies import runs, table_machines

LAW = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


def made(machine: MachineDefinition, state: str) -> tuple[Any, dict[str, Callable[[], object]]]:
    """An object of the generated class, in this state, and its methods by event."""
    module: dict[str, Any] = {"__name__": "generated"}
    exec(generate_code(machine), module)
    subject = module["Random"](module["State"](state))

    def call(event: str) -> None:
        try:
            getattr(subject, event)()
        except module["NotAllowed"] as error:
            does = "refuse" if type(error) is module["NotAllowed"] else "raise"
            kind = NotAllowed if does == "refuse" else not_allowed(type(error).__name__)
            raise kind(
                machine.name, machine.release, error.state, error.event, error.legal, does
            ) from error

    return subject, {event: partial(call, event) for event in machine_tables(machine).events}


def told(answer: Answer) -> str | None:
    """What an embedding raises for an answer, by class name; None: nothing."""
    return None if isinstance(answer, Advanced | Forced | Ignored) else answer.error or "refused"


def raised(error: NotAllowed) -> str:
    """The same, of an error."""
    return "refused" if error.does == "refuse" else type(error).__name__


@LAW
@given(st.data())
def test_all_embeddings_go_where_step_goes(data: st.DataObject) -> None:
    """Same snapshots, same refusals, at every event of a random run over a random machine."""
    machine: MachineDefinition = data.draw(table_machines())
    before = data.draw(st.sampled_from(initial_snapshots(machine)))
    instance, bridged = Instance(machine, before), to_transitions(machine, begin=before.state)
    generated, methods = made(machine, before.state)
    for event in data.draw(runs(machine_tables(machine).events)):
        answer = step(machine, before, event)
        assert (
            instance.may(event)
            == isinstance(answer, Advanced)
            == getattr(bridged, f"may_{event}")()
        )
        assert outcome(lambda event=event: instance.send(event)) == told(answer)
        assert outcome(lambda event=event: bridged.trigger(event)) == told(answer)
        assert generated.may(event) == isinstance(answer, Advanced)
        assert outcome(methods[event]) == told(answer)
        assert generated.state == answer.after.state
        assert instance.snapshot == answer.after
        assert bridged.state == answer.after.state
        before = answer.after


@LAW
@given(st.data())
def test_an_answer_changes_nothing_unless_it_says_so(data: st.DataObject) -> None:
    """Only an advance or a forced step moves; whoever decided is part of the machine."""
    machine: MachineDefinition = data.draw(table_machines())
    before = Snapshot(data.draw(st.sampled_from([state.name for state in machine.states])))
    answer = step(machine, before, data.draw(st.sampled_from(machine_tables(machine).events)))
    if not isinstance(answer, Advanced | Forced):
        assert answer.after == before
    deciders = (*machine.transitions, *machine.otherwise)
    assert answer.decided_by in deciders or isinstance(answer, Refused)


def outcome(act: object) -> str | None:
    """Do it and say what was raised."""
    assert callable(act)
    try:
        act()
    except NotAllowed as error:
        return raised(error)
    return None
