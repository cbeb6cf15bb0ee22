"""A life cycle is written once; the machine, its tests, its pictures and the check of logs come
from it.

>>> import statemachines as sm
>>> sm.Snapshot("LOCKED").state
'LOCKED'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statemachines.api.log_check import CannotCheck, check
    from statemachines.api.log_following import follow
    from statemachines.api.log_mining import mine, repair
    from statemachines.api.machine import Machine
    from statemachines.api.spec import Spec, load
    from statemachines.api.system import System, SystemSpec, load_system
    from statemachines.conform.check_options import CheckOptions
    from statemachines.embed.acting_steps import Busy
    from statemachines.embed.bound_errors import BindingError
    from statemachines.embed.errors import Declared, NotAllowed
    from statemachines.embed.hooks import Occurrence
    from statemachines.embed.instances import Instance
    from statemachines.embed.snapshot_json import StrangerError
    from statemachines.embed.systems.embedded_systems import SystemInstance
    from statemachines.embed.systems.system_hooks import SystemOccurrence
    from statemachines.embed.timed_instances import AsyncTimedInstance, TimedInstance
    from statemachines.interop.drafting.drafts import Draft, ImportFailed
    from statemachines.interop.json.mapping_reader import from_mapping
    from statemachines.interop.mermaid.mermaid_reader import from_mermaid
    from statemachines.interop.scxml.scxml_reader import from_scxml
    from statemachines.interop.transitions.bridge import to_transitions
    from statemachines.interop.transitions.transitions_reader import from_transitions
    from statemachines.mining.mined_specs import MinedSpec, MiningResult
    from statemachines.mining.repair.drifted_wordings import DriftedWording
    from statemachines.mining.repair.spec_repair import SpecRepair
    from statemachines.model.definitions.machine_definitions import Otherwise, State, Transition
    from statemachines.model.definitions.snapshots import (
        Advanced,
        Answer,
        Forced,
        Ignored,
        Raised,
        Refused,
        Snapshot,
    )
    from statemachines.model.diagnosis.diagnostics import Diagnostic, SpecError
    from statemachines.model.evidence.reports import Finding, Report
    from statemachines.model.evidence.verdicts import Verdict
    from statemachines.model.version import __version__ as __version__
    from statemachines.notation.releases.release_resolution import UnknownRelease
    from statemachines.semantics.machine.step import step
    from statemachines.semantics.messages.argument_errors import ArgumentsError

__all__ = [
    "Advanced",
    "Answer",
    "ArgumentsError",
    "AsyncTimedInstance",
    "BindingError",
    "Busy",
    "CannotCheck",
    "CheckOptions",
    "Declared",
    "Diagnostic",
    "Draft",
    "DriftedWording",
    "Finding",
    "Forced",
    "Ignored",
    "ImportFailed",
    "Instance",
    "Machine",
    "MinedSpec",
    "MiningResult",
    "NotAllowed",
    "Occurrence",
    "Otherwise",
    "Raised",
    "Refused",
    "Report",
    "Snapshot",
    "Spec",
    "SpecError",
    "SpecRepair",
    "State",
    "StrangerError",
    "System",
    "SystemInstance",
    "SystemOccurrence",
    "SystemSpec",
    "TimedInstance",
    "Transition",
    "UnknownRelease",
    "Verdict",
    "check",
    "follow",
    "from_mapping",
    "from_mermaid",
    "from_scxml",
    "from_transitions",
    "load",
    "load_system",
    "mine",
    "repair",
    "step",
    "to_transitions",
]

_HOMES = {
    "api.log_check": ("CannotCheck", "check"),
    "api.log_mining": ("mine", "repair"),
    "api.log_following": ("follow",),
    "api.machine": ("Machine",),
    "api.spec": ("Spec", "load"),
    "api.system": ("System", "SystemSpec", "load_system"),
    "conform.check_options": ("CheckOptions",),
    "embed.acting_steps": ("Busy",),
    "embed.errors": ("Declared", "NotAllowed"),
    "embed.bound_errors": ("BindingError",),
    "embed.hooks": ("Occurrence",),
    "embed.instances": ("Instance",),
    "embed.snapshot_json": ("StrangerError",),
    "embed.systems.system_hooks": ("SystemOccurrence",),
    "embed.systems.embedded_systems": ("SystemInstance",),
    "embed.timed_instances": ("AsyncTimedInstance", "TimedInstance"),
    "interop.drafting.drafts": ("Draft", "ImportFailed"),
    "interop.json.mapping_reader": ("from_mapping",),
    "interop.mermaid.mermaid_reader": ("from_mermaid",),
    "interop.scxml.scxml_reader": ("from_scxml",),
    "interop.transitions.bridge": ("to_transitions",),
    "interop.transitions.transitions_reader": ("from_transitions",),
    "mining.mined_specs": ("MinedSpec", "MiningResult"),
    "mining.repair.drifted_wordings": ("DriftedWording",),
    "mining.repair.spec_repair": ("SpecRepair",),
    "model.definitions.machine_definitions": ("Otherwise", "State", "Transition"),
    "model.definitions.snapshots": (
        "Advanced",
        "Answer",
        "Forced",
        "Ignored",
        "Raised",
        "Refused",
        "Snapshot",
    ),
    "model.diagnosis.diagnostics": ("Diagnostic", "SpecError"),
    "model.evidence.reports": ("Finding", "Report"),
    "model.evidence.verdicts": ("Verdict",),
    "model.version": ("__version__",),
    "notation.releases.release_resolution": ("UnknownRelease",),
    "semantics.machine.step": ("step",),
    "semantics.messages.argument_errors": ("ArgumentsError",),
}
_HOME_OF = {name: f"{__name__}.{module}" for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for: `import statemachines` itself loads next to
    nothing.
    """
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return what a user may import."""
    return sorted([*globals(), *__all__])
