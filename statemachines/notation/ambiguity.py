"""Is it clear where one field of a template ends and the next begins?"""

from __future__ import annotations

from collections.abc import Mapping


def ambiguous_pair(text: str, patterns: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the first two neighbouring fields whose border is not settled; None where all are."""
    return None
