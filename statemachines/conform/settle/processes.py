"""The files of a check, which of them are parts of one log, and a process as its log shows it: what
it is called, where it begins and ends, and which releases fit it.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from attrs import Factory

from statemachines.conform.interchange.check_plan import CheckPlan, FamilyPlan
from statemachines.conform.interchange.doubled_lines import LineSignature
from statemachines.conform.interchange.observations import Position
from statemachines.conform.interchange.profiles import (
    BEGIN_KINDS,
    ProcessEvent,
    Profile,
)
from statemachines.model.values import define, frozen
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
    starts: list[Position] = []
    last: Position | None = None
    for position, process_event in process_events:
        if process_event.kind in BEGIN_KINDS:
            starts.append(position)
        elif process_event.kind == "process ends":
            starts.clear()
        else:
            releases, how, problem = _resolve_banner(family, process_event.release)
            if problem and problem not in problems:
                problems.append(problem)
            if releases and not (fits and fits[-1].releases == releases):
                start = _start_of_banner(starts, last, position) if fits else _FIRST_POSITION
                fits.append(ReleaseFit(start, releases, how))
            last = position
            starts.clear()
    return fits, problems


def _start_of_banner(
    starts: Sequence[Position], last: Position | None, banner: Position
) -> Position:
    """Return where the run of a banner began: the first beginning since the banner before it, but
    for those that stand nearer to that one: some programs say their release first.
    """
    return next((start for start in starts if not _is_nearer(start, last, banner)), banner)


def _is_nearer(start: Position, before: Position | None, banner: Position) -> bool:
    """Say whether a line is fewer lines behind one banner than before another, in one file."""
    if before is None or not before.part == start.part == banner.part:
        return False
    if not before.stem == start.stem == banner.stem:
        return False
    return start.line - before.line < banner.line - start.line


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


Unit = tuple[int, "str | None"]
"""A file's number and a prefix in it."""


@frozen
class CheckedFile:
    """A log file of a check."""

    name: str
    """As reports call it."""
    stem: str
    """The name without its rotation suffix."""
    age: tuple[object, ...] = ()
    """Sorts the files of a stem, oldest first."""

    @property
    def folder(self) -> str:
        """The folder that the file lies in."""
        return os.path.dirname(self.name)

    def system_below(self, root: str) -> str:
        """Return the first folder of its name below a root: where systems are kept apart, all in
        that folder is one.

        Args:
            root: with what the names of all files begin; empty: with nothing in common.
        """
        name = self.name.removeprefix(root)
        return name.partition("/")[0] if "/" in name else ""


def rotation_indexes(files: tuple[CheckedFile, ...]) -> tuple[int, ...]:
    """Number the files of each stem, oldest first."""
    by_stem: dict[str, list[int]] = defaultdict(list)
    for number, file in enumerate(files):
        by_stem[file.stem].append(number)
    parts = [0] * len(files)
    for numbers in by_stem.values():
        for part, number in enumerate(sorted(numbers, key=lambda n: (files[n].age, files[n].name))):
            parts[number] = part
    return tuple(parts)


@define
class Process:
    """A process that lines tell of."""

    name: str
    identity: str = ""
    """Tells it from others whose names are the same in other places."""
    units: list[Unit] = Factory(list)
    fits: dict[str, list[ReleaseFit]] = Factory(dict)
    """Family: the releases that fit, from which position on."""
    own_fits: dict[int, list[ReleaseFit]] = Factory(dict)
    """Machines that write a release line of their own."""
    shown_levels: dict[tuple[int, int, str], int] = Factory(dict)
    """Stem, owner and logger: rank of the quietest level that was read."""
    possible_starts: list[Position] = Factory(list)
    """Where the process begins, or may begin, sorted."""
    certain_starts: list[Position] = Factory(list)
    """Where it surely begins, sorted: what it told before is over."""
    ends: list[Position] = Factory(list)
    problems: list[str] = Factory(list)

    def fitting_releases(self, owner: int, family: str, position: Position) -> int:
        """Return the releases that fit a machine's line at a position."""
        known = self.own_fits.get(owner) or self.fits.get(family) or []
        index = bisect_right(known, position, key=attrgetter("start")) - 1
        return known[max(index, 0)].releases if known else 0

    def only_fit(self, owner: int, family: str) -> int:
        """Return the releases that fit all lines of a machine; -1 where they are not the same."""
        known = self.own_fits.get(owner) or self.fits.get(family) or []
        return known[0].releases if len(known) == 1 else -1 if known else 0

    def run_key(self, owner: int, family: str, position: Position) -> tuple[object, ...]:
        """Return what names the run of the process that a line belongs to, as far as banners and
        beginnings tell runs apart.
        """
        own = self.own_fits.get(owner)
        known = own or self.fits.get(family) or []
        index = bisect_right(known, position, key=attrgetter("start")) - 1
        return family, owner if own else -1, index, bisect_right(self.possible_starts, position)

    def began_between(self, after: Position, until: Position) -> bool:
        """Say whether the process began between two positions."""
        index = bisect_right(self.possible_starts, after)
        return index < len(self.possible_starts) and self.possible_starts[index] < until

    def started_after(self, position: Position) -> Position | None:
        """Return the first place after a position where the process surely began anew."""
        index = bisect_right(self.certain_starts, position)
        return self.certain_starts[index] if index < len(self.certain_starts) else None

    @property
    def is_ended(self) -> bool:
        """Whether the process said that it ended, and did not begin again."""
        return bool(self.ends) and self.ended_after(_FIRST_POSITION)

    def ended_after(self, position: Position) -> bool:
        """Say whether the process ended after a position, and did not begin again."""
        last_begin = self.possible_starts[-1] if self.possible_starts else position
        return bool(self.ends) and self.ends[-1] > max(position, last_begin)


def process_names(
    plan: CheckPlan, files: tuple[CheckedFile, ...], profiles: list[Profile]
) -> Iterator[tuple[Unit, str]]:
    """Yield the name of every unit's process; a name that holds in one place only is led by that
    place and a NUL.
    """
    stems: dict[tuple[str, str | None], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    folders: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file, profile in zip(files, profiles, strict=True):
        for prefix, unit in profile.units.items():
            for family, values in unit.process_names.items():
                stems[file.stem, prefix][family] |= values
                if prefix is None:
                    folders[file.folder][family] |= values
    root = plan.options.systems_root
    for number, (file, profile) in enumerate(zip(files, profiles, strict=True)):
        for prefix in profile.prefixes:
            if prefix is not None:
                yield (number, prefix), f"{file.stem}\0{prefix}"
                continue
            named = _agreed_name(plan, stems[file.stem, None]) or (
                not any(stems[file.stem, None].values())
                and _agreed_name(plan, folders[file.folder])
            )
            apart = f"{file.system_below(root)}\0" if plan.options.separate_folders else ""
            yield (number, prefix), f"{apart}{named}" if named else file.stem


def _agreed_name(plan: CheckPlan, named: dict[str, set[str]]) -> str | None:
    for family in plan.families:
        values = named.get(family.family.name, set())
        if len(values) == 1:
            return f"{family.log.process_word or family.log.process} {next(iter(values))}"
    return None
