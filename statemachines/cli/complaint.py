"""An expected error of a verb: a message for stderr and exit code 2."""

from __future__ import annotations

import click


class Complaint(click.ClickException):
    """Says what is wrong with what was given; the message stands alone, no usage follows."""

    exit_code = 2
