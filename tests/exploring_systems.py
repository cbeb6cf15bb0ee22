"""Random small systems with rules, and a search of them that is too simple to be wrong: it asks `step_system` about everything.

Nothing here comes from `explore`: beginnings, arguments, renamings and fairness are gone through by other means.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial

from attrs import evolve, frozen
from hypothesis import strategies as st

from statemachines.model.definitions.data_definitions import Property
from statemachines.model.definitions.machine_definitions import Transition
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Raised,
    Snapshot,
    Value,
)
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemAnswer,
    SystemDefinition,
    SystemSnapshot,
)
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.model.language.value_types import IntType
from statemachines.notation import load_system, system_of
from statemachines.semantics.system.channels import place_of, possible_fates
from statemachines.semantics.system.system_initial_snapshots import initial_system_snapshot
from statemachines.semantics.system.system_step import deliver_event, step_system
from statemachines.semantics.system.system_tables import system_tables
from tests.systems import written

BULB = """
notation: 1
machine: Bulb
states: {OFF: {initial: true, final: true}, ON: {doc: Light.}, BROKEN: {final: true}}
errors: {Fused: Too hard.}
events:
  press: {args: {hard: bool}}
transitions:
  - {from: OFF, to: ON, event: press, guard: not hard}
  - {from: ON, to: BROKEN, event: press, guard: hard, raises: Fused}
  - {from: ON, to: OFF, event: press, guard: not hard}
  - {from: BROKEN, to: BROKEN, event: press}
"""
COUNTER = """
notation: 1
machine: Counter
types: {Pair: {left: 0..1, right: bool}}
variables:
  n: "BOUNDS = 0"
  seen: "set[1..2] = set()"
  at: {type: "map[bool, Pair?]", initial: "{False: None, True: None}"}
events:
  up: {args: {by: 1..2}, guard: GUARD, effect: {n: n + by, seen: "{by}"}}
  put: {guard: "seen == {2}", effect: {at: "at | {True: Pair(1, 1 in seen)}"}}
"""
HEAD = """
notation: 1
system: House
types: {Room: id}
parts:
  door: {machine: Door}
  lamps: {machine: Bulb2, each: Room}
  alarm: {machine: Door, optional: true}
COUNTED
CHANNELS
scope: {Room: ROOMS}
variables: {opened: "0..2 = 0", last: "Room? = None"}
"""
LINKS = (
    "{on: door, enters: OPEN, send: lamps.press, args: {hard: 'False'}, later: true}",
    "{on: door, enters: OPEN, send: lamps.press, args: {hard: 'opened == 1'}}",
    "{on: door, leaves: OPEN, send: alarm.to_SHUT}",
    "{on: door, enters: OPEN, effect: {opened: 'min(opened + 1, 2)'}}",
    "{on: door, enters: SHUT, effect: {opened: 'opened - 1'}}",
    "{on: lamps, enters: BROKEN, only if: door.state == 'OPEN'}",
    "{on: lamps, event: press, guard: hard or opened == 0, send: alarm.to_OPEN}",
    "{on: lamps, enters: 'ON', effect: {last: key}}",
    "{on: lamps, enters: 'ON', guard: last is not None, send: 'lamps[key].press', args: {hard: 'True'}, later: true}",
    "{on: alarm, enters: OPEN, send: door.to_SHUT, later: true}",
    "{on: alarm, leaves: OPEN, effect: {last: None, opened: '0'}}",
    "{on: lamps, leaves: 'OFF', send: door.to_SHUT, later: true}",
    "{on: lamps, enters: 'ON', send: 'lamps[set(lamps) - {key}].press', args: {hard: 'False'}, later: true}",
    "{on: lamps, begins: true, guard: alarm is not None, send: 'lamps[key].press', args: {hard: 'True'}, later: true}",
)
WIRED = (
    "{on: lamps, enters: BROKEN, send: alarm.to_OPEN, through: wire}",
    "{on: door, enters: OPEN, send: alarm.to_SHUT, through: wire}",
    "{on: lamps, leaves: 'OFF', send: alarm.to_SHUT, through: wire}",
    "{on: alarm, leaves: OPEN, send: lamps.press, args: {hard: 'opened == 1'}, through: wire}",
    "{on: lamps, enters: BROKEN, send: 'lamps[set(lamps) - {key}].press', args: {hard: 'True'}, through: wire}",
    "{on: door, begins: true, send: alarm.to_SHUT, through: wire}",
)
FROZEN = tuple(
    f"{{on: {part}, {what}, only if: opened < 2}}"
    for part, what in (
        ("door", "enters: [OPEN, SHUT]"),
        ("lamps", "event: press"),
        ("alarm", "enters: [OPEN, SHUT]"),
    )
)
"""Once the door was opened twice nothing changes any more; without the second, broken lamps may be pressed for ever, which changes nothing."""
COUNTED = (
    "{on: alarm, enters: OPEN, send: counter.up, args: {by: '1'}}",
    "{on: counter, event: up, guard: by == 2, effect: {opened: '0'}}",
    "{on: counter, event: put, send: alarm.to_SHUT, later: true}",
)
STATES = (
    "opened < 2",
    "last is None",
    "not all(l.state == 'ON' for l in lamps.values())",
    "alarm is None or alarm.state == 'SHUT'",
    "implies(door.state == 'SHUT', all(l.state != 'BROKEN' for l in lamps.values()))",
)
ENABLED = (
    "enabled(lamps.press, hard=True)",
    "implies(door.state == 'SHUT', any(enabled(lamps.press, key=k, hard=False) for k in lamps.keys()))",
    "alarm is None or enabled(alarm.to_SHUT) or enabled(alarm.to_OPEN)",
    "not enabled(door.to_OPEN)",
)
STEPS = (
    "opened >= before.opened",
    "implies(before.door.state == 'OPEN', last == before.last)",
    "all(implies(before.lamps[k].state == 'BROKEN', lamps[k].state == 'BROKEN') for k in lamps.keys() if k in before.lamps.keys())",
)
WITNESSES = (
    "all(l.state == 'BROKEN' for l in lamps.values())",
    "opened == 2 and last is not None",
    "last == 3",
)
PROMISES = (
    ("door.state == 'OPEN'", "door.state == 'SHUT'"),
    ("last is not None", "any(l.state == 'BROKEN' for l in lamps.values())"),
    ("opened == 1", "opened != 1"),
)
FAIR = (
    "[any step]",
    "[door, {lamps: each key}]",
    "[door.to_SHUT]",
    "[{lamps.press: each key}]",
    "[door.to_OPEN, {lamps.press: each hard}]",
    "[alarm.to_SHUT, door.to_SHUT]",
    "",
)
ROOMS = ("Room1", "Room2")
ARGUMENTS: Mapping[str, tuple[Mapping[str, Value], ...]] = {
    "press": ({"hard": False}, {"hard": True}),
    "up": ({"by": 1}, {"by": 2}),
}


@st.composite
def systems(draw: st.DrawFn) -> SystemDefinition:
    """Draw a house: a door, a lamp in each of two rooms, perhaps an alarm and a counter; links of all kinds, rules most of which are wrong."""
    counted, most = draw(st.sampled_from([(False, ""), (False, ""), (True, "0..4"), (True, "int")]))
    head = HEAD.replace("COUNTED", "  counter: {machine: Counter}" if counted else "").replace(
        "ROOMS", "1" if counted else "2"
    )
    trust = draw(st.sets(st.sampled_from(["lose", "repeat", "reorder"]), max_size=2))
    may = f", may: [{', '.join(sorted(trust))}]" if trust else ""
    wired = not counted and draw(st.booleans())
    if may:
        may += draw(st.sampled_from(["", ", shared: true"]))
    if "reorder" not in trust:
        may += draw(st.sampled_from(["", "", ", full: drop new", ", full: drop old"]))
    may += draw(st.sampled_from(["", ", refused: wait"]))
    head = head.replace("CHANNELS", f"channels: {{wire: {{holds: 1{may}}}}}" if wired else "")
    links = draw(
        st.lists(
            st.sampled_from([*LINKS, *(COUNTED if counted else ()), *(WIRED if wired else ())]),
            min_size=1,
            max_size=5,
            unique=True,
        )
    )
    until = draw(st.sampled_from(["", ", until: raised"]))
    if not counted and draw(st.integers(0, 2)):
        links = [*dict.fromkeys([*links, LINKS[3], *draw(st.sampled_from([FROZEN, FROZEN[::2]]))])]
    lines = ["links:", *(f"  - {one}" for one in links)]
    lines += [
        "always:",
        *(f'  a{n}: {{holds: "{one}"{until}}}' for n, one in enumerate(STATES + ENABLED)),
    ]
    lines += ["each step:", *(f'  e{n}: {{holds: "{one}"{until}}}' for n, one in enumerate(STEPS))]
    lines += ["sometimes:", *(f'  s{n}: "{one}"' for n, one in enumerate(WITNESSES[:2]))]
    lines += ["leads to:"]
    for number, (when, then) in enumerate(PROMISES):
        fair = draw(st.sampled_from(FAIR))
        lines.append(
            f'  l{number}: {{when: "{when}", then: "{then}"{", assuming: " + fair if fair else ""}{until}}}'
        )
    lines.append(
        draw(
            st.sampled_from(
                ["no deadlock: true", "no deadlock: false", "final: door.state == 'SHUT'"]
            )
        )
    )
    path = written("\n".join(lines), head)
    (path.parent / "Bulb2.yaml").write_text(BULB.replace("Bulb", "Bulb2").lstrip())
    guard = "n < 3" if most == "0..4" else draw(st.sampled_from(["n < 2", "n < 9"]))
    (path.parent / "Counter.yaml").write_text(
        COUNTER.replace("BOUNDS", most or "0..4").replace("GUARD", guard).lstrip()
    )
    return system_of(load_system(path))


@frozen
class Step:
    """A step, and what was asked."""

    event: str
    key: Value
    arguments: Mapping[str, Value]
    answer: SystemAnswer


@frozen(slots=False, eq=False)
class Simple:
    """All snapshots and steps of a house."""

    system: SystemDefinition

    def begins(self) -> Iterator[SystemSnapshot]:
        """Yield the beginnings."""
        for absent in ([], ["alarm"]):
            yield initial_system_snapshot(
                self.system,
                keys={"lamps": ROOMS[: dict(self.system.data.scope.sizes)["Room"]]},
                absent=absent,
            )

    def steps(self, now: SystemSnapshot) -> Iterator[Step]:
        """Yield every step: events of parts that something takes and nothing forbids, and deliveries."""
        for part, tables in system_tables(self.system).tables.items():
            held = now.parts[part]
            keys = [] if held is None else [None] if isinstance(held, Snapshot) else list(held)
            for key, event in itertools.product(keys, tables.events):
                for arguments in ARGUMENTS.get(event, ({},)):
                    answer = step_system(self.system, now, f"{part}.{event}", key=key, **arguments)
                    if is_step(answer.steps[0].answer):
                        yield Step(f"{part}.{event}", key, arguments, answer)
        for place in possible_fates(system_tables(self.system), now.waiting):
            answer, arguments = deliver_event(self.system, now, place), now.waiting[place_of(place)]
            first = answer.steps[0] if answer.steps else None
            if first is not None and answer.after == now and is_full(first.answer):
                continue
            yield Step(
                "" if first is None else f"{first.part}.{first.event}",
                place.receiver,
                arguments,
                answer,
            )

    def is_outside(self, now: SystemSnapshot) -> bool:
        """Whether nothing is explored from there: counting went too far, or a constraint does not hold."""
        return self.counts_too_far(now) or self.is_beyond(now)

    def is_beyond(self, now: SystemSnapshot) -> bool:
        """Whether the state constraint does not hold."""
        node = self.system.data.scope.constraint
        return node is not None and not system_tables(self.system).holds(node, now)

    def counts_too_far(self, now: SystemSnapshot) -> bool:
        """Whether a counter without bounds counted beyond three."""
        counter = now.parts.get("counter")
        if not isinstance(counter, Snapshot):
            return False
        (bounds,) = [
            one.type
            for one in dict(self.system.machines)["counter"].data.variables
            if one.name == "n"
        ]
        return isinstance(bounds, IntType) and bounds.high is None and counter.variables["n"] > 3

    @cached_property
    def graph(self) -> dict[SystemSnapshot, tuple[Step, ...]]:
        """Every snapshot that can be reached, in the order of a search breadth first, with its steps; none from where counting went too far."""
        return self.searched(raising=True)[0]

    @cached_property
    def far(self) -> dict[SystemSnapshot, int]:
        """How many steps lead to each."""
        return self.searched(raising=True)[1]

    @cached_property
    def known(
        self,
    ) -> dict[bool, tuple[dict[SystemSnapshot, tuple[Step, ...]], dict[SystemSnapshot, int]]]:
        """What was searched, by whether steps that raise were taken."""
        return {}

    def searched(
        self, *, raising: bool
    ) -> tuple[dict[SystemSnapshot, tuple[Step, ...]], dict[SystemSnapshot, int]]:
        """Search breadth first, once."""
        if raising not in self.known:
            self.known[raising] = self._searched(raising=raising)
        return self.known[raising]

    def _searched(
        self, *, raising: bool
    ) -> tuple[dict[SystemSnapshot, tuple[Step, ...]], dict[SystemSnapshot, int]]:
        found: dict[SystemSnapshot, tuple[Step, ...]] = {}
        far = dict.fromkeys(self.begins(), 0)
        for now in (pending := list(far)):
            steps = () if self.is_outside(now) else self.every_step(now)
            found[now] = tuple(one for one in steps if raising or not has_raised(one.answer))
            for one in found[now]:
                if one.answer.after not in far:
                    far[one.answer.after] = far[now] + 1
                    pending.append(one.answer.after)
        return found, far

    def holds(
        self, claimed: Property, now: SystemSnapshot, before: SystemSnapshot | None = None
    ) -> bool:
        """Whether a condition holds in a snapshot, or of a step."""
        assert claimed.holds is not None
        tables = system_tables(self.system)
        seen = tables.evaluation_snapshot(now)
        earlier = None if before is None else tables.evaluation_snapshot(before)
        evaluate = tables.behaviour.evaluator(claimed.holds)
        given = {"enabled": partial(self.is_enabled, now)}
        return bool(evaluate("", seen.variables, seen.parameters, {}, earlier, given))

    def is_enabled(self, now: SystemSnapshot, event: str, given: Mapping[str, Value]) -> bool:
        """Whether some step is an event, with what is given of its arguments."""
        return any(
            one.event == event and {**one.arguments, "key": one.key}.items() >= given.items()
            for one in self.every_step(now)
        )

    def every_step(self, now: SystemSnapshot) -> tuple[Step, ...]:
        """Return every step, also of those from where nothing is explored."""
        if now not in self.asked:
            self.asked[now] = tuple(self.steps(now))
        return self.asked[now]

    @cached_property
    def asked(self) -> dict[SystemSnapshot, tuple[Step, ...]]:
        """Steps that were asked for, by where they begin."""
        return {}

    def shortest(self, claimed: Property, wanted: Callable[[SystemSnapshot], bool]) -> int | None:
        """The fewest steps to a snapshot that is wanted."""
        _, far = self.searched(raising=not claimed.until_raised)
        return min((length for one, length in far.items() if wanted(one)), default=None)

    def shortest_step(self, claimed: Property) -> int | None:
        """The fewest steps of which the last breaks a rule."""
        found, far = self.searched(raising=not claimed.until_raised)
        broken = (
            far[now] + 1
            for now, steps in found.items()
            for one in steps
            if not self.holds(claimed, one.answer.after, now)
        )
        return min(broken, default=None)

    def dead(self) -> Iterator[int]:
        """Yield how far those are that nothing changes and where it is not legal to stop."""
        tables = system_tables(self.system)
        for now, steps in self.graph.items():
            final = self.system.data.final
            legal = final is not None and tables.holds(final, now)
            parts = [
                one
                for held in now.parts.values()
                if held is not None
                for one in ([held] if isinstance(held, Snapshot) else held.values())
            ]
            legal = legal or (
                not now.waiting and all(one.state in ("OFF", "BROKEN", "SHUT") for one in parts)
            )
            if (
                not self.is_outside(now)
                and not legal
                and all(one.answer.after == now for one in steps)
            ):
                yield self.far[now]

    def may_wait_for_ever(self, claimed: Property) -> bool:
        """Whether a fair run comes to `when` and never to `then`: a greatest fixed point (Emerson and Lei), standing still allowed."""
        assert claimed.when is not None
        tables, (graph, _) = (
            system_tables(self.system),
            self.searched(raising=not claimed.until_raised),
        )
        when = {now: tables.holds(claimed.when, now) for now in graph}
        then = {now: self.holds(claimed, now) for now in graph}
        begun = [one for one in graph if when[one] and not then[one]]
        waiting = {now for now in _after(graph, begun, then) if not self.is_outside(now)}
        possible = {now: self.possible(claimed, now) for now in graph}
        while True:
            left = set(waiting)
            for key in set().union(*possible.values()):
                left &= _comes_to(graph, left, partial(_is_done, graph, claimed, key, possible))
            if left == waiting:
                return bool(waiting)
            waiting = left

    def possible(self, claimed: Property, now: SystemSnapshot) -> set[object]:
        """The fair events that would do something: change what there is, or raise where that has never happened before."""
        steps = [
            one
            for one in self.graph[now]
            if one.answer.after != now or (claimed.until_raised and has_raised(one.answer))
        ]
        return {key for one in steps for key in keys_of(claimed, one)}


Graph = Mapping[SystemSnapshot, tuple[Step, ...]]


def _after(
    graph: Graph, begins: list[SystemSnapshot], then: Mapping[SystemSnapshot, bool]
) -> set[SystemSnapshot]:
    """Every snapshot that can be reached from some without coming to `then`."""
    found = set(begins)
    pending = list(begins)
    while pending:
        for one in graph[pending.pop()]:
            after = one.answer.after
            if after not in found and not then[after]:
                found.add(after)
                pending.append(after)
    return found


def _comes_to(
    graph: Graph,
    inside: set[SystemSnapshot],
    done: Callable[[SystemSnapshot, set[SystemSnapshot]], bool],
) -> set[SystemSnapshot]:
    """Those from which a way within leads to where something is done."""
    found = {now for now in inside if done(now, inside)}
    while True:
        more = {
            now for now in inside - found if any(one.answer.after in found for one in graph[now])
        }
        if not more:
            return found
        found |= more


def _is_done(
    graph: Graph,
    claimed: Property,
    key: object,
    possible: Mapping[SystemSnapshot, set[object]],
    now: SystemSnapshot,
    inside: set[SystemSnapshot],
) -> bool:
    """Whether a fair event is not possible in a snapshot, or happens there and stays within."""
    steps = [one for one in graph[now] if one.answer.after != now and key in keys_of(claimed, one)]
    return key not in possible[now] or any(one.answer.after in inside for one in steps)


def keys_of(claimed: Property, one: Step) -> set[object]:
    """What a step is, of all that may not be put off for ever."""
    found = set[object]()
    for number, fair in enumerate(claimed.assuming):
        if fair.event == one.event:
            each = (
                None
                if fair.argument is None
                else one.key
                if fair.argument == "key"
                else one.arguments.get(fair.argument)
            )
            found.add((number if fair.group is None else f"group {fair.group}", each))
    return found


def is_full(answer: Answer) -> bool:
    """Whether nothing came of a delivery, as a channel is full or keeps what is refused."""
    reason = getattr(answer, "reason", "")
    return "is full" in reason or "keeps what is refused" in reason


def is_step(answer: Answer) -> bool:
    """Whether a transition took an event."""
    return isinstance(answer, Advanced | Forced) or (
        isinstance(answer, Raised) and isinstance(answer.decided_by, Transition)
    )


def has_raised(answer: SystemAnswer) -> bool:
    """Whether a part raised."""
    return any(isinstance(step.answer, Raised) for step in answer.steps)


def renamed(now: SystemSnapshot) -> SystemSnapshot:
    """The same with the two rooms changed."""
    lamps = now.parts["lamps"]
    assert isinstance(lamps, Mapping)
    other: dict[Value, Value] = {None: None, **dict(zip(lamps, reversed(list(lamps)), strict=True))}
    parts = FrozenMap({**now.parts, "lamps": FrozenMap({key: lamps[other[key]] for key in lamps})})
    variables = FrozenMap({**now.variables, "last": other[now.variables["last"]]})
    waiting = FrozenMap(
        {
            PendingEvent(
                one.link,
                other.get(one.sender, one.sender),
                other.get(one.receiver, one.receiver),
                one.position,
            ): given
            for one, given in now.waiting.items()
        }
    )
    return evolve(now, parts=parts, variables=variables, waiting=waiting)
