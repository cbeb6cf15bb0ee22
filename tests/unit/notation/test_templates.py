"""Templates read what they write, and nothing that could be read in two ways.

Covers: statemachines.notation.lines.line_templates, statemachines.notation.lines.regex_automata.
"""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from statemachines.model.definitions.log_definitions import Template
from statemachines.notation.lines.line_templates import (
    LiteralText,
    TemplateError,
    ambiguous_pair,
    compile_template,
    has_two_readings,
    leading_text,
    literal_runs,
    parse_template,
    render_template,
    state_pattern,
)

PATTERNS = {
    "door": r"[a-z]+",
    "room": r"\d+",
    "state": state_pattern(["OPEN", "OPENING", "CLOSED"]),
}

words = st.text(st.sampled_from("AB {}[].*+?()|^$\\-:,é"), max_size=8).map(
    lambda text: text.replace("{", "{{").replace("}", "}}")
)
fields = st.sampled_from(["{door}", "{room}", "{state}", "{*}"])
values = st.fixed_dictionaries({
    "door": st.text("abc", min_size=1, max_size=4),
    "room": st.integers(0, 999).map(str),
    "state": st.sampled_from(["OPEN", "OPENING", "CLOSED"]),
    "*": st.text("abc 1[]{}", max_size=5),
})  # fmt: skip


def captured_fields(template: Template, message: str) -> dict[str, str] | None:
    """What a template reads in a message; None where it is another wording."""
    match = re.match(template.pattern, message.rstrip())
    return match.groupdict() if match else None


@given(st.lists(st.tuples(words, fields), max_size=4), words)
def test_the_text_that_begins_a_template_is_that_of_its_first_part(
    pieces: list[tuple[str, str]], end: str
) -> None:
    """Told without taking the template apart: a catalogue has thousands of them."""
    text = "".join(word + field for word, field in pieces) + end
    first = parse_template(text)[:1]
    expected = first[0].text if first and isinstance(first[0], LiteralText) else ""
    assert leading_text(text) == expected


@given(st.lists(st.tuples(words, fields), max_size=4), words, values)
def test_what_is_written_is_read_back(
    pieces: list[tuple[str, str]], end: str, told: dict[str, str]
) -> None:
    """The law that holds templates to their messages, braces and signs of regular expressions included."""
    text = "".join(word + field for word, field in pieces) + end
    template = compile_template(text, PATTERNS)
    message = render_template(template, told).rstrip()
    read = captured_fields(template, message)
    if ambiguous_pair(text, PATTERNS) is None and "{*}" not in text:
        assert read == {name: told[name] for name in template.fields}
    elif not text.endswith("{*}") or message == render_template(template, told):
        assert read is not None


loose = st.sampled_from(["{door}", "{reason}", "{why}", "{*}"])
few = st.text("ab ", min_size=1, max_size=2)


@example([("a", "{reason}"), ("b", "{*}"), ("a", "{reason}"), ("b", "{why}")], "a", "aa b aaaaaba")
@example([("a", "{*}"), ("b", "{reason}"), ("a", "{reason}")], "b", "aababab")
@given(st.lists(st.tuples(few, loose), max_size=5), few, st.text("ab ", max_size=24))
def test_the_first_place_of_words_is_as_good_as_any(
    pieces: list[tuple[str, str]], end: str, message: str
) -> None:
    """The law that permits it to try no other: with all of them tried, the same lines are read, and the same is captured."""
    text = "".join(word + field for word, field in pieces) + end
    template = compile_template(text, {**PATTERNS, "reason": ".*", "why": ".+"})
    told = re.match(template.pattern.replace("(?>", "(?:"), message.rstrip())
    assert captured_fields(template, message) == (told.groupdict() if told else None)


@pytest.mark.parametrize(
    "text",
    [
        "{*}] from {*} to {*} since {*} for ever",
        "{*}] closed: {reason} of {*} doors for {*} in all",
    ],
)
def test_a_line_that_says_everything_a_thousand_times_is_read_at_once(text: str) -> None:
    """Whoever may write into a log must not keep a check busy for hours: 60 KB of all the words, and not the end."""
    template = compile_template(text, {"reason": ".*"})
    said = [part.text for part in parse_template(text) if isinstance(part, LiteralText)]
    message = "".join(f"{words} a" * (60_000 // len(said) // len(words)) for words in said[:-1])
    assert captured_fields(template, message) is None


@given(
    st.lists(st.tuples(words, fields), max_size=4), words, values, st.text("ab {}.", max_size=12)
)
def test_every_run_stands_in_every_message(
    pieces: list[tuple[str, str]], end: str, told: dict[str, str], other: str
) -> None:
    """A scanner that looks for one of them misses nothing."""
    text = "".join(word + field for word, field in pieces) + end
    message = render_template(text, told)
    assert all(run in message for run in literal_runs(text))
    template = compile_template(text, PATTERNS)
    if captured_fields(template, other) is not None:
        assert all(run in other for run in literal_runs(text))


def test_states_are_matched_by_their_names_and_nothing_else() -> None:
    """The longer name of two that begin alike is not cut."""
    template = compile_template("now {state}", PATTERNS)
    assert captured_fields(template, "now OPENING") == {"state": "OPENING"}
    assert captured_fields(template, "now SHUT") is None


def test_a_field_that_stands_twice_must_agree() -> None:
    """A message that contradicts itself is another message."""
    template = compile_template("{door} of {door} shut", PATTERNS)
    assert captured_fields(template, "a of a shut") == {"door": "a"}
    assert captured_fields(template, "a of b shut") is None


def test_trailing_blanks_do_not_count() -> None:
    """Neither in the spec nor in the log."""
    assert captured_fields(compile_template("values: ", {}), "values:   ") == {}


@pytest.mark.parametrize("text", ["{", "a } b", "{a b}", "{1a}", "{}", "{{a}", "a {**}"])
def test_a_lonely_brace_is_an_error(text: str) -> None:
    """A forgotten brace would be a text that no log has."""
    with pytest.raises(TemplateError):
        parse_template(text)


ALPHABET = "ab-"
SMALL = st.sampled_from(
    [
        "a",
        "a+",
        "b*",
        "[ab]+",
        "a|b",
        "a?",
        "[^-]+",
        ".",
        ".+",
        "-",
        "a-?",
        "(?:ab)+",
        "b{2}",
        "a{1,2}",
        "-*a",
        r"\w+",
        r"\S*b",
        "a-a|a",
    ]
)
STRINGS = [
    "".join(letters)
    for length in range(8)
    for letters in itertools.product(ALPHABET, repeat=length)
]


@given(SMALL, st.sampled_from(["-", "a", "--", "ab", "b-"]), SMALL)
def test_two_readings_are_found_where_there_are_two(first: str, between: str, second: str) -> None:
    """Compared with all short texts, tried one by one."""
    one, other = re.compile(first), re.compile(second)

    def readings(text: str) -> int:
        places = (place for place in range(len(text)) if text.startswith(between, place))
        return sum(
            bool(one.fullmatch(text[:place]) and other.fullmatch(text[place + len(between) :]))
            for place in places
        )

    assert has_two_readings(first, between, second) == any(readings(text) > 1 for text in STRINGS)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("{topic}-{partition}", None),
        ("{topic}-{name}", ("topic", "name")),
        ("{topic}{partition}", ("topic", "partition")),
        ("{topic} {partition}", None),
        ("{name} {*} {name}", None),
        ("{*}{name}", None),
    ],
)
def test_the_second_pattern_may_settle_the_border(text: str, pair: tuple[str, str] | None) -> None:
    """A topic may hold a hyphen, a partition is digits: the last hyphen is the border."""
    assert ambiguous_pair(text, {"topic": r"[\w.-]+", "partition": r"\d+", "name": r"\S+"}) == pair


def test_a_pattern_of_any_size_is_looked_into_or_left() -> None:
    """Nested counts would make an automaton of billions of states."""
    huge = "a"
    for _ in range(12):
        huge = f"(?:{huge}){{6}}"
    assert not has_two_readings(huge, "-", r"\S+")
