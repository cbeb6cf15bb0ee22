"""The files that a project copies to have a gate do what they say."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from statemachines.cli import main

ROOT = Path(__file__).parents[2]
GATE = ROOT / "examples" / "gate"
PLACED = "2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order 7 was placed\n"
SOUND = PLACED + "2026-11-21 12:00:01.000 INFO  [http-1] shop.Orders - order 7: NEW -> PAID\n"
WRONG = PLACED + "2026-11-21 12:00:01.000 INFO  [http-1] shop.Orders - order 7: NEW -> SHIPPED\n"


def commands() -> list[str]:
    """All commands of ours in the files, in their order."""
    workflow = yaml.safe_load((GATE / "github-workflow.yml").read_text("utf-8"))
    steps = [step.get("run", "") for step in workflow["jobs"]["check"]["steps"]]
    hooks = yaml.safe_load((GATE / "pre-commit-config.yaml").read_text("utf-8"))["repos"][0]
    entries = [
        hook["entry"] + ("" if "pass_filenames" in hook else " specs/Order.yaml specs/shop.yaml")
        for hook in hooks["hooks"]
    ]
    return [text for text in (*steps, *entries) if text.startswith("statemachines ")]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with specs, a log and a baseline."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "logs").mkdir()
    for name in ("Order.yaml", "shop.yaml"):
        shutil.copy(ROOT / "examples" / "orders" / name, tmp_path / "specs")
    (tmp_path / "logs" / "shop.log").write_text(SOUND)
    monkeypatch.chdir(tmp_path)
    assert main(["format", "specs/Order.yaml", "specs/shop.yaml"]) == 0
    baseline = ["check", "logs/", "--spec", "specs/", "--format", "baseline"]
    assert main([*baseline, "-o", "known-findings.json"]) == 0
    return tmp_path


def test_every_hook_is_installed() -> None:
    """`pre-commit install` alone leaves out the hooks before a push, and says nothing of it."""
    hooks = yaml.safe_load((GATE / "pre-commit-config.yaml").read_text("utf-8"))
    stages = {stage for hook in hooks["repos"][0]["hooks"] for stage in hook.get("stages", [])}
    assert stages == {"pre-push"}
    assert {"pre-commit", *stages} == set(hooks["default_install_hook_types"])


def test_there_are_commands_of_every_kind() -> None:
    """A file that lost its commands would pass."""
    verbs = [shlex.split(command)[1] for command in commands()]
    assert verbs == ["lint", "check", "check", "format", "lint", "check"]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", commands())
def test_a_command_of_the_gate_passes_what_is_sound(command: str) -> None:
    """As the build server runs it."""
    assert main(shlex.split(command)[1:]) == 0


@pytest.mark.parametrize("command", [c for c in commands() if " check " in c])
def test_a_command_of_the_gate_stops_what_is_not(command: str, project: Path) -> None:
    """The step that only uploads never fails; the others do."""
    (project / "logs" / "shop.log").write_text(WRONG)
    stops = 0 if re.search("--fail-on never", command) else 1
    assert main(shlex.split(command)[1:]) == stops
