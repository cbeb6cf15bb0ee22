"""Instances that go as others did, and of which nothing is told but where they are: what their
lines say is held as numbers, and none of them is judged by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.conform.interchange.observations import Observation
from statemachines.conform.judge.repeated.judged_variants import VariantLines
from statemachines.conform.judge.repeated.learnt_variants import VariantKey
from statemachines.conform.judge.repeated.repeated_instances import RepeatedInstances
from statemachines.conform.judge.tables.judging_tables import JudgingTables
from statemachines.conform.settle.judging_context import InstanceIdentity, JudgingContext


@define
class QuietInstances:
    """Knows which instances went as one that was judged, and of which nothing is told.

    Complexity: memory for four numbers a line of those that go on, have few lines, and have them in
    one file; and for each variant.
    """

    tables: JudgingTables
    repeated: RepeatedInstances = field(init=False)
    """Judges those whose variant nobody knows."""
    _no_lines: VariantLines = field(init=False)
    _abroad: frozenset[int] = field(init=False, default=frozenset())
    _files: int = field(init=False, default=0)
    """How many there were: variants are of one, and of one that ended nobody goes them any more."""
    _settled: dict[InstanceIdentity, VariantLines | None] = field(init=False, factory=dict)
    """What settled lines say; None where more than that counts."""
    _quiet: dict[InstanceIdentity, InstanceJudgement] = field(init=False, factory=dict)
    """With the judgement of one that went the same way."""

    def begin(self, context: JudgingContext) -> None:
        """Forget all: numbers mean something else now."""
        self.repeated = RepeatedInstances(context, self.tables)
        self._no_lines = self.repeated.no_lines
        self._abroad = frozenset(observation.owner for observation in context.abroad)
        self._files = len(context.files)
        self._settled.clear()
        self._quiet.clear()

    def go_on(self, context: JudgingContext, changed: set[int]) -> None:
        """Take what is known now, where all numbers mean what they did.

        Args:
            context: what all files say together.
            changed: processes of which something else is known.
        """
        if self.repeated.is_full:
            self.begin(context)
            return
        self.repeated.go_on(context, changed)
        if len(context.files) > self._files:
            self._files = len(context.files)
            self.repeated.know_files({of.file for of in self._settled.values() if of is not None})
        for who in [who for who, of in self._quiet.items() if changed.intersection(of.processes)]:
            del self._quiet[who]

    def judgement(self, who: InstanceIdentity) -> InstanceJudgement | None:
        """Return what came of one that went as a quiet instance did; None where it is not quiet."""
        return self._quiet.get(who)

    def forget(self, who: InstanceIdentity) -> None:
        """Forget an instance."""
        self._settled.pop(who, None)
        self._quiet.pop(who, None)

    def knows_lines(self, who: InstanceIdentity) -> bool:
        """Say whether it is known what settled lines say of an instance."""
        return who in self._settled

    def take(
        self, who: InstanceIdentity, settled: Sequence[Observation], ends: Sequence[Observation]
    ) -> VariantKey | None:
        """Take in what lines of one file say of an instance; afterwards it is quiet or not.

        Args:
            who: the instance.
            settled: lines that nothing changes any more, and that were not taken in yet.
            ends: all that stand behind those.

        Returns:
            Its variant, where it is not quiet; None where it has none.
        """
        self._quiet.pop(who, None)
        known = self._settled.get(who, self._no_lines)
        if settled and known is not None:
            known = self.repeated.lines_with(who[0], known, settled)
        self._settled[who] = known
        lines = (
            self.repeated.lines_with(who[0], known, ends) if ends and known is not None else known
        )
        if lines is None or not lines.at or who[0] in self._abroad or None in who[2]:
            return None
        variant = self.repeated.variant_of(who[0], lines)
        judged = None if variant is None else self.repeated.judged_of(variant)
        if judged is None or not self.repeated.may_be_in_group(judged.judgement):
            return variant
        self._quiet[who] = judged.judgement
        return None
