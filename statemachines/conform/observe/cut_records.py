"""The record with which a file ends before the record does: what it says may go on."""

from __future__ import annotations

from collections.abc import Sequence

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.observe.catalogue_reader import OwnerMatches
from statemachines.model.evidence.records import Record
from statemachines.notation.lines.line_templates import leading_text
from statemachines.notation.lines.longer_texts import may_be_longer


def may_go_on(record: Record, readings: Sequence[OwnerMatches], plan: CheckPlan) -> bool:
    """Say whether a record that was cut off may say something else when it is whole: some line of
    a machine that reads it matches a longer text, with a longer value or words behind it.

    Args:
        record: the last one of a file.
        readings: what machines read in it so far.
        plan: with the lines of these.

    Returns:
        Whether it may.
    """
    blanks = record.text[len(record.text.rstrip()) :]
    return any(
        may_be_longer(template.pattern, record.message + blanks)
        for reading in readings
        for line in plan.owners[reading.owner].lines
        for template in line.templates
        if _begin_alike(leading_text(template.text), record.message)
    )


def _begin_alike(text: str, other: str) -> bool:
    return text.startswith(other) or other.startswith(text)
