"""Properties, texts and the scope of exploring."""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from statemachines.model.data import Claim, Fairness, Parameter, Property, Scope, TextTemplate
from statemachines.model.diagnostics import Diagnostic
from statemachines.model.expressions import Expression, Kind
from statemachines.model.suggestions import did_you_mean
from statemachines.model.types import IdType, IntType, SetType, Type
from statemachines.notation.data.picking import entries_of, picked, written_of
from statemachines.notation.data.reader import Reader, doc_of, text_key
from statemachines.notation.expressions.agreement import without_sets
from statemachines.notation.expressions.facts import Facts
from statemachines.notation.expressions.scope import Declared
from statemachines.notation.nodes import Mapping, Node, Scalar, items_of
from statemachines.notation.types import read_type

_FIELD = re.compile(r"\{([^{}]*)\}")


def read_properties(reader: Reader, root: Mapping, events: dict[str, tuple[str, ...]]) -> tuple[Property, ...]:
    """Read all properties, in the order of their kinds.

    Args:
        reader: the scope and the release.
        root: the spec.
        events: event to the names of its arguments, for `assuming`.
    """
    found = [*_conditions(reader, root, Claim.ALWAYS, reader.facts)]
    found += _conditions(reader, root, Claim.EACH_STEP, _looking_back(reader))
    found += _conditions(reader, root, Claim.SOMETIMES, reader.facts)
    found += _promises(reader, root, events)
    node = picked(root.get("no deadlock"), reader.family, reader.bit)
    if not (isinstance(node, Scalar) and node.text.lower() == "false"):
        found.append(Property(Claim.NO_DEADLOCK, "no deadlock", expect_fails=text_key(node, "expect") == "fails", doc=doc_of(node)))
    return tuple(found)


def _looking_back(reader: Reader) -> Facts:
    """Return the facts of a step: `before.x` is there too."""
    names: dict[str, Type] = {name: without_sets(one.type) for name, one in reader.scope.names.items() if one.kind is Kind.VARIABLE}
    if reader.scope.state is not None:
        names["state"] = reader.scope.state
    return attrs.evolve(reader.facts, scope=attrs.evolve(reader.scope, before=names or {"": IntType()}))


def _conditions(reader: Reader, root: Mapping, claim: Claim, facts: Facts) -> Iterator[Property]:
    for name, node in entries_of(root.get(claim.value), reader.family, reader.bit):
        said = node if isinstance(node, Mapping) else Mapping((), node.span)
        holds = reader.condition(said.get("holds") or node, facts)
        if holds is not None:
            yield _property(claim, name, said, holds)


def _property(claim: Claim, name: Scalar, said: Mapping, holds: Expression) -> Property:
    return Property(
        claim,
        name.text,
        holds,
        until_raised=text_key(said, "until") == "raised",
        expect_fails=text_key(said, "expect") == "fails",
        doc=doc_of(said),
        span=name.span,
    )


def _promises(reader: Reader, root: Mapping, events: dict[str, tuple[str, ...]]) -> Iterator[Property]:
    """Read `leads to`."""
    for name, node in entries_of(root.get("leads to"), reader.family, reader.bit):
        if not isinstance(node, Mapping):
            continue
        when, then = reader.condition(node.get("when")), reader.condition(node.get("then"))
        assuming = tuple(fair for item in items_of(node.get("assuming")) for fair in _fairness(reader, item, events))
        if when is not None and then is not None:
            yield attrs.evolve(_property(Claim.LEADS_TO, name, node, then), when=when, assuming=assuming)


def _fairness(reader: Reader, node: Node, events: dict[str, tuple[str, ...]]) -> Iterator[Fairness]:
    """Read an event, or `{event: each argument}`."""
    pairs = node.entries if isinstance(node, Mapping) else [(node, None)]
    for event, said in pairs:
        if not isinstance(event, Scalar):
            continue
        if event.text not in events:
            reader.found.append(Diagnostic("SM403", f"unknown event `{event.text}`", event.span, did_you_mean(event.text, events)))
            continue
        each = said.text.removeprefix("each ").strip() if isinstance(said, Scalar) else None
        if each is not None and each not in events[event.text]:
            hint = did_you_mean(each, events[event.text])
            reader.found.append(Diagnostic("SM403", f"`{event.text}` has no argument `{each}`", event.span, hint))
        yield Fairness(event.text, each)


def read_texts(reader: Reader, root: Mapping) -> tuple[TextTemplate, ...]:
    """Read the templates for people."""
    read = []
    names = [*reader.scope.names, "state"]
    for name, node in entries_of(root.get("texts"), reader.family, reader.bit):
        scalar = node.get("text") if isinstance(node, Mapping) else node
        if not isinstance(scalar, Scalar):
            continue
        for found in _FIELD.finditer(scalar.text.replace("{{", "  ").replace("}}", "  ")):
            if found[1] not in names:
                place = written_of(scalar).place(found.start(), len(found[0]))
                reader.found.append(Diagnostic("SM327", f"`{{{found[1]}}}` is declared nowhere", place, did_you_mean(found[1], names)))
        read.append(TextTemplate(name.text, scalar.text, doc_of(node), name.span))
    return tuple(read)


def read_scope(reader: Reader, root: Mapping, parameters: tuple[Parameter, ...]) -> Scope:
    """Read how much is explored where nothing else is said."""
    sizes, values, integers, longest = [], [], None, None
    known = {parameter.name: parameter for parameter in parameters}
    facts = _with_all_values(reader)
    for name, node in entries_of(root.get("scope"), reader.family, reader.bit):
        scalar = reader.scalar(node)
        if scalar is None:
            continue
        if name.text == "int":
            integers = _range(reader, scalar)
        elif name.text == "list":
            longest = _length(reader, scalar)
        elif name.text in known:
            value = reader.expression(node, facts, known[name.text].type)
            values += [(name.text, value)] if value is not None else []
        elif isinstance(reader.scope.types.get(name.text), IdType) and (size := _count(scalar)) is not None:
            sizes.append((name.text, size))
        else:
            _no_scope(reader, name, scalar, [*known, *(one for one, type_ in reader.scope.types.items() if isinstance(type_, IdType))])
    return Scope(tuple(sizes), integers, tuple(values), longest)


def _with_all_values(reader: Reader) -> Facts:
    """Return a scope in which the name of an `id` type is the set of its values."""
    ids = {name: type_ for name, type_ in reader.scope.types.items() if isinstance(type_, IdType)}
    declared = [Declared(Kind.OUTSIDE, name, SetType(type_)) for name, type_ in ids.items()]
    names = {name: one for name, one in reader.scope.names.items() if one.kind is Kind.PARAMETER}
    return Facts(attrs.evolve(reader.scope, names=names).declaring(*declared))


def _range(reader: Reader, scalar: Scalar) -> tuple[int, int] | None:
    type_, _ = read_type(written_of(scalar), reader.facts)
    if isinstance(type_, IntType) and type_.low is not None and type_.high is not None:
        return type_.low, type_.high
    reader.found.append(Diagnostic("SM404", f"`{scalar.text}` is no range", scalar.span, "write `int: 0..3`"))
    return None


def _length(reader: Reader, scalar: Scalar) -> int | None:
    length = _count(scalar)
    if length is None:
        reader.found.append(Diagnostic("SM404", f"`{scalar.text}` is no length", scalar.span, "write `list: 3`"))
    return length


def _count(scalar: Scalar) -> int | None:
    """Return a number of things, of at most nine digits; Python refuses to read thousands of them."""
    return int(scalar.text) if re.fullmatch("[0-9]{1,9}", scalar.text) else None


def _no_scope(reader: Reader, name: Scalar, scalar: Scalar, known: list[str]) -> None:
    if name.text in known:
        reader.found.append(Diagnostic("SM404", f"`{scalar.text}` is no number of values", scalar.span, f"write `{name.text}: 3`"))
    else:
        hint = did_you_mean(name.text, [*known, "int", "list"])
        reader.found.append(Diagnostic("SM404", f"`{name.text}` is no `id` type and no parameter", name.span, hint))
