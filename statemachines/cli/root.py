"""The program itself: its verbs, imported when used, and what becomes of errors."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from typing import Any

import click

from statemachines.cli.console import terminal
from statemachines.cli.outcomes.exit_codes import BAD_INPUT, INTERRUPTED, UNDECIDED
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.version import __version__

_SHORT_HELPS = {
    "check": "Judge logs and say what is wrong now.",
    "report": "Compare saved reports: is the system getting better?",
    "explain": "Say what SM204, an incident or a pasted log line means.",
    "ask": "Is a step legal, since when, and what is done with the request.",
    "show": "Show a machine: states, transitions, and what happens to other requests.",
    "list": "List the shipped machines and their releases.",
    "writing.lint": "Report everything that is wrong with specs.",
    "writing.format": "Format specs; comments are kept.",
    "explore": "Visit every state of a machine or a system, checking its properties.",
    "simulate": "Walk through a machine or a system at random, checking its properties.",
    "mutate": "Make small mistakes in a machine, and say which checks notice.",
    "diff": "Say what changed between two releases, or two specs, in behaviour.",
    "draw": "Draw a machine, or what instances did over time.",
    "timeline": "Print all lines of one instance, merged over files by time.",
    "generate": "Make code or a test from a machine or a system.",
    "writing.init": "Write a spec to start from.",
    "writing.mine": "Draft a spec from the logs of an unknown program.",
    "writing.repair": "Find the smallest change to a spec that admits logs.",
    "completion": "Print the completion script of a shell.",
}
"""Modules below `statemachines.cli.verbs`, each of which has the command `verb`, in the order in
which a person meets them; and what they do, so that `--help` imports none of them.
"""
_MODULES_BY_VERB = {module.rpartition(".")[2]: module for module in _SHORT_HELPS}
VERB_NAMES = tuple(_MODULES_BY_VERB)


@cache
def _imported_command(module: str) -> click.Command:
    """Import a verb's module; what is given to it is checked for words that are empty."""
    command: click.Command = import_module(f"statemachines.cli.verbs.{module}").verb
    command.short_help = _SHORT_HELPS[module]
    assert command.callback is not None
    command.callback = _refusing_empty_words(command.callback)
    return command


def _refusing_empty_words(run: Callable[..., Any]) -> Callable[..., Any]:
    """Let a verb run where no word is empty: such a word names nothing, and stands there because a
    variable of the shell is not set.
    """

    @wraps(run)
    def checked(**given: Any) -> Any:
        context = click.get_current_context()
        for param in context.command.params:
            value = given.get(param.name or "")
            if value == "" or (isinstance(value, tuple) and "" in value):
                name = (
                    param.opts[0]
                    if param.param_type_name == "option"
                    else param.make_metavar(context)
                )
                raise click.UsageError(
                    f"{name} is empty: give it a value, or leave it out", context
                )
        return run(**given)

    return checked


class _VerbGroup(click.Group):
    """A group whose commands are modules, imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in our order."""
        return list(VERB_NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb's module and return its command."""
        module = _MODULES_BY_VERB.get(cmd_name)
        if module is None:
            return None
        return _imported_command(module)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs and what they do."""
        with formatter.section("Commands"):
            formatter.write_dl(list(zip(VERB_NAMES, _SHORT_HELPS.values(), strict=True)))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a misspelt one gets the nearest name."""
        if args[0] not in VERB_NAMES and not args[0].startswith("-"):
            raise click.UsageError(f"no verb `{args[0]}`; {did_you_mean(args[0], VERB_NAMES)}", ctx)
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, _: click.Parameter, request: bool) -> None:
    if request and not ctx.resilient_parsing:
        click.echo(f"statemachines {__version__}")
        ctx.exit()


@click.command(
    cls=_VerbGroup,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
def program() -> None:
    """Life cycles, written once: check logs against them, ask what is legal, draw them.

    \b
    statemachines check logs/                      judge a folder of logs, see what is wrong now
    kubectl logs app | statemachines check -       the same from a pipe
    statemachines explain - < line.txt             what a log line says
    statemachines list                             the machines that are shipped, and their releases
    statemachines ask Order PAID SHIPPED            is this step legal, and since when
    statemachines lint my/spec.yaml                what is wrong with a spec

    Exit codes of check: 0 nothing wrong, 1 violated (or what --fail-on lists), 3 cannot tell, 2
    wrong usage or unreadable input, 130 interrupted.
    """


def _os_error_text(problem: OSError) -> str:
    """Say what the system refused; a file without a name is one of ours, for a while."""
    why = problem.strerror or str(problem)
    if problem.filename:
        return f"{problem.filename}: {why}"
    if problem.errno == errno.ENOSPC:
        import tempfile

        return f"{why}: temporary files lie in {tempfile.gettempdir()}, or where TMPDIR says"
    return why


def _no_such_option_error(problem: click.NoSuchOption) -> click.UsageError:
    """Say it as everything here is said: with the option that was meant."""
    context = problem.ctx
    options = [
        name
        for param in (context.command.params if context else ())
        for name in param.opts
        if name.startswith("--")
    ]
    return click.UsageError(
        f"no option `{problem.option_name}`; {did_you_mean(problem.option_name, options)}", context
    )


def run_command_line(arguments: list[str]) -> int:
    """Run the program; every expected error becomes a message on stderr and an exit code.

    Exit code 1 says VIOLATED to scripts. So a mistake of our own, which Python would end with 1, is
    3: cannot tell.
    """
    terminal.prepare_streams()
    try:
        result = program.main(arguments, prog_name="statemachines", standalone_mode=False)
        with terminal.until_output_closes():
            pass
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as problem:
        problem.show()
        return 0
    except click.NoSuchOption as problem:
        terminal.print_error(_no_such_option_error(problem))
        return problem.exit_code
    except click.ClickException as problem:
        terminal.print_error(problem)
        return problem.exit_code
    except (KeyboardInterrupt, click.Abort):
        terminal.print_note("interrupted")
        return INTERRUPTED
    except OSError as problem:
        terminal.discard_output()
        terminal.print_note(_os_error_text(problem))
        return BAD_INPUT
    except MemoryError:
        terminal.print_note("out of memory: more is needed for this than the system allows")
        return BAD_INPUT
    except RecursionError:
        terminal.print_note("something in the input is nested deeper than Python can follow")
        return BAD_INPUT
    except Exception:
        import traceback

        traceback.print_exc()
        terminal.print_note(
            "this is a bug in statemachines; please report it with the traceback above"
        )
        return UNDECIDED
