"""Small systems for tests, made of the machines of a folder that is written beside them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from statemachines.model.definitions.system_definitions import SystemDefinition, SystemSnapshot
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation import load_system, read_spec, system_of

LAMP = """
notation: 1
machine: Lamp
states: {OFF: {initial: true, final: true}, ON: {doc: Light.}, BROKEN: {final: true}}
predicates: {works: [OFF, ON]}
parameters: {watts: 1..9}
variables: {switched: "0..9 = 0"}
events:
  press: {args: {hard: bool}}
transitions:
  - {from: OFF, to: ON, event: press, guard: switched < 9, effect: {switched: switched + 1}, returns: switched + 1}
  - {from: ON, to: OFF, event: press, returns: switched}
  - {from: [OFF, ON], to: BROKEN}
  - {from: ON, to: ON}
otherwise:
  - {event: press, from: BROKEN, does: ignore}
"""
DOOR = """
notation: 1
machine: Door
states: {SHUT: {initial: true, final: true}, OPEN: {doc: Air.}}
transitions:
  - {from: SHUT, to: OPEN}
  - {from: OPEN, to: SHUT}
"""
PARTS = """
notation: 1
system: House
types: {Room: id}
parts:
  door: {machine: Door}
  lamps: {machine: Lamp, each: Room, with: {watts: "3"}}
  alarm: {machine: Door, optional: true}
"""


@cache
def _folder() -> Path:
    folder = Path(mkdtemp(prefix="systems"))
    (folder / "Lamp.yaml").write_text(LAMP.lstrip())
    (folder / "Door.yaml").write_text(DOOR.lstrip())
    return folder


def written(text: str, head: str = PARTS) -> Path:
    """Write a system beside its machines."""
    path = _folder() / "House.yaml"
    path.write_text((head + text).lstrip())
    return path


def house(text: str = "", head: str = PARTS) -> SystemDefinition:
    """Return a system: a door, a lamp a room, and perhaps an alarm; the text adds to it."""
    return system_of(load_system(written(text, head)))


def codes(text: str, head: str = PARTS) -> list[str]:
    """Return the codes of what is wrong with a system."""
    return [one.code for one in found(text, head)]


def found(text: str, head: str = PARTS) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a system."""
    return read_spec(written(text, head)).diagnostics


def states(snapshot: SystemSnapshot) -> dict[str, object]:
    """Return the states of all parts: of one with keys, those of its keys."""
    held = snapshot.parts.items()
    return {
        name: None
        if one is None
        else one.state
        if hasattr(one, "state")
        else {k: v.state for k, v in one.items()}
        for name, one in held
    }
