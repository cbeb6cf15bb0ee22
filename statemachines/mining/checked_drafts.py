"""Specs that no file has, judged over logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import (
    JudgingRequest,
    check_locally,
    finish_report,
    make_plan,
    select_layouts,
)
from statemachines.conform.interchange.check_plan import PlanOptions
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.evidence.reports import Report
from statemachines.notation.lines.line_templates import settle_literals
from statemachines.notation.loading.spec_catalogue import read_spec_text
from statemachines.notation.sources.catalogue_names import specs_folder


def spec_of_text(text: str, file: str, path: Path | None = None) -> SpecDefinition:
    """Read a spec that is not written yet.

    Args:
        text: the spec.
        file: its name in messages.
        path: where it would lie, for the family beside it.

    Returns:
        The spec, in all of its releases.

    Raises:
        SpecError: it has errors.
    """
    return read_spec_text(text.encode(), file, path=path, specs=specs_folder()).valid_spec()


def check_specs(
    specs: Sequence[SpecDefinition],
    paths: Sequence[str | PathLike[str]],
    layouts: Sequence[str] = (),
    zone: str | None = None,
) -> Report:
    """Judge logs by specs that are values, with their timeline.

    Args:
        specs: what to judge by.
        paths: files and folders.
        layouts: as for `check`.
        zone: as for `check`.

    Returns:
        The report, with its timeline.
    """
    plan = make_plan(settle_literals(list(specs)), PlanOptions(zone=zone))
    request = JudgingRequest(plan, select_layouts(layouts), options=CheckOptions(zone=zone))
    return finish_report(check_locally(paths, request, timeline=True), request)


def check_texts(
    texts: Mapping[str, str],
    paths: Sequence[str | PathLike[str]],
    layouts: Sequence[str] = (),
    zone: str | None = None,
) -> Report:
    """Judge logs by specs that are not written yet; `texts` by the names of their machines.

    Args:
        texts: the specs by the names of their machines.
        paths: files and folders.
        layouts: as for `check`.
        zone: as for `check`.

    Returns:
        The report, with its timeline.

    Raises:
        SpecError: one has errors.
    """
    specs = [spec_of_text(text, f"{name}.yaml") for name, text in texts.items()]
    return check_specs(specs, paths, layouts, zone)
