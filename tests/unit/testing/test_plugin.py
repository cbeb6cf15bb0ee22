"""The pytest plugin: logs of tests are judged where a test asks for it, and nothing else changes.

Covers: statemachines.testing.log_judging.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SPEC = """\
notation: 1
machine: Order
states: {CART: {initial: true}, PAID: {}, SHIPPED: {final: true}}
transitions:
  - {from: CART, to: PAID, event: pay}
  - {from: PAID, to: SHIPPED, event: ship}
log:
  instance: [order]
  patterns: {order: '\\d+'}
  lines:
    - {text: "order {order}: {from} -> {to}", says: step, logger: shop.orders, level: INFO}
"""
TESTS = """\
import logging
import pytest
import statemachines as sm

LOG = logging.getLogger("shop.orders")

@pytest.mark.statemachines("Order.yaml")
def test_legal():
    LOG.info("order 1: CART -> PAID")
    LOG.info("order 1: PAID -> SHIPPED")

@pytest.mark.statemachines("Order.yaml")
def test_forbidden():
    LOG.info("order 1: CART -> PAID")
    LOG.info("order 1: PAID -> CART")

@pytest.mark.statemachines("Order.yaml")
def test_nothing_logged():
    pass

@pytest.mark.statemachines("Order.yaml", silent=True)
def test_silence_may_be_right():
    pass

@pytest.mark.statemachines("Order.yaml")
def test_embedded(request):
    machine = sm.load(str(request.path.parent / "Order.yaml")).at()
    order = machine.bind(after=[machine.step_log(order=7)]).instance()
    order.pay()

def test_fixture(judge_logs, caplog):
    caplog.set_level("INFO")
    LOG.info("order 2: PAID -> SHIPPED")
    assert judge_logs("Order.yaml", level="INFO").checked.steps == 1

def test_file(judge_logs, tmp_path):
    path = tmp_path / "app.log"
    path.write_text("[2026-11-21 10:00:00,123] INFO order 3: SHIPPED -> CART (shop.orders)\\n")
    judge_logs("Order.yaml", files=[path])

def test_that_does_not_ask():
    assert logging.getLogger().level == logging.WARNING
    LOG.info("order 1: SHIPPED -> CART")

@pytest.mark.statemachines("Order.yaml")
def test_that_fails_by_itself():
    LOG.info("order 1: SHIPPED -> CART")
    assert 1 == 2
"""
FROM_MACHINE = """\
import statemachines as sm
from pathlib import Path
from statemachines.testing import from_machine

MACHINE = sm.load(Path(__file__).parent / "Order.yaml").at()
TestOrder = from_machine(MACHINE, MACHINE.instance).TestCase
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small project of somebody else's."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "Order.yaml").write_text(SPEC)
    (folder / "test_orders.py").write_text(TESTS)
    (folder / "test_made.py").write_text(FROM_MACHINE)
    return folder


def run(project: Path, *options: str) -> str:
    """What pytest prints in it."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        *plugin(),
        *options,
    ]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False).stdout


def plugin() -> list[str]:
    """The option that loads the plugin where the installed package does not name it yet."""
    from importlib.metadata import entry_points

    named = [each.name for each in entry_points(group="pytest11")]
    return [] if "statemachines" in named else ["-p", "statemachines.testing.plugin"]


def test_what_tests_log_is_judged_where_they_ask(project: Path) -> None:
    """Marked ones and those that call the fixture; a test that fails by itself says so, and no other is touched."""
    said = run(project, "test_orders.py", "-q", "-rA", "--junitxml=out.xml")
    for name in ("legal", "silence_may_be_right", "embedded", "fixture", "that_does_not_ask"):
        assert f"PASSED test_orders.py::test_{name}" in said, said
    for name in ("forbidden", "nothing_logged", "file", "that_fails_by_itself"):
        assert f"FAILED test_orders.py::test_{name}" in said
    assert "PAID -> CART is not allowed" in said
    assert "order 1: PAID -> CART" in said
    assert "legal was: SHIPPED, from PAID" in said
    assert "that a spec reads" in said
    assert "assert 1 == 2" in said
    assert 'name="statemachines.verdict" value="HOLDS"' in (project / "out.xml").read_text()


def test_a_table_is_shown_where_it_is_asked_for(project: Path) -> None:
    """And only there."""
    said = run(
        project,
        "test_made.py",
        "test_orders.py",
        "-q",
        "-k",
        "legal or TestOrder",
        "--statemachines-coverage",
    )
    assert "transitions          2 of 2" in said
    assert "Order: 2 steps in 1 judged logs" in said
    assert "statemachines" not in run(project, "test_orders.py", "-q", "-k", "legal")
    assert "no test was made from a machine" in run(
        project, "test_orders.py", "-q", "-k", "does_not_ask", "--statemachines-coverage"
    )


def test_it_costs_nothing_where_nobody_asks() -> None:
    """Loading the plugin loads neither Hypothesis nor an engine."""
    code = "import sys, statemachines.testing.plugin; print([m for m in ('hypothesis', 'statemachines.conform', 'yaml', 'asyncio') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


MISTAKES = """\
import pytest

@pytest.mark.statemachines("Odrer.yaml")
def test_no_such_spec():
    pass

@pytest.mark.statemachines()
def test_no_spec():
    pass

@pytest.mark.statemachines("Order.yaml", levl="INFO")
def test_no_such_option():
    pass

@pytest.mark.statemachines("Order.yaml", level="LOUD")
def test_no_such_level():
    pass

@pytest.mark.statemachines("Order.yaml", release="7")
def test_no_such_release():
    pass

def test_no_such_file(judge_logs):
    judge_logs("Order.yaml", files=["nothing.log"])
"""


def test_a_mistake_in_the_asking_is_one_line(project: Path) -> None:
    """A misspelt spec, option, level or file says what is wrong, once, and shows nothing of our inside."""
    (project / "test_mistakes.py").write_text(MISTAKES)
    said = run(project, "test_mistakes.py", "-q")
    assert "did you mean `Order.yaml`?" in said
    assert "no spec is named" in said
    assert "`levl` is no option; did you mean `level`?" in said
    assert "`LOUD` is no level; there are `CRITICAL`" in said
    assert "no release `7`" in said
    assert "nothing.log: there is no such file or folder" in said
    assert "6 failed" in said
    assert not [
        inside for inside in ("Traceback", "During handling", "def _judge") if inside in said
    ]
