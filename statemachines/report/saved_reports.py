"""Reports that were saved as JSON, read again: what is not as a check writes it is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from statemachines.model.evidence.incidents import Health
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.json_format import REPORT_FORMAT

_MOST = 2**63
"""More than is ever counted."""


class NotAReport(ValueError):
    """A file that is no saved report; the message says why."""


def read_saved_report(name: str, text: str) -> Mapping[str, Any]:
    """Read a saved report.

    Args:
        name: of the file; for the message.
        text: of the file.

    Returns:
        The object, whose keys that `report` compares are as `check --format json` writes them;
        those that came later than the format may be missing.

    Raises:
        NotAReport: it is something else, or of a version to come.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or "format" not in data:
        raise NotAReport(f"{name}: it is no report; check --format json writes one")
    if data["format"] != REPORT_FORMAT:
        raise NotAReport(f"{name}: {_foreign_format(data['format'])}")
    if (key := next(_misshapen(data), None)) is not None:
        raise NotAReport(f"{name}: `{key}` is not as check --format json writes it")
    return data


def _foreign_format(name: object) -> str:
    """Say what a file is instead: often a report of another version."""
    family, _, version = str(name).rpartition("/")
    if family == REPORT_FORMAT.rpartition("/")[0] and version.isdecimal():
        return (
            f"its format is `{name}`, and this version reads `{REPORT_FORMAT}`: use the version"
            " that wrote it"
        )
    return f"its format is `{name}`, and `{REPORT_FORMAT}` is expected"


_Test = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_null(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_verdict(value: Any) -> bool:
    return isinstance(value, str) and value in Verdict.__members__


def _is_health(value: Any) -> bool:
    return isinstance(value, str) and value in {*Health, "over"}


_REPORT: Mapping[str, _Test] = {
    "verdict": _is_verdict,
    "checked": _is_object,
    "sources": _is_list,
    "episodes": _is_list,
    "findings": _is_list,
}
_CHECKED: Mapping[str, _Test] = {"observations": _is_count, "unread_lines": _is_count}
_ROWS: Mapping[str, Mapping[str, _Test]] = {
    "sources": {"first": _is_text_or_null, "last": _is_text_or_null},
    "episodes": {"orderly": _is_flag, "open": _is_flag},
    "findings": {"verdict": _is_verdict, "count": _is_count},
}
_LATER: Mapping[str, _Test] = {
    "known": _is_count,
    "health": _is_health,
    "health_word": _is_health,
    "made_with": _is_object,
}
"""What a report may have."""
_MADE_WITH: Mapping[str, _Test] = {
    "version": _is_text,
    "options": _is_object,
    "specs": _is_object,
}


def _misshapen(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys that are missing or hold something of another kind, the outer ones first."""
    yield from _unfit(report, _REPORT)
    yield from _unfit(report, _LATER, is_needed=False)
    yield from _unfit(report.get("made_with", {}), _MADE_WITH, "made_with.", is_needed=False)
    yield from _unfit(report["checked"], _CHECKED, "checked.")
    for key, tests in _ROWS.items():
        for row in report[key]:
            yield from _unfit(row, tests, f"{key}.")


def _unfit(
    value: Any, tests: Mapping[str, _Test], inside: str = "", *, is_needed: bool = True
) -> Iterator[str]:
    """Yield the keys of an object that do not pass their tests."""
    if not isinstance(value, dict):
        yield inside.rstrip(".")
        return
    for key, is_fit in tests.items():
        if is_needed if key not in value else not is_fit(value[key]):
            yield f"{inside}{key}"
