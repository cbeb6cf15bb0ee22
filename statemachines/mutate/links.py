"""Mutants of a system: of its links, its definitions and what it shares. Its machines have mutants of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from attrs import evolve

from statemachines.model.data import Assignment
from statemachines.model.expressions import Expression
from statemachines.model.systems import Link, Send, System
from statemachines.mutate.edits import Edit, edited_data
from statemachines.mutate.meanings import slips
from statemachines.mutate.mutants import Draft, Mutant, Operator, sampled
from statemachines.mutate.reach import used_definitions
from statemachines.mutate.values import conditions, values
from statemachines.mutate.written import definition_key, differing, link_keys
from statemachines.semantics.wording import wording


def mutants_of_system(system: System, *, most: int | None = None, seed: int = 0) -> tuple[Mutant, ...]:
    """Return the mutants of a system, in the order of the operators, then of the spec.

    Args:
        system: in one release.
        most: how many, chosen by the seed and spread over the operators; None: all.
        seed: of the choice.
    """
    drafts: dict[object, Draft] = {}
    for draft in (each for operator in OPERATORS for each in operator(system)):
        drafts.setdefault((draft.what, draft.said, draft.diff), draft)
    return sampled(tuple(drafts.values()), most, seed)


def mutated_system(system: System, edit: Edit) -> System:
    """Return a system with a change; its machines are the very same."""
    links = (edit.links.get(place, link) for place, link in enumerate(system.links))
    return evolve(system, links=tuple(link for link in links if link is not None), data=edited_data(system.data, edit))


def title_of(link: Link) -> str:
    """Return how a link is called: `link 3, threads enter DEAD`."""
    when = [f"enters {', '.join(link.enters)}"] if link.enters else []
    when += [f"leaves {', '.join(link.leaves)}"] if link.leaves else []
    when += [f"on {link.event}"] if link.event else []
    return " ".join([f"link {link.number + 1}, {link.on}", *when])


def _changed(system: System, operator: Operator, place: int, other: Link | None, said: str) -> Draft:
    link = system.links[place]
    diff = differing(link_keys(link), {} if other is None else link_keys(other))
    return Draft(operator, title_of(link), said, Edit(links={place: other}), diff, system.release, link.span)


def _dropped(system: System) -> Iterator[Draft]:
    for place in range(len(system.links)):
        yield _changed(system, Operator.LINK, place, None, "is dropped")


def _fired(system: System) -> Iterator[Draft]:
    """Yield links that fire elsewhere."""
    machines = dict(system.machines)
    for place, link in enumerate(system.links):
        states = [state.name for state in machines[link.on].states]
        for said, enters in _other_states("enters", link.enters, states):
            yield _changed(system, Operator.FIRING, place, evolve(link, enters=enters), said)
        for said, leaves in _other_states("leaves", link.leaves, states):
            yield _changed(system, Operator.FIRING, place, evolve(link, leaves=leaves), said)


def _other_states(key: str, named: tuple[str, ...] | None, states: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield states at which a link may fire instead: one less of several, another one for a single one."""
    if named is None:
        return
    if len(named) > 1:
        for state in named:
            yield f"does not fire where it {key} {state}", tuple(name for name in named if name != state)
    elif len(named) == 1:
        yield from ((f"fires where it {key} {state}", (state,)) for state in states if state not in named)


def _sent(system: System) -> Iterator[Draft]:
    """Yield links that send another event, to every one, later, or at once where that makes no circle."""
    for place, link in enumerate(system.links):
        send = link.send
        if send is None:
            continue
        for event in _like(system, send):
            yield _changed(
                system, Operator.SENDING, place, evolve(link, send=evolve(send, event=event)), f"sends {event}, not {send.event}"
            )
        if send.key is not None:
            yield _changed(system, Operator.SENDING, place, evolve(link, send=evolve(send, key=None)), "sends to every one")
        if not link.later:
            yield _changed(system, Operator.SENDING, place, evolve(link, later=True), "sends later")
        elif not _leads(system, send.part, link.on):
            yield _changed(system, Operator.SENDING, place, evolve(link, later=False), "sends at once")


def _like(system: System, send: Send) -> Iterator[str]:
    """Yield the other events of a receiver that take nothing; of one that takes arguments none is like it."""
    machine = dict(system.machines)[send.part]
    for event in machine.events if not send.arguments else ():
        if event.name != send.event and not (event.signature and event.signature.arguments):
            yield event.name


def _leads(system: System, one: str, other: str) -> bool:
    """Tell whether what is sent at once leads from a part to another."""
    found, pending = {one}, [one]
    while pending:
        part = pending.pop()
        new = {link.send.part for link in system.links if link.on == part and link.send is not None and not link.later} - found
        found |= new
        pending += new
    return other in found


def _guarded(system: System) -> Iterator[Draft]:
    """Yield what may become of guards, and of what a step needs (`only if`)."""
    for place, link in enumerate(system.links):
        if link.guard is not None:
            for said, guard in conditions(link.guard):
                yield _changed(system, Operator.GUARD, place, evolve(link, guard=guard), f": the guard {said}")
        if link.only_if is not None:
            for said, needed in conditions(link.only_if):
                if needed is not None:
                    yield _changed(system, Operator.GUARD, place, evolve(link, only_if=needed), f": `only if` {said}")


def _effects(system: System) -> Iterator[Draft]:
    for place, link in enumerate(system.links):
        for number, one in enumerate(link.effect):
            rest = link.effect[:number], link.effect[number + 1 :]
            stays = evolve(link, effect=(*rest[0], *rest[1]))
            if stays.effect or link.send is not None:
                yield _changed(system, Operator.EFFECT, place, stays, f": `{one.variable}` stays as it was")
            for said, other in _values(one):
                yield _changed(
                    system, Operator.EFFECT, place, evolve(link, effect=(*rest[0], other, *rest[1])), f": `{one.variable}` {said}"
                )


def _values(one: Assignment) -> Iterator[tuple[str, Assignment]]:
    for said, value in values(one.value, one.value.type):
        if value is not None:
            yield said, evolve(one, value=value, shown=False)


def _first_values(system: System) -> Iterator[Draft]:
    for one in system.data.variables:
        for said, value in values(one.initial, one.type) if one.initial is not None else ():
            if one.initial is not None and value is not None:
                diff = differing({"initial": wording(one.initial)}, {"initial": wording(value)})
                edit = Edit(first_values={one.name: value})
                yield Draft(Operator.BEGINNING, f"at first `{one.name}`", said, edit, diff, system.release, one.span)


def _definitions(system: System) -> Iterator[Draft]:
    """Yield what may become of the definitions that links use."""
    used = used_definitions(system.data, [node for link in system.links for node in _expressions(link)])
    for one in system.data.definitions:
        for said, body in slips(one.body) if one.name in used else ():
            other = evolve(one, body=body)
            diff = differing(definition_key(one), definition_key(other))
            what = f"definition `{one.name}`"
            yield Draft(Operator.DEFINITION, what, f": {said}", Edit(definition=(one, other)), diff, system.release, one.span)


def _expressions(link: Link) -> Iterator[Expression]:
    yield from (node for node in (link.guard, link.only_if) if node is not None)
    yield from (one.value for one in link.effect)
    if link.send is not None:
        yield from [link.send.key] if link.send.key is not None else []
        yield from (value for _, value in link.send.arguments)


def _ordered(system: System) -> Iterator[Draft]:
    """Yield neighbours that fire on one part, the other one first."""
    for first, second in pairwise(range(len(system.links))):
        one, other = system.links[first], system.links[second]
        if one.on == other.on:
            numbers = one.number + 1, other.number + 1
            diff = (f"- links {numbers[0]}, {numbers[1]}", f"+ links {numbers[1]}, {numbers[0]}")
            edit = Edit(links={first: other, second: one})
            yield Draft(Operator.ORDER, title_of(one), f"fires after link {numbers[1]}", edit, diff, system.release, one.span)


OPERATORS: tuple[Callable[[System], Iterator[Draft]], ...] = (
    *(_guarded, _effects, _first_values, _definitions),
    *(_ordered, _dropped, _fired, _sent),
)
"""In the order of `Operator`."""
