"""Channels lose, repeat and reorder as lists do that are written by hand.

Covers: statemachines.semantics.system.channels, statemachines.notation.systems.system_reader.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from attrs import evolve, frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.api.system import System
from statemachines.embed.errors import NotAllowed
from statemachines.explore.exploration import explore
from statemachines.explore.model_exploration import explore_model
from statemachines.explore.models.model_protocol import Model
from statemachines.explore.models.system_model import build_system_model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import Exploration
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.snapshots import Refused
from statemachines.model.definitions.system_definitions import DeliveryOutcome, SystemDefinition
from statemachines.model.diagnosis.diagnostics import SpecError
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.notation import load_system, system_of
from tests.effort import some_of
from tests.generated_systems import walk_beside
from tests.systems import written

TALKER = """
notation: 1
machine: Talker
variables: {left: "0..3 = MOST"}
events:
  say: {args: {x: 1..2}, guard: left > 0, effect: {left: left - 1}}
"""
LISTENER = """
notation: 1
machine: Listener
variables: {heard: "list[1..2] = []"}
events:
  hear: {args: {x: 1..2}, guard: len(heard) < 2, effect: {heard: "heard + [x]"}}
"""
TALK = """
notation: 1
system: House
types: {Man: id}
parts:
  talkers: {machine: Talker, each: Man}
  listener: {machine: Listener}
channels:
  air: {holds: HOLDS, may: MAY, full: FULL, shared: SHARED, refused: REFUSED}
links:
  - {on: talkers, event: say, guard: x == 1, send: listener.hear, args: {x: "1"}, through: air}
  - {on: talkers, event: say, guard: x == 2, send: listener.hear, args: {x: x}, through: air}
scope: {Man: MEN}
"""
COUPLES = """
notation: 1
system: House
types: {Man: id}
parameters: {men: "set[Man]"}
parts:
  talkers: {machine: Talker, each: men}
  listeners: {machine: Listener, each: men}
channels:
  air: {holds: 2, may: [lose, repeat]}
links:
  - {on: talkers, event: say, send: "listeners[key].hear", args: {x: x}, through: air}
scope: {Man: MEN, men: Man}
"""
MEN = ("Man1", "Man2")
State = tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...]]
"""How much each talker still says, what was heard, and what is under way from each."""


@frozen
class Air:
    """A channel, as a spec says it."""

    holds: int
    may: frozenset[str]
    full: str
    shared: bool
    refused: str


def talk(
    men: int,
    most: int,
    holds: int,
    may: set[str],
    full: str = "refuse",
    *,
    shared: bool = False,
    refused: str = "drop",
) -> SystemDefinition:
    """Return talkers and a listener, and a channel between them."""
    trust = f"[{', '.join(sorted(may))}]"
    text = TALK if may else TALK.replace(", may: MAY", "")
    words = ("HOLDS", holds), ("MAY", trust), ("MEN", men), ("FULL", full), ("REFUSED", refused)
    for word, value in (*words, ("SHARED", str(shared).lower())):
        text = text.replace(word, str(value))
    path = written(text, "")
    (path.parent / "Talker.yaml").write_text(TALKER.replace("MOST", str(most)).lstrip())
    (path.parent / "Listener.yaml").write_text(LISTENER.lstrip())
    return system_of(load_system(path))


def couples(men: int) -> Model:
    """Return talkers who are each heard by a listener of their own."""
    path = written(COUPLES.replace("MEN", str(men)), "")
    (path.parent / "Talker.yaml").write_text(TALKER.replace("MOST", "2").lstrip())
    (path.parent / "Listener.yaml").write_text(LISTENER.lstrip())
    return build_system_model(system_of(load_system(path)), ExplorationScope())


def explored(model: Model, *, symmetry: bool = False) -> Exploration:
    """Visit all states."""
    how = ExplorationOptions(symmetry=symmetry)
    return explore_model(model, how)[0]


def by_hand(now: State, air: Air) -> Iterator[State]:
    """Yield where each step leads, by lists."""
    left, heard, queues = now

    def with_queue(index: int, queue: list[int]) -> tuple[tuple[int, ...], ...]:
        ordered = tuple(sorted(queue) if "reorder" in air.may else queue)
        return (*queues[:index], ordered, *queues[index + 1 :])

    for man, words in enumerate(left):
        index = 0 if air.shared else man
        queue = queues[index]
        is_full = len(queue) == air.holds
        for said in (1, 2) if words and not (is_full and air.full == "refuse") else ():
            fewer = (*left[:man], words - 1, *left[man + 1 :])
            sent = [*queue, said]
            if is_full:
                sent.pop(-1 if air.full == "drop new" else 0)
            yield fewer, heard, with_queue(index, sent)
    for index, queue in enumerate(queues):
        for place, said in enumerate(queue):
            rest = with_queue(index, [*queue[:place], *queue[place + 1 :]])
            is_kept = air.refused == "wait" and len(heard) == 2
            if (place == 0 or "reorder" in air.may) and not is_kept:
                after = (*heard, said) if len(heard) < 2 else heard
                yield left, after, rest
                if "repeat" in air.may:
                    yield left, after, queues
            if "lose" in air.may:
                yield left, heard, rest


TRUST = st.frozensets(st.sampled_from(["lose", "repeat", "reorder"]))
FULL = st.sampled_from(["refuse", "drop new", "drop old"])
AIR = st.builds(
    Air, st.integers(1, 3), TRUST, FULL, st.booleans(), st.sampled_from(["drop", "wait"])
).filter(lambda air: not ("reorder" in air.may and air.full == "drop old"))
FEW = settings(
    max_examples=some_of(30), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def mirrored(now: State) -> frozenset[State]:
    """A state, and the one in which two talkers have changed places."""
    left, heard, queues = now
    return frozenset([now, (left[::-1], heard, queues[::-1])])


@given(st.integers(1, 2), st.integers(1, 2), AIR)
@FEW
def test_a_channel_is_explored_as_lists_are(men: int, most: int, air: Air) -> None:
    """States and transitions, by rows and on arrays; one queue a talker, or one for all."""
    begin: State = ((most,) * men, (), ((),) * (1 if air.shared else men))
    known, steps = {begin: 0}, 0
    for now in (queue := [begin]):
        for after in by_hand(now, air):
            steps += 1
            if after not in known:
                known[after] = known[now] + 1
                queue.append(after)
    may = set(air.may)
    system = talk(men, most, air.holds, may, air.full, shared=air.shared, refused=air.refused)
    pytest.importorskip("numpy")
    for engine in ("rows", "arrays"):
        found = explore(system, how=ExplorationOptions(engine=engine))
        assert (found.states, found.transitions) == (len(known), steps)
        assert found.depth == max(known.values())
    both = explore(system, how=ExplorationOptions(symmetry=True))
    assert both.states == len({mirrored(one) for one in known})


def test_what_is_said_first_is_heard_first() -> None:
    """Two links of one channel share its queues, and each sender has one of its own."""
    one = System(talk(2, 2, 3, set())).instance(keys={"talkers": MEN})
    one.talkers["Man1"].say(x=2)
    one.talkers["Man1"].say(x=1)
    one.talkers["Man2"].say(x=1)
    assert [(place.sender, place.position) for place in one.waiting] == [("Man1", 0), ("Man2", 0)]
    one.deliver(one.waiting[0])
    assert one.listener.heard == (2,)
    assert one.waiting[0].position == 0
    assert System(talk(2, 2, 3, set())).from_json(one.to_json()) == one.snapshot


def test_a_full_channel_refuses_the_whole_event() -> None:
    """The sender does not step either, and is told why."""
    one = System(talk(1, 2, 1, set())).instance(keys={"talkers": ["Man1"]})
    one.talkers["Man1"].say(x=1)
    assert not one.talkers["Man1"].may("say", x=1)
    with pytest.raises(NotAllowed, match=r"the channel `air` is full \(it holds 1\)"):
        one.talkers["Man1"].say(x=2)
    assert one.talkers["Man1"].left == 1


@pytest.mark.parametrize(("full", "heard"), [("drop new", (2, 1)), ("drop old", (1, 1))])
def test_a_full_mailbox_drops_what_it_is_told_to_drop(full: str, heard: tuple[int, ...]) -> None:
    """All talkers share it, and nobody remembers who has said what; the talker has stepped."""
    one = System(talk(2, 2, 2, set(), full, shared=True)).instance(keys={"talkers": MEN})
    for man, said in (("Man1", 2), ("Man2", 1), ("Man1", 1)):
        one.talkers[man].say(x=said)
    assert one.talkers["Man1"].left == 0
    assert [(place.sender, place.position) for place in one.snapshot.waiting] == [
        (None, 0),
        (None, 1),
    ]
    assert System(talk(2, 2, 2, set(), full, shared=True)).from_json(one.to_json()) == one.snapshot
    while one.waiting:
        one.deliver(one.waiting[0])
    assert one.listener.heard == heard


def test_what_is_refused_waits_where_the_channel_says_so() -> None:
    """The listener has heard enough: the third word waits, and may still be lost."""
    one = System(talk(1, 3, 3, {"lose"}, refused="wait")).instance(keys={"talkers": ["Man1"]})
    for _ in range(3):
        one.talkers["Man1"].say(x=1)
    one.deliver(one.waiting[0])
    one.deliver(one.waiting[0])
    assert len(one.snapshot.waiting) == 1
    (step,) = one.deliver(one.waiting[0]).steps
    assert isinstance(step.answer, Refused)
    assert "the channel `air` keeps what is refused" in step.answer.reason
    assert (one.listener.heard, len(one.snapshot.waiting)) == ((1, 1), 1)
    one.deliver(one.waiting[1])
    assert one.waiting == ()


def test_what_waits_in_a_mailbox_has_no_sender() -> None:
    """A snapshot from elsewhere that names one is not of this system."""
    system = talk(2, 1, 2, set(), shared=True)
    one = System(system).instance(keys={"talkers": MEN})
    one.talkers["Man1"].say(x=1)
    (place,) = one.snapshot.waiting
    wrong = evolve(one.snapshot, waiting=FrozenMap({evolve(place, sender="Man1"): {"x": 1}}))
    with pytest.raises(sm.ArgumentsError, match="the channel `air` is shared"):
        System(system).instance(wrong)


def test_what_may_arrive_in_any_order_has_no_oldest() -> None:
    """So nothing can be dropped as that."""
    with pytest.raises(SpecError, match="may reorder, and drops the oldest") as refused:
        talk(1, 1, 1, {"reorder"}, "drop old")
    assert [one.code for one in refused.value.diagnostics] == ["SM419"]


def test_what_comes_through_a_channel_comes_by_it_alone() -> None:
    """Nobody hears what nobody said."""
    one = System(talk(1, 1, 1, set())).instance(keys={"talkers": ["Man1"]})
    with pytest.raises(NotAllowed, match="it comes through the channel `air` alone"):
        one.listener.hear(x=1)


def test_fates_are_offered_as_the_channel_may() -> None:
    """Losing and repeating are steps like any other; a repeated event goes on waiting."""
    one = System(talk(1, 2, 2, {"lose", "repeat"})).instance(keys={"talkers": ["Man1"]})
    one.talkers["Man1"].say(x=1)
    assert [place.fate for place in one.waiting] == [
        DeliveryOutcome.DELIVERED,
        DeliveryOutcome.REPEATED,
        DeliveryOutcome.LOST,
    ]
    one.deliver(one.waiting[1])
    assert (one.listener.heard, len(one.snapshot.waiting)) == ((1,), 1)
    assert one.deliver(one.waiting[2]).steps == ()
    assert (one.listener.heard, one.waiting) == ((1,), ())


def test_what_others_wait_for_is_not_looked_at() -> None:
    """Two couples that have nothing to do with each other take twice the questions of one, however many states there are together."""
    one, two = couples(1), couples(2)
    alone = explored(one)
    both = explored(two)
    assert both.states == alone.states**2
    assert len(two.linked.forest.leaves) == 2 * len(one.linked.forest.leaves)


def test_couples_that_change_places_are_one_up_to_symmetry() -> None:
    """Queues change places with their senders and receivers: of two couples there are n (n + 1) / 2 states."""
    alone = explored(couples(1))
    both = explored(couples(2), symmetry=True)
    assert both.states == alone.states * (alone.states + 1) // 2


def begun(men: int, air: Air, said: list[int]) -> SystemDefinition:
    """Return talkers each of whom has said these words before it begins."""
    begins = "".join(
        "\n  - {on: talkers, begins: true, send: listener.hear,"
        f" args: {{x: '{word}'}}, through: air}}"
        for word in said
    )
    text = TALK.replace("links:", f"links:{begins}")
    values = ("HOLDS", air.holds), ("MAY", f"[{', '.join(sorted(air.may))}]"), ("FULL", air.full)
    more = ("REFUSED", air.refused), ("SHARED", str(air.shared).lower()), ("MEN", men)
    for name, value in (*values, *more):
        text = text.replace(name, str(value))
    path = written(text, "")
    (path.parent / "Talker.yaml").write_text(TALKER.replace("MOST", "1").lstrip())
    (path.parent / "Listener.yaml").write_text(LISTENER.lstrip())
    return system_of(load_system(path))


def under_way(men: int, air: Air, said: list[int]) -> tuple[tuple[int, ...], ...] | None:
    """Return what is in the queues then; None: one cannot hold it."""
    queues = [said] * men if not air.shared else [[word for word in said for _ in range(men)]]
    if air.full == "refuse" and len(queues[0]) > air.holds:
        return None
    held = slice(-air.holds, None) if air.full == "drop old" else slice(air.holds)
    return tuple(
        tuple(sorted(queue[held]) if "reorder" in air.may else queue[held]) for queue in queues
    )


@given(st.integers(1, 2), AIR, st.lists(st.integers(1, 2), min_size=1, max_size=2))
@FEW
def test_what_is_under_way_at_the_beginning_is_explored_as_lists_are(
    men: int, air: Air, said: list[int]
) -> None:
    """By rows and on arrays, and an embedded and a generated system begin so; where a queue cannot hold it nothing begins."""
    system, queues = begun(men, air, said), under_way(men, air, said)
    if queues is None:
        with pytest.raises(sm.ArgumentsError, match="does not begin so: the channel `air` is full"):
            explore(system)
        return
    begin: State = ((1,) * men, (), queues)
    known, steps = {begin: 0}, 0
    for now in (pending := [begin]):
        for after in by_hand(now, air):
            steps += 1
            if after not in known:
                known[after] = known[now] + 1
                pending.append(after)
    for engine in ("rows", "arrays"):
        found = explore(system, how=ExplorationOptions(engine=engine))
        assert (found.states, found.transitions) == (len(known), steps)
    both = explore(system, how=ExplorationOptions(symmetry=True))
    assert both.states == len({mirrored(one) for one in known} if men == 2 else known)
    one = System(system).instance(keys={"talkers": MEN[:men]})
    assert len(one.snapshot.waiting) == sum(map(len, queues))
    walk_beside(system, len(said), 30)


STATES = ("A", "B", "C")
MOVES = st.dictionaries(
    st.tuples(st.sampled_from(STATES), st.sampled_from(["rest", "say", "hear"])),
    st.sampled_from(STATES),
    max_size=6,
)
CHAIN = """
notation: 1
system: House
types: {Man: id}
parts:
  talkers: {machine: Talker, each: Man}
  listener: {machine: Listener}
  last: {machine: Last}
channels:
  hand: {holds: 0}
links:
  - {on: talkers, event: say, send: listener.hear, through: hand}
  - {on: listener, event: hear, send: last.hear, through: hand}
scope: {Man: MEN}
"""
Table = dict[tuple[str, str], str]
Chain = tuple[tuple[str, ...], str, str]
"""Where the talkers are, who hears them, and who hears that one."""


@frozen
class Hand:
    """A chain of machines, each of which hands on what it is told."""

    talker: Table
    listener: Table
    last: Table
    ignores: bool
    """Whether the last one swallows what it does not take."""

    def system(self, men: int, channel: str = "{holds: 0}") -> SystemDefinition:
        """Return all of them in one system."""
        path = written(CHAIN.replace("MEN", str(men)).replace("{holds: 0}", channel), "")
        named = ("Talker", self.talker), ("Listener", self.listener), ("Last", self.last)
        for name, table in named:
            lines = [
                "notation: 1",
                f"machine: {name}",
                "states: {A: {initial: true}, B: {}, C: {}}",
                "events: {rest: {args: {}}, say: {args: {}}, hear: {args: {}}}",
                "transitions:",
            ]
            lines += [f"  - {{from: {a}, to: {b}, event: {e}}}" for (a, e), b in table.items()]
            lines += [] if table else ["  []"]
            if name == "Last" and self.ignores:
                lines.append("otherwise: [{event: hear, does: ignore}]")
            (path.parent / f"{name}.yaml").write_text("\n".join(lines) + "\n")
        return system_of(load_system(path))

    def steps(self, now: Chain) -> Iterator[Chain]:
        """Yield where each step leads: a word is said, heard and passed on, or nothing happens."""
        talkers, listener, last = now
        heard = self.listener.get((listener, "hear"))
        passed = self.last.get((last, "hear"), last if self.ignores else None)
        for man, state in enumerate(talkers):
            for event in ("rest", "say", "hear"):
                after = self.talker.get((state, event))
                if after is None or (event == "say" and (heard is None or passed is None)):
                    continue
                moved = (*talkers[:man], after, *talkers[man + 1 :])
                if event == "say":
                    assert heard is not None
                    assert passed is not None
                    yield moved, heard, passed
                else:
                    yield moved, listener, last
        for event in ("rest", "say"):
            if (listener, event) in self.listener:
                yield talkers, self.listener[listener, event], last
            if (last, event) in self.last:
                yield talkers, listener, self.last[last, event]


@given(st.builds(Hand, MOVES, MOVES, MOVES, st.booleans()), st.integers(1, 2), st.integers(0, 1000))
@FEW
def test_what_is_handed_over_is_taken_with_the_step_that_sends_it(
    hand: Hand, men: int, seed: int
) -> None:
    """By rows, on arrays, embedded and generated: all who pass it on take it, or nobody steps."""
    begin: Chain = (("A",) * men, "A", "A")
    known, steps = {begin}, 0
    for now in (pending := [begin]):
        for after in hand.steps(now):
            steps += 1
            if after not in known:
                known.add(after)
                pending.append(after)
    system = hand.system(men)
    for engine in ("rows", "arrays"):
        found = explore(system, how=ExplorationOptions(engine=engine))
        assert (found.states, found.transitions) == (len(known), steps)
    walk_beside(system, seed, 30)


def test_what_nobody_takes_is_not_said() -> None:
    """The talker stays where it is, and is told why; the listener hears by the talker alone."""
    hand = Hand({("A", "say"): "B"}, {("B", "hear"): "C", ("A", "rest"): "B"}, {}, ignores=True)
    house = System(hand.system(1)).instance(keys={"talkers": ["Man1"]})
    why = "the channel `hand` holds nothing, and `listener.hear` is not taken"
    with pytest.raises(NotAllowed, match=why):
        house.talkers["Man1"].say()
    house.listener.rest()
    with pytest.raises(NotAllowed, match="it comes through the channel `hand` alone"):
        house.listener.hear()
    house.talkers["Man1"].say()
    assert (house.talkers["Man1"].state, house.listener.state) == ("B", "C")
    assert house.waiting == ()


@pytest.mark.parametrize(
    ("channel", "said"),
    [
        ("{holds: 0, may: [lose]}", "holds 0, and says `may`"),
        ("{holds: 0, full: drop new}", "holds 0, and says `full`"),
        ("{holds: 0, refused: wait}", "holds 0, and says `refused`"),
        ("{holds: 0, shared: true}", "holds 0, and says `shared`"),
        ("{holds: -1}", "holds `-1`"),
    ],
)
def test_what_holds_nothing_has_nothing_that_waits(channel: str, said: str) -> None:
    """So nothing can become of it there."""
    hand = Hand({("A", "say"): "B"}, {}, {}, ignores=True)
    with pytest.raises(SpecError, match=said) as refused:
        hand.system(1, channel)
    assert "SM419" in [found.code for found in refused.value.diagnostics]
