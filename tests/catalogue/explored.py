"""Explore the whole catalogue and record what was found: `python -m tests.catalogue.explored` writes the record anew.

One row for each release in which a machine behaves otherwise than in the one before it. Machines whose own scope takes minutes are explored
within a smaller one, and up to a ceiling, which the record names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from statemachines.api.explore import scope_of
from statemachines.explore.exploring import How, explore
from statemachines.explore.results import Exploration
from statemachines.explore.search import Limits
from statemachines.model.machines import Machine
from statemachines.model.verdicts import Verdict
from statemachines.notation import load_catalogue, machine_of

RECORD = Path(__file__).parent.parent / "data" / "catalogue" / "explored.tsv"
HEAD = "machine\trelease\tscope\tstates\ttransitions\tdeepest\tverdict\tnot HOLDS\tbounds"
CEILING = How(limits=Limits(most_states=2_000), engine="rows")
SMALLER = {
    "kafka/AssignedTasks": "Task=1, Partition=1, list=2",
    "kafka/TaskManager": "TaskId=1, Partition=1, Topic=1, int=0..1, list=1",
    "kafka/StreamThreadLoop": "int=0..2, list=1",
}
"""Machine to a scope that takes seconds."""


@frozen
class Explored:
    """A machine in the first release of a behaviour."""

    machine: Machine
    found: Exploration

    @property
    def row(self) -> str:
        """Its line of the record."""
        one = self.found
        wrong = "; ".join(f"{each.name} {each.verdict.name}" for each in one.examined if each.verdict is not Verdict.HOLDS)
        cells = [one.machine.name, one.machine.release, one.scope, one.states, one.transitions, one.deepest, one.verdict.name, wrong]
        return "\t".join(map(str, [*cells, "; ".join(one.bounds)])).rstrip()


def machines() -> Iterator[Machine]:
    """Every machine of the catalogue, once for each behaviour."""
    for spec in load_catalogue():
        before: object = None
        for release in spec.family.names(spec.releases) if spec.states else ():
            machine = machine_of(spec, release or None)
            behaviour = machine.states, machine.transitions, machine.otherwise, machine.events, machine.data
            if behaviour != before and behaviour[0]:
                yield machine
            before = behaviour


def explored() -> Iterator[Explored]:
    """All of them, explored within their own scopes."""
    for machine in machines():
        yield Explored(machine, explore(machine, scope_of(machine, [SMALLER.get(machine.name, "")]), CEILING))


def main() -> None:
    """Write the record."""
    RECORD.write_text("\n".join([HEAD, *(one.row for one in explored()), ""]), "utf-8")


if __name__ == "__main__":
    main()
