"""Machines with data for tests: from a few lines of YAML, and the textbook ones."""

from __future__ import annotations

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.notation import machine_of, read_spec_text
from statemachines.notation.sources.catalogue_names import specs_folder

EXAMPLES = tuple(sorted(path.stem for path in (specs_folder() / "examples").glob("*.yaml")))


def machine(body: str) -> MachineDefinition:
    """Make a machine of the lines behind its head."""
    return machine_of(
        read_spec_text(f"notation: 1\nmachine: Small\n{body}".encode(), "small.yaml").valid_spec()
    )


def codes(body: str) -> list[str]:
    """Return the codes of what is wrong with a machine."""
    return [
        found.code
        for found in read_spec_text(
            f"notation: 1\nmachine: Small\n{body}".encode(), "small.yaml"
        ).diagnostics
    ]


def example(name: str, *changes: tuple[str, str]) -> MachineDefinition:
    """Return a textbook machine, with some of its text changed; each change must happen."""
    text = (specs_folder() / "examples" / f"{name}.yaml").read_text("utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return machine_of(read_spec_text(text.encode(), f"{name}.yaml").valid_spec())
