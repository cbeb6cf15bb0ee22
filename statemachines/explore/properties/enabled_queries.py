"""Whether something takes an event, as properties ask it of a row."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from statemachines.explore.models.decision_forests import WHOLE, LookRecorder
from statemachines.explore.models.event_memos import partial_snapshot
from statemachines.explore.models.linked_steps import LinkedSteps, MoveSource, SystemMove
from statemachines.explore.models.part_blocks import PartBlock
from statemachines.explore.models.row_columns import Row
from statemachines.model.definitions.snapshots import NamedValues


@frozen(eq=False)
class EnabledEvents:
    """The events of a system.

    Nothing is numbered that comes of them: whoever asks may stand where no search goes on.
    """

    steps: LinkedSteps

    def is_enabled(self, recorder: LookRecorder, event: str, given: NamedValues) -> bool:
        """Tell whether a part takes an event, by itself or as it is delivered, with some arguments
        given (`key`: one of several), and no link forbids it.
        """
        part, _, name = event.partition(".")
        layout = self.steps.layout
        blocks = [
            block
            for (owner, key), block in layout.blocks.items()
            if owner == part and given.get("key", key) == key
        ]
        if blocks and name not in blocks[0].kind.linked:
            own = {argument: value for argument, value in given.items() if argument != "key"}
            return any(_takes(recorder, block, name, own) for block in blocks)
        return any(
            self._comes_about(recorder, self.steps.moves[question], event, given)
            for source in self.steps.sources
            if self._may_bring(source, part, given)
            for questions, _ in self.steps.questions(source, _numbers(recorder, source.columns))
            for question in questions
        )

    def _may_bring(self, source: MoveSource, part: str, given: NamedValues) -> bool:
        """Tell whether an event of a part may come from a source: of the part itself, or of what
        waits for it.
        """
        if source.block is not None:
            owner, key = source.block.kind.name, source.block.key
        else:
            places = self.steps.layout.queue_places.items()
            owner, key = next(
                queue.receiver for queue, place in places if place == source.columns.start
            )
        return owner == part and given.get("key", key) == key

    def _comes_about(
        self, recorder: LookRecorder, move: SystemMove, event: str, named_values: NamedValues
    ) -> bool:
        known = {**move.arguments, "key": move.part[1]}
        if f"{move.part[0]}.{move.event}" != event or any(
            known[name] != value for name, value in named_values.items()
        ):
            return False
        cascade = self.steps.outcome(move, recorder)
        return cascade is not None and bool(cascade.steps)


def _takes(recorder: LookRecorder, block: PartBlock, name: str, given: NamedValues) -> bool:
    """Tell whether a part takes an event of which nothing comes than what its machine does."""
    kind = block.kind
    memo = next(memo for memo in kind.memos if memo.event == name)
    numbers = _numbers(recorder, (block.offset + column for column in memo.reads))
    held = dict(zip(memo.reads, numbers, strict=True))
    return memo.is_enabled(partial_snapshot(kind.tables, kind.columns, held), given)


def _numbers(recorder: LookRecorder, columns: Iterable[int]) -> Row:
    """Return what stands in columns, at which is looked."""
    numbers = (recorder.see(column, WHOLE) for column in columns)
    return tuple(number for number in numbers if isinstance(number, int))
