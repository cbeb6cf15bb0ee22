"""A machine under another name, with what its log says of the machines beside it."""

from __future__ import annotations

from attrs import evolve

from statemachines.model.definitions.log_definitions import LogDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition


def renamed_machine(spec: SpecDefinition, name: str) -> SpecDefinition:
    """Return a machine under another name: those that stood beside it stand beside it still.

    Args:
        spec: as it was read, named by its place.
        name: its own name, with the folder that is part of it.

    Returns:
        An equal machine but for names.
    """
    before, after = (text.rpartition("/") for text in (spec.name, name))
    log = spec.log and _moved_log(spec.log, "".join(before[:2]), "".join(after[:2]))
    return evolve(spec, name=name, log=log)


def _moved_log(log: LogDefinition, before: str, after: str) -> LogDefinition:
    def moved(machine: str) -> str:
        beside = before and machine.startswith(before) and "/" not in machine[len(before) :]
        return after + machine[len(before) :] if beside else machine

    return evolve(
        log,
        doubts=tuple(evolve(doubt, machine=moved(doubt.machine)) for doubt in log.doubts),
        episodes=tuple(
            evolve(episode, ends_with=evolve(end, machine=moved(end.machine))) if end else episode
            for episode in log.episodes
            for end in (episode.ends_with,)
        ),
        incidents=tuple(evolve(kind, through=moved(kind.through)) for kind in log.incidents),
    )
