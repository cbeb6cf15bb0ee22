"""What a report says of subjects and machines: what is true now, and what was seen of each machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from attrs import define, field

from statemachines.conform.judged import Judged, StepRow
from statemachines.conform.naming import instant, log_of, subject_of
from statemachines.conform.processes import Context
from statemachines.conform.repeats import ranked
from statemachines.conform.tables import Tables
from statemachines.conform.world import World, fitting
from statemachines.model.reports import MachineSummary, Now, Place, Repeated
from statemachines.model.verdicts import worst


@define
class Seen:
    """What was counted while the timeline went by."""

    hidden: int = 0
    missing: int = 0
    arrows: dict[int, set[tuple[str, str]]] = field(factory=lambda: defaultdict(set))
    """By machine, the steps that were told or proved."""

    def count(self, owner: int, row: StepRow) -> None:
        """Count a row of the timeline."""
        self.hidden += row.how in ("hidden", "silent")
        self.missing += row.how == "missing"
        if row.source is not None and row.target is not None:
            self.arrows[owner].add((row.source, row.target))


def now_of(world: World) -> Iterator[Now]:
    """Yield what is true at the end of the log: the last generation's state, where its process did not end."""
    context = world.context
    for owner, subject, instances in world.subjects:
        last = instances[-1]
        if last.states is None or last.since is None or last.over or world.over_since(subject, last) is not None:
            continue
        finals = {state.name for state in context.plan.specs[owner].states if state.final}
        place = Place(context.files[last.since.file].name, last.since.line)
        process = context.processes[last.since.process].name
        program, final = log_of(context.plan, owner).program, set(last.states) <= finals
        name = context.plan.owners[owner].name
        yield Now(name, subject, last.states, instant(last.since), final, place, process, program, _doubt(world, last))


def _doubt(world: World, last: Judged) -> str:
    """Say why a state may not be the last one; empty where the log would tell, or where nobody would ask."""
    if world.restarted_since(last) is not None:
        return "before the restart of its process"
    asked = any(set(last.states or ()) <= states for states in world.tables.episodes(last.owner).states)
    if last.since is None or last.since.made or not asked:
        return ""
    others = frozenset(state.name for state in world.context.plan.specs[last.owner].states) - frozenset(last.states or ())
    return "may have changed (no line would tell)" if world.may_have_left(last, others) else ""


def marks_of(context: Context, judged: Sequence[Judged]) -> Iterator[Repeated]:
    """Yield what lines are counted for, a row an instance and mark."""
    for j in judged:
        for mark in j.marks:
            first, last = mark.first, mark.last
            places = [Place(context.files[point.file].name, point.line) for point in (first, last)]
            yield Repeated(
                mark.mark, context.plan.owners[j.owner].name, subject_of(context, j.owner, j.key), context.processes[first.process].name,
                mark.times, instant(first), instant(last), None, None, ranked(mark.reasons), False, *places,
            )  # fmt: skip


def machines_of(context: Context, tables: Tables, judged: Sequence[Judged], seen: Seen) -> Iterator[MachineSummary]:
    """Yield what was seen of each machine that a line told of, by name."""
    for owner in sorted({j.owner for j in judged}, key=lambda number: context.plan.owners[number].name):
        mine = [j for j in judged if j.owner == owner]
        verdict = worst([finding.verdict for j in mine for finding in j.findings])
        never = tuple(_never_seen(context, tables, owner, mine, seen.arrows[owner]))
        yield MachineSummary(context.plan.owners[owner].name, len(mine), sum(j.steps for j in mine), verdict, never)


def _never_seen(context: Context, tables: Tables, owner: int, judged: list[Judged], seen: set[tuple[str, str]]) -> Iterator[str]:
    """Yield the arrows of the newest release that fits which no step took."""
    fits = fitting(context, owner, judged)
    classes = tables.classes(owner, fits)
    if classes:
        newest = max(classes, key=lambda rules: (rules.releases & fits).bit_length())
        pairs = dict.fromkeys((arrow.source, arrow.target) for arrow in newest.arrows if arrow.taken)
        yield from (f"{source} -> {target}" for source, target in pairs if (source, target) not in seen)
