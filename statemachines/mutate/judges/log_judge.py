"""Logs as judges: a log would have shown a bug where the check says otherwise by the mutant than by
the original.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import define, evolve, field

from statemachines.conform.checking import make_plan, select_layouts
from statemachines.conform.engines.inputs import Input, MissingInput, list_inputs
from statemachines.conform.engines.local import FileReads, read_files
from statemachines.conform.engines.observation_store import ObservationStore
from statemachines.conform.interchange.check_plan import CheckPlan, PlanOptions
from statemachines.conform.interchange.judgements import PendingFinding
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.judge.judgement_pass import JudgementPass
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import InstanceIdentity
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.evidence.verdicts import Verdict
from statemachines.mutate.judges.mutation_results import CannotJudge, Detection, JudgeKind
from statemachines.mutate.operators.mutants import MutantCandidate
from statemachines.notation.lines.line_templates import settle_literals

StateStep = tuple[str, str]
"""From and to."""
MOST_NAMED = 3
"""Steps that are named where logs lack them."""
FindingKey = tuple[str, Verdict, str | None, str | None, str | None, int, int]
"""What a finding says: kind, verdict, from, to, outcome, and its place: number of the file, line.
"""


@define(eq=False)
class LogJudge:
    """Logs that were read once; a mutant changes what is said of them, not how they are read."""

    spec: SpecDefinition
    store: ObservationStore
    plan: CheckPlan
    reads: FileReads
    file_names: tuple[str, ...]
    """Of the files, as the reader numbers them."""
    instances: Mapping[InstanceIdentity, Iterable[Observation]]
    original: Mapping[InstanceIdentity, tuple[FindingKey, ...]] = field(factory=dict, init=False)
    taken_steps: dict[StateStep, tuple[int, int]] = field(factory=dict, init=False)
    """From and to of every step that the logs take by the original, with its first place: number of
    the file, line (0: none tells it).
    """

    def __attrs_post_init__(self) -> None:
        self.original = dict(self._judge_instances(self.spec, self.taken_steps))

    @property
    def releases(self) -> ReleaseSet:
        """The releases that fit the logs: all processes', else some's."""
        processes, family = self.reads.context(self.plan).processes, self.spec.family.name
        masks = [
            fit.releases
            for process in processes
            for fit in process.own_fits.get(0) or process.fits.get(family) or ()
        ]
        every, some = self.spec.releases, 0
        for mask in masks:
            every, some = every & mask, some | mask
        return every or some & self.spec.releases or self.spec.releases

    def detect(self, mutant: SpecDefinition) -> Detection | None:
        """Return what the check says otherwise by a mutant, the first of it; None where it says the
        same.

        Args:
            mutant: the changed spec.

        Returns:
            What notices it, or None.
        """
        for who, message in self._judge_instances(mutant):
            before = self.original[who]
            if message != before:
                return self._detection(before, message)
        return None

    def silence_reason(self, draft: MutantCandidate) -> str:
        """Say why the logs did not notice a mutant, and what of them would.

        Args:
            draft: the change that was not noticed.

        Returns:
            One sentence for people.
        """
        family, bit = self.spec.family, self.spec.family.bit(draft.release)
        if family.name and not bit & self.releases:
            return f"the logs are of {family.ranges(self.releases)}; it differs in {draft.release}"
        differing = self._differing_steps(draft)
        if not differing:
            return "lines tell steps, and it has the same"
        unseen = [
            f"{source} -> {target}"
            for source, target in differing
            if (source, target) not in self.taken_steps
        ]
        if unseen:
            more = f" or one of {len(unseen) - MOST_NAMED} more" if len(unseen) > MOST_NAMED else ""
            return (
                f"no log goes {' or '.join(unseen[:MOST_NAMED])}{more}; one that does would show it"
            )
        file, line = self.taken_steps[differing[0]]
        where = f"{self.file_names[file]}:{line}" if line else "no line of its own"
        return f"{' -> '.join(differing[0])} is taken ({where}), and the check says the same of it"

    def _differing_steps(self, draft: MutantCandidate) -> list[StateStep]:
        """Return the steps that a mutant allows and the original does not, or vice versa."""
        changes = draft.edit.transitions
        old = [self.spec.transitions[index] for index in changes]
        new = [
            *(transition for transition in changes.values() if transition is not None),
            *draft.edit.added,
        ]
        before, after = (
            [(transition.source, transition.target, transition.releases) for transition in report]
            for report in (old, new)
        )
        apart = [
            *(row for row in before if row not in after),
            *(row for row in after if row not in before),
        ]
        return list(dict.fromkeys((source, target) for source, target, _ in apart))

    def close(self) -> None:
        """Forget what was read."""
        self.store.__exit__()

    def _judge_instances(
        self, spec: SpecDefinition, moves: dict[StateStep, tuple[int, int]] | None = None
    ) -> Iterator[tuple[InstanceIdentity, tuple[FindingKey, ...]]]:
        """Yield what the check says of each instance; keep the steps that are taken."""
        plan = evolve(self.plan, specs=(spec,))
        context, tables = self.reads.context(plan), JudgingTables(plan)
        for who, observations in self.instances.items():
            judging = JudgementPass(context, tables, who[0], who[2], observations)
            for row in judging:
                if moves is not None and row.source is not None and row.target is not None:
                    moves.setdefault((row.source, row.target), (row.file, row.line))
            yield who, tuple(map(_finding_key, judging.judgement.findings))

    def _detection(
        self, before: tuple[FindingKey, ...], after: tuple[FindingKey, ...]
    ) -> Detection:
        """Say the first difference: a finding that only the mutant brings, else one that it does
        not.
        """
        new = next((row for row in after if row not in before), None)
        shown = (
            new or next((row for row in before if row not in after), None) or (after or before)[0]
        )
        kind, verdict, source, target, _, file, line = shown
        move = f": {source or '?'} -> {target}" if target else f": {source}" if source else ""
        message = (
            f"{verdict.name} {kind}{move}" if new else f"no longer {verdict.name} {kind}{move}"
        )
        return Detection(JudgeKind.LOG, f"{self.file_names[file]}:{line}", message)


def _finding_key(finding: PendingFinding) -> FindingKey:
    return (
        finding.kind,
        finding.verdict,
        finding.source,
        finding.target,
        finding.outcome,
        finding.observation.file,
        finding.observation.line,
    )


def read_judging_logs(
    spec: SpecDefinition, paths: Sequence[str | os.PathLike[str]], release: str | None
) -> LogJudge:
    """Read logs by a spec.

    Args:
        spec: the original.
        paths: files and folders.
        release: the release that wrote them; None: found out from them.

    Returns:
        A judge that has read the logs.

    Raises:
        CannotJudge: a path cannot be read, the logs tell nothing of the machine, or something there
            is VIOLATED already.
    """
    (settled,) = settle_literals([spec])
    plan = make_plan([settled], PlanOptions(release))
    store = ObservationStore()
    with TemporaryDirectory(prefix="statemachines-") as spool:
        listed = list_inputs(paths, Path(spool))
        for entry in listed:
            if isinstance(entry, MissingInput):
                raise CannotJudge(f"{entry.name}: {entry.reason}")
        inputs = sorted(
            (entry for entry in listed if isinstance(entry, Input)),
            key=lambda entry: (entry.name, str(entry.path)),
        )
        reads = read_files(plan, inputs, select_layouts(()), store)
    if reads.errors:
        raise CannotJudge("; ".join(reads.errors))
    instances = store.instances(reads.context(plan), [])
    if not instances:
        raise CannotJudge(
            f"{', '.join(map(str, paths))}: nothing there tells of {spec.name}, so it says nothing"
            " of its mutants"
        )
    return _usable_logs(
        LogJudge(settled, store, plan, reads, tuple(entry.name for entry in inputs), instances)
    )


def _usable_logs(logs: LogJudge) -> LogJudge:
    """Return logs that may judge: those of which nothing is VIOLATED by the original, as a test
    must pass with it.
    """
    for message in logs.original.values():
        for kind, verdict, source, target, _, file, line in message:
            if verdict is Verdict.VIOLATED:
                move = f" {source or '?'} -> {target}" if target else ""
                place = f"{logs.file_names[file]}:{line}"
                logs.close()
                raise CannotJudge(
                    f"{place}: {kind}{move} is VIOLATED by {logs.spec.name} as it is, so this log"
                    " is no judge of its mutants"
                )
    return logs
