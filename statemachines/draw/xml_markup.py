"""SVG as text: elements, escaped and with short numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

_UNPRINTABLE = re.compile(
    "[^\t\n\r\u0020-\u007e\u00a0-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd"
    "\U00010000-\U0010ffff]"
)
"""What XML cannot hold, or a terminal or a browser obeys: other directions of writing too."""


def short_number(value: float) -> str:
    """Write a number with at most one digit behind the point.

    Args:
        value: a length, in points.

    Returns:
        The number, without a point where nothing stands behind it.

    >>> short_number(12.0), short_number(-0.04), short_number(3.14159)
    ('12', '0', '3.1')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def element(name: str, *inside: str, **attributes: str | float) -> str:
    """Write an element; `inside` is markup, attributes are escaped here; `class_` is `class`,
    `data_from` is `data-from`.

    Args:
        name: of the element.
        *inside: markup between its tags.
        **attributes: by name.

    Returns:
        Markup.
    """
    written = "".join(
        f' {_attribute_name(key)}="{escaped_text(_attribute_text(value))}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def escaped_text(text: str) -> str:
    """Escape text for markup; what XML cannot hold becomes U+FFFD.

    Args:
        text: what is written.

    Returns:
        Markup.
    """
    return escape(printable(text))


def printable(text: str) -> str:
    """Replace what XML, and graphviz, cannot hold by U+FFFD.

    Args:
        text: what is written.

    Returns:
        The text, as long as it was.

    >>> printable("a\\x00b")
    'a\ufffdb'
    """
    return _UNPRINTABLE.sub("\ufffd", text)


def joined_lines(texts: Iterable[str]) -> str:
    """Join markup, one element a line.

    Args:
        texts: markup of one element each.

    Returns:
        Markup.
    """
    return "\n".join(texts)


def _attribute_name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _attribute_text(value: str | float) -> str:
    return value if isinstance(value, str) else short_number(value)


def estimated_width(text: str, size: float = 12.0) -> float:
    """Estimate the width of a text in points, in the widest of the fonts.

    Args:
        text: one line.
        size: of the font, in points.

    Returns:
        Points.
    """
    return (
        sum(
            0.76 if sign.isupper() or sign in "→—…✗" else 0.3 if sign in "ijl.,:;|' " else 0.62
            for sign in text
        )
        * size
    )
