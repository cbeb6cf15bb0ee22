"""Programs that the same process began again: what was not heard of since belongs to an older run,
and is not now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from attrs import frozen

from statemachines.conform.interchange.judgements import (
    IncarnationStart,
    InstanceJudgement,
    StatePoint,
)
from statemachines.conform.join.report_names import machine_log
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.evidence.instance_names import instance_name, longest_name_prefix
from statemachines.model.evidence.reports import InstanceKey

SubjectInstances = tuple[int, InstanceKey, list[InstanceJudgement]]
"""Machine, key, and the instances of the subject, oldest generation first."""


@frozen
class Restarts:
    """Where programs began again."""

    programs: Mapping[int, Mapping[str, IncarnationStart]]
    """By process and the program's name."""

    def unobserved_since(self, subject: InstanceKey, last: InstanceJudgement) -> StatePoint | None:
        """Return where the program began its new life that a subject is a part of; None where the
        subject was heard of since.

        Args:
            subject: a part, or the program itself.
            last: its last instance.
        """
        if last.since is None or last.last_position is None:
            return None
        programs = self.programs.get(last.since.process, {})
        name = longest_name_prefix(instance_name(subject), programs)
        if name is None or last.last_position >= programs[name].sign:
            return None
        return programs[name].point


def find_restarts(context: JudgingContext, subjects: Sequence[SubjectInstances]) -> Restarts:
    """Find the programs (`program` in their specs) that the same process began again."""
    found: dict[int, dict[str, IncarnationStart]] = defaultdict(dict)
    for owner, subject, instances in subjects:
        restart = instances[-1].incarnation_start
        if restart is not None and machine_log(context.plan, owner).is_program:
            found[restart.point.process][instance_name(subject)] = restart
    return Restarts(found)
