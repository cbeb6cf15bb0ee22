"""What machines and systems say of themselves in the same words, and how both are explored."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from statemachines.model.definitions.data_definitions import Parameter, Variable
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import (
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.model.language.value_types import Type

if TYPE_CHECKING:
    from statemachines.explore.results.property_results import Exploration
    from statemachines.explore.walks.random_walks import RandomWalk


class Described:
    """A machine or a system in one release, with its name and its data."""

    __slots__ = ()

    value: MachineDefinition | SystemDefinition

    @property
    def name(self) -> str:
        """The catalogue name."""
        return self.value.name

    @property
    def release(self) -> str:
        """Empty where there is no family."""
        return self.value.release

    @property
    def doc(self) -> str:
        """What the spec says of it."""
        return self.value.doc

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What is fixed for an instance; each has a `name`, a `type` and a `doc`."""
        return self.value.data.parameters

    @property
    def variables(self) -> tuple[Variable, ...]:
        """What steps change; of a system, what its parts share. Each has a `name`, a `type` and a
        `doc`.
        """
        return self.value.data.variables

    @property
    def types(self) -> Mapping[str, Type]:
        """The declared types by name; an enumeration has its `members`, a record its `fields`."""
        return dict(self.value.data.types)

    @refuses_unknown_options()
    def simulate(
        self,
        *,
        seed: int = 0,
        steps: int = 100,
        parameters: Mapping[str, Value] | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> RandomWalk:
        """Walk through the machine or the system at random, within its scope, looking at its
        properties on the way; the same seed, the same walk.

        Args:
            seed: of the random numbers.
            steps: how many events that do something, at most.
            parameters: by name; those of the spec's `scope` where they are not given, else random
                ones.
            sizes: `id` type to how many values it has, keys of parts included.

        Returns:
            The steps in their order, and the properties that were broken on the way.

        Raises:
            ArgumentsError: no parameters fit.
        """
        from statemachines.explore.scopes import ExplorationScope
        from statemachines.explore.walks.random_walks import simulate

        scope = ExplorationScope(sizes or {}, parameters=parameters or {})
        return simulate(self.value, scope, seed=seed, steps=steps)

    @refuses_unknown_options()
    def explore(
        self,
        *,
        sizes: Mapping[str, int] | None = None,
        parameters: Mapping[str, Value] | None = None,
        integers: tuple[int, int] | None = None,
        longest: int | None = None,
        symmetry: bool = False,
        copies: int = 1,
        jobs: int | None = None,
        most_states: int = 5_000_000,
        time: float | None = None,
        memory: int | None = None,
        resume: str | PathLike[str] | None = None,
        timed: bool = False,
    ) -> Exploration[Any]:
        """Visit every state of the machine or the system, breadth first, and look at its
        properties; of what is broken, the shortest trace.

        Args:
            sizes: `id` type to how many values it has, keys of parts included; those of the spec's
                `scope` where they are not given.
            parameters: by name; those of the spec's `scope`, else every value.
            integers: the range of integers without bounds.
            longest: the longest list that is drawn as an argument or parameter.
            symmetry: count states that differ in interchangeable names only once.
            copies: explore this many of a machine side by side; there is one of a system.
            jobs: taken for programs that give it, and without effect: one core explores.
            most_states: give up beyond so many; what a limit leaves open is INCONCLUSIVE, and the
                limit is among the `bounds`.
            time: give up after so many seconds.
            memory: give up where the process uses more, in MiB; none given: three quarters of what
                there is.
            resume: a file in which a search that stops early is kept, and with which it goes on.
            timed: in discrete time: what `after` sends comes when it is due; else at any moment.

        Returns:
            How many states and transitions there are, a verdict for each property, and the bounds
            within which all this is so.

        Raises:
            ArgumentsError: the scope does not fit, several copies of a system are asked for, the
                file is of another search, or discrete time is asked for and time takes no step.
        """
        from statemachines.explore.exploration import explore
        from statemachines.explore.options import exploration_options
        from statemachines.explore.scopes import ExplorationScope

        how = exploration_options(
            symmetry=symmetry,
            copies=copies,
            most_states=most_states,
            most_memory=memory,
            most_seconds=time,
            resume=resume,
            timed=timed,
        )
        return explore(
            self.value, ExplorationScope(sizes or {}, integers, longest, parameters or {}), how
        )


class Released:
    """A machine or a system as one file says it, in all its releases."""

    __slots__ = ()

    value: SpecDefinition | SystemSpecDefinition

    @property
    def name(self) -> str:
        """The catalogue name."""
        return self.value.name

    @property
    def doc(self) -> str:
        """What the spec says of it."""
        return self.value.doc

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases in which it exists, oldest first; a single one without a name where there
        is no family.
        """
        return tuple(self.value.family.names(self.value.releases))
