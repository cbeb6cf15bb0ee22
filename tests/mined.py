"""A draft that `mine` made, beside the spec that people wrote of the same program."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from attrs import frozen

import statemachines as sm
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.notation import machine_of, read_spec_text
from tests.shipped import shipped_spec


@frozen
class FoundAndShown:
    """Things of one kind by their names."""

    known: int
    """How many the spec has, in all its releases."""
    shown: frozenset[str]
    """Those that the logs tell, by the spec."""
    found: frozenset[str]
    """Those that the draft has."""
    wrong: frozenset[str]
    """Those that the draft has and the spec does not."""


@frozen
class MinedAgainstSpec:
    """What a draft found of a life cycle that is known."""

    draft: str | None
    """The name of the draft that shares the most states with the spec; None: there is none."""
    states: FoundAndShown
    transitions: FoundAndShown


def mined_against_spec(
    name: str, logs: Sequence[str | PathLike[str]], release: str | None = None
) -> MinedAgainstSpec:
    """Mine logs, and hold the draft against what the catalogue's spec tells of them.

    Args:
        name: of a machine of the catalogue.
        logs: files and folders.
        release: of the program, where the logs do not tell it.
    """
    spec = shipped_spec(name)
    spelled = {text: state.name for state in spec.states for text in state.spellings}
    report = sm.check(logs, specs=[name], release=release)
    told = {
        (spelled.get(step.source, step.source), spelled.get(step.target, step.target))
        for step in report.timeline
        if step.machine == name and step.how == "told" and step.source and step.target
    }
    states = {state.name for state in spec.states}
    known = {(one.source, one.target) for one in spec.transitions}
    drafts = [_machine(one) for one in sm.mine(logs).specs]
    draft = max(drafts, key=lambda one: len(states & {s.name for s in one.states}), default=None)
    found = {(one.source, one.target) for one in draft.transitions} if draft else set()
    found_states = {state.name for state in draft.states} if draft else set()
    return MinedAgainstSpec(
        draft.name if draft else None,
        FoundAndShown(
            len(states),
            frozenset(state for pair in told for state in pair),
            frozenset(found_states),
            frozenset(found_states - states),
        ),
        FoundAndShown(len(known), _texts(told), _texts(found), _texts(found - known)),
    )


def _machine(mined: sm.MinedSpec) -> MachineDefinition:
    return machine_of(read_spec_text(mined.text.encode(), f"{mined.name}.yaml").valid_spec())


def _texts(pairs: set[tuple[str, str]]) -> frozenset[str]:
    return frozenset(f"{source} -> {target}" for source, target in pairs)
