"""Methods of generated classes for events with data: guards, cases and effects in place."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, evolve, field, frozen

from statemachines.embed.generate import Manner, Names, condition, manner_of
from statemachines.embed.pythonic import quoted, safe_name
from statemachines.embed.script import Script, negated
from statemachines.model.data import Case, Let
from statemachines.model.expressions import Expression, Kind
from statemachines.model.machines import Transition
from statemachines.semantics.compile import needed
from statemachines.semantics.source import identifier
from statemachines.semantics.tables import Tables
from statemachines.semantics.wording import wording


@frozen
class Way:
    """What an event does in some states: arrows that may take it, in order, and what becomes of it otherwise."""

    arrows: tuple[tuple[int, int, str], ...]
    """Entry, number of the case, target (empty: it stays)."""
    manner: Manner


@frozen(eq=False)
class Shop:
    """All that the methods of one class are written with."""

    tables: Tables
    names: Names
    script: Script
    variables: dict[str, str]
    """Variable to its attribute."""
    mays: dict[str, str]
    """Event to the method that tells whether it would be taken."""
    gifts: dict[str, str]
    """What operations give out beside their results, to its attribute."""

    @property
    def has_states(self) -> bool:
        """Whether there is more than one nameless state."""
        return self.tables.states != ("",)


def ways(shop: Shop, event: str) -> dict[Way, tuple[str, ...]]:
    """Return what an event does and in which states."""
    found: dict[Way, tuple[str, ...]] = {}
    for state in shop.tables.states:
        arrows = shop.tables.candidates.get((state, event), ())
        way = Way(tuple(_key(arrow) for arrow in arrows), _rest(shop, state, event, arrows))
        found[way] = (*found.get(way, ()), state)
    return found


def _key(arrow: Transition) -> tuple[int, int, str]:
    return arrow.entry, arrow.case.number if arrow.case is not None else -1, "" if arrow.target == arrow.source else arrow.target


def _rest(shop: Shop, state: str, event: str, arrows: tuple[Transition, ...]) -> Manner:
    """Return what becomes of an event that no arrow takes; nothing is left over by an arrow or a last case without condition."""
    if arrows and _is_total(arrows[-1]):
        return Manner("never")
    found = manner_of(shop.tables, state, event)
    return Manner("refuse") if found.kind == "go" else found


def _is_total(arrow: Transition) -> bool:
    return arrow.case is None or (arrow.case.guard is None and arrow.case.when is None)


def body(shop: Shop, event: str) -> list[str]:
    """Return the lines of an event's method behind its docstring and the look at its arguments."""
    return _written(_Lines(shop, event))


def may_body(shop: Shop, event: str) -> list[str]:
    """Return the lines of the method that tells whether a transition would take an event."""
    lines = _written(_May(shop, event))
    while (shorter := _inline(lines)) != lines:
        lines = shorter
    return lines


def _inline(lines: list[str]) -> list[str]:
    """Return a condition itself where one is looked at only to return whether it holds."""
    for place in range(len(lines) - 2):
        asked, yes, no = lines[place : place + 3]
        blanks = asked[: len(asked) - len(asked.lstrip())]
        if not asked.lstrip().startswith("if ") or not no.startswith(f"{blanks}return"):
            continue
        condition = asked.strip()[3:-1]
        told = {f"{blanks}    return True": condition, f"{blanks}    return False": negated(condition)}.get(yes)
        if told is not None and {yes.strip(), no.strip()} == {"return True", "return False"}:
            return [*lines[:place], f"{blanks}return {told}", *lines[place + 3 :]]
    return lines


def _written(lines: _Lines) -> list[str]:
    shop, event = lines.shop, lines.event
    found = ways(shop, event)
    *tested, last = sorted(found.items(), key=lambda each: not each[0].arrows)
    for way, states in tested:
        lines.lines += condition(states, shop.names, "        ", "if self.state", ":")
        evolve(lines, indent=3).way((way, states))
    lines.way(last)
    return lines.lines


@define
class _Lines:
    """The body of a method, line by line."""

    shop: Shop
    event: str
    indent: int = 2
    lines: list[str] = field(factory=list)
    known: frozenset[str] = frozenset()
    """`let` names that have their values here."""

    def add(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def inside(self) -> _Lines:
        return evolve(self, indent=self.indent + 1)

    def way(self, found: tuple[Way, tuple[str, ...]]) -> None:
        """Write what is done in some states."""
        way, states = found
        arrows = self.shop.tables.candidates.get((states[0], self.event), ())
        for entry in dict.fromkeys(arrow.entry for arrow in arrows):
            self._plan([arrow for arrow in arrows if arrow.entry == entry])
        self._otherwise(way.manner)

    def _plan(self, arrows: list[Transition]) -> None:
        first = arrows[0].case
        if first is None:
            self._arrive(arrows[0])
            return
        lines = self
        if first.guard is not None:
            self._lets(first, [first.guard])
            self.add(f"if {self.shop.script.text(first.guard)}:")
            lines = self.inside()
        for arrow in sorted(arrows, key=lambda arrow: arrow.case.number if arrow.case else 0):
            lines._case(arrow)

    def _arrive(self, arrow: Transition) -> None:
        self._move(arrow)
        self.add("return None" if self._has_result() else "return")

    def _case(self, arrow: Transition) -> None:
        case, lines = arrow.case, self
        assert case is not None
        if case.when is not None:
            self._lets(case, [case.when])
            self.add(f"if {self.shop.script.text(case.when)}:")
            lines = self.inside()
        lines._effect(arrow, case)

    def _effect(self, arrow: Transition, case: Case) -> None:
        """Write values first, all of them over what was before, then what changes, then what is given back."""
        values = [assignment.value for assignment in case.effect]
        returned = dict(case.returns) if isinstance(case.returns, tuple) else {"value": case.returns} if case.returns is not None else {}
        self._lets(case, [*values, *returned.values()])
        text, result = self.shop.script.text, safe_name("result", self._locals())
        several = len(case.effect) + len(returned) > 1 or any(not assignment.shown for assignment in case.effect)
        fresh = {assignment.variable: safe_name(f"new_{assignment.variable}", self._locals()) for assignment in case.effect}
        for assignment in case.effect:
            self.add(f"{fresh[assignment.variable] if several else self._attribute(assignment.variable)} = {text(assignment.value)}")
        for name, node in returned.items() if case.effect or len(returned) > 1 else ():
            self.add(f"{result if name == 'value' else safe_name(f'{name}_given', self._locals())} = {text(node)}")
        self._bounds(case, fresh)
        for assignment in case.effect if several else ():
            self.add(f"{self._attribute(assignment.variable)} = {fresh[assignment.variable]}")
        for name in returned if case.effect or len(returned) > 1 else ():
            if name != "value":
                self.add(f"self.{self.shop.gifts[name]} = {safe_name(f'{name}_given', self._locals())}")
        self._move(arrow)
        self._end(case, result if case.effect or len(returned) > 1 else "".join(text(node) for node in returned.values()), returned)

    def _end(self, case: Case, result: str, returned: dict[str, Expression]) -> None:
        if case.raises is not None:
            self.add(f"raise {self.shop.names.errors[case.raises]}({quoted(self.event)})")
        elif "value" in returned:
            self.add(f"return {result}")
        else:
            self.add("return None" if self._has_result() else "return")

    def _bounds(self, case: Case, fresh: dict[str, str]) -> None:
        """Look at values that were not shown to be of their types: one that is not is an error of the spec."""
        script = self.shop.script
        script.renamed = {identifier(Kind.VARIABLE, name): new for name, new in fresh.items()}
        for name, type_ in self.shop.tables.behaviour.compiler.to_check(case.effect):
            check = script.check(type_, script.name(identifier(Kind.VARIABLE, name)))
            if check:
                self.add(f"if {negated(check)}:")
                self.inside()._refuse("NotAllowed")
        script.renamed = {}

    def _otherwise(self, manner: Manner) -> None:
        if manner.kind == "never":
            return
        if manner.kind == "raise":
            error = self.shop.names.errors[manner.detail]
            self._refuse(f"{error}NotAllowed" if error in raised(self.shop.tables) else error)
        elif manner.kind == "refuse":
            self._refuse("NotAllowed")
        else:
            if manner.kind == "force":
                self.add(f"self.state = {self.shop.names.constants[manner.detail]}")
            self.add("return None" if self._has_result() else "return")

    def _refuse(self, error: str) -> None:
        state = "self.state, " if self.shop.has_states else '"", '
        self.add(f"raise {error}({state}{quoted(self.event)}, self.legal)")

    def _move(self, arrow: Transition) -> None:
        if arrow.target != arrow.source:
            self.add(f"self.state = {self.shop.names.constants[arrow.target]}")

    def _lets(self, case: Case, nodes: list[Expression]) -> None:
        """Write the `let` names that expressions need and that are not known yet."""
        lets: tuple[Let, ...] = (*self.shop.tables.behaviour.signature(self.event).lets, *case.lets)
        wanted = needed(lets, nodes)
        for let in lets:
            if let.name in wanted and let.name not in self.known:
                self.add(f"{let.name} = {self.shop.script.text(let.value)}")
                self.known |= {let.name}

    def _attribute(self, variable: str) -> str:
        return f"self.{self.shop.variables[variable]}"

    def _has_result(self) -> bool:
        return result_type(self.shop, self.event) != "None"

    def _locals(self) -> set[str]:
        signature = self.shop.tables.behaviour.signature(self.event)
        return {argument.name for argument in signature.arguments} | {let.name for let in signature.lets}


@define
class _May(_Lines):
    """The body of a method that only asks: conditions, and what they say."""

    def _effect(self, arrow: Transition, case: Case) -> None:
        if case.raises is not None:
            self.add("return False")
            return
        doubted = [assignment for assignment in case.effect if not assignment.shown]
        self._lets(case, [assignment.value for assignment in doubted])
        fresh = {assignment.variable: safe_name(f"new_{assignment.variable}", self._locals()) for assignment in doubted}
        for assignment in doubted:
            self.add(f"{fresh[assignment.variable]} = {self.shop.script.text(assignment.value)}")
        self._bounds(case, fresh)
        self.add("return True")

    def _arrive(self, arrow: Transition) -> None:
        self.add("return True")

    def _otherwise(self, manner: Manner) -> None:
        if manner.kind != "never":
            self.add("return False")

    def _refuse(self, error: str) -> None:
        self.add("return False")


def raised(tables: Tables) -> set[str]:
    """Return the errors that transitions raise."""
    return {arrow.case.raises for arrow in tables.machine.transitions if arrow.case is not None and arrow.case.raises is not None}


def results(shop: Shop, event: str) -> Iterator[Expression | None]:
    """Yield what the outcomes of an event give back; None where one gives nothing."""
    for arrow in shop.tables.machine.transitions:
        if arrow.event == event and arrow.taken:
            case = arrow.case
            if case is None or case.raises is None:
                returns = case.returns if case is not None else None
                yield dict(returns).get("value") if isinstance(returns, tuple) else returns


def result_type(shop: Shop, event: str) -> str:
    """Return the annotation of what a method gives back."""
    found = list(results(shop, event))
    types = dict.fromkeys(shop.script.type(node.type) for node in found if node is not None)
    if not types:
        return "None"
    kinds = {way.manner.kind for way in ways(shop, event)}
    nothing = None in found or bool(kinds & {"ignore", "force"})
    return " | ".join(dict.fromkeys(part for one in (*types, *(["None"] if nothing else [])) for part in one.split(" | ")))


def argument_checks(shop: Shop, event: str) -> Iterator[str]:
    """Yield the lines that look at an event's arguments."""
    signature = shop.tables.behaviour.signature(event)
    lines = _Lines(shop, event)
    for argument in signature.arguments:
        check = shop.script.check(argument.type, argument.name)
        if check:
            yield f"        if {negated(check)}:"
            said = quoted(f"`{argument.name}` of `{event}` is not of type `{argument.type}` here")
            yield f"            raise ArgumentsError({said})"
    if signature.where is not None:
        lines._lets(Case(), [signature.where])
        yield from lines.lines
        yield f"        if {negated(shop.script.text(signature.where))}:"
        said = quoted(f"the arguments of `{event}` are against its `where`: `{wording(signature.where)}` is false")
        yield f"            raise ArgumentsError({said})"
