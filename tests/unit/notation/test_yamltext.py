"""YAML is read as plain data with places, and hostile files are refused at once.

Covers: statemachines.notation.document.yaml_reader.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from statemachines.notation import lint
from statemachines.notation.document import yaml_reader
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    scalar_kind,
)
from statemachines.notation.document.yaml_reader import read_yaml
from statemachines.notation.sources.file_cache import file_bytes

DOCUMENT = """\
notation: 1
machine: Door   # a comment
states:
  OPEN: {initial: true, as: [up, 'wide "open"']}
  CLOSED:
doc: >
  folded
  text
"""

HOSTILE = {
    "a bomb": (b"a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n", "SM107"),
    "an alias": (b"a: *b\n", "SM107"),
    "ten megabytes": (b"x" * 10_000_000, "SM104"),
    "brackets": (b"[" * 1_000_000, "SM105"),
    "braces": (b"{" * 1_000_000, "SM105"),
    "dashes": (b"- " * 500_000, "SM105"),
    "question marks": (b"? " * 500_000, "SM105"),
    "a bell": (b"a: \x07\n", "SM103"),
    "an escape": (b"a: \x1b[2J\n", "SM103"),
    "a nul": (b"a: \x00\n", "SM103"),
    "a delete": (b"a: \x7f\n", "SM103"),
    "a line separator": ("a: \u2028b\n".encode(), "SM103"),
    "a lone carriage return": (b"a: 1\rb: 2\n", "SM103"),
    "utf-16": ("notation: 1\n".encode("utf-16"), "SM102"),
    "latin-1": ("doc: caf\xe9\n".encode("latin-1"), "SM102"),
    "duplicate keys": (b"a: 1\na: 2\n", "SM109"),
    "a tag": (b"a: !!python/object/apply:os.system [ls]\n", "SM108"),
    "a merge key": (b"a: {<<: {b: 1}}\n", "SM110"),
    "two documents": (b"a: 1\n---\nb: 2\n", "SM106"),
    "nothing": (b"", "SM113"),
    "a comment only": (b"# nothing\n", "SM113"),
    "an open bracket": (b"a: [1, 2\n", "SM101"),
    "a key that is a list": (b"[a, b]: 1\n", "SM112"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_its_message(name: str) -> None:
    """A spec may come from anywhere; reading it runs nothing, expands nothing, and says what is wrong."""
    data, code = HOSTILE[name]
    started = time.process_time()
    _, found = read_yaml(data, "hostile.yaml")
    assert {one.code for one in found} == {code}
    assert time.process_time() - started < 2


def plain(node: YamlNode | None) -> object:
    """A node as Python's own values, all scalars as texts."""
    match node:
        case YamlScalar(text):
            return text
        case YamlSequence(items):
            return [plain(item) for item in items]
        case YamlMapping(entries):
            return {key.text: plain(value) for key, value in entries}
    return None


def test_every_node_knows_where_it_was_written() -> None:
    """A message points at the offender itself."""
    root, found = read_yaml(DOCUMENT.encode(), "door.yaml")
    assert not found
    assert isinstance(root, YamlMapping)
    lines = DOCUMENT.split("\n")
    places = [(name.text, name.span) for name, _ in root.entries]
    for text, span in places:
        assert lines[span.line - 1][span.column - 1 :].startswith(text)
        assert span.length == len(text)
    states = root.get("states")
    assert isinstance(states, YamlMapping)
    opened = states.get("OPEN")
    assert isinstance(opened, YamlMapping)
    spellings = opened.get("as")
    assert isinstance(spellings, YamlSequence)
    quoted = spellings.items[1]
    assert (quoted.span.line, quoted.span.length) == (4, len("""'wide "open"'"""))
    assert lines[3][quoted.span.column - 1 :].startswith("'wide")


def test_a_byte_order_mark_and_crlf_change_nothing() -> None:
    """Editors on other systems write both."""
    plainly, _ = read_yaml(DOCUMENT.encode(), "door.yaml")
    otherwise, found = read_yaml(
        b"\xef\xbb\xbf" + DOCUMENT.replace("\n", "\r\n").encode(), "door.yaml"
    )
    assert not found
    assert otherwise == plainly


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *(
            (text, "text")
            for text in (
                "on",
                "off",
                "yes",
                "no",
                "y",
                "n",
                "On",
                "2.2.0",
                "1_000",
                "0b11",
                "12:30:45",
                "2026-11-21",
                "=",
                "tRUE",
            )
        ),
        *((text, "bool") for text in ("true", "True", "FALSE")),
        *((text, "null") for text in ("", "~", "null", "NULL")),
        *((text, "int") for text in ("0", "-7", "+3", "0o17", "0xFF", "007")),
        *((text, "float") for text in ("1.0", ".5", "1e3", "-.inf", ".NaN", "2.3")),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, kind: str) -> None:
    """`on`, `yes` and `no` are names that machines have; YAML 1.1 made truth values of them."""
    root, _ = read_yaml(f"key: {text}\n".encode(), "scalars.yaml")
    assert isinstance(root, YamlMapping)
    value = root.get("key")
    assert isinstance(value, YamlScalar)
    assert scalar_kind(value) == kind


values = st.recursive(
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
    | st.integers()
    | st.booleans()
    | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(values, st.booleans())
def test_both_parsers_read_the_same(value: object, flow: bool) -> None:
    """Where libyaml is missing, the pure parser takes its place, with the same nodes and places of keys."""
    data = yaml.safe_dump({"root": value}, default_flow_style=flow, allow_unicode=True).encode()
    fast = read_yaml(data, "file.yaml")
    kept = yaml_reader._LOADER
    yaml_reader._LOADER = yaml.Loader
    try:
        slow = read_yaml(data, "file.yaml")
    finally:
        yaml_reader._LOADER = kept
    assert plain(fast[0]) == plain(slow[0])
    assert [one.code for one in fast[1]] == [one.code for one in slow[1]]


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    """Whatever a file holds, the answer is a document or messages."""
    root, found = read_yaml(data, "any.yaml")
    assert root is not None or found


def test_a_file_without_end_is_refused(tmp_path: Path) -> None:
    """No more is read than shows that it is too large."""
    path = tmp_path / "Endless.yaml"
    path.write_bytes(b"#" * 3_000_000)
    assert len(file_bytes(path)) == yaml_reader.MOST_BYTES + 1
    assert [one.code for one in lint(path)] == ["SM104"]


@pytest.mark.parametrize(
    ("text", "line", "said", "hint"),
    [
        ("states:\n  green:\n  yellow\n  red:\n", 3, "a `:` is missing", "every name"),
        ('doc: "abc\nstates: []\n', 1, "this quote is never closed", "twice"),
        (
            "states: {a: {}\nevents: []\n",
            2,
            "did not find expected",
            "the bracket on line 1 is not closed",
        ),
        ("states: [a]]\n", 1, "did not find", "needs quotes"),
        (
            "states:\n  a:\n b:\n",
            3,
            "parsing a block mapping",
            "indent it as the lines beside it, the first of which is line 1",
        ),
    ],
)
def test_what_is_not_closed_is_told_where_it_begins(
    text: str, line: int, said: str, hint: str
) -> None:
    """The parser notices on a later line, and a person would look there in vain."""
    _, (found,) = read_yaml(text.encode(), "file.yaml")
    assert found.code == "SM101"
    assert found.span.line == line
    assert said in found.message
    assert hint in found.hint
