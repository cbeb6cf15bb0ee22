"""What comes of a step of a part: what its links send, change and forbid, and what the
receivers do in turn.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, evolve, field

from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Refused,
    Snapshot,
    Value,
)
from statemachines.model.definitions.system_definitions import (
    Channel,
    CreatedPart,
    DeliveryOutcome,
    Link,
    PartStep,
    PendingEvent,
    SystemAnswer,
    SystemSnapshot,
)
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.system.channels import (
    place_of,
    queue_of,
    sent_place,
    with_event,
    without_event,
)
from statemachines.semantics.system.system_states import SnapshotSource, SystemState, Values
from statemachines.semantics.system.system_tables import SystemTables


@define
class EventCascade:
    """A system on its way through one event: the event's own step, and all that comes of it."""

    tables: SystemTables
    state: SystemState
    steps: list[PartStep] = field(factory=list)
    spec_errors: list[str] = field(factory=list)
    fired_links: set[int] = field(factory=set)
    """The links that sent something, at once or for later."""
    refusal: str = ""
    """Why nothing of all this happens: a channel cannot hold what would be sent, or what would be
    created is there already.
    """

    @classmethod
    def from_snapshot(cls, tables: SystemTables, snapshot: SystemSnapshot) -> EventCascade:
        """Begin with all of a system at once.

        Args:
            tables: of the system.
            snapshot: where the event comes.

        Returns:
            A cascade in which nothing has happened yet.
        """
        return cls(tables, SystemState(tables, SnapshotSource(tables, snapshot)))

    def begin(self) -> None:
        """Let wait what links send at the beginning, link by link and key by key."""
        for link in self.tables.system.links:
            for key in self.state.keys(link.on) if link.begins else ():
                self._fire_link(link, key, {"key": key})

    def answer_from(self, before: SystemSnapshot) -> SystemAnswer:
        """Return what became of the event that came to a snapshot.

        Args:
            before: where the event came.

        Returns:
            The steps of all parts in their order, and the snapshot after them; that of before where
            one was refused or raised.
        """
        if self.refusal:
            first = self.steps[0]
            refused = Refused(first.before, None, reason=self.refusal)
            return SystemAnswer(before, (evolve(first, answer=refused),))
        self.end_parts()
        state = self.state
        return SystemAnswer(
            state.snapshot_after(before),
            tuple(self.steps),
            tuple(self.spec_errors),
            tuple(state.created_parts),
            tuple(state.ended_parts),
        )

    def end_parts(self) -> None:
        """Let go of the parts that have come to where they end, and of what waits for them: all
        that comes of the event has happened.
        """
        state = self.state
        state.ended_parts = [
            (name, key)
            for (name, key), held in state.changed_parts.items()
            if held.state in self.tables.parts[name].ends
        ]
        for part in state.ended_parts:
            state.empty_queues_to(part)

    def record_step(
        self,
        name: str,
        key: Value,
        event: str,
        arguments: Values,
        answer: Answer,
        sent_by: int | None,
    ) -> None:
        """Keep what became of an event, unless a link forbids it, and let its links fire.

        Args:
            name: of the part.
            key: which one, of a part that there is several times; else None.
            event: of the part.
            arguments: by name.
            answer: what the part's machine made of it.
            sent_by: index of the link that sent it; None for an event from outside.
        """
        before = self.state.part_snapshot(name, key)
        channel = self.tables.arrivals.get((name, event)) if sent_by is None else None
        forbidding = self._forbidding_link(name, key, event, arguments, before, answer)
        if channel is not None:
            answer = Refused(before, None, reason=f"it comes through the channel `{channel}` alone")
        elif forbidding is not None:
            answer = Refused(before, None, reason=forbidden_message(forbidding))
        self.steps.append(PartStep(name, key, event, FrozenMap(arguments), before, answer, sent_by))
        if sent_by is not None:
            self.fired_links.add(sent_by)
        self.state.set_part(name, key, answer.after)
        self._share_variables(name, before, answer.after)
        for link in self.tables.links[name]:
            if link.only_if is None and _link_fires(link, event, before, answer):
                self._fire_link(link, key, {**arguments, "key": key, "returned": answer.returned})

    def _share_variables(self, name: str, before: Snapshot, after: Snapshot) -> None:
        """Give what a part wrote to all that have the same variable; that is no step of theirs."""
        for variable, members in self.tables.same[name]:
            value = after.variables[variable]
            if value != before.variables[variable]:
                for other, called in members:
                    self.state.share(other, called, value)

    def _forbidding_link(
        self, name: str, key: Value, event: str, arguments: Values, before: Snapshot, answer: Answer
    ) -> Link | None:
        """Return the first link by which a step may not be."""
        around = {**arguments, "key": key}
        for link in self.tables.links[name]:
            if link.only_if is None or not _link_fires(link, event, before, answer):
                continue
            if self._holds(link.guard, around) and not self._holds(link.only_if, around):
                return link
        return None

    def _fire_link(self, link: Link, key: Value, around: Values) -> None:
        """Do what a link says."""
        if not self._holds(link.guard, around):
            return
        given = (
            {name: self._evaluate(node, around) for name, node in link.send.arguments}
            if link.send is not None
            else {}
        )
        receivers = self._receivers(link, around)
        self._assign(
            {
                assignment.variable: self._evaluate(assignment.value, around)
                for assignment in link.effect
            }
        )
        if link.create is not None:
            self._create_part(link, link.create, self._evaluate(link.create.key, around))
        for receiver in receivers:
            first = len(self.steps)
            if link.deferred:
                self._send_later(link, PendingEvent(link.index, key, receiver), FrozenMap(given))
            else:
                self._send_event(link, receiver, given)
                if link.hands_over and not self._has_taken(first):
                    self.refusal = self.refusal or handed_over_message(link)

    def _has_taken(self, index: int) -> bool:
        """Tell whether a step is there, and no refusal."""
        return index < len(self.steps) and not isinstance(self.steps[index].answer, Refused)

    def _create_part(self, link: Link, create: CreatedPart, key: Value) -> None:
        """Let one more of a part be there, where it begins; no link fires for that."""
        name = create.part
        if self.state.has_part(name, key):
            self.refusal = f"there is `{name}[{key!r}]` already"
        else:
            self.fired_links.add(link.index)
            begin = created_snapshot(self.tables, name, key, self.state.parameters)
            self.state.create_part(name, key, begin)

    def _send_later(self, link: Link, pending: PendingEvent, values: Values) -> None:
        """Let an event wait, if its channel can hold it."""
        self.fired_links.add(link.index)
        pending = sent_place(self.tables, pending)
        queue = queue_of(self.tables, pending)
        waiting = with_event(self.tables, self.state.queue(queue), pending, values)
        if waiting is None:
            assert link.channel is not None
            self.refusal = _full_message(self.tables.channels[link.channel])
        else:
            self.state.changed_queues[queue] = waiting

    def _receivers(self, link: Link, around: Values) -> tuple[Value, ...]:
        """Return the keys of those that get what a link sends: one, some, every one, or nobody
        where the part is absent.
        """
        if link.send is None:
            return ()
        if link.send.key is None:
            return self.state.keys(link.send.part)
        named = self._evaluate(link.send.key, around)
        if not link.send.is_for_a_set:
            return (named,)
        assert isinstance(named, frozenset)
        return tuple(key for key in self.state.keys(link.send.part) if key in named)

    def deliver(self, delivery: PendingEvent) -> None:
        """Let the receiver of an event that waits take its step, unless it is lost.

        Args:
            delivery: where the event waits, and what becomes of it.
        """
        pending = place_of(delivery)
        queue = queue_of(self.tables, pending)
        waiting = self.state.queue(queue)
        given = waiting[pending]
        if delivery.fate is not DeliveryOutcome.REPEATED:
            self.state.changed_queues[queue] = without_event(self.tables, waiting, pending)
        if delivery.fate is not DeliveryOutcome.LOST:
            self._send_event(self.tables.link_of[delivery.link], delivery.receiver, given)
            self._keep_refused(self.tables.link_of[delivery.link])

    def _keep_refused(self, link: Link) -> None:
        """Let what its receiver has refused go on waiting, where its channel says so."""
        channel = self.tables.channels.get(link.channel or "")
        if channel is None or not channel.keeps_refused or not self.steps:
            return
        answer = self.steps[0].answer
        if isinstance(answer, Refused):
            why = f": {answer.reason}" if answer.reason else ""
            self.refusal = f"the channel `{channel.name}` keeps what is refused{why}"

    def _send_event(self, link: Link, receiver: Value, arguments: Values) -> None:
        """Let the receiver of a link take its step."""
        send = link.send
        if send is None or not self.state.has_part(send.part, receiver):
            return
        held = self.state.part_snapshot(send.part, receiver)
        try:
            answer = step(self.tables.tables[send.part], held, send.event, **arguments)
        except ArgumentsError as misfit:
            self.spec_errors.append(
                f"link {link.index + 1} sends `{send.part}.{send.event}`: {misfit}"
            )
            answer = Refused(held, None, reason=str(misfit))
        self.record_step(send.part, receiver, send.event, arguments, answer, link.index)

    def _assign(self, values: Values) -> None:
        """Give shared variables new values, all at once."""
        for variable in self.tables.system.data.variables:
            if variable.name in values and not self.tables.behaviour.is_of_type(
                variable, self.state.names_with(values), self.state.parameters
            ):
                self.spec_errors.append(
                    f"`{variable.name}` would be {values[variable.name]!r}, which is not of type"
                    f" `{variable.type}`"
                )
                return
        self.state.set_variables(values)

    def _evaluate(self, node: Expression, around: Values) -> Value:
        state = self.state
        value: Value = self.tables.behaviour.evaluator(node)(
            "", state.names, state.parameters, around
        )
        return value

    def _holds(self, node: Expression | None, around: Values) -> bool:
        return node is None or bool(self._evaluate(node, around))


def _link_fires(link: Link, event: str, before: Snapshot, answer: Answer) -> bool:
    """Tell whether a step is one that a link speaks of.

    A state is entered where it was another one before, and where the step was asked for by its name
    (`to_RUNNING` in RUNNING); an event counts where a transition took it or it was forced.
    """
    if link.event is not None:
        return link.event == event and isinstance(answer, Advanced | Forced)
    moved = answer.after.state != before.state
    if link.enters is not None:
        again = isinstance(answer, Advanced | Forced) and event == f"to_{answer.after.state}"
        return (moved or again) and answer.after.state in link.enters
    return moved and before.state in (link.leaves or ())


def _full_message(channel: Channel) -> str:
    return f"the channel `{channel.name}` is full (it holds {channel.holds})"


def forbidden_message(link: Link) -> str:
    """Say that a link forbids a step.

    Args:
        link: with `only if`.

    Returns:
        A clause for an error message.
    """
    where = f", line {link.span.line}" if link.span is not None else ""
    return f"the system forbids it (link {link.index + 1}{where})" + (
        f": {link.doc}" if link.doc else ""
    )


def handed_over_message(link: Link) -> str:
    """Say that nobody takes what a link hands over, so that nothing happens.

    Args:
        link: whose channel holds nothing.

    Returns:
        A clause for an error message.
    """
    sent = f"{link.send.part}.{link.send.event}" if link.send is not None else ""
    return f"the channel `{link.channel}` holds nothing, and `{sent}` is not taken"


def created_snapshot(
    tables: SystemTables, name: str, key: Value, parameters: Mapping[str, Value]
) -> Snapshot:
    """Return where a part begins that is created: its machine has one beginning.

    Args:
        tables: of the system.
        name: of the part.
        key: under which it is created.
        parameters: of the system.

    Returns:
        A snapshot of the part's machine, which no link has seen yet.
    """
    evaluator = tables.behaviour.evaluator
    given = {
        parameter: evaluator(node)("", {}, parameters, {"key": key})
        for parameter, node in tables.parts[name].parameters
    }
    return initial_snapshots(tables.tables[name], **given)[0]


def with_events_sent(tables: SystemTables, snapshot: SystemSnapshot) -> SystemSnapshot:
    """Return a beginning with what links send then.

    Args:
        tables: of the system.
        snapshot: its parts and variables, as they begin.

    Returns:
        The same, with what waits.

    Raises:
        ArgumentsError: a channel cannot hold what is sent.
    """
    if not any(link.begins for link in tables.system.links):
        return snapshot
    cascade = EventCascade.from_snapshot(tables, snapshot)
    cascade.begin()
    if cascade.refusal:
        raise ArgumentsError(f"{tables.title} does not begin so: {cascade.refusal}")
    return cascade.state.snapshot_after(snapshot)
