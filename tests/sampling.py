"""Long tests of which a few cases run always: each kind is seen in every run; more of them with
`--long`, and all with `--thorough`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest


def few_always(cases: Sequence[object], always: Iterable[object]) -> list[object]:
    """Return the cases of a parametrised test, all but some of them marked as long."""
    kept = list(always)
    assert all(case in cases for case in kept)
    return [case if case in kept else pytest.param(case, marks=pytest.mark.long) for case in cases]
