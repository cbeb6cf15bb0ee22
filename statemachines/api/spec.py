"""A spec as users hold it: a life cycle in all its releases."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

from statemachines.api.description import Released
from statemachines.api.machine import Machine
from statemachines.model.definitions import machine_definitions as model
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.notation import load_spec, machine_of
from statemachines.notation.sources.file_cache import FileCache

if TYPE_CHECKING:
    from statemachines.mutate.judges.mutation_results import MutationResult

_LOADED = FileCache()
"""What was loaded lately."""


@frozen(repr=False)
class Spec(Released):
    """A life cycle as one file says it, in all its releases."""

    value: model.SpecDefinition
    """What the parts of this package exchange."""
    _machines: dict[str | None, Machine] = field(factory=dict, init=False, eq=False)

    def at(self, release: str | None = None) -> Machine:
        """Return the machine of one release, with nothing of other releases left in it.

        Args:
            release: one of `releases`, or a minor line (its newest); the newest of all where
                nothing is said.

        Returns:
            The machine; asked again, the same value.

        Raises:
            UnknownRelease: it does not exist in that release; the message says in which it does.
        """
        machine = self._machines.get(release)
        if machine is None:
            made = Machine(machine_of(self.value, release))
            machine = self._machines.setdefault(made.release, made)
            self._machines[release] = machine
        return machine

    @refuses_unknown_options()
    def mutate(
        self,
        release: str | None = None,
        *,
        tests: Sequence[str] = (),
        logs: Sequence[str | PathLike[str]] = (),
        scope: Sequence[str] = (),
        sample: int | None = None,
        seed: int = 0,
    ) -> MutationResult:
        """Make the machine wrong by a little, in every way that a slip may, and say who notices.

        Args:
            release: in which it is changed; None: the one that the logs tell, else the newest.
            tests: as pytest names them; each mutant is handed to them in place of the spec, in a
                process of its own.
            logs: files and folders; would they have shown the bug?
            scope: of the exploration, such as `Task=3`.
            sample: judge only so many mutants, spread over the kinds of changes.
            seed: of that choice.

        Returns:
            Every mutant that was judged, with who noticed it; of a survivor, a run that tells it
            from the original.

        Raises:
            ValueError: no such release; a test does not pass as it is or never loads the spec; logs
                tell nothing of the machine.
        """
        from statemachines.api.queries.mutation_report import mutate

        return mutate(
            self.value,
            release=release,
            tests=tests,
            logs=logs,
            scope=scope,
            sample=sample,
            seed=seed,
        )

    def __repr__(self) -> str:
        releases = self.value.family.ranges(self.value.releases)
        return f"<spec {self.name}{f' in {releases}' if releases else ''}>"


@refuses_unknown_options()
def load(name_or_path: str | PathLike[str]) -> Spec:
    """Load a life cycle; the same one again costs next to nothing, until one of its files changes.

    Args:
        name_or_path: a name of the catalogue, its last part where only one ends so, or a path that
            ends in `.yaml`.

    Returns:
        The machine in all its releases; `at` picks one.

    Raises:
        SpecError: there is none, or it has errors: `diagnostics` has all of them.
    """
    name = name_or_path if isinstance(name_or_path, str) else Path(fspath(name_or_path))
    return _LOADED.get(name, lambda: Spec(load_spec(name)))
