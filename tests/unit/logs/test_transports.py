"""What journald, Windows and terminals make of a log is judged with its times.

Covers: statemachines.logs.storage.xml_events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import statemachines as sm
from statemachines.logs.layouts.shipped_layouts import default_layouts, unwrap
from statemachines.logs.layouts.text_layouts import TextLayout
from statemachines.logs.storage.spread_records import _journal_fields

SPEC = """\
notation: 1
machine: Berth
states: {FREE: {initial: true}, HELD: }
transitions: [{from: FREE, to: HELD}]
log:
  instance: [berth]
  lines:
    - {text: "berth {berth} went {from} to {to}", says: step, logger: quay.Desk, level: INFO}
"""
FIRST_MS = 1795275979000
"""2026-11-21T15:46:19Z."""
Writer = Callable[[int, str], str | bytes]


def _plain(number: int, step: str) -> str:
    return f"2026-11-21T15:46:{19 + number}.000Z INFO  quay.Desk - berth 7 went {step}"


def _journal(number: int, message: object) -> str:
    micros = f"{FIRST_MS + 1000 * number}000"
    return json.dumps({"__REALTIME_TIMESTAMP": micros, "_HOSTNAME": "h1", "MESSAGE": message})


def _bytes(number: int, step: str) -> str:
    """journald gives a message that is no UTF-8 as numbers."""
    return _journal(number, list(f"berth 7 went {step} \xe9".encode("latin-1"))[:-2]) + "\n"


def _bytes_without_blanks(number: int, step: str) -> str:
    return _bytes(number, step).replace(" ", "")


def _texts(number: int, step: str) -> str:
    return _journal(number, [_plain(number, step), "more"]) + "\n"


def _event_stream(number: int, step: str) -> str:
    return f"data: {_journal(number, _plain(number, step))}\n\n"


def _sequence(number: int, step: str) -> str:
    return f"\x1e{_journal(number, _plain(number, step))}\n"


def _binary_export(number: int, step: str) -> bytes:
    text = f"berth 7 went {step}\n\tat a.B".encode()
    head = f"__CURSOR=s=1\n__REALTIME_TIMESTAMP={FIRST_MS + 1000 * number}000\nMESSAGE\n"
    return head.encode() + len(text).to_bytes(8, "little") + text + b"\n_PID=4\n\n"


def _verbose(number: int, step: str) -> str:
    head = f"Sat 2026-11-21 15:46:{19 + number}.000000 UTC [s=0a1b;i=5{number};b=9;m=1;t=2;x=3]\n"
    return f"{head}    _HOSTNAME=h1\n    MESSAGE={_plain(number, step)}\n    _PID=4\n"


def _windows_event(number: int, step: str) -> str:
    return (
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>"
        "<Provider Name='quay.Desk'/><Level>4</Level>"
        f"<TimeCreated SystemTime='2026-11-21T15:46:{19 + number}.0000000Z'/></System>"
        f"<EventData><Data>berth 7 went {step}</Data></EventData></Event>\n"
    )


def _rendered_windows_event(number: int, step: str) -> str:
    data = _windows_event(number, step)
    rendered = f"<RenderingInfo><Message>berth 7 went {step}</Message></RenderingInfo></Event>"
    return data.replace(f"berth 7 went {step}", "7").replace("</Event>", rendered)


def _powershell_list(number: int, step: str) -> str:
    return (
        f"\nTimeCreated  : 2026-11-21T15:46:{19 + number}Z\nProviderName : quay.Desk\n"
        f"Id           : 1000\nMessage      : berth 7 went {step}\nNote         : a: b\n\n"
    )


def _powershell_json(number: int, step: str) -> str:
    created = f"/Date({FIRST_MS + 1000 * number})/"
    return json.dumps({"TimeCreated": created, "Message": f"berth 7 went {step}"}) + "\n"


def _null_ended(number: int, step: str) -> str:
    values = {"version": "1.1", "short_message": f"berth 7 went {step}"}
    return json.dumps({**values, "timestamp": FIRST_MS / 1000 + number}) + "\0"


def _yaml_instant(number: int, step: str) -> str:
    return (
        f"---\ninstant:\n  epochSecond: {FIRST_MS // 1000 + number}\n  nanoOfSecond: 0\n"
        f'loggerName: "quay.Desk"\nmessage: "berth 7 went {step}"\n'
    )


def _caret_colours(number: int, step: str) -> str:
    return f"^[[32m{_plain(number, step)}^[[0m\n"


def _syslog_colours(number: int, step: str) -> str:
    return f"#033[32m{_plain(number, step)}#033[0m\n"


def _stripped_colours(number: int, step: str) -> str:
    return f"[32m{_plain(number, step)}[0m\n"


def _host(number: int, step: str) -> str:
    return f"h1.example.org: {_plain(number, step)}\n"


def _pod(number: int, step: str) -> str:
    return f"prod quay-6f7 desk › {_plain(number, step)}\n"


WRITERS: list[Writer] = [
    _bytes, _bytes_without_blanks, _texts, _event_stream, _sequence, _binary_export, _verbose,
    _windows_event, _rendered_windows_event, _powershell_list, _powershell_json, _null_ended,
    _yaml_instant, _caret_colours, _syslog_colours, _stripped_colours, _host, _pod,
]  # fmt: skip


@pytest.mark.parametrize("write", WRITERS)
def test_what_a_transport_made_of_a_log_is_judged_with_its_times(
    write: Writer, tmp_path: Path
) -> None:
    """Each of them was once nothing that the catalogue knows."""
    written = [write(0, "FREE to HELD"), write(1, "HELD to FREE")]
    (tmp_path / "Berth.yaml").write_text(SPEC)
    (tmp_path / "a.log").write_bytes(
        b"".join(one if isinstance(one, bytes) else one.encode() for one in written)
    )
    report = sm.check(tmp_path / "a.log", specs=tmp_path / "Berth.yaml")
    assert [finding.kind for finding in report.findings] == ["forbidden"]
    times = [step.at.ms for step in report.timeline or () if step.at]
    assert times == [FIRST_MS, FIRST_MS + 1000]


def _dated_samples() -> list[tuple[TextLayout, str]]:
    """Samples of layouts that begin with a date and tell a level by its usual name."""
    return [
        (layout, sample["text"])
        for layout in default_layouts().text_layouts
        for sample in layout.samples
        if re.match(r"\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d", sample["text"])
        and not layout.line_above
        and any(f"{level} " in sample["text"][:80] for level in ("INFO", "WARN", "ERROR"))
    ]


SAMPLES = _dated_samples()


@pytest.mark.parametrize("name", ["h1: ", "orders-6f7 app ", "prod orders-6f7 app › ", "a/b: "])
def test_a_dated_line_behind_names_is_read_as_without_them(name: str) -> None:
    """Which tool put them there does not matter."""
    assert len(SAMPLES) > 10
    layouts = default_layouts()
    for _, text in SAMPLES:
        alone, behind = unwrap(text), unwrap(name + text)
        read = layouts.read(behind.inner)
        assert read is not None
        assert read == layouts.read(alone.inner)
        assert behind.process


@pytest.mark.parametrize(
    "text",
    [
        "info 2026-11-21 15:46:19,566 ERROR open",
        "pool-1-thread-1 2026-11-21 15:46:19,566 INFO open",
        "http-nio-8080-exec-1 2026-11-21 15:46:19,566 INFO open",
        "main 2026-11-21 15:46:19,566 INFO open",
        "last seen: 2026-11-21 15:46:19",
        "started at 2026-11-21 15:46:19 by INFORMERS",
        "build.date: 2026-11-21 15:46:19",
        "berth[30m] is long",
    ],
)
def test_words_before_a_date_are_no_process(text: str) -> None:
    """A level, a thread, a value of the configuration, a sentence."""
    assert unwrap(text).process is None
    assert unwrap(text).inner == text


@given(st.binary(max_size=40).filter(lambda value: b"\r" not in value))
def test_a_value_of_any_bytes_ends_where_its_length_says(value: bytes) -> None:
    """A line feed, and an equals sign, are a part of it."""
    block = b"A=1\nMESSAGE\n" + len(value).to_bytes(8, "little") + value + b"\n_PID=4"
    fields = _journal_fields(block)
    assert fields.get("MESSAGE", "") == value.decode("utf-8", "replace")
    assert (fields["A"], fields["_PID"]) == ("1", "4")
