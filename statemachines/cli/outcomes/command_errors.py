"""Expected errors of verbs: a message for stderr and exit code 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click


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
    from statemachines.model.diagnosis.diagnostics import SpecError

    try:
        yield
    except SpecError as problem:
        from statemachines.report.specs.diagnostic_text import diagnostics_text

        raise SpecCommandError(diagnostics_text(problem.diagnostics)) from None
    except ValueError as problem:
        raise CommandError(str(problem)) from None
