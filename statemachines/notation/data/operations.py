"""Operations: `let`, `guard`, `effect`, `returns`, `raises` and `cases` of a transition or an event, to typed cases."""

from __future__ import annotations

import attrs
from attrs import frozen

from statemachines.model.data import Assignment, Case, Let, Returns
from statemachines.model.diagnostics import Diagnostic
from statemachines.model.expressions import Apply, Expression, Kind, Name, sets_in_type, walk
from statemachines.model.suggestions import did_you_mean, meant
from statemachines.model.types import Type
from statemachines.notation.data.picking import entries_of, exists
from statemachines.notation.data.reader import Reader, doc_of
from statemachines.notation.data.signatures import Inside, declared_lets, names_needed, read_lets
from statemachines.notation.expressions.agreement import join
from statemachines.notation.expressions.facts import Facts
from statemachines.notation.expressions.obligations import is_shown
from statemachines.notation.nodes import Mapping, Node, items_of

OPERATION_KEYS = ("let", "guard", "effect", "returns", "raises", "cases")


@frozen
class Operation:
    """An operation read for one class of releases: its cases by the nodes that they were read from."""

    whole: Case
    """What all its cases share; the only one where it has none."""
    cases: tuple[tuple[Mapping, Case], ...] = ()

    def of(self, node: Mapping | None) -> Case | None:
        """Return the case that was read from a node; the operation itself for None."""
        if node is None:
            return self.whole
        return next((case for mine, case in self.cases if mine is node), None)


def has_operation(node: Mapping) -> bool:
    """Tell whether a transition or an event carries anything beyond its arrow."""
    return any(node.get(key) is not None for key in OPERATION_KEYS)


def read_operation(reader: Reader, node: Mapping, inside: Inside, errors: tuple[str, ...], *, is_event: bool) -> Operation:
    """Read an operation inside an event's names.

    Args:
        reader: the scope and the release.
        node: an entry of `transitions:`, or the event itself.
        inside: the event's arguments and what is known of them.
        errors: the declared errors; where there are none, any name will do.
        is_event: whether the node is the event, whose `let` was read in part.
    """
    taken = inside.taken.inner()
    known = {let.name for let in inside.signature.lets}
    declared = [(name.text, part) for name, part in entries_of(node.get("let"), reader.family, reader.bit) if name.text not in known]
    if not is_event:
        declared = declared_lets(reader, node, taken)
    facts = inside.facts
    early = names_needed(reader, node.get("guard"), declared)
    first, facts = read_lets(reader, [one for one in declared if one[0] in early], facts)
    guard = reader.condition(node.get("guard"), facts)
    if guard is not None:
        facts = facts.knowing(guard)
    later, facts = read_lets(reader, [one for one in declared if one[0] not in early], facts)
    return _cases(reader, node, facts, Case(guard=guard, lets=_ordered(declared, first, later)), errors)


def _ordered(declared: list[tuple[str, Node]], *lets: tuple[Let, ...]) -> tuple[Let, ...]:
    known = {let.name: let for group in lets for let in group}
    return tuple(known[name] for name, _ in declared if name in known)


def _cases(reader: Reader, node: Mapping, facts: Facts, shared: Case, errors: tuple[str, ...]) -> Operation:
    """Read what an operation does in all its cases, then each case."""
    effect = _effect(reader, node, facts)
    returns, raises = _returns(reader, node, facts), _raises(reader, node, errors)
    whole = attrs.evolve(shared, effect=_proved(reader, effect, facts), returns=returns, raises=raises, doc=doc_of(node))
    read = []
    for number, case in enumerate(items_of(node.get("cases"))):
        if not isinstance(case, Mapping) or not exists(case, reader.family, reader.bit):
            continue
        made, facts = _case(reader, case, facts, attrs.evolve(whole, effect=effect, number=number), errors)
        read.append((case, made))
    _never_taken(reader, [case for case, _ in read])
    _agreeing(reader, node, [whole, *(case for _, case in read)])
    return Operation(whole, tuple(read))


def _case(reader: Reader, node: Mapping, facts: Facts, shared: Case, errors: tuple[str, ...]) -> tuple[Case, Facts]:
    """Read one case; return it with what is known in the cases after it."""
    when = reader.condition(node.get("when"), facts)
    inner = facts if when is None else facts.knowing(when)
    own = _effect(reader, node, inner)
    for assignment in own:
        if any(assignment.variable == other.variable for other in shared.effect):
            message = f"`{assignment.variable}` gets a value from the operation too"
            reader.found.append(Diagnostic("SM322", message, assignment.span or node.span, "give it one value in each case"))
    made = attrs.evolve(
        shared,
        when=when,
        effect=_proved(reader, (*shared.effect, *own), inner),
        returns=_returns(reader, node, inner) if node.get("returns") is not None else shared.returns,
        raises=_raises(reader, node, errors) or shared.raises,
        doc=doc_of(node) or shared.doc,
    )
    return made, facts if when is None else facts.knowing(when, truth=False)


def _effect(reader: Reader, node: Mapping, facts: Facts) -> tuple[Assignment, ...]:
    """Read the new values of variables."""
    variables = {name: one.type for name, one in reader.scope.names.items() if one.kind is Kind.VARIABLE}
    read = []
    for name, part in entries_of(node.get("effect"), reader.family, reader.bit):
        type_ = variables.get(name.text)
        if type_ is None:
            hint = did_you_mean(name.text, variables)
            reader.found.append(Diagnostic("SM320", f"`{name.text}` is no variable", name.span, hint))
        value = reader.expression(part, facts, type_)
        if value is not None and type_ is not None:
            read.append(Assignment(name.text, value, span=name.span))
    return tuple(read)


def _proved(reader: Reader, effect: tuple[Assignment, ...], facts: Facts) -> tuple[Assignment, ...]:
    """Mark the values that surely are of their variables' types, whatever else the effect changes."""
    changed = {assignment.variable for assignment in effect}
    proved = []
    for assignment in effect:
        type_ = reader.scope.names[assignment.variable].type
        moves = any(_moves(part, changed) for of in sets_in_type(type_) for part in walk(of))
        proved.append(attrs.evolve(assignment, shown=not moves and is_shown(facts, assignment.value, type_)))
    return tuple(proved)


def _moves(part: Expression, changed: set[str]) -> bool:
    """Tell whether a part of a set that stands for a type may be another after an effect; a definition may look at anything."""
    return isinstance(part, Apply) or (isinstance(part, Name) and part.kind is Kind.VARIABLE and part.name in changed)


def _returns(reader: Reader, node: Mapping, facts: Facts) -> Returns:
    """Read what is given back: an expression, or names with expressions."""
    given = node.get("returns")
    if isinstance(given, Mapping):
        pairs = [(name.text, reader.expression(part, facts)) for name, part in entries_of(given, reader.family, reader.bit)]
        return tuple((name, value) for name, value in pairs if value is not None)
    return reader.expression(given, facts)


def _raises(reader: Reader, node: Mapping, errors: tuple[str, ...]) -> str | None:
    scalar = reader.scalar(node.get("raises"))
    if scalar is not None and errors and scalar.text not in errors:
        hint = meant(scalar.text, errors) or "declare it under `errors:`"
        reader.found.append(Diagnostic("SM325", f"error `{scalar.text}` is declared nowhere", scalar.span, hint))
    return None if scalar is None else scalar.text


def _never_taken(reader: Reader, cases: list[Mapping]) -> None:
    """Report cases behind one that is always taken."""
    for place, case in enumerate(cases[:-1]):
        if case.get("when") is None:
            after = cases[place + 1]
            hint = f"the case on line {case.span.line} has no `when`: it comes last"
            reader.found.append(Diagnostic("SM324", "this case is never taken", after.span, hint))
            return


def _agreeing(reader: Reader, node: Mapping, cases: list[Case]) -> None:
    """Report cases that give back values of different kinds."""
    known: dict[str, Type] = {}
    for case in cases:
        for name, value in results_of(case.returns):
            joined = join(known.get(name, value.type), value.type)
            if joined is None:
                message = f"this is of type `{value.type}`; another case gives back a value of type `{known[name]}`"
                reader.found.append(Diagnostic("SM326", message, value.span or node.span, "one type an event"))
            else:
                known[name] = joined


def results_of(returns: Returns) -> tuple[tuple[str, Expression], ...]:
    """Return what is given back by name; a single value is called `value`."""
    if returns is None:
        return ()
    return (("value", returns),) if isinstance(returns, Expression) else returns
