"""What tools put around a program's lines (prefixes, JSON objects), taken off so that a layout can read what is inside."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml
from attrs import evolve, field, frozen

from statemachines.logs.engines import LINE_LIMIT
from statemachines.logs.json_layout import json_object, look_up
from statemachines.logs.reading import with_plain_blanks
from statemachines.logs.times import LONGEST_NUMBER, Moment, read_time

_FIRST = {
    "{": "{",
    "[": "[",
    "digit": string.digits,
    "letter": string.ascii_letters + " ",
    "lower": string.ascii_lowercase + string.digits,
    "sign": "#*>|/;- \t",
    "path": string.ascii_letters + string.digits + "./_ ",
    "syslog": string.ascii_uppercase + string.digits + "<",
}
_UNWRAPPED = re.compile(r"\[?\d\d(?:\d\d-\d\d-\d\d |:\d\d:)")
"""No wrapper begins like this, and most programs' own lines do."""
_DEPTH = 4
"""How many wrappers may stand around one another (syslog around docker around compose)."""
_COLOURS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")


@frozen(slots=True)
class Peeled:
    """A line without what tools put around it."""

    inner: str
    process: str | None = None
    """Container, pod or host, None where nothing told it."""
    stream: str | None = None
    """`stdout` or `stderr`."""
    moment: Moment | None = None
    """When the line was captured."""
    partial: bool = False
    """The program's line goes on in the next line of the same process and stream."""
    rest: tuple[str, ...] = ()
    """Further lines of the program that one wrapped line held."""
    wrapped: bool = False

    @property
    def key(self) -> tuple[str | None, str | None, bool]:
        """What lines of the same origin share."""
        return self.process, self.stream, self.wrapped


@frozen(slots=True)
class Wrapper:
    """One kind of wrapper, read by a regular expression or as a JSON object."""

    name: str
    regex: re.Pattern[str] | None
    keys: Mapping[str, Any]
    when: tuple[str, ...]
    first: str
    """The characters with which such a line may begin."""
    samples: tuple[Mapping[str, Any], ...] = field(default=(), eq=False)

    def peel(self, outer: Peeled) -> Peeled | None:
        """Take this wrapper off; None where the line has none of this kind."""
        if self.regex is not None:
            found = self.regex.fullmatch(outer.inner)
            return _by_regex(outer, found.groupdict()) if found else None
        told = json_object(outer.inner) if outer.inner.startswith("{") else None
        if told is None or any(look_up(told, key) is None for key in self.when):
            return None
        return self._by_keys(outer, told)

    def _by_keys(self, outer: Peeled, told: Mapping[str, Any]) -> Peeled | None:
        text = _said(self._first(told, "inner"))
        if text is None:
            return None
        names = [name for what in ("process", "process2") if isinstance(name := self._first(told, what), str)]
        stream = self._first(told, "stream")
        first, *rest = text.split("\n")
        return evolve(
            outer,
            inner=first.rstrip("\r"),
            rest=(*(without_colours(line) for line in rest if line), *outer.rest),
            process=_joined(outer.process, "/".join(names)),
            stream=stream if isinstance(stream, str) else outer.stream,
            moment=self._captured(told) or outer.moment,
            partial=not rest and len(text.encode("utf-8", "replace")) >= self.keys.get("goes_on", LINE_LIMIT),
            wrapped=True,
        )

    def _first(self, told: Mapping[str, Any], what: str) -> object:
        return next((value for key in _several(self.keys.get(what)) if (value := look_up(told, key)) is not None), None)

    def _captured(self, told: Mapping[str, Any]) -> Moment | None:
        micros = str(self._first(told, "micros") or "")
        if micros.isdecimal() and len(micros) <= LONGEST_NUMBER:
            return Moment(int(micros) // 1000, zoned=True)
        time = self._first(told, "time")
        return read_time(time) if isinstance(time, str) else None


def _by_regex(outer: Peeled, told: Mapping[str, str | None]) -> Peeled:
    process = "/".join(part for part in (told.get("process"), told.get("process2")) if part) or None
    time = told.get("time")
    return evolve(
        outer,
        inner=told["inner"] or "",
        process=_joined(outer.process, process),
        stream=told.get("stream") or outer.stream,
        moment=(read_time(time) if time else None) or outer.moment,
        partial=bool(told.get("partial")),
        wrapped=True,
    )


def _joined(outer: str | None, inner: str | None) -> str | None:
    return f"{outer}/{inner}" if outer and inner else outer or inner or None


def _several(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value] if value else []


def _said(value: object) -> str | None:
    """A text; journald writes one with colours or bad bytes as a list of byte values."""
    if isinstance(value, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in value):
        return bytes(value).decode("utf-8", "replace")
    return value if isinstance(value, str) else None


def without_colours(text: str) -> str:
    """Take terminal colours and other escape sequences out, and read blanks of other kinds as blanks."""
    text = with_plain_blanks(text)
    return _COLOURS.sub("", text) if "\x1b" in text else text


def peel(text: str) -> Peeled:
    """Take off every wrapper of a line, from outside to inside, and its colours."""
    peeled = Peeled(without_colours(text))
    if _UNWRAPPED.match(peeled.inner):
        return peeled
    for _ in range(_DEPTH):
        inner = _once(peeled)
        if inner is None:
            break
        peeled = evolve(inner, inner=without_colours(inner.inner))
    return peeled


def _once(outer: Peeled) -> Peeled | None:
    first = outer.inner[:1]
    for wrapper in default_wrappers() if first else ():
        if first in wrapper.first and (found := wrapper.peel(outer)) is not None:
            return found
    return None


@cache
def default_wrappers() -> tuple[Wrapper, ...]:
    """The wrappers that are shipped, in the order in which they are tried."""
    text = (resources.files("statemachines.logs") / "layouts" / "wrappers.yaml").read_text(encoding="utf-8")
    rows = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["wrappers"]
    return tuple(
        Wrapper(
            row["name"],
            re.compile(row["regex"], re.DOTALL) if "regex" in row else None,
            row.get("json", {}),
            tuple(row.get("when", ())),
            _FIRST[row.get("first", "{")],
            tuple(row.get("samples", ())),
        )
        for row in rows
    )
