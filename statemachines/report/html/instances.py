"""What every instance did: a picture of the first ones, and a table of all that can be searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice

from attrs import define

from statemachines.draw import timeline_svg
from statemachines.model.reports import Key, Report, Step
from statemachines.report.html.tags import Markup, more, section, table, tag
from statemachines.report.text.names import WHOLE, Clock, place_name, subject_name

DRAWN = 200
"""Instances in the picture."""
LISTED = 20_000
"""Instances in the table."""
STEPS = 100
"""Steps of an instance in the table."""
Who = tuple[str, Key, str]


@define
class Counter:
    """Counts what a stream of rows left out."""

    instances: int = 0
    steps: int = 0


def timelines(report: Report, clock: Clock) -> Markup:
    """Show the timeline: a picture, and all instances with their steps behind a click."""
    picture = timeline_svg(_first_instances(report.timeline), findings=report.findings, most=DRAWN)
    counter = Counter()
    rows = list(_rows(report.timeline, clock, counter))
    if not rows:
        return Markup()
    left_out = f"{counter.instances:,} more instances are not listed; the JSON and CSV reports have all." if counter.instances else ""
    search = tag("label", "Search ", tag("input", type="search", data_search="instances", placeholder="name, state, process …"))
    whole = table(("machine", "instance", "process", "steps", "last state", "what it did"), rows, id="instances")
    parts = [more("the picture", tag("figure", Markup(picture), class_="wide")), tag("p", search, class_="search"), whole]
    return section("What every instance did", "timeline", parts, note=left_out)


def _first_instances(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps of the first instances, so that a picture of a long timeline is made of its beginning only."""
    for _, group in islice(groupby(steps, key=_who), DRAWN):
        yield from group


def _rows(steps: Iterable[Step], clock: Clock, counter: Counter) -> Iterator[list[object]]:
    for number, ((machine, key, process), group) in enumerate(groupby(steps, key=_who)):
        if number < LISTED:
            yield _row(machine, key, process, group, clock)
        else:
            counter.instances += 1


def _row(machine: str, key: Key, process: str, steps: Iterable[Step], clock: Clock) -> list[object]:
    shown = list(islice(steps := iter(steps), STEPS))
    rest = list(steps)
    number, last = len(shown) + len(rest), (rest or shown)[-1]
    told = table(
        ("at", "from", "to", "known", "line"),
        ([clock.moment(s.at), s.source or "", s.target or "", s.how, place_name(s.place)] for s in shown),
    )
    note = [tag("p", f"{len(rest):,} more steps", class_="note")] if rest else []
    return [machine, subject_name(key, WHOLE), process, f"{number:,}", last.target or "ended unseen", more("steps", told, *note)]


def _who(step: Step) -> Who:
    return step.machine, step.instance, step.process
