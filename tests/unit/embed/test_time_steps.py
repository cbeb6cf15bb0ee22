"""Steps that time takes, by a clock that is handed in.

Covers: statemachines.embed.timed_instances.
Covers: statemachines.semantics.machine.time_steps.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.embed.code_generation.generated_module import generate_code

LIGHT = """
notation: 1
machine: Light
states: {DARK: {initial: true}, LIT: , DIMMED: , BROKEN: {final: true}}
transitions:
  - {from: [DARK, DIMMED], to: LIT, event: move}
  - {from: LIT, event: wave}
  - {from: LIT, to: DIMMED, event: dim, after: 30 s}
  - {from: DIMMED, to: DARK, event: leave, after: 1 min 30 s}
  - {from: [DARK, LIT, DIMMED], to: BROKEN, event: hit}
"""
GUARDED = """
notation: 1
machine: Offer
variables: {held: "bool = False"}
states: {OPEN: {initial: true}, EXPIRED: {final: true}}
transitions:
  - {from: OPEN, event: hold, effect: {held: "True"}}
  - {from: OPEN, to: EXPIRED, event: expire, after: 10 s, guard: "not held"}
"""
QUICK = """
notation: 1
machine: Quick
states: {SLOW: {initial: true}, FAST: , OVER: {final: true}}
transitions:
  - {from: SLOW, to: FAST, event: hurry}
  - {from: SLOW, to: OVER, event: give_up, after: 9 h}
  - {from: FAST, to: OVER, event: end, after: 1 ms}
"""


HEART = """
notation: 1
machine: Heart
variables: {tries: "0..3 = 0"}
states: {IDLE: {initial: true}, WAITING: , LOST: }
events: {answer: {args: {late: bool}}}
transitions:
  - {from: IDLE, to: WAITING, event: ask}
  - from: WAITING
    to: WAITING
    event: resend
    after: 3 s
    guard: tries < 3
    effect: {tries: tries + 1}
  - {from: WAITING, to: LOST, event: give_up, after: 10 s}
  - {from: WAITING, event: look}
  - {from: WAITING, to: WAITING, event: beat}
  - from: WAITING
    event: answer
    cases:
      - {when: late, effect: {tries: "0"}}
      - {to: WAITING}
"""


class HandedClock:
    """Seconds that a test turns."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> HandedClock:
    """It stands still."""
    return HandedClock()


def machine(folder: Path, text: str) -> sm.Machine:
    """Load a spec as a user does."""
    file = folder / "Timed.yaml"
    file.write_text(text)
    return sm.load(file).at()


def timed(folder: Path, text: str, clock: HandedClock) -> sm.TimedInstance:
    """An instance in the hands of a clock."""
    return sm.TimedInstance(machine(folder, text).instance(), clock=clock)


def test_a_step_comes_when_it_is_due_and_not_before(tmp_path: Path, clock: HandedClock) -> None:
    """At thirty seconds, to the millisecond."""
    light = timed(tmp_path, LIGHT, clock)
    assert (light.due, light.remaining) == (None, None)
    light.send("move")
    clock.now += 29.999
    assert light.advance() == ()
    clock.now += 0.001
    assert light.remaining == 0
    assert light.advance() == ("dim",)
    assert light.state == "DIMMED"


def test_one_deadline_begins_where_the_one_before_was_due(
    tmp_path: Path, clock: HandedClock
) -> None:
    """Nobody looked for two minutes: both came, each in its time."""
    light = timed(tmp_path, LIGHT, clock)
    light.send("move")
    clock.now += 119
    assert light.advance() == ("dim",)
    assert light.due == 1000 + 30 + 90
    clock.now += 1
    assert light.advance() == ("leave",)
    assert light.since == 1120


def test_an_event_that_comes_too_late_meets_what_time_has_made(
    tmp_path: Path, clock: HandedClock
) -> None:
    """Whether anybody called `advance` or not; a hit in the dark is one in the dark."""
    light = timed(tmp_path, LIGHT, clock)
    light.send("move")
    clock.now += 500
    with pytest.raises(sm.NotAllowed) as refused:
        light.send("wave")
    assert refused.value.state == "DARK"


def test_an_event_that_stays_begins_no_new_wait(tmp_path: Path, clock: HandedClock) -> None:
    """Thirty seconds since it came there."""
    light = timed(tmp_path, LIGHT, clock)
    light.send("move")
    clock.now += 20
    light.send("wave")
    clock.now += 10
    assert light.advance() == ("dim",)


def test_what_is_sent_past_it_is_noticed_at_the_next_look(
    tmp_path: Path, clock: HandedClock
) -> None:
    """The wait of the state before is over."""
    light = timed(tmp_path, LIGHT, clock)
    light.send("move")
    light.instance.send("hit")
    clock.now += 500
    assert light.advance() == ()
    assert light.state == "BROKEN"


def test_a_guard_that_is_false_when_the_time_comes_refuses_for_this_stay(
    tmp_path: Path, clock: HandedClock
) -> None:
    """It is asked once; else `advance` would ask for ever."""
    offer = timed(tmp_path, GUARDED, clock)
    offer.send("hold")
    clock.now += 60
    assert offer.advance() == ()
    assert (offer.state, offer.due) == ("OPEN", None)


def test_a_deadline_outlives_its_program(tmp_path: Path, clock: HandedClock) -> None:
    """With the snapshot and `since`."""
    kind = machine(tmp_path, LIGHT)
    light = sm.TimedInstance(kind.instance(), clock=clock)
    light.send("move")
    kept, since = light.snapshot, light.since
    clock.now += 31
    again = sm.TimedInstance(kind.instance(kept), clock=clock, since=since)
    assert again.advance() == ("dim",)


def test_a_transition_that_names_its_own_state_begins_the_time_again(
    tmp_path: Path, clock: HandedClock
) -> None:
    """Of what somebody asks for, and of one case of an event; without `to` the time goes on."""
    heart = timed(tmp_path, HEART, clock)
    heart.send("ask")
    clock.now += 2
    heart.send("look")
    assert heart.remaining == 1
    heart.send("beat")
    assert heart.remaining == 3
    clock.now += 2
    heart.send("answer", late=True)
    assert heart.remaining == 1
    heart.send("answer", late=False)
    assert (heart.remaining, heart.since) == (3, 1004)


def test_a_timer_that_restarts_itself_comes_again_and_again(
    tmp_path: Path, clock: HandedClock
) -> None:
    """Three times, each three seconds after the one before was due; then its guard is false, and
    the rest of the state's times count from the last of them.
    """
    heart = timed(tmp_path, HEART, clock)
    heart.send("ask")
    clock.now += 18.5
    assert heart.advance() == ("resend", "resend", "resend")
    assert (heart.state, heart.since, heart.due) == ("WAITING", 1009, 1019)
    clock.now += 0.5
    assert heart.advance() == ("give_up",)


def test_a_timer_that_only_stays_comes_once(tmp_path: Path, clock: HandedClock) -> None:
    """Without `to`."""
    heart = timed(
        tmp_path, HEART.replace("    to: WAITING\n    event: resend", "    event: resend"), clock
    )
    heart.send("ask")
    clock.now += 9
    assert heart.advance() == ("resend",)
    assert heart.due == 1010


def test_a_task_restarts_the_time_as_a_thread_does(tmp_path: Path, clock: HandedClock) -> None:
    """The asynchronous one."""

    async def main() -> tuple[float | None, tuple[str, ...]]:
        heart = sm.AsyncTimedInstance(machine(tmp_path, HEART).bind().asynchronous(), clock=clock)
        await heart.send("ask")
        clock.now += 2
        await heart.send("beat")
        remaining = heart.remaining
        clock.now += 6
        return remaining, await heart.advance()

    assert asyncio.run(main()) == (3, ("resend", "resend"))


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from(["ask", "beat", "look", "nothing"])),
        max_size=12,
    )
)
def test_a_look_changes_no_timer_that_restarts(waits: list[tuple[int, str]]) -> None:
    """Law: the same second by second as at each event only; a beat that is taken is a new time."""
    kind = machine_of_text(HEART)
    clock, often = HandedClock(), HandedClock()
    rarely, each_second = (sm.TimedInstance(kind.instance(), clock=now) for now in (clock, often))
    for wait, event in waits:
        clock.now += wait
        for _ in range(wait):
            often.now += 1
            each_second.advance()
        for heart in (rarely, each_second):
            taken = not refused(heart, "look" if event == "nothing" else event)
            if event == "beat" and taken:
                assert heart.since == clock.now
        assert (rarely.snapshot, rarely.due) == (each_second.snapshot, each_second.due)


@given(
    st.lists(st.tuples(st.integers(0, 100), st.sampled_from(["move", "wave", "look"])), max_size=12)
)
def test_how_often_somebody_looks_changes_nothing(waits: list[tuple[int, str]]) -> None:
    """Law: taking steps second by second, or at each event only, gives the same states."""
    kind = machine_of_text(LIGHT)
    clock, often = HandedClock(), HandedClock()
    rarely, each_second = (sm.TimedInstance(kind.instance(), clock=one) for one in (clock, often))
    for wait, event in waits:
        clock.now += wait
        for _ in range(wait):
            often.now += 1
            each_second.advance()
        answers = [refused(light, event) for light in (rarely, each_second)]
        assert answers[0] == answers[1]
        assert (rarely.state, rarely.due) == (each_second.state, each_second.due)


def machine_of_text(text: str) -> sm.Machine:
    """The same machine for every example of a law."""
    from statemachines.mining.checked_drafts import spec_of_text
    from statemachines.notation import machine_of

    return sm.Machine(machine_of(spec_of_text(text, "Timed.yaml"), None))


def refused(light: sm.TimedInstance, event: str) -> bool:
    """Send an event, or only look."""
    if event == "look":
        light.advance()
        return False
    try:
        light.send(event)
    except sm.NotAllowed:
        return True
    return False


def test_a_thread_takes_the_steps_and_wakes_up_for_a_shorter_wait(tmp_path: Path) -> None:
    """It waits for nine hours when `hurry` makes it a millisecond."""
    quick = sm.TimedInstance(machine(tmp_path, QUICK).bind(after=[lambda _: None]).threadsafe())
    thread = Thread(target=quick.run, daemon=True)
    thread.start()
    quick.send("hurry")
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert quick.state == "OVER"


def test_close_ends_a_thread_that_waits(tmp_path: Path) -> None:
    """A program that ends does not wait for nine hours."""
    quick = sm.TimedInstance(machine(tmp_path, QUICK).instance())
    thread = Thread(target=quick.run, daemon=True)
    thread.start()
    quick.close()
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert quick.state == "SLOW"


def test_a_task_takes_the_steps_and_wakes_up_for_a_shorter_wait(tmp_path: Path) -> None:
    """The same with asyncio, where actions are awaited."""
    entered = list[str]()

    async def on_enter(occurrence: object) -> None:
        entered.append(occurrence.target)

    async def main() -> str:
        binding = machine(tmp_path, QUICK).bind({"on_enter": on_enter})
        quick = sm.AsyncTimedInstance(binding.asynchronous())
        task = asyncio.create_task(quick.run())
        await asyncio.sleep(0)
        await quick.send("hurry")
        await asyncio.wait_for(task, timeout=60)
        return quick.state

    assert asyncio.run(main()) == "OVER"
    assert entered == ["FAST", "OVER"]


def test_generated_code_has_the_table(tmp_path: Path) -> None:
    """Whoever has a clock sends the events; a machine without them has no table."""
    written = dict[str, object]()
    exec(generate_code(machine(tmp_path, LIGHT).value), written)
    assert written["AFTER"] == {"LIT": ((30.0, "dim"),), "DIMMED": ((90.0, "leave"),)}
    (tmp_path / "Guarded.yaml").write_text(GUARDED)
    with_data = dict[str, object]()
    exec(generate_code(sm.load(tmp_path / "Guarded.yaml").at().value), with_data)
    assert with_data["AFTER"] == {"OPEN": ((10.0, "expire"),)}
    assert "RESTARTS" not in with_data
    (tmp_path / "Heart.yaml").write_text(HEART)
    beating = dict[str, object]()
    exec(generate_code(sm.load(tmp_path / "Heart.yaml").at().value), beating)
    events = {"resend", "beat", "answer"}
    assert beating["RESTARTS"] == {("WAITING", event) for event in events}
    plain = LIGHT.replace(", after: 30 s", "").replace(", after: 1 min 30 s", "")
    (tmp_path / "Plain.yaml").write_text(plain)
    assert "AFTER" not in generate_code(sm.load(tmp_path / "Plain.yaml").at().value)


@pytest.mark.parametrize("form", ["dot", "mermaid", "plantuml", "markdown"])
def test_pictures_say_when(tmp_path: Path, form: str) -> None:
    """Beside the event."""
    assert "after 1 min 30 s" in machine(tmp_path, LIGHT).draw(form).decode()
    assert "time begins again" in machine(tmp_path, HEART).draw(form).decode()
    assert "time begins again" not in machine(tmp_path, LIGHT).draw(form).decode()
