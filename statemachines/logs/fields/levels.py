"""Level names, as programs and transports write them, to the six of `Record.level`."""

from __future__ import annotations

LEVEL_NAMES = {
    **{name: name for name in ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")},
    "WARNING": "WARN", "SEVERE": "ERROR", "CRITICAL": "FATAL", "NOTICE": "INFO", "CONFIG": "INFO",
    "FINE": "DEBUG", "FINER": "TRACE", "FINEST": "TRACE", "ERR": "ERROR",
    **{name[0]: name for name in ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")},
    "A": "INFO", "S": "ERROR", "V": "TRACE", "CRIT": "FATAL", "ALERT": "FATAL", "EMERG": "FATAL",
    "INFORMATION": "INFO", "INFORMATIONAL": "INFO",
    "VRB": "TRACE", "TRCE": "TRACE", "DBG": "DEBUG", "DBUG": "DEBUG", "INF": "INFO",
    "WRN": "WARN", "FTL": "FATAL", "PANIC": "FATAL", "SCHWERWIEGEND": "ERROR", "WARNUNG": "WARN",
    "GRAVE": "ERROR", "AVERTISSEMENT": "WARN", "ADVERTENCIA": "WARN",
}  # fmt: skip
"""From an upper-case name to ours."""
_WORDS_TOO = {"LOG": "INFO", "SUCCESS": "INFO", "fail": "ERROR"}
"""Names that are common words: levels in this case only."""

LOUD_LEVELS = frozenset({"ERROR", "FATAL"})
"""Levels of what a program itself calls trouble."""
WARNING_LEVELS = LOUD_LEVELS | {"WARN"}
"""Levels of what a program itself calls out of the ordinary."""
WARNING_WORDS = (
    b"ERROR", b"FATAL", b"SEVERE", b"CRITICAL", b"WARN", b'"error"', b'"fatal"', b'"warn',
    b"level=error", b"level=fatal", b"level=warn",
)  # fmt: skip
"""What a line at such a level holds, as most layouts write it: cheap to look for in bytes."""

_SYSLOG_LEVELS = ("FATAL", "FATAL", "FATAL", "ERROR", "WARN", "INFO", "INFO", "DEBUG")
_LOGBACK_LEVELS = {
    5000: "TRACE",
    10000: "DEBUG",
    20000: "INFO",
    30000: "WARN",
    40000: "ERROR",
    50000: "FATAL",
}

LEVEL_REGEX = "[A-Za-z]{3,13}"
"""A regular expression, without groups, that every level name matches; `level_of` tells whether a
word is one.
"""


def parse_level(written: object) -> str | None:
    """Normalise a level.

    Args:
        written: a name in any case, a syslog severity (0 to 7) or a logback number (5000 to
            50000), as text or number.

    Returns:
        TRACE, DEBUG, INFO, WARN, ERROR or FATAL; None for anything else.

    Source: RFC 5424, The Syslog Protocol, 2009, section 6.2.1, for severities.
    """
    if isinstance(written, bool) or written is None:
        return None
    text = str(written).strip()
    if text.isdecimal() and len(text) <= 5:
        number = int(text)
        return (
            _SYSLOG_LEVELS[number] if number < len(_SYSLOG_LEVELS) else _LOGBACK_LEVELS.get(number)
        )
    return LEVEL_NAMES.get(text.upper()) or _WORDS_TOO.get(text)
