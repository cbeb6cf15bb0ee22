"""What a system does with an event of one of its parts: that part's step, then what its links send, change and forbid."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, evolve, field, frozen

from statemachines.model.expressions import Expression
from statemachines.model.machines import Machine
from statemachines.model.snapshots import Advanced, Answer, Forced, Refused, Snapshot, Value
from statemachines.model.systems import Held, Link, Part, PartStep, System, SystemAnswer, SystemSnapshot, Waiting
from statemachines.model.values import FrozenMap, make_record
from statemachines.semantics.behaviour import Behaviour, behaviour_of
from statemachines.semantics.mistakes import ArgumentsError, unknown
from statemachines.semantics.step import step
from statemachines.semantics.tables import Tables, tables_of

Values = Mapping[str, Value]


@frozen(eq=False)
class SystemTables:
    """A system, ready to be asked."""

    system: System
    title: str
    parts: dict[str, Part]
    tables: dict[str, Tables]
    """Name of a part to the tables of its machine."""
    behaviour: Behaviour
    """The system's own data, compiled; the parts are names of it."""
    links: dict[str, tuple[Link, ...]]
    """Name of a part to what its steps fire, in the author's order."""
    records: dict[tuple[str, int], tuple[Snapshot, Value]] = field(factory=dict, repr=False)
    """(part, id of a snapshot) to the snapshot, and what expressions see of it."""

    @property
    def events(self) -> tuple[str, ...]:
        """Every event of every part, as `part.event`."""
        return tuple(f"{name}.{event}" for name, tables in self.tables.items() for event in tables.events)

    def look(self, snapshot: SystemSnapshot) -> Snapshot:
        """Return a system's snapshot as its expressions see it: parts as records, beside the shared variables."""
        seen = {name: self.seen(name, snapshot.parts[name]) for name in self.parts}
        return Snapshot("", FrozenMap({**seen, **snapshot.variables}), snapshot.parameters)

    def seen(self, name: str, held: Held) -> Value:
        """Return a part as expressions see it."""
        if held is None:
            return None
        if isinstance(held, Snapshot):
            return self._record(name, held)
        return FrozenMap({key: self._record(name, one) for key, one in held.items()})

    def _record(self, name: str, held: Snapshot) -> Value:
        """Return one of a part as expressions see it; made once for a snapshot, which is kept, so its id stays its own."""
        known = self.records.get((name, id(held)))
        if known is None:
            if len(self.records) >= _MOST_RECORDS:
                self.records.clear()
            known = self.records[name, id(held)] = held, self._made(name, held)
        return known[1]

    def _made(self, name: str, held: Snapshot) -> Value:
        looks, tables = self.parts[name].looks, self.tables[name]
        values: dict[str, Value] = {"state": held.state, **held.parameters, **held.variables}
        values |= {predicate: tables.holds(predicate, held.state) for predicate in tables.predicates}
        names = tuple(one for one, _ in looks.fields)
        record: Value = make_record(looks.name, names, [values[one] for one in names])
        return record

    def holds(self, node: Expression, snapshot: SystemSnapshot, before: SystemSnapshot | None = None) -> bool:
        """Evaluate a condition of the system over a snapshot."""
        now = self.look(snapshot)
        earlier = None if before is None else self.look(before)
        return bool(self.behaviour.evaluate(node)("", now.variables, now.parameters, None, earlier))


_BUILT: dict[int, SystemTables] = {}
_MOST_BUILT = 64
_MOST_RECORDS = 20_000


def tables_of_system(system: System) -> SystemTables:
    """Return the tables of a system; they are built once for a value and kept."""
    built = _BUILT.get(id(system))
    if built is None:
        if len(_BUILT) >= _MOST_BUILT:
            _BUILT.clear()
        built = _BUILT[id(system)] = _build(system)  # the tables keep the system alive, so its id stays its own
    return built


def _build(system: System) -> SystemTables:
    own = Machine(system.name, system.release, (), (), data=system.data)
    return SystemTables(
        system,
        f"{system.name} {system.release}".strip(),
        {part.name: part for part in system.parts},
        {name: tables_of(machine) for name, machine in system.machines},
        behaviour_of(own),
        {part.name: tuple(link for link in system.links if link.on == part.name) for part in system.parts},
    )


def step_system(system: System, snapshot: SystemSnapshot, event: str, /, *, key: Value = None, **arguments: Value) -> SystemAnswer:
    """Answer what becomes of an event of a part; the snapshot itself is left alone.

    After the part's step its links fire in the author's order, each seeing what the earlier ones left. What a link sends at once is a step
    of its receiver, with the links of that one, before the next link is looked at; a refusal there undoes nothing.

    Args:
        system: in one release.
        snapshot: before the event.
        event: `part.event`, such as `belt.stop`.
        key: which one, of a part that there is several times.
        arguments: of the event.

    Returns:
        The system after it, and every step with its answer; the first step is the event's own. A step that `only if` forbids is Refused.

    Raises:
        ArgumentsError: no such part, key or event, or arguments that do not fit: a mistake of the caller.
    """
    tables = tables_of_system(system)
    name, _, asked = event.partition(".")
    if name not in tables.parts:
        raise unknown("part", name, tables.parts, tables.title)
    snapshot = _usable(tables, snapshot)
    run = _Run.of(tables, snapshot)
    if not run.has(name, key):
        raise ArgumentsError(_no_such(tables.parts[name], key, snapshot.parts[name]))
    held = run.held(name, key)
    answer = step(tables.tables[name], held, asked, **arguments)
    run.took(name, key, asked, arguments, answer, None)
    return run.answer()


def follow(
    tables: SystemTables, snapshot: SystemSnapshot, part: str, key: Value, event: str, arguments: Values, answer: Answer
) -> SystemAnswer:
    """Answer what a system makes of a step that a part has taken by itself: links that forbid it, and what the others send and change.

    Args:
        tables: of the system.
        snapshot: before the event.
        part: whose event it is.
        key: which one, of a part that there is several times.
        event: of the part.
        arguments: as the part's machine has them.
        answer: what the part's own `step` answered.
    """
    run = _Run.of(tables, snapshot)
    run.took(part, key, event, arguments, answer, None)
    return run.answer()


def deliver(system: System, snapshot: SystemSnapshot, waiting: Waiting) -> SystemAnswer:
    """Deliver an event that waits.

    Raises:
        ArgumentsError: nothing waits there.
    """
    tables = tables_of_system(system)
    snapshot = _usable(tables, snapshot)
    if waiting not in snapshot.waiting:
        raise ArgumentsError(f"nothing waits at {waiting}")
    link = next(one for one in system.links if one.number == waiting.link)
    assert link.send is not None
    arguments = snapshot.waiting[waiting]
    left = FrozenMap({place: given for place, given in snapshot.waiting.items() if place != waiting})
    run = _Run.of(tables, evolve(snapshot, waiting=left))
    run.send(link, waiting.receiver, arguments)
    return run.answer()


def _usable(tables: SystemTables, snapshot: SystemSnapshot) -> SystemSnapshot:
    """Return a snapshot that a caller has, with its shared values as the system has them; a part's are looked at by its own step.

    Raises:
        ArgumentsError: its parts are not those of the system, or a variable or parameter is missing, unknown or not of its type.
    """
    if not isinstance(snapshot, SystemSnapshot):
        raise ArgumentsError(f"{snapshot!r} is no snapshot of a system; `start()` returns one")
    for name in snapshot.parts:
        if name not in tables.parts:
            raise unknown("part", name, tables.parts, tables.title)
    if missing := [name for name in tables.parts if name not in snapshot.parts]:
        raise ArgumentsError(f"the snapshot lacks the part `{missing[0]}` of {tables.title}")
    if isinstance(snapshot.variables, FrozenMap) and isinstance(snapshot.parameters, FrozenMap):
        return snapshot
    shared = tables.behaviour.settled(Snapshot("", snapshot.variables, snapshot.parameters))
    return evolve(snapshot, variables=shared.variables, parameters=shared.parameters)


def _no_such(part: Part, key: Value, held: Held) -> str:
    if part.each is None:
        return f"`{part.name}` is absent" if held is None else f"there is one `{part.name}` only; it has no key {key!r}"
    known = ", ".join(repr(one) for one in held) if isinstance(held, Mapping) else ""
    if key is None:
        return f"there are several `{part.name}`, one for each key: say which, of {known or 'none'}"
    return f"`{part.name}` has no key {key!r}; there are {known or 'none'}"


@define
class _Run:
    """A system on its way through one event."""

    tables: SystemTables
    parts: dict[str, Held]
    variables: Values
    parameters: Values
    waiting: dict[Waiting, Values]
    steps: list[PartStep] = field(factory=list)
    wrong: list[str] = field(factory=list)

    @classmethod
    def of(cls, tables: SystemTables, snapshot: SystemSnapshot) -> _Run:
        return cls(tables, dict(snapshot.parts), snapshot.variables, snapshot.parameters, dict(snapshot.waiting))

    def answer(self) -> SystemAnswer:
        return SystemAnswer(self.now(), tuple(self.steps), tuple(self.wrong))

    def now(self) -> SystemSnapshot:
        return SystemSnapshot(FrozenMap(self.parts), FrozenMap(self.variables), self.parameters, FrozenMap(self.waiting))

    def has(self, name: str, key: Value) -> bool:
        held = self.parts[name]
        return key in held if isinstance(held, Mapping) else held is not None and key is None

    def held(self, name: str, key: Value) -> Snapshot:
        """Return the snapshot of a part that there is."""
        held = self.parts[name]
        one = held[key] if isinstance(held, Mapping) else held
        assert one is not None
        return one

    def took(self, name: str, key: Value, event: str, arguments: Values, answer: Answer, sent_by: int | None) -> None:
        """Keep what became of an event, unless a link forbids it, and let its links fire."""
        before = self.held(name, key)
        forbidding = self._forbidding(name, key, event, arguments, before, answer)
        if forbidding is not None:
            answer = Refused(before, None, reason=_forbidden(forbidding))
        self.steps.append(PartStep(name, key, event, FrozenMap(arguments), answer, sent_by))
        held = self.parts[name]
        self.parts[name] = FrozenMap({**held, key: answer.after}) if isinstance(held, Mapping) else answer.after
        for link in self.tables.links[name]:
            if link.only_if is None and _fires(link, event, before, answer):
                self._follow(link, key, {**arguments, "key": key, "returned": answer.returned})

    def _forbidding(self, name: str, key: Value, event: str, arguments: Values, before: Snapshot, answer: Answer) -> Link | None:
        """Return the first link by which a step may not be."""
        around = {**arguments, "key": key}
        for link in self.tables.links[name]:
            if link.only_if is None or not _fires(link, event, before, answer):
                continue
            if self._holds(link.guard, around) and not self._holds(link.only_if, around):
                return link
        return None

    def _follow(self, link: Link, key: Value, around: Values) -> None:
        """Do what a link says."""
        if not self._holds(link.guard, around):
            return
        given = {name: self._value(node, around) for name, node in link.send.arguments} if link.send is not None else {}
        receivers = self._receivers(link, around)
        self._change({one.variable: self._value(one.value, around) for one in link.effect})
        for receiver in receivers:
            if link.later:
                self.waiting[Waiting(link.number, key, receiver)] = FrozenMap(given)
            else:
                self.send(link, receiver, given)

    def _receivers(self, link: Link, around: Values) -> tuple[Value, ...]:
        """Return the keys of those that get what a link sends: one, every one, or nobody where the part is absent."""
        if link.send is None:
            return ()
        if link.send.key is not None:
            return (self._value(link.send.key, around),)
        held = self.parts[link.send.part]
        return tuple(held) if isinstance(held, Mapping) else () if held is None else (None,)

    def send(self, link: Link, receiver: Value, arguments: Values) -> None:
        """Let the receiver of a link take its step."""
        send = link.send
        if send is None or not self.has(send.part, receiver):
            return
        held = self.held(send.part, receiver)
        try:
            answer = step(self.tables.tables[send.part], held, send.event, **arguments)
        except ArgumentsError as misfit:
            self.wrong.append(f"link {link.number + 1} sends `{send.part}.{send.event}`: {misfit}")
            answer = Refused(held, None, reason=str(misfit))
        self.took(send.part, receiver, send.event, arguments, answer, link.number)

    def _change(self, values: Values) -> None:
        """Give shared variables new values, all at once."""
        changed = FrozenMap({**self.variables, **values})
        for variable in self.tables.system.data.variables:
            if variable.name in values and not self.tables.behaviour.is_of_type(variable, self._with(changed), self.parameters):
                self.wrong.append(f"`{variable.name}` would be {values[variable.name]!r}, which is not of type `{variable.type}`")
                return
        self.variables = changed

    def _with(self, variables: Values) -> Values:
        return {**self.tables.look(self.now()).variables, **variables}

    def _value(self, node: Expression, around: Values) -> Value:
        now = self.tables.look(self.now())
        value: Value = self.tables.behaviour.evaluate(node)("", now.variables, now.parameters, around)
        return value

    def _holds(self, node: Expression | None, around: Values) -> bool:
        return node is None or bool(self._value(node, around))


def _fires(link: Link, event: str, before: Snapshot, answer: Answer) -> bool:
    """Tell whether a step is one that a link speaks of.

    A state is entered where it was another one before, and where the step was asked for by its name (`to_RUNNING` in RUNNING); an event
    counts where a transition took it or it was forced.
    """
    if link.event is not None:
        return link.event == event and isinstance(answer, Advanced | Forced)
    moved = answer.after.state != before.state
    if link.enters is not None:
        again = isinstance(answer, Advanced | Forced) and event == f"to_{answer.after.state}"
        return (moved or again) and answer.after.state in link.enters
    return moved and before.state in (link.leaves or ())


def _forbidden(link: Link) -> str:
    where = f", line {link.span.line}" if link.span is not None else ""
    return f"the system forbids it (link {link.number + 1}{where})" + (f": {link.doc}" if link.doc else "")
