"""A draft that its own logs break is completed with what they show."""

from __future__ import annotations

from statemachines.mining.inference.instance_keys import InstanceKeyFit
from statemachines.mining.inference.machines import Evidence, InferredMachine
from statemachines.mining.mined_specs import with_changes
from statemachines.mining.repair.repair_proposals import SpecChange
from statemachines.model.evidence.reports import Place
from statemachines.notation.formatting.spec_edits import (
    AddedState,
    AddedTransition,
    InitialState,
    SpecEdit,
)

LINE = Place("a.log", 7)


def found() -> InferredMachine:
    """A machine whose second state has a name that no spec may have."""
    return InferredMachine(
        fit=InstanceKeyFit((), ()),
        states={"OPEN": Evidence(2), "half shut": Evidence(1)},
        steps={("OPEN", "half shut"): Evidence(3)},
        unseen={},
        initial={"OPEN": 2},
        final=(),
        instances=2,
    )


def change(edit: SpecEdit) -> SpecChange:
    """A change that one line stands for."""
    return SpecChange(edit, "the log says so", LINE, "door 1 is OPEN")


def test_steps_and_beginnings_are_added_under_the_words_of_the_log() -> None:
    """The draft calls a state `half_shut`, the log `half shut`: they are one."""
    lacking = found()
    whole = with_changes(
        lacking,
        [
            change(AddedTransition("half_shut", "OPEN")),
            change(AddedTransition("OPEN", "OPEN", silent=True)),
            change(InitialState("half_shut")),
        ],
    )
    assert whole.steps.keys() == {("OPEN", "half shut"), ("half shut", "OPEN")}
    assert (whole.steps["half shut", "OPEN"].count, whole.steps["half shut", "OPEN"].first) == (
        1,
        LINE,
    )
    assert whole.unseen.keys() == {("OPEN", "OPEN")}
    assert whole.initial == {"OPEN": 2, "half shut": 1}
    assert lacking.steps.keys() == {("OPEN", "half shut")}


def test_what_was_seen_before_keeps_its_count() -> None:
    """A change names a line; what was counted counted more of them."""
    whole = with_changes(
        found(), [change(AddedTransition("OPEN", "half_shut")), change(InitialState("OPEN"))]
    )
    assert whole.steps["OPEN", "half shut"].count == 3
    assert whole.initial == {"OPEN": 2}


def test_other_changes_are_left_to_the_text() -> None:
    """A machine that was found has the states that its lines tell, and no other."""
    assert with_changes(found(), [change(AddedState("AJAR"))]).states.keys() == {
        "OPEN",
        "half shut",
    }
