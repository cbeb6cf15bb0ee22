"""A parcel service's van, a right one and ones with one fault each that shows late, seldom or far out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, ClassVar

from tests.data_machines import machine
from tests.refusing import No

TIMES = 10
"""How often what works for a while works."""


class TooHeavy(Exception):
    """It weighs too much."""


VAN = machine("""
types: {Parcel: id}
errors: {TooHeavy: It weighs too much.}
states: {OUT: {}, HOME: {initial: true}, SCRAPPED: {final: true}}
variables: {load: "0..1000 = 0", aboard: "set[Parcel] = set()", brought: "set[Parcel] = set()", left: "list[Parcel] = []"}
events:
  weigh: {args: {kilos: 1..100}}
  put: {args: {parcels: "set[Parcel]"}}
  bring: {args: {parcels: "set[aboard]"}}
  lose: {args: {parcel: aboard}}
transitions:
  - from: HOME
    event: weigh
    cases:
      - {when: load + kilos > 1000, raises: TooHeavy}
      - {effect: {load: load + kilos}, returns: load + kilos}
  - {from: HOME, event: put, guard: parcels != set(), effect: {aboard: aboard | parcels}, returns: len(parcels - aboard)}
  - {from: HOME, to: OUT, event: leave, guard: aboard != set()}
  - {from: OUT, event: bring, effect: {aboard: aboard - parcels, brought: brought | parcels}, returns: len(parcels & brought)}
  - {from: OUT, event: lose, effect: {left: "(left + [parcel])[-3:]", aboard: "aboard - {parcel}"}}
  - {from: OUT, to: HOME, event: back, effect: {load: "0"}}
  - {from: HOME, event: unload, effect: {left: "[]"}, returns: left}
  - {from: HOME, to: SCRAPPED, event: scrap}
scope: {Parcel: 3}
""")


class Van:
    """A right van."""

    def __init__(self) -> None:
        self.state, self.load, self.times = "HOME", 0, 0
        self.aboard, self.brought, self.left = set[str](), set[str](), list[str]()

    def _only_in(self, state: str) -> None:
        if self.state != state:
            raise No(self.state)

    def _again(self) -> bool:
        """Count, and tell whether it was too often."""
        self.times += 1
        return self.times > TIMES

    def weigh(self, kilos: int) -> int:
        self._only_in("HOME")
        if self.load + kilos > 1000:
            raise TooHeavy(kilos)
        self.load += kilos
        return self.load

    def put(self, parcels: Iterable[str]) -> int:
        self._only_in("HOME")
        if not parcels:
            raise No("nothing")
        new = set(parcels) - self.aboard
        self.aboard |= new
        return len(new)

    def leave(self) -> None:
        self._only_in("HOME")
        if not self.aboard:
            raise No("empty")
        self.state = "OUT"

    def bring(self, parcels: Iterable[str]) -> int:
        self._only_in("OUT")
        twice = set(parcels) & self.brought
        self.aboard -= set(parcels)
        self.brought |= set(parcels)
        return len(twice)

    def lose(self, parcel: str) -> None:
        self._only_in("OUT")
        self.aboard.remove(parcel)
        self.left = [*self.left, parcel][-3:]

    def back(self) -> None:
        self._only_in("OUT")
        self.state, self.load = "HOME", 0

    def unload(self) -> list[str]:
        self._only_in("HOME")
        left, self.left = self.left, []
        return left

    def scrap(self) -> None:
        self._only_in("HOME")
        self.state = "SCRAPPED"


class WrongAtTheGreatest(Van):
    """The greatest weight there is counts one more."""

    def weigh(self, kilos: int) -> int:
        return super().weigh(kilos) + (kilos == 100)


class WrongAtTheLimit(Van):
    """What would just fit is refused."""

    def weigh(self, kilos: int) -> int:
        self._only_in("HOME")
        if self.load + kilos == 1000:
            raise TooHeavy(kilos)
        return super().weigh(kilos)


class ComesBackTenTimes(Van):
    """Comes home ten times, and not the eleventh."""

    def back(self) -> None:
        super().back()
        if self._again():
            self.state = "OUT"


class RefusesTenTimes(Van):
    """Refuses to come back from home ten times, then gives in."""

    def back(self) -> None:
        if self.state == "HOME" and self._again():
            return
        super().back()


class ComplainsTenTimes(Van):
    """Finds it too heavy ten times, then gives in."""

    def weigh(self, kilos: int) -> int:
        try:
            return super().weigh(kilos)
        except TooHeavy:
            if self._again():
                return self.load
            raise


class WrongWhereSetsOverlap(Van):
    """Miscounts where some were brought before and some were not."""

    def bring(self, parcels: Iterable[str]) -> int:
        twice = super().bring(parcels)
        return twice - 1 if 0 < twice < len(set(parcels)) else twice


class TogglesWhereSetsOverlap(Van):
    """What is aboard and put again falls out."""

    def put(self, parcels: Iterable[str]) -> int:
        before = set(self.aboard)
        new = super().put(parcels)
        self.aboard = before ^ set(parcels)
        return new


class SwapsTwo(Van):
    """The last two stand the other way round."""

    def lose(self, parcel: str) -> None:
        super().lose(parcel)
        self.left[-2:] = reversed(self.left[-2:])


class GivesItselfAway(Van):
    """Gives its own list to the caller."""

    def unload(self) -> list[str]:
        left = super().unload()
        self.left = [] if left else left
        return left


class GivesTheSameAgain(Van):
    """Gives the same list each time, filled anew."""

    def __init__(self) -> None:
        super().__init__()
        self.given = list[str]()

    def unload(self) -> list[str]:
        self.given[:] = super().unload()
        return self.given


class ForgetsInOneOutcome(Van):
    """What is done where it is too heavy unloads the van."""

    def weigh(self, kilos: int) -> int:
        try:
            return super().weigh(kilos)
        except TooHeavy:
            self.aboard = set()
            raise


class RemembersOtherVans(Van):
    """What was brought is known to the class."""

    all_brought: ClassVar[set[str]] = set()

    def __init__(self) -> None:
        super().__init__()
        self.brought = type(self).all_brought

    def bring(self, parcels: Iterable[str]) -> int:
        twice = super().bring(parcels)
        type(self).all_brought = self.brought
        return twice


def remembering() -> type[Van]:
    """A class of its own for each test."""
    return type("RemembersOtherVans", (RemembersOtherVans,), {"all_brought": set()})


class ScrappedGoesOn(Van):
    """What is scrapped still weighs."""

    def weigh(self, kilos: int) -> int:
        if self.state == "SCRAPPED":
            return self.load
        return super().weigh(kilos)


class AwaitedVan:
    """A right van whose methods are awaited."""

    def __init__(self) -> None:
        self.van = Van()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.van, name)

    async def leave(self) -> None:
        await asyncio.sleep(0)
        self.van.leave()

    async def back(self) -> None:
        await asyncio.sleep(0)
        self.van.back()


class AnswersTooSoon(AwaitedVan):
    """Says that it is back, and comes back right afterwards."""

    async def back(self) -> None:
        self.van._only_in("OUT")
        asyncio.get_running_loop().call_soon(self.van.back)
