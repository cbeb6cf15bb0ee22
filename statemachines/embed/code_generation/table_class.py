"""A machine as one Python module that needs nothing: an enumeration of its states and a class with
a method an event.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import field, frozen

from statemachines.embed.code_generation.python_text import (
    LINE_WIDTH,
    class_name,
    docstring,
    names_tuple,
    safe_name,
    string_literal,
)
from statemachines.embed.instances import legal_events
from statemachines.model.definitions.machine_definitions import FallbackKind
from statemachines.semantics.machine.machine_tables import (
    MachineTables,
)
from statemachines.semantics.machine.step import forced_target, matching_fallback
from statemachines.semantics.machine.time_steps import restarting_events, time_steps

RESERVED_NAMES = (
    *("state", "legal", "may", "State", "NotAllowed", "MACHINE", "RELEASE"),
    *("AFTER", "RESTARTS"),
)
"""Names that every generated module or class has itself."""

_NOT_ALLOWED_CLASS = '''
class NotAllowed(Exception):
    """An event that nothing allows in this state; the object is where it was."""

    def __init__(self, state: State, event: str, legal: tuple[str, ...]) -> None:
        super().__init__(state, event, legal)
        self.state = state
        self.event = event
        self.legal = tuple(other for other in legal if other != event)

    def __str__(self) -> str:
        legal = ", ".join(f"`{event}`" for event in self.legal) or "nothing"
        where = f"`{self.event}` is not allowed in {self.state}"
        return f"{MACHINE} {RELEASE}".strip() + f": {where}; legal here: {legal}"
'''

_LEGAL_METHODS = '''
    @property
    def legal(self) -> tuple[str, ...]:
        """The events that would be taken now."""
        return _LEGAL[self.state]

    def may(self, event: str) -> bool:
        """Tell whether an event would be taken now; nothing happens."""
        return event in _LEGAL[self.state]
'''


class CannotGenerate(ValueError):
    """The machine has something that generated code has no words for."""


@frozen
class Branch:
    """What a method does in some states: go somewhere, raise something, or nothing."""

    kind: str
    """`go`, `force`, `ignore`, `raise` or `refuse`."""
    detail: str = ""
    """The target's name, or the error's."""


@frozen
class GeneratedNames:
    """What things are called in the module."""

    members: dict[str, str]
    """State to the name of its member of the enumeration."""
    methods: dict[str, str]
    """Event to the name of its method."""
    errors: dict[str, str]
    """Declared error to its class."""
    class_name: str
    """The class."""
    constants: dict[str, str] = field(init=False)
    """State to the module's own short name of its member."""

    @constants.default
    def _constants(self) -> dict[str, str]:
        return {state: f"_{member}" for state, member in self.members.items()}


def generate_table_code(tables: MachineTables) -> str:
    """Return the text of a module for a machine without data.

    Args:
        tables: those of the machine.

    Returns:
        A Python module, ending in a line feed.
    """
    names = generated_names(tables)
    parts = (
        module_header(tables),
        state_enum_lines(tables, names),
        _constant_lines(tables, names),
        _NOT_ALLOWED_CLASS.splitlines(),
    )
    lines = [line for part in parts for line in part]
    lines += [line for error in names.errors.values() for line in _error_class_lines(error)]
    return "\n".join([*lines, *_class_lines(tables, names)]).rstrip("\n") + "\n"


def generated_names(tables: MachineTables) -> GeneratedNames:
    """Return what things are called in the module: as in the spec, where Python lets them.

    Args:
        tables: those of the machine.

    Returns:
        Names by what they stand for; no two are the same.
    """
    kind = class_name(tables.machine.name)
    kind = f"{kind}Machine" if kind in RESERVED_NAMES else kind
    declared = dict.fromkeys(
        entry.error for entry in tables.machine.otherwise if entry.error is not None
    )
    members: dict[str, str] = {}
    for state in tables.states:
        members[state] = safe_name(
            state.strip("_") or "NAMELESS", {"mro", "name", "value", *members.values()}
        )
    methods: dict[str, str] = {}
    for event in tables.events:
        methods[event] = safe_name(event, {*RESERVED_NAMES, *methods.values()})
    return GeneratedNames(
        members,
        methods,
        {error: safe_name(error, {*RESERVED_NAMES, kind, "enum", "Final"}) for error in declared},
        kind,
    )


def module_header(
    tables: MachineTables, imports: tuple[str, ...] = ("from typing import Final",)
) -> list[str]:
    """Return what a module begins with: from what it was made, imports, its constants.

    Args:
        tables: those of the machine.
        imports: lines that import what the module needs.

    Returns:
        Lines of Python.
    """
    machine = tables.machine
    release = f" in {machine.release}" if machine.release else ""
    made = (
        f"Made by `statemachines generate code` of {machine.name}{release}. Change the spec, not"
        " this file."
    )
    doc = docstring(
        [
            f"The life cycle {tables.title}.",
            made,
            f"sha256 of the spec: {machine.sha256}" if machine.sha256 else "",
        ],
        "",
    )
    return [
        *doc,
        "",
        "from __future__ import annotations",
        "",
        "import enum",
        *imports,
        "",
        f"MACHINE: Final = {string_literal(machine.name)}",
        f"RELEASE: Final = {string_literal(machine.release)}",
        "",
    ]


def state_enum_lines(tables: MachineTables, names: GeneratedNames) -> Iterator[str]:
    """Yield the enumeration of the states.

    Args:
        tables: those of the machine.
        names: what things are called in the module.

    Yields:
        Lines of Python.
    """
    yield from ("", "class State(enum.StrEnum):", '    """Where it may be."""', "")
    for state in tables.machine.states:
        yield f"    {names.members[state.name]} = {string_literal(state.name)}"
        facts = [
            word for word, holds in (("initial", state.initial), ("final", state.final)) if holds
        ]
        if state.doc or facts:
            yield from docstring(
                [" ".join(filter(None, [state.doc, f"({', '.join(facts)})" if facts else ""]))],
                "    ",
            )
    yield ""


def _constant_lines(tables: MachineTables, names: GeneratedNames) -> Iterator[str]:
    yield ""
    for state in tables.states:
        yield f"{names.constants[state]}: Final = State.{names.members[state]}"
    yield "_LEGAL: Final[dict[State, tuple[str, ...]]] = {"
    for state in tables.states:
        events = [string_literal(event) for event in legal_events(tables, state)]
        yield from names_tuple(events, "    ", f"State.{names.members[state]}: ", ",")
    yield from ("}", "")
    yield from time_step_lines(tables, names)


def time_step_lines(tables: MachineTables, names: GeneratedNames) -> Iterator[str]:
    """Yield the events that time sends, of a machine that has any: who has a clock sends them.

    Args:
        tables: those of the machine.
        names: what things are called in the module.

    Yields:
        Lines of Python; none where time sends nothing.
    """
    steps = time_steps(tables.machine)
    if not steps:
        return
    yield "AFTER: Final[dict[State, tuple[tuple[float, str], ...]]] = {"
    for state, held in steps.items():
        pairs = [f"({step.after_s}, {string_literal(step.event)})" for step in held]
        yield from names_tuple(pairs, "    ", f"State.{names.members[state]}: ", ",")
    yield "}"
    text = "Seconds in a state, and the event that time sends then; whoever has a clock sends it."
    yield from (f'"""{text}"""', "")
    yield from _restart_lines(tables, names)


def _restart_lines(tables: MachineTables, names: GeneratedNames) -> Iterator[str]:
    """Yield the events after which the seconds of `AFTER` begin again, if there are any."""
    events = restarting_events(tables.machine)
    if not events:
        return
    yield "RESTARTS: Final[frozenset[tuple[State, str]]] = frozenset({"
    for state in tables.states:
        for event in tables.events:
            if (state, event) in events:
                yield f"    (State.{names.members[state]}, {string_literal(event)}),"
    yield "})"
    yield from ('"""Events that enter their state anew: its seconds in `AFTER` begin again."""', "")


def _error_class_lines(name: str) -> tuple[str, ...]:
    return (
        "",
        "",
        f"class {name}(NotAllowed):",
        '    """What the system raises where nothing allows an event."""',
    )


def _class_lines(tables: MachineTables, names: GeneratedNames) -> Iterator[str]:
    machine, first = tables.machine, tables.state_names(tables.initial)[0]
    yield from ("", "", f"class {names.class_name}:")
    doc = (machine.doc or f"One instance of {tables.title}.").split("\n\n")
    yield from docstring([*doc, f"Source: {machine.source}" if machine.source else ""], "    ")
    yield from ("", '    __slots__ = ("state",)', "")
    yield f"    def __init__(self, state: State = {names.constants[first]}) -> None:"
    yield from (
        "        self.state: State = State(state)",
        *_LEGAL_METHODS.rstrip("\n").splitlines(),
    )
    for predicate in machine.predicates:
        yield from _predicate_lines(predicate.name, predicate.doc, tables, names)
    for event in tables.events:
        yield from _method_lines(event, tables, names)


def _predicate_lines(
    name: str, doc: str, tables: MachineTables, names: GeneratedNames
) -> Iterator[str]:
    states = tables.state_names(tables.predicates[name])
    yield from (
        "",
        "    @property",
        f"    def {safe_name(name, {*RESERVED_NAMES, *names.methods.values()})}(self) -> bool:",
    )
    yield from docstring([doc or f"Whether it is in {states_text(states)}."], "        ")
    yield from state_condition(states, names, "        ", "return self.state", "")


def _method_lines(event: str, tables: MachineTables, names: GeneratedNames) -> Iterator[str]:
    groups = _states_by_branch(event, tables)
    yield from ("", f"    def {names.methods[event]}(self) -> None:")
    yield from docstring(_method_doc(event, tables, groups), "        ")
    branches = _states_by_body(groups, event, names)
    if len(branches) > 1 or any(line.startswith("raise") for lines in branches for line in lines):
        yield "        state = self.state"
    yield from _if_chain(branches, names)


def _states_by_body(
    groups: dict[Branch, tuple[str, ...]], event: str, names: GeneratedNames
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the lines of each different body, and the states in which it is done."""
    by_body: dict[tuple[str, ...], tuple[str, ...]] = {}
    for branch, states in groups.items():
        body = _branch_lines(branch, event, names)
        by_body[body] = (*by_body.get(body, ()), *states)
    return by_body


def _if_chain(
    branches: dict[tuple[str, ...], tuple[str, ...]], names: GeneratedNames
) -> Iterator[str]:
    """Write the branches one under the other; a last one that does nothing is left out."""
    *tested, last = branches
    for index, body in enumerate(tested):
        yield from state_condition(
            branches[body], names, "        ", f"{'elif' if index else 'if'} state", ":"
        )
        yield from (f"            {line}" for line in body or ("return",))
    if tested and last:
        yield "        else:"
    yield from (f"            {line}" if tested else f"        {line}" for line in last)


def _states_by_branch(event: str, tables: MachineTables) -> dict[Branch, tuple[str, ...]]:
    """Return what the event does and in which states: its transitions first, and last the rest that
    fills most states.
    """
    by_branch: dict[Branch, tuple[str, ...]] = {}
    for state in tables.states:
        branch = state_branch(tables, state, event)
        by_branch[branch] = (*by_branch.get(branch, ()), state)
    transitions = {branch: states for branch, states in by_branch.items() if branch.kind == "go"}
    rest = sorted(
        ((branch, states) for branch, states in by_branch.items() if branch.kind != "go"),
        key=lambda pair: len(pair[1]),
    )
    return {**transitions, **dict(rest)}


def state_branch(tables: MachineTables, state: str, event: str) -> Branch:
    """Return what an event does in a state, its operations aside.

    Args:
        tables: those of the machine.
        state: its name in the spec.
        event: its name in the spec.

    Returns:
        Where it leads, or what becomes of it otherwise.
    """
    target = tables.target_names[state].get(event)
    if target is not None:
        return Branch("go", target)
    entry = matching_fallback(tables, state, event)
    if entry is None or entry.does is FallbackKind.REFUSE:
        return Branch("refuse")
    if entry.does is FallbackKind.FORCE:
        return Branch("force", forced_target(tables, state, event))
    return (
        Branch("raise", entry.error or "") if entry.does is FallbackKind.RAISE else Branch("ignore")
    )


def _branch_lines(branch: Branch, event: str, names: GeneratedNames) -> tuple[str, ...]:
    """Return the lines of what is done, without indent; none where nothing is."""
    if branch.kind == "ignore":
        return ()
    if branch.kind in ("go", "force"):
        return (f"self.state = {names.constants[branch.detail]}",)
    error = names.errors[branch.detail] if branch.kind == "raise" else "NotAllowed"
    line = f"raise {error}(state, {string_literal(event)}, _LEGAL[state])"
    return (
        (line,)
        if len(line) <= LINE_WIDTH - 12
        else (f"raise {error}(", f"    state, {string_literal(event)}, _LEGAL[state]", ")")
    )


def state_condition(
    states: tuple[str, ...], names: GeneratedNames, indent: str, before: str, after: str
) -> list[str]:
    """Return the lines of a look at the state.

    Args:
        states: names in the spec's order.
        names: what things are called in the module.
        indent: blanks before each line.
        before: what stands before the condition.
        after: what stands behind it.

    Returns:
        Lines of Python, several where they do not fit one.
    """
    if len(states) == 1:
        return [f"{indent}{before} is {names.constants[states[0]]}{after}"]
    return names_tuple([names.constants[state] for state in states], indent, f"{before} in ", after)


def _method_doc(
    event: str, tables: MachineTables, groups: dict[Branch, tuple[str, ...]]
) -> list[str]:
    doc = next((known.doc for known in tables.machine.events if known.name == event), "")
    words = {
        "go": "From {states} to {detail}.",
        "force": "Done all the same in {states}: to {detail}.",
        "ignore": "Swallowed in {states}.",
        "raise": "Raises {detail} in {states}.",
        "refuse": "Refused in {states}.",
    }
    moves = [
        words[branch.kind].format(states=states_text(states), detail=branch.detail)
        for branch, states in groups.items()
    ]
    return [doc, " ".join(moves)]


def states_text(states: tuple[str, ...]) -> str:
    """Return states for a sentence.

    Args:
        states: names in the spec's order.

    Returns:
        The names with commas between them, or `no state`.
    """
    return ", ".join(state or "its only state" for state in states) or "no state"
