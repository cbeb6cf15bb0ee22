"""The shipped layouts are kept read, and are what their files say.

Covers: statemachines.logs.layouts.shipped_layouts, statemachines.model.kept_values.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from statemachines.logs.layouts import shipped_layouts
from statemachines.logs.layouts.shipped_layouts import (
    default_layouts,
    default_wrappers,
    kept_layouts,
    layout_folder,
    read_layouts,
)
from statemachines.model.kept_values import MOST_KEPT, read_kept, write_kept


def test_kept_layouts_are_the_shipped_ones(tmp_path: Path) -> None:
    """The law: equal to what the files say, from the cache as without it."""
    assert kept_layouts(layout_folder(), tmp_path) == read_layouts()
    assert kept_layouts(layout_folder(), tmp_path) == read_layouts()
    assert (default_layouts(), default_wrappers()) == read_layouts()
    assert len(list(tmp_path.iterdir())) == 1


def test_kept_layouts_are_not_read_from_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nothing would be won."""
    kept = kept_layouts(layout_folder(), tmp_path)

    def fail() -> None:
        raise AssertionError("the files are read")

    monkeypatch.setattr(shipped_layouts, "read_layouts", fail)
    assert kept_layouts(layout_folder(), tmp_path) == kept


def test_lines_are_unwrapped_without_reading_yaml() -> None:
    """Every log with a stack trace asks the wrappers: a reader of YAML costs a tenth of its check."""
    code = """import sys
from statemachines.logs.layouts.shipped_layouts import unwrap
print(unwrap("app-1  | [2026-01-02 03:04:05,678] INFO up").process, "yaml" in sys.modules)"""
    default_wrappers()
    told = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert told == "app-1 False\n"


def test_changed_layouts_are_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is the contents of the files."""
    (tmp_path / "text.yaml").write_text("layouts: []\n")
    kept_layouts(tmp_path, tmp_path / "cache")
    (tmp_path / "text.yaml").write_text("layouts: []  # other\n")
    monkeypatch.setattr(shipped_layouts, "read_layouts", lambda: "read anew")
    assert kept_layouts(tmp_path, tmp_path / "cache") == "read anew"


def test_a_spoilt_cache_is_as_good_as_none(tmp_path: Path) -> None:
    """Cut, empty, or written by another version."""
    kept_layouts(layout_folder(), tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for spoilt in (b"", whole[:-1], whole[:40], b"x" * len(whole)):
        file.write_bytes(spoilt)
        assert kept_layouts(layout_folder(), tmp_path) == read_layouts()
        assert len(file.read_bytes()) == len(whole)


def test_environments_that_are_gone_leave_no_more_than_some_behind(tmp_path: Path) -> None:
    """Each has a file of its own: a machine that builds all day would fill its disk."""
    write_kept(tmp_path / "other-kind-0.pickle", b"k" * 32, 0)
    for number in range(MOST_KEPT + 3):
        file = tmp_path / f"layouts-{number}.pickle"
        write_kept(file, b"k" * 32, number)
        os.utime(file, (number, number))
    write_kept(tmp_path / "layouts-new.pickle", b"k" * 32, "new")
    left = {file.name for file in tmp_path.iterdir()}
    gone = {f"layouts-{number}.pickle" for number in range(4)}
    assert len(left) == MOST_KEPT + 1
    assert not left & gone
    assert read_kept(tmp_path / "layouts-new.pickle", b"k" * 32) == "new"


def test_a_cache_that_cannot_be_written_is_silent(tmp_path: Path) -> None:
    """A read-only home is nobody's mistake."""
    (tmp_path / "file").write_text("")
    assert kept_layouts(layout_folder(), tmp_path / "file") == read_layouts()


def test_a_package_in_an_archive_reads_its_layouts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers of a cluster have the package as one zip, without times that a key could hold."""
    monkeypatch.setattr(shipped_layouts, "layout_folder", lambda: tmp_path / "package.zip")
    monkeypatch.setattr(shipped_layouts, "kept_layouts", lambda *_: "from a cache")
    assert shipped_layouts.shipped_layouts.__wrapped__() == read_layouts()
