"""Systems by hand whose parts must move together, right ones and ones with one fault each."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import statemachines as sm
from statemachines.api.system import System
from tests.refusing import No

_DESK = """
notation: 1
machine: Desk
errors: {Full: No room.}
states: {IDLE: {initial: true}, BUSY: {}}
variables: {jobs: "0..3 = 0", done: "0..9 = 0"}
events: {}
transitions:
  - {from: "*", to: BUSY, event: take, guard: jobs < 3, effect: {jobs: jobs + 1}, returns: jobs + 1}
  - from: BUSY
    event: finish
    cases:
      - {when: jobs == 1, to: IDLE, effect: {jobs: "0", done: "min(done + 1, 9)"}}
      - {effect: {jobs: jobs - 1, done: "min(done + 1, 9)"}}
  - {from: BUSY, to: IDLE, event: close, effect: {jobs: "0"}}
  - {from: "*", to: IDLE, event: audit, effect: {done: "0", jobs: "0"}}
"""
_BOARD = """
notation: 1
machine: Board
states: {OFF: {initial: true}, ON: {}}
variables: {shown: "0..9 = 0"}
transitions:
  - {from: OFF, to: ON, event: switch}
  - {from: ON, to: OFF, event: blank}
  - {from: ON, event: show, effect: {shown: "min(shown + 1, 9)"}}
  - {from: "*", event: clear, effect: {shown: "0"}}
"""
_BUREAU = """
notation: 1
system: Bureau
types: {Clerk: id}
parts:
  desks: {machine: Desk, each: Clerk}
  board: {machine: Board}
variables: {total: "0..99 = 0"}
links:
  - {on: desks, event: finish, send: board.show}
  - {on: desks, event: finish, effect: {total: "min(total + 1, 99)"}}
  - {on: desks, event: close, only if: "board.state == 'ON'"}
  - {on: board, event: clear, send: desks.audit}
scope: {Clerk: 2}
"""


def _bureau() -> System:
    with TemporaryDirectory() as folder:
        for name, text in (("Desk", _DESK), ("Board", _BOARD), ("Bureau", _BUREAU)):
            (Path(folder) / f"{name}.yaml").write_text(text.lstrip(), "utf-8")
        return sm.load_system(str(Path(folder) / "Bureau.yaml")).at()


BUREAU = _bureau()


class Full(Exception):
    """No room."""


class Desk:
    """A right desk; it tells its bureau what was done."""

    def __init__(self, bureau: Bureau) -> None:
        self.bureau, self.jobs, self.done = bureau, 0, 0

    @property
    def state(self) -> str:
        return "BUSY" if self.jobs else "IDLE"

    def take(self) -> int:
        if self.jobs == 3:
            raise No("full")
        self.jobs += 1
        return self.jobs

    def finish(self) -> None:
        if not self.jobs:
            raise No("idle")
        self.jobs, self.done = self.jobs - 1, min(self.done + 1, 9)
        self.bureau.finished(self)

    def close(self) -> None:
        if not self.jobs or not self.bureau.may_close():
            raise No("open")
        self.jobs = 0

    def audit(self) -> None:
        self.jobs = self.done = 0


class Board:
    """A right board."""

    def __init__(self, bureau: Bureau) -> None:
        self.bureau, self.state, self.shown = bureau, "OFF", 0

    def _go(self, before: str, after: str) -> None:
        if self.state != before:
            raise No(self.state)
        self.state = after

    def switch(self) -> None:
        self._go("OFF", "ON")

    def blank(self) -> None:
        self._go("ON", "OFF")

    def show(self) -> None:
        self._go("ON", "ON")
        self.shown = min(self.shown + 1, 9)

    def clear(self) -> None:
        self.shown = 0
        self.bureau.cleared()


class Bureau:
    """A right bureau."""

    def __init__(self, begin: Any) -> None:
        self.total = 0
        self.board = Board(self)
        self.desks = {clerk: Desk(self) for clerk in begin.parts["desks"]}

    def finished(self, desk: Desk) -> None:
        """Show it where the board is on, and count it."""
        del desk
        if self.board.state == "ON":
            self.board.show()
        self.total = min(self.total + 1, 99)

    def may_close(self) -> bool:
        return self.board.state == "ON"

    def cleared(self) -> None:
        for desk in self.desks.values():
            desk.audit()


class CountsNothingInTheDark(Bureau):
    """The board refuses, and what comes after it in the same method is left out."""

    def finished(self, desk: Desk) -> None:
        try:
            self.board.show()
            self.total = min(self.total + 1, 99)
        except No:
            pass


class LosesAWordAmongTwo(Bureau):
    """Where both desks are at work and the same one has finished twice in a row, nobody is told."""

    last: Desk | None = None

    def finished(self, desk: Desk) -> None:
        is_again = self.last is desk and all(each.jobs for each in self.desks.values())
        self.last = desk
        if not is_again:
            super().finished(desk)
        else:
            self.total = min(self.total + 1, 99)


class AuditsOneBusyDesk(Bureau):
    """Where two desks are at work, the second is not audited."""

    def cleared(self) -> None:
        busy = [desk for desk in self.desks.values() if desk.jobs]
        for desk in self.desks.values():
            if desk not in busy[1:]:
                desk.audit()


class ClosesInTheDarkAfterThree(Bureau):
    """From the third audit of work on, a desk closes where the board is off."""

    audits = 0

    def cleared(self) -> None:
        self.audits += any(desk.jobs for desk in self.desks.values())
        super().cleared()

    def may_close(self) -> bool:
        return self.audits >= 3 or super().may_close()


class CountsToFifteen(Bureau):
    """Its total has four bits."""

    def finished(self, desk: Desk) -> None:
        super().finished(desk)
        self.total = min(self.total, 15)


class ChangesTheListItGoesThrough(Bureau):
    """A desk that is audited at work leaves the list that is gone through: the next one is passed over."""

    def __init__(self, begin: Any) -> None:
        super().__init__(begin)
        self.told = list(self.desks.values())

    def cleared(self) -> None:
        for desk in self.told:
            if desk.jobs > 1:
                self.told.remove(desk)
                self.told.append(desk)
            desk.audit()


BUREAUS = (
    CountsNothingInTheDark,
    LosesAWordAmongTwo,
    AuditsOneBusyDesk,
    ClosesInTheDarkAfterThree,
    CountsToFifteen,
    ChangesTheListItGoesThrough,
)
