"""What a log, or a group of its lines, says once: `logger`, `level`, `prefix` and `in`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attrs import evolve

from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_items,
    node_text,
    node_texts,
)

_MOST_TEXTS = 2_000
"""Of one log: beyond it nothing is written out."""
_DEFAULTS = ("logger", "level", "prefix")
_Entry = tuple[YamlScalar, YamlNode]
_Defaults = dict[str, _Entry]


def lines_written_out(log: YamlMapping) -> YamlMapping:
    """Return a log in which each line carries what it shares with others; no groups are left.

    Args:
        log: the value of `log`.

    Returns:
        A mapping whose lines stand in one list.
    """
    lines = log.get("lines")
    outer = _own_defaults(log)
    if not isinstance(lines, YamlSequence) or not (outer or _has_groups(lines)):
        return log
    written = YamlSequence(tuple(_up_to_most_texts(_written_lines(lines, outer))), lines.span)
    return _with_entries(
        log,
        {name.text: (name, written) for name, _ in log.entries if name.text == "lines"},
        without=_DEFAULTS,
    )


def _up_to_most_texts(lines: Iterator[YamlNode]) -> Iterator[YamlNode]:
    """Yield lines until they have more texts than a log may have, which a later pass reports."""
    texts = 0
    for line in lines:
        yield line
        texts += len(node_items(line.get("text"))) if isinstance(line, YamlMapping) else 0
        if texts > _MOST_TEXTS:
            return


def _has_groups(lines: YamlSequence) -> bool:
    return any(isinstance(line, YamlMapping) and line.get("lines") is not None for line in lines)


def _written_lines(lines: YamlSequence, outer: _Defaults) -> Iterator[YamlNode]:
    """Yield the lines of a list, those of its groups in their place."""
    for line in lines:
        if not isinstance(line, YamlMapping):
            yield line
        elif line.get("lines") is None:
            yield _written_line(line, outer)
        else:
            shared = outer | _own_defaults(line) | _own_releases(line)
            yield from (
                _written_line(inner, shared)
                for inner in node_items(line.get("lines"))
                if isinstance(inner, YamlMapping)
            )


def _own_defaults(node: YamlMapping) -> _Defaults:
    return {name.text: (name, value) for name, value in node.entries if name.text in _DEFAULTS}


def _own_releases(node: YamlMapping) -> _Defaults:
    return {name.text: (name, value) for name, value in node.entries if name.text == "in"}


def _written_line(line: YamlMapping, shared: _Defaults) -> YamlMapping:
    """Return a line with what it shares and does not say itself."""
    if not shared:
        return line
    added = {name: entry for name, entry in shared.items() if name in ("logger", "level")}
    if "in" in shared:
        added["in"] = _cut_releases(line.key_scalar("in"), line.get("in"), shared["in"])
    texts, key = line.get("text"), line.key_scalar("text")
    prefixes = node_texts(line.get("prefix") or shared.get("prefix", (None, None))[1])
    if texts is not None and key is not None and any(prefixes):
        added["text"] = key, _with_prefixes(texts, prefixes)
    taken = {name: entry for name, entry in added.items() if name in ("in", "text")}
    taken |= {name: entry for name, entry in added.items() if line.get(name) is None}
    return _with_entries(line, taken, without=("prefix",))


def _with_entries(
    node: YamlMapping, entries: _Defaults, *, without: tuple[str, ...] = ()
) -> YamlMapping:
    """Return a mapping with some entries in place of its own, new ones at its end."""
    own = {name.text: (name, value) for name, value in node.entries if name.text not in without}
    return YamlMapping(tuple((own | entries).values()), node.span)


def _cut_releases(name: YamlScalar | None, own: YamlNode | None, outer: _Entry) -> _Entry:
    """Return the `in` of a line of a group that has one: both hold."""
    if name is None or not isinstance(own, YamlScalar):
        return outer
    return name, evolve(own, text=f"{node_text(outer[1])} & {own.text}")


def _with_prefixes(texts: YamlNode, prefixes: tuple[str, ...]) -> YamlNode:
    """Return each text of a line behind each of some prefixes."""
    scalars = [text for text in node_items(texts) if isinstance(text, YamlScalar)]
    pairs = itertools.islice(itertools.product(scalars, prefixes), _MOST_TEXTS + 1)
    whole = tuple(evolve(text, text=prefix + text.text) for text, prefix in pairs)
    return whole[0] if len(whole) == 1 else YamlSequence(whole, texts.span)
