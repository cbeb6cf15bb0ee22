"""A spec in one release, and what a release's name means."""

from __future__ import annotations

import enum
import fnmatch
import re
from collections.abc import Iterator

from attrs import evolve

from statemachines.model.definitions.release_sets import ReleaseFamily, ReleaseSet
from statemachines.model.diagnosis.suggestions import nearest_hint
from statemachines.model.values import frozen

LONGEST_NUMBER = 100
"""Characters of a number that are looked at."""


class ReleaseMatch(enum.StrEnum):
    """How a text was taken for a release."""

    EXACT = "exact"
    MINOR = "minor"
    NEAREST = "nearest"
    ALIAS = "alias"
    UNKNOWN = "unknown"


@frozen
class ResolvedRelease:
    """The releases that a text may mean."""

    releases: ReleaseSet
    """Those that fit: one, with a vendor's number those after it in its minor line and the first of
    the next; none where it is unknown.
    """
    release: str
    """The one that a person means; empty where it is unknown."""
    match: ReleaseMatch
    message: str
    """What to tell whoever asked, such as `2.3.7 is not listed; 2.3.1 is the nearest older one`;
    empty where it is exact.
    """

    @property
    def is_known(self) -> bool:
        """Whether it names a release."""
        return self.match is not ReleaseMatch.UNKNOWN


class UnknownRelease(ValueError):
    """A text that names no release of the machine."""


def resolve_release(
    family: ReleaseFamily, text: str, *, within: ReleaseSet | None = None
) -> ResolvedRelease:
    """Say which releases a number means: one of the list, a minor line, a vendor's number, or the
    nearest older one.

    Args:
        family: whose releases.
        text: a number as a person, or a banner, has it.
        within: only these releases count (a machine's own); None for all.

    >>> door = ReleaseFamily("door", ("1.0.0", "1.0.1", "1.1.0"))
    >>> resolve_release(door, "1.0").release, resolve_release(door, "1.0.7").match.value
    ('1.0.1', 'nearest')

    Returns:
        The releases that are meant, and how they were found.

    Raises:
        UnknownRelease: it is no text.
    """
    if not isinstance(text, str):
        raise UnknownRelease(f'a release is a text such as "{family.releases[-1]}", not {text!r}')
    allowed = family.all_releases if within is None else within
    text = text.strip()
    whole = _resolve_number(family, text, allowed)
    if whole.is_known or text in family.index:
        return whole
    for shorter in _without_suffixes(family, text[:LONGEST_NUMBER]):
        inner = _resolve_number(family, shorter, allowed)
        if inner.is_known:
            how = ReleaseMatch.ALIAS if inner.match is ReleaseMatch.EXACT else inner.match
            fits = _with_later_releases(family, inner.releases, allowed)
            return evolve(
                inner, releases=fits, match=how, message=f"{text} is taken as {inner.release}"
            )
    return whole


def _resolve_number(family: ReleaseFamily, text: str, allowed: ReleaseSet) -> ResolvedRelease:
    """Look a number up as it stands, a vendor's rule first."""
    stands_for = None if text in family.index else _alias_target(family, text)
    return (
        _resolve_listed(family, text, allowed)
        if stands_for is None
        else _resolve_vendor_number(family, text, stands_for, allowed)
    )


def _resolve_listed(family: ReleaseFamily, text: str, allowed: ReleaseSet) -> ResolvedRelease:
    """Look a number up: itself, its minor line, or the nearest older one of its minor line."""
    if text in family.index and family.bit(text) & allowed:
        return ResolvedRelease(family.bit(text), text, ReleaseMatch.EXACT, "")
    line = _releases_of_line(family, text, allowed)
    if line:
        newest = family.newest(line)
        return ResolvedRelease(
            family.bit(newest),
            newest,
            ReleaseMatch.MINOR,
            f"{text} is taken as {newest}, the newest of its line",
        )
    older = _older_releases(family, text, allowed)
    if older:
        newest = family.newest(older)
        message = f"{text} is not listed; {newest} is the nearest older release of its line"
        return ResolvedRelease(family.bit(newest), newest, ReleaseMatch.NEAREST, message)
    return ResolvedRelease(
        0,
        "",
        ReleaseMatch.UNKNOWN,
        (
            f"{text} names no release of {family.name}"
            if family.name
            else f"there are no releases, so no {text}"
        ),
    )


def _resolve_vendor_number(
    family: ReleaseFamily, text: str, stands_for: str, allowed: ReleaseSet
) -> ResolvedRelease:
    """A vendor's number: what it stands for fits, all that came later in that minor line, and the
    first of the next.

    A vendor's build is made from some state of a line's branch and may carry fixes of later
    releases: nothing between fits less.
    """
    inner = _resolve_listed(family, stands_for, allowed)
    if not inner.is_known:
        return evolve(inner, message=f"{text} stands for {stands_for}, which is no release here")
    if inner.match is not ReleaseMatch.MINOR:
        return ResolvedRelease(
            _with_later_releases(family, inner.releases, allowed),
            inner.release,
            ReleaseMatch.ALIAS,
            f"{text} stands for {inner.release}",
        )
    line = _releases_of_line(family, stands_for, allowed)
    release = _same_patch_release(family, text, line)
    return ResolvedRelease(
        _with_later_releases(family, line, allowed),
        release,
        ReleaseMatch.ALIAS,
        f"{text} stands for {stands_for}, taken as {release}",
    )


def _with_later_releases(
    family: ReleaseFamily, known: ReleaseSet, allowed: ReleaseSet
) -> ReleaseSet:
    """Return releases of one minor line, those of it that came later, and the first of the next."""
    line = _releases_of_line(family, _minor_line(family.newest(known)), allowed) | known
    later = allowed & ~(line | ((1 << line.bit_length()) - 1))
    return (line & -(known & -known)) | (later & -later)


def _same_patch_release(family: ReleaseFamily, text: str, line: ReleaseSet) -> str:
    """Return the release of a minor line whose last number is the third of a vendor's, else the
    line's newest.
    """
    match = re.match(r"\d+\.\d+\.(\d+)", text)
    same = [name for name in family.names(line) if match and name.rpartition(".")[2] == match[1]]
    return same[0] if same else family.newest(line)


def _alias_target(family: ReleaseFamily, text: str) -> str | None:
    return next(
        (alias.release for alias in family.aliases if fnmatch.fnmatchcase(text, alias.pattern)),
        None,
    )


def _without_suffixes(family: ReleaseFamily, text: str) -> Iterator[str]:
    """Yield what is left of a number without endings that suffix patterns match, one cut or
    several, the longest rest first.
    """
    ends = {len(text)}
    for start in range(len(text) - 1, 0, -1):
        if any(
            fnmatch.fnmatchcase(text[start:end], suffix)
            for end in ends
            for suffix in family.suffixes
        ):
            ends.add(start)
            yield text[:start]


def _minor_line(release: str) -> str:
    """Return the minor line of a release: all of its number but the last part, three parts where it
    begins with 0.

    >>> _minor_line("2.3.1"), _minor_line("0.10.2.2"), _minor_line("2.3")
    ('2.3', '0.10.2', '2.3')
    """
    parts = release.split(".")
    return ".".join(parts[: 3 if parts[0] == "0" and len(parts) > 3 else 2])


def _releases_of_line(family: ReleaseFamily, line: str, allowed: ReleaseSet) -> ReleaseSet:
    mask = 0
    for place, release in enumerate(family.releases):
        if release.startswith(line + "."):
            mask |= 1 << place
    return mask & allowed


def _older_releases(family: ReleaseFamily, text: str, allowed: ReleaseSet) -> ReleaseSet:
    """Return the releases of the same minor line that are older than an unlisted number."""
    own = _version_numbers(text)
    if own is None:
        return 0
    mask = 0
    for place, release in enumerate(family.releases):
        number = _version_numbers(release)
        if _minor_line(release) == _minor_line(text) and number is not None and number < own:
            mask |= 1 << place
    return mask & allowed


def _version_numbers(release: str) -> tuple[int, ...] | None:
    return (
        tuple(int(part) for part in release.split("."))
        if re.fullmatch(r"\d{1,9}(\.\d{1,9})*", release)
        else None
    )


def unknown_release_error(
    name: str, family: ReleaseFamily, within: ReleaseSet, text: str
) -> UnknownRelease:
    """Say why a machine or system does not exist in a release: there is no such release, or it is
    one of others.

    Args:
        name: of the machine or system.
        family: whose releases they are.
        within: the releases in which it exists.
        text: the release that was asked for.

    Returns:
        The error, to be raised.
    """
    anywhere = resolve_release(family, text)
    if not family.name:
        return UnknownRelease(anywhere.message)
    message = f"there is no {name} in {text.strip()}" if anywhere.is_known else anywhere.message
    major = text.strip().partition(".")[0]
    alike = [name for name in family.names(within) if name.partition(".")[0] == major]
    near = "" if anywhere.is_known else nearest_hint(text.strip(), reversed(alike))
    return UnknownRelease(
        f"{message}; {f'{near} ' if near else ''}it exists in {family.ranges(within)}"
    )
