"""Files that this program writes or is given, which lie among logs: they quote lines of logs, and
would be judged as if those had been logged once more.
"""

from __future__ import annotations

import re

OWN_REPORT = (
    "a report, or something else that statemachines wrote, and no log: nothing of it is read"
)
SPEC_FILE = "a spec, and no log: nothing of it is read (--spec names what logs are judged by)"
_VERDICT = rb"(?:HOLDS|INCONCLUSIVE|VIOLATED)"
_HEALTH = rb"(?:ILL|HEALED|OVER|WELL|UNKNOWN)"
_OWN_BEGINNINGS = re.compile(
    rb"\s*(?:"
    rb'\{\s*"format"\s*:\s*"statemachines\.(?:report|baseline|trend|exploration|difference|mutation)/'
    rb'|\{\s*"\$schema"\s*:\s*"[^"\n]*sarif[^"\n]*"[^[]*"runs"\s*:\s*\[[^[]{0,200}"statemachines"'
    rb'|\{"change": "(?:opened|healed|forbidden|withdrawn|summary)", "'
    rb'|<\?xml[^>\n]*>\s*<testsuites name="' + _VERDICT + rb"   "
    rb"|" + _HEALTH + rb"   [^\n]*\n" + _VERDICT + rb"   "
    rb"|# " + _HEALTH + rb": [^\n]*\n\n\*\*" + _VERDICT + rb"\*\*: "
    rb"|machine,instance,process,life,at,at_ms,from,to,how,"
    rb"|kind,verdict,machine,instance,process,at,at_ms,file,line,"
    rb"|(?:\xe2\x9c\x97|\xe2\x97\x8b) [^\n]*   (?:since|at|after) "
    rb")"
)
"""How the reports begin, in every form but HTML, and what is printed of logs that are followed."""
_NOTATION = re.compile(rb"^notation:[ \t]*\d", re.MULTILINE)
_SPEC_OF = re.compile(rb"^(?:machine|system|family):", re.MULTILINE)


def own_file_reason(head: bytes) -> str | None:
    """Return why a file is no log, though it may hold lines of one.

    Args:
        head: its first bytes, in UTF-8.

    Returns:
        That it is a report, or a spec; None of any other file.

    >>> own_file_reason(b"notation: 1\\nmachine: Turnstile\\n")[:6]
    'a spec'
    >>> own_file_reason(b"12:00:01 INFO the turnstile has opened\\n") is None
    True
    """
    if _OWN_BEGINNINGS.match(head):
        return OWN_REPORT
    if b"notation:" in head and _NOTATION.search(head) and _SPEC_OF.search(head):
        return SPEC_FILE
    return None
