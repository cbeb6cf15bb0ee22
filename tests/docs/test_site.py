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
