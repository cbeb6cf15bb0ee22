"""Guards are judged on what a log tells of variables; what it does not tell never accuses.

Covers: statemachines.conform.judge.checks.event_check,
statemachines.conform.judge.tables.known_variables,
statemachines.conform.judge.tables.release_tables, statemachines.conform.judge.instance.variable_updates.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.conform.judge.tables.known_variables import parse_value
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.value_types import BOOL, IntType, OptionalType, SetType, TextType
from tests.effort import some_of

SPEC = """
notation: 1
machine: Tank
variables: {level: "0..5 = 0"}
events: {fill: {args: {amount: "1..5"}}}
states: {CLOSED: {initial: true}, OPEN: {}, GONE: {final: true}}
transitions:
  - {from: CLOSED, to: OPEN, event: open}
  - {from: OPEN, to: CLOSED, event: close, guard: "level <= 3"}
  - {from: OPEN, event: fill, guard: "level + amount <= 5", effect: {level: "level + amount"}}
  - {from: OPEN, event: drain, guard: "level > 0", effect: {level: "0"}}
  - {from: CLOSED, to: GONE, event: scrap}
otherwise:
  - {from: GONE, does: ignore}
log:
  instance: [tank]
  patterns: {tank: '[a-z]+', n: '\\d+'}
  lines:
    - {text: "tank {tank} is new here", says: begin, state: CLOSED, logger: T, level: INFO, samples: ["tank a is new here"]}
    - {text: "tank {tank} was opened", says: step, from: CLOSED, to: OPEN, logger: T, level: INFO, samples: ["tank a was opened"]}
    - {text: "tank {tank} was closed", says: step, from: OPEN, to: CLOSED, logger: T, level: INFO, samples: ["tank a was closed"]}
    - {text: "tank {tank} now holds {n}", says: is, state: OPEN, set: {level: "{n}"}, logger: T, level: INFO, samples: ["tank a now holds 3"]}
    - {text: "tank {tank} was filled with {n}", says: event, event: fill, args: {amount: "{n}"}, logger: T, level: INFO,
       samples: ["tank a was filled with 3"]}
    - {text: "tank {tank} was drained", says: event, event: drain, logger: T, level: INFO, samples: ["tank a was drained"]}
    - {text: "tank {tank} was scrapped", says: event, event: scrap, logger: T, level: INFO, samples: ["tank a was scrapped"]}
"""


def checked(folder: Path, messages: list[str], spec: str = SPEC) -> Report:
    """Judge a log with a line a second."""
    (folder / "tank.yaml").write_text(spec, "utf-8")
    lines = [
        f"[2026-01-01 10:{at // 60:02}:{at % 60:02},000] INFO tank a {message} (T)\n"
        for at, message in enumerate(messages)
    ]
    (folder / "tank.log").write_text("".join(lines), "utf-8")
    return sm.check([folder / "tank.log"], specs=[folder / "tank.yaml"])


BEGINS = ["is new here", "was opened"]


@pytest.mark.parametrize(
    ("messages", "line", "why"),
    [
        ([*BEGINS, "was filled with 4", "was closed"], 4, "its guard does not hold with level = 4"),
        ([*BEGINS, "was filled with 4", "was filled with 2"], 4, "no guard holds with level = 4"),
        ([*BEGINS, "was drained"], 3, "no guard holds with level = 0"),
        (["now holds 4", "was closed"], 2, "its guard does not hold with level = 4"),
        (
            [*BEGINS, "was filled with 2", "was filled with 2", "was drained", "was drained"],
            6,
            "no guard holds with level = 0",
        ),
    ],
)
def test_a_guard_that_is_false_on_told_values_forbids(
    tmp_path: Path, messages: list[str], line: int, why: str
) -> None:
    """Values come from a beginning, from effects and from lines that tell them."""
    found = checked(tmp_path, messages)
    assert [
        (one.kind, one.verdict, one.place.line if one.place else 0) for one in found.findings
    ] == [("forbidden", Verdict.VIOLATED, line)]
    assert why in found.findings[0].message


@pytest.mark.parametrize(
    "messages",
    [
        [*BEGINS, "was filled with 3", "was closed"],
        [*BEGINS, "was filled with 4", "was drained", "was closed"],
        ["was opened", "was drained", "was filled with 3", "was closed"],
        ["now holds 4", "now holds 2", "was closed"],
        ["was opened", "was closed", "was opened", "was filled with 5"],
        ["now holds many", "was closed"],
        [*BEGINS, "was closed", "was scrapped"],
    ],
)
def test_what_fits_the_told_values_holds(tmp_path: Path, messages: list[str]) -> None:
    """A log that begins midway tells no level; a text that is no number tells none either."""
    assert checked(tmp_path, messages).findings == ()


def test_an_event_leads_where_its_arrow_leads(tmp_path: Path) -> None:
    """The line names no state; the timeline has the step, and what is true now follows."""
    found = checked(tmp_path, [*BEGINS, "was filled with 3", "was closed", "was scrapped"])
    told = [(step.source, step.target) for step in found.timeline if step.how == "told"]
    assert told == [("CLOSED", "OPEN"), ("OPEN", "OPEN"), ("OPEN", "CLOSED"), ("CLOSED", "GONE")]
    assert [row.state for row in found.now] == [("GONE",)]


def test_an_event_that_no_arrow_takes_is_what_the_spec_says(tmp_path: Path) -> None:
    """Ignored where it is said to be; else it may not be."""
    ignored = checked(tmp_path, [*BEGINS, "was closed", "was scrapped", "was drained"])
    assert [(one.kind, one.verdict) for one in ignored.findings] == [("ignored", Verdict.HOLDS)]
    strict = SPEC.replace("otherwise:\n  - {from: GONE, does: ignore}\n", "")
    forbidden = checked(tmp_path, [*BEGINS, "was closed", "was scrapped", "was drained"], strict)
    assert [(one.kind, one.verdict) for one in forbidden.findings] == [
        ("forbidden", Verdict.VIOLATED)
    ]


def test_an_event_before_which_a_line_was_lost_is_a_gap(tmp_path: Path) -> None:
    """As for a line that tells a state: it would be legal if the log showed that the tank was closed; what was told before may be over."""
    found = checked(tmp_path, [*BEGINS, "was filled with 5", "was scrapped"])
    assert [(one.kind, one.verdict, one.missing) for one in found.findings] == [
        ("gap", Verdict.INCONCLUSIVE, ("OPEN -> CLOSED",))
    ]
    told = [(step.source, step.target, step.how) for step in found.timeline]
    assert told[-2:] == [("OPEN", "CLOSED", "missing"), ("CLOSED", "GONE", "told")]
    after = checked(tmp_path, ["is new here", "was filled with 5", "was filled with 3"])
    assert [(one.kind, one.place.line) for one in after.findings if one.place] == [("gap", 2)], (
        "of the level after the lost lines nothing is known"
    )


def test_an_event_of_another_life_began_again(tmp_path: Path) -> None:
    """Nothing leads from where a tank is gone to its first opening; a line of a new one's beginning may be lost."""
    spec = SPEC.replace("says: step, from: CLOSED, to: OPEN", "says: event, event: open").replace(
        "  - {from: GONE, does: ignore}\n", "  - {from: GONE, event: fill, does: ignore}\n"
    )
    found = checked(
        tmp_path, [*BEGINS, "was closed", "was scrapped", "was opened", "was filled with 5"], spec
    )
    assert [(one.kind, one.verdict, one.place.line) for one in found.findings if one.place] == [
        ("began again", Verdict.INCONCLUSIVE, 5)
    ]
    assert [row.state for row in found.now] == [("OPEN",)]


def test_the_first_event_of_a_new_life_changes_its_values(tmp_path: Path) -> None:
    """A life that began since: its variables are the initial ones before its first event, not after it."""
    spec = SPEC.replace(
        "  - {from: OPEN, to: CLOSED, event: close",
        '  - {from: CLOSED, event: fill, guard: "level + amount <= 5", effect: {level: "level + amount"}}\n  - {from: OPEN, to: CLOSED, event: close',
    ).replace("says: begin, state: CLOSED", "says: begin")
    assert spec != SPEC
    found = checked(
        tmp_path,
        [
            "is new here",
            "was filled with 1",
            "was scrapped",
            "is new here",
            "was filled with 5",
            "was filled with 1",
        ],
        spec,
    )
    assert [(one.kind, one.place.line) for one in found.findings if one.place] == [("forbidden", 6)]


def test_what_unseen_steps_may_have_changed_is_not_known(tmp_path: Path) -> None:
    """Without a line for draining, a tank that was full may be empty."""
    blind = SPEC.replace("was drained", "was emptied out")
    hidden = blind.replace(
        'event: drain, logger: T, level: INFO, samples: ["tank a was emptied out"]',
        'event: drain, logger: D, level: DEBUG, samples: ["tank a was emptied out"]',
    )
    assert blind != hidden
    assert (
        checked(tmp_path, [*BEGINS, "was filled with 4", "was filled with 4"], hidden).findings
        == ()
    )
    assert (
        checked(tmp_path, [*BEGINS, "was filled with 4", "was filled with 4"]).verdict
        is Verdict.VIOLATED
    )


VALVE = """
notation: 1
machine: Valve
variables: {turns: "0..5 = 0"}
states: {SHUT: {initial: true}, AJAR: {}, WIDE: {}}
transitions:
  - {from: SHUT, to: AJAR, event: loosen}
  - {from: SHUT, to: AJAR, event: kick}
  - {from: AJAR, to: WIDE, event: widen}
  - {from: WIDE, to: SHUT, event: shut}
  - {from: WIDE, to: AJAR, event: narrow, guard: "turns > 2"}
  - {from: WIDE, event: flow, effect: {turns: "min(turns + 1, 5)"}}
otherwise:
  - {event: narrow, does: ignore}
log:
  instance: [tank]
  patterns: {tank: '[a-z]+', n: '\\d+'}
  lines:
    - {text: "tank {tank} is new here", says: begin, state: SHUT, logger: T, level: INFO}
    - {text: "tank {tank} was loosened", says: event, event: loosen, logger: T, level: INFO}
    - {text: "tank {tank} was widened", says: event, event: widen, logger: W, level: DEBUG}
    - {text: "tank {tank} was narrowed", says: event, event: narrow, logger: T, level: INFO}
    - {text: "tank {tank} was shut again", says: event, event: shut, logger: T, level: INFO}
    - {text: "tank {tank} is flowing now", says: event, event: flow, logger: T, level: INFO}
"""


def test_an_event_may_come_after_steps_that_the_log_does_not_show(tmp_path: Path) -> None:
    """`widen` has a line of a logger that is not shown; `kick` does what `loosen` does, and has none."""
    found = checked(
        tmp_path,
        ["is new here", "was loosened", "is flowing now", "was shut again", "is flowing now"],
        VALVE,
    )
    assert found.findings == ()
    assert [(step.source, step.target, step.how) for step in found.timeline][1:3] == [
        ("AJAR", "WIDE", "hidden"),
        ("WIDE", "WIDE", "told"),
    ]


def test_an_event_whose_guard_cannot_be_told_may_have_changed_nothing(tmp_path: Path) -> None:
    """Where the spec ignores it otherwise: the valve may be wide, or ajar."""
    shown = VALVE.replace("logger: W, level: DEBUG", "logger: T, level: INFO")
    assert (
        checked(
            tmp_path, ["is flowing now", "was narrowed", "was shut again", "was loosened"], shown
        ).findings
        == ()
    )
    assert (
        checked(tmp_path, ["is flowing now", "was narrowed", "was widened"], shown).findings == ()
    )


def test_a_note_may_tell_values_with_or_without_a_mark(tmp_path: Path) -> None:
    """A line that says nothing of states tells what it tells; a release that is given is no matter to a machine without any."""
    for mark in ("", "mark: measured, "):
        spec = SPEC.replace("says: is, state: OPEN, set", f"says: note, {mark}set")
        assert spec != SPEC
        found = checked(tmp_path, ["was opened", "now holds 4", "was closed"], spec)
        assert [(one.kind, one.place.line) for one in found.findings if one.place] == [
            ("forbidden", 3)
        ]
        given_ = sm.check(
            [tmp_path / "tank.log"],
            specs=[tmp_path / "tank.yaml", "kafka/StreamThread"],
            release="3.9.1",
        )
        assert given_.findings == found.findings


def test_a_forbidden_event_is_told_once(tmp_path: Path) -> None:
    """What follows from it is judged as if it had happened, or as if it had not; what lost lines explain is a gap there, and told once too."""
    shown = VALVE.replace("logger: W, level: DEBUG", "logger: T, level: INFO").replace(
        "  - {from: SHUT, to: AJAR, event: kick}\n", ""
    )
    messages = [
        "is new here",
        "was loosened",
        "is flowing now",
        "was shut again",
        "was loosened",
        "was widened",
    ]
    assert [
        (one.kind, one.place.line)
        for one in checked(tmp_path, messages, shown).findings
        if one.place
    ] == [("gap", 3)]
    cut = (
        shown.replace("  - {from: AJAR, to: WIDE, event: widen}\n", "")
        .replace("was widened", "was widened once")
        .replace("says: event, event: widen", "says: note")
    )
    assert [
        (one.kind, one.place.line)
        for one in checked(tmp_path, messages[:-1], cut).findings
        if one.place
    ] == [("forbidden", 3)]


@settings(max_examples=some_of(60), deadline=None)
@given(
    words=st.lists(
        st.sampled_from(["open", "close", "fill 1", "fill 3", "fill 5", "drain", "scrap"]),
        max_size=12,
    ),
    cut=st.integers(0, 3),
    data=st.data(),
)
def test_a_legal_history_is_never_accused_and_a_false_guard_always_found(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], cut: int, data: st.DataObject
) -> None:
    """Steps of the machine itself, written as lines: what `step` takes holds, the first that it refuses is found at its line."""
    folder = tmp_path_factory.mktemp("tank")
    (folder / "tank.yaml").write_text(SPEC, "utf-8")
    machine = sm.load(folder / "tank.yaml").at()
    lines, now, wrong = ["is new here"], machine.start(), 0
    said = {
        "open": "was opened",
        "close": "was closed",
        "drain": "was drained",
        "scrap": "was scrapped",
    }
    for word in words:
        event, _, amount = word.partition(" ")
        answer = sm.step(machine, now, event, **({"amount": int(amount)} if amount else {}))
        if isinstance(answer, sm.Refused):
            if event in ("fill", "drain", "scrap") or (event == "close" and now.state == "OPEN"):
                wrong = len(lines) + 1
                lines.append(said.get(event, f"was filled with {amount}"))
            break
        if isinstance(answer, sm.Advanced):
            now = answer.after
            lines.append(said.get(event, f"was filled with {amount}"))
    found = checked(folder, lines)
    assert [
        one.place.line for one in found.findings if one.place and one.verdict is not Verdict.HOLDS
    ] == ([wrong] if wrong else [])
    if not wrong:
        assert checked(folder, lines[cut:] or lines).verdict is not Verdict.VIOLATED


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        (BOOL, "True", (True,)),
        (BOOL, "yes", ()),
        (IntType(), " 12 ", (12,)),
        (IntType(), "1,2", ()),
        (OptionalType(IntType()), "null", (None,)),
        (SetType(TextType()), "Set(a, b)", (frozenset({"a", "b"}),)),
        (SetType(IntType()), "[]", (frozenset(),)),
    ],
)
def test_values_are_read_as_programs_write_them(
    type_: object, text: str, value: tuple[object, ...]
) -> None:
    """A text that is none of the type is no value."""
    assert parse_value(type_, text) == value


def test_what_a_silent_step_may_have_changed_is_not_known(tmp_path: Path) -> None:
    """Rain fills an open tank and no line tells of it: the tank may not be called empty, although a line tells of every step that has one."""
    rain = '  - {from: OPEN, event: rain, guard: "level < 5", effect: {level: "level + 1"}, silent: true}\n  - {from: CLOSED, to: GONE, event: scrap}'
    spec = SPEC.replace("  - {from: CLOSED, to: GONE, event: scrap}", rain)
    every = '    - {text: "tank {tank} went {from} {to}", says: step, logger: T, level: INFO, samples: ["tank a went OPEN CLOSED"]}\n'
    assert checked(tmp_path, [*BEGINS, "was drained"], spec + every).verdict is Verdict.HOLDS
    assert (
        checked(
            tmp_path, [*BEGINS, "was drained"], spec.replace(", silent: true", "") + every
        ).verdict
        is Verdict.VIOLATED
    )
