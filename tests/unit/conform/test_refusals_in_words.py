"""A step that was done though the spec refuses it is told in the words of the spec, with the value
that was asked for; what was refused is not among what was legal.

Covers: statemachines.conform.judge.checks.observation_check,
statemachines.conform.judge.checks.group_check, statemachines.conform.judge.checks.event_check,
statemachines.report.sections.verdict_summary.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.reports import Report
from statemachines.report.text.document import to_text
from tests.effort import some_of

SPEC = """
notation: 1
machine: Loom
types: {{Weaver: id}}
variables:
  weaver: {{type: "Weaver?", initial: "None"}}
states:
  FREE: {{initial: true}}
  TAKEN:
  BROKEN:
events:
  to_TAKEN: {{args: {{who: Weaver}}}}
transitions:
  - {{from: FREE, to: TAKEN, effect: {{weaver: who}}}}
  - {{from: TAKEN, to: TAKEN, guard: "weaver == who"}}
  - {{from: TAKEN, to: [FREE, BROKEN], effect: {{weaver: None}}}}
otherwise:
{otherwise}
log:
  instance: [loom]
  called: "loom {{loom}}"
  logger: L
  level: INFO
  patterns: {{loom: '[0-9]+', weaver: '[a-z]+'}}
  lines:
    - {{text: "loom {{loom}} is new", says: begin, state: FREE}}
    - {{text: "loom {{loom}} was taken by {{weaver}}", says: step, to: TAKEN, args: {{who: "{{weaver}}"}}}}
    - {{text: "loom {{loom}} is free", says: step, to: FREE}}
    - {{text: "loom {{loom}} came back", says: step, from: BROKEN, to: FREE}}
    - {{text: "loom {{loom}} fell apart", says: step, to: BROKEN}}
"""
WORDS = st.lists(st.from_regex("[a-z]{1,9}", fullmatch=True), min_size=1, max_size=6).map(" ".join)
ENTRY = st.tuples(
    st.sampled_from(["", "from: TAKEN, ", "from: BROKEN, ", "to: TAKEN, ", "to: FREE, "]),
    st.sampled_from(["refuse", "ignore", "force", "raise LoomError"]),
    WORDS,
)


def checked(otherwise: list[tuple[str, str, str]], *messages: str) -> Report:
    """A log with a line a second, judged by a spec with such entries."""
    entries = (f'  - {{{where}does: {does}, doc: "{doc}."}}' for where, does, doc in otherwise)
    lines = (
        f"[2026-01-01 10:00:{at:02},000] INFO loom 7 {message} (L)\n"
        for at, message in enumerate(messages)
    )
    with TemporaryDirectory() as folder:
        spec, log = Path(folder) / "Loom.yaml", Path(folder) / "loom.log"
        spec.write_text(SPEC.format(otherwise="\n".join(entries)), "utf-8")
        log.write_text("".join(lines), "utf-8")
        return sm.check([log], specs=[spec])


def expected_words(entries: list[tuple[str, str, str]], source: str, target: str) -> str:
    """What the first entry says that concerns a step, if it refuses it."""
    counts = "", f"from: {source}, ", f"to: {target}, "
    does, doc = next(((does, doc) for where, does, doc in entries if where in counts), ("", ""))
    return f"{doc}: " if does == "refuse" else ""


@settings(max_examples=some_of(30))
@given(st.lists(ENTRY, min_size=1, max_size=4), st.sampled_from(["ada", "bob"]))
def test_what_a_guard_refuses_is_told_in_the_words_of_the_spec(
    entries: list[tuple[str, str, str]], other: str
) -> None:
    """`TAKEN -> TAKEN is not allowed … legal from there: TAKEN` says neither that two have one
    loom, nor who the second one is.
    """
    report = checked(entries, "is new", "was taken by eve", f"was taken by {other}")
    (finding,) = report.findings
    words = expected_words(entries, "TAKEN", "TAKEN")
    assert finding.message == (
        f"{words}TAKEN -> TAKEN (who = '{other}') is not allowed: its guard does not hold with"
        " weaver = 'eve'"
    )
    assert finding.legal == ("FREE", "BROKEN")
    said = words.removesuffix(": ") if words else "TAKEN -> TAKEN"
    assert said in next(to_text(report))


@settings(max_examples=some_of(30))
@given(st.lists(ENTRY, min_size=1, max_size=4))
def test_what_no_transition_takes_is_told_in_the_words_of_the_spec(
    entries: list[tuple[str, str, str]],
) -> None:
    """As above, where the table itself has no such step."""
    (finding,) = checked(entries, "is new", "was taken by eve", "fell apart", "came back").findings
    words = expected_words(entries, "BROKEN", "FREE")
    assert finding.message == f"{words}BROKEN -> FREE is not allowed"
