"""What a spec claims of a machine, as properties that TLC looks at."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from statemachines.interop.exporting.export_errors import CannotExport
from statemachines.interop.tla.tla_actions import TlaActionWriter
from statemachines.interop.tla.tla_expressions import TlaWriter
from statemachines.interop.tla.tla_names import safe_tla_name
from statemachines.interop.tla.tla_types import TlaTypeWriter
from statemachines.model.definitions.data_definitions import Fairness, Property, PropertyKind
from statemachines.model.language.expression_nodes import Expression, NameKind
from statemachines.model.language.value_types import base_type
from statemachines.semantics.machine.machine_tables import MachineTables


@frozen(eq=False)
class TlaModule:
    """All that the parts of one module are written with."""

    tables: MachineTables
    events: TlaActionWriter
    writer: TlaWriter
    types: TlaTypeWriter
    named: dict[str, str]
    """Type to its name."""
    given: dict[str, Expression]
    """Parameter to the value that the scope names."""

    @property
    def has_states(self) -> bool:
        """Whether the machine has states that it names."""
        return self.tables.states != ("",)


def property_name(claimed: Property) -> str:
    """Return what a property is called in the module.

    Args:
        claimed: the property.

    Returns:
        A name that TLA+ accepts.
    """
    if claimed.kind is PropertyKind.NO_DEADLOCK:
        return "NoDeadlock"
    head = {
        PropertyKind.ALWAYS: "Always",
        PropertyKind.EACH_STEP: "EachStep",
        PropertyKind.SOMETIMES: "Never",
        PropertyKind.LEADS_TO: "LeadsTo",
        PropertyKind.ALWAYS_EVENTUALLY: "AlwaysEventually",
        PropertyKind.EVENTUALLY_ALWAYS: "EventuallyAlways",
        PropertyKind.UNTIL: "Until",
    }[claimed.kind]
    return f"{head}_{safe_tla_name(claimed.name)}"


def property_blocks(module: TlaModule) -> Iterator[tuple[list[str], Property]]:
    """Yield the lines of each property, with what its spec says of it.

    Args:
        module: the module so far: names and expressions.

    Yields:
        Lines of TLA+, with the property.

    Raises:
        CannotExport: TLA+ has no words for one.
    """
    for claimed in module.tables.machine.data.properties:
        written = list(_property_lines(module, claimed))
        yield [*(f"\\* {line}" for line in claimed.doc.splitlines()), *written], claimed


def _property_lines(module: TlaModule, claimed: Property) -> Iterator[str]:
    name, writer = property_name(claimed), module.writer
    if claimed.kind is PropertyKind.NO_DEADLOCK:
        yield f"Stop == {_stop_condition(module)}"
        yield "NoDeadlock == Stop \\/ ENABLED <<Next>>_vars"
        return
    assert claimed.holds is not None
    if claimed.each:
        raise CannotExport(f"`{claimed.kind.value} {claimed.name}`: `for each` is not written")
    match claimed.kind:
        case PropertyKind.ALWAYS:
            yield f"{name} == {writer.write(claimed.holds)}"
        case PropertyKind.SOMETIMES:
            yield "\\* TLC is to find this broken: there is a witness."
            yield f"{name} == ~{writer.write_operand(claimed.holds)}"
        case PropertyKind.EACH_STEP:
            writer.primed = True
            written = writer.write_operand(claimed.holds)
            writer.primed = False
            yield f"{name} == [][{written}]_vars"
        case _ if claimed.kind.is_of_runs:
            fair = [_fairness_condition(module, fairness) for fairness in claimed.assuming]
            yield f"{name} == {_fairness_premise(fair)}{_temporal_formula(writer, claimed)}"


def _fairness_premise(fair: list[str]) -> str:
    together = " /\\ ".join(fair)
    return f"({together}) => " if fair else ""


def _temporal_formula(writer: TlaWriter, claimed: Property) -> str:
    """Write what is claimed of whole runs, where the logic of TLA+ can say it.

    Raises:
        CannotExport: it has no until.
    """
    assert claimed.holds is not None
    assert claimed.when is not None
    holds = writer.write_operand(claimed.holds)
    match claimed.kind:
        case PropertyKind.LEADS_TO:
            return f"({writer.write_operand(claimed.when)} ~> {holds})"
        case PropertyKind.ALWAYS_EVENTUALLY:
            return f"[]<>{holds}"
        case PropertyKind.EVENTUALLY_ALWAYS:
            return f"<>[]{holds}"
    raise CannotExport(f"`until {claimed.name}`: TLA+ has no until")


def _fairness_condition(module: TlaModule, fair: Fairness) -> str:
    event, each, kind = fair.event, fair.argument, "SF" if fair.strong else "WF"
    if each is None:
        return f"{kind}_vars(Event_{event})"
    argument = next(
        one for one in module.tables.behaviour.signature(event).arguments if one.name == each
    )
    own = module.writer.names[NameKind.ARGUMENT, each]
    return (
        f"(\\A {own} \\in {module.types.value_set(base_type(argument.type))} :"
        f" {kind}_vars(Event_{event}_of_{each}({own})))"
    )


def _stop_condition(module: TlaModule) -> str:
    final = module.tables.machine.data.final
    parts = ["state \\in Final"] if module.has_states else []
    parts += [module.writer.write_operand(final)] if final is not None else []
    return " \\/ ".join(parts) or "FALSE"
