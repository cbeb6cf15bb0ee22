"""What a reading depends on beside the log: where one of it differs, all is read anew."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.logs import Layouts
from statemachines.model.kept_values import files_below

_KEPT_FOLDERS = ("conform", "logs", "model", "notation", "semantics")
"""The folders of the package whose sources decide what is read in a line and how it is judged."""
VERSION = "version of statemachines"
"""The key of the package's own code."""
_PLURALS = ("specs", "layouts")


def reading_keys(plan: CheckPlan, layouts: Layouts, catalogue_digest: str = "") -> dict[str, str]:
    """Return what readings depend on, by the name that a message has for it, as digests.

    Args:
        plan: of the check.
        layouts: how lines may be laid out.
        catalogue_digest: of the specs' files, where it is known; else what was read in them is gone
            through.
    """
    return {
        VERSION: _sources_digest(),
        "specs": catalogue_digest or _specs_digest(plan),
        "layouts": _digest(_ordered_text(layouts)),
        "time zone": str(plan.options.zone),
    }


def _specs_digest(plan: CheckPlan) -> str:
    specs = [(spec.name, spec.sha256) for spec in plan.specs]
    lines = _ordered_text([(owner.name, owner.lines, owner.log) for owner in plan.owners])
    return _digest(repr(specs) + lines + _ordered_text(plan.families))


def judging_key(plan: CheckPlan) -> str:
    """Return what judgements depend on beside that, as a digest."""
    return _digest(_ordered_text((plan.options, sorted(plan.system_parts))))


def other_keys_text(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Return which keys of readings differ, in words: `other specs and another time zone`."""
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return " and ".join(f"{'other' if name in _PLURALS else 'another'} {name}" for name in names)


@cache
def _sources_digest() -> str:
    package = Path(__file__).parents[3]
    whole = hashlib.sha256()
    for folder in _KEPT_FOLDERS:
        for path in map(Path, files_below(package / folder, (".py", ".yaml"))):
            name = path.relative_to(package).as_posix()
            whole.update(f"{name}\n".encode() + path.read_bytes())
    return whole.hexdigest()


def _ordered_text(value: object) -> str:
    """Write a value the same in every process: sets have no order of their own."""
    return _Texts().text(value)


class _Texts:
    """Writes values as `repr` does, each once: what lines of a catalogue name they have in common.

    Complexity: a visit of each value, and of each field that names it.
    """

    def __init__(self) -> None:
        self._known = dict[int, str]()
        """By identity; all are of the value that is written, and stay as long as it does."""

    def text(self, value: Any) -> str:
        """Return a value as text."""
        if isinstance(value, str | int | None):
            return repr(value)
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = self._written(value)
        return known

    def _written(self, value: Any) -> str:
        kind: Any = type(value)
        if isinstance(value, tuple | list):
            return f"{kind.__name__}({','.join(map(self.text, value))})"
        if isinstance(value, frozenset | set):
            return f"{kind.__name__}({','.join(sorted(map(self.text, value)))})"
        if isinstance(value, Mapping):
            pairs = (f"{self.text(key)}:{self.text(value[key])}" for key in value)
            return f"{kind.__name__}({','.join(pairs)})"
        if isinstance(value, re.Pattern):  # `repr` shows no more than its beginning
            return f"pattern({value.pattern!r},{value.flags})"
        names = _shown_fields(kind)
        if names is None:
            return repr(value)
        return f"{kind.__name__}({','.join(self.text(getattr(value, name)) for name in names)})"


@cache
def _shown_fields(kind: type) -> tuple[str, ...] | None:
    """Return the names of the fields that a value is known by; None where it has none."""
    if not attrs.has(kind):
        return None
    return tuple(field.name for field in attrs.fields(kind) if field.repr)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
