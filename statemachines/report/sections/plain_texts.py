"""Texts as every form of a report writes them: printable, cut to a width, counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")
_SHORTEST_NAME = 28
"""What a name keeps where a sentence is too long: enough of its end to tell it from its likes."""
_SHORTEST_HEAD = 6
"""What a text keeps of what all begin with."""
_WRITER = re.compile(r"^(.{0,60}?)\[[^\[\]]{9,}\]")
"""Who wrote a line, in brackets before its message: mostly what its incident names already."""
_QUOTED_NAME = 20
"""What a name keeps in a line that is quoted: the line has the rest of it."""
_IDENTITY = re.compile(r"(?<![\w.-])(?=[\w-]*\d)[\w-]{29,}(?![\w.])")
"""Names that programs make: long, with digits, and known by their ends."""
_LOGGER = re.compile(r" \((?:[a-z_][\w$]*\.){2,}[\w$.]+\)$")
"""The logger at the end of a line."""
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


def cut_middle(text: str, width: int, head: int | None = None) -> str:
    """Cut a name in its middle: what differs is mostly at the end.

    Args:
        text: what is cut where it is longer than the width.
        width: in characters, the ellipsis included.
        head: how many characters stand before the ellipsis; a third where none is given.

    >>> cut_middle("shop-north-0b7c-till-17", 13)
    'shop…-till-17'

    Returns:
        At most so many characters.
    """
    if len(text) <= width:
        return text
    head = _usual_head(width) if head is None else head
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


def cut_common_start(texts: Sequence[str], width: int) -> list[str] | None:
    """Cut each text that is too long within what all begin with, so that all that differs is whole.

    >>> cut_common_start(["shop-0b7c4f-till-17 rests", "shop-0b7c4f-till-4 is open"], 22)
    ['shop-0b…till-17 rests', 'shop-0b…till-4 is open']

    Args:
        texts: that stand below each other.
        width: in characters, the ellipsis included.

    Returns:
        The texts in their order; None where what all begin with is too short for it, or where there
        are no two.
    """
    if len(set(texts)) < 2:
        return None
    most_over = max(len(text) for text in texts) - width + 1
    letters = zip(*texts, strict=False)
    shortest = min(map(len, texts))
    alike = next((i for i, column in enumerate(letters) if len(set(column)) > 1), shortest)
    head = min(alike - most_over, _usual_head(width))
    if head < _SHORTEST_HEAD:
        return None
    cut = (text[:head] + "…" + text[head + most_over :] for text in texts)
    return list(cut)


def cut_names(sentence: str, width: int, shortest: int = _SHORTEST_NAME) -> str:
    """Cut the names in a sentence, the longest first, and never its words: they say what happened.
    It may stay longer than the width.

    Args:
        sentence: what is cut where it is longer than the width.
        width: in characters.
        shortest: what a name keeps; enough of its end to tell it from its likes.

    >>> cut_names("shop-north-0b7c-4f2e-91aa-3c5d-till-17 does not poll", 46)
    'shop-north…f2e-91aa-3c5d-till-17 does not poll'

    Returns:
        The sentence, with ellipses in names.
    """
    words = sentence.split(" ")
    over = len(sentence) - width
    for index in sorted(range(len(words)), key=lambda i: -len(words[i])):
        room = max(len(words[index]) - over, shortest)
        if over <= 0 or room >= len(words[index]):
            break
        over -= len(words[index]) - room
        words[index] = cut_middle(words[index], room)
    return " ".join(words)


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
        text = _PACKAGE.sub("", _LOGGER.sub("", text))
    if len(text) > width:
        text = _IDENTITY.sub(lambda match: cut_middle(match[0], _QUOTED_NAME), text)
    return cut_end(text, width)


def distinct_head(texts: Iterable[str], width: int) -> int:
    """Return how many characters `cut_middle` shall leave before the ellipsis so that texts that
    differ still do: a third or little more, else less; a third where no place keeps them apart.
    Signs before the first letter (`● `) keep nothing apart.

    >>> tills = ["till 3 of the north", "till 4 of the north"]
    >>> [cut_middle(till, 12, distinct_head(tills, 12)) for till in tills]
    ['till 3…north', 'till 4…north']

    Args:
        texts: that stand below each other.
        width: in characters, the ellipsis included.

    Returns:
        A number for `cut_middle`.
    """
    different = {_without_sign(text): text for text in texts}
    usual = _usual_head(width)
    for head in chain(range(usual, max(width - 1, 2)), range(usual - 1, 0, -1)):
        cut = {_without_sign(cut_middle(text, width, head)) for text in different.values()}
        if len(cut) == len(different):
            return head
    return usual


def _without_sign(text: str) -> str:
    return text.lstrip("●○✗✓↻ ")


def _usual_head(width: int) -> int:
    return max((width - 1) // 3, 1)
