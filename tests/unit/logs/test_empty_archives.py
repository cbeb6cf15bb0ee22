"""A log that was rotated before anything was written to it is an empty log, however it is packed.

Covers: statemachines.logs.storage.unpacking.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from statemachines.logs.storage.open_logs import open_log

TEXT = b"2026-11-21 12:00:01.000 INFO  [http-1] shop.Orders - order 7 was placed\n"


@pytest.mark.parametrize("members", [(b"",), (b"", b""), (b"", TEXT), (TEXT, b"", TEXT)])
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_an_archive_holds_what_its_members_hold(
    pack: Callable[[bytes], bytes], members: tuple[bytes, ...], tmp_path: Path
) -> None:
    """An empty one of bzip2 begins with its end, and was said to be no text."""
    file = tmp_path / "a.log.packed"
    file.write_bytes(b"".join(map(pack, members)))
    with open_log(file) as log:
        assert bytes(log.buffer[:]) == b"".join(members)
        assert log.problems == ()
        assert log.stored_size == file.stat().st_size
