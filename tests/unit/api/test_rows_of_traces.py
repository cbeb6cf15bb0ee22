"""What a step of a trace changed, for a person.

Covers: statemachines.report.exploration.exploration_report.
"""

from __future__ import annotations

from statemachines.explore.options import ExplorationOptions
from statemachines.report.exploration.exploration_report import exploration_report
from tests.data_machines import machine

SHELF = """
types: {Place: 0..2, Item: [cup, jug], Owner: id}
variables:
  on: "map[Place, Item?] = {p: None for p in Place}"
  last: "map[Owner, Place] = {}"
events:
  put: {args: {p: Place, item: Item}, guard: "on[p] is None", effect: {on: "on | {p: item}"}}
  look: {args: {o: Owner}, effect: {last: "last | {o: 0}"}}
  change: {args: {o: Owner}, guard: "o not in last and len(last) == 1", effect: {last: "{o: 2}"}}
sometimes:
  full: "all(x == 'cup' for x in on.values())"
  seen: "len(last) == 2"
  changed: "any(p == 2 for p in last.values())"
scope: {Owner: 2}
"""


def test_only_the_keys_of_a_map_that_changed_are_shown() -> None:
    """A trace over maps of ten keys is read by what happened, not by what stayed."""
    told = {
        one.title: [row.outcome for row in one.rows]
        for one in exploration_report(machine(SHELF), [], ExplorationOptions(), "").examined
    }
    assert told["sometimes full"] == ["on[0]='cup'", "on[1]='cup'", "on[2]='cup'"]
    assert told["sometimes seen"] == ["last={'Owner1': 0}", "last['Owner2']=0"]
    assert told["sometimes changed"] == ["last={'Owner1': 0}", "last={'Owner2': 2}"]
