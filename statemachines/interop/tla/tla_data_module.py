"""Machines with data as TLA+ modules: types, variables, operations and properties within the scope
that the spec names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from statemachines.interop.export_limits import definitions_that_read
from statemachines.interop.tla.tla_actions import TlaActionWriter, joined_blocks
from statemachines.interop.tla.tla_expressions import TlaWriter, action_given
from statemachines.interop.tla.tla_names import STANDARD_MODULES, safe_tla_name, tla_value
from statemachines.interop.tla.tla_properties import MOST_IDS, TlaModule, property_blocks
from statemachines.interop.tla.tla_types import TlaTypeWriter
from statemachines.interop.tla.tlc_configuration import STATE_CONSTRAINT, TlcConfiguration
from statemachines.model.language.expression_nodes import (
    DefinitionCall,
    Enabled,
    Expression,
    InStates,
    Name,
    NameKind,
    walk,
)
from statemachines.model.language.value_types import (
    EnumType,
    IdType,
    RecordType,
    Type,
    nested_types,
)
from statemachines.semantics.machine.machine_tables import MachineTables

OPERATOR_DEFINITIONS = """\
RECURSIVE SumOver(_, _)
SumOver(numbers_, places_) ==
  IF places_ = {} THEN 0
  ELSE LET one_ == CHOOSE some_ \\in places_ : TRUE
       IN numbers_[one_] + SumOver(numbers_, places_ \\ {one_})
Sum(numbers_) == SumOver(numbers_, DOMAIN numbers_)
Least(numbers_) == CHOOSE one_ \\in numbers_ : \\A other_ \\in numbers_ : one_ <= other_
Greatest(numbers_) == CHOOSE one_ \\in numbers_ : \\A other_ \\in numbers_ : one_ >= other_
Range(function_) == {function_[place_] : place_ \\in DOMAIN function_}
RECURSIVE Joined(_)
Joined(lists_) == IF lists_ = <<>> THEN <<>> ELSE Head(lists_) \\o Joined(Tail(lists_))
RECURSIVE Listed(_)
Listed(values_) ==
  IF values_ = {} THEN <<>>
  ELSE LET one_ == CHOOSE some_ \\in values_ : TRUE
       IN <<one_>> \\o Listed(values_ \\ {one_})"""


def data_module(tables: MachineTables) -> tuple[str, TlcConfiguration]:
    """Return a module's text, without its last line, and how TLC checks it.

    Args:
        tables: those of the machine.

    Returns:
        The text, and the constants, constraints and properties for TLC.

    Raises:
        CannotExport: an expression, or a type, has no words in TLA+; the message says which.
    """
    module = _build_module(tables)
    configuration = TlcConfiguration(
        constants=tuple(_constant_sets(module)),
        is_constrained=tables.machine.data.scope.constraint is not None,
    )
    sections = (
        _head_lines(module),
        _type_definitions(module),
        _given_parameters(module),
        _definition_lines(module),
        _initial_lines(module),
        _action_lines(module),
        _constraint_lines(module),
    )
    lines = [line for part in sections for line in part]
    properties = list(property_blocks(module))
    for lines_of, claimed, names in properties:
        lines += ["", *lines_of]
        for name in names:
            configuration = configuration.with_property(claimed, name)
    return "\n".join(lines), configuration


def module_name(title: str) -> str:
    """Return what a module is called.

    Args:
        title: of the machine, with its release.

    Returns:
        Letters, digits and underscores; no name of a standard module.

    >>> module_name("shop/Order 2.0"), module_name("TLC")
    ('shop_Order_2_0', 'TLC_machine')
    """
    name = safe_tla_name(title.strip()) or "Machine"
    return f"{name}_machine" if name in STANDARD_MODULES else name


def _build_module(tables: MachineTables) -> TlaModule:
    data = tables.machine.data
    given = dict(data.scope.parameters)
    names = _tla_names(tables)
    named = {
        type_.name: safe_tla_name(name.rpartition(".")[2] if type_.name == name else name)
        for name, type_ in _declared_types(tables)
    }
    for name, text in named.items():
        names[NameKind.OUTSIDE, name] = text
    definitions = {
        definition.name: safe_tla_name(definition.name) for definition in data.definitions
    }
    writer = TlaWriter(
        names,
        definitions,
        definitions_that_read(data.definitions, lambda node: _reads_variables(node, given)),
    )
    types = TlaTypeWriter(writer, named, data.scope)
    known = [("state", names[NameKind.STATE, "state"])] if tables.states != ("",) else []
    known += [
        (parameter.name, names[NameKind.PARAMETER, parameter.name])
        for parameter in data.parameters
        if parameter.name not in given
    ]
    known += [
        (variable.name, names[NameKind.VARIABLE, variable.name]) for variable in data.variables
    ]
    variables = tuple(name for _, name in known) or ("nothing_",)
    return TlaModule(
        tables, TlaActionWriter(tables, writer, types, variables), writer, types, named, given
    )


def _declared_types(tables: MachineTables) -> Iterator[tuple[str, EnumType | IdType | RecordType]]:
    """Yield the types that get a name, each once, what others are made of first."""
    data = tables.machine.data
    used: list[tuple[str, Type]] = list(data.types)
    used += [("", parameter.type) for parameter in data.parameters] + [
        ("", variable.type) for variable in data.variables
    ]
    used += [
        ("", argument.type)
        for event in tables.machine.events
        if event.signature
        for argument in event.signature.arguments
    ]
    declared = set[str]()
    for _, type_ in used:
        for part in reversed(list(nested_types(type_))):
            if (
                isinstance(part, EnumType | IdType | RecordType)
                and part.name
                and part.name not in declared
            ):
                declared.add(part.name)
                yield part.name, part


def _tla_names(tables: MachineTables) -> dict[tuple[NameKind, str], str]:
    data = tables.machine.data
    names = {(NameKind.STATE, "state"): "state", (NameKind.VARIABLE, "state"): "state"}
    names |= {
        (NameKind.VARIABLE, variable.name): safe_tla_name(variable.name)
        for variable in data.variables
    }
    names |= {
        (NameKind.PARAMETER, parameter.name): safe_tla_name(parameter.name)
        for parameter in data.parameters
    }
    names |= {
        (NameKind.INPUT, name.rpartition(".")[2]): safe_tla_name(name.rpartition(".")[2])
        for definition in data.definitions
        for name, _ in definition.inputs
    }
    for event in tables.machine.events:
        for argument in event.signature.arguments if event.signature else ():
            names[NameKind.ARGUMENT, argument.name] = safe_tla_name(argument.name)
        for let in event.signature.lets if event.signature else ():
            names[NameKind.LET, let.name] = safe_tla_name(let.name)
    for transition in tables.machine.transitions:
        for let in transition.case.lets if transition.case else ():
            names[NameKind.LET, let.name] = safe_tla_name(let.name)
    return names


def _reads_variables(node: Expression, given: dict[str, Expression]) -> bool:
    """Tell whether an expression is a variable of the module, as open parameters are."""
    if isinstance(node, Name):
        return node.kind in (NameKind.VARIABLE, NameKind.STATE) or (
            node.kind is NameKind.PARAMETER and node.name not in given
        )
    return isinstance(node, InStates)


def _head_lines(module: TlaModule) -> Iterator[str]:
    machine = module.tables.machine
    yield f"---- MODULE {module_name(module.tables.title)} ----"
    yield "EXTENDS Integers, Sequences, FiniteSets, TLC"
    yield from (f"\\* {line}" for line in machine.doc.splitlines())
    constants = ", ".join(("None", *(name for name, _ in _constant_sets(module))))
    yield from ("", f"CONSTANTS {constants}", f"VARIABLES {', '.join(module.events.variables)}")
    yield from (f"vars == << {', '.join(module.events.variables)} >>", "", OPERATOR_DEFINITIONS, "")


def _constant_sets(module: TlaModule) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the sets of names that mean nothing, and their elements."""
    sizes = dict(module.tables.machine.data.scope.sizes)
    for name, type_ in _declared_types(module.tables):
        if isinstance(type_, IdType):
            own = module.named[name]
            yield (
                own,
                tuple(f"{own}{number}" for number in range(1, sizes.get(name, MOST_IDS) + 1)),
            )


def _type_definitions(module: TlaModule) -> Iterator[str]:
    for name, type_ in _declared_types(module.tables):
        if not isinstance(type_, IdType):
            yield f"{module.named[name]} == {module.types.type_definition(type_)}"


def _given_parameters(module: TlaModule) -> Iterator[str]:
    """Write the parameters that the scope gives a value."""
    for parameter in module.tables.machine.data.parameters:
        if parameter.name in module.given:
            yield (
                f"{module.writer.names[NameKind.PARAMETER, parameter.name]} =="
                f" {module.writer.write(module.given[parameter.name])}"
            )


def _definition_lines(module: TlaModule) -> Iterator[str]:
    """Write definitions, each behind those that it uses."""
    waiting = {definition.name: definition for definition in module.tables.machine.data.definitions}

    def written(name: str) -> Iterator[str]:
        definition = waiting.pop(name, None)
        if definition is None:
            return
        for node in walk(definition.body):
            if isinstance(node, DefinitionCall):
                yield from written(node.definition)
        inputs = [
            module.writer.names[NameKind.INPUT, input_name.rpartition(".")[2]]
            for input_name, _ in definition.inputs
        ]
        head = module.writer.definitions[name] + (f"({', '.join(inputs)})" if inputs else "")
        yield from (f"\\* {line}" for line in definition.doc.splitlines())
        yield f"{head} == {module.writer.write(definition.body)}"

    for name in list(waiting):
        yield from written(name)


def _initial_lines(module: TlaModule) -> Iterator[str]:
    data, tables, writer = module.tables.machine.data, module.tables, module.writer
    fits, conjuncts = list[list[str]](), list[list[str]]()
    if module.has_states:
        yield from (
            "",
            f"States == {_set_text(tables.states)}",
            f"Final == {_set_text(tables.state_names(tables.final))}",
        )
        fits.append(["state \\in States"])
        conjuncts.append([f"state \\in {_set_text(tables.state_names(tables.initial))}"])
    for parameter in data.parameters:
        if parameter.name not in module.given:
            conjuncts.append(
                [
                    f"{writer.names[NameKind.PARAMETER, parameter.name]} \\in"
                    f" {module.types.value_set(parameter.type)}"
                ]
            )
    conjuncts += [[writer.write(data.where)]] if data.where is not None else []
    for variable in data.variables:
        name = writer.names[NameKind.VARIABLE, variable.name]
        fits.append([module.types.membership(variable.type, name)])
        conjuncts.append(
            [f"{name} = {writer.write(variable.initial)}"]
            if variable.initial
            else [f"{name} \\in {module.types.value_set(variable.type)}"]
        )
    conjuncts += [[writer.write(data.initially)]] if data.initially is not None else []
    if not (module.has_states or data.variables or len(conjuncts)):
        conjuncts.append(["nothing_ = 0"])
    yield from (
        "",
        "TypeOK ==",
        *(f"  {line}" for line in joined_blocks("/\\", fits or [["TRUE"]])),
    )
    yield from ("", "Init ==", *(f"  {line}" for line in joined_blocks("/\\", conjuncts)))


def _set_text(names: Sequence[str]) -> str:
    return f"{{{', '.join(map(tla_value, names))}}}"


def _action_lines(module: TlaModule) -> Iterator[str]:
    given = sorted(set(_given_arguments(module)))
    for event in module.tables.events:
        yield from ("", f"Event_{event} ==", *(f"  {line}" for line in module.events.action(event)))
        for arguments in (given_arguments for name, given_arguments in given if name == event):
            own = ", ".join(
                module.writer.names[NameKind.ARGUMENT, argument] for argument in arguments
            )
            yield from ("", f"{action_given(event, arguments)}({own}) ==")
            yield from (f"  {line}" for line in module.events.action(event, given=arguments))
    yield from ("", "Next ==", *(f"  \\/ Event_{event}" for event in module.tables.events))
    for refinement in module.tables.machine.data.refinements:
        yield f"\\* Not carried over: that it refines {refinement.abstract}."
    yield "Spec == Init /\\ [][Next]_vars"
    if any(claim.until_raised for claim in module.tables.machine.data.properties):
        yield from ("", "\\* What steps do that raise nothing.", "Quiet ==")
        blocks = [module.events.action(event, raising=False) for event in module.tables.events]
        yield from (f"  {line}" for line in joined_blocks("\\/", blocks))
        yield "QuietSpec == Init /\\ [][Quiet]_vars"


def _constraint_lines(module: TlaModule) -> Iterator[str]:
    """Write the state constraint of the scope."""
    node = module.tables.machine.data.scope.constraint
    if node is not None:
        yield from ("", f"{STATE_CONSTRAINT} == {module.writer.write(node)}")


def _given_arguments(module: TlaModule) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield which arguments of which events a property gives: in what it assumes to be fair, and in
    what it says to be enabled.
    """
    for claimed in module.tables.machine.data.properties:
        for fairness in claimed.assuming:
            if fairness.argument is not None:
                yield fairness.event, (fairness.argument,)
        for condition in (claimed.holds, claimed.when):
            for node in walk(condition) if condition is not None else ():
                if isinstance(node, Enabled) and node.arguments:
                    yield node.event, tuple(name for name, _ in node.arguments)
