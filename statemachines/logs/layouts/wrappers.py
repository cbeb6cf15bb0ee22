"""What tools put around a program's lines (prefixes, JSON objects), taken off so that a layout can
read what is inside.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from functools import cache
from typing import Any

from attrs import evolve, field

from statemachines.logs.fields.log_times import LONGEST_NUMBER, Timestamp, parse_time
from statemachines.logs.layouts.json_layouts import parse_json_line, value_at_key
from statemachines.logs.layouts.parsed_lines import normalise_blanks
from statemachines.logs.search.engines import LINE_LIMIT
from statemachines.model.values import frozen

_FIRST_CHARACTERS = {
    "{": "{",
    "[": "[",
    "digit": string.digits,
    "letter": string.ascii_letters + " ",
    "lower": string.ascii_lowercase + string.digits,
    "names": string.ascii_lowercase + string.digits + "+",
    "sign": "#*>|/;-@ \t",
    "path": string.ascii_letters + string.digits + "./_ ",
    "syslog": string.ascii_uppercase + string.digits + "<",
}
TEXT_IN_BYTES = (b'"MESSAGE":[', b'"MESSAGE": [', b'"MESSAGE" : [')
"""What says that the text of a line stands in it as numbers of bytes, in which no word is found."""
_TAI_EPOCH = (1 << 62) + 10
"""1970 in the seconds of a TAI64N label, as the programs write them that do not count leap seconds.
"""
_COLOURS = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])"
    r"|(?:\^\[|#033)\[[0-9;]{0,12}m"
)
"""Also as `cat -v` (`^[`) and syslog daemons (`#033`) write the escape."""
_ESCAPES = ("\x1b", "^[", "#033")
_STRIPPED_COLOUR = re.compile(r"\[[0-9;]{1,12}m")
"""A colour whose escape character got lost on the way."""


@cache
def _compiled(regex: str) -> re.Pattern[str]:
    """Compile an expression when the first line begins as its wrapper does."""
    return re.compile(regex, re.DOTALL)


@frozen(slots=True)
class UnwrappedLine:
    """A line without what tools put around it."""

    inner: str
    process: str | None = None
    """Container, pod or host, None where nothing told it."""
    stream: str | None = None
    """`stdout` or `stderr`."""
    captured_at: Timestamp | None = None
    """When the line was captured."""
    is_partial: bool = False
    """The program's line goes on in the next line of the same process and stream."""
    further_lines: tuple[str, ...] = ()
    """Further lines of the program that one wrapped line held."""
    is_wrapped: bool = False

    @property
    def origin(self) -> tuple[str | None, str | None, bool]:
        """What lines of the same origin share."""
        return self.process, self.stream, self.is_wrapped


@frozen(slots=True)
class Wrapper:
    """One kind of wrapper, read by a regular expression or as a JSON object."""

    name: str
    regex: str | None
    keys: Mapping[str, Any]
    required_keys: tuple[str, ...]
    first_characters: str
    """The characters with which such a line may begin."""
    samples: tuple[Mapping[str, Any], ...] = field(default=(), eq=False)

    def unwrap(self, outer: UnwrappedLine) -> UnwrappedLine | None:
        """Take this wrapper off; None where the line has none of this kind.

        Args:
            outer: what is left of the line, with what was taken off before.

        Returns:
            The same with one wrapper less.
        """
        if self.regex is not None:
            match = _compiled(self.regex).fullmatch(outer.inner)
            return _unwrap_text(outer, match.groupdict()) if match else None
        keys = parse_json_line(outer.inner) if outer.inner.startswith("{") else None
        if keys is None or any(value_at_key(keys, key) is None for key in self.required_keys):
            return None
        return self._unwrap_json(outer, keys)

    def _unwrap_json(self, outer: UnwrappedLine, keys: Mapping[str, Any]) -> UnwrappedLine | None:
        text = _decoded_text(self._first_value(keys, "inner"))
        if text is None:
            return None
        names = [
            name
            for what in ("process", "process2")
            if isinstance(name := self._first_value(keys, what), str)
        ]
        stream = self._first_value(keys, "stream")
        first, *rest = text.split("\n")
        return evolve(
            outer,
            inner=first.rstrip("\r"),
            further_lines=(*(without_colours(line) for line in rest if line), *outer.further_lines),
            process=_joined_names(outer.process, "/".join(names)),
            stream=stream if isinstance(stream, str) else outer.stream,
            captured_at=self._capture_time(keys) or outer.captured_at,
            is_partial=not rest
            and len(text.encode("utf-8", "replace")) >= self.keys.get("goes_on", LINE_LIMIT),
            is_wrapped=True,
        )

    def _first_value(self, keys: Mapping[str, Any], what: str) -> object:
        return next(
            (
                value
                for key in _as_list(self.keys.get(what))
                if (value := value_at_key(keys, key)) is not None
            ),
            None,
        )

    def _capture_time(self, keys: Mapping[str, Any]) -> Timestamp | None:
        micros = str(self._first_value(keys, "micros") or "")
        if micros.isdecimal() and len(micros) <= LONGEST_NUMBER:
            return Timestamp(int(micros) // 1000, zoned=True)
        time = self._first_value(keys, "time")
        return parse_time(time) if isinstance(time, str) else None


def _unwrap_text(outer: UnwrappedLine, groups: Mapping[str, str | None]) -> UnwrappedLine:
    process = (
        "/".join(part for part in (groups.get("process"), groups.get("process2")) if part) or None
    )
    return evolve(
        outer,
        inner=groups["inner"] or "",
        process=_joined_names(outer.process, process),
        stream=groups.get("stream") or outer.stream,
        captured_at=_text_capture_time(groups) or outer.captured_at,
        is_partial=bool(groups.get("partial")),
        is_wrapped=True,
    )


def _text_capture_time(groups: Mapping[str, str | None]) -> Timestamp | None:
    """When a line was captured; seconds since the machine was started are a time without a date."""
    if time := groups.get("time"):
        return parse_time(time)
    if label := groups.get("tai"):
        seconds = int(label[:16], 16) - _TAI_EPOCH
        return Timestamp(1000 * seconds + int(label[16:], 16) // 1_000_000, zoned=True)
    uptime = groups.get("uptime")
    return Timestamp(int(uptime.replace(".", "")) // 1000, dated=False) if uptime else None


def _joined_names(outer: str | None, inner: str | None) -> str | None:
    return f"{outer}/{inner}" if outer and inner else outer or inner or None


def _as_list(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value] if value else []


def _decoded_text(value: object) -> str | None:
    """A text; journald writes one with colours or bad bytes as a list of byte values, and a field
    that it was given several times as a list of texts.
    """
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return "\n".join(value)
    if isinstance(value, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in value):
        return bytes(value).decode("utf-8", "replace")
    return value if isinstance(value, str) else None


def without_colours(text: str) -> str:
    """Take terminal colours and other escape sequences out, and read blanks of other kinds as
    blanks.

    Args:
        text: of a line.

    Returns:
        What a person would read.
    """
    text = normalise_blanks(text)
    if _STRIPPED_COLOUR.match(text):
        return _STRIPPED_COLOUR.sub("", text)
    return _COLOURS.sub("", text) if any(sign in text for sign in _ESCAPES) else text


def read_wrappers() -> tuple[Wrapper, ...]:
    """Read the wrappers that are shipped from their file, in the order in which they are tried."""
    # Imported where it is used: whoever has them from a cache needs no YAML.
    from importlib import resources

    import yaml

    text = (resources.files("statemachines.logs") / "layouts" / "wrappers.yaml").read_text(
        encoding="utf-8"
    )
    rows = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["wrappers"]
    return tuple(
        Wrapper(
            row["name"],
            row.get("regex"),
            row.get("json", {}),
            tuple(row.get("when", ())),
            _FIRST_CHARACTERS[row.get("first", "{")],
            tuple(row.get("samples", ())),
        )
        for row in rows
    )
