"""Mutants of what transitions need, do, give back and raise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from attrs import evolve

from statemachines.model.data import Assignment, Case
from statemachines.model.expressions import Expression
from statemachines.model.types import Type
from statemachines.mutate.moves import drafted
from statemachines.mutate.mutants import Draft, Ground, Operator, Site
from statemachines.mutate.values import conditions, values


def guards(ground: Ground) -> Iterator[Draft]:
    """Yield what may become of each guard, which all cases of an operation share, and of each `when`."""
    whole = {(each.first.entry, each.first.event): each for each in operations(ground)}
    for site in ground.sites():
        case, operation = site.first.case, (site.first.entry, site.first.event)
        if case is None:
            continue
        if case.guard is not None and operation in whole:
            for said, guard in conditions(case.guard):
                yield _changed(ground, whole[operation], Operator.GUARD, f"the guard {said}", guard=guard)
        whole.pop(operation, None)
        if case.when is not None:
            for said, when in conditions(case.when):
                yield _changed(ground, site, Operator.GUARD, f"`when` {said}", when=when)


def operations(ground: Ground) -> Iterator[Site]:
    """Yield each operation, all its cases as one site: they share its guard and `let`."""
    found: dict[tuple[int, str], list[Site]] = {}
    for site in ground.sites():
        if site.first.case is not None:
            found.setdefault((site.first.entry, site.first.event), []).append(site)
    for sites in found.values():
        places = tuple(place for site in sites for place in site.places)
        yield Site(places, tuple(arrow for site in sites for arrow in site.arrows))


def _changed(ground: Ground, site: Site, operator: Operator, said: str, **changes: Any) -> Draft:
    """Return a mutant whose cases have other parts."""
    arrows = tuple(evolve(arrow, case=evolve(arrow.case or Case(), **changes)) for arrow in site.arrows)
    return drafted(ground, site, operator, f": {said}", arrows)


def effects(ground: Ground) -> Iterator[Draft]:
    """Yield what may become of each assignment: left out, off by one, another's value."""
    for site in ground.sites():
        effect = site.first.case.effect if site.first.case else ()
        for place, one in enumerate(effect):
            rest = effect[:place], effect[place + 1 :]
            yield _changed(ground, site, Operator.EFFECT, f"`{one.variable}` stays as it was", effect=(*rest[0], *rest[1]))
            for said, value in values(one.value, _type_of(ground, one)):
                if value is not None:
                    other = (*rest[0], evolve(one, value=value, shown=False), *rest[1])
                    yield _changed(ground, site, Operator.EFFECT, f"`{one.variable}` {said}", effect=other)
        yield from _exchanged(ground, site, effect)


def _exchanged(ground: Ground, site: Site, effect: tuple[Assignment, ...]) -> Iterator[Draft]:
    """Yield neighbours of one type with each other's values."""
    for place, (one, other) in enumerate(pairwise(effect)):
        if str(_type_of(ground, one)) == str(_type_of(ground, other)) and one.value != other.value:
            pair = evolve(one, value=other.value, shown=False), evolve(other, value=one.value, shown=False)
            said = f"`{one.variable}` and `{other.variable}` get each other's values"
            yield _changed(ground, site, Operator.EFFECT, said, effect=(*effect[:place], *pair, *effect[place + 2 :]))


def _type_of(ground: Ground, one: Assignment) -> Type:
    variable = ground.machine.data.variable(one.variable)
    return variable.type if variable else one.value.type


def results(ground: Ground) -> Iterator[Draft]:
    """Yield what may become of what is given back, and of what is raised."""
    errors = [error.name for error in ground.machine.data.errors]
    for site in ground.sites():
        case = site.first.case
        if case is None:
            continue
        if isinstance(case.returns, Expression):
            for said, value in values(case.returns, case.returns.type):
                yield _changed(ground, site, Operator.RESULT, f"the result {said}", returns=value)
        elif case.returns is not None:
            yield from _named_results(ground, site, case.returns)
        if case.raises is not None:
            yield _changed(ground, site, Operator.RESULT, "raises nothing", raises=None)
            other = errors[(errors.index(case.raises) + 1) % len(errors)] if case.raises in errors else case.raises
            if other != case.raises:
                yield _changed(ground, site, Operator.RESULT, f"raises {other}", raises=other)


def _named_results(ground: Ground, site: Site, returns: tuple[tuple[str, Expression], ...]) -> Iterator[Draft]:
    for place, (name, value) in enumerate(returns):
        for said, other in values(value, value.type):
            if other is not None:
                changed = (*returns[:place], (name, other), *returns[place + 1 :])
                yield _changed(ground, site, Operator.RESULT, f"the result `{name}` {said}", returns=changed)
