"""Values as Python that a person may paste."""

from __future__ import annotations

from collections.abc import Mapping

from statemachines.model.definitions.snapshots import Value


def dict_literal(values: Mapping[str, Value]) -> str:
    """Write values as a mapping of Python.

    Args:
        values: by name.

    Returns:
        An expression that Python reads.
    """
    return (
        "{"
        + ", ".join(f"{name!r}: {python_literal(value)}" for name, value in values.items())
        + "}"
    )


def python_literal(value: Value) -> str:
    """Write a value as Python that a caller may give: records as mappings, sets of what has no hash
    as lists.

    >>> [python_literal(value) for value in (frozenset([2, 1]), ("a", None), frozenset([(1,)]))]
    ['{1, 2}', "['a', None]", '[[1]]']

    Args:
        value: as a snapshot has it.

    Returns:
        An expression that Python reads.
    """
    fields = getattr(value, "_fields", None)
    if isinstance(value, tuple) and fields is not None:
        return dict_literal(dict(zip(fields, value, strict=True)))
    if isinstance(value, tuple):
        return "[" + ", ".join(map(python_literal, value)) + "]"
    if isinstance(value, frozenset):
        written = ", ".join(sorted(map(python_literal, value)))
        plain = all(item is None or isinstance(item, str | int) for item in value)
        return ("{" + written + "}" if value else "set()") if plain else f"[{written}]"
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(
                sorted(
                    f"{python_literal(key)}: {python_literal(item)}" for key, item in value.items()
                )
            )
            + "}"
        )
    return repr(value)
