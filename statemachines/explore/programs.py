"""A trace as a program: what a person pastes to see it happen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from statemachines.explore.results import Taken, Trace
from statemachines.model.machines import Machine
from statemachines.model.snapshots import Snapshot, Value
from statemachines.semantics.starts import starts


def program(machine: Machine, trace: Trace, expression: str) -> str:
    """Return a Python program that replays a trace, looks at every answer, and prints where it ends.

    Args:
        machine: that the trace is of.
        trace: of one machine, or of copies of one.
        expression: what gives the machine, such as `sm.load("shop/Order").at("2.0")`.
    """
    return "\n".join([*_lines(machine, trace, expression), ""])


def _lines(machine: Machine, trace: Trace, expression: str) -> Iterator[str]:
    yield from ("import statemachines as sm", "", f"machine = {expression}")
    names = [f"now{copy}" if len(trace.begin) > 1 else "now" for copy in range(1, len(trace.begin) + 1)]
    for name, begin in zip(names, trace.begin, strict=True):
        yield f"{name} = {_begin(machine, begin)}"
    for number, step in enumerate(trace.steps):
        if number == trace.back_to:
            yield "# from here on, again and again:"
        name = names[step.copy]
        yield f"answer = sm.step(machine, {name}, {_call(step)})"
        yield f"assert type(answer) is sm.{type(step.answer).__name__}{_error(step)}"
        yield f"{name} = answer.after"
    for name in names:
        yield f"print({name}.state, {name}.variables)"


def _call(step: Taken) -> str:
    return ", ".join([repr(step.event), *_named(step.arguments)])


def _error(step: Taken) -> str:
    return f" and answer.error == {step.answer.error!r}" if step.answer.error else ""


def _named(values: Mapping[str, Value]) -> list[str]:
    return [f"{name}={literal(value)}" for name, value in values.items()]


def _begin(machine: Machine, begin: Snapshot) -> str:
    """Write how an instance begins: by its parameters, and which beginning where there are several."""
    found, given = starts(machine, **begin.parameters), ", ".join(_named(begin.parameters))
    if found == (begin,):
        return f"machine.start({given})"
    if begin in found:
        return f"machine.starts({given})[{found.index(begin)}]"
    parts = [repr(begin.state), _map(begin.variables), *([_map(begin.parameters)] if begin.parameters else [])]
    return f"sm.Snapshot({', '.join(parts)})"


def _map(values: Mapping[str, Value]) -> str:
    return "{" + ", ".join(f"{name!r}: {literal(value)}" for name, value in values.items()) + "}"


def literal(value: Value) -> str:
    """Write a value as Python that a caller may give: records as mappings, sets of what has no hash as lists.

    >>> literal(frozenset([2, 1])), literal(("a", None)), literal(frozenset([(1,)]))
    ('{1, 2}', "['a', None]", '[[1]]')
    """
    fields = getattr(value, "_fields", None)
    if isinstance(value, tuple) and fields is not None:
        return _map(dict(zip(fields, value, strict=True)))
    if isinstance(value, tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, frozenset):
        written = ", ".join(sorted(map(literal, value)))
        plain = all(item is None or isinstance(item, str | int) for item in value)
        return ("{" + written + "}" if value else "set()") if plain else f"[{written}]"
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{literal(key)}: {literal(item)}" for key, item in value.items())) + "}"
    return repr(value)
