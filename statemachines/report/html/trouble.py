"""Which rows something is wrong with."""

from __future__ import annotations

from statemachines.draw.rows import Frame, Row
from statemachines.model.reports import Key, Report
from statemachines.model.verdicts import Verdict
from statemachines.report.over import open_now

LOOKS = {Verdict.VIOLATED: "bad", Verdict.INCONCLUSIVE: "doubt"}


class Trouble:
    """Tells rows with something wrong from the others.

    Args:
        report: whose findings and open episodes count.
    """

    def __init__(self, report: Report) -> None:
        self._open: set[tuple[str, Key]] = set()
        self._fields: dict[str, set[str]] = {}
        for episode in open_now(report):
            self._open.add((episode.machine, episode.subject))
            self._fields.setdefault(episode.machine, {name for name, _ in episode.subject})

    def of(self, row: Row, frame: Frame) -> str:
        """Return the classes of a row: `bad`, `doubt`, `now` where it is wrong at the end of the log; none for most."""
        worst = max((flag.verdict for flag in row.flags), default=Verdict.HOLDS)
        looks = [LOOKS[worst]] if worst in LOOKS else []
        return " ".join([*looks, *(["now"] if self._is_now(row, frame) else [])])

    def _is_now(self, row: Row, frame: Frame) -> bool:
        machine, key, _ = row.who
        fields = self._fields.get(machine)
        if fields is None or not row.bars or row.bars[-1].last < frame.last:
            return False
        return (machine, tuple(field for field in key if field[0] in fields)) in self._open
