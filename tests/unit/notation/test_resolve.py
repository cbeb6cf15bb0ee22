"""What a release's number means.

Covers: statemachines.model.definitions.release_sets.
"""

from __future__ import annotations

import re

import pytest
from attrs import evolve

from statemachines.model.definitions.release_sets import ReleaseAlias, ReleaseFamily
from statemachines.notation import (
    ReleaseMatch,
    UnknownRelease,
    load_family,
    machine_of,
    resolve_release,
)
from tests.unit.notation.errors_page import FIXTURES
from tests.unit.notation.texts import DOOR, spec

HOUSE = ReleaseFamily(
    "house",
    ("0.9.0.1", "0.10.2.1", "0.10.2.2", "0.11.0.0", "1.0.0", "1.0.1", "1.1.0", "2.0.0", "2.0.2"),
    (
        ReleaseAlias("5.0.*", "1.0"),
        ReleaseAlias("5.1.*", "1.1"),
        ReleaseAlias("6.*", "2.0"),
        ReleaseAlias("7.0.*", "1.0.0"),
        ReleaseAlias("3.2.*", "0.10.2"),
    ),
    ("-SNAPSHOT", ".maker-*", "-c?"),
)


@pytest.mark.parametrize(
    ("text", "release", "how", "fits"),
    [
        ("1.0.1", "1.0.1", ReleaseMatch.EXACT, "1.0.1"),
        ("1.0", "1.0.1", ReleaseMatch.MINOR, "1.0.1"),
        ("0.10.2", "0.10.2.2", ReleaseMatch.MINOR, "0.10.2.2"),
        ("2.0.1", "2.0.0", ReleaseMatch.NEAREST, "2.0.0"),
        ("1.0.9", "1.0.1", ReleaseMatch.NEAREST, "1.0.1"),
        ("0.10.2.0", "", ReleaseMatch.UNKNOWN, ""),
        ("2.1.0", "", ReleaseMatch.UNKNOWN, ""),
        ("4.0", "", ReleaseMatch.UNKNOWN, ""),
        ("abc", "", ReleaseMatch.UNKNOWN, ""),
        ("1.1.0-SNAPSHOT-SNAPSHOT", "1.1.0", ReleaseMatch.ALIAS, "1.1.0..2.0.0"),
        ("9.9-SNAPSHOT", "", ReleaseMatch.UNKNOWN, ""),
        ("7.0.0", "1.0.0", ReleaseMatch.ALIAS, "1.0.0..1.1.0"),
        ("5.0.3", "1.0.1", ReleaseMatch.ALIAS, "1.0.0..1.1.0"),
        ("5.0.0", "1.0.0", ReleaseMatch.ALIAS, "1.0.0..1.1.0"),
        ("3.2.0", "0.10.2.2", ReleaseMatch.ALIAS, "0.10.2.1..0.11.0.0"),
        ("6.1", "2.0.2", ReleaseMatch.ALIAS, "2.0.0..2.0.2"),
        ("1.0.1-SNAPSHOT", "1.0.1", ReleaseMatch.ALIAS, "1.0.1..1.1.0"),
        ("1.0.1.maker-00007", "1.0.1", ReleaseMatch.ALIAS, "1.0.1..1.1.0"),
        ("5.0.3-cc", "1.0.1", ReleaseMatch.ALIAS, "1.0.0..1.1.0"),
    ],
)
def test_a_number_is_what_the_list_or_a_rule_makes_of_it(
    text: str, release: str, how: ReleaseMatch, fits: str
) -> None:
    """Exact, a minor line's newest, the nearest older of its line, a vendor's; else nothing, and it is said."""
    resolved = resolve_release(HOUSE, text)
    assert (resolved.release, resolved.match, HOUSE.ranges(resolved.releases)) == (
        release,
        how,
        fits,
    )
    assert bool(resolved.message) == (text != release)


def test_only_a_machines_own_releases_count() -> None:
    """A machine that ends with 1.0.0 has no 1.0.1."""
    within = HOUSE.bit("1.0.0")
    assert resolve_release(HOUSE, "1.0", within=within).release == "1.0.0"
    assert resolve_release(HOUSE, "1.0.1", within=within).match is ReleaseMatch.NEAREST
    assert not resolve_release(HOUSE, "2.0.0", within=within).is_known


def test_a_machine_of_no_release_is_an_error_that_says_which_there_are() -> None:
    """A typing error must not give the newest."""
    door = spec(DOOR)
    assert machine_of(door).release == "2.0.0"
    assert machine_of(door, "1.0").release == "1.0.1"
    with pytest.raises(
        UnknownRelease, match=r"7\.0 names no release of door; it exists in 1\.0\.0\.\.2\.0\.0"
    ):
        machine_of(door, "7.0")


def test_no_release_of_another_major_line_is_offered_for_an_unknown_one() -> None:
    """Digits that are alike say nothing: 3.9.0 is not what was meant by 9.0."""
    door = spec(DOOR)
    for text, near in (("2.00", "did you mean `2.0.0`? it exists"), ("10.1.0", "door; it exists")):
        with pytest.raises(UnknownRelease, match=re.escape(near)):
            machine_of(door, text)


def test_a_release_of_the_family_in_which_the_machine_is_not_is_no_unknown_release() -> None:
    """A person who names a real release must not read that there is no such release."""
    door = spec('in: "1.1.0.."\n' + DOOR.replace('{in: "1.1.0.."}', ""))
    with pytest.raises(
        UnknownRelease, match=r"^there is no \S+ in 1\.0; it exists in 1\.1\.0\.\.2\.0\.0$"
    ):
        machine_of(door, "1.0")


def test_nothing_of_other_releases_is_left_in_a_machine() -> None:
    """Two releases with one table are equal values, but for their names."""
    door = spec(DOOR)
    one, two = machine_of(door, "1.1.0"), machine_of(door, "2.0.0")
    assert evolve(one, release="") == evolve(two, release="")
    assert one != machine_of(door, "1.0.0")


def test_a_machine_without_family_has_one_nameless_release() -> None:
    """Nothing to choose from."""
    lamp = spec("states: {ON: {initial: true, final: true}}\n", family=False)
    assert machine_of(lamp).release == ""
    with pytest.raises(UnknownRelease):
        machine_of(lamp, "1.0")


def test_a_family_is_read_by_its_name(tmp_path: object) -> None:
    """From the folder of its name below the specs folder."""
    from pathlib import Path

    folder = Path(str(tmp_path))
    (folder / "door").mkdir()
    (folder / "door" / "door.yaml").write_bytes((FIXTURES / "door.yaml").read_bytes())
    family, log = load_family("door", folder=folder)
    assert family.releases == ("1.0.0", "1.0.1", "1.1.0", "2.0.0")
    assert log.lines == ()
