"""Expected errors of verbs: a message for stderr and exit code 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from statemachines.api.asking import UnknownState
from statemachines.model.diagnostics import SpecError
from statemachines.model.suggestions import did_you_mean


class Complaint(click.ClickException):
    """Says what is wrong with what was given; the message stands alone, no usage follows."""

    exit_code = 2


class SpecComplaint(Complaint):
    """Diagnostics of a spec, which begin with their own place."""


@contextmanager
def complaints() -> Iterator[None]:
    """Turn what a spec, a release or a state can be wrong in into a message."""
    from statemachines.api.diagnostics import shown

    try:
        yield
    except SpecError as problem:
        raise SpecComplaint(shown(problem.diagnostics)) from None
    except UnknownState as problem:
        none = "its states have no names; `show` says what it does"
        raise Complaint(f"{problem}; {did_you_mean(problem.text, problem.known) if problem.known else none}") from None
    except ValueError as problem:
        raise Complaint(str(problem)) from None
