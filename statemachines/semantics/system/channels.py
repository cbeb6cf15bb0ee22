"""What waits in a system: what may become of it, and the queues of its channels.

A queue is told from others by its channel, its sender and its receiver; each event that waits in it
has its position there. A queue that reorders is kept in one order, so that equal ones are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from attrs import evolve

from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import (
    Channel,
    DeliveryOutcome,
    Link,
    PendingEvent,
)
from statemachines.semantics.messages.value_text import format_literal

Arguments = Mapping[str, Value]
Waiting = Mapping[PendingEvent, Arguments]
Queue = tuple[str, str, Value, str, Value]
"""A channel, the part that sends and its key, the part that receives and its key."""


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
    """
    for place in waiting:
        channel = _channel(tables, place.link)
        if channel is None or channel.reorders or place.position == 0:
            yield place
            if channel is not None and channel.repeats:
                yield evolve(place, fate=DeliveryOutcome.REPEATED)
        if channel is not None and channel.loses:
            yield evolve(place, fate=DeliveryOutcome.LOST)


def place_of(asked: PendingEvent) -> PendingEvent:
    """Return where something waits, whatever is to become of it."""
    return (
        asked
        if asked.fate is DeliveryOutcome.DELIVERED
        else evolve(asked, fate=DeliveryOutcome.DELIVERED)
    )


def receiver_of(tables: ChannelTables, place: PendingEvent) -> tuple[str, Value]:
    """Return the part, and its key, for which something waits."""
    send = tables.link_of[place.link].send
    assert send is not None
    return send.part, place.receiver


def sent_place(tables: ChannelTables, place: PendingEvent) -> PendingEvent:
    """Return where an event waits that a link sends: in a channel, events of several links are the
    same where they are the same event for the same part, and the first link stands for all.
    """
    link = tables.link_of[place.link]
    if link.channel is None or link.send is None:
        return place
    same = (
        number
        for number, other in tables.link_of.items()
        if (other.on, other.channel) == (link.on, link.channel)
        and other.send is not None
        and (other.send.part, other.send.event) == (link.send.part, link.send.event)
    )
    return evolve(place, link=min(same))


def with_event(
    tables: ChannelTables, waiting: Waiting, place: PendingEvent, given: Arguments
) -> Waiting | None:
    """Return what waits when an event was sent; None: the channel is full.

    Args:
        tables: of the system.
        waiting: what waited before.
        place: link, sender and receiver.
        given: the event's arguments.
    """
    channel = _channel(tables, place.link)
    if channel is None:
        return {**waiting, place: given}
    queue = _queue(tables, place)
    before = _events_in(tables, waiting, queue)
    if len(before) >= channel.holds:
        return None
    return _with_queue(waiting, channel, before, [*before, (place, given)])


def without_event(tables: ChannelTables, waiting: Waiting, place: PendingEvent) -> Waiting:
    """Return what waits when an event waits no longer; those behind it have moved up."""
    channel = _channel(tables, place.link)
    if channel is None:
        return {one: given for one, given in waiting.items() if one != place}
    before = _events_in(tables, waiting, _queue(tables, place))
    return _with_queue(waiting, channel, before, [one for one in before if one[0] != place])


def ordered_waiting(tables: ChannelTables, waiting: Waiting) -> Waiting:
    """Return what waits with the positions that it has in this order, as every snapshot has it."""
    found = dict(waiting)
    for queue in dict.fromkeys(
        _queue(tables, place) for place in waiting if _channel(tables, place.link) is not None
    ):
        events = _events_in(tables, found, queue)
        found = _with_queue(found, tables.channels[queue[0]], events, events)
    return found


def is_overfull(tables: ChannelTables, waiting: Waiting) -> bool:
    """Tell whether a channel holds more than it can."""
    return any(
        channel is not None and place.position >= channel.holds
        for place in waiting
        for channel in [_channel(tables, place.link)]
    )


def _channel(tables: ChannelTables, link: int) -> Channel | None:
    name = tables.link_of[link].channel
    return None if name is None else tables.channels[name]


def _queue(tables: ChannelTables, place: PendingEvent) -> Queue:
    link = tables.link_of[place.link]
    assert link.send is not None
    return link.channel or "", link.on, place.sender, link.send.part, place.receiver


def _events_in(
    tables: ChannelTables, waiting: Waiting, queue: Queue
) -> list[tuple[PendingEvent, Arguments]]:
    """Return what waits in a queue, the first one first."""
    found = [(place, given) for place, given in waiting.items() if _queue(tables, place) == queue]
    return sorted(found, key=lambda one: one[0].position)


def _with_queue(
    waiting: Waiting,
    channel: Channel,
    before: list[tuple[PendingEvent, Arguments]],
    after: list[tuple[PendingEvent, Arguments]],
) -> dict[PendingEvent, Arguments]:
    """Return what waits where a queue holds something else."""
    gone = {place for place, _ in before}
    found = {place: given for place, given in waiting.items() if place not in gone}
    for position, (place, given) in enumerate(
        sorted(after, key=_sort_key) if channel.reorders else after
    ):
        found[evolve(place, position=position)] = given
    return found


def _sort_key(event: tuple[PendingEvent, Arguments]) -> tuple[int, list[str]]:
    place, given = event
    return place.link, [f"{name} {format_literal(value)}" for name, value in sorted(given.items())]
