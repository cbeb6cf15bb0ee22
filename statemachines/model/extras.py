"""How what is optional is installed: one sentence for all that may be missing."""

from __future__ import annotations

DISTRIBUTION = "lifecycle-statemachines"
"""The name of the package where it is installed from; it is imported as `statemachines`."""


def install_command(extra: str) -> str:
    """Return the command that installs an extra, for messages.

    Args:
        extra: its name, as `pyproject.toml` has it.

    Returns:
        The command, and how it is written in a checkout.

    >>> print(install_command("draw"))
    pip install 'lifecycle-statemachines[draw]' (in a checkout '.[draw]')
    """
    return f"pip install '{DISTRIBUTION}[{extra}]' (in a checkout '.[{extra}]')"
