"""Loading the same spec twice costs once, and gives nothing stale.

Covers: statemachines.notation.sources.file_cache.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.notation.sources import file_cache
from tests.effort import some_of

LAMP = "notation: 1\nmachine: Lamp\nstates: {{{states}: {{initial: true, final: true}}}}\n"
FAMILY = "notation: 1\nfamily: house\nreleases: [{releases}]\n"


def test_the_same_spec_again_is_the_same_value(tmp_path: Path) -> None:
    """Pages write `sm.load(…).at(…)` inline; a program that does so in a loop must not read the file each time."""
    (tmp_path / "lamp.yaml").write_text(LAMP.format(states="ON"))
    one, other = sm.load(tmp_path / "lamp.yaml"), sm.load(tmp_path / "lamp.yaml")
    assert one is other
    assert one.at() is other.at()


@settings(max_examples=some_of(20), deadline=None)
@given(
    edits=st.lists(st.tuples(st.sampled_from(["ON", "OFF"]), st.booleans()), min_size=1, max_size=6)
)
def test_an_edited_file_is_seen_whatever_its_times_say(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, bool]]
) -> None:
    """Two edits within the clock's resolution, of one length, with an old time of change: contents count."""
    file = tmp_path_factory.mktemp("edited") / "lamp.yaml"
    for state, touched in edits:
        file.write_text(LAMP.format(states=state.ljust(3, "_")))
        if touched:
            os.utime(file, ns=(0, 0))
        assert sm.load(file).at().states == (state.ljust(3, "_"),)


def test_a_changed_family_is_seen(tmp_path: Path) -> None:
    """A machine has the releases of a file that it only names; and a nearer family may come later."""
    inner = tmp_path / "specs" / "inner"
    inner.mkdir(parents=True)
    (inner / "lamp.yaml").write_text(
        LAMP.format(states="ON").replace("states:", "family: house\nstates:")
    )
    (tmp_path / "specs" / "house.yaml").write_text(FAMILY.format(releases='"1.0"'))
    assert sm.load(inner / "lamp.yaml").releases == ("1.0",)
    (tmp_path / "specs" / "house.yaml").write_text(FAMILY.format(releases='"1.0", "1.1"'))
    assert sm.load(inner / "lamp.yaml").releases == ("1.0", "1.1")
    (inner / "house.yaml").write_text(FAMILY.format(releases='"2.0"'))
    assert sm.load(inner / "lamp.yaml").releases == ("2.0",)


def test_a_broken_or_removed_file_is_told_again(tmp_path: Path) -> None:
    """What was good once is no excuse."""
    file = tmp_path / "lamp.yaml"
    file.write_text(LAMP.format(states="ON"))
    sm.load(file)
    file.write_text(LAMP.format(states="ON").replace("initial", "initail"))
    with pytest.raises(sm.SpecError):
        sm.load(file)
    file.unlink()
    with pytest.raises(sm.SpecError, match="SM604"):
        sm.load(file)


def test_a_relative_path_is_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same words in two folders are two files."""
    for folder in ("ONE", "TWO"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "lamp.yaml").write_text(LAMP.format(states=folder))
        monkeypatch.chdir(tmp_path / folder)
        assert sm.load("lamp.yaml").at().states == (folder,)


def test_no_more_than_some_specs_are_kept(tmp_path: Path) -> None:
    """A server that loads what its users write must not grow for ever."""
    kept = file_cache.FileCache()
    for number in range(file_cache.MOST_CACHED + 9):
        assert kept.get(number, lambda number=number: number) == number
    assert len(kept.values) == file_cache.MOST_CACHED
