"""What is said or measured in many places is done by one function: two of them drift apart, and a page says 60 s here and 59 s there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "statemachines"
ONE_HOME = {
    "what a word was meant to be": (r"did you mean `\{", "model/diagnosis/suggestions.py"),
    "the nearest word": (r"get_close_matches\(", "model/diagnosis/suggestions.py"),
    "how long something lasted": (r'"min", 1, "s"', "model/evidence/durations.py"),
    "a time of day": (r"% ?60:02", "model/evidence/moments.py"),
    "the milliseconds of a day": (r"^DAY_MS =|86_400_000", "model/evidence/moments.py"),
}
"""What, how its code looks, and the one module that has it."""
OTHER_CLOCKS = re.compile(r"perf_counter|time\.time\(|process_time")


def modules_with(pattern: str) -> set[str]:
    """Code only: examples of docstrings are prose."""
    found = re.compile(pattern, re.MULTILINE)
    return {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if found.search(re.sub(r'""".*?"""', "", path.read_text("utf-8"), flags=re.DOTALL))
    }


@pytest.mark.parametrize("what", ONE_HOME)
def test_it_is_done_in_one_place(what: str) -> None:
    """Who needs it calls it."""
    pattern, home = ONE_HOME[what]
    assert modules_with(pattern) == {home}


def test_time_that_passes_is_told_by_one_clock() -> None:
    """Differences of two clocks mean nothing; `time.monotonic` is never set back."""
    assert modules_with(OTHER_CLOCKS.pattern) == set()


def test_shortest_paths_have_one_search() -> None:
    """Breadth first with the way back; what is left weighs attempts, or replaces by program."""
    assert "model/breadth_first.py" in modules_with(r"\bdeque\(")
    for path in modules_with(r"\bdeque\(") - {"model/breadth_first.py"}:
        assert path.startswith(("testing/", "conform/join/")), path
