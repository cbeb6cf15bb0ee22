"""The JSON Schema of the JSON report, as shipped."""

from __future__ import annotations

import json


def report_schema() -> dict[str, object]:
    """Return the JSON Schema (draft 2020-12) that every JSON report fits."""
    from importlib.resources import files  # takes as long to import as a small log to judge

    schema: dict[str, object] = json.loads(
        files("statemachines.report").joinpath("report.schema.json").read_text("utf-8")
    )
    return schema
