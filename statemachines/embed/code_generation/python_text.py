"""Python text: names that Python accepts, and texts in lines of a width."""

from __future__ import annotations

import keyword
import re
import textwrap
from collections.abc import Collection, Sequence

LINE_WIDTH = 88
"""Characters of a line of text: what formatters take where nobody tells them otherwise."""


def safe_name(name: str, taken: Collection[str] = ()) -> str:
    """Return a name that Python accepts and that is not taken, as near as can be.

    Args:
        name: as the spec has it.
        taken: names that are in use.

    Returns:
        The name, with `_` behind it where it had to change.

    >>> safe_name("class"), safe_name("send", {"send"}), safe_name("coin")
    ('class_', 'send_', 'coin')
    """
    while keyword.iskeyword(name) or name in taken:
        name += "_"
    return name


def method_call(subject: str, call: str) -> str:
    """Return a call of a method, also of one that has a keyword of Python for its name.

    Args:
        subject: an expression whose method is called.
        call: the method's name with its arguments in parentheses.

    Returns:
        An expression.

    >>> method_call("door", "coin(3)"), method_call("door", "None()")
    ('door.coin(3)', 'getattr(door, "None")()')
    """
    name, _, arguments = call.partition("(")
    return (
        f'getattr({subject}, "{name}")({arguments}'
        if keyword.iskeyword(name)
        else f"{subject}.{call}"
    )


def class_name(name: str) -> str:
    """Return what a class of a machine is called.

    Args:
        name: of the machine in the catalogue.

    Returns:
        A name in capitals and small letters.

    >>> class_name("context/dead end"), class_name("context/Order"), class_name("2-phase")
    ('DeadEnd', 'Order', 'Machine2Phase')
    """
    words = re.findall(r"\w+", name.rpartition("/")[2])
    joined = "".join(word[0].upper() + word[1:] for word in words)
    return joined if joined[:1].isalpha() else f"Machine{joined}"


def docstring(paragraphs: Sequence[str], indent: str) -> list[str]:
    """Return the lines of a docstring; one line where it fits.

    Args:
        paragraphs: one text each; empty ones at the end are dropped.
        indent: blanks before each line.

    Returns:
        Lines of Python, indented.

    >>> docstring(["Pay.", ""], "    ")
    ['    \"\"\"Pay.\"\"\"']
    """
    doc = [
        _escaped_docstring(" ".join(paragraph.split()))
        for paragraph in paragraphs
        if paragraph.strip()
    ]
    if len(doc) == 1 and len(doc[0]) <= LINE_WIDTH - len(indent) - 3:
        return [f'{indent}"""{doc[0]}"""']
    lines: list[str] = []
    for index, paragraph in enumerate(doc):
        first = indent + '"""' if index == 0 else indent
        wrapped = textwrap.wrap(
            paragraph,
            LINE_WIDTH,
            initial_indent=first,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines += ([""] if index else []) + wrapped
    return [*lines, f'{indent}"""']


def names_tuple(names: Sequence[str], indent: str, before: str, after: str) -> list[str]:
    """Return `before (a, b) after`, one name a line where it does not fit.

    Args:
        names: expressions, in order.
        indent: blanks before each line.
        before: what stands before the parenthesis.
        after: what stands behind it.

    Returns:
        Lines of Python, indented.

    >>> names_tuple(["a"], "", "x = ", "")
    ['x = (a,)']
    """
    inner = ", ".join(names) + ("," if len(names) == 1 else "")
    line = f"{indent}{before}({inner}){after}"
    if len(line) <= LINE_WIDTH:
        return [line]
    return [f"{indent}{before}(", *(f"{indent}    {name}," for name in names), f"{indent}){after}"]


def string_literal(text: str) -> str:
    """Return a string literal in double quotes where it can be.

    Args:
        text: what the literal is to hold.

    Returns:
        An expression.

    >>> print(string_literal("coin"), string_literal('a "b"'))
    "coin" 'a "b"'
    """
    literal = repr(text)
    return f'"{literal[1:-1]}"' if literal.startswith("'") and '"' not in literal else literal


def _escaped_docstring(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return escaped + " " if escaped.endswith('"') else escaped
