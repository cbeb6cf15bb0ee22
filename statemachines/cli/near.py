"""Did you mean …?"""

from __future__ import annotations

import difflib
from collections.abc import Collection


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Return the nearest known words as the end of a message, or all of them where few are known and none is near.

    >>> did_you_mean("PIAD", ["NEW", "PAID"])
    '; did you mean `PAID`?'
    """
    near = difflib.get_close_matches(word, known, 1)
    if near:
        return f"; did you mean `{near[0]}`?"
    return f"; there are {', '.join(known)}" if 0 < len(known) <= 12 else ""
