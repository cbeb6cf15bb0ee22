"""Law: every machine of the catalogue, in every release, embeds as `step` says.

Covers: statemachines.embed.code_generation.generated_module, statemachines.embed.errors,
statemachines.embed.instances, statemachines.interop.transitions.bridge,
statemachines.semantics.machine.initial_snapshots, statemachines.semantics.machine.machine_tables,
statemachines.semantics.machine.step, statemachines.semantics.machine.value_enumeration,
statemachines.testing.runs.attempts.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from random import Random

import pytest
from attrs import evolve
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from statemachines.embed.code_generation.generated_module import generate_code
from statemachines.embed.errors import Declared, NotAllowed
from statemachines.embed.instances import Instance
from statemachines.interop.transitions.bridge import to_transitions
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Advanced, Forced, Ignored, Snapshot
from statemachines.notation import machine_of, spec_names
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step
from statemachines.semantics.machine.value_enumeration import default_domain_sizes
from statemachines.testing import from_machine
from statemachines.testing.runs.attempts import AttemptFinder, sample_subject_parameters
from tests.effort import some_of
from tests.shipped import shipped_spec


@cache
def machines_of(name: str) -> tuple[MachineDefinition, ...]:
    """The machines of a spec that differ in more than their release and their log, oldest first."""
    spec, found = shipped_spec(name), dict[MachineDefinition, MachineDefinition]()
    for release in spec.family.names(spec.releases):
        machine = machine_of(spec, release)
        found.setdefault(evolve(machine, release="", log=None), machine)
    return tuple(found.values())


@pytest.mark.parametrize("name", spec_names())
def test_every_request_in_every_state_is_answered_alike(name: str) -> None:
    """Exhaustively: by an instance and by the machine of `transitions`; what has data along a walk."""
    for machine in machines_of(name):
        tables = machine_tables(machine)
        if tables.has_data:
            walk_alike(machine)
            continue
        bridged = to_transitions(machine)
        for state in tables.states:
            for event in tables.events:
                answer = step(machine, Snapshot(state), event)
                instance = Instance(machine, Snapshot(state))
                bridged.set_state(state)
                happens = isinstance(answer, Advanced | Forced | Ignored)
                assert is_done(instance, event) == is_done(bridged, event) == happens, (
                    machine.release,
                    state,
                    event,
                )
                assert instance.state == bridged.state == answer.after.state


def walk_alike(machine: MachineDefinition) -> None:
    """Walk at random, legal or not; both are where `step` is."""
    trials, random = (
        AttemptFinder(
            machine_tables(machine), default_domain_sizes(machine_tables(machine).behaviour)
        ),
        Random(7),
    )
    before = initial_snapshots(machine, **sample_subject_parameters(trials, random, wide=False))[0]
    instance, bridged = Instance(machine, before), to_transitions(machine, begin=before)
    for _ in range(40):
        choices = [
            attempt
            for event in trials.tables.events
            for attempt, _ in trials.event_attempts(before, event).answered
        ]
        if not choices:
            return
        attempt = random.choice(choices)
        arguments = {**attempt.arguments, **trials.possible_steps(before, attempt)[0].system_choice}
        before = step(machine, before, attempt.event, **arguments).after
        for embedded in (instance, bridged):
            with suppress(NotAllowed, Declared):
                getattr(embedded, "send" if embedded is instance else "trigger")(
                    attempt.event, **arguments
                )
            assert embedded.snapshot == before, (machine.release, attempt)


@pytest.mark.long
@pytest.mark.parametrize("name", spec_names())
def test_its_own_instance_passes_the_test_made_from_it(name: str) -> None:
    """In its oldest and its newest form."""
    few = settings(
        max_examples=some_of(15),
        stateful_step_count=20,
        database=None,
        deadline=None,
        phases=[Phase.generate],
    )
    for machine in {machines_of(name)[0], machines_of(name)[-1]}:
        run_state_machine_as_test(
            from_machine(
                machine, lambda machine=machine, **parameters: Instance(machine, **parameters)
            ),
            settings=few,
        )


@pytest.mark.parametrize("name", spec_names())
def test_its_code_can_be_generated(name: str) -> None:
    """Of its newest form, data or not: Python reads it, and it is the same text again."""
    machine = machines_of(name)[-1]
    text = generate_code(machine)
    compile(text, f"{machine.name}.py", "exec")
    assert generate_code(machine) == text


def is_done(embedded: object, event: str) -> bool:
    """Tell whether nothing was raised."""
    try:
        getattr(embedded, event)()
    except NotAllowed:
        return False
    return True
