"""How long time waits is part of a machine, in every form that has a place for it."""

from __future__ import annotations

import json

import pytest

from statemachines.compare.machine_differences import compare_machines
from statemachines.interop.drafting.notation_writer import to_notation
from statemachines.interop.scxml.scxml_reader import from_scxml
from statemachines.interop.scxml.scxml_writer import to_json, to_scxml
from statemachines.model.definitions.machine_definitions import MachineDefinition, State, Transition
from statemachines.notation import machine_of, read_spec_text


def offer(after_ms: int) -> MachineDefinition:
    """An offer that expires."""
    states = (State("OPEN", initial=True), State("EXPIRED", final=True))
    return MachineDefinition(
        "offer", "", states, (Transition("OPEN", "EXPIRED", "expire", after_ms=after_ms),), ()
    )


def test_the_notation_and_scxml_read_it_back() -> None:
    """To the millisecond."""
    machine = offer(5_400_001)
    spec = read_spec_text(to_notation(machine).encode(), "offer.yaml").valid_spec()
    assert machine_of(spec, None).transitions[0].after_ms == 5_400_001
    assert from_scxml(to_scxml(machine)).machine.transitions[0].after_ms == 5_400_001


def polled(*, restarts: bool) -> MachineDefinition:
    """A machine that asks once in a state, or again and again."""
    poll = Transition("OPEN", "OPEN", "poll", after_ms=5_000, restarts=restarts)
    return MachineDefinition("offer", "", (State("OPEN", initial=True),), (poll,), ())


@pytest.mark.parametrize("restarts", [False, True])
def test_whether_the_time_begins_again_is_read_back(restarts: bool) -> None:
    """A transition without `to`, or without `target`, stays; one with it enters anew."""
    machine = polled(restarts=restarts)
    spec = read_spec_text(to_notation(machine).encode(), "offer.yaml").valid_spec()
    assert machine_of(spec, None).transitions[0].restarts is restarts
    assert from_scxml(to_scxml(machine)).machine.transitions[0].restarts is restarts
    assert json.loads(to_json(machine))["transitions"][0].get("restarts", False) is restarts


def test_whether_the_time_begins_again_is_a_change() -> None:
    """Both ways."""
    for restarts, does in ((True, "begins the time of its state again"), (False, "only stays")):
        changes = compare_machines(polled(restarts=not restarts), polled(restarts=restarts)).changes
        assert does in changes[0].what


def test_json_has_it_where_there_is_one() -> None:
    """And nothing else has changed in the form."""
    assert json.loads(to_json(offer(30_000)))["transitions"][0]["after_ms"] == 30_000
    assert "after_ms" not in to_json(offer(0))


def test_another_program_s_word_for_it_is_no_duration() -> None:
    """A file from elsewhere may say anything."""
    text = to_scxml(offer(30_000)).replace("30 s", "soon")
    assert "soon" in text
    assert from_scxml(text).machine.transitions[0].after_ms == 0


def test_what_changed_between_releases_is_said() -> None:
    """That nothing but the time differs is no reason to say nothing."""
    changes = compare_machines(offer(30_000), offer(90_000)).changes
    assert [change.what for change in changes] == [
        "OPEN -> EXPIRED on expire is taken after 1 min 30 s; it was after 30 s"
    ]
