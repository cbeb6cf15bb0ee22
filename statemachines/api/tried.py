"""Machines and systems as what is tried out: what may be taken, why the rest may not, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from statemachines.api.explore import became, scope_of, snapshot_said
from statemachines.api.trying import Choice, Tried
from statemachines.api.walking_systems import became as system_became
from statemachines.api.walking_systems import begin_said
from statemachines.api.worded import condition
from statemachines.explore.drawing import Values
from statemachines.explore.enabled import Disabled, Enabled, enabled
from statemachines.explore.scopes import Scope, beginnings, extent
from statemachines.explore.system_world import SystemWorld, system_world
from statemachines.explore.walking_systems import SystemOccurrence
from statemachines.model.data import Claim
from statemachines.model.machines import Machine, Transition
from statemachines.model.snapshots import Ignored, Raised, Refused, Snapshot, Value
from statemachines.model.systems import System, SystemSnapshot
from statemachines.semantics.starts import starts
from statemachines.semantics.step import step
from statemachines.semantics.systems import step_system, tables_of_system
from statemachines.semantics.tables import tables_of
from statemachines.semantics.texts import exact

CHOICES = 6
"""Arguments of one event that are listed."""


def tried(value: Machine | System, texts: Iterable[str]) -> Tried:
    """Return a machine or a system to try out.

    Args:
        value: in one release.
        texts: of a scope, such as `Task=3,int=0..3`; see `explore.scope_of`.

    Raises:
        ArgumentsError: the scope does not fit, or nothing begins.
    """
    if isinstance(value, System):
        return TriedSystem(value, scope_of(tables_of_system(value).behaviour.machine, texts))
    scope = scope_of(value, texts)
    extent(tables_of(value).behaviour, scope)
    return TriedMachine(value, scope)


@define
class TriedMachine:
    """A machine that is tried out."""

    machine: Machine
    scope: Scope

    def begins(self) -> list[object]:
        """Return where it may begin: with the parameters of its scope where it has some, else with the first ones."""
        tables = tables_of(self.machine)
        if not self.machine.data.parameters:
            return list(starts(tables))
        return list(beginnings(tables.behaviour, extent(tables.behaviour, self.scope), self.scope))

    def said(self, now: object) -> str:
        """Write a snapshot."""
        assert isinstance(now, Snapshot)
        return snapshot_said(now)

    def look(self, now: object) -> tuple[list[Choice], list[tuple[str, str]]]:
        """Return what may be taken, and why not the rest."""
        assert isinstance(now, Snapshot)
        tables = tables_of(self.machine)
        within = extent(tables.behaviour, self.scope)
        choices, others = list[Choice](), list[tuple[str, str]]()
        for one in enabled(tables, within, now):
            if isinstance(one, Disabled):
                others.append((one.event, why_not(self.machine, now, one)))
                continue
            for arguments, answer in one.choices[:CHOICES]:
                choices.append(Choice(_called(one.event, arguments), became(now, answer), (one.event, arguments)))
            if len(one.choices) > CHOICES or one.more:
                choices[-1] = _and_more(choices[-1], one)
        return choices, others

    def broken(self, now: object) -> list[str]:
        """Return the rules that do not hold."""
        assert isinstance(now, Snapshot)
        evaluate = tables_of(self.machine).behaviour.evaluate
        return [
            one.name
            for one in self.machine.data.properties
            if one.claim is Claim.ALWAYS and one.holds and not evaluate(one.holds)(now.state, now.variables, now.parameters)
        ]

    def take(self, now: object, choice: object) -> tuple[object, str]:
        """Take an event with its arguments."""
        assert isinstance(choice, tuple)
        return self.ask(now, choice[0], None, choice[1])

    def ask(self, now: object, name: str, key: Value, arguments: Values) -> tuple[object, str]:
        """Ask for an event; arguments are looked at."""
        assert isinstance(now, Snapshot)
        answer = step(self.machine, now, name, **arguments)
        return answer.after, f"{_called(name, arguments)}   {became(now, answer)}"


def _and_more(last: Choice, one: Enabled) -> Choice:
    said = f"… and {len(one.choices) - CHOICES} more ways" if len(one.choices) > CHOICES else "… and other arguments"
    return Choice(last.said, f"{last.becomes}   {said}", last.take)


def _called(event: str, arguments: Values) -> str:
    return f"{event}({', '.join(f'{name}={exact(value)}' for name, value in arguments.items())})"


def why_not(machine: Machine, now: Snapshot, one: Disabled) -> str:
    """Say why an event is not possible: where it is taken, or what it needs; then what becomes of a request.

    Args:
        machine: in one release.
        now: where it is.
        one: the event, and what would be answered.
    """
    if one.answer is None:
        return "there are no arguments for it now"
    needs = condition([arrow for arrow in one.passed_over if isinstance(arrow, Transition)])
    sources = dict.fromkeys(arrow.source for arrow in machine.transitions if arrow.event == one.event and arrow.taken)
    if one.passed_over:
        reason = f"needs {needs}" if needs else "needs what does not hold"
    elif sources:
        reason = f"only from {', '.join(sources)}"
    else:
        reason = "no transition takes it"
    match one.answer:
        case Refused(reason=said) if said:
            reason = said
        case Ignored():
            reason += "; it would be ignored"
        case Raised(error=error):
            reason += f"; it would raise {error}"
    return reason


@define
class TriedSystem:
    """A system that is tried out."""

    system: System
    scope: Scope
    world: SystemWorld = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.world = system_world(self.system, self.scope)

    def begins(self) -> list[object]:
        """Return where it may begin."""
        return [self.world.snapshot(row) for row in self.world.begins]

    def said(self, now: object) -> str:
        """Write a snapshot."""
        assert isinstance(now, SystemSnapshot)
        return begin_said(now)

    def look(self, now: object) -> tuple[list[Choice], list[tuple[str, str]]]:
        """Return what may be taken, and why not the rest."""
        assert isinstance(now, SystemSnapshot)
        world = self.world
        choices, others, possible = list[Choice](), list[tuple[str, str]](), set[tuple[str, Value]]()
        for one in world.steps(world.row(now)):
            occurrence = one.occurrence
            possible.add((occurrence.event, occurrence.key))
            choices.append(Choice(_asked(occurrence), system_became(occurrence), occurrence))
        for name, tables in tables_of_system(self.system).tables.items():
            for (part, key), held in world.held_in(now):
                if part != name:
                    continue
                within = world.extents[name]
                for each in enabled(tables, within, held):
                    if (f"{name}.{each.event}", key) not in possible:
                        others.append((_of_part(name, key, each.event), self._why(now, name, key, held, each)))
        return choices, others

    def _why(self, now: SystemSnapshot, name: str, key: Value, held: Snapshot, one: Enabled | Disabled) -> str:
        if isinstance(one, Disabled):
            return why_not(dict(self.system.machines)[name], held, one)
        answer = step_system(self.system, now, f"{name}.{one.event}", key=key, **one.choices[0][0])
        first = answer.steps[0].answer
        return first.reason if isinstance(first, Refused) else "nothing comes of it"

    def broken(self, now: object) -> list[str]:
        """Return the rules that do not hold."""
        assert isinstance(now, SystemSnapshot)
        holds = tables_of_system(self.system).holds
        return [one.name for one in self.system.data.properties if one.claim is Claim.ALWAYS and one.holds and not holds(one.holds, now)]

    def take(self, now: object, choice: object) -> tuple[object, str]:
        """Take a step that was shown."""
        assert isinstance(choice, SystemOccurrence)
        return choice.answer.after, f"{_asked(choice)}   {system_became(choice)}"

    def ask(self, now: object, name: str, key: Value, arguments: Values) -> tuple[object, str]:
        """Ask for an event of a part; arguments are looked at."""
        assert isinstance(now, SystemSnapshot)
        occurrence = SystemOccurrence(name, key, arguments, step_system(self.system, now, name, key=key, **arguments))
        return self.take(now, occurrence)


def _asked(one: SystemOccurrence) -> str:
    part, _, event = one.event.partition(".")
    return ("delivered: " if one.delivered is not None else "") + _called(_of_part(part, one.key, event), one.arguments)


def _of_part(part: str, key: Value, event: str) -> str:
    return f"{part}.{event}" if key is None else f"{part}[{exact(key)}].{event}"
