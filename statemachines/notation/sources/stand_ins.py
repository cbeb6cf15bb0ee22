"""Specs that stand in for others in this process: how a test is run with a mutant in place of the
machine that it loads.
"""

from __future__ import annotations

from attrs import evolve

from statemachines.model.definitions.machine_definitions import SpecDefinition

_STAND_INS: dict[str, SpecDefinition] = {}
"""Hash of a spec's file to what is handed out for it."""
_HANDED_OUT: set[str] = set()


def substitute_spec(spec: SpecDefinition) -> None:
    """Hand out another spec wherever the file that it was made from is loaded, from now on, by
    whatever name.

    Its states, transitions, answers and data count; its log lines are those of the file.

    Args:
        spec: with the path of the file that it stands for.
    """
    _STAND_INS[spec.sha256] = spec


def has_stand_ins() -> bool:
    """Tell whether anything stands in for a spec."""
    return bool(_STAND_INS)


def was_loaded(spec: SpecDefinition) -> bool:
    """Tell whether anybody has loaded what a spec stands in for.

    Args:
        spec: that `substitute_spec` has.

    Returns:
        False until somebody has.
    """
    return spec.sha256 in _HANDED_OUT


def remove_stand_ins() -> None:
    """Hand out the files' own specs again."""
    _STAND_INS.clear()
    _HANDED_OUT.clear()


def stand_in_for(spec: SpecDefinition) -> SpecDefinition:
    """Return what stands in for a spec; mostly the spec itself.

    Args:
        spec: as it was read from its file.

    Returns:
        The other spec, or the same.
    """
    other = _STAND_INS.get(spec.sha256) if _STAND_INS else None
    if other is None:
        return spec
    _HANDED_OUT.add(spec.sha256)
    return evolve(
        spec,
        states=other.states,
        transitions=other.transitions,
        otherwise=other.otherwise,
        events=other.events,
        data=other.data,
        versions=other.versions,
    )
