"""Every form a report can be written in, by the name that a person gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from statemachines.model.reports import Report

Writer = Callable[[Report, bool], Iterator[str]]
"""Takes the report and whether its timeline is wanted; gives pieces of text."""


def _json(report: Report, timeline: bool) -> Iterator[str]:
    from statemachines.report.as_json import to_json

    return to_json(report, timeline=timeline)


WRITERS: dict[str, Writer] = {"json": _json}
"""Forms for programs; `text` is for people and takes a look besides (`as_text.to_text`)."""
