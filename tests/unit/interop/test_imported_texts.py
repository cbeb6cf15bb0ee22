"""Charts from elsewhere that are texts (SCXML, Mermaid), as drafts.

Covers: statemachines.interop.drafting.drafts, statemachines.interop.mermaid.mermaid_reader,
statemachines.interop.scxml.scxml_reader.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.draw import to_graph, to_mermaid
from statemachines.interop.drafting.drafts import ImportFailed, valid_name
from statemachines.interop.mermaid.mermaid_reader import from_mermaid
from statemachines.interop.scxml.scxml_reader import from_scxml
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.notation import read_spec_text
from tests.drafting import moves, reads_back, states
from tests.strategies import table_machines

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
    for word in (
        "<datamodel>",
        "`<onentry>` of `on`",
        "condition `volume > 3`",
        "its action `<assign>`",
    ):
        assert word in said
    reads_back(draft)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<scxml", "no well-formed XML"),
        ("<html/>", "should be `scxml`, not `html`"),
        ("<scxml/>", "has no state"),
        ('<!DOCTYPE x [<!ENTITY a "aaaa">]><scxml/>', "document type"),
        ('<scxml initial="b"><state id="a"/></scxml>', "there is no state `b`; there are `a`"),
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
    assert moves(draft) == [
        "closed push half_open",
        "half_open push open",
        "half_open pull closed",
        "closed to_check check",
    ]
    assert [state.group for state in draft.machine.states] == ["moving", None, None, None]
    said = "\n".join(draft.lost)
    for word in (
        "guard `not locked`",
        "effect `creak`",
        "note right of open",
        "`check` is a choice",
        "the state `half open`",
    ):
        assert word in said
    reads_back(draft)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph LR\n a --> b", "begins with a line `stateDiagram-v2`"),
        ("stateDiagram-v2\n a -> b : c", "line 2: `a -> b : c`"),
    ],
)
def test_what_is_no_state_diagram_is_refused(text: str, message: str) -> None:
    """With the number of the line."""
    with pytest.raises(ImportFailed, match=message):
        from_mermaid(text)


@given(table_machines())
def test_our_own_mermaid_reads_back(machine: MachineDefinition) -> None:
    """States, beginnings, ends and the events of every arrow; a move that only names its target is not told beside others, nor what is an operation beside a table of moves."""
    draft = from_mermaid(to_mermaid(to_graph(machine)))
    assert [(each.name, each.initial, each.final) for each in draft.machine.states] == [
        (each.name, each.initial, each.final) for each in machine.states
    ]
    written, read = (
        {(each.source, each.target, each.event) for each in moves}
        for moves in (machine.moves, draft.machine.transitions)
    )
    assert {each[:2] for each in read} == {each[:2] for each in written}
    assert read <= written
    assert all(event == f"to_{target}" for _, target, event in written - read)


def test_what_a_picture_says_beside_an_event_is_no_part_of_its_name() -> None:
    """Times, remarks and counts are named as what did not carry over; each line is a transition."""
    draft = from_mermaid(
        "stateDiagram-v2\n a --> b : expire after 1 min 30 s time begins again<br>let go<br/>[n > 1]"
        "<br>/ n = 0\n b --> a : silent\n b --> b : print (2 ways)<br>never seen<br>and 3 more events"
    )
    assert moves(draft) == ["a expire b", "a let_go b", "b to_a a", "b print b"]
    lost = "\n".join(draft.lost)
    for text in ("after 1 min 30 s", "time begins again", "n > 1", "n = 0", "silent", "(2 ways)"):
        assert f"`{text}`" in lost
    assert "and 3 more events" in lost


@given(st.text())
def test_every_text_becomes_a_name(text: str) -> None:
    """Whatever it holds."""
    assert valid_name(text).isidentifier()
    assert valid_name(valid_name(text)) == valid_name(text)


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
    assert (
        not draft.machine.states or not read_spec_text(draft.text.encode(), "draft.yaml").has_errors
    )


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
    lambda inner: st.tuples(
        st.sampled_from(["state", "parallel"]),
        st.sampled_from(["s1", "s2", "s3"]),
        st.lists(inner, max_size=4),
    ).map(element),
    max_leaves=12,
)


@given(st.lists(CHARTS, max_size=4))
def test_any_scxml_is_a_spec_or_a_sentence(inside: list[str]) -> None:
    """States of one name, histories without a state, beginnings that lead to themselves."""
    try:
        draft = from_scxml(f"<scxml>{''.join(inside)}</scxml>")
    except ImportFailed:
        return
    assert not read_spec_text(draft.text.encode(), "draft.yaml").has_errors


def test_nesting_has_a_bound() -> None:
    """A thousand states in each other are an attack, not a chart."""
    deep = "".join(f'<state id="s{number}">' for number in range(1_000)) + "</state>" * 1_000
    with pytest.raises(ImportFailed, match="nested deeper than 32"):
        from_scxml(f"<scxml>{deep}</scxml>")
