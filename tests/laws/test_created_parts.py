"""Parts are created and end as entries of a map do that is written by hand.

Covers: statemachines.semantics.system.event_cascade, statemachines.semantics.system.system_states.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from statemachines.api.system import System
from statemachines.embed.errors import NotAllowed
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.walks.random_walks import simulate
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation import load_system, read_spec, system_of
from statemachines.testing import from_system
from tests.effort import some_of
from tests.systems import written

SESSION = """
notation: 1
machine: Session
parameters: {most: 1..3}
variables: {done: "0..3 = 0"}
states: {OPEN: {initial: true}, BUSY: {doc: Works.}, CLOSED: {final: true}}
transitions:
  - {from: OPEN, to: BUSY, event: work, guard: done < most, effect: {done: done + 1}}
  - {from: BUSY, to: OPEN, event: rest}
  - {from: [OPEN, BUSY], to: CLOSED, event: close}
"""
SERVER = """
notation: 1
machine: Server
types: {Client: id}
states: {UP: {initial: true}, DOWN: {final: true}}
events: {accept: {args: {client: Client}}, nudge: {args: {client: Client}}}
transitions:
  - {from: UP, to: UP, event: accept}
  - {from: UP, to: UP, event: nudge}
  - {from: UP, to: DOWN, event: stop}
"""
POOL = """
notation: 1
system: House
types: {Client: id}
scope: {Client: CLIENTS}
parts:
  server: {machine: Server}
  sessions: {machine: Session, each: Client, with: {most: "MOST"}, created: true, ends: CLOSED}
variables: {closed: "0..1 = 0"}
CHANNELS
links:
  - {on: server, event: accept, create: "sessions[client]"}
  - {on: server, event: nudge, guard: client in sessions, send: "sessions[client].work", HOW}
  - {on: server, enters: DOWN, send: sessions.close}
  - {on: sessions, enters: CLOSED, effect: {closed: "1 - closed"}}
RULES
"""
State = tuple[bool, tuple[tuple[str, int, int] | None, ...], int]
"""Whether the server is up; of each client's session its state, what it did, and what waits for it; `closed`."""


def pool(clients: int, most: int = 1, *, queued: bool = True, rules: str = "") -> SystemDefinition:
    """Return a server and its sessions; what it tells them waits, in a channel or as the newest."""
    text = POOL.replace("CLIENTS", str(clients)).replace("MOST", str(most))
    text = text.replace("CHANNELS", "channels: {wire: {holds: 2}}" if queued else "")
    text = text.replace("HOW", "through: wire" if queued else "later: true").replace("RULES", rules)
    path = written(text, "")
    (path.parent / "Session.yaml").write_text(SESSION.lstrip())
    (path.parent / "Server.yaml").write_text(SERVER.lstrip())
    return system_of(load_system(path))


def by_hand(now: State, most: int, *, queued: bool) -> Iterator[State]:
    """Yield where each step leads, by a list of entries that are there or not."""
    up, sessions, closed = now

    def put(at: int, one: tuple[str, int, int] | None) -> tuple[tuple[str, int, int] | None, ...]:
        return (*sessions[:at], one, *sessions[at + 1 :])

    for at, one in enumerate(sessions):
        if one is None:
            if up:
                yield True, put(at, ("OPEN", 0, 0)), closed
                yield now  # nobody is nudged
            continue
        state, done, waiting = one
        if (up and waiting < 2) or (up and not queued):
            yield True, put(at, (state, done, min(waiting + 1, 2 if queued else 1))), closed
        if state == "OPEN" and done < most and not queued:
            yield up, put(at, ("BUSY", done + 1, waiting)), closed
        if state == "BUSY":
            yield up, put(at, ("OPEN", done, waiting)), closed
        yield up, put(at, None), 1 - closed
        if waiting:
            works = state == "OPEN" and done < most
            after = ("BUSY", done + 1) if works else (state, done)
            yield up, put(at, (*after, waiting - 1)), closed
    if up:
        many = sum(one is not None for one in sessions)
        yield False, (None,) * len(sessions), (closed + many) % 2


def reached(clients: int, most: int, *, queued: bool) -> tuple[dict[State, int], int]:
    """Return all states with how far they are, and how many steps there are."""
    begin: State = (True, (None,) * clients, 0)
    known, steps = {begin: 0}, 0
    for now in (queue := [begin]):
        for after in by_hand(now, most, queued=queued):
            steps += 1
            if after not in known:
                known[after] = known[now] + 1
                queue.append(after)
    return known, steps


FEW = settings(
    max_examples=some_of(12), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@given(st.integers(1, 2), st.integers(1, 2), st.booleans())
@FEW
def test_created_parts_are_explored_as_entries_of_a_map(
    clients: int, most: int, queued: bool
) -> None:
    """States, steps and depth, by rows, on arrays, and up to symmetry."""
    pytest.importorskip("numpy")
    known, steps = reached(clients, most, queued=queued)
    system = pool(clients, most, queued=queued)
    for engine in ("rows", "arrays"):
        found = explore(system, how=ExplorationOptions(engine=engine))
        assert (found.states, found.transitions) == (len(known), steps)
        assert found.depth == max(known.values())
        assert found.unreached_states == ()
    both = explore(system, how=ExplorationOptions(symmetry=True))
    orbits = {
        frozenset((up, mixed, closed) for mixed in itertools.permutations(sessions))
        for up, sessions, closed in known
    }
    assert both.states == len(orbits)


def test_rules_of_created_parts_are_broken_on_the_shortest_way() -> None:
    """Two of three sessions work at once: each is created, and takes a step."""
    rules = "always: {one: \"sum(1 for s in sessions.values() if s.state == 'BUSY') < 2\"}"
    for engine in ("rows", "arrays"):
        system = pool(3, queued=False, rules=rules)
        found = explore(system, how=ExplorationOptions(engine=engine))
        broken = next(one for one in found.examined if one.name == "always one")
        assert broken.verdict is Verdict.VIOLATED
        assert broken.trace is not None
        events = [step.event for step in broken.trace.steps]
        assert sorted(events) == ["server.accept"] * 2 + ["sessions.work"] * 2


def test_walks_go_where_entries_of_a_map_go() -> None:
    """Each walk is one by hand."""
    known, _ = reached(2, 1, queued=True)
    for seed in range(5):
        walk = simulate(pool(2), seed=seed, steps=40)
        assert walk.wrong == ()
        for snapshot in walk.snapshots:
            assert seen(snapshot) in known


def seen(now: SystemSnapshot) -> State:
    """Return a snapshot as the lists by hand have it."""
    held, waiting = now.parts["sessions"], [place.receiver for place in now.waiting]
    each = (
        None
        if (one := held.get(key)) is None
        else (one.state, one.variables["done"], waiting.count(key))
        for key in ("Client1", "Client2")
    )
    return now.parts["server"].state == "UP", tuple(each), now.variables["closed"]


def test_a_program_creates_parts_and_they_end() -> None:
    """Whoever the program names; a second one of the same name is refused, and what waits for one goes with it."""
    one = System(pool(2)).instance()
    assert list(one.sessions) == []
    one.server.accept(client="ann")
    one.server.accept(client="abe")
    assert list(one.sessions) == ["abe", "ann"]
    with pytest.raises(NotAllowed, match=r"there is `sessions\['ann'\]` already"):
        one.server.accept(client="ann")
    one.server.nudge(client="ann")
    assert System(pool(2)).from_json(one.to_json()) == one.snapshot
    ann = one.sessions["ann"]
    ann.close()
    assert (list(one.sessions), one.waiting, one.closed) == (["abe"], (), 1)
    with pytest.raises(ValueError, match="has no key 'ann'"):
        ann.close()
    one.server.stop()
    assert (list(one.sessions), one.closed) == ([], 0)


class Session:
    """A session of the program by hand."""

    def __init__(self, pool: Pool, client: str) -> None:
        self.pool, self.client, self.state, self.done, self.most = pool, client, "OPEN", 0, 1

    def work(self) -> None:
        """Work, if there is anything left."""
        if self.state != "OPEN" or self.done >= 1:
            raise RuntimeError
        self.state, self.done = "BUSY", self.done + 1

    def rest(self) -> None:
        """Rest."""
        if self.state != "BUSY":
            raise RuntimeError
        self.state = "OPEN"

    def close(self) -> None:
        """Be no more."""
        self.pool.forget(self.client)


class Server:
    """A server of the program by hand."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.state = pool, "UP"

    def accept(self, client: str) -> None:
        """Take a client."""
        if self.state == "DOWN" or client in self.pool.sessions:
            raise RuntimeError
        self.pool.sessions[client] = Session(self.pool, client)

    def nudge(self, client: str) -> None:
        """Tell it to work; nobody waits here for what is handed over."""
        if self.state == "DOWN":
            raise RuntimeError

    def stop(self) -> None:
        """Stop."""
        if self.state == "DOWN":
            raise RuntimeError
        self.state = "DOWN"
        for client in list(self.pool.sessions):
            self.pool.forget(client)


class Pool:
    """The program by hand."""

    def __init__(self, _: SystemSnapshot) -> None:
        self.server, self.sessions, self.closed = Server(self), dict[str, Session](), 0

    def forget(self, client: str) -> None:
        """Let go of a session."""
        del self.sessions[client]
        self.closed = 1 - self.closed

    def deliver(self, place: object) -> None:
        """Hand over what waits."""
        one = self.sessions[place.receiver]
        if one.state == "OPEN" and one.done < 1:
            one.work()


class Forgetful(Pool):
    """A program that keeps whom it should let go."""

    def forget(self, client: str) -> None:
        """Count it and keep it."""
        self.closed = 1 - self.closed


class Deaf(Pool):
    """A program that creates nothing."""

    def __init__(self, now: SystemSnapshot) -> None:
        super().__init__(now)
        self.server.accept = lambda client: None


def test_programs_that_create_and_end_otherwise_are_found() -> None:
    """One that is right passes; one that keeps what has ended, and one that creates nothing, do not."""
    system = System(pool(2, queued=False))

    def tried(program: type[Pool]) -> None:
        test = from_system(system, program, refusals=(RuntimeError,))
        run_state_machine_as_test(
            test,
            settings=settings(
                max_examples=some_of(20),
                stateful_step_count=12,
                deadline=None,
                derandomize=True,
                database=None,
            ),
        )

    tried(Pool)
    with pytest.raises(AssertionError, match="the subject has one, and there is none"):
        tried(Forgetful)
    with pytest.raises(AssertionError, match="the subject has none"):
        tried(Deaf)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("created: true, ends: CLOSED", "ends: CLOSED"), "SM421"),
        (("each: Client, ", ""), "SM421"),
        (("ends: CLOSED", "ends: SHUT"), "SM413"),
        (('create: "sessions[client]"', "create: sessions"), "SM415"),
        (('create: "sessions[client]"', 'create: "server[client]"'), "SM421"),
        (('create: "sessions[client]"', 'create: "session[client]"'), "SM413"),
        (('create: "sessions[client]"', 'create: "sessions[3]"'), "SM304"),
        (
            ('create: "sessions[client]"', 'create: "sessions[client]", send: sessions.close'),
            "SM414",
        ),
    ],
)
def test_what_cannot_be_created_is_said(change: tuple[str, str], code: str) -> None:
    """With a code of its own, at its place."""
    pool(2)
    text = POOL.replace("CLIENTS", "2").replace("MOST", "1").replace("CHANNELS", "")
    text = text.replace("HOW", "later: true").replace("RULES", "")
    assert change[0] in text
    codes = [one.code for one in read_spec(written(text.replace(*change), "")).diagnostics]
    assert code in codes
