"""Operations: `let`, `guard`, `effect`, `returns`, `raises` and `cases` of a transition or an
event, to typed cases.
"""

from __future__ import annotations

from functools import lru_cache

import attrs
from attrs import frozen

from statemachines.model.definitions.data_definitions import Assignment, Case, Let, Returns
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean, nearest_hint
from statemachines.model.language.expression_nodes import (
    DefinitionCall,
    Expression,
    Name,
    NameKind,
    type_sets,
    walk,
)
from statemachines.model.language.value_types import EnumType, OptionalType, Type, base_type
from statemachines.notation.data.data_reader import DataReader, doc_text
from statemachines.notation.data.signature_reader import (
    EventScope,
    declare_lets,
    needed_let_names,
    read_lets,
)
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlNode, node_items, node_texts
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.proofs.type_obligations import is_proved_of_type
from statemachines.notation.releases.release_selection import entries_in_release, exists_in
from statemachines.notation.typing.type_agreement import joined_type

OPERATION_KEYS = ("let", "guard", "effect", "returns", "raises", "cases")


@frozen
class ParsedOperation:
    """An operation read for one class of releases: its cases by their nodes."""

    shared: Case
    """What all its cases share; the only one where it has none."""
    cases: tuple[tuple[YamlMapping, Case], ...] = ()

    def case_at(self, node: YamlMapping | None) -> Case | None:
        """Return the case that was read from a node; the operation itself for None.

        Args:
            node: an item of `cases`.

        Returns:
            Guard, effect and results; None where it could not be read.
        """
        if node is None:
            return self.shared
        return next((case for mine, case in self.cases if mine is node), None)


def has_operation(node: YamlMapping) -> bool:
    """Tell whether a transition or an event carries anything beyond where it leads.

    Args:
        node: an entry of `transitions` or `events`.

    Returns:
        True where it has a guard, an effect, results or cases.
    """
    return any(node.get(key) is not None for key in OPERATION_KEYS)


def read_operation(
    reader: DataReader,
    node: YamlMapping,
    inside: EventScope,
    errors: tuple[str, ...],
    *,
    is_event: bool,
) -> ParsedOperation:
    """Read an operation inside an event's names.

    Args:
        reader: the scope and the release.
        node: an entry of `transitions:`, or the event itself.
        inside: the event's arguments and what is known of them.
        errors: the declared errors; where there are none, any name will do.
        is_event: whether the node is the event, whose `let` was read in part.

    Returns:
        The operation with its cases, each at the node that it was read from.
    """
    taken = inside.namespace.nested()
    known = {let.name for let in inside.signature.lets}
    declared = [
        (name.text, part)
        for name, part in entries_in_release(node.get("let"), reader.family, reader.bit)
        if name.text not in known
    ]
    if not is_event:
        declared = declare_lets(reader, node, taken)
    facts = inside.facts
    early = needed_let_names(reader, node.get("guard"), declared)
    first, facts = read_lets(reader, [let for let in declared if let[0] in early], facts)
    guard, facts = reader.read_assumption(node.get("guard"), facts)
    later, facts = read_lets(reader, [let for let in declared if let[0] not in early], facts)
    return _read_cases(
        reader, node, facts, Case(guard=guard, lets=_lets_in_order(declared, first, later)), errors
    )


def _lets_in_order(declared: list[tuple[str, YamlNode]], *lets: tuple[Let, ...]) -> tuple[Let, ...]:
    known = {let.name: let for group in lets for let in group}
    return tuple(known[name] for name, _ in declared if name in known)


def _read_cases(
    reader: DataReader, node: YamlMapping, facts: Facts, shared: Case, errors: tuple[str, ...]
) -> ParsedOperation:
    """Read what an operation does in all its cases, then each case."""
    effect = _read_effect(reader, node, facts)
    returns, raises = _read_returns(reader, node, facts), _read_raises(reader, node, errors)
    whole = attrs.evolve(
        shared,
        effect=_with_proofs(reader, effect, facts),
        returns=returns,
        raises=raises,
        doc=doc_text(node),
    )
    read = []
    for number, case in enumerate(node_items(node.get("cases"))):
        if not isinstance(case, YamlMapping) or not exists_in(case, reader.family, reader.bit):
            continue
        made, facts = _read_case(
            reader, case, facts, attrs.evolve(whole, effect=effect, index=number), errors
        )
        read.append((case, made))
    _report_unreachable_cases(reader, [case for case, _ in read])
    _report_unmatched_members(reader, node, [case for case, _ in read], facts)
    _report_disagreeing_results(reader, node, [whole, *(case for _, case in read)])
    return ParsedOperation(whole, tuple(read))


def _read_case(
    reader: DataReader, node: YamlMapping, facts: Facts, shared: Case, errors: tuple[str, ...]
) -> tuple[Case, Facts]:
    """Read one case; return it with what is known in the cases after it."""
    when, inner = reader.read_assumption(node.get("when"), facts)
    own = _read_effect(reader, node, inner)
    for assignment in own:
        if any(assignment.variable == other.variable for other in shared.effect):
            message = f"`{assignment.variable}` gets a value from the operation too"
            reader.diagnostics.append(
                Diagnostic(
                    "SM322", message, assignment.span or node.span, "give it one value in each case"
                )
            )
    made = attrs.evolve(
        shared,
        when=when,
        effect=_with_proofs(reader, (*shared.effect, *own), inner),
        returns=(
            _read_returns(reader, node, inner)
            if node.get("returns") is not None
            else shared.returns
        ),
        raises=_read_raises(reader, node, errors) or shared.raises,
        doc=doc_text(node) or shared.doc,
    )
    if when is not None:
        return made, facts.assuming(when, truth=False)
    return made, attrs.evolve(facts, unread=inner.unread)


def _read_effect(reader: DataReader, node: YamlMapping, facts: Facts) -> tuple[Assignment, ...]:
    """Read the new values of variables."""
    variables = {
        name: declared.type
        for name, declared in reader.scope.names.items()
        if declared.kind is NameKind.VARIABLE
    }
    read = []
    for name, part in entries_in_release(node.get("effect"), reader.family, reader.bit):
        type_ = variables.get(name.text)
        if type_ is None:
            hint = did_you_mean(name.text, variables)
            message = f"`{name.text}` is not a variable"
            reader.diagnostics.append(
                Diagnostic("SM320", message, name.span, hint, undeclared=name.text)
            )
        value = reader.read_expression(part, facts, type_)
        if value is not None and type_ is not None:
            read.append(Assignment(name.text, value, span=name.span))
    return tuple(read)


def _with_proofs(
    reader: DataReader, effect: tuple[Assignment, ...], facts: Facts
) -> tuple[Assignment, ...]:
    """Mark the values that surely have their variables' types, whatever else changes."""
    changed = {assignment.variable for assignment in effect}
    proved = []
    for assignment in effect:
        type_ = reader.scope.names[assignment.variable].type
        is_proved = not _may_change(type_, changed) and is_proved_of_type(
            facts, assignment.value, type_
        )
        proved.append(Assignment(assignment.variable, assignment.value, is_proved, assignment.span))
    return tuple(proved)


def _may_change(type_: Type, changed: set[str]) -> bool:
    """Tell whether a set that stands for a type may be another after an effect; a definition may
    look at anything.
    """
    variables = _set_variables(type_)
    return variables is None or not changed.isdisjoint(variables)


@lru_cache(maxsize=1024)
def _set_variables(type_: Type) -> frozenset[str] | None:
    """Return the variables that the sets in a type name; None where they use a definition."""
    parts = [part for of in type_sets(type_) for part in walk(of)]
    if any(isinstance(part, DefinitionCall) for part in parts):
        return None
    return frozenset(
        part.name for part in parts if isinstance(part, Name) and part.kind is NameKind.VARIABLE
    )


def _read_returns(reader: DataReader, node: YamlMapping, facts: Facts) -> Returns:
    """Read what is given back: an expression, or names with expressions."""
    mapping = node.get("returns")
    if isinstance(mapping, YamlMapping):
        pairs = [
            (name.text, reader.read_expression(part, facts))
            for name, part in entries_in_release(mapping, reader.family, reader.bit)
        ]
        return tuple((name, value) for name, value in pairs if value is not None)
    return reader.read_expression(mapping, facts)


def _read_raises(reader: DataReader, node: YamlMapping, errors: tuple[str, ...]) -> str | None:
    scalar = reader.scalar_in_release(node.get("raises"))
    if scalar is not None and errors and scalar.text not in errors:
        hint = nearest_hint(scalar.text, errors) or "declare it under `errors:`"
        reader.diagnostics.append(
            Diagnostic("SM325", f"error `{scalar.text}` is not declared", scalar.span, hint)
        )
    return None if scalar is None else scalar.text


def _report_unreachable_cases(reader: DataReader, cases: list[YamlMapping]) -> None:
    """Report cases behind one that is always taken."""
    for index, case in enumerate(cases[:-1]):
        if case.get("when") is None:
            after = cases[index + 1]
            hint = f"the case on line {case.span.line} has no `when`: it comes last"
            reader.diagnostics.append(
                Diagnostic("SM324", "this case is never taken", after.span, hint)
            )
            return


def _report_unmatched_members(
    reader: DataReader, node: YamlMapping, cases: list[YamlMapping], facts: Facts
) -> None:
    """Report members of what is matched that no case is for, whatever else holds."""
    subject = node.get("match")
    if subject is None or any(case.get("when") is None for case in cases):
        return
    value = reader.read_expression(subject, facts)
    type_ = base_type(value.type) if value is not None else None
    optional = isinstance(type_, OptionalType)
    members = base_type(type_.item) if isinstance(type_, OptionalType) else type_
    if not isinstance(members, EnumType):
        if value is not None:
            message = f"this is of type `{value.type}`; `match` is over an enumeration"
            reader.diagnostics.append(Diagnostic("SM329", message, subject.span))
        return
    covered = {name for case in cases for name in node_texts(case.get("members"))}
    wanted = (*members.members, *(("None",) if optional else ()))
    left = [name for name in wanted if name not in covered]
    if left:
        names = ", ".join(f"`{name}`" for name in left)
        hint = (
            f"write `{left[0]}:` without `when`, or `otherwise:`; what cannot happen is kept out by"
            " the event's `guard`"
        )
        reader.diagnostics.append(
            Diagnostic("SM329", f"no case is for {names}", subject.span, hint)
        )


def _report_disagreeing_results(reader: DataReader, node: YamlMapping, cases: list[Case]) -> None:
    """Report cases that give back values of different kinds."""
    known: dict[str, Type] = {}
    for case in cases:
        for name, value in _named_results(case.returns):
            joined = joined_type(known.get(name, value.type), value.type)
            if joined is None:
                message = (
                    f"this is of type `{value.type}`; another case gives back a value of type"
                    f" `{known[name]}`"
                )
                reader.diagnostics.append(
                    Diagnostic("SM326", message, value.span or node.span, "one type per event")
                )
            else:
                known[name] = joined


def _named_results(returns: Returns) -> tuple[tuple[str, Expression], ...]:
    """Return what is given back by name; a single value is called `value`."""
    if returns is None:
        return ()
    return (("value", returns),) if isinstance(returns, Expression) else returns
