"""Machines with data as TLA+ modules: types, variables, operations and properties within the scope that the spec names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from statemachines.embed.tla_configuration import Configuration
from statemachines.embed.tla_events import Events, joined
from statemachines.embed.tla_expressions import TlaWriter
from statemachines.embed.tla_names import MODULES, safe, tla_value
from statemachines.embed.tla_types import TlaTypes
from statemachines.embed.watching import watching
from statemachines.model.data import Claim, Property
from statemachines.model.expressions import Apply, Expression, InStates, Kind, Name, walk
from statemachines.model.types import EnumType, IdType, RecordType, Type, base_of, types_within
from statemachines.semantics.tables import Tables

MOST_IDS = 2
"""Values of an `id` type that no scope names, as when exploring."""
OPERATORS = """\
RECURSIVE SumOver(_, _)
SumOver(numbers_, places_) ==
  IF places_ = {} THEN 0 ELSE LET one_ == CHOOSE some_ \\in places_ : TRUE IN numbers_[one_] + SumOver(numbers_, places_ \\ {one_})
Sum(numbers_) == SumOver(numbers_, DOMAIN numbers_)
Least(numbers_) == CHOOSE one_ \\in numbers_ : \\A other_ \\in numbers_ : one_ <= other_
Greatest(numbers_) == CHOOSE one_ \\in numbers_ : \\A other_ \\in numbers_ : one_ >= other_
Range(function_) == {function_[place_] : place_ \\in DOMAIN function_}
RECURSIVE Joined(_)
Joined(lists_) == IF lists_ = <<>> THEN <<>> ELSE Head(lists_) \\o Joined(Tail(lists_))"""


@frozen(eq=False)
class _Module:
    """All that the parts of one module are written with."""

    tables: Tables
    events: Events
    writer: TlaWriter
    types: TlaTypes
    named: dict[str, str]
    """Type to its name."""
    given: dict[str, Expression]
    """Parameter to the value that the scope names."""

    @property
    def has_states(self) -> bool:
        return self.tables.states != ("",)


def data_module(tables: Tables) -> tuple[str, Configuration]:
    """Return a module's text, without its last line, and how TLC checks it.

    Raises:
        CannotExport: an expression, or a type, has no words in TLA+; the message says which.
    """
    module = _module(tables)
    configuration = Configuration(constants=tuple(_constants(module)))
    told = (_head(module), _named_types(module), _given(module), _definitions(module), _begin(module), _actions(module))
    lines = [line for part in told for line in part]
    properties = list(_properties(module))
    for lines_of, claimed in properties:
        lines += ["", *lines_of]
        configuration = configuration.plus(claimed, _property_name(claimed))
    return "\n".join(lines), configuration


def module_name(title: str) -> str:
    """Return what a module is called.

    >>> module_name("shop/Order 2.0"), module_name("TLC")
    ('shop_Order_2_0', 'TLC_machine')
    """
    name = safe(title.strip()) or "Machine"
    return f"{name}_machine" if name in MODULES else name


def _module(tables: Tables) -> _Module:
    data = tables.machine.data
    given = dict(data.scope.parameters)
    names = _names(tables)
    named = {type_.name: safe(name.rpartition(".")[2] if type_.name == name else name) for name, type_ in _declared(tables)}
    for name, text in named.items():
        names[Kind.OUTSIDE, name] = text
    definitions = {each.name: safe(each.name) for each in data.definitions}
    writer = TlaWriter(names, definitions, watching(data.definitions, lambda node: _looks_at_variables(node, given)))
    types = TlaTypes(writer, named, data.scope)
    known = [("state", names[Kind.STATE, "state"])] if tables.states != ("",) else []
    known += [(one.name, names[Kind.PARAMETER, one.name]) for one in data.parameters if one.name not in given]
    known += [(one.name, names[Kind.VARIABLE, one.name]) for one in data.variables]
    variables = tuple(name for _, name in known) or ("nothing_",)
    return _Module(tables, Events(tables, writer, types, variables), writer, types, named, given)


def _declared(tables: Tables) -> Iterator[tuple[str, EnumType | IdType | RecordType]]:
    """Yield the types that get a name, each once, what others are made of first."""
    data = tables.machine.data
    used: list[tuple[str, Type]] = list(data.types)
    used += [("", one.type) for one in data.parameters] + [("", one.type) for one in data.variables]
    used += [("", one.type) for event in tables.machine.events if event.signature for one in event.signature.arguments]
    seen = set[str]()
    for _, type_ in used:
        for part in reversed(list(types_within(type_))):
            if isinstance(part, EnumType | IdType | RecordType) and part.name and part.name not in seen:
                seen.add(part.name)
                yield part.name, part


def _names(tables: Tables) -> dict[tuple[Kind, str], str]:
    data = tables.machine.data
    names = {(Kind.STATE, "state"): "state", (Kind.VARIABLE, "state"): "state"}
    names |= {(Kind.VARIABLE, one.name): safe(one.name) for one in data.variables}
    names |= {(Kind.PARAMETER, one.name): safe(one.name) for one in data.parameters}
    names |= {(Kind.INPUT, name.rpartition(".")[2]): safe(name.rpartition(".")[2]) for each in data.definitions for name, _ in each.inputs}
    for event in tables.machine.events:
        for argument in event.signature.arguments if event.signature else ():
            names[Kind.ARGUMENT, argument.name] = safe(argument.name)
        for let in event.signature.lets if event.signature else ():
            names[Kind.LET, let.name] = safe(let.name)
    for arrow in tables.machine.transitions:
        for let in arrow.case.lets if arrow.case else ():
            names[Kind.LET, let.name] = safe(let.name)
    return names


def _looks_at_variables(node: Expression, given: dict[str, Expression]) -> bool:
    """Tell whether an expression is a variable of the module: parameters without a value are some."""
    if isinstance(node, Name):
        return node.kind in (Kind.VARIABLE, Kind.STATE) or (node.kind is Kind.PARAMETER and node.name not in given)
    return isinstance(node, InStates)


def _head(module: _Module) -> Iterator[str]:
    machine = module.tables.machine
    yield f"---- MODULE {module_name(module.tables.title)} ----"
    yield "EXTENDS Integers, Sequences, FiniteSets, TLC"
    yield from (f"\\* {line}" for line in machine.doc.splitlines())
    constants = ", ".join(("None", *(name for name, _ in _constants(module))))
    yield from ("", f"CONSTANTS {constants}", f"VARIABLES {', '.join(module.events.variables)}")
    yield from (f"vars == << {', '.join(module.events.variables)} >>", "", OPERATORS, "")


def _constants(module: _Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the sets of names that mean nothing, and their elements."""
    sizes = dict(module.tables.machine.data.scope.sizes)
    for name, type_ in _declared(module.tables):
        if isinstance(type_, IdType):
            own = module.named[name]
            yield own, tuple(f"{own}{number}" for number in range(1, sizes.get(name, MOST_IDS) + 1))


def _named_types(module: _Module) -> Iterator[str]:
    for name, type_ in _declared(module.tables):
        if not isinstance(type_, IdType):
            yield f"{module.named[name]} == {module.types.spelled(type_)}"


def _given(module: _Module) -> Iterator[str]:
    """Write the parameters that the scope gives a value."""
    for parameter in module.tables.machine.data.parameters:
        if parameter.name in module.given:
            yield f"{module.writer.names[Kind.PARAMETER, parameter.name]} == {module.writer.write(module.given[parameter.name])}"


def _definitions(module: _Module) -> Iterator[str]:
    """Write definitions, each behind those that it uses."""
    waiting = {each.name: each for each in module.tables.machine.data.definitions}

    def written(name: str) -> Iterator[str]:
        each = waiting.pop(name, None)
        if each is None:
            return
        for node in walk(each.body):
            if isinstance(node, Apply):
                yield from written(node.definition)
        inputs = [module.writer.names[Kind.INPUT, one.rpartition(".")[2]] for one, _ in each.inputs]
        head = module.writer.definitions[name] + (f"({', '.join(inputs)})" if inputs else "")
        yield from (f"\\* {line}" for line in each.doc.splitlines())
        yield f"{head} == {module.writer.write(each.body)}"

    for name in list(waiting):
        yield from written(name)


def _begin(module: _Module) -> Iterator[str]:
    data, tables, writer = module.tables.machine.data, module.tables, module.writer
    fits, begins = list[list[str]](), list[list[str]]()
    if module.has_states:
        yield from ("", f"States == {_set(tables.states)}", f"Final == {_set(tables.names(tables.final))}")
        fits.append(["state \\in States"])
        begins.append([f"state \\in {_set(tables.names(tables.initial))}"])
    for parameter in data.parameters:
        if parameter.name not in module.given:
            begins.append([f"{writer.names[Kind.PARAMETER, parameter.name]} \\in {module.types.values(parameter.type)}"])
    begins += [[writer.write(data.where)]] if data.where is not None else []
    for variable in data.variables:
        name = writer.names[Kind.VARIABLE, variable.name]
        fits.append([module.types.fits(variable.type, name)])
        begins.append(
            [f"{name} = {writer.write(variable.initial)}"] if variable.initial else [f"{name} \\in {module.types.values(variable.type)}"]
        )
    begins += [[writer.write(data.initially)]] if data.initially is not None else []
    if not (module.has_states or data.variables or len(begins)):
        begins.append(["nothing_ = 0"])
    yield from ("", "TypeOK ==", *(f"  {line}" for line in joined("/\\", fits or [["TRUE"]])))
    yield from ("", "Init ==", *(f"  {line}" for line in joined("/\\", begins)))


def _set(names: Sequence[str]) -> str:
    return f"{{{', '.join(map(tla_value, names))}}}"


def _actions(module: _Module) -> Iterator[str]:
    fair = {(each.event, each.each) for one in module.tables.machine.data.properties for each in one.assuming}
    for event in module.tables.events:
        yield from ("", f"Event_{event} ==", *(f"  {line}" for line in module.events.action(event)))
        for argument in sorted(each for name, each in fair if name == event and each):
            own = module.writer.names[Kind.ARGUMENT, argument]
            yield from ("", f"Event_{event}_of_{argument}({own}) ==")
            yield from (f"  {line}" for line in module.events.action(event, fixed=argument))
    yield from ("", "Next ==", *(f"  \\/ Event_{event}" for event in module.tables.events))
    yield "Spec == Init /\\ [][Next]_vars"
    if any(each.until_raised for each in module.tables.machine.data.properties):
        yield from ("", "\\* What steps do that raise nothing.", "Quiet ==")
        blocks = [module.events.action(event, raising=False) for event in module.tables.events]
        yield from (f"  {line}" for line in joined("\\/", blocks))
        yield "QuietSpec == Init /\\ [][Quiet]_vars"


def _property_name(claimed: Property) -> str:
    if claimed.claim is Claim.NO_DEADLOCK:
        return "NoDeadlock"
    head = {Claim.ALWAYS: "Always", Claim.EACH_STEP: "EachStep", Claim.SOMETIMES: "Never", Claim.LEADS_TO: "LeadsTo"}[claimed.claim]
    return f"{head}_{safe(claimed.name)}"


def _properties(module: _Module) -> Iterator[tuple[list[str], Property]]:
    properties = module.tables.machine.data.properties
    for claimed in properties:
        written = list(_property(module, claimed))
        yield [*(f"\\* {line}" for line in claimed.doc.splitlines()), *written], claimed


def _property(module: _Module, claimed: Property) -> Iterator[str]:
    name, writer = _property_name(claimed), module.writer
    if claimed.claim is Claim.NO_DEADLOCK:
        yield f"Stop == {_stop(module)}"
        yield "NoDeadlock == Stop \\/ ENABLED <<Next>>_vars"
        return
    assert claimed.holds is not None
    match claimed.claim:
        case Claim.ALWAYS:
            yield f"{name} == {writer.write(claimed.holds)}"
        case Claim.SOMETIMES:
            yield "\\* TLC is to find this broken: there is a witness."
            yield f"{name} == ~{writer.part(claimed.holds)}"
        case Claim.EACH_STEP:
            writer.primed = True
            written = writer.part(claimed.holds)
            writer.primed = False
            yield f"{name} == [][{written}]_vars"
        case Claim.LEADS_TO:
            assert claimed.when is not None
            fair = [_fair(module, each.event, each.each) for each in claimed.assuming]
            follows = f"({writer.part(claimed.when)} ~> {writer.part(claimed.holds)})"
            yield f"{name} == {_implied(fair)}{follows}"


def _implied(fair: list[str]) -> str:
    together = " /\\ ".join(fair)
    return f"({together}) => " if fair else ""


def _fair(module: _Module, event: str, each: str | None) -> str:
    if each is None:
        return f"WF_vars(Event_{event})"
    argument = next(one for one in module.tables.behaviour.signature(event).arguments if one.name == each)
    own = module.writer.names[Kind.ARGUMENT, each]
    return f"(\\A {own} \\in {module.types.values(base_of(argument.type))} : WF_vars(Event_{event}_of_{each}({own})))"


def _stop(module: _Module) -> str:
    final = module.tables.machine.data.final
    parts = ["state \\in Final"] if module.has_states else []
    parts += [module.writer.part(final)] if final is not None else []
    return " \\/ ".join(parts) or "FALSE"
