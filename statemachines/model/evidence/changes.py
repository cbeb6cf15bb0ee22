"""What changed in a log that is followed, a line at a time."""

from __future__ import annotations

import enum

from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.reports import Finding, InstanceKey, Place
from statemachines.model.values import frozen


class LogChangeKind(enum.StrEnum):
    """What a change is."""

    OPENED = "opened"
    """An incident began, or was a matter of a moment."""
    HEALED = "healed"
    """It is over; `outcome` of the episode says how."""
    FORBIDDEN = "forbidden"
    """A finding that is VIOLATED."""
    WITHDRAWN = "withdrawn"
    """What was said is not so, or is no incident of its own: a later line says more."""


@frozen
class LogChange:
    """One thing that is otherwise than it was."""

    kind: LogChangeKind
    incident: Incident | None = None
    finding: Finding | None = None
    """One of the two, or neither where what was said is withdrawn."""
    withdrawn: str = ""
    """What was said then."""
    why: str = ""
    """Why it is withdrawn."""
    machine: str = ""
    """Of what is withdrawn, as the two below."""
    subject: InstanceKey = ()
    """The instance of a finding, the subject of an incident."""
    place: Place | None = None
    """The line that was named then."""
    has_passed: bool = False
    """Whether it opened and was over between two looks at the log."""
    key: str = ""
    """What it is known by from look to look."""
