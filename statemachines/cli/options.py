"""Words of the command line that stand for something: lists, levels, names with a near one."""

from __future__ import annotations

import click

from statemachines.cli.exits import FAIL_ON
from statemachines.cli.near import did_you_mean

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")


def fail_on(_: click.Context, __: click.Parameter, text: str) -> tuple[str, ...]:
    """Read a list of what makes a check fail; `never` is the empty one."""
    asked = [word.strip() for word in text.split(",") if word.strip()]
    for word in asked:
        if word not in (*FAIL_ON, "never"):
            raise click.BadParameter(f"`{word}` is none of them{did_you_mean(word, FAIL_ON)}")
    if "never" in asked and len(asked) > 1:
        raise click.BadParameter("`never` stands alone")
    return tuple(word for word in asked if word != "never")


def levels(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> tuple[tuple[str | None, str], ...]:
    """Read levels, alone or for one logger: `INFO`, `shop.orders=DEBUG`."""
    return tuple(_level(text) for text in texts)


def _level(text: str) -> tuple[str | None, str]:
    logger, _, level = text.rpartition("=")
    level = {"WARNING": "WARN", "SEVERE": "ERROR"}.get(level.upper(), level.upper())
    if level not in LEVELS:
        raise click.BadParameter(f"`{level}` is no level; there are {', '.join(LEVELS)}")
    return logger or None, level
