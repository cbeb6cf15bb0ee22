"""The small table of what Kafka does that the tests carry with them: `python -m tests.catalogue.tables` writes it from the facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs

from statemachines.model.definitions.machine_definitions import SpecDefinition
from tests.catalogue.facts import SECTIONS, Told, told
from tests.catalogue.facts_members import CLIENT, told_client
from tests.catalogue.facts_others import MACHINES, told_others
from tests.shipped import shipped_spec

CHECKOUT = Path(__file__).parents[2]
CARRIED = (*SECTIONS, *MACHINES, CLIENT)
"""Machines of which the tests carry Kafka's own table."""
FILE = CHECKOUT / "tests" / "data" / "catalogue" / "tables.json"


def rows(folder: Path, machine: str, spec: SpecDefinition) -> list[dict[str, Any]]:
    """Return what the facts tell of a machine, one row for each run of releases that are alike."""
    found: list[tuple[Told, list[str]]] = []
    place = spec.family.index
    for release, one in _read(folder, machine, spec.family.releases).items():
        if found and found[-1][0] == one and place[found[-1][1][-1]] + 1 == place[release]:
            found[-1][1].append(release)
        else:
            found.append((one, [release]))
    return [
        {"first": releases[0], "last": releases[-1], **attrs.asdict(one)} for one, releases in found
    ]


def _read(folder: Path, machine: str, releases: tuple[str, ...]) -> dict[str, Told]:
    if machine == CLIENT:
        return told_client(folder, releases)
    return (told if machine in SECTIONS else told_others)(folder, machine, releases)


def carried(machine: str, releases: tuple[str, ...]) -> dict[str, Told]:
    """Return what the carried table tells of a machine, by release."""
    found = {}
    for row in json.loads(FILE.read_text())[machine]:
        one = _told(row)
        for release in releases[releases.index(row["first"]) : releases.index(row["last"]) + 1]:
            found[release] = one
    return found


def _told(row: dict[str, Any]) -> Told:
    following = {state: tuple(targets) for state, targets in row["following"].items()}
    predicates = {name: tuple(states) for name, states in row["predicates"].items()}
    return Told(tuple(row["states"]), following, tuple(row["initial"]), predicates, row["outcomes"])


def written(folder: Path) -> str:
    """Return the text of the carried table."""
    content = {machine: rows(folder, machine, shipped_spec(machine)) for machine in CARRIED}
    lines = []
    for machine, each in content.items():
        inside = ",\n  ".join(json.dumps(row) for row in each)
        lines.append(f"{json.dumps(machine)}: [\n  {inside}]")
    return "{" + ",\n".join(lines) + "}\n"


if __name__ == "__main__":
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(written(CHECKOUT.parent / "shared"))
