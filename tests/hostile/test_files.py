"""Files that change, never end, swell, or cannot be written."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import re
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from statemachines.cli import main
from statemachines.logs import load_layout_file, open_log, scan
from statemachines.logs.layouts.text_layouts import LayoutError
from statemachines.logs.search.buffers import BEHIND, CUT, WINDOW, FileBuffer
from statemachines.logs.search.scanner import Scanner
from statemachines.logs.storage import unpacking
from statemachines.logs.storage.open_logs import HOLE
from tests.hostile.bounded import SEAL, STEP, run

ANYWAY = 8 << 20
BIG = WINDOW + BEHIND + 1


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A window so small that short files do not fit."""
    monkeypatch.setattr("statemachines.logs.search.buffers.WINDOW", 1 << 14)
    monkeypatch.setattr("statemachines.logs.search.buffers.BEHIND", 1 << 10)


@pytest.mark.usefixtures("small")
def test_a_file_that_is_cut_while_it_is_read_ends_there(tmp_path: Path) -> None:
    """Copytruncate: a file that is mapped would kill the process."""
    log = tmp_path / "a.log"
    log.write_text(STEP.format(1) * 1000)
    with open_log(log) as opened:
        size = opened.size
        assert opened.buffer[:10]
        assert opened.incomplete_reason is None
        os.truncate(log, 500 * len(STEP.format(1)))
        assert len(list(scan(opened.buffer, 0, size, Scanner([b"went from"])))) == 500
        assert (opened.incomplete_reason, opened.size) == (CUT, 500 * len(STEP.format(1)))


@pytest.mark.usefixtures("small")
def test_what_is_lost_is_told_and_the_rest_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that judged half a log must not look like one that judged all of it."""
    import statemachines as sm
    from statemachines.conform.engines import file_reader

    log, spec = tmp_path / "a.log", tmp_path / "Seal.yaml"
    log.write_text("".join(STEP.format(number) for number in range(2000)))
    spec.write_text(SEAL)
    monkeypatch.setattr(file_reader, "READ_CHUNK_BYTES", 1 << 16)
    report = sm.check(
        [log], specs=[spec], engine="local", progress=lambda done, whole: os.truncate(log, 1 << 16)
    )
    assert report.errors == (f"{log}: {CUT}",)
    assert CUT in report.sources[0].problems
    assert 0 < report.checked.lines < 2000


@pytest.mark.parametrize(
    "part",
    [slice(0, 5), slice(BIG - 3, BIG + 3), slice(0, 2 * BIG), slice(2 * BIG, 3 * BIG), slice(7, 3)],
)
def test_a_file_is_read_as_bytes_are(tmp_path: Path, part: slice) -> None:
    """Whatever the window holds at the moment."""
    content = (b"x" * 1000 + b"\n") * (2 * BIG // 1001)
    (tmp_path / "a").write_bytes(content)
    with open(tmp_path / "a", "rb") as file:
        buffer = FileBuffer(file)
        assert len(buffer) == len(content)
        for _ in range(2):
            assert buffer[part] == content[part]
            for at in (0, 999, BIG, len(content) - 1, part.start):
                assert buffer.find(b"\n", at) == content.find(b"\n", at)
                assert buffer.find(b"q", at) == -1
                assert buffer.rfind(b"\n", 0, at) == content.rfind(b"\n", 0, at)
                assert buffer.rfind(b"\n", max(0, at - 10), at) == content.rfind(
                    b"\n", max(0, at - 10), at
                )


def _zstandard(content: bytes) -> bytes:
    return bytes(pytest.importorskip("zstandard").compress(content))


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, bz2.compress, lzma.compress, _zstandard],
    ids=["gzip", "bzip2", "xz", "zstandard"],
)
def test_an_archive_that_swells_is_read_up_to_a_bound(
    tmp_path: Path, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file must fill neither the disk nor the memory, and the report says that there is more."""
    monkeypatch.setattr(unpacking, "ALWAYS_ALLOWED_BYTES", ANYWAY)
    (tmp_path / "a").write_bytes(pack(b"x" * (2 * ANYWAY)))
    with open_log(tmp_path / "a") as log:
        assert log.size == ANYWAY
        assert "swells more than 100-fold" in (log.incomplete_reason or "")


def test_an_archive_of_a_log_is_read_whole(tmp_path: Path) -> None:
    """The bound is for nothing that people have."""
    (tmp_path / "a").write_bytes(gzip.compress((STEP.format(1) * 300_000).encode()))
    with open_log(tmp_path / "a") as log:
        assert (log.size, log.incomplete_reason) == (len(STEP.format(1)) * 300_000, None)


def test_a_pipe_that_nobody_writes_is_not_waited_for(tmp_path: Path) -> None:
    """Opening it as a file is waits for ever."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "Seal.yaml").write_text(SEAL)
    ended = run(tmp_path, "check", "pipe", "--spec", "Seal.yaml")
    assert ended.code == 2
    assert "nobody has written to it" in ended.said


def test_a_pipe_in_a_folder_is_named_and_left_alone(tmp_path: Path) -> None:
    """Its lines are meant for somebody else, it may never end; and what is skipped without a word is thought to be looked at."""
    (tmp_path / "logs").mkdir()
    os.mkfifo(tmp_path / "logs" / "pipe")
    (tmp_path / "logs" / "a.log").write_text(STEP.format(1))
    (tmp_path / "Seal.yaml").write_text(SEAL)
    writer = os.open(tmp_path / "logs" / "pipe", os.O_RDWR)
    try:
        os.write(writer, b"not for us")
        ended = run(tmp_path, "check", "logs", "--spec", "Seal.yaml", "--format", "json", "--quiet")
        lines = run(tmp_path, "timeline", "logs", "--spec", "Seal.yaml")
        assert os.read(writer, 100) == b"not for us"
    finally:
        os.close(writer)
    assert (lines.code, lines.out.count("a.log")) == (0, 1)
    problems = {source["file"]: source["problems"] for source in json.loads(ended.out)["sources"]}
    assert problems == {
        "a.log": [],
        "pipe": ["cannot be read: it is a pipe; name it to have it read"],
    }


@pytest.mark.parametrize(
    "words",
    [
        ["check", "/dev/zero"],
        ["check", "a.log", "--spec", "Seal.yaml", "--baseline", "/dev/zero"],
        ["report", "--trend", "/dev/zero"],
        ["explore", "Seal.yaml", "--replay", "/dev/zero"],
    ],
    ids=" ".join,
)
def test_a_device_is_no_input(tmp_path: Path, words: list[str]) -> None:
    """It may never end."""
    (tmp_path / "Seal.yaml").write_text(SEAL)
    (tmp_path / "a.log").write_text(STEP.format(1))
    ended = run(tmp_path, *words)
    assert ended.code == 2
    assert "it is a device, which may never end" in ended.said


def test_what_is_lost_behind_a_hole_is_said(tmp_path: Path) -> None:
    """A log that is truncated under a program that does not append has a hole of its old length at its head."""
    (tmp_path / "Seal.yaml").write_text(SEAL)
    for size, lines in ((1000, 2), (100_000, 1)):
        (tmp_path / "a.log").write_bytes(bytes(size) + (STEP.format(1) + STEP.format(2)).encode())
        ended = run(
            tmp_path, "check", "a.log", "--spec", "Seal.yaml", "--format", "json", "--quiet"
        )
        report = json.loads(ended.out)
        assert report["checked"]["steps"] == lines
        assert [HOLE in source["problems"] for source in report["sources"]] == [lines == 1]


@pytest.mark.parametrize("form", ["text", "json", "csv", "html", "junit", "sarif"])
def test_a_report_that_finds_no_room_leaves_the_old_one(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half a report that looks like one is worse than none."""
    (tmp_path / "Seal.yaml").write_text(SEAL)
    (tmp_path / "a.log").write_text("".join(STEP.format(number) * 2 for number in range(60)))
    (tmp_path / "out").write_text("yesterday")
    words = [
        "check",
        "a.log",
        "--spec",
        "Seal.yaml",
        "--format",
        form,
        "-o",
        "out",
        "--all",
        "--quiet",
    ]
    monkeypatch.chdir(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, limits[1]))
    try:
        assert main(words) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "out cannot be written: File too large" in capsys.readouterr().err
    assert (tmp_path / "out").read_text() == "yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Seal.yaml", "a.log", "out"]
    assert main(words) == 3
    assert (tmp_path / "out").read_text() != "yesterday"


def test_a_written_file_has_the_rights_of_any_other(tmp_path: Path) -> None:
    """A report that its readers may not read is as good as none; a link stays one."""
    (tmp_path / "kept").write_text("old")
    (tmp_path / "kept").chmod(0o640)
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "plain").write_text("")
    assert main(["draw", "StreamThread", "--format", "mermaid", "-o", str(tmp_path / "link")]) == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "kept").read_text() != "old"
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o640
    assert main(["draw", "StreamThread", "--format", "mermaid", "-o", str(tmp_path / "new")]) == 0
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_what_the_caller_closed_is_no_violation(tmp_path: Path, closed: int) -> None:
    """The next file that is opened would be taken for it; and exit code 1 says VIOLATED."""
    (tmp_path / "Seal.yaml").write_text(SEAL)
    (tmp_path / "a.log").write_text(STEP.format(1))
    ended = run(
        tmp_path,
        "check",
        "a.log" if closed else "-",
        "--spec",
        "Seal.yaml",
        before=lambda: os.close(closed),
    )
    assert ended.code == (0 if closed == 2 else 2)
    assert closed == 2 or f"standard {'output' if closed else 'input'} is closed" in ended.said


def test_a_full_disk_behind_standard_output_is_no_violation(tmp_path: Path) -> None:
    """`check > report` where there is no room."""
    (tmp_path / "Seal.yaml").write_text(SEAL)
    (tmp_path / "a.log").write_text(STEP.format(1) * 2)
    for words in (("check", "a.log", "--spec", "Seal.yaml"), ("--help",)):
        with open("/dev/full", "w") as full:
            ended = run(tmp_path, *words, stdout=full)
        assert ended.code == 2
        assert "No space left on device" in ended.said


def test_out_of_memory_is_no_violation(tmp_path: Path) -> None:
    """Nor a traceback."""
    (tmp_path / "Seal.yaml").write_text(SEAL)
    code = "import sys, statemachines.cli as c; import statemachines.api.log_check as k\nk.check = lambda *a, **b: [0] * (1 << 60)\nsys.exit(c.main())"
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", code, "check", "Seal.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "out of memory" in done.stderr
    assert "Traceback" not in done.stderr


def test_json_of_a_hostile_log_means_the_same() -> None:
    """What a terminal obeys is written as an escape, and read back as it was."""
    from statemachines.report.json_format import terminal_safe_json

    told = ["\x7f", "\x9b31m", "\u202e", "\x1b[31m", 'quote"', "é中\U0001f600"]
    written = terminal_safe_json(json.dumps(told, ensure_ascii=False))
    assert json.loads(written) == told
    assert written.isprintable()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "it is nested deeper than 32"),
        ("a: &a [x]\nlayouts: [{name: x, pattern: '%m', samples: *a}]\n", "alias `*a`"),
        ("#" * (1 << 21), "a layout file has at most 1,048,576 characters"),
    ],
)
def test_a_layout_file_that_swells_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """Deep nesting killed the process, and aliases of aliases ran for ever."""
    (tmp_path / "layout.yaml").write_text(text)
    with pytest.raises(LayoutError, match=re.escape(said)):
        load_layout_file(tmp_path / "layout.yaml")


@pytest.mark.parametrize("words", [("explain", "-"), ("simulate", "StreamThread", "--interactive")])
def test_every_verb_that_reads_standard_input_says_that_it_is_closed(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python has no such stream then."""
    monkeypatch.setattr("sys.stdin", None)
    assert main(list(words)) == 2
    assert "standard input is closed" in capsys.readouterr().err
