"""A shop with its orders in a database: what may happen to an order stands in Order.yaml.

`python shop.py FILE` lives through a day and writes the audit log to FILE;
`statemachines check FILE --spec Order.yaml` judges it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import ClassVar

from sqlalchemy import Engine, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.orm.exc import StaleDataError

import statemachines as sm
from statemachines.api.step_logs import LogLine

MACHINE = sm.load(Path(__file__).with_name("Order.yaml")).at()
TIME_TO_PAY = timedelta(minutes=30)
MOST_ATTEMPTS = 5
"""Of a request that others were quicker than."""
Clock = Callable[[], datetime]


class Table(DeclarativeBase):
    """All tables of the shop."""


class OrderRow(Table):
    """One order: its snapshot as JSON, and a version that each change counts up."""

    __tablename__ = "orders"
    number: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(index=True)
    """Also in the snapshot; here for queries."""
    snapshot: Mapped[str]
    placed_at: Mapped[datetime]
    version: Mapped[int] = mapped_column()
    __mapper_args__: ClassVar[dict[str, object]] = {"version_id_col": version}


class AuditRow(Table):
    """One line of the audit log. It is written in the transaction of the step that it tells of, so
    the log never says what did not happen, and its order is that of the database.
    """

    __tablename__ = "audit"
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    at: Mapped[datetime]
    level: Mapped[str]
    logger: Mapped[str]
    text: Mapped[str]


class Shop:
    """Orders in a database; every request is a transaction of its own."""

    def __init__(self, engine: Engine, clock: Clock = datetime.now) -> None:
        self._engine, self._clock = engine, clock
        Table.metadata.create_all(engine)

    def place(self) -> int:
        """Take a new order; return its number."""
        with Session(self._engine) as session, session.begin():
            order = MACHINE.instance()
            row = OrderRow(state=order.state, snapshot=order.to_json(), placed_at=self._clock())
            session.add(row)
            session.flush()
            MACHINE.step_log(self._audit(session), order=row.number).begin(order.state)
            return row.number

    def request(
        self, number: int, event: str, *, before_writing: Callable[[], object] = lambda: None
    ) -> bool:
        """Let an event happen to an order; tell whether it did.

        Two requests at once read the same version of the row. The first to write counts it up; the
        other one writes nothing, reads again, and asks the machine once more: what was allowed a
        moment ago may not be now.

        Args:
            number: of the order.
            event: of the machine.
            before_writing: called between reading and writing; for tests.
        """
        for _ in range(MOST_ATTEMPTS):
            try:
                return self._attempt(number, event, before_writing)
            except StaleDataError:
                continue
        raise TimeoutError(f"order {number}: others were quicker {MOST_ATTEMPTS} times")

    def _attempt(self, number: int, event: str, before_writing: Callable[[], object]) -> bool:
        with Session(self._engine) as session, session.begin():
            row = session.get_one(OrderRow, number)
            log = MACHINE.step_log(self._audit(session), order=number)
            order = MACHINE.bind(after=[log]).instance(MACHINE.from_json(row.snapshot))
            before_writing()
            try:
                order.send(event)
            except sm.NotAllowed:
                return False
            changed = row.state != order.state
            row.state, row.snapshot = order.state, order.to_json()
            return changed

    def expire(self) -> list[int]:
        """Give up the orders that were not paid in time; return their numbers. A payment that comes
        at the same moment wins or loses like any other request.
        """
        late = select(OrderRow.number).where(
            OrderRow.state == "NEW", OrderRow.placed_at < self._clock() - TIME_TO_PAY
        )
        with Session(self._engine) as session:
            numbers = list(session.scalars(late))
        return [number for number in numbers if self.request(number, "expire")]

    def state(self, number: int) -> str:
        """Return where an order is."""
        with Session(self._engine) as session:
            return session.get_one(OrderRow, number).state

    def write_audit(self, file: Path) -> None:
        """Write the audit log as lines that `check` reads."""
        with Session(self._engine) as session:
            rows = session.scalars(select(AuditRow).order_by(AuditRow.number))
            file.write_text("".join(f"{_line(row)}\n" for row in rows))

    def _audit(self, session: Session) -> Callable[[LogLine], None]:
        def write(line: LogLine) -> None:
            session.add(
                AuditRow(at=self._clock(), level=line.level, logger=line.logger, text=line.text)
            )

        return write


def _line(row: AuditRow) -> str:
    at = row.at.isoformat(" ", "milliseconds").replace(".", ",")
    return f"{at} {row.level} {row.text} ({row.logger})"


def open_shop(file: Path, clock: Clock = datetime.now) -> Shop:
    """Open a shop whose orders lie in a file."""
    return Shop(create_engine(f"sqlite:///{file}", connect_args={"timeout": 30}), clock)


def main(audit: Path) -> None:
    """Live through a day: orders, payments from several customers at once, one that never comes."""
    now = [datetime(2026, 11, 21, 8)]
    with tempfile.TemporaryDirectory() as folder:
        shop = open_shop(Path(folder) / "shop.db", lambda: now[0])
        numbers = [shop.place() for _ in range(6)]
        with ThreadPoolExecutor() as customers:
            list(customers.map(lambda number: shop.request(number, "pay"), numbers[:4] * 2))
        shop.request(numbers[4], "cancel")
        for number in numbers[:3]:
            shop.request(number, "ship")
        now[0] += TIME_TO_PAY + timedelta(seconds=1)
        shop.expire()
        shop.request(numbers[5], "pay")
        shop.write_audit(audit)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
