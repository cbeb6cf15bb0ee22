"""Which look the bars of a state have: shades of the course in the author's order, the way out
apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from statemachines.draw.graphs.graph import Tone
from statemachines.draw.graphs.tones import state_tones
from statemachines.model.definitions.machine_definitions import MachineDefinition

_SHADE_COUNT = 6
"""Different looks of bars on the normal course; then they begin anew."""


class StateShades:
    """Gives looks as states come; a state's name has one shade, whichever machine has it.

    Args:
        machines: those whose states stand in the author's order and whose way out is known.
    """

    def __init__(self, machines: Iterable[MachineDefinition] = ()) -> None:
        self._machines = {machine.name: machine for machine in machines}
        self._tones: dict[str, dict[str, Tone]] = {}
        self._shades: dict[str, str] = {}
        self.given: dict[tuple[str, str], str] = {}
        """Machine and state, and their look, in the order in which they were given."""

    def shade(self, machine: str, state: str) -> str:
        """Return the class of a state's bars: `out`, or `shade0` and so on.

        Args:
            machine: its name.
            state: its name.

        Returns:
            A class of the style sheet.
        """
        if machine not in self._tones:
            self._add_machine(machine)
        return self.given.get((machine, state)) or self._assign(machine, state)

    def _add_machine(self, machine: str) -> None:
        self._tones[machine] = (
            state_tones(self._machines[machine]) if machine in self._machines else {}
        )
        for state in self._tones[machine]:
            self._assign(machine, state)

    def _assign(self, machine: str, state: str) -> str:
        is_out = self._tones[machine].get(state) is Tone.OUT
        shade = (
            "out"
            if is_out
            else self._shades.setdefault(state, f"shade{len(self._shades) % _SHADE_COUNT}")
        )
        self.given[machine, state] = shade
        return shade
