"""The test made from a machine, written as a pytest file that people read and change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from statemachines.embed.errors import NotAllowed
from statemachines.embed.instances import Instance
from statemachines.embed.pythonic import called, quoted
from statemachines.model.expressions import Expression
from statemachines.model.machines import Machine, Transition
from statemachines.model.snapshots import Answer, Raised, Refused, Snapshot
from statemachines.model.types import ElementType, ListType, MapType, OptionalType, RecordType, SetType, Type
from statemachines.semantics.choices import extent_of
from statemachines.semantics.step import step
from statemachines.semantics.tables import Holder, Tables, tables_of
from statemachines.semantics.texts import exact
from statemachines.testing.attempts import Attempt, Trials, Values, drawn_parameters
from statemachines.testing.coverage import Coverage
from statemachines.testing.runs import Run, Side
from statemachines.testing.subjects import Manners
from statemachines.testing.tours import Planner, tour

PLAIN, DOUBLE = re.compile(r"'([^'\"\\]*)'"), r'"\1"'
"""Strings as `repr` has them, and as files of people do."""
KINDS = frozenset({"transition", "guard", "forbidden"})
HEAD = '''"""Does the program follow the life cycle {title}?

Made by `statemachines generate test {name}{release}`; it is yours now. Put your program into `make_subject`.
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
    """A machine breaks a property of its own; the message says which, with the calls that show it."""


def written_test(machine: Machine | Holder, spec: str | None = None) -> str:
    """Return the text of a pytest file: the whole test, and planned runs, one a function, with what each step must do.

    Args:
        machine: what the subject shall be.
        spec: the name or path by which the file loads the spec; the machine's own name or file where nothing is said.

    Raises:
        BrokenSpec: the machine breaks a property of its own.

    Limits:
        Machines whose events take records, or whose system chooses, are tested by the whole test only: such runs are not written out.
    """
    tables = tables_of(machine)
    lives = "".join(_life(number, *life) for number, life in enumerate(_lives(tables), 1)) if _can_be_written(tables) else ""
    text = _head(tables, spec or _named(tables.machine)) + lives
    return text if "pytest." in lives else text.replace("import pytest\n\n", "")


def _named(machine: Machine) -> str:
    """Return how a machine is loaded: by its catalogue name where it has one, else by its file."""
    return machine.name if not machine.file or (machine.file == f"{machine.name}.yaml" and "/" in machine.name) else machine.file


def _head(tables: Tables, spec: str) -> str:
    machine, data = tables.machine, tables.machine.data
    names = dict.fromkeys([error.name for error in data.errors] + [entry.error for entry in machine.otherwise if entry.error is not None])
    shown = [variable.name for variable in data.variables if variable.observable]
    shown = (["state"] if tables.states != ("",) else []) + shown
    return HEAD.format(
        title=tables.title,
        name=spec.replace("\\", "/").replace('"', "'"),
        release=f" --release {machine.release}" if machine.release else "",
        imports="from statemachines.embed.errors import declared\n" if names else "",
        spec=quoted(spec),
        at=quoted(machine.release) if machine.release else "",
        errors="{" + "".join(f'\n    "{name}": declared("{name}"),' for name in names) + ("\n}" if names else "}"),
        parameters=", ".join(f"{parameter.name}: Any" for parameter in data.parameters),
        passed=", ".join(f"{parameter.name}={parameter.name}" for parameter in data.parameters),
        needs=f"it has a method an event, and shows {', '.join(map('`{}`'.format, shown)) or 'nothing'}",
        kind="Test" + re.sub(r"\W", "", machine.name.rpartition("/")[2]),
    )


def _can_be_written(tables: Tables) -> bool:
    """Tell whether runs are plain programs: nothing that the system chooses, no records as arguments, one beginning."""
    arguments = [argument for event in tables.machine.events if event.signature for argument in event.signature.arguments]
    types = [argument.type for argument in arguments] + [parameter.type for parameter in tables.machine.data.parameters]
    several = any(variable.initial is None for variable in tables.machine.data.variables) or len(tables.names(tables.initial)) > 1
    return not several and not any(argument.chosen for argument in arguments) and all(map(_is_plain, types))


def _is_plain(type_: Type) -> bool:
    match type_:
        case RecordType():
            return False
        case ElementType():
            return _is_plain(type_.base)
        case SetType() | ListType() | OptionalType():
            return _is_plain(type_.item)
        case MapType():
            return _is_plain(type_.key) and _is_plain(type_.value)
    return True


def _lives(tables: Tables) -> Iterator[tuple[Tables, Values, list[Attempt]]]:
    """Yield the planned lives, those that something happens in."""
    trials = Trials(tables, extent_of(tables.behaviour))
    side = Side(trials, lambda **parameters: Instance(tables, **parameters), Manners((NotAllowed,)), Coverage(tables))
    parameters, lives, run = drawn_parameters(trials, Random(0), wide=False), list[list[Attempt]](), Run(side)
    try:
        for attempt in tour(run, Planner(trials, KINDS), parameters):
            if attempt is None:
                lives.append([])
            else:
                lives[-1].append(attempt)
    except AssertionError as problem:
        if not run.failed:
            raise
        raise BrokenSpec(f"no test is made of a spec that breaks itself: {problem}") from None
    run.close()
    yield from ((tables, parameters, life) for life in lives if life)


def _life(number: int, tables: Tables, parameters: Values, attempts: list[Attempt]) -> str:
    """Write one life as a test."""
    given = ", ".join(f"{name}={exact(value)}" for name, value in parameters.items())
    lines = [f"subject = make_subject({given})"]
    now = Instance(tables, **parameters).snapshot
    for attempt in attempts:
        answer = step(tables, now, attempt.event, **attempt.arguments)
        lines += _step(attempt, answer)
        lines += _shown(tables, now, answer.after)
        now = answer.after
    body = "\n".join(f"    {PLAIN.sub(DOUBLE, line)}" for line in lines)
    return f'\n\ndef test_life_{number}() -> None:\n    """Planned: transitions, guards and refusals on one way."""\n{body}\n'


def _step(attempt: Attempt, answer: Answer) -> list[str]:
    call = called("subject", repr(attempt))
    if isinstance(answer, Raised):
        return [f'with pytest.raises(ERRORS["{answer.error}"]):', f"    {call}"]
    if isinstance(answer, Refused):
        return ["with pytest.raises(REFUSALS):", f"    {call}"]
    decided = answer.decided_by
    returns = decided.case.returns if isinstance(decided, Transition) and decided.case is not None else None
    if isinstance(returns, tuple):
        returns, value = dict(returns).get("value"), answer.returned.get("value") if isinstance(answer.returned, dict) else None
    else:
        value = answer.returned
    if not isinstance(returns, Expression) or not _is_plain(returns.type):
        return [call]
    return [f"assert {call} {'is' if value is None or isinstance(value, bool) else '=='} {exact(value)}"]


def _shown(tables: Tables, before: Snapshot, after: Snapshot) -> list[str]:
    """Write what the subject must show where it changed."""
    lines = [f"assert subject.state == {after.state!r}"] if after.state != before.state else []
    for variable in tables.machine.data.variables:
        changed = before.variables[variable.name] != after.variables[variable.name]
        if variable.observable and changed and _is_plain(variable.type):
            value = after.variables[variable.name]
            shown = repr(value) if isinstance(value, tuple) else exact(value)
            lines.append(f"assert subject.{variable.name} {'is' if value is None or isinstance(value, bool) else '=='} {shown}")
    return lines
