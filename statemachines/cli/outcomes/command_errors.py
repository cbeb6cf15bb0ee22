"""Expected errors of verbs: a message for stderr and exit code 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from statemachines.model.diagnosis.diagnostics import SpecError
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.report.specs.legality import UnknownState


class CommandError(click.ClickException):
    """Says what is wrong with what was given; the message stands alone, no usage follows."""

    exit_code = 2


class SpecCommandError(CommandError):
    """Diagnostics of a spec, which begin with their own place."""


@contextmanager
def reported_errors() -> Iterator[None]:
    """Turn what a spec, a release or a state can be wrong in into a message.

    Yields:
        Nothing; errors of the block are turned into messages.

    Raises:
        CommandError: for what is wrong, with its exit code.
        SpecCommandError: for a spec that is broken, with all diagnostics.
    """
    from statemachines.report.specs.diagnostic_text import diagnostics_text

    try:
        yield
    except SpecError as problem:
        raise SpecCommandError(diagnostics_text(problem.diagnostics)) from None
    except UnknownState as problem:
        none = "its states have no names; `show` says what it does"
        raise CommandError(
            f"{problem}; {did_you_mean(problem.text, problem.known) if problem.known else none}"
        ) from None
    except ValueError as problem:
        raise CommandError(str(problem)) from None
