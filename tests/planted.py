"""Programs written by hand for the textbook machines, right ones and ones with one planted fault each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from attrs import frozen

from statemachines.model.machines import Machine
from tests.data_machines import example, machine
from tests.planted_more import (
    VAN,
    AnswersTooSoon,
    AwaitedVan,
    ComesBackTenTimes,
    ComplainsTenTimes,
    ForgetsInOneOutcome,
    GivesItselfAway,
    GivesTheSameAgain,
    RefusesTenTimes,
    ScrappedGoesOn,
    SwapsTwo,
    TogglesWhereSetsOverlap,
    Van,
    WrongAtTheGreatest,
    WrongAtTheLimit,
    WrongWhereSetsOverlap,
    remembering,
)
from tests.refusing import No


class InsufficientFunds(Exception):
    """More was asked for than is there."""


class TransferFailed(Exception):
    """The payee's bank did not know the account."""


class Bank:
    """A right bank account."""

    def __init__(self) -> None:
        self.state, self.balance, self.booked = "OPEN", 0, list[int]()
        self.sent: int | None = None

    def _only_in(self, *states: str) -> None:
        if self.state not in states:
            raise No(self.state)

    def deposit(self, amount: int) -> int:
        self._only_in("OPEN", "FROZEN")
        if self.balance + amount > 9:
            raise No("too much")
        self.balance += amount
        self.booked = [*self.booked, amount][-2:]
        return self.balance

    def withdraw(self, amount: int) -> int:
        self._only_in("OPEN")
        if amount > self.balance:
            raise InsufficientFunds(amount)
        self.balance -= amount
        return self.balance

    def transfer(self, amount: int, outcome: str) -> bool:
        self._only_in("OPEN")
        if outcome != "booked":
            raise TransferFailed(amount)
        self.balance -= amount
        self.sent = amount
        return True

    def freeze(self) -> None:
        self._only_in("OPEN")
        self.state = "FROZEN"

    def thaw(self) -> None:
        self._only_in("FROZEN")
        self.state = "OPEN"

    def close(self) -> int:
        self._only_in("OPEN", "FROZEN")
        paid, self.balance, self.state = self.balance, 0, "CLOSED"
        return paid


class ThawsToClosed(Bank):
    """Wrong target."""

    def thaw(self) -> None:
        super().thaw()
        self.state = "CLOSED"


class DepositsWhenClosed(Bank):
    """An event is accepted where it is not legal any more."""

    def deposit(self, amount: int) -> int:
        state, self.state = self.state, "OPEN"
        try:
            return super().deposit(amount)
        finally:
            self.state = state


class ThawsEarly(Bank):
    """An event is accepted before it is legal."""

    def thaw(self) -> None:
        self._only_in("OPEN", "FROZEN")
        self.state = "OPEN"


class OwesOne(Bank):
    """A guard is off by one."""

    def withdraw(self, amount: int) -> int:
        self._only_in("OPEN")
        if amount > self.balance + 1:
            raise InsufficientFunds(amount)
        self.balance -= amount
        return self.balance


class SwallowsTheError(Bank):
    """An error is swallowed."""

    def withdraw(self, amount: int) -> int:
        try:
            return super().withdraw(amount)
        except InsufficientFunds:
            return self.balance


class ResultOffByOne(Bank):
    """A result is off by one."""

    def deposit(self, amount: int) -> int:
        return super().deposit(amount) + 1


class KeepsAfterTheError(Bank):
    """What was taken stays taken when the transfer fails."""

    def transfer(self, amount: int, outcome: str) -> bool:
        self._only_in("OPEN")
        self.balance -= amount
        if outcome != "booked":
            raise TransferFailed(amount)
        self.sent = amount
        return True


class FreezesOnce(Bank):
    """Works only once."""

    frozen_before = False

    def freeze(self) -> None:
        super().freeze()
        if self.frozen_before:
            self.state = "OPEN"
        self.frozen_before = True


class WrongError(Bank):
    """An error of another name."""

    def withdraw(self, amount: int) -> int:
        try:
            return super().withdraw(amount)
        except InsufficientFunds:
            raise TransferFailed(amount) from None


class ForgetsTheSecond(Bank):
    """Keeps one booking only."""

    def deposit(self, amount: int) -> int:
        balance = super().deposit(amount)
        self.booked = self.booked[-1:]
        return balance


class GivesOutWrong(Bank):
    """What it gave out beside its result is wrong."""

    def transfer(self, amount: int, outcome: str) -> bool:
        done = super().transfer(amount, outcome)
        self.sent = amount - 1
        return done


class CloseKeepsTheMoney(Bank):
    """Closed, and the balance is still there."""

    def close(self) -> int:
        paid = super().close()
        self.balance = paid
        return paid


class BreaksAtTheBound(Bank):
    """Goes wrong at the highest balance only."""

    def deposit(self, amount: int) -> int:
        balance = super().deposit(amount)
        if balance == 9:
            self.balance = 0
        return balance


class Info(NamedTuple):
    """An order as the shop keeps it."""

    stage: str
    item: str
    count: int


class Shop:
    """A right shop: orders, and an index of what is in which stage."""

    def __init__(self, shelf: dict[str, int]) -> None:
        self.stock = dict(shelf)
        self.orders: dict[str, Info] = {}
        self.open: set[str] = set()

    def place(self, order: str, item: str, count: int) -> bool:
        if self.stock[item] < count:
            return False
        self.stock[item] -= count
        self.orders[order] = Info("open", item, count)
        self.open.add(order)
        return True

    def pay(self, order: str) -> None:
        self.open.discard(order)
        self.orders[order] = self.orders[order]._replace(stage="paid")

    def ship(self, batch: Iterable[str]) -> int:
        if not batch:
            raise No("nothing to ship")
        for order in batch:
            self.orders[order] = self.orders[order]._replace(stage="shipped")
        return len(list(batch))

    def cancel(self, order: str) -> bool:
        info = self.orders[order]
        if info.stage == "shipped":
            return False
        del self.orders[order]
        self.open.discard(order)
        self.stock[info.item] += info.count
        return True


class LosesAnOrder(Shop):
    """Ships one of a batch, the others are lost."""

    def ship(self, batch: Iterable[str]) -> int:
        done = super().ship(batch)
        for order in sorted(batch)[1:]:
            del self.orders[order]
        return done


class IndexNotCleaned(Shop):
    """An order that is cancelled stays in the index of open ones, and is in the way when its name comes again."""

    def place(self, order: str, item: str, count: int) -> bool:
        if order in self.open:
            return True
        return super().place(order, item, count)

    def cancel(self, order: str) -> bool:
        known = order in self.open
        done = super().cancel(order)
        if known and done:
            self.open.add(order)
        return done


class StockNotGivenBack(Shop):
    """A cancelled order keeps its stock."""

    def cancel(self, order: str) -> bool:
        stock = dict(self.stock)
        done = super().cancel(order)
        self.stock = stock
        return done


class ShipsNothing(Shop):
    """An empty batch is no longer refused."""

    def ship(self, batch: Iterable[str]) -> int:
        return super().ship(batch) if batch else 0


class SellsTooMuch(Shop):
    """Reserves what is not there: the last case of the operation is never taken."""

    def place(self, order: str, item: str, count: int) -> bool:
        self.stock[item] = max(self.stock[item], count)
        return super().place(order, item, count)


class CancelsShipped(Shop):
    """What is on its way is cancelled all the same."""

    def cancel(self, order: str) -> bool:
        self.orders[order] = self.orders[order]._replace(stage="open")
        return super().cancel(order)


class SharedStock(Shop):
    """The class remembers what its instances should: the second life begins with the first one's stock."""

    kept: dict[str, int] | None = None

    def __init__(self, shelf: dict[str, int]) -> None:
        super().__init__(shelf)
        kind = type(self)
        kind.kept = self.stock = kind.kept if kind.kept is not None else self.stock


def forgetful() -> type[Shop]:
    """A class of its own for each test: its fault is in what it keeps."""
    return type("SharedStock", (SharedStock,), {"kept": None})


QUEUE = """
types: {Job: id}
errors: {Broken: The worker fell over; what it had done by then stays done.}
variables:
  waiting: set[Job] = set()
  done: set[Job] = set()
  secret: {type: "0..3 = 0", observable: false}
events:
  put: {args: {job: Job}, guard: "job not in waiting and job not in done", effect: {waiting: "waiting | {job}", secret: "(secret + 1) % 4"}}
  take:
    args: {job: {type: waiting, chosen: true}}
    effect: {waiting: "waiting - {job}", done: "done | {job}"}
    returns: {value: job}
  crash:
    args: {reached: {type: "set[waiting]", chosen: true}}
    effect: {waiting: "waiting - reached", done: "done | reached"}
    raises: Broken
always: {apart: "waiting & done == set()"}
scope: {Job: 3}
""".replace('"0..3 = 0"', "0..3").replace("type: 0..3, observable", 'type: 0..3, initial: "0", observable')
"""The order in which jobs are taken is the worker's affair; how far it got when it fell over too."""


class Broken(Exception):
    """The worker fell over."""


class Worker:
    """A right worker whose methods are awaited; it takes the last job by name."""

    def __init__(self) -> None:
        self.waiting, self.done = set[str](), list[str]()

    async def put(self, job: str) -> None:
        await asyncio.sleep(0)
        if job in self.waiting or job in self.done:
            raise No(job)
        self.waiting.add(job)

    async def take(self) -> str:
        await asyncio.sleep(0)
        if not self.waiting:
            raise No("nothing to do")
        job = max(self.waiting)
        self.waiting.remove(job)
        self.done.append(job)
        return job

    async def crash(self) -> None:
        if self.waiting:
            await self.take()
        raise Broken("after one job")


class TakesAnother(Worker):
    """Says that it took a job which it did not take."""

    async def take(self) -> str:
        job = await super().take()
        return min([*self.done, *self.waiting], default=job)


class LosesOnCrash(Worker):
    """What it was at when it fell over is lost."""

    async def crash(self) -> None:
        if self.waiting:
            self.waiting.remove(max(self.waiting))
        raise Broken("while at it")


BANK = example("BankAccount")
ORDERS = example("Orders")
WORKER = machine(QUEUE)


@frozen
class Planted:
    """A program, and what is wrong with it."""

    name: str
    machine: Machine
    make: Callable[[], Callable[..., Any]]
    """A fresh `make_subject`."""


def _planted(name: str, of: Machine, kind: Callable[..., Any]) -> Planted:
    return Planted(name, of, lambda: kind)


RIGHT = (
    _planted("a bank account", BANK, Bank),
    _planted("a shop", ORDERS, Shop),
    _planted("a worker (async)", WORKER, Worker),
    _planted("a van", VAN, Van),
    _planted("a van (async)", VAN, AwaitedVan),
)
FAULTS = (
    _planted("wrong target", BANK, ThawsToClosed),
    _planted("lost task", ORDERS, LosesAnOrder),
    _planted("index not cleaned", ORDERS, IndexNotCleaned),
    _planted("event accepted too early", BANK, ThawsEarly),
    _planted("event accepted too late", BANK, DepositsWhenClosed),
    _planted("error swallowed", BANK, SwallowsTheError),
    _planted("another error", BANK, WrongError),
    _planted("result off by one", BANK, ResultOffByOne),
    _planted("guard off by one", BANK, OwesOne),
    _planted("state kept after an exception", BANK, KeepsAfterTheError),
    _planted("works only once", BANK, FreezesOnce),
    _planted("one booking forgotten", BANK, ForgetsTheSecond),
    _planted("wrong value given out", BANK, GivesOutWrong),
    _planted("closed, not emptied", BANK, CloseKeepsTheMoney),
    _planted("wrong at the bound only", BANK, BreaksAtTheBound),
    _planted("stock not given back", ORDERS, StockNotGivenBack),
    _planted("empty batch accepted", ORDERS, ShipsNothing),
    _planted("last case never taken", ORDERS, SellsTooMuch),
    _planted("shipped and cancelled", ORDERS, CancelsShipped),
    Planted("first life leaks into the second", ORDERS, forgetful),
    _planted("a result that no choice explains", WORKER, TakesAnother),
    _planted("lost in a crash, whatever was chosen", WORKER, LosesOnCrash),
    _planted("wrong at the greatest number only", VAN, WrongAtTheGreatest),
    _planted("wrong at a limit far out", VAN, WrongAtTheLimit),
    _planted("works the first ten times", VAN, ComesBackTenTimes),
    _planted("refuses the first ten times", VAN, RefusesTenTimes),
    _planted("raises the first ten times", VAN, ComplainsTenTimes),
    _planted("wrong where two sets overlap", VAN, WrongWhereSetsOverlap),
    _planted("lost where two sets overlap", VAN, TogglesWhereSetsOverlap),
    _planted("two swapped", VAN, SwapsTwo),
    _planted("its own list given away", VAN, GivesItselfAway),
    _planted("the same list given again", VAN, GivesTheSameAgain),
    _planted("wrong in what one outcome does", VAN, ForgetsInOneOutcome),
    _planted("goes on after its end", VAN, ScrappedGoesOn),
    _planted("answered before it is done (async)", VAN, AnswersTooSoon),
    Planted("the class remembers", VAN, remembering),
)
