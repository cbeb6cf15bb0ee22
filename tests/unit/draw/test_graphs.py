"""From machines to neutral pictures.

Covers: statemachines.draw.graphs.data_box, statemachines.draw.graphs.edge_labels,
statemachines.draw.forms.dot, statemachines.draw.graphs.tones,
statemachines.semantics.messages.expression_text.
"""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given

from statemachines.draw import to_graph
from statemachines.draw.forms.dot import reading_order
from statemachines.draw.graphs.edge_labels import edge_labels
from statemachines.draw.graphs.graph import Tone
from statemachines.draw.graphs.tones import state_tones
from statemachines.model.definitions.machine_definitions import MachineDefinition, State, Transition
from statemachines.notation import machine_of, read_spec_text
from statemachines.semantics.messages.expression_text import format_expression
from tests.machines import COUNTER, ORDER, TINY, TURNSTILE
from tests.strategies import table_machines


def table(states: str, moves: str) -> MachineDefinition:
    """A machine from `>A B C*` and `A-B B-C`."""
    made = tuple(
        State(name.strip(">*"), initial=name.startswith(">"), final=name.endswith("*"))
        for name in states.split()
    )
    pairs = (move.split("-") for move in moves.split())
    return MachineDefinition(
        "table",
        "",
        made,
        tuple(Transition(source, target, f"to_{target}") for source, target in pairs),
    )


SHUTDOWN = table(
    ">NEW UP BUSY CLOSING DEAD*", "NEW-UP UP-BUSY BUSY-UP UP-CLOSING BUSY-CLOSING CLOSING-DEAD"
)


@given(table_machines())
def test_a_picture_has_each_state_once_and_each_pair_once(machine: MachineDefinition) -> None:
    """Arrows of one pair are drawn as one: two lines on top of each other tell nothing."""
    graph = to_graph(machine)
    assert [node.name for node in graph.nodes] == [state.name for state in machine.states]
    pairs = [(edge.source, edge.target) for edge in graph.edges]
    assert pairs == list(dict.fromkeys((each.source, each.target) for each in machine.moves))


@given(table_machines())
def test_a_merged_arrow_is_silent_only_if_all_are_and_taken_if_one_is(
    machine: MachineDefinition,
) -> None:
    """A line that may appear must not be drawn as one that never does."""
    for edge in to_graph(machine).edges:
        merged = [
            each
            for each in machine.moves
            if (each.source, each.target) == (edge.source, edge.target)
        ]
        assert edge.silent == all(each.silent for each in merged)
        assert edge.taken == any(each.taken for each in merged)


def test_a_table_of_moves_has_no_labels() -> None:
    """The name of the state that an arrow leads to need not be said again beside it."""
    assert {edge.labels for edge in to_graph(COUNTER).edges} == {()}
    assert [edge.labels for edge in to_graph(TURNSTILE).edges] == [("coin",), ("coin",), ("push",)]


def test_events_between_the_same_states_share_an_arrow() -> None:
    """One line of text each, in the author's order."""
    machine = MachineDefinition(
        "pay",
        "",
        (State("A"), State("B")),
        (Transition("A", "B", "cash"), Transition("A", "B", "card")),
    )
    assert [edge.labels for edge in to_graph(machine).edges] == [("cash", "card")]


@pytest.mark.parametrize(
    ("machine", "out"),
    [
        (SHUTDOWN, {"CLOSING", "DEAD"}),
        (COUNTER, {"TWO"}),
        (TURNSTILE, set()),
        (table(">NEW PAID SENT*", "NEW-PAID PAID-SENT"), {"SENT"}),
        (
            table(">NEW UP CLOSING DEAD*", "NEW-UP UP-CLOSING NEW-CLOSING CLOSING-DEAD"),
            {"CLOSING", "DEAD"},
        ),
        (table(">OFF* ON", "OFF-ON ON-OFF"), set()),
    ],
)
def test_the_way_out_is_what_nothing_leads_back_from(
    machine: MachineDefinition, out: set[str]
) -> None:
    """Without a word of the author: ends, and states that only lead to them."""
    assert {name for name, tone in state_tones(machine).items() if tone is Tone.OUT} == out


def test_a_group_has_one_tone() -> None:
    """What the author put together keeps together: a group with an end is the way out, one with a way back is not."""
    groups = {"UP": "work", "BUSY": "work", "CLOSING": "work", "DEAD": "end"}
    grouped = evolve(
        SHUTDOWN,
        states=tuple(evolve(state, group=groups.get(state.name)) for state in SHUTDOWN.states),
    )
    assert [name for name, tone in state_tones(grouped).items() if tone is Tone.OUT] == ["DEAD"]
    assert [(group.name, group.nodes) for group in to_graph(grouped).groups] == [
        ("work", ("UP", "BUSY", "CLOSING"))
    ]


def test_pictures_are_read_from_the_first_beginning_on() -> None:
    """A cycle is entered where one enters it, whatever order its states were written in; the way out comes last."""
    machine = table(
        ">NEW CLOSING REVOKED ASSIGNED UP DEAD*",
        "NEW-UP UP-REVOKED REVOKED-ASSIGNED ASSIGNED-UP UP-CLOSING CLOSING-DEAD",
    )
    assert list(reading_order(to_graph(machine))) == [
        "NEW",
        "UP",
        "REVOKED",
        "ASSIGNED",
        "CLOSING",
        "DEAD",
    ]


@given(table_machines())
def test_every_state_has_its_own_place(machine: MachineDefinition) -> None:
    """States that nothing leads to are read too."""
    assert sorted(reading_order(to_graph(machine)).values()) == list(range(len(machine.states)))


SHOP = """
notation: 1
machine: Order
types: {Line: id, Kind: [small, large]}
variables: {lines: "set[Line] = set()", paid: "0..100 = 0", kind: "Kind = 'small'", notes: "map[Line, int] = {}"}
states: {NEW: {initial: true}, PAID: , DONE: {final: true}}
events:
  add: {args: {line: Line}}
  pay: {args: {amount: "0..100"}}
  check: {}
errors: {TooLate: }
define: {size: {args: {of: "set[Line]"}, is: "len(of)"}}
transitions:
  - {from: NEW, event: add, guard: "line not in lines", effect: {lines: "lines | {line}"}}
  - {from: NEW, to: PAID, event: pay, guard: "GUARD", effect: {paid: amount}}
  - {from: PAID, to: DONE, event: ship}
  - {from: DONE, event: pay, raises: TooLate, doc: Money for nothing.}
"""


def shop(guard: str = "amount >= len(lines)") -> MachineDefinition:
    """An order with variables and a guard."""
    return machine_of(
        read_spec_text(SHOP.replace("GUARD", guard).encode(), "Order.yaml").valid_spec()
    )


def test_guards_and_effects_stand_beside_the_arrow() -> None:
    """`event [guard] / effect`, in lines where it is long; what leaves as an exception is an effect too."""
    assert [edge.labels for edge in to_graph(shop()).edges] == [
        ("add", "[line not in lines]", "/ lines = lines | {line}"),
        ("pay", "[amount >= len(lines)]", "/ paid = amount"),
        ("ship",),
        ("pay", "/ raise TooLate"),
    ]


def test_what_is_too_long_for_a_label_is_told_where_the_pointer_rests() -> None:
    """A line of hundred letters would push the boxes apart."""
    guard = "amount >= len(lines) and (amount > 10 or lines != set()) and paid < 100"
    edge = to_graph(shop(guard)).edges[1]
    assert edge.labels[1] == "[amount >= len(lines) and (amount >…"
    assert f"[{guard}]" in edge.note


@pytest.mark.parametrize(
    "text",
    [
        "amount >= len(lines) or not amount == 3 and paid < 7",
        "(amount > 1 or paid > 2) and kind == 'small'",
        "not (amount > 1 or paid > 2)",
        "amount - (paid - 1) - 2 < 2 * (paid + 1)",
        "lines - {x for x in lines if x in notes} == set()",
        "any(notes.get(x, 0) > 3 for x in lines)",
        "all(x in notes and notes[x] > 3 for x in lines)",
        "{x: 1 for x in lines} == notes | {}",
        "(amount if paid > 3 else 4) > 2",
        "size(lines) > 2 and sum([1, 2]) > 0",
        "max(paid, amount) > min({n for n in notes.values()}, default=0)",
        "implies(paid > 1, kind in {'small', 'large'})",
        "notes.get(next((x for x in [y for y in []]), None)) is not None",
        "-paid < 0 and len({-1, 2} & {paid} ^ {4}) > 0",
    ],
)
def test_expressions_are_written_as_they_were(text: str) -> None:
    """With the parentheses that they need and no others."""
    case = shop(text).transitions[1].case
    assert case is not None
    assert case.guard is not None
    assert format_expression(case.guard) == text


def test_many_ways_between_two_states_are_counted() -> None:
    """Six lines at most: beyond that only the events are named."""
    many = tuple(Transition("A", "B", f"e{number % 9}") for number in range(20))
    assert edge_labels(many[:3]) == ("e0", "e1", "e2")
    assert edge_labels(many) == (
        "e0 (3 ways)",
        "e1 (3 ways)",
        "e2 (2 ways)",
        "e3 (2 ways)",
        "e4 (2 ways)",
        "and 4 more events",
    )


def test_a_machine_that_is_all_data_is_one_box() -> None:
    """Variables and operations, as a class is drawn."""
    text = 'notation: 1\nmachine: Counter\nvariables: {n: "0..3 = 0"}\nevents: {up: {args: {by: "1..2"}, effect: {n: "min(n + by, 3)"}}}\n'
    graph = to_graph(machine_of(read_spec_text(text.encode(), "Counter.yaml").valid_spec()))
    assert [(node.text, node.lines) for node in graph.nodes] == [
        ("Counter", ("n: 0..3", "", "up(by)"))
    ]
    assert graph.edges == ()
    assert graph.description == "Counter, n: 0..3, up(by)."


def test_the_description_says_everything_that_is_drawn() -> None:
    """Who cannot see the picture is told no less."""
    words = to_graph(ORDER).description
    assert words.startswith(
        "5 states, begins in NEW or DRAFT, may end in CLOSED. NEW leads to PAID (pay), CLOSED (never taken by the code)."
    )
    assert words.endswith("Nothing leads from CLOSED.")


@pytest.mark.parametrize("machine", TINY, ids=lambda machine: machine.name)
def test_the_caption_is_the_release_or_what_the_caller_says(machine: MachineDefinition) -> None:
    """A picture that stands for several releases says which."""
    assert to_graph(machine).caption == machine.release
    assert to_graph(machine, releases="1.0..2.0").caption == "1.0..2.0"
