"""What stands of judgements once more is known of all files: whether numbers mean what they did,
and whether the same is known of processes.
"""

from __future__ import annotations

from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.conform.settle.processes import Process

_PROCESS_FACTS = ("fits", "own_fits", "shown_levels", "possible_starts", "certain_starts", "ends")
"""What judging asks of a process beside its name and its files."""


def is_continued(before: JudgingContext, now: JudgingContext) -> bool:
    """Say whether all numbers mean what they meant: files, processes and their order. A rotation
    gives files other names, and what it begins comes behind them.

    Args:
        before: what all files said together at the look before.
        now: what they say now.

    Returns:
        Whether what was judged before stands, but for that of processes which are not the same.
    """
    files = len(before.files)
    return (
        before.stems == now.stems
        and before.rotation_indexes == now.rotation_indexes[:files]
        and [file.stem for file in before.files] == [file.stem for file in now.files[:files]]
        and [process.name for process in before.processes]
        == [process.name for process in now.processes[: len(before.processes)]]
        and before.process_by_unit.items() <= now.process_by_unit.items()
        and _are_units_as_before(before, now)
        and before.may_have_copies == now.may_have_copies
        and before.abroad == now.abroad
    )


def stands_what_was_let_go(before: JudgingContext, now: JudgingContext) -> bool:
    """Say whether what was judged as nothing is told of it would be judged so again, wherever its
    lines are by now: of processes no more is known than that they began and ended later.

    Args:
        before: what all files said together at the look before.
        now: what they say now.

    Returns:
        Whether nothing of what was let go has to be judged again.
    """
    processes = {process.identity: process for process in now.processes}
    return (
        _are_units_as_before(before, now)
        and {o.owner for o in before.abroad} == {o.owner for o in now.abroad}
        and before.may_have_copies == now.may_have_copies
        and all(
            (same := processes.get(process.identity)) is not None and _goes_on(process, same)
            for process in before.processes
        )
    )


def _are_units_as_before(before: JudgingContext, now: JudgingContext) -> bool:
    """Say whether times move as they did, and the same lines count, in all that was there."""
    return all(
        before.shifts.get(of) == now.shifts.get(of)
        and (of in before.doubled) == (of in now.doubled)
        for of in before.process_by_unit
    )


def _goes_on(before: Process, now: Process) -> bool:
    """Say whether all that was known of a process stands, and what is new stands behind it."""
    was, is_now = _told_of(before), _told_of(now)
    return _levels(before) == _levels(now) and all(
        is_now.get(what, [])[: len(known)] == known for what, known in was.items()
    )


def _told_of(process: Process) -> dict[object, list[int]]:
    """Return what became of a process in its order: releases, and when it began and ended."""
    fits = (*process.fits.items(), *process.own_fits.items())
    signs = (process.possible_starts, process.certain_starts, process.ends)
    return {
        **{of: [fit.releases for fit in same] for of, same in fits},
        **{("sign", kind): [place.reached for place in signs[kind]] for kind in range(3)},
    }


def _levels(process: Process) -> list[tuple[int, str, int]]:
    return sorted((owner, name, rank) for (_, owner, name), rank in process.shown_levels.items())


def is_same(before: Process, now: Process) -> bool:
    """Say whether judging is told the same of a process as at the look before.

    Args:
        before: as it was known then.
        now: as it is known now.

    Returns:
        Whether all that judging asks of it is the same.
    """
    return all(getattr(before, fact) == getattr(now, fact) for fact in _PROCESS_FACTS)
