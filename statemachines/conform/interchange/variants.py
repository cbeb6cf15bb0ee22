"""Instances that went as another one did, and of which nothing is told but where each is at the
end: what they have in common is kept once, and of each a few numbers.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from attrs import field

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.judgements import InstanceJudgement
from statemachines.model.definitions.log_definitions import LogDefinition
from statemachines.model.values import define

MemberKey = tuple[int | str, ...]
"""A key of which all is told."""
FirstLine = tuple[int, int, str]
"""File, line and text."""


@define(eq=False)
class Variant:
    """A variant: one instance, and how many others went through the same steps."""

    number: int
    judgement: InstanceJudgement
    """Of that one, which is judged by itself and none of the others."""
    others: int = 0
    first_line: FirstLine | None = None
    """The first line of all others."""


@define(eq=False)
class InstanceGroup:
    """The instances of one machine that went as others did, in the order of the report."""

    keys: list[MemberKey] = field(factory=list)
    variants: array[int] = field(factory=lambda: array("i"))
    points: array[int] = field(factory=lambda: array("q"))
    """Of each the time and the line of `since` and `first_since`; 0 where its variant has none."""


@define(eq=False)
class VariantTable:
    """All that went as others did.

    Complexity: memory for a key and forty bytes an instance.
    """

    variants: list[Variant] = field(factory=list)
    by_owner: dict[int, InstanceGroup] = field(factory=lambda: defaultdict(InstanceGroup))

    def new_variant(self, judgement: InstanceJudgement) -> Variant:
        """Return the variant of an instance, which others may follow."""
        self.variants.append(Variant(len(self.variants), judgement))
        return self.variants[-1]

    def add(self, variant: Variant, key: MemberKey, points: Iterable[int]) -> None:
        """Take an instance in, which comes behind the others of its machine.

        Args:
            variant: which it went.
            key: its key.
            points: as `InstanceGroup.points` has them.
        """
        group = self.by_owner[variant.judgement.owner]
        variant.others += 1
        group.keys.append(key)
        group.variants.append(variant.number)
        group.points.extend(points)

    def add_columns(
        self, owner: int, keys: Sequence[MemberKey], variants: array[int], points: array[int]
    ) -> None:
        """Take many of one machine in, which may come before others; whoever does so puts all in
        order at the end.
        """
        group = self.by_owner[owner]
        group.keys += keys
        group.variants += variants
        group.points += points
        for number, count in Counter(variants).items():
            self.variants[number].others += count

    def members_so_far(self) -> dict[int, InstanceGroup]:
        """Return those that came since this was asked last, and keep their variants alone."""
        members, self.by_owner = dict(self.by_owner), defaultdict(InstanceGroup)
        return members

    def variants_of(self, owner: int) -> Iterator[Variant]:
        """Yield the variants of a machine's instances."""
        return (variant for variant in self.variants if variant.judgement.owner == owner)


def may_be_told_together(plan: CheckPlan, owner: int) -> bool:
    """Say whether nothing but an instance's own lines decides what is said of it, and nothing of
    it decides what is said of others: each is a subject of its own, casts no doubt and is in none,
    and no episode or incident is looked for in what several of them do.
    """
    log, name = plan.owners[owner].log, plan.owners[owner].name
    if log is None or log.generation is not None or log.subject not in ((), log.instance):
        return False
    if [owner.name for owner in plan.owners].count(name) > 1:
        return False
    if log.is_program or log.sole is not None or log.doubts:
        return False
    if any(kind.grouped_by or kind.within or kind.ends_with for kind in log.episodes):
        return False
    return not any(_asks_about(other.log, name) for other in plan.owners if other.log is not None)


def _asks_about(log: LogDefinition, machine: str) -> bool:
    """Say whether what is said of one machine depends on where another's instances are."""
    signs = (episode.ends_with for episode in log.episodes)
    return (
        any(doubt.machine == machine for doubt in log.doubts)
        or any(sign is not None and sign.machine == machine for sign in signs)
        or any(kind.through == machine for kind in log.incidents)
    )
