"""Spark sessions: an embedded one, a cluster's, a Connect server's, or the one that is already
there.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from statemachines.conform.engines.spark.cluster.java import java_environment
from statemachines.model.extras import install_command

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_APPLICATION_NAME = "statemachines"

EMBEDDED_MASTER = "local[*,4]"
"""All cores, and four tries for each task: one whose Python process is killed is done again."""

_COMMON_SETTINGS = {
    "spark.python.authenticate.socketTimeout": (
        "120s"
    ),  # a busy machine needs more than the default 15 s to start a worker
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
"""Settings of every session that is started here."""

_EMBEDDED_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.shuffle.compress": "false",
    "spark.shuffle.spill.compress": "false",
}
"""Further settings of a Spark inside this process's machine.

Nothing listens to the outside, and no name needs to be resolved. The work is done in Python: what
Java would compile for speed (by itself, and as the code of a query) costs more seconds than it ever
gains here, as do plans that change while they run. What crosses a shuffle is packed already.
"""


_ADDRESS_PATTERN = re.compile(r"(sc|spark)://([^/;]+)")
"""A Connect server, or a standalone cluster with one or several masters."""
_MASTER_PATTERN = re.compile(r"local|local\[.+\]|local-cluster\[.+\]|spark://.+|yarn|k8s://.+")
CONNECT_PORT, MASTER_PORT = 15002, 7077
_CONNECT_WAIT_S = 10.0
"""How long a host may take to open a connection."""
_LINES_OF_EXPLANATION = 20
"""How much of what Java wrote is shown where it did not start."""


class SessionFailed(RuntimeError):
    """A session did not start; the message has what Java said."""


class SparkMissing(RuntimeError):
    """PySpark, or a part that it needs, is not installed; the message says what to install."""


def session(
    *,
    master: str | None = None,
    remote: str | None = None,
    memory: str = "1g",
    settings: Mapping[str, str] | None = None,
) -> SparkSession:
    """Return a session: one that is already there is used as it is, else one is started.

    Args:
        master: A cluster, such as `spark://host:7077`; None: embedded, with all cores of this
            machine.
        remote: A Connect server, such as `sc://host:15002`; `local` and `local[2]` start one here.
        memory: The driver's, as Java writes it; must be known before its Java starts.
        settings: Further Spark settings, which win over those of this module.

    Returns:
        A session of Spark classic, or of Spark Connect where `remote` is given or was set up
        before.

    Raises:
        ValueError: Both `master` and `remote` are given.
        NoJava: There is no Java to start an embedded Spark.
        SparkMissing: PySpark is not installed.
        SessionFailed: Java, the cluster or the server did not answer.
    """
    if master and remote:
        raise ValueError(
            f"a session has one place to run: give master={master!r} or remote={remote!r}, not both"
        )
    _require_known_place(master, remote)
    spark_session = _import_session_class()
    there = spark_session.getActiveSession()
    if there is not None:
        return there
    check_server_answers(remote or master)
    wanted = {**_default_settings(remote or master, memory), **(settings or {})}
    if remote and not is_embedded(remote):
        return _configure_builder(
            spark_session.builder.remote(remote), settings or {}
        ).getOrCreate()
    builder = (
        spark_session.builder.remote(remote)
        if remote
        else spark_session.builder.master(master or EMBEDDED_MASTER)
    )
    return _start_session(
        _configure_builder(builder.appName(_APPLICATION_NAME), wanted),
        embedded=is_embedded(remote or master),
    )


def _require_known_place(master: str | None, remote: str | None) -> None:
    """Refuse what Spark would refuse with a page of Java.

    Raises:
        SessionFailed: It is no address of a cluster, or of a server.
    """
    if master is not None and not _MASTER_PATTERN.fullmatch(master):
        raise SessionFailed(
            f"`{master}` is no Spark cluster; spark://host:7077, yarn, k8s://https://host:443 and"
            " local[2] are"
        )
    if remote is not None and not remote.startswith("sc://") and not is_embedded(remote):
        raise SessionFailed(f"`{remote}` is no Spark Connect server; sc://host:15002 is")


def check_server_answers(url: str | None) -> None:
    """Knock at a cluster or a server that is named by host and port; without this, Spark itself
    tries again for many minutes.

    Raises:
        SessionFailed: Nothing answers there.
    """
    match = _ADDRESS_PATTERN.match(url or "")
    if match is None:
        return
    default = CONNECT_PORT if match[1] == "sc" else MASTER_PORT
    why = ""
    for address in match[2].split(","):
        host, _, port = (
            address.rpartition(":")
            if address.rpartition(":")[2].isdigit()
            else (address, "", str(default))
        )
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_WAIT_S).close()
        except OSError as problem:
            why = f"{host}:{port}: {problem.strerror or problem}"
        else:
            return
    raise SessionFailed(
        f"nothing answers at {url} ({why}); is it running, and are host and port right?"
    )


def _import_session_class() -> type[SparkSession]:
    """Import PySpark; it costs a second and stays out of every other command."""
    try:
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401
        from pyspark.sql import SparkSession
    except ImportError as problem:
        raise SparkMissing(
            f"the Spark engine needs {problem.name}: {install_command('spark')}"
        ) from problem
    return SparkSession


def is_embedded(master: str | None) -> bool:
    """Tell whether a master runs in this process's own machine."""
    return master is None or master == "local" or master.startswith("local[")


def _default_settings(master: str | None, memory: str) -> dict[str, str]:
    """Return the settings for a master; a cluster's own settings for shuffles and its UI stay."""
    if not is_embedded(master):
        return {**_COMMON_SETTINGS, "spark.driver.memory": memory}
    cores = os.cpu_count() or 1
    return {
        **_COMMON_SETTINGS,
        **_EMBEDDED_SETTINGS,
        "spark.driver.memory": memory,
        "spark.sql.shuffle.partitions": str(2 * cores),
    }


def _configure_builder(
    builder: SparkSession.Builder, settings: Mapping[str, str]
) -> SparkSession.Builder:
    """Give a session's builder its settings."""
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder


def _start_session(builder: SparkSession.Builder, *, embedded: bool) -> SparkSession:
    """Start Java and a session, with an environment that both need only while they start."""
    changes = dict(java_environment(os.environ))
    if embedded:  # else workers run whatever is called python3 on the path
        changes |= {
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        }
    with _environment(changes), _quiet_start():
        return builder.getOrCreate()


@contextmanager
def _quiet_start() -> Iterator[None]:
    """Keep what Java writes at its start off the terminal; where it does not start, that is the
    explanation.

    Java inherits the standard error of its start for all its life, so what it says later goes the
    same way; what a task says comes back as the exception of its job.
    """
    with tempfile.TemporaryFile() as errors, _standard_error_to(errors.fileno()):
        try:
            yield
        except Exception as problem:
            errors.seek(0)
            raise SessionFailed(
                _explanation(problem, errors.read().decode(errors="replace"))
            ) from problem


def _explanation(problem: Exception, errors: str) -> str:
    """Say why a session did not start: the exception, and the last of what Java wrote."""
    lines = [line for line in errors.splitlines() if line.strip()][-_LINES_OF_EXPLANATION:]
    return "\n".join(
        [
            f"Spark did not start: {str(problem).splitlines()[0] if str(problem) else problem!r}",
            *lines,
        ]
    )


@contextmanager
def _standard_error_to(file: int) -> Iterator[None]:
    """Point standard error of this process and its children to an open file for a while."""
    sys.stderr.flush()
    stderr_copy = os.dup(2)
    try:
        os.dup2(file, 2)
        yield
    finally:
        os.dup2(stderr_copy, 2)
        os.close(stderr_copy)


@contextmanager
def _environment(changes: Mapping[str, str | None]) -> Iterator[None]:
    """Change environment variables for a while; None takes one away."""
    before = {name: os.environ.get(name) for name in changes}
    _set_variables(changes)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(values: Mapping[str, str | None]) -> None:
    """Set environment variables, or take them away."""
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
