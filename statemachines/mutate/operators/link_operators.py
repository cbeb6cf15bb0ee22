"""Mutants of a system: of its links, its definitions and what it shares.

Its machines have mutants of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from attrs import evolve

from statemachines.model.definitions.data_definitions import Assignment
from statemachines.model.definitions.system_definitions import Link, SentEvent, SystemDefinition
from statemachines.model.language.expression_nodes import Expression
from statemachines.mutate.operators.definition_operators import required_value_slips
from statemachines.mutate.operators.definition_uses import used_definitions
from statemachines.mutate.operators.edits import Edit, edited_data
from statemachines.mutate.operators.expression_slips import condition_slips, value_slips
from statemachines.mutate.operators.mutants import (
    Mutant,
    MutantCandidate,
    MutationOperator,
    sample_mutants,
)
from statemachines.mutate.operators.notation_diffs import definition_key, key_diff, link_keys
from statemachines.semantics.messages.expression_text import format_expression


def system_mutants(
    system: SystemDefinition, *, most: int | None = None, seed: int = 0
) -> tuple[Mutant, ...]:
    """Return the mutants of a system, in the order of the operators, then of the spec.

    Args:
        system: in one release.
        most: how many, chosen by the seed and spread over the operators; None: all.
        seed: of the choice.

    Returns:
        Mutants with their numbers.
    """
    drafts: dict[object, MutantCandidate] = {}
    for draft in (candidate for operator in OPERATORS for candidate in operator(system)):
        drafts.setdefault((draft.subject, draft.change, draft.diff), draft)
    return sample_mutants(tuple(drafts.values()), most, seed)


def mutated_system(system: SystemDefinition, edit: Edit) -> SystemDefinition:
    """Return a system with a change; its machines are the very same.

    Args:
        system: in one release.
        edit: the change.

    Returns:
        A new system.
    """
    links = (edit.links.get(index, link) for index, link in enumerate(system.links))
    return evolve(
        system,
        links=tuple(link for link in links if link is not None),
        data=edited_data(system.data, edit),
        same=tuple(variable for variable in system.same if variable.name != edit.parted),
    )


def _link_title(link: Link) -> str:
    """Return how a link is called: `link 3, threads enter DEAD`."""
    when = [f"enters {', '.join(link.enters)}"] if link.enters else []
    when += [f"leaves {', '.join(link.leaves)}"] if link.leaves else []
    when += [f"on {link.event}"] if link.event else []
    when += ["begins"] if link.begins else []
    return " ".join([f"link {link.index + 1}, {link.on}", *when])


def _link_candidate(
    system: SystemDefinition, operator: MutationOperator, index: int, other: Link | None, label: str
) -> MutantCandidate:
    link = system.links[index]
    diff = key_diff(link_keys(link), {} if other is None else link_keys(other))
    return MutantCandidate(
        operator,
        _link_title(link),
        label,
        Edit(links={index: other}),
        diff,
        system.release,
        link.span,
    )


def _dropped_links(system: SystemDefinition) -> Iterator[MutantCandidate]:
    for index in range(len(system.links)):
        yield _link_candidate(system, MutationOperator.LINK, index, None, "is dropped")


def _firing_candidates(system: SystemDefinition) -> Iterator[MutantCandidate]:
    """Yield links that fire elsewhere."""
    machines = dict(system.machines)
    for index, link in enumerate(system.links):
        states = [state.name for state in machines[link.on].states]
        for label, enters in _other_firing_states("enters", link.enters, states):
            yield _link_candidate(
                system, MutationOperator.FIRING, index, evolve(link, enters=enters), label
            )
        for label, leaves in _other_firing_states("leaves", link.leaves, states):
            yield _link_candidate(
                system, MutationOperator.FIRING, index, evolve(link, leaves=leaves), label
            )


def _other_firing_states(
    key: str, named: tuple[str, ...] | None, states: Sequence[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield states at which a link may fire instead: one less of several, another one for a single
    one.
    """
    if named is None:
        return
    if len(named) > 1:
        for state in named:
            yield (
                f"does not fire where it {key} {state}",
                tuple(name for name in named if name != state),
            )
    elif len(named) == 1:
        yield from (
            (f"fires where it {key} {state}", (state,)) for state in states if state not in named
        )


def _sending_candidates(system: SystemDefinition) -> Iterator[MutantCandidate]:
    """Yield links that send another event, to every one, later, or at once where that makes no
    circle.
    """
    for index, link in enumerate(system.links):
        send = link.send
        if send is None:
            continue
        for event in _similar_events(system, send):
            yield _link_candidate(
                system,
                MutationOperator.SENDING,
                index,
                evolve(link, send=evolve(send, event=event)),
                f"sends {event}, not {send.event}",
            )
        if send.key is not None:
            yield _link_candidate(
                system,
                MutationOperator.SENDING,
                index,
                evolve(link, send=evolve(send, key=None)),
                "sends to every one",
            )
        if link.hands_over:
            yield _link_candidate(
                system,
                MutationOperator.SENDING,
                index,
                evolve(link, hands_over=False, channel=None),
                "sends, taken or not",
            )
        elif not link.deferred:
            yield _link_candidate(
                system, MutationOperator.SENDING, index, evolve(link, deferred=True), "sends later"
            )
        elif not _sends_lead_to(system, send.part, link.on):
            yield _link_candidate(
                system,
                MutationOperator.SENDING,
                index,
                evolve(link, deferred=False),
                "sends at once",
            )


def _similar_events(system: SystemDefinition, send: SentEvent) -> Iterator[str]:
    """Yield the other events of a receiver that take nothing; of one that takes arguments none is
    like it.
    """
    machine = dict(system.machines)[send.part]
    for event in machine.events if not send.arguments else ():
        if event.name != send.event and not (event.signature and event.signature.arguments):
            yield event.name


def _sends_lead_to(system: SystemDefinition, one: str, other: str) -> bool:
    """Tell whether what is sent at once leads from a part to another."""
    reached, pending = {one}, [one]
    while pending:
        part = pending.pop()
        new = {
            link.send.part
            for link in system.links
            if link.on == part and link.send is not None and not link.deferred
        } - reached
        reached |= new
        pending += new
    return other in reached


def _guard_candidates(system: SystemDefinition) -> Iterator[MutantCandidate]:
    """Yield what may become of guards, and of what a step needs (`only if`)."""
    for index, link in enumerate(system.links):
        if link.guard is not None:
            for label, guard in condition_slips(link.guard):
                yield _link_candidate(
                    system,
                    MutationOperator.GUARD,
                    index,
                    evolve(link, guard=guard),
                    f": the guard {label}",
                )
        if link.only_if is not None:
            for label, needed in condition_slips(link.only_if):
                if needed is not None:
                    yield _link_candidate(
                        system,
                        MutationOperator.GUARD,
                        index,
                        evolve(link, only_if=needed),
                        f": `only if` {label}",
                    )


def _effect_candidates(system: SystemDefinition) -> Iterator[MutantCandidate]:
    for index, link in enumerate(system.links):
        for number, assignment in enumerate(link.effect):
            rest = link.effect[:number], link.effect[number + 1 :]
            stays = evolve(link, effect=(*rest[0], *rest[1]))
            if stays.effect or link.send is not None:
                yield _link_candidate(
                    system,
                    MutationOperator.EFFECT,
                    index,
                    stays,
                    f": `{assignment.variable}` stays as it was",
                )
            for label, other in _assignment_slips(assignment):
                yield _link_candidate(
                    system,
                    MutationOperator.EFFECT,
                    index,
                    evolve(link, effect=(*rest[0], other, *rest[1])),
                    f": `{assignment.variable}` {label}",
                )


def _assignment_slips(assignment: Assignment) -> Iterator[tuple[str, Assignment]]:
    for label, value in value_slips(assignment.value, assignment.value.type):
        if value is not None:
            yield label, evolve(assignment, value=value, proved=False)


def _initial_value_candidates(system: SystemDefinition) -> Iterator[MutantCandidate]:
    for variable in system.data.variables:
        for label, value in (
            value_slips(variable.initial, variable.type) if variable.initial is not None else ()
        ):
            if variable.initial is not None and value is not None:
                diff = key_diff(
                    {"initial": format_expression(variable.initial)},
                    {"initial": format_expression(value)},
                )
                edit = Edit(initial_values={variable.name: value})
                yield MutantCandidate(
                    MutationOperator.BEGINNING,
                    f"at first `{variable.name}`",
                    label,
                    edit,
                    diff,
                    system.release,
                    variable.span,
                )


def _definition_candidates(system: SystemDefinition) -> Iterator[MutantCandidate]:
    """Yield what may become of the definitions that links use."""
    used = used_definitions(
        system.data, [node for link in system.links for node in _link_expressions(link)]
    )
    for definition in system.data.definitions:
        for label, body in required_value_slips(definition.body) if definition.name in used else ():
            other = evolve(definition, body=body)
            diff = key_diff(definition_key(definition), definition_key(other))
            what = f"definition `{definition.name}`"
            yield MutantCandidate(
                MutationOperator.DEFINITION,
                what,
                f": {label}",
                Edit(definition=(definition, other)),
                diff,
                system.release,
                definition.span,
            )


def _link_expressions(link: Link) -> Iterator[Expression]:
    yield from (node for node in (link.guard, link.only_if) if node is not None)
    yield from (assignment.value for assignment in link.effect)
    yield from [link.create.key] if link.create is not None else []
    if link.send is not None:
        yield from [link.send.key] if link.send.key is not None else []
        yield from (value for _, value in link.send.arguments)


def _order_candidates(system: SystemDefinition) -> Iterator[MutantCandidate]:
    """Yield neighbours that fire on one part, the other one first."""
    for first, second in pairwise(range(len(system.links))):
        one, other = system.links[first], system.links[second]
        if one.on == other.on:
            numbers = one.index + 1, other.index + 1
            diff = (f"- links {numbers[0]}, {numbers[1]}", f"+ links {numbers[1]}, {numbers[0]}")
            edit = Edit(links={first: other, second: one})
            yield MutantCandidate(
                MutationOperator.ORDER,
                _link_title(one),
                f"fires after link {numbers[1]}",
                edit,
                diff,
                system.release,
                one.span,
            )


def _parted_variables(system: SystemDefinition) -> Iterator[MutantCandidate]:
    """Yield what several parts have in common, each with its own."""
    for same_variable in system.same:
        members = ", ".join(f"{part}.{variable}" for part, variable in same_variable.members)
        diff = (f"- {same_variable.name}: [{members}]",)
        yield MutantCandidate(
            MutationOperator.SHARING,
            same_variable.name,
            "each part has its own",
            Edit(parted=same_variable.name),
            diff,
            system.release,
            same_variable.span,
        )


OPERATORS: tuple[Callable[[SystemDefinition], Iterator[MutantCandidate]], ...] = (
    *(_guard_candidates, _effect_candidates, _initial_value_candidates, _definition_candidates),
    *(_order_candidates, _dropped_links, _firing_candidates, _sending_candidates),
    _parted_variables,
)
"""In the order of `Operator`."""
