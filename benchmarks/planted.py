"""Print what the test made from a machine finds: programs with one planted fault each, and right
ones, within default settings.

`python -m benchmarks.planted` says for each whether it was found, after how many steps, and how
long the program is that shows it.
"""

from __future__ import annotations

from unittest import TestResult

from hypothesis import settings

from statemachines.testing import from_machine
from tests.planted.faults import FAULTS, RIGHT, Planted
from tests.refusing import No


def tried(planted: Planted) -> tuple[bool, int, int]:
    """Return whether the test failed, how many steps it took, and how many calls the program has
    that it shows.
    """
    test = from_machine(planted.machine, planted.make(), refusals=(No,))
    test.TestCase.settings = settings(test.TestCase.settings, database=None)
    result = TestResult()
    test.TestCase("runTest").run(result)
    said = "".join(text for _, text in (*result.failures, *result.errors))
    shown = said.rpartition("The program that shows it:")[2]
    calls = shown.count("subject.")
    return not result.wasSuccessful(), test.coverage.steps, calls


def main() -> None:
    """Print the table."""
    print(f"{'planted fault':<38} {'found':>6} {'steps':>6} {'calls shown':>12}")
    for planted in FAULTS:
        found, steps, calls = tried(planted)
        print(f"{planted.name:<38} {'yes' if found else 'NO':>6} {steps:>6} {calls:>12}")
    for planted in RIGHT:
        found, steps, _ = tried(planted)
        print(f"{'none: ' + planted.name:<38} {'FAILED' if found else 'no':>6} {steps:>6} {'':>12}")


if __name__ == "__main__":
    main()
