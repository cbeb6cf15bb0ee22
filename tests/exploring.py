"""Random small machines with data and properties, and a search that is too simple to be wrong."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from hypothesis import strategies as st

from statemachines.model.definitions.data_definitions import Argument
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    NamedValues,
    Raised,
    Snapshot,
)
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    ValueContext,
    default_domain_sizes,
    enumerate_values,
)
from tests.data_machines import machine

HEAD = """
types: {Job: id}
errors: {Broken: It broke.}
states: {A: {initial: true}, B: {}, C: {final: true}}
variables: {x: "0..3 = 0", y: "0..3 = 0", held: "set[Job] = set()"}
scope: {Job: 2}
events:
  up: {args: {by: 1..2}}
  take: {args: {job: Job}}
  drop: {args: {job: held}}
  swap: {}
"""
GUARDS = ("x < 2", "y <= x", "len(held) < 2", "held != set()", "x == y", "x + y < 4")
EFFECTS = {
    "up": (
        '{x: "min(x + by, 3)"}',
        '{y: "min(y + by, 3)"}',
        '{x: "min(x + by, 3)", y: x}',
        '{y: "max(y - by, 0)"}',
    ),
    "take": ('{held: "held | {job}"}', '{held: "{job}"}', '{held: "held | {job}", x: len(held)}'),
    "drop": ('{held: "held - {job}"}', '{held: "set()", y: "min(y + 1, 3)"}', '{x: "0"}'),
    "swap": ("{x: y, y: x}", '{x: "3"}', '{y: "0", held: "set()"}'),
}
CONDITIONS = (
    "x != 3",
    "y < 3",
    "x + y != 4",
    "len(held) < 2",
    "state != 'C'",
    "implies(state == 'B', x <= y)",
    "not (x == 2 and held != set())",
)
STEPS = (
    "x >= before.x",
    "implies(before.state == 'B', state != 'A')",
    "len(held) <= len(before.held) + 1",
    "y != before.x or x == before.x",
)


@st.composite
def machines(draw: st.DrawFn) -> MachineDefinition:
    """Draw a machine with three states, two numbers, a set of jobs, and some properties of which most are wrong."""
    lines = [HEAD, "transitions:"]
    for source in "ABC":
        for event, effects in EFFECTS.items():
            if draw(st.booleans()):
                raises = ", raises: Broken" if draw(st.integers(0, 4)) == 0 else ""
                target, guard, effect = (
                    draw(st.sampled_from(each)) for each in ("ABC", GUARDS, effects)
                )
                lines.append(
                    f'  - {{from: {source}, to: {target}, event: {event}, guard: "{guard}", effect: {effect}{raises}}}'
                )
    if len(lines) == 2:
        lines.append("  - {from: A, to: B, event: swap}")
    until = draw(st.sampled_from(["", ", until: raised"]))
    lines += [
        "always:",
        *(f'  a{n}: {{holds: "{one}"{until}}}' for n, one in enumerate(CONDITIONS)),
    ]
    lines += ["each step:", *(f'  e{n}: {{holds: "{one}"{until}}}' for n, one in enumerate(STEPS))]
    lines += [
        "sometimes:",
        *(
            f'  s{n}: "{one}"'
            for n, one in enumerate(("x == 3 and y == 3", "len(held) == 2", "state == 'C'"))
        ),
    ]
    return machine("\n".join(lines))


def enumerate_arguments(
    behaviour: Behaviour,
    extent: DomainSizes,
    snapshot: Snapshot,
    event: str,
    *,
    most: int | None = None,
) -> Iterator[NamedValues]:
    """Yield all arguments of an event at a moment, those against `where` left out, the plain way."""
    where = behaviour.argument_condition(event)
    for assignment in itertools.islice(
        _assignments(behaviour, extent, snapshot, behaviour.signature(event).arguments, {}), most
    ):
        if where is None or where(
            snapshot.state, snapshot.variables, snapshot.parameters, assignment
        ):
            yield assignment


def _assignments(
    behaviour: Behaviour,
    extent: DomainSizes,
    snapshot: Snapshot,
    arguments: tuple[Argument, ...],
    known: NamedValues,
) -> Iterator[NamedValues]:
    """Yield all values of the first argument with all of those after it, which may depend on it."""
    if not arguments:
        yield known
        return
    moment = ValueContext(
        behaviour, extent, snapshot.state, snapshot.variables, snapshot.parameters, known
    )
    for value in enumerate_values(arguments[0].type, moment):
        yield from _assignments(
            behaviour, extent, snapshot, arguments[1:], {**known, arguments[0].name: value}
        )


class Simple:
    """All snapshots and steps of a machine, found by asking `step` about everything."""

    def __init__(self, machine: MachineDefinition) -> None:
        self.machine = machine
        self.behaviour = machine_tables(machine).behaviour

    def begins(self) -> list[Snapshot]:
        """The beginnings."""
        return list(initial_snapshots(self.machine))

    def steps(self, snapshot: Snapshot) -> Iterator[Answer]:
        """Every answer that is a step."""
        for event in machine_tables(self.machine).events:
            for arguments in enumerate_arguments(
                self.behaviour, default_domain_sizes(self.behaviour), snapshot, event
            ):
                answer = step(self.machine, snapshot, event, **arguments)
                if isinstance(answer, Advanced | Forced) or (
                    isinstance(answer, Raised) and answer.decided_by in self.machine.transitions
                ):
                    yield answer

    def shortest(
        self,
        wrong: Callable[[Snapshot], bool],
        wrong_step: Callable[[Snapshot, Snapshot], bool],
        *,
        raising: bool = True,
    ) -> int | None:
        """The fewest steps to what is wrong; None where nothing is."""
        level, seen, length = self.begins(), list[Snapshot](), 0
        while level:
            if any(map(wrong, level)):
                return length
            following = list[Snapshot]()
            for snapshot in level:
                for answer in self.steps(snapshot):
                    if raising or not isinstance(answer, Raised):
                        if wrong_step(snapshot, answer.after):
                            return length + 1
                        following.append(answer.after)
            seen += level
            level = [
                each
                for place, each in enumerate(following)
                if each not in seen and each not in following[:place]
            ]
            length += 1
        return None

    def reachable(self) -> list[Snapshot]:
        """Every snapshot that can be reached."""
        found = self.begins()
        for snapshot in found:
            for one in self.steps(snapshot):
                if one.after not in found:
                    found.append(one.after)
        return found
