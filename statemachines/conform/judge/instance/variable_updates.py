"""What a line that was judged makes known of an instance's variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from statemachines.conform.judge.checks.group_check import ClassGroup
from statemachines.model.definitions.log_definitions import LineKind

if TYPE_CHECKING:
    from statemachines.conform.judge.checks.group_check import JudgedInstance
    from statemachines.conform.judge.instance.line_before import JudgedLine, LineBefore
    from statemachines.conform.judge.instance.property_findings import PropertyChecks
    from statemachines.conform.judge.tables.compiled_properties import ValueChange
    from statemachines.conform.judge.tables.known_variables import KnownVariables


def follow_variables(
    known: KnownVariables, groups: Sequence[ClassGroup], chosen: ClassGroup, *, in_doubt: bool
) -> ValueChange:
    """Follow the variables of an instance: through a beginning, through what a told step may have
    taken, then what the line itself tells.

    Args:
        known: what is known of them; it is changed.
        groups: what came of the line, by the classes that read it alike.
        chosen: the group that counts.
        in_doubt: whether the order of this line and the one before cannot be told.

    Returns:
        What is known right before the step that the line tells, and after it.
    """
    classes = [rules for group in groups for rules in group.classes]
    taken = [entry for group in groups for entry in group.possible_transitions]
    begins = chosen.begins_incarnation or chosen.line.kinds[0] is LineKind.BEGIN
    if begins:
        known.begin_incarnation(classes)
    alone = all(how in ("told", "ended unseen") for _, _, how in chosen.rows)
    before = known.current_values() if alone else None
    if taken and alone:
        known.apply_step(
            taken, chosen.reading, stays=any(group.may_change_nothing for group in groups)
        )
    elif not begins and (
        chosen.rows
        or chosen.has_step
        or any(finding.kind == "forbidden" for finding in chosen.findings)
    ):
        known.forget_all()
    known.take_values(classes, chosen.reading)
    values = known.change_since(before, in_doubt=in_doubt)
    if chosen.line.kinds[0] is LineKind.END:
        known.forget_all()
    return values


def take_noted_values(
    instance: JudgedInstance,
    line: JudgedLine,
    before: LineBefore,
    checks: PropertyChecks | None,
) -> None:
    """Take in the values that a line tells which says nothing of states, and look at the properties
    that they decide.

    Args:
        instance: it is told of.
        line: which one.
        before: the line before it.
        checks: who looks at properties; None where there are none.
    """
    variables, group, process = instance.known_variables, line.groups[0], line.process
    if variables is None:
        return
    if before.process_began_since(process, line.position):
        variables.forget_all()
    file = line.observation.file
    shown = instance.tables.shown_lines(instance.context, process, file, instance.owner)
    variables.forget_unseen(line.classes, shown)
    variables.take_values(line.classes, group.reading)
    if checks is not None and group.reading.values and len(line.groups) == 1:
        near = before.is_order_unclear(process, line.position)
        checks.check_values(
            line.observation,
            line.fitting,
            process,
            group,
            shown,
            variables.change_since(None, in_doubt=near),
            anew=before.may_be_of_later_life(process, line.position),
        )
