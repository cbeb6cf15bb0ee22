"""Machines from elsewhere, as drafts."""

from __future__ import annotations

import pytest
import transitions
from hypothesis import given
from hypothesis import strategies as st

from statemachines.draw import to_graph, to_mermaid
from statemachines.embed.bridge import to_transitions
from statemachines.embed.drafts import named
from statemachines.embed.imports import Draft, ImportFailed, from_mapping, from_mermaid, from_scxml, from_transitions
from statemachines.model.machines import Machine
from statemachines.notation import machine_of, read_text
from tests.strategies import table_machines


def moves(draft: Draft) -> list[str]:
    """The arrows as texts."""
    return [f"{each.source} {each.event} {each.target}" for each in draft.machine.transitions]


def states(draft: Draft) -> list[str]:
    """The states with `>` before beginnings and `*` behind ends."""
    return [f"{'>' if each.initial else ''}{each.name}{'*' if each.final else ''}" for each in draft.machine.states]


def reads_back(draft: Draft) -> None:
    """The draft is a spec that our reader takes."""
    read = machine_of(read_text(draft.text.encode(), "draft.yaml").checked())
    assert read.states == draft.machine.states
    assert [(each.source, each.event, each.target) for each in read.transitions] == [
        (each.source, each.event, each.target) for each in draft.machine.transitions
    ]


TURNSTILE = ["LOCKED coin OPEN", "OPEN push LOCKED"]


@pytest.mark.parametrize(
    "mapping",
    [
        {"LOCKED": {"coin": "OPEN"}, "OPEN": {"push": "LOCKED"}},
        {"states": ["LOCKED", "OPEN"], "transitions": [["coin", "LOCKED", "OPEN"], ["push", "OPEN", "LOCKED"]], "initial": "LOCKED"},
        {
            "states": [{"name": "LOCKED"}, "OPEN"],
            "transitions": [{"trigger": "coin", "source": "LOCKED", "dest": "OPEN"}, {"event": "push", "from": "OPEN", "to": "LOCKED"}],
        },
        {
            "id": "turnstile",
            "initial": "LOCKED",
            "states": {"LOCKED": {"on": {"coin": "OPEN"}}, "OPEN": {"on": {"push": {"target": "LOCKED"}}}},
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
                "on": {"feedback.good": "thanks", "feedback.bad": [{"target": "form", "guard": "isSorry"}, "closed"]},
                "entry": "greet",
            },
            "form": {"on": {"submit": {"target": "thanks", "actions": "send"}}},
            "thanks": {"after": {"5000": "closed"}},
            "closed": {"type": "final"},
        },
    }
    draft = from_mapping(config)
    assert moves(draft) == ["prompt feedback_good thanks", "prompt feedback_bad form", "form submit thanks"]
    assert states(draft) == [">prompt", "form", "thanks", "closed*"] or states(draft) == [">prompt", "form", "thanks", "closed*"]
    said = "\n".join(draft.lost)
    for word in ("isSorry", "entry", "actions", "after", "feedback.good", "only form is kept", "context"):
        assert word in said
    reads_back(draft)


def test_of_a_list_of_transitions_only_what_says_something_is_lost() -> None:
    """Programs write all their keys, also where they say nothing; what stands beside the transitions counts too."""
    move = {"event": "go", "from": "A", "to": "B", "by": [], "silent": False, "taken": True, "doc": "the way", "guard": "x > 0"}
    draft = from_mapping({"states": ["A", "B"], "transitions": [move], "variables": {"x": "int = 0"}, "otherwise": [], "queued": True})
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
            "states": {"prompt": {"on": {"back": "form"}}, "form": None, "closed": {"type": "final"}},
        }
    )
    assert moves(draft) == ["prompt back form", "prompt close closed", "form close closed", "form back prompt"]
    assert draft.lost == ()
    reads_back(draft)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"states": ["A"], "transitions": [{"trigger": "go", "dest": "A"}]}, "transition 0 names no source"),
        ({"A": {"go": 3}}, "`go` from A should lead to the name of a state, not to 3"),
        ({"A": "B"}, "state `A` should be a mapping"),
        ({"states": ["A"], "transitions": [], "initial": "B"}, "it begins in `B`, which is none of its states: A"),
    ],
)
def test_a_mapping_that_is_none_of_these_is_refused(mapping: dict[str, object], message: str) -> None:
    """With the place and what was expected."""
    with pytest.raises(ImportFailed, match=message):
        from_mapping(mapping)


NESTED = """
<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="on" name="player">
  <datamodel><data id="volume" expr="3"/></datamodel>
  <state id="on" initial="paused">
    <onentry><log expr="'hello'"/></onentry>
    <transition event="power" target="off"/>
    <state id="playing"><transition event="pause" target="paused"/><transition event="power" cond="volume &gt; 3" target="paused"/></state>
    <state id="paused"><transition event="play resume" target="playing"><assign location="volume" expr="5"/></transition></state>
  </state>
  <state id="off"><transition event="power" target="on"/><transition event="break" target="broken"/></state>
  <final id="broken"/>
</scxml>"""


def test_nested_charts_are_flattened() -> None:
    """Inner states in a group, an outer transition one of each inner state without its own, entering the outer enters its beginning."""
    draft = from_scxml(NESTED)
    assert states(draft) == ["playing", ">paused", "off", "broken*"]
    assert [state.group for state in draft.machine.states] == ["on", "on", None, None]
    assert moves(draft) == [
        "playing pause paused",
        "playing power paused",
        "paused play playing",
        "paused resume playing",
        "paused power off",
        "off power paused",
        "off break broken",
    ]
    said = "\n".join(draft.lost)
    for word in ("<datamodel>", "`<onentry>` of `on`", "condition `volume > 3`", "its action `<assign>`"):
        assert word in said
    reads_back(draft)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<scxml", "no well-formed XML"),
        ("<html/>", "should be `scxml`, not `html`"),
        ("<scxml/>", "has no state"),
        ('<!DOCTYPE x [<!ENTITY a "aaaa">]><scxml/>', "document type"),
        ('<scxml initial="b"><state id="a"/></scxml>', "there is no state `b`; there are a"),
    ],
)
def test_what_is_no_scxml_is_refused(text: str, message: str) -> None:
    """Nothing is expanded, nothing is guessed."""
    with pytest.raises(ImportFailed, match=message):
        from_scxml(text)


def test_parallel_states_and_histories_are_said_to_be_lost() -> None:
    """A parallel state is one state; a history is entered from the beginning."""
    draft = from_scxml(
        '<scxml><state id="a"><transition event="go" target="p"/><transition event="back" target="h"/></state>'
        '<parallel id="p"><state id="x"/><state id="y"/></parallel>'
        '<state id="o"><history id="h"><transition target="i"/></history><state id="i"/></state></scxml>'
    )
    assert moves(draft) == ["a go p", "a back i"]
    assert any("parallel state `p`" in each for each in draft.lost)
    assert any("history `h`" in each for each in draft.lost)


MERMAID = """---
title: Door 2
---
stateDiagram-v2
    %% a comment
    direction LR
    state "half open" as half
    [*] --> closed
    closed --> half : push [not locked] / creak
    half --> open: push
    half --> closed : pull
    state moving {
        [*] --> half
        half
    }
    open --> [*]
    note right of open : let in some air
    note left of closed
        several
        lines
    end note
    state check <<choice>>
    closed --> check
    classDef out fill:#fff
    class open out
"""


def test_mermaid_as_people_write_it_is_read() -> None:
    """Titles, composite states, labels with guards, notes, choices."""
    draft = from_mermaid(MERMAID)
    assert draft.machine.name == "Door"
    assert states(draft) == ["half_open", ">closed", "open*", "check"]
    assert moves(draft) == ["closed push half_open", "half_open push open", "half_open pull closed", "closed to_check check"]
    assert [state.group for state in draft.machine.states] == ["moving", None, None, None]
    said = "\n".join(draft.lost)
    for word in ("guard `not locked`", "effect `creak`", "note right of open", "`check` is a choice", "the state `half open`"):
        assert word in said
    reads_back(draft)


@pytest.mark.parametrize(
    ("text", "message"),
    [("graph LR\n a --> b", "begins with a line `stateDiagram-v2`"), ("stateDiagram-v2\n a -> b : c", "line 2: `a -> b : c`")],
)
def test_what_is_no_state_diagram_is_refused(text: str, message: str) -> None:
    """With the number of the line."""
    with pytest.raises(ImportFailed, match=message):
        from_mermaid(text)


@given(table_machines())
def test_our_own_mermaid_reads_back(machine: Machine) -> None:
    """States, beginnings, ends and where arrows lead; several events of one arrow are one label, which no reader can take apart."""
    draft = from_mermaid(to_mermaid(to_graph(machine)))
    assert [(each.name, each.initial, each.final) for each in draft.machine.states] == [
        (each.name, each.initial, each.final) for each in machine.states
    ]
    assert {(each.source, each.target) for each in draft.machine.transitions} <= {
        (each.source, each.target) for each in machine.transitions
    }


@given(st.text())
def test_every_text_becomes_a_name(text: str) -> None:
    """Whatever it holds."""
    assert named(text).isidentifier()
    assert named(named(text)) == named(text)


WORDS = (
    "[*]",
    "-->",
    "A",
    "B",
    "state",
    "{",
    "}",
    ":",
    "as",
    '"x y"',
    "<<choice>>",
    "note",
    "end note",
    "--",
    "\n",
    "\n",
    "go [x] / y",
    ";",
)


@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
def test_any_mermaid_is_a_spec_or_a_sentence(text: str) -> None:
    """No text makes the importer crash, or write a spec that cannot be read."""
    try:
        draft = from_mermaid(f"stateDiagram-v2\n{text}")
    except ImportFailed:
        return
    assert not draft.machine.states or not read_text(draft.text.encode(), "draft.yaml").broken


LEAVES = (
    '<final id="f"/>',
    '<transition event="e" target="s1"/>',
    '<transition target="s2"/>',
    '<history id="h"/>',
    "<onentry/>",
    '<transition event="a b" cond="x" target="h"/>',
)


def element(inside: tuple[str, str, list[str]]) -> str:
    """A state or parallel element."""
    tag, name, children = inside
    return f'<{tag} id="{name}" initial="{name[:-1]}2">{"".join(children)}</{tag}>'


CHARTS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.tuples(st.sampled_from(["state", "parallel"]), st.sampled_from(["s1", "s2", "s3"]), st.lists(inner, max_size=4)).map(
        element
    ),
    max_leaves=12,
)


@given(st.lists(CHARTS, max_size=4))
def test_any_scxml_is_a_spec_or_a_sentence(inside: list[str]) -> None:
    """States of one name, histories without a state, beginnings that lead to themselves."""
    try:
        draft = from_scxml(f"<scxml>{''.join(inside)}</scxml>")
    except ImportFailed:
        return
    assert not read_text(draft.text.encode(), "draft.yaml").broken


def test_nesting_has_a_bound() -> None:
    """A thousand states in each other are an attack, not a chart."""
    deep = "".join(f'<state id="s{number}">' for number in range(1_000)) + "</state>" * 1_000
    with pytest.raises(ImportFailed, match="nested deeper than 32"):
        from_scxml(f"<scxml>{deep}</scxml>")


class Matter:
    """A model whose callbacks and conditions the library finds by name."""

    def is_hot(self) -> bool:
        """A condition."""
        return True


def of_that_library(**options: object) -> transitions.Machine:
    """A machine with a condition, a callback and a loop."""
    arrows = [
        {"trigger": "melt", "source": "solid", "dest": "liquid", "conditions": "is_hot"},
        {"trigger": "cool", "source": ["liquid", "gas"], "dest": "solid", "before": "note", "unless": ["is_hot"]},
        ["heat", "solid", "="],
        {"trigger": "look", "source": "*", "dest": None},
    ]
    states = ["solid", transitions.State("liquid", on_enter="wet"), transitions.State("gas", final=True)]
    return transitions.Machine(Matter(), states=states, transitions=arrows, initial="solid", name="Matter", **options)


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
    assert [each.doc for each in draft.machine.transitions[:2]] == ["only if is_hot", "only if not is_hot"]
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
def test_what_was_made_a_machine_of_transitions_reads_back(machine: Machine) -> None:
    """Every arrow that may be taken."""
    draft = from_transitions(to_transitions(machine))
    known = {(each.source, each.event, each.target) for each in machine.transitions if each.taken}
    assert {(each.source, each.event, each.target) for each in draft.machine.transitions} == known
    assert [each.final for each in draft.machine.states] == [each.final for each in machine.states]
