"""What changed between two machines: told about the right thing, with a run that shows it.

Covers: statemachines.compare.lockstep,
statemachines.compare.machine_differences,
statemachines.compare.machine_changes,
statemachines.compare.transition_changes,
statemachines.compare.fallback_changes,
statemachines.report.exploration.difference_report.
"""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given, settings

from statemachines.compare import fallback_changes
from statemachines.compare.lockstep import (
    Divergence,
    answer_text,
    answer_texts,
    machine_answer,
)
from statemachines.compare.machine_changes import ChangeKind, ChangeSign, MachineChange
from statemachines.compare.machine_differences import (
    MachineDifference,
    compare_machines,
)
from statemachines.model.definitions.machine_definitions import (
    FallbackKind,
    MachineDefinition,
    Otherwise,
    State,
    Transition,
)
from statemachines.report.exploration.difference_report import (
    difference_summary,
    to_json,
    to_markdown,
)
from statemachines.semantics.machine.machine_tables import machine_tables
from tests.data_machines import machine
from tests.effort import some_of
from tests.machines import COUNTER, TURNSTILE
from tests.strategies import table_machines

MENDED = attrs.evolve(
    COUNTER, transitions=(*COUNTER.transitions, Transition("TWO", "ONE", "to_ONE", entry=7))
)
SILENT = attrs.evolve(
    COUNTER, otherwise=(Otherwise(FallbackKind.IGNORE, sources=("TWO",)), *COUNTER.otherwise)
)


def told(
    old: MachineDefinition, new: MachineDefinition
) -> list[tuple[ChangeKind, ChangeSign, str]]:
    """The changes without their runs."""
    return [(one.about, one.sign, one.what) for one in compare_machines(old, new).changes]


def events(change: MachineChange) -> list[str]:
    """The events of a change's run."""
    assert change.divergence is not None
    return [one.event for one in change.divergence.events]


def test_a_machine_does_not_differ_from_itself() -> None:
    """No news is no news."""
    assert compare_machines(TURNSTILE, TURNSTILE).changes == ()


def test_a_new_transition_is_shown_by_the_shortest_run_to_it() -> None:
    """The new one takes it, the old one raises."""
    (change,) = compare_machines(COUNTER, MENDED).changes
    assert (change.sign, change.what, events(change)) == (
        ChangeSign.ADDED,
        "TWO -> ONE",
        ["to_ONE", "to_TWO", "to_ONE"],
    )
    assert change.divergence is not None
    assert (answer_text(change.divergence.old), answer_text(change.divergence.new)) == (
        "raised OverflowException",
        "taken, to ONE",
    )


def test_what_went_is_shown_the_other_way_round() -> None:
    """The old one takes what the new one does not."""
    (change,) = compare_machines(MENDED, COUNTER).changes
    assert (change.sign, change.what, events(change)) == (
        ChangeSign.REMOVED,
        "TWO -> ONE",
        ["to_ONE", "to_TWO", "to_ONE"],
    )


def test_what_becomes_of_a_request_is_one_change_for_all_places_alike() -> None:
    """One line in the code changed; one line says so."""
    (change,) = compare_machines(COUNTER, SILENT).changes
    assert change.about is ChangeKind.REQUEST
    assert change.what == "raised OverflowException, now ignored: in TWO to ONE, TWO, ZERO"
    assert events(change)[:2] == ["to_ONE", "to_TWO"]


def test_a_state_that_came_is_shown_by_how_to_get_there() -> None:
    """And the transitions that lead there by their own runs."""
    new = attrs.evolve(
        TURNSTILE,
        states=(*TURNSTILE.states, State("BROKEN")),
        transitions=(*TURNSTILE.transitions, Transition("OPEN", "BROKEN", "kick")),
    )
    found = compare_machines(TURNSTILE, new).changes
    assert [(one.about, one.what, events(one)) for one in found] == [
        (ChangeKind.STATE, "BROKEN", ["coin", "kick"]),
        (ChangeKind.TRANSITION, "OPEN -> BROKEN on kick", ["coin", "kick"]),
    ]


def test_another_effect_is_shown_with_arguments() -> None:
    """Behaviour is compared, not text: the run ends where the two do not answer alike."""
    text = 'variables: {{x: "0..9 = 0"}}\nevents: {{add: {{args: {{by: 1..2}}, guard: x < 5, effect: {{x: {}}}}}}}\n'
    old, new = machine(text.format("x + by")), machine(text.format("x + by if x < 2 else x + 1"))
    (change,) = compare_machines(old, new).changes
    assert change.divergence is not None
    assert [(one.event, one.arguments) for one in change.divergence.events] == [
        ("add", {"by": 2}),
        ("add", {"by": 2}),
    ]


def test_a_transition_is_shown_by_a_run_that_takes_it() -> None:
    """Of one event each case is a change of its own: a run of another one shows nothing of it."""
    text = 'variables: {{x: "0..9 = 0"}}\nevents: {{add: {{args: {{by: 0..4}}, cases: [{}{{effect: {{x: x}}}}]}}}}\n'
    old, new = (
        machine(text.format("")),
        machine(
            text.format("{when: by == 3, effect: {x: '3'}}, {when: by > 3, effect: {x: '4'}}, ")
        ),
    )
    added = [one for one in compare_machines(old, new).changes if one.sign is ChangeSign.ADDED]
    assert [one.divergence.events[-1].arguments for one in added if one.divergence] == [
        {"by": 3},
        {"by": 4},
    ]


def test_forms_say_the_same() -> None:
    """Markdown for people, JSON for programs."""
    found = compare_machines(COUNTER, MENDED)
    assert (
        "- `+` `TWO -> ONE`\n  - ZERO → ONE → TWO → ONE: before raised OverflowException; now taken, to ONE"
        in to_markdown(found)
    )
    assert to_json(found)["changes"] == [
        {
            "about": "transition",
            "sign": "+",
            "what": "TWO -> ONE",
            "trace": {
                "begin": "ZERO",
                "events": [
                    {"event": name, "arguments": {}} for name in ("to_ONE", "to_TWO", "to_ONE")
                ],
                "old": "raised OverflowException",
                "new": "taken, to ONE",
            },
        }
    ]


@given(table_machines(), table_machines())
@settings(max_examples=some_of(60), deadline=None)
def test_every_run_shows_what_it_is_there_for(
    old: MachineDefinition, new: MachineDefinition
) -> None:
    """Law: replayed on both, the two answer its last event otherwise, or one of them cannot come so far."""
    for change in compare_machines(old, new).changes:
        if change.divergence is not None and change.divergence.events:
            answers = [replayed(one, change.divergence) for one in (old, new)]
            assert answers[0] != answers[1]


def replayed(machine: MachineDefinition, parting: Divergence) -> str:
    """What a machine says to the last event of a run."""
    tables, now = machine_tables(machine), parting.begin
    if now.state not in [state.name for state in machine.states if state.initial]:
        return "nothing begins there"
    said = ""
    for asked in parting.events:
        answer = (
            machine_answer(tables, now, asked)
            if now.state in tables.state_index
            else "there is no such state"
        )
        said = f"{said}, {answer_text(answer)} in {now.state}"
        if isinstance(answer, str):
            return said
        now = answer.after
    return said


@pytest.mark.parametrize(
    ("old", "new"), [(COUNTER, MENDED), (COUNTER, SILENT), (COUNTER, TURNSTILE)]
)
def test_there_and_back_tells_of_the_same_things(
    old: MachineDefinition, new: MachineDefinition
) -> None:
    """What came is what went, read the other way."""
    assert {what for about, sign, what in told(old, new) if sign is ChangeSign.ADDED} == {
        what for about, sign, what in told(new, old) if sign is ChangeSign.REMOVED
    }


def test_requests_are_not_asked_for_one_by_one_where_all_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A table of a thousand states has two million requests that nothing is said of."""
    monkeypatch.setattr(
        fallback_changes, "matching_fallback", lambda *_: pytest.fail("a request was asked for")
    )
    plain = attrs.evolve(TURNSTILE, otherwise=())
    assert list(compare_machines(plain, plain).changes) == []


def test_an_event_that_the_other_one_does_not_get_to_is_told_so() -> None:
    """What it says to an event before is no answer to this one, and reads as none."""
    text = "states: {A: {initial: true}, B: {}}\ntransitions:\n  - {from: A, to: B, event: go}\n"
    old = machine(text + "  - {from: B, to: A, event: back}\n")
    new = attrs.evolve(old, transitions=())
    back = next(one for one in compare_machines(old, new).changes if "on back" in one.what)
    assert events(back) == ["go", "back"]
    assert back.divergence is not None
    assert answer_texts(back.divergence) == ("taken, to A", "not reached (go: refused)")


def test_where_not_all_was_looked_at_it_is_not_said_that_nothing_changed() -> None:
    """Half a search that found nothing is no proof."""
    half = MachineDifference(TURNSTILE, TURNSTILE, (), bounded=True)
    assert difference_summary(half).endswith("those looked at show no change")
    assert difference_summary(attrs.evolve(half, bounded=False)) == ""
