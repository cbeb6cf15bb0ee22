"""The last line of a log that was copied while it was written: what it says may have gone on."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from statemachines.conform.interchange.judgements import InstanceJudgement, PendingFinding
from statemachines.conform.interchange.profiles import Profile
from statemachines.model.evidence.verdicts import Verdict

CUT_PROBLEM = (
    "its last line has no end and may go on: it is taken as it stands, and breaks nothing for sure"
)
"""Said of a file with such a line."""


def without_cut_violations(
    profiles: Sequence[Profile], judged: Sequence[InstanceJudgement]
) -> list[InstanceJudgement]:
    """Return judgements in which nothing is VIOLATED by a line that may go on.

    Args:
        profiles: of the files.
        judged: what came of the instances.

    Returns:
        The same, where such a line is at most INCONCLUSIVE.
    """
    cut = {(number, line) for number, file in enumerate(profiles) for line in file.cut_lines}
    if not cut:
        return list(judged)
    return [_without(judgement, cut) for judgement in judged]


def _without(judgement: InstanceJudgement, cut: set[tuple[int, int]]) -> InstanceJudgement:
    if cut.isdisjoint((f.observation.file, f.observation.line) for f in judgement.findings):
        return judgement
    return judgement._replace(findings=tuple(_at_most(f, cut) for f in judgement.findings))


def _at_most(finding: PendingFinding, cut: set[tuple[int, int]]) -> PendingFinding:
    if (finding.observation.file, finding.observation.line) not in cut:
        return finding
    return evolve(finding, verdict=min(finding.verdict, Verdict.INCONCLUSIVE))
