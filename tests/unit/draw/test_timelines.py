"""Instances over time as a picture.

Covers: statemachines.draw.graphs.log_counts, statemachines.draw.svg.style_sheet,
statemachines.draw.timelines.row_gathering, statemachines.draw.timelines.state_shades,
statemachines.draw.timelines.thinning, statemachines.draw.timelines.time_axis,
statemachines.draw.timelines.timeline_document, statemachines.draw.timelines.timeline_rows,
statemachines.draw.xml_markup, statemachines.model.evidence.durations.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.draw import step_counts, timeline_svg
from statemachines.draw.timelines.row_gathering import stream_rows, time_frame, timeline_rows
from statemachines.draw.timelines.thinning import thinned_bars
from statemachines.draw.timelines.time_axis import ticks
from statemachines.draw.timelines.timeline_document import LONGEST_NAME, shortened_names
from statemachines.draw.timelines.timeline_rows import StateBar
from statemachines.model.evidence.durations import format_duration
from statemachines.model.evidence.reports import CurrentState, Finding, Instant, Place, TimelineStep
from statemachines.model.evidence.verdicts import Verdict
from tests.machines import COUNTER

NOON = 1_795_262_400_000


def step(
    number: int, source: str | None, target: str | None, at: int | None, how: str = "told"
) -> TimelineStep:
    """A step of the counter with this number."""
    place = Place("a.log", 7) if how == "told" else None
    return TimelineStep(
        "counter",
        (("number", number),),
        "a.log",
        1,
        None if at is None else Instant(at),
        source,
        target,
        how,
        place,
    )


def finding(number: int, verdict: Verdict, at: int | None) -> Finding:
    """A finding about the counter with this number."""
    when = None if at is None else Instant(at)
    rest = (None, None, None, None, None, (), (), None, None, None, 1, "was <ZERO>")
    return Finding("forbidden", verdict, "counter", (("number", number),), "a.log", when, *rest)


def elements(svg: str, look: str) -> list[ElementTree.Element]:
    """The groups of a class."""
    return [
        each
        for each in ElementTree.fromstring(svg).iter()
        if look in (each.get("class") or "").split()
    ]


LIFE = [
    step(1, "ZERO", "ONE", NOON),
    step(2, None, "ZERO", NOON + 500),
    step(1, "ONE", "TWO", NOON + 4_000, "missing"),
]


def test_one_row_an_instance_one_bar_a_state() -> None:
    """In order of first mention; each state lasts until the next step, the last one to the end of the log."""
    rows = timeline_rows(LIFE)
    bars = [
        [(bar.state, bar.first - NOON, bar.last - NOON, bar.observed) for bar in row.bars]
        for row in rows.rows
    ]
    assert bars == [
        [("ONE", 0, 4_000, True), ("TWO", 4_000, 4_000, False)],
        [("ZERO", 500, 4_000, True)],
    ]
    assert [row.name for row in rows.rows] == ["1", "2"]


def test_what_was_before_the_first_step_is_drawn_as_not_known() -> None:
    """The log began midway: where the instance came from is told, since when is not."""
    rows = timeline_rows([step(2, None, "ZERO", NOON), step(1, "ZERO", "ONE", NOON + 100)])
    assert [(bar.state, bar.known) for bar in rows.rows[1].bars] == [("ZERO", False), ("ONE", True)]


def test_steps_without_a_time_keep_their_place() -> None:
    """They stand where the step before them stood; a log without any time is drawn by numbers."""
    rows = timeline_rows(
        [step(1, None, "ZERO", NOON), step(1, "ZERO", "ONE", None), step(1, "ONE", "TWO", NOON + 9)]
    )
    assert [bar.first - NOON for bar in rows.rows[0].bars] == [0, 0, 9]
    untimed = timeline_rows([step(1, None, "ZERO", None), step(1, "ZERO", "ONE", None)])
    assert [bar.first for bar in untimed.rows[0].bars] == [0, 1]
    assert "first step" in timeline_svg([step(1, None, "ZERO", None), step(1, "ZERO", "ONE", None)])


def test_an_end_leaves_a_gap() -> None:
    """A life that ended unseen is followed by nothing until the next begins."""
    rows = timeline_rows(
        [
            step(1, None, "ONE", NOON),
            step(1, "ONE", None, NOON + 5, "ended unseen"),
            step(1, None, "ZERO", NOON + 9),
        ]
    )
    assert [(bar.state, bar.first - NOON, bar.last - NOON) for bar in rows.rows[0].bars] == [
        ("ONE", 0, 5),
        ("ZERO", 9, 9),
    ]


def test_what_went_wrong_is_flagged() -> None:
    """With a sign, a colour and the message; what has no time is left out."""
    svg = timeline_svg(
        LIFE,
        findings=[finding(1, Verdict.VIOLATED, NOON + 10), finding(2, Verdict.INCONCLUSIVE, None)],
    )
    assert len(elements(svg, "flag")) == len(elements(svg, "violated")) == 1
    assert "was &lt;ZERO&gt;" in svg
    assert "✗" in svg


def test_the_way_out_has_its_own_colour() -> None:
    """Known from the machine; without it all states are shades of the course."""
    assert [
        each.findtext("{*}title", "").split("\n")[0]
        for each in elements(timeline_svg(LIFE, machines=[COUNTER]), "out")
    ][:1] == ["ONE → TWO (missing)"]
    assert elements(timeline_svg(LIFE), "out") == []


def test_more_rows_than_fit_are_counted() -> None:
    """Nothing is dropped in silence."""
    svg = timeline_svg(
        (step(number, None, "ZERO", NOON + number) for number in range(1_300)), most=50
    )
    assert "and 1,250 more instances" in svg


def test_no_step_at_all_is_a_picture_too() -> None:
    """An empty log is no crash."""
    assert ElementTree.fromstring(timeline_svg([])).get("role") == "img"


STEPS = st.builds(
    step,
    st.integers(1, 4),
    st.sampled_from(["ZERO", "ONE", None]),
    st.sampled_from(["ZERO", "ONE", "TWO", None]),
    st.none() | st.integers(-(10**12), 4 * 10**12),
    st.sampled_from(["told", "hidden", "missing", "silent", "ended unseen"]),
)


@given(st.lists(STEPS, max_size=15))
def test_every_timeline_is_well_formed_and_on_the_paper(steps: list[TimelineStep]) -> None:
    """Times may run backwards, lack, or lie millennia apart."""
    svg = timeline_svg(steps, machines=[COUNTER])
    root = ElementTree.fromstring(svg)
    width = float(root.get("width", "0"))
    for box in (each for each in root.iter("{http://www.w3.org/2000/svg}rect") if each.get("x")):
        assert float(box.get("x", "0")) >= -0.1
        assert float(box.get("x", "0")) + float(box.get("width", "0")) <= width + 0.1
    assert svg == timeline_svg(steps, machines=[COUNTER])


@given(st.integers(-(10**12), 10**13), st.integers(0, 10**13), st.integers(2, 12))
def test_ticks_are_few_and_between_the_ends(first: int, length: int, most: int) -> None:
    """Whatever the span: a millisecond or centuries."""
    marks = ticks(first, first + length, most)
    assert len(marks) <= most + 1
    assert all(first <= moment <= first + length for moment, _ in marks)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("0 ms", 0),
        ("999 ms", 999),
        ("1 s", 1_000),
        ("1 min", 60_000),
        ("25 d 1 h", 25 * 86_400_000 + 3_600_000),
    ],
)
def test_durations_are_written_in_words(text: str, ms: int) -> None:
    """The two largest units."""
    assert format_duration(ms) == text
    assert re.fullmatch(r"[\d.]+ \w+( \d+ \w+)?", text)


@given(st.lists(STEPS, max_size=30))
def test_every_step_of_a_timeline_is_counted_once(steps: list[TimelineStep]) -> None:
    """Steps with both ends; the sum over all machines and pairs."""
    counted = step_counts(steps)
    whole = [step for step in steps if step.source is not None and step.target is not None]
    assert sum(sum(each.taken.values()) for each in counted.values()) == len(whole)
    assert all(ms >= 0 for each in counted.values() for ms in each.held_ms.values())


def test_a_state_is_held_from_the_step_into_it_to_the_step_out_of_it() -> None:
    """Of every instance, together; what was never left is not counted."""
    steps = [*LIFE, step(2, "ZERO", "ONE", NOON + 1_500), step(1, "TWO", "ZERO", None)]
    assert dict(step_counts(steps)["counter"].held_ms) == {"ONE": 4_000, "ZERO": 1_000}


@given(
    st.lists(
        st.tuples(*[st.sampled_from([part * times for part in "ab" for times in (1, 20, 45)])] * 3),
        min_size=1,
        max_size=8,
    )
)
def test_names_that_differ_differ_in_the_picture(parts: list[tuple[str, str, str]]) -> None:
    """Whoever reads a row knows whose it is, whichever part of a long name tells it."""
    names = [" of ".join(part) for part in parts]
    short = shortened_names(names)
    assert len(short) == len(names)
    assert len(set(zip(names, short, strict=True))) == len(set(names)) == len(set(short))
    assert all(len(name) <= LONGEST_NAME + len(" (8)") for name in short)


def test_rows_of_several_machines_stand_under_their_names() -> None:
    """One name of a state has one shade, whichever machine has it."""
    other = [evolve(each, machine="counter 2") for each in LIFE]
    svg = timeline_svg([*LIFE, *other])
    assert svg.count(">counter</tspan>") == svg.count(">counter 2</tspan>") == 1
    shades = {
        each.findtext("{*}title", "")[:10]: each.get("class")
        for each in elements(svg, "bar")
        if each.find("{*}title") is not None
    }
    assert len(shades) == len(set(shades.values())) == 3


def test_a_picture_does_not_grow_with_the_log() -> None:
    """A hundred thousand steps in a second, then an hour of rest: what no eye tells apart is one bar that says how many it stands for."""
    states = ("ZERO", "ONE")
    steps = [step(1, states[n % 2], states[1 - n % 2], NOON + n // 100) for n in range(20_000)]
    found = [finding(1, Verdict.HOLDS, NOON + n) for n in range(500)]
    svg = timeline_svg(
        [*steps, step(1, "ONE", "TWO", NOON + 3_600_000)],
        findings=[*found, finding(1, Verdict.VIOLATED, NOON + 7)],
    )
    assert len(svg) < 20_000
    assert "steps: ONE, ZERO" in svg
    assert "(and 500 more)" in svg
    assert len(elements(svg, "violated")) == 1


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), max_size=30), st.integers(1, 12))
def test_thinning_leaves_no_gap_and_no_overlap(lengths: list[tuple[int, int]], least: int) -> None:
    """The bars still cover what they covered; none that can be seen is lost."""
    bars, moment = [], 0
    for length, gap in lengths:
        bars.append(StateBar("A", moment, moment + length))
        moment += length + gap
    kept = list(thinned_bars(bars, least))
    assert [bar for bar in kept if bar.state == "A" and bar.last - bar.first >= least] == [
        b for b in bars if b.last - b.first >= least
    ]
    assert all(one.last <= other.first for one, other in pairwise(kept))
    assert [bars[0].first, bars[-1].last] == [kept[0].first, kept[-1].last] if bars else not kept


def told(
    key: tuple[tuple[str, str | int], ...], state: str, since: int | None, process: str = "a.log"
) -> CurrentState:
    """A state at the end of the log."""
    return CurrentState(
        "counter",
        key,
        (state,),
        None if since is None else Instant(since),
        False,
        Place("a.log", 9),
        process,
    )


def test_a_state_that_only_a_line_named_has_a_bar() -> None:
    """A partition of which no step was told is on the picture all the same: who looks for it must not think that it is not there."""
    rows = timeline_rows(
        LIFE,
        now=[
            told((("number", 3),), "TWO", NOON + 1_000),
            told((("number", 1),), "TWO", NOON + 4_000),
        ],
        until=NOON + 9_000,
    )
    assert [row.name for row in rows.rows] == ["1", "2", "3"]
    assert [(bar.state, bar.first - NOON, bar.last - NOON) for bar in rows.rows[2].bars] == [
        ("TWO", 1_000, 9_000)
    ]
    assert rows.rows[0].bars[-1].last == NOON + 9_000


def test_a_state_that_a_line_named_after_the_last_step_goes_on_in_its_row() -> None:
    """The bar of the last step ends there."""
    rows = timeline_rows(LIFE, now=[told((("number", 2),), "ONE", NOON + 2_000)])
    assert [(bar.state, bar.first - NOON, bar.last - NOON) for bar in rows.rows[1].bars] == [
        ("ZERO", 500, 2_000),
        ("ONE", 2_000, 4_000),
    ]


def test_a_later_generation_ends_the_one_before() -> None:
    """Two managers in turn tell of one counter: at no moment are there two truths."""
    one = [
        evolve(each, instance=(("epoch", epoch), *each.instance))
        for epoch, each in ((1, LIFE[0]), (2, LIFE[2]))
    ]
    third = [told((("number", 1),), "ZERO", NOON + 6_000, "b.log")]
    found = evolve(
        finding(1, Verdict.HOLDS, NOON + 6_500),
        instance=(("epoch", 3), ("number", 1)),
        process="b.log",
    )
    rows = timeline_rows(one, [found], third, NOON + 9_000)
    bars = [(bar.state, bar.first - NOON, bar.last - NOON) for row in rows.rows for bar in row.bars]
    assert bars == [("ONE", 0, 4_000), ("TWO", 4_000, 6_000), ("ZERO", 6_000, 9_000)]
    assert [row.name for row in rows.rows] == ["1 1 · a.log", "2 1 · a.log", "1 · b.log"]
    assert [len(row.flags) for row in rows.rows] == [0, 0, 1]


@given(
    st.lists(STEPS, max_size=15),
    st.lists(
        st.builds(
            told,
            st.integers(1, 6).map(lambda n: (("number", n),)),
            st.sampled_from(["ZERO", "TWO"]),
            st.none() | st.integers(0, 10**12),
        ),
        max_size=5,
    ),
)
def test_every_last_state_is_the_last_bar_of_one_row(
    steps: list[TimelineStep], now: list[CurrentState]
) -> None:
    """Whatever the steps before say; and rows that come as a stream are the same."""
    now = list({row.subject: row for row in now}.values())
    ordered = sorted(steps, key=lambda each: str(each.instance))
    rows = timeline_rows(ordered, now=now)
    frame = time_frame(ordered, now=now)
    assert tuple(drawn.row for drawn in stream_rows(ordered, frame, now=now)) == rows.rows
    for state in now:
        mine = [row for row in rows.rows if row.instance[1] == state.subject]
        assert len(mine) == 1
        since = state.since.ms if state.since else None
        assert (
            since is None
            or mine[0].bars[-1].state == state.state[0]
            or since < max(bar.last for bar in mine[0].bars)
        )


ORDER = Path(__file__).parents[3] / "examples" / "orders" / "Order.yaml"


def order_log(number: int, second: int) -> str:
    """An order that a line places, and that is paid three seconds later."""
    lines = ((second, f"order {number} was placed"), (second + 3, f"order {number}: NEW -> PAID"))
    return "".join(
        f"2026-11-21 12:{at // 60:02}:{at % 60:02}.000 INFO  [main] shop.Orders - {text}\n"
        for at, text in lines
    )


@pytest.mark.parametrize("orders", [1, 900])
def test_a_bar_begins_where_a_line_tells_the_beginning(orders: int, tmp_path: Path) -> None:
    """A page drew what an order was first from the left edge, as not known, though the line that
    placed it has its time: also of logs so dense that they are judged as columns.
    """
    log = tmp_path / "shop.log"
    log.write_text("".join(order_log(number, 3 * number) for number in range(orders)), "utf-8")
    report = sm.check(log, specs=[str(ORDER)])
    steps = list(report.timeline)
    assert len(steps) == orders
    assert {(one.at.ms or 0) - (one.source_since.ms or 0) for one in steps
            if one.at and one.source_since} == {3000}  # fmt: skip
    drawn = timeline_rows(steps, now=report.now)
    bars = [(bar.state, bar.known, bar.last - bar.first) for row in drawn.rows for bar in row.bars]
    assert [bar for bar in bars if bar[0] == "NEW"] == [("NEW", True, 3000)] * orders


def test_what_a_line_names_again_is_known_since_it_was_named_first(tmp_path: Path) -> None:
    """A second life begins where its line says so, not where its first step stands; of the life
    before the bar ends there.
    """
    log = tmp_path / "shop.log"
    log.write_text(order_log(7, 0) + order_log(7, 40), "utf-8")
    report = sm.check(log, specs=[str(ORDER)])
    (row,) = timeline_rows(report.timeline, now=report.now, until=None).rows
    start = row.bars[0].first
    spans = [(bar.state, (bar.first - start) / 1000, (bar.last - start) / 1000) for bar in row.bars]
    assert spans == [("NEW", 0, 3), ("PAID", 3, 40), ("NEW", 40, 43), ("PAID", 43, 43)]
