"""A random walk: a machine tried out within its scope, its properties looked at on the way.

A walk shows what is wrong; what it does not meet, it says nothing of.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from random import Random

import attrs
from attrs import field, frozen

from statemachines.explore.drawing import MOST_GONE_THROUGH, MOST_TRIED, Values, all_arguments, draw_arguments, draw_parameters, wider
from statemachines.model.data import Claim, Property
from statemachines.model.expressions import Expression
from statemachines.model.machines import Machine
from statemachines.model.snapshots import Answer, Forced, Raised, Refused, Snapshot
from statemachines.model.verdicts import Verdict
from statemachines.semantics.behaviour import Behaviour
from statemachines.semantics.choices import Extent, extent_of
from statemachines.semantics.starts import starts
from statemachines.semantics.step import decided
from statemachines.semantics.tables import Tables, tables_of

PATIENCE = 4
"""How often each event is tried with random arguments before all arguments are gone through."""


@frozen
class Occurrence:
    """One event of a walk and what became of it."""

    event: str
    arguments: Values
    answer: Answer


@frozen
class Noticed:
    """What a walk shows of one property."""

    property: Property
    verdict: Verdict
    at: int | None = None
    """How many steps lead to the snapshot that breaks it, or that is the witness; None where nothing was met."""
    said: str = ""


@frozen
class Walk:
    """A run of a machine, the same for the same seed."""

    machine: Machine
    seed: int
    begin: Snapshot
    steps: tuple[Occurrence, ...]
    noticed: tuple[Noticed, ...]
    wrong: tuple[str, ...] = ()
    """Errors of the spec itself: a variable would leave its type."""
    stuck: bool = False
    """Whether it ended early because no event changed anything."""
    refused: Mapping[str, int] = field(factory=dict)
    """Event to how often it was refused or ignored on the way."""

    @property
    def snapshots(self) -> tuple[Snapshot, ...]:
        """The snapshots of the run, the first one included."""
        return (self.begin, *(step.answer.after for step in self.steps))

    @property
    def verdict(self) -> Verdict:
        """VIOLATED where a property is broken that is not expected to be, or the spec is wrong; a walk alone never HOLDS."""
        broken = any(one.verdict is Verdict.VIOLATED for one in self.noticed)
        return Verdict.VIOLATED if broken or self.wrong else Verdict.INCONCLUSIVE


def simulate(
    machine: Machine,
    *,
    seed: int = 0,
    steps: int = 100,
    parameters: Values | None = None,
    sizes: Mapping[str, int] | None = None,
    begin: Snapshot | None = None,
    integers: tuple[int, int] | None = None,
    longest: int | None = None,
) -> Walk:
    """Walk through a machine at random.

    Args:
        machine: in one release.
        seed: the same seed, machine and options give the same walk.
        steps: how many events that change something, or raise, at most.
        parameters: of the instance; those of the spec's `scope` where they are not given, else random ones.
        sizes: `id` type to how many values it has; those of the spec's `scope` where they are not given, else two.
        begin: where the walk begins, with its parameters, in place of a beginning that is drawn.
        integers: the range of integers without bounds; that of the spec's `scope` where it is not given, else 0 to 3.
        longest: the longest list that is drawn; that of the spec's `scope` where it is not given, else two.

    Raises:
        ArgumentsError: no parameters fit, or nothing may begin with them.
    """
    random = Random(seed)
    tables = tables_of(machine)
    extent = wider(extent_of(tables.behaviour), sizes or {}, integers, longest)
    if begin is None:
        drawn = draw_parameters(tables.behaviour, extent, random, parameters or {})
        begin = random.choice(starts(machine, **drawn))
    walk = _Walker(tables, extent, random, begin, begin)
    walk.go(steps)
    return Walk(
        machine, seed, begin, tuple(walk.steps), tuple(_noticed(tables.behaviour, walk)), tuple(walk.wrong), walk.stuck, walk.refused
    )


@attrs.define
class _Walker:
    """A walk as it is made."""

    tables: Tables
    extent: Extent
    random: Random
    begin: Snapshot
    now: Snapshot
    steps: list[Occurrence] = field(factory=list)
    wrong: list[str] = field(factory=list)
    refused: dict[str, int] = field(factory=dict)
    stuck: bool = False

    def go(self, steps: int) -> None:
        while len(self.steps) < steps:
            taken = self._next()
            if taken is None:
                self.stuck = True
                return
            self.steps.append(taken)
            self.now = taken.answer.after

    def _next(self) -> Occurrence | None:
        """Find an event that does something."""
        events = list(self.tables.events) * PATIENCE
        self.random.shuffle(events)
        for event in events:
            arguments = draw_arguments(self.tables.behaviour, self.extent, self.now, event, self.random)
            taken = None if arguments is None else self._try(event, arguments)
            if taken is not None:
                return taken
        return self._search()

    def _try(self, event: str, arguments: Values) -> Occurrence | None:
        """Let an event happen; None where nothing comes of it."""
        answer = decided(self.tables, self.now, event, arguments)
        if isinstance(answer, Refused) and answer.reason:
            self.wrong.append(f"{event}({_written(arguments)}): {answer.reason}")
        if is_change(self.now, answer):
            return Occurrence(event, arguments, answer)
        self.refused[event] = self.refused.get(event, 0) + 1
        return None

    def _search(self) -> Occurrence | None:
        """Go through all arguments of all events where luck found none that does something."""
        for event in self.tables.events:
            everything = all_arguments(self.tables.behaviour, self.extent, self.now, event, most=MOST_GONE_THROUGH)
            for arguments in itertools.islice(everything, MOST_TRIED):
                taken = self._try(event, arguments)
                if taken is not None:
                    return taken
        return None


def is_change(before: Snapshot, answer: Answer) -> bool:
    """Tell whether an answer is worth a step of a walk: something changed, was forced or raised."""
    return answer.after != before or isinstance(answer, Forced | Raised)


def _written(arguments: Values) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


def _noticed(behaviour: Behaviour, walk: _Walker) -> Iterator[Noticed]:
    """Look at each property over a finished walk."""
    snapshots = [walk.begin, *(step.answer.after for step in walk.steps)]
    for claimed in behaviour.machine.data.properties:
        yield _as_expected(_look(behaviour, claimed, snapshots, walk))


def _as_expected(noticed: Noticed) -> Noticed:
    """Turn the verdict of a known bug round: that it fails is right."""
    if not noticed.property.expect_fails:
        return noticed
    if noticed.verdict is not Verdict.VIOLATED:
        return attrs.evolve(noticed, verdict=Verdict.INCONCLUSIVE)
    return attrs.evolve(noticed, verdict=Verdict.HOLDS, said=f"{noticed.said}, as expected")


def _look(behaviour: Behaviour, claimed: Property, snapshots: list[Snapshot], walk: _Walker) -> Noticed:
    """Look at one property."""
    last = _until(claimed, walk)
    match claimed.claim:
        case Claim.ALWAYS:
            places = (place for place, each in enumerate(snapshots[: last + 1]) if not _holds(behaviour, claimed.holds, each))
            return _first(claimed, places, "does not hold here")
        case Claim.EACH_STEP:
            pairs = enumerate(itertools.pairwise(snapshots[: last + 1]), 1)
            places = (place for place, (old, new) in pairs if not _holds(behaviour, claimed.holds, new, old))
            return _first(claimed, places, "does not hold of this step")
        case Claim.SOMETIMES:
            place = next((place for place, each in enumerate(snapshots) if _holds(behaviour, claimed.holds, each)), None)
            return Noticed(claimed, Verdict.INCONCLUSIVE if place is None else Verdict.HOLDS, place, "" if place is None else "a witness")
        case Claim.NO_DEADLOCK:
            return _deadlock(claimed, walk, snapshots)
    return Noticed(claimed, Verdict.INCONCLUSIVE)


def _until(claimed: Property, walk: _Walker) -> int:
    """Return how many steps a property is claimed of."""
    raised = [place for place, step in enumerate(walk.steps) if isinstance(step.answer, Raised)]
    return raised[0] if claimed.until_raised and raised else len(walk.steps)


def _first(claimed: Property, places: Iterator[int], said: str) -> Noticed:
    place = next(places, None)
    return Noticed(claimed, Verdict.INCONCLUSIVE) if place is None else Noticed(claimed, Verdict.VIOLATED, place, said)


def _deadlock(claimed: Property, walk: _Walker, snapshots: list[Snapshot]) -> Noticed:
    """Say whether a walk ended where it may not: a walk that found no event is no proof that there is none."""
    if not walk.stuck or may_stop(walk.tables, snapshots[-1]):
        return Noticed(claimed, Verdict.INCONCLUSIVE)
    return Noticed(claimed, Verdict.VIOLATED, len(walk.steps), "no event changes anything here, and it is not final")


def may_stop(tables: Tables, snapshot: Snapshot) -> bool:
    """Tell whether it is legal to stop: in a final state, or where `final` holds."""
    final = tables.machine.data.final
    if final is not None and _holds(tables.behaviour, final, snapshot):
        return True
    return bool(tables.final >> tables.number[snapshot.state] & 1)


def _holds(behaviour: Behaviour, node: Expression | None, snapshot: Snapshot, before: Snapshot | None = None) -> bool:
    """Evaluate a condition over a snapshot; what is claimed without a condition holds."""
    if node is None:
        return True
    return bool(behaviour.evaluate(node)(snapshot.state, snapshot.variables, snapshot.parameters, None, before))
