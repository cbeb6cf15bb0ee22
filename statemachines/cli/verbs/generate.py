"""`generate`: code or tests from a machine or a system."""

from __future__ import annotations

from pathlib import Path

import click

from statemachines.api.machine import Machine
from statemachines.api.queries.catalogue import (
    find_machine,
    find_system,
    machine_in_release,
    system_in_release,
)
from statemachines.api.queries.pictures import DRAWING_FORMS
from statemachines.api.system import System
from statemachines.cli.arguments.machine_arguments import machine_argument, release_option
from statemachines.cli.arguments.option_types import OutputFile
from statemachines.cli.console import terminal
from statemachines.cli.console.output_files import require_new, write_bytes
from statemachines.cli.outcomes.command_errors import reported_errors
from statemachines.cli.outcomes.exit_codes import FINE, FOUND
from statemachines.model.diagnosis.suggestions import did_you_mean

_GENERATED_BY = b"Made by `statemachines generate code"
"""What the docstring of generated code says."""

_HEADER_BYTES = 4096
"""Within which it says so."""


class _GeneratedGroup(click.Group):
    """What is made; a form that `draw` writes is looked for here too."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a form of a machine as text, say who writes it."""
        word = args[0]
        if word in self.commands or word.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        if word in DRAWING_FORMS:
            raise click.UsageError(
                f"`draw` writes {word}: statemachines draw {' '.join(args[1:]) or 'NAME'} --format"
                f" {word}",
                ctx,
            )
        hint = did_you_mean(word, list(self.commands))
        meant = next((name for name in self.commands if f"`{name}`" in hint), None)
        if meant:
            hint = f"did you mean `statemachines generate {' '.join([meant, *args[1:]])}`?"
        raise click.UsageError(f"cannot generate `{word}`; {hint}", ctx)


@click.group(cls=_GeneratedGroup)
def verb() -> None:
    """Make code or a test from a machine or a system."""


@verb.command(short_help="One typed Python module that needs nothing else.")
@machine_argument()
@release_option()
@click.option(
    "-o",
    "--output",
    "file",
    type=OutputFile(),
    metavar="FILE",
    help="Write the module to a file.",
)
@click.option(
    "--check", is_flag=True, help="Write nothing; exit with 1 if FILE is not what would be written."
)
@click.option("--force", is_flag=True, help="Overwrite a file that was not generated.")
def code(name: str, release: str | None, file: str | None, check: bool, force: bool) -> int:
    """Write machine or system NAME in one release (default: the newest) as a typed Python module
    that needs Python 3.11 and nothing else.

    The module of a system has the classes of its machines too. What is the same gives the same
    bytes, from whatever folder: a build runs it with --check to see that a generated file is up to
    date.
    """
    if check and file is None:
        raise click.UsageError("--check compares with a file; name it with -o FILE")
    with reported_errors():
        made, note = _released(name, release)
        content = made.code().encode()
    if note:
        terminal.print_note(note)
    if file is None:
        write_bytes(None, content)
        return FINE
    if check:
        return _compare_content(Path(file), content)
    if not force and not _was_generated(Path(file)):
        require_new(file)
    return _write_content(Path(file), content)


@verb.command(
    short_help="A pytest file that drives your program and the machine, or system, side by side."
)
@machine_argument()
@release_option()
@click.option(
    "-o",
    "--output",
    "file",
    type=OutputFile(),
    metavar="FILE",
    help="Write the test to a file.",
)
def test(name: str, release: str | None, file: str | None) -> int:
    """Write a test of machine or system NAME in one release (default: the newest) for pytest and
    Hypothesis.

    It runs as it is, with the machine in place of your program: put yours into `make_subject`. The
    file is a beginning and yours to change. That of a system also lets several threads call.
    """
    with reported_errors():
        made, note = _released(name, release)
        content = made.test(name).encode()
    if note:
        terminal.print_note(note)
    if file is None:
        write_bytes(None, content)
        return FINE
    if Path(file).exists():
        terminal.print_note(f"{file} exists already and may hold your changes; name another file")
        return FOUND
    return _write_content(Path(file), content)


def _released(name: str, release: str | None) -> tuple[Machine | System, str]:
    """Return a machine or a system in one release, and what is to be said of the release."""
    together = find_system(name)
    if together is not None:
        system, note = system_in_release(together, release)
        return System(system), note
    machine, note = machine_in_release(find_machine(name), release)
    return Machine(machine), note


def _was_generated(file: Path) -> bool:
    """Tell whether a file is code that was made here, and may be made anew."""
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return _GENERATED_BY in stream.read(_HEADER_BYTES)


def _write_content(file: Path, content: bytes) -> int:
    write_bytes(str(file), content)
    return FINE


def _compare_content(file: Path, content: bytes) -> int:
    if file.is_file() and file.read_bytes() == content:
        return FINE
    terminal.print_note(
        f"{file} is {'out of date' if file.is_file() else 'not there'}; run the same command"
        " without --check"
    )
    return FOUND
