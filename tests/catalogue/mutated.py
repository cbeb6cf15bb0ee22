"""Mutate the whole catalogue and record who notices: `python -m tests.catalogue.mutated` writes the record and the page anew.

`python -m tests.catalogue.mutated kafka/Task` looks at one machine only and leaves what is written of the others.

Each machine in its newest release, and ranges of releases at their ends. Of machines with very many mutants, or whose exploration takes
seconds, a sample is judged, always the same (seed 0). Beside the judges of `statemachines mutate`, machines of which the tests carry Kafka's own table
(`tests/data/catalogue/tables.json`) are held against it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from statemachines.api.queries.mutation_report import distinguishing_run
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.mutate.campaigns.mutation import (
    JudgePanel,
    MutantSelection,
    mutate,
    mutate_system,
)
from statemachines.mutate.judges.mutation_results import (
    JudgedMutant,
    JudgeKind,
    MutantStatus,
    MutationResult,
)
from statemachines.mutate.operators.edits import mutated_machine
from statemachines.notation import cached_catalogue, load_spec, machine_of, read_spec, system_of
from statemachines.report.exploration.scope_texts import scope_from_texts
from statemachines.report.sections.plain_texts import cut_end
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import unchecked_step
from tests.catalogue.explored import SMALLER
from tests.catalogue.facts import Told
from tests.catalogue.group_scenarios import Scenario, outcome, scenarios
from tests.catalogue.tables import CARRIED, carried
from tests.catalogue.test_tables import named

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests" / "data" / "catalogue" / "mutated.tsv"
PAGE = ROOT / "docs" / "kafka" / "mutants.md"
HEAD = "machine\trelease\tnumber\toperator\tmutant\tfate\tby"
CEILING = 20_000
SCOPES = SMALLER | {
    "kafka/AssignedTasks": "Partition=1",
    "kafka/PartitionStateMachine": "list=1",
    "kafka/StreamsApplication": "Thread=2",
    "kafka/TopicDeletionManager": "PartitionAndReplica=1",
    "kafka/ZkPartitionStateMachine": "int=0..0, list=1",
    "kafka/ZkReplicaStateMachine": "int=0..0, list=1",
}
"""Machine to a scope in which every mutant can be explored to its end."""
SAMPLES = {
    "kafka/AssignedTasks": 120,
    "kafka/ControllerElection": 24,
    "kafka/KafkaStreamsClient": 60,
    "kafka/StreamThreadLoop": 100,
    "kafka/StreamsApplication": 24,
    "kafka/Task": 300,
    "kafka/TaskManager": 20,
    "kafka/TopicDeletionManager": 60,
    "kafka/TransactionMetadata": 80,
    "kafka/ZkPartitionStateMachine": 10,
    "kafka/ZkReplicaStateMachine": 16,
}
"""Machine to how many of its mutants are judged."""
SYSTEMS = ("kafka/StreamsApplication",)
"""The systems of which mutants are recorded."""
TABLES, TESTS = "Kafka's table", "Kafka's unit tests"
MOST_SHOWN = 25
"""Survivors of a machine that the page tells; the record has all."""
LONGEST = 260
"""Letters of one of them."""


@frozen
class Row:
    """One mutant of the record."""

    machine: str
    one: JudgedMutant
    by: tuple[str, ...]
    """Who noticed: `checks`, a property's name, Kafka's table."""

    @property
    def status(self) -> MutantStatus:
        """What became of it, Kafka's table among the judges."""
        return MutantStatus.KILLED if self.by else self.one.status

    @property
    def cells(self) -> str:
        """Its line of the record."""
        mutant, same = self.one.mutant, f" as {self.one.same_as}" if self.one.same_as else ""
        words = [
            self.machine,
            mutant.candidate.release,
            str(mutant.number),
            mutant.candidate.operator.value,
            mutant.title,
        ]
        return "\t".join([*words, f"{self.status.value}{same}", "; ".join(self.by)]).rstrip()


@frozen
class Mutated:
    """A machine or a system and its mutants."""

    name: str
    found: MutationResult
    rows: tuple[Row, ...]


def names() -> tuple[str, ...]:
    """The machines of the catalogue that have mutants, then systems."""
    return (*(spec.name for spec in cached_catalogue() if spec.states), *SYSTEMS)


def mutated(name: str) -> Mutated:
    """One machine or system of the catalogue, mutated."""
    return _mutated_system(name) if name in SYSTEMS else _mutated(load_spec(name))


def _mutated_system(name: str) -> Mutated:
    spec = read_spec(name).system
    assert spec is not None
    system = system_of(spec)
    scope = scope_from_texts(system, [SCOPES[name]])
    found = mutate_system(system, JudgePanel(scope, CEILING), MutantSelection(SAMPLES.get(name)))
    return Mutated(name, found, tuple(Row(name, one, tuple(_judges(one))) for one in found.judged))


def _judges(one: JudgedMutant) -> Iterator[str]:
    yield from dict.fromkeys(
        "checks" if each.judge is JudgeKind.CHECKS else each.by for each in one.notices
    )


def _mutated(spec: SpecDefinition) -> Mutated:
    machine = machine_of(spec)
    judges = JudgePanel(scope_from_texts(machine, [SCOPES.get(spec.name, "")]), CEILING)
    found = mutate(spec, machine, judges, MutantSelection(SAMPLES.get(spec.name)))
    known = carried(spec.name, spec.family.releases) if spec.name in CARRIED else {}
    tests = [one for one in scenarios() if one.machine == spec.name]
    return Mutated(
        spec.name,
        found,
        tuple(
            Row(spec.name, one, tuple(_noticed(spec, machine, one, known, tests)))
            for one in found.judged
        ),
    )


def _noticed(
    spec: SpecDefinition,
    machine: MachineDefinition,
    one: JudgedMutant,
    known: dict[str, Told],
    tests: Sequence[Scenario],
) -> Iterator[str]:
    yield from _judges(one)
    release = one.mutant.candidate.release
    asked = [test for test in tests if test.release == release]
    if one.status in (MutantStatus.EQUIVALENT, MutantStatus.DUPLICATE) or not (
        release in known or asked
    ):
        return
    base = machine if release == machine.release else machine_of(spec, release)
    mutant = mutated_machine(base, spec, one.mutant.candidate.edit)
    if release in known and not agrees(mutant, known[release]):
        yield TABLES
    if any(outcome(mutant, test) != test.expected for test in asked):
        yield TESTS


def agrees(machine: MachineDefinition, facts: Told) -> bool:
    """Whether a machine has Kafka's moves, beginnings and answers."""
    pairs = {(arrow.source, arrow.target) for arrow in machine.moves}
    if pairs != {(state, target) for state in facts.states for target in facts.following[state]}:
        return False
    if {state.name for state in machine.states if state.initial} != set(facts.initial):
        return False
    tables, never = (
        machine_tables(machine),
        {(arrow.source, arrow.target) for arrow in machine.moves if not arrow.taken},
    )
    asked = (
        (state, target, said)
        for state, requests in facts.outcomes.items()
        for target, said in requests.items()
    )
    return all(
        named(unchecked_step(tables, Snapshot(state), f"to_{target}", {})) == said
        for state, target, said in asked
        if not (said == "advance" and (state, target) in never)
    )


ABOUT = f"""# Mutants of the catalogue

Every machine of the catalogue made wrong by a little, in every way that a slip of the pen may, and
who notices ([how it works](../how-to/mutate.md)). Made by `python -m tests.catalogue.mutated`; a
test fails where it is out of date.

- **checks**: what is asked of every machine: types are kept, transitions exclude each other,
  everything is reached, every expression has a value.
- **properties**: what the spec itself claims (`always`, `each step`, …), and that nothing gets
  stuck.
- **{TABLES}**: moves, beginnings and answers of Kafka's own code, release by release, carried by
  the tests for ten machines; and for groups, producers, transactions, the controller, connectors,
  their tasks and brokers the scenarios of its unit tests and code
  (`tests/catalogue/group_scenarios.py`, `broker_scenarios.py`).
- **survived**: nobody of these notices. The rest is for tests and logs, or a property that is
  missing.

"""


@frozen
class Texts:
    """What is written of one machine."""

    rows: tuple[str, ...]
    """Of the record."""
    counts: str
    """Its row of the page's table."""
    survivors: str
    """Its part of the page; empty where nothing survived."""


def texts(each: Mutated) -> Texts:
    """Write what was found of one machine."""
    return Texts(tuple(row.cells for row in each.rows), _counts(each), "\n".join(_survivors(each)))


def written(found: Mapping[str, Texts]) -> tuple[str, str]:
    """Return the record and the page."""
    rows = [row for name in sorted(found) for row in found[name].rows]
    parts = [found[name].survivors for name in sorted(found) if found[name].survivors]
    page = (
        ABOUT
        + "\n".join([*TITLES, *(found[name].counts for name in sorted(found))])
        + "\n\n"
        + "\n\n".join(parts)
        + "\n"
    )
    return "\n".join([HEAD, *rows, ""]), page


def kept() -> dict[str, Texts]:
    """Read what is written of each machine."""
    page, record = PAGE.read_text("utf-8"), RECORD.read_text("utf-8").splitlines()[1:]
    parts = {part.partition("\n")[0]: f"## {part}".strip() for part in page.split("\n## ")[1:]}
    counts = {
        row.split()[1]: row
        for row in page.splitlines()
        if row.startswith("| ") and row not in TITLES
    }
    return {
        name: Texts(
            tuple(row for row in record if row.split("\t")[0] == name),
            counts[name],
            parts.get(name, ""),
        )
        for name in counts
    }


TITLES = (
    f"| machine | mutants | judged | by checks | by properties | by {TABLES} | survived | equivalent | duplicate | not judged | score |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
)


def _counts(each: Mutated) -> str:
    statuses = {status: sum(row.status is status for row in each.rows) for status in MutantStatus}
    by = [
        sum(any(_kind(name) == kind for name in row.by) for row in each.rows)
        for kind in ("checks", "properties", TABLES)
    ]
    rest = [
        statuses[status]
        for status in (
            MutantStatus.SURVIVED,
            MutantStatus.EQUIVALENT,
            MutantStatus.DUPLICATE,
            MutantStatus.NOT_JUDGED,
        )
    ]
    judged = statuses[MutantStatus.KILLED] + statuses[MutantStatus.SURVIVED]
    score = f"{100 * statuses[MutantStatus.KILLED] // judged} %" if judged else "-"
    title = f"{each.name} {each.found.machine.release}".strip()
    return f"| {' | '.join(map(str, [title, each.found.mutant_count, len(each.rows), *by, *rest, score]))} |"


def _kind(name: str) -> str:
    return TABLES if name in (TABLES, TESTS) else "checks" if name == "checks" else "properties"


def _survivors(each: Mutated) -> Iterator[str]:
    """Yield the survivors of a machine, each with the last step of a shortest run that tells it."""
    rows = [row for row in each.rows if row.status is MutantStatus.SURVIVED]
    if not rows:
        return
    yield from (
        f"## {each.name}",
        "",
        f"{len(rows)} survived:" if len(rows) > 1 else "One survived:",
        "",
    )
    for row in rows[:MOST_SHOWN]:
        run, draft = distinguishing_run(row.one), row.one.mutant.candidate
        said = (
            f": `{run.rows[-1].event}` after {_steps(len(run.rows) - 1)}: {run.rows[-1].outcome}, the mutant: {run.mutant_outcome}"
            if run
            else ""
        )
        release = f" ({draft.release})" if draft.release != each.found.machine.release else ""
        yield cut_end(
            f"- {row.one.mutant.number}: {_plain(row.one.mutant.title)}{release}{_plain(said)}",
            LONGEST,
        )
    if len(rows) > MOST_SHOWN:
        yield f"- and {len(rows) - MOST_SHOWN} more, in `tests/data/catalogue/mutated.tsv`"


def _steps(number: int) -> str:
    return f"{number} step{'' if number == 1 else 's'}"


def _plain(text: str) -> str:
    """Keep what Markdown would read as its own."""
    return text.replace("|", "\\|").replace("<", "&lt;") if "`" not in text else text


def main(asked: Sequence[str]) -> None:
    """Write the record and the page; of machines that are not asked for, what is written of them stays, also what was written meanwhile."""
    known = set(kept()) if asked else set()
    new = {
        name: texts(mutated(name))
        for name in names()
        if not asked or name in asked or name not in known
    }
    before = kept() if asked else {}
    found = {name: new[name] if name in new else before[name] for name in names()}
    for path, text in zip((RECORD, PAGE), written(found), strict=True):
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
