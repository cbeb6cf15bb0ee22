"""A machine as users hold it: questions, and ways to use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from statemachines.api.machine_questions import MachineQuestions
from statemachines.api.queries.notebook_pictures import instance_views
from statemachines.embed.binding import Binding
from statemachines.embed.hooks import NO_ACTIONS, Action, find_hooks
from statemachines.embed.instances import Instance
from statemachines.embed.snapshot_json import from_json
from statemachines.model.definitions import machine_definitions as model
from statemachines.model.definitions.snapshots import Snapshot, Value
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.model.notebook_views import register_notebook_view

if TYPE_CHECKING:
    from statemachines.api.step_logs import LogLine, StepLog
    from statemachines.model.evidence.reports import Report

register_notebook_view(Instance, instance_views)


@frozen(repr=False)
class Machine(MachineQuestions):
    """A machine in one release: a value.

    Names are plain strings; `state`, `transitions` and `otherwise` have the details.
    """

    value: model.MachineDefinition = field()
    """What the parts of this package exchange."""

    def instance(self, begin: str | Snapshot | None = None, /, **parameters: Value) -> Instance:
        """Bring one to life.

        Args:
            begin: a state in which instances begin, or a snapshot to go on from; the first of
                `starts` where nothing is said.
            parameters: of the instance, by name.

        Returns:
            An instance that takes events with `send`, and that no other shares.

        Raises:
            ArgumentsError: no instance begins there, or a parameter does not fit.
        """
        return Instance(self.tables, begin, **parameters)

    @refuses_unknown_options()
    def bind(
        self,
        actions: Any = NO_ACTIONS,
        *,
        before: Iterable[Action] = (),
        after: Iterable[Action] = (),
        errors: Mapping[str, type[Exception]] | None = None,
    ) -> Binding:
        """Hang a program's actions on the machine; the result brings instances to life that call
        them.

        Args:
            actions: an object whose methods are called by their names, or a mapping of such names:
                `before_EVENT`, `before`, `on_exit_STATE`, `on_exit`, `on_EVENT`, `on_enter_STATE`,
                `on_enter`, `after_EVENT`, `after`, in this order. Each is given the `Occurrence`.
                Where one raises, the instance is where it was.
            before: listeners, told of every event that arrives, legal or not, before anything
                happens.
            after: listeners, told when all is done; `occurrence.answer` says what became of it.
            errors: a declared error's name to the class to raise for it.

        Returns:
            A maker of instances, for one thread, several, or coroutines.

        Raises:
            BindingError: an action is named for a state or event that the machine does not have, an
                error is none of its own, or something cannot be called.
        """
        return Binding(self.tables, find_hooks(self.tables, actions, before, after, errors))

    def step_log(
        self, write: Callable[[LogLine], object] | None = None, /, **keys: object
    ) -> StepLog:
        """Return a listener that writes an instance's steps in the wording of the spec, so that
        `check` can judge them.

        Args:
            write: called with each line; Python's `logging` where nothing is said.
            keys: the instance's key fields, by name.

        Returns:
            A listener for `after` of `bind`.

        Raises:
            ValueError: the spec has no `log`, or a key field is missing.
        """
        from statemachines.api.step_logs import step_log

        return step_log(self.value, keys, write)

    def from_json(self, text: str) -> Snapshot:
        """Read what `instance.to_json()` wrote; `instance` goes on from it.

        Args:
            text: JSON of one snapshot.

        Returns:
            The snapshot, with values of the types that the machine declares.

        Raises:
            StrangerError: it is a snapshot of another machine or release, or none at all.
        """
        return from_json(self.value, text)

    def code(self) -> str:
        """Return this machine as one typed Python module that needs nothing else; always the same
        text.

        Raises:
            CannotGenerate: the machine has something that generated code has no words for.
        """
        from statemachines.embed.code_generation.generated_module import generate_code

        return generate_code(self.value)

    def test(self, spec: str | None = None) -> str:
        """Return a pytest file that drives a program and this machine side by side; needs the extra
        `test`.

        Args:
            spec: the name or path by which the file loads the spec; the machine's own name or file
                where nothing is said.

        Returns:
            Python text; what a user has to fill in is marked in it.
        """
        from statemachines.testing.pytest_files import pytest_source

        return pytest_source(self.value, spec)

    @refuses_unknown_options()
    def draw(
        self,
        form: str = "svg",
        *,
        since: Machine | None = None,
        trace: tuple[str, ...] = (),
        report: Report | None = None,
    ) -> bytes:
        """Return a picture of this machine as a file's content.

        Args:
            form: `svg`, `png`, `dot`, `mermaid`, `plantuml`, `markdown`, `scxml`, `json` or `tla`.
            since: the machine of an older release: what came and what went is marked.
            trace: states that an instance went through, in order: the path is highlighted.
            report: what a check of logs found: how often each step was taken, how long each state
                was held, what was never seen.

        Returns:
            The whole file; text forms are UTF-8.

        Raises:
            CannotDraw: the form needs something that is not installed, or cannot show what it is
                asked to.
        """
        from statemachines.api.queries.pictures import PictureOverlay, machine_picture

        return machine_picture(
            self.value,
            form,
            over=PictureOverlay(since.value if since is not None else None, tuple(trace), report),
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Show a picture in notebooks; a table where nothing is installed that draws."""
        from statemachines.api.queries.pictures import notebook_views

        return notebook_views(self.value, repr(self))

    def __repr__(self) -> str:
        return (
            f"<machine {self.tables.title}: {len(self.states)} states, {len(self.transitions)}"
            " transitions>"
        )
