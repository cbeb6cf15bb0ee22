"""`use:`: libraries bring in types, errors and definitions; machines bring in their states and what they allow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import attrs
from attrs import frozen

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Spec, moves_of
from statemachines.model.releases import Releases
from statemachines.model.types import EnumType
from statemachines.notation.data.reader import Reader
from statemachines.notation.expressions.scope import Neighbour
from statemachines.notation.nodes import Mapping, Scalar, items_of
from statemachines.notation.work import Work

_reading: ContextVar[tuple[str, ...]] = ContextVar("reading", default=())
"""Names of the specs that are being read, the outermost first: they may not use each other in a circle."""


@frozen
class Used:
    """What a spec uses."""

    libraries: tuple[Mapping, ...] = ()
    """Their documents, those that they use first."""
    machines: tuple[Spec, ...] = ()


def read_uses(work: Work, found: list[Diagnostic]) -> Used:
    """Read the specs that a spec names under `use:`."""
    libraries, machines = list[Mapping](), list[Spec]()
    for name in items_of(work.root.get("use")):
        if isinstance(name, Scalar):
            used = _read(work, name, found)
            libraries += [one for one in used.libraries if all(one is not other for other in libraries)]
            machines += used.machines
    return Used(tuple(libraries), tuple(machines))


def _read(work: Work, name: Scalar, found: list[Diagnostic]) -> Used:
    from statemachines.notation.catalogues import read_spec  # it reads specs by passes, of which this is one

    if name.text in _reading.get():
        circle = " uses ".join(f"`{one}`" for one in (*_reading.get(), name.text))
        found.append(Diagnostic("SM328", f"specs use each other in a circle: {circle}", name.span, "put what both need into a library"))
        return Used()
    with _reading_of(work.name):
        reading = read_spec(name.text, folder=work.specs, families=work.families)
    if reading.broken or reading.work is None:
        why = reading.diagnostics[0]
        found.append(Diagnostic("SM328", f"cannot use `{name.text}`: {why.message}", name.span, why.hint))
        return Used()
    if reading.work.kind == "library":
        inner = read_uses(reading.work, found)
        return Used((*inner.libraries, reading.work.root), inner.machines)
    if reading.spec is None:
        found.append(Diagnostic("SM328", f"`{name.text}` is a {reading.work.kind}", name.span, "libraries and machines can be used"))
        return Used()
    return Used((), (reading.spec,))


@contextmanager
def _reading_of(name: str) -> Iterator[None]:
    token = _reading.set((*_reading.get(), name))
    try:
        yield
    finally:
        _reading.reset(token)


def masks_of(used: Used) -> Iterator[Releases]:
    """Yield the releases in which used machines differ."""
    for spec in used.machines:
        yield from (state.releases for state in spec.states)
        yield from (arrow.releases for arrow in spec.transitions)


def bring_in(reader: Reader, used: Used) -> None:
    """Make `Task.State` a type, and `Task.allows` known."""
    for spec in used.machines:
        short = (spec.file or spec.name).rsplit("/", 1)[-1].removesuffix(".yaml")
        states = EnumType(f"{short}.State", tuple(state.name for state in spec.states if state.releases & reader.bit))
        arrows = tuple(arrow for arrow in spec.transitions if arrow.releases & reader.bit)
        pairs = frozenset((arrow.source, arrow.target) for arrow in moves_of(arrows))
        scope = reader.scope
        reader.within(
            attrs.evolve(
                scope,
                types={**scope.types, states.name: states},
                neighbours={**scope.neighbours, short: Neighbour(spec.name, states, pairs)},
            )
        )
