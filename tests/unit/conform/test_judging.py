"""How an instance came to be where a line tells it: the table of judging, a row at a time.

Covers: statemachines.conform.judge.tables.judging_tables.
"""

from __future__ import annotations

from statemachines.model.evidence.verdicts import Verdict
from tests.doors import DOOR, VERSION, House, kinds, line, moves, only, told


def test_a_legal_life_holds_and_every_step_is_in_the_timeline(house: House) -> None:
    """The plain case must say nothing but what happened."""
    report = house.judge(
        VERSION, "Door d goes from CLOSED to OPEN", "Door d goes from OPEN to CLOSED"
    )
    assert report.verdict is Verdict.HOLDS
    assert moves(report) == [("CLOSED", "OPEN", "told"), ("OPEN", "CLOSED", "told")]
    assert [step.place.line for step in told(report) if step.place] == [2, 3]
    assert report.releases[0].releases == "1.1"
    assert report.releases[0].how == "banner"


def test_a_step_that_no_fitting_release_has_is_forbidden(house: House) -> None:
    """The evidence says what was legal here and where it would be legal."""
    report = house.judge(
        VERSION,
        "DEBUG Door d bolt moves it from CLOSED to LOCKED",
        "Door d goes from LOCKED to GONE",
    )
    finding = only(report)
    assert (finding.kind, finding.verdict) == ("forbidden", Verdict.VIOLATED)
    assert finding.legal == ("CLOSED",)
    assert finding.legal_in == "2.0"
    assert "legal in 2.0" in finding.message
    assert told(report)[-1].target == "GONE"


def test_where_releases_that_fit_disagree_the_mildest_word_counts(house: House) -> None:
    """Without a banner 2.0 fits as well, and there it is legal."""
    report = house.judge(
        "DEBUG Door d bolt moves it from CLOSED to LOCKED", "Door d goes from LOCKED to GONE"
    )
    assert report.verdict is Verdict.HOLDS
    assert report.releases[0].how == "lines"


def test_lines_narrow_the_releases_and_never_the_steps_do(house: House) -> None:
    """A line that only 2.0 writes makes it 2.0; a step that only 2.0 allows does not."""
    report = house.judge("Door d greased with 3 drops", "Door d goes from CLOSED to OPEN")
    assert report.releases[0].releases == "2.0"
    assert house.judge("Door d goes from CLOSED to OPEN").releases[0].releases == "1.0..2.0"


def test_hidden_steps_explain_what_the_level_does_not_show(house: House) -> None:
    """The bolt writes at DEBUG, and this log is at INFO."""
    report = house.judge(
        VERSION,
        "Door d goes from OPEN to CLOSED",
        "ERROR Door d did not get from LOCKED to CLOSED",
        "Door d goes from CLOSED to OPEN",
    )
    assert moves(report) == [
        ("OPEN", "CLOSED", "told"),
        ("CLOSED", "LOCKED", "hidden"),
        ("LOCKED", "CLOSED", "missing"),
        ("CLOSED", "OPEN", "told"),
    ]
    assert kinds(report) == [("gap", "INCONCLUSIVE", 4), ("failed", "HOLDS", 3)]


def test_silent_steps_pass_without_a_line(house: House) -> None:
    """A jammed door may come free by itself."""
    report = house.judge(
        VERSION, "Door d goes from OPEN to JAMMED", "Door d goes from OPEN to CLOSED"
    )
    assert report.verdict is Verdict.HOLDS
    assert moves(report)[1] == ("JAMMED", "OPEN", "silent")


def test_what_the_file_would_have_shown_is_a_gap_with_the_shortest_missing_steps(
    house: House,
) -> None:
    """A lost line is no violation, and the report says which one is lost."""
    report = house.judge(
        VERSION, "Door d goes from CLOSED to OPEN", "Door d goes from CLOSED to OPEN"
    )
    finding = only(report)
    assert (finding.kind, finding.verdict, finding.missing) == (
        "gap",
        Verdict.INCONCLUSIVE,
        ("OPEN -> CLOSED",),
    )
    assert finding.was is not None
    assert finding.was.place is not None
    assert finding.was.place.line == 2
    assert ("OPEN", "CLOSED", "missing") in moves(report)


def test_a_debug_line_in_the_file_makes_the_bolt_a_gap(house: House) -> None:
    """What the file shows at all, it shows always."""
    report = house.judge(
        VERSION,
        "DEBUG Door x bolt moves it from CLOSED to LOCKED",
        "Door d goes from OPEN to CLOSED",
        "ERROR Door d did not get from LOCKED to CLOSED",
    )
    assert ("gap", "INCONCLUSIVE", 4) in kinds(report)


def test_the_user_may_say_what_a_logger_shows(house: House) -> None:
    """`--level` decides where the log itself does not tell."""
    messages = (
        VERSION,
        "Door d goes from OPEN to CLOSED",
        "ERROR Door d did not get from LOCKED to CLOSED",
    )
    assert house.judge(*messages).verdict is Verdict.HOLDS
    assert ("gap", "INCONCLUSIVE", 3) in kinds(house.judge(*messages, levels=[("house", "DEBUG")]))


NEVER_OVER = DOOR.replace("GONE: {final: true}", "GONE:")
"""Doors whose last state is no end."""


def test_nothing_leads_there_is_impossible(house: House) -> None:
    """From where nothing leads on, and where no life ends, a door is never jammed again."""
    house.spec.write_text(NEVER_OVER, "utf-8")
    report = house.judge(
        VERSION, "Door d goes from OPEN to GONE", "ERROR Door d did not get from JAMMED to OPEN"
    )
    assert kinds(report)[0] == ("impossible", "VIOLATED", 3)
    assert "GONE" in report.findings[0].message


def test_a_forced_step_is_forbidden_and_done(house: House) -> None:
    """The oldest release does it all the same; the state is the forced one."""
    report = house.judge(
        "House software version 1.0",
        "Door d goes from OPEN to GONE",
        "WARN Door d made to go from GONE to OPEN",
        "Door d goes from OPEN to CLOSED",
    )
    assert kinds(report) == [("forbidden", "VIOLATED", 3)]
    assert ("GONE", "OPEN", "told") in moves(report)
    assert "done all the same" in report.findings[0].message


def test_an_overwritten_state_shows_in_an_error_line(house: House) -> None:
    """Every told from-state is judged, whatever the line is about."""
    house.spec.write_text(NEVER_OVER, "utf-8")
    report = house.judge(
        VERSION,
        "Door d goes from OPEN to GONE",
        "ERROR Door d threw up at going from JAMMED to LOCKED",
    )
    assert ("impossible", "VIOLATED", 3) in kinds(report)
    assert ("raised", "HOLDS", 3) in kinds(report)


def test_a_step_that_the_code_never_takes_is_unusual(house: House) -> None:
    """It stands in the table, so it is not forbidden."""
    report = house.judge(
        VERSION, "Door d goes from OPEN to JAMMED", "Door d goes from JAMMED to CLOSED"
    )
    assert kinds(report) == [("unusual", "HOLDS", 3)]


def test_what_is_asked_says_nothing(house: House) -> None:
    """A request alone changes nothing; only its from-state is a word about the state."""
    report = house.judge(
        VERSION,
        "Door d goes from CLOSED to OPEN",
        "DEBUG Door d was asked to go from OPEN to LOCKED",
    )
    assert report.findings == ()
    assert report.now[0].state == ("OPEN",)


def test_an_echo_is_the_same_step_before_and_after_its_line(house: House) -> None:
    """A listener's line never counts twice."""
    heard = "Listener heard that door d is OPEN"
    for messages in (
        (heard, "Door d goes from CLOSED to OPEN"),
        ("Door d goes from CLOSED to OPEN", heard),
    ):
        report = house.judge(VERSION, "Door d goes from OPEN to CLOSED", *messages)
        assert moves(report) == [("OPEN", "CLOSED", "told"), ("CLOSED", "OPEN", "told")]
        assert report.findings == ()


def test_an_echo_stands_for_a_line_that_is_hidden(house: House) -> None:
    """Where the program's own logger shows nothing, the listener is all there is."""
    report = house.judge(
        "Listener heard that door d is CLOSED",
        "Listener heard that door d is OPEN",
        "Listener heard that door d is CLOSED",
    )
    assert [(s, t) for s, t, how in moves(report) if how == "told"] == [
        ("CLOSED", "OPEN"),
        ("OPEN", "CLOSED"),
    ]


def test_other_spellings_are_the_same_state(house: House) -> None:
    """`as:` names what a log writes."""
    report = house.judge(VERSION, "DEBUG Door d bolt moves it from CLOSED to Bolted")
    assert moves(report) == [("CLOSED", "LOCKED", "told")]


def test_a_dump_tells_of_many(house: House) -> None:
    """One line, an instance an item."""
    report = house.judge(
        VERSION,
        "Every door -> {a=OPEN, b=CLOSED}",
        "Door a goes from OPEN to CLOSED",
        "Door b goes from OPEN to CLOSED",
    )
    assert kinds(report) == [("gap", "INCONCLUSIVE", 4)]
    assert report.checked.instances == 2


def test_what_a_forbidden_step_does_to_the_next_line_is_not_told_again(house: House) -> None:
    """One wrong line is one finding: the next one follows if the wrong one was not true."""
    report = house.judge(
        VERSION,
        "Door d goes from CLOSED to JAMMED",
        "Door d goes from OPEN to CLOSED",
        "Door d goes from CLOSED to OPEN",
    )
    assert kinds(report) == [("forbidden", "VIOLATED", 2)]


def test_after_a_forbidden_step_a_second_fault_is_still_found(house: House) -> None:
    """Only what the first one explains is passed over."""
    report = house.judge(
        VERSION,
        "Door d goes from LOCKED to JAMMED",
        "Door d goes from CLOSED to OPEN",
        "Door d goes from CLOSED to OPEN",
    )
    assert kinds(report) == [("forbidden", "VIOLATED", 2), ("gap", "INCONCLUSIVE", 4)]


def test_a_line_that_tells_of_an_instance_twice_tells_it_in_its_order(house: House) -> None:
    """Two lines that were written into one, the first one cut: it ended the check."""
    cut = line("Every door -> d=GONE, e=CLO", 1).partition(" (")[0]
    log = house.write("house.log", [cut + line("Every door -> d=CLOSED, e=OPEN", 2)])
    report = house.check(log)
    assert [(row.subject[0][1], row.state) for row in report.now] == [
        ("d", ("CLOSED",)),
        ("e", ("OPEN",)),
    ]
