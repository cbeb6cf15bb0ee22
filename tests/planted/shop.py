"""A shop with orders, a right one and ones with one fault each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tests.data_machines import example
from tests.refusing import No

ORDERS = example("Orders")


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
