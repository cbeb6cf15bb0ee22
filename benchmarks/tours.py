"""Print how many steps the planned tours of a table take: every transition, and every pair of
transitions.

`python -m benchmarks.tours [NAME [RELEASE]]`; of kafka/StreamThread 3.9 where nothing is said.
"""

from __future__ import annotations

import sys

import statemachines as sm
from statemachines.testing.runs.run_coverage import transition_pairs
from statemachines.testing.tours.shortest_routes import transition_routes


def main() -> None:
    """Print both numbers."""
    name = sys.argv[1] if len(sys.argv) > 1 else "kafka/StreamThread"
    machine = sm.load(name).at(*(sys.argv[2:] or (["3.9"] if len(sys.argv) == 1 else [])))
    for what, pairs in (("transitions", False), ("pairs", True)):
        found = transition_routes(machine.tables, pairs=pairs)
        count = len(list(transition_pairs(machine.tables))) if pairs else len(machine.transitions)
        print(
            f"{machine.name} {machine.release}: {count} {what} in {sum(map(len, found))} steps,"
            f" {len(found)} lives"
        )


if __name__ == "__main__":
    main()
