"""How much code a spec, a log line and an event go through: `python benchmarks/ways.py`.

Prints a row for each of three ways through the package: the files it runs through, how often one of
them calls another, and all calls of Python functions, of libraries too. They are numbers of one run
and of this version of Python: compare them with those of another state of the code, not with a
clock.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from attrs import define, field

import statemachines as sm

PACKAGE = str(Path(sm.__file__).parent)
ROOT = Path(__file__).parent.parent
ORDERS = ROOT / "examples" / "orders"
COUNTER = ROOT / "specs" / "examples" / "BoundedCounter.yaml"


@define
class Way:
    """What was run through so far."""

    files: set[str] = field(factory=set)
    crossings: int = 0
    calls: int = 0

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Count a call; what Python's profiler calls."""
        if event != "call":
            return
        self.calls += 1
        file, caller = frame.f_code.co_filename, frame.f_back
        if file.startswith(PACKAGE):
            self.files.add(file)
            source = caller.f_code.co_filename if caller is not None else file
            self.crossings += source != file and source.startswith(PACKAGE)


def measure(act: Callable[[], object]) -> Way:
    """Return what an act runs through."""
    way = Way()
    sys.setprofile(way.note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return way


def main(folder: Path) -> None:
    """Measure, and print a row a way; modules are imported before, and no spec is in a cache.

    Args:
        folder: for copies of specs, which are read to import all that reads them.
    """
    logs, spec = ORDERS / "logs", ORDERS / "Order.yaml"
    for file in ORDERS.glob("*.yaml"):
        shutil.copy(file, folder)
    sm.check(logs, specs=folder / spec.name)
    instance = sm.load(COUNTER).at().instance(limit=3)
    acts: dict[str, Callable[[], object]] = {
        "a large spec, AssignedTasks": lambda: sm.load("AssignedTasks"),
        "a small log with its own spec": lambda: sm.check(logs, specs=spec),
        "an event of an instance": lambda: instance.send("up"),
    }
    print(f"{'':32}{'files':>8}{'crossings':>12}{'calls':>12}")
    for name, act in acts.items():
        way = measure(act)
        print(f"{name:32}{len(way.files):8,}{way.crossings:12,}{way.calls:12,}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        main(Path(folder))
