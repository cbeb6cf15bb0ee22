"""`mutate`: small changes of a machine, and who notices them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import click

from statemachines.api.mutating import MOST_STATES, Fate, Judged, Mutation, Tally, mutate, run_of, score_said, title_of, to_json
from statemachines.cli import terminal
from statemachines.cli.complaint import complaints
from statemachines.cli.exits import FINE, FOUND, INTERRUPTED, UNDECIDED
from statemachines.cli.naming import machine_argument, release_option
from statemachines.cli.options import Word
from statemachines.report.text.columns import Cell, Gives, Look, count, table

STYLES = {Fate.KILLED: "good", Fate.SURVIVED: "bad", Fate.NOT_JUDGED: "doubt"}
SHOWN = {"survivors": (Fate.SURVIVED, Fate.NOT_JUDGED), "all": tuple(Fate), "none": ()}


@click.command(short_help="Change a machine a little, in every way, and say who notices.")
@machine_argument()
@release_option()
@click.option("--test", "tests", metavar="PATH[::NAME]", multiple=True, help="A test of pytest that shall notice; may be given again.")
@click.option("--log", "logs", metavar="FILE|FOLDER", multiple=True, type=click.Path(), help="A log that shall notice; may be given again.")
@click.option("--scope", metavar="NAME=N,…", multiple=True, help="As for explore; beats the spec's.")
@click.option(
    "--most-states", default=MOST_STATES, show_default=True, type=click.IntRange(1), help="Give up on a mutant beyond this many states."
)
@click.option("--sample", metavar="N", type=click.IntRange(1), help="Judge only N mutants, spread over the kinds of changes.")
@click.option("--seed", default=0, show_default=True, help="Of the choice of --sample.")
@click.option("--only", metavar="N", multiple=True, type=click.IntRange(1), help="Judge only mutant N; may be given again.")
@click.option("--show", type=Word([*SHOWN]), default="survivors", show_default=True, help="Which mutants are shown one by one.")
@click.option("--at-least", metavar="PERCENT", type=click.IntRange(0, 100), help="Exit code 1 only below this score.")
@click.option("--format", "form", type=Word(["text", "json"]), default="text", show_default=True, help="Form of the result.")
def verb(name: str, at_least: int | None, show: str, form: str, only: tuple[int, ...], **asked: object) -> int:
    """Change machine or system NAME a little, in every way that a slip of the pen may, and say who would notice.

    Judges are the checks that every machine has, the properties of the spec, and the tests and logs that are named. A mutant that nobody
    notices survives: it comes with a shortest run that tells it from the original, which is what a new property or test could be about.

    Exit code: 0 no mutant survived (--at-least: the score is reached), 1 one did, 2 a test or log that cannot judge, or nothing to change,
    3 some could not be judged, 130 interrupted (what is known is shown).
    """
    with complaints():
        found = mutate(name, numbers=only, told=_progress if sys.stderr.isatty() else None, **asked)  # type: ignore[arg-type]
    if form == "json":
        terminal.say([json.dumps(to_json(found), indent=2, ensure_ascii=False)])
    else:
        _show(found, show)
    return INTERRUPTED if found.interrupted else _code(found.total, at_least)


def _code(total: Tally, at_least: int | None) -> int:
    if at_least is not None:
        return FOUND if total.score is not None and total.score * 100 < at_least else FINE
    if total.survived:
        return FOUND
    return UNDECIDED if total.not_judged else FINE


def _progress(judged: int, mutants: int) -> None:
    sys.stderr.write(f"\r{judged:,} of {mutants:,} mutants\r")


def _show(found: Mutation, show: str) -> None:
    look, total = terminal.look(), found.total
    within = f"   within {found.scope}" if found.scope else ""
    chosen = f" of {found.made:,}" if len(found.judged) < found.made else ""
    terminal.say(
        [f"{look.paint(title_of(found), 'head')}   {count(len(found.judged), 'mutant')}{chosen}{within}   score {score_said(total)}"]
    )
    for name in found.violated:
        terminal.say([look.paint(f"  {name} is VIOLATED as it is, and so it judges no mutant", "doubt")])
    terminal.say(table(list(_rows(found)), look))
    for one in found.judged:
        if one.fate in SHOWN[show]:
            terminal.say(_lines(one, look))


def _rows(found: Mutation) -> Iterator[list[Cell]]:
    """Yield the table: a row for each operator, then all."""
    fates = ("mutants", "killed", "survived", "equivalent", "duplicate", "not judged")
    yield [Cell(""), *(Cell(word, "dim") for word in fates), *(Cell(f"by {judge.value}", "dim") for judge in found.judges)]
    for one in (*found.tallies, found.total):
        numbers = (one.mutants, one.killed, one.survived, one.equivalent, one.duplicate, one.not_judged)
        yield [Cell(one.title), *(Cell(str(number or "")) for number in (*numbers, *(number for _, number in one.noticed)))]


def _lines(one: Judged, look: Look) -> Iterator[str]:
    mutant = one.mutant
    release = f"   in {mutant.draft.release}" if mutant.draft.release else ""
    yield ""
    yield f"{look.paint(one.fate.value.upper(), STYLES.get(one.fate, 'dim'))}   {mutant.number}   {look.paint(mutant.title, 'head')}"
    yield f"  {mutant.place}{release}"
    yield from (f"    {line}" for line in mutant.draft.diff)
    yield from (f"  by {notice.judge.value}: {notice.by}{f', {notice.said}' if notice.said else ''}" for notice in one.notices)
    yield from ([f"  {one.why}"] if one.why else [])
    yield from ([f"  not by log: {one.silence}"] if one.silence else [])
    yield from ([f"  no run tells it from mutant {one.same_as}"] if one.same_as is not None else [])
    run = run_of(one)
    if run is not None:
        yield f"  told apart by: begins {run.begin}"
        yield from table(
            [[Cell(str(row.number)), Cell(row.event, gives=Gives.ITS_END), Cell(row.became, gives=Gives.ITS_END)] for row in run.rows],
            look,
            "    ",
        )
        yield f"    the mutant: {run.instead}"
