"""What the programs of the tests refuse with."""

from __future__ import annotations


class No(Exception):
    """Not here, not now."""
