"""The record with which a file ends before the record does: what it says may go on."""

from __future__ import annotations

from statemachines.conform.observe.catalogue_reader import (
    CatalogueReader,
    OwnerMatches,
)
from statemachines.model.evidence.records import Record
from statemachines.notation.lines.line_templates import STATE_FIELDS


def may_go_on(record: Record, reading: OwnerMatches, reader: CatalogueReader) -> bool:
    """Say whether a record that was cut off may say something else when it is whole: it ends with a
    value, and that is no state, or one with which another's name begins.

    Args:
        record: the last one of a file.
        reading: what a machine reads in it so far.
        reader: that read it.

    Returns:
        Whether one of its values may be longer.
    """
    if not record.text.endswith(record.message):
        return False  # the layout has read what stands behind the message
    spellings = reader.state_spellings(reading.owner)
    last = {
        (name, value)
        for _, match in reading.matches
        for name, value in match.fields.items()
        if value and record.message.endswith(value)
    }
    return any(
        name not in STATE_FIELDS
        or value not in spellings
        or any(other != value and other.startswith(value) for other in spellings)
        for name, value in last
    )
