"""Exploring machines with records, maps, sets, what the system chooses, and numbers without bounds: what brute force finds, promises included.

The search here asks the public `step` about arguments that are written down below; it shares no code with `explore`.

Covers: statemachines.api.machine, statemachines.explore.exploration,
statemachines.explore.options, statemachines.explore.results.run_traces,
statemachines.explore.results.property_results, statemachines.semantics.machine.initial_snapshots,
statemachines.semantics.machine.machine_tables, statemachines.semantics.machine.step,
statemachines.semantics.messages.argument_errors.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from functools import partial

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.api.machine import Machine as Held
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.results.run_traces import Trace
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Raised,
    Snapshot,
    Value,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.report.exploration.exploration_report import exploration_report
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.argument_errors import ArgumentsError
from tests.data_machines import machine
from tests.effort import some_of

FEW = settings(
    max_examples=some_of(10),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
LEFT = "an integer without bounds left 0..3; nothing was explored from there"
HEAD = """
types: {Job: id, Info: {left: 0..1, right: bool}}
errors: {Broken: It broke.}
states: {A: {initial: true}, B: {}, C: {final: true}}
variables:
  n: "BOUNDS = 0"
  info: {type: Info, initial: "Info(left=0, right=False)"}
  at: "map[Job, 0..1] = {}"
scope: {Job: 2, int: 0..3}
events:
  up: {args: {by: 1..2}, where: "by <= n + 1"}
  mark: {args: {job: Job, seen: bool}}
  pick: {args: {reached: {type: "set[Job]", chosen: true}}}
  back: {}
"""
GUARDS = (
    "n < 2",
    "at == {}",
    "info.right",
    "not info.right",
    "len(at) < 2",
    "n == info.left",
    "True",
)
EFFECTS = {
    "up": (
        '{n: "min(n + by, 3)"}',
        '{n: "min(n + by, 3)", at: "{}"}',
        '{info: "replace(info, left=by - 1)"}',
        "OPEN",
    ),
    "mark": (
        '{at: "at | {job: 1}"}',
        '{info: "replace(info, right=seen)"}',
        '{at: "{job: info.left}", info: "Info(left=0, right=seen)"}',
    ),
    "pick": (
        '{at: "{job: 0 for job in reached}"}',
        '{info: "replace(info, right=reached == set())"}',
    ),
    "back": ('{n: "0"}', '{at: "{}", info: "Info(left=1, right=True)"}', '{n: "max(n - 1, 0)"}'),
}
CONDITIONS = (
    "n != 3",
    "not info.right",
    "len(at) < 2",
    "state != 'C'",
    "all(v == 0 for v in at.values())",
    "info.left == 0 or n > 0",
    "enabled(up, by=2) or n > 1",
    "not enabled(back)",
    "all(enabled(mark, job=j) for j in at.keys())",
    "implies(enabled(pick), enabled(mark, seen=info.right))",
)
PROMISES = (
    ("enabled(back)", "not enabled(up, by=1)"),
    ("state == 'B'", "state != 'B'"),
    ("info.right", "not info.right"),
    ("n > 0", "n == 0"),
    ("at != {}", "state == 'C'"),
)
FAIR = ("", "[back]", "[{mark: each job}]", "[up, back]", "[{mark: each seen}, pick]")
JOBS = ("Job1", "Job2")
ARGUMENTS: Mapping[str, tuple[dict[str, Value], ...]] = {
    "up": ({"by": 1}, {"by": 2}),
    "mark": tuple({"job": job, "seen": seen} for job in JOBS for seen in (False, True)),
    "pick": tuple(
        {"reached": frozenset(some)}
        for many in range(3)
        for some in itertools.combinations(JOBS, many)
    ),
    "back": ({},),
}


@st.composite
def machines(draw: st.DrawFn) -> MachineDefinition:
    """Draw a machine whose variables are a number, a record and a map; its properties are wrong more often than not."""
    unbounded = draw(st.booleans())
    lines = [HEAD.replace("BOUNDS", "int" if unbounded else "0..3"), "transitions:"]
    for source, (event, effects) in itertools.product("ABC", EFFECTS.items()):
        if draw(st.integers(0, 2)):
            raises = ", raises: Broken" if draw(st.integers(0, 5)) == 0 else ""
            target, guard, effect = (
                draw(st.sampled_from(each)) for each in ("ABC", GUARDS, effects)
            )
            effect = effect.replace("OPEN", '{n: "n + by"}' if unbounded else '{n: "0"}')
            lines.append(
                f'  - {{from: {source}, to: {target}, event: {event}, guard: "{guard}", effect: {effect}{raises}}}'
            )
    if lines[-1] == "transitions:":
        lines.append("  - {from: A, to: B, event: back}")
    lines += [
        "always:",
        *(f'  a{place}: "{one}"' for place, one in enumerate(CONDITIONS)),
        "leads to:",
    ]
    for place, (when, then) in enumerate(PROMISES):
        fair, until = draw(st.sampled_from(FAIR)), draw(st.sampled_from(["", ", until: raised"]))
        lines.append(
            f'  l{place}: {{when: "{when}", then: "{then}"{", assuming: " + fair if fair else ""}{until}}}'
        )
    return machine("\n".join(lines))


class Simple:
    """All snapshots and steps of a machine; or those of runs in which nothing raises."""

    def __init__(self, machine: MachineDefinition, *, raising: bool = True) -> None:
        self.machine, self.tables, self.raising = machine, machine_tables(machine), raising
        self.asked: dict[Snapshot, tuple[tuple[str, dict[str, Value], Answer], ...]] = {}
        self.far = dict.fromkeys(initial_snapshots(machine), 0)
        self.graph: dict[Snapshot, tuple[tuple[str, dict[str, Value], Answer], ...]] = {}
        for now in (pending := list(self.far)):
            steps = () if self.is_outside(now) else self.every_step(now)
            self.graph[now] = tuple(
                one for one in steps if raising or not isinstance(one[2], Raised)
            )
            for *_, answer in self.graph[now]:
                if answer.after not in self.far:
                    self.far[answer.after] = self.far[now] + 1
                    pending.append(answer.after)

    def is_outside(self, now: Snapshot) -> bool:
        """Whether nothing is explored from there: a number is too large, or a constraint does not hold."""
        return now.variables["n"] not in range(4) or self.is_beyond(now)

    def is_beyond(self, now: Snapshot) -> bool:
        """Whether the state constraint does not hold."""
        node = self.machine.data.scope.constraint
        return node is not None and not self.holds(node, now)

    def steps(self, now: Snapshot) -> Iterator[tuple[str, dict[str, Value], Answer]]:
        """Every answer that is a step; arguments against `where` are nobody's."""
        for event, every in ARGUMENTS.items():
            for arguments in every if event in self.tables.events else ():
                try:
                    answer = step(self.machine, now, event, **arguments)
                except ArgumentsError:
                    continue
                if isinstance(answer, Advanced | Forced) or (
                    isinstance(answer, Raised) and isinstance(answer.decided_by, Transition)
                ):
                    yield event, arguments, answer

    def holds(self, node: Expression | None, now: Snapshot) -> bool:
        """Whether a condition holds."""
        assert node is not None
        evaluate = self.tables.behaviour.evaluator(node)
        given = {"enabled": partial(self.is_enabled, now)}
        return bool(evaluate(now.state, now.variables, now.parameters, None, None, given))

    def is_enabled(self, now: Snapshot, event: str, given: Mapping[str, Value]) -> bool:
        """Whether some step is an event, with what is given of its arguments."""
        return any(
            name == event and arguments.items() >= given.items()
            for name, arguments, _ in self.every_step(now)
        )

    def every_step(self, now: Snapshot) -> tuple[tuple[str, dict[str, Value], Answer], ...]:
        """Return every answer that is a step, also from where nothing is explored."""
        if now not in self.asked:
            self.asked[now] = tuple(self.steps(now))
        return self.asked[now]

    def keys(self, claimed: Property, event: str, arguments: Mapping[str, Value]) -> set[object]:
        """What a step is, of all that may not be put off for ever."""
        each = enumerate(claimed.assuming)
        return {
            (place, None if fair.argument is None else arguments[fair.argument])
            for place, fair in each
            if fair.event == event
        }

    def may_wait_for_ever(self, claimed: Property) -> bool:
        """Whether a fair run comes to `when` and never to `then`: a greatest fixed point, standing still allowed."""
        then = {now: self.holds(claimed.holds, now) for now in self.graph}
        waiting = {now for now in self.graph if self.holds(claimed.when, now) and not then[now]}
        while (
            more := {
                answer.after
                for now in waiting
                for *_, answer in self.graph[now]
                if not then[answer.after]
            }
            - waiting
        ):
            waiting |= more
        waiting = {now for now in waiting if not self.is_outside(now)}
        moves = {
            now: [
                (self.keys(claimed, *one[:2]), one[2].after)
                for one in self.graph[now]
                if one[2].after != now
            ]
            for now in waiting
        }
        raised = {
            now: [one for one in self.steps(now) if not self.raising and isinstance(one[2], Raised)]
            for now in waiting
        }
        ends = {
            now: {key for one in steps for key in self.keys(claimed, *one[:2])}
            for now, steps in raised.items()
        }
        every = {key for steps in moves.values() for keys, _ in steps for key in keys}.union(
            *ends.values()
        )
        while True:
            left = set(waiting)
            for key in every:
                found = {
                    now
                    for now in left
                    if key not in ends[now] and all(key not in keys for keys, _ in moves[now])
                }
                found |= {
                    now
                    for now in left
                    if any(key in keys and after in left for keys, after in moves[now])
                }
                while more := {
                    now for now in left - found if any(after in found for _, after in moves[now])
                }:
                    found |= more
                left = found
            if left == waiting:
                return bool(waiting)
            waiting = left


def replays(machine: MachineDefinition, trace: Trace) -> bool:
    """Whether `step` gives every answer of a trace."""
    (now,) = trace.begin
    for one in trace.steps:
        answer = step(machine, now, one.event, **one.arguments)
        if answer != one.answer:
            return False
        now = answer.after
    return True


@given(machines())
@FEW
def test_a_machine_is_explored_as_brute_force_does(machine: MachineDefinition) -> None:
    """States, steps, how far, what a bound leaves open, lengths of counterexamples, promises, deadlocks."""
    check_all(machine)


@given(machines(), st.sampled_from(CONDITIONS[:4]))
@FEW
def test_nothing_is_explored_beyond_a_state_constraint(drawn: MachineDefinition, rule: str) -> None:
    """States beyond it are looked at, not counted and not gone on from; promises are about runs that stay within."""
    always = [one.holds for one in drawn.data.properties if one.kind is PropertyKind.ALWAYS]
    scope = evolve(drawn.data.scope, constraint=always[CONDITIONS.index(rule)])
    limited = evolve(drawn, data=evolve(drawn.data, scope=scope))
    check_all(limited)
    kept = [one for one in limited.data.properties if one.kind is not PropertyKind.LEADS_TO]
    plain = evolve(limited, data=evolve(limited.data, properties=tuple(kept)))
    rows, arrays, copies = (
        explore(plain, how=ExplorationOptions(engine=engine, copies=many, limits=Limits(3000)))
        for engine, many in (("rows", 1), ("arrays", 1), ("rows", 2))
    )
    assert arrays == rows
    if not copies.bounds:
        assert copies.states == rows.states**2


def check_all(machine: MachineDefinition) -> None:
    """Everything that exploring finds is what brute force finds."""
    simple, found = Simple(machine), explore(machine, how=ExplorationOptions(engine="rows"))
    beyond = sum(map(simple.is_beyond, simple.graph))
    assert (found.states, found.beyond_constraint) == (len(simple.graph) - beyond, beyond)
    assert found.depth == max(simple.far.values())
    assert found.transitions == sum(map(len, simple.graph.values()))
    bounded = any(now.variables["n"] not in range(4) for now in simple.graph)
    assert found.bounds == ((LEFT,) if bounded else ())
    for one in found.examined:
        if one.trace is not None:
            assert replays(machine, one.trace), one.name
        if one.property is not None:
            check(simple, one, one.property, bounded=bounded)


def check(simple: Simple, one: PropertyResult, claimed: Property, *, bounded: bool) -> None:
    """What is said of a property is what brute force says."""
    length = None if one.trace is None else len(one.trace.steps)
    match claimed.kind:
        case PropertyKind.ALWAYS:
            assert length == min(
                (far for now, far in simple.far.items() if not simple.holds(claimed.holds, now)),
                default=None,
            )
        case PropertyKind.NO_DEADLOCK:
            stuck = [
                now
                for now, steps in simple.graph.items()
                if not simple.is_outside(now) and all(now == each.after for *_, each in steps)
            ]
            assert length == min(
                (simple.far[now] for now in stuck if now.state != "C"), default=None
            )
        case PropertyKind.LEADS_TO:
            simple = Simple(simple.machine, raising=False) if claimed.until_raised else simple
            assert (length is not None) == simple.may_wait_for_ever(claimed), one.name
            if one.trace is not None:
                assert one.trace.loop_start is not None
                assert one.trace.snapshots[one.trace.loop_start] == one.trace.snapshots[-1]
    undecided = bounded and length is None
    assert one.verdict is (
        Verdict.INCONCLUSIVE if undecided else Verdict.HOLDS if length is None else Verdict.VIOLATED
    )


@given(machines())
@FEW
def test_symmetry_and_arrays_say_the_same_of_data(machine: MachineDefinition) -> None:
    """Jobs are interchangeable as keys of maps and as members of what is chosen; three ways of searching, one answer."""
    plain, symmetry = (
        explore(machine, how=ExplorationOptions(engine="rows")),
        explore(machine, how=ExplorationOptions(symmetry=True)),
    )
    lengths = [
        (one.name, None if one.trace is None else len(one.trace.steps))
        for one in plain.examined
        if one.property
    ]
    others = {
        one.name: None if one.trace is None else len(one.trace.steps) for one in symmetry.examined
    }
    assert all(others[name] == length for name, length in lengths if not name.startswith("leads"))
    orbits = {frozenset([now, _changed(now)]) for now in Simple(machine).graph}
    assert symmetry.states == len(orbits)
    pytest.importorskip("numpy")
    assert explore(machine, how=ExplorationOptions(engine="arrays")) == plain


def _changed(now: Snapshot) -> Snapshot:
    """The same with the two jobs changed."""
    at = now.variables["at"]
    assert isinstance(at, dict)
    other = {"Job1": "Job2", "Job2": "Job1"}
    changed = FrozenMap({other[job]: value for job, value in at.items()})
    return evolve(now, variables=FrozenMap({**now.variables, "at": changed}))


@given(machines())
@FEW
def test_every_program_of_a_machine_runs(machine: MachineDefinition) -> None:
    """What is pasted replays the run, looks at each answer, and ends where the trace ends."""
    shown = exploration_report(machine, [], ExplorationOptions(), "MACHINE")
    for one, each in zip(shown.value.examined, shown.examined, strict=True):
        if isinstance(one, PropertyResult) and one.trace is not None:
            names: dict[str, object] = {"MACHINE": Held(machine)}
            exec(each.program, names)
            assert names["now"] == one.trace.snapshots[-1][0], one.name
