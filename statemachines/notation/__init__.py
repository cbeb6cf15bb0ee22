"""Text to model: spec files become machines, and what is wrong with them becomes diagnostics."""

from __future__ import annotations

from statemachines.notation.catalogue import catalogue, load_catalogue, load_spec, read_spec, specs_folder
from statemachines.notation.literals import settle_literals
from statemachines.notation.reading import Reading, read_text
from statemachines.notation.resolve import How, Resolved, UnknownRelease, machine_of, resolve_release
from statemachines.notation.templates import compile_template, read_template, render_template

__all__ = [
    "How",
    "Reading",
    "Resolved",
    "UnknownRelease",
    "catalogue",
    "compile_template",
    "load_catalogue",
    "load_spec",
    "machine_of",
    "read_spec",
    "read_template",
    "read_text",
    "render_template",
    "resolve_release",
    "settle_literals",
    "specs_folder",
]
