"""Colours and fonts, for light and for dark; all renderers take theirs from here."""

from __future__ import annotations

from attrs import frozen

FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
"""Everywhere there is one of them, of nearly the same width."""


@frozen
class Theme:
    """One palette; colours as `#rrggbb`."""

    paper: str
    ink: str
    """Text in boxes and titles."""
    quiet: str
    """Labels and captions."""
    line: str
    """Arrows of the normal course."""
    course: str
    course_edge: str
    out: str
    out_edge: str
    group: str
    group_edge: str
    added: str
    added_fill: str
    removed: str
    removed_fill: str
    never: str
    forbidden: str
    highlighted: str
    highlighted_fill: str
    shades: tuple[str, ...]
    """Bars of a timeline, neighbours told apart by lightness."""


LIGHT = Theme(
    paper="#ffffff",
    ink="#1b2733",
    quiet="#4b5a69",
    line="#5b6b7b",
    course="#eef4fb",
    course_edge="#41719f",
    out="#f6e6d3",
    out_edge="#a8621c",
    group="#f6f8fa",
    group_edge="#d3dae1",
    added="#1a7f37",
    added_fill="#dcf5e1",
    removed="#b42318",
    removed_fill="#fbeae8",
    never="#8f9aa5",
    forbidden="#c6161d",
    highlighted="#6639ba",
    highlighted_fill="#ece3fb",
    shades=("#dbe8f6", "#a9c8e8", "#c9e3dc", "#8dbfb3", "#dcdaf0", "#b3aee0"),
)
DARK = Theme(
    paper="#0f151c",
    ink="#e6edf3",
    quiet="#a9b7c4",
    line="#8b9bab",
    course="#18293b",
    course_edge="#6fa5d8",
    out="#3b2a17",
    out_edge="#d9964d",
    group="#151d26",
    group_edge="#2f3b47",
    added="#4ac26b",
    added_fill="#12331d",
    removed="#ff7b72",
    removed_fill="#3d1a18",
    never="#6d7a87",
    forbidden="#ff6a69",
    highlighted="#b392f0",
    highlighted_fill="#2c2146",
    shades=("#1d3550", "#2f587f", "#1d4239", "#2f6a5c", "#33305a", "#524c8c"),
)
