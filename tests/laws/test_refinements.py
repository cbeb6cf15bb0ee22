"""Refinements: what exploring says of two machines is what a search says that is too simple to be wrong.

Covers: statemachines.explore.refinements.abstract_machine, statemachines.explore.refinements.promises_kept,
statemachines.explore.refinements.refined_steps,
statemachines.explore.refinements.refinement_verdicts, statemachines.explore.refinements.step_arrays,
statemachines.explore.results.abstract_runs.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from attrs import define
from hypothesis import given, settings
from hypothesis import strategies as st

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import PropertyResult
from statemachines.explore.results.run_traces import Trace
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation.loading.spec_catalogue import load_spec
from statemachines.notation.releases.machine_selection import machine_of
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step
from tests.effort import some_of

STATES = ("A", "B", "C", "D")
SEEN = ("LOW", "MIDDLE", "HIGH")


@define
class Pair:
    """A machine, and what its states are to one that it may refine."""

    document: dict[str, object]
    seen: dict[str, str]

    def state(self, snapshot: Snapshot) -> tuple[str, int]:
        """Return the state and the number of the abstract machine."""
        return self.seen[snapshot.state], int(snapshot.variables["n"] == 2)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """Draw a machine with a counter, and what its states are seen as."""
    states = STATES[: draw(st.integers(2, 4))]
    seen = {one: draw(st.sampled_from(SEEN)) for one in states}
    guards, effects = ("n > 0", "n < 2", "True"), ("n", "min(n + 1, 2)", "0")
    transitions = [
        {
            "from": draw(st.sampled_from(states)),
            "to": draw(st.sampled_from(states)),
            "event": f"e{number}",
            "guard": draw(st.sampled_from(guards)),
            "effect": {"n": draw(st.sampled_from(effects))},
        }
        for number in range(draw(st.integers(1, 7)))
    ]
    text = "'HIGH'"
    for one, theirs in seen.items():
        text = f"'{theirs}' if state == '{one}' else {text}"
    document: dict[str, object] = {
        "notation": 1,
        "machine": "Concrete",
        "variables": {"n": "0..2 = 0"},
        "states": {one: {"initial": True} if one == states[0] else {} for one in states},
        "transitions": transitions,
        "refines": {"spec": "Abstract", "by": {"state": text, "full": "1 if n == 2 else 0"}},
        "no deadlock": False,
    }
    return Pair(document, seen)


def abstract_document(steps: list[tuple[tuple[str, int], tuple[str, int]]]) -> dict[str, object]:
    """Return a machine that takes some steps, and begins in LOW."""
    document: dict[str, object] = {
        "notation": 1,
        "machine": "Abstract",
        "variables": {"full": "0..1 = 0"},
        "states": {one: {"initial": one == "LOW"} for one in SEEN},
        "transitions": [
            {
                "from": old[0],
                "to": new[0],
                "event": f"a{number}",
                "guard": f"full == {old[1]}",
                "effect": {"full": new[1]},
            }
            for number, (old, new) in enumerate(steps)
        ],
    }
    return document if steps else {key: document[key] for key in document if key != "transitions"}


def written(document: dict[str, object], folder: Path) -> None:
    (folder / f"{document['machine']}.yaml").write_text(yaml.safe_dump(document, sort_keys=False))


def loaded(pair: Pair, abstract: dict[str, object]) -> MachineDefinition:
    """Write both machines, and read the one that refines the other."""
    with TemporaryDirectory() as name:
        written(abstract, Path(name))
        written(pair.document, Path(name))
        return machine_of(load_spec(Path(name) / "Concrete.yaml"))


def steps(machine: MachineDefinition, now: Snapshot) -> Iterator[Snapshot]:
    """Yield what steps lead to."""
    for event in machine_tables(machine).events:
        answer = step(machine, now, event)
        if answer.after != now:
            yield answer.after


def distances(machine: MachineDefinition) -> dict[Snapshot, int]:
    """Return how far each snapshot is from the beginning."""
    far = dict.fromkeys(initial_snapshots(machine), 0)
    pending = list(far)
    for now in pending:
        for after in steps(machine, now):
            if after not in far:
                far[after] = far[now] + 1
                pending.append(after)
    return far


def reached(abstract: MachineDefinition, old: tuple[str, int], most: int) -> set[tuple[str, int]]:
    """Return what so many steps of the abstract machine lead to, the first included."""
    legal = {old}
    for _ in range(most):
        legal |= {
            (after.state, after.variables["full"])
            for state, full in legal
            for after in steps(abstract, Snapshot(state, {"full": full}))
        }
    return legal


def shortest_break(pair: Pair, machine: MachineDefinition, most: int = 1) -> int | None:
    """Return the steps of the shortest run that is none of the abstract machine: by looking at every step."""
    abstract = dict(machine.abstracts)["Abstract"]
    begins = {(one.state, one.variables["full"]) for one in initial_snapshots(abstract)}
    if any(pair.state(one) not in begins for one in initial_snapshots(machine)):
        return 0
    found = []
    for now, far in distances(machine).items():
        legal = reached(abstract, pair.state(now), most)
        for after in steps(machine, now):
            if pair.state(after) not in legal:
                found.append(far + 1)
    return min(found, default=None)


def refinement(machine: MachineDefinition, engine: str) -> PropertyResult[Trace]:
    found = explore(machine, how=ExplorationOptions(engine=engine))
    return next(one for one in found.examined if one.name == "refines Abstract")


@given(pairs(), st.data())
@settings(max_examples=some_of(60), deadline=None)
def test_a_refinement_holds_where_every_step_is_one_of_the_abstract_machine(
    pair: Pair, data: st.DataObject
) -> None:
    """Of a machine that takes what the other does, but for some steps, both engines find the shortest run that shows it;
    also where one step may be several of the other.
    """
    most = data.draw(st.integers(1, 3))
    if most > 1:
        pair.document["refines"] = {**pair.document["refines"], "steps": f"up to {most}"}
    whole = loaded(pair, abstract_document([]))
    taken = {
        (pair.state(now), pair.state(after))
        for now in distances(whole)
        for after in steps(whole, now)
        if pair.state(now) != pair.state(after)
    }
    left_out = data.draw(
        st.sets(st.sampled_from(sorted(taken)), max_size=2) if taken else st.just(set())
    )
    machine = loaded(pair, abstract_document(sorted(taken - left_out)))
    wanted = shortest_break(pair, machine, most)
    for engine in ("rows", "arrays"):
        found = refinement(machine, engine)
        length = None if found.trace is None else len(found.trace.steps)
        assert (found.verdict is Verdict.VIOLATED) == (wanted is not None)
        assert length == wanted
        if found.trace is not None:
            check_sides(pair, dict(machine.abstracts)["Abstract"], found)


def check_sides(pair: Pair, abstract: MachineDefinition, found: PropertyResult[Trace]) -> None:
    """The abstract side is the run as it is seen, and its last step alone is none."""
    assert found.trace is not None
    assert found.abstract is not None
    seen = [pair.state(now) for (now,) in found.trace.snapshots]
    run = found.abstract
    assert [(run.begin.state, run.begin.variables["full"])] == seen[:1]
    assert [(one.after.state, one.after.variables["full"]) for one in run.steps] == seen[1:]
    assert [one.is_legal for one in run.steps] == [True] * (len(seen) - 2) + [False] * (
        len(seen) > 1
    )
    for before, one in zip(
        (run.begin, *(each.after for each in run.steps)), run.steps, strict=False
    ):
        now = before
        for part in (*one.earlier, one) if one.event else ():
            now = step(abstract, now, part.event).after
            assert now == part.after


CONDITIONS = ("state == 'LOW'", "state == 'HIGH'", "full == 1", "state == 'MIDDLE' or full == 0")
PROMISES = (
    {"leads to": {"p": {"when": 0, "then": 1}}},
    {"until": {"p": {"when": 0, "holds": 1, "then": 2}}},
    {"always eventually": {"p": {"holds": 0}}},
    {"eventually always": {"p": {"holds": 0}}},
)


@st.composite
def promised(draw: st.DrawFn) -> tuple[str, dict[str, str], set[str]]:
    """Draw what is promised of the abstract machine: its kind, its conditions, and what is fair of the other."""
    ((kind, named),) = draw(st.sampled_from(PROMISES)).items()
    fields = {key: draw(st.sampled_from(CONDITIONS)) for key in named["p"]}
    return kind, fields, {"e0", *draw(st.sets(st.sampled_from(["e1", "e2"])))}


@given(pairs(), promised(), st.booleans())
@settings(max_examples=some_of(80), deadline=None)
def test_a_promise_of_the_abstract_machine_is_what_is_promised_here_in_other_words(
    pair: Pair, promise: tuple[str, dict[str, str], set[str]], strong: bool
) -> None:
    """A person who writes it again, with what its variables are here in their place, is told the same."""
    kind, fields, wanted = promise
    known = {f"e{number}" for number in range(len(pair.document["transitions"]))}
    fair = {"strongly" if strong else "weakly": sorted(wanted & known)}
    refines: dict[str, object] = {**pair.document["refines"], "assuming": fair}
    by: dict[str, str] = refines["by"]
    here = {
        key: text.replace("state", f"({by['state']})").replace("full", f"({by['full']})")
        for key, text in fields.items()
    }
    own = {kind: {"q": {**here, "assuming": copy.deepcopy(fair)}}}
    pair.document = {**pair.document, "refines": refines, **own}
    whole = loaded(pair, abstract_document([]))
    taken = {
        (pair.state(now), pair.state(after))
        for now in distances(whole)
        for after in steps(whole, now)
        if pair.state(now) != pair.state(after)
    }
    begin = pair.state(initial_snapshots(whole)[0])
    if begin != ("LOW", 0):
        return
    machine = loaded(pair, {**abstract_document(sorted(taken)), kind: {"p": fields}})
    found = {one.name: one for one in explore(machine).examined}
    theirs, mine = found["refines Abstract"], found[f"{kind} q"]
    assert theirs.verdict is mine.verdict
    if mine.trace is not None:
        assert theirs.said == f"{kind} p: {mine.said}"
        assert theirs.trace == mine.trace
        assert theirs.abstract is not None
        assert all(one.is_legal for one in theirs.abstract.steps)


@pytest.mark.parametrize("engine", ["rows", "arrays"])
def test_a_law_of_refinements_sees_a_fault_that_is_planted(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that takes every step for one of the abstract machine is told from one that looks."""
    from statemachines.explore.refinements.refined_steps import RefinedSteps

    transition = {"from": "A", "to": "B", "event": "e0", "guard": "True", "effect": {"n": "0"}}
    document = {
        "notation": 1,
        "machine": "Concrete",
        "variables": {"n": "0..2 = 0"},
        "states": {"A": {"initial": True}, "B": {}},
        "transitions": [transition],
        "refines": {
            "spec": "Abstract",
            "by": {"state": "'LOW' if state == 'A' else 'HIGH'", "full": "0"},
        },
    }
    pair = Pair(document, {"A": "LOW", "B": "HIGH"})
    machine = loaded(pair, abstract_document([]))
    assert refinement(machine, engine).verdict is Verdict.VIOLATED
    assert shortest_break(pair, machine) == 1
    monkeypatch.setattr(RefinedSteps, "is_step", lambda *_: True)
    assert refinement(machine, engine).verdict is Verdict.HOLDS
