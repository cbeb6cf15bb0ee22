"""The other end of what is wrong: what another process says of that which a line names.

Covers: statemachines.report.sections.other_processes, statemachines.report.text.document.
"""

from __future__ import annotations

import pytest
from attrs import evolve

from statemachines.model.evidence.reports import CurrentState, Episode, Place, Quote, Report
from statemachines.report.sections.other_processes import MOST_NAMESAKES, states_in_other_processes
from statemachines.report.text.document import to_text
from tests.unit.report.handmade import EMPTY, at, with_incidents

ORDER = Episode(
    "unpaid", "shop/Order", (("order", "n-7"),), "order n-7 is not paid", at(10), None, True, Quote(Place("shop.log", 3), "n-7 asks bank.4, slip=(s-9)")
)  # fmt: skip


def slip(
    name: str = "s-9", since: float = 20, machine: str = "bank/Slip", process: str = "bank.log"
) -> CurrentState:
    """What the bank says of a slip."""
    return CurrentState(
        machine, (("slip", name),), ("VOID",), at(since), True, Place("bank.log", 8), process
    )


def report(*nows: CurrentState) -> Report:
    """A report of one open order, of a process of its own."""
    wrong = evolve(ORDER, process="shop.log")
    return with_incidents(evolve(EMPTY, episodes=(wrong,), now=nows))


def test_what_the_line_names_is_shown_below_it() -> None:
    """Both are true: the order is open here, and the bank says that its slip is void."""
    lines = list(to_text(report(slip())))
    place = next(number for number, line in enumerate(lines) if "elsewhere" in line)
    assert "Slip s-9   VOID" in lines[place]
    assert "bank.log:8" in lines[place]
    assert lines[place - 2].startswith("  ✗ order n-7 is not paid")
    assert "shop.log:3" in lines[place - 1]


@pytest.mark.parametrize(
    "now",
    [
        slip("s-99"),
        slip("9"),
        slip("bank"),
        slip(since=5),
        slip(machine="shop/Order"),
        slip(process="shop.log"),
        slip("S-9"),
    ],
    ids=[
        "longer",
        "part",
        "part of another",
        "older",
        "same machine",
        "same process",
        "another case",
    ],
)
def test_what_has_only_to_do_with_it_by_chance_is_not(now: CurrentState) -> None:
    """Whole names only, of other machines in other processes, and nothing that was so before it began."""
    told = report(now)
    assert states_in_other_processes(told, told.incidents) == {}


def test_a_name_that_many_have_is_no_ones() -> None:
    """Where a line's words are names of everything, none of it is beside it."""
    many = [slip(process=f"bank{number}.log") for number in range(MOST_NAMESAKES + 1)]
    told = report(*many)
    assert states_in_other_processes(told, told.incidents) == {}
    fewer = report(*many[:MOST_NAMESAKES])
    assert [len(found) for found in states_in_other_processes(fewer, fewer.incidents).values()] == [
        MOST_NAMESAKES
    ]
