"""A spec in one release, and what a release's name means."""

from __future__ import annotations

import enum
import fnmatch
import re
from collections.abc import Iterator

from attrs import evolve, frozen

from statemachines.model.loglines import Episode, Line, Log
from statemachines.model.machines import Event, Machine, Otherwise, Predicate, Spec
from statemachines.model.releases import Family, Releases
from statemachines.model.suggestions import meant

LONGEST = 100
"""Characters of a number that are looked at."""


class How(enum.StrEnum):
    """How a text was taken for a release."""

    EXACT = "exact"
    MINOR = "minor"
    NEAREST = "nearest"
    ALIAS = "alias"
    UNKNOWN = "unknown"


@frozen
class Resolved:
    """The releases that a text may mean."""

    releases: Releases
    """Those that fit: one, with a vendor's number those after it in its minor line and the first of the next; none where it is unknown."""
    release: str
    """The one that a person means; empty where it is unknown."""
    how: How
    said: str
    """What to tell whoever asked, such as `2.3.7 is not listed; 2.3.1 is the nearest older one`; empty where it is exact."""

    @property
    def known(self) -> bool:
        """Whether it names a release."""
        return self.how is not How.UNKNOWN


class UnknownRelease(ValueError):
    """A text that names no release of the machine."""


def resolve_release(family: Family, text: str, *, within: Releases | None = None) -> Resolved:
    """Say which releases a number means: one of the list, a minor line, a vendor's number, or the nearest older one.

    Args:
        family: whose releases.
        text: a number as a person, or a banner, has it.
        within: only these releases count (a machine's own); None for all.

    >>> door = Family("door", ("1.0.0", "1.0.1", "1.1.0"))
    >>> resolve_release(door, "1.0").release, resolve_release(door, "1.0.7").how.value
    ('1.0.1', 'nearest')
    """
    allowed = family.everything if within is None else within
    text = text.strip()
    whole = _named(family, text, allowed)
    if whole.known or text in family.index:
        return whole
    for shorter in _cuts(family, text[:LONGEST]):
        inner = _named(family, shorter, allowed)
        if inner.known:
            how = How.ALIAS if inner.how is How.EXACT else inner.how
            fits = _onward(family, inner.releases, allowed)
            return evolve(inner, releases=fits, how=how, said=f"{text} is taken as {inner.release}")
    return whole


def _named(family: Family, text: str, allowed: Releases) -> Resolved:
    """Look a number up as it stands, a vendor's rule first."""
    stands_for = None if text in family.index else _alias(family, text)
    return _listed(family, text, allowed) if stands_for is None else _vendor(family, text, stands_for, allowed)


def _listed(family: Family, text: str, allowed: Releases) -> Resolved:
    """Look a number up: itself, its minor line, or the nearest older one of its minor line."""
    if text in family.index and family.bit(text) & allowed:
        return Resolved(family.bit(text), text, How.EXACT, "")
    line = _of_line(family, text, allowed)
    if line:
        newest = family.newest(line)
        return Resolved(family.bit(newest), newest, How.MINOR, f"{text} is taken as {newest}, the newest of its line")
    older = _older(family, text, allowed)
    if older:
        newest = family.newest(older)
        said = f"{text} is not listed; {newest} is the nearest older release of its line"
        return Resolved(family.bit(newest), newest, How.NEAREST, said)
    return Resolved(
        0, "", How.UNKNOWN, f"{text} names no release of {family.name}" if family.name else f"there are no releases, so no {text}"
    )


def _vendor(family: Family, text: str, stands_for: str, allowed: Releases) -> Resolved:
    """A vendor's number: what it stands for fits, all that came later in that minor line, and the first of the next.

    A vendor's build is made from some state of a line's branch and may carry fixes of later releases: nothing between fits less.
    """
    inner = _listed(family, stands_for, allowed)
    if not inner.known:
        return evolve(inner, said=f"{text} stands for {stands_for}, which is no release here")
    if inner.how is not How.MINOR:
        return Resolved(_onward(family, inner.releases, allowed), inner.release, How.ALIAS, f"{text} stands for {inner.release}")
    line = _of_line(family, stands_for, allowed)
    release = _of_same_patch(family, text, line)
    return Resolved(_onward(family, line, allowed), release, How.ALIAS, f"{text} stands for {stands_for}, taken as {release}")


def _onward(family: Family, known: Releases, allowed: Releases) -> Releases:
    """Return releases of one minor line, those of it that came later, and the first of the next."""
    line = _of_line(family, minor_line(family.newest(known)), allowed) | known
    later = allowed & ~(line | ((1 << line.bit_length()) - 1))
    return (line & -(known & -known)) | (later & -later)


def _of_same_patch(family: Family, text: str, line: Releases) -> str:
    """Return the release of a minor line whose last number is the third of a vendor's, else the line's newest."""
    found = re.match(r"\d+\.\d+\.(\d+)", text)
    same = [name for name in family.names(line) if found and name.rpartition(".")[2] == found[1]]
    return same[0] if same else family.newest(line)


def _alias(family: Family, text: str) -> str | None:
    return next((alias.release for alias in family.aliases if fnmatch.fnmatchcase(text, alias.like)), None)


def _cuts(family: Family, text: str) -> Iterator[str]:
    """Yield what is left of a number without endings that suffix patterns match, one cut or several, the longest rest first."""
    ends = {len(text)}
    for start in range(len(text) - 1, 0, -1):
        if any(fnmatch.fnmatchcase(text[start:end], suffix) for end in ends for suffix in family.suffixes):
            ends.add(start)
            yield text[:start]


def minor_line(release: str) -> str:
    """Return the minor line of a release: all of its number but the last part, three parts where it begins with 0.

    >>> minor_line("2.3.1"), minor_line("0.10.2.2"), minor_line("2.3")
    ('2.3', '0.10.2', '2.3')
    """
    parts = release.split(".")
    return ".".join(parts[: 3 if parts[0] == "0" and len(parts) > 3 else 2])


def _of_line(family: Family, line: str, allowed: Releases) -> Releases:
    mask = 0
    for place, release in enumerate(family.releases):
        if release.startswith(line + "."):
            mask |= 1 << place
    return mask & allowed


def _older(family: Family, text: str, allowed: Releases) -> Releases:
    """Return the releases of the same minor line that are older than a number that is not listed."""
    own = _number(text)
    if own is None:
        return 0
    mask = 0
    for place, release in enumerate(family.releases):
        number = _number(release)
        if minor_line(release) == minor_line(text) and number is not None and number < own:
            mask |= 1 << place
    return mask & allowed


def _number(release: str) -> tuple[int, ...] | None:
    return tuple(int(part) for part in release.split(".")) if re.fullmatch(r"\d{1,9}(\.\d{1,9})*", release) else None


def machine_of(spec: Spec, release: str | None = None) -> Machine:
    """Return a spec in one release, with nothing of other releases left in it.

    Args:
        spec: the machine in all its releases.
        release: one of them, a minor line (its newest), or None for the newest; `resolve_release` tells how it was taken.

    Raises:
        UnknownRelease: the machine does not exist in it.
    """
    name = _release_of(spec, release)
    bit = spec.family.bit(name)
    states = tuple(evolve(state, releases=1) for state in spec.states if state.releases & bit)
    there = frozenset(state.name for state in states)
    transitions = tuple(evolve(arrow, releases=1) for arrow in spec.transitions if arrow.releases & bit)
    return Machine(
        spec.name,
        name,
        states,
        transitions,
        tuple(_otherwise(entry, there) for entry in spec.otherwise if entry.releases & bit),
        tuple(_predicate(predicate, there) for predicate in spec.predicates if predicate.releases & bit),
        _events(spec, bit),
        next((data for releases, data in spec.versions if releases & bit), spec.data),
        _log(spec.log, bit, there) if spec.log else None,
        spec.doc,
        spec.source,
        spec.file,
        spec.sha256,
    )


def _release_of(spec: Spec, text: str | None) -> str:
    if text is None:
        return spec.family.newest(spec.releases)
    resolved = resolve_release(spec.family, text, within=spec.releases)
    if not resolved.known:
        raise absent(spec.name, spec.family, spec.releases, text)
    return resolved.release


def absent(name: str, family: Family, within: Releases, text: str) -> UnknownRelease:
    """Say why a machine or system does not exist in a release: there is no such release, or it is one of others."""
    anywhere = resolve_release(family, text)
    if not family.name:
        return UnknownRelease(anywhere.said)
    said = f"there is no {name} in {text.strip()}" if anywhere.known else anywhere.said
    near = "" if anywhere.known else meant(text.strip(), reversed(tuple(family.names(within))))
    return UnknownRelease(f"{said}; {f'{near} ' if near else ''}it exists in {family.ranges(within)}")


def _otherwise(entry: Otherwise, there: frozenset[str]) -> Otherwise:
    return evolve(entry, sources=_cut_to(entry.sources, there), targets=_cut_to(entry.targets, there), releases=1)


def _cut_to(states: tuple[str, ...] | None, there: frozenset[str]) -> tuple[str, ...] | None:
    return None if states is None else tuple(state for state in states if state in there)


def _predicate(predicate: Predicate, there: frozenset[str]) -> Predicate:
    return evolve(predicate, states=tuple(state for state in predicate.states if state in there), releases=1)


def _events(spec: Spec, bit: Releases) -> tuple[Event, ...]:
    """Return the declared events, then those that are used, each once."""
    events = {event.name: evolve(event, releases=1) for event in spec.events if event.releases & bit}
    for arrow in spec.transitions:
        if arrow.releases & bit:
            events.setdefault(arrow.event, Event(arrow.event, span=arrow.span))
    return tuple(events.values())


def _log(log: Log, bit: Releases, there: frozenset[str]) -> Log:
    lines = tuple(_line(line) for line in log.lines if line.releases & bit)
    episodes = tuple(_episode(episode, there) for episode in log.episodes if episode.releases & bit)
    return evolve(log, lines=lines, episodes=episodes)


def _episode(episode: Episode, there: frozenset[str]) -> Episode:
    states, until, orderly, replaced = (
        tuple(state for state in those if state in there) for those in (episode.states, episode.until, episode.orderly, episode.replaced)
    )
    return evolve(episode, states=states, until=until, orderly=orderly, replaced=replaced, releases=1)


def _line(line: Line) -> Line:
    return evolve(line, releases=1)
