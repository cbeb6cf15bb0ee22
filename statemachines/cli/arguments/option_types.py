"""Words of the command line that stand for something: lists, levels, names with a near one."""

from __future__ import annotations

import os
import re
from typing import Any

import click

from statemachines.cli.outcomes.exit_codes import FAIL_ON
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.evidence.durations import parse_duration

_MEMORY_SIZE = re.compile(r"(\d{1,9})\s*(|[MG](?:i?B)?)", re.IGNORECASE)
_MEMORY_UNITS = {"": 1, "M": 1, "G": 1024}
"""MiB in a unit, by its first letter."""
_DURATION = re.compile(r"(?:\d{1,9}\s*(?:min|h|d|s)\s*)+")
_LOG_LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")


class WordChoice(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """One of some words; another one is answered with the one that was meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word.

        Args:
            value: as typed.
            param: the option; for the error message.
            ctx: of the command line.

        Returns:
            One of the words, in their own spelling.
        """
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(
                f"`{value}` is not known; {did_you_mean(str(value), map(str, self.choices))}",
                param,
                ctx,
            )


class OutputFile(click.Path):
    """A file that is written: neither a folder, nor a name that ends as the name of a folder does,
    as the file would stand where nobody looks.
    """

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name.

        Args:
            value: as typed.
            param: the option; for the error message.
            ctx: of the command line.

        Returns:
            A path in a folder that is there.
        """
        if is_folder_name(str(value)):
            self.fail(f"{value} is the name of a folder; name the file to write", param, ctx)
        return super().convert(value, param, ctx)


def parse_memory_size(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    """Read an amount of memory, in MiB: `512`, or with a unit, as `512MB` and `2GB` have.

    Args:
        text: as typed; None where the option is not given.

    Returns:
        MiB; None where the option is not given.

    Raises:
        BadParameter: it is no amount of memory.
    """
    if text is None:
        return None
    match = _MEMORY_SIZE.fullmatch(text.strip())
    size = int(match[1]) * _MEMORY_UNITS[match[2].upper()[:1]] if match else 0
    if size < 1:
        raise click.BadParameter(f"`{text}` is no amount of memory; 512MB or 2GB is one")
    return size


def parse_seconds(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    """Read a time, in seconds: `600`, or with units, as `30s`, `10min` and `1 h 30 min` have.

    Args:
        text: as typed; None where the option is not given.

    Returns:
        Seconds; None where the option is not given.

    Raises:
        BadParameter: it is no time.
    """
    if text is None:
        return None
    written = text.strip()
    if re.fullmatch(r"\d{1,9}", written):
        written += " s"
    seconds = 0
    if _DURATION.fullmatch(written):
        words = re.findall(r"\d+|[a-z]+", written)
        seconds = parse_duration(" ".join(words)) // 1000
    if seconds < 1:
        raise click.BadParameter(f"`{text}` is no time; 30s or 10min is one")
    return seconds


def parse_tolerance(_: click.Context, __: click.Parameter, text: str) -> float:
    """Read how far clocks may be apart, in seconds.

    Args:
        text: as typed.

    Returns:
        Seconds, zero or more.

    Raises:
        BadParameter: it is no number, or less than zero.
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise click.BadParameter(f"`{text}` is no number of seconds; 0, 0.5 and 2 are")
    return seconds


def is_folder_name(file: str) -> bool:
    """Tell whether a name ends as the name of a folder does.

    Args:
        file: a path as typed.

    Returns:
        True where it ends with a separator.
    """
    return file.endswith(tuple(separator for separator in (os.sep, os.altsep) if separator))


def parse_fail_on(_: click.Context, __: click.Parameter, text: str) -> tuple[str, ...]:
    """Read a list of what makes a check fail; `never` is the empty one.

    Args:
        text: words between commas.

    Returns:
        The words, in their order.

    Raises:
        BadParameter: there is no word, or one is none of those that may be listed.
    """
    request = [word.strip() for word in text.split(",") if word.strip()]
    if not request:
        raise click.BadParameter(f"it is empty; say {', '.join(FAIL_ON)}, or `never`")
    for word in request:
        if word not in (*FAIL_ON, "never"):
            raise click.BadParameter(f"`{word}` is not known; {did_you_mean(word, FAIL_ON)}")
    if "never" in request and len(request) > 1:
        raise click.BadParameter("`never` stands alone")
    return tuple(word for word in request if word != "never")


def parse_levels(
    _: click.Context, __: click.Parameter, texts: tuple[str, ...]
) -> tuple[tuple[str | None, str], ...]:
    """Read levels, alone or for one logger: `INFO`, `shop.orders=DEBUG`.

    Args:
        texts: as typed, one an option.

    Returns:
        Pairs of a logger, None for all, and its level.
    """
    return tuple(_parse_level(text) for text in texts)


def _parse_level(text: str) -> tuple[str | None, str]:
    logger, _, level = text.rpartition("=")
    level = {"WARNING": "WARN", "SEVERE": "ERROR"}.get(level.upper(), level.upper())
    if level not in _LOG_LEVELS:
        raise click.BadParameter(f"`{level}` is no level; {did_you_mean(level, _LOG_LEVELS)}")
    return logger or None, level
