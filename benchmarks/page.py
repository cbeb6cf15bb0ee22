"""How quick a page of many steps stays: `python -m benchmarks.page` (100,000 steps; or another
number behind it).

Writes a log of a door with a hundred instances, makes its page, and opens it in a headless browser
beside the page of a hundred steps: CPU seconds to check and to write, the size, seconds until the
browser has shown it, and until it has searched it for one instance. Ratios are of one run.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

import statemachines as sm
from statemachines.report.formats import report_in_form
from tests.browsing import ask, run

FEW, MANY, DOORS = 100, 100_000, 100
SPEC = """
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: {}}
transitions:
  - {from: SHUT, to: OPEN}
  - {from: OPEN, to: SHUT}
log:
  instance: [door]
  logger: house.Door
  level: INFO
  lines:
    - {text: "the door {door} went from {from} to {to}", says: step}
"""
SEARCH = """
const box = document.querySelector('input[type="search"]');
box.value = "d42";
box.dispatchEvent(new Event("input", {bubbles: true}));
await new Promise(done => setTimeout(done, 500));
return document.body.innerText.includes("d42");
"""


@frozen
class PageCost:
    """What a page of so many steps takes, in seconds and megabytes."""

    steps: int
    check: float
    write: float
    megabytes: float
    opened: float
    searched: float


def seconds(task: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return how long a task takes, by a clock."""
    began = clock()
    task()
    return clock() - began


def log_text(steps: int) -> str:
    """Write steps of doors in turn, ten a second."""
    lines = []
    for number in range(steps):
        whole, tenth = divmod(number, 10)
        clock = f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02},{tenth}00"
        change = "SHUT to OPEN" if number // DOORS % 2 == 0 else "OPEN to SHUT"
        door = f"d{number % DOORS}"
        lines.append(f"2026-11-21 {clock} INFO the door {door} went from {change} (house.Door)\n")
    return "".join(lines)


def page_cost(folder: Path, steps: int) -> PageCost:
    """Check a log of so many steps, make its page, and open and search it."""
    spec, log, page = folder / "Door.yaml", folder / f"{steps}.log", folder / f"{steps}.html"
    spec.write_text(SPEC, "utf-8")
    log.write_text(log_text(steps), "utf-8")
    reports: list[sm.Report] = []
    cpu = time.process_time
    checked = seconds(lambda: reports.append(sm.check(log, specs=spec)), cpu)
    assert reports[0].checked.steps == steps
    form = report_in_form(reports[0], "html")
    written = seconds(lambda: page.write_text("".join(form), "utf-8"), cpu)
    text = page.read_text("utf-8")
    opened = seconds(lambda: run(folder, page, "--dump-dom"))
    answers: list[bool] = []
    searched = seconds(lambda: answers.append(ask(folder, text, SEARCH)))
    assert answers == [True]
    size = page.stat().st_size / 1e6
    return PageCost(steps, checked, written, size, opened, searched)


def main(steps: int) -> None:
    """Print a row for the small page, one for the large one, and how many times as much."""
    with tempfile.TemporaryDirectory() as folder:
        costs = [page_cost(Path(folder), number) for number in (FEW, steps)]
    print(f"{'steps':>9} {'check s':>9} {'write s':>9} {'MB':>8} {'open s':>8} {'search s':>9}")
    for one in costs:
        print(
            f"{one.steps:>9,} {one.check:>9.2f} {one.write:>9.2f} {one.megabytes:>8.2f}"
            f" {one.opened:>8.2f} {one.searched:>9.2f}"
        )
    few, many = costs
    print(f"opening takes {many.opened / few.opened:.1f} times as long, searching"
          f" {many.searched / few.searched:.1f} times")  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else MANY)
