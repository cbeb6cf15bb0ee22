"""Words of the command line that stand for something: lists, levels, names with a near one."""

from __future__ import annotations

from typing import Any

import click

from statemachines.cli.exits import FAIL_ON
from statemachines.model.suggestions import did_you_mean

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")


class Word(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """One of some words; another one is answered with the one that was meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"`{value}` is none of them; {did_you_mean(str(value), map(str, self.choices))}", param, ctx)


def fail_on(_: click.Context, __: click.Parameter, text: str) -> tuple[str, ...]:
    """Read a list of what makes a check fail; `never` is the empty one."""
    asked = [word.strip() for word in text.split(",") if word.strip()]
    for word in asked:
        if word not in (*FAIL_ON, "never"):
            raise click.BadParameter(f"`{word}` is none of them; {did_you_mean(word, FAIL_ON)}")
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
        raise click.BadParameter(f"`{level}` is no level; {did_you_mean(level, LEVELS)}")
    return logger or None, level
