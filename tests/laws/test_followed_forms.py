"""Law: a log whose records are no lines, or no lines of UTF-8, and a file that is no text, is
followed as a check reads it, however little of it was there when it was seen first; a pipe says
that it is not.

Covers: statemachines.conform.engines.follow.log_reading,
statemachines.conform.engines.follow.followed_log.
"""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import (
    JudgingRequest,
    check_locally,
    finish_report,
    make_request,
)
from statemachines.conform.engines.follow.followed_log import FollowedLog
from statemachines.conform.engines.follow.follower import Follower
from statemachines.conform.engines.growing import content_readings
from statemachines.model.evidence.quotes import Place
from statemachines.report.json_format import to_json
from tests.doors import House, line
from tests.effort import some_of

SOME = settings(
    max_examples=some_of(15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
STEPS = ("CLOSED to OPEN", "OPEN to CLOSED", "CLOSED to OPEN", "OPEN to JAMMED")
MESSAGES = tuple(f"Door d{door} goes from {step}" for door in range(4) for step in STEPS)


def pretty_json(messages: Sequence[str]) -> bytes:
    records = [
        {"@timestamp": f"2026-01-02T03:04:{place:02}Z", "level": "INFO", "message": message}
        for place, message in enumerate(messages)
    ]
    return "\n".join(json.dumps(record, indent=2) for record in records).encode()


def text(messages: Sequence[str], end: str = "\n") -> str:
    return "".join(line(message, place) + end for place, message in enumerate(messages))


FORMS: dict[str, Callable[[Sequence[str]], bytes]] = {
    "JSON": pretty_json,
    "UTF-16": lambda messages: text(messages).encode("utf-16"),
    "returns": lambda messages: text(messages, "\r").encode(),
    "lines": lambda messages: text(messages).encode(),
}
OTHERS: dict[str, Callable[[Sequence[str]], bytes]] = {
    "no text": lambda messages: text(messages[:1]).encode() + bytes(range(1, 9)) * 200,
    "a tar": lambda messages: f"house.log{'':248}ustar{'':243}{text(messages)}".encode(),
    "a hole": lambda messages: bytes(100_000) + text(messages).encode(),
}
"""Files that show only behind their beginning what they are."""


@pytest.fixture(scope="module")
def request_(tmp_path_factory: pytest.TempPathFactory) -> JudgingRequest:
    house = House(tmp_path_factory.mktemp("house"))
    return make_request(CheckOptions(specs=[house.spec]))


def checked(request: JudgingRequest, folder: Path) -> str:
    return "".join(to_json(finish_report(check_locally([folder], request), request)))


def followed(request: JudgingRequest, folder: Path, content: bytes, cuts: Sequence[int]) -> str:
    """Write a log in pieces, follow it meanwhile, and return the last report."""
    with Follower([str(folder)], request) as follower:
        for start, end in zip((0, *cuts), (*cuts, len(content)), strict=True):
            with (folder / "house.log").open("ab") as log:
                log.write(content[start:end])
            follower.poll()
        return "".join(to_json(follower.report(to_the_end=True)))


@SOME
@given(
    form=st.sampled_from(sorted(FORMS | OTHERS)),
    cuts=st.lists(st.integers(0, 1500), max_size=4).map(sorted),
    count=st.integers(2, len(MESSAGES)),
)
@example(form="no text", cuts=[80], count=2)
@example(form="a tar", cuts=[80], count=2)
@example(form="a hole", cuts=[], count=2)
@example(form="a hole", cuts=[0], count=2)
def test_a_file_is_followed_in_whatever_form_it_turns_out_to_be(
    request_: JudgingRequest,
    tmp_path_factory: pytest.TempPathFactory,
    form: str,
    cuts: list[int],
    count: int,
) -> None:
    """The report is that of a check, byte for byte, wherever the file was cut when it was seen."""
    folder, content = tmp_path_factory.mktemp("logs"), (FORMS | OTHERS)[form](MESSAGES[:count])
    found = followed(request_, folder, content, [min(cut, len(content)) for cut in cuts])
    assert found == checked(request_, folder)


def test_a_form_that_is_seen_too_late_shows(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law above would notice it."""
    monkeypatch.setattr(FollowedLog, "read_as_a_whole", lambda _: None)
    content = pretty_json(MESSAGES)
    assert followed(request_, tmp_path, content, [2, 90]) != checked(request_, tmp_path)


@pytest.mark.parametrize("form", sorted(FORMS))
def test_a_pipe_says_that_its_records_are_no_lines(request_: JudgingRequest, form: str) -> None:
    """It cannot be read again from its beginning, and what was lost is not kept silent."""
    with Follower(["-"], request_) as follower:
        content = FORMS[form](MESSAGES)
        for start in range(0, len(content), 100):
            follower.feed(content[start : start + 100])
            follower.poll()
        (source,) = follower.report(to_the_end=True).sources
    said = any("line by line" in problem for problem in source.problems)
    assert said is (form != "lines")


REWRITTEN: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "UTF-16": lambda lines: lines.decode().encode("utf-16"),
    "lines": lambda lines: lines,
}


@pytest.mark.parametrize("form", sorted(REWRITTEN))
def test_a_file_that_is_written_anew_is_read_from_its_beginning(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Also one that is packed, and longer than before: a new archive may get the inode of a deleted
    one. What was settled of the old content was taken for the beginning of the new one.
    """
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
    steps = [f"Door d{door} goes from {step}" for door in range(100) for step in STEPS[:2]]
    forbidden = "Door e goes from GONE to OPEN"
    log, pack = tmp_path / "house.log", REWRITTEN[form]
    with Follower([str(tmp_path)], request_) as follower:
        log.write_bytes(pack(text(steps[:40]).encode()))
        follower.poll()
        log.write_bytes(pack(text([forbidden, *steps[40:]]).encode()))
        follower.poll()
        report = follower.report(to_the_end=True)
    assert [(one.place, one.verdict.name) for one in report.findings if one.place] == [
        (Place("house.log", 1), "VIOLATED")
    ]
    assert {source.file: source.lines for source in report.sources}["house.log"] == 161
