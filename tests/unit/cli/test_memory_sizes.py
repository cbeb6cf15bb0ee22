"""Amounts of memory as people write them.

Covers: statemachines.cli.arguments.option_types.
"""

from __future__ import annotations

import click
import pytest

from statemachines.cli.arguments.option_types import parse_memory_size

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
