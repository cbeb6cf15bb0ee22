"""Texts as every form of a report writes them: printable, cut to a width, counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")
_WRITER = re.compile(r"^(.{0,60}?)\[[^\[\]]{9,}\]")
"""Who wrote a line, in brackets before its message: mostly what its incident names already."""
_QUOTED_NAME = 20
"""What a name keeps in a line that is quoted: the line has the rest of it."""
_IDENTITY = re.compile(r"(?<![\w.-])(?=[\w-]*\d)[\w-]{29,}(?![\w.])")
"""Names that programs make: long, with digits, and known by their ends."""
_LOGGER = re.compile(r" \((?:[a-z_][\w$]*\.){2,}[\w$.]+(?::\d+)?\)$")
"""The logger at the end of a line, which may have a number."""
_PACKAGE = re.compile(r"\b(?:[a-z_][\w$]*\.){2,}(?=[A-Z])")
"""The package before the name of a class."""


def printable_text(text: str) -> str:
    """Replace what a terminal would obey (escapes, other directions of writing) by a visible sign.

    >>> printable_text("red \\x1b[31m")
    'red �[31m'

    Args:
        text: as a log or a spec has it.

    Returns:
        A text of as many characters.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else " " if letter.isspace() else "�" for letter in text
    )


def printable_line(line: str) -> str:
    r"""Replace what a terminal would obey, but for colours.

    >>> printable_line("\x1b[31mred\x1b[0m\x07")
    '\x1b[31mred\x1b[0m�'

    Args:
        line: painted, or not.

    Returns:
        A line of as many characters.
    """
    if line.isprintable():
        return line
    parts = _COLOUR.split(line)
    return "".join(part if at % 2 else printable_text(part) for at, part in enumerate(parts))


def cut_end(text: str, width: int) -> str:
    """Cut a text at its end.

    >>> cut_end("something long", 9)
    'somethin…'

    Args:
        text: what is cut where it is longer.
        width: in characters, the ellipsis included.

    Returns:
        At most so many characters.
    """
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def cut_middle(text: str, width: int) -> str:
    """Cut a name in its middle: what differs is mostly at the end.

    Args:
        text: what is cut where it is longer than the width.
        width: in characters, the ellipsis included.

    >>> cut_middle("shop-north-0b7c-till-17", 13)
    'shop…-till-17'

    Returns:
        At most so many characters.
    """
    if len(text) <= width:
        return text
    head = max((width - 1) // 3, 1)
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def without_common_end(texts: Sequence[str]) -> list[str]:
    """Replace the words with which all of several texts end by an ellipsis; nothing that differs is
    lost.

    >>> without_common_end(["till 3 as shop 1 has it", "till 4 as shop 1 has it"])
    ['till 3 …', 'till 4 …']

    Args:
        texts: that stand below each other.

    Returns:
        The texts in their order; as they are where they are one and the same, or end alike in one
        word at most.
    """
    words = [text.split(" ") for text in texts]
    shortest = min(map(len, words), default=0)
    same = 0
    while same < shortest - 1 and len({row[-same - 1] for row in words}) == 1:
        same += 1
    if len(set(texts)) < 2 or same < 2:
        return list(texts)
    return [" ".join([*row[:-same], "…"]) for row in words]


def without_origin(text: str) -> str:
    """Return a line of a log without its logger and the packages of classes.

    >>> without_origin("till 17 met shop.errors.NoPaper: it has none (org.shop.Till:7)")
    'till 17 met NoPaper: it has none'

    Args:
        text: of a log.

    Returns:
        The line as it is where it has none.
    """
    return _PACKAGE.sub("", _LOGGER.sub("", text))


def cut_line(text: str, width: int) -> str:
    """Cut a line of a log: first who wrote it, then its logger and the packages of classes, then
    names that programs made, then its end.

    >>> cut_line("INFO [Consumer clientId=till-17, groupId=shop] is gone", 22)
    'INFO […] is gone'
    >>> cut_line("till 0b7c4f2e-91aa-3c5d-8e11-aa1709f3 has no paper (org.shop.Till)", 42)
    'till 0b7c4f…8e11-aa1709f3 has no paper'
    >>> cut_line("org.shop.errors.TillException: no paper", 30)
    'TillException: no paper'

    Args:
        text: of a log.
        width: in characters, ellipses included.

    Returns:
        At most so many characters.
    """
    if len(text) > width:
        text = _WRITER.sub(r"\1[…]", text)
    if len(text) > width:
        text = without_origin(text)
    if len(text) > width:
        text = _IDENTITY.sub(lambda match: cut_middle(match[0], _QUOTED_NAME), text)
    return cut_end(text, width)
