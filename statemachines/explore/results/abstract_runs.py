"""The abstract machine's side of a run of what refines it."""

from __future__ import annotations

from attrs import frozen

from statemachines.model.definitions.snapshots import NamedValues, Snapshot


@frozen
class AbstractStep:
    """What a step is to the abstract machine."""

    event: str
    """Empty where it changes nothing there, or is no step of it."""
    arguments: NamedValues
    after: Snapshot
    is_legal: bool
    """False for what breaks the refinement."""
    earlier: tuple[AbstractStep, ...] = ()
    """The steps before it that it takes together with it."""


@frozen
class AbstractRun:
    """A run as the abstract machine sees it, step by step beside the run itself."""

    machine: str
    """How it is called, with its release."""
    begin: Snapshot
    steps: tuple[AbstractStep, ...]
