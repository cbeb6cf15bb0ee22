"""Programs that the same process began again: what was not heard of since belongs to an older run, and is not now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from attrs import frozen

from statemachines.conform.judged import Judged, Reborn, StatePoint
from statemachines.conform.naming import log_of
from statemachines.conform.processes import Context
from statemachines.model.belonging import longest_beginning, name_of
from statemachines.model.reports import Key

Subject = tuple[int, Key, list[Judged]]
"""Machine, key, and the instances of the subject, oldest generation first."""


@frozen
class Restarts:
    """Where programs began again."""

    processes: Mapping[int, Mapping[str, Reborn]]
    """By process and the program's name."""

    def unheard_since(self, subject: Key, last: Judged) -> StatePoint | None:
        """Return where the program began its new life that a subject is a part of; None where the subject was heard of since.

        Args:
            subject: a part, or the program itself.
            last: its last instance.
        """
        if last.since is None or last.heard is None:
            return None
        programs = self.processes.get(last.since.process, {})
        name = longest_beginning(name_of(subject), programs)
        if name is None or last.heard >= programs[name].sign:
            return None
        return programs[name].point


def restarts_of(context: Context, subjects: Sequence[Subject]) -> Restarts:
    """Find the programs (`program` in their specs) that the same process began again."""
    found: dict[int, dict[str, Reborn]] = defaultdict(dict)
    for owner, subject, instances in subjects:
        reborn = instances[-1].reborn
        if reborn is not None and log_of(context.plan, owner).program:
            found[reborn.point.process][name_of(subject)] = reborn
    return Restarts(found)
