"""A Java virtual machine beside the tests, and in it the classes of each release behind a class loader of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
from attrs import define, field, frozen
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from statemachines.conform.engines.spark.cluster.java import java_environment
from tests.kafka.jars import jars_of

OPENED = ("java.lang", "java.util", "java.util.concurrent")
"""Packages of the platform whose private members the stubs' library reads."""


def java() -> str:
    """Return the `java` to run, by the rules that Spark's engine has; raises `NoJava` where there is none."""
    home = (dict(os.environ) | java_environment(os.environ)).get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else shutil.which("java") or "java"


@contextmanager
def running() -> Iterator[Jvm]:
    """Start the gateway server that PySpark brings, nothing else on its class path; it ends with the block."""
    bridge = next((Path(pyspark.__file__).parent / "jars").glob("py4j-*.jar"))
    options = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    port, token = launch_gateway(
        jarpath=str(bridge), javaopts=[*options, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"], java_path=java(), die_on_exit=True,
        enable_auth=True, redirect_stdout=subprocess.DEVNULL, redirect_stderr=subprocess.DEVNULL,
    )  # fmt: skip
    gateway = JavaGateway(
        gateway_parameters=GatewayParameters(port=port, auth_token=token, auto_field=False)
    )
    try:
        yield Jvm(gateway)
    finally:
        gateway.shutdown()


@define
class Jvm:
    """One virtual machine for all releases."""

    gateway: Any
    _releases: dict[str, Classes] = field(factory=dict)

    def release(self, release: str) -> Classes:
        """Return the classes of a release; the same ones each time."""
        if release not in self._releases:
            self._releases[release] = Classes(release, self, self._loader(release))
        return self._releases[release]

    def array(self, kind: Any, items: list[Any]) -> Any:
        """Make a Java array."""
        made = self.gateway.new_array(kind, len(items))
        for place, item in enumerate(items):
            made[place] = item
        return made

    def objects(self, *items: Any) -> Any:
        """Make an `Object[]`."""
        return self.array(self.gateway.jvm.java.lang.Object, list(items))

    def _loader(self, release: str) -> Any:
        java = self.gateway.jvm.java
        urls = self.array(
            java.net.URL, [java.io.File(str(jar.path)).toURI().toURL() for jar in jars_of(release)]
        )
        return java.net.URLClassLoader(urls, java.lang.ClassLoader.getPlatformClassLoader())


@frozen(eq=False)
class Classes:
    """The classes of one release, and reflection on them."""

    release: str
    jvm: Jvm
    loader: Any
    _methods: dict[tuple[str, str, int], Any] = field(factory=dict)

    def find(self, name: str) -> Any:
        """Return a class by its binary name, such as `a.b.C$D`."""
        return self.jvm.gateway.jvm.java.lang.Class.forName(name, True, self.loader)

    def has(self, name: str) -> bool:
        """Tell whether the release has a class."""
        return self.loader.findResource(name.replace(".", "/") + ".class") is not None

    def call(self, target: Any, name: str, *arguments: Any) -> Any:
        """Call a method of an object by its name, whoever may see it; where several have the name, by the number of arguments.

        Every call goes through `java.lang.reflect`: the bridge remembers methods by the name of their class, and each release has its own.
        """
        return self.method(target, name, len(arguments)).invoke(
            target, self.jvm.objects(*arguments)
        )

    def text(self, target: Any) -> str:
        """Return `toString()` of an object."""
        return str(self.jvm.gateway.jvm.java.util.Objects.toString(target))

    def module(self, name: str) -> Any:
        """Return the Scala object of a class whose name ends with `$`."""
        return self.find(name).getField("MODULE$").get(None)

    def method(self, target: Any, name: str, count: int) -> Any:
        """Return a method of an object's class, with some number of arguments, opened."""
        kind = target.getClass()
        key = (str(kind.getName()), name, count)
        if key not in self._methods:
            self._methods[key] = method_of(kind, name, count)
        return self._methods[key]

    def method_named(self, target: Any, name: str) -> Any:
        """Return the one method of this name that the class of an object declares."""
        return self.opened(
            next(
                method
                for method in target.getClass().getDeclaredMethods()
                if str(method.getName()) == name
            )
        )

    def opened(self, member: Any) -> Any:
        """Make a private method, field or constructor accessible."""
        member.setAccessible(True)
        return member


def method_of(kind: Any, name: str, count: int) -> Any:
    """Find a method of a class, private ones and those of its parents included, and open it."""
    for method in _all_methods(kind):
        if (
            str(method.getName()) == name
            and method.getParameterCount() == count
            and not method.isBridge()
        ):
            method.setAccessible(True)
            return method
    raise LookupError(f"no method {name} with {count} arguments in {kind.getName()}")


def _all_methods(kind: Any) -> Iterator[Any]:
    above = kind
    while above is not None:
        yield from above.getDeclaredMethods()
        above = above.getSuperclass()
    yield from kind.getMethods()
