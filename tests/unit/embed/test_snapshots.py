"""Snapshots as JSON know where they belong.

Covers: statemachines.embed.snapshot_json.
"""

from __future__ import annotations

import json

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from statemachines.api.machine import Machine
from statemachines.embed import snapshot_json
from statemachines.embed.snapshot_json import StrangerError, from_json, to_json
from statemachines.model.definitions.snapshots import Snapshot
from statemachines.model.language.frozen_values import FrozenMap, record_class
from tests.machines import ORDER, TURNSTILE

ITEM = record_class("Item", ("name", "count"))
plain = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
values = st.recursive(
    plain,
    lambda inner: (
        st.frozensets(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(inner, inner, max_size=3).map(FrozenMap)
        | st.tuples(inner, inner).map(lambda pair: ITEM(*pair))
    ),
    max_leaves=6,
)


def test_an_instance_goes_on_from_what_it_wrote() -> None:
    """In another process, another day."""
    order = Machine(ORDER)
    first = order.instance()
    first.pay()
    second = order.instance(order.from_json(first.to_json()))
    second.ship()
    assert second.state == "SHIPPED"
    assert first.to_json() == (
        '{"format": "statemachines.snapshot/1", "machine": "shop/Order", "release": "2.0", '
        '"state": "PAID", "variables": {}, "parameters": {}}'
    )


@given(st.dictionaries(st.text(max_size=3), values, max_size=3))
def test_every_value_is_read_as_it_was(variables: dict[str, object]) -> None:
    """Sets, maps, records and tuples too; and equal snapshots give equal texts."""
    text = to_json(ORDER, Snapshot("PAID", FrozenMap(variables)))
    again = snapshot_json.values_from_json(json.loads(text)["variables"])
    assert again == variables
    assert to_json(ORDER, Snapshot("PAID", again)) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (to_json(TURNSTILE, Snapshot("OPEN")), r"a snapshot of turnstile, not of shop/Order 2\.0"),
        (
            to_json(evolve(ORDER, release="1.0"), Snapshot("PAID")),
            r"a snapshot of shop/Order 1\.0, not of shop/Order 2\.0",
        ),
        (to_json(ORDER, Snapshot("LOST")), "in state 'LOST', which shop/Order 2"),
        ("{", "no snapshot: Expecting"),
        ("[]", "is not an object"),
        ("{}", "`format` is None"),
        (
            to_json(ORDER, Snapshot("PAID")).replace('"variables": {}', '"variables": []'),
            "are objects",
        ),
        (
            to_json(ORDER, Snapshot("PAID")).replace('"variables": {}', '"variables": {"x": 1.5}'),
            r"1\.5 is no value",
        ),
    ],
)
def test_a_stranger_is_refused(text: str, told: str) -> None:
    """Going on from it would be silent nonsense."""
    with pytest.raises(StrangerError, match=told):
        from_json(ORDER, text)


def test_what_json_has_no_words_for_is_told() -> None:
    """An id may be any object; not every one can be kept."""
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        to_json(ORDER, Snapshot("PAID", {"who": object()}))
