"""The shipped layouts are kept read, and are what their files say.

Covers: statemachines.conform.shipped_layouts, statemachines.notation.sources.kept_values.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.conform import shipped_layouts
from statemachines.conform.shipped_layouts import kept_layouts
from statemachines.logs import LayoutError, default_layouts
from statemachines.logs.layouts import layout_files


def test_kept_layouts_are_the_shipped_ones(tmp_path: Path) -> None:
    """The law: equal to a fresh load, from the cache as without it."""
    assert kept_layouts(tmp_path) == default_layouts()
    assert kept_layouts(tmp_path) == default_layouts()
    assert len(list(tmp_path.iterdir())) == 1


def test_kept_layouts_are_not_read_from_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nothing would be won."""
    kept = kept_layouts(tmp_path)

    def fail() -> None:
        raise AssertionError("the files are read")

    monkeypatch.setattr(shipped_layouts, "default_layouts", fail)
    assert kept_layouts(tmp_path) == kept


def test_changed_layouts_are_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is the contents of the files."""
    kept_layouts(tmp_path / "cache")
    (tmp_path / "text.yaml").write_text("layouts: []\n")
    monkeypatch.setattr(shipped_layouts, "layout_folder", lambda: tmp_path)
    place = next((tmp_path / "cache").iterdir())
    before = place.read_bytes()
    kept_layouts(tmp_path / "cache")
    after = {file.name: file.read_bytes() for file in (tmp_path / "cache").iterdir()}
    assert before in after.values()
    (tmp_path / "text.yaml").write_text("layouts: []  # other\n")
    kept_layouts(tmp_path / "cache")
    changed = {file.name: file.read_bytes() for file in (tmp_path / "cache").iterdir()}
    assert changed.keys() == after.keys()
    assert changed != after


def test_a_spoilt_cache_is_as_good_as_none(tmp_path: Path) -> None:
    """Cut, empty, or written by another version."""
    kept_layouts(tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for spoilt in (b"", whole[:-1], whole[:40], b"x" * len(whole)):
        file.write_bytes(spoilt)
        assert kept_layouts(tmp_path) == default_layouts()
        assert file.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_silent(tmp_path: Path) -> None:
    """A read-only home is nobody's mistake."""
    (tmp_path / "file").write_text("")
    assert kept_layouts(tmp_path / "file") == default_layouts()


def test_what_is_wrong_with_a_file_of_layouts_is_said_with_its_place(tmp_path: Path) -> None:
    """As before: only the shipped ones are kept."""
    (tmp_path / "mine.yaml").write_text("layouts: [{name: [}]\n")
    with pytest.raises(LayoutError, match=r"mine\.yaml: "):
        layout_files.load_layout_file(tmp_path / "mine.yaml")
