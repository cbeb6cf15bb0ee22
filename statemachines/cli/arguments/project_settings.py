"""Defaults of `check` from a project: the table `[tool.statemachines]` of the nearest
pyproject.toml.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from statemachines.cli.outcomes.command_errors import CommandError
from statemachines.model.diagnosis.suggestions import did_you_mean

_PROJECT_TABLE = "statemachines"


def project_defaults(verb: click.Command, start: Path) -> dict[str, Any]:
    """Return what a project sets for a verb, by the names of its parameters.

    Args:
        verb: whose options may be set, by their long names without dashes in front (`fail-on`).
        start: a folder; the first pyproject.toml in it or above it that has the table counts.

    Returns:
        Values by name, in the form that the option takes on the command line.

    Raises:
        CommandError: the file is no TOML, or sets what is no option of the verb.
    """
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        table = _project_table(file) if file.is_file() else None
        if table is not None:
            return _option_values(verb, table, file)
    return {}


def _project_table(file: Path) -> dict[str, Any] | None:
    import tomllib

    try:
        table = tomllib.loads(file.read_text("utf-8")).get("tool", {}).get(_PROJECT_TABLE)
    except (OSError, UnicodeDecodeError):
        return None
    except tomllib.TOMLDecodeError as problem:
        raise CommandError(f"{file}: {problem}") from None
    return table if isinstance(table, dict) else None


def _option_values(verb: click.Command, table: dict[str, Any], file: Path) -> dict[str, Any]:
    options = {
        flag.removeprefix("--"): option
        for option in verb.params
        if isinstance(option, click.Option)
        for flag in option.opts
    }
    option_values: dict[str, Any] = {}
    for name, value in table.items():
        option = options.get(name)
        if option is None or option.name is None:
            raise CommandError(
                f"{file}: [tool.{_PROJECT_TABLE}] has no option `{name}`;"
                f" {did_you_mean(name, list(options))}"
            )
        option_values[option.name] = _option_value(option, value, file.parent)
    return option_values


def _option_value(option: click.Option, value: Any, folder: Path) -> Any:
    """Give a value the form that the command line would have given it; paths count from the
    project's folder.
    """
    if option.multiple:
        return [
            _project_path(str(item), folder)
            for item in (value if isinstance(value, list) else [value])
        ]
    if isinstance(value, list):
        return ",".join(map(str, value))
    if option.is_flag:
        return option.flag_value if value is True else option.default
    return value if isinstance(value, (int, float)) else str(value)


def _project_path(text: str, folder: Path) -> str:
    return str(folder / text) if (folder / text).exists() else text
