"""Expressions that are compiled when they are used find what compiled ones find."""

import re

import pytest

from statemachines.model.late_patterns import late_pattern


@pytest.mark.parametrize("ask", ["match", "search", "fullmatch", "findall", "split"])
@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
def test_they_find_the_same(ask: str, flags: int) -> None:
    source = r"(?P<word>[a-z]+) (\d+)"
    ours, theirs = late_pattern(source, flags), re.compile(source, flags)
    for text in ("door 3", "DOOR 3", "a door 3, a door 14", ""):
        found = [getattr(pattern, ask)(text) for pattern in (ours, theirs, ours)]
        seen = [value[0] if isinstance(value, re.Match) else value for value in found]
        assert seen[0] == seen[1] == seen[2]
    assert (ours.pattern, ours.groupindex, ours.groups) == (source, theirs.groupindex, 2)


def test_nothing_is_compiled_before_it_is_used() -> None:
    wrong = late_pattern(rb"(")
    assert wrong.pattern == b"("
    with pytest.raises(re.error):
        wrong.search(b"(")
