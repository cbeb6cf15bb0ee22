"""One history that several processes tell: each change counts once, in its order, and what does not agree is said.

Covers: statemachines.conform.judge.change_sequences,
statemachines.conform.judge.instance.instance_judge, statemachines.conform.judge.line_histories,
statemachines.conform.judge.instance.retold_changes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harbour import Harbour, said, steps, titles


@pytest.fixture
def harbour(tmp_path: Path) -> Harbour:
    """Offices that write down all that they book."""
    return Harbour(tmp_path)


@pytest.fixture
def quiet(tmp_path: Path) -> Harbour:
    """Offices that do not: their log has INFO, and the bookings are DEBUG."""
    return Harbour(tmp_path, level="DEBUG")


def test_a_change_that_two_tell_is_one_step(harbour: Harbour) -> None:
    """All of them keep the same book."""
    for office in (1, 2, 3):
        harbour.books(office, 1 + office / 10, 7, 1, 3)
        harbour.books(office, 2 + office / 10, 7, 2, 0)
    assert (steps(report := harbour.check()), said(report)) == (
        ["1 None TAKEN", "2 TAKEN FREE"],
        [],
    )


def test_numbers_order_the_lines_whatever_the_clocks_say(harbour: Harbour) -> None:
    """The second office's clock is ten minutes late."""
    harbour.books(1, 1, 7, 1, 3)
    harbour.books(2, 601, 7, 2, 0)
    harbour.books(1, 5, 7, 3, 4)
    assert (steps(report := harbour.check()), said(report)) == (
        ["1 None TAKEN", "601 TAKEN FREE", "5 FREE TAKEN"],
        [],
    )


def test_what_is_told_again_after_a_restart_is_no_step(harbour: Harbour) -> None:
    """It reads the whole book when it opens, and writes it down with the time of reading."""
    harbour.tells(1, 0, "OFFICE opens its doors")
    harbour.books(1, 1, 7, 1, 3)
    harbour.books(1, 2, 7, 2, 0)
    harbour.books(1, 3, 7, 3, 4)
    harbour.tells(1, 60, "OFFICE opens its doors")
    for entry, ship in ((1, 3), (2, 0), (3, 4)):
        harbour.books(1, 61, 7, entry, ship)
    harbour.books(1, 70, 7, 4, 0)
    report = harbour.check()
    assert (steps(report), said(report)) == (
        ["1 None TAKEN", "2 TAKEN FREE", "3 FREE TAKEN", "70 TAKEN FREE"],
        [],
    )
    assert titles(report) == ["berth 7 is free 2..3", "berth 7 is free 70.."]


def test_two_that_tell_one_change_must_agree(harbour: Harbour) -> None:
    """Two ships at one berth by one entry."""
    harbour.books(1, 1, 7, 1, 3)
    harbour.books(2, 1.2, 7, 1, 4)
    assert said(harbour.check()) == ["contradiction VIOLATED office2.log:1"]


def test_a_change_that_is_missing_is_a_gap(harbour: Harbour) -> None:
    """Everything is written, so a number that is not there was lost; what it did is not known."""
    harbour.books(1, 1, 7, 1, 3)
    harbour.books(1, 2, 7, 2, 0)
    harbour.books(1, 3, 7, 5, dues=4)
    report = harbour.check()
    assert said(report) == ["gap INCONCLUSIVE office1.log:3"]
    assert "entry 2, then 5; the log should tell 3 to 4 in between" in report.findings[0].message


def test_another_may_tell_what_one_has_lost(harbour: Harbour) -> None:
    """Together they are whole."""
    for entry in (1, 2, 4):
        harbour.books(1, entry, 7, entry, entry)
    for entry in (2, 3):
        harbour.books(2, entry, 7, entry, entry)
    assert said(harbour.check()) == []


def test_a_log_that_begins_midway_lacks_nothing(harbour: Harbour) -> None:
    """Where it was not told before, it was not there."""
    harbour.books(1, 1, 7, 8, 3)
    harbour.books(2, 50, 7, 40, 0)
    assert said(harbour.check()) == []


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
@pytest.mark.parametrize("wrong", [7, 3, 1, 0])
@pytest.mark.parametrize("office", [1, 2])
def test_a_number_that_does_not_follow_is_wrong_in_its_own_line(
    tmp_path: Path, level: str, wrong: int, office: int
) -> None:
    """Whatever is hidden, and whoever tells the change rightly: the line says what was before it."""
    harbour = Harbour(tmp_path, level=level)
    for teller in (1, 2):
        harbour.books(teller, 1 + teller / 10, 7, 1, 3)
        harbour.books(teller, 5 + teller / 10, 7, wrong if teller == office else 2, 9, was=1)
    found = said(report := harbour.check())
    assert found == [f"contradiction VIOLATED office{office}.log:2"]
    assert report.findings[0].message == f"entry {wrong} cannot follow 1"


def test_a_number_that_falls_is_told(harbour: Harbour) -> None:
    """One office goes on from where it was."""
    harbour.tells(1, 0, "OFFICE opens its doors")
    harbour.books(1, 1, 7, 4, 3)
    harbour.books(1, 2, 7, 5, 0)
    harbour.books(1, 3, 7, 3, 9)
    assert said(harbour.check()) == ["contradiction VIOLATED office1.log:4"]


def test_a_new_charter_counts_anew(harbour: Harbour) -> None:
    """The numbers are those of a life, and what is told of an old one later on is over."""
    harbour.books(1, 1, 7, 5, 3)
    harbour.books(1, 2, 7, 6, 4)
    harbour.books(1, 9, 7, 1, 0, charter="b")
    harbour.books(2, 11, 7, 6, 4)
    harbour.books(2, 11, 7, 1, 0, charter="b")
    report = harbour.check()
    assert (steps(report), said(report)) == (["1 None TAKEN", "2 TAKEN TAKEN", "9 TAKEN FREE"], [])
    assert [one.state for one in report.now] == [("FREE",)]


def test_what_an_office_takes_back_and_nobody_tells_did_not_happen(harbour: Harbour) -> None:
    """The others go on without it, and give its number to something else."""
    for office in (1, 2):
        harbour.books(office, 1, 7, 1, 3)
    harbour.books(1, 5, 7, 2, 0)
    harbour.tells(1, 8, "OFFICE takes back what was not agreed upon")
    for office in (2, 1):
        harbour.books(office, 9, 7, 2, dues=4)
    report = harbour.check()
    assert (steps(report), said(report), titles(report)) == (
        ["1 None TAKEN", "9 TAKEN TAKEN"],
        [],
        [],
    )


def test_what_an_office_takes_back_and_others_tell_did_happen(harbour: Harbour) -> None:
    """Its successor found it in the book."""
    for office in (1, 2):
        harbour.books(office, 1, 7, 1, 3)
    harbour.books(1, 5, 7, 2, 0)
    harbour.tells(1, 8, "OFFICE takes back what was not agreed upon")
    for office in (2, 1):
        harbour.books(office, 21, 7, 2, 0)
    report = harbour.check()
    assert (steps(report), said(report), titles(report)) == (
        ["1 None TAKEN", "5 TAKEN FREE"],
        [],
        ["berth 7 is free 5.."],
    )


def test_a_line_about_a_ship_is_of_the_berth_where_it_lies(quiet: Harbour) -> None:
    """Nobody tells what became of the berth: another ship may have taken it at once, so it may be free, and is not said to be."""
    quiet.tells(1, 1, "watch of OFFICE: ship 3 lies at berth 7, entry 1")
    quiet.tells(1, 1, "watch of OFFICE: ship 4 lies at berth 8, entry 1")
    quiet.tells(2, 9, "OFFICE hears that ship 3 has gone down")
    report = quiet.check()
    assert (said(report), titles(report)) == ([], ["berth 7 may be free 9.."])
    assert {str(dict(one.subject)["berth"]): one.state for one in report.now} == {
        "7": ("FREE", "TAKEN"),
        "8": ("TAKEN",),
    }


def test_a_doubt_ends_with_a_line_that_tells(quiet: Harbour) -> None:
    """And a short one was none: the lines of one event come in one after the other."""
    quiet.tells(1, 1, "watch of OFFICE: ship 3 lies at berth 7, entry 1")
    quiet.tells(1, 1, "watch of OFFICE: ship 3 lies at berth 8, entry 1")
    quiet.tells(1, 9, "OFFICE hears that ship 3 has gone down")
    quiet.tells(1, 9.5, "watch of OFFICE: ship 5 lies at berth 7, entry 2")
    quiet.tells(1, 30, "watch of OFFICE: ship 5 lies at berth 8, entry 2")
    assert titles(quiet.check()) == ["berth 8 may be free 9..30"]


def test_where_all_is_written_nothing_is_in_doubt(harbour: Harbour) -> None:
    """The booking says what became of it."""
    harbour.books(1, 1, 7, 1, 3)
    harbour.tells(1, 9, "OFFICE hears that ship 3 has gone down")
    harbour.books(1, 9.1, 7, 2, 0)
    harbour.books(1, 20, 7, 3, 6)
    assert titles(harbour.check()) == ["berth 7 is free 9..20"]


def test_a_doubt_ends_where_another_line_says_that_there_is_none(quiet: Harbour) -> None:
    """What is certain stays so."""
    quiet.tells(1, 1, "watch of OFFICE: ship 3 lies at berth 7, entry 1")
    quiet.tells(1, 9, "OFFICE hears that ship 3 has gone down")
    quiet.tells(1, 30, "OFFICE hears that ship 3 is well after all")
    quiet.tells(1, 40, "OFFICE hears that ship 3 is well after all")
    report = quiet.check()
    assert (titles(report), [one.state for one in report.now]) == (
        ["berth 7 may be free 9..30"],
        [("TAKEN",)],
    )


def test_a_line_of_many_makes_no_instance(harbour: Harbour) -> None:
    """It is about what is known, and there is nothing."""
    harbour.tells(1, 9, "OFFICE hears that ship 3 has gone down")
    assert [one.machine for one in harbour.check().machines] == []


def test_lines_without_a_number_are_told_once_as_well(tmp_path: Path) -> None:
    """The first says it, the others follow, and one that opens again reads it all out; what it adds happened before, nobody knows when."""
    harbour = Harbour(tmp_path)
    for office, late in ((1, 0.0), (2, 0.3), (3, 0.5)):
        harbour.tells(office, 0.1, "OFFICE opens its doors")
        for second, state in ((1, "OUT"), (1.1, "LIT"), (30, "OUT"), (90, "LIT")):
            harbour.tells(office, second + late, f"OFFICE notes: lantern 5 wick 1 is {state}")
    harbour.tells(3, 200, "OFFICE opens its doors")
    for state in ("OUT", "LIT", "OUT", "LIT", "OUT"):
        harbour.tells(3, 203, f"OFFICE notes: lantern 5 wick 1 is {state}")
    report = harbour.check("Lantern")
    assert (steps(report), said(report)) == (["1 OUT LIT", "30 LIT OUT", "90 OUT LIT"], [])
    assert [(one.source, one.target) for one in report.timeline if one.how == "missing"] == [
        ("LIT", "OUT")
    ]


def test_a_new_wick_is_another_life_by_its_number(tmp_path: Path) -> None:
    """What is read out of an older one is over, also where it is told for the first time."""
    harbour = Harbour(tmp_path)
    harbour.tells(1, 1, "OFFICE notes: lantern 5 wick 4 is OUT")
    harbour.tells(1, 2, "OFFICE notes: lantern 5 wick 4 is LIT")
    harbour.tells(2, 3, "OFFICE notes: lantern 5 wick 3 is OUT")
    report = harbour.check("Lantern")
    assert [one.state for one in report.now] == [("LIT",)]
