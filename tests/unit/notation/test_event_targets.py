"""An event says which state it asks for, whatever it is called.

Covers: `target` of events in statemachines.notation.passes.declaration_pass and
statemachines.semantics.machine.step, statemachines.notation.passes.spec_builder,
statemachines.notation.passes.transition_pass, statemachines.notation.shorthands.written_out.
"""

from __future__ import annotations

import statemachines as sm
from statemachines.interop.drafting.notation_writer import to_notation
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.notation import machine_of, read_spec_text
from tests.unit.notation.texts import codes, spec

STATES = """
states: {OPEN: {initial: true}, SHUT: {}, DONE: {final: true}}
transitions: [{from: OPEN, to: SHUT, event: close}, {from: OPEN, to: SHUT, event: to_DONE}, {from: SHUT, to: DONE, event: finish}]
"""
OTHERWISE = "otherwise: [{to: OPEN, does: ignore}, {does: force}]\n"


def machine(events: str) -> MachineDefinition:
    return machine_of(spec(STATES + events + OTHERWISE))


def after(made: MachineDefinition, state: str, event: str) -> tuple[str, str]:
    answer = sm.step(made, sm.Snapshot(state, {}, {}), event)
    return type(answer).__name__, answer.after.state


def test_a_forced_event_leads_to_the_state_that_it_asks_for() -> None:
    """Its name tells nothing, and its transitions lead elsewhere."""
    made = machine("events: {close: {target: DONE}, to_DONE: {target: SHUT}, finish: {}}\n")
    assert after(made, "SHUT", "close") == ("Forced", "DONE")
    assert after(made, "DONE", "to_DONE") == ("Forced", "SHUT")
    assert after(made, "OPEN", "close") == ("Advanced", "SHUT")


def test_an_entry_of_otherwise_is_for_the_state_that_an_event_asks_for() -> None:
    """`to` means the request, not the name of the event."""
    made = machine("events: {close: {target: OPEN}, to_DONE: {target: SHUT}, finish: {}}\n")
    assert after(made, "DONE", "close") == ("Ignored", "DONE")


def test_a_declared_event_without_a_target_is_read_as_before() -> None:
    """All files of 1.0 mean what they meant."""
    made = machine("events: {close: {}, to_DONE: {target: DONE}, finish: {}}\n")
    assert after(made, "SHUT", "close") == ("Forced", "SHUT")
    assert "SM220" in codes(STATES + OTHERWISE)
    assert codes(STATES + "events: {to_DONE: {target: DONE}}\n" + OTHERWISE) == []


def test_an_unknown_target_is_told() -> None:
    """With the name that was meant."""
    assert "SM204" in codes(STATES + "events: {to_DONE: {target: DONE}, close: {target: SHT}}\n")
    body = (
        STATES.replace("SHUT: {}", 'SHUT: {in: "1.1.0.."}')
        + 'events: {close: {target: SHUT, in: "1.0.0"}, to_DONE: {target: DONE}}\n'
    )
    assert "SM206" in codes(body)


def test_a_machine_that_is_written_down_keeps_what_its_events_ask_for() -> None:
    """Or a forced step would lead elsewhere once it is read again."""
    made = machine("events: {close: {target: DONE}, to_DONE: {target: SHUT}, finish: {}}\n")
    again = machine_of(read_spec_text(to_notation(made).encode(), "Door.yaml").valid_spec())
    assert after(again, "SHUT", "close") == ("Forced", "DONE")
    assert [event.target for event in again.events][:2] == ["DONE", "SHUT"]
