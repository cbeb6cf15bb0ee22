"""Exploring machines, as rows that a person reads and as JSON."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path

from attrs import frozen

from statemachines.api.system_traces import system_trace
from statemachines.explore.exploring import How as How
from statemachines.explore.exploring import explore
from statemachines.explore.limits import Limits, most_of_memory
from statemachines.explore.programs import literal, program
from statemachines.explore.results import Examined, Exploration, Taken, Trace
from statemachines.explore.scopes import Scope
from statemachines.explore.system_results import SystemExamined, SystemExploration
from statemachines.model.machines import Machine
from statemachines.model.snapshots import Answer, Forced, Ignored, Raised, Refused, Snapshot, Value
from statemachines.model.values import FrozenMap
from statemachines.model.verdicts import Verdict
from statemachines.semantics.mistakes import ArgumentsError
from statemachines.semantics.texts import exact

_PIECE = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|.""", re.DOTALL)
"""A text in quotes, or one character."""
_RANGE = re.compile(r"(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})")


@frozen
class Row:
    """One step of a trace."""

    number: int
    event: str
    became: str


@frozen
class Shown:
    """What exploring says of a property, for a person."""

    verdict: Verdict
    title: str
    said: str
    doc: str
    begin: str
    """Where the trace begins; empty without one."""
    rows: tuple[Row, ...]
    back_to: int | None
    program: str
    """The trace as Python; empty without one."""


@frozen
class Explored:
    """An exploration for a person."""

    value: Exploration | SystemExploration
    title: str
    examined: tuple[Shown, ...]

    @property
    def missed(self) -> str:
        """What no part of a system comes to, in words; of a machine, what is examined says it."""
        value = self.value
        if not isinstance(value, SystemExploration) or not value.unreached:
            return ""
        return f"{'not yet' if value.bounds else 'never'} in {', '.join(value.unreached)}"


def explored(machine: Machine, texts: Iterable[str], how: How, expression: str) -> Explored:
    """Explore a machine.

    Args:
        machine: in one release.
        texts: such as `Task=3,int=0..3`; see `scope_of`.
        how: symmetry, copies, limits.
        expression: Python that gives the machine, for programs.

    Raises:
        ArgumentsError: the scope does not fit the machine.
    """
    found = explore(machine, scope_of(machine, texts), how)
    title = f"{machine.name} {machine.release}".strip()
    return Explored(found, title, tuple(_shown(machine, one, expression) for one in found.examined))


def scope_of(machine: Machine, texts: Iterable[str]) -> Scope:
    """Read a scope: `Task=3` (values of an `id` type), `int=0..3`, `list=4` (the longest), `limit=3` (a parameter, as Python writes it).

    Raises:
        ArgumentsError: it is none of these.
    """
    sizes, parameters = dict[str, int](), dict[str, Value]()
    integers, longest = None, None
    named = {parameter.name for parameter in machine.data.parameters}
    for text in (part for whole in texts for part in _parts(whole) if part.strip()):
        name, _, value = (part.strip() for part in text.partition("="))
        if name in named:
            parameters[name] = _python(name, value)
        elif name == "int" and (numbers := _RANGE.fullmatch(value)):
            integers = int(numbers[1]), int(numbers[2])
        elif (number := natural(value)) is None:
            raise ArgumentsError(f"`{text}` is no scope; write `Task=3`, `int=0..3`, `list=4`, or a parameter and its value")
        elif name == "list":
            longest = number
        else:
            sizes[name] = number
    return Scope(sizes, integers, longest, parameters)


def natural(text: str) -> int | None:
    """Read a number of things; None for what is none, or has more than nine digits.

    >>> natural("3"), natural("-3"), natural("³")
    (3, None, None)
    """
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None


def _parts(text: str) -> list[str]:
    """Cut a text at its commas, those within brackets and quotes left alone.

    >>> _parts("Task=3, stock={'tea, green': [1, 2], 'milk': []},int=0..3")
    ['Task=3', " stock={'tea, green': [1, 2], 'milk': []}", 'int=0..3']
    """
    parts, depth = [""], 0
    for piece in _PIECE.findall(text):
        depth += (piece in "([{") - (piece in ")]}")
        if piece == "," and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _python(name: str, text: str) -> Value:
    try:
        value: Value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise ArgumentsError(f"`{text}` is no value for the parameter `{name}`; write it as Python does, words in quotes") from None
    return value


def how_of(
    *,
    symmetry: bool,
    most_states: int,
    copies: int = 1,
    most_memory: int | None = None,
    told: Callable[[int, int], None] | None = None,
    most_seconds: float | None = None,
    resume: str | PathLike[str] | None = None,
    jobs: int | None = None,
) -> How:
    """Return how to explore, as a person says it.

    Args:
        symmetry: whether states that differ in interchangeable names are one.
        most_states: a ceiling.
        copies: how many of the machine side by side.
        most_memory: another one, in MiB; None: three quarters of what the machine has.
        told: told now and then how many states and transitions there are.
        most_seconds: a ceiling by the clock; None: as long as it takes.
        resume: a file in which a search that stops early is kept, and with which it goes on.
        jobs: threads at most; None: as many as there are cores.
    """
    limits = Limits(most_states, most_memory or most_of_memory(), told, most_seconds)
    return How(symmetry, copies, limits, resume=None if resume is None else Path(resume), jobs=jobs)


def _shown(machine: Machine, one: Examined, expression: str) -> Shown:
    doc = one.property.doc if one.property else ""
    trace = one.trace
    if trace is None:
        return Shown(one.verdict, one.name, one.said, doc, "", (), None, "")
    begin = "  ".join(snapshot_said(each) for each in trace.begin)
    steps = tuple(rows(trace, brief=True))
    return Shown(one.verdict, one.name, one.said, doc, begin, steps, trace.back_to, program(machine, trace, expression))


def snapshot_said(snapshot: Snapshot) -> str:
    """Write a snapshot on one line."""
    values = {**snapshot.parameters, **snapshot.variables}
    return "  ".join(([snapshot.state] if snapshot.state else []) + [f"{name}={exact(value)}" for name, value in values.items()])


def rows(trace: Trace, *, brief: bool = False) -> Iterator[Row]:
    """Yield the steps of a trace for a person; briefly, only the keys of a map that hold something else than before."""
    now = list(trace.begin)
    for number, step in enumerate(trace.steps, 1):
        who = f"{step.copy + 1}: " if len(trace.begin) > 1 else ""
        arguments = ", ".join(f"{name}={exact(value)}" for name, value in step.arguments.items())
        yield Row(number, f"{who}{step.event}({arguments})", became(now[step.copy], step.answer, brief=brief))
        now[step.copy] = step.answer.after


def became(before: Snapshot, answer: Answer, *, brief: bool = False) -> str:
    """Say what changed, what was given back and what was raised."""
    after = answer.after
    said = [f"{before.state} -> {after.state}"] if after.state != before.state else []
    changed = [(name, value) for name, value in after.variables.items() if before.variables.get(name) != value]
    for name, value in changed:
        said += [*_keys(name, before.variables.get(name), value)] if brief else [f"{name}={exact(value)}"]
    said += [f"returned {exact(answer.returned)}"] if answer.returned is not None else []
    match answer:
        case Raised(error=error):
            said.append(f"raised {error}")
        case Ignored():
            said.append("ignored")
        case Refused(reason=reason):
            said.append(f"refused: {reason}" if reason else "refused")
        case Forced():
            said.append("forced")
    return "  ".join(said) or "nothing changes"


def _keys(name: str, before: Value, after: Value) -> Iterator[str]:
    """Yield what a map holds that it did not hold before; the whole value where that is as much, or where keys are gone."""
    if isinstance(before, FrozenMap) and isinstance(after, FrozenMap) and before.keys() <= after.keys():
        other = [key for key, value in after.items() if key not in before or before[key] != value]
        if len(other) < len(after):
            yield from (f"{name}[{exact(key)}]={exact(after[key])}" for key in other)
            return
    yield f"{name}={exact(after)}"


def to_json(explored: Explored) -> dict[str, object]:
    """Return an exploration as plain data, its keys in one order; how long it took is left out."""
    found = explored.value
    if isinstance(found, SystemExploration):
        return system_to_json(found, explored.examined)
    return {
        "format": "statemachines.exploration/1",
        "machine": found.machine.name,
        "release": found.machine.release,
        "verdict": found.verdict.name,
        "scope": found.scope,
        "copies": found.copies,
        **_counted(found),
        "properties": [_property(one, shown) for one, shown in zip(found.examined, explored.examined, strict=True)],
    }


def system_to_json(found: SystemExploration, shown: tuple[Shown, ...]) -> dict[str, object]:
    """Return the exploration of a system as plain data."""
    return {
        "format": "statemachines.exploration/1",
        "system": found.system.name,
        "release": found.system.release,
        "verdict": found.verdict.name,
        "scope": found.scope,
        **_counted(found),
        "unreached": list(found.unreached),
        "properties": [_system_property(one, each) for one, each in zip(found.examined, shown, strict=True)],
    }


def _counted(found: Exploration | SystemExploration) -> dict[str, object]:
    counts: dict[str, object] = {"symmetry": found.symmetry, "states": found.states, "transitions": found.transitions}
    return counts | {"turned_down": found.turned_down, "deepest": found.deepest, "bounds": list(found.bounds)}


def _system_property(one: SystemExamined, shown: Shown) -> dict[str, object]:
    told: dict[str, object] = {"name": one.name, "verdict": one.verdict.name, "said": one.said}
    return told | ({"trace": system_trace(one.trace), "program": shown.program} if one.trace else {})


def _property(one: Examined, shown: Shown) -> dict[str, object]:
    told: dict[str, object] = {"name": one.name, "verdict": one.verdict.name, "said": one.said}
    return told | ({"trace": _trace(one.trace), "program": shown.program} if one.trace else {})


def _trace(trace: Trace) -> dict[str, object]:
    begin = [_snapshot(each) for each in trace.begin]
    return {"begin": begin, "steps": [_step(step) for step in trace.steps], "back_to": trace.back_to}


def _step(step: Taken) -> dict[str, object]:
    answer = step.answer
    told: dict[str, object] = {"copy": step.copy, "event": step.event, "arguments": _values(step.arguments)}
    return told | {"answer": type(answer).__name__, "error": answer.error, "after": _snapshot(answer.after)}


def _snapshot(snapshot: Snapshot) -> dict[str, object]:
    return {"state": snapshot.state, "variables": _values(snapshot.variables), "parameters": _values(snapshot.parameters)}


def _values(values: Mapping[str, Value]) -> dict[str, str]:
    """Write values as Python does: JSON has no sets."""
    return {name: literal(value) for name, value in values.items()}
