"""Laws: in whatever layout a program writes its lines, they are read by their forms as by
themselves, byte for byte of the report: also where layouts change within a file, where lines stand
below, and where a line was cut.

Covers: statemachines.logs.records.line_clocks, statemachines.logs.records.clock_search,
statemachines.logs.records.plain_line_reader, statemachines.logs.layouts.json_layouts,
statemachines.conform.observe.line_forms, statemachines.conform.observe.form_clocks,
statemachines.conform.observe.spelled_digits.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.conform.engines import file_reader
from statemachines.conform.observe import line_forms
from statemachines.logs import default_layouts
from statemachines.logs.records import line_clocks
from statemachines.logs.records.plain_columns import PlainColumns
from statemachines.logs.records.plain_lines import PlainRun
from statemachines.logs.search import scanner
from tests.doors import START
from tests.laws.test_columns import columns
from tests.laws.test_plain_lines import BELOW, NEVER, SOME, STATES, WORDINGS, World, learnt_at
from tests.laws.test_wrapped_lines import WRAPS, runs_of

LOGGER = "house.Door"
LayOut = Callable[[datetime, str, str], str]
"""From a time, a level and a message to a line."""


def _millis(at: datetime) -> str:
    return f"{at.microsecond // 1000:03}"


def _epoch_ms(at: datetime) -> int:
    return int((at - datetime(1970, 1, 1)).total_seconds()) * 1000 + at.microsecond // 1000


def _timed(time: Callable[[datetime], str]) -> LayOut:
    return lambda at, level, text: f"{time(at)} [main] {level} {LOGGER} - {text}"


def _instant(at: datetime) -> dict[str, int]:
    seconds, millis = divmod(_epoch_ms(at), 1000)
    return {"epochSecond": seconds, "nanoOfSecond": millis * 1_000_000}


def _json(rows: Callable[[datetime, str], dict[str, object]], *, blanks: bool = False) -> LayOut:
    separators = None if blanks else (",", ":")
    return lambda at, level, text: json.dumps(
        rows(at, level) | {"message": text}, separators=separators, ensure_ascii=False
    )


def _iso(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S}.{_millis(at)}"


SYSLOG_LEVELS = {"ERROR": 3, "WARN": 4, "INFO": 6, "DEBUG": 7}
LAYOUTS: dict[str, LayOut] = {
    "comma": _timed(lambda at: f"{at:%Y-%m-%d %H:%M:%S},{_millis(at)}"),
    "T": _timed(lambda at: f"{at:%Y-%m-%dT%H:%M:%S},{_millis(at)}"),
    "Z": _timed(lambda at: f"{_iso(at)}Z"),
    "Z in brackets": lambda at, level, text: f"[{_iso(at)}Z] {level} {text} ({LOGGER})",
    "zone": _timed(lambda at: f"{_iso(at + timedelta(hours=1))}+01:00"),
    "zone before blank": _timed(lambda at: f"{at:%Y-%m-%d %H:%M:%S.%f} -0530"),
    "micros": _timed(lambda at: f"{at:%Y-%m-%dT%H:%M:%S.%f}Z"),
    "tenths": _timed(lambda at: f"{at:%Y-%m-%dT%H:%M:%S}.{_millis(at)[0]}Z"),
    "seconds": _timed(lambda at: f"{at:%Y-%m-%dT%H:%M:%S}Z"),
    "names of months": _timed(lambda at: f"{at:%d %b %Y %H:%M:%S},{_millis(at)}"),
    "points": _timed(lambda at: f"{at:%d.%m.%Y %H:%M:%S},{_millis(at)}"),
    "slashes": _timed(lambda at: f"{at:%m/%d/%Y %I:%M:%S %p}"),
    "epoch": _timed(lambda at: f"{_epoch_ms(at)}"),
    "epoch seconds": _timed(lambda at: f"{_epoch_ms(at) // 1000}.{at:%f}"),
    "level first": lambda at, level, text: (
        f"{level} [{at:%Y-%m-%d %H:%M:%S},{_millis(at)}] {LOGGER}: {text}"
    ),
    "JsonLayout": _json(
        lambda at, level: {"instant": _instant(at), "level": level, "loggerName": LOGGER}
    ),
    "time last": lambda at, level, text: json.dumps(
        {"message": text, "level": level, "loggerName": LOGGER, "timeMillis": _epoch_ms(at)}
    ),
    "ecs": _json(
        lambda at, level: {
            "@timestamp": f"{_iso(at)}Z",
            "ecs.version": "1.2.0",
            "log.level": level,
            "log.logger": LOGGER,
            "process.pid": at.second,
        }
    ),
    "logstash": _json(
        lambda at, level: {
            "@timestamp": f"{_iso(at)}+00:00",
            "@version": "1",
            "logger_name": LOGGER,
            "level": level,
            "level_value": 20000 + at.second,
        },
        blanks=True,
    ),
    "gelf": lambda at, level, text: json.dumps(
        {
            "version": "1.1",
            "short_message": text,
            "timestamp": _epoch_ms(at) / 1000,
            "level": SYSLOG_LEVELS[level],
            "_logger": LOGGER,
        }
    ),
    "numbers for levels": _json(
        lambda at, level: {"time": _epoch_ms(at), "level": SYSLOG_LEVELS[level], "logger": LOGGER}
    ),
    "keys with digits": lambda at, level, text: json.dumps(
        {"@t": f"{_iso(at)}Z", "@mt": "{0}{1}", "0": text[:4], "1": text[4:], "logger": LOGGER}
    ),
    "micros as a number": _json(
        lambda at, level: {"ts": _epoch_ms(at) * 1000 + 567, "level": level, "logger": LOGGER}
    ),
    "two times": _json(
        lambda at, level: {
            "time": f"{_iso(at + timedelta(seconds=5))}Z",
            "timestamp": f"{_iso(at)}Z",
            "level": level,
            "logger": LOGGER,
        }
    ),
    "a stack in it": lambda at, level, text: json.dumps(
        {
            "timeMillis": _epoch_ms(at),
            "level": level,
            "loggerName": LOGGER,
            "message": text,
            "thrown": {"extendedStackTrace": f"house.JamError: hinge {at.second}\n\tat a.B.c(1)"},
        }
    ),
}


@st.composite
def laid_out_lines(draw: st.DrawFn, layouts: dict[str, LayOut] = LAYOUTS) -> list[str]:
    """Draw a log in a layout, or in several, with lines below records, lines that were cut, times
    that no calendar has, and what JSON has no number for.
    """
    kinds = draw(st.lists(st.sampled_from(sorted(layouts)), min_size=1, max_size=2))
    doors = st.sampled_from(["1", "2", "07", "31", "d4", "é", '"7"'])
    lines, moment = list[str](), START
    for _ in range(draw(st.integers(1, 40))):
        moment += timedelta(milliseconds=draw(st.sampled_from([0, 1, 20, 999, 61_000, -500])))
        level, wording = draw(st.sampled_from(WORDINGS))
        states = {name: draw(st.sampled_from(STATES)) for name in "ab"}
        text = wording.format(d=draw(doors), e=draw(st.integers(0, 12)), **states)
        whole = layouts[draw(st.sampled_from(kinds))](moment, level, text)
        match draw(st.integers(0, 30)):
            case 0:
                whole = whole.replace("2026", "2026-13-45 9", 1)
            case 1:
                whole = whole[: draw(st.integers(1, len(whole)))]
            case 2:
                whole = whole.replace("01-02", "02-30", 1).replace("02.01", "30.02", 1)
            case 3:
                whole = whole.replace(":0", ":9", 1)
        lines.append(whole + draw(st.sampled_from(["", "", "", "", "", "\r"])))
        if draw(st.integers(0, 9)) == 0:
            lines += draw(st.lists(st.sampled_from(BELOW), min_size=1, max_size=2))
    return lines


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("house"))


@SOME
@given(
    lines=laid_out_lines(),
    times=st.integers(1, 3),
    piece=st.sampled_from([300, 2000, 1 << 20]),
    block=st.sampled_from([300, 1500, 1 << 20]),
    in_columns=st.booleans(),
)
def test_a_layout_does_not_show_in_how_it_is_read(
    world: World, lines: list[str], times: int, piece: int, block: int, in_columns: bool
) -> None:
    """Whatever was met before, wherever a piece of the file begins, or a block, one by one and as
    columns.
    """
    with learnt_at(NEVER):
        expected = world.report(lines)
    with pytest.MonkeyPatch.context() as patch:
        if in_columns:
            with columns(piece=piece, block=block):
                assert world.report(lines) == expected
            return
        patch.setattr(line_forms, "LEARNT_AT", times)
        patch.setattr(file_reader, "READ_CHUNK_BYTES", piece)
        patch.setattr(scanner, "BLOCK_BYTES", block)
        assert world.report(lines) == expected


WRAPPED = ("kubectl", "kubectl with times", "compose", "cri", "json-file", "journald", "syslog")


@SOME
@given(
    lines=laid_out_lines(),
    kinds=st.lists(st.sampled_from(WRAPPED), min_size=1, max_size=2),
    turns=st.lists(st.sampled_from(["house-1", "house-2", "barn"]), min_size=50, max_size=50),
    hours=st.sampled_from([0, 0, -2, 30]),
    times=st.integers(1, 3),
    block=st.sampled_from([600, 3000, 1 << 20]),
)
def test_a_layout_does_not_show_within_what_a_tool_put_around_it(
    world: World,
    lines: list[str],
    kinds: list[str],
    turns: list[str],
    hours: int,
    times: int,
    block: int,
) -> None:
    """However processes take turns, and whatever the time of capture tells."""
    wrapped = [
        WRAPS[kinds[place % len(kinds)]](
            turns[place % len(turns)],
            "stdout",
            text.removesuffix("\r"),
            START + timedelta(hours=hours, milliseconds=place),
        )
        for place, text in enumerate(lines)
    ]
    with learnt_at(NEVER):
        expected = world.report(wrapped)
    with learnt_at(times), pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "BLOCK_BYTES", block)
        assert world.report(wrapped) == expected


@pytest.mark.parametrize("wrap", WRAPPED)
@pytest.mark.parametrize("wording", WORDINGS)
def test_what_json_spells_in_ascii_is_read_by_its_form_too(
    world: World, wrap: str, wording: tuple[str, str]
) -> None:
    """An accent in a container's log: in the file it is ASCII, in what was said it is not."""
    level, text = wording[0], wording[1].format(d="é", e=1, a=STATES[0], b=STATES[1])
    times = [START + timedelta(milliseconds=place) for place in range(6)]
    wrapped = [WRAPS[wrap]("a", "stdout", LAYOUTS["comma"](at, level, text), at) for at in times]
    with learnt_at(NEVER):
        expected = world.report(wrapped)
    with learnt_at(1):
        assert world.report(wrapped) == expected


@pytest.mark.parametrize(
    ("wrap", "kind"),
    [("kubectl", "Z"), ("cri", "JsonLayout"), ("compose", "ecs"), ("syslog", "epoch"),
     ("json-file", "zone"), ("kubectl with times", "logstash")],
)  # fmt: skip
def test_wrapped_lines_of_a_layout_are_read_by_their_forms(
    world: World, wrap: str, kind: str
) -> None:
    """Else the law above would say nothing."""
    lines = [
        WRAPS[wrap](f"house-{place % 2}", "stdout", text, START + timedelta(seconds=place))
        for place, text in enumerate(plain_moves(kind))
    ]
    assert sum(run.line_count for run in runs_of(world, lines)) >= 15


ROW_WISE = {"gelf", "keys with digits", "micros as a number"}
"""Whose times are rounded, or whose keys hold digits."""


@pytest.mark.parametrize("kind", sorted(LAYOUTS.keys() - ROW_WISE))
def test_lines_of_a_layout_are_read_by_their_forms(world: World, kind: str) -> None:
    """Else the law above would say nothing; all but the last line, of which it is not known what
    follows.
    """
    lines = [
        LAYOUTS[kind](
            START.replace(microsecond=123_000) + timedelta(seconds=place),
            "INFO",
            f"Door {place} goes from CLOSED to OPEN",
        )
        for place in range(10, 40)
    ]
    path = world.house.write("laid_out.log", lines)
    with columns():
        reader = file_reader.CatalogueReader(world.plan)
        words = file_reader.Scanner(reader.scan_literals)
        forms = line_forms.CatalogueForms(world.plan, reader, words, default_layouts())
        data = path.read_bytes()
        part = file_reader.scan(data, 0, len(data), words, loggers=reader.loggers)
        read = part.with_plain_columns(forms)
        assert sum(run.line_count for run in read if isinstance(run, PlainRun | PlainColumns)) >= 25


def plain_moves(kind: str) -> list[str]:
    """Lines of a layout, a second after one another."""
    return [
        LAYOUTS[kind](
            START.replace(microsecond=120_000) + timedelta(seconds=7 * place),
            "INFO",
            f"Door {place} goes from CLOSED to OPEN",
        )
        for place in range(10, 30)
    ]


@pytest.mark.parametrize("kind", ["Z", "epoch", "JsonLayout", "two times"])
def test_a_time_that_is_read_at_the_wrong_place_shows(world: World, kind: str) -> None:
    """The law above would notice it."""
    lines = plain_moves(kind)
    with learnt_at(NEVER):
        expected = world.report(lines)
    with learnt_at(1), pytest.MonkeyPatch.context() as patch:
        assert world.report(lines) == expected
        right = line_clocks.ClockTimes.time_of
        later = count()
        patch.setattr(
            line_clocks.ClockTimes,
            "time_of",
            lambda self, *line: (right(self, *line) or 0) + (next(later) > 20),
        )
        assert world.report(lines) != expected


def test_a_digit_that_tells_a_level_shows(world: World) -> None:
    """The law above would notice it where a level is a number: at DEBUG the bolt would have shown."""
    ways = [("INFO", "CLOSED to OPEN"), ("INFO", "OPEN to CLOSED")] * 4
    ways += [("DEBUG", "CLOSED to OPEN"), ("INFO", "OPEN to CLOSED"), ("INFO", "LOCKED to CLOSED")]
    lines = [
        LAYOUTS["numbers for levels"](
            START + timedelta(seconds=place), level, f"Door 1 goes from {way}"
        )
        for place, (level, way) in enumerate([*ways, ways[0]])
    ]
    with learnt_at(NEVER):
        expected = world.report(lines)
    with learnt_at(1), pytest.MonkeyPatch.context() as patch:
        assert world.report(lines) == expected
        patch.setattr(line_forms, "level_digits", lambda *_: frozenset())
        patch.setattr(line_forms, "probe_lines", lambda text, *_: [text] * 4)
        assert world.report(lines) != expected
