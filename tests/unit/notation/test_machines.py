"""States, transitions and `otherwise` become single things with the releases that have them.

Covers: statemachines.model.diagnosis.suggestions,
statemachines.notation.document.consequential_errors,
statemachines.notation.document.shape_hints, statemachines.notation.document.meant_keys.
"""

from __future__ import annotations

from textwrap import dedent

import pytest

from statemachines.model.definitions.machine_definitions import FallbackKind
from statemachines.notation import machine_of
from tests.unit.notation.texts import DOOR, codes, reading, spec


def test_lists_become_single_arrows_in_the_authors_order() -> None:
    """Every output keeps the order; each arrow says which entry it comes from."""
    door = spec(
        "states: {A: {initial: true}, B: {}, C: {final: true}}\ntransitions:\n  - {from: [B, A], to: [C, B]}\n  - {from: C, to: A}\n"
    )
    assert [(t.source, t.target, t.event, t.entry) for t in door.transitions] == [
        ("B", "C", "to_C", 0),
        ("B", "B", "to_B", 0),
        ("A", "C", "to_C", 0),
        ("A", "B", "to_B", 0),
        ("C", "A", "to_A", 1),
    ]


def test_a_star_or_nothing_is_every_state_and_no_target_is_staying() -> None:
    """`from` may be left out; so may `to`."""
    door = spec(
        "states: {A: {initial: true}, B: {final: true}}\ntransitions:\n  - {to: B}\n  - {from: '*', event: ring}\n"
    )
    assert [(t.source, t.target, t.event) for t in door.transitions] == [
        ("A", "B", "to_B"),
        ("B", "B", "to_B"),
        ("A", "A", "ring"),
        ("B", "B", "ring"),
    ]


def test_an_arrow_exists_where_both_its_states_do() -> None:
    """A list is several entries, each cut with the ranges of its states."""
    door = spec(DOOR)
    assert [(t.target, door.family.ranges(t.releases)) for t in door.transitions] == [
        ("AJAR", "1.1.0..2.0.0"),
        ("CLOSED", "1.0.0..2.0.0"),
        ("CLOSED", "1.1.0..2.0.0"),
    ]
    old, new = machine_of(door, "1.0.1"), machine_of(door)
    assert [state.name for state in old.states] == ["OPEN", "CLOSED"]
    assert [(t.source, t.target) for t in old.transitions] == [("OPEN", "CLOSED")]
    assert len(new.transitions) == 3


def test_a_state_named_singly_must_exist_in_the_entrys_own_releases() -> None:
    """An `in` that says more than the state has is a mistake; a list is cut in silence."""
    more = DOOR + '  - {from: CLOSED, to: TARGET, in: "1.0.1.."}\n'
    assert codes(more.replace("TARGET", "AJAR")) == ["SM206"]
    assert codes(more.replace("TARGET", "[AJAR, OPEN]")) == []
    assert codes(DOOR + "otherwise:\n  - {from: AJAR, does: ignore, in: 1.0.0..}\n") == ["SM206"]
    assert codes(DOOR + "otherwise:\n  - {from: AJAR, does: ignore}\n") == []


def test_a_cut_that_is_empty_everywhere_is_an_error() -> None:
    """Two states that never exist together have no transition between them."""
    body = 'states: {A: {initial: true, in: "..1.0.1"}, B: {initial: true, in: "1.1.0.."}}\ntransitions: [{from: A, to: B}]\n'
    assert codes(body) == ["SM203"]


def test_everything_that_is_wrong_comes_in_one_go() -> None:
    """A person mends a file once, not once a message."""
    body = """\
    states: {OPEN: {initail: true, initial: true}, CLOSED: {final: true}}
    transitions:
      - {from: OPNE, to: CLOSD, in: "1.0.5"}
      - {from: OPEN, to: CLOSED, silent: perhaps}
      - {from: OPEN, to: CLOSED}
    otherwise: [{does: explode}, {event: nothing, does: ignore}]
    """
    assert sorted(codes(body)) == sorted(
        ["SM111", "SM204", "SM204", "SM201", "SM112", "SM207", "SM115", "SM216"]
    )


def test_a_hint_names_the_nearest_state_and_its_line() -> None:
    """The commonest mistake is a misspelling."""
    found = reading(
        "states: {SHIPPED: {initial: true, final: true}}\ntransitions: [{from: SHIPPD, to: SHIPPED}]\n"
    ).diagnostics
    assert [one.hint for one in found] == ["did you mean `SHIPPED`? (declared on line 4)"]


def hints(body: str) -> list[tuple[str, str]]:
    """The codes and hints of what is wrong."""
    return [(one.code, one.hint) for one in reading(body, family=False).diagnostics]


@pytest.mark.parametrize(
    "body",
    [
        "states:\n\tA: {initial: true}\n",
        "states:\n  A: {initial: true}\n\tB:\n",
        "states:\n  A: {initial: true}\n  \tfinal: true\n",
    ],
)
def test_a_tab_is_called_a_tab(body: str) -> None:
    """It looks like spaces to the person, who would look for quotes that are missing."""
    assert hints(body) == [("SM101", "indent with spaces")]


def test_a_key_in_the_wrong_place_is_told_its_place() -> None:
    """Its name is right; a list of all other keys would not help."""
    assert hints(
        'states: {A: {initial: true}}\nepisodes: {stuck: {while: A, title: "stuck"}}\n'
    ) == [("SM111", "it stands under `log:`")]


def test_an_expression_that_yaml_cut_at_a_comma_is_told_to_be_quoted() -> None:
    """`min(a, b)` without quotes is two entries of the braces around it."""
    assert ("SM312", 'put quotes around it: "min(1, 2)"') in hints("define: {least: min(1, 2)}\n")


def test_the_same_transition_twice_is_to_be_removed() -> None:
    """Guards and ranges would not make two of it."""
    states = "states: {A: {initial: true}, B: {final: true}}\n"
    twice = hints(states + "transitions:\n  - {from: A, to: B}\n  - {from: A, to: B}\n")
    assert twice == [("SM207", "line 5 says the same; remove one")]
    other = hints(states + "transitions:\n  - {from: A, to: B}\n  - {from: A, to: B, by: [me]}\n")
    assert other == [("SM207", "the other is on line 5; give them disjoint `in` or guards")]


def test_an_event_that_is_a_transition_already_is_told_where_its_guard_belongs() -> None:
    """Whoever gives an event a guard, and a row of the table besides, means one transition."""
    body = """\
    variables: {n: "0..3 = 0"}
    states: {A: {initial: true, final: true}, B: {final: true}}
    events: {go: {guard: n > 0}}
    transitions:
      - {from: A, to: B, event: go}
    """
    assert [hint.partition(";")[0] for code, hint in hints(dedent(body)) if code == "SM207"] == [
        "what `events` says of it is a transition from every state"
    ]


def test_a_field_of_a_parameters_set_is_one_mistake_and_told_what_to_write() -> None:
    """A record whose field is wrong is no record with a field less."""
    body = """\
    types: {Node: id, Msg: {of: nodes, at: 0..2}}
    parameters: {nodes: "set[Node]"}
    variables: {sent: "set[Msg] = set()"}
    events:
      send: {args: {n: nodes}, effect: {sent: "sent | {Msg(n, 1)}"}}
    """
    assert hints(dedent(body)) == [
        ("SM314", "types are read before parameters; write the type of its elements")
    ]


def test_misspelt_states_are_one_mistake() -> None:
    """Not one more at every use of a state; a state that is really unknown is told all the same."""
    body = "state: {A: {initial: true}, B: {final: true}}\ntransitions: [{from: A, to: B}, {from: A, to: BB}]\n"
    assert hints(body) == [
        ("SM111", "did you mean `states`?"),
        ("SM204", "did you mean `B`? (declared on line 3)"),
    ]


def test_a_key_of_other_notations_names_ours() -> None:
    """`guard` of a case is `when`, and no word of nearer letters is meant; what stands there is read as meant."""
    body = "states: {A: {initial: true}, B: }\nvariables: {n: '0..3 = 0'}\nevents: {go: {args: {k: 0..3}}}\n"
    case = "transitions: [{from: A, to: B, event: go, cases: [{guard: k > x}, {to: A}]}]\n"
    assert hints(body + case)[0] == ("SM111", "did you mean `when`?")
    step = "transitions: [{from: A, to: B, event: go, when: k > 1, set: {n: k}}]\n"
    assert hints(body + step) == [
        ("SM111", "did you mean `guard`?"),
        ("SM111", "did you mean `effect`?"),
    ]


def test_no_states_is_one_nameless_state() -> None:
    """A machine that is all data."""
    counter = spec('variables: {n: "int = 0"}\nevents: {up: {effect: {n: n + 1}}}\n')
    assert [(state.name, state.initial) for state in counter.states] == [("", True)]
    assert [(t.source, t.target, t.event) for t in counter.transitions] == [("", "", "up")]


def test_a_case_is_an_arrow_of_its_own() -> None:
    """Coverage, mutants and findings name it by its place."""
    body = """\
    variables: {n: "0..3 = 0"}
    states: {IDLE: {initial: true}, DONE: {final: true}}
    transitions:
      - from: IDLE
        event: work
        cases: [{when: n == 3, to: DONE}, {when: n == 2, in: "1.1.0.."}, {to: IDLE}]
    """
    machine = spec(body)
    assert [(t.target, machine.family.ranges(t.releases)) for t in machine.transitions] == [
        ("DONE", "1.0.0..2.0.0"),
        ("IDLE", "1.1.0..2.0.0"),
        ("IDLE", "1.0.0..2.0.0"),
    ]
    assert len({t.span for t in machine.transitions}) == 3


def test_otherwise_says_what_and_where() -> None:
    """`raise` has the error's name; `to` speaks of the events `to_<TARGET>`."""
    door = spec(
        DOOR
        + "otherwise:\n  - {from: AJAR, to: [OPEN, AJAR], does: raise DoorError}\n  - {does: force, in: ..1.0.0}\n"
    )
    first, last = door.otherwise
    assert (first.does, first.error, first.sources, first.targets) == (
        FallbackKind.RAISE,
        "DoorError",
        ("AJAR",),
        ("OPEN", "AJAR"),
    )
    assert door.family.ranges(first.releases) == "1.1.0..2.0.0"
    assert (last.does, last.sources, last.targets, door.family.ranges(last.releases)) == (
        FallbackKind.FORCE,
        None,
        None,
        "1.0.0",
    )
    assert [entry.does for entry in machine_of(door, "1.0.1").otherwise] == []


def test_predicates_are_cut_to_the_states_of_a_release() -> None:
    """A short list, a mapping, or a list of mappings with ranges."""
    door = spec(
        DOOR
        + "predicates:\n  passable: [OPEN, AJAR]\n  shut: {states: CLOSED, doc: not passable}\n"
    )
    assert [p.states for p in machine_of(door, "1.0.1").predicates] == [("OPEN",), ("CLOSED",)]
    assert [p.states for p in machine_of(door).predicates] == [("OPEN", "AJAR"), ("CLOSED",)]


def test_events_are_declared_or_used_each_once() -> None:
    """In the order of first mention."""
    door = spec(
        "events: {ring: {doc: the bell}, push: }\n" + DOOR + "  - {from: OPEN, event: push}\n"
    )
    assert [(event.name, event.doc) for event in machine_of(door).events] == [
        ("ring", "the bell"),
        ("push", ""),
        ("to_AJAR", ""),
        ("to_CLOSED", ""),
    ]


def test_guards_that_differ_are_not_called_overlapping() -> None:
    """What syntax cannot decide is found by exploring, not at load."""
    body = """\
    variables: {n: "0..3 = 0"}
    states: {A: {initial: true, final: true}}
    transitions:
      - {from: A, event: go, guard: n > 0}
      - {from: A, event: go, guard: OTHER}
    """
    assert codes(body.replace("OTHER", "n <= 0")) == []
    assert codes(body.replace("OTHER", "n > 0")) == ["SM207"]
    assert (
        codes(
            "states: {A: {initial: true, final: true}}\ntransitions:\n  - {event: go, in: ..1.0.0}\n  - {event: go, in: 1.0.1..}\n"
        )
        == []
    )


def test_keys_of_the_data_part_are_kept_as_nodes() -> None:
    """The data part finds them on the work, with each arrow's own entry."""
    body = (
        DOOR
        + "  - {from: CLOSED, to: OPEN, guard: n < 5, effect: {n: n + 1}}\nvariables: {n: 0..5 = 0}\nalways: {small: n < 6}\n"
    )
    work = reading(body).builder
    assert work is not None
    assert work.root.get("always") is not None
    assert work.transitions[-1].entry.get("guard") is not None


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("states: [A, B]\n", "write each as a key: `{A: , B: }`"),
        ("states:\n  - A\n  - B\n", "write each as a key, without `- `: `A:`"),
        ("states: 3\ntransitions: [{from: A, to: B}]\n", ""),
        (
            "states: [A, B]\ntransitions: [{from: A, to: B}, {from: B, to: A}]\n",
            "write each as a key: `{A: , B: }`",
        ),
        ("states: {A: , B: }\ninitial: A\n", "write `A: {initial: true}` below `states`"),
        (
            "variables: {n: int = 0}\nevents: {more: {effect: n += 1}}\n",
            "write `{n: n + 1}`",
        ),
        (
            "variables: {n: 0..3 = 0}\nalways: n <= 3\n",
            "give it a name: `{name: n <= 3}`",
        ),
        (
            "variables: {n: 0..3 = 0}\ninvariant: {low: n <= 3}\n",
            "did you mean `always`?",
        ),
        (
            "variables: {n: 0..3 = 0}\nevents: {more: {guard: n < 3, effect: {n: n + 1}}}\nleads to: {up: {when: n == 0, then: n == 3, fair: [more]}}\n",
            "did you mean `assuming`?",
        ),
        ("states: {A: {initial: true}}\ntransitions:\n  - A -> B\n", "write `{from: A, to: B}`"),
        (
            "states: {A: {initial: true, final: true}}\nvariables: {n: int = 0}\ntransitions: [{from: A, event: go, effect: n = n + 1}]\n",
            "write `{n: n + 1}`",
        ),
        (
            "states:\n  A: {initial: true, final: true}\n  transitions:\n    - {from: A, to: A}\n",
            "it is indented too far",
        ),
        (
            "states: {A: {initial: true, final: true}}\nlog:\n  - {text: 'door opens', says: begin}\n",
            "write the list below `lines:`",
        ),
        (
            "states: {A: {initial: true, final: true}}\nlog: console\n",
            "a mapping has keys, here `instance`, `patterns`, ",
        ),
        ("states: {A: {initial: true, final: true, within: 30}}\n", "write `30 s`"),
        ("states: {A: {initial: true, final: true, within: '30'}}\n", "write `30 s`"),
        (
            "states: {A: {initial: true, final: true}}\nalways: {still: state == A}\n",
            "a state is quoted: `'A'`",
        ),
        (
            "states: {A: {initial: true, final: true}}\nlog:\n  lines: [{text: 'go {from}: {to}', says: step}]\n",
            "take in more of what the program writes, or write one line a state",
        ),
        (
            "states: {A: {initial: true, final: true}}\nlog: {incidents: {Left_Open: {of: open, title: left open}}}\n",
            "in small letters and digits, with `-` between words",
        ),
    ],
)
def test_what_beginners_write_is_answered_with_how_it_is_written(body: str, hint: str) -> None:
    """A list for a mapping, an arrow, an assignment, a section that is indented too far: one message, which shows the right form."""
    found = [
        one for one in reading(body, family=False).diagnostics if one.severity.value == "error"
    ]
    assert [hint in one.hint for one in found] == [True]


@pytest.mark.parametrize(
    ("entry", "hints"),
    [
        ("{source: A, to: B, event: go}", ['write `from: A`, or `from: "*"` if all']),
        ("{src: A, to: B}", ["did you mean `from`?"]),
        ("{from: A, dest: B, trigger: go}", ["did you mean `to`?", "did you mean `event`?"]),
        ("{from: A, target: B}", ["did you mean `to`?"]),
        ("{from: A, to: B, on: go}", ["did you mean `event`?"]),
        ("{from: A, to: B, conditions: 'True'}", ["did you mean `guard`?"]),
        ("{from: A, to: B, unless: 'True'}", ["write `guard: not (…)`"]),
        ("{source: 'Table.java, line 12', from: A, to: B}", []),
        ("{source: A, from: A, to: B}", []),
        ("{source: A, from: '*', to: B}", []),
        ("{source: C, to: B}", []),
    ],
)
@pytest.mark.parametrize("section", ["transitions", "otherwise"])
def test_the_words_of_other_notations_are_answered_with_ours(
    section: str, entry: str, hints: list[str]
) -> None:
    """Above all `source`, which is a remark here: without `from` the entry would start in every state."""
    if section == "otherwise":
        if "guard" in str(hints):
            return
        entry = entry.replace("}", ", does: ignore}")
    body = "states: {A: {initial: true}, B: {final: true}}\nevents: {go: }\n"
    body += "transitions: [{from: A, to: B}]\n" if section == "otherwise" else ""
    found = reading(f"{body}{section}:\n  - {entry}\n", family=False).diagnostics
    assert len(found) == len(hints), found
    assert all(hint in wrong.hint for hint, wrong in zip(hints, found, strict=True))
