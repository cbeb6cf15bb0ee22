"""Options of calls: a misspelt one is found by type checkers, and answered at run time with the one that was meant."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import statemachines as sm
from statemachines.conform.spark import checking


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: sm.check("x", tolerence=3), r"check\(\) has no option `tolerence`; did you mean `tolerance`\?"),  # type: ignore[call-arg]
        (lambda: sm.check("x", relase="1", specz=()), r"`relase`; did you mean `release`\?, and no option `specz`; did you mean `specs`\?"),  # type: ignore[call-arg]
        (lambda: sm.load("examples/Orders").at().explore(memry=3), "`memry`; did you mean `memory`"),  # type: ignore[call-arg]
        (lambda: checking.findings(None, (), layout=("x",)), "`layout`; did you mean `layouts`"),  # type: ignore[arg-type,call-arg]
        (lambda: checking.timeline(None, (), zones="x"), "`zones`; did you mean `zone`"),  # type: ignore[arg-type,call-arg]
    ],
)
def test_a_misspelt_option_is_answered(call: Callable[[], object], said: str) -> None:
    """All of them at once, where there are several."""
    with pytest.raises(TypeError, match=said):
        call()


def test_an_engine_that_there_is_not_is_refused() -> None:
    """Another one would judge in its place."""
    with pytest.raises(ValueError, match="no engine `sprk`; did you mean `spark`"):
        sm.check("x", engine="sprk")


def test_what_is_returned_can_be_named() -> None:
    """In the annotations of a program."""
    for name in ("Report", "Finding", "System", "SystemSpec", "Machine", "Spec", "Snapshot"):
        assert isinstance(getattr(sm, name), type)
        assert name in sm.__all__
