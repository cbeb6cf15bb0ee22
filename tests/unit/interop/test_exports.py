"""Machines written for other programs.

Covers: statemachines.interop.drafting.notation_writer,
statemachines.interop.export_limits, statemachines.interop.json.mapping_reader,
statemachines.interop.scxml.scxml_writer.
"""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from statemachines.interop.drafting.drafts import Draft
from statemachines.interop.drafting.notation_writer import to_notation
from statemachines.interop.export_limits import CannotExport
from statemachines.interop.json.mapping_reader import from_mapping
from statemachines.interop.scxml.scxml_reader import from_scxml
from statemachines.interop.scxml.scxml_writer import to_json, to_scxml
from statemachines.interop.tla.tla_export import to_tla
from statemachines.model.definitions.machine_definitions import (
    FallbackKind,
    MachineDefinition,
    State,
)
from statemachines.model.definitions.snapshots import Advanced, Forced, Snapshot
from statemachines.notation import machine_of, read_spec_text
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step
from tests.data_machines import example
from tests.effort import some_of
from tests.machines import COUNTER, ORDER, TINY, TURNSTILE
from tests.strategies import table_machines

SCXML = "{http://www.w3.org/2005/07/scxml}"
MACHINES = [machine for machine in TINY if machine.name != "dead end"]


def arrows(machine: MachineDefinition) -> set[tuple[str, str, str]]:
    """Source, event and target of what may be taken."""
    return {(each.source, each.event, each.target) for each in machine.transitions if each.taken}


def ends(machine: MachineDefinition) -> list[tuple[str, bool]]:
    """States and whether they are final."""
    return [(state.name, state.final) for state in machine.states]


@given(table_machines())
def test_scxml_reads_back(machine: MachineDefinition) -> None:
    """Beginnings, ends and every arrow that may be taken; what our words add is noted as lost, never in silence."""
    draft = from_scxml(to_scxml(machine))
    assert ends(draft.machine) == ends(machine)
    assert {state.name for state in draft.machine.states if state.initial} == {
        state.name for state in machine.states if state.initial
    }
    assert arrows(draft.machine) == arrows(machine)
    assert {(each.source, each.event) for each in draft.machine.transitions if each.silent} == {
        (each.source, each.event) for each in machine.transitions if each.silent and each.taken
    }


@given(table_machines())
def test_scxml_moves_where_step_moves(machine: MachineDefinition) -> None:
    """For every state and event: a transition with this target is there exactly where `step` changes or keeps the state by a step."""
    root = ElementTree.fromstring(to_scxml(machine))
    written = {}
    for state in root:
        for each in state.iter(f"{SCXML}transition"):
            if each.get("target"):
                written[state.get("id"), each.get("event")] = each.get("target")
    moved = {}
    for state_name in machine_tables(machine).states:
        for event in machine_tables(machine).events:
            answer = step(machine, Snapshot(state_name), event)
            if isinstance(answer, Advanced | Forced):
                moved[state_name, event] = answer.after.state
    assert written == moved


def test_scxml_is_what_a_person_expects() -> None:
    """Recorded, and read before it was."""
    assert to_scxml(COUNTER).splitlines()[2:] == [
        "  <!-- counter -->",
        '  <state id="ZERO">',
        '    <transition event="to_ONE" target="ONE"/>',
        '    <transition event="to_TWO" sm:otherwise="raise"><raise event="error.OverflowException"/></transition>',
        '    <transition event="to_ZERO" sm:otherwise="raise"><raise event="error.OverflowException"/></transition>',
        "  </state>",
        '  <state id="ONE">',
        '    <transition event="to_TWO" target="TWO"/>',
        '    <transition event="to_ZERO" target="ZERO"/>',
        '    <transition event="to_ONE" sm:otherwise="raise"><raise event="error.OverflowException"/></transition>',
        "  </state>",
        '  <state id="TWO" sm:final="true">',
        '    <transition event="to_ONE" sm:otherwise="raise"><raise event="error.OverflowException"/></transition>',
        '    <transition event="to_TWO" sm:otherwise="raise"><raise event="error.OverflowException"/></transition>',
        '    <transition event="to_ZERO" sm:otherwise="raise"><raise event="error.OverflowException"/></transition>',
        "  </state>",
        "</scxml>",
    ]


def test_scxml_runs_in_an_interpreter_that_we_did_not_write() -> None:
    """python-statemachine reads the text and takes the same steps."""
    processors = pytest.importorskip(
        "statemachine.io.scxml.processor", reason="needs python-statemachine 3"
    )
    for machine, events in (
        (TURNSTILE, ["coin", "coin", "push", "push"]),
        (COUNTER, ["to_ONE", "to_ZERO", "to_TWO", "to_ONE", "to_TWO"]),
    ):
        processor = processors.SCXMLProcessor()
        processor.parse_scxml(machine.name, to_scxml(machine))
        theirs, ours = (
            processor.start(),
            Snapshot(machine_tables(machine).state_names(machine_tables(machine).initial)[0]),
        )
        for event in events:
            theirs.send(event)
            ours = step(machine, ours, event).after
            assert [each.id for each in theirs.configuration] == [ours.state]


def test_a_machine_that_begins_nowhere_is_refused_by_name() -> None:
    """SCXML would begin in the first state, which nobody said."""
    with pytest.raises(CannotExport, match="nowhere has no state to begin in"):
        to_scxml(MachineDefinition("nowhere", "", (State("A"),), ()))


def test_a_doc_does_not_end_the_comment() -> None:
    """Two hyphens would."""
    ElementTree.fromstring(
        to_scxml(MachineDefinition("m", "", (State("A", initial=True),), (), doc="a --> b -- c -"))
    )


@given(table_machines())
def test_json_has_everything_and_reads_back(machine: MachineDefinition) -> None:
    """The same states and arrows, those never taken too; our own importer reads it, others have an easy time."""
    content = json.loads(to_json(machine))
    assert list(content)[:3] == ["format", "machine", "release"]
    assert len(content["transitions"]) == len(machine.transitions)
    assert len(content["otherwise"]) == len(machine.otherwise)
    draft: Draft = from_mapping(content)
    assert [state.name for state in draft.machine.states] == [
        state.name for state in machine.states
    ]
    assert {(each.source, each.event, each.target) for each in draft.machine.transitions} == {
        (each.source, each.event, each.target) for each in machine.transitions
    }


def test_json_of_a_machine_with_data_has_its_expressions() -> None:
    """As the notation has them."""
    content = json.loads(to_json(example("BankAccount")))
    assert content["variables"]["balance"] == {"type": "0..9", "initial": "0"}
    assert content["arguments"]["withdraw"] == {"amount": "1..3"}
    deposit = content["transitions"][0]
    assert (deposit["guard"], deposit["effect"]["balance"]) == (
        "balance + amount <= 9",
        "balance + amount",
    )
    assert any(each.get("raises") == "InsufficientFunds" for each in content["transitions"])


def as_tla_steps(text: str) -> dict[str, set[tuple[str, str]]]:
    """The steps of each action of a module, read back."""
    steps: dict[str, set[tuple[str, str]]] = {}
    for line in text.splitlines():
        if found := re.fullmatch(r"Event_(\w+) ==", line):
            steps[found[1]] = set()
        elif found := re.fullmatch(r'  \\/ state = "(\w+)" /\\ state\' = "(\w+)"', line):
            steps[list(steps)[-1]].add((found[1], found[2]))
    return steps


@given(table_machines())
def test_tla_has_exactly_the_steps_that_change_or_keep_the_state(
    machine: MachineDefinition,
) -> None:
    """Transitions that may be taken, and forced ones."""
    steps: dict[str, set[tuple[str, str]]] = {}
    for state in machine_tables(machine).states:
        for event in machine_tables(machine).events:
            answer = step(machine, Snapshot(state), event)
            if isinstance(answer, Advanced | Forced):
                steps.setdefault(event, set()).add((state, answer.after.state))
    assert as_tla_steps(to_tla(machine)) == steps


@settings(max_examples=some_of(60))
@given(table_machines())
def test_notation_reads_back(machine: MachineDefinition) -> None:
    """What an import writes is what our own reader reads: the same machine, but for its release."""
    reading = read_spec_text(
        to_notation(machine, ["a note", "of two\nlines"]).encode(), "random.yaml"
    )
    spec = reading.valid_spec()
    read = machine_of(spec)
    assert read.states == machine.states
    assert [
        (each.source, each.target, each.event, each.silent, each.taken) for each in read.transitions
    ] == [
        (each.source, each.target, each.event, each.silent, each.taken)
        for each in machine.transitions
    ]
    assert [
        (entry.does, entry.error, entry.sources, entry.targets, entry.event)
        for entry in read.otherwise
    ] == [
        (entry.does, entry.error, entry.sources, entry.targets, entry.event)
        for entry in machine.otherwise
    ]


def test_notation_of_the_order_is_readable() -> None:
    """Recorded, and read before it was."""
    assert to_notation(ORDER).splitlines()[:12] == [
        "notation: 1",
        "machine: Order",
        "states:",
        "  NEW: {initial: true}",
        "  DRAFT: {initial: true}",
        "  PAID:",
        "  SHIPPED:",
        "  CLOSED: {final: true}",
        "predicates:",
        "  open: [NEW, DRAFT, PAID, SHIPPED]",
        "  done: [CLOSED]",
        "transitions:",
    ]
    assert {entry.does for entry in ORDER.otherwise} >= {FallbackKind.FORCE, FallbackKind.RAISE}
