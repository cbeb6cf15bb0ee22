"""Files to records: compression, prefixes, layouts, times and the literal scanner. Knows nothing of machines."""

from statemachines.logs.ends import first_and_last
from statemachines.logs.files import NOT_TEXT, Log, open_log, pieces
from statemachines.logs.layout import LayoutError, Layouts
from statemachines.logs.levels import level_of
from statemachines.logs.loading import chosen_layouts, default_layouts, load_layout_file
from statemachines.logs.loggers import Loggers, is_shortened, loggers_of
from statemachines.logs.midnights import Clock, Midnights
from statemachines.logs.rotation import rotation
from statemachines.logs.scan import PLAIN, Scan, Unread, scan
from statemachines.logs.scanner import Scanner
from statemachines.logs.times import LONGEST_NUMBER, TIME, Moment, in_zone, read_time

__all__ = [
    "LONGEST_NUMBER", "NOT_TEXT", "PLAIN", "TIME", "Clock", "LayoutError", "Layouts", "Log", "Loggers",
    "Midnights", "Moment", "Scan", "Scanner", "Unread", "chosen_layouts", "default_layouts",
    "first_and_last", "in_zone", "is_shortened", "level_of", "load_layout_file", "loggers_of", "open_log",
    "pieces", "read_time", "rotation", "scan",
]  # fmt: skip
