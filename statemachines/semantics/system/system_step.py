"""What a system does with an event of one of its parts: that part's step, then what its links send,
change and forbid.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, evolve, field, frozen

from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.snapshots import (
    Advanced,
    Answer,
    Forced,
    Refused,
    Snapshot,
    Value,
)
from statemachines.model.definitions.system_definitions import (
    Link,
    PartSnapshots,
    PartStep,
    PendingEvent,
    SystemAnswer,
    SystemDefinition,
    SystemPart,
    SystemSnapshot,
)
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.frozen_values import FrozenMap, make_record
from statemachines.semantics.evaluation.behaviour import Behaviour, compile_behaviour
from statemachines.semantics.machine.machine_tables import MachineTables, machine_tables
from statemachines.semantics.machine.step import step
from statemachines.semantics.messages.argument_errors import ArgumentsError, unknown_word
from statemachines.semantics.system.system_states import SnapshotSource, SystemState

Values = Mapping[str, Value]


@frozen(eq=False)
class SystemTables:
    """A system, ready to be asked."""

    system: SystemDefinition
    title: str
    parts: dict[str, SystemPart]
    tables: dict[str, MachineTables]
    """Name of a part to the tables of its machine."""
    behaviour: Behaviour
    """The system's own data, compiled; the parts are names of it."""
    links: dict[str, tuple[Link, ...]]
    """Name of a part to what its steps fire, in the author's order."""
    same: dict[str, tuple[tuple[str, tuple[tuple[str, str], ...]], ...]] = field(factory=dict)
    """Name of a part to its variables that others have as well, with all who have each of them."""
    cached_records: dict[tuple[str, int], tuple[Snapshot, Value]] = field(factory=dict, repr=False)
    """(part, id of a snapshot) to the snapshot, and what expressions see of it."""

    @property
    def events(self) -> tuple[str, ...]:
        """Every event of every part, as `part.event`."""
        return tuple(
            f"{name}.{event}" for name, tables in self.tables.items() for event in tables.events
        )

    def evaluation_snapshot(self, snapshot: SystemSnapshot) -> Snapshot:
        """Return a system's snapshot as its expressions see it: parts as records, beside the shared
        variables.
        """
        seen = {name: self.part_value(name, snapshot.parts[name]) for name in self.parts}
        return Snapshot("", FrozenMap({**seen, **snapshot.variables}), snapshot.parameters)

    def part_value(self, name: str, held: PartSnapshots) -> Value:
        """Return a part as expressions see it."""
        if held is None:
            return None
        if isinstance(held, Snapshot):
            return self.part_record(name, held)
        return FrozenMap({key: self.part_record(name, one) for key, one in held.items()})

    def part_record(self, name: str, held: Snapshot) -> Value:
        """Return one of a part as expressions see it; made once for a snapshot, which is kept, so
        its id stays its own.
        """
        known = self.cached_records.get((name, id(held)))
        if known is None:
            if len(self.cached_records) >= _MOST_RECORDS:
                self.cached_records.clear()
            known = self.cached_records[name, id(held)] = held, self._new_record(name, held)
        return known[1]

    def _new_record(self, name: str, held: Snapshot) -> Value:
        looks, tables = self.parts[name].record_type, self.tables[name]
        values: dict[str, Value] = {"state": held.state, **held.parameters, **held.variables}
        values |= {
            predicate: tables.holds(predicate, held.state) for predicate in tables.predicates
        }
        names = tuple(one for one, _ in looks.fields)
        record: Value = make_record(looks.name, names, [values[one] for one in names])
        return record

    def holds(
        self, node: Expression, snapshot: SystemSnapshot, before: SystemSnapshot | None = None
    ) -> bool:
        """Evaluate a condition of the system over a snapshot."""
        now = self.evaluation_snapshot(snapshot)
        earlier = None if before is None else self.evaluation_snapshot(before)
        return bool(
            self.behaviour.evaluator(node)("", now.variables, now.parameters, None, earlier)
        )


_SYSTEM_TABLES: dict[int, SystemTables] = {}
_MOST_SYSTEM_TABLES = 64
_MOST_RECORDS = 20_000


def system_tables(system: SystemDefinition) -> SystemTables:
    """Return the tables of a system; they are built once for a value and kept."""
    built = _SYSTEM_TABLES.get(id(system))
    if built is None:
        if len(_SYSTEM_TABLES) >= _MOST_SYSTEM_TABLES:
            _SYSTEM_TABLES.clear()
        built = _SYSTEM_TABLES[id(system)] = _build_system_tables(
            system
        )  # the tables keep the system alive, so its id stays its own
    return built


def _build_system_tables(system: SystemDefinition) -> SystemTables:
    own = MachineDefinition(system.name, system.release, (), (), data=system.data)
    return SystemTables(
        system,
        f"{system.name} {system.release}".strip(),
        {part.name: part for part in system.parts},
        {name: machine_tables(machine) for name, machine in system.machines},
        compile_behaviour(own),
        {
            part.name: tuple(link for link in system.links if link.on == part.name)
            for part in system.parts
        },
        {
            part.name: tuple(
                (variable, one.members)
                for one in system.same
                for name, variable in one.members
                if name == part.name
            )
            for part in system.parts
        },
    )


def shared_parts(
    tables: SystemTables, parts: Mapping[str, PartSnapshots]
) -> dict[str, PartSnapshots]:
    """Return the parts of a system at its beginning, each variable that is the same as the first
    part has it that is there.
    """
    found = dict(parts)
    for one in tables.system.same:
        values = [
            held.variables[variable]
            for name, variable in one.members
            for held in _snapshots_of(parts[name])
        ]
        for name, variable in one.members if values else ():
            found[name] = _with_variable(found[name], variable, values[0])
    return found


def _snapshots_of(held: PartSnapshots) -> tuple[Snapshot, ...]:
    """Return what there is of a part."""
    if isinstance(held, Mapping):
        return tuple(held.values())
    return () if held is None else (held,)


def _with_variable(held: PartSnapshots, variable: str, value: Value) -> PartSnapshots:
    """Return a part in which a variable has a value; the very same where it has it already."""
    if isinstance(held, Mapping):
        if all(one.variables[variable] == value for one in held.values()):
            return held
        return FrozenMap({key: _snapshot_with(one, variable, value) for key, one in held.items()})
    return None if held is None else _snapshot_with(held, variable, value)


def _snapshot_with(held: Snapshot, variable: str, value: Value) -> Snapshot:
    if held.variables[variable] == value:
        return held
    return evolve(held, variables=FrozenMap({**held.variables, variable: value}))


def step_system(
    system: SystemDefinition,
    snapshot: SystemSnapshot,
    event: str,
    /,
    *,
    key: Value = None,
    **arguments: Value,
) -> SystemAnswer:
    """Answer what becomes of an event of a part; the snapshot itself is left alone.

    After the part's step its links fire in the author's order, each seeing what the earlier ones
    left. What a link sends at once is a step of its receiver, with the links of that one, before
    the next link is looked at; a refusal there undoes nothing.

    Args:
        system: in one release.
        snapshot: before the event.
        event: `part.event`, such as `belt.stop`.
        key: which one, of a part that there is several times.
        arguments: of the event.

    Returns:
        The system after it, and every step with its answer; the first step is the event's own. A
        step that `only if` forbids is Refused.

    Raises:
        ArgumentsError: no such part, key or event, or arguments that do not fit: a mistake of the
            caller.
    """
    tables = system_tables(system)
    name, _, asked = event.partition(".")
    if name not in tables.parts:
        raise unknown_word("part", name, tables.parts, tables.title)
    snapshot = _checked_snapshot(tables, snapshot)
    run = EventCascade.from_snapshot(tables, snapshot)
    if not run.state.has_part(name, key):
        raise ArgumentsError(_missing_part_message(tables.parts[name], key, snapshot.parts[name]))
    held = run.state.part_snapshot(name, key)
    answer = step(tables.tables[name], held, asked, **arguments)
    run.record_step(name, key, asked, arguments, answer, None)
    return run.answer_from(snapshot)


def apply_part_step(
    tables: SystemTables,
    snapshot: SystemSnapshot,
    part: str,
    key: Value,
    event: str,
    arguments: Values,
    answer: Answer,
) -> SystemAnswer:
    """Answer what a system makes of a step that a part has taken by itself: links that forbid it,
    and what the others send and change.

    Args:
        tables: of the system.
        snapshot: before the event.
        part: whose event it is.
        key: which one, of a part that there is several times.
        event: of the part.
        arguments: as the part's machine has them.
        answer: what the part's own `step` answered.
    """
    run = EventCascade.from_snapshot(tables, snapshot)
    run.record_step(part, key, event, arguments, answer, None)
    return run.answer_from(snapshot)


def deliver_event(
    system: SystemDefinition, snapshot: SystemSnapshot, waiting: PendingEvent
) -> SystemAnswer:
    """Deliver an event that waits.

    Raises:
        ArgumentsError: nothing waits there.
    """
    tables = system_tables(system)
    snapshot = _checked_snapshot(tables, snapshot)
    if waiting not in snapshot.waiting:
        raise ArgumentsError(f"nothing waits at {waiting}")
    run = EventCascade.from_snapshot(tables, snapshot)
    run.deliver(waiting)
    return run.answer_from(snapshot)


def _checked_snapshot(tables: SystemTables, snapshot: SystemSnapshot) -> SystemSnapshot:
    """Return a snapshot that a caller has, with its shared values as the system has them; a part's
    are looked at by its own step.

    Raises:
        ArgumentsError: its parts are not those of the system, or a variable or parameter is
            missing, unknown or not of its type.
    """
    if not isinstance(snapshot, SystemSnapshot):
        raise ArgumentsError(f"{snapshot!r} is no snapshot of a system; `start()` returns one")
    for name in snapshot.parts:
        if name not in tables.parts:
            raise unknown_word("part", name, tables.parts, tables.title)
    if missing := [name for name in tables.parts if name not in snapshot.parts]:
        raise ArgumentsError(f"the snapshot lacks the part `{missing[0]}` of {tables.title}")
    _check_same_variables(tables, snapshot)
    if isinstance(snapshot.variables, FrozenMap) and isinstance(snapshot.parameters, FrozenMap):
        return snapshot
    shared = tables.behaviour.checked_snapshot(
        Snapshot("", snapshot.variables, snapshot.parameters)
    )
    return evolve(snapshot, variables=shared.variables, parameters=shared.parameters)


def _check_same_variables(tables: SystemTables, snapshot: SystemSnapshot) -> None:
    """Refuse a snapshot in which one variable has two values."""
    for one in tables.system.same:
        told = [
            (f"{name}.{variable}", held.variables.get(variable))
            for name, variable in one.members
            for held in _snapshots_of(snapshot.parts[name])
        ]
        for name, value in told:
            if value != told[0][1]:
                raise ArgumentsError(
                    f"`{told[0][0]}` and `{name}` are the same (`{one.name}`), and the snapshot"
                    f" says {told[0][1]!r} and {value!r}"
                )


def _missing_part_message(part: SystemPart, key: Value, held: PartSnapshots) -> str:
    if part.each is None:
        return (
            f"`{part.name}` is absent"
            if held is None
            else f"there is one `{part.name}` only; it has no key {key!r}"
        )
    known = ", ".join(repr(one) for one in held) if isinstance(held, Mapping) else ""
    if key is None:
        return f"there are several `{part.name}`, one for each key: say which, of {known or 'none'}"
    return f"`{part.name}` has no key {key!r}; there are {known or 'none'}"


@define
class EventCascade:
    """A system on its way through one event: the event's own step, and all that comes of it."""

    tables: SystemTables
    state: SystemState
    steps: list[PartStep] = field(factory=list)
    spec_errors: list[str] = field(factory=list)
    fired_links: set[int] = field(factory=set)
    """The links that sent something, at once or for later."""

    @classmethod
    def from_snapshot(cls, tables: SystemTables, snapshot: SystemSnapshot) -> EventCascade:
        """Begin with all of a system at once."""
        return cls(tables, SystemState(tables, SnapshotSource(tables, snapshot)))

    def answer_from(self, before: SystemSnapshot) -> SystemAnswer:
        """Return what became of the event that came to a snapshot."""
        return SystemAnswer(
            self.state.snapshot_after(before), tuple(self.steps), tuple(self.spec_errors)
        )

    def record_step(
        self,
        name: str,
        key: Value,
        event: str,
        arguments: Values,
        answer: Answer,
        sent_by: int | None,
    ) -> None:
        """Keep what became of an event, unless a link forbids it, and let its links fire."""
        before = self.state.part_snapshot(name, key)
        forbidding = self._forbidding_link(name, key, event, arguments, before, answer)
        if forbidding is not None:
            answer = Refused(before, None, reason=_forbidden_message(forbidding))
        self.steps.append(PartStep(name, key, event, FrozenMap(arguments), answer, sent_by))
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
        self._assign({one.variable: self._evaluate(one.value, around) for one in link.effect})
        for receiver in receivers:
            if link.deferred:
                self.fired_links.add(link.index)
                self.state.put(PendingEvent(link.index, key, receiver), FrozenMap(given))
            else:
                self._send_event(link, receiver, given)

    def _receivers(self, link: Link, around: Values) -> tuple[Value, ...]:
        """Return the keys of those that get what a link sends: one, every one, or nobody where the
        part is absent.
        """
        if link.send is None:
            return ()
        if link.send.key is not None:
            return (self._evaluate(link.send.key, around),)
        return self.state.source.keys(link.send.part)

    def deliver(self, waiting: PendingEvent) -> None:
        """Let the receiver of an event that waits take its step."""
        link = next(one for one in self.tables.system.links if one.index == waiting.link)
        self._send_event(link, waiting.receiver, self.state.take(waiting))

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


def _forbidden_message(link: Link) -> str:
    where = f", line {link.span.line}" if link.span is not None else ""
    return f"the system forbids it (link {link.index + 1}{where})" + (
        f": {link.doc}" if link.doc else ""
    )
