"""What stands before a wording where no layout knows it: contexts in brackets, columns, a thread, a
logger, levels.

Layouts read a line without knowing what programs say. Here the wordings are known, so where the
message begins is no guess: what is left before it must be made of nothing but what layouts are made
of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import tzinfo
from functools import cache

from attrs import evolve

from statemachines.logs import TIME_REGEX, Loggers, in_zone, parse_level, parse_time
from statemachines.logs.fields.levels import LEVEL_NAMES
from statemachines.logs.fields.log_times import Timestamp
from statemachines.model.evidence.records import Record
from statemachines.model.late_patterns import late_pattern

_LONGEST_HEADER = 300
"""Characters of a message among which a wording must begin."""
_MOST_PARTS = 16
_CAPITALS = "|".join(sorted(LEVEL_NAMES, key=len, reverse=True))
_NO_CAPITALS = "|".join(name.lower() for name in LEVEL_NAMES if len(name) > 1)
_DAY = r"\d{4}[-/.]\d\d[-/.]\d\d[T ]"
_NO_EXCEPTION = r"(?![\w$.]*(?:Exception|Error)\b)"


@cache
def _header_part() -> re.Pattern[str]:
    """Compile what stands before a message: it takes as long as judging some lines, and most logs
    have a layout that is known.
    """
    return re.compile("|".join(_HEADER_PARTS))


_HEADER_PARTS = (
    rf"(?P<time>{TIME_REGEX})(?!\w)",
    r"(?P<seconds>\d\.\d{1,17}e\+\d\d)(?=\s)",
    r"\d{1,2}:\d\d ?[AP]M(?=\s)",
    r"(?:Virtual)?Thread\[(?:#\d+,)?(?P<named>[^\],]{1,120})[^\]]{0,120}\]",
    r"\[(?P<bracket>[^\[\]]{0,200}(?:\[[^\[\]]{0,100}\][^\[\]]{0,100}){0,4})\]",
    r"\((?P<round>[^()]{1,120})\)",
    (
        rf"(?P<logger>{_NO_EXCEPTION}[A-Za-z_$][\w$]*(?:(?:\.|::)[\w$-]+)+)(?::\d+|"
        r" ?\([\w$.]+:\d+\)|\[[\w-]{1,60}\])?(?=[\s,;|\]\"':]|$)"
    ),
    rf"{_NO_EXCEPTION}[A-Za-z_][\w*-]{{0,60}}(?::[\w*-]{{1,60}})+(?=\s)",
    r"[A-Za-z_][\w.:]{0,60}\{[^{}]{0,200}\}(?=[\s:])",
    r"(?:[\w-]{1,60} +)?ThreadId\(\d{1,9}\)(?=\s)",
    r"[\w./-]{1,60}/\d{1,7}(?: on [\w.-]{1,100})?(?=:\s)",
    r"[A-Za-z_]\w{0,60}(?= +\d{1,7} +\d{3,20}\s)",
    r"[\w.$:>-]{1,120}\(\)(?=[\s:])",
    r"(?:[\w.-]{1,60}:)+(?= \w{1,60}::)",
    r"[A-Za-z_][\w.]{0,60}=[^\s,;|\]\"]{0,120}(?=[\s,;|])",
    r"<[^<>]{1,120}>",
    r"\{[^{}]{0,120}\}",
    r"\d{1,9}:[A-Z](?=\s)",
    r"(?P<letter>[FEWID]) +[A-Z][A-Z0-9_|-]{1,20}(?= +\[)",
    r"(?P<initial>[FEWIDV])/[\w.$-]{1,60}\( *\d{1,7}\)",
    r"(?:Default|Info|Debug|Error|Fault)(?= +0x[0-9a-f])",
    r"[\w.-]{1,60}: (?=\([\w.-]{1,60}\) )",
    r"Log[A-Z]\w{1,40}: (?:Fatal|Error|Warning|Display|Log|Verbose|VeryVerbose)(?=:)",
    r"(?:[\w./\\$-]{1,120}\.[A-Za-z]{1,5}|@?[\w.$-]{1,120}:[\w$<>]{1,60}):\d{1,9}\]?(?=[\s,;|:]|$)",
    r"\d{1,9}#\d{1,9}(?=[\s:])",
    rf"(?P<level>(?:{_CAPITALS}|LOG)(?=[\s,;|\]\"':]|\[\d)|(?:{_NO_CAPITALS})(?=[\t|\]:]))",
    r"[\w.-]{1,60}\[\d{1,7}(?::\w{1,16})?\](?=[\s:])",
    rf"[\w./@-]{{1,60}}:?(?= +\[?{_DAY})",
    r"(?:0x)?[0-9a-fA-F]{1,16}(?=[\s,;|\"])",
    r"(?P<column>[\w.@/$-]{1,120})(?= *[,;|\t\"])",
    r"(?P<context>[\w.@/$-]{1,60})(?= +[-–—]{1,2} )",
    r"(?:msg|message|event)=[\"'](?!\s)",
    r"(?P<name>[A-Za-z_][\w.$]{0,80})(?:#[\w$<>]{1,60})?(?::\d{1,9}|\[\d{1,9}\])?(?=[\s:;,|])",
    r"[-–—]{1,3}|[:|;,>#*=~\"/]{1,4}",
    "[\u2100-\u2bff\ufe0f\U0001f000-\U0001faff]{1,4}",
)
_EPOCH = late_pattern(r"\d{10}\.\d{3,9}")
_METHOD = late_pattern(r"[ \t]+(?:[a-z]\w{0,60}|<\w{1,20}>)[ \t]+")
"""The method that called a logger, where a layout writes it behind the class."""
_LEVEL_BEFORE = late_pattern(r"(?P<word>\S{1,40}[ \t]+)?(?P<level>[A-Za-z]{3,13})[ \t]+$")
_BLANKS = late_pattern(r"[ \t]+")
_TAIL = late_pattern(
    r"(?: \((?P<logger>[A-Za-z_$][\w$.]{0,200})(?::\d{1,9})?\))?(?: \[(?P<thread>[^\[\]]{0,200})\]|"
    r" \{[^{}]{0,200}\})?[\"']?$"
)
_PAIRS_TAIL = late_pattern(
    r"[\"']?:?(?:[ \t]+\[[\w.$:-]{1,200}\])?"
    r"(?:[ \t]+\{.*\}|(?:[ \t]+[\w.@/-]{1,60}=(?:\"[^\"]{0,200}\"|[^\s\"]{0,200})){1,20}"
    r"|(?:, [A-Za-z_][\w.]{0,30}: [^,]{0,200}){1,20}"
    r"|[ \t]+\+\d{1,9}(?:ms|[smh])|[ \t]{2,}[\w./-]{1,120}\.\w{1,5}:\d{1,9}|[ \t]*\|.*)$"
)
"""What structured loggers write behind a message: an object, `key=value` pairs, `, key: value`, the
time since the line before, a place in the source, a column.
"""
_PROCESS_NAME = late_pattern(
    r"(?!(?i:.*(?:thread|exec|pool|task|worker|main)))[A-Za-z]{1,20}[-_]?\d{1,3}"
)


def records_without_header(
    record: Record, leads: tuple[str, ...], loggers: Loggers, zone: tzinfo | None = None
) -> Iterator[Record]:
    """Yield a record as it may also be read: with what its layout took for a level or a tail, with
    less and less of what stands before a message, and without what stands behind it.

    Args:
        record: that no wording fits.
        leads: with what wordings begin that begin with a bracket; such a bracket is a part of the
            message.
        loggers: that the wordings have; their names may stand where no other word may.
        zone: where times without zone were written.

    Limits: the first 300 characters, 16 parts.
    Complexity: linear in these.
    """
    yield from _with_taken_words(record)
    yield from _without_tail(record)
    text, at = record.message, 0
    for _ in range(_MOST_PARTS):
        at = _past_blanks(text, at)
        if at > _LONGEST_HEADER or (text[at : at + 1] == "[" and text.startswith(leads, at)):
            return
        match = _header_part().match(text, at)
        if match is None or not _is_header(match, record, loggers):
            return
        record = _with_part_time(_with_part_fields(record, match, first=at == 0), match, zone)
        at = _past_blanks(text, match.end())
        shorter = evolve(record, message=text[at:])
        if shorter.message:
            yield shorter
            yield from _without_tail(shorter)
            yield from _without_method(shorter, match)


def _is_header(part: re.Match[str], record: Record, loggers: Loggers) -> bool:
    """Say whether a word that may be one of a message is none: behind a logger, or one that is
    known.
    """
    if part["name"]:
        name = part["name"]
        full = loggers.full_name(name)
        return full is not None and (full == name or not name.islower())
    return not part["context"] or record.logger is not None


def _with_taken_words(record: Record) -> Iterator[Record]:
    """Yield a record with the words at the ends of its message that a layout took for a level
    (`Error 7 was cleared`) or for a logger (`order 7 was placed (shop)`).
    """
    at = record.text.rfind(record.message)
    if at < 0 or not record.message:
        return
    end = at + len(record.message)
    after = record.text[end:].rstrip()
    before = _LEVEL_BEFORE.search(record.text, max(0, at - _LONGEST_HEADER), at)
    is_taken = before is not None and parse_level(before["level"]) == record.level
    word = before[0][len(before["word"] or "") :] if before and is_taken else ""
    if word:
        yield evolve(record, message=word + record.message, level=None)
    if before and is_taken and before["word"] and record.at_ms is None:
        yield evolve(record, message=before[0] + record.message, level=None, logger=None)
    if after:
        yield evolve(record, message=record.message + after, logger=None)
    if word and after:
        yield evolve(record, message=word + record.message + after, level=None, logger=None)


def _without_method(record: Record, part: re.Match[str]) -> Iterator[Record]:
    """Yield a record without the method that stands behind the class that is its logger."""
    match = _METHOD.match(part.string, part.end())
    if part["logger"] and match and part["logger"].rpartition(".")[2][:1].isupper():
        yield evolve(record, message=part.string[match.end() :])


def _past_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _with_part_fields(record: Record, part: re.Match[str], *, first: bool) -> Record:
    """Take what a part tells where the layout told nothing of it."""
    bracket = (part["bracket"] or "").strip()
    logger, thread = part["logger"] or part["name"], part["named"] or part["round"]
    level = part["level"] or part["letter"] or part["initial"]
    if bracket.isalpha() and record.level is None and parse_level(bracket):
        level = bracket
    elif (
        bracket
        and record.logger is None
        and re.fullmatch(r"[A-Za-z_$][\w$]*(?:\.[\w$-]+)+", bracket)
    ):
        logger = bracket
    elif (
        bracket
        and first
        and record.level is None
        and record.process is None
        and _PROCESS_NAME.fullmatch(bracket)
    ):
        return evolve(record, process=bracket)
    elif bracket and not _EPOCH.fullmatch(bracket):
        thread = bracket
    return evolve(
        record,
        logger=record.logger or logger,
        level=record.level or (parse_level(level) if level else None),
        thread=record.thread or thread,
    )


def _with_part_time(record: Record, part: re.Match[str], zone: tzinfo | None) -> Record:
    """Take a dated time where the layout told none, in brackets or not; one without date would need
    the lines before it.
    """
    if record.at_ms is not None:
        return record
    bracket = part["bracket"] or ""
    is_time = ":" in bracket or _EPOCH.fullmatch(bracket)
    moment = parse_time(part["time"] or (bracket if is_time else ""))
    if part["seconds"]:
        moment = Timestamp(int(float(part["seconds"]) * 1000), zoned=True)
    if moment is None or not moment.dated:
        return record
    moment = in_zone(moment, zone) if zone else moment
    return evolve(record, at_ms=moment.at_ms, dated=True, zoned=moment.zoned)


def _without_tail(record: Record) -> Iterator[Record]:
    """Yield a record without what stands behind its message: pairs, a logger and a thread."""
    start = max(0, len(record.message) - 2 * _LONGEST_HEADER)
    if pairs := _PAIRS_TAIL.search(record.message, start):
        yield evolve(record, message=record.message[: pairs.start()].rstrip())
    match = _TAIL.search(record.message, start)
    if match and match.start() < len(record.message):
        yield evolve(
            record,
            message=record.message[: match.start()].rstrip(),
            logger=record.logger or match["logger"],
            thread=record.thread or match["thread"],
        )
