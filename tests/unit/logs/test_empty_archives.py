"""A log that was rotated before anything was written to it is an empty log, however it is packed.

Covers: statemachines.logs.storage.unpacking.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from statemachines.logs.storage.open_logs import open_log

zstandard = pytest.importorskip("zstandard", reason="needs the extra 'zstandard'")

TEXT = b"2026-11-21 12:00:01.000 INFO  [http-1] shop.Orders - order 7 was placed\n"


def in_parallel(data: bytes) -> bytes:
    """Pack as pzstd does: a frame without data says how long the next one is."""
    packed: bytes = zstandard.compress(data)
    return b"\x50\x2a\x4d\x18" + struct.pack("<II", 4, len(packed)) + packed


@pytest.mark.parametrize("members", [(b"",), (b"", b""), (b"", TEXT), (TEXT, b"", TEXT)])
@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress, in_parallel]
)
def test_an_archive_holds_what_its_members_hold(
    pack: Callable[[bytes], bytes], members: tuple[bytes, ...], tmp_path: Path
) -> None:
    """An empty one of bzip2 begins with its end, one of pzstd with a frame that holds nothing: both
    were said to be no text.
    """
    file = tmp_path / "a.log.packed"
    file.write_bytes(b"".join(map(pack, members)))
    with open_log(file) as log:
        assert bytes(log.buffer[:]) == b"".join(members)
        assert log.problems == ()
        assert log.stored_size == file.stat().st_size
