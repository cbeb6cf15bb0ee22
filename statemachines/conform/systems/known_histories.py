"""The histories of the wholes of one group of processes, made once for all releases in which their
parts are alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from statemachines.conform.systems.alike_moves import (
    AlikeMoves,
    Interchangeable,
    number_alike_moves,
)
from statemachines.conform.systems.part_timelines import PartTimeline, possible_states
from statemachines.conform.systems.system_history import (
    LineFits,
    MergedSteps,
    SystemHistory,
)
from statemachines.model.definitions.system_definitions import SystemSpecDefinition
from statemachines.semantics.system.system_tables import SystemTables


@define(eq=False)
class KnownHistories:
    """The histories of the wholes of one group of processes: releases in which they are the same
    share them.
    """

    spec: SystemSpecDefinition
    fits: LineFits
    _merged: dict[object, MergedSteps] = field(factory=dict)
    _histories: dict[object, tuple[SystemHistory, AlikeMoves]] = field(factory=dict)

    def history_of(
        self,
        tables: SystemTables,
        parts: Sequence[PartTimeline],
        interchangeable: Interchangeable,
    ) -> tuple[SystemHistory, AlikeMoves]:
        """Return the history of a whole, and which of its moves are alike.

        Args:
            tables: of the system in some releases.
            parts: of the whole, with where they may be.
            interchangeable: the places of parts that no rule tells apart.
        """
        first = tables.tables[parts[0].part]
        initial = first.state_names(first.initial)
        # of a part that was there before the whole began anew: it may be in any state, and it need
        # not be there
        anywhere = tuple(
            possible_states(tables.tables[timeline.part].states)
            | (frozenset() if timeline.is_always_there else {None})
            for timeline in parts
        )
        whole = tuple(id(timeline.observed) for timeline in parts)
        key = (
            whole,
            tuple((timeline.part, timeline.gap_states) for timeline in parts),
            tuple(initial),
            anywhere,
            interchangeable,
        )
        if key not in self._histories:
            if whole not in self._merged:
                self._merged[whole] = MergedSteps(parts, self.fits)
            history = SystemHistory(self.spec, initial, parts, anywhere, self._merged[whole])
            self._histories[key] = history, number_alike_moves(history, interchangeable)
        return self._histories[key]
