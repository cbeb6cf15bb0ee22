"""Why a job on Spark failed, in one sentence instead of Java's stack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

_MISSING_MODULE = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")
_LOST_EXECUTOR = re.compile(r"ExecutorLostFailure .*?Reason: ([^\n]+)")
_TASK_FAILURE = re.compile(r"most recent failure: [^\n]*?\(TID \d+\)[^\n]*?: ([^\n]+)")
_PYTHON_ERROR = re.compile(r"^(\w[\w.]*(?:Error|Exception): [^\n]+)$", re.MULTILINE)
_FULL_DISK = re.compile(r"No space left on device")
_NOISE = re.compile(
    r"^(?:An error occurred while calling [^\n]*|: |Caused by: |Exception thrown in awaitResult:"
    r"|\s+at [^\n]*|\s+|(?:\w+\.)+\w+(?:Exception|Error): )"
)


class JobFailed(RuntimeError):
    """A job on Spark failed, and again where Spark tried again; the message says why."""


@contextmanager
def failures_in_words() -> Iterator[None]:
    """Raise what Spark raises as a sentence; the whole of it stays its cause.

    Raises:
        JobFailed: A job failed.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as problem:
        raise JobFailed(failure_message(str(problem))) from problem


def failure_message(message: str) -> str:
    r"""Return the sentence in what Spark says of a job that failed.

    >>> failure_message("Traceback …\nModuleNotFoundError: No module named 'attr'").split(": ")[0]
    'a Spark worker lacks attr'
    >>> failure_message("org.apache.spark.SparkException: Job was cancelled\n\tat a.b(C.scala:1)")
    'the job on Spark failed: Job was cancelled'
    """
    if missing := _MISSING_MODULE.search(message):
        return (
            f"a Spark worker lacks {missing[1]}: workers need Python with pyspark, pyarrow and"
            " pandas; PYSPARK_PYTHON says which Python they run"
        )
    if lost := _LOST_EXECUTOR.search(message):
        return f"a Spark worker was lost, and again when it was tried again: {lost[1].strip()}"
    if _FULL_DISK.search(message):
        return (
            "the disk of a Spark worker is full: spark.local.dir (or SPARK_LOCAL_DIRS) says where"
            " Spark keeps what was read, and TMPDIR where Python does"
        )
    errors = _PYTHON_ERROR.findall(message) if "Traceback" in message else []
    failed = _TASK_FAILURE.search(message)
    why = errors[-1] if errors else failed[1] if failed else message
    return f"the job on Spark failed: {_first_sentence(why)}"


def _first_sentence(message: str) -> str:
    """Return the first line that says something, be it of a cause, without the names of Java's
    classes before it.
    """
    for line in message.splitlines():
        words = line
        while (shorter := _NOISE.sub("", words, count=1)) != words:
            words = shorter
        if words.strip():
            return words.strip().split(". ")[0]
    return "Spark does not say why"
