"""What `import statemachines as sm` gives: specs and machines as users hold them.

Covers: statemachines.api.description, statemachines.api.machine,
statemachines.api.machine_questions, statemachines.api.spec, statemachines.model.version,
statemachines.notation.releases.release_resolution,
statemachines.notation.releases.machine_selection.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import statemachines as sm
from tests.machines import ORDER, TURNSTILE

DOOR = """\
notation: 1
machine: door
states:
  CLOSED: {initial: true}
  OPEN:
  GONE: {final: true}
predicates:
  shut: [CLOSED]
transitions:
  - {from: CLOSED, to: OPEN, event: open}
  - {from: OPEN, to: CLOSED, event: close}
  - {from: "*", to: GONE}
otherwise:
  - {event: close, does: ignore}
  - {does: raise Stuck}
"""


@pytest.fixture
def door(tmp_path: Path) -> sm.Machine:
    """A door from a file."""
    path = tmp_path / "door.yaml"
    path.write_text(DOOR)
    return sm.load(path).at()


def test_names_are_strings_in_the_authors_order(door: sm.Machine) -> None:
    """What a person prints and compares."""
    assert (door.states, door.initial, door.final) == (
        ("CLOSED", "OPEN", "GONE"),
        ("CLOSED",),
        ("GONE",),
    )
    assert door.predicates == ("shut",)
    assert door.events == ("open", "close", "to_GONE", "to_CLOSED", "to_OPEN")
    assert [(arrow.source, arrow.target, arrow.event) for arrow in door.transitions][:2] == [
        ("CLOSED", "OPEN", "open"),
        ("OPEN", "CLOSED", "close"),
    ]
    assert door.state("GONE").final
    assert repr(door).endswith("door: 3 states, 5 transitions>")


def test_it_answers_questions(door: sm.Machine) -> None:
    """The first things a maintainer asks."""
    assert door.allows("CLOSED", "OPEN")
    assert not door.allows("GONE", "OPEN")
    assert door.holds("shut", "CLOSED")
    assert not door.holds("shut", sm.Snapshot("OPEN"))
    assert door.transition("OPEN", "open") is None
    with pytest.raises(sm.ArgumentsError, match="did you mean `CLOSED`"):
        door.state("CLOSE")


def test_step_takes_the_machine_that_users_hold(door: sm.Machine) -> None:
    """The five answers, by the example of the contract."""
    before = door.start()
    answer = sm.step(door, before, "open")
    assert isinstance(answer, sm.Advanced)
    assert answer.after == sm.Snapshot("OPEN")
    assert isinstance(sm.step(door, before, "close"), sm.Ignored)
    raised = sm.step(door, answer.after, "open")
    assert isinstance(raised, sm.Raised)
    assert raised.error == "Stuck"


def test_an_instance_lives(door: sm.Machine) -> None:
    """Sent to, asked, refused with reasons."""
    instance = door.instance()
    instance.send("open")
    assert instance.state == "OPEN"
    assert instance.may("close")
    with pytest.raises(
        sm.NotAllowed, match="legal here: `close`, `to_GONE`; the system would raise Stuck"
    ):
        instance.send("open")


def test_several_beginnings_are_all_given() -> None:
    """And `start` refuses to choose."""
    order = sm.Machine(ORDER)
    assert [each.state for each in order.starts()] == ["NEW", "DRAFT"]
    assert order.instance("DRAFT").state == "DRAFT"
    with pytest.raises(sm.ArgumentsError, match="2 beginnings"):
        order.start()


def test_a_machine_is_a_value() -> None:
    """Equal, hashable, and the same after a journey to another process."""
    assert sm.Machine(TURNSTILE) == sm.Machine(TURNSTILE)
    assert pickle.loads(pickle.dumps(sm.Machine(TURNSTILE))) == sm.Machine(TURNSTILE)
    assert len({sm.Machine(TURNSTILE), sm.Machine(TURNSTILE), sm.Machine(ORDER)}) == 2


def test_a_spec_knows_its_releases() -> None:
    """Each is a machine of its own; asking twice gives the same value."""
    spec = sm.load("StreamThread")
    assert spec.name.endswith("/StreamThread")
    for release in (spec.releases[0], spec.releases[-1]):
        assert spec.at(release).release == release
    assert spec.at() is spec.at(spec.releases[-1])
    with pytest.raises(sm.UnknownRelease, match="it exists in"):
        spec.at("99.9")
    assert spec.name in repr(spec)


def test_a_broken_spec_says_what_is_wrong(tmp_path: Path) -> None:
    """With its code and its place."""
    path = tmp_path / "door.yaml"
    path.write_text(DOOR.replace("to: OPEN", "to: OPPEN"))
    with pytest.raises(sm.SpecError) as caught:
        sm.load(path)
    assert [(wrong.span.line, "OPPEN" in wrong.message) for wrong in caught.value.diagnostics] == [
        (10, True)
    ]
    with pytest.raises(sm.SpecError):
        sm.load("NoSuchSpec")


def test_the_message_of_an_exception_says_what_would_be_right() -> None:
    """In a program the message is all that a person sees; the nearest name spares the search."""
    with pytest.raises(
        sm.SpecError,
        match=r"SM601 there is no spec `examples/BankAcount`; did you mean `examples/BankAccount`\?$",
    ):
        sm.load("examples/BankAcount")


def test_everything_promised_can_be_imported() -> None:
    """Lazily, by its own name; a misspelt one is an AttributeError."""
    for name in sm.__all__:
        assert getattr(sm, name) is not None
    assert set(sm.__all__) <= set(dir(sm))
    assert isinstance(sm.__version__, str)
    with pytest.raises(AttributeError, match="has no attribute 'lode'"):
        sm.lode  # noqa: B018  # reading it is the test


def test_importing_is_light() -> None:
    """A program that embeds a machine must not pay for Spark, test tools or pictures."""
    code = (
        "import sys, statemachines as sm; sm.load('StreamThread').at().instance(); "
        "print([name for name in ('pyspark', 'pyarrow', 'hypothesis', 'graphviz', 'transitions', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(sm.__file__).parent.parent,
    )
    assert done.stdout.strip() == "[]"
