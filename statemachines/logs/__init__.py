"""Files to records: compression, prefixes, layouts, times and the literal scanner.

Knows nothing of machines.
"""

from statemachines.logs.fields.levels import LOUD_LEVELS, WARNING_LEVELS, WARNING_WORDS, parse_level
from statemachines.logs.fields.log_times import (
    LONGEST_NUMBER,
    TIME_REGEX,
    ClockSpan,
    Midnights,
    Timestamp,
    in_zone,
    parse_time,
)
from statemachines.logs.layouts.layout_files import load_layout_file
from statemachines.logs.layouts.shipped_layouts import default_layouts
from statemachines.logs.layouts.text_layouts import LayoutError, Layouts
from statemachines.logs.layouts.wrappers import TEXT_IN_BYTES
from statemachines.logs.records.physical_lines import first_and_last_times
from statemachines.logs.records.record_scan import NO_LAYOUT, RecordScan, scan
from statemachines.logs.records.wordless_records import LoudRecord, UnreadRecord
from statemachines.logs.search.loggers import Loggers, is_abbreviation, make_loggers
from statemachines.logs.search.scanner import Scanner
from statemachines.logs.storage.open_logs import (
    OpenLog,
    chunk_ranges,
    open_log,
    unread_reason,
)
from statemachines.logs.storage.rotated_files import rotated_away, rotation_key

__all__ = [
    "LONGEST_NUMBER",
    "LOUD_LEVELS",
    "NO_LAYOUT",
    "TEXT_IN_BYTES",
    "TIME_REGEX",
    "WARNING_LEVELS",
    "WARNING_WORDS",
    "ClockSpan",
    "LayoutError",
    "Layouts",
    "Loggers",
    "LoudRecord",
    "Midnights",
    "OpenLog",
    "RecordScan",
    "Scanner",
    "Timestamp",
    "UnreadRecord",
    "chunk_ranges",
    "default_layouts",
    "first_and_last_times",
    "in_zone",
    "is_abbreviation",
    "load_layout_file",
    "make_loggers",
    "open_log",
    "parse_level",
    "parse_time",
    "rotated_away",
    "rotation_key",
    "scan",
    "unread_reason",
]  # fmt: skip
