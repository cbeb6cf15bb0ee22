"""Episodes of what many instances have in common: they are open while the condition holds of every one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_

from statemachines.conform.episodes import fitting_episodes
from statemachines.conform.judged import EpisodePoint, Judged, StatePoint
from statemachines.conform.naming import instant
from statemachines.conform.processes import Context
from statemachines.conform.summary import teller
from statemachines.conform.tables import Tables
from statemachines.conform.world import World
from statemachines.model.loglines import Episode
from statemachines.model.reports import Key, OpenOrClosed, Place, Quote
from statemachines.notation.templates import render_template

FEWEST = 2
"""What a single instance shows is no sign of what it has in common with others."""

Point = EpisodePoint | StatePoint
Change = tuple[bool, Point]
"""Whether the condition holds of one instance from a line on."""
Group = tuple[int, int, int, Key]
"""Machine, who tells of it, number of the episode in its spec, and the values that the instances share."""


def joint_episodes(world: World) -> Iterator[OpenOrClosed]:
    """Yield the episodes whose specs say of what they are (`of`), over all instances that share it.

    An instance that is over at the end of the log does not count. What the levels of the files would hide the end of is not told as open.
    While the lines of one event come in, the condition holds of all that were told so far: what is over within the tolerance of clocks is
    left out.

    Complexity: that of sorting the changes of the condition.
    """
    groups: dict[Group, list[list[Change]]] = defaultdict(list)
    kinds: dict[Group, Episode] = {}
    context = world.context
    for owner, key, instances in world.subjects:
        for number, episode in fitting_episodes(world, owner, instances):
            if episode.of and (changes := _changes(world, key, instances, number)):
                shared = tuple(field for field in key if field[0] in episode.of)
                group = owner, teller(context, owner, instances[-1].processes[0]), number, shared
                groups[group].append(changes)
                kinds[group] = episode
    for group, members in groups.items():
        for since, until in _whole(members):
            if _is_certain(context, world.tables, group, kinds[group], since, until):
                yield _row(context, group, kinds[group], since, until)


def _is_certain(context: Context, tables: Tables, group: Group, episode: Episode, since: Point, until: Point | None) -> bool:
    """Tell whether an episode is more than a moment in which lines come in, and would be seen to end."""
    if until is not None:
        lasted = until.at - since.at if until.at is not None and since.at is not None else 0
        return lasted > context.plan.options.tolerance_ms
    owner, shown = group[0], tables.shown_anywhere(context, since.process, group[0])
    unseen = [rules.unseen.under(shown) for rules in tables.classes(owner, episode.releases & _fitting(context, owner, since))]
    steps = (step for moves in unseen for step, how in moves.items() if how == "hidden")
    return not any(source in episode.states and target not in episode.states for source, target in steps)


def _fitting(context: Context, owner: int, point: Point) -> int:
    process = context.processes[point.process]
    fits = process.own_fits.get(owner) or process.fits.get(context.plan.owners[owner].family) or ()
    return reduce(or_, (fit.releases for fit in fits), 0)


def _changes(world: World, key: Key, instances: Sequence[Judged], number: int) -> list[Change]:
    """Return where the condition began and ceased to hold of one subject; nothing where it is over."""
    last = instances[-1]
    if last.states is None or last.over or world.eras.ended(world.context, last) is not None:
        return []
    points = [point for judged in instances for point in judged.points if point.episode == number]
    changes: list[Change] = [(point.holds, point) for point in points if point.holds is not None]
    restart = world.restarts.unheard_since(key, last)
    return [*changes, (False, restart)] if restart is not None else changes


def _whole(members: Sequence[Iterable[Change]]) -> Iterator[tuple[Point, Point | None]]:
    """Yield from when to when the condition holds of all members that were told of."""
    changes = sorted(
        ((_order(point), number, holds, point) for number, member in enumerate(members) for holds, point in member), key=lambda row: row[:2]
    )
    holding: dict[int, bool] = {}
    count, since = 0, None
    for _, number, holds, point in changes:
        count += holds - holding.get(number, False)
        holding[number] = holds
        if count == len(holding) >= FEWEST:
            since = since or point
        elif since is not None:
            yield since, point
            since = None
    if since is not None:
        yield since, None


def _order(point: Point) -> tuple[int, int, int]:
    return point.at or 0, point.file, point.line


def _row(context: Context, group: Group, episode: Episode, since: Point, until: Point | None) -> OpenOrClosed:
    owner, _, _, key = group
    assert isinstance(since, EpisodePoint)
    title = render_template(episode.title, {name: str(value) for name, value in key})
    quote = Quote(Place(context.files[since.file].name, since.line), since.text)
    process = context.processes[since.process].name
    end = instant(until) if until is not None else None
    return OpenOrClosed(
        episode.name, context.plan.owners[owner].name, key, title, instant(since), end, until is None, quote, process, since.reason
    )  # fmt: skip
