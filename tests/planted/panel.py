"""Small programs with faults that one call alone, one instance alone, or one name alone does not show."""

from __future__ import annotations

from typing import Any, ClassVar

from tests.data_machines import machine

PANEL = machine("""
variables: {lit: "0..1 = 0"}
events:
  press: {args: {row: 0..20, column: 0..20}, effect: {lit: "1 - lit"}, returns: row * 21 + column}
""")
RATE = machine("""
errors: {TooMany: Wait.}
variables: {used: "0..20 = 0"}
events:
  take:
    cases:
      - {when: used >= 20, raises: TooMany}
      - {effect: {used: used + 1}, returns: 19 - used}
  refill: {args: {n: 1..20}, effect: {used: "max(0, used - n)"}}
""")
BUFFER = machine("""
types: {Item: id}
errors: {Full: No room., Empty: Nothing in it.}
variables: {items: "list[Item] = []"}
events:
  put:
    args: {item: Item}
    cases:
      - {when: "len(items) >= 4", raises: Full}
      - {effect: {items: "items + [item]"}, returns: len(items) + 1}
  get:
    cases:
      - {when: "items == []", raises: Empty}
      - {effect: {items: "items[1:]"}, returns: "items[0]"}
""")
REGISTRY = machine("""
types: {Task: id}
errors: {Known: It is there., Unknown: It is not.}
variables: {owners: "map[Task, 0..2] = {}"}
events:
  add:
    args: {task: Task, owner: 0..2}
    cases:
      - {when: task in owners.keys(), raises: Known}
      - {effect: {owners: "owners | {task: owner}"}, returns: len(owners) + 1}
  drop:
    args: {task: Task}
    cases:
      - {when: task not in owners.keys(), raises: Unknown}
      - {effect: {owners: "{t: o for t, o in owners.items() if t != task}"}}
scope: {Task: 1}
""")


class TooMany(Exception):
    """Wait."""


class Full(Exception):
    """No room."""


class Empty(Exception):
    """Nothing in it."""


class Known(Exception):
    """It is there."""


class Unknown(Exception):
    """It is not."""


class Panel:
    """A right panel."""

    def __init__(self) -> None:
        self.lit = 0

    def press(self, row: int, column: int) -> int:
        self.lit = 1 - self.lit
        return row * 21 + column


class DeadKey(Panel):
    """One key of 441 does nothing."""

    def press(self, row: int, column: int) -> int:
        if (row, column) != (13, 8):
            self.lit = 1 - self.lit
        return row * 21 + column


class RefillsLess:
    """The second refill in a row is one short."""

    def __init__(self) -> None:
        self.used, self.last = 0, False

    def take(self) -> int:
        self.last = False
        if self.used >= 20:
            raise TooMany
        self.used += 1
        return 20 - self.used

    def refill(self, n: int) -> None:
        if self.last and self.used > n:
            n -= 1
        self.used, self.last = max(0, self.used - n), True


class Buffer:
    """A right buffer."""

    def __init__(self) -> None:
        self.items: list[Any] = []

    def put(self, item: Any) -> int:
        if len(self.items) >= 4:
            raise Full
        self.items.append(item)
        return len(self.items)

    def get(self) -> Any:
        if not self.items:
            raise Empty
        return self.items.pop(0)


def sharing() -> type[Buffer]:
    """Return a buffer all of whose instances share one list."""

    class Sharing(Buffer):
        store: ClassVar[list[Any]] = []

        def __init__(self) -> None:
            self.items = self.store

    return Sharing


class Registry:
    """A right registry."""

    def __init__(self) -> None:
        self.owners: dict[Any, int] = {}

    def add(self, task: Any, owner: int) -> int:
        if task in self.owners:
            raise Known
        self.owners[task] = owner
        return len(self.owners)

    def drop(self, task: Any) -> None:
        if task not in self.owners:
            raise Unknown
        del self.owners[task]


class DropsAll(Registry):
    """Whoever leaves takes the others along: seen with two of them only."""

    def drop(self, task: Any) -> None:
        super().drop(task)
        self.owners.clear()
