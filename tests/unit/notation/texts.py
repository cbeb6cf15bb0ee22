"""Short specs for the tests of the reader."""

from __future__ import annotations

from textwrap import dedent, indent

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.notation import SpecReading, read_spec_text
from tests.unit.notation.errors_page import FIXTURES

DOOR = """\
states:
  OPEN: {initial: true}
  AJAR: {in: "1.1.0.."}
  CLOSED: {final: true}
transitions:
  - {from: OPEN, to: [AJAR, CLOSED]}
  - {from: AJAR, to: CLOSED}
"""


def reading(body: str, *, family: bool = True) -> SpecReading:
    """Read a machine called Door, of the family `door` (1.0.0, 1.0.1, 1.1.0, 2.0.0) unless said otherwise."""
    head = "notation: 1\nmachine: Door\n" + ("family: door\n" if family else "")
    return read_spec_text(
        (head + dedent(body)).encode(), "Door.yaml", specs=FIXTURES, path=FIXTURES / "Door.yaml"
    )


def spec(body: str, *, family: bool = True) -> SpecDefinition:
    """Read a machine that is right."""
    return reading(body, family=family).valid_spec()


def codes(body: str, *, family: bool = True) -> list[str]:
    """Return the codes of what is wrong with a machine."""
    return [found.code for found in reading(body, family=family).diagnostics]


def with_log(lines: str, *, more: str = "") -> str:
    """Return the door with a log of these lines."""
    return (
        DOOR
        + "log:\n  instance: [door]\n"
        + indent(dedent(more), "  ")
        + "  lines:\n"
        + indent(dedent(lines), "    ")
    )
