"""Text to model: spec files become machines, and what is wrong with them becomes diagnostics.

What stands here is loaded when it is first used: a check that finds the catalogue compiled reads no spec and needs no reader.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statemachines.notation.catalogues import catalogue, family_log, load_catalogue, load_family, load_spec, load_system, read_spec
    from statemachines.notation.compiled import cached_catalogue, cached_for_logs, cached_whole
    from statemachines.notation.folders import specs_folder
    from statemachines.notation.linting import lint
    from statemachines.notation.literals import settle_literals
    from statemachines.notation.matching import Match, explain_line
    from statemachines.notation.reading import Reading, read_text
    from statemachines.notation.rendering import render, render_all
    from statemachines.notation.resolve import How, Resolved, UnknownRelease, machine_of, resolve_release
    from statemachines.notation.systems.resolving import system_of
    from statemachines.notation.templates import compile_template, read_template, render_template

_HOMES = {
    "catalogues": ("catalogue", "family_log", "load_catalogue", "load_family", "load_spec", "load_system", "read_spec"),
    "compiled": ("cached_catalogue", "cached_for_logs", "cached_whole"),
    "folders": ("specs_folder",),
    "linting": ("lint",),
    "literals": ("settle_literals",),
    "matching": ("Match", "explain_line"),
    "reading": ("Reading", "read_text"),
    "rendering": ("render", "render_all"),
    "resolve": ("How", "Resolved", "UnknownRelease", "machine_of", "resolve_release"),
    "systems.resolving": ("system_of",),
    "templates": ("compile_template", "read_template", "render_template"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "How",
    "Match",
    "Reading",
    "Resolved",
    "UnknownRelease",
    "cached_catalogue",
    "cached_for_logs",
    "cached_whole",
    "catalogue",
    "compile_template",
    "explain_line",
    "family_log",
    "lint",
    "load_catalogue",
    "load_family",
    "load_spec",
    "load_system",
    "machine_of",
    "read_spec",
    "read_template",
    "read_text",
    "render",
    "render_all",
    "render_template",
    "resolve_release",
    "settle_literals",
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
