"""Options of calls: a misspelt one is found by type checkers, and answered at run time with the one that was meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"levels": [("shop.Orders", "LOUD")]}, "`LOUD` is no level; there are `TRACE`"),
        ({"levels": [(None, "INFOO")]}, "did you mean `INFO`"),
        ({"levels": {"shop.Orders": "INFO"}}, "a level is a pair of a logger"),
        ({"levels": ["INFO"]}, "a level is a pair of a logger"),
        ({"tolerance": -1}, "clocks cannot differ by -1 seconds"),
        ({"tolerance": float("nan")}, "clocks cannot differ by nan seconds"),
        ({"tolerance": float("inf")}, "clocks cannot differ by inf seconds"),
    ],
)
def test_an_option_that_says_nothing_is_refused(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    """Else the log is judged as if nobody had said it, or breaks in the middle."""
    (tmp_path / "a.log").write_text("nothing\n", "utf-8")
    with pytest.raises(ValueError, match=said):
        sm.check(tmp_path / "a.log", specs=["examples/Orders"], **options)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: sm.check("x", specs=[]), ValueError, "no spec is named"),
        (lambda: sm.check("x", specs=[sm.load("examples/Orders")]), TypeError, "names of the catalogue, patterns or files, not <spec"),  # type: ignore[list-item]
        (lambda: sm.step(sm.load("examples/Orders"), sm.Snapshot(""), "x"), ValueError, r"is no machine; `at\(\)` of a spec"),  # type: ignore[arg-type]
    ],
)
def test_what_is_not_what_is_asked_for_is_told(call: Callable[[], object], error: type[Exception], said: str) -> None:
    """An index that is out of range names no mistake of the caller."""
    with pytest.raises(error, match=said):
        call()
