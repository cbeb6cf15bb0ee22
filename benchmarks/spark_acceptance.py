"""Acceptance on Spark in minutes: one warm Connect server judges all captures; starting a Spark for
each would take an hour.

python benchmarks/spark_acceptance.py [options of ../shared/accept/accept.py, such as --only
's251_*' or --jobs 2]
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from statemachines.conform.spark import session

ROOT = Path(__file__).parent.parent
ACCEPT = ROOT.parent / "shared" / "accept" / "accept.py"
SERVER = "sc://localhost:15002"


def main() -> int:
    """Start the server, and run the acceptance program against it."""
    if not ACCEPT.is_file():
        print("skipped: needs ../shared beside the checkout")
        return 0
    spark = session(remote="local[*]")
    command = f"{sys.executable} -m statemachines.cli check --remote {SERVER}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    arguments = [
        sys.executable,
        str(ACCEPT),
        "--command",
        command,
        "--engine",
        "spark",
        "--timeout",
        "600",
        *sys.argv[1:],
    ]
    try:
        return subprocess.run(arguments, env=environment, check=False).returncode
    finally:
        spark.stop()


if __name__ == "__main__":
    sys.exit(main())
