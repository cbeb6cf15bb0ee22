"""A log of an embedded machine's steps, in the very wording of its spec: `check` reads it back."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping

from attrs import field, frozen

from statemachines.embed.hooks import Occurrence
from statemachines.model.definitions.log_definitions import (
    LineDefinition,
    LineKind,
    LogDefinition,
    Template,
)
from statemachines.model.definitions.machine_definitions import (
    MachineDefinition,
    Transition,
    requested_state,
)
from statemachines.model.definitions.snapshots import (
    Advanced,
    Forced,
    Ignored,
    Raised,
    Refused,
    Value,
)
from statemachines.notation import render_template
from statemachines.semantics.machine.step import requested_target

_ANSWER_SAYS: dict[type, LineKind] = {
    Advanced: LineKind.STEP,
    Forced: LineKind.FORCED,
    Ignored: LineKind.IGNORED,
    Refused: LineKind.REFUSED,
    Raised: LineKind.RAISED,
}
_LOGGING_LEVELS = {"TRACE": 5, "DEBUG": 10, "INFO": 20, "WARN": 30, "ERROR": 40, "FATAL": 50}


@frozen
class LogLine:
    """A line to be written."""

    text: str
    """The message, without layout."""
    level: str
    """TRACE, DEBUG, INFO, WARN, ERROR or FATAL; INFO where the spec says nothing."""
    logger: str
    """The first logger that the spec names; the machine's name where it names none."""


@frozen
class StepLog:
    """A listener that writes what a step, a refusal or a forced move is told by; bind it as
    `after=[log]`.

    Limits: what no line of the spec tells is not written, nor is a silent step by a line that
    leaves open where it came from, nor, of a machine with a table of moves, a call that is none of
    them: it may have taken two, or none.
    """

    machine: MachineDefinition = field(repr=lambda machine: machine.name)
    log: LogDefinition = field(repr=False)
    keys: Mapping[str, str]
    """The instance's key fields."""
    write: Callable[[LogLine], object]

    def __call__(self, occurrence: Occurrence) -> None:
        """Write the line of what came of an event."""
        answer = occurrence.answer
        if not self._is_table_transition(occurrence):
            return
        target = (
            occurrence.target
            if isinstance(answer, Advanced | Forced)
            else requested_target(occurrence.instance.tables, occurrence.event)
        )
        values = {"from": occurrence.source, **({"to": target} if target is not None else {})}
        silent = isinstance(answer.decided_by, Transition) and answer.decided_by.silent
        lines = self._fitting_lines(
            _ANSWER_SAYS[type(answer)], values, occurrence.event, answer.after.variables
        )
        self._write_first(line for source_known, line in lines if source_known or not silent)

    def _is_table_transition(self, occurrence: Occurrence) -> bool:
        """Tell whether what was asked, or done, is a move of the machine's table, if it has one."""
        if len(self.machine.moves) == len(self.machine.transitions):
            return True
        is_listed = (
            requested_state(occurrence.event, occurrence.instance.tables.state_index) is not None
        )
        done = isinstance(occurrence.answer, Advanced | Forced)
        return is_listed or (
            done
            and (occurrence.source, occurrence.target)
            in {(transition.source, transition.target) for transition in self.machine.moves}
        )

    def begin(self, state: str) -> None:
        """Write the line of a beginning, where the spec has one.

        Args:
            state: in which the instance begins.
        """
        self._write_first(
            line for _, line in self._fitting_lines(LineKind.BEGIN, {"state": state}, None, {})
        )

    def _write_first(self, lines: Iterator[LogLine]) -> None:
        line = next(lines, None)
        if line is not None:
            self.write(line)

    def _fitting_lines(
        self,
        kind: LineKind,
        field_values: Mapping[str, str],
        event: str | None,
        variables: Mapping[str, Value],
    ) -> Iterator[tuple[bool, LogLine]]:
        """Yield the lines that fit, and whether each tells the state that the step came from."""
        for line in self.log.lines:
            if (
                kind in line.kinds
                and not line.echo
                and line.each is None
                and _line_fits(line, field_values, event)
            ):
                values = {**_variable_fields(line, variables), **self.keys, **field_values}
                for template in line.templates:
                    text = _filled_text(template, values)
                    if text is not None:
                        source_known = bool(line.source) or "from" in template.fields
                        yield (
                            source_known,
                            LogLine(
                                text,
                                line.level or "INFO",
                                line.loggers[0] if line.loggers else self.machine.name,
                            ),
                        )


def step_log(
    machine: MachineDefinition,
    keys: Mapping[str, object],
    write: Callable[[LogLine], object] | None,
) -> StepLog:
    """Make the listener that writes the lines of one instance.

    Args:
        machine: in one release.
        keys: the instance's key fields, by name.
        write: called with each line; None: Python's `logging`.

    Returns:
        A listener for `after` of `bind`.

    Raises:
        ValueError: the spec has no `log`, or an instance's key field has no value.
    """
    if machine.log is None:
        raise ValueError(
            f"{machine.name} does not say how a log tells of it; add `log:` to its spec"
        )
    if missing := [key for key in machine.log.instance if key not in keys]:
        raise ValueError(
            f"the lines of {machine.name} need {', '.join(f'`{key}`' for key in missing)} to tell"
            " instances apart"
        )
    return StepLog(
        machine,
        machine.log,
        {key: str(value) for key, value in keys.items()},
        write or _write_to_logging,
    )


def _write_to_logging(line: LogLine) -> None:
    """Write a line with Python's `logging`, to the logger that the spec names."""
    logging.getLogger(line.logger).log(_LOGGING_LEVELS[line.level], "%s", line.text)


def _line_fits(line: LineDefinition, values: Mapping[str, str], event: str | None) -> bool:
    source, target = values.get("from", ""), values.get("to", "")
    right_state = line.state is None or "state" not in values or line.state == values["state"]
    right_step = (not line.source or source in line.source) and (
        not line.target or target in line.target
    )
    return right_state and right_step and (line.event is None or line.event == event)


def _variable_fields(line: LineDefinition, variables: Mapping[str, Value]) -> dict[str, str]:
    """Return the fields that tell a variable as it is."""
    return {
        template[1:-1]: str(variables[name])
        for name, template in line.variable_templates
        if template[1:-1].isidentifier() and name in variables
    }


def _filled_text(template: Template, values: Mapping[str, str]) -> str | None:
    """Return a wording filled in, if all is known and it is read back as it was meant."""
    if not set(template.fields) <= values.keys():
        return None
    text = render_template(template, {"*": "-", **values})
    read = re.match(template.pattern, text)
    return text if read and all(read[field] == values[field] for field in template.fields) else None
