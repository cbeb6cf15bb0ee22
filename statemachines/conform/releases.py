"""Which releases fit a process: given, told by a banner, or those in which every line that was read exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from statemachines.conform.observations import Position
from statemachines.conform.plan import FamilyPlan, Plan
from statemachines.conform.profile import BEGINNINGS, Mark, Signature
from statemachines.notation.resolve import resolve_release

START = Position(-1, -1, -1, -1)


class Fit(NamedTuple):
    """The releases that fit from a position on."""

    start: Position
    releases: int
    how: str


def fits(plan: Plan, family: FamilyPlan, read: Sequence[Signature], marks: list[tuple[Position, Mark]]) -> tuple[list[Fit], list[str]]:
    """Return what fits a process, from which positions on, and what is odd about its banners.

    Args:
        read: the kinds of lines that were read in it.
        marks: its banners and beginnings, sorted.
    """
    told, problems = _banners(family, marks)
    if plan.options.release is not None and family.family.name:
        given = resolved(family, plan.options.release)[0]
        others = dict.fromkeys(family.family.ranges(fit.releases) for fit in told if not fit.releases & given)
        return [Fit(START, given, "given")], [
            f"judged as {plan.options.release}, which was given; the log says {other}" for other in others
        ]
    if told:
        return told, problems
    return [by_lines(plan, family, read)], problems


def _banners(family: FamilyPlan, marks: list[tuple[Position, Mark]]) -> tuple[list[Fit], list[str]]:
    found: list[Fit] = []
    problems: list[str] = []
    begun: Position | None = None
    for position, mark in marks:
        if mark.says in BEGINNINGS:
            begun = begun or position
        if mark.says != "release":
            continue
        releases, how, problem = resolved(family, mark.text)
        if problem and problem not in problems:
            problems.append(problem)
        if releases and not (found and found[-1].releases == releases):
            found.append(Fit((begun or position) if found else START, releases, how))
        begun = None
    return found, problems


def resolved(family: FamilyPlan, text: str) -> tuple[int, str, str]:
    """Return the releases that a number stands for, how that is called, and what is odd about it."""
    answer = resolve_release(family.family, text)
    how = "banner" if str(answer.how) == "exact" else f"banner {text}"
    return answer.releases, how, "" if answer.releases else f"release {text} is not known to {family.family.name}: {answer.said}"


def by_lines(plan: Plan, family: FamilyPlan, read: Sequence[Signature]) -> Fit:
    """Return the releases in which every line exists that was read; if there is none, those that have the most different lines."""
    masks = [s.releases for s in read if plan.owners[s.owner].family == family.family.name and s.releases]
    common = family.family.everything
    for mask in masks:
        common &= mask
    if common or not masks:
        return Fit(START, common, "lines" if masks else "assumed")
    counts = [sum(mask >> place & 1 for mask in masks) for place in range(len(family.family.releases))]
    most = max(counts)
    return Fit(START, sum(1 << place for place, count in enumerate(counts) if count == most), "lines")
