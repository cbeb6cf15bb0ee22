"""What a step changed of its variables, for a person: of a large value only what is otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.messages.value_text import format_literal

MOST_WHOLE_CHARACTERS = 40
"""Characters of a set, list or record up to which it is shown whole."""


def changed_texts(before: Mapping[str, Value], after: Mapping[str, Value]) -> Iterator[str]:
    """Yield what variables hold that they did not hold before.

    Args:
        before: the values of before, by name.
        after: those of after; their order is kept.

    Yields:
        Texts such as `held[a]=1`, `no held[b]` of a key that is gone, `sent + 'ask'`,
        `sent - 'ask'`, `queue=queue[1:]`, `card.rank=3`, or the whole value: `n=1`.
    """
    for name, value in after.items():
        if name not in before:
            yield f"{name}={format_literal(value)}"
        elif before[name] != value:
            yield from changed_value_texts(name, before[name], value)


def changed_value_texts(name: str, before: Value, after: Value) -> Iterator[str]:
    """Yield what one value holds that it did not hold before; see `changed_texts`.

    Args:
        name: of the variable.
        before: the value of before.
        after: another value.

    Yields:
        The value as a whole where that is as short as what changed.
    """
    whole = format_literal(after)
    if isinstance(before, FrozenMap) and isinstance(after, FrozenMap):
        missing = [f"no {_entry_name(name, key)}" for key in before if key not in after]
        other = [key for key in after if key not in before or before[key] != after[key]]
        if len(other) + len(missing) < max(len(after), 1):
            yield from missing
            for key in other:
                yield from _entry_texts(_entry_name(name, key), before, after, key)
            return
    parts = [*_part_texts(name, before, after)]
    is_long = len(whole) > max(MOST_WHOLE_CHARACTERS, len("  ".join(parts)))
    yield from parts if parts and is_long else [f"{name}={whole}"]


def _entry_name(name: str, key: Value) -> str:
    return f"{name}[{format_literal(key)}]"


def _entry_texts(
    entry: str, before: FrozenMap[Value, Value], after: FrozenMap[Value, Value], key: Value
) -> Iterator[str]:
    if key in before:
        yield from changed_value_texts(entry, before[key], after[key])
    else:
        yield f"{entry}={format_literal(after[key])}"


def _part_texts(name: str, before: Value, after: Value) -> Iterator[str]:
    """Yield what came into a set, list or record and what left it; nothing where all is new."""
    if isinstance(before, frozenset) and isinstance(after, frozenset) and before & after:
        yield from (f"{name} + {text}" for text in sorted(map(format_literal, after - before)))
        yield from (f"{name} - {text}" for text in sorted(map(format_literal, before - after)))
    elif _is_record(before) and type(before) is type(after):
        yield from _field_texts(name, before, after)
    elif isinstance(before, tuple) and isinstance(after, tuple) and not _is_record(after):
        yield from _list_texts(name, before, after)


def _field_texts(name: str, before: Any, after: Any) -> Iterator[str]:
    pairs = zip(before._fields, before, after, strict=True)
    changed = [(field, old, new) for field, old, new in pairs if old != new]
    for field, old, new in changed if len(changed) < len(after) else ():
        yield from changed_value_texts(f"{name}.{field}", old, new)


def _list_texts(name: str, before: tuple[Value, ...], after: tuple[Value, ...]) -> Iterator[str]:
    if before and after[: len(before)] == before:
        yield f"{name} + {format_literal(after[len(before) :])}"
    elif after and before[-len(after) :] == after:
        yield f"{name}={name}[{len(before) - len(after)}:]"


def _is_record(value: Value) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")
