"""What a report says of subjects and machines: what is true now, episodes, and what was seen of each machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from attrs import define, evolve, field

from statemachines.conform.episodes import episodes_of
from statemachines.conform.judged import Judged, StepRow
from statemachines.conform.naming import instant, log_of, subject_of
from statemachines.conform.processes import Context
from statemachines.conform.repeats import ranked
from statemachines.conform.restarts import Restarts, Subject, restarts_of
from statemachines.conform.summary import teller
from statemachines.conform.tables import Tables
from statemachines.model.belonging import belonging
from statemachines.model.loglines import Episode
from statemachines.model.reports import Key, MachineSummary, Now, OpenOrClosed, Place, Quote, Repeated
from statemachines.model.verdicts import worst
from statemachines.notation.templates import render_template


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


def subjects_of(context: Context, judged: Sequence[Judged]) -> list[Subject]:
    """Gather the instances of each subject; they come in the order of the report."""
    subjects: dict[tuple[int, int, Key], list[Judged]] = defaultdict(list)
    for j in judged:
        told_by = teller(context, j.owner, j.processes[0]) if j.processes else -1
        subjects[j.owner, told_by, subject_of(context, j.owner, j.key)].append(j)
    return [(owner, key, instances) for (owner, _, key), instances in subjects.items()]


def now_of(context: Context, subjects: Sequence[Subject]) -> Iterator[Now]:
    """Yield what is true at the end of the log: the last generation's state, where its process did not end."""
    restarts = restarts_of(context, subjects)
    for owner, subject, instances in subjects:
        last = instances[-1]
        if last.states is None or last.since is None or last.over or restarts.unheard_since(subject, last) is not None:
            continue
        finals = {state.name for state in context.plan.specs[owner].states if state.final}
        place = Place(context.files[last.since.file].name, last.since.line)
        process = context.processes[last.since.process].name
        program = log_of(context.plan, owner).program
        yield Now(
            context.plan.owners[owner].name, subject, last.states, instant(last.since), set(last.states) <= finals, place, process, program
        )


def all_episodes(context: Context, subjects: Sequence[Subject]) -> Iterator[OpenOrClosed]:
    """Yield the episodes of every subject, over its generations."""
    restarts = restarts_of(context, subjects)
    found = [row for subject in subjects for row in _episodes(context, subject, restarts)]
    closings = closings_of(context, subjects, found)
    for _, process, row in found:
        began = row.since.ms if row.since else None
        closed = closings[process](row.subject) if process in closings else None
        yield evolve(row, orderly=row.open and closed is not None and began is not None and began >= closed)


Found = tuple[int, int, OpenOrClosed]
"""Machine, process in which it began, and an episode."""


def _episodes(context: Context, subject: Subject, restarts: Restarts) -> Iterator[Found]:
    owner, key, instances = subject
    restart = restarts.unheard_since(key, instances[-1])
    name = context.plan.owners[owner].name
    for number, episode in fitting_episodes(context, owner, instances):
        if episode.of:
            continue
        points = [point for j in instances for point in j.points if point.episode == number]
        for since, ceased, blame in episodes_of(points):
            until = ceased or restart
            quote = Quote(Place(context.files[blame.file].name, blame.line), blame.text)
            title = render_template(episode.title, {name: str(value) for name, value in key})
            end = instant(until) if until else None
            process = context.processes[since.process].name
            row = OpenOrClosed(episode.name, name, key, title, instant(since), end, until is None, quote, process, blame.reason)
            yield owner, since.process, row


def fitting_episodes(context: Context, owner: int, instances: Sequence[Judged]) -> Iterator[tuple[int, Episode]]:
    """Yield the kinds of episodes of the releases that fit, each with its number in the spec.

    Of one name that several of them define, it is the one with the fewest states.
    """
    fitting = _fitting(context, owner, instances)
    by_name: dict[str, list[tuple[int, Episode]]] = {}
    for number, episode in enumerate(log_of(context.plan, owner).episodes):
        if episode.releases & fitting:
            by_name.setdefault(episode.name, []).append((number, episode))
    yield from (min(same, key=lambda entry: len(entry[1].states)) for same in by_name.values())


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


Closings = dict[int, Callable[[Key], "int | None"]]
"""By process, what tells when the program began to close that a subject belongs to; None: it did not, or not in order."""


def closings_of(context: Context, subjects: Sequence[Subject], episodes: Sequence[Found]) -> Closings:
    """Find the programs that were closed in order.

    A program (`program` in its spec) was closed in order where it ended in a final state and in no episode. The closing began with the
    last state before the final one. A part belongs to the only program of its process, or to the one whose name begins its own.
    """
    ill = {(owner, row.subject) for owner, _, row in episodes if row.open}
    found: dict[int, dict[Key, int | None]] = defaultdict(dict)
    for subject in subjects:
        owner, key, instances = subject
        if log_of(context.plan, owner).program:
            began = None if (owner, key) in ill else _closing(context, subject)
            for process in _processes(instances):
                found[process][key] = began
    return {process: _asked(programs) for process, programs in found.items()}


def _asked(programs: dict[Key, int | None]) -> Callable[[Key], int | None]:
    whole = belonging(programs)

    def closing(part: Key) -> int | None:
        program = whole(part)
        return None if program is None else programs[program]

    return closing


def _processes(instances: Sequence[Judged]) -> set[int]:
    return {j.since.process for j in instances[-1:] if j.since is not None}


def _closing(context: Context, subject: Subject) -> int | None:
    """Return when the last state before a final one was reached; None where the subject is in no final state."""
    owner, _, instances = subject
    last, finals = instances[-1], {state.name for state in context.plan.specs[owner].states if state.final}
    if last.states is None or not set(last.states) <= finals:
        return None
    point = last.before or last.since
    return point.at if point is not None else None


def machines_of(context: Context, tables: Tables, judged: Sequence[Judged], seen: Seen) -> Iterator[MachineSummary]:
    """Yield what was seen of each machine that a line told of, by name."""
    for owner in sorted({j.owner for j in judged}, key=lambda number: context.plan.owners[number].name):
        mine = [j for j in judged if j.owner == owner]
        verdict = worst([finding.verdict for j in mine for finding in j.findings])
        never = tuple(_never_seen(context, tables, owner, mine, seen.arrows[owner]))
        yield MachineSummary(context.plan.owners[owner].name, len(mine), sum(j.steps for j in mine), verdict, never)


def _never_seen(context: Context, tables: Tables, owner: int, judged: list[Judged], seen: set[tuple[str, str]]) -> Iterator[str]:
    """Yield the arrows of the newest release that fits which no step took."""
    fitting = _fitting(context, owner, judged)
    classes = tables.classes(owner, fitting)
    if classes:
        newest = max(classes, key=lambda rules: (rules.releases & fitting).bit_length())
        pairs = dict.fromkeys((arrow.source, arrow.target) for arrow in newest.arrows if arrow.taken)
        yield from (f"{source} -> {target}" for source, target in pairs if (source, target) not in seen)


def _fitting(context: Context, owner: int, judged: Sequence[Judged]) -> int:
    """Return the releases that fit any process that tells of some instances."""
    fitting = 0
    for number in {p for j in judged for p in j.processes}:
        process = context.processes[number]
        for fit in process.own_fits.get(owner) or process.fits.get(context.plan.owners[owner].family) or ():
            fitting |= fit.releases
    return fitting
