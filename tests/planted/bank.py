"""A bank account, a right one and ones with one fault each."""

from __future__ import annotations

from tests.data_machines import example
from tests.refusing import No

BANK = example("BankAccount")


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
