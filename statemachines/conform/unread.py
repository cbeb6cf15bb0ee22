"""Lines of loggers that the catalogue reads and that no line of it reads: what a drifted program says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from statemachines.conform.judged import Unjudgeable
from statemachines.conform.plan import FamilyPlan, Plan
from statemachines.conform.processes import Context
from statemachines.conform.profile import Profile

UNREAD = "read by no line: logger "
"""How a row begins that counts such lines; the logger follows, and the releases that fit."""


def unread_rows(context: Context, profiles: Sequence[Profile]) -> Iterator[tuple[str, Unjudgeable]]:
    """Yield why, and how many lines of a logger no line reads, a row for each process in each file."""
    families = families_of(context.plan)
    for number, profile in enumerate(profiles):
        for (unit, logger), (count, line, text) in profile.unread_of.items():
            releases = _releases(context, families[logger], context.process_of.get((number, unit)))
            why = f"{UNREAD}{logger}" + (f" ({releases})" if releases else "")
            yield why, Unjudgeable(why, count, number, line, text)


def families_of(plan: Plan) -> Mapping[str, FamilyPlan]:
    """Return the family of the first machine that reads a logger."""
    found: dict[str, FamilyPlan] = {}
    for owner in range(len(plan.specs)):
        for logger in (logger for line in plan.owners[owner].lines for logger in line.loggers):
            found.setdefault(logger, plan.family_of(owner))
    return found


def _releases(context: Context, family: FamilyPlan, process: int | None) -> str:
    """Return the releases that fit a process, as the notation writes them; nothing where no line tells any."""
    if process is None:
        return ""
    fitting = 0
    for fit in context.processes[process].fits.get(family.family.name, ()):
        fitting |= fit.releases if fit.how != "assumed" else 0
    return family.family.ranges(fitting)
