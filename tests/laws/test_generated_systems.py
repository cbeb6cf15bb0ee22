"""Law: a system's generated module goes where the embedded system goes, and says no where it does.

Covers: statemachines.embed.code_generation.system_code.system_module,
statemachines.embed.code_generation.system_code.system_class,
statemachines.embed.code_generation.system_code.link_methods,
statemachines.embed.code_generation.system_code.module_sections,
statemachines.embed.code_generation.system_code.part_classes,
statemachines.embed.code_generation.system_code.runtime_values,
statemachines.embed.code_generation.system_code.system_runtime.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.definitions.system_definitions import SystemDefinition
from tests.effort import some_of
from tests.exploring_systems import systems
from tests.generated_systems import walk_beside
from tests.laws.test_channels import talk
from tests.laws.test_created_parts import pool

MODELS = Path(__file__).parent.parent / "published" / "models"
SPECS = Path(__file__).parents[2] / "specs"
SHIPPED = sorted(
    str(path.relative_to(SPECS).with_suffix(""))
    for path in SPECS.rglob("*.yaml")
    if "\nsystem: " in path.read_text()
)
FEW = settings(max_examples=some_of(25), deadline=None, suppress_health_check=list(HealthCheck))


@given(systems(), st.integers(0, 1000))
@FEW
def test_random_systems_are_generated_as_they_are(system: SystemDefinition, seed: int) -> None:
    """Links of all kinds, with what waits, channels, parts that are absent, errors with effects."""
    walk_beside(system, seed, 25)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_systems_are_generated_as_they_are(name: str) -> None:
    """In the newest release."""
    system = sm.load_system(name).at().value
    assert sum(walk_beside(system, seed, 60) for seed in range(3)) > 5


@pytest.mark.parametrize("name", ["MutexSystem", "AlternatingBitChannels", "Table", "CommitSystem"])
def test_published_systems_are_generated_as_they_are(name: str) -> None:
    """With channels that lose, repeat and reorder."""
    system = sm.load_system(MODELS / f"{name}.yaml").at().value
    assert sum(walk_beside(system, seed, 60) for seed in range(3)) > 5


def test_generated_systems_are_typed_and_clean(tmp_path: Path) -> None:
    """By mypy, strictly, and by a linter that nobody has told anything."""
    paths = []
    proved = [
        name for name in SHIPPED if name != "kafka/ZkStateMachines"
    ]  # `in` proves a key there
    for name in (*proved, MODELS / "AlternatingBitChannels.yaml", MODELS / "Table.yaml"):
        paths.append(tmp_path / f"made{len(paths)}.py")
        paths[-1].write_text(sm.load_system(name).at().code())
    texts = list(map(str, paths))
    typed = ["mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}", *texts]
    for command in (typed, ["ruff", "check", "--isolated", "--no-cache", "--select=F", *texts]):
        done = subprocess.run(
            [sys.executable, "-m", *command], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


def test_channels_and_created_parts_are_generated_as_they_are() -> None:
    """Parts begin under a key, end in a state, and take with them what waits for them."""
    sessions = [walk_beside(pool(3, 2, queued=seed % 2 == 0), seed, 60) for seed in range(10)]
    talks = [
        walk_beside(talk(2, 2, 2, {"lose", "repeat", "reorder"}), seed, 40) for seed in range(3)
    ]
    kept = [
        walk_beside(talk(2, 2, 2, set(), full, shared=shared, refused="wait"), seed, 40)
        for seed in range(3)
        for full in ("refuse", "drop new", "drop old")
        for shared in (False, True)
    ]
    assert min(sum(sessions), sum(talks), sum(kept)) > 20
