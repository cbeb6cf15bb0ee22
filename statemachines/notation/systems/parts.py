"""The parts of a system: which machines, how many of each, and what expressions see of them."""

from __future__ import annotations

from contextvars import ContextVar

from attrs import frozen

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.expressions import Expression, Kind
from statemachines.model.machines import Machine, Spec
from statemachines.model.suggestions import did_you_mean
from statemachines.model.systems import Part
from statemachines.model.types import BOOL, EnumType, IdType, MapType, OptionalType, RecordType, Type, is_finite
from statemachines.notation.data.picking import entries_of
from statemachines.notation.data.reader import Reader, doc_of
from statemachines.notation.data.signatures import with_name
from statemachines.notation.expressions.agreement import without_sets
from statemachines.notation.expressions.scope import Declared
from statemachines.notation.nodes import Mapping, Node, Scalar, Sequence, is_true, text_of
from statemachines.notation.resolve import machine_of
from statemachines.notation.systems.resolving import bit_of
from statemachines.notation.work import Work

reading_part: ContextVar[bool] = ContextVar("reading_part", default=False)
"""Whether the file that is being read was named as a part: then it is no system, and need not be read as one."""


@frozen
class Member:
    """A part with its machine in the release that is being read."""

    part: Part
    machine: Machine
    spec: Spec

    @property
    def seen(self) -> Type:
        """The type of the part's name in expressions."""
        if self.part.each is not None:
            return MapType(self.part.each, self.part.looks, total=not isinstance(self.part.each, IdType))
        return OptionalType(self.part.looks) if self.part.optional else self.part.looks


def read_machines(work: Work, found: list[Diagnostic]) -> dict[str, Spec]:
    """Read every machine that a part names, each once."""
    specs: dict[str, Spec] = {}
    tried = set[str]()
    for node in _part_nodes(work.root.get("parts")):
        name = node.get("machine")
        if isinstance(name, Scalar) and name.text not in tried:
            tried.add(name.text)
            spec = _read(work, name, found)
            if spec is not None:
                specs[name.text] = spec
    return specs


def _part_nodes(node: Node | None) -> list[Mapping]:
    nodes = [value for _, value in node.entries] if isinstance(node, Mapping) else []
    listed = [item for value in nodes for item in (value.items if isinstance(value, Sequence) else (value,))]
    return [item for item in listed if isinstance(item, Mapping)]


def _read(work: Work, name: Scalar, found: list[Diagnostic]) -> Spec | None:
    from statemachines.notation.catalogues import beside, read_spec  # it reads files by passes, of which this is one

    token = reading_part.set(True)
    try:
        reading = read_spec(beside(work, name.text) or name.text, folder=work.specs, families=work.families)
    finally:
        reading_part.reset(token)
    if reading.spec is None or (reading.work is not None and reading.work.kind != "machine"):
        why = reading.diagnostics[0] if reading.diagnostics else None
        reason = why.message if why else f"it is a {reading.work.kind}" if reading.work else "it is no machine"
        hint = why.hint if why else "a part is a machine"
        found.append(Diagnostic("SM410", f"`{name.text}` cannot be a part: {reason}", name.span, hint))
        return None
    if reading.spec.family.name not in ("", work.family.name):
        message = f"`{name.text}` cannot be a part: it belongs to the family {reading.spec.family.name}"
        found.append(Diagnostic("SM410", message, name.span, f"write `family: {reading.spec.family.name}`"))
        return None
    return reading.spec


def read_parts(reader: Reader, root: Mapping, specs: dict[str, Spec]) -> dict[str, Member]:
    """Read the parts that exist in one release and make their names known.

    Args:
        reader: the scope, with types and parameters, and the release.
        root: the system.
        specs: the machines that could be read, by the names that the system has for them.
    """
    members: dict[str, Member] = {}
    for name, node in entries_of(root.get("parts"), reader.family, reader.bit):
        spec = specs.get(text_of(node.get("machine"))) if isinstance(node, Mapping) else None
        if spec is None or not isinstance(node, Mapping) or not reader.taken.hold(name):
            continue
        machine = _machine(reader, spec, name)
        if machine is not None:
            members[name.text] = Member(_part(reader, name, node, machine), machine, spec)
    for name_, member in members.items():
        reader.declare(Declared(Kind.VARIABLE, name_, member.seen, member.part.span))
    return members


def _machine(reader: Reader, spec: Spec, name: Scalar) -> Machine | None:
    bit = bit_of(spec, reader.family, reader.bit)
    if not bit:
        message = f"there is no `{spec.name}` in {reader.family.ranges(reader.bit)}"
        reader.found.append(Diagnostic("SM410", message, name.span, f"give the part `in: {reader.family.ranges(spec.releases)}`"))
        return None
    return machine_of(spec, spec.family.newest(bit) if spec.family.name else None)


def _part(reader: Reader, name: Scalar, node: Mapping, machine: Machine) -> Part:
    each = reader.type(node.get("each"))
    if each is not None and not (isinstance(each, IdType) or is_finite(each) or hasattr(each, "of")):
        message = f"`{text_of(node.get('each'))}` has no end of values"
        reader.found.append(Diagnostic("SM411", message, name.span, "take an `id` type, an enumeration, or a parameter that is a set"))
        each = None
    optional = is_true(node.get("optional"))
    if optional and each is not None:
        reader.found.append(Diagnostic("SM411", f"`{name.text}` is `optional` and `each`", name.span, "none of them is no keys"))
    given = _given(reader, name, node, machine, each)
    return Part(name.text, machine.name, looks_of(machine), each, optional, given, doc_of(node), name.span)


def looks_of(machine: Machine) -> RecordType:
    """Return what expressions see of a machine: state, parameters, variables and predicates, in this order."""
    short = machine.name.rsplit("/", 1)[-1]
    data = machine.data
    states = tuple(state.name for state in machine.states if state.name)
    fields: list[tuple[str, Type]] = [("state", EnumType(f"{short}.State", states))] if states else []
    fields += [(one.name, without_sets(one.type)) for one in data.parameters]
    fields += [(one.name, without_sets(one.type)) for one in data.variables]
    fields += [(one.name, BOOL) for one in machine.predicates]
    return RecordType(short, tuple(fields))


def _given(reader: Reader, name: Scalar, node: Mapping, machine: Machine, each: Type | None) -> tuple[tuple[str, Expression], ...]:
    """Read `with:`, a value for each parameter of the machine."""
    wanted = {one.name: without_sets(one.type) for one in machine.data.parameters}
    facts = reader.facts if each is None else with_name(reader.facts, Declared(Kind.ARGUMENT, "key", each, name.span))
    read: dict[str, Expression] = {}
    for given, value in entries_of(node.get("with"), reader.family, reader.bit):
        if given.text not in wanted:
            hint = did_you_mean(given.text, wanted)
            reader.found.append(Diagnostic("SM412", f"`{machine.name}` has no parameter `{given.text}`", given.span, hint))
            continue
        typed = reader.expression(value, facts, wanted[given.text])
        if typed is not None:
            read[given.text] = typed
    with_ = node.get("with")
    written = {key.text for key, _ in with_.entries} if isinstance(with_, Mapping) else set()
    for missing in [one for one in wanted if one not in written]:
        message = f"`{name.text}` needs the parameter `{missing}` of type `{wanted[missing]}`"
        reader.found.append(Diagnostic("SM412", message, name.span, f"write `with: {{{missing}: …}}`"))
    return tuple(read.items())
