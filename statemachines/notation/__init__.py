"""Text to model: spec files become machines, and what is wrong with them becomes diagnostics.

What stands here is loaded when it is first used: a check that finds the catalogue compiled reads no
spec and needs no reader.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statemachines.notation.document.diagnostic_rendering import (
        render_diagnostic,
    )
    from statemachines.notation.lines.line_matching import LineExplanation, explain_line
    from statemachines.notation.lines.line_templates import (
        compile_template,
        render_template,
        settle_literals,
    )
    from statemachines.notation.linting import lint
    from statemachines.notation.loading.catalogue_cache import (
        cached_catalogue,
        cached_for_logs,
        cached_specs_and_systems,
    )
    from statemachines.notation.loading.spec_catalogue import (
        load_catalogue,
        load_family,
        load_spec,
        load_system,
        read_spec,
        read_spec_text,
    )
    from statemachines.notation.passes.spec_builder import SpecReading
    from statemachines.notation.releases.machine_selection import machine_of
    from statemachines.notation.releases.release_resolution import (
        ReleaseMatch,
        ResolvedRelease,
        UnknownRelease,
        resolve_release,
    )
    from statemachines.notation.releases.system_selection import system_of
    from statemachines.notation.sources.catalogue_names import spec_names, specs_folder

_HOMES = {
    "document.diagnostic_rendering": ("render_diagnostic",),
    "lines.line_matching": ("LineExplanation", "explain_line"),
    "lines.line_templates": (
        "compile_template",
        "render_template",
        "settle_literals",
    ),
    "linting": ("lint",),
    "loading.catalogue_cache": ("cached_catalogue", "cached_for_logs", "cached_specs_and_systems"),
    "loading.spec_catalogue": (
        "spec_names",
        "load_catalogue",
        "load_family",
        "load_spec",
        "load_system",
        "read_spec",
        "read_spec_text",
    ),
    "passes.spec_builder": ("SpecReading",),
    "releases.machine_selection": ("machine_of",),
    "releases.release_resolution": (
        "ReleaseMatch",
        "ResolvedRelease",
        "UnknownRelease",
        "resolve_release",
    ),
    "releases.system_selection": ("system_of",),
    "sources.catalogue_names": ("specs_folder",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "LineExplanation",
    "ReleaseMatch",
    "ResolvedRelease",
    "SpecReading",
    "UnknownRelease",
    "cached_catalogue",
    "cached_for_logs",
    "cached_specs_and_systems",
    "compile_template",
    "explain_line",
    "lint",
    "load_catalogue",
    "load_family",
    "load_spec",
    "load_system",
    "machine_of",
    "read_spec",
    "read_spec_text",
    "render_diagnostic",
    "render_template",
    "resolve_release",
    "settle_literals",
    "spec_names",
    "specs_folder",
    "system_of",
]


def __getattr__(name: str) -> object:
    """Load what is asked for."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
