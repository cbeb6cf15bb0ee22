"""`generate`, as a build runs it.

Covers: statemachines.cli.arguments.machine_arguments, statemachines.cli.outcomes.command_errors,
statemachines.cli.verbs.generate.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.cli import main

ORDERS = Path(__file__).parents[3] / "examples" / "orders"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a spec whose file is called otherwise than its machine, and the code made from it."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "life.yaml").write_bytes((ORDERS / "Order.yaml").read_bytes())
    (tmp_path / "shop.yaml").write_bytes((ORDERS / "shop.yaml").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "code", "life.yaml", "-o", "order.py"]) == 0
    return tmp_path


def test_code_is_up_to_date_from_whatever_folder_one_asks(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build stands elsewhere than the person who made the file; the path that either typed is no part of it."""
    assert 'MACHINE: Final = "Order"' in (made / "order.py").read_text("utf-8")
    monkeypatch.chdir(made / "inner")
    assert main(["generate", "code", "../life.yaml", "-o", "../order.py", "--check"]) == 0
    assert main(["generate", "code", str(made / "life.yaml"), "-o", "../order.py", "--check"]) == 0


def test_code_of_another_machine_is_out_of_date(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A check that was never seen to fail is untested."""
    spec = made / "life.yaml"
    spec.write_text(spec.read_text("utf-8").replace("machine: Order", "machine: Parcel"), "utf-8")
    assert main(["generate", "code", "life.yaml", "-o", "order.py", "--check"]) == 1
    assert "out of date" in capsys.readouterr().err


def test_code_is_made_anew_and_a_program_of_somebody_else_stays(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was generated holds nobody's changes; a hand-written module of that name does."""
    generated = (made / "order.py").read_bytes()
    other = (made / "life.yaml").read_text("utf-8").replace("machine: Order", "machine: Parcel")
    (made / "other.yaml").write_text(other, "utf-8")
    assert main(["generate", "code", "other.yaml", "-o", "order.py"]) == 0
    assert main(["generate", "code", "life.yaml", "-o", "order.py"]) == 0
    assert (made / "order.py").read_bytes() == generated
    (made / "mine.py").write_text("print('by hand')\n")
    assert main(["generate", "code", "life.yaml", "-o", "mine.py"]) == 2
    assert "mine.py exists already; --force overwrites it" in capsys.readouterr().err
    assert (made / "mine.py").read_text() == "print('by hand')\n"
    assert main(["generate", "code", "life.yaml", "-o", "mine.py", "--force"]) == 0
    assert (made / "mine.py").read_bytes() == generated


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tla", "Order"), "`draw` writes tla: statemachines draw Order --format tla"),
        (("scxml",), "`draw` writes scxml: statemachines draw NAME --format scxml"),
        (
            ("cod", "Order"),
            "cannot generate `cod`; did you mean `statemachines generate code Order`?",
        ),
    ],
)
def test_a_form_that_draw_writes_is_pointed_at(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody who wants TLA+ looks for it where code is made."""
    assert main(["generate", *words]) == 2
    assert said in capsys.readouterr().err
