"""What writers of machines in other forms share: what a form cannot say, and which definitions look
at what is around them, as it has to be handed to them there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from statemachines.model.definitions.data_definitions import Definition
from statemachines.model.language.expression_nodes import DefinitionCall, Expression, walk


class CannotExport(ValueError):
    """A form cannot say what the machine says; the message says what."""


def definitions_that_read(
    definitions: Sequence[Definition], looks: Callable[[Expression], bool]
) -> frozenset[str]:
    """Return the names of the definitions that look at something, through others too.

    Args:
        definitions: all of a machine.
        looks: whether a part of an expression looks there itself.

    Returns:
        Names of definitions.
    """
    readers = {
        definition.name for definition in definitions if any(map(looks, walk(definition.body)))
    }
    uses = {
        definition.name: {
            node.definition for node in walk(definition.body) if isinstance(node, DefinitionCall)
        }
        for definition in definitions
    }
    for _ in definitions:  # a chain of uses is no longer than there are definitions
        readers |= {name for name, used in uses.items() if used & readers}
    return frozenset(readers)
