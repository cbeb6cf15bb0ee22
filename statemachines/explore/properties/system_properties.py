"""The rules of a system, looked at in rows and steps."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

from attrs import define, field

from statemachines.explore.models.row_columns import Row
from statemachines.explore.models.system_model import SystemModel
from statemachines.explore.properties.vacuity import VacuityCheck, vacuity_checks
from statemachines.explore.walks.system_walks import may_stop
from statemachines.model.definitions.data_definitions import Property, PropertyKind
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.language.expression_nodes import Expression

StepTest = Callable[[Row, Row], bool]


@define(eq=False)
class SystemProperties:
    """What is claimed of a system, by its place among the properties."""

    world: SystemModel
    raising: bool
    """Whether runs in which a step raised count; those rules are left out that are claimed of the
    others.
    """
    checked: dict[int, Property] = field(init=False)
    checks: tuple[VacuityCheck, ...] = ()
    """What shows that a rule says nothing, where it holds; numbered after the properties."""
    known_views: dict[Row, Snapshot] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        properties = self.world.system.data.properties
        self.checks = tuple(vacuity_checks(properties))
        numbered = enumerate((*properties, *(never for _, never, _ in self.checks)))
        self.checked = {number: one for number, one in numbered if one.until_raised != self.raising}

    def decided_by_row(self, row: Row, met: Container[int]) -> Iterator[int]:
        """Yield what a row breaks, or is a witness of."""
        for number, one in self.checked.items():
            if (
                number in met
                or one.holds is None
                or one.kind not in (PropertyKind.ALWAYS, PropertyKind.SOMETIMES)
            ):
                continue
            if self.holds(one.holds, row) == (one.kind is PropertyKind.SOMETIMES):
                yield number

    def decided_by_step(self, before: Row, after: Row, met: Container[int]) -> Iterator[int]:
        """Yield what a step breaks."""
        for number, one in self.checked.items():
            if number in met or one.holds is None or one.kind is not PropertyKind.EACH_STEP:
                continue
            if not self.holds(one.holds, after, before):
                yield number

    def decided_by_deadlock(self, row: Row, met: Container[int]) -> Iterator[int]:
        """Yield what is broken where nothing changes a row."""
        for number, one in self.checked.items():
            if (
                number not in met
                and one.kind is PropertyKind.NO_DEADLOCK
                and not may_stop(self.world.tables, self.world.snapshot(row))
            ):
                yield number

    def vacuous_left_side(self, claimed: Property, met: Container[int]) -> str | None:
        """Return a left side of a rule that nothing that was met made true; None: there is none
        such.
        """
        first = len(self.world.system.data.properties)
        numbered = enumerate(self.checks, first)
        return next(
            (left for number, (rule, _, left) in numbered if rule is claimed and number not in met),
            None,
        )

    def violating_step(self, number: int) -> StepTest:
        """Return what tells a step that breaks a rule."""
        holds = self.checked[number].holds
        assert holds is not None
        return lambda before, after: not self.holds(holds, after, before)

    def holds(self, node: Expression, row: Row, before: Row | None = None) -> bool:
        """Tell whether a condition holds in a row, or of a step."""
        now = self._view(row)
        earlier = None if before is None else self._view(before)
        return bool(
            self.world.tables.behaviour.evaluator(node)(
                "", now.variables, now.parameters, None, earlier
            )
        )

    def _view(self, row: Row) -> Snapshot:
        found = self.known_views.get(row)
        if found is None:
            if len(self.known_views) > 4096:
                self.known_views.clear()
            found = self.known_views[row] = self.world.tables.evaluation_snapshot(
                self.world.snapshot(row)
            )
        return found
