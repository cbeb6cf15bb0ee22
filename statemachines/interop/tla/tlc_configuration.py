"""How TLC is told to check a module."""

from __future__ import annotations

from attrs import evolve, frozen

from statemachines.model.definitions.data_definitions import Property, PropertyKind

STATE_CONSTRAINT = "StateConstraint"
"""What the state constraint is called in a module."""


@frozen
class TlcRun:
    """One run of TLC, with what it is to find."""

    name: str
    specification: str
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    breaks: bool = False
    """Whether TLC is to find what is asked broken: the witness of a `sometimes`, a known bug."""


@frozen
class TlcConfiguration:
    """What a module's constants are, and what is to be checked of it."""

    constants: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Constant and its elements; `None` aside."""
    without_constants: bool = False
    """Whether the module has no constants at all."""
    is_constrained: bool = False
    """Whether the module has a state constraint."""
    invariants: tuple[str, ...] = ("TypeOK",)
    properties: tuple[str, ...] = ()
    until_raised: tuple[tuple[str, bool], ...] = ()
    """What is claimed of runs in which no step has raised, and whether it is a property of steps.
    """
    broken: tuple[tuple[str, bool, bool], ...] = ()
    """What is to be found broken, whether it is a property of steps, whether only of runs in which
    nothing was raised.
    """

    def with_property(self, claimed: Property, name: str) -> TlcConfiguration:
        """Return it with one more property.

        Args:
            claimed: the property.
            name: of the property in the module.

        Returns:
            A new configuration.
        """
        temporal = claimed.kind is PropertyKind.EACH_STEP or claimed.kind.is_of_runs
        if (claimed.kind is PropertyKind.SOMETIMES) != claimed.expect_fails:
            return evolve(self, broken=(*self.broken, (name, temporal, claimed.until_raised)))
        if claimed.until_raised:
            return evolve(self, until_raised=(*self.until_raised, (name, temporal)))
        if temporal:
            return evolve(self, properties=(*self.properties, name))
        return evolve(self, invariants=(*self.invariants, name))

    @property
    def runs(self) -> tuple[TlcRun, ...]:
        """The runs: what holds in one (two where something is claimed until a step raises), each
        thing that is to break in one.
        """
        runs = [TlcRun("", "Spec", self.invariants, self.properties)]
        if self.until_raised:
            steps = [name for name, temporal in self.until_raised if temporal]
            runs.append(
                TlcRun(
                    "quiet",
                    "QuietSpec",
                    tuple(name for name, temporal in self.until_raised if not temporal),
                    tuple(steps),
                )
            )
        for name, temporal, quiet in self.broken:
            specification = "QuietSpec" if quiet else "Spec"
            runs.append(
                TlcRun(
                    name,
                    specification,
                    () if temporal else (name,),
                    (name,) if temporal else (),
                    breaks=True,
                )
            )
        return tuple(runs)

    def text(self, run: TlcRun) -> str:
        """Return the text of a run's configuration file, ending in a line feed.

        Args:
            run: which run of TLC it is for.

        Returns:
            The text of a file.
        """
        lines = [f"SPECIFICATION {run.specification}"]
        if not self.without_constants:
            lines += ["CONSTANTS", "  None = None"]
            lines += [f"  {name} = {{{', '.join(elements)}}}" for name, elements in self.constants]
        lines += [f"CONSTRAINT {STATE_CONSTRAINT}"] if self.is_constrained else []
        lines += [f"INVARIANT {name}" for name in run.invariants]
        lines += [f"PROPERTY {name}" for name in run.properties]
        return "\n".join((*lines, "CHECK_DEADLOCK FALSE")) + "\n"
