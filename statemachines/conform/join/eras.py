"""Generations that went back: a system that was wiped and made anew begins to count again, and what
was before is over; and programs that the same process began again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from statemachines.conform.interchange.judgements import (
    IncarnationStart,
    InstanceJudgement,
    StatePoint,
)
from statemachines.conform.interchange.observations import Position
from statemachines.conform.join.report_sources import generation_value, machine_log, named_key
from statemachines.conform.settle.judging_context import JudgingContext
from statemachines.model.evidence.instance_names import instance_name, longest_name_prefix
from statemachines.model.evidence.reports import InstanceKey
from statemachines.model.values import frozen

_InstanceSpan = tuple[Position, Position, int]
"""First and last line of an instance, and its generation."""


class _GenerationReset(NamedTuple):
    """Where a generation went back."""

    position: Position
    last: Position
    """The last line of the generation before."""
    before: int
    after: int


@frozen
class Eras:
    """Where generations went back, by system."""

    breaks: Mapping[int, tuple[Position, ...]]
    messages: tuple[tuple[int, str], ...]
    """Process, and what happened there in words."""

    def era_index(self, context: JudgingContext, judgement: InstanceJudgement) -> int:
        """Return the era of an instance: so many times its system was made anew until its first
        line; 0 where nothing orders instances.
        """
        if (
            judgement.first_position is None
            or machine_log(context.plan, judgement.owner).generation is None
        ):
            return 0
        return bisect_right(
            self.breaks.get(context.system_index(judgement.processes[0]), ()),
            judgement.first_position,
        )

    def era_end(self, context: JudgingContext, judgement: InstanceJudgement) -> Position | None:
        """Return where the era of an instance ended; None while it goes on."""
        breaks, era = (
            self.breaks.get(
                context.system_index(judgement.processes[0]) if judgement.processes else 0, ()
            ),
            self.era_index(context, judgement),
        )
        orders = machine_log(context.plan, judgement.owner).generation is not None
        return breaks[era] if orders and era < len(breaks) else None


def find_eras(context: JudgingContext, judged: Sequence[InstanceJudgement]) -> Eras:
    """Find where a process tells a lower generation of the same carrier after all that it told of a
    higher one, and none of that again.

    Who carries a generation (a machine that leads, a term of office) only ever counts up, and knows
    its own: it is another's first line, or the same one's after everything was lost. What two
    carriers tell may be late, and says nothing.

    Complexity: that of sorting the instances.
    """
    spans: dict[tuple[int, str, InstanceKey], list[_InstanceSpan]] = defaultdict(list)
    for judgement in judged:
        name = machine_log(context.plan, judgement.owner).generation
        generation = generation_value(context, judgement.owner, judgement.key) if name else None
        if (
            name
            and isinstance(generation, int)
            and judgement.first_position is not None
            and judgement.last_position is not None
        ):
            spans[judgement.processes[0], name, _carrier(context, judgement)].append(
                (judgement.first_position, judgement.last_position, generation)
            )
    falls = sorted(
        (process, fall, name)
        for (process, name, _), incarnations in spans.items()
        for fall in _generation_resets(sorted(incarnations))
    )
    messages = dict.fromkeys((process, _reset_message(name, fall)) for process, fall, name in falls)
    return Eras(
        _breaks_by_system((context.system_index(process), fall) for process, fall, _ in falls),
        tuple(messages),
    )


def _breaks_by_system(
    falls: Iterable[tuple[int, _GenerationReset]],
) -> dict[int, tuple[Position, ...]]:
    """Return where each system was made anew; what several tell of one time is one."""
    breaks: dict[int, tuple[Position, ...]] = {}
    for system, fall in sorted(falls):
        before = breaks.get(system, ())
        if not before or fall.last > before[-1]:
            breaks[system] = (*before, fall.position)
    return breaks


def _carrier(context: JudgingContext, judgement: InstanceJudgement) -> InstanceKey:
    """Return who counts: the fields of the key that name neither the subject nor the generation."""
    log = machine_log(context.plan, judgement.owner)
    return tuple(
        field
        for field in named_key(context, judgement.owner, judgement.key)
        if field[0] not in (*log.subject, log.generation)
    )


def _generation_resets(incarnations: Sequence[_InstanceSpan]) -> Iterator[_GenerationReset]:
    """Yield where the generation went back."""
    top, last = incarnations[0][2], incarnations[0][1]
    for first, until, generation in incarnations[1:]:
        if generation < top and first > last:
            yield _GenerationReset(first, last, top, generation)
        elif generation < top:
            continue
        top, last = generation, max(until, last) if generation == top else until


def _reset_message(name: str, fall: _GenerationReset) -> str:
    went = f"{name} went back from {fall.before} to {fall.after} in line {fall.position.line}"
    return f"{went}: the system was wiped and made anew, or the logs of two lie together"


SubjectInstances = tuple[int, InstanceKey, list[InstanceJudgement]]
"""Machine, key, and the instances of the subject, oldest generation first."""


@frozen
class Restarts:
    """Where programs began again."""

    programs: Mapping[int, Mapping[str, IncarnationStart]]
    """By process and the program's name."""

    def unobserved_since(self, subject: InstanceKey, last: InstanceJudgement) -> StatePoint | None:
        """Return where the program began its new life that a subject is a part of; None where the
        subject was heard of since.

        Args:
            subject: a part, or the program itself.
            last: its last instance.
        """
        if last.since is None or last.last_position is None:
            return None
        programs = self.programs.get(last.since.process)
        if not programs:
            return None
        name = longest_name_prefix(instance_name(subject), programs)
        if name is None or last.last_position >= programs[name].sign:
            return None
        return programs[name].point


def find_restarts(context: JudgingContext, subjects: Sequence[SubjectInstances]) -> Restarts:
    """Find the programs (`program` in their specs) that the same process began again."""
    restarts: dict[int, dict[str, IncarnationStart]] = defaultdict(dict)
    for owner, subject, instances in subjects:
        restart = instances[-1].incarnation_start
        if restart is not None and machine_log(context.plan, owner).is_program:
            restarts[restart.point.process][instance_name(subject)] = restart
    return Restarts(restarts)
