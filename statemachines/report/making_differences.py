"""What two saved reports were made with that is not the same: what differs between them may come of
that, and not of the logs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_MOST_NAMES = 3


def difference_in_making(
    before: Mapping[str, Any] | None, now: Mapping[str, Any] | None
) -> str | None:
    """Say in a few words what a report was made with that an earlier one was not.

    Args:
        before: `made_with` of a report; None where it does not say.
        now: that of a later one.

    Returns:
        The words; None where all is the same, or nobody knows.

    >>> difference_in_making({"version": "1", "specs": {"A": "x"}}, {"version": "2", "specs": {}})
    'version 1 -> 2, without spec A'
    """
    if not before or not now:
        return None
    return ", ".join(_differences(before, now)) or None


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    old, new = before.get("version"), now.get("version")
    if old != new:
        yield f"version {old} -> {new}"
    was, given = before.get("options", {}), now.get("options", {})
    for name in sorted({**was, **given}):
        if was.get(name) != given.get(name):
            yield f"{name.replace('_', '-')} {_value(was.get(name))} -> {_value(given.get(name))}"
    known, specs = before.get("specs", {}), now.get("specs", {})
    for word, names in (
        ("other", [name for name in specs if name in known and specs[name] != known[name]]),
        ("with", [name for name in specs if name not in known]),
        ("without", [name for name in known if name not in specs]),
    ):
        if names:
            yield f"{word} {_named(sorted(names))}"


def _value(option: object) -> str:
    return "not given" if option is None else str(option)


def _named(specs: list[str]) -> str:
    shown = ", ".join(specs[:_MOST_NAMES])
    more = f" and {len(specs) - _MOST_NAMES:,} more" if len(specs) > _MOST_NAMES else ""
    return f"{'spec' if len(specs) == 1 else f'{len(specs):,} specs'} {shown}{more}"
