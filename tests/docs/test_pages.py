"""The documentation is executed: a page that lies fails here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import Example, command_result, console, examples, run

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]


@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if any(examples(p))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_the_examples_of_a_page_do_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In order, in one folder, as a reader would."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for example in examples(page):
        wrong = run(example)
        assert not wrong, f"{page.name}:{example.line}\n{wrong}"


LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_link_of_a_page_is_dead(page: Path) -> None:
    """A link within the repository leads to a file that is there."""
    dead = [
        link for link in LINK.findall(page.read_text("utf-8")) if not (page.parent / link).exists()
    ]
    assert dead == []


def test_a_page_that_lies_is_noticed() -> None:
    """A checker that was never seen to fail is untested."""
    assert console(Example("run", "", "$ statemachines --version\nstatemachines 99\n", 1))
    assert console(Example("run", "1", "$ statemachines --version\n…\n", 1))
    assert not console(Example("run", "", "$ statemachines --version\n…\n", 1))


EXPLAINED = re.compile(r"^(?:\$ | {4})(statemachines explain (?:SM\d+|'[^']*').*)$", re.MULTILINE)


@pytest.mark.parametrize(
    "page",
    [
        ROOT / "README.md",
        ROOT / "docs" / "how-to" / "ask.md",
        ROOT / "statemachines" / "cli" / "verbs" / "explain.py",
    ],
)
def test_what_a_page_has_explained_can_be_explained(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever types an example off the README or the verb's own help gets a meaning, also where the page shows no output."""
    monkeypatch.chdir(ROOT)
    commands = EXPLAINED.findall(page.read_text("utf-8"))
    assert commands
    for command in commands:
        code, said = command_result(command)
        assert code == 0, f"$ {command}\n{said}"
