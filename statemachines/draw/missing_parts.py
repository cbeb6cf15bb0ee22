"""Parts from elsewhere that a picture needs and that may not be there."""

from __future__ import annotations

import importlib
from typing import Any

from statemachines.model.extras import install_command


class MissingPart(RuntimeError):
    """A library or a program that draws is not there; the message says what to install."""


def import_part(module: str, what: str) -> Any:
    """Import a library of the extra `draw`.

    Args:
        module: its import name.
        what: what is drawn with it, for the message.

    Returns:
        The module.

    Raises:
        MissingPart: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingPart(
            f"{what} needs the library `{module}`: {install_command('draw')}"
        ) from error
