"""Kafka's AssignedTasks, AssignedStreamsTasks and AssignedStandbyTasks as a subject that `from_machine` drives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from py4j.protocol import Py4JJavaError

from tests.kafka.answers import Throws, said
from tests.kafka.shapes import Shape

MAPS = (
    "created",
    "restoring",
    "running",
    "suspended",
    "runningByPartition",
    "restoringByPartition",
)
SETS = ("restoredPartitions", "previousActiveTasks", "prevActiveTasks")
ERRORS = {
    "threw": "java.lang.IllegalArgumentException",
    "migrated": "org.apache.kafka.streams.errors.TaskMigratedException",
    "locked": "org.apache.kafka.streams.errors.LockException",
}
LISTS = {
    "suspendOrCloseTasks": "revokedTaskChangelogs",
    "suspendRunningTasks": "taskChangelogs",
    "closeNonRunningTasks": "closedTaskChangelogs",
    "closeRestoringTasks": "closedTaskChangelogs",
}
"""Operations that put changelogs into a list of the caller's, and its name in the spec (2.4.0 and later)."""


class TaskMigratedException(Exception):
    """Kafka's of this name."""


class IllegalStateException(Exception):
    """Java's: none of the stubs throws it."""


class RuntimeException(Exception):
    """What a stub threw that is no TaskMigratedException."""


class Names:
    """What the spec calls something, and what Java does."""

    def __init__(self, template: str) -> None:
        self.template = template
        self.named: dict[object, str] = {}
        self.of: dict[str, object] = {}

    def __getitem__(self, value: object) -> str:
        """Return the Java name of a value; a new one gets the next number."""
        if value not in self.named:
            self.named[value] = self.template.format(len(self.named))
            self.of[self.named[value]] = value
        return self.named[value]

    def found(self, text: str) -> frozenset[object]:
        """Return the values whose names stand in a text."""
        return frozenset(self.of[name] for name in re.findall(self.template.format(r"\d+"), text))


class Registries:
    """One object of Kafka's with its stubbed tasks; events are called by their names, variables are read by theirs."""

    def __init__(self, shape: Shape, parameters: Mapping[str, Any]) -> None:
        self.shape, self.parameters = shape, parameters
        self.tasks, self.partitions = Names("0_{}"), Names("p-{}")
        self.real = shape.make(parameters["kind"])
        self.fields = [
            name for name in (*MAPS, *SETS) if shape.registry(self.real, name) is not None
        ]
        self.all = shape.list(shape.registry(self.real, name) for name in self.fields)
        self.stub = {task: self._stub(task) for task in sorted(parameters["tasks"], key=str)}
        self.said = dict[tuple[object, str, tuple[object, ...]], object]()
        self.gifts = dict[str, object]()

    def perform(self, event: str, arguments: Mapping[str, Any]) -> object:
        """Let the stubs answer as the event says, and call Kafka's method."""
        self._tell(event, arguments)
        given = [INPUTS[name](self, value) for name, value in arguments.items() if name in INPUTS]
        method = self.shape.classes.method(self.real, event, self.shape.count(event, len(given)))
        given += [EXTRA[event](self) for _ in range(method.getParameterCount() - len(given))]
        try:
            result = method.invoke(self.real, self.shape.classes.jvm.objects(*given))
        except Py4JJavaError as problem:
            raise self._as_python(problem.java_exception.getCause()) from None
        self.gifts = (
            {LISTS[event]: self.partitions.found(self._text(given[-1]))} if event in LISTS else {}
        )
        return self._result(event, str(method.getReturnType().getSimpleName()), result)

    def __getattr__(self, name: str) -> object:
        """Show a variable, or a named result of the last event."""
        if name in (*MAPS, *SETS):
            return self.shown().get(name, {} if name.endswith("ByPartition") else frozenset())
        if name in self.__dict__.get("gifts", {}):
            return self.gifts[name]
        raise AttributeError(name)

    def shown(self) -> dict[str, object]:
        """Read all registries at once."""
        texts = re.findall(r"\{[^{}]*\}|\[[^\[\]]*\]", self._text(self.all)[1:-1])
        return {name: self._read(name, text) for name, text in zip(self.fields, texts, strict=True)}

    def ids(self, wanted: Iterable[object]) -> Any:
        """Make a set of task ids, or a map from them to partitions."""
        if isinstance(wanted, Mapping):
            return self.shape.map(
                (self.shape.id(self.tasks[task]), self.places(each))
                for task, each in wanted.items()
            )
        return self.shape.set(self.shape.id(self.tasks[task]) for task in wanted)

    def places(self, partitions: Iterable[object]) -> Any:
        """Make a set of partitions."""
        return self.shape.set(
            self.shape.partition(self.partitions[each]) for each in sorted(partitions, key=str)
        )

    def _read(self, name: str, text: str) -> object:
        if name.endswith("ByPartition"):
            pairs = (item.split("=") for item in re.findall(r"[^{}, ]+", text))
            return {self.partitions.of[partition]: self.tasks.of[task] for partition, task in pairs}
        if name == "restoredPartitions":
            return self.partitions.found(text)
        return self.tasks.found(re.sub(r"=[^,}]*", "", text))

    def _stub(self, task: object) -> Any:
        stub, say = (
            self.shape.stubs.make(self.shape.task, self.tasks[task]),
            self.shape.stubs.answer,
        )
        say(stub, "id", (), self.shape.id(self.tasks[task]))
        say(stub, "partitions", (), self._of(task, "inputs"))
        say(stub, "changelogPartitions", (), self._of(task, "changelogs"))
        if "hasStateStores" in self.parameters:
            say(stub, "hasStateStores", (), task in self.parameters["hasStateStores"])
        if self.shape.has("purgableOffsets"):
            say(
                stub,
                "purgableOffsets",
                (),
                self.shape.map([(self.shape.partition(f"{self.tasks[task]}-0"), 0)]),
            )
        return stub

    def _of(self, task: object, kind: str) -> Any:
        return self.places(
            p
            for p, owner in self.parameters["taskOf"].items()
            if owner == task and p in self.parameters[kind]
        )

    def _tell(self, event: str, arguments: Mapping[str, Any]) -> None:
        """Let the stubs answer what this event needs, and what is left from the last one nothing again."""
        first = self.shape.has("initialize")
        wanted = {
            (task, method, given): answer
            for task, method, given, answer in said(event, arguments, first)
            if task in self.stub
        }
        if "opened" in arguments:
            closed = (task for task in self.created if task not in arguments["opened"])
            wanted |= {(task, "changelogPartitions", ()): self.places(()) for task in closed}
        for task, method, given in self.said.keys() - wanted.keys():
            self._say(
                task,
                method,
                given,
                self._of(task, "changelogs")
                if method == "changelogPartitions"
                else False
                if method in BOOLEAN
                else None,
            )
        for (task, method, given), answer in wanted.items():
            self._say(task, method, given, answer)
        self.said = wanted

    def _say(self, task: object, method: str, given: tuple[object, ...], answer: object) -> None:
        if not self.shape.has(method):
            return
        full = (
            (*given, *((False, None) if self.shape.closing == 3 else (None,)))
            if method == "closeSuspended"
            else given
        )
        if isinstance(answer, Throws):
            self.shape.stubs.throw(self.stub[task], method, full, ERRORS[answer.what])
        else:
            self.shape.stubs.answer(self.stub[task], method, full, answer)

    def _result(self, event: str, kind: str, result: Any) -> object:
        if result is None or kind in ("boolean", "int"):
            return result
        if kind == "RuntimeException":
            return "RuntimeException"
        text = self._text(result)
        if event == "recordsToDelete":
            self.gifts["asked"] = self.tasks.found(text)
            return None
        if kind in ("Task", "StreamTask"):
            return self.tasks.of[text]
        return self.partitions.found(text) | self.tasks.found(text)

    def _text(self, thing: Any) -> str:
        return self.shape.classes.text(thing)

    def _as_python(self, thrown: Any) -> Exception:
        name = str(thrown.getClass().getName())
        kinds = {
            ERRORS["migrated"]: TaskMigratedException,
            ERRORS["threw"]: RuntimeException,
            "java.lang.IllegalStateException": IllegalStateException,
        }
        return kinds.get(name, LookupError)(f"{name}: {self._text(thrown)}")


BOOLEAN = frozenset(
    {
        "initialize",
        "initializeStateStores",
        "commitNeeded",
        "commitRequested",
        "process",
        "isProcessable",
        "maybePunctuateStreamTime",
        "maybePunctuateSystemTime",
    }
)
INPUTS = {
    "task": lambda self, task: self.stub[task],
    "taskId": lambda self, task: self.shape.id(self.tasks[task]),
    "partitions": Registries.places,
    "partition": lambda self, partition: self.shape.partition(self.partitions[partition]),
    "restored": Registries.places,
    "revokedTasks": Registries.ids,
    "newAssignment": Registries.ids,
    "nonRunningTasksToClose": Registries.ids,
    "restoringTasksToClose": Registries.ids,
    "runningTasksToSuspend": Registries.ids,
    "tasksToClose": lambda self, tasks: self.shape.list(
        self.stub[task] for task in sorted(tasks, key=str)
    ),
    "clean": lambda self, clean: clean,
    "currentStateMap": lambda self, name: (
        self.shape.map([]) if name == "none" else self.shape.registry(self.real, name)
    ),
}
"""Arguments of events that are inputs of the method, and how they are made in Java."""
EXTRA = {
    "suspendTasks": lambda self: self.shape.classes.call(
        self.shape.registry(self.real, "running"), "values"
    ),
    "applyToRunningTasks": lambda self: self.shape.registry(self.real, "commitAction"),
    "process": lambda self: 0,
    "transitionToRunning": lambda self: self.shape.set(()),
} | dict.fromkeys(LISTS, lambda self: self.shape.list())
"""What a method wants beside the arguments of its event."""
