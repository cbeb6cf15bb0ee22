"""What is bound beside actions is looked at when it is bound; what has none can be kept and shown.

Covers: statemachines.embed.bound_errors, statemachines.embed.binding, statemachines.api.step_logs,
statemachines.model.extras.
"""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from typing import Any

import pytest

from statemachines import load
from statemachines.api.machine import Machine
from statemachines.embed.bound_errors import BindingError
from statemachines.model.extras import install_command
from tests.machines import TURNSTILE

ARM = Machine(TURNSTILE)


@pytest.mark.parametrize("kind", ["instance", "threadsafe", "asynchronous"])
def test_an_instance_without_actions_is_pickled(kind: str) -> None:
    """As one of the machine itself is."""
    kept = pickle.loads(pickle.dumps(getattr(ARM.bind(), kind)()))
    assert kept.state == "LOCKED"


@pytest.mark.parametrize(
    ("bound", "told"),
    [
        ({"errors": {"TooOfen": ValueError}}, "has no error `TooOfen`; "),
        ({"before": print}, "`before` takes a list of listeners, such as `before=[print]`"),
        ({"after": 3}, "`after` takes a list of listeners"),
        ({"after": [3]}, "listener 3 of `after` cannot be called"),
    ],
)
def test_a_mistake_is_told_when_it_is_bound(bound: dict[str, Any], told: str) -> None:
    """Not when the event comes that needs it, or never."""
    with pytest.raises(BindingError, match=re.escape(told)):
        ARM.bind(**bound)


def test_what_stands_for_an_error_is_a_class_of_exceptions(tmp_path: Any) -> None:
    """A name that is near is proposed; what is right is taken."""
    spec = tmp_path / "Job.yaml"
    spec.write_text(
        "notation: 1\nmachine: Job\nstates: {A: {initial: true}, B: }\n"
        "transitions:\n  - {from: A, to: B, event: take}\n"
        "otherwise:\n  - {event: take, does: raise TooOften}\n",
        "utf-8",
    )
    job = load(spec).at()
    no_class: Any = {"TooOften": 3}
    with pytest.raises(BindingError, match="did you mean `TooOften`"):
        job.bind(errors={"TooOfen": ValueError})
    with pytest.raises(BindingError, match="error `TooOften`: 3 is no class of exceptions"):
        job.bind(errors=no_class)
    instance = job.bind(errors={"TooOften": ZeroDivisionError}).instance()
    instance.take()
    with pytest.raises(ZeroDivisionError):
        instance.take()


def test_a_binding_is_shown_in_a_line() -> None:
    """Not with the whole machine: a debugger and a notebook show it."""
    assert len(repr(ARM.bind())) < 300


def test_tests_say_how_what_they_need_is_installed() -> None:
    """One sentence with the command, in place of the name of a module."""
    hidden = "import sys; sys.modules['hypothesis'] = None; from statemachines import testing;"
    done = subprocess.run(
        [sys.executable, "-c", hidden + "testing.from_machine"], capture_output=True, text=True
    )
    message = f"ModuleNotFoundError: `from_machine` needs hypothesis: {install_command('test')}"
    assert done.stderr.splitlines()[-1] == message
