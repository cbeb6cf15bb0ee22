"""Links: when they fire, what they need, what they change and send.

A link that names a part, a state or an event that a release does not have, while another one has it, is not there in that release.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import define

from statemachines.model.data import Assignment
from statemachines.model.diagnostics import Diagnostic
from statemachines.model.expressions import Expression, Item, Kind, Name
from statemachines.model.machines import Machine, Spec
from statemachines.model.suggestions import did_you_mean
from statemachines.model.systems import Link, Send
from statemachines.model.types import ElementType, OptionalType, Type
from statemachines.notation.data.picking import entries_of, exists, written_of
from statemachines.notation.data.reader import Reader, doc_of
from statemachines.notation.data.signatures import with_name
from statemachines.notation.expressions.agreement import hull, without_sets
from statemachines.notation.expressions.facts import NOTHING, Facts
from statemachines.notation.expressions.reading import read_expression
from statemachines.notation.expressions.scope import Declared
from statemachines.notation.nodes import Mapping, Node, Scalar, is_true, items_of, text_of, texts_of
from statemachines.notation.systems.parts import Member

_SEND = re.compile(r"\s*(?P<part>[A-Za-z_]\w*)\s*(?:\[(?P<key>.*)\])?\s*\.\s*(?P<event>[A-Za-z_]\w*)\s*", re.DOTALL)
_WHEN = ("enters", "leaves", "event")


class _Absent(Exception):
    """The link is not there in this release, or what is wrong with it was reported."""


@define
class Links:
    """Reads the links of one release."""

    reader: Reader
    root: Mapping
    members: dict[str, Member]
    shared: dict[str, Type]
    """The system's own variables."""

    def read(self) -> tuple[Link, ...]:
        """Read all links that exist in the release, in the author's order."""
        return tuple(self._read())

    def _read(self) -> Iterator[Link]:
        for number, node in enumerate(items_of(self.root.get("links"))):
            if isinstance(node, Mapping) and exists(node, self.reader.family, self.reader.bit):
                try:
                    yield self._link(number, node)
                except _Absent:
                    continue

    def _report(self, code: str, message: str, node: Node, hint: str = "") -> _Absent:
        self.reader.found.append(Diagnostic(code, message, node.span, hint))
        return _Absent()

    def _link(self, number: int, node: Mapping) -> Link:
        self._shape(node)
        member = self._member(node.get("on") or node, text_of(node.get("on")))
        when = {key: self._states(member, node.get(key)) for key in ("enters", "leaves")}
        event = self._event(member, node.get("event")) if node.get("event") is not None else None
        facts = self._facts(member, event, returned=node.get("only if") is None)
        guard = self.reader.condition(node.get("guard"), facts)
        if guard is not None:
            facts = facts.knowing(guard)
        return Link(
            number,
            member.part.name,
            when["enters"],
            when["leaves"],
            event,
            guard,
            self._send(node, facts) if node.get("send") is not None else None,
            self._effect(node, facts),
            self.reader.condition(node.get("only if"), facts),
            is_true(node.get("later")),
            doc_of(node),
            node.span,
        )

    def _shape(self, node: Mapping) -> None:
        """Look whether a link says when and what, each once."""
        when = [key for key in _WHEN if node.get(key) is not None]
        if len(when) != 1:
            said = " and ".join(f"`{key}`" for key in when) or "no moment"
            raise self._report("SM414", f"a link says {said}", node, "give it one of `enters`, `leaves`, `event`")
        does = [key for key in ("send", "effect") if node.get(key) is not None]
        if bool(does) == (node.get("only if") is not None):
            said = f"`only if` beside `{does[0]}`" if does else "not what it does"
            raise self._report("SM414", f"a link says {said}", node, "give it `send` or `effect`, or `only if` alone")
        for key in ("args", "later"):
            if node.get(key) is not None and node.get("send") is None:
                raise self._report("SM414", f"a link has `{key}` and sends nothing", node, "add `send:`")

    def _member(self, node: Node, name: str) -> Member:
        """Find a part by its name."""
        if name not in self.members:
            parts = self.root.get("parts")
            known = [part.text for part, _ in parts.entries] if isinstance(parts, Mapping) else []
            if name in known:
                raise _Absent
            raise self._report("SM413", f"there is no part `{name}`", node, did_you_mean(name, known))
        return self.members[name]

    def _states(self, member: Member, node: Node | None) -> tuple[str, ...] | None:
        """Return those of the named states that the release has."""
        if node is None:
            return None
        here, ever = {state.name for state in member.machine.states}, {state.name for state in member.spec.states}
        for item in items_of(node):
            if text_of(item) not in ever:
                raise self._report("SM413", f"`{member.part.name}` has no state `{text_of(item)}`", item, did_you_mean(text_of(item), ever))
        found = tuple(name for name in texts_of(node) if name in here)
        if not found:
            raise _Absent
        return found

    def _event(self, member: Member, node: Node | None, name: str | None = None) -> str:
        """Return an event that a part has in the release."""
        text = text_of(node) if name is None else name
        if text in events_of(member.machine):
            return text
        ever = dict.fromkeys(events_of(member.spec))
        if text in ever:
            raise _Absent
        raise self._report("SM413", f"`{member.part.name}` has no event `{text}`", node or self.root, did_you_mean(text, ever))

    def _facts(self, member: Member, event: str | None, *, returned: bool) -> Facts:
        """Return what is known where a link fires: its part is there, `key` is one of its keys, and what the event tells."""
        part, facts = member.part, self.reader.facts
        whole = Name(Kind.VARIABLE, part.name, type=member.seen)
        if part.each is not None:
            facts = with_name(facts, Declared(Kind.ARGUMENT, "key", part.each, part.span))
            facts = facts.with_fact("in", Name(Kind.ARGUMENT, "key", type=part.each), whole)
        elif part.optional:
            facts = facts.with_fact("some", whole, NOTHING)
        for name, type_ in arguments_of(member.machine, event) if event is not None else ():
            facts = with_name(facts, Declared(Kind.ARGUMENT, name, type_, part.span))
        given = returned_type(member.machine, event) if event is not None and returned else None
        return facts if given is None else with_name(facts, Declared(Kind.ARGUMENT, "returned", given, part.span))

    def _effect(self, node: Mapping, facts: Facts) -> tuple[Assignment, ...]:
        read = []
        for name, value in entries_of(node.get("effect"), self.reader.family, self.reader.bit):
            if name.text not in self.shared:
                hint = "a part changes by its own events" if name.text in self.members else did_you_mean(name.text, self.shared)
                raise self._report("SM320", f"`{name.text}` is no variable", name, hint)
            typed = self.reader.expression(value, facts, self.shared[name.text])
            if typed is not None:
                read.append(Assignment(name.text, typed, span=name.span))
        return tuple(read)

    def _send(self, node: Mapping, facts: Facts) -> Send:
        """Read `client.to_RUNNING`, `threads.stop`, `threads[key].stop`."""
        scalar = node.get("send")
        assert isinstance(scalar, Scalar)
        written = written_of(scalar)
        said = _SEND.fullmatch(written.text)
        if said is None:
            raise self._report("SM415", f"`{written.text}` names no receiver and event", scalar, "write `part.event` or `part[key].event`")
        member = self._member(scalar, said["part"])
        event = self._event(member, scalar, said["event"])
        key = None
        if said["key"] is not None:
            typed, found = read_expression(written.part(said.start("part"), said.end("key") + 1), facts)
            self.reader.found.extend(found)
            if not isinstance(typed, Item):
                raise _Absent
            key = typed.key
        return Send(member.part.name, event, key, self._arguments(node, member, event, facts))

    def _arguments(self, node: Mapping, member: Member, event: str, facts: Facts) -> tuple[tuple[str, Expression], ...]:
        wanted = dict(arguments_of(member.machine, event))
        given: dict[str, Expression] = {}
        args = node.get("args")
        for name, value in entries_of(args, self.reader.family, self.reader.bit):
            if name.text not in wanted:
                raise self._report("SM416", f"`{event}` has no argument `{name.text}`", name, did_you_mean(name.text, wanted))
            typed = self.reader.expression(value, facts, wanted[name.text])
            if typed is not None:
                given[name.text] = typed
        written = {name.text for name, _ in args.entries} if isinstance(args, Mapping) else set()
        for missing in [name for name in wanted if name not in written]:
            message = f"`{event}` needs the argument `{missing}` of type `{wanted[missing]}`"
            raise self._report("SM416", message, node.get("send") or node, f"write `args: {{{missing}: …}}`")
        return tuple(given.items())


def events_of(machine: Machine | Spec) -> tuple[str, ...]:
    """Return every event that a machine may be asked for."""
    used = [event.name for event in machine.events] + [arrow.event for arrow in machine.transitions]
    used += [entry.event for entry in machine.otherwise if entry.event is not None]
    return tuple(dict.fromkeys([*used, *(f"to_{state.name}" for state in machine.states)]))


def arguments_of(machine: Machine, event: str) -> tuple[tuple[str, Type], ...]:
    """Return the arguments of an event, with types that no set stands for."""
    declared = next((one for one in machine.events if one.name == event), None)
    signature = declared.signature if declared is not None else None
    return () if signature is None else tuple((one.name, without_sets(one.type)) for one in signature.arguments)


def returned_type(machine: Machine, event: str) -> Type | None:
    """Return the type of what an event gives back; optional where a case gives nothing; None where none gives a single value."""
    cases = [arrow.case for arrow in machine.transitions if arrow.event == event]
    given = [case.returns for case in cases if case is not None and isinstance(case.returns, Expression)]
    type_ = hull(tuple(without_sets(one.type) for one in given)) if given else None
    if type_ is None or isinstance(type_, ElementType):
        return None
    return type_ if len(given) == len(cases) or isinstance(type_, OptionalType) else OptionalType(type_)


def circles(links: Iterable[Link], machines: dict[str, Machine]) -> list[tuple[Link, ...]]:
    """Return the links that fire each other without end: what one sends at once makes the next one fire, and so on back to it."""
    now = [link for link in links if link.send is not None and not link.later]
    follows = {link.number: [other for other in now if _fires(link, other, machines)] for link in now}
    found: list[tuple[Link, ...]] = []
    for first in now:
        path = _way_back(first, follows)
        if path is not None and min(link.number for link in path) == first.number:
            found.append(path)
    return found


def _way_back(first: Link, follows: dict[int, list[Link]]) -> tuple[Link, ...] | None:
    """Return the shortest chain of links from one back to itself."""
    pending: list[tuple[Link, ...]] = [(first,)]
    seen = set[int]()
    for path in pending:
        for other in follows[path[-1].number]:
            if other.number == first.number:
                return path
            if other.number not in seen:
                seen.add(other.number)
                pending.append((*path, other))
    return None


def _fires(link: Link, other: Link, machines: dict[str, Machine]) -> bool:
    """Tell whether what one link sends may fire another."""
    send = link.send
    if send is None or other.on != send.part:
        return False
    if other.event is not None:
        return other.event == send.event
    machine = machines[send.part]
    arrows = [arrow for arrow in machine.transitions if arrow.event == send.event]
    named = send.event.removeprefix("to_")
    if other.enters is not None:
        return named in other.enters or any(arrow.target in other.enters for arrow in arrows)
    forced = any(entry.does == "force" for entry in machine.otherwise)
    return forced or any(arrow.source in (other.leaves or ()) and arrow.target != arrow.source for arrow in arrows)
