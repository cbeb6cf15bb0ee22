"""Which digits of a line matter: those at places where a template may tell one from another.

Covers: statemachines.conform.observe.spelled_digits.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.conform.observe.spelled_digits import fragments_of
from statemachines.logs.records.plain_lines import line_key

PIECES = (
    "a", "1", "20", r"\d", r"\d+", "[1-9]", r"[1-9]\d*", "(?P<{}>[0-4]|a)", "(?P<{}>.*?)", "1?",
    "(?P<{}>a1)", "(?:1|2)", "(?:a1){{1,2}}", "(?=1)", "(?!a0)", ".", "(?>a*)", "[^3]", r"\.", "(?:1a)?",
)  # fmt: skip
SIGNS = st.text("a0123.", max_size=12)


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """Draw an expression that may tell digits apart anywhere."""
    pieces = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6))
    return "^" + "".join(piece.format(f"g{place}") for place, piece in enumerate(pieces))


def digits_that_matter(pattern: str, text: str) -> list[int]:
    """Return the places of the digits of a text that stand where a pattern may tell one from
    another.
    """
    key, places = line_key(text.encode()), set[int]()
    for fragment in (part.encode() for part in fragments_of(pattern)):
        starts = [at for at in range(len(key)) if key.startswith(fragment, at)]
        places |= {place for at in starts for place in range(at, at + len(fragment))}
    return sorted(place for place in places if text[place].isdigit())


@given(pattern=patterns(), text=SIGNS, data=st.data())
def test_lines_are_read_alike_that_have_the_same_digits_where_they_matter(
    pattern: str, text: str, data: st.DataObject
) -> None:
    """A law, whatever their other digits are: both are read, or none, and the same parts of them."""
    matter = digits_that_matter(pattern, text)
    other = "".join(
        sign if place in matter or not sign.isdigit() else data.draw(st.sampled_from("0123456789"))
        for place, sign in enumerate(text)
    )
    found, beside = re.match(pattern, text), re.match(pattern, other)
    assert (found is None) == (beside is None)
    if found and beside:
        assert found.regs == beside.regs


@pytest.mark.parametrize(
    ("pattern", "text", "places"),
    [
        (r"id=(?P<id>\d+)\ with\ 0\ members", "id=12 with 3 members", [11]),
        (r"with\ (?P<some>[1-9]\d*)\ members", "id=12 with 34 members", [11]),
        (r"delay:\ 0$", "generation 12 delay: 0", [21]),
        ("x[1-3a]", "a1 x2", [1, 4]),
        ("(?i)a1", "a1 b2", [1, 4]),
        (r"id=(?P<id>\d+)", "id=12", []),
    ],
)
def test_few_digits_matter_where_it_is_known_what_stands_before_them(
    pattern: str, text: str, places: list[int]
) -> None:
    """Else lines with other numbers in them would be forms of their own."""
    assert digits_that_matter(pattern, text) == places
