"""Links: when they fire, what they need, what they change and send.

A link that names a part, a state or an event that a release does not have, while another one has
it, is not there in that release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from attrs import define, field

from statemachines.model.definitions.data_definitions import Assignment
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.system_definitions import (
    Channel,
    CreatedPart,
    Link,
    SentEvent,
)
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.language.expression_nodes import Expression, ItemAccess, Name, NameKind
from statemachines.model.language.value_types import (
    ElementType,
    ErrorType,
    OptionalType,
    SetType,
    Type,
    base_type,
)
from statemachines.notation.data.data_reader import DataReader, doc_text
from statemachines.notation.data.signature_reader import facts_with_name
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    is_true,
    node_items,
    node_text,
    node_texts,
)
from statemachines.notation.expressions.expression_parser import SourceText
from statemachines.notation.expressions.expression_reader import read_expression
from statemachines.notation.proofs.facts import NONE_LITERAL, Facts
from statemachines.notation.releases.release_selection import (
    entries_in_release,
    exists_in,
    source_text,
)
from statemachines.notation.systems.link_shapes import shape_errors
from statemachines.notation.systems.part_reader import PartMember
from statemachines.notation.typing.name_scope import DeclaredName
from statemachines.notation.typing.type_agreement import joined_types, without_element_types

_SENT_EVENT = re.compile(
    r"\s*(?P<part>[A-Za-z_]\w*)\s*(?:\[(?P<key>.*)\])?\s*\.\s*(?P<event>[A-Za-z_]\w*)\s*", re.DOTALL
)


_CREATED_PART = re.compile(r"\s*(?P<part>[A-Za-z_]\w*)\s*\[(?P<key>.*)\]\s*", re.DOTALL)


class _LinkAbsent(Exception):
    """The link is not there in this release, or what is wrong with it was reported."""


@define
class LinkReader:
    """Reads the links of one release."""

    reader: DataReader
    root: YamlMapping
    members: dict[str, PartMember]
    shared: dict[str, Type]
    """The system's own variables."""
    channels: Mapping[str, Channel] = field(factory=dict)
    """The channels that the release has, by their names."""

    def read_links(self) -> tuple[Link, ...]:
        """Read all links that exist in the release, in the author's order."""
        return tuple(self._existing_links())

    def _existing_links(self) -> Iterator[Link]:
        for number, node in enumerate(node_items(self.root.get("links"))):
            if isinstance(node, YamlMapping) and exists_in(
                node, self.reader.family, self.reader.bit
            ):
                try:
                    yield self._read_link(number, node)
                except _LinkAbsent:
                    continue

    def _link_error(
        self, code: str, message: str, node: YamlNode, hint: str = "", *, undeclared: str = ""
    ) -> _LinkAbsent:
        self.reader.diagnostics.append(
            Diagnostic(code, message, node.span, hint, undeclared=undeclared)
        )
        return _LinkAbsent()

    def _read_link(self, number: int, node: YamlMapping) -> Link:
        for wrong in shape_errors(node):
            self.reader.diagnostics.append(wrong)
            raise _LinkAbsent
        member = self._find_member(node.get("on") or node, node_text(node.get("on")))
        when = {key: self._read_states(member, node.get(key)) for key in ("enters", "leaves")}
        event = (
            self._read_event(member, node.get("event")) if node.get("event") is not None else None
        )
        channel = self._read_channel(node.get("through"))
        if channel is not None and channel.holds == 0 and is_true(node.get("begins")):
            message = f"a link says `begins`, and `{channel.name}` holds nothing"
            raise self._link_error("SM414", message, node, "let the channel hold 1")
        facts = self._link_facts(member, event, returned=node.get("only if") is None)
        guard, facts = self.reader.read_assumption(node.get("guard"), facts)
        return Link(
            number,
            member.part.name,
            when["enters"],
            when["leaves"],
            event,
            guard,
            self._read_send(node, facts) if node.get("send") is not None else None,
            self._read_effect(node, facts),
            self.reader.read_condition(node.get("only if"), facts),
            is_true(node.get("later")) or (channel is not None and channel.holds > 0),
            None if channel is None else channel.name,
            doc_text(node),
            node.span,
            self._read_create(node, facts) if node.get("create") is not None else None,
            is_true(node.get("begins")),
            channel is not None and channel.holds == 0,
        )

    def _read_channel(self, node: YamlNode | None) -> Channel | None:
        """Return the channel that a link names."""
        if node is None or node_text(node) in self.channels:
            return None if node is None else self.channels[node_text(node)]
        channels = self.root.get("channels")
        known = (
            [scalar.text for scalar, _ in channels.entries]
            if isinstance(channels, YamlMapping)
            else []
        )
        if node_text(node) in known:
            raise _LinkAbsent
        message = f"there is no channel `{node_text(node)}`"
        raise self._link_error("SM413", message, node, did_you_mean(node_text(node), known))

    def _find_member(self, node: YamlNode, name: str) -> PartMember:
        """Find a part by its name."""
        if name not in self.members:
            parts = self.root.get("parts")
            known = (
                [part.text for part, _ in parts.entries] if isinstance(parts, YamlMapping) else []
            )
            if name in known:
                raise _LinkAbsent
            raise self._link_error(
                "SM413", f"there is no part `{name}`", node, did_you_mean(name, known)
            )
        return self.members[name]

    def _read_states(self, member: PartMember, node: YamlNode | None) -> tuple[str, ...] | None:
        """Return those of the named states that the release has."""
        if node is None:
            return None
        here, ever = (
            {state.name for state in member.machine.states},
            {state.name for state in member.spec.states},
        )
        for item in node_items(node):
            if node_text(item) not in ever:
                raise self._link_error(
                    "SM413",
                    f"`{member.part.name}` has no state `{node_text(item)}`",
                    item,
                    did_you_mean(node_text(item), ever),
                )
        states = tuple(name for name in node_texts(node) if name in here)
        if not states:
            raise _LinkAbsent
        return states

    def _read_event(
        self, member: PartMember, node: YamlNode | None, name: str | None = None
    ) -> str:
        """Return an event that a part has in the release."""
        text = node_text(node) if name is None else name
        if text in machine_events(member.machine):
            return text
        ever = dict.fromkeys(machine_events(member.spec))
        if text in ever:
            raise _LinkAbsent
        raise self._link_error(
            "SM413",
            f"`{member.part.name}` has no event `{text}`",
            node or self.root,
            did_you_mean(text, ever),
        )

    def _link_facts(self, member: PartMember, event: str | None, *, returned: bool) -> Facts:
        """Return what is known where a link fires: its part is there, `key` is one of its keys, and
        what the event tells.
        """
        part, facts = member.part, self.reader.facts
        whole = Name(NameKind.VARIABLE, part.name, type=member.visible_type)
        if part.each is not None:
            facts = facts_with_name(
                facts, DeclaredName(NameKind.ARGUMENT, "key", part.each, part.span)
            )
            facts = facts.with_fact("in", Name(NameKind.ARGUMENT, "key", type=part.each), whole)
        elif part.optional:
            facts = facts.with_fact("some", whole, NONE_LITERAL)
        for name, type_ in event_arguments(member.machine, event) if event is not None else ():
            facts = facts_with_name(facts, DeclaredName(NameKind.ARGUMENT, name, type_, part.span))
        given = _returned_type(member.machine, event) if event is not None and returned else None
        return (
            facts
            if given is None
            else facts_with_name(
                facts, DeclaredName(NameKind.ARGUMENT, "returned", given, part.span)
            )
        )

    def _read_effect(self, node: YamlMapping, facts: Facts) -> tuple[Assignment, ...]:
        read = []
        for name, value in entries_in_release(
            node.get("effect"), self.reader.family, self.reader.bit
        ):
            declared = self.reader.scope.names.get(name.text)
            if declared is not None and isinstance(declared.type, ErrorType):
                continue
            if name.text not in self.shared:
                hint = (
                    "a part changes by its own events"
                    if name.text in self.members
                    else did_you_mean(name.text, self.shared)
                )
                message = f"`{name.text}` is not a variable"
                raise self._link_error("SM320", message, name, hint, undeclared=name.text)
            typed = self.reader.read_expression(value, facts, self.shared[name.text])
            if typed is not None:
                read.append(Assignment(name.text, typed, span=name.span))
        return tuple(read)

    def _read_send(self, node: YamlMapping, facts: Facts) -> SentEvent:
        """Read `client.to_RUNNING`, `threads.stop`, `threads[key].stop`, `threads[idle].stop`."""
        scalar = node.get("send")
        assert isinstance(scalar, YamlScalar)
        written = source_text(scalar)
        message = _SENT_EVENT.fullmatch(written.text)
        if message is None:
            raise self._link_error(
                "SM415",
                f"`{written.text}` names no receiver and event",
                scalar,
                _sent_hint(written.text),
            )
        member = self._find_member(scalar, message["part"])
        event = self._read_event(member, scalar, message["event"])
        key = self._read_receivers(member, written, message, facts)
        return SentEvent(
            member.part.name, event, key, self._read_arguments(node, member, event, facts)
        )

    def _read_receivers(
        self, member: PartMember, written: SourceText, message: re.Match[str], facts: Facts
    ) -> Expression | None:
        """Read the key of the one, or a set of keys, that an event is sent to; None: to all."""
        if message["key"] is None:
            return None
        text, each = written.part(message.start("key"), message.end("key")), member.part.each
        named, _ = read_expression(text, facts)
        if each is not None and named is not None and isinstance(base_type(named.type), SetType):
            keys, diagnostics = read_expression(text, facts, SetType(each))
        else:
            whole = written.part(message.start("part"), message.end("key") + 1)
            item, diagnostics = read_expression(whole, facts)
            keys = item.key if isinstance(item, ItemAccess) else None
        self.reader.diagnostics.extend(diagnostics)
        if keys is None:
            raise _LinkAbsent
        return keys

    def _read_create(self, node: YamlMapping, facts: Facts) -> CreatedPart:
        """Read `sessions[client]`."""
        scalar = node.get("create")
        assert isinstance(scalar, YamlScalar)
        written = source_text(scalar)
        named = _CREATED_PART.fullmatch(written.text)
        if named is None:
            message = f"`{written.text}` names no part and key"
            raise self._link_error("SM415", message, scalar, "write `part[key]`")
        part = self._find_member(scalar, named["part"]).part
        if not part.is_created or part.each is None:
            message, hint = f"`{part.name}` is not created", "write `created: true` at the part"
            raise self._link_error("SM421", message, scalar, hint)
        text = written.part(named.start("key"), named.end("key"))
        key, diagnostics = read_expression(text, facts, part.each)
        self.reader.diagnostics.extend(diagnostics)
        if key is None:
            raise _LinkAbsent
        return CreatedPart(part.name, key)

    def _read_arguments(
        self, node: YamlMapping, member: PartMember, event: str, facts: Facts
    ) -> tuple[tuple[str, Expression], ...]:
        wanted = dict(event_arguments(member.machine, event))
        given: dict[str, Expression] = {}
        args = node.get("args")
        for name, value in entries_in_release(args, self.reader.family, self.reader.bit):
            if name.text not in wanted:
                raise self._link_error(
                    "SM416",
                    f"`{event}` has no argument `{name.text}`",
                    name,
                    did_you_mean(name.text, wanted),
                )
            typed = self.reader.read_expression(value, facts, wanted[name.text])
            if typed is not None:
                given[name.text] = typed
        written = (
            {name.text for name, _ in args.entries} if isinstance(args, YamlMapping) else set()
        )
        for missing in [name for name in wanted if name not in written]:
            message = f"`{event}` needs the argument `{missing}` of type `{wanted[missing]}`"
            raise self._link_error(
                "SM416", message, node.get("send") or node, f"write `args: {{{missing}: …}}`"
            )
        return tuple(given.items())


def _sent_hint(text: str) -> str:
    """Say how what names no receiver and event is written."""
    if call := re.fullmatch(r"\s*([\w.\[\] ]+?)\s*\((.*)\)\s*", text):
        given = " its arguments stand below `args`" if call[2].strip() else " without brackets"
        return f"write `{call[1]}`,{given}"
    if every := re.fullmatch(r"\s*(\w+)\s*(?:\.\s*\*|\[\s*\*?\s*\])\s*\.\s*(\w+)\s*", text):
        return f"`{every[1]}.{every[2]}` is for all of them"
    return "write `part.event` or `part[key].event`"


def machine_events(machine: MachineDefinition | SpecDefinition) -> tuple[str, ...]:
    """Return every event that a machine may be asked for.

    Args:
        machine: in one release or in all.

    Returns:
        Names, in the author's order.
    """
    used = [event.name for event in machine.events] + [
        transition.event for transition in machine.transitions
    ]
    used += [entry.event for entry in machine.otherwise if entry.event is not None]
    return tuple(dict.fromkeys([*used, *(f"to_{state.name}" for state in machine.states)]))


def event_arguments(machine: MachineDefinition, event: str) -> tuple[tuple[str, Type], ...]:
    """Return the arguments of an event, with types that no set stands for.

    Args:
        machine: in one release.
        event: its name.

    Returns:
        Names and types, in the order of the signature.
    """
    declared = next((known for known in machine.events if known.name == event), None)
    signature = declared.signature if declared is not None else None
    return (
        ()
        if signature is None
        else tuple(
            (argument.name, without_element_types(argument.type))
            for argument in signature.arguments
        )
    )


def _returned_type(machine: MachineDefinition, event: str) -> Type | None:
    """Return the type of what an event gives back; optional where a case gives nothing; None where
    none gives a single value.
    """
    cases = [transition.case for transition in machine.transitions if transition.event == event]
    given = [
        case.returns for case in cases if case is not None and isinstance(case.returns, Expression)
    ]
    type_ = (
        joined_types(tuple(without_element_types(expression.type) for expression in given))
        if given
        else None
    )
    if type_ is None or isinstance(type_, ElementType):
        return None
    return (
        type_
        if len(given) == len(cases) or isinstance(type_, OptionalType)
        else OptionalType(type_)
    )
