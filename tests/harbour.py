"""A small world for tests of one history that several tell: offices of a harbour that keep the same book of its berths."""

from __future__ import annotations

from pathlib import Path

import statemachines as sm

FAMILY = r"""
notation: 1
family: harbour
releases: ["1"]
log:
  process: office
  patterns: {office: '\d+'}
  lines:
    - {text: "office {office} opens its doors", says: process begins, logger: harbour.Office, level: INFO, samples: ["office 1 opens its doors"]}
"""
BERTH = r"""
notation: 1
machine: Berth
family: harbour
states:
  FREE: {initial: true}
  TAKEN: {initial: true}
variables:
  ship: "int = 0"
  dues: "int = 0"
  seen: {type: int, initial: "0", doc: The ship that a line told last.}
events:
  moor: {args: {comes: int}}
  ask: {args: {more: int}}
transitions:
  - {from: [FREE, TAKEN], to: TAKEN, event: moor, guard: comes > 0, effect: {ship: comes}}
  - {from: [FREE, TAKEN], to: FREE, event: moor, guard: comes <= 0, effect: {ship: "0"}}
  - {from: [FREE, TAKEN], event: ask, effect: {dues: more}}
log:
  instance: [berth]
  shared: true
  life: charter
  sequence: entry
  previous: was
  patterns: {berth: '\d+', entry: '\d+', was: '\d+', ship: '\d+', old: '\d+', dues: '\d+', charter: '\w+'}
  lines:
    - text: "office {office} books berth {berth} of charter {charter}: ship {old} -> {ship}, {rest}"
      inside: {rest: ["dues {*} -> {dues},", "entry {was} -> {entry}"]}
      says: event
      event: moor
      args: {comes: "{ship}"}
      set: {ship: "{ship}", seen: "{ship}", dues: "{dues}"}
      replayed: true
      logger: harbour.Book
      level: LEVEL
    - text: "office {office} books berth {berth} of charter {charter}: dues {*} -> {dues}, entry {was} -> {entry}"
      says: event
      event: ask
      args: {more: "{dues}"}
      set: {dues: "{dues}"}
      replayed: true
      logger: harbour.Book
      level: LEVEL
    - text: "watch of office {office}: ship {ship} lies at berth {berth}, entry {entry}"
      says: is
      state: TAKEN
      set: {ship: "{ship}", seen: "{ship}"}
      logger: harbour.Watch
      level: INFO
    - text: "office {office} hears that ship {ship} has gone down"
      says: may be
      state: FREE
      about: {seen: "{ship}"}
      logger: harbour.Wire
      level: INFO
    - text: "office {office} hears that ship {ship} is well after all"
      says: may not be
      state: FREE
      about: {seen: "{ship}"}
      logger: harbour.Wire
      level: INFO
    - {text: "office {office} takes back what was not agreed upon", says: undone, logger: harbour.Wire, level: INFO}
  episodes:
    free: {while: "state == 'FREE'", title: "berth {berth} is free"}
    maybe_free: {while: "state == 'FREE'", maybe: true, title: "berth {berth} may be free"}
"""
LANTERN = r"""
notation: 1
machine: Lantern
family: harbour
states: {OUT: {initial: true}, LIT: {}}
transitions: [{from: OUT, to: LIT}, {from: LIT, to: OUT}]
log:
  instance: [lantern]
  shared: true
  life: wick
  patterns: {lantern: '\d+', wick: '\d+'}
  lines:
    - {text: "office {office} lights lantern {lantern}", says: step, to: LIT, logger: harbour.Keeper, level: INFO}
    - {text: "office {office} notes: lantern {lantern} wick {wick} is {to}", says: step, to: [OUT, LIT], replayed: true, logger: harbour.Book, level: INFO}
    - {text: "office {office} takes back what was not agreed upon", says: undone, logger: harbour.Wire, level: INFO}
"""


class Harbour:
    """A folder with the specs, and the logs of its offices."""

    def __init__(self, folder: Path, *, level: str = "INFO") -> None:
        self.folder, self.level = folder, level
        (folder / "specs").mkdir()
        (folder / "specs" / "harbour.yaml").write_text(FAMILY, "utf-8")
        (folder / "specs" / "Berth.yaml").write_text(BERTH.replace("LEVEL", level), "utf-8")
        (folder / "specs" / "Lantern.yaml").write_text(LANTERN, "utf-8")
        self.lines: dict[str, list[str]] = {}

    def tells(self, office: int, second: float, text: str) -> None:
        """Have an office write a line; what it books has the level of the world."""
        level = self.level if " books " in text else "INFO"
        names = {
            " books ": "Book",
            " notes": "Book",
            "watch of": "Watch",
            "lights": "Keeper",
            "opens": "Office",
        }
        logger = next((name for words, name in names.items() if words in text), "Wire")
        clock = f"10:{int(second) // 60:02}:{int(second) % 60:02},{round(second % 1 * 1000):03}"
        line = f"[2026-01-01 {clock}] {level} {text.replace('OFFICE', f'office {office}')} (harbour.{logger})\n"
        self.lines.setdefault(f"office{office}.log", []).append(line)

    def books(
        self,
        office: int,
        second: float,
        berth: int,
        entry: int,
        ship: int | None = None,
        *,
        charter: str = "a",
        dues: int = 1,
        was: int | None = None,
    ) -> None:
        """Have an office book a change of a berth: another ship, or other dues."""
        entries = f"entry {entry - 1 if was is None else was} -> {entry}"
        changes = f"dues 0 -> {dues}, {entries}"
        if ship is not None:
            changes = f"ship 0 -> {ship}, {entries}"
        self.tells(office, second, f"OFFICE books berth {berth} of charter {charter}: {changes}")

    def check(self, machine: str = "Berth", **options: object) -> sm.Report:
        """Judge the logs of all offices."""
        for name, lines in self.lines.items():
            (self.folder / name).write_text("".join(lines), "utf-8")
        logs = [self.folder / name for name in self.lines]
        return sm.check(logs, specs=[self.folder / "specs" / f"{machine}.yaml"], **options)


def steps(report: sm.Report) -> list[str]:
    """The told steps: second, from and to."""
    told = [one for one in report.timeline if one.how == "told"]
    return [
        f"{(one.at.ms if one.at and one.at.ms else 0) // 1000 % 3600} {one.source} {one.target}"
        for one in told
    ]


def said(report: sm.Report) -> list[str]:
    """The findings, as kind, verdict and place."""
    return [
        f"{one.kind} {one.verdict.name} {one.place.file.rpartition('/')[2]}:{one.place.line}"
        for one in report.findings
        if one.place
    ]


def titles(report: sm.Report) -> list[str]:
    """The episodes: title, first and last second."""
    seconds = [(one.title, one.since, one.until) for one in report.episodes]
    return [f"{title} {_second(since)}..{_second(until)}" for title, since, until in seconds]


def _second(instant: object) -> object:
    ms = getattr(instant, "ms", None)
    return ms // 1000 % 3600 if ms is not None else ""
