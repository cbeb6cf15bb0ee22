"""A spec in one release."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from statemachines.model.definitions.log_definitions import (
    EpisodeDefinition,
    LineDefinition,
    LogDefinition,
)
from statemachines.model.definitions.machine_definitions import (
    Event,
    MachineDefinition,
    Otherwise,
    Predicate,
    SpecDefinition,
)
from statemachines.model.definitions.release_sets import ReleaseFamily, ReleaseSet
from statemachines.notation.releases.release_resolution import (
    resolve_release,
    unknown_release_error,
)


def machine_of(spec: SpecDefinition, release: str | None = None) -> MachineDefinition:
    """Return a spec in one release, with nothing of other releases left in it.

    Args:
        spec: the machine in all its releases.
        release: one of them, a minor line (its newest), or None for the newest; `resolve_release`
            tells how it was taken.

    Returns:
        The machine; the same object for the same question.

    Raises:
        UnknownRelease: the machine does not exist in it.
    """
    name = _resolved_release_name(spec, release)
    bit = spec.family.bit(name)
    states = tuple(evolve(state, releases=1) for state in spec.states if state.releases & bit)
    there = frozenset(state.name for state in states)
    transitions = tuple(
        evolve(transition, releases=1)
        for transition in spec.transitions
        if transition.releases & bit
    )
    return MachineDefinition(
        spec.name,
        name,
        states,
        transitions,
        tuple(
            _fallback_in_release(entry, there) for entry in spec.otherwise if entry.releases & bit
        ),
        tuple(
            _predicate_in_release(predicate, there)
            for predicate in spec.predicates
            if predicate.releases & bit
        ),
        _events_in_release(spec, bit),
        next((data for releases, data in spec.versions if releases & bit), spec.data),
        _log_in_release(spec.log, bit, there) if spec.log else None,
        spec.doc,
        spec.source,
        spec.file,
        spec.sha256,
        abstracts_of(spec.abstracts, spec.family, bit),
    )


def abstracts_of(
    specs: Iterable[tuple[str, SpecDefinition]], family: ReleaseFamily, bit: ReleaseSet
) -> tuple[tuple[str, MachineDefinition], ...]:
    """Return the machines that one refines in a release, those that exist in it.

    Args:
        specs: in all their releases, by the names that the one which refines has for them.
        family: of the one that refines.
        bit: the release.

    Returns:
        Names and machines, in the order of `specs`.
    """
    return tuple(
        (name, machine_of(spec, spec.family.newest(own) if spec.family.name else None))
        for name, spec in specs
        if (own := release_of_other(spec, family, bit))
    )


def release_of_other(spec: SpecDefinition, family: ReleaseFamily, bit: ReleaseSet) -> ReleaseSet:
    """Return a release of a spec as one of a machine that it names; none where that machine does
    not exist in it.

    Args:
        spec: of the machine that is named.
        family: of the machine that names it.
        bit: the release.

    Returns:
        A set of one release of `spec`, or the empty one.
    """
    return (bit if spec.family.name == family.name else 1) & spec.releases


def _resolved_release_name(spec: SpecDefinition, text: str | None) -> str:
    if text is None:
        return spec.family.newest(spec.releases)
    resolved = resolve_release(spec.family, text, within=spec.releases)
    if not resolved.is_known:
        raise unknown_release_error(spec.name, spec.family, spec.releases, text)
    return resolved.release


def _fallback_in_release(entry: Otherwise, there: frozenset[str]) -> Otherwise:
    return evolve(
        entry,
        sources=_states_in_release(entry.sources, there),
        targets=_states_in_release(entry.targets, there),
        releases=1,
    )


def _states_in_release(
    states: tuple[str, ...] | None, there: frozenset[str]
) -> tuple[str, ...] | None:
    return None if states is None else tuple(state for state in states if state in there)


def _predicate_in_release(predicate: Predicate, there: frozenset[str]) -> Predicate:
    return evolve(
        predicate, states=tuple(state for state in predicate.states if state in there), releases=1
    )


def _events_in_release(spec: SpecDefinition, bit: ReleaseSet) -> tuple[Event, ...]:
    """Return the declared events, then those that are used, each once."""
    events = {
        event.name: evolve(event, releases=1) for event in spec.events if event.releases & bit
    }
    for transition in spec.transitions:
        if transition.releases & bit:
            events.setdefault(transition.event, Event(transition.event, span=transition.span))
    return tuple(events.values())


def _log_in_release(log: LogDefinition, bit: ReleaseSet, there: frozenset[str]) -> LogDefinition:
    lines = tuple(_line_in_release(line) for line in log.lines if line.releases & bit)
    episodes = tuple(
        _episode_in_release(episode, there) for episode in log.episodes if episode.releases & bit
    )
    doubts = tuple(
        evolve(doubt, states=tuple(state for state in doubt.states if state in there), releases=1)
        for doubt in log.doubts
        if doubt.releases & bit
    )
    return evolve(log, lines=lines, episodes=episodes, doubts=doubts)


def _episode_in_release(episode: EpisodeDefinition, there: frozenset[str]) -> EpisodeDefinition:
    states, until, orderly, replaced, left = (
        tuple(state for state in those if state in there)
        for those in (
            episode.states,
            episode.until,
            episode.orderly,
            episode.replaced,
            episode.left,
        )
    )
    return evolve(
        episode,
        states=states,
        until=until,
        orderly=orderly,
        replaced=replaced,
        left=left,
        releases=1,
    )


def _line_in_release(line: LineDefinition) -> LineDefinition:
    return evolve(line, releases=1)
