"""Nine programs, right and with faults that need depth: a third round, a second key, a key that is
used again, what was refused before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import statemachines as sm
from statemachines.api.system import System
from tests.data_machines import machine
from tests.refusing import No


def refuse_unless(allowed: bool) -> None:
    """What the machine forbids, the program refuses."""
    if not allowed:
        raise No("not now")


BREAKER = machine("""
errors: {Down: The other side does not answer.}
states: {CLOSED: {initial: true}, OPEN: {}, TRYING: {}}
variables: {failed: {type: 0..3, initial: "0", observable: false}}
events:
  call: {args: {answers: bool}}
  wait: {}
transitions:
  - from: CLOSED
    event: call
    cases:
      - {when: answers, effect: {failed: "0"}, returns: "True"}
      - {when: failed == 2, to: OPEN, effect: {failed: "0"}, raises: Down}
      - {effect: {failed: failed + 1}, raises: Down}
  - {from: OPEN, to: TRYING, event: wait}
  - from: TRYING
    event: call
    cases:
      - {when: answers, to: CLOSED, returns: "True"}
      - {to: OPEN, raises: Down}
""")


class Down(Exception):
    """The other side does not answer."""


class Breaker:
    """A right breaker: opens after three failures in a row."""

    def __init__(self) -> None:
        self.state, self.failed, self.tried = "CLOSED", 0, 0

    def call(self, answers: bool) -> bool:
        refuse_unless(self.state != "OPEN")
        if answers:
            self.state, self.failed = "CLOSED", 0
            return True
        self.failed += 1
        if self.state == "TRYING" or self.failed == 3:
            self.opens()
        raise Down

    def opens(self) -> None:
        self.state, self.failed = "OPEN", 0

    def wait(self) -> None:
        refuse_unless(self.state == "OPEN")
        self.state = "TRYING"


class GivesUpAfterThreeTrials(Breaker):
    """Of three trials in a row that failed, the third lets it be closed."""

    def opens(self) -> None:
        self.tried = self.tried + 1 if self.state == "TRYING" else 0
        super().opens()
        if self.tried == 3:
            self.state = "CLOSED"


class KeepsAFailure(Breaker):
    """What answers in a trial does not forget the failure of that trial before: the second failure opens it."""

    def call(self, answers: bool) -> bool:
        was = self.state
        try:
            return super().call(answers)
        finally:
            if was == "TRYING":
                self.failed = 1 if not answers else self.tried
                self.tried = 1 if not answers else 0


LEASES = machine("""
types: {Door: id, Who: id}
errors: {Stale: Somebody else had the lease since.}
variables:
  holder: {type: "map[Door, Who]", initial: "{}"}
  token: {type: "map[Door, 0..9]", initial: "{}", observable: false}
events:
  acquire:
    args: {door: Door, who: Who}
    guard: "door not in holder and token.get(door, 0) < 9"
    effect: {holder: "holder | {door: who}", token: "token | {door: token.get(door, 0) + 1}"}
    returns: "token.get(door, 0) + 1"
  release: {args: {door: Door}, guard: door in holder, effect: {holder: "{k: w for k, w in holder.items() if k != door}"}}
  expire: {args: {door: Door}, guard: door in holder, effect: {holder: "{k: w for k, w in holder.items() if k != door}"}}
  write:
    args: {door: Door, given: 1..9}
    cases:
      - {when: "door not in holder or token.get(door, 0) != given", raises: Stale}
      - {returns: "holder.get(door)"}
""")


class Stale(Exception):
    """Somebody else had the lease since."""


class Leases:
    """Right leases: each has a greater token than the one before."""

    def __init__(self) -> None:
        self.holder: dict[str, str] = {}
        self.token: dict[str, int] = {}

    def acquire(self, door: str, who: str) -> int:
        refuse_unless(door not in self.holder and self.token.get(door, 0) < 9)
        self.holder[door] = who
        self.token[door] = self.token.get(door, 0) + 1
        return self.token[door]

    def release(self, door: str) -> None:
        refuse_unless(door in self.holder)
        del self.holder[door]

    def expire(self, door: str) -> None:
        refuse_unless(door in self.holder)
        del self.holder[door]

    def write(self, door: str, given: int) -> str:
        if door not in self.holder or self.token[door] != given:
            raise Stale
        return self.holder[door]


class ForgetsTheToken(Leases):
    """A door whose lease expired and was then released by the next one begins anew."""

    def __init__(self) -> None:
        super().__init__()
        self.expired = set[str]()

    def expire(self, door: str) -> None:
        super().expire(door)
        self.expired.add(door)

    def release(self, door: str) -> None:
        super().release(door)
        if door in self.expired:
            del self.token[door]


class OneTokenForTwo(Leases):
    """While another door is held, a door that is taken again gets its old token."""

    def acquire(self, door: str, who: str) -> int:
        others, old = bool(self.holder), self.token.get(door, 0)
        token = super().acquire(door, who)
        if others and old > 1:
            self.token[door] = token = old
        return token


RETRIES = machine("""
types: {Job: id}
variables:
  waiting: {type: "list[Job]", initial: "[]"}
  taken: {type: "Job?", initial: None}
  failures: {type: "map[Job, 0..2]", initial: "{}", observable: false}
  dead: {type: "set[Job]", initial: "set()"}
events:
  put: {args: {job: Job}, guard: "len(waiting) < 3 and job not in waiting and job not in dead and taken != job", effect: {waiting: "waiting + [job]"}}
  take: {guard: "taken is None and waiting != []", effect: {taken: "waiting[0]", waiting: "waiting[1:]"}, returns: "waiting[0]"}
  done: {guard: taken is not None, effect: {taken: None, failures: "{j: n for j, n in failures.items() if j != taken}"}}
  fail:
    guard: taken is not None
    cases:
      - {when: "failures.get(taken, 0) == 2", effect: {dead: "dead | {taken}", taken: None}}
      - {effect: {failures: "failures | {taken: failures.get(taken, 0) + 1}", waiting: "waiting + [taken]", taken: None}}
""")


class Retries:
    """A right queue: a job that failed three times is dead."""

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.taken: str | None = None
        self.failures: dict[str, int] = {}
        self.dead = set[str]()

    def put(self, job: str) -> None:
        refuse_unless(
            len(self.waiting) < 3
            and job not in self.waiting
            and job not in self.dead
            and job != self.taken
        )
        self.waiting = [*self.waiting, job]

    def take(self) -> str:
        refuse_unless(self.taken is None and bool(self.waiting))
        self.taken, *self.waiting = self.waiting
        return self.taken

    def done(self) -> None:
        refuse_unless(self.taken is not None)
        assert self.taken is not None
        self.failures.pop(self.taken, None)
        self.taken = None

    def fail(self) -> None:
        refuse_unless(self.taken is not None)
        assert self.taken is not None
        self.failures[self.taken] = self.failures.get(self.taken, 0) + 1
        if self.failures[self.taken] == 3:
            self.dead.add(self.taken)
        else:
            self.waiting = [*self.waiting, self.taken]
        self.taken = None


class CountsTogether(Retries):
    """A failure of one counts for another that has failed before."""

    def fail(self) -> None:
        job = self.taken
        super().fail()
        for other in self.failures:
            if other != job and self.failures[other] == 1:
                self.failures[other] = 2


class ForgivesNothing(Retries):
    """What is done at last keeps its failures, where it is put again."""

    def done(self) -> None:
        failed = self.failures.get(self.taken or "", 0)
        job = self.taken
        super().done()
        if failed == 2 and job is not None:
            self.failures[job] = 1


PAGES = machine("""
variables: {readers: "0..4 = 0", writes: "bool = False", wishes: "bool = False"}
events:
  read: {guard: "not writes and not wishes and readers < 4", effect: {readers: readers + 1}}
  leave: {guard: readers > 0, effect: {readers: readers - 1}}
  upgrade:
    guard: readers > 0 and not wishes
    cases:
      - {when: readers == 1, effect: {readers: "0", writes: "True"}, returns: "True"}
      - {effect: {wishes: "True"}, returns: "False"}
  enter: {guard: wishes and readers == 1, effect: {readers: "0", writes: "True", wishes: "False"}}
  giveUp: {guard: wishes, effect: {wishes: "False"}}
  end: {guard: writes, effect: {writes: "False"}}
always: {alone: "implies(writes, readers == 0)"}
""")


class Pages:
    """A right lock of readers and a writer, who may have been a reader."""

    def __init__(self) -> None:
        self.readers, self.writes, self.wishes = 0, False, False

    def read(self) -> None:
        refuse_unless(not self.writes and not self.wishes and self.readers < 4)
        self.readers += 1

    def leave(self) -> None:
        refuse_unless(self.readers > 0)
        self.readers -= 1

    def upgrade(self) -> bool:
        refuse_unless(self.readers > 0 and not self.wishes)
        if self.readers == 1:
            self.readers, self.writes = 0, True
            return True
        self.wishes = True
        return False

    def enter(self) -> None:
        refuse_unless(self.wishes and self.readers == 1)
        self.readers, self.writes, self.wishes = 0, True, False

    def giveUp(self) -> None:
        refuse_unless(self.wishes)
        self.wishes = False

    def end(self) -> None:
        refuse_unless(self.writes)
        self.writes = False


class ReadsAfterARefusal(Pages):
    """Who was refused while somebody wished to write gets in at the next try."""

    refused = 0

    def read(self) -> None:
        if self.wishes and self.refused >= 2 and self.readers < 4:
            self.refused = 0
            self.readers += 1
            return
        try:
            super().read()
        except No:
            self.refused += self.wishes
            raise


class LosesAReader(Pages):
    """A wish that is given up twice takes a reader with it, where there are three."""

    given = 0

    def giveUp(self) -> None:
        super().giveUp()
        self.given += 1
        if self.given >= 2 and self.readers == 3:
            self.readers = 2


PRODUCER = machine("""
types: {Sender: id}
errors: {Gap: A number is missing.}
variables: {last: {type: "map[Sender, 0..9]", initial: "{}", observable: false}, size: "0..40 = 0"}
events:
  send:
    args: {sender: Sender, number: 1..9}
    guard: size < 40
    cases:
      - {when: "number == last.get(sender, 0) + 1", effect: {last: "last | {sender: number}", size: size + 1}, returns: "True"}
      - {when: "number <= last.get(sender, 0)", returns: "False"}
      - {raises: Gap}
  forget: {args: {sender: Sender}, guard: sender in last, effect: {last: "{s: n for s, n in last.items() if s != sender}"}}
""")


class Gap(Exception):
    """A number is missing."""


class Log:
    """A right log: what is sent again is not written again."""

    def __init__(self) -> None:
        self.last: dict[str, int] = {}
        self.size = 0

    def send(self, sender: str, number: int) -> bool:
        refuse_unless(self.size < 40)
        last = self.last.get(sender, 0)
        if number == last + 1:
            self.last[sender] = number
            self.size += 1
            return True
        if number <= last:
            return False
        raise Gap

    def forget(self, sender: str) -> None:
        refuse_unless(sender in self.last)
        del self.last[sender]


class RemembersFive(Log):
    """Only the last five numbers are known to have been there."""

    def send(self, sender: str, number: int) -> bool:
        if self.size < 40 and number <= self.last.get(sender, 0) - 5:
            self.size += 1
            return True
        return super().send(sender, number)


class ForgetsForAll(Log):
    """Where two have sent as much, forgetting the one forgets the other."""

    def forget(self, sender: str) -> None:
        number = self.last.get(sender)
        super().forget(sender)
        if number is not None and number >= 2:
            self.last = {other: n for other, n in self.last.items() if n != number}


CART = """
notation: 1
machine: Cart
types: {Ware: id}
states: {OPEN: {initial: true}, PAID: {}, SENT: {final: true}, DROPPED: {final: true}}
variables: {wares: "set[Ware] = set()"}
events:
  add: {args: {ware: Ware}}
  drop: {args: {ware: Ware}}
transitions:
  - {from: OPEN, event: add, guard: ware not in wares and len(wares) < 2, effect: {wares: "wares | {ware}"}}
  - {from: OPEN, event: drop, guard: ware in wares, effect: {wares: "wares - {ware}"}}
  - {from: OPEN, to: PAID, event: pay, guard: "wares != set()", returns: len(wares)}
  - {from: PAID, to: SENT, event: send}
  - {from: [OPEN, PAID], to: DROPPED, event: cancel, returns: len(wares)}
scope: {Ware: 2}
"""
STORE = """
notation: 1
machine: Store
variables: {left: "0..4 = 4"}
events:
  reserve: {guard: left > 0, effect: {left: left - 1}}
  back: {args: {many: 0..4}, guard: left + many <= 4, effect: {left: left + many}}
no deadlock: false
"""
SHOP = """
notation: 1
system: Shop
types: {Client: id}
parts:
  carts: {machine: Cart, each: Client}
  store: {machine: Store}
channels: {counter: {holds: 0}}
links:
  - {on: carts, event: add, send: store.reserve, through: counter}
  - {on: carts, event: drop, send: store.back, args: {many: "1"}, through: counter}
  - {on: carts, event: cancel, send: store.back, args: {many: returned}, through: counter}
scope: {Client: 3}
no deadlock: false
"""


def _system(top: str, **texts: str) -> System:
    with TemporaryDirectory() as folder:
        for name, text in texts.items():
            (Path(folder) / f"{name}.yaml").write_text(text.lstrip(), "utf-8")
        return sm.load_system(str(Path(folder) / f"{top}.yaml")).at()


SHOPPING = _system("Shop", Cart=CART, Store=STORE, Shop=SHOP)


class Store:
    """A right store."""

    def __init__(self) -> None:
        self.left = 4

    def take(self) -> None:
        refuse_unless(self.left > 0)
        self.left -= 1

    def give(self, many: int) -> None:
        self.left += many


class Cart:
    """A right cart: what is in it is taken from the store."""

    def __init__(self, shop: Shop) -> None:
        self.shop, self.state, self.wares = shop, "OPEN", set[str]()

    def add(self, ware: str) -> None:
        refuse_unless(self.state == "OPEN" and ware not in self.wares and len(self.wares) < 2)
        self.shop.store.take()
        self.wares = self.wares | {ware}

    def drop(self, ware: str) -> None:
        refuse_unless(self.state == "OPEN" and ware in self.wares)
        self.wares = self.wares - {ware}
        self.shop.store.give(1)

    def pay(self) -> int:
        refuse_unless(self.state == "OPEN" and bool(self.wares))
        self.state = "PAID"
        return len(self.wares)

    def send(self) -> None:
        refuse_unless(self.state == "PAID")
        self.state = "SENT"

    def cancel(self) -> int:
        refuse_unless(self.state in ("OPEN", "PAID"))
        self.state = "DROPPED"
        self.shop.cancelled(self)
        return len(self.wares)


class Shop:
    """A right shop."""

    kind: Callable[[Any], Cart] = Cart

    def __init__(self, begin: Any) -> None:
        self.store = Store()
        self.carts = {client: type(self).kind(self) for client in begin.parts["carts"]}
        self.gone = 0

    def cancelled(self, cart: Cart) -> None:
        self.store.give(len(cart.wares))


class GivesBackOnce(Shop):
    """Of the third cart that is cancelled with two in it, one is not given back."""

    def cancelled(self, cart: Cart) -> None:
        self.gone += len(cart.wares) == 2
        self.store.give(len(cart.wares) - (self.gone == 2 and len(cart.wares) == 2))


class TakesBeforeItIsRefused(Shop):
    """What is refused for want of stock is taken all the same, once there is stock again."""

    class Hasty(Cart):
        """Remembers what it could not get."""

        missed = 0

        def add(self, ware: str) -> None:
            if self.shop.store.left == 0 and self.state == "OPEN" and len(self.wares) < 2:
                self.missed += 1
            super().add(ware)
            if self.missed and self.shop.store.left:
                self.shop.store.left -= 1
                self.missed = 0

    kind = Hasty


SESSIONS = machine("""
types: {Name: id}
variables:
  open: "set[Name] = set()"
  sent: {type: "map[Name, 0..3]", initial: "{}"}
events:
  connect: {args: {name: Name}, guard: "name not in open and len(open) < 2", effect: {open: "open | {name}", sent: "sent | {name: 0}"}}
  send: {args: {name: Name}, guard: "name in open and sent.get(name, 0) < 3", effect: {sent: "sent | {name: min(sent.get(name, 0) + 1, 3)}"}, returns: "sent.get(name, 0) + 1"}
  close: {args: {name: Name}, guard: name in open, effect: {open: "open - {name}", sent: "{n: k for n, k in sent.items() if n != name}"}}
  crash: {guard: "open != set()", effect: {open: "set()", sent: "{}"}, returns: len(open)}
scope: {Name: 3}
""")


class Sessions:
    """Right sessions: of each it is known how much was sent in it."""

    def __init__(self) -> None:
        self.open, self.sent = set[str](), dict[str, int]()
        self.crashed, self.used = 0, dict[str, int]()

    def connect(self, name: str) -> None:
        refuse_unless(name not in self.open and len(self.open) < 2)
        self.open.add(name)
        self.sent[name] = 0
        self.used[name] = self.used.get(name, 0) + 1

    def send(self, name: str) -> int:
        refuse_unless(name in self.open and self.sent[name] < 3)
        self.sent[name] += 1
        return self.sent[name]

    def close(self, name: str) -> None:
        refuse_unless(name in self.open)
        self.open.remove(name)
        del self.sent[name]

    def crash(self) -> int:
        refuse_unless(bool(self.open))
        many = len(self.open)
        self.open, self.sent, self.crashed = set(), {}, self.crashed + 1
        return many


class AnotherPlaceForAThird(Sessions):
    """Who connects for the third time gets in though two are open."""

    def connect(self, name: str) -> None:
        if name not in self.open and self.used.get(name, 0) == 2 and len(self.open) == 2:
            self.open.add(name)
            self.sent[name] = 0
            self.used[name] += 1
            return
        super().connect(name)


class ForgetsInTheSecondCrash(Sessions):
    """The second crash with two open leaves what one had sent, to who connects by that name."""

    old = ""

    def crash(self) -> int:
        two = sorted(self.open)
        many = super().crash()
        if self.crashed >= 2 and many == 2:
            self.old = two[0]
        return many

    def connect(self, name: str) -> None:
        super().connect(name)
        if name == self.old:
            self.sent[name], self.old = 1, ""


TICKETS = machine("""
variables: {drawn: {type: 0..12, initial: "0", observable: false}, served: {type: 0..12, initial: "0", observable: false}}
events:
  draw: {guard: drawn < 12 and drawn - served < 3, effect: {drawn: drawn + 1}, returns: drawn + 1}
  serve: {guard: served < drawn, effect: {served: served + 1}, returns: served + 1}
  waiting: {returns: drawn - served}
""")


class Tickets:
    """Right: each call holds the lock."""

    def __init__(self) -> None:
        self.drawn = self.served = 0
        self.lock = threading.Lock()

    def draw(self) -> int:
        with self.lock:
            refuse_unless(self.drawn < 12 and self.drawn - self.served < 3)
            self.drawn += 1
            return self.drawn

    def serve(self) -> int:
        with self.lock:
            refuse_unless(self.served < self.drawn)
            self.served += 1
            return self.served

    def waiting(self) -> int:
        with self.lock:
            return self.drawn - self.served


class AnswersWhatIsThereByThen(Tickets):
    """What it returns is read when the lock is given back, after the third ticket only."""

    def draw(self) -> int:
        before = self.drawn
        number = super().draw()
        return self.drawn if before > 2 else number


class CountsWithoutTheLock(Tickets):
    """How many wait is two looks."""

    def waiting(self) -> int:
        served = self.served
        return self.drawn - served


POOL = machine("""
variables: {idle: "0..2 = 2", out: "0..2 = 0", broken: "0..2 = 0"}
events:
  borrow: {guard: idle > 0, effect: {idle: idle - 1, out: out + 1}}
  bring: {args: {works: bool}, guard: out > 0, cases: [{when: works, effect: {out: out - 1, idle: "min(idle + 1, 2)"}}, {effect: {out: out - 1, broken: "min(broken + 1, 2)"}}]}
  mend: {guard: broken > 0, effect: {broken: broken - 1, idle: "min(idle + 1, 2)"}}
always: {two: idle + out + broken == 2}
""")


class Pool:
    """Right: a pool of two, which may break."""

    def __init__(self) -> None:
        self.idle, self.out, self.broken = 2, 0, 0
        self.lock = threading.RLock()

    def borrow(self) -> None:
        with self.lock:
            refuse_unless(self.idle > 0)
            self.idle, self.out = self.idle - 1, self.out + 1

    def bring(self, works: bool) -> None:
        with self.lock:
            refuse_unless(self.out > 0)
            self.out -= 1
            if works:
                self.idle += 1
            else:
                self.broken += 1

    def mend(self) -> None:
        with self.lock:
            refuse_unless(self.broken > 0)
            self.broken, self.idle = self.broken - 1, self.idle + 1


class MendsTwice(Pool):
    """Two may mend the same, where it is looked at before the lock is taken."""

    def mend(self) -> None:
        refuse_unless(self.broken > 0)
        with self.lock:
            self.broken, self.idle = max(self.broken - 1, 0), min(self.idle + 1, 2)


class BreaksInTwoSteps(Pool):
    """What is brought back broken is nowhere for a moment."""

    def bring(self, works: bool) -> None:
        if works:
            super().bring(works)
            return
        with self.lock:
            refuse_unless(self.out > 0)
            self.out -= 1
        with self.lock:
            self.broken += 1


MACHINES: tuple[tuple[Any, type[Any], tuple[type[Any], ...], dict[str, type[Exception]]], ...] = (
    (BREAKER, Breaker, (GivesUpAfterThreeTrials, KeepsAFailure), {"Down": Down}),
    (LEASES, Leases, (ForgetsTheToken, OneTokenForTwo), {"Stale": Stale}),
    (RETRIES, Retries, (CountsTogether, ForgivesNothing), {}),
    (PAGES, Pages, (ReadsAfterARefusal, LosesAReader), {}),
    (PRODUCER, Log, (RemembersFive, ForgetsForAll), {"Gap": Gap}),
    (SESSIONS, Sessions, (AnotherPlaceForAThird, ForgetsInTheSecondCrash), {}),
)
SHOPS = (GivesBackOnce, TakesBeforeItIsRefused)
RACING: tuple[tuple[Any, type[Any], tuple[type[Any], ...]], ...] = (
    (TICKETS, Tickets, (AnswersWhatIsThereByThen, CountsWithoutTheLock)),
    (POOL, Pool, (MendsTwice, BreaksInTwoSteps)),
)
