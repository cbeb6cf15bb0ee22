"""Links of a system as methods: what they look at, forbid, change, create and send."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.embed.code_generation.python_text import (
    docstring,
    safe_name,
    string_literal,
)
from statemachines.embed.code_generation.readable_python import negated_condition
from statemachines.embed.code_generation.system_code.part_classes import (
    SystemContext,
    argument_names,
)
from statemachines.model.definitions.system_definitions import Link, SentEvent
from statemachines.model.language.expression_nodes import Expression, NameKind
from statemachines.semantics.evaluation.python_source import identifier
from statemachines.semantics.system.event_cascade import forbidden_message, handed_over_message

_IN = "        "


def link_expressions(link: Link) -> tuple[Expression, ...]:
    """Return all that a link says of values.

    Args:
        link: of a system.

    Returns:
        Guard, `only if`, what is sent, assigned and created.
    """
    sent, created = link.send, link.create
    nodes = [link.guard, link.only_if, created.key if created else None, sent.key if sent else None]
    nodes += [node for _, node in sent.arguments] if sent else []
    nodes += [assignment.value for assignment in link.effect]
    return tuple(node for node in nodes if node is not None)


def link_method_lines(context: SystemContext, link: Link) -> Iterator[str]:
    """Yield the method of a link.

    Args:
        context: the system, and what its module calls things.
        link: one of its links.

    Yields:
        Lines of Python, indented.
    """
    used = argument_names(link_expressions(link))
    step = safe_name("step", used)
    forbids = link.only_if is not None
    nothing = f'{_IN}    return ""' if forbids else f"{_IN}    return"
    yield f"    def _link_{link.index + 1}(self, {step}: _Step) -> {'str' if forbids else 'None'}:"
    yield from docstring([link.doc or _link_text(link)], _IN)
    if not link.begins:
        yield from (f"{_IN}if not ({_fires(link, step)}):", nothing)
    special = {"key": f"{step}.key", "returned": f"{step}.result"}
    for name in used:
        given = special.get(name, f"{step}.arguments[{string_literal(name)}]")
        yield f"{_IN}{name} = {given}"
    if link.guard is not None:
        yield from (f"{_IN}if {negated_condition(context.writer.text(link.guard))}:", nothing)
    if link.only_if is not None:
        reason = string_literal(forbidden_message(link))
        yield f'{_IN}return "" if {context.writer.text(link.only_if)} else {reason}'
        return
    yield from _action_lines(context, link, used, f"{step}.key")


def _link_text(link: Link) -> str:
    what = (
        "begins"
        if link.begins
        else f"takes `{link.event}`"
        if link.event is not None
        else f"enters {', '.join(link.enters)}"
        if link.enters is not None
        else f"leaves {', '.join(link.leaves or ())}"
    )
    does = [
        "this must hold" if link.only_if is not None else "",
        f"`{link.create.part}` is created" if link.create is not None else "",
        f"`{link.send.part}.{link.send.event}` is sent" if link.send is not None else "",
        "shared variables change" if link.effect else "",
    ]
    return f"Where `{link.on}` {what}, {' and '.join(filter(None, does))}."


def _fires(link: Link, step: str) -> str:
    if link.event is not None:
        return f"{step}.taken and {step}.event == {string_literal(link.event)}"
    states = link.enters if link.enters is not None else link.leaves or ()
    how = "enters" if link.enters is not None else "leaves"
    return f"{step}.{how}({', '.join(map(string_literal, states))})"


def _action_lines(
    context: SystemContext, link: Link, used: tuple[str, ...], key: str
) -> Iterator[str]:
    """Write what a link does: values first, then what changes, what is created, what is sent."""
    text, sent = context.writer.text, link.send
    given, receivers = safe_name("given", used), safe_name("receivers", used)
    if sent is not None:
        pairs = ", ".join(f"{string_literal(name)}: {text(node)}" for name, node in sent.arguments)
        yield f"{_IN}{given}: dict[str, Any] = {{{pairs}}}"
        yield from _receiver_lines(context, sent, used, receivers)
    yield from _assignment_lines(context, link, used)
    if link.create is not None:
        part = context.tables.parts[link.create.part]
        created = safe_name("created", used)
        yield f"{_IN}{created} = {text(link.create.key)}"
        begin = part_beginning(context, part.name, created)
        yield f"{_IN}self._create({string_literal(part.name)}, {created}, {begin})"
    if sent is not None:
        receiver = safe_name("receiver", used)
        yield f"{_IN}for {receiver} in {receivers}:"
        yield f"{_IN}    {_sending(link, sent, key, receiver, given)}"


def _receiver_lines(
    context: SystemContext, sent: SentEvent, used: tuple[str, ...], receivers: str
) -> Iterator[str]:
    """Write who gets what is sent: one, those of a set, or all."""
    every = f"self._keys({string_literal(sent.part)})"
    if sent.key is None:
        yield f"{_IN}{receivers} = {every}"
    elif not sent.is_for_a_set:
        yield f"{_IN}{receivers} = ({context.writer.text(sent.key)},)"
    else:
        named, receiver = safe_name("named", used), safe_name("receiver", used)
        yield f"{_IN}{named} = {context.writer.text(sent.key)}"
        inside = f"for {receiver} in {every} if {receiver} in {named}"
        yield f"{_IN}{receivers} = tuple({receiver} {inside})"


def _sending(link: Link, sent: SentEvent, key: str, receiver: str, given: str) -> str:
    if link.deferred:
        return f"self._later(_ROUTES[{link.index + 1}], {key}, {receiver}, {given})"
    part, event = string_literal(sent.part), string_literal(sent.event)
    why = f", {string_literal(handed_over_message(link))}" if link.hands_over else ""
    return f"self._arrive({part}, {receiver}, {event}, {given}{why})"


def _assignment_lines(context: SystemContext, link: Link, used: tuple[str, ...]) -> Iterator[str]:
    """Write new values of shared variables; none changes where one would leave its type."""
    writer = context.writer
    fresh = {
        assignment.variable: safe_name(f"new_{assignment.variable}", used)
        for assignment in link.effect
    }
    for assignment in link.effect:
        yield f"{_IN}{fresh[assignment.variable]} = {writer.text(assignment.value)}"
    writer.renames = {identifier(NameKind.VARIABLE, name): new for name, new in fresh.items()}
    checks = [
        writer.check(variable.type, fresh[variable.name])
        for variable in context.tables.system.data.variables
        if variable.name in fresh
    ]
    writer.renames = {}
    condition = " and ".join(f"({check})" for check in checks if check)
    if condition:
        yield f"{_IN}if {condition}:"
    for name, new in fresh.items():
        yield f"{_IN}{'    ' if condition else ''}self.{context.attributes[name]} = {new}"


def part_beginning(context: SystemContext, name: str, key: str) -> str:
    """Return how one of a part begins.

    Args:
        context: the system, and what its module calls things.
        name: of the part.
        key: Python for its key, if it has one.

    Returns:
        A call of its class.
    """
    part, writer = context.tables.parts[name], context.writer
    writer.renames = {identifier(NameKind.ARGUMENT, "key"): key}
    given = ", ".join(f"{own}={writer.text(node)}" for own, node in part.parameters)
    writer.renames = {}
    return f"{context.classes[name].name}({given})"
