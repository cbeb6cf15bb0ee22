"""What waits in a system: what may become of it, and the queues of its channels.

A queue is told from others by its channel, its sender and its receiver; each event that waits in it
has its position there. A queue that reorders is kept in one order, so that equal ones are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from attrs import evolve, frozen

from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import (
    Channel,
    DeliveryOutcome,
    Link,
    PendingEvent,
    WhenFull,
)
from statemachines.semantics.messages.value_text import format_literal

Arguments = Mapping[str, Value]
Waiting = Mapping[PendingEvent, Arguments]


@frozen
class EventQueue:
    """Where events of one sender wait for one receiver."""

    name: str | int
    """The channel; without one, the number of the link whose newest event waits."""
    sender: tuple[str, Value]
    """The part that sends, and its key; an empty name: all that send have this queue."""
    receiver: tuple[str, Value]


class ChannelTables(Protocol):
    """The links and channels of a system."""

    @property
    def link_of(self) -> Mapping[int, Link]:
        """Links by their numbers."""
        ...

    @property
    def channels(self) -> Mapping[str, Channel]:
        """Channels by their names."""
        ...


def possible_fates(
    tables: ChannelTables, waiting: Iterable[PendingEvent]
) -> Iterator[PendingEvent]:
    """Yield what may become of what waits: each is a place with a fate, as `deliver` takes it.

    Args:
        tables: of the system.
        waiting: the places where something waits.

    Yields:
        Each event that may be delivered next, with what may become of it; in the order of
        `waiting`.
    """
    for pending in waiting:
        channel = _channel(tables, pending.link)
        if channel is None or channel.reorders or pending.position == 0:
            yield pending
            if channel is not None and channel.repeats:
                yield evolve(pending, fate=DeliveryOutcome.REPEATED)
        if channel is not None and channel.loses:
            yield evolve(pending, fate=DeliveryOutcome.LOST)


def place_of(pending: PendingEvent) -> PendingEvent:
    """Return where something waits, whatever is to become of it.

    Args:
        pending: what waits, with the fate that `deliver` is asked for.

    Returns:
        The same with the fate `DELIVERED`, as snapshots have it.
    """
    return (
        pending
        if pending.fate is DeliveryOutcome.DELIVERED
        else evolve(pending, fate=DeliveryOutcome.DELIVERED)
    )


def sent_place(tables: ChannelTables, place: PendingEvent) -> PendingEvent:
    """Return where an event waits that a link sends: in a channel, events of several links are the
    same where they are the same event for the same part, and the first link stands for all.

    Args:
        tables: of the system.
        place: as the link that sends has it.

    Returns:
        The same, with the first of the links that send the same.
    """
    link = tables.link_of[place.link]
    if link.channel is None or link.send is None:
        return place
    shared = tables.channels[link.channel].shared
    same = (
        number
        for number, other in tables.link_of.items()
        if other.channel == link.channel
        and (shared or other.on == link.on)
        and other.send is not None
        and (other.send.part, other.send.event) == (link.send.part, link.send.event)
    )
    return evolve(place, link=min(same), sender=None if shared else place.sender)


def queue_of(tables: ChannelTables, place: PendingEvent) -> EventQueue:
    """Return the queue in which a place is.

    Args:
        tables: of the system.
        place: link, sender, receiver and position.

    Returns:
        The channel or the link, with the sender and the receiver.
    """
    link = tables.link_of[place.link]
    assert link.send is not None
    receiver = link.send.part, place.receiver
    if link.channel is None:
        return EventQueue(link.index, (link.on, place.sender), receiver)
    if tables.channels[link.channel].shared:
        return EventQueue(link.channel, ("", None), receiver)
    return EventQueue(link.channel, (link.on, place.sender), receiver)


def waiting_by_queue(
    tables: ChannelTables, waiting: Waiting
) -> dict[EventQueue, dict[PendingEvent, Arguments]]:
    """Return what waits, by the queues in which something does.

    Args:
        tables: of the system.
        waiting: all that waits, with the arguments of each.

    Returns:
        A map of queues, in the order in which they are first met; each holds places and arguments.
    """
    queues = dict[EventQueue, dict[PendingEvent, Arguments]]()
    for pending, given in waiting.items():
        queues.setdefault(queue_of(tables, pending), {})[pending] = given
    return queues


def with_event(
    tables: ChannelTables, queue: Waiting, place: PendingEvent, given: Arguments
) -> Waiting | None:
    """Return what waits in a queue when an event was sent; None: nothing may be sent now.

    Args:
        tables: of the system.
        queue: what waited in it before.
        place: link, sender and receiver.
        given: the event's arguments.

    Returns:
        What waits then, with positions anew; None where the channel is full and refuses more.
    """
    channel = _channel(tables, place.link)
    if channel is None:
        return {place: given}
    events = [*_by_position(queue), (place, given)]
    if len(events) > channel.holds:
        match channel.full:
            case WhenFull.REFUSE:
                return None
            case WhenFull.DROP_NEW:
                events.pop()
            case WhenFull.DROP_OLD:
                events.pop(0)
    return _in_positions(channel, events)


def without_event(tables: ChannelTables, queue: Waiting, place: PendingEvent) -> Waiting:
    """Return what waits in a queue when an event waits no longer; those behind it have moved up.

    Args:
        tables: of the system.
        queue: what waits in it, first to last.
        place: link, sender, receiver and position.

    Returns:
        What waits then, with positions anew.
    """
    left = [waiting for waiting in _by_position(queue) if waiting[0] != place]
    channel = _channel(tables, place.link)
    return dict(left) if channel is None else _in_positions(channel, left)


def ordered_waiting(tables: ChannelTables, waiting: Waiting) -> Waiting:
    """Return what waits with the positions that it has in this order, as every snapshot has it.

    Args:
        tables: of the system.
        waiting: all that waits, with the arguments of each.

    Returns:
        The same events, numbered from 0 in each queue.
    """
    ordered = dict[PendingEvent, Arguments]()
    for queue, held in waiting_by_queue(tables, waiting).items():
        if isinstance(queue.name, str):
            held = dict(_in_positions(tables.channels[queue.name], _by_position(held)))
        ordered |= held
    return ordered


def is_overfull(tables: ChannelTables, waiting: Waiting) -> bool:
    """Tell whether a channel holds more than it can.

    Args:
        tables: of the system.
        waiting: all that waits, with the arguments of each.

    Returns:
        True where a queue of a channel is longer than the channel holds.
    """
    return any(
        channel is not None and pending.position >= channel.holds
        for pending in waiting
        for channel in [_channel(tables, pending.link)]
    )


def _channel(tables: ChannelTables, link: int) -> Channel | None:
    name = tables.link_of[link].channel
    return None if name is None else tables.channels[name]


def _by_position(queue: Waiting) -> list[tuple[PendingEvent, Arguments]]:
    """Return what waits in a queue, the first one first."""
    return sorted(queue.items(), key=lambda item: item[0].position)


def _in_positions(channel: Channel, events: list[tuple[PendingEvent, Arguments]]) -> Waiting:
    """Return what waits in a queue that holds these, the first one first."""
    ordered = sorted(events, key=_sort_key) if channel.reorders else events
    return {
        evolve(pending, position=index): given for index, (pending, given) in enumerate(ordered)
    }


def _sort_key(event: tuple[PendingEvent, Arguments]) -> tuple[int, list[str]]:
    pending, given = event
    return pending.link, [
        f"{name} {format_literal(value)}" for name, value in sorted(given.items())
    ]
