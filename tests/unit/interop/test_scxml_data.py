"""SCXML of machines with data does in an interpreter that we did not write what `step` does.

Covers: statemachines.interop.ecmascript.ecmascript_values,
statemachines.interop.export_limits, statemachines.interop.scxml.scxml_data_writer,
statemachines.interop.scxml.scxml_text, statemachines.model.definitions.data_definitions.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from statemachines.api.queries.catalogue import find_machine, machine_in_release, machine_names
from statemachines.interop.ecmascript.ecmascript_values import literal
from statemachines.interop.scxml.scxml_writer import to_scxml
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.machine_tables import machine_tables
from statemachines.semantics.machine.step import step
from statemachines.semantics.machine.value_enumeration import default_domain_sizes
from statemachines.testing.runs.attempts import AttemptFinder, sample_subject_parameters
from tests.data_machines import EXAMPLES, example, machine
from tests.peers import node_modules

RUN = """
var scxml = require('@scion-scxml/scxml'), fs = require('fs');
scxml.documentStringToModel('machine.scxml', fs.readFileSync('machine.scxml', 'utf8'), function (problem, model) {
  if (problem) { throw problem; }
  model.prepare(function (problem, prepared) {
    if (problem) { throw problem; }
    var chart = new scxml.core.Statechart(prepared);
    function tell() { console.log(JSON.stringify([chart.getConfiguration(), chart.getSnapshot()[3]])); }
    chart.start(); tell();
    JSON.parse(fs.readFileSync('events.json', 'utf8')).forEach(function (event) { chart.gen(event); tell(); });
  });
});
"""
DOOR = machine("""
types: {Code: 0..9}
errors: {Alarm: Three wrong codes.}
parameters: {right: Code}
states: {SHUT: {initial: true}, OPEN: , LOUD: {final: true}}
predicates: {quiet: [SHUT, OPEN]}
variables: {tries: 0..3 = 0, said: "list[Code] = []", best: "Code? = None"}
define: {near: {args: {code: Code}, is: "quiet and (code == right - 1 or code == right + 1)"}}
events: {enter: {args: {code: Code}}, push: {}, kick: {}, count: {}}
transitions:
  - from: SHUT
    event: enter
    let: {more: "said + [code]"}
    cases:
      - {to: OPEN, when: code == right, effect: {said: "[]", tries: "0"}, returns: "True"}
      - {to: LOUD, when: tries == 2, effect: {said: more}, raises: Alarm}
      - {effect: {tries: tries + 1, said: more, best: "code if near(code) else best"}, returns: {value: "False", tried: len(more)}}
  - {from: OPEN, to: SHUT, event: push}
  - {from: SHUT, event: count, effect: {tries: tries + 1}}
otherwise:
  - {event: kick, from: SHUT, does: raise Alarm}
  - {event: push, from: SHUT, does: force}
scope: {right: "4"}
""")
"""Lets, definitions over the state, several effects at once, errors, a forced event, an integer that a step would take out of its bounds."""
BEGUN = [
    of
    for of in map(example, EXAMPLES)
    if all(variable.initial is not None for variable in of.data.variables)
]
MACHINES = {of.name: of for of in (*BEGUN, DOOR)}
"""Those that begin with a value of each variable: SCXML has no other beginning."""


def walked(of: MachineDefinition) -> tuple[list[dict[str, object]], list[Snapshot]]:
    """Events of a random walk, legal or not, and the snapshots of `step`, the first one included."""
    trials, random = (
        AttemptFinder(machine_tables(of), default_domain_sizes(machine_tables(of).behaviour)),
        Random(5),
    )
    before = initial_snapshots(
        of,
        **({"right": 4} if of is DOOR else sample_subject_parameters(trials, random, wide=False)),
    )[0]
    events, seen = list[dict[str, object]](), [before]
    for _ in range(60):
        choices = [
            attempt
            for event in trials.tables.events
            for attempt, _ in trials.event_attempts(before, event).answered
        ]
        if not choices:
            break
        attempt = random.choice(choices)
        arguments = {**attempt.arguments, **trials.possible_steps(before, attempt)[0].system_choice}
        events.append(
            {
                "name": attempt.event,
                "data": {name: json.loads(literal(value)) for name, value in arguments.items()},
            }
        )
        before = step(of, before, attempt.event, **arguments).after
        seen.append(before)
    return events, seen


@pytest.mark.parametrize("name", MACHINES)
def test_an_interpreter_that_we_did_not_write_goes_where_step_goes(
    name: str, tmp_path: Path
) -> None:
    """The same states and the same variables after every event of a random walk, in SCION."""
    of, modules = MACHINES[name], node_modules("@scion-scxml/scxml@4")
    events, seen = walked(of)
    (tmp_path / "node_modules").symlink_to(modules)
    (tmp_path / "machine.scxml").write_text(to_scxml(of))
    (tmp_path / "events.json").write_text(json.dumps(events))
    (tmp_path / "run.js").write_text(RUN)
    done = subprocess.run(
        ["node", "run.js"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert len(told) == len(seen)
    for place, ((states, data), snapshot) in enumerate(zip(told, seen, strict=True)):
        where = (place, events[place - 1] if place else None)
        assert states == [snapshot.state or "there"], where
        for variable, value in snapshot.variables.items():
            assert data[f"v_{variable}"] == json.loads(literal(value)), (where, variable)


@pytest.mark.parametrize("name", machine_names())
def test_every_shipped_machine_is_well_formed(name: str) -> None:
    """With data or without; the name is one that the W3C's schema accepts."""
    spec = find_machine(name)
    if not isinstance(spec, SpecDefinition):
        pytest.skip("a system of several machines is no document")
    root = ElementTree.fromstring(to_scxml(machine_in_release(spec, None)[0]))
    assert root.get("name", "").isidentifier()


def test_what_does_not_carry_over_is_said_on_top() -> None:
    """Nothing is dropped in silence."""
    text = to_scxml(example("BankAccount"))
    assert "<!-- Not carried over: the properties closedIsEmpty, fewBookings, frozenKeeps" in text
    assert "<!-- Not carried over: texts for people -->" in text
    assert (
        "<!-- Not carried over: types of arguments, and `where`: whoever sends an event keeps to them -->"
        in text
    )
