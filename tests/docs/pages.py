"""Runs the examples of a page: what stands in the docs is what a person gets.

An HTML comment before a fenced block says what it is: `<!-- file NAME -->` is a file of that name; `<!-- run -->` (or `<!-- run: 1 -->`
with the exit code of its last command) is a console session, whose lines after `$ ` are commands and whose others are what they print; a
line `…` stands for any lines; `<!-- python -->` is a Python session, run as a doctest.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from statemachines.cli import main

BLOCK = re.compile(
    r"^<!-- (?P<what>file|run|python)(?P<rest>[^>]*?) -->\n```\w*\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@frozen
class Example:
    """One block of a page."""

    what: str
    rest: str
    body: str
    line: int


def examples(page: Path) -> Iterator[Example]:
    """The blocks of a page that are marked, in order."""
    text = page.read_text("utf-8")
    for block in BLOCK.finditer(text):
        yield Example(
            block["what"],
            block["rest"].strip(" :"),
            block["body"],
            text[: block.start()].count("\n") + 1,
        )


def run(example: Example) -> str:
    """Do what an example says in the current folder; return what differs, or nothing."""
    if example.what == "file":
        Path(example.rest).parent.mkdir(parents=True, exist_ok=True)
        Path(example.rest).write_text(example.body, "utf-8")
        return ""
    return python(example) if example.what == "python" else console(example)


def python(example: Example) -> str:
    """Run a Python session."""
    test = doctest.DocTestParser().get_doctest(example.body, {}, "page", "page", example.line)
    said = io.StringIO()
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=flags).run(test, out=said.write)
    return said.getvalue()


def console(example: Example) -> str:
    """Run a console session; every command of it must print what stands below it."""
    code, wrong = 0, ""
    for session in re.split(r"^\$ ", example.body, flags=re.MULTILINE)[1:]:
        command, _, expected = session.partition("\n")
        code, printed = command_result(command)
        if not same(printed, expected):
            wrong += f"$ {command}\n--- the page\n{expected}--- printed\n{printed}"
    if code != int(example.rest or 0):
        wrong += f"exit code {code}, the page says {example.rest or 0}\n"
    return wrong


def command_result(command: str) -> tuple[int, str]:
    """Run one command of ours in this process; return its exit code and all that it printed."""
    words = shlex.split(command, comments=True)
    assert words[0] == "statemachines", command
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main(words[1:])
    said.seek(0)
    return code, said.read()


def same(printed: str, expected: str) -> bool:
    """Compare, blanks at ends of lines aside; `…` alone on a line stands for any lines."""
    lines = [
        "(?:.*\\n)*" if line == "…" else re.escape(line.rstrip()) + "\\n"
        for line in expected.strip("\n").split("\n")
    ]
    told = "".join(line.rstrip() + "\n" for line in printed.strip("\n").split("\n"))
    return re.fullmatch("".join(lines), told) is not None
