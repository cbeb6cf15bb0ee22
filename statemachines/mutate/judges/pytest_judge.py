"""Tests as judges: each runs in a process of its own that loads the mutant wherever it asks for the
spec.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from attrs import define, field

from statemachines.mutate.judges.mutation_results import CannotJudge, Detection, JudgeKind
from statemachines.mutate.plugin import NEVER_LOADED

_TIMEOUT_FACTOR = 10
"""A mutant may take this many times as long as the original, and half a minute; then it is noticed.
"""


@define(eq=False)
class PytestJudge:
    """Some tests of pytest."""

    target: str
    """The spec and the release, as the plugin takes them: `Order@2.0`."""
    tests: tuple[str, ...]
    """Such as `tests/test_order.py::test_it`."""
    limit: float = field(default=600.0, init=False)

    @property
    def title(self) -> str:
        """How people call it."""
        return self.target.removesuffix("@")

    def run_original(self) -> None:
        """Run the tests with the original.

        Raises:
            CannotJudge: they do not pass with it, do not load it, or there is no pytest.
        """
        if find_spec("pytest") is None:
            raise CannotJudge(
                "tests are judges by pytest; install it: pip install"
                " 'lifecycle-statemachines[test]'"
            )
        begun = time.monotonic()
        code, output = self._run_pytest(0)
        self.limit = 30.0 + _TIMEOUT_FACTOR * (time.monotonic() - begun)
        if code == NEVER_LOADED:
            raise CannotJudge(
                f"{' '.join(self.tests)} never loads {self.title}, so it says nothing of its"
                " mutants"
            )
        if code != 0:
            raise CannotJudge(self._unfit_message(output or f"pytest ends with {code}"))

    def _unfit_message(self, output: str) -> str:
        """Say why tests that did not pass with the original are no judges; they are run once more,
        for the reason.
        """
        code, again = self._run_pytest(0, "short")
        if code == 0:
            return (
                f"{' '.join(self.tests)} passes with {self.title} as it is only now and then:"
                f" {output}"
            )
        return f"{' '.join(self.tests)} does not pass with {self.title} as it is: {again or output}"

    def detect(self, number: int) -> Detection | None:
        """Return what the tests say of a mutant; None where they pass.

        Args:
            number: of the mutant.

        Returns:
            What notices it, or None.
        """
        code, output = self._run_pytest(number)
        if code in (0, NEVER_LOADED):
            return None
        test, _, why = output.partition(" - ")
        return Detection(JudgeKind.TEST, test or self.tests[0], why)

    def _run_pytest(self, number: int, traces: str = "no") -> tuple[int, str]:
        """Run the tests with a mutant; return pytest's exit code and its line of the first failure,
        with `traces` its reason too.
        """
        seed = ["--hypothesis-seed=0"] if find_spec("hypothesis") else []
        plugin = [
            "-p",
            "statemachines.mutate.plugin",
            "-p",
            "no:cacheprovider",
            f"--mutant={self.target}#{number}",
        ]
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-rfE",
            f"--tb={traces}",
            *seed,
            *plugin,
            *self.tests,
        ]
        with tempfile.TemporaryDirectory(prefix="statemachines-") as folder:
            settings = {
                **os.environ,
                "HYPOTHESIS_STORAGE_DIRECTORY": str(Path(folder, "examples")),
                "COLUMNS": "500",
            }
            try:
                done = subprocess.run(
                    command,
                    env=settings,
                    capture_output=True,
                    text=True,
                    timeout=self.limit,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return 1, f"{self.tests[0]} - does not end"
        return done.returncode, _first_failure(done.stdout.splitlines() + done.stderr.splitlines())


def _first_failure(lines: Sequence[str]) -> str:
    """Return the test that failed first and why, as pytest's summary says it."""
    failures = (line for line in lines if line.startswith(("FAILED ", "ERROR ", "ERROR: ")))
    test = (
        next(failures, "")
        .removeprefix("FAILED ")
        .removeprefix("ERROR: ")
        .removeprefix("ERROR ")
        .strip()
    )
    why = next((line.removeprefix("E ").strip() for line in lines if line.startswith("E  ")), "")
    return f"{test} - {why}" if why and " - " not in test else test
