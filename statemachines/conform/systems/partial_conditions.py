"""The conditions of a system over parts of whose values only some are known: true, false, or
unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.language.expression_nodes import Expression
from statemachines.model.language.frozen_values import FrozenMap
from statemachines.semantics.evaluation.partial_evaluation import (
    PartialContext,
    PartialValuation,
    UnknownValue,
    compile_partial_condition,
)
from statemachines.semantics.system.system_tables import SystemTables

KnownValues = FrozenMap[str, Value]
"""What is known of the variables of a part, by name."""
NOTHING_KNOWN: KnownValues = FrozenMap()
SystemCondition = Callable[[PartialValuation, "PartialValuation | None", Value], "bool | None"]
"""Whether a condition holds of the parts now, in the step after the parts before, of the part with
that key; None: what is known does not decide it.
"""


class _PartialRecord:
    """A part as expressions see it, with the fields that are known; asking for another one says so.

    It equals nothing, for what is not known may differ.
    """

    def __init__(self, fields: Mapping[str, Value]) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Value:
        raise UnknownValue(name)

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        raise UnknownValue("equality")

    __hash__ = object.__hash__


@lru_cache(maxsize=4096)
def partial_record(tables: SystemTables, part: str, state: str, values: KnownValues) -> Value:
    """Return a part in a state as expressions see it; what is not known stays unknown."""
    machine = tables.tables[part]
    fields = {name for name, _ in tables.parts[part].record_type.fields}
    known: dict[str, Value] = {
        **values,
        **{predicate: machine.holds(predicate, state) for predicate in machine.predicates},
        "state": state,
    }
    if fields <= known.keys():
        return tables.part_value(part, Snapshot(state, values))
    return _PartialRecord({name: value for name, value in known.items() if name in fields})


@lru_cache(maxsize=1024)
def system_condition(tables: SystemTables, node: Expression) -> SystemCondition:
    """Compile a condition of a system; its own variables and parameters are not known."""
    ask = compile_partial_condition(tables.behaviour.compiler, node)

    def holds(now: PartialValuation, before: PartialValuation | None, key: Value) -> bool | None:
        earlier = None if before is None else Snapshot("", before)
        return ask(PartialContext("", now, earlier, PartialValuation(key=key)))

    return holds
