"""The test made from a machine, written as a pytest file that people read and change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from random import Random

from statemachines.embed.code_generation.python_text import method_call, string_literal
from statemachines.embed.errors import NotAllowed
from statemachines.embed.instances import Instance
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.snapshots import Answer, Raised, Refused, Snapshot
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.value_types import (
    ElementType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    Type,
)
from statemachines.semantics.machine.machine_tables import (
    MachineTables,
    TablesHolder,
    machine_tables,
)
from statemachines.semantics.machine.step import step
from statemachines.semantics.machine.value_enumeration import default_domain_sizes
from statemachines.semantics.messages.value_text import format_literal
from statemachines.testing.runs.attempts import (
    Attempt,
    AttemptFinder,
    NamedValues,
    sample_subject_parameters,
)
from statemachines.testing.runs.paired_runs import ComparisonSetup, PairedRun
from statemachines.testing.runs.run_coverage import Coverage
from statemachines.testing.runs.subject_contact import SubjectConventions
from statemachines.testing.tours.planned_tours import TourPlanner, run_tour

SINGLE_QUOTED, DOUBLE_QUOTED = re.compile(r"'([^'\"\\]*)'"), r'"\1"'
"""Strings as `repr` has them, and as files of people do."""
_WRITTEN_GOAL_KINDS = frozenset({"transition", "guard", "forbidden"})
_FILE_HEAD = '''"""Does the program follow the life cycle {title}?

Made by `statemachines generate test` of {name}{release}; it is yours now.
Put your program into `make_subject`.
"""

from __future__ import annotations

from typing import Any

import pytest

import statemachines as sm
{imports}from statemachines.testing import from_machine

MACHINE = sm.load({spec}).at({at})
REFUSALS = (sm.NotAllowed,)  # what the program refuses with
ERRORS: dict[str, type[Exception]] = {errors}  # what it calls the errors of the spec


def make_subject({parameters}) -> Any:
    """Return what is tested: {needs}."""
    return MACHINE.instance({passed})


{kind} = from_machine(MACHINE, make_subject, refusals=REFUSALS, errors=ERRORS).TestCase
"""Everything: planned tours first, then random runs; what fails is shown as a short program."""
'''


class BrokenSpec(ValueError):
    """A machine breaks its own property; the message says which, with the calls that show it."""


def pytest_source(machine: MachineDefinition | TablesHolder, spec: str | None = None) -> str:
    """Return the text of a pytest file: the whole test, and planned runs, one a function, with what
    each step must do.

    Args:
        machine: what the subject shall be.
        spec: the name or path by which the file loads the spec; the machine's own name or file
            where nothing is said.

    Returns:
        The text of one Python module, to be written to a file `test_….py`.

    Raises:
        BrokenSpec: the machine breaks a property of its own.

    Limits:
        Machines whose events take records, or whose system chooses, are tested by the whole test
            only: such runs are not written out.
    """
    tables = machine_tables(machine)
    sequences = (
        "".join(
            _sequence_source(number, *sequence)
            for number, sequence in enumerate(_planned_sequences(tables), 1)
        )
        if _has_plain_sequences(tables)
        else ""
    )
    text = _head_source(tables, spec or spec_reference(tables.machine)) + sequences
    return text if "pytest." in sequences else text.replace("import pytest\n\n", "")


def spec_reference(machine: MachineDefinition | SystemDefinition) -> str:
    """Return how a spec is loaded: by its catalogue name where it has one, else by its file.

    Args:
        machine: a machine or a system.

    Returns:
        A name, or a path.
    """
    return (
        machine.name
        if not machine.file or (machine.file == f"{machine.name}.yaml" and "/" in machine.name)
        else machine.file
    )


def declared_errors(machine: MachineDefinition) -> list[str]:
    """Return the names of the errors that a machine may raise.

    Args:
        machine: in one release.

    Returns:
        Those that it declares, then those of its fallbacks, each once.
    """
    fallbacks = (entry.error for entry in machine.otherwise if entry.error is not None)
    return list(dict.fromkeys([*(error.name for error in machine.data.errors), *fallbacks]))


def errors_source(names: Iterable[str]) -> str:
    """Write a mapping from names of errors to classes for them.

    Args:
        names: of the errors.

    Returns:
        A display of a dict, in Python.
    """
    lines = "".join(f'\n    "{name}": declared("{name}"),' for name in names)
    return "{" + lines + ("\n}" if lines else "}")


def _head_source(tables: MachineTables, spec: str) -> str:
    machine, data = tables.machine, tables.machine.data
    names = declared_errors(machine)
    shown = [variable.name for variable in data.variables if variable.observable]
    shown = (["state"] if tables.states != ("",) else []) + shown
    return _FILE_HEAD.format(
        title=tables.title,
        name=spec.replace("\\", "/").replace('"', "'"),
        release=f" --release {machine.release}" if machine.release else "",
        imports="from statemachines.embed.errors import declared\n" if names else "",
        spec=string_literal(spec),
        at=string_literal(machine.release) if machine.release else "",
        errors=errors_source(names),
        parameters=", ".join(f"{parameter.name}: Any" for parameter in data.parameters),
        passed=", ".join(f"{parameter.name}={parameter.name}" for parameter in data.parameters),
        needs=(
            "it has a method an event, and shows"
            f" {', '.join(map('`{}`'.format, shown)) or 'nothing'}"
        ),
        kind="Test" + re.sub(r"\W", "", machine.name.rpartition("/")[2]),
    )


def _has_plain_sequences(tables: MachineTables) -> bool:
    """Tell whether runs are plain programs: nothing that the system chooses, no records as
    arguments, one beginning.
    """
    arguments = [
        argument
        for event in tables.machine.events
        if event.signature
        for argument in event.signature.arguments
    ]
    types = [argument.type for argument in arguments] + [
        parameter.type for parameter in tables.machine.data.parameters
    ]
    several = (
        any(variable.initial is None for variable in tables.machine.data.variables)
        or len(tables.state_names(tables.initial)) > 1
    )
    return (
        not several
        and not any(argument.chosen for argument in arguments)
        and all(map(_is_plain_type, types))
    )


def _is_plain_type(type_: Type) -> bool:
    match type_:
        case RecordType():
            return False
        case ElementType():
            return _is_plain_type(type_.base)
        case SetType() | ListType() | OptionalType():
            return _is_plain_type(type_.item)
        case MapType():
            return _is_plain_type(type_.key) and _is_plain_type(type_.value)
    return True


def _planned_sequences(
    tables: MachineTables,
) -> Iterator[tuple[MachineTables, NamedValues, list[Attempt]]]:
    """Yield the planned lives, those that something happens in."""
    trials = AttemptFinder(tables, default_domain_sizes(tables.behaviour))
    side = ComparisonSetup(
        trials,
        lambda **parameters: Instance(tables, **parameters),
        SubjectConventions((NotAllowed,)),
        Coverage(tables),
    )
    parameters, sequences, run = (
        sample_subject_parameters(trials, Random(0), wide=False),
        list[list[Attempt]](),
        PairedRun(side),
    )
    try:
        for attempt in run_tour(run, TourPlanner(trials, _WRITTEN_GOAL_KINDS), parameters):
            if attempt is None:
                sequences.append([])
            else:
                sequences[-1].append(attempt)
    except AssertionError as problem:
        if not run.failed:
            raise
        raise BrokenSpec(f"no test is made of a spec that breaks itself: {problem}") from None
    run.close()
    yield from ((tables, parameters, sequence) for sequence in sequences if sequence)


def _sequence_source(
    number: int, tables: MachineTables, parameters: NamedValues, attempts: list[Attempt]
) -> str:
    """Write one life as a test."""
    given = ", ".join(f"{name}={format_literal(value)}" for name, value in parameters.items())
    lines = [f"subject = make_subject({given})"]
    now = Instance(tables, **parameters).snapshot
    for attempt in attempts:
        answer = step(tables, now, attempt.event, **attempt.arguments)
        lines += _step_lines(attempt, answer)
        lines += _view_lines(tables, now, answer.after)
        now = answer.after
    body = "\n".join(f"    {SINGLE_QUOTED.sub(DOUBLE_QUOTED, line)}" for line in lines)
    return (
        f'\n\ndef test_life_{number}() -> None:\n    """Planned: transitions, guards and refusals'
        f' on one way."""\n{body}\n'
    )


def _step_lines(attempt: Attempt, answer: Answer) -> list[str]:
    call = method_call("subject", repr(attempt))
    if isinstance(answer, Raised):
        return [f'with pytest.raises(ERRORS["{answer.error}"]):', f"    {call}"]
    if isinstance(answer, Refused):
        return ["with pytest.raises(REFUSALS):", f"    {call}"]
    decided = answer.decided_by
    returns = (
        decided.case.returns
        if isinstance(decided, Transition) and decided.case is not None
        else None
    )
    if isinstance(returns, tuple):
        returns, value = (
            dict(returns).get("value"),
            answer.returned.get("value") if isinstance(answer.returned, dict) else None,
        )
    else:
        value = answer.returned
    if not isinstance(returns, Expression) or not _is_plain_type(returns.type):
        return [call]
    return [
        f"assert {call} {'is' if value is None or isinstance(value, bool) else '=='}"
        f" {format_literal(value)}"
    ]


def _view_lines(tables: MachineTables, before: Snapshot, after: Snapshot) -> list[str]:
    """Write what the subject must show where it changed."""
    lines = [f"assert subject.state == {after.state!r}"] if after.state != before.state else []
    for variable in tables.machine.data.variables:
        changed = before.variables[variable.name] != after.variables[variable.name]
        if variable.observable and changed and _is_plain_type(variable.type):
            value = after.variables[variable.name]
            shown = repr(value) if isinstance(value, tuple) else format_literal(value)
            lines.append(
                f"assert subject.{variable.name}"
                f" {'is' if value is None or isinstance(value, bool) else '=='} {shown}"
            )
    return lines
