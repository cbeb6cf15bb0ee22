"""Releases of a system in their order, and sets of them as bit masks."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import field

from statemachines.model.values import frozen

ReleaseSet = int
"""A set of releases of one family: bit `i` is set where release `i` of the family's list is in it.
"""


@frozen
class ReleaseAlias:
    """A vendor's number and the release it stands for."""

    pattern: str
    """A pattern for `fnmatch`, such as `7.3.*`."""
    release: str
    """A release or a minor line of the family."""


@frozen
class ReleaseFamily:
    """The releases of one system, oldest first in the order of the list (not of the alphabet).

    A machine without a family has one nameless release, see `NAMELESS`.
    """

    name: str
    releases: tuple[str, ...]
    aliases: tuple[ReleaseAlias, ...] = ()
    suffixes: tuple[str, ...] = ()
    """Patterns for `fnmatch` of endings that are cut from a number, such as `-SNAPSHOT`."""
    eras: tuple[tuple[str, ReleaseSet], ...] = field(default=(), eq=False, repr=False)
    """Names of sets of releases, those of the spec at hand behind those of the family. They are how
    a spec was written, and no part of what it means: no part of equality.
    """
    index: dict[str, int] = field(init=False, eq=False, repr=False)
    """Place of each release in the list."""

    @index.default
    def _index_by_release(self) -> dict[str, int]:
        return {release: bit for bit, release in enumerate(self.releases)}

    @property
    def all_releases(self) -> ReleaseSet:
        """All releases of the family."""
        return (1 << len(self.releases)) - 1

    def bit(self, release: str) -> ReleaseSet:
        """Return the set with this one release.

        Args:
            release: its name.

        Returns:
            A set of releases, as bits.

        Raises:
            KeyError: the family's list does not have it.
        """
        return 1 << self.index[release]

    def names(self, releases: ReleaseSet) -> Iterator[str]:
        """Yield the names of a set's releases, oldest first.

        Args:
            releases: a set of this family's releases.

        Yields:
            Names of releases.
        """
        return (name for index, name in enumerate(self.releases) if releases >> index & 1)

    def newest(self, releases: ReleaseSet) -> str:
        """Return the newest release of a set that is not empty.

        Args:
            releases: a set of this family's releases.

        Returns:
            The name of a release.
        """
        return self.releases[releases.bit_length() - 1]

    def ranges(self, releases: ReleaseSet) -> str:
        """Write a set as the notation does.

        Args:
            releases: a set of this family's releases.

        Returns:
            Ranges with commas between them.

        >>> ReleaseFamily("door", ("1.0", "1.1", "2.0", "2.1")).ranges(0b1011)
        '1.0..1.1, 2.1'
        """
        written, bit = [], 0
        while releases >> bit:
            if releases >> bit & 1:
                first = bit
                while releases >> (bit + 1) & 1:
                    bit += 1
                written.append(
                    self.releases[first] + (f"..{self.releases[bit]}" if bit > first else "")
                )
            bit += 1
        return ", ".join(written)


NAMELESS_FAMILY = ReleaseFamily("", ("",))
"""The family of a machine that names none."""
