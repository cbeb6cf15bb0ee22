"""The parts around a Spark job that need no Spark: cutting, packing, listing.

Covers: statemachines.conform.engines.spark.cluster.shipping,
statemachines.conform.engines.spark.frame_reading,
statemachines.conform.engines.spark.input_listing,
statemachines.conform.engines.spark.stages.worker_files.
"""

from __future__ import annotations

import gzip
import itertools
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.conform.engines.inputs import is_remote
from statemachines.conform.engines.spark.cluster.sessions import EMBEDDED_MASTER
from statemachines.conform.engines.spark.cluster.shipping import write_code_zip
from statemachines.conform.engines.spark.frame_reading import Columns, check_columns
from statemachines.conform.engines.spark.input_listing import list_logs
from statemachines.conform.engines.spark.stages.file_chunks import (
    LogFile,
    bundle_chunks,
    cut_file,
    plan_jobs,
)
from statemachines.conform.engines.spark.stages.worker_files import remote_files

SIZES = st.lists(st.integers(0, 200), max_size=8)


@given(SIZES, st.integers(1, 50), st.integers(1, 300), st.integers(1, 9))
def test_jobs_read_every_byte_of_every_file_once(
    sizes: list[int], piece: int, job: int, tasks: int
) -> None:
    """A byte that no piece owns is a line that nobody reads."""
    files = [
        LogFile(number, f"{number}.log", size, divisible=number % 2 == 0)
        for number, size in enumerate(sizes)
    ]
    planned = [
        p
        for one in plan_jobs(files, chunk_bytes=piece, job_bytes=job, tasks=tasks)
        for task in one
        for p in task
    ]
    for file in files:
        mine = [p for p in planned if p.file == file]
        assert [p.number for p in mine] == list(range(len(mine)))
        assert (mine[0].start, mine[-1].end) == (0, file.size)
        assert all(left.end == right.start for left, right in itertools.pairwise(mine))


@given(SIZES, st.integers(1, 50))
def test_a_file_is_read_by_one_job(sizes: list[int], job: int) -> None:
    """What an interrupted check tells of a file is all of the file."""
    files = [LogFile(number, f"{number}.log", size) for number, size in enumerate(sizes)]
    owners = [
        {p.file.number for task in one for p in task}
        for one in plan_jobs(files, chunk_bytes=7, job_bytes=job)
    ]
    assert sum(map(len, owners)) == len(files)


def test_a_file_that_cannot_be_divided_is_one_piece() -> None:
    """The middle of an archive cannot be read."""
    assert len(list(cut_file(LogFile(0, "a.gz", 100, divisible=False), 10))) == 1


def test_small_files_share_a_task_and_a_large_piece_has_its_own() -> None:
    """Ten thousand small files must not be ten thousand tasks."""
    pieces = [
        piece
        for number, size in enumerate([1, 1, 1, 50, 1])
        for piece in cut_file(LogFile(number, "", size), 50)
    ]
    assert [len(bundle) for bundle in bundle_chunks(pieces, 10)] == [3, 1, 1]


def test_what_is_shipped_is_pure_python_and_enough(tmp_path: Path) -> None:
    """Workers import our code from the zip alone, with a Python that has none of it, and another platform's."""
    path = write_code_zip(tmp_path)
    names = zipfile.ZipFile(path).namelist()
    assert {Path(name).suffix for name in names} == {".py", ".pyc", ".yaml", ".pickle"}
    assert {name + "c" for name in names if name.endswith(".py")} <= set(names)
    ours = {Path(name).parts[1] for name in names if name.startswith("statemachines/")}
    packages = {"conform", "logs", "model", "notation", "semantics"}
    assert ours == packages | {"__init__.py", "__init__.pyc"}
    code = "import sys; sys.path.insert(0, sys.argv[1]); import statemachines.conform.engines.spark.stages.judging_stage as d; print(d.__file__)"
    alone = subprocess.run(
        [sys.executable, "-ISc", code, str(path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert alone.returncode == 0, alone.stderr
    assert alone.stdout.startswith(str(path))


def test_workers_need_not_read_the_layouts(tmp_path: Path) -> None:
    """Without its compiled half the reader of YAML takes a tenth of a second, on each worker."""
    code = """import sys; sys.path.insert(0, sys.argv[1])
from statemachines.logs.layouts.shipped_layouts import read_layouts, shipped_layouts
kept = shipped_layouts()
print("yaml" in sys.modules, kept == read_layouts())"""
    alone = [sys.executable, "-ISc", code, str(write_code_zip(tmp_path))]
    assert subprocess.check_output(alone, text=True, cwd=tmp_path) == "False True\n"


def test_the_same_code_is_packed_once(tmp_path: Path) -> None:
    """Spark classic refuses a second file of the same name with other bytes."""
    first = write_code_zip(tmp_path)
    content = first.read_bytes()
    first.unlink()
    assert write_code_zip(tmp_path) == first
    assert first.read_bytes() == content


@pytest.mark.skipif(os.name == "nt", reason="files have no owner there that Python tells")
def test_a_zip_that_others_may_write_is_written_anew(tmp_path: Path) -> None:
    """Workers run what is in it, and a temporary folder is everybody's."""
    path = write_code_zip(tmp_path)
    written = path.stat().st_ino
    assert write_code_zip(tmp_path).stat().st_ino == written
    path.chmod(0o666)
    assert write_code_zip(tmp_path).stat().st_ino != written


def test_urls_are_told_from_paths() -> None:
    """A drive's letter and a folder called `a:` are no URLs."""
    assert is_remote("s3://logs/a")
    assert is_remote("hdfs://host:9000/a")
    assert not is_remote("C:/logs")
    assert not is_remote("logs/a://b")


def test_a_remote_folder_is_listed_by_names_as_they_are(tmp_path: Path) -> None:
    """A name may look like a pattern, or like an escape; it is neither."""
    pytest.importorskip("pyarrow")
    for name in ("a b.log", "b%20.log", "c*.log", "sub/d?.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = list(remote_files(f"file://{tmp_path}"))
    assert [name for name, _, _ in found] == ["a b.log", "b%20.log", "c*.log", "sub/d?.log"]
    assert {size for _, _, size in found} == {1}
    assert [next(iter(remote_files(url)))[1] for _, url, _ in found] == [url for _, url, _ in found]


def test_a_listing_says_which_files_can_be_divided_and_what_is_missing(tmp_path: Path) -> None:
    """A compressed file is one range, whatever its name; a missing one stops nothing."""
    (tmp_path / "a.log").write_text("2026-11-21 12:00:00 INFO x\n")
    (tmp_path / "b.log").write_bytes(gzip.compress(b"x"))
    (tmp_path / "c.log").write_text("ab", "utf-16")
    listing = list_logs([tmp_path, tmp_path / "missing"], tmp_path)
    assert [(Path(name).name, file.divisible) for name, file in listing.files] == [
        ("a.log", True),
        ("b.log", False),
        ("c.log", False),
    ]
    assert listing.errors == (f"{tmp_path / 'missing'}: there is no such file or folder",)


def test_names_do_not_depend_on_where_the_files_are(tmp_path: Path) -> None:
    """Alone, a folder's files are named within it; beside other paths each name begins with its path."""
    pytest.importorskip("pyarrow")
    for name in ("a.log", ".hidden"):
        (tmp_path / name).write_text("x")
    url = f"file://{tmp_path}"
    assert [name for name, _ in list_logs([tmp_path], tmp_path).files] == ["a.log"]
    assert [name for name, _ in list_logs([url], tmp_path).files] == ["a.log"]
    assert [name for name, _ in list_logs([tmp_path, url], tmp_path).files] == [
        f"{tmp_path}/a.log",
        f"{url}/a.log",
    ]
    missing = list_logs([f"{url}/none", tmp_path / "none"], tmp_path)
    assert missing.errors == (
        f"{url}/none: there is no such file or folder",
        f"{tmp_path}/none: there is no such file or folder",
    )


class Frame:
    """What is asked of a frame before it is used."""

    columns = ("at", "line", "host")


def test_a_frame_without_an_order_is_refused_and_the_message_says_why() -> None:
    """Rows of a frame come in any order; to judge them as they come would invent violations."""
    with pytest.raises(ValueError, match=r"have no order of their own.*there are at, line, host"):
        check_columns(Frame, Columns("line"))


def test_one_column_may_be_named_alone() -> None:
    """Its letters are no columns."""
    assert Columns("line", "offset").order_by == ("offset",)
    assert Columns("line", ["offset", "at"]).order_by == ("offset", "at")


def test_a_missing_column_of_a_frame_is_named() -> None:
    """The columns that are there are the best help."""
    with pytest.raises(ValueError, match="no column 'number'; there are `at`, `line`, `host`"):
        check_columns(Frame, Columns("line", ("number",)))


def test_an_embedded_spark_tries_a_task_again() -> None:
    """Spark itself gives up at the first failure on one machine, such as a process that is killed."""
    tries = re.fullmatch(r"local\[\*,(\d+)\]", EMBEDDED_MASTER)
    assert tries is not None
    assert int(tries[1]) > 1
