"""Elements of a page: text is escaped where it enters, never later."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from statemachines.report.sections.plain_texts import printable_text

_VOID_ELEMENTS = {"input"}
"""Elements that hold nothing and are not closed."""


class Markup(str):
    """Text of a page whose tags are meant."""

    __slots__ = ()


def escaped_text(content: object) -> Markup:
    """Return a text as it is to be read: what a browser or a terminal would obey is shown.

    >>> escaped_text("<script>")
    '&lt;script&gt;'

    Args:
        content: a text, or what `str` makes one of; a `Markup` is taken as it is.

    Returns:
        Markup.
    """
    return (
        content
        if isinstance(content, Markup)
        else Markup(escape(printable_text(str(content)), quote=True))
    )


def tag(name: str, *inside: object, **attributes: object) -> Markup:
    """Return an element; attributes that are None are left out, a trailing `_` of their names too.

    >>> tag("td", "a < b", class_="bad", id=None)
    '<td class="bad">a &lt; b</td>'

    Args:
        name: of the element.
        *inside: texts, which are escaped, and elements.
        **attributes: by name.

    Returns:
        Markup.
    """
    attribute_text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped_text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(
        f"<{name}{attribute_text}>"
        if name in _VOID_ELEMENTS
        else f"<{name}{attribute_text}>{''.join(map(escaped_text, inside))}</{name}>"
    )


def section(title: str, identity: str, inside: Iterable[Markup], *, note: str = "") -> Markup:
    """Return a part of the page with its heading; nothing where there is nothing in it.

    Args:
        title: of the heading.
        identity: of the element, for links.
        inside: elements.
        note: below the heading.

    Returns:
        Markup.
    """
    parts = list(inside)
    if not parts:
        return Markup()
    return tag(
        "section",
        tag("h2", title),
        *([tag("p", note, class_="note")] if note else []),
        *parts,
        id=identity,
    )


def table(head: Iterable[str], rows: Iterable[Iterable[object]], **attributes: object) -> Markup:
    """Return a table that scrolls sideways where the screen is narrow, without the columns in which
    nothing stands; nothing where it has no rows.

    Args:
        head: cells of the heading.
        rows: cells of each row.
        **attributes: of the table.

    Returns:
        Markup.
    """
    columns = list(zip(head, *rows, strict=True))
    filled = [column for column in columns if any(cell != "" for cell in column[1:])]
    if not filled:
        return Markup()
    names, *cells = zip(*filled, strict=True)
    body = [
        tag(
            "tr",
            *(
                cell if isinstance(cell, Markup) and cell.startswith("<td") else tag("td", cell)
                for cell in row
            ),
        )
        for row in cells
    ]
    heading = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in names)))
    return tag("div", tag("table", heading, tag("tbody", *body), **attributes), class_="wide")


def expandable(summary: object, *inside: Markup) -> Markup:
    """Return something that opens on a click, without any script.

    Args:
        summary: what is shown before the click.
        *inside: elements.

    Returns:
        Markup.
    """
    return tag("details", tag("summary", summary), *inside)
