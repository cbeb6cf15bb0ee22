"""Amounts of memory, and times, as people write them.

Covers: statemachines.cli.arguments.option_types.
"""

from __future__ import annotations

import click
import pytest

from statemachines.cli.arguments.option_types import parse_memory_size, parse_seconds

OPTION = click.Option(["--memory"])
CONTEXT = click.Context(click.Command("explore", params=[OPTION]))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("512", 512), ("512MB", 512), ("512 MiB", 512), ("512m", 512), ("2GB", 2048), ("2g", 2048)],
)
def test_an_amount_of_memory_is_read(text: str, wanted: int) -> None:
    """A number alone is MiB, as it always was."""
    assert parse_memory_size(CONTEXT, OPTION, text) == wanted


@pytest.mark.parametrize("text", ["0", "", "-1", "512KB", "lots", "1.5GB", "0GB", "MB"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    """The sentence says what would be one."""
    with pytest.raises(click.BadParameter, match="512MB or 2GB is one"):
        parse_memory_size(CONTEXT, OPTION, text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("3", 3), ("3s", 3), ("90 s", 90), ("10min", 600), ("1h 30min", 5400), ("1 d", 86_400)],
)
def test_a_time_is_read(text: str, wanted: int) -> None:
    """A number alone is seconds, as it always was."""
    assert parse_seconds(CONTEXT, OPTION, text) == wanted


@pytest.mark.parametrize("text", ["0", "", "-1", "0s", "3 weeks", "1.5s", "s", "500ms", "3s!"])
def test_what_is_no_time_is_refused(text: str) -> None:
    """The sentence says what would be one."""
    with pytest.raises(click.BadParameter, match="30s or 10min is one"):
        parse_seconds(CONTEXT, OPTION, text)
