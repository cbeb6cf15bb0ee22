"""The data of a machine: types, variables, operations and properties (part B of the notation)."""

from __future__ import annotations

from attrs import frozen


@frozen
class Case:
    """Guard, effect and results of one outcome of an operation."""


@frozen
class Data:
    """All that a machine says beside its states and arrows."""


NO_DATA = Data()
"""The data of a machine that is a table of moves."""
