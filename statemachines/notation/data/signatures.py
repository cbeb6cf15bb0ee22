"""Events: arguments, `where`, and the named values that both need."""

from __future__ import annotations

import attrs
from attrs import frozen

from statemachines.model.data import Argument, Let, Signature
from statemachines.model.diagnostics import Diagnostic
from statemachines.model.expressions import Kind
from statemachines.model.types import WRONG
from statemachines.notation.data.names import Taken
from statemachines.notation.data.picking import entries_of
from statemachines.notation.data.reader import Reader, doc_of, names_in
from statemachines.notation.expressions.facts import Facts
from statemachines.notation.expressions.scope import Declared
from statemachines.notation.nodes import Mapping, Node, is_true

_Lets = list[tuple[str, Node]]


@frozen
class Inside:
    """What is known inside an event's operations."""

    signature: Signature
    facts: Facts
    taken: Taken


def read_signature(reader: Reader, node: Mapping, *, is_operation: bool) -> Inside:
    """Read an event's arguments, the `let` that `where` needs, and `where`.

    Args:
        reader: the scope and the release.
        node: the event.
        is_operation: whether it is an operation itself, which reads the rest of `let` behind its guard.
    """
    taken = reader.taken.inner()
    arguments, facts = _arguments(reader, node, reader.facts, taken)
    declared = declared_lets(reader, node, taken)
    wanted = names_needed(reader, node.get("where"), declared)
    lets, facts = read_lets(reader, [one for one in declared if one[0] in wanted], facts)
    where = reader.condition(node.get("where"), facts)
    if where is not None:
        facts = facts.knowing(where)
    if not is_operation:
        more, facts = read_lets(reader, [one for one in declared if one[0] not in wanted], facts)
        lets = tuple(sorted((*lets, *more), key=lambda let: [name for name, _ in declared].index(let.name)))
    return Inside(Signature(arguments, lets, where), facts, taken)


def _arguments(reader: Reader, node: Mapping, facts: Facts, taken: Taken) -> tuple[tuple[Argument, ...], Facts]:
    """Read the arguments in order; a later one's type may use an earlier one."""
    read: list[Argument] = []
    for name, part in entries_of(node.get("args"), reader.family, reader.bit):
        type_ = reader.type(part.get("type") if isinstance(part, Mapping) else part, facts)
        chosen = isinstance(part, Mapping) and is_true(part.get("chosen"))
        if read and read[-1].chosen and not chosen:
            message = f"`{name.text}` stands behind `{read[-1].name}`, which the system chooses"
            reader.found.append(Diagnostic("SM323", message, name.span, "chosen arguments come last"))
        if not taken.take(name):
            continue
        facts = with_name(facts, Declared(Kind.ARGUMENT, name.text, WRONG if type_ is None else type_, name.span))
        if type_ is not None:
            read.append(Argument(name.text, type_, chosen, doc_of(part), name.span))
    return tuple(read), facts


def with_name(facts: Facts, declared: Declared) -> Facts:
    """Return facts in a scope with one name more."""
    return attrs.evolve(facts, scope=facts.scope.declaring(declared))


def declared_lets(reader: Reader, node: Mapping, taken: Taken) -> _Lets:
    """Return the names of `let` with what is said of them."""
    listed = list(entries_of(node.get("let"), reader.family, reader.bit))
    return [(name.text, part) for name, part in listed if taken.take(name)]


def read_lets(reader: Reader, declared: _Lets, facts: Facts) -> tuple[tuple[Let, ...], Facts]:
    """Read some of the names of `let`, in order; each may use those before it."""
    read = []
    for name, part in declared:
        value = reader.expression(part, facts)
        if value is not None:
            read.append(Let(name, value, part.span))
            facts = with_name(facts, Declared(Kind.LET, name, value.type, part.span, value))
        else:
            facts = with_name(facts, Declared(Kind.LET, name, WRONG, part.span))
    return tuple(read), facts


def names_needed(reader: Reader, node: Node | None, declared: _Lets) -> set[str]:
    """Return the names of `let` that a text uses, and those that they use."""
    texts = {name: names_in(reader, part) for name, part in declared}
    wanted: set[str] = set()
    pending = names_in(reader, node)
    while pending:
        name = pending.pop()
        if name in texts and name not in wanted:
            wanted.add(name)
            pending += texts[name]
    return wanted
