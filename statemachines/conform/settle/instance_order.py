"""The order in which the observations of one instance are judged, and what distinguishes it from
others.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import le, lt

from statemachines.conform.interchange.observations import KeyValues, Observation, Position
from statemachines.conform.settle.judging_context import JudgingContext

ObservationOrder = tuple["int | str", Position]
InstanceIdentity = tuple[int, int, KeyValues]
"""Machine, who tells of it, and key."""


def order_observations(
    context: JudgingContext, observations: Sequence[Observation]
) -> Sequence[Observation]:
    """Return the observations of one instance in the order in which they are judged; themselves,
    where they stand so.
    """
    if _is_in_order(observations):
        return observations
    return [
        observation
        for _, observation in sorted((observation_order(context, o), o) for o in observations)
    ]


def _is_in_order(observations: Sequence[Observation]) -> bool:
    """Say at a glance whether observations are of one file, line after line."""
    if len({(observation.file, observation.unit) for observation in observations}) > 1:
        return False
    lines = [observation.line for observation in observations]
    reached = [
        observation.reached for observation in observations if observation.reached is not None
    ]
    return (
        len(reached) == len(lines)
        and all(map(lt, lines, lines[1:]))
        and all(map(le, reached, reached[1:]))
    )


def observation_order(context: JudgingContext, observation: Observation) -> ObservationOrder:
    """Return what orders the observations of one instance: the place in its process; across
    processes the time.
    """
    return (
        context.process_index(observation) if not is_shared(context, observation.owner) else 0
    ), context.position(observation)


def is_shared(context: JudgingContext, owner: int) -> bool:
    """Say whether several processes tell of one instance of a machine."""
    log = context.plan.owners[owner].log
    return log is not None and log.shared


def instance_identity(context: JudgingContext, observation: Observation) -> InstanceIdentity:
    """Return what tells an instance from others: the machine, who tells of it (see `teller`) and
    the key.
    """
    return (
        observation.owner,
        reporting_process(context, observation.owner, context.process_index(observation)),
        observation.key,
    )


def reporting_process(context: JudgingContext, owner: int, process: int) -> int:
    """Return who tells of a machine's instances in a process: the process, or its system (a
    negative number) where processes share them.
    """
    return context.system_index(process) if is_shared(context, owner) else process
