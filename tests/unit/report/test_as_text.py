"""The text report: the answer first, one screen, nothing left out in silence.

Covers: statemachines.report.sections.unjudged_counts,
statemachines.report.sections.display_names, statemachines.report.sections.orderly_ends,
statemachines.report.sections.plain_texts, statemachines.report.sections.verdict_summary,
statemachines.report.text.current_state, statemachines.report.text.findings,
statemachines.report.text.text_columns, statemachines.report.text.unjudged,
statemachines.report.sections.incident_story, statemachines.report.sections.alike_findings,
statemachines.report.text.incident_lines, statemachines.report.text.screen_fit.
"""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from statemachines.model.definitions.subject_phrases import SubjectPhrase
from statemachines.model.evidence.incidents import IncidentEffect
from statemachines.model.evidence.reports import (
    CheckCounts,
    CurrentState,
    Episode,
    EpisodeOutcome,
    Finding,
    Instant,
    Place,
    Quote,
    Repetition,
    Report,
    SourceSummary,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.html.document import to_html
from statemachines.report.markdown_format import to_markdown
from statemachines.report.sections.display_names import report_clock
from statemachines.report.sections.frequent_repeats import RepeatSentences
from statemachines.report.sections.orderly_ends import ended_processes, open_episodes
from statemachines.report.sections.plain_texts import cut_line
from statemachines.report.sections.verdict_summary import health_text
from statemachines.report.text.document import to_text
from statemachines.report.text.screen_fit import SCREEN_LINES
from statemachines.report.text.text_columns import Cell, CellShortening, OutputStyle, aligned_blocks
from tests.unit.report.handmade import EMPTY, FULL, at, finding, with_incidents

RECORDED = """\
ILL   order 7 is not paid since 12:00:00, for 1 min
VIOLATED   2 processes, 1 file, 120 lines, 3 steps, 2.0 (banner), 2.1..2.3 (banner 2.x)   1 forbidden
  2026-11-21 12:00:00 to 12:01:00 (the log has no time zone)

Now (12:01:00, the end of the log)
  ✗ order 7 is not paid   since 12:00:00, for 1 min
      failed   shop.log:3

Healed
  ✓ order 8 is not paid   for 14 s (12:00:00 to 12:00:14)

Forbidden
  ✗ Order north-7   NEW -> SHIPPED   12:00:57   shop.log:57
      forbidden: no transition leads from NEW to SHIPPED in 2.0
      was NEW (shop.log:40)
      legal from there: PAID, CANCELLED
      legal in from 2.1
      12:00:57 INFO order 7 went from NEW to SHIPPED
      shop/Order.yaml:31

"""
IN_FULL = """\
Tried and failed
  5 × Order north-7   NEW -> SHIPPED failed   at 12:01:00   shop.log:60

Not judged
  1 step is hidden: at these levels no line tells of such a step (shown: shop.orders INFO)
  1 line holds a word or a logger of the catalogue but matches none of its lines (--unread lists them)
  shop.log: a cut line
  2 × no instance   first shop.log:77
      an order went away
"""


def text(report: Report, **look: object) -> str:
    """The report as somebody sees it."""
    return "".join(line + "\n" for line in to_text(report, OutputStyle(**look)))


def test_a_report_in_full() -> None:
    """Recorded, and read before it was recorded."""
    assert text(FULL) == text(FULL, limit=11) == RECORDED + IN_FULL


def test_what_stands_below_the_answer_gives_way_to_a_screen() -> None:
    """Who is woken reads the first screen: what does not fit it has a line, and nothing is lost."""
    forbidden, failed = FULL.findings
    findings = forbidden, evolve(forbidden, target="LOST"), failed, failed
    one = evolve(FULL, incidents=FULL.incidents[:1], findings=findings)
    assert "Besides" in text(one)
    assert (
        "\n  Tried and failed   10 × Order north-7 and 1 more   NEW -> SHIPPED failed   at 12:01:00"
        in text(one)
    )
    assert "  1 hidden step, 1 unread line" in text(one)
    assert "Besides" not in text(one, limit=11)
    single = evolve(FULL, incidents=FULL.incidents[:1])
    assert len(text(single).splitlines()) <= SCREEN_LINES
    short = evolve(FULL, findings=(), unjudged=())
    assert "shop.log: a cut line" in text(short)
    assert "Not read\n  a gone file" in text(evolve(one, errors=("a gone file",)))


def test_of_many_loggers_the_levels_are_counted() -> None:
    """Ten lines of names tell nobody more than what to set does."""
    (source, *_) = FULL.sources
    many = evolve(
        source, level={f"shop.part{number}": "INFO" for number in range(9)} | {"a": "WARN"}
    )
    told = " ".join(text(evolve(FULL, sources=(many,))).split())
    assert "(shown: INFO of 9 loggers, WARN of 1 logger; `sources` of --format json has" in told
    assert "shop.part3" not in told


def shelf(number: int, state: str = "FILLED") -> CurrentState:
    """A shelf of a large shop."""
    return CurrentState(
        "shop/Shelf",
        (("aisle", "tea"), ("shelf", number)),
        (state,),
        at(1),
        False,
        Place("shop.log", number + 1),
    )


def empty(number: int, *, until: Instant | None = None) -> Episode:
    """A shelf that is or was empty."""
    blame = Quote(Place("shop.log", number + 1), f"nobody fills shelf {number}")
    return Episode(
        "empty",
        "shop/Shelf",
        shelf(number).subject,
        f"tea-{number} is empty",
        at(number),
        until,
        until is None,
        blame,
    )


def test_ten_thousand_healthy_subjects_fit_one_screen() -> None:
    """A healthy cluster of any size: nothing to scroll."""
    large = evolve(
        EMPTY,
        now=tuple(map(shelf, range(10_000))),
        checked=CheckCounts(files=3, lines=10**6, steps=10_000),
    )
    told = text(large).splitlines()
    assert len(told) < 10
    assert "10,000 FILLED" in text(large)


def test_ten_thousand_ill_subjects_are_counted_and_cut() -> None:
    """The first line says how many; the list stays short and says what it leaves out."""
    shelves = (evolve(empty(3 * number), since=at(3 * number)) for number in range(10_000))
    wrong = with_incidents(evolve(EMPTY, episodes=tuple(shelves)))
    told = text(wrong)
    assert "tea-0 is empty and 9,999 more like it" in told.splitlines()[0]
    assert "… and 9,990 more (--all lists them)" in told
    assert len(told.splitlines()) < 30
    assert len(text(wrong, limit=10**9).splitlines()) > 10_000


def test_what_began_together_is_told_together() -> None:
    """Forty shelves that one blackout emptied are one thing to know."""
    shelves = (evolve(empty(number), since=at(7)) for number in range(40))
    told = text(with_incidents(evolve(EMPTY, episodes=tuple(shelves)))).splitlines()
    assert sum("is empty   since" in line for line in told) == 1
    assert any("likewise tea-1, tea-2, tea-3, tea-4, tea-5, 34 more" in line for line in told)


def test_two_that_are_alike_have_a_line_each() -> None:
    """Whoever looks for one of them finds its name beside its time."""
    shelves = tuple(evolve(empty(number), since=at(7)) for number in range(2))
    told = text(with_incidents(evolve(EMPTY, episodes=shelves))).splitlines()
    assert sum("is empty   since" in line for line in told) == 2
    assert not any(line.strip().startswith("likewise") for line in told)


def test_what_has_just_begun_is_not_told_as_healed() -> None:
    """What lasts no longer than is normal is no alarm yet, and it is not over either."""
    healed = evolve(empty(1), until=at(9), outcome=EpisodeOutcome.HEALED)
    report = with_incidents(evolve(EMPTY, episodes=(empty(0), healed)))
    young = tuple(evolve(one, is_long=False) if one.is_open else one for one in report.incidents)
    assert len([one for one in young if one.is_open]) == 1
    first = text(evolve(report, incidents=young))
    assert first.startswith("HEALED   nothing is wrong now; tea-1")
    assert "tea-0" not in first.splitlines()[0]


def test_what_did_not_follow_from_the_worst_is_not_told_as_its_effect() -> None:
    """Behind the arrow stands what an incident did to others; other incidents stand beside it."""
    other = evolve(empty(1), kind="bare", title="the north is bare")
    report = with_incidents(evolve(EMPTY, episodes=(empty(0), other)))
    subject = (("till", 3),)
    effect = IncidentEffect("shut", "shop/Till", "till 3 is shut", "", 1, 1, subject, at(0), None)
    worst = evolve(report.incidents[0], effects=(effect,))
    first = text(evolve(report, incidents=(worst, *report.incidents[1:]))).splitlines()[0]
    assert first.endswith("→ till 3 is shut; also the north is bare")
    both = evolve(worst, effects=(evolve(effect, count=4, open_count=3),))
    first = text(evolve(report, incidents=(both,))).splitlines()[0]
    assert first.endswith("→ till 3 is shut, and 2 more like it")
    assert text(report).splitlines()[0].endswith("; also the north is bare")


@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_first_sentence_is_whole_and_keeps_to_the_width(width: int) -> None:
    """It is the answer: nothing of it is lost, and no terminal breaks it in the middle of a word."""
    kinds = [
        evolve(empty(one), kind=f"bare-{one}", title=f"the north {one} is bare")
        for one in (0, 1, 2)
    ]
    report = with_incidents(evolve(EMPTY, episodes=tuple(kinds)))
    whole = text(report, width=10**6).splitlines()[0]
    lines = text(report, width=width).partition("\nHOLDS")[0].splitlines()
    assert " ".join(line.strip() for line in lines) == whole
    assert all(len(line) <= width for line in lines)


def test_a_broken_rule_stands_in_the_first_line_where_nothing_goes_on() -> None:
    """Well above VIOLATED would contradict it; the system is not called ill either."""
    seen = CheckCounts(steps=1)
    broken = evolve(EMPTY, checked=seen, verdict=Verdict.VIOLATED, findings=(finding(),))
    first = text(broken).splitlines()[0]
    assert first == (
        "WELL   no trouble is told, but a rule was broken (forbidden): Order north-7, NEW -> SHIPPED"
        " at 12:00:57"
    )
    twice = evolve(broken, findings=(finding(count=2), finding(line=80)))
    assert "but rules were broken 3 times, first (forbidden): Order north-7" in text(twice)
    unknown = text(evolve(broken, checked=CheckCounts())).splitlines()[0]
    assert unknown.startswith("UNKNOWN   too little is told to say how the system is, but a rule")


def test_a_rule_that_was_broken_beside_what_healed_stands_in_the_first_line() -> None:
    """What is over is told, and nothing is called right that was not."""
    healed = evolve(empty(1), until=at(9), outcome=EpisodeOutcome.HEALED)
    report = with_incidents(evolve(EMPTY, episodes=(healed,)))
    broken = evolve(report, verdict=Verdict.VIOLATED, findings=(finding(),))
    first = text(broken).splitlines()[0]
    assert first.startswith(
        "HEALED   no trouble goes on, but a rule was broken (forbidden): Order north-7"
    )
    assert "tea-1" in first


@pytest.mark.parametrize("steps", [0, 1])
@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("outcome", [None, *EpisodeOutcome])
def test_nothing_is_called_wrong_only_where_no_rule_was_broken(
    steps: int, verdict: Verdict, outcome: EpisodeOutcome | None
) -> None:
    """A law of the first line, in every form for people, whatever happened beside."""
    episodes = () if outcome is None else (evolve(empty(1), outcome=outcome, open=False),)
    found = () if verdict is Verdict.HOLDS else (finding(verdict=verdict),)
    report = with_incidents(evolve(EMPTY, episodes=episodes))
    checked = CheckCounts(steps=steps)
    report = evolve(report, checked=checked, verdict=verdict, findings=found)
    clock = report_clock(report)
    if verdict is Verdict.VIOLATED:
        assert "nothing is wrong" not in health_text(report, clock)
    else:
        assert "broken" not in health_text(report, clock)


def test_a_number_alone_is_named_as_its_title_names_it() -> None:
    """The key of a spec may be another word than what people call it."""
    wrong = tuple(
        evolve(
            empty(number), since=at(7), subject=(("row", number),), title=f"shelf {number} is bare"
        )
        for number in (1, 2, 3)
    )
    told = text(with_incidents(evolve(EMPTY, episodes=wrong)))
    assert "likewise shelf 2, shelf 3" in told
    assert "row 2" not in told


def test_what_was_refused_is_told_with_its_time() -> None:
    """Whoever reads it looks for what else happened then."""
    refused = finding("refused", Verdict.HOLDS, line=41)
    (row,) = [
        line for line in text(evolve(EMPTY, findings=(refused,))).splitlines() if ":41" in line
    ]
    assert "at 12:00:41" in row


def test_each_of_few_shows_its_line_or_its_reason() -> None:
    """The sixth thread to die must not hide the exception that killed the first."""
    wrong = tuple(
        evolve(empty(number), since=at(5 * number), reason="no van came" if number == 4 else "")
        for number in range(1, 9)
    )
    told = text(with_incidents(evolve(EMPTY, episodes=wrong)))
    shown = [number for number in range(1, 9) if f"nobody fills shelf {number}" in told]
    assert shown == [1, 2, 3, 5, 6, 7, 8]
    assert told.count("no van came") == 1


def test_the_few_that_differ_from_the_many_are_named() -> None:
    """One shelf that waits among thousands is what the person looks for."""
    told = text(evolve(EMPTY, now=(*map(shelf, range(1000)), shelf(1000, "WAITING"))))
    assert "1,000 FILLED, 1 WAITING" in told
    assert "tea-1000" in told


@pytest.mark.parametrize(
    ("line", "width", "shown"),
    [
        ("WARN [Consumer clientId=till-17, groupId=shop] poll time-out", 25, "WARN […] poll time-out"),
        ("WARN [Consumer clientId=till-17, groupId=shop] poll time-out", 18, "WARN […] poll tim…"),
        ("WARN [till 1] poll time-out", 80, "WARN [till 1] poll time-out"),
        ("shop.tills.errors.NoPaper: till 17 has none", 30, "NoPaper: till 17 has none"),
        ("shop.tills.errors.NoPaper: till 17 has none", 80, "shop.tills.errors.NoPaper: till 17 has none"),
        ("no name is in here at all", 10, "no name i…"),
    ],
)  # fmt: skip
def test_a_line_is_cut_where_it_says_least(line: str, width: int, shown: str) -> None:
    """Who wrote it stands in the title, and in each line of the same program."""
    assert cut_line(line, width) == shown


def test_what_is_over_names_its_page_too() -> None:
    """Who reads in the morning asks what it was; a page that stands above is not named again."""
    page = "statemachines explain unpaid"
    rows = tuple(evolve(one, next=page) for one in FULL.incidents)
    healed = rows[1]
    assert page in text(evolve(FULL, incidents=(healed,)))
    assert text(evolve(FULL, incidents=rows)).count(page) == 1


def test_what_was_tried_keeps_to_the_width_and_its_subject() -> None:
    """A long reason goes on below what failed."""
    failed = finding("failed", Verdict.HOLDS, line=41)
    failed = evolve(failed, outcome=f"failed: {'no such shelf ' * 20}")
    told = text(evolve(EMPTY, findings=(failed,)), width=90)
    name, *below = told[told.index("  1 × Order") :].split("\n\n")[0].splitlines()
    assert name == "  1 × Order north-7"
    assert all(line.startswith("      ") and len(line) <= 90 for line in below)
    assert " ".join(map(str.strip, below)).count("no such shelf") == 20


def test_what_is_not_judged_is_said_whole() -> None:
    """The end of such a sentence says what would decide it."""
    told = text(FULL, width=60, limit=11)
    assert "(--unread lists them)" in " ".join(told.split())
    assert all(len(line) <= 60 for line in told.split("Not judged")[1].splitlines())


def test_what_happened_again_and_again_is_named_by_all_that_it_was() -> None:
    """Three times closed and once stuck is not four times stuck."""
    was = ["till 3 was CLOSED"] * 3 + ["till 3 was STUCK"]
    shut = tuple(
        evolve(empty(3), since=at(5 * n), until=at(5 * n + 1), was=each)
        for n, each in enumerate(was)
    )
    place = Place("shop.log", 1)
    row = Repetition(
        "empty", "shop/Shelf", shut[0].subject, "", 4, at(0), at(15), 1000, 4000, (), False,
        place, place,
    )  # fmt: skip
    sentences = RepeatSentences(evolve(EMPTY, episodes=shut))
    assert sentences.sentence(row) == "till 3 was CLOSED or STUCK"


def test_a_list_that_is_cut_says_so() -> None:
    """Nothing is dropped in silence."""
    findings = (evolve(finding(line=line), target=f"AT_{line}") for line in range(1, 31))
    many = evolve(EMPTY, verdict=Verdict.VIOLATED, findings=tuple(findings))
    assert "✗ … and 20 more (--all lists them)" in text(many)
    assert text(many, width=200).splitlines()[1].endswith("30 forbidden")


@pytest.mark.parametrize("kind", ["refused", "raised", "ignored", "failed", "unusual"])
def test_what_the_program_did_well_is_counted(kind: str) -> None:
    """A refused request is no alarm: one line, with the first place."""
    told = text(
        evolve(
            EMPTY,
            findings=(finding(kind, Verdict.HOLDS, 5, 173_000), finding(kind, Verdict.HOLDS, 9)),
        )
    )
    assert "173,001 × Order" in told
    assert "shop.log:5" in told


def test_an_inconclusive_report_says_what_is_missing() -> None:
    """Cannot tell is an answer only with what would decide it."""
    gap = evolve(
        finding("gap", Verdict.INCONCLUSIVE), missing=("NEW -> PAID",), message="a line is missing"
    )
    told = text(evolve(EMPTY, verdict=Verdict.INCONCLUSIVE, findings=(gap,)))
    assert told.splitlines()[1].startswith("INCONCLUSIVE")
    assert "missing: NEW -> PAID" in told


def test_what_cannot_be_told_stands_in_the_first_line_where_nothing_is_wrong() -> None:
    """It is the one thing to look at, and no reason to call the system ill."""
    gap = finding("gap", Verdict.INCONCLUSIVE, count=2)
    report = evolve(EMPTY, checked=CheckCounts(steps=1), findings=(gap,))
    assert text(report).splitlines()[0] == (
        "WELL   nothing is wrong, but cannot be told (gap): Order north-7, NEW -> SHIPPED"
        " at 12:00:57, and 1 more"
    )


@pytest.mark.parametrize("kind", ["refused", "raised", "ignored"])
def test_a_request_that_failed_stands_in_the_first_line_where_nothing_is_wrong(kind: str) -> None:
    """The program behaved, and who asked has an error to look at; to be ignored is no news."""
    refused = finding(kind, Verdict.HOLDS)
    several = evolve(EMPTY, checked=CheckCounts(steps=1), findings=(refused, refused))
    alone = evolve(several, findings=(refused,))
    quiet, seen = "WELL   nothing is wrong", "Order north-7, NEW -> SHIPPED at 12:00:57"
    is_news = kind != "ignored"
    first_lines = [text(report).splitlines()[0] for report in (alone, several)]
    assert first_lines == [
        f"{quiet}; a request was refused: {seen}" if is_news else quiet,
        f"{quiet}; 2 refused requests, first: {seen}" if is_news else quiet,
    ]


def test_nothing_seen_is_said_in_the_first_lines() -> None:
    """A check of the wrong folder must not look like a healthy system."""
    told = text(evolve(EMPTY, verdict=Verdict.INCONCLUSIVE)).splitlines()
    assert told[0].startswith("UNKNOWN")
    assert "nothing of the catalogue was seen" in told[1]


def closing(state: str, *, ill: bool) -> Report:
    """A shop whose tills all closed; the shop itself is closed too, or broken."""
    source = SourceSummary("shop.log", "simple", {}, "unknown", ("shop.log",), 9, 0, at(0), at(9))
    tills = tuple(
        CurrentState(
            "shop/Till",
            (("till", n),),
            ("CLOSED",),
            at(8),
            True,
            Place("shop.log", 7 + n),
            "shop.log",
        )
        for n in (1, 2)
    )
    shop = CurrentState(
        "shop/Shop",
        (("shop", "north"),),
        (state,),
        at(9),
        True,
        Place("shop.log", 9),
        "shop.log",
        True,
    )
    open_tills = tuple(
        Episode(
            "till_closed",
            t.machine,
            t.subject,
            "a till is closed",
            t.since,
            None,
            True,
            None,
            "shop.log",
            orderly=not ill,
        )
        for t in tills
    )
    trouble = Episode(
        "shut",
        "shop/Shop",
        shop.subject,
        "north is shut",
        at(1),
        None if ill else at(2),
        ill,
        None,
        "shop.log",
    )
    report = evolve(EMPTY, sources=(source,), now=(*tills, shop), episodes=(*open_tills, trouble))
    return with_incidents(report)


def test_an_orderly_end_is_not_what_is_wrong_now() -> None:
    """Every program that is closed ends its threads; at three in the morning that is no news."""
    report = closing("CLOSED", ill=False)
    assert open_episodes(report) == ()
    assert [row.process for row in ended_processes(report)] == ["shop.log"]
    assert "a till is closed (and 1 more) by then" in text(report)
    assert text(report).startswith("HEALED")


def test_an_end_in_error_is_wrong_now() -> None:
    """Everything died and nobody noticed: that is exactly the alarm."""
    report = closing("BROKEN", ill=True)
    assert ended_processes(report) == ()
    first = text(report).splitlines()[0]
    assert first.startswith("ILL")
    assert "north is shut" in first
    assert "a till is closed" in first
    assert "till 2" in first


def test_what_holds_a_whole_back_is_named_beside_it() -> None:
    """A shop is not open although two of its three tills are: the third is the answer."""
    report = closing("OPENING", ill=True)
    states = (("till 1", "OPEN"), ("till 2", "OPEN"), ("till 3", "WARMING UP"))
    tills = tuple(
        CurrentState(
            "shop/Till", (("till", name),), (state,), at(5), False, Place("shop.log", 5), "shop.log"
        )
        for name, state in states
    )
    shop = evolve(report.now[-1], final=False)
    report = evolve(report, now=(*tills, shop), episodes=report.episodes[-1:])
    told = text(with_incidents(report)).splitlines()
    episode = next(
        place for place, line in enumerate(told) if "north is shut" in line and "✗" in line
    )
    assert told[episode + 1] == "      Till: 2 OPEN, 1 WARMING UP"
    assert "till 3" in told[episode + 2]
    phrase = SubjectPhrase("drawer {till}", ("till",))
    named = evolve(report, called={**report.called, "shop/Till": (phrase,)})
    counted = "drawer till 1 and 2 more: 2 OPEN, 1 WARMING UP"
    assert f"      {counted}" in text(with_incidents(named)).splitlines()
    assert f"<p>{counted}</p>" in "".join(to_html(with_incidents(named)))


@pytest.mark.parametrize("width", [40, 60, 80])
def test_what_is_cut_is_the_name_and_never_the_state(width: int) -> None:
    """Who opens a shop asks what its parts do; a part stands before the parts of it."""
    report = closing("OPENING", ill=True)
    parts = tuple(
        CurrentState(f"shop/{machine}", (("till", name),), (state,), at(5), False, None, "shop.log")
        for machine, name, state in (
            ("DrawerOfATillThatHasANameOfFortyLetters", "till 1 left drawer", "FILLED_BY_SOMEBODY"),
            ("Till", "till 1", "WARM"),
        )
    )
    report = evolve(report, now=(*parts, evolve(report.now[-1], final=False)))
    told = text(with_incidents(evolve(report, episodes=report.episodes[-1:])), width=width)
    place = told.index("✗")
    assert place < told.index("WARM", place) < told.index("FILLED_BY_SOMEBODY", place)


TEXTS = st.text(max_size=30)


@given(st.lists(st.builds(finding), max_size=3), TEXTS, st.integers(20, 200))
def test_no_control_character_of_a_log_reaches_the_terminal(
    findings: list[Finding], hostile: str, width: int
) -> None:
    """A log line may hold escapes that repaint a screen; whatever it holds, a report is harmless lines."""
    rows = tuple(
        evolve(row, text=hostile, message=hostile, process=hostile, source=hostile)
        for row in findings
    )
    for line in to_text(evolve(FULL, findings=rows, errors=(hostile,)), OutputStyle(width=width)):
        assert line.replace(" ", "").isprintable() or not line


CELLS = st.lists(
    st.lists(
        st.builds(Cell, TEXTS, st.just("plain"), st.sampled_from(CellShortening)),
        min_size=1,
        max_size=4,
    ),
    min_size=1,
    max_size=5,
)


@given(CELLS, st.integers(10, 120))
def test_what_must_not_give_way_is_whole_at_any_width(rows: list[list[Cell]], width: int) -> None:
    """A place is a link; half of one is none."""
    told = aligned_blocks(rows, OutputStyle(width=width))
    assert len(told) == len(rows)
    whole = CellShortening.NEVER, CellShortening.OWN_LINES
    for row, lines in zip(rows, told, strict=True):
        shown = "".join("".join(lines).split())
        assert all("".join(cell.text.split()) in shown for cell in row if cell.shortening in whole)


def test_unread_lines_are_listed_where_they_were_asked_for() -> None:
    """A new wording of a program shows here first."""
    told = text(evolve(EMPTY, unread=(Quote(Place("shop.log", 9), "order 7 did something new"),)))
    assert "  shop.log:9\n      order 7 did something new\n" in told


def test_an_interrupted_check_says_so_first() -> None:
    """What is known so far is worth reading, as long as nobody takes it for all."""
    assert "interrupted; so far" in text(evolve(EMPTY, interrupted=True)).splitlines()[1]


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("outcome", [None, *EpisodeOutcome])
def test_nothing_is_called_well_whose_end_was_not_read(
    outcome: EpisodeOutcome | None, *, broken: bool
) -> None:
    """What the lines that were not read say is what is true now."""
    episodes = () if outcome is None else (evolve(empty(1), outcome=outcome, open=False),)
    report = with_incidents(evolve(EMPTY, episodes=episodes, interrupted=True))
    report = evolve(report, checked=CheckCounts(steps=1), findings=(finding(),) * broken)
    first = text(report).splitlines()[0]
    assert first.startswith(("UNKNOWN", "ILL"))
    if outcome not in (EpisodeOutcome.OPEN, EpisodeOutcome.MAY_BE_OVER):
        assert first.startswith("UNKNOWN   reading was interrupted before the end of the log")
        assert ("but a rule was broken" in first) == (
            broken and finding().verdict is Verdict.VIOLATED
        )


def test_an_empty_log_is_called_empty() -> None:
    """Nobody looks for a missing spec where there is no line."""
    nothing = evolve(EMPTY, verdict=Verdict.INCONCLUSIVE, checked=CheckCounts(files=1))
    assert "the log is empty: there is no line in it" in text(nothing).splitlines()[1]


def test_what_could_not_be_read_is_not_called_empty() -> None:
    """An archive has lines, and so has a log whose check was interrupted before the first."""
    nothing = evolve(EMPTY, verdict=Verdict.INCONCLUSIVE, checked=CheckCounts(files=1))
    for unread in (evolve(nothing, interrupted=True), evolve(nothing, errors=("a.zip: it is",))):
        first = text(unread).splitlines()[1]
        assert "no line was read" in first
        assert "empty" not in first


@pytest.mark.parametrize("number", [2, 9, 500])
def test_equal_faults_are_one_in_full_and_the_places_of_the_others(number: int) -> None:
    """Nine gaps of one kind were sixty-three lines, each of which said three things twice."""
    gap = evolve(
        finding("gap", Verdict.INCONCLUSIVE),
        message="was NEW (shop.log:40); the log should show PAID -> SENT",
        missing=("PAID -> SENT",),
        legal=(),
    )
    gaps = [
        evolve(gap, instance=(("order", n),), place=Place("shop.log", n)) for n in range(number)
    ]
    report = evolve(EMPTY, findings=tuple(gaps))
    told = text(report, width=100).split("Cannot be told\n")[1]
    assert len(told.splitlines()) <= 9
    assert f"and {number - 1} more like it: Order 1 (shop.log:1)" in told
    assert ("9 more like it" in told) or all(f"shop.log:{n})" in told for n in range(1, number))
    assert told.count("was NEW") == told.count("PAID -> SENT") == 1
    everything = text(report, limit=10**6)
    assert everything.count("gap: was NEW") == number
    markdown = "".join(to_markdown(report))
    assert markdown.count("gap: was NEW") == 1
    assert f"and {number - 1} more like it" in markdown
