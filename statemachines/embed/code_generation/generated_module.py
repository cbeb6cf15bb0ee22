"""A machine as one Python module that needs nothing but the standard library."""

from __future__ import annotations

from statemachines.embed.code_generation.data_module import generate_data_code
from statemachines.embed.code_generation.table_class import generate_table_code
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.semantics.machine.machine_tables import TablesHolder, machine_tables


def generate_code(machine: MachineDefinition | TablesHolder) -> str:
    """Return the module's text: typed, without imports beyond the standard library, the same bytes
    for the same machine.

    Args:
        machine: what the module's class shall be.

    Returns:
        A Python module, ending in a line feed.

    Raises:
        CannotGenerate: the machine's data has something that plain Python values cannot be, such as
            a set of maps.
    """
    tables = machine_tables(machine)
    return generate_data_code(tables) if tables.has_data else generate_table_code(tables)
