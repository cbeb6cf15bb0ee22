"""Small programs whose fault waits for a count: a lock after three mistakes, a handle that is held often, a ring that is full and goes round, a batch that fails half way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.data_machines import machine
from tests.refusing import No

GATE = machine("""
errors: {Wrong: Not this code.}
states: {SHUT: {initial: true}, OPEN: {}, LOCKED: {}}
variables: {wrong: {type: 0..3, initial: "0", observable: false}}
events:
  enter: {args: {right: bool}}
transitions:
  - from: SHUT
    event: enter
    cases:
      - {when: right, to: OPEN, effect: {wrong: "0"}}
      - {when: wrong == 2, to: LOCKED, effect: {wrong: "3"}, raises: Wrong}
      - {effect: {wrong: wrong + 1}, raises: Wrong}
  - {from: OPEN, to: SHUT, event: shut}
  - {from: LOCKED, to: SHUT, event: unlock, effect: {wrong: "0"}}
""")


class Wrong(Exception):
    """Not this code."""


class Gate:
    """A right gate: three wrong codes in a row lock it."""

    def __init__(self) -> None:
        self.state, self.wrong = "SHUT", 0

    def _only_in(self, state: str) -> None:
        if self.state != state:
            raise No(self.state)

    def enter(self, right: bool) -> None:
        self._only_in("SHUT")
        if right:
            self.state = "OPEN"
            self.forget()
            return
        self.wrong += 1
        if self.wrong == 3:
            self.state = "LOCKED"
        raise Wrong

    def forget(self) -> None:
        self.wrong = 0

    def shut(self) -> None:
        self._only_in("OPEN")
        self.state = "SHUT"

    def unlock(self) -> None:
        self._only_in("LOCKED")
        self.state, self.wrong = "SHUT", 0


class CountsAllMistakes(Gate):
    """A right code does not forget the wrong ones before it."""

    def forget(self) -> None:
        pass


class UnlocksWithTheCount(Gate):
    """Unlocked, and the next mistake locks it again: from the second time on."""

    def __init__(self) -> None:
        super().__init__()
        self.unlocked = 0

    def unlock(self) -> None:
        super().unlock()
        self.unlocked += 1
        self.wrong = 2 if self.unlocked > 1 else 0


HANDLE = machine("""
states: {FREE: {initial: true}, HELD: {}}
variables: {holders: {type: 0..40, initial: "0", observable: false}}
events:
  hold: {}
  release: {}
transitions:
  - {from: [FREE, HELD], to: HELD, event: hold, guard: holders < 40, effect: {holders: holders + 1}}
  - from: HELD
    event: release
    cases:
      - {when: holders == 1, to: FREE, effect: {holders: "0"}}
      - {effect: {holders: holders - 1}}
""")


class Handle:
    """A right handle: free again when the last one has released it."""

    most = 40

    def __init__(self) -> None:
        self.count = self.holders = 0

    @property
    def state(self) -> str:
        return "HELD" if self.count else "FREE"

    def hold(self) -> None:
        if self.holders >= 40:
            raise No("too many")
        self.holders += 1
        self.count = min(self.count + 1, self.most)

    def release(self) -> None:
        if not self.count:
            raise No("free")
        self.holders -= 1
        self.count -= 1


class SaturatesAtFifteen(Handle):
    """Its counter has four bits and stays at fifteen: the last holders hold what is free."""

    most = 15


class WrapsAtThirtyTwo(Handle):
    """Its counter has five bits: the thirty-second holder frees it."""

    def hold(self) -> None:
        super().hold()
        self.count %= 32


RING = machine("""
types: {Item: id}
errors: {Full: No room., Empty: Nothing in it.}
variables: {items: {type: "list[Item]", initial: "[]", observable: false}}
events:
  put:
    args: {item: Item}
    cases:
      - {when: "len(items) >= 4", raises: Full}
      - {effect: {items: "items + [item]"}}
  get:
    cases:
      - {when: "items == []", raises: Empty}
      - {effect: {items: "items[1:]"}, returns: "items[0]"}
""")


class Full(Exception):
    """No room."""


class Empty(Exception):
    """Nothing in it."""


class Ring:
    """A right ring of four places."""

    def __init__(self) -> None:
        self.places: list[Any] = [None] * 4
        self.head = self.count = 0

    def put(self, item: Any) -> None:
        if self.count == 4:
            raise Full
        self.places[(self.head + self.count) % 4] = item
        self.count += 1

    def get(self) -> Any:
        if not self.count:
            raise Empty
        item = self.places[self.head]
        self.head, self.count = (self.head + 1) % 4, self.count - 1
        return item


class ForgetsToGoRound(Ring):
    """Full and with its head in the third place, the last one is written over the first."""

    def put(self, item: Any) -> None:
        if self.count == 3 and self.head == 3:
            self.places[self.head] = item
        super().put(item)


PACKER = machine("""
errors: {Heavy: One of them is too heavy.}
variables: {packed: "0..60 = 0", sealed: "bool = False"}
events:
  pack:
    args: {weights: "list[1..9]"}
    guard: not sealed and len(weights) <= 3 and packed + sum(weights) <= 60
    cases:
      - {when: "any(w == 9 for w in weights)", raises: Heavy}
      - {effect: {packed: packed + sum(weights)}, returns: packed + sum(weights)}
  seal: {guard: not sealed, effect: {sealed: "True"}, returns: packed}
  empty: {guard: sealed, effect: {sealed: "False", packed: "0"}}
""")


class Heavy(Exception):
    """One of them is too heavy."""


class Packer:
    """A right packer: all or nothing."""

    def __init__(self) -> None:
        self.packed, self.sealed, self.busy = 0, False, False

    def pack(self, weights: Sequence[int]) -> int:
        if self.sealed or len(weights) > 3 or self.packed + sum(weights) > 60:
            raise No("not now")
        if 9 in weights:
            raise Heavy
        self.packed += sum(weights)
        return self.packed

    def seal(self) -> int:
        if self.sealed:
            raise No("sealed")
        self.sealed = True
        return self.packed

    def empty(self) -> None:
        if not self.sealed:
            raise No("open")
        self.sealed, self.packed = False, 0


class KeepsTheFirstHalf(Packer):
    """What was packed before the one that is too heavy stays in."""

    def pack(self, weights: Sequence[int]) -> int:
        before = self.packed
        try:
            return super().pack(weights)
        except Heavy:
            self.packed = before + sum(weights[: list(weights).index(9)])
            raise


class StaysBusy(Packer):
    """After one that is too heavy it never can be sealed again, but for an empty one."""

    def pack(self, weights: Sequence[int]) -> int:
        self.busy = True
        packed = super().pack(weights)
        self.busy = False
        return packed

    def seal(self) -> int:
        if self.busy and self.packed > 0:
            raise No("busy")
        return super().seal()
