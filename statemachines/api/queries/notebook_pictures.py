"""What notebooks show of reports and of instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statemachines.embed.instances import Instance
    from statemachines.embed.systems.embedded_systems import SystemInstance
    from statemachines.model.evidence.reports import Report

MOST_STEPS = 20_000
"""A timeline that is longer is left to the page of the report."""


def report_views(report: Report) -> dict[str, str]:
    """Return a report as text, and as its text above a picture of what instances did over time.

    Args:
        report: what a check found; its timeline is read where it is short.

    Returns:
        `text/plain` and `text/html`.
    """
    from html import escape

    from statemachines.api.queries.pictures import timeline_picture
    from statemachines.report.text.document import to_text

    text = "\n".join(to_text(report))
    picture = ""
    if 0 < report.checked.steps <= MOST_STEPS:
        picture = timeline_picture(report).decode()
    return {"text/plain": text, "text/html": f"<pre>{escape(text)}</pre>\n{picture}"}


def system_instance_views(whole: SystemInstance) -> dict[str, str]:
    """Return what an embedded system is now, above a picture of its parts; its text alone where
    nothing is installed that draws.

    Args:
        whole: it is shown as it is now.

    Returns:
        `text/plain`, and `text/html` where there is a picture.
    """
    from html import escape

    from statemachines.api.queries.pictures import CannotDraw, system_picture

    text = {"text/plain": repr(whole)}
    try:
        picture = system_picture(whole.tables.system, "svg").decode()
    except CannotDraw:
        return text
    return {**text, "text/html": f"<pre>{escape(repr(whole))}</pre>\n{picture}"}


def instance_views(instance: Instance) -> dict[str, str]:
    """Return a picture of an instance's machine on which its state is marked; its text alone where
    nothing is installed that draws.

    Args:
        instance: it is shown where it is now.

    Returns:
        `text/plain`, and `image/svg+xml` where there is a picture.
    """
    from statemachines.api.queries.pictures import CannotDraw, PictureOverlay, machine_picture

    text = {"text/plain": repr(instance)}
    overlay = PictureOverlay(trace=(instance.state,))
    try:
        picture = machine_picture(instance.tables.machine, "svg", over=overlay)
    except CannotDraw:
        return text
    return {**text, "image/svg+xml": picture.decode()}
