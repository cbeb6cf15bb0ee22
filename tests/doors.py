"""A small world for tests of judging: doors of a house, their program's releases, and the log that it writes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

from statemachines.conform import check
from statemachines.model.evidence.reports import Finding, Report, TimelineStep

VERSION = "House software version 1.1"
"""A line by which a program says its release."""
FAMILY = r"""
notation: 1
family: house
releases: ["1.0", "1.1", "2.0"]
log:
  process: house
  patterns: {house: '\d+', door: '\w+'}
  lines:
    - {text: "House software version {release}", says: release, logger: house.Main, level: INFO, samples: ["House software version 1.0"]}
    - {text: "House program starting up", says: process begins, logger: house.Main, level: INFO, samples: ["House program starting up"]}
    - {text: "House program has stopped", says: process ends, logger: house.Main, level: INFO, samples: ["House program has stopped"]}
    - {text: "This is house number {house}", says: note, logger: house.Main, level: INFO, samples: ["This is house number 7"]}
"""
DOOR = r"""
notation: 1
machine: Door
family: house
states:
  CLOSED: {initial: true}
  OPEN: {initial: true}
  LOCKED: {as: [Bolted]}
  JAMMED:
  GONE: {final: true}
transitions:
  - {from: CLOSED, to: OPEN}
  - {from: OPEN, to: CLOSED}
  - {from: CLOSED, to: LOCKED}
  - {from: LOCKED, to: CLOSED}
  - {from: OPEN, to: JAMMED}
  - {from: JAMMED, to: OPEN, silent: true}
  - {from: JAMMED, to: CLOSED, taken: false}
  - {from: [CLOSED, OPEN], to: GONE}
  - {from: LOCKED, to: GONE, in: "2.0"}
otherwise:
  - {from: LOCKED, to: OPEN, does: ignore}
  - {from: OPEN, to: LOCKED, does: raise StillOpen}
  - {from: GONE, does: force, in: "1.0"}
  - {does: refuse}
log:
  instance: [door]
  lines:
    - {text: "Door {door} goes from {from} to {to}", says: step, to: [CLOSED, OPEN, JAMMED, GONE], logger: house.Door, level: INFO,
       samples: ["Door d goes from OPEN to CLOSED"]}
    - {text: "Door {door} bolt moves it from {from} to {to}", says: step, from: [CLOSED], to: [LOCKED], logger: house.Door, level: DEBUG,
       samples: ["Door d bolt moves it from CLOSED to LOCKED"]}
    - {text: "Door {door} made to go from {from} to {to}", says: forced, logger: house.Door, level: WARN, in: "1.0", samples: ["Door d made to go from GONE to OPEN"]}
    - {text: "Door {door} swallowed the wish from {from} to {to}", says: ignored, logger: house.Door, level: DEBUG,
       samples: ["Door d swallowed the wish from LOCKED to OPEN"]}
    - {text: "Door {door} will not go from {from} to {to}", says: refused, logger: house.Door, level: WARN, samples: ["Door d will not go from LOCKED to JAMMED"]}
    - {text: "Door {door} threw up at going from {from} to {to}", says: raised, logger: house.Door, level: ERROR,
       samples: ["Door d threw up at going from OPEN to LOCKED"]}
    - {text: "Door {door} did not get from {from} to {to}", says: [refused, failed], logger: house.Door, level: ERROR,
       samples: ["Door d did not get from OPEN to CLOSED"]}
    - {text: "Door {door} was asked to go from {from} to {to}", says: asked, logger: house.Door, level: DEBUG,
       samples: ["Door d was asked to go from OPEN to CLOSED"]}
    - {text: "Door {door} hung into its frame", says: begin, logger: house.Door, level: INFO, samples: ["Door d hung into its frame"]}
    - {text: "Door {door} stands {state}", says: is, logger: house.Door, level: INFO, samples: ["Door d stands OPEN"]}
    - {text: "Door {door} taken off its hinges", says: end, logger: house.Door, level: INFO, samples: ["Door d taken off its hinges"]}
    - {text: "Listener heard that door {door} is {to}", says: step, echo: true, to: [OPEN, CLOSED], logger: house.Listener, level: INFO,
       samples: ["Listener heard that door d is OPEN"]}
    - {text: "Every door -> {dump}", says: is, each: {dump: "{door}={state}"}, logger: house.Door, level: INFO}
    - {text: "Door {door} greased with {*} drops", says: note, logger: house.Door, level: INFO, in: "2.0", samples: ["Door d greased with 3 drops"]}
  episodes:
    jammed: {while: "state == 'JAMMED'", title: "door {door} is jammed", blame: [failed]}
"""
START = datetime(2026, 1, 2, 3, 4, 5)


def line(message: str, at: float = 0, logger: str = "house.Door", level: str = "INFO") -> str:
    """Write a log line, `at` seconds after the start of the world."""
    time = START + timedelta(seconds=at)
    return f"[{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03d}] {level} {message} ({logger})"


def lines(*messages: str) -> list[str]:
    """Write one line a message, a second apart; one that begins with a level has that level."""
    found = []
    for at, message in enumerate(messages):
        first, _, rest = message.partition(" ")
        level, text = (first, rest) if first in ("DEBUG", "WARN", "ERROR") else ("INFO", message)
        found.append(
            line(
                text,
                at,
                "house.Main"
                if "ouse " in text
                else "house.Listener"
                if "Listener" in text
                else "house.Door",
                level,
            )
        )
    return found


class House:
    """A folder with specs, in which logs are judged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        specs = folder / "specs" / "house"
        specs.mkdir(parents=True)
        (specs / "house.yaml").write_text(FAMILY, "utf-8")
        self.spec = specs / "Door.yaml"
        self.spec.write_text(DOOR, "utf-8")

    def write(self, name: str, text: Iterable[str]) -> Path:
        """Write a log file."""
        path = self.folder / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{entry}\n" for entry in text), "utf-8")
        return path

    def judge(self, *messages: str, release: str | None = None, **options: object) -> Report:
        """Judge one log of some messages."""
        path = self.write("house.log", lines(*messages))
        return check([path], specs=[self.spec], release=release, engine="local", **options)

    def check(self, *paths: Path, **options: object) -> Report:
        """Judge files."""
        return check(list(paths), specs=[self.spec], engine="local", **options)


def kinds(report: Report) -> list[tuple[str, str, int]]:
    """Return kind, verdict and line of the findings."""
    return [(f.kind, f.verdict.name, f.place.line if f.place else 0) for f in report.findings]


def moves(report: Report) -> list[tuple[str | None, str | None, str]]:
    """Return from, to and how of the timeline."""
    return [(step.source, step.target, step.how) for step in report.timeline]


def only(report: Report) -> Finding:
    """Return the one finding of a report."""
    assert len(report.findings) == 1, kinds(report)
    return report.findings[0]


def told(report: Report) -> list[TimelineStep]:
    """Return the told steps."""
    return [step for step in report.timeline if step.how == "told"]
