"""The classes of releases of every machine and what a file shows of their lines: asked often, kept."""

from __future__ import annotations

from statemachines.conform.plan import RANK, Plan
from statemachines.conform.processes import Context, given_ranks
from statemachines.conform.rules import Rules, rules_of
from statemachines.model.loglines import Line


class Tables:
    """Rules by machine and releases."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._all: dict[int, tuple[Rules, ...]] = {}
        self._fitting: dict[tuple[int, int], list[Rules]] = {}
        self._shown: dict[tuple[int, int, int], frozenset[int]] = {}

    def all(self, owner: int) -> tuple[Rules, ...]:
        """Return the classes of a machine's releases."""
        if owner not in self._all:
            self._all[owner] = rules_of(self.plan.specs[owner])
        return self._all[owner]

    def classes(self, owner: int, fitting: int) -> list[Rules]:
        """Return the classes in which some release fits."""
        key = owner, fitting
        if key not in self._fitting:
            self._fitting[key] = [rules for rules in self.all(owner) if rules.releases & fitting]
        return self._fitting[key]

    def shown(self, context: Context, process: int, file: int, owner: int) -> frozenset[int]:
        """Return the numbers of a machine's lines that a process's files of one name show."""
        stem = context.stems[context.files[file].stem]
        key = process, stem, owner
        if key not in self._shown:
            lines = self.plan.owners[owner].lines
            self._shown[key] = frozenset(line.number for line in lines if _is_shown(context, process, stem, owner, line))
        return self._shown[key]

    def shown_anywhere(self, context: Context, process: int, owner: int) -> frozenset[int]:
        """Return the numbers of a machine's lines that any file of a process shows."""
        files = {file for file, _ in context.processes[process].units}
        return frozenset().union(*(self.shown(context, process, file, owner) for file in files))


def _is_shown(context: Context, process: int, stem: int, owner: int, line: Line) -> bool:
    shown = context.processes[process].shown
    for logger in line.loggers or ("",):
        rank = min(given_ranks(context.plan, logger), default=shown.get((stem, owner, logger), 9))
        if rank < 9 and (line.level is None or RANK[line.level] >= rank):
            return True
    return False
