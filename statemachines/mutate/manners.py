"""Mutants of what becomes of other requests, of beginnings, and of the releases that have a thing."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from statemachines.model.machines import Does, Otherwise
from statemachines.mutate.edits import Edit
from statemachines.mutate.moves import drafted, state_releases
from statemachines.mutate.mutants import Draft, Ground, Operator, Site
from statemachines.mutate.values import values
from statemachines.mutate.written import differing, otherwise_keys
from statemachines.semantics.wording import wording

WORDS = {Does.IGNORE: "ignored", Does.REFUSE: "refused", Does.RAISE: "raised", Does.FORCE: "done all the same"}


def answers(ground: Ground) -> Iterator[Draft]:
    """Yield what may become of each entry of `otherwise`: dropped, refused, swallowed."""
    for place, entry in enumerate(ground.spec.otherwise):
        if not entry.releases & ground.bit:
            continue
        yield _answered(ground, place, entry, None, "is dropped")
        for does in (Does.IGNORE, Does.REFUSE):
            if does is not entry.does:
                other = evolve(entry, does=does, error=None)
                yield _answered(ground, place, entry, other, f"is {WORDS[does]}, not {WORDS[entry.does]}")
        for error in _other_errors(ground, entry):
            yield _answered(ground, place, entry, evolve(entry, error=error), f"raises {error}, not {entry.error}")
        for state in entry.sources or ():
            if entry.sources and len(entry.sources) > 1 and state in ground.states:
                rest = tuple(name for name in entry.sources if name != state)
                yield _answered(ground, place, entry, evolve(entry, sources=rest), f"does not count in {state}")


def _other_errors(ground: Ground, entry: Otherwise) -> list[str]:
    """Return the error that stands beside the one that is raised: of those declared, else of those that the spec mentions."""
    said = [error.name for error in ground.machine.data.errors] or [each.error for each in ground.spec.otherwise if each.error]
    known = list(dict.fromkeys(said))
    if entry.does is not Does.RAISE or entry.error not in known or len(known) < 2:
        return []
    return [known[(known.index(entry.error) + 1) % len(known)]]


def _answered(ground: Ground, place: int, entry: Otherwise, other: Otherwise | None, said: str) -> Draft:
    diff = differing(otherwise_keys(ground.spec, entry), otherwise_keys(ground.spec, other))
    edit = Edit(otherwise={place: other})
    return Draft(Operator.ANSWER, f"otherwise {place + 1}", said, edit, diff, ground.machine.release, entry.span)


def beginnings(ground: Ground) -> Iterator[Draft]:
    """Yield other first states, and other first values of variables."""
    initial = tuple(state.name for state in ground.machine.states if state.initial)
    for state in ground.machine.states:
        if initial and (len(initial) > 1 or state.name not in initial):
            now = tuple(name for name in initial if name != state.name) if state.name in initial else (state.name,)
            said = f"begins in {', '.join(now)}"
            diff = differing({"initial": ", ".join(initial)}, {"initial": ", ".join(now)})
            edit = Edit(initial=frozenset(now))
            yield Draft(Operator.BEGINNING, "an instance", said, edit, diff, ground.machine.release, state.span)
    for variable in ground.machine.data.variables:
        if variable.initial is not None:
            for said, value in values(variable.initial, variable.type):
                if value is not None:
                    edit = Edit(first_values={variable.name: value})
                    diff = differing({"initial": wording(variable.initial)}, {"initial": wording(value)})
                    what = f"at first `{variable.name}`"
                    yield Draft(Operator.BEGINNING, what, said, edit, diff, ground.machine.release, variable.span)


def ranges(ground: Ground) -> Iterator[Draft]:
    """Yield each transition that not every release has, there one release longer or shorter at either end; judged in that release.

    What carries data is widened only to releases that have the same data, and nothing where its states are not.
    """
    spec = ground.spec
    for site in ground.sites():
        mask = site.first.releases
        if mask & spec.releases == spec.releases or any(arrow.releases != mask for arrow in site.arrows):
            continue
        for place in _ends(mask):
            if mask & (mask - 1):
                yield _moved(ground, site, mask & ~(1 << place), place, "no longer in")
        for place in _beside(mask):
            if 1 << place & spec.releases and _may_be(ground, site, 1 << place):
                yield _moved(ground, site, mask | 1 << place, place, "also in")


def _ends(mask: int) -> list[int]:
    """Return the first and last places of each range of a mask."""
    return [
        place
        for place in range(mask.bit_length())
        if mask >> place & 1 and not (mask >> (place + 1) & 1 and place and mask >> (place - 1) & 1)
    ]


def _beside(mask: int) -> list[int]:
    """Return the places just before and just behind each range."""
    places = range(mask.bit_length() + 1)
    return [place for place in places if not mask >> place & 1 and (mask >> (place + 1) & 1 or (place and mask >> (place - 1) & 1))]


def _moved(ground: Ground, site: Site, mask: int, place: int, words: str) -> Draft:
    release = ground.spec.family.releases[place]
    arrows = tuple(evolve(arrow, releases=mask) for arrow in site.arrows)
    return evolve(drafted(ground, site, Operator.RANGE, f"is {words} {release}", arrows), release=release)


def _may_be(ground: Ground, site: Site, bit: int) -> bool:
    """Tell whether arrows make sense in another release: their states are there, the data is the same, and they are not there already."""
    there = all(state_releases(ground, state) & bit for arrow in site.arrows for state in (arrow.source, arrow.target))
    twice = any(
        each.releases & bit and (each.source, each.event) == (arrow.source, arrow.event)
        for each in ground.spec.transitions
        for arrow in site.arrows
    )
    alike = all(bool(releases & bit) == bool(releases & ground.bit) for releases, _ in ground.spec.versions)
    return there and not twice and (alike or site.first.case is None)
