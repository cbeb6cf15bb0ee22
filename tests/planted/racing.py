"""Programs for several threads, each right and with a mistake that takes two: of a cache, a stock, a stack, a register, a value that is made once."""

from __future__ import annotations

import threading
from typing import Any

from tests.data_machines import machine
from tests.refusing import No

CACHE = machine("""
types: {Name: id}
variables: {held: {type: "map[Name, 0..2]", initial: "{}"}}
events:
  put: {args: {name: Name, value: 0..2}, guard: len(held) < 2 or name in held, effect: {held: "held | {name: value}"}}
  get: {args: {name: Name}, guard: name in held, returns: held.get(name)}
  evict: {args: {name: Name}, guard: name in held, effect: {held: "{k: v for k, v in held.items() if k != name}"}}
scope: {Name: 3}
""")


class Cache:
    """Right: each call holds the lock."""

    def __init__(self) -> None:
        self.held: dict[str, int] = {}
        self.lock = threading.Lock()

    def refuse_unless(self, allowed: bool) -> None:
        if not allowed:
            raise No("not now")

    def put(self, name: str, value: int) -> None:
        with self.lock:
            self.refuse_unless(len(self.held) < 2 or name in self.held)
            self.held[name] = value

    def get(self, name: str) -> int:
        with self.lock:
            self.refuse_unless(name in self.held)
            return self.held[name]

    def evict(self, name: str) -> None:
        with self.lock:
            self.refuse_unless(name in self.held)
            del self.held[name]


class LooksThenReads(Cache):
    """What was there is gone when it is read."""

    def get(self, name: str) -> int:
        self.refuse_unless(name in self.held)
        return self.held[name]


STOCK = machine("""
variables: {n: "0..3 = 0"}
events:
  add: {guard: n < 3, effect: {n: n + 1}, returns: n + 1}
  take: {guard: n > 0, effect: {n: n - 1}, returns: n - 1}
  look: {returns: n}
""")


class Stock:
    """Right."""

    def __init__(self) -> None:
        self.n, self.lock = 0, threading.RLock()

    def add(self) -> int:
        with self.lock:
            if self.n >= 3:
                raise No("full")
            self.n += 1
            return self.n

    def take(self) -> int:
        with self.lock:
            if self.n <= 0:
                raise No("empty")
            self.n -= 1
            return self.n

    def look(self) -> int:
        with self.lock:
            return self.n


class GivesTheLockBack(Stock):
    """A lost update under a lock that is given back between reading and writing."""

    def add(self) -> int:
        with self.lock:
            if self.n >= 3:
                raise No("full")
            before = self.n
        with self.lock:
            self.n = before + 1
            return self.n


STACK = machine("""
variables: {items: "list[0..2] = []"}
events:
  push: {args: {x: 0..2}, guard: len(items) < 3, effect: {items: "[x] + items"}}
  pop: {guard: "items != []", effect: {items: "items[1:]"}, returns: "items[0] if items != [] else 0"}
""")


class Node:
    """Of a linked list; it is used again."""

    def __init__(self) -> None:
        self.x, self.after = 0, None


class Stack:
    """Right: a linked list under a lock."""

    def __init__(self) -> None:
        self.head: Any = None
        self.free: list[Any] = []
        self.lock = threading.Lock()

    @property
    def items(self) -> tuple[int, ...]:
        """From the top."""
        values, node = [], self.head
        while node is not None and len(values) < 9:
            values.append(node.x)
            node = node.after
        return tuple(values)

    def push(self, x: int) -> None:
        with self.lock:
            if len(self.items) >= 3:
                raise No("full")
            node = self.free.pop(0) if self.free else Node()
            node.x, node.after = x, self.head
            self.head = node

    def pop(self) -> int:
        with self.lock:
            if self.head is None:
                raise No("empty")
            node = self.head
            self.head = node.after
            self.free.append(node)
            return int(node.x)


class SwapsASeenHead(Stack):
    """ABA: the head is swapped where it is the node that was seen, which came back meanwhile with another one behind it."""

    def pop(self) -> int:
        while True:
            node = self.head
            if node is None:
                raise No("empty")
            after = node.after
            with self.lock:
                if self.head is node:
                    self.head = after
                    self.free.append(node)
                    return int(node.x)


REGISTER = machine("""
types: {User: id}
variables: {names: "set[User] = set()", active: "set[User] = set()"}
events:
  add: {args: {user: User}, guard: user not in names, effect: {names: "names | {user}"}}
  activate: {args: {user: User}, guard: user in names and user not in active, effect: {active: "active | {user}"}}
  remove: {args: {user: User}, guard: user in names, effect: {names: "names - {user}", active: "active - {user}"}}
always: {known: active <= names}
scope: {User: 2}
""")


class Register:
    """Right: one lock for both sets."""

    def __init__(self) -> None:
        self.names, self.active = set[str](), set[str]()
        self.lock, self.other = threading.Lock(), threading.Lock()

    def add(self, user: str) -> None:
        with self.lock:
            if user in self.names:
                raise No(user)
            self.names.add(user)

    def activate(self, user: str) -> None:
        with self.lock:
            if user not in self.names or user in self.active:
                raise No(user)
            self.active.add(user)

    def remove(self, user: str) -> None:
        with self.lock:
            if user not in self.names:
                raise No(user)
            self.names.discard(user)
            with self.other:
                self.active.discard(user)


class LooksIntoOneOfTwo(Register):
    """Each set has a lock of its own: who is removed meanwhile is active for ever."""

    def activate(self, user: str) -> None:
        with self.lock:
            if user not in self.names:
                raise No(user)
        with self.other:
            if user in self.active:
                raise No(user)
            self.active.add(user)


ONCE = machine("""
variables: {made: "0..3 = 0", ready: "bool = False"}
events:
  get: {effect: {made: "made if ready else min(made + 1, 3)", ready: "True"}, returns: "made if ready else min(made + 1, 3)"}
  reset: {guard: ready, effect: {ready: "False"}}
""")


class Once:
    """Right: made under the lock."""

    def __init__(self) -> None:
        self.made, self.ready, self.value = 0, False, 0
        self.lock = threading.Lock()

    def make(self) -> None:
        self.made = min(self.made + 1, 3)
        self.value = self.made

    def get(self) -> int:
        with self.lock:
            if not self.ready:
                self.make()
                self.ready = True
            return self.value

    def reset(self) -> None:
        with self.lock:
            if not self.ready:
                raise No("not made")
            self.ready = False


class SaysReadyTooEarly(Once):
    """Double-checked, and ready before it is made."""

    def get(self) -> int:
        if not self.ready:
            with self.lock:
                if not self.ready:
                    self.ready = True
                    self.make()
        return self.value


BOX = machine("""
variables: {full: "bool = False"}
events:
  put: {effect: {full: "True"}}
  take: {guard: full, effect: {full: "False"}}
""")


class Box:
    """Right: who finds nothing says so."""

    def __init__(self) -> None:
        self.full, self.waiting = False, 0
        self.lock, self.signal = threading.Lock(), threading.Semaphore(0)

    def put(self) -> None:
        with self.lock:
            self.full = True

    def take(self) -> None:
        with self.lock:
            if not self.full:
                raise No("empty")
            self.full = False


class WaitsForWhoIsGone(Box):
    """Sees it full, and waits to be woken where another one was faster: nobody wakes it."""

    def take(self) -> None:
        if not self.full:
            raise No("empty")
        while True:
            with self.lock:
                if self.full:
                    self.full = False
                    return
            self.signal.acquire()


QUEUE = machine("""
variables: {items: "list[0..1] = []"}
events:
  put: {args: {x: 0..1}, guard: len(items) < 2, effect: {items: "items + [x]"}}
  get: {guard: "items != []", effect: {items: "items[1:]"}, returns: "items[0] if items != [] else 0"}
""")


class Queue:
    """Right: who puts waits for room, and who gets for an item."""

    def __init__(self) -> None:
        self.items: list[int] = []
        self.changed = threading.Condition()

    def put(self, x: int) -> None:
        with self.changed:
            while len(self.items) >= 2:
                self.changed.wait()
            self.items.append(x)
            self.changed.notify_all()

    def get(self) -> int:
        with self.changed:
            while not self.items:
                self.changed.wait()
            item = self.items.pop(0)
            self.changed.notify_all()
            return item


class LooksBeforeItWaits(Queue):
    """Sees it empty, and waits after the signal has come."""

    def get(self) -> int:
        if not self.items:
            with self.changed:
                self.changed.wait()
        return super().get()


class LooksOnce(Queue):
    """Woken, it does not look again: somebody else may have been faster."""

    def get(self) -> int:
        with self.changed:
            if not self.items:
                self.changed.wait()
            item = self.items.pop(0) if self.items else 0
            self.changed.notify_all()
            return item
