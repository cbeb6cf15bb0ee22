"""Events: arguments, `where`, and the named values that both need."""

from __future__ import annotations

import attrs
from attrs import frozen

from statemachines.model.definitions.data_definitions import Argument, Let, Signature
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.language.expression_nodes import BooleanOperation, Expression, NameKind
from statemachines.model.language.value_types import BOOL, ERROR_TYPE
from statemachines.notation.data.data_reader import (
    DataReader,
    declared_value,
    doc_text,
    used_name_texts,
)
from statemachines.notation.data.namespaces import Namespace
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlNode, is_true, node_items
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.releases.release_selection import entries_in_release
from statemachines.notation.shorthands.loops import LOOPS_KEY
from statemachines.notation.typing.name_scope import DeclaredName

_LetNodes = list[tuple[str, YamlNode]]


@frozen
class EventScope:
    """What is known inside an event's operations."""

    signature: Signature
    facts: Facts
    namespace: Namespace


def read_signature(reader: DataReader, node: YamlMapping, *, is_operation: bool) -> EventScope:
    """Read an event's arguments, the `let` that `where` needs, and `where`.

    Args:
        reader: the scope and the release.
        node: the event.
        is_operation: whether it is an operation itself, which reads the rest of `let` behind its
            guard.

    Returns:
        The arguments in order, the condition, and the scope behind them.
    """
    taken = reader.namespace.nested()
    arguments, facts = _read_arguments(reader, node, reader.facts, taken)
    declared = declare_lets(reader, node, taken)
    loops = node_items(node.get(LOOPS_KEY))
    wanted = set[str]()
    for condition in (node.get("where"), *loops):
        wanted |= needed_let_names(reader, condition, declared)
    lets, facts = read_lets(reader, [let for let in declared if let[0] in wanted], facts)
    conditions = [reader.read_condition(loop, facts) for loop in (node.get("where"), *loops)]
    where = _conjunction([expression for expression in conditions if expression is not None])
    if where is not None:
        facts = facts.assuming(where)
    if node.get("where") is not None and conditions[0] is None:
        facts = attrs.evolve(facts, unread=True)
    if not is_operation:
        more, facts = read_lets(reader, [let for let in declared if let[0] not in wanted], facts)
        lets = tuple(
            sorted((*lets, *more), key=lambda let: [name for name, _ in declared].index(let.name))
        )
    return EventScope(Signature(arguments, lets, where), facts, taken)


def _conjunction(conditions: list[Expression]) -> Expression | None:
    """Return a condition that holds where all of some hold; None where there are none."""
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return BooleanOperation("and", tuple(conditions), type=BOOL)


def _read_arguments(
    reader: DataReader, node: YamlMapping, facts: Facts, taken: Namespace
) -> tuple[tuple[Argument, ...], Facts]:
    """Read the arguments in order; a later one's type may use an earlier one."""
    read: list[Argument] = []
    for name, part in entries_in_release(node.get("args"), reader.family, reader.bit):
        type_, default = reader.read_type_and_default(
            part.get("type") if isinstance(part, YamlMapping) else part, facts
        )
        chosen = isinstance(part, YamlMapping) and is_true(part.get("chosen"))
        if read and read[-1].chosen and not chosen:
            message = f"`{name.text}` stands behind `{read[-1].name}`, which the system chooses"
            reader.diagnostics.append(
                Diagnostic("SM323", message, name.span, "chosen arguments come last")
            )
        if not taken.declare(name):
            continue
        facts = facts_with_name(
            facts,
            declared_value(NameKind.ARGUMENT, name, type_, default),
        )
        declared = ERROR_TYPE if type_ is None else type_
        read.append(Argument(name.text, declared, chosen, doc_text(part), name.span))
    return tuple(read), facts


def facts_with_name(facts: Facts, declared: DeclaredName) -> Facts:
    """Return facts in a scope with one name more.

    Args:
        facts: what is known where it stands.
        declared: the name.

    Returns:
        The facts, in the larger scope.
    """
    return attrs.evolve(facts, scope=facts.scope.with_names(declared))


def declare_lets(reader: DataReader, node: YamlMapping, taken: Namespace) -> _LetNodes:
    """Return the names of `let` with what is said of them.

    Args:
        reader: the scope and the release, and where mistakes go.
        node: the event or the transition.
        taken: names that may not be declared once more.

    Returns:
        Names with their nodes, in the author's order.
    """
    listed = list(entries_in_release(node.get("let"), reader.family, reader.bit))
    return [(name.text, part) for name, part in listed if taken.declare(name)]


def read_lets(
    reader: DataReader, declared: _LetNodes, facts: Facts
) -> tuple[tuple[Let, ...], Facts]:
    """Read some of the names of `let`, in order; each may use those before it.

    Args:
        reader: the scope and the release, and where mistakes go.
        declared: as `declare_lets` gives them.
        facts: what is known where it stands.

    Returns:
        The values in order, and the facts behind them.
    """
    read = []
    for name, part in declared:
        value = reader.read_expression(part, facts)
        if value is not None:
            read.append(Let(name, value, part.span))
            facts = facts_with_name(
                facts, DeclaredName(NameKind.LET, name, value.type, part.span, value)
            )
        else:
            facts = facts_with_name(facts, DeclaredName(NameKind.LET, name, ERROR_TYPE, part.span))
    return tuple(read), facts


def needed_let_names(reader: DataReader, node: YamlNode | None, declared: _LetNodes) -> set[str]:
    """Return the names of `let` that a text uses, and those that they use.

    Args:
        reader: the scope and the release, and where mistakes go.
        node: the text; None where there is none.
        declared: as `declare_lets` gives them.

    Returns:
        Names of `let`.
    """
    texts = {name: used_name_texts(reader, part) for name, part in declared}
    wanted: set[str] = set()
    pending = used_name_texts(reader, node)
    while pending:
        name = pending.pop()
        if name in texts and name not in wanted:
            wanted.add(name)
            pending += texts[name]
    return wanted
