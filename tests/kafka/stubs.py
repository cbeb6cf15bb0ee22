"""Stubbed tasks: objects of Kafka's own task classes that answer what a test says, by Mockito."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from tests.kafka.jvm import method_of

if TYPE_CHECKING:
    from tests.kafka.jvm import Classes


PACKAGE = "org.apache.kafka.streams.processor.internals"


@define(eq=False)
class Stubs:
    """Mockito in the class loader of one release, so that stubs may override what only a package sees."""

    classes: Classes
    mockito: Any
    when: Any
    """Stubber.when(mock)"""
    answers: dict[object, Any] = field(factory=dict)
    """What a stub may do to the Stubber that makes it do so."""

    @classmethod
    def of(cls, classes: Classes) -> Stubs:
        """Make ready to stub classes of a release."""
        mockito = classes.find("org.mockito.Mockito")
        return cls(
            classes,
            mockito,
            method_of(classes.find("org.mockito.internal.stubbing.StubberImpl"), "when", 1),
        )

    def make(self, kind: str, name: str) -> Any:
        """Make a stub of a class that does nothing and whose text is a name.

        The calling thread's class loader becomes the release's: Mockito looks there for its own parts.
        """
        self.classes.jvm.gateway.jvm.java.lang.Thread.currentThread().setContextClassLoader(
            self.classes.loader
        )
        objects = self.classes.jvm.objects
        settings = self.classes.call(
            self._static("withSettings").invoke(None, objects()), "stubOnly"
        )
        for call, value in (("mockMaker", "mock-maker-subclass"), ("name", name)):
            settings = self.classes.call(settings, call, value)
        return self._static("mock", "Class", "MockSettings").invoke(
            None, objects(self.classes.find(kind), settings)
        )

    def answer(self, stub: Any, method: str, arguments: Sequence[Any], given: object) -> None:
        """Let a method answer a value from now on, called with these arguments; None: it does nothing."""
        self._say(stub, method, arguments, self._returning(given))

    def throw(self, stub: Any, method: str, arguments: Sequence[Any], error: str) -> None:
        """Let a method throw an exception of a class from now on."""
        self._say(stub, method, arguments, self._throwing(error))

    def _say(self, stub: Any, method: str, arguments: Sequence[Any], stubber: Any) -> None:
        self.when.invoke(stubber, self.classes.jvm.objects(stub))
        self.classes.call(stub, method, *arguments)

    def _returning(self, given: object) -> Any:
        if given is not None and not isinstance(given, bool):
            return self._static("doReturn", "Object").invoke(None, self.classes.jvm.objects(given))
        if given not in self.answers:
            objects = self.classes.jvm.objects
            does = (
                self._static("doNothing") if given is None else self._static("doReturn", "Object")
            )
            self.answers[given] = does.invoke(None, objects() if given is None else objects(given))
        return self.answers[given]

    def _throwing(self, error: str) -> Any:
        if error not in self.answers:
            several = self.classes.jvm.array(
                self.classes.jvm.gateway.jvm.java.lang.Throwable, [self._thrown(error)]
            )
            self.answers[error] = self._static("doThrow", "Throwable[]").invoke(
                None, self.classes.jvm.objects(several)
            )
        return self.answers[error]

    def _thrown(self, error: str) -> Any:
        """Make an exception: of a message, or, where the class has none such, of a task."""
        made = {
            tuple(str(kind.getSimpleName()) for kind in one.getParameterTypes()): one
            for one in self.classes.find(error).getConstructors()
        }
        if ("String",) in made:
            return made[("String",)].newInstance(self.classes.jvm.objects("planted"))
        return made[("Task",)].newInstance(
            self.classes.jvm.objects(self.make(f"{PACKAGE}.Task", "planted"))
        )

    def _static(self, name: str, *types: str) -> Any:
        for method in self.mockito.getDeclaredMethods():
            if method.getName() == name and [
                kind.getSimpleName() for kind in method.getParameterTypes()
            ] == list(types):
                return method
        raise LookupError(name)
