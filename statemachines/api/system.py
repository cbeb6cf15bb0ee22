"""Systems as users hold them: machines together, in all their releases and in one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from attrs import frozen

from statemachines.api.description import Described, Released
from statemachines.api.machine import Machine
from statemachines.api.queries.notebook_pictures import system_instance_views
from statemachines.embed.hooks import NO_ACTIONS
from statemachines.embed.systems.embedded_systems import SystemInstance
from statemachines.embed.systems.system_binding import SystemBinding
from statemachines.embed.systems.system_hooks import SystemListener, find_system_hooks
from statemachines.embed.systems.system_json import system_from_json
from statemachines.model.definitions import system_definitions as model
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.snapshots import Value
from statemachines.model.definitions.system_definitions import (
    PendingEvent,
    SystemAnswer,
    SystemSnapshot,
)
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.model.notebook_views import register_notebook_view
from statemachines.notation import load_system as read
from statemachines.notation import system_of
from statemachines.notation.sources.file_cache import FileCache
from statemachines.semantics.system.system_initial_snapshots import (
    SystemBeginning,
    initial_system_snapshot,
)
from statemachines.semantics.system.system_step import deliver_event, step_system
from statemachines.semantics.system.system_tables import system_tables

if TYPE_CHECKING:
    from statemachines.embed.systems.embedded_systems import SystemInstance

_LOADED = FileCache()
"""What was loaded lately."""


register_notebook_view(SystemInstance, system_instance_views)


@frozen(repr=False)
class System(Described):
    """A system in one release."""

    value: model.SystemDefinition

    @property
    def parts(self) -> Mapping[str, Machine]:
        """The machine of each part, by the part's name, in the author's order."""
        machines = dict(self.value.machines)
        return {part.name: Machine(machines[part.name]) for part in self.value.parts}

    @property
    def events(self) -> tuple[str, ...]:
        """Every event of every part, as `part.event`."""
        return system_tables(self.value).events

    @refuses_unknown_options(*SystemBeginning.__annotations__)
    def start(self, **beginning: Unpack[SystemBeginning]) -> SystemSnapshot:
        """Return the snapshot in which the system begins.

        Args:
            beginning: by name: of each part that there is once for each value of an `id` type its
                `keys`; of a part the state in which it begins (`states`), of one with keys a state
                for all or a map from keys to states; optional parts that are `absent`; and
                `parameters` of the system. What is not named begins in its first initial state.

        Returns:
            The snapshots of all parts, the values of shared variables, no event waiting.

        Raises:
            ArgumentsError: a part, key, state or parameter is unknown or missing, or the beginning
                is against `initially`.
        """
        return initial_system_snapshot(self.value, **beginning)

    def step(
        self, snapshot: SystemSnapshot, event: str, /, *, key: Value = None, **arguments: Value
    ) -> SystemAnswer:
        """Answer what becomes of an event and of all that it sends.

        Args:
            snapshot: the whole, before.
            event: one of `events`: `part.event`.
            key: which one, of a part that there is several times.
            arguments: of the event, by name.

        Returns:
            The snapshot of the whole after it, and every step with its answer, the event's own
            first. A refusal of what a link sends undoes nothing; a step that `only if` forbids is
            refused.

        Raises:
            ArgumentsError: there is no such event or key, or the arguments do not fit.
        """
        return step_system(self.value, snapshot, event, key=key, **arguments)

    def deliver(self, snapshot: SystemSnapshot, waiting: PendingEvent) -> SystemAnswer:
        """Deliver an event that waits.

        Args:
            snapshot: the whole, before.
            waiting: one of `snapshot.waiting`.

        Returns:
            What `step` returns; the event waits no longer.

        Raises:
            ArgumentsError: no such event waits.
        """
        return deliver_event(self.value, snapshot, waiting)

    @refuses_unknown_options(*SystemBeginning.__annotations__)
    def instance(
        self, begin: SystemSnapshot | None = None, /, **beginning: Unpack[SystemBeginning]
    ) -> SystemInstance:
        """Bring one to life: what is sent to a part fires the others as the links say.

        Args:
            begin: a snapshot to go on from; nothing else is said then.
            beginning: how it begins otherwise, as `start` takes it.

        Returns:
            An instance whose parts are its attributes, and that no other shares.

        Raises:
            ArgumentsError: a part, key, state or parameter is unknown or missing, the beginning is
                against `initially`, or the snapshot is not of this system.
        """
        return self.bind().instance(begin, **beginning)

    @refuses_unknown_options()
    def bind(
        self,
        actions: Mapping[str, Any] = NO_ACTIONS,
        *,
        before: Iterable[SystemListener] = (),
        after: Iterable[SystemListener] = (),
        errors: Mapping[str, type[Exception]] | None = None,
    ) -> SystemBinding:
        """Hang a program's actions on the parts; the result brings instances to life that call
        them.

        Args:
            actions: name of a part to its actions, an object or a mapping as for
                `machine.bind`. They are called for every step of the part, also for those that
                links send. Where one raises, the whole system is where it was.
            before: listeners, told of every event that arrives, legal or not, before anything
                happens; each is given a `SystemOccurrence`.
            after: listeners, told when all is done; `occurrence.answer.steps` has every step.
            errors: a declared error's name to the class to raise for it.

        Returns:
            A maker of instances, for one thread, several, or coroutines.

        Raises:
            BindingError: an action is named for a state or event that the part does not have.
            ArgumentsError: the system has no such part.
        """
        tables = system_tables(self.value)
        hooks = find_system_hooks(tables, actions, before, after, errors)
        return SystemBinding(self.value, hooks)

    def from_json(self, text: str) -> SystemSnapshot:
        """Read what `instance.to_json()` wrote; `instance` goes on from it.

        Args:
            text: JSON of one snapshot of a system.

        Returns:
            The snapshot, with values of the types that the system and its machines declare.

        Raises:
            StrangerError: it is a snapshot of another system or release, or none at all.
        """
        return system_from_json(system_tables(self.value), text)

    def broken(self, snapshot: SystemSnapshot) -> tuple[str, ...]:
        """Return the rules under `always` that do not hold; those for each of some names, and
        those that ask what is enabled, are for `explore`, which knows all values.

        Args:
            snapshot: of the whole.

        Returns:
            Their names, in the author's order; none where all is well.
        """
        rules = [
            rule
            for rule in self.value.data.properties
            if rule.kind is PropertyKind.ALWAYS and rule.holds is not None and not rule.needs_scope
        ]
        tables = system_tables(self.value)
        return tuple(
            rule.name
            for rule in rules
            if rule.holds is not None and not tables.holds(rule.holds, snapshot)
        )

    def code(self) -> str:
        """Return this system as one typed Python module that needs nothing else: a class for each
        machine, and one of the system, with a method for each event of its parts. Always the same
        text.

        Raises:
            CannotGenerate: it has something that generated code has no words for.
        """
        from statemachines.embed.code_generation.system_code.system_module import (
            generate_system_code,
        )

        return generate_system_code(self.value)

    def test(self, spec: str | None = None) -> str:
        """Return a pytest file that drives a program and this system side by side, and lets several
        threads call it; needs the extra `test`.

        Args:
            spec: the name or path by which the file loads the system; its own name or file where
                nothing is said.

        Returns:
            Python text; what a user has to fill in is marked in it.
        """
        from statemachines.testing.systems.system_files import system_pytest_source

        return system_pytest_source(self.value, spec)

    @refuses_unknown_options()
    def draw(self, form: str = "svg", *, since: System | None = None) -> bytes:
        """Return a picture of the system as a file's content: its parts, the links between them,
        its rules.

        Args:
            form: `svg`, `png`, `dot`, `mermaid`, `plantuml` or `markdown`.
            since: the system of an older release: what came and what went is marked.

        Returns:
            The whole file; text forms are UTF-8.

        Raises:
            CannotDraw: the form needs something that is not installed, or has no word for a system.
        """
        from statemachines.api.queries.pictures import system_picture

        return system_picture(self.value, form, since=since.value if since is not None else None)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Show a picture in notebooks; tables where nothing is installed that draws."""
        from statemachines.api.queries.pictures import CannotDraw

        try:
            return {"text/plain": repr(self), "image/svg+xml": self.draw().decode()}
        except CannotDraw:
            return {"text/plain": repr(self), "text/markdown": self.draw("markdown").decode()}

    def __repr__(self) -> str:
        return f"<system {self.value.name}{f' {self.value.release}' if self.value.release else ''}>"


@frozen(repr=False)
class SystemSpec(Released):
    """A system as one file says it, in all its releases."""

    value: model.SystemSpecDefinition

    def at(self, release: str | None = None) -> System:
        """Return the system of one release, with nothing of other releases left in it.

        Args:
            release: one of `releases`, or a minor line (its newest); the newest of all where
                nothing is said.

        Returns:
            The system, each part's machine in the same release.

        Raises:
            UnknownRelease: it does not exist in that release.
        """
        return System(system_of(self.value, release))

    def __repr__(self) -> str:
        return f"<system spec {self.value.name}>"


@refuses_unknown_options()
def load_system(name_or_path: str | PathLike[str]) -> SystemSpec:
    """Load a system; the same one again costs next to nothing, until one of its files changes.

    Args:
        name_or_path: a name of the catalogue, or a path that ends in `.yaml`.

    Returns:
        The system in all its releases; `at` picks one.

    Raises:
        SpecError: there is none, or it has errors: `diagnostics` has all of them.
    """
    source = name_or_path if isinstance(name_or_path, str) else Path(fspath(name_or_path))
    return _LOADED.get(source, lambda: SystemSpec(read(source)))
