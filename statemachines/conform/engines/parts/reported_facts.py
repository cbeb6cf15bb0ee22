"""What the report is made of in the judgement of an instance: of millions of instances that are
well the driver holds nothing else.
"""

from __future__ import annotations

from attrs import field, frozen

from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.settle.judging_context import JudgingContext

_FirstLine = tuple[str, int, str]


@frozen
class ReportedFacts:
    """Leaves out of judgements what no report is made of; they come from one partition."""

    context: JudgingContext
    _first_lines: dict[int, _FirstLine] = field(init=False, factory=dict)
    """By machine, the first of those that were given: the report has that of all instances."""

    def reduced(self, judged: InstanceJudgement) -> InstanceJudgement:
        """Return a judgement with what is made of it; values that are the same are one object."""
        log, since = self.context.plan.owners[judged.owner].log, judged.since
        ends = log is not None and any(episode.ends_with for episode in log.episodes)
        return judged._replace(
            before=judged.before if log is None or log.is_program else None,
            first_since=since if judged.first_since == since else judged.first_since,
            first_position=judged.first_position if log is None or log.generation else None,
            last_heard=judged.last_heard if ends else None,
            first_line=judged.first_line if self._is_first(judged) else None,
        )

    def has_trouble(self, judged: InstanceJudgement) -> bool:
        """Say whether the findings and the episodes of a check may depend on a judgement: on one of
        an instance that nothing was found of they do where others are looked at in its light.
        """
        return self._counts_for_others(judged.owner) or any(
            (
                judged.findings,
                judged.single_release_findings,
                judged.episode_points,
                judged.replacements,
                judged.counters,
            )
        )

    def _counts_for_others(self, owner: int) -> bool:
        """Say whether what is known of an instance bears on others: on later ones of its subject,
        on the parts of its program or system, on those with which it shares an episode.
        """
        log = self.context.plan.owners[owner].log
        return (
            log is None
            or log.is_program
            or log.generation is not None
            or log.subject not in ((), log.instance)
            or owner in self.context.plan.system_part_owners
            or any(episode.grouped_by for episode in log.episodes)
        )

    def _is_first(self, judged: InstanceJudgement) -> bool:
        """Say whether no instance of the machine that was given before begins earlier."""
        if judged.first_line is None:
            return False
        file, line, text = judged.first_line
        place, owner = (self.context.files[file].name, line, text), judged.owner
        if owner in self._first_lines and self._first_lines[owner] <= place:
            return False
        self._first_lines[owner] = place
        return True
