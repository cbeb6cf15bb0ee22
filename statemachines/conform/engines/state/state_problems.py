"""What can be wrong with a state folder."""

from __future__ import annotations


class StateUnusable(RuntimeError):
    """A state folder that this check cannot use; the message says what to do."""


class StateWarning(UserWarning):
    """Something a person should know of a state folder: what was kept there is read anew."""
