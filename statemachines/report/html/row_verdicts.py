"""Which rows something is wrong with."""

from __future__ import annotations

from statemachines.draw.timelines.timeline_rows import TimeFrame, TimelineRow
from statemachines.model.evidence.reports import InstanceKey, Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.sections.orderly_ends import open_episodes

VERDICT_CLASSES = {Verdict.VIOLATED: "bad", Verdict.INCONCLUSIVE: "doubt"}


class RowVerdicts:
    """Tells rows with something wrong from the others.

    Args:
        report: whose findings and open episodes count.
    """

    def __init__(self, report: Report) -> None:
        self._open: set[tuple[str, InstanceKey]] = set()
        self._fields: dict[str, set[str]] = {}
        for episode in open_episodes(report):
            self._open.add((episode.machine, episode.subject))
            self._fields.setdefault(episode.machine, {name for name, _ in episode.subject})

    def row_classes(self, row: TimelineRow, frame: TimeFrame) -> str:
        """Return the classes of a row: `bad`, `doubt`, `now` where it is wrong at the end of the
        log; none for most.

        Args:
            row: of an instance.
            frame: first and last moment of the axis.

        Returns:
            Names of classes between blanks.
        """
        worst = max((flag.verdict for flag in row.flags), default=Verdict.HOLDS)
        looks = [VERDICT_CLASSES[worst]] if worst in VERDICT_CLASSES else []
        return " ".join([*looks, *(["now"] if self._is_wrong_now(row, frame) else [])])

    def _is_wrong_now(self, row: TimelineRow, frame: TimeFrame) -> bool:
        machine, key, _ = row.instance
        fields = self._fields.get(machine)
        if fields is None or not row.bars or row.bars[-1].last < frame.last:
            return False
        return (machine, tuple(field for field in key if field[0] in fields)) in self._open
