"""Specs of the catalogue written anew, as nodes: for laws that compare two ways to write one thing."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from attrs import evolve

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.notation import machine_of, read_spec_text, specs_folder
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    scalar_kind,
)
from statemachines.notation.document.yaml_reader import read_yaml

HERE = Span("", 1, 1)


def text_of(node: YamlNode) -> str:
    """Write a node as JSON, which is YAML."""
    match node:
        case YamlScalar():
            plain = scalar_kind(node) != "text"
            return (node.text or "null") if plain else json.dumps(node.text, ensure_ascii=False)
        case YamlSequence():
            return "[" + ", ".join(map(text_of, node.items)) + "]"
        case YamlMapping():
            pairs = (f"{json.dumps(k.text)}: {text_of(v)}" for k, v in node.entries)
            return "{" + ", ".join(pairs) + "}"


def scalar(text: str) -> YamlScalar:
    """Make a text."""
    return YamlScalar(text, HERE, quoted=True)


def mapping(**entries: YamlNode) -> YamlMapping:
    """Make a mapping."""
    return YamlMapping(tuple((scalar(name), value) for name, value in entries.items()), HERE)


def changed(node: YamlMapping, name: str, value: YamlNode | None) -> YamlMapping:
    """Return a mapping with another value of a key, None for without it."""
    others = tuple(entry for entry in node.entries if entry[0].text != name)
    return evolve(node, entries=(*others, *([(scalar(name), value)] if value else [])))


@cache
def machine_files() -> tuple[Path, ...]:
    """Return the files of the catalogue that are machines."""
    return tuple(
        path
        for path in sorted(specs_folder().rglob("*.yaml"))
        if "\nmachine: " in path.read_text("utf-8")
    )


def document_of(path: Path) -> YamlMapping:
    """Read a file's nodes."""
    root, _ = read_yaml(path.read_bytes(), path.name)
    assert isinstance(root, YamlMapping)
    return root


def read_as(path: Path, text: str) -> SpecDefinition:
    """Read a text in the place of a file of the catalogue."""
    reading = read_spec_text(text.encode(), path.name, path=path, specs=specs_folder())
    return reading.valid_spec()


def assert_same_machines(first: SpecDefinition, second: SpecDefinition) -> None:
    """Fail where two specs differ in one of their releases, but for the hashes of their files."""
    first, second = evolve(first, sha256=""), evolve(second, sha256="")
    assert first.releases == second.releases
    for release in first.family.names(first.releases):
        assert machine_of(first, release) == machine_of(second, release), release
    assert first.log == second.log


def assert_rewriting_changes_nothing(
    path: Path, rewrite: Callable[[YamlMapping], YamlMapping]
) -> None:
    """Fail where a file of the catalogue means something else after a rewriting that must change its text."""
    root = document_of(path)
    text = text_of(rewrite(root))
    assert text != text_of(root), "nothing was written anew"
    assert_same_machines(read_as(path, path.read_text("utf-8")), read_as(path, text))
