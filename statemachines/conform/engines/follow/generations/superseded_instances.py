"""What is held of instances of generations that later ones have superseded, once they are let go:
when lines told of each generation, and where episodes began and ended.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping

from attrs import define, field

from statemachines.conform.engines.follow.settled_past import without_past
from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import EpisodePoint, InstanceJudgement
from statemachines.conform.join.eras import find_eras, generation_carrier
from statemachines.conform.join.log_subjects import fitting_releases
from statemachines.conform.join.report_sources import (
    generation_value,
    instance_sort_key,
    machine_log,
    subject_key,
)
from statemachines.conform.settle.judging_context import InstanceIdentity, JudgingContext
from statemachines.model.evidence.reports import InstanceKey

Subject = tuple[int, int, InstanceKey]
"""Machine, who tells of it, and the fields that stay the same over generations."""
_Carrier = tuple[int, str, InstanceKey]
"""A process, the name of a generation, and who counts it."""


@define
class SupersededInstances:
    """Knows the instances of each subject that are held, and what is left of those that are not.
    The oldest of a subject is let go first, and its last one never.

    Limits: where a generation went back (a system was wiped and made anew), and of a machine with
    lines that leave the generation out, all are held; so are those of a subject of whose episodes
    some are shared by several, from one on that was told of after a later one was.

    Complexity: memory for a few points of episodes a subject, and a span of lines a generation and
    who carries it.
    """

    plan: CheckPlan
    is_off: bool = False
    """Whether a generation went back: all instances are held from then on."""
    _held: dict[Subject, dict[InstanceIdentity, None]] = field(
        init=False, factory=lambda: defaultdict(dict)
    )
    _latest: dict[Subject, int | str] = field(init=False, factory=dict)
    """The latest generation that was let go of a subject."""
    _pasts: dict[Subject, InstanceJudgement] = field(init=False, factory=dict)
    """The points of those that were let go, as a judgement that has nothing else."""
    _spans: dict[_Carrier, dict[int | str, InstanceJudgement]] = field(
        init=False, factory=lambda: defaultdict(dict)
    )
    """From the first to the last line of a generation, likewise."""
    _unnamed: set[int] = field(init=False, factory=set)
    """Machines with lines that leave the generation out."""
    _is_undone: bool = field(init=False, default=False)
    """Whether such a line came of a machine of which instances were let go."""

    def has_generations(self, owner: int) -> bool:
        """Say whether a machine's instances supersede each other."""
        log = self.plan.owners[owner].log
        return log is not None and log.generation is not None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was let go."""
        return not self._latest

    def clear(self) -> None:
        """Forget all: numbers mean something else now."""
        self._held.clear()
        self.forget_past()

    def forget_past(self) -> None:
        """Forget what is left of those that were let go: they are judged again."""
        for of in (self._latest, self._pasts, self._spans):
            of.clear()

    def leave_out(self, owner: int) -> None:
        """Let go of no instance of a machine any more: a line of it leaves the generation out."""
        self._unnamed.add(owner)
        self._is_undone |= any(subject[0] == owner for subject in self._latest)

    def take(self, context: JudgingContext, who: InstanceIdentity) -> Subject | None:
        """Take note that an instance is held; return its subject where a later generation of that
        was let go: all of it has to be judged again.
        """
        subject = self._subject(context, who)
        self._held[subject][who] = None
        latest = self._latest.get(subject)
        if latest is None or _order(self._generation(context, who)) > _order(latest):
            return None
        del self._latest[subject]
        self._pasts.pop(subject, None)
        return subject

    def is_of(self, context: JudgingContext, who: InstanceIdentity, subject: Subject) -> bool:
        """Say whether an instance is of a subject."""
        return who[0] == subject[0] and self._subject(context, who) == subject

    def let_go(
        self,
        context: JudgingContext,
        who: InstanceIdentity,
        judgements: Mapping[InstanceIdentity, InstanceJudgement],
    ) -> bool:
        """Let go of an instance, if it is the oldest of its subject and not the last one.

        Args:
            context: what all files say together.
            who: the instance.
            judgements: of all that are held.

        Returns:
            Whether it need not be held any more.
        """
        subject, judged = self._subject(context, who), judgements[who]
        held = self._held[subject]
        if self.is_off or who[0] in self._unnamed or len(held) < 2:
            return False
        if who != self._oldest(context, subject) or judged.first_position is None:
            return False
        others = [judgements[other] for other in held if other != who and other in judgements]
        if self._grouped(who[0]) and not _is_before(judged, others):
            return False
        # the releases that fit decide which kinds of episodes a subject has
        fits = fitting_releases(context, who[0], others)
        if fitting_releases(context, who[0], [judged, *others]) != fits:
            return False
        del held[who]
        self._latest[subject] = self._generation(context, who)
        self._note_span(context, judged)
        past = self._pasts.get(subject)
        points = (*(past.episode_points if past else ()), *judged.episode_points)
        self._put_past(subject, _emptied(judged)._replace(episode_points=points))
        return True

    def _grouped(self, owner: int) -> set[int]:
        """Return the kinds of a machine's episodes that several subjects share."""
        kinds = enumerate(machine_log(self.plan, owner).episodes)
        return {number for number, kind in kinds if kind.grouped_by}

    def _oldest(self, context: JudgingContext, subject: Subject) -> InstanceIdentity:
        return min(self._held[subject], key=lambda who: instance_sort_key(context, who))

    def settle_past(self, before_ms: int) -> None:
        """Let go of what was over before a moment."""
        for subject, past in list(self._pasts.items()):
            self._put_past(subject, without_past(past, before_ms))

    @property
    def pasts(self) -> Iterable[InstanceJudgement]:
        """The points of episodes of those that were let go."""
        return self._pasts.values()

    def spans(self) -> Iterator[InstanceJudgement]:
        """Yield judgements with nothing but the first and the last line of a generation."""
        for by_generation in self._spans.values():
            yield from by_generation.values()

    def whole(
        self, context: JudgingContext, who: InstanceIdentity, judged: InstanceJudgement
    ) -> InstanceJudgement:
        """Return a judgement with the points of those that were let go of its subject before it,
        where it is the oldest that is held.
        """
        if not self._pasts or not self.has_generations(who[0]):
            return judged
        subject = self._subject(context, who)
        past = self._pasts.get(subject)
        if past is None:
            return judged
        if who != self._oldest(context, subject):
            return judged
        return judged._replace(episode_points=(*past.episode_points, *judged.episode_points))

    def is_undone(self, context: JudgingContext, judged: Iterable[InstanceJudgement]) -> bool:
        """Say whether all that was let go has to be judged again: a generation went back, or a line
        left it out.

        Args:
            context: what all files say together.
            judged: all that are held.

        Complexity: that of sorting those that have generations.
        """
        if self.is_empty:
            return False
        rows = [judgement for judgement in judged if self.has_generations(judgement.owner)]
        self.is_off = bool(find_eras(context, [*rows, *self.spans()]).breaks)
        is_undone, self._is_undone = self.is_off or self._is_undone, False
        if is_undone:
            self.forget_past()
        return is_undone

    def _subject(self, context: JudgingContext, who: InstanceIdentity) -> Subject:
        return who[0], who[1], subject_key(context, who[0], who[2])

    def _generation(self, context: JudgingContext, who: InstanceIdentity) -> int | str:
        return generation_value(context, who[0], who[2])

    def _note_span(self, context: JudgingContext, judged: InstanceJudgement) -> None:
        name = machine_log(self.plan, judged.owner).generation or ""
        carrier = judged.processes[0], name, generation_carrier(context, judged)
        generation = generation_value(context, judged.owner, judged.key)
        known = self._spans[carrier].get(generation)
        positions = [
            position
            for of in (judged, known)
            if of is not None
            for position in (of.first_position, of.last_position)
            if position is not None
        ]
        self._spans[carrier][generation] = _emptied(judged)._replace(
            processes=judged.processes[:1],
            first_position=min(positions),
            last_position=max(positions),
        )

    def _put_past(self, subject: Subject, past: InstanceJudgement) -> None:
        points = tuple(_that_count(past.episode_points, self._grouped(subject[0])))
        if points:
            self._pasts[subject] = past._replace(episode_points=points)
        else:
            self._pasts.pop(subject, None)


def _emptied(judged: InstanceJudgement) -> InstanceJudgement:
    """Return a judgement of which nothing is left but whose it is."""
    return InstanceJudgement(
        judged.owner, judged.key, judged.processes, 0, 0, 0, None, None, None,
        is_over=False, findings=(), episode_points=(), unjudged=(),
    )  # fmt: skip


def _that_count(points: Iterable[EpisodePoint], grouped: Container[int]) -> Iterator[EpisodePoint]:
    """Yield the points that begin or end something, and lines to blame for it; of what several
    subjects share also the first, for it says from when on a subject is known.
    """
    holds = dict[int, bool]()
    for point in points:
        before = holds.get(point.episode)
        if point.holds is None:
            if before:
                yield point
            continue
        is_first = before is None and (point.holds or point.episode in grouped)
        if is_first or (before is not None and before is not point.holds):
            yield point
        holds[point.episode] = point.holds


def _is_before(judged: InstanceJudgement, others: Iterable[InstanceJudgement]) -> bool:
    """Say whether the last line of an instance came before the first of all others."""
    last = judged.last_position
    firsts = [other.first_position for other in others]
    return last is not None and all(
        first is not None and last.reached <= first.reached for first in firsts
    )


def _order(generation: int | str) -> tuple[bool, int | str]:
    return isinstance(generation, str), generation
