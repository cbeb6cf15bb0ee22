"""Law: a request for an event that the spec grants contradicts it where it was refused; one that it
does not grant was rightly refused. The oracle is the drawn table itself.

Covers: statemachines.conform.judge.checks.request_check.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from statemachines import check
from tests.doors import line

STATES = ("A", "B", "C")
EVENTS = ("go", "halt")
OUTCOMES = {"refused": "VIOLATED", "raised": "VIOLATED", "ignored": "INCONCLUSIVE"}
"""What becomes of a request, and the verdict where the spec grants it."""
_LINES = "\n".join(
    f'    - {{text: "thing {{thing}} {outcome} {event}", says: {outcome}, event: {event}}}'
    for outcome in OUTCOMES
    for event in EVENTS
)


@frozen
class Table:
    """(state, event) to target and the least number that the event needs."""

    cells: dict[tuple[str, str], tuple[str, int]]

    def grants(self, state: str, event: str, number: int) -> bool:
        """Say whether the event is taken."""
        _, least = self.cells.get((state, event), ("", 10))
        return number >= least

    def must_grant(self, state: str, event: str) -> bool:
        """Say whether every number does."""
        return self.grants(state, event, 0)

    def spec(self) -> str:
        """Write it as a spec whose log shows every step."""
        transitions = "".join(
            f"  - {{from: {source}, to: {target}, event: {event}"
            f"{f', guard: number >= {least}' if least else ''}}}\n"
            for (source, event), (target, least) in self.cells.items()
        )
        return (
            "notation: 1\nmachine: Thing\nstates: {A: {initial: true}, B: , C: , D: }\n"
            "variables: {number: {type: 0..3, initial: any}}\n"
            f"transitions:\n{transitions}"
            "  - {from: D, to: A, event: go}\n  - {from: D, to: A, event: halt}\n"
            "log:\n  instance: [thing]\n  logger: house.Door\n  level: INFO\n  lines:\n"
            '    - {text: "thing {thing} goes from {from} to {to}", says: step}\n'
            '    - {text: "thing {thing} is {state}", says: is}\n'
            '    - {text: "thing {thing} has {number}", says: note, set: {number: "{number}"}}\n'
            f"{_LINES}\n"
        )


tables = st.dictionaries(
    st.tuples(st.sampled_from(STATES), st.sampled_from(EVENTS)),
    st.tuples(st.sampled_from(STATES), st.integers(0, 3)),
    min_size=1,
).map(Table)


@given(
    tables,
    st.sampled_from(STATES),
    st.none() | st.integers(0, 3),
    st.sampled_from(list(OUTCOMES)),
    st.sampled_from(EVENTS),
)
def test_a_refused_event_is_judged_by_the_table(
    table: Table, state: str, number: int | None, outcome: str, event: str
) -> None:
    """Where the number is not known, only what is granted with every number contradicts."""
    messages = [f"thing t is {state}"]
    messages += [] if number is None else [f"thing t has {number}"]
    granted = (
        table.must_grant(state, event) if number is None else table.grants(state, event, number)
    )
    kind, verdict = ("contradiction", OUTCOMES[outcome]) if granted else (outcome, "HOLDS")
    (finding,) = judged(table, [*messages, f"thing t {outcome} {event}"])
    assert (finding.kind, finding.verdict.name) == (kind, verdict)
    assert f"`{event}` in {state}" in finding.message


def judged(table: Table, messages: list[str]) -> tuple:
    """Return what is found in a log of some messages."""
    with TemporaryDirectory() as folder:
        spec, log = Path(folder) / "Thing.yaml", Path(folder) / "thing.log"
        spec.write_text(table.spec(), "utf-8")
        log.write_text("".join(line(text, at) + "\n" for at, text in enumerate(messages)), "utf-8")
        return check([log], specs=[spec], engine="local").findings
