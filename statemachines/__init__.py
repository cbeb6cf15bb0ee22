"""A life cycle is written once; the machine, its tests, its pictures and the check of logs come from it.

>>> import statemachines as sm
>>> sm.Snapshot("LOCKED").state
'LOCKED'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statemachines.api.check import check
    from statemachines.api.machines import Machine
    from statemachines.api.specs import Spec, load
    from statemachines.api.systems import System, SystemSpec, load_system
    from statemachines.embed.acting import Busy
    from statemachines.embed.bridge import to_transitions
    from statemachines.embed.drafts import Draft, ImportFailed
    from statemachines.embed.errors import Declared, NotAllowed
    from statemachines.embed.hooks import BindingError, Occurrence
    from statemachines.embed.imports import from_mapping, from_mermaid, from_scxml, from_transitions
    from statemachines.embed.instances import Instance
    from statemachines.embed.snapshots import StrangerError
    from statemachines.model.diagnostics import Diagnostic, SpecError
    from statemachines.model.machines import Otherwise, State, Transition
    from statemachines.model.reports import Finding, Report
    from statemachines.model.snapshots import Advanced, Answer, Forced, Ignored, Raised, Refused, Snapshot
    from statemachines.model.verdicts import Verdict
    from statemachines.notation.resolve import UnknownRelease
    from statemachines.semantics.mistakes import ArgumentsError
    from statemachines.semantics.step import step

__all__ = [
    "Advanced",
    "Answer",
    "ArgumentsError",
    "BindingError",
    "Busy",
    "Declared",
    "Diagnostic",
    "Draft",
    "Finding",
    "Forced",
    "Ignored",
    "ImportFailed",
    "Instance",
    "Machine",
    "NotAllowed",
    "Occurrence",
    "Otherwise",
    "Raised",
    "Refused",
    "Report",
    "Snapshot",
    "Spec",
    "SpecError",
    "State",
    "StrangerError",
    "System",
    "SystemSpec",
    "Transition",
    "UnknownRelease",
    "Verdict",
    "check",
    "from_mapping",
    "from_mermaid",
    "from_scxml",
    "from_transitions",
    "load",
    "load_system",
    "step",
    "to_transitions",
]

_HOMES = {
    "api.check": ("check",),
    "api.machines": ("Machine",),
    "api.specs": ("Spec", "load"),
    "api.systems": ("System", "SystemSpec", "load_system"),
    "embed.acting": ("Busy",),
    "embed.bridge": ("to_transitions",),
    "embed.drafts": ("Draft", "ImportFailed"),
    "embed.errors": ("Declared", "NotAllowed"),
    "embed.hooks": ("BindingError", "Occurrence"),
    "embed.imports": ("from_mapping", "from_mermaid", "from_scxml", "from_transitions"),
    "embed.instances": ("Instance",),
    "embed.snapshots": ("StrangerError",),
    "model.diagnostics": ("Diagnostic", "SpecError"),
    "model.machines": ("Otherwise", "State", "Transition"),
    "model.snapshots": ("Advanced", "Answer", "Forced", "Ignored", "Raised", "Refused", "Snapshot"),
    "model.reports": ("Finding", "Report"),
    "model.verdicts": ("Verdict",),
    "notation.resolve": ("UnknownRelease",),
    "semantics.mistakes": ("ArgumentsError",),
    "semantics.step": ("step",),
}
_HOME_OF = {name: f"{__name__}.{module}" for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for: `import statemachines` itself loads next to nothing."""
    if name == "__version__":
        return import_module(f"{__name__}.api.version").version()
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return what a user may import."""
    return sorted([*globals(), *__all__])
