"""A machine as users hold it: questions, and ways to use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
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
    from statemachines.explore.results.machine_results import Exploration, TraceStep
    from statemachines.explore.walks.random_walks import RandomWalk
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
            BindingError: an action is named for a state or event that the machine does not have.
        """
        return Binding(
            self.tables, find_hooks(self.tables, actions, tuple(before), tuple(after), errors)
        )

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

    @refuses_unknown_options()
    def simulate(
        self,
        *,
        seed: int = 0,
        steps: int = 100,
        parameters: Mapping[str, Value] | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> RandomWalk[TraceStep]:
        """Walk through the machine at random, within its scope, looking at its properties on the
        way; the same seed, the same walk.

        Args:
            seed: of the random numbers.
            steps: how many events that do something, at most.
            parameters: of the instance; those of the spec's `scope` where they are not given, else
                random ones.
            sizes: `id` type to how many values it has.

        Returns:
            The steps in their order, and the properties that were broken on the way.

        Raises:
            ArgumentsError: no parameters fit.
        """
        from statemachines.explore.models.scopes import ExplorationScope
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
    ) -> Exploration:
        """Visit every state of the machine, breadth first, and look at its properties; of what is
        broken, the shortest trace.

        Args:
            sizes: `id` type to how many values it has; those of the spec's `scope` where they are
                not given.
            parameters: of the instance; those of the spec's `scope`, else every value.
            integers: the range of integers without bounds.
            longest: the longest list that is drawn as an argument or parameter.
            symmetry: count states that differ in interchangeable names only once.
            copies: explore this many of the machine side by side.
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
            ArgumentsError: the scope does not fit the machine, the file is of another search,
                or discrete time is asked for and time takes no step.
        """
        from statemachines.explore.machine_exploration import explore
        from statemachines.explore.models.scopes import ExplorationScope
        from statemachines.explore.options import exploration_options

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

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Show a picture in notebooks; a table where nothing is installed that draws."""
        from statemachines.api.queries.pictures import notebook_views

        return notebook_views(self.value, repr(self))

    def __repr__(self) -> str:
        return (
            f"<machine {self.tables.title}: {len(self.states)} states, {len(self.transitions)}"
            " transitions>"
        )
