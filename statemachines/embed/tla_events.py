"""Events with data as actions of TLA+."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from statemachines.embed.tla_expressions import TlaWriter
from statemachines.embed.tla_names import atom, tla_value
from statemachines.embed.tla_types import TlaTypes
from statemachines.model.data import Argument, Case, Let, Signature
from statemachines.model.expressions import Kind
from statemachines.model.machines import Does, Transition
from statemachines.semantics.step import forced_target, manner
from statemachines.semantics.tables import Tables

Lines = list[str]


def joined(sign: str, blocks: Iterable[Lines]) -> Lines:
    """Put blocks of lines under one another, each behind the sign.

    >>> joined("/\\\\", [["a"], ["IF b", "THEN c"]])
    ['/\\\\ a', '/\\\\ IF b', '   THEN c']
    """
    found = list(blocks)
    if len(found) == 1:
        return found[0]
    return [line for block in found for line in indented(block, f"{sign} ")]


def indented(lines: Lines, first: str) -> Lines:
    """Return lines behind a text, the later ones below the first one."""
    return [(first if place == 0 else " " * len(first)) + line for place, line in enumerate(lines)]


@frozen(eq=False)
class Events:
    """Writes the actions of one machine."""

    tables: Tables
    writer: TlaWriter
    types: TlaTypes
    variables: tuple[str, ...]
    """All variables of the module, the state included, as they are called there."""

    def action(self, event: str, *, raising: bool = True, fixed: str = "") -> Lines:
        """Return what an event does.

        Args:
            event: its name.
            raising: whether steps that raise are written.
            fixed: an argument that the action is given.
        """
        signature = self.tables.behaviour.signature(event)
        blocks = list(self._ways(event, raising))
        body = joined("\\/", blocks) if blocks else ["FALSE"]
        if signature.where is not None:
            body = joined("/\\", [[self.writer.write(signature.where)], body])
        return self._arguments(signature, self._lets(signature.lets, body), fixed)

    def _arguments(self, signature: Signature, body: Lines, fixed: str) -> Lines:
        for argument in reversed(signature.arguments):
            name, values = self._argument(argument), self.types.values(argument.type)
            if argument.name == fixed:
                body = joined("/\\", [[f"{name} \\in {atom(values)}"], body])
            else:
                body = [f"\\E {name} \\in {values} :", *(f"  {line}" for line in body)]
        return body

    def _argument(self, argument: Argument) -> str:
        return self.writer.names[Kind.ARGUMENT, argument.name]

    def _lets(self, lets: Sequence[Let], body: Lines) -> Lines:
        if not lets:
            return body
        written = [f"{self.writer.names[Kind.LET, let.name]} == {self.writer.write(let.value)}" for let in lets]
        return [*indented(written, "LET "), *indented(body, "IN ")]

    def _ways(self, event: str, raising: bool) -> Iterable[Lines]:
        """Yield what is done in some states: each operation, then what is forced where none takes the event."""
        found: dict[tuple[tuple[object, ...], str | None], tuple[str, ...]] = {}
        for state in self.tables.states:
            arrows = self.tables.candidates.get((state, event), ())
            key = (tuple((one.entry, one.case.number if one.case else -1, self._target(one)) for one in arrows), self._forced(state, event))
            found[key] = (*found.get(key, ()), state)
        for (_, forced), states in found.items():
            arrows = self.tables.candidates.get((states[0], event), ())
            entries = dict.fromkeys(arrow.entry for arrow in arrows)
            plans = [[arrow for arrow in arrows if arrow.entry == entry] for entry in entries]
            blocks = [block for plan in plans if (block := self._plan(plan, raising))]
            if forced is not None and not any(map(_is_total, plans)):
                blocks.append(joined("/\\", [*([f"~{atom(self._taken(plan))}"] for plan in plans), self._changes({}, forced)]))
            if blocks:
                yield joined("/\\", [*self._where(states), joined("\\/", blocks)])

    def _where(self, states: tuple[str, ...]) -> Iterable[Lines]:
        if states != self.tables.states:
            name = self.writer.names[Kind.STATE, "state"]
            yield [f"{name} = {tla_value(states[0])}" if len(states) == 1 else f"{name} \\in {tla_value(frozenset(states))}"]

    def _target(self, arrow: Transition) -> str:
        return "" if arrow.target == arrow.source else arrow.target

    def _forced(self, state: str, event: str) -> str | None:
        entry = manner(self.tables, state, event)
        if entry is None or entry.does is not Does.FORCE:
            return None
        target = forced_target(self.tables, state, event)
        return "" if target == state else target

    def _plan(self, arrows: list[Transition], raising: bool) -> Lines:
        """Return one operation with all its cases; the first whose condition holds is taken."""
        first = arrows[0].case
        if first is None:
            return self._changes({}, self._target(arrows[0]))
        lines: Lines = ["FALSE"]
        for arrow in sorted(arrows, key=_number, reverse=True):
            case = arrow.case
            assert case is not None
            block = self._effect(case, self._target(arrow)) if raising or case.raises is None else ["FALSE"]
            lines = block if case.when is None else self._choice(self.writer.write(case.when), block, lines)
        if lines == ["FALSE"]:
            return []
        if first.guard is not None:
            lines = joined("/\\", [[self.writer.write(first.guard)], lines])
        return self._lets(first.lets, lines)

    def _choice(self, condition: str, yes: Lines, no: Lines) -> Lines:
        if no == ["FALSE"]:
            return joined("/\\", [[condition], yes])
        return [f"IF {condition}", *indented(yes, "THEN "), *indented(no, "ELSE ")]

    def _taken(self, arrows: list[Transition]) -> str:
        """Return the condition that an operation takes the event."""
        cases = [arrow.case for arrow in arrows if arrow.case is not None]
        asked = [self.writer.part(cases[0].guard)] if cases and cases[0].guard is not None else []
        whens = [self.writer.part(case.when) for case in cases if case.when is not None]
        if len(whens) == len(cases):
            asked.append(atom(" \\/ ".join(whens)))
        condition = " /\\ ".join(asked)
        lets = cases[0].lets if cases else ()
        return " ".join(self._lets(lets, [condition])) if lets else condition

    def _effect(self, case: Case, target: str) -> Lines:
        names = self.writer.names
        return self._changes({names[Kind.VARIABLE, one.variable]: self.writer.write(one.value) for one in case.effect}, target)

    def _changes(self, values: dict[str, str], target: str) -> Lines:
        if target:
            values = {self.writer.names[Kind.STATE, "state"]: tla_value(target), **values}
        kept = [name for name in self.variables if name not in values]
        told = [[f"{name}' = {value}"] for name, value in values.items()]
        return joined("/\\", [*told, *([[f"UNCHANGED << {', '.join(kept)} >>"]] if kept else [])])


def _number(arrow: Transition) -> int:
    return arrow.case.number if arrow.case is not None else -1


def _is_total(arrows: list[Transition]) -> bool:
    """Tell whether an operation takes its event whatever the data."""
    case = max(arrows, key=_number).case
    return case is None or (case.guard is None and case.when is None)
