"""Lines of loggers that the catalogue reads and that no line of it reads: what a drifted program
says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from statemachines.conform.interchange.check_plan import CheckPlan, FamilyPlan
from statemachines.conform.interchange.judgements import UnjudgedLines
from statemachines.conform.interchange.profiles import Profile
from statemachines.conform.settle.judging_context import JudgingContext

UNREAD_PREFIX = "read by no line: logger "
"""How a row begins that counts such lines; the logger follows, and the releases that fit."""


def unread_rows(
    context: JudgingContext, profiles: Sequence[Profile]
) -> Iterator[tuple[str, UnjudgedLines]]:
    """Yield how many lines of a logger nothing reads, and why: a row for each process and file."""
    families = _family_by_logger(context.plan)
    for number, profile in enumerate(profiles):
        for (unit, logger), (count, line, text) in profile.unread_by_logger.items():
            releases = _fitting_ranges(
                context, families[logger], context.process_by_unit.get((number, unit))
            )
            why = f"{UNREAD_PREFIX}{logger}" + (f" ({releases})" if releases else "")
            yield why, UnjudgedLines(why, count, number, line, text)


def _family_by_logger(plan: CheckPlan) -> Mapping[str, FamilyPlan]:
    """Return the family of the first machine that reads a logger."""
    family: dict[str, FamilyPlan] = {}
    for owner in range(len(plan.specs)):
        for logger in (logger for line in plan.owners[owner].lines for logger in line.loggers):
            family.setdefault(logger, plan.owner_family(owner))
    return family


def _fitting_ranges(context: JudgingContext, family: FamilyPlan, process: int | None) -> str:
    """Return the releases that fit a process, as the notation writes them; nothing where no line
    tells any.
    """
    if process is None:
        return ""
    fitting = 0
    for fit in context.processes[process].fits.get(family.family.name, ()):
        fitting |= fit.releases if fit.how != "assumed" else 0
    return family.family.ranges(fitting)
