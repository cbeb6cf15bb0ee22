"""The shop keeps its orders whole, whatever comes at once, and its audit log can be judged."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
from shop import TIME_TO_PAY, Shop, main, open_shop

import statemachines as sm

SPEC = Path(__file__).with_name("Order.yaml")


class HandedClock:
    """A clock that stands still until a test turns it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 8)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> HandedClock:
    """Nobody waits for half an hour."""
    return HandedClock()


@pytest.fixture
def shop(tmp_path: Path, clock: HandedClock) -> Shop:
    """A shop of its own."""
    return open_shop(tmp_path / "shop.db", clock)


def judged(shop: Shop, folder: Path) -> sm.Report:
    """Judge what the shop did by its audit log."""
    shop.write_audit(folder / "audit.log")
    return sm.check(folder / "audit.log", specs=SPEC)


def together(shop: Shop, number: int, *events: str) -> list[bool]:
    """Send requests that have all read the order before the first one writes."""
    barrier = Barrier(len(events), timeout=10)

    def wait_once() -> Callable[[], None]:
        waits = [barrier]

        def wait() -> None:
            if waits:
                waits.pop().wait()

        return wait

    with ThreadPoolExecutor(len(events)) as customers:
        sent = [
            customers.submit(shop.request, number, event, before_writing=wait_once())
            for event in events
        ]
        return [each.result() for each in sent]


def test_of_two_payments_at_once_one_is_taken(shop: Shop, tmp_path: Path) -> None:
    """Both read NEW; the slower one reads again, and hears that the order is paid."""
    number = shop.place()
    assert sorted(together(shop, number, "pay", "pay")) == [False, True]
    report = judged(shop, tmp_path)
    assert report.verdict is sm.Verdict.HOLDS
    assert [finding.kind for finding in report.findings] == ["raised"]


def test_a_payment_and_the_clock_at_once_leave_one_of_both(
    shop: Shop, clock: HandedClock, tmp_path: Path
) -> None:
    """It is paid or it has expired; the audit log tells one step and no more."""
    number = shop.place()
    clock.now += TIME_TO_PAY + timedelta(seconds=1)
    done = together(shop, number, "pay", "expire")
    assert done in ([True, False], [False, True])
    assert shop.state(number) == ("PAID" if done[0] else "EXPIRED")
    assert judged(shop, tmp_path).checked.steps == 1


def test_an_order_that_nobody_pays_expires(shop: Shop, clock: HandedClock, tmp_path: Path) -> None:
    """And not a second too early."""
    late, paid = shop.place(), shop.place()
    shop.request(paid, "pay")
    clock.now += TIME_TO_PAY
    assert shop.expire() == []
    clock.now += timedelta(seconds=1)
    assert shop.expire() == [late]
    assert (shop.state(late), shop.state(paid)) == ("EXPIRED", "PAID")
    assert not any(episode.open for episode in judged(shop, tmp_path).episodes)


def test_a_step_that_the_audit_log_should_not_have_is_found(shop: Shop, tmp_path: Path) -> None:
    """What somebody did past the shop, straight in the database."""
    number = shop.place()
    shop.write_audit(tmp_path / "audit.log")
    with (tmp_path / "audit.log").open("a") as file:
        file.write(f"2026-11-21 08:00:01,000 INFO order {number}: NEW -> SHIPPED (shop.audit)\n")
    assert sm.check(tmp_path / "audit.log", specs=SPEC).verdict is sm.Verdict.VIOLATED


def test_a_day_holds(tmp_path: Path) -> None:
    """The day of the README."""
    main(tmp_path / "audit.log")
    report = sm.check(tmp_path / "audit.log", specs=SPEC)
    assert report.verdict is sm.Verdict.HOLDS
    assert report.checked.steps == 9
