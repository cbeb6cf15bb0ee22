"""A project sets the defaults of `check` once.

Covers: statemachines.cli.arguments.project_settings, statemachines.cli.console.report_output.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.cli import main

ORDER = Path(__file__).parents[3] / "examples" / "orders" / "Order.yaml"
LOG = """\
2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order 7 was placed
2026-11-21 12:00:01.000 INFO  [http-1] shop.Orders - order 7: NEW -> SHIPPED
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a log in a folder of its own."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "shop.log").write_text(LOG, "utf-8")
    monkeypatch.chdir(tmp_path / "logs")
    return tmp_path


def test_defaults_come_from_the_nearest_project_and_the_command_line_wins(project: Path) -> None:
    """The gate of a pipeline and a person at work use the same settings."""
    for name in ("Order.yaml", "shop.yaml"):
        (project / name).write_text((ORDER.parent / name).read_text("utf-8"), "utf-8")
    (project / "pyproject.toml").write_text(
        '[tool.statemachines]\nspec = ["Order.yaml"]\nfail-on = "never"\nquiet = true\n', "utf-8"
    )
    assert main(["check", "shop.log"]) == 0
    assert main(["check", "shop.log", "--fail-on", "violated"]) == 1


def test_other_tables_change_nothing(project: Path) -> None:
    """Every project has a pyproject.toml."""
    (project / "pyproject.toml").write_text('[tool.other]\nspec = "x"\n', "utf-8")
    assert main(["check", "shop.log", "--spec", str(ORDER)]) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[tool.statemachines]\nspecs = "x"\n', "did you mean `spec`?"),
        ("[tool.statemachines", "pyproject.toml: "),
    ],
)
def test_a_mistake_in_the_settings_is_told(
    project: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A setting that is not read is worse than none."""
    (project / "pyproject.toml").write_text(text, "utf-8")
    assert main(["check", "shop.log"]) == 2
    assert said in capsys.readouterr().err
