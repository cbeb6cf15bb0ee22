"""Files of a file system that the session knows and PyArrow does not: here `viewfs`, a table of mounts that Hadoop has built in.

Covers: statemachines.conform.engines.spark.session_files.
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from statemachines.conform.checking import make_request
from statemachines.conform.engines.spark import judging_jobs, session_files
from statemachines.conform.spark import check_paths
from tests.spark.same import assert_same, here

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


pytestmark = pytest.mark.spark

REBALANCE = Path(__file__).parents[2] / "examples" / "logs" / "stream_rebalance"


@pytest.fixture
def mounted(spark: SparkSession, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and its URL for the session; Hadoop remembers each table of mounts by its name."""
    lake, folder = f"lake{hash(tmp_path) % 10**9}", tmp_path / "logs"
    folder.mkdir()
    name = f"fs.viewfs.mounttable.{lake}.link./logs"
    spark.conf.set(name, f"file://{folder}")
    yield folder, f"viewfs://{lake}/logs"
    spark.conf.unset(name)


def write_checksums(path: Path) -> None:
    """Let Hadoop believe that other bytes were written: what it finds then is a corrupt block."""
    blocks = -(-path.stat().st_size // 512)
    sums = b"crc\0" + struct.pack(">i", 512) + bytes(4 * blocks)
    path.with_name(f".{path.name}.crc").write_bytes(sums)


@pytest.mark.parametrize("largest", [1 << 20, 5_000])
def test_files_of_a_session_are_judged_as_those_of_this_machine(
    spark: SparkSession, mounted: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    """Whole, or line by line where they are large; compressed, cut and of other encodings too."""
    monkeypatch.setattr(session_files, "CHUNK_BYTES", largest)
    folder, url = mounted
    spark.conf.set("spark.sql.files.maxPartitionBytes", "4000")
    for path in REBALANCE.rglob("*.log"):
        (folder / "a b%20").mkdir(exist_ok=True)
        (folder / "a b%20" / path.name).write_bytes(path.read_bytes())
    text = (REBALANCE / "app1.log").read_bytes()
    (folder / "packed.log.gz").write_bytes(gzip.compress(text))
    (folder / "cut.log.gz").write_bytes(gzip.compress(text)[:-400])
    (folder / "wide.log").write_text("2026-11-21 12:00:00 INFO x\n", "utf-16")
    report = check_paths(spark, [url], make_request())
    spark.conf.unset("spark.sql.files.maxPartitionBytes")
    assert_same(here([folder]), report)
    assert report.checked.steps > 50


@pytest.mark.parametrize("largest", [1 << 20, 5_000])
def test_a_file_that_is_gone_and_a_corrupt_block_cost_nothing_else(
    spark: SparkSession, mounted: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    """Each is named, and the rest is judged."""
    monkeypatch.setattr(session_files, "CHUNK_BYTES", largest)
    folder, url = mounted
    plan = judging_jobs.plan_session_files
    text = (REBALANCE / "app1.log").read_bytes()
    for name in ("corrupt", "gone", "sound"):
        (folder / f"{name}.log").write_bytes(text)
    write_checksums(folder / "corrupt.log")

    def changed(*given: Any) -> Any:
        jobs = list(plan(*given))
        (folder / "gone.log").unlink()
        return jobs

    monkeypatch.setattr(judging_jobs, "plan_session_files", changed)
    report = check_paths(spark, [url], make_request())
    lines = {source.file: source.lines for source in report.sources}
    assert lines == {"corrupt.log": 0, "gone.log": 0, "sound.log": text.count(b"\n")}
    assert [error.split(":")[0] for error in report.errors] == ["corrupt.log", "gone.log"]
    assert all("cannot be read: " in error for error in report.errors)


def test_what_no_session_knows_is_said_in_one_sentence(
    spark: SparkSession, mounted: tuple[Path, str]
) -> None:
    """Forty lines of what was looked for tell a person nothing."""
    for url, sentence in (
        ("lake://bucket/logs", 'No FileSystem for scheme "lake"'),
        (f"{mounted[1]}/none", "Path does not exist"),
        ("hdfs://localhost:9/logs", "Connection refused"),
    ):
        (error,) = check_paths(spark, [url], make_request()).errors
        assert error.startswith(f"{url}: ")
        assert sentence in error
        assert "\n" not in error
