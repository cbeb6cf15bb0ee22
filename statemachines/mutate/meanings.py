"""Mutants of what names stand for (definitions, those of libraries too, `let`), of what the world guarantees (`where`), and of orders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal

from attrs import evolve

from statemachines.model.data import Case, Definition, Let, Signature
from statemachines.model.expressions import Expression
from statemachines.model.machines import Event
from statemachines.model.places import Span
from statemachines.model.types import BoolType, base_of
from statemachines.mutate.edits import Condition, Edit
from statemachines.mutate.moves import drafted
from statemachines.mutate.mutants import Draft, Ground, Operator, Site
from statemachines.mutate.operations import operations
from statemachines.mutate.reach import behaving
from statemachines.mutate.values import Slip, conditions, values
from statemachines.mutate.written import definition_key, differing, event_keys
from statemachines.semantics.wording import wording


def definitions(ground: Ground) -> Iterator[Draft]:
    """Yield what may become of each definition that some operation, argument or beginning uses; what only properties use is a judge."""
    used = behaving(ground.machine)
    for one in ground.machine.data.definitions:
        if one.name in used:
            for said, body in slips(one.body):
                yield _defined(ground, one, evolve(one, body=body), f": {said}")


def _defined(ground: Ground, one: Definition, other: Definition, said: str) -> Draft:
    diff = differing(definition_key(one), definition_key(other))
    edit = Edit(definition=(one, other))
    return Draft(Operator.DEFINITION, f"definition `{one.name}`", said, edit, diff, ground.machine.release, one.span)


def slips(value: Expression) -> Iterator[tuple[str, Expression]]:
    """Yield what may become of a value that must be there."""
    found: Iterable[Slip] = conditions(value) if isinstance(base_of(value.type), BoolType) else values(value, value.type)
    yield from ((said, other) for said, other in found if other is not None)


def lets(ground: Ground) -> Iterator[Draft]:
    """Yield what may become of each `let`: of an operation, in all its cases, and of an event."""
    for whole in operations(ground):
        case = whole.first.case or Case()
        for said, changed in _changed_lets(case.lets):
            arrows = tuple(evolve(arrow, case=evolve(arrow.case or Case(), lets=changed)) for arrow in whole.arrows)
            yield _placed(drafted(ground, whole, Operator.LOCAL, said, arrows), _first(case.lets, changed))
    for place, event in declared(ground):
        signature = event.signature or Signature()
        for said, changed in _changed_lets(signature.lets):
            other = evolve(event, signature=evolve(signature, lets=changed))
            yield _declared(ground, Operator.LOCAL, place, other, said, _first(signature.lets, changed))


def _changed_lets(known: tuple[Let, ...]) -> Iterator[tuple[str, tuple[Let, ...]]]:
    for place, one in enumerate(known):
        for said, value in slips(one.value):
            yield f": `let {one.name}` {said}", (*known[:place], evolve(one, value=value), *known[place + 1 :])


def _first(known: tuple[Let, ...], changed: tuple[Let, ...]) -> Span | None:
    """Return where the first that differs stands."""
    return next((old.span for old, new in zip(known, changed, strict=True) if new != old), None)


def worlds(ground: Ground) -> Iterator[Draft]:
    """Yield what may become of what the world guarantees of arguments, of parameters and of beginnings: less than the spec says."""
    for place, event in declared(ground):
        signature = event.signature or Signature()
        if signature.where is not None:
            for said, where in _weaker(signature.where):
                other = evolve(event, signature=evolve(signature, where=where))
                yield _declared(ground, Operator.WORLD, place, other, f": `where` {said}", signature.where.span)
    data = ground.machine.data
    yield from _conditioned(ground, "where", "parameters", data.where)
    yield from _conditioned(ground, "initially", "an instance", data.initially)


def _conditioned(ground: Ground, key: Literal["where", "initially"], what: str, was: Expression | None) -> Iterator[Draft]:
    """Yield what may become of a condition of the machine's data."""
    if was is None:
        return
    for said, becomes in _weaker(was):
        diff = differing({key: wording(was)}, {} if becomes is None else {key: wording(becomes)})
        edit = Edit(condition=Condition(key, was, becomes))
        yield Draft(Operator.WORLD, what, f": `{key}` {said}", edit, diff, ground.machine.release, was.span)


def _weaker(condition: Expression) -> Iterator[Slip]:
    return ((said, other) for said, other in conditions(condition) if said != "is negated")


def declared(ground: Ground) -> Iterator[tuple[int, Event]]:
    """Yield the events that are declared with arguments, `let` or `where` in the release, with their places in the spec."""
    for place, event in enumerate(ground.spec.events):
        if event.releases & ground.bit and event.signature is not None:
            yield place, event


def _declared(ground: Ground, operator: Operator, place: int, other: Event, said: str, span: Span | None) -> Draft:
    event = ground.spec.events[place]
    diff = differing(event_keys(event), event_keys(other))
    return Draft(operator, event.name, said, Edit(events={place: other}), diff, ground.machine.release, span or event.span)


def _placed(draft: Draft, span: Span | None) -> Draft:
    return evolve(draft, span=span or draft.span)


def orders(ground: Ground) -> Iterator[Draft]:
    """Yield neighbouring cases of an operation, and neighbouring entries of `otherwise`, in the other order: the first that fits counts."""
    cases = [site for site in ground.sites() if site.first.case is not None]
    for site, next_site in pairwise(cases):
        if _is_next(site, next_site):
            yield _exchanged(ground, site, next_site)
    entries = [(place, entry) for place, entry in enumerate(ground.spec.otherwise) if entry.releases & ground.bit]
    for (first, one), (second, other) in pairwise(entries):
        if (one.does, one.error) != (other.does, other.error) and one.releases == other.releases:
            edit = Edit(otherwise={first: other, second: one})
            diff = (f"- {first + 1}, {second + 1}", f"+ {second + 1}, {first + 1}")
            what, said = f"otherwise {first + 1}", f"stands after {second + 1}"
            yield Draft(Operator.ORDER, what, said, edit, diff, ground.machine.release, one.span)


def _is_next(one: Site, other: Site) -> bool:
    """Tell whether two are cases of one operation of which the first is not the last resort; the last has no `when`."""
    mine, next_one = one.first, other.first
    if mine.case is None or next_one.case is None or (mine.entry, mine.event) != (next_one.entry, next_one.event):
        return False
    same = [arrow.source for arrow in one.arrows] == [arrow.source for arrow in other.arrows]
    return same and next_one.case.when is not None and mine.releases == next_one.releases


def _exchanged(ground: Ground, one: Site, other: Site) -> Draft:
    numbers = (one.first.case or Case()).number, (other.first.case or Case()).number
    first = tuple(evolve(arrow, case=evolve(arrow.case or Case(), number=numbers[1])) for arrow in one.arrows)
    second = tuple(evolve(arrow, case=evolve(arrow.case or Case(), number=numbers[0])) for arrow in other.arrows)
    edit = Edit(transitions=dict(zip((*one.places, *other.places), (*first, *second), strict=True)))
    diff = (f"  event: {one.first.event}", f"- cases {numbers[0] + 1}, {numbers[1] + 1}", f"+ cases {numbers[1] + 1}, {numbers[0] + 1}")
    said = f"stands after case {numbers[1] + 1}"
    return Draft(Operator.ORDER, one.title, said, edit, diff, ground.machine.release, one.first.span)
