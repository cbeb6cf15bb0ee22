"""Logs as judges: a log would have shown a bug where the check says otherwise by the mutant than by the original."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import define, evolve, field

from statemachines.conform.check import layouts_of, plan_of
from statemachines.conform.inputs import Input, Missing, inputs_of
from statemachines.conform.judged import Found
from statemachines.conform.judging import Judging
from statemachines.conform.local import Reads, read_files
from statemachines.conform.observations import Observation
from statemachines.conform.plan import Options, Plan
from statemachines.conform.store import Instance, Store
from statemachines.conform.tables import Tables
from statemachines.model.machines import Spec
from statemachines.model.releases import Releases
from statemachines.model.verdicts import Verdict
from statemachines.mutate.mutants import Draft
from statemachines.mutate.results import CannotJudge, Judge, Notice
from statemachines.notation.literals import settle_literals

Move = tuple[str, str]
"""From and to."""
MOST_NAMED = 3
"""Steps that are named where logs lack them."""
Said = tuple[str, Verdict, str | None, str | None, str | None, int, int]
"""What a finding says: kind, verdict, from, to, outcome, and its place: number of the file, line."""


@define(eq=False)
class Logs:
    """Logs that were read once; a mutant changes what is said of them, not how they are read."""

    spec: Spec
    store: Store
    plan: Plan
    reads: Reads
    names: tuple[str, ...]
    """Of the files, as the reader numbers them."""
    instances: Mapping[Instance, Iterable[Observation]]
    original: Mapping[Instance, tuple[Said, ...]] = field(factory=dict, init=False)
    moves: dict[Move, tuple[int, int]] = field(factory=dict, init=False)
    """From and to of every step that the logs take by the original, with its first place: number of the file, line (0: none tells it)."""

    def __attrs_post_init__(self) -> None:
        self.original = dict(self._judged(self.spec, self.moves))

    @property
    def releases(self) -> Releases:
        """The releases that fit the logs: all processes', else some's."""
        processes, family = self.reads.context(self.plan).processes, self.spec.family.name
        masks = [fit.releases for each in processes for fit in each.own_fits.get(0) or each.fits.get(family) or ()]
        every, some = self.spec.releases, 0
        for mask in masks:
            every, some = every & mask, some | mask
        return every or some & self.spec.releases or self.spec.releases

    def notice(self, mutant: Spec) -> Notice | None:
        """Return what the check says otherwise by a mutant, the first of it; None where it says the same."""
        for who, said in self._judged(mutant):
            before = self.original[who]
            if said != before:
                return self._told(before, said)
        return None

    def silence(self, draft: Draft) -> str:
        """Say why the logs did not notice a mutant, and what of them would."""
        family, bit = self.spec.family, self.spec.family.bit(draft.release)
        if family.name and not bit & self.releases:
            return f"the logs are of {family.ranges(self.releases)}; it differs in {draft.release}"
        differing = self._steps(draft)
        if not differing:
            return "lines tell steps, and it has the same"
        unseen = [f"{source} -> {target}" for source, target in differing if (source, target) not in self.moves]
        if unseen:
            more = f" or one of {len(unseen) - MOST_NAMED} more" if len(unseen) > MOST_NAMED else ""
            return f"no log goes {' or '.join(unseen[:MOST_NAMED])}{more}; one that does would show it"
        file, line = self.moves[differing[0]]
        where = f"{self.names[file]}:{line}" if line else "no line of its own"
        return f"{' -> '.join(differing[0])} is taken ({where}), and the check says the same of it"

    def _steps(self, draft: Draft) -> list[Move]:
        """Return the steps that a mutant allows and the original does not, or the other way round."""
        changes = draft.edit.transitions
        old = [self.spec.transitions[place] for place in changes]
        new = [*(arrow for arrow in changes.values() if arrow is not None), *draft.edit.added]
        before, after = ([(arrow.source, arrow.target, arrow.releases) for arrow in each] for each in (old, new))
        apart = [*(each for each in before if each not in after), *(each for each in after if each not in before)]
        return list(dict.fromkeys((source, target) for source, target, _ in apart))

    def close(self) -> None:
        """Forget what was read."""
        self.store.__exit__()

    def _judged(self, spec: Spec, moves: dict[Move, tuple[int, int]] | None = None) -> Iterator[tuple[Instance, tuple[Said, ...]]]:
        """Yield what the check says of each instance; keep the steps that are taken."""
        plan = evolve(self.plan, specs=(spec,))
        context, tables = self.reads.context(plan), Tables(plan)
        for who, observations in self.instances.items():
            judging = Judging(context, tables, who[0], who[2], observations)
            for row in judging:
                if moves is not None and row.source is not None and row.target is not None:
                    moves.setdefault((row.source, row.target), (row.file, row.line))
            yield who, tuple(map(_said, judging.judged.findings))

    def _told(self, before: tuple[Said, ...], after: tuple[Said, ...]) -> Notice:
        """Say the first difference: a finding that only the mutant brings, else one that it does not."""
        new = next((one for one in after if one not in before), None)
        one = new or next((one for one in before if one not in after), None) or (after or before)[0]
        kind, verdict, source, target, _, file, line = one
        move = f": {source or '?'} -> {target}" if target else f": {source}" if source else ""
        said = f"{verdict.name} {kind}{move}" if new else f"no longer {verdict.name} {kind}{move}"
        return Notice(Judge.LOG, f"{self.names[file]}:{line}", said)


def _said(found: Found) -> Said:
    return found.kind, found.verdict, found.source, found.target, found.outcome, found.seen.file, found.seen.line


def logs_of(spec: Spec, paths: Sequence[str | os.PathLike[str]], release: str | None) -> Logs:
    """Read logs by a spec.

    Args:
        spec: the original.
        paths: files and folders.
        release: the release that wrote them; None: found out from them.

    Raises:
        CannotJudge: a path cannot be read, the logs tell nothing of the machine, or something there is VIOLATED already.
    """
    (settled,) = settle_literals([spec])
    plan = plan_of([settled], Options(release))
    store = Store()
    with TemporaryDirectory(prefix="statemachines-") as spool:
        found = inputs_of(paths, Path(spool))
        for entry in found:
            if isinstance(entry, Missing):
                raise CannotJudge(f"{entry.name}: {entry.why}")
        inputs = sorted((entry for entry in found if isinstance(entry, Input)), key=lambda entry: (entry.name, str(entry.path)))
        reads = read_files(plan, inputs, layouts_of(()), store)
    if reads.errors:
        raise CannotJudge("; ".join(reads.errors))
    instances = store.instances(reads.context(plan), [])
    if not instances:
        raise CannotJudge(f"{', '.join(map(str, paths))}: nothing there tells of {spec.name}, so it says nothing of its mutants")
    return _fit(Logs(settled, store, plan, reads, tuple(entry.name for entry in inputs), instances))


def _fit(logs: Logs) -> Logs:
    """Return logs that may judge: those of which nothing is VIOLATED by the original, as a test must pass with it."""
    for said in logs.original.values():
        for kind, verdict, source, target, _, file, line in said:
            if verdict is Verdict.VIOLATED:
                move = f" {source or '?'} -> {target}" if target else ""
                place = f"{logs.names[file]}:{line}"
                logs.close()
                raise CannotJudge(f"{place}: {kind}{move} is VIOLATED by {logs.spec.name} as it is, so this log is no judge of its mutants")
    return logs
