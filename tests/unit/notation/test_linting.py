"""Lint finds what loading must not spend time on.

Covers: statemachines.notation.lines.line_templates, statemachines.notation.linting.state_reachability.
"""

from __future__ import annotations

from statemachines.model.diagnosis.diagnostics import Severity
from statemachines.notation import lint
from tests.unit.notation.texts import DOOR, reading, spec, with_log


def linted(body: str) -> list[str]:
    return [found.code for found in lint(spec(body))]


def test_a_state_is_unreachable_in_the_releases_where_it_is() -> None:
    """Warnings name ranges: what is reached today may not have been in the oldest releases."""
    body = (
        DOOR.replace('AJAR: {in: "1.1.0.."}', "AJAR:").replace("[AJAR, CLOSED]", "CLOSED")
        + '  - {from: OPEN, to: AJAR, in: "2.0.0"}\n'
    )
    found = lint(spec(body))
    assert [(one.code, one.severity) for one in found] == [("SM208", Severity.WARNING)]
    assert "`1.0.0..1.1.0`" in found[0].message


def test_a_state_that_only_returns_to_itself_is_a_dead_end() -> None:
    """A self-step does not lead out."""
    body = "states: {A: {initial: true}, B: {}}\ntransitions: [{from: A, to: B}, {from: B, to: B, event: stay}]\n"
    assert linted(body) == ["SM209"]
    assert linted(body.replace("B: {}", "B: {final: true}")) == []


def test_functions_alone_are_no_empty_machine() -> None:
    """Others use them; a file that was begun and never finished has nothing at all."""
    assert linted("doc: begun") == ["SM221"]
    assert linted("define: {half: {args: {n: 0..9}, is: n // 2}}") == []


def test_entries_that_never_count_are_told() -> None:
    """The first entry that matches counts; several earlier ones may cover a range together."""
    entries = """\
otherwise:
  - {does: ignore, in: ..1.0.1}
  - {from: [OPEN, CLOSED], does: refuse, in: 1.1.0..}
  - {from: OPEN, to: CLOSED, does: force}
"""
    assert linted(DOOR + entries) == ["SM214"]
    assert linted(DOOR + entries.replace("from: OPEN, to: CLOSED", "from: AJAR")) == []


def test_samples_are_read_by_their_own_lines() -> None:
    """With the values that they say, names of states or their spellings; blanks at the end do not count."""
    line = '- {text: "the door {door} is {state}", says: is, samples: [SAMPLE]}\n'
    for sample, code in (
        ('"the door a is OPEN  "', []),
        ("{line: the door a is OPEN, yields: {door: a, state: OPEN}}", []),
        ("{line: the door a is OPEN, yields: {door: b}}", ["SM506"]),
        ("{line: the door a is OPEN, yields: {room: 7}}", ["SM506"]),
        ('"a door is OPEN"', ["SM505"]),
        ('"the door a is SHUT"', ["SM505"]),
    ):
        assert linted(with_log(line.replace("SAMPLE", sample))) == code, sample


def test_a_list_without_items_is_not_read() -> None:
    """A dump whose items have another wording would be silently empty."""
    line = '- {text: "all doors: {doors}", says: is, each: {doors: "{door} is {state};"}, samples: [SAMPLE]}\n'
    assert linted(with_log(line.replace("SAMPLE", '"all doors: a is OPEN;"'))) == []
    assert linted(with_log(line.replace("SAMPLE", '"all doors: a=OPEN"'))) == ["SM505"]


def test_another_line_that_reads_a_sample_must_mean_the_same() -> None:
    """Unless release, logger or level choose between them, or the other is strict."""
    pair = """\
    - {text: "the door {door} is {state}", says: is, logger: a, level: INFO, samples: ["the door a is CLOSED"]}
    - {text: "the door {door} is CLOSED", says: SAYS, state: CLOSED, MORE}
    """
    for says, more, code in (
        ("end", "doc: another meaning", ["SM507"]),
        ("is", "doc: the same meaning", []),
        ("end", "logger: b", []),
        ("end", "level: WARN", []),
        ("end", "strict: true", []),
        ("end", "logger: [b, a]", ["SM507"]),
    ):
        assert linted(with_log(pair.replace("SAYS", says).replace("MORE", more))) == code, more
    ranges = (
        pair.replace("SAYS", "end")
        .replace("level: INFO", 'in: "..1.0.1"')
        .replace("MORE", 'in: "1.1.0.."')
    )
    assert linted(with_log(ranges)) == []


def test_a_broken_spec_is_reported_and_not_linted() -> None:
    """What prevents loading comes alone; the files beside it are linted all the same."""
    broken = reading("states: {A: {}}\n")
    assert broken.spec is None
    assert [one.code for one in broken.diagnostics] == ["SM210"]
