"""Law: where some transitions of a machine have an event with data and others have none, a log may
show each of them, and nothing else.

Covers: statemachines.model.definitions.machine_definitions.
"""

from __future__ import annotations

from pathlib import Path

from attrs import frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.verdicts import Verdict
from tests.effort import some_of

STATES = ("MOORED", "DOCKED", "SAILING", "ADRIFT", "SUNK")
KINDS = ("plain", "event", "data")


@frozen
class Mixed:
    """Transitions by source and target, each of a kind."""

    kinds: dict[tuple[str, str], str]

    def spec(self) -> str:
        """Return the text of a spec."""
        written = {
            "plain": "{{from: {}, to: {}}}",
            "event": "{{from: {}, to: {}, event: {}}}",
            "data": '{{from: {}, to: {}, event: {}, effect: {{load: "load + 1"}}}}',
        }
        transitions = [
            f"  - {written[kind].format(source, target, f'{kind}_{number}')}"
            for number, ((source, target), kind) in enumerate(self.kinds.items())
        ]
        head = ["notation: 1", "machine: Ferry", "variables:", "  load: {type: int, initial: 0}"]
        states = ["states:", "  MOORED: {initial: true}", *(f"  {one}: {{}}" for one in STATES[1:])]
        told = ["log:", "  instance: [name]", "  patterns: {name: '[a-z]+'}", "  lines:"]
        line = '    - {text: "ferry {name}: {from} to {to}", says: step}'
        return "\n".join([*head, *states, "transitions:", *transitions, *told, line, ""])

    def is_made_of_two(self, source: str, target: str) -> bool:
        """Tell whether plain moves lead there one after another, which one call may make."""
        reached = {source}
        for _ in STATES:
            reached |= {
                after
                for (before, after), kind in self.kinds.items()
                if kind == "plain" and before in reached
            }
        return target in reached


PAIRS = [(source, target) for source in STATES for target in STATES if source != target]
MIXED = st.dictionaries(st.sampled_from(PAIRS), st.sampled_from(KINDS), min_size=2).map(Mixed)


def judged(folder: Path, mixed: Mixed, source: str, target: str) -> sm.Report:
    """Judge a log of one step, whose beginning was lost."""
    spec, log = folder / "ferry.yaml", folder / "harbour.log"
    spec.write_text(mixed.spec(), "utf-8")
    log.write_text(
        f"2026-11-24 01:00:00,000 INFO ferry ann: {source} to {target} (harbour.Ferry)\n", "utf-8"
    )
    return sm.check(log, specs=spec)


@settings(
    max_examples=some_of(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(mixed=MIXED, data=st.data())
def test_a_log_may_show_each_transition_and_nothing_else(
    tmp_path: Path, mixed: Mixed, data: st.DataObject
) -> None:
    """A step that a transition makes is never called wrong, and one that none makes always is."""
    source, target = data.draw(st.sampled_from(PAIRS))
    kind = mixed.kinds.get((source, target))
    report = judged(tmp_path, mixed, source, target)
    if kind is None:
        assert report.verdict is Verdict.VIOLATED
    elif kind != "data" or not mixed.is_made_of_two(source, target):
        assert report.verdict is Verdict.HOLDS
    else:  # the call may take the two moves, each with its line; one line of both is no move, and the finding says whose it may be
        assert report.verdict is Verdict.VIOLATED
        assert f"(`data_{list(mixed.kinds).index((source, target))}` leads there" in str(
            [finding.message for finding in report.findings]
        )
