"""The values that variables have where an instance begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from attrs import frozen

from statemachines.model.definitions.data_definitions import Variable
from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.expression_nodes import NameKind
from statemachines.semantics.evaluation.behaviour import Behaviour
from statemachines.semantics.machine.early_clauses import EarlyClauses, early_clauses
from statemachines.semantics.machine.value_enumeration import (
    DomainSizes,
    ValueContext,
    default_domain_sizes,
    enumerate_values,
)
from statemachines.semantics.messages.argument_errors import ArgumentsError
from statemachines.semantics.messages.value_text import format_literal

Values = Mapping[str, Value]


def initial_variables(
    behaviour: Behaviour,
    parameters: Values,
    extent: DomainSizes | None = None,
    spend: Callable[[], None] = lambda: None,
) -> Iterator[Values]:
    """Yield the values of all variables in which an instance may begin.

    Args:
        behaviour: of the machine.
        parameters: of the instance.
        extent: how many values types have, for variables that begin with any value; the spec's
            `scope` where nothing is said.
        spend: is called for each value that is drawn; what it raises ends it.

    Yields:
        The values of all variables, by name. Most of what is against `initially` is left out; what
        also looks at the state, or at parts, is not asked here.

    Raises:
        ArgumentsError: a first value is not of its variable's type with these parameters.
    """
    data = behaviour.machine.data
    # a variable that may begin with any value of its type has one
    given = [variable for variable in data.variables if variable.initial is not None]
    beginnings = _InitialValues(
        behaviour,
        parameters,
        extent or default_domain_sizes(behaviour),
        early_clauses(
            behaviour,
            data.initially,
            NameKind.VARIABLE,
            [variable.name for variable in data.variables],
        ),
        spend,
    )
    for known in beginnings.following({}, 0):
        for variable in given:
            _check_type(behaviour, variable, known, parameters)
        yield known


def _check_type(
    behaviour: Behaviour, variable: Variable, known: Values, parameters: Values
) -> None:
    if not behaviour.is_of_type(variable, known, parameters):
        value = format_literal(known[variable.name])
        raise ArgumentsError(
            f"the first value of `{variable.name}`, {value}, is not of type `{variable.type}`"
            " with these parameters"
        )


@frozen
class _InitialValues:
    """First values, variable by variable."""

    behaviour: Behaviour
    parameters: Values
    extent: DomainSizes
    clauses: EarlyClauses
    spend: Callable[[], None]

    def following(self, known: Values, place: int) -> Iterator[Values]:
        """Yield all first values of the variables from a place on, beside those before it; they
        are made one by one.
        """
        variables = self.behaviour.machine.data.variables
        if place == len(variables):
            yield known
            return
        for value in self._values(variables[place], known):
            self.spend()
            following = {**known, variables[place].name: value}
            if self.clauses.allows(place, following, self.parameters):
                yield from self.following(following, place + 1)

    def _values(self, variable: Variable, known: Values) -> Iterator[Value]:
        if variable.initial is not None:
            yield self.behaviour.evaluator(variable.initial)("", {}, self.parameters)
            return
        moment = ValueContext(self.behaviour, self.extent, "", known, self.parameters, {})
        yield from enumerate_values(variable.type, moment)
