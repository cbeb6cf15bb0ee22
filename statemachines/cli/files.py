"""Files that verbs write."""

from __future__ import annotations

import sys
from pathlib import Path

from statemachines.cli import terminal
from statemachines.cli.complaint import Complaint


def write_bytes(file: str | None, content: bytes) -> None:
    """Write to a file, or to stdout where there is none or it is `-`.

    Raises:
        Complaint: it cannot be written.
    """
    if file is None or file == "-":
        with terminal.heard():
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
        return
    try:
        Path(file).write_bytes(content)
    except OSError as problem:
        raise Complaint(f"{file} cannot be written: {problem.strerror}") from None


def write_new(file: str, content: str, *, force: bool) -> None:
    """Write a file that is not there yet.

    Raises:
        Complaint: it is there and `force` is not asked for, or it cannot be written.
    """
    if Path(file).exists() and not force:
        raise Complaint(f"{file} is there already; --force writes over it")
    write_bytes(file, content.encode())
