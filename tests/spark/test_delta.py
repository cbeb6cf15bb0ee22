"""Tables in Delta Lake: what a check says, and what a stream says, as a session that has Delta keeps it.

Covers: statemachines.conform.engines.spark.user_frames.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.doors import House
from tests.spark.cluster import ROOT
from tests.spark.jars import connector
from tests.spark.same import here
from tests.spark.test_killed_streams import some_day


@pytest.mark.long
@pytest.mark.spark
def test_tables_are_kept_in_delta(tmp_path: Path) -> None:
    """The rows of a check, asked in SQL; those of a stream are the same, written trigger by trigger."""
    pyspark = pytest.importorskip("pyspark", reason="needs the extra 'spark'")
    jars, house = connector("delta"), House(tmp_path)
    if f"delta-spark_{'.'.join(pyspark.__version__.split('.')[:2])}_" not in jars:
        pytest.skip(f"the cached jars of Delta are not those for Spark {pyspark.__version__}")
    logs = {name: some_day(random.Random(4), 60) for name in ("a.log", "b.log")}
    (tmp_path / "in").mkdir()
    for number, (name, texts) in enumerate(logs.items()):
        house.write(name, texts)
        rows = [json.dumps({"host": name, "at": at, "line": text}) for at, text in enumerate(texts)]
        path = tmp_path / "in" / f"{name}.json"
        path.write_text("\n".join(rows), "utf-8")
        os.utime(path, (number, number))
    ran = subprocess.run(
        [sys.executable, "-m", "tests.spark.delta_program", str(tmp_path), jars],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    report = here([tmp_path / "logs"], specs=[house.spec])
    counts = {
        "episodes": len(report.episodes),
        "findings": len(report.findings),
        "observations": 120,
    }
    assert min(counts.values()) > 0
    kinds = Counter(episode.kind for episode in report.episodes)
    told = [f"{name} {count}" for name, count in counts.items()]
    told += [f"{kind} {count}" for kind, count in sorted(kinds.items())]
    told += [f"streamed {name} {count}" for name, count in counts.items()]
    assert ran.stdout.splitlines() == told
