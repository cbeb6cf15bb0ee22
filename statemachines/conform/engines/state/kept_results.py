"""What is kept of one instance."""

from __future__ import annotations

from typing import NamedTuple

from statemachines.conform.interchange.judgements import InstanceJudgement, RowCounts, StepRow


class KeptJudgement(NamedTuple):
    """The judgement of an instance: of all that its contents told."""

    judgement: InstanceJudgement
    """`is_over` only where a line told its end."""
    process: int
    """Of its last line; -1 where there is none."""
    counts: RowCounts
    """Of its rows before the fold."""
    last_counts: RowCounts
    """Of those behind it."""
    last_rows: tuple[StepRow, ...]
    """Those behind the fold, where rows are kept."""
