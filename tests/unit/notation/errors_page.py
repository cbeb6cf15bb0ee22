"""The errors page, as its tests read it."""

from __future__ import annotations

import re
from pathlib import Path

from attrs import frozen

CHECKOUT = Path(__file__).parents[3]
PAGE = CHECKOUT / "docs" / "errors.md"
FIXTURES = Path(__file__).parent / "fixtures"


@frozen
class Section:
    """One code."""

    code: str
    title: str
    examples: tuple[str, ...]
    """Its YAML blocks: the one that fails, then the one that is right; only the latter where `shown` is false."""
    fails_first: bool


def sections() -> tuple[Section, ...]:
    """Read the page."""
    parts = re.split(r"(?m)^## (SM\d{3}) (.+)$", PAGE.read_text("utf-8"))[1:]
    return tuple(_section(*parts[place : place + 3]) for place in range(0, len(parts), 3))


def _section(code: str, title: str, body: str) -> Section:
    before, _, _ = body.partition("\nRight:\n")
    return Section(
        code, title, tuple(re.findall(r"```yaml\n(.*?)```", body, re.DOTALL)), "```yaml" in before
    )
