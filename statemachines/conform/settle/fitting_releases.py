"""Which releases fit a process: given, named by a banner, or those in which every line that was
read exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from statemachines.conform.interchange.check_plan import CheckPlan, FamilyPlan
from statemachines.conform.interchange.observations import Position
from statemachines.conform.interchange.profiles import BEGIN_KINDS, LineSignature, ProcessEvent
from statemachines.notation.releases.release_resolution import resolve_release

_FIRST_POSITION = Position(-1, -1, -1, -1)


class ReleaseFit(NamedTuple):
    """The releases that fit from a position on."""

    start: Position
    releases: int
    how: str


def fit_releases(
    plan: CheckPlan,
    family: FamilyPlan,
    read: Sequence[LineSignature],
    process_events: list[tuple[Position, ProcessEvent]],
) -> tuple[list[ReleaseFit], list[str]]:
    """Return what fits a process, from which positions on, and what is odd about its banners.

    Args:
        read: the kinds of lines that were read in it.
        process_events: its banners and beginnings, sorted.
    """
    banner_fits, problems = _fit_banners(family, process_events)
    if plan.options.release is not None and family.family.name:
        given = _resolve_banner(family, plan.options.release)[0]
        others = dict.fromkeys(
            family.family.ranges(fit.releases) for fit in banner_fits if not fit.releases & given
        )
        return [ReleaseFit(_FIRST_POSITION, given, "given")], [
            f"judged as {plan.options.release}, which was given; the log says {other}"
            for other in others
        ]
    if banner_fits:
        return banner_fits, problems
    return [_fit_by_lines(plan, family, read)], problems


def _fit_banners(
    family: FamilyPlan, process_events: list[tuple[Position, ProcessEvent]]
) -> tuple[list[ReleaseFit], list[str]]:
    fits: list[ReleaseFit] = []
    problems: list[str] = []
    begun: Position | None = None
    for position, process_event in process_events:
        if process_event.kind in BEGIN_KINDS:
            begun = begun or position
        if process_event.kind != "release":
            continue
        releases, how, problem = _resolve_banner(family, process_event.release)
        if problem and problem not in problems:
            problems.append(problem)
        if releases and not (fits and fits[-1].releases == releases):
            fits.append(ReleaseFit((begun or position) if fits else _FIRST_POSITION, releases, how))
        begun = None
    return fits, problems


def _resolve_banner(family: FamilyPlan, text: str) -> tuple[int, str, str]:
    """Return the releases that a number stands for, their name, and what is odd about it."""
    answer = resolve_release(family.family, text)
    how = "banner" if str(answer.match) == "exact" else f"banner {text}"
    return (
        answer.releases,
        how,
        (
            ""
            if answer.releases
            else f"release {text} is not known to {family.family.name}: {answer.message}"
        ),
    )


def _fit_by_lines(plan: CheckPlan, family: FamilyPlan, read: Sequence[LineSignature]) -> ReleaseFit:
    """Return the releases in which every line exists that was read; if there is none, those that
    have the most different lines.
    """
    masks = [
        s.releases for s in read if plan.owners[s.owner].family == family.family.name and s.releases
    ]
    common = family.family.all_releases
    for mask in masks:
        common &= mask
    if common or not masks:
        return ReleaseFit(_FIRST_POSITION, common, "lines" if masks else "assumed")
    counts = [
        sum(mask >> index & 1 for mask in masks) for index in range(len(family.family.releases))
    ]
    most = max(counts)
    return ReleaseFit(
        _FIRST_POSITION,
        sum(1 << index for index, count in enumerate(counts) if count == most),
        "lines",
    )
