"""Machines from elsewhere that are values of Python, as drafts.

Covers: statemachines.interop.transitions.transitions_reader.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import transitions
from hypothesis import given

from statemachines.interop.drafting.drafts import ImportFailed
from statemachines.interop.json.mapping_reader import from_mapping
from statemachines.interop.transitions.bridge import to_transitions
from statemachines.interop.transitions.transitions_reader import from_transitions
from statemachines.model.definitions.machine_definitions import MachineDefinition
from tests.drafting import moves, reads_back, states
from tests.strategies import table_machines

TURNSTILE = ["LOCKED coin OPEN", "OPEN push LOCKED"]


@pytest.mark.parametrize(
    "mapping",
    [
        {"LOCKED": {"coin": "OPEN"}, "OPEN": {"push": "LOCKED"}},
        {
            "states": ["LOCKED", "OPEN"],
            "transitions": [["coin", "LOCKED", "OPEN"], ["push", "OPEN", "LOCKED"]],
            "initial": "LOCKED",
        },
        {
            "states": [{"name": "LOCKED"}, "OPEN"],
            "transitions": [
                {"trigger": "coin", "source": "LOCKED", "dest": "OPEN"},
                {"event": "push", "from": "OPEN", "to": "LOCKED"},
            ],
        },
        {
            "id": "turnstile",
            "initial": "LOCKED",
            "states": {
                "LOCKED": {"on": {"coin": "OPEN"}},
                "OPEN": {"on": {"push": {"target": "LOCKED"}}},
            },
        },
    ],
)
def test_three_forms_of_mapping_say_the_same(mapping: dict[str, object]) -> None:
    """Nested dictionaries, lists of transitions, XState's configuration."""
    draft = from_mapping(mapping)
    assert moves(draft) == TURNSTILE
    assert states(draft) == [">LOCKED", "OPEN"]
    assert draft.lost == ()
    reads_back(draft)


def test_what_a_mapping_says_beyond_ours_is_listed() -> None:
    """From the documentation of XState: guards, actions, delays, nesting."""
    config = {
        "id": "feedback",
        "initial": "prompt",
        "context": {"count": 0},
        "states": {
            "prompt": {
                "on": {
                    "feedback.good": "thanks",
                    "feedback.bad": [{"target": "form", "guard": "isSorry"}, "closed"],
                },
                "entry": "greet",
            },
            "form": {"on": {"submit": {"target": "thanks", "actions": "send"}}},
            "thanks": {"after": {"5000": "closed"}},
            "closed": {"type": "final"},
        },
    }
    draft = from_mapping(config)
    assert moves(draft) == [
        "prompt feedback_good thanks",
        "prompt feedback_bad form",
        "form submit thanks",
    ]
    assert states(draft) == [">prompt", "form", "thanks", "closed*"] or states(draft) == [
        ">prompt",
        "form",
        "thanks",
        "closed*",
    ]
    said = "\n".join(draft.lost)
    for word in (
        "isSorry",
        "entry",
        "actions",
        "after",
        "feedback.good",
        "only form is kept",
        "context",
    ):
        assert word in said
    reads_back(draft)


def test_of_a_list_of_transitions_only_what_says_something_is_lost() -> None:
    """Programs write all their keys, also where they say nothing; what stands beside the transitions counts too."""
    move = {
        "event": "go",
        "from": "A",
        "to": "B",
        "by": [],
        "silent": False,
        "taken": True,
        "doc": "the way",
        "guard": "x > 0",
    }
    draft = from_mapping(
        {
            "states": ["A", "B"],
            "transitions": [move],
            "variables": {"x": "int = 0"},
            "otherwise": [],
            "queued": True,
        }
    )
    assert draft.lost == (
        "transition 0: `guard: x > 0`",
        "the whole machine: `variables: {'x': 'int = 0'}`",
        "the whole machine: `queued: True`",
    )
    assert [arrow.doc for arrow in draft.machine.transitions] == ["the way"]
    reads_back(draft)


def test_what_the_whole_machine_takes_every_state_takes() -> None:
    """XState's `on` above the states: not where a state takes the event by itself, and not in an end."""
    draft = from_mapping(
        {
            "initial": "prompt",
            "on": {"close": ".closed", "back": {"target": ".prompt"}},
            "states": {
                "prompt": {"on": {"back": "form"}},
                "form": None,
                "closed": {"type": "final"},
            },
        }
    )
    assert moves(draft) == [
        "prompt back form",
        "prompt close closed",
        "form close closed",
        "form back prompt",
    ]
    assert draft.lost == ()
    reads_back(draft)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (
            {"states": ["A"], "transitions": [{"trigger": "go", "dest": "A"}]},
            "transition 0 names no source",
        ),
        ({"A": {"go": 3}}, "`go` from A should lead to the name of a state, not to 3"),
        ({"A": "B"}, "state `A` should be a mapping"),
        (
            {"states": ["A"], "transitions": [], "initial": "B"},
            "it begins in `B`, which is none of its states: A",
        ),
    ],
)
def test_a_mapping_that_is_none_of_these_is_refused(
    mapping: dict[str, object], message: str
) -> None:
    """With the place and what was expected."""
    with pytest.raises(ImportFailed, match=message):
        from_mapping(mapping)


FORMS: tuple[dict[str, object], ...] = (
    {"LOCKED": {"coin": "OPEN"}, "OPEN": {"push": "LOCKED"}},
    {
        "id": "Gate",
        "states": ["LOCKED", {"name": "OPEN", "final": True}],
        "transitions": [
            {"trigger": "coin", "source": "LOCKED", "dest": "OPEN", "doc": "paid"},
            ["push", ["OPEN"], "LOCKED"],
            {"event": "halt", "from": ["LOCKED", "OPEN"], "to": "="},
        ],
        "initial": "LOCKED",
    },
    {
        "initial": "LOCKED",
        "on": {"halt": "OPEN"},
        "states": {
            "LOCKED": {"on": {"coin": ["OPEN", {"target": "OPEN", "guard": "paid"}]}},
            "OPEN": {"type": "final", "always": {"target": "LOCKED"}},
        },
    },
    {"transitions": []},
)
OTHER_VALUES = (None, True, 0, -1.5, "", "A", "*", [], ["A"], [[]], [{}], {}, {"A": []}, {"on": 5})
KEYS = ("id", "initial", "on", "states", "transitions", "type", "final", "always", "after")


def _with_another_value(value: object, other: object) -> Iterator[object]:
    """Yield a value with another one in each of its places in turn."""
    yield other
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from ({**value, key: new} for new in _with_another_value(inner, other))
    if isinstance(value, list):
        for index, inner in enumerate(value):
            for new in _with_another_value(inner, other):
                yield [*value[:index], new, *value[index + 1 :]]


@pytest.mark.parametrize("form", FORMS)
def test_any_value_in_any_place_is_a_draft_or_a_sentence(form: dict[str, object]) -> None:
    """A file from elsewhere may hold a list where a name belongs: never a fault of ours."""
    refused = 0
    for other in OTHER_VALUES:
        for mapping in (*_with_another_value(form, other), *({**form, key: other} for key in KEYS)):
            try:
                reads_back(from_mapping(mapping))
            except ImportFailed:
                refused += 1
    assert refused > len(OTHER_VALUES)


class Matter:
    """A model whose callbacks and conditions the library finds by name."""

    def is_hot(self) -> bool:
        """A condition."""
        return True


def of_that_library(**options: object) -> transitions.Machine:
    """A machine with a condition, a callback and a loop."""
    arrows = [
        {"trigger": "melt", "source": "solid", "dest": "liquid", "conditions": "is_hot"},
        {
            "trigger": "cool",
            "source": ["liquid", "gas"],
            "dest": "solid",
            "before": "note",
            "unless": ["is_hot"],
        },
        ["heat", "solid", "="],
        {"trigger": "look", "source": "*", "dest": None},
    ]
    states = [
        "solid",
        transitions.State("liquid", on_enter="wet"),
        transitions.State("gas", final=True),
    ]
    return transitions.Machine(
        Matter(), states=states, transitions=arrows, initial="solid", name="Matter", **options
    )


def test_a_machine_of_transitions_is_a_draft() -> None:
    """Its states and triggers; conditions as docs, to be written as guards; callbacks in the list of what was lost."""
    draft = from_transitions(of_that_library())
    assert states(draft) == [">solid", "liquid", "gas*"]
    assert moves(draft) == [
        "solid melt liquid",
        "liquid cool solid",
        "gas cool solid",
        "solid heat solid",
        "solid look solid",
        "liquid look liquid",
        "gas look gas",
    ]
    assert draft.machine.name == "Matter"
    assert [each.doc for each in draft.machine.transitions[:2]] == [
        "only if is_hot",
        "only if not is_hot",
    ]
    assert "state liquid: the callback `wet` (on_enter)" in draft.lost
    assert "`cool` from gas: the callback `note` (before)" in draft.lost
    assert "`melt` from solid: the condition `is_hot`" in draft.lost
    assert "the automatic transitions from every state to every other (`to_STATE`)" in draft.lost
    reads_back(draft)


def test_that_invalid_triggers_are_ignored_carries_over() -> None:
    """It decides what becomes of every other request."""
    draft = from_transitions(of_that_library(ignore_invalid_triggers=True, auto_transitions=False))
    assert [str(each.does) for each in draft.machine.otherwise] == ["ignore"]
    assert not any("automatic" in sentence for sentence in draft.lost)
    reads_back(draft)


def test_what_is_no_machine_is_said() -> None:
    """A class, a function, a number."""
    for value in (Matter, len, 3):
        with pytest.raises(ImportFailed, match="is no machine of `transitions`"):
            from_transitions(value)


@given(table_machines())
def test_what_was_made_a_machine_of_transitions_reads_back(machine: MachineDefinition) -> None:
    """Every arrow that may be taken."""
    draft = from_transitions(to_transitions(machine))
    known = {(each.source, each.event, each.target) for each in machine.transitions if each.taken}
    assert {(each.source, each.event, each.target) for each in draft.machine.transitions} == known
    assert [each.final for each in draft.machine.states] == [each.final for each in machine.states]
