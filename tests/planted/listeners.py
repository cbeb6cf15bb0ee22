"""Small programs that hand things on: listeners in their order, a book of names, a service that is begun again, two time-outs."""

from __future__ import annotations

from typing import Any

from tests.data_machines import machine
from tests.refusing import No

BELL = machine("""
types: {Listener: id}
variables:
  listeners: {type: "list[Listener]", initial: "[]", observable: false}
  heard: "list[Listener] = []"
events:
  add: {args: {listener: Listener}, guard: listener not in listeners, effect: {listeners: "listeners + [listener]"}}
  drop: {args: {listener: Listener}, guard: listener in listeners, effect: {listeners: "[l for l in listeners if l != listener]"}}
  ring: {effect: {heard: listeners}}
scope: {Listener: 3}
""")


class Bell:
    """A right bell: those are told first who came first."""

    def __init__(self) -> None:
        self.listeners: dict[Any, bool] = {}
        self.heard: list[Any] = []

    def add(self, listener: Any) -> None:
        if self.listeners.get(listener):
            raise No(listener)
        self.listeners[listener] = True

    def drop(self, listener: Any) -> None:
        if not self.listeners.get(listener):
            raise No(listener)
        del self.listeners[listener]

    def ring(self) -> None:
        self.heard = [listener for listener, listens in self.listeners.items() if listens]


class KeepsThePlace(Bell):
    """Who left and came back has the old place."""

    def drop(self, listener: Any) -> None:
        if not self.listeners.get(listener):
            raise No(listener)
        self.listeners[listener] = False


class TellsByName(Bell):
    """Where there are three, they are told by name."""

    def ring(self) -> None:
        super().ring()
        if len(self.heard) > 2:
            self.heard.sort()


class DropsByIdentity(Bell):
    """Looks for the very object: one that is equal is not found."""

    def drop(self, listener: Any) -> None:
        if not any(each is listener for each in self.listeners):
            raise No(listener)
        super().drop(listener)


SHELF = machine("""
types: {Title: [Emma, Ulysses], Book: {title: Title, copy: 1..2}}
variables: {books: "set[Book] = set()"}
events:
  put: {args: {book: Book}, guard: book not in books, effect: {books: "books | {book}"}}
  take: {args: {book: Book}, guard: book in books, effect: {books: "books - {book}"}}
  number: {args: {of: 0..2000}, returns: of == 1000}
""")


class Shelf:
    """A right shelf."""

    def __init__(self) -> None:
        self.books: list[Any] = []

    def put(self, book: Any) -> None:
        if book in self.books:
            raise No(book)
        self.books.append(book)

    def take(self, book: Any) -> None:
        if book not in self.books:
            raise No(book)
        self.books.remove(book)

    def number(self, of: int) -> bool:
        return of == 1000


class TakesByIdentity(Shelf):
    """Takes the very book only that was put."""

    def take(self, book: Any) -> None:
        if not any(each is book for each in self.books):
            raise No(book)
        super().take(book)


SERVICE = machine("""
types: {Client: id}
states: {DOWN: {initial: true}, UP: {}, CRASHED: {}}
variables: {clients: "set[Client] = set()", served: "0..9 = 0"}
events:
  join: {args: {client: Client}}
transitions:
  - {from: DOWN, to: UP, event: begin, effect: {served: "0"}}
  - {from: UP, event: join, guard: client not in clients, effect: {clients: "clients | {client}"}}
  - {from: UP, event: serve, guard: "clients != set() and served < 9", effect: {served: served + 1}, returns: len(clients)}
  - {from: UP, to: DOWN, event: stop, effect: {clients: set()}}
  - {from: UP, to: CRASHED, event: crash, effect: {clients: set()}}
  - {from: CRASHED, to: DOWN, event: mend}
scope: {Client: 2}
""")


class Service:
    """A right service."""

    def __init__(self) -> None:
        self.state, self.clients, self.served = "DOWN", set[Any](), 0
        self.cached = 0

    def _only_in(self, state: str) -> None:
        if self.state != state:
            raise No(self.state)

    def begin(self) -> None:
        self._only_in("DOWN")
        self.state, self.served = "UP", 0

    def join(self, client: Any) -> None:
        self._only_in("UP")
        if client in self.clients:
            raise No(client)
        self.clients = self.clients | {client}
        self.cached = len(self.clients)

    def serve(self) -> int:
        self._only_in("UP")
        if not self.clients or self.served == 9:
            raise No("nobody")
        self.served += 1
        return len(self.clients)

    def stop(self) -> None:
        self._only_in("UP")
        self.state, self.clients, self.cached = "DOWN", set(), 0

    def crash(self) -> None:
        self._only_in("UP")
        self.state, self.clients = "CRASHED", set()

    def mend(self) -> None:
        self._only_in("CRASHED")
        self.state, self.cached = "DOWN", 0


class RemembersWhomItKnew(Service):
    """After a crash that hit it with two clients, who joins is counted with one who is gone."""

    def crash(self) -> None:
        self.gone = len(self.clients) > 1
        super().crash()

    def serve(self) -> int:
        return super().serve() + getattr(self, "gone", False)

    def stop(self) -> None:
        super().stop()
        self.gone = False


class ServesOn(Service):
    """Begun again after a crash, it goes on counting where it was, if it had served thrice."""

    def begin(self) -> None:
        before = self.served
        super().begin()
        if self.crashed and before >= 3:
            self.served = before

    crashed = False

    def crash(self) -> None:
        super().crash()
        self.crashed = True

    def stop(self) -> None:
        super().stop()
        self.crashed = False


TIMER = machine("""
types: {Due: {which: 0..2, at: 0..9}}
states: {IDLE: {initial: true}, ARMED: {}}
variables:
  now: "0..9 = 0"
  due: {type: "set[Due]", initial: "set()", observable: false}
  fired: "list[0..2] = []"
events:
  arm:
    args: {which: 0..2, at: 0..9}
  tick: {}
transitions:
  - {from: "*", to: ARMED, event: arm, guard: at > now, effect: {due: "{d for d in due if d.which != which} | {Due(which, at)}"}}
  - from: "*"
    event: tick
    guard: now < 9
    cases:
      - when: all(d.at == now + 1 for d in due)
        to: IDLE
        effect: {now: now + 1, fired: "[w for w in range(3) if any(d.which == w for d in due)]", due: set()}
      - effect:
          now: now + 1
          fired: "[w for w in range(3) if any(d.which == w and d.at == now + 1 for d in due)]"
          due: "{d for d in due if d.at != now + 1}"
""")


class Timer:
    """Right: what is due at once fires by number."""

    def __init__(self) -> None:
        self.now, self.due, self.fired = 0, dict[int, int](), list[int]()

    @property
    def state(self) -> str:
        return "ARMED" if self.due else "IDLE"

    def arm(self, which: int, at: int) -> None:
        if at <= self.now:
            raise No("past")
        self.due[which] = at

    def tick(self) -> None:
        if self.now == 9:
            raise No("over")
        self.now += 1
        self.fired = sorted(which for which, at in self.due.items() if at == self.now)
        self.due = {which: at for which, at in self.due.items() if at != self.now}


class FiresAsArmed(Timer):
    """What is due at once fires in the order in which it was armed."""

    def tick(self) -> None:
        before = list(self.due)
        super().tick()
        self.fired.sort(key=before.index)


class FiresOne(Timer):
    """Of three that are due at once the last is lost."""

    def tick(self) -> None:
        super().tick()
        del self.fired[2:]
