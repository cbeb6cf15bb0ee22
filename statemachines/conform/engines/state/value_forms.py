"""Of what form values are that are kept: whether another version can take them as they are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import Enum
from typing import Any, get_args, get_type_hints

import attrs

_OURS = __name__.partition(".")[0]


def form_digest(*kinds: type, columns: Mapping[str, str]) -> str:
    """Return a digest of the fields, with their types, of all classes that values are made of.

    Args:
        kinds: Classes with fields; those that their fields name are found.
        columns: Of the rows that are kept beside them, by table.
    """
    by_class: dict[type, str] = {}
    for kind in kinds:
        _add_form(kind, by_class)
    forms = sorted(f"{kind.__qualname__}({form})" for kind, form in by_class.items())
    return hashlib.sha256(repr((forms, dict(columns))).encode()).hexdigest()


def _add_form(kind: Any, by_class: dict[type, str]) -> None:
    """Take in the form of a class, and of those that its fields name."""
    for part in get_args(kind):
        _add_form(part, by_class)
    if not isinstance(kind, type) or kind in by_class or kind.__module__.split(".")[0] != _OURS:
        return
    if issubclass(kind, Enum):
        by_class[kind] = ", ".join(member.name for member in kind)
        return
    types = get_type_hints(kind)
    names = [field.name for field in attrs.fields(kind)] if attrs.has(kind) else list(types)
    by_class[kind] = ", ".join(f"{name}: {types[name]}" for name in names)
    for name in names:
        _add_form(types[name], by_class)
