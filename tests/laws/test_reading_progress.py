"""How far reading is, is told in bytes as they lie on disk, whatever is packed, grows or is cut.

Covers: statemachines.logs.storage.open_logs, statemachines.conform.engines.local.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform import check
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.processes.worker_processes import may_copy
from tests.effort import some_of

ORDERS = str(Path(__file__).parents[2] / "examples" / "orders" / "Order.yaml")
LINE = "2026-11-21 12:00:{:02}.000 INFO  [http-1] shop.Orders - order {} was placed\n"
PACKING = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@settings(max_examples=some_of(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.lists(st.tuples(st.integers(0, 60), st.sampled_from(sorted(PACKING))), max_size=4),
    is_kept=st.booleans(),
    grows=st.booleans(),
)
def test_all_is_read_at_the_end_and_not_before(
    files: list[tuple[int, str]], is_kept: bool, grows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A packed log was all read, it was told, when a tenth of what it holds was."""
    monkeypatch.setattr(file_reader, "READ_CHUNK_BYTES", 500)
    with tempfile.TemporaryDirectory() as place:
        logs = Path(place, "logs")
        logs.mkdir()
        for number, (lines, packing) in enumerate(files):
            text = "".join(LINE.format(second, number) for second in range(lines))
            (logs / f"{number}.log{packing}").write_bytes(PACKING[packing](text.encode()))
        told = list[tuple[int, int]]()

        def note(*amounts: int) -> None:
            told.append(amounts)
            for file in logs.iterdir() if grows else ():
                with file.open("ab") as log:
                    log.write(b"a line that came meanwhile\n")

        state = str(Path(place, "state")) if is_kept else None
        for _ in range(1 + is_kept):
            whole = sum(file.stat().st_size for file in logs.iterdir())
            told.clear()
            report = check([logs], specs=[ORDERS], engine="local", state=state, progress=note)
            assert not report.interrupted
            assert told[-1:] == [(whole, whole)][: whole > 0]
            assert all(done < whole for done, _ in told[:-1])
            assert {amount for _, amount in told} <= {whole}
            assert all(before[0] <= after[0] for before, after in pairwise(told))


def test_a_packed_log_is_half_read_when_half_of_what_it_holds_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by processes, and where it is kept."""
    monkeypatch.setattr(file_reader, "READ_CHUNK_BYTES", 5000)
    log = tmp_path / "a.log.gz"
    log.write_bytes(gzip.compress("".join(LINE.format(1, n) for n in range(6000)).encode()))
    size, told = log.stat().st_size, list[int]()

    def note(done: int, _: int) -> None:
        told.append(done)

    ways: list[tuple[int, str | None]] = [(1, None), (1, str(tmp_path / "state"))]
    if may_copy():  # else they are no copies, and read in larger pieces
        ways.append((2, None))
    for jobs, state in ways:
        told.clear()
        check([log], specs=[ORDERS], engine="local", progress=note, jobs=jobs, state=state)
        steps = [after - before for before, after in pairwise([0, *told[:-1]])]
        assert len(steps) > 10
        assert sum(steps) > size // 2
        assert sorted(steps)[-2] <= size // 10  # the last 192 KiB are one piece where it is kept


def test_a_pipe_tells_what_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """How much there will be nobody knows, and not that all is there."""
    content = "".join(LINE.format(1, n) for n in range(50)).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    told = list[tuple[int, int]]()
    check(["-"], specs=[ORDERS], engine="local", progress=lambda *amounts: told.append(amounts))
    assert told[0] == (len(content), 0)
    assert told[-1] == (len(content), len(content))
