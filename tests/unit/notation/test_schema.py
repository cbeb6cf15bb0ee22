"""The published JSON Schema and the reader accept the same documents, as far as a schema can tell.

Covers: statemachines.notation.document.notation_schema,
statemachines.notation.document.shape_checker.
"""

from __future__ import annotations

import copy
import re
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.notation.document.notation_keys import SHAPES_BY_FILE_KIND
from statemachines.notation.document.notation_schema import machine_schema, schema_text
from statemachines.notation.document.shape_checker import fit_shape
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    scalar_kind,
)
from statemachines.notation.document.yaml_reader import read_yaml
from tests.effort import some_of
from tests.unit.notation.errors_page import CHECKOUT

VALIDATOR = jsonschema.Draft202012Validator(machine_schema())
CATALOGUE = sorted((CHECKOUT / "specs").rglob("*.yaml"))

EXAMPLES = [
    """
notation: 1
machine: Door
family: door
doc: all keys of the table part
states: {OPEN: {initial: true, as: [Up]}, AJAR: , CLOSED: [{final: true, in: "..1.0"}, {group: shut, in: "1.1.."}]}
predicates: {passable: [OPEN, AJAR], shut: {states: CLOSED, doc: not passable}, odd: [{states: [OPEN], in: "..1.0"}]}
events: {ring: , push: {doc: a hand, args: {force: 0..5, hand: {type: Hand, chosen: true}}, where: force > 0}}
transitions:
  - {from: OPEN, to: [AJAR, CLOSED], by: hand, silent: true}
  - {from: [AJAR], to: CLOSED, event: push, guard: force > 1, effect: {n: n + 1}, returns: {value: n}, taken: false}
  - {from: "*", event: ring, cases: [{when: n == 1, to: OPEN, raises: DoorError}, {returns: -1}]}
otherwise: [{from: OPEN, to: AJAR, does: ignore}, {event: ring, does: raise DoorError}]
types: {Hand: [left, right], Id: id, Pair: {one: int, two: int}}
errors: {DoorError: , Jam: stuck}
parameters: {width: 0..9}
variables: {n: "0..9 = 0", m: {type: int, initial: any, observable: false}, k: [{type: int, in: "..1.0"}]}
define: {wide: width > 5, sum: {args: {a: int}, is: a + n}}
always: {small: n < 9, bounded: {holds: n < 5, until: raised, expect: fails}}
leads to: {shuts: {when: n > 1, then: n == 0, assuming: [ring, {push: each force}]}}
no deadlock: {expect: fails}
scope: {Hand: 2, int: 0..3}
log:
  instance: [door]
  patterns: {door: '[a-z]+'}
  generation: {door: keeper}
  lines:
    - {text: ["a {door}"], says: [refused, failed], to: OPEN, logger: a.b, level: INFO, samples: [x, {line: y, yields: {door: 1}}]}
  episodes: {open: {while: state == 'OPEN', title: t, blame: [failed]}}
""",
    """
notation: 1
system: House
parts: {doors: {machine: Door, each: Id}, bell: {machine: house/Bell, optional: true, with: {loud: "True"}}}
links:
  - {on: doors, enters: OPEN, guard: "x", send: bell.ring, args: {a: 1}, later: true}
  - {on: bell, event: ring, only if: "y"}
""",
    """
notation: 1
family: door
releases: ["1.0", "1.1"]
aliases: [{like: 5.*, is: "1.0"}]
suffixes: [-SNAPSHOT]
log: {process: house, patterns: {house: '\\d+'}, lines: [{text: house starting, says: process begins, strict: true}]}
""",
    "notation: 1\nlibrary: Rules\nuse: [Door]\ndefine: {f: [{is: a, in: '..1.0'}, {is: b, in: '1.1..'}]}\n",
    "notation: 1\nextends: house/Door\nlog: {lines: [{text: the door, says: note}]}\n",
]


def plain(node: YamlNode) -> Any:
    """A node as the values that a schema is about."""
    match node:
        case YamlScalar(text):
            kind = scalar_kind(node)
            made = {
                "null": lambda: None,
                "bool": lambda: text.lower() == "true",
                "int": lambda: int(text, 0),
                "float": lambda: float(text),
            }
            return made.get(kind, lambda: text)()
        case YamlSequence(items):
            return [plain(item) for item in items]
        case YamlMapping(entries):
            return {key.text: plain(value) for key, value in entries}


def fits(root: YamlNode) -> bool:
    """What the reader says of a document's shape."""
    if not isinstance(root, YamlMapping):
        return False
    kind = next((kind for kind in SHAPES_BY_FILE_KIND if root.get(kind) is not None), "machine")
    return not fit_shape(root, SHAPES_BY_FILE_KIND[kind])[1]


def document(data: str) -> YamlNode:
    root, found = read_yaml(data.encode(), "file.yaml")
    assert not found
    assert root is not None
    return root


def test_the_published_file_is_the_schema_of_this_reader() -> None:
    """An editor must not learn another notation; the module, run as a program, writes it anew."""
    assert (CHECKOUT / "specs" / "machine.schema.json").read_text("utf-8") == schema_text()


def test_the_schema_is_one() -> None:
    """Draft 2020-12, with a description for every key that has one."""
    jsonschema.Draft202012Validator.check_schema(machine_schema())


@pytest.mark.parametrize("path", CATALOGUE, ids=lambda path: path.stem)
def test_the_catalogue_fits_the_schema(path: Any) -> None:
    """What is shipped shows no red line in an editor."""
    assert not list(VALIDATOR.iter_errors(plain(document(path.read_text("utf-8")))))


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_fit_both(example: str) -> None:
    """They hold every kind of key, so that what is mutated below begins right."""
    assert fits(document(example))
    assert not list(VALIDATOR.iter_errors(plain(document(example))))


VALUES = st.sampled_from(
    [
        None,
        True,
        1,
        2.5,
        "OPEN",
        "a b",
        "*",
        "",
        [],
        [1],
        ["OPEN"],
        {},
        {"in": "1.0"},
        {"is": "x"},
        [{"is": "x", "in": "1.0"}],
        [["OPEN"]],
        "ignore",
        "raise X",
        "1.0..",
    ]
)
KEYS = st.sampled_from(
    ["in", "doc", "form", "to", "states", "machine", "system", "type", "is", "a b", "text", "when"]
)


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """Draw an example with one to three changes: a value replaced, a key added, renamed or taken away, an item doubled."""
    value = copy.deepcopy(plain(document(draw(st.sampled_from(EXAMPLES)))))
    for _ in range(draw(st.integers(1, 3))):
        holders = [value, *(one for one in walk(value) if isinstance(one, dict | list) and one)]
        holder = draw(st.sampled_from(holders))
        place = draw(
            st.sampled_from(
                list(holder) if isinstance(holder, dict) else list(range(len(holder))) or [0]
            )
        )
        change = draw(st.sampled_from(["replace", "add", "remove"]))
        if change == "replace" and holder:
            holder[place] = copy.deepcopy(draw(VALUES))
        elif change == "remove" and len(holder) > 1:
            del holder[place]
        elif isinstance(holder, dict):
            holder[draw(KEYS)] = copy.deepcopy(draw(VALUES))
        else:
            holder.append(copy.deepcopy(draw(VALUES)))
    return value


def walk(value: Any) -> Any:
    """Yield all values within a value."""
    for inner in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield inner
        yield from walk(inner)


@settings(max_examples=some_of(150), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(mutated())
def test_reader_and_schema_refuse_the_same(value: Any) -> None:
    """What exists twice is compared: whatever is changed in a document, both say the same of its shape."""
    data = yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
    root, found = read_yaml(data.encode(), "file.yaml")
    assert root is not None
    assert not found
    if re.search(r"(?m)^notation: 1$", data):
        assert plain(root) == value
    assert fits(root) == VALIDATOR.is_valid(value)
