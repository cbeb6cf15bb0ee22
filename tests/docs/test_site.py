"""The site shows what is there."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
site = importlib.import_module("docs.site")


def pages(entry: object) -> list[str]:
    """The files that a navigation names."""
    if isinstance(entry, str):
        return [entry]
    values = entry.values() if isinstance(entry, dict) else entry
    assert isinstance(values, list) or isinstance(entry, dict)
    return [page for value in values for page in pages(value)]


def test_the_navigation_names_pages_that_are_there(tmp_path: Path) -> None:
    """And all pages of the folder, so that none is found by chance only."""
    site.stage(tmp_path)
    named = pages(yaml.safe_load((ROOT / "docs" / "site.yml").read_text("utf-8"))["nav"])
    assert [page for page in named if not (tmp_path / page).is_file()] == []
    listed = (ROOT / "docs" / "README.md").read_text("utf-8")
    lonely = [
        path.name
        for path in (ROOT / "docs").glob("*.md")
        if f"docs/{path.name}" not in named and path.name not in listed
    ]
    assert lonely == []


ITEM = re.compile(r" *([-*+]|\d+\.) ")


def run_on_lists(text: str) -> list[str]:
    """The first items of lists that begin on the line below a text: the site has them as a part of
    the text.
    """
    found, before, fenced = [], "", False
    for line in text.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if ITEM.match(line) and before == "text" and not fenced:
            found.append(line)
        is_item = ITEM.match(line) or (line.strip() and before == "item")
        before = "item" if is_item else "text" if re.match(r" *[\w*_`\[(]", line) else ""
    return found


def test_a_list_begins_below_a_blank_line(tmp_path: Path) -> None:
    """Where it does not, readers of the site see dashes in a paragraph."""
    site.stage(tmp_path)
    pages = {page: run_on_lists(page.read_text("utf-8")) for page in tmp_path.rglob("*.md")}
    assert {str(page.relative_to(tmp_path)): lists for page, lists in pages.items() if lists} == {}


def test_a_list_in_a_list_is_one() -> None:
    """The builder takes what stands two blanks deep for an item of the outer list."""
    text = "- a\n  - b\n  c\n```\n  - d\n```\n"
    assert site.with_deep_lists(text) == "- a\n    - b\n  c\n```\n  - d\n```\n"


def test_a_list_that_runs_on_is_seen() -> None:
    """A check that was never seen to fail is untested."""
    assert run_on_lists("**Begin**\n- here\n- there\n\n1. one\n   of two\n2. two") == ["- here"]


LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")
"""To a file of the checkout."""


def test_what_pages_link_to_is_on_the_site(tmp_path: Path) -> None:
    """A file that stays behind is a dead link, and so is a folder: a site has pages only."""
    site.stage(tmp_path)
    dead = [
        f"{page.relative_to(tmp_path)}: {link}"
        for page in tmp_path.rglob("*.md")
        for link in LINK.findall(page.read_text("utf-8"))
        if (ROOT / page.relative_to(tmp_path).parent / link).exists()
        and not (page.parent / link).is_file()
    ]
    assert dead == []


@pytest.mark.long
def test_a_link_that_leads_nowhere_fails_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that cannot fail shows nothing."""
    whole = site.stage

    def with_a_dead_link(folder: Path) -> None:
        whole(folder)
        (folder / "docs" / "security.md").write_text("[gone](nowhere.md)\n", "utf-8")

    monkeypatch.setattr(site, "stage", with_a_dead_link)
    assert site.build(tmp_path / "site") != 0
