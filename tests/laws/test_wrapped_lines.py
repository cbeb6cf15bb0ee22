"""Laws: what a tool wrapped is read by the forms of its lines as by itself, byte for byte of the
report: however processes take turns, where lines were cut, and where the wrapping changes.

Covers: statemachines.logs.records.line_wrappings, statemachines.logs.records.wrapped_line_reader,
statemachines.logs.records.record_scan, statemachines.logs.layouts.wrappers.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.engines import file_reader
from statemachines.conform.engines.inputs import Input, list_inputs
from statemachines.conform.observe import line_forms
from statemachines.logs import default_layouts
from statemachines.logs.records import line_wrappings, wrapped_line_reader
from statemachines.logs.records.line_wrappings import LineWrappings, Wrapping
from statemachines.logs.records.plain_lines import PlainRun
from statemachines.logs.search import scanner
from tests.doors import START, line
from tests.laws.test_plain_lines import (
    BELOW,
    NEVER,
    SOME,
    STATES,
    WORDINGS,
    World,
    learnt_at,
    report,
)

NAMES = ("house-1", "house-2", "barn", "Door7")
Wrap = Callable[[str, str, str, datetime], str]
"""From a process, a stream, a line and the time of its capture to the wrapped line."""


def _nanos(at: datetime, size: int = 9) -> str:
    digits = f"{at.microsecond:06}789"[:size].rstrip("0")
    return f"{at:%Y-%m-%dT%H:%M:%S}{'.' * bool(digits)}{digits}Z"


def _json_file(stream: str, inner: str, at: datetime) -> str:
    row = {"log": f"{inner}\n", "stream": stream, "time": _nanos(at)}
    return json.dumps(row, separators=(",", ":"))


def _journal(name: str, inner: str, at: datetime) -> str:
    row = {"__REALTIME_TIMESTAMP": str(int(at.timestamp() * 1e6)), "_HOSTNAME": name}
    return json.dumps({**row, "MESSAGE": inner})


WRAPS: dict[str, Wrap] = {
    "kubectl": lambda name, stream, inner, at: f"[pod/{name.lower()}-x1k2p/app] {inner}",
    "kubectl with times": lambda name, stream, inner, at: (
        f"[pod/{name.lower()}-x1k2p/app] {_nanos(at)} {inner}"
    ),
    "compose": lambda name, stream, inner, at: f"{name:<8} | {inner}",
    "compose with colours": lambda name, stream, inner, at: (
        f"\x1b[3{len(name)}m{name:<8} |\x1b[0m {inner}"
    ),
    "compose with times": lambda name, stream, inner, at: f"{name}  | {_nanos(at)} {inner}",
    "cri": lambda name, stream, inner, at: f"{_nanos(at)} {stream} F {inner}",
    "cri in pieces": lambda name, stream, inner, at: (
        f"{_nanos(at)} {stream} P {inner[:30]}\n{_nanos(at)} {stream} F {inner[30:]}"
    ),
    "cri of another zone": lambda name, stream, inner, at: (
        f"{at + timedelta(hours=2):%Y-%m-%dT%H:%M:%S}+02:00 {stream} F {inner}"
    ),
    "json-file": lambda name, stream, inner, at: _json_file(stream, inner, at),
    "json-file of one stream": lambda name, stream, inner, at: _json_file("stdout", inner, at),
    "journald": lambda name, stream, inner, at: _journal(name, inner, at),
    "syslog": lambda name, stream, inner, at: f"{at:%b %d %H:%M:%S} {name} app[12]: {inner}",
    "syslog with zone": lambda name, stream, inner, at: (
        f"{at:%Y-%m-%dT%H:%M:%S.%f}+00:00 {name} app[{len(name)}]: {inner}"
    ),
    "docker with times": lambda name, stream, inner, at: f"{_nanos(at, 9)} {inner}",
    "names": lambda name, stream, inner, at: f"{name.lower()} app {inner}",
    "grep": lambda name, stream, inner, at: f"{name}.log:{at.second}:{inner}",
    "nothing": lambda name, stream, inner, at: inner,
}
ODD = (
    "2026-01-02 10:00:00.000 INFO house server: Door 1 goes from CLOSED to OPEN",
    "2026-01-02 10:00:00,000\t[2026-01-02 10:00:00,000] INFO Door 1 goes from CLOSED to OPEN (a.B)",
    "kitchen | Door 1 goes from CLOSED to OPEN",
    "",
)
"""Lines that may be taken for wrapped ones."""


@st.composite
def own_lines(draw: st.DrawFn, place: int) -> list[str]:
    """Draw a record of a program, and what stands below it."""
    level, wording = draw(st.sampled_from(WORDINGS))
    doors = st.sampled_from(["1", "2", "07", "31", "d4", "é"])
    states = {name: draw(st.sampled_from(STATES)) for name in "ab"}
    text = wording.format(d=draw(doors), e=draw(st.integers(0, 12)), **states)
    whole = line(text, place + draw(st.integers(-1, 1)), level=level)
    match draw(st.integers(0, 14)):
        case 0:
            whole = whole.replace("2026-01-02", draw(st.sampled_from(["2026-02-30", "2026-1-2"])))
        case 1:
            whole = whole.replace("[", "", 1).replace("]", "", 1)
        case 2:
            whole = whole.replace("[", "", 1).replace("]", "", 1).replace(",", ".", 1)
        case 3:
            whole = draw(st.sampled_from(ODD))
    below = (
        draw(st.lists(st.sampled_from(BELOW), max_size=2)) if draw(st.integers(0, 5)) == 0 else []
    )
    return [whole, *below]


@st.composite
def wrapped_lines(draw: st.DrawFn) -> list[str]:
    """Draw a log of several processes whose lines take turns, wrapped in one way or several."""
    kinds = draw(st.lists(st.sampled_from(sorted(WRAPS)), min_size=1, max_size=2))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    offset = timedelta(hours=draw(st.sampled_from([0, 0, -2, 30])))
    queues = {name: list[str]() for name in names}
    written = list[str]()
    total = draw(st.integers(1, 40))
    for place in range(total):
        name = draw(st.sampled_from(names))
        queues[name] += draw(own_lines(place))
        name = draw(st.sampled_from(names))
        kind = kinds[place * len(kinds) // total]
        late = timedelta(
            seconds=place, milliseconds=draw(st.sampled_from([0, 1, 100, 1500, 40000]))
        )
        stream = draw(st.sampled_from(["stdout", "stdout", "stdout", "stderr"]))
        while queues[name]:
            inner = queues[name].pop(0)
            used = "nothing" if draw(st.integers(0, 30)) == 0 else kind
            written += WRAPS[used](name, stream, inner, START + late + offset).split("\n")
            if draw(st.integers(0, 2)) == 0:
                break
    return written


@SOME
@given(
    lines=wrapped_lines(),
    times=st.integers(1, 3),
    piece=st.sampled_from([300, 1000, 1 << 20]),
    block=st.sampled_from([150, 600, 1 << 20]),
)
@example(
    [WRAPS["cri"]("", "stdout", line("Door 1 stands OPEN", n), START) for n in range(9)],
    1,
    300,
    600,
)
def test_what_is_wrapped_does_not_show_in_how_it_is_read(
    world: World, lines: list[str], times: int, piece: int, block: int
) -> None:
    """Whatever was met before, and wherever a piece of the file begins, or a block."""
    with learnt_at(NEVER):
        expected = world.report(lines)
    with learnt_at(times), pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_reader, "READ_CHUNK_BYTES", piece)
        patch.setattr(scanner, "BLOCK_BYTES", block)
        assert world.report(lines) == expected


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("house"))


def runs_of(world: World, lines: list[str]) -> list[PlainRun]:
    """Return what is read by forms, each of which is learnt from its first line."""
    path = world.house.write("wrapped.log", lines)
    with learnt_at(1):
        reader = file_reader.CatalogueReader(world.plan)
        words = file_reader.Scanner(reader.scan_literals)
        forms = line_forms.CatalogueForms(world.plan, reader, words, default_layouts())
        data = path.read_bytes()
        part = file_reader.scan(data, 0, len(data), words, loggers=reader.loggers)
        return [run for run in part.with_plain_lines(forms) if isinstance(run, PlainRun)]


FAST = (
    "kubectl",
    "kubectl with times",
    "compose",
    "compose with colours",
    "compose with times",
    "cri",
    "cri of another zone",
    "json-file",
    "syslog",
    "syslog with zone",
    "docker with times",
)


@pytest.mark.parametrize("kind", FAST)
def test_lines_that_are_wrapped_are_read_by_their_forms(world: World, kind: str) -> None:
    """Else the law above would say nothing. The first line of a stream may be the end of one that
    was cut, and what follows the last line of each process is not known.
    """
    lines = [
        WRAPS[kind](
            NAMES[place % 2],
            "stdout",
            line(f"Door {place} goes from CLOSED to OPEN", place),
            START + timedelta(seconds=place, microseconds=123456),
        )
        for place in range(10, 40)
    ]
    runs = runs_of(world, lines)
    assert sum(run.line_count for run in runs) >= 27
    assert {text for run in runs for text in run.quoted} <= set(lines)
    assert all(text.startswith("[2026-01-02 ") for run in runs for text in run.texts)


def test_lines_below_are_told_by_process(world: World) -> None:
    """A stack trace of one process stands between lines of another; each form is that of a record
    and of its own lines below.
    """
    lines = list[str]()
    for place in range(8):
        first = line("Door 1 did not get from OPEN to CLOSED", place, level="ERROR")
        second = line(f"Door {place} goes from CLOSED to OPEN", place)
        lines += [
            WRAPS["compose"]("house-1", "", first, START),
            WRAPS["compose"]("house-2", "", second, START),
            WRAPS["compose"]("house-1", "", "house.JamError: hinge 7", START),
            WRAPS["compose"]("house-2", "", second, START),
            WRAPS["compose"]("house-1", "", "\tat house.Door.go(1)", START),
        ]
    texts = [text for run in runs_of(world, lines) for text in run.texts]
    assert sum("did not get" in text for text in texts) == 7
    assert sum("goes from" in text for text in texts) == 15


def test_a_line_of_another_process_that_ends_a_record_shows(world: World) -> None:
    """The law above would notice it."""
    first = line("Door 1 did not get from OPEN to CLOSED", 0, level="ERROR")
    lines = [
        WRAPS["compose"](name, "", text, START)
        for name, text in (
            ("house-1", first),
            ("house-2", line("Door 2 goes from CLOSED to OPEN", 1)),
            ("house-1", "house.JamError: hinge 7"),
            ("house-1", line("Door 1 goes from OPEN to CLOSED", 2)),
            ("house-2", line("Door 2 goes from OPEN to CLOSED", 3)),
        )
    ]
    with learnt_at(NEVER):
        expected = world.report(lines)
    with learnt_at(1), pytest.MonkeyPatch.context() as patch:
        assert world.report(lines) == expected
        patch.setattr(wrapped_line_reader.WrappedLineReader, "_lines_below", lambda *_: [])
        assert world.report(lines) != expected


def test_a_capture_that_settles_no_zone_shows(world: World) -> None:
    """The law above would notice it; a form is not learnt from a line whose time is another."""
    lines = [
        WRAPS["cri"](
            "",
            "stdout",
            line(f"Door {n} goes from CLOSED to OPEN", n),
            START + timedelta(hours=-2, seconds=n),
        )
        for n in range(9)
    ]
    with learnt_at(NEVER):
        expected = world.report(lines)
    with learnt_at(1), pytest.MonkeyPatch.context() as patch:
        assert world.report(lines) == expected
        calls, right = count(), line_wrappings.Wrapping.settled

        def late(self: Wrapping, own: int, around: bytes) -> tuple[int, bool] | None:
            moment = right(self, own, around)
            return moment if moment is None or next(calls) < 4 else (own, moment[1])

        patch.setattr(line_wrappings.Wrapping, "settled", late)
        assert world.report(lines) != expected


def test_a_wrapping_that_depends_on_what_it_wraps_is_not_learnt() -> None:
    """A host's name is one before a dated line with a level only."""
    wrappings = LineWrappings(lambda _: ())
    assert wrappings.cut(b"house-6f7 app 2026-01-02 10:00:00,000 INFO open (a.B)") is None
    assert wrappings.cut(b"house-1  | [2026-01-02 10:00:00,000] INFO open (a.B)") is not None


def test_a_name_that_is_looked_for_is_not_learnt() -> None:
    """Every line of that process holds it, whatever the process writes."""
    wrappings = LineWrappings(lambda text: b"door" in text)
    assert wrappings.cut(b"door-1  | [2026-01-02 10:00:00,000] INFO open (a.B)") is None


@pytest.mark.parametrize("sample", [False, pytest.param(True, marks=pytest.mark.long)])
def test_wrapped_lines_of_captures_are_read_alike(shared: Path, sample: bool) -> None:
    """Logs that tools wrapped, by the whole catalogue."""
    plan = make_plan(load_specs(None).machines)
    names = ("c251_kubectl", "c251_compose", "s251_onefile")
    for name in names if sample else names[2:]:
        folder = shared / "logs" / "captured" / name
        inputs = [one for one in list_inputs([folder], folder) if isinstance(one, Input)]
        with learnt_at(NEVER):
            expected = report(plan, inputs)
        with learnt_at(1):
            assert report(plan, inputs) == expected, name
