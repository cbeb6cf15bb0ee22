"""`simulate --interactive`: a machine tried out by hand, its conversation as a person sees it, fed by a pipe.

Covers: statemachines.cli.verbs.simulate, statemachines.report.exploration.enabled_events,
statemachines.explore.walks.random_walks, statemachines.report.exploration.interactive_session,
statemachines.report.exploration.session_models, statemachines.report.exploration.walk_report.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Protocol

import pytest

from statemachines.cli import main

TURNSTILE = """
notation: 1
machine: Turnstile
states: {LOCKED: {initial: true}, OPEN: {doc: One may pass.}}
errors: {Alarm: Somebody pushed.}
variables: {coins: "0..9 = 0"}
events: {coin: {args: {value: 1..3}}, push: {doc: Through.}}
transitions:
  - {from: LOCKED, to: OPEN, event: coin, guard: value >= 2, effect: {coins: "min(coins + value, 9)"}}
  - {from: OPEN, to: LOCKED, event: push}
always: {poor: coins < 3}
otherwise:
  - {event: push, from: LOCKED, does: raise Alarm}
  - {event: coin, from: OPEN, does: ignore}
"""


class Talk(Protocol):
    """Says lines to a machine, the turnstile where none is named; returns all that is shown."""

    def __call__(self, *lines: str, name: str = ..., options: tuple[str, ...] = ()) -> str: ...


@pytest.fixture
def talk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Talk:
    """A function that says lines to a turnstile and returns all that is shown."""
    path = tmp_path / "Turnstile.yaml"
    path.write_text(TURNSTILE.lstrip(), "utf-8")

    def said(*lines: str, name: str = str(path), options: tuple[str, ...] = ()) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert main(["simulate", name, "--interactive", *options]) == 0
        return capsys.readouterr().out

    return said


def test_a_person_sees_what_may_happen_takes_it_and_goes_back(talk: Talk) -> None:
    """The whole conversation; the end of the input ends it."""
    assert talk("1", "back", "coin(value=3)").splitlines() == [
        "0  LOCKED  coins=0",
        "   1  coin(value=2)   LOCKED -> OPEN  coins=2",
        "   2  coin(value=3)   LOCKED -> OPEN  coins=3",
        "      not possible: push   (why?)",
        "      a number, an event, why, random, back, restart, help, quit",
        "> 1",
        "      coin(value=2)   LOCKED -> OPEN  coins=2",
        "1  OPEN  coins=2",
        "   1  push()   OPEN -> LOCKED",
        "      not possible: coin   (why?)",
        "> back",
        "0  LOCKED  coins=0",
        "   1  coin(value=2)   LOCKED -> OPEN  coins=2",
        "   2  coin(value=3)   LOCKED -> OPEN  coins=3",
        "      not possible: push   (why?)",
        "> coin(value=3)",
        "      coin(value=3)   LOCKED -> OPEN  coins=3",
        "1  OPEN  coins=3",
        "   1  push()   OPEN -> LOCKED",
        "      does not hold: poor",
        "      not possible: coin   (why?)",
    ]


def test_it_says_why_an_event_is_not_possible(talk: Talk) -> None:
    """Where it is taken, what it needs, and what becomes of who asks all the same."""
    assert "  push   only from OPEN; it would raise Alarm" in talk("why")
    assert "  coin   only from LOCKED; it would be ignored" in talk("1", "why")
    assert "      push()   raised Alarm" in talk("push()")


def test_why_may_be_asked_of_one_event_and_what_is_refused_says_why_and_is_no_step(
    talk: Talk,
) -> None:
    """Who asks all the same learns the reason at once, and has nothing to undo."""
    shown = talk("why push", "why coin", "why pay", "push", "back")
    assert "> why push\n  push   only from OPEN; it would raise Alarm\n" in shown
    assert "  `coin` is possible here" in shown
    assert "  there is no event `pay`" in shown
    assert "      push()   raised Alarm: only from OPEN\n0  LOCKED" in shown
    assert shown.endswith("> back\n  nothing was done yet\n")
    shown = talk(
        "why to_DEAD",
        "threads.to_DEAD",
        name="kafka/StreamsApplication",
        options=("--size", "Thread=1"),
    )
    assert "  threads['Thread1'].to_DEAD   only from PENDING_SHUTDOWN" in shown
    assert "there are several `threads`, one for each key: say which, of 'Thread1'" in shown


def test_a_mistake_is_told_and_nothing_is_lost(talk: Talk) -> None:
    """A typing error must not end a session."""
    shown = talk("7", "coin(value=9)", "pay", "coin(", "1", "random", "restart", "quit", "1")
    for told in (
        "there is no number 7",
        "is not of type `1..3`",
        "has no event `pay`",
        "`coin(` is no event",
        "> quit",
    ):
        assert told in shown
    assert shown.endswith("> quit\n")


def test_a_system_is_tried_part_by_part(talk: Talk) -> None:
    """Events of parts with keys, what links forbid, and what they send."""
    shown = talk(
        "why",
        "client.start()",
        "threads['Thread1'].to_STARTING()",
        name="kafka/StreamsApplication",
        options=("--size", "Thread=1"),
    )
    assert "  threads['Thread1'].to_STARTING              the system forbids it (link " in shown
    assert "1  client REBALANCING  threads['Thread1'] CREATED" in shown
    assert "2  client REBALANCING  threads['Thread1'] STARTING" in shown


COUNTER = """
notation: 1
machine: Counter
parameters: {limit: "int"}
variables: {seen: {type: "list[int]", initial: "[]"}}
scope: {limit: 1}
final: len(seen) == limit
events:
  note: {args: {value: int}, guard: len(seen) < limit, effect: {seen: "seen + [value]"}}
"""


@pytest.mark.parametrize("how", [(), ("--interactive",)])
def test_a_walk_takes_the_scope_that_explore_takes(
    how: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ranges and parameters too, not only sizes; the person who explored tries out the same."""
    (tmp_path / "Counter.yaml").write_text(COUNTER, "utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO("random\nrandom\nrandom\n"))
    assert (
        main(["simulate", str(tmp_path / "Counter.yaml"), *how, "--scope", "int=7..7,limit=3"]) == 0
    )
    shown = capsys.readouterr().out
    assert "limit=3" in shown
    assert "[7, 7, 7]" in shown


def test_size_still_names_a_size_and_what_fits_nothing_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of a machine and a system; a misspelt type was silently left out."""
    assert main(["simulate", "TwoPhaseCommit", "--size", "RM=2", "--steps", "2"]) == 0
    assert "managers={'RM1', 'RM2'}  " in capsys.readouterr().out
    for name, scope, said in (
        ("TwoPhaseCommit", "RN=2", "`RN`; there are `RM`"),
        ("kafka/StreamsApplication", "Thred=1", "`Thred`; did you"),
    ):
        assert main(["simulate", name, "--scope", scope]) == 2
        assert said in capsys.readouterr().err
