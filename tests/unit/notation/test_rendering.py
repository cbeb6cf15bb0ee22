"""Diagnostics look like a good compiler's.

Covers: statemachines.model.diagnosis.diagnostics, statemachines.notation.document.diagnostic_rendering.
"""

from __future__ import annotations

from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity, Span
from statemachines.notation import render_diagnostic
from statemachines.report.specs.diagnostic_text import diagnostics_summary, diagnostics_text
from tests.unit.notation.texts import reading

SOURCE = "notation: 1\nmachine: Orders\nstates: {PAID: {initial: true}}\n  - {from: PAID, to: SHIPPD, event: ship}\n"


def at(
    line: int,
    column: int,
    length: int = 1,
    message: str = "unknown state `SHIPPD`",
    hint: str = "did you mean `SHIPPED`?",
) -> Diagnostic:
    return Diagnostic("SM204", message, Span("specs/orders.yaml", line, column, length), hint)


def test_a_message_has_place_code_line_caret_and_hint() -> None:
    """All that a person needs, in three lines."""
    assert render_diagnostic(at(4, 22, 6), SOURCE) == (
        "specs/orders.yaml:4:22  SM204  unknown state `SHIPPD`\n"
        "    4 |   - {from: PAID, to: SHIPPD, event: ship}\n"
        "      |                      ^^^^^^ did you mean `SHIPPED`?"
    )


def test_the_caret_stands_under_the_offender_whatever_stands_before_it() -> None:
    """Tabs count as one, signs of two columns as two, combining signs as none."""
    shown = render_diagnostic(at(1, 6, 3), "a\t日é\u0301xyz").split("\n")
    assert shown[1].endswith("| a 日é\u0301xyz")
    assert shown[2].split("|")[1].startswith(" " * 6 + "^^^")


def test_of_a_long_line_the_part_around_the_offender_is_shown() -> None:
    """A minified file does not fill the screen."""
    shown = render_diagnostic(at(1, 5001, 4), "x" * 5000 + "here" + "y" * 5000).split("\n")
    assert len(shown[1]) < 140
    start = shown[2].index("^")
    assert shown[1][start : start + 4] == "here"


def test_what_a_file_quotes_cannot_reach_the_terminal() -> None:
    """Escape sequences in a name are shown, not obeyed; an endless name is cut."""
    shown = render_diagnostic(at(9, 1, message="no `\x1b[2J`" + "x" * 10_000), None)
    assert "\x1b" not in shown
    assert "\\x1b[2J" in shown
    assert len(shown) < 500


def test_a_line_that_is_not_there_is_left_out() -> None:
    """The place may be of a name on the command line."""
    assert (
        render_diagnostic(at(1, 1), None)
        == "specs/orders.yaml:1:1  SM204  unknown state `SHIPPD`\n    did you mean `SHIPPED`?"
    )
    assert (
        render_diagnostic(at(99, 1, hint=""), SOURCE)
        == "specs/orders.yaml:99:1  SM204  unknown state `SHIPPD`"
    )


def test_all_messages_end_with_a_summary_that_counts() -> None:
    """And names the codes that can be explained."""
    warning = Diagnostic(
        "SM208", "nothing leads to `A`", Span("specs/other.yaml", 1, 1), severity=Severity.WARNING
    )
    found = [at(4, 22, 6), at(1, 1), warning]
    assert "SM208  warning: nothing leads to `A`" in diagnostics_text(found)
    assert (
        diagnostics_summary(found)
        == "2 errors and 1 warning in 2 files; explain SM204, explain SM208 say more"
    )


def test_places_of_templates_point_into_the_text() -> None:
    """At the brace itself, not at the entry that holds it."""
    body = 'states: {A: {initial: true, final: true}}\nlog: {instance: [a], lines: [{text: "the door {a} of {", says: note}]}\n'
    found = reading(body).diagnostics
    assert [(one.code, one.span.column) for one in found] == [
        ("SM501", body.split("\n")[1].index("of {") + 4)
    ]
