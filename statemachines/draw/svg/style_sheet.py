"""The style sheet of a picture: every rule once in the light colours, once more for those who
prefer dark; and the classes by which it knows what a thing looks like.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterator

from statemachines.draw.graphs.graph import ChangeMark, Edge, LogEvidence, Node
from statemachines.draw.theme import DARK, FONT, LIGHT, Theme

ROOT_CLASS = "statemachine"
"""Class of every picture."""
_SHAPE_RULES = (
    ("text", f"font-family: {FONT}; font-size: 14px; text-anchor: middle"),
    (".small", "font-size: 12px"),
    (".left", "text-anchor: start"),
    (".right", "text-anchor: end"),
    (".title", "font-weight: bold"),
    (".state rect", "stroke-width: 1.3"),
    (".final rect + rect", "fill: none"),
    (".arrow path, .begin path", "fill: none; stroke-width: 1.3"),
    (".arrow text", "paint-order: stroke; stroke-width: 3px; stroke-linejoin: round"),
    (".silent path", "stroke-dasharray: 6 3.5"),
    (".untaken path", "stroke-dasharray: 1.5 3"),
    (".needs path", "stroke-dasharray: 2 3.5"),
    (".added path, .added rect", "stroke-width: 2.4"),
    (".removed path, .removed rect", "stroke-dasharray: 5 4"),
    (".never path, .never rect", "stroke-dasharray: 3 4"),
    (".forbidden path", "stroke-width: 2.6"),
    (".lit path, .lit rect", "stroke-width: 2.8"),
    (".bar rect", "stroke-width: 1"),
    (".bar.unknown rect, .bar.untold rect", "stroke-dasharray: 3 2.5"),
    (".bar.unknown rect", "fill-opacity: 0.35"),
    (".flag text", "font-weight: bold"),
)


def style_sheet(used: Collection[str]) -> tuple[str, str]:
    """Return the class that all rules are below, and the style sheet, one rule a line.

    The class is named for the rules: pictures in one page with different rules have different
    classes, so that none changes another one or what is around it.

    Args:
        used: classes that the picture has; rules for others are left out.

    Returns:
        The class and the sheet.
    """
    shape, light, dark = (
        tuple(_used_rules(rules, used))
        for rules in (_SHAPE_RULES, _colour_rules(LIGHT), _colour_rules(DARK))
    )
    rules = "\n".join(
        (
            *shape,
            *light,
            "@media (prefers-color-scheme: dark) {",
            *(f"  {rule}" for rule in dark),
            "}",
        )
    )
    scope = f"{ROOT_CLASS}-{zlib.crc32(rules.encode()):08x}"
    return scope, rules.replace(f".{ROOT_CLASS} ", f".{scope} ")


def _used_rules(rules: tuple[tuple[str, str], ...], used: Collection[str]) -> Iterator[str]:
    for selectors, looks in rules:
        needed = [
            selector
            for selector in selectors.split(", ")
            if all(name in used for name in re.findall(r"\.(\w+)", selector))
        ]
        if needed:
            yield f"{', '.join(f'.{ROOT_CLASS} {selector}' for selector in needed)} {{ {looks} }}"


def _colour_rules(theme: Theme) -> tuple[tuple[str, str], ...]:
    edges = {
        "course": theme.line,
        "out": theme.out_edge,
        "untaken": theme.never,
        "added": theme.added,
        "removed": theme.removed,
    }
    edges |= {"never": theme.never, "lit": theme.highlighted, "forbidden": theme.forbidden}
    boxes = {
        "course": (theme.course, theme.course_edge),
        "out": (theme.out, theme.out_edge),
        "added": (theme.added_fill, theme.added),
    }
    boxes |= {
        "removed": (theme.removed_fill, theme.removed),
        "never": (theme.paper, theme.never),
        "lit": (theme.highlighted_fill, theme.highlighted),
    }
    return (
        (".paper", f"fill: {theme.paper}"),
        ("text", f"fill: {theme.ink}"),
        (".small", f"fill: {theme.quiet}"),
        (".group rect", f"fill: {theme.group}; stroke: {theme.group_edge}"),
        (".begin path", f"stroke: {theme.ink}"),
        (".begin circle, .begin polygon", f"fill: {theme.ink}"),
        (".arrow text", f"fill: {theme.quiet}; stroke: {theme.paper}"),
        *(
            (f".state.{name} rect", f"fill: {fill}; stroke: {line}")
            for name, (fill, line) in boxes.items()
        ),
        *((f".arrow.{name} path", f"stroke: {line}") for name, line in edges.items()),
        *((f".arrow.{name} polygon", f"fill: {line}") for name, line in edges.items()),
        *(
            (f".arrow.{name} text", f"fill: {edges[name]}")
            for name in ("out", "added", "removed", "lit", "forbidden")
        ),
        (".state.final rect + rect", "fill: none"),
        *_bar_rules(theme),
    )


def _bar_rules(theme: Theme) -> tuple[tuple[str, str], ...]:
    shades = tuple(
        (f".bar.shade{index} rect", f"fill: {fill}; stroke: {theme.course_edge}")
        for index, fill in enumerate(theme.shades)
    )
    signs = {"violated": theme.forbidden, "inconclusive": theme.quiet, "holds": theme.out_edge}
    return (
        (".grid", f"stroke: {theme.group_edge}; fill: none"),
        (".bar text", f"fill: {theme.ink}"),
        *shades,
        (".bar.many rect", f"fill: {theme.line}; stroke: {theme.line}"),
        (".bar.out rect", f"fill: {theme.out}; stroke: {theme.out_edge}"),
        *((f".flag.{name} circle", f"fill: {colour}") for name, colour in signs.items()),
        (".flag text", f"fill: {theme.paper}"),
    )


def node_classes(node: Node) -> tuple[str, ...]:
    """Return what is special about a box, the strongest last.

    Args:
        node: a box of the picture.

    Returns:
        Classes of the style sheet.
    """
    return (
        "state",
        str(node.tone),
        *(("final",) if node.final else ()),
        *((str(node.change),) if node.change is not ChangeMark.SAME else ()),
        *(("never",) if node.evidence is LogEvidence.NEVER else ()),
        *(("lit",) if node.highlighted else ()),
    )


def edge_classes(edge: Edge) -> tuple[str, ...]:
    """Return what is special about an arrow, the strongest last.

    Args:
        edge: an arrow of the picture.

    Returns:
        Classes of the style sheet.
    """
    return (
        "arrow",
        str(edge.tone),
        *(("silent",) if edge.silent else ()),
        *(() if edge.taken else ("untaken",)),
        *(("needs",) if edge.is_requirement else ()),
        *((str(edge.change),) if edge.change is not ChangeMark.SAME else ()),
        *(
            (str(edge.evidence),)
            if edge.evidence in (LogEvidence.NEVER, LogEvidence.FORBIDDEN)
            else ()
        ),
        *(("lit",) if edge.highlighted else ()),
    )
