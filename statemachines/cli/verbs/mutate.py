"""`mutate`: small changes of a machine, and who notices them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from statemachines.api.queries.mutation_report import (
    MOST_STATES,
    JudgedMutant,
    MutantStatus,
    MutantTally,
    MutationResult,
    distinguishing_run,
    mutate,
    mutation_title,
    score_text,
    to_json,
)
from statemachines.cli.arguments.machine_arguments import machine_argument, release_option
from statemachines.cli.arguments.option_types import WordChoice
from statemachines.cli.console import terminal
from statemachines.cli.outcomes.command_errors import reported_errors
from statemachines.cli.outcomes.exit_codes import FINE, FOUND, INTERRUPTED, UNDECIDED
from statemachines.model.counts import count_text
from statemachines.report.text.text_columns import Cell, CellShortening, OutputStyle, aligned_rows

_STATUS_STYLES = {
    MutantStatus.KILLED: "good",
    MutantStatus.SURVIVED: "bad",
    MutantStatus.NOT_JUDGED: "doubt",
}
_SHOWN_STATUSES = {
    "survivors": (MutantStatus.SURVIVED, MutantStatus.NOT_JUDGED),
    "all": tuple(MutantStatus),
    "none": (),
}


@click.command()
@machine_argument()
@release_option()
@click.option(
    "--test",
    "tests",
    metavar="PATH[::NAME]",
    multiple=True,
    help="A pytest test that should notice; may be repeated.",
)
@click.option(
    "--log",
    "logs",
    metavar="FILE|FOLDER",
    multiple=True,
    type=click.Path(),
    help="A log that should notice; may be repeated.",
)
@click.option(
    "--scope", metavar="NAME=N,…", multiple=True, help="As for explore; overrides the spec's."
)
@click.option(
    "--most-states",
    default=MOST_STATES,
    show_default=True,
    type=click.IntRange(1),
    help="Give up on a mutant beyond this many states.",
)
@click.option(
    "--sample",
    metavar="N",
    type=click.IntRange(1),
    help="Judge only N mutants, spread over the kinds of changes.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Seed for the choice that --sample makes."
)
@click.option(
    "--only",
    metavar="N",
    multiple=True,
    type=click.IntRange(1),
    help="Judge only mutant N; may be repeated.",
)
@click.option(
    "--show",
    type=WordChoice([*_SHOWN_STATUSES]),
    default="survivors",
    show_default=True,
    help="Which mutants to show one by one.",
)
@click.option(
    "--at-least",
    metavar="PERCENT",
    type=click.IntRange(0, 100),
    help="Exit code 1 only below this score.",
)
@click.option(
    "--format",
    "form",
    type=WordChoice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the result.",
)
def verb(
    name: str, at_least: int | None, show: str, form: str, only: tuple[int, ...], **request: Any
) -> int:
    """Change machine or system NAME in every small way that a slip of the pen might, and say which
    of its checks would notice.

    A mutant is judged by the checks that every machine has, by the properties of the spec, and by
    the tests and logs that you name. One that nobody notices survives; it is shown with a shortest
    run that distinguishes it from the original, a hint for a new property or test.

    Exit code: 0 no mutant survived (--at-least: the score is reached), 1 one did, 2 a test or log
    that cannot judge, or nothing to change, 3 some could not be judged, 130 interrupted (what is
    known is shown).
    """
    with reported_errors():
        progress = _print_progress if sys.stderr.isatty() else None
        result = mutate(name, numbers=only, on_progress=progress, **request)
    if form == "json":
        terminal.print_lines([json.dumps(to_json(result), indent=2, ensure_ascii=False)])
    else:
        _print_mutation(result, show)
    return INTERRUPTED if result.interrupted else _exit_code(result.total, at_least)


def _exit_code(total: MutantTally, at_least: int | None) -> int:
    if at_least is not None:
        return FOUND if total.score is not None and total.score * 100 < at_least else FINE
    if total.survived:
        return FOUND
    return UNDECIDED if total.not_judged else FINE


def _print_progress(judged: int, mutants: int) -> None:
    sys.stderr.write(f"\r{judged:,} of {mutants:,} mutants\r")


def _print_mutation(result: MutationResult, show: str) -> None:
    style, total = terminal.output_style(), result.total
    within = f"   within {result.scope}" if result.scope else ""
    chosen = f" of {result.mutant_count:,}" if len(result.judged) < result.mutant_count else ""
    terminal.print_lines(
        [
            f"{style.paint(mutation_title(result), 'head')}  "
            f" {count_text(len(result.judged), 'mutant')}{chosen}{within}   score"
            f" {score_text(total)}"
        ]
    )
    for name in result.violated_properties:
        terminal.print_lines(
            [style.paint(f"  {name} is VIOLATED as it is, and so it judges no mutant", "doubt")]
        )
    terminal.print_lines(aligned_rows(list(_tally_cells(result)), style))
    for judged in result.judged:
        if judged.status in _SHOWN_STATUSES[show]:
            terminal.print_lines(_mutant_lines(judged, style))


def _tally_cells(result: MutationResult) -> Iterator[list[Cell]]:
    """Yield the table: a row for each operator, then all."""
    statuses = ("mutants", "killed", "survived", "equivalent", "duplicate", "not judged")
    yield [
        Cell(""),
        *(Cell(word, "dim") for word in statuses),
        *(Cell(f"by {judge.value}", "dim") for judge in result.judges),
    ]
    for tally in (*result.tallies, result.total):
        numbers = (
            tally.mutants,
            tally.killed,
            tally.survived,
            tally.equivalent,
            tally.duplicate,
            tally.not_judged,
        )
        yield [
            Cell(tally.title),
            *(
                Cell(str(number or ""))
                for number in (*numbers, *(number for _, number in tally.detected))
            ),
        ]


def _mutant_lines(judged: JudgedMutant, style: OutputStyle) -> Iterator[str]:
    mutant = judged.mutant
    release = f"   in {mutant.candidate.release}" if mutant.candidate.release else ""
    yield ""
    yield (
        f"{style.paint(judged.status.value.upper(), _STATUS_STYLES.get(judged.status, 'dim'))}"
        f"   {mutant.number}   {style.paint(mutant.title, 'head')}"
    )
    yield f"  {mutant.position}{release}"
    yield from (f"    {line}" for line in mutant.candidate.diff)
    yield from (
        f"  by {notice.judge.value}: {notice.by}{f', {notice.message}' if notice.message else ''}"
        for notice in judged.notices
    )
    yield from ([f"  {judged.why}"] if judged.why else [])
    yield from ([f"  not by log: {judged.log_silence}"] if judged.log_silence else [])
    yield from (
        [f"  no run tells it from mutant {judged.same_as}"] if judged.same_as is not None else []
    )
    run = distinguishing_run(judged)
    if run is not None:
        yield f"  told apart by: begins {run.start}"
        yield from aligned_rows(
            [
                [
                    Cell(str(row.number)),
                    Cell(row.event, shortening=CellShortening.AT_END),
                    Cell(row.outcome, shortening=CellShortening.AT_END),
                ]
                for row in run.rows
            ],
            style,
            "    ",
        )
        yield f"    the mutant: {run.mutant_outcome}"
