"""Explore the whole catalogue and record what was found: `python -m tests.catalogue.explored` writes the record anew,
with names only the rows of those machines.

One row for each release in which a machine or a system behaves otherwise than in the one before it. Those whose own scope takes minutes are
explored within a smaller one, and up to a ceiling, which the record names; systems up to symmetry.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import evolve, frozen

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.results.property_results import Exploration
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation import machine_of, read_spec, system_of
from statemachines.notation.sources.catalogue_names import specs_folder
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.semantics.system.system_tables import system_tables
from tests.shipped import shipped_specs

RECORD = Path(__file__).parent.parent / "data" / "catalogue" / "explored.tsv"
HEAD = "machine\trelease\tscope\tstates\ttransitions\tdeepest\tverdict\tnot HOLDS\tbounds"
CEILING = ExplorationOptions(limits=Limits(most_states=100_000))
SYMMETRY = ExplorationOptions(symmetry=True, limits=Limits(most_states=100_000))
SMALLER = {
    "kafka/KafkaStreamsClient": "int=0..1",
    "kafka/TopicDeletion": "Broker=1, list=1",
    "kafka/TaskManager": "TaskId=1, Partition=1, Topic=1, int=0..1, list=1",
}
"""Machine to a scope that takes seconds."""
CEILINGS = {"kafka/ZkStateMachines": 5_000}
"""System to how many states are visited: the parts of a large one are explored by themselves."""


@frozen
class Explored:
    """A machine or a system in the first release of a behaviour."""

    name: str
    release: str
    found: Exploration

    @property
    def row(self) -> str:
        """Its line of the record."""
        one = self.found
        wrong = "; ".join(
            f"{each.name} {each.verdict.name}"
            for each in one.examined
            if each.verdict is not Verdict.HOLDS
        )
        cells = [
            self.name,
            self.release,
            one.scope,
            one.states,
            one.transitions,
            one.depth,
            one.verdict.name,
            wrong,
        ]
        return "\t".join(map(str, [*cells, "; ".join(one.bounds)])).rstrip()


def names() -> tuple[str, ...]:
    """Every machine and every system of the catalogue."""
    paths = sorted(specs_folder().glob("*/*.yaml"))
    return tuple(f"{path.parent.name}/{path.stem}" for path in paths)


def machines(asked: Sequence[str]) -> Iterator[MachineDefinition]:
    """Some machines of the catalogue, once for each behaviour."""
    for spec in shipped_specs():
        if spec.name not in asked:
            continue
        before: object = None
        for release in spec.family.names(spec.releases) if spec.states else ():
            machine = machine_of(spec, release or None)
            behaviour = _behaviour(machine)
            if behaviour != before and machine.states:
                yield machine
            before = behaviour


def _behaviour(machine: MachineDefinition) -> tuple[object, ...]:
    return machine.states, machine.transitions, machine.otherwise, machine.events, machine.data


def systems(asked: Sequence[str]) -> Iterator[SystemDefinition]:
    """Some systems of the catalogue, once for each behaviour."""
    for name in asked:
        spec = read_spec(name).system
        before: object = None
        for release in spec.family.names(spec.releases) if spec is not None else ():
            assert spec is not None
            system = system_of(spec, release or None)
            behaviour = (
                system.parts,
                system.links,
                [(name, *_behaviour(machine)) for name, machine in system.machines],
                system.data,
            )
            if behaviour != before:
                yield system
            before = behaviour


def explored(asked: Sequence[str]) -> Iterator[Explored]:
    """Those that are asked for, explored within their own scopes."""
    for machine in machines(asked):
        found = explore(
            machine, scope_from_texts(machine, [SMALLER.get(machine.name, "")]), CEILING
        )
        yield Explored(machine.name, machine.release, found)
    for system in systems(asked):
        scope = scope_from_texts(
            system_tables(system).behaviour.machine, [SMALLER.get(system.name, "")]
        )
        limits = Limits(most_states=CEILINGS.get(system.name, SYMMETRY.limits.most_states))
        found = explore(system, scope, evolve(SYMMETRY, limits=limits))
        yield Explored(system.name, system.release, found)


def main(asked: Sequence[str]) -> None:
    """Write the record; of machines that are not asked for, what is written of them stays."""
    kept = RECORD.read_text("utf-8").splitlines()[1:] if asked else []
    new = [one.row for one in explored(asked or names())]
    rows = [row for row in kept if row.split("\t")[0] not in asked] + new
    RECORD.write_text("\n".join([HEAD, *_ordered(rows), ""]), "utf-8")


def _ordered(rows: Sequence[str]) -> list[str]:
    """Put rows in the order of the catalogue: machines, then systems; those of one name stay in theirs."""
    names = [machine.name for machine in shipped_specs() if machine.states]
    return sorted(
        rows,
        key=lambda row: (name not in names, name) if (name := row.split("\t")[0]) else (True, ""),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
