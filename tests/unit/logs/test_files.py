"""Files in whatever state they come.

Covers: statemachines.logs.search.buffers, statemachines.logs.storage.open_logs,
statemachines.logs.storage.unpacking, statemachines.logs.storage.packed_members.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from statemachines.logs import Scanner, chunk_ranges, open_log, scan
from statemachines.logs.storage.open_logs import NOT_TEXT, SEVERAL_FILES

TEXT = "".join(
    f"2026-11-21 15:43:22,{i % 1000:03} INFO  a.B - door {i} turned\n" for i in range(5000)
)
PACKERS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


def content(path: Path) -> tuple[bytes, tuple[str, ...], str | None]:
    """What an opened file holds, and what is said of it."""
    with open_log(path) as log:
        assert log.size == len(log.buffer)
        return bytes(log.buffer), log.problems, log.unreadable


@pytest.mark.parametrize("name", ["x.log", "x.log.gz", "x"])
def test_a_plain_file_is_itself_whatever_its_name(name: str, tmp_path: Path) -> None:
    """A name promises nothing."""
    (tmp_path / name).write_text(TEXT)
    assert content(tmp_path / name) == (TEXT.encode(), (), None)


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("suffix", [True, False])
def test_an_archive_is_told_by_its_content(kind: str, suffix: bool, tmp_path: Path) -> None:
    """Rotation tools compress with and without a suffix."""
    path = tmp_path / (f"x.log.{kind}" if suffix else "x.log")
    path.write_bytes(PACKERS[kind](TEXT.encode()))
    assert content(path) == (TEXT.encode(), (), None)


@pytest.mark.parametrize("kind", PACKERS)
def test_archives_one_after_another_are_one_file(kind: str, tmp_path: Path) -> None:
    """As `cat a.gz b.gz` makes them."""
    (tmp_path / "x").write_bytes(PACKERS[kind](TEXT.encode()) + PACKERS[kind](b"end\n"))
    assert content(tmp_path / "x")[0] == TEXT.encode() + b"end\n"


@pytest.mark.parametrize("kind", PACKERS)
def test_what_came_before_the_cut_of_an_archive_is_read(kind: str, tmp_path: Path) -> None:
    """A copy that was broken off is judged as far as it goes, and said to be cut."""
    noise = "".join(f"{i} {os.urandom(40).hex()}\n" for i in range(15_000))
    packed = PACKERS[kind](noise.encode())
    (tmp_path / "x").write_bytes(packed[: len(packed) * 9 // 10])
    found, problems, unreadable = content(tmp_path / "x")
    assert unreadable is not None
    assert unreadable.startswith("cut archive") or not found
    assert problems == (unreadable,)
    assert noise.encode().startswith(found)
    assert len(found) > 0


@pytest.mark.parametrize("kind", PACKERS)
def test_what_stands_behind_an_archive_is_not_passed_over(kind: str, tmp_path: Path) -> None:
    """A program went on writing plain lines into a file that was packed."""
    packed = PACKERS[kind](TEXT.encode())
    (tmp_path / "x").write_bytes(packed + TEXT.encode())
    found, problems, unreadable = content(tmp_path / "x")
    assert found == TEXT.encode()
    assert unreadable is not None
    assert unreadable.startswith("cut archive: ")
    assert problems == (unreadable,)


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_zeros_behind_an_archive_are_nothing(kind: str, tmp_path: Path) -> None:
    """Some tools fill the last block of a file with them."""
    packed = PACKERS[kind](TEXT.encode())
    (tmp_path / "x").write_bytes(packed + b"\0" * 200_000 + packed + b"\0" * 5)
    assert content(tmp_path / "x") == (2 * TEXT.encode(), (), None)


def test_zstandard_is_read_without_its_package_where_pyarrow_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workers of a cluster have PyArrow and not much else."""
    pytest.importorskip("pyarrow")
    (tmp_path / "x").write_bytes(PACKERS["zst"](TEXT.encode()) + PACKERS["zst"](b"a second frame"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert content(tmp_path / "x") == (TEXT.encode() + b"a second frame", (), None)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_other_encodings_are_read_as_utf8(encoding: str, tmp_path: Path) -> None:
    """PowerShell redirects write UTF-16; with and without a mark."""
    (tmp_path / "x").write_bytes(("Tür\r\n" + TEXT).encode(encoding))
    found, problems, _ = content(tmp_path / "x")
    assert found.decode("utf-8-sig") == "Tür\r\n" + TEXT
    assert problems == (
        {
            "utf-16": ("in UTF-16, and read as such",),
            "utf-32": ("in UTF-32, and read as such",),
        }.get(encoding[:6], ())
    )


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 400,
        b"\x7fELF\x02\x01\x01" + os.urandom(5000),
        b"\x00" * 5000,
        b"PK\x03\x04" + os.urandom(5000),
        b"\x1f\x8b\x08\x00" + os.urandom(3000),
    ],
)
def test_a_file_that_is_no_text_is_empty_and_said_so(data: bytes, tmp_path: Path) -> None:
    """A heap dump beside the logs."""
    (tmp_path / "x").write_bytes(data)
    found, problems, unreadable = content(tmp_path / "x")
    assert found == b""
    assert {NOT_TEXT, SEVERAL_FILES} & {*problems} or unreadable


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"x",
        b"\x00" * 100_000 + b"2026-11-21 INFO after a sparse hole\n",
        b"M\xfcller sagt \x1b[1mja\x1b[0m\n",
        "日本語\n".encode(),
        "日本語\n".encode("euc-jp"),
    ],
)
def test_text_with_oddities_is_text(data: bytes, tmp_path: Path) -> None:
    """Zero bytes of a truncated file, which are said, colours, other alphabets, Latin-1."""
    (tmp_path / "x").write_bytes(data)
    found, problems, unreadable = content(tmp_path / "x")
    assert (found, unreadable) == (data, None)
    assert ["NUL bytes" in problem for problem in problems] == [True] * data.startswith(b"\0")


def test_a_tar_archive_is_no_text(tmp_path: Path) -> None:
    """Its members' names would be read as lines."""
    (tmp_path / "a.log").write_text(TEXT)
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "a.log", "a.log")
    assert content(tmp_path / "x.tar.gz") == (b"", (SEVERAL_FILES,), None)


def test_a_zip_archive_is_no_text(tmp_path: Path) -> None:
    """One that is not compressed is nearly all text; its first line would be lost without a word."""
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a.log", TEXT * 100)
    assert content(tmp_path / "x.zip") == (b"", (SEVERAL_FILES,), None)


def test_a_stream_is_copied_and_left_open() -> None:
    """Standard input, and an archive on it."""
    stream = io.BytesIO(gzip.compress(TEXT.encode()))
    with open_log(stream, name="-") as log:
        assert (bytes(log.buffer), log.name) == (TEXT.encode(), "-")
    assert not stream.closed


def test_a_pipe_is_read(tmp_path: Path) -> None:
    """`check <(kubectl logs …)`."""
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(TEXT,))
    writer.start()
    assert content(tmp_path / "pipe")[0] == TEXT.encode()
    writer.join()


def test_what_cannot_be_opened_is_an_os_error(tmp_path: Path) -> None:
    """The caller tells the user and goes on with the other files."""
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(OSError, match=str(path)):
            open_log(path)


@given(st.integers(0, 10_000), st.integers(1, 3000))
def test_pieces_cover_a_file_without_gap(size: int, piece: int) -> None:
    """Each byte is in one piece; an empty file has none."""
    cut = chunk_ranges(size, piece)
    assert [start for start, _ in cut] == list(range(0, size, piece))
    assert [end for _, end in cut] == [*[start for start, _ in cut[1:]], *([size] if size else [])]


def test_utf16_hides_no_hit(tmp_path: Path) -> None:
    """The literal's bytes are not in the file."""
    (tmp_path / "x").write_bytes(TEXT.encode("utf-16"))
    with open_log(tmp_path / "x") as log:
        assert len(list(scan(log.buffer, 0, log.size, Scanner([b"turned"])))) == 5000


def test_lines_that_end_with_carriage_returns_alone_are_lines(tmp_path: Path) -> None:
    """As programs of old and some terminals write them: the whole file is no one line."""
    (tmp_path / "x.log").write_bytes(TEXT.replace("\n", "\r").encode())
    read, problems, unreadable = content(tmp_path / "x.log")
    assert (read, unreadable) == (TEXT.encode(), None)
    assert "carriage returns" in problems[0]
    (tmp_path / "y.log").write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert content(tmp_path / "y.log")[1] == ()


@pytest.mark.parametrize("start", ["<!DOCTYPE html PUBLIC", "\n<HTML>", "\ufeff<html lang='en'>"])
def test_a_page_of_html_is_named_as_such(start: str, tmp_path: Path) -> None:
    """Two layouts write logs as pages: who has one is told what it is, and what to do."""
    (tmp_path / "x.html").write_text(f"{start}\n<table>{TEXT}</table>\n", "utf-8")
    read, (problem,), unreadable = content(tmp_path / "x.html")
    assert (read, unreadable) == (b"", None)
    assert "page of HTML" in problem
    assert "log as text" in problem
