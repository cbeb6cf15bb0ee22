"""How a check ended."""

from __future__ import annotations

import enum


class Verdict(enum.IntEnum):
    """How a check ended; the verdict of several checks is the worst of them.

    >>> print(Verdict.VIOLATED), f"{Verdict.HOLDS}"
    VIOLATED
    (None, 'HOLDS')
    >>> worst_verdict([Verdict.HOLDS, Verdict.INCONCLUSIVE]).name
    'INCONCLUSIVE'
    """

    HOLDS = 0
    INCONCLUSIVE = 1
    VIOLATED = 2

    def __str__(self) -> str:
        """Return its name: a person who prints it reads no number."""
        return self.name


def worst_verdict(verdicts: list[Verdict]) -> Verdict:
    """Return the worst of some verdicts; of none: HOLDS.

    Args:
        verdicts: in any order.

    Returns:
        The worst one.
    """
    return max(verdicts, default=Verdict.HOLDS)
