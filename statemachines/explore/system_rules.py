"""The rules of a system, looked at in rows and steps."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

from attrs import define, field

from statemachines.explore.columns import Row
from statemachines.explore.system_world import SystemWorld
from statemachines.explore.vacuity import Left, left_sides
from statemachines.explore.walking_systems import may_stop
from statemachines.model.data import Claim, Property
from statemachines.model.expressions import Expression
from statemachines.model.snapshots import Snapshot

Wanted = Callable[[Row, Row], bool]


@define(eq=False)
class Rules:
    """What is claimed of a system, by its place among the properties."""

    world: SystemWorld
    raising: bool
    """Whether runs in which a step raised count; those rules are left out that are claimed of the others."""
    claims: dict[int, Property] = field(init=False)
    left: tuple[Left, ...] = ()
    """What shows that a rule says nothing, where it holds; numbered after the properties."""
    looks: dict[Row, Snapshot] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        properties = self.world.system.data.properties
        self.left = tuple(left_sides(properties))
        numbered = enumerate((*properties, *(never for _, never, _ in self.left)))
        self.claims = {number: one for number, one in numbered if one.until_raised != self.raising}

    def met_by_row(self, row: Row, met: Container[int]) -> Iterator[int]:
        """Yield what a row breaks, or is a witness of."""
        for number, one in self.claims.items():
            if number in met or one.holds is None or one.claim not in (Claim.ALWAYS, Claim.SOMETIMES):
                continue
            if self.holds(one.holds, row) == (one.claim is Claim.SOMETIMES):
                yield number

    def met_by_step(self, before: Row, after: Row, met: Container[int]) -> Iterator[int]:
        """Yield what a step breaks."""
        for number, one in self.claims.items():
            if number in met or one.holds is None or one.claim is not Claim.EACH_STEP:
                continue
            if not self.holds(one.holds, after, before):
                yield number

    def met_by_standing(self, row: Row, met: Container[int]) -> Iterator[int]:
        """Yield what is broken where nothing changes a row."""
        for number, one in self.claims.items():
            if number not in met and one.claim is Claim.NO_DEADLOCK and not may_stop(self.world.tables, self.world.snapshot(row)):
                yield number

    def never(self, claimed: Property, met: Container[int]) -> str | None:
        """Return a left side of a rule that nothing that was met made true; None: there is none such."""
        first = len(self.world.system.data.properties)
        numbered = enumerate(self.left, first)
        return next((left for number, (rule, _, left) in numbered if rule is claimed and number not in met), None)

    def step_wanted(self, number: int) -> Wanted:
        """Return what tells a step that breaks a rule."""
        holds = self.claims[number].holds
        assert holds is not None
        return lambda before, after: not self.holds(holds, after, before)

    def holds(self, node: Expression, row: Row, before: Row | None = None) -> bool:
        """Tell whether a condition holds in a row, or of a step."""
        now = self._look(row)
        earlier = None if before is None else self._look(before)
        return bool(self.world.tables.behaviour.evaluate(node)("", now.variables, now.parameters, None, earlier))

    def _look(self, row: Row) -> Snapshot:
        found = self.looks.get(row)
        if found is None:
            if len(self.looks) > 4096:
                self.looks.clear()
            found = self.looks[row] = self.world.tables.look(self.world.snapshot(row))
        return found
