"""`enabled(event)` in properties: what may stand there, and that a search and step agree about it.

Covers: statemachines.notation.expressions.definition_rules,
statemachines.explore.properties.enabled_queries.
"""

from __future__ import annotations

import pytest

from statemachines.conform.interchange.check_plan import unjudgeable_reason
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.walks.random_walks import simulate
from statemachines.interop.export_limits import CannotExport
from statemachines.interop.tla.tla_export import to_tla
from statemachines.model.evidence.verdicts import Verdict
from tests.data_machines import codes, machine
from tests.systems import house

LOCK = """
types: {Client: id}
scope: {Client: 2}
variables: {holder: "Client? = None", waiting: {type: "set[Client]", initial: "set()"}}
events:
  ask: {args: {c: Client}, guard: c not in waiting and holder != c, effect: {waiting: "waiting | {c}"}}
  grant: {args: {c: waiting}, guard: holder is None, effect: {holder: c, waiting: "waiting - {c}"}}
  free: {guard: holder is not None, effect: {holder: None}}
"""


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("enabled(gramt)", "SM403"),
        ("enabled(grant, d=None)", "SM403"),
        ("enabled(grant, c=3)", "SM304"),
        ("enabled()", "SM308"),
        ("enabled(ask, grant)", "SM308"),
    ],
)
def test_what_it_asks_about_must_be_there(condition: str, code: str) -> None:
    """An event that is misspelt would never be enabled, and the rule would say nothing."""
    assert codes(f'{LOCK}always: {{rule: "{condition}"}}\n') == [code]


def test_only_properties_ask() -> None:
    """A guard that asked whether its own event is enabled would have no meaning."""
    assert codes(LOCK.replace("guard: holder is None", "guard: enabled(free)")) == ["SM303"]


@pytest.mark.parametrize("engine", ["rows", "arrays"])
def test_it_is_what_the_guards_say(engine: str) -> None:
    """With any arguments, and with those that are named; for each of some names too."""
    if engine == "arrays":
        pytest.importorskip("numpy")
    text = f"""{LOCK}
always:
  any: "enabled(grant) == (holder is None and waiting != set())"
  never: not enabled(free)
  for each c in Client:
    one: "enabled(grant, c=c) == (holder is None and c in waiting)"
    two: enabled(ask, c=c)
"""
    found = explore(machine(text), how=ExplorationOptions(engine=engine)).examined
    verdicts = {one.name: one for one in found if one.name.startswith("always")}
    assert {name: one.verdict for name, one in verdicts.items()} == {
        "always any": Verdict.HOLDS,
        "always never": Verdict.VIOLATED,
        "always one": Verdict.HOLDS,
        "always two": Verdict.VIOLATED,
    }
    assert verdicts["always two"].said == "does not hold here for c = 'Client1'"
    trace = verdicts["always never"].trace
    assert trace is not None
    assert [step.event for step in trace.steps] == ["ask", "grant"]


def test_of_a_system_links_are_asked() -> None:
    """What `only if` forbids is not enabled, though the part alone would take it."""
    text = """
notation: 1
system: House
parts: {door: {machine: Door}, alarm: {machine: Door}}
links:
  - {on: alarm, enters: OPEN, only if: door.state == 'SHUT'}
always:
  calm: "implies(door.state == 'OPEN', not enabled(alarm.to_OPEN))"
  free: enabled(alarm.to_OPEN)
"""
    for engine in ("rows", "auto"):
        how = ExplorationOptions(engine=engine)
        found = {one.name: one for one in explore(house("", text), how=how).examined}
        assert found["always calm"].verdict is Verdict.HOLDS
        assert found["always free"].verdict is Verdict.VIOLATED


def test_neither_a_walk_nor_a_log_tells() -> None:
    """Both know one run only, and not which values types have; that is said, and nothing is decided."""
    small = machine(f"{LOCK}always: {{never: not enabled(free)}}\n")
    (claimed, *_) = small.data.properties
    assert unjudgeable_reason(claimed) == "asks what is enabled, which no line tells"
    noticed = {one.property.name: one for one in simulate(small, seed=1, steps=9).noticed}
    assert noticed["never"].verdict is Verdict.INCONCLUSIVE


def test_tla_has_the_word_too() -> None:
    """What TLA+ says in the same way is written, with arguments too; of steps it is refused by name."""
    text = to_tla(machine(f"{LOCK}always: {{never: not enabled(free)}}\n"))
    assert "Always_never == ~(ENABLED Event_free)" in text
    given = to_tla(machine(f'{LOCK}always: {{one: "all(enabled(ask, c=c) for c in waiting)"}}\n'))
    assert "ENABLED Event_ask_of_c(" in given
    with pytest.raises(CannotExport, match="enabled"):
        to_tla(machine(f"{LOCK}each step: {{never: not enabled(free)}}\n"))
