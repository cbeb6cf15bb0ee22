"""What no other form can say."""

from __future__ import annotations


class CannotExport(ValueError):
    """A form cannot say what the machine says; the message says what."""
