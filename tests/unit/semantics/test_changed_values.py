"""Of a value that a step changes, a person is shown what is otherwise, and no more.

Covers: statemachines.semantics.messages.changed_values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statemachines.model.language.frozen_values import FrozenMap, make_record
from statemachines.semantics.messages.changed_values import changed_texts
from statemachines.semantics.messages.value_text import format_literal

LONG = frozenset(f"message {number}" for number in range(9))


def card(rank: int, owner: str, held: Iterable[str] = ()) -> Any:
    """A record that is long to read."""
    return make_record("Card", ("rank", "owner", "held"), (rank, owner, frozenset(held)))


def shown(before: Any, after: Any) -> list[str]:
    """What is shown where a variable `x` changes."""
    return [*changed_texts({"x": before, "y": 1}, {"x": after, "y": 1})]


@pytest.mark.parametrize(
    ("before", "after", "texts"),
    [
        (1, 2, ["x=2"]),
        (None, 2, ["x=2"]),
        (frozenset({1, 2}), frozenset({1, 2, 3}), ["x={1, 2, 3}"]),
        (LONG, LONG | {"a new message"}, ["x + 'a new message'"]),
        (LONG, (LONG - {"message 1"}) | {"z"}, ["x + 'z'", "x - 'message 1'"]),
        (LONG, frozenset({"another message, which is as long as a line is wide"}), None),
        (LONG, LONG - {f"message {number}" for number in range(8)}, None),
        (FrozenMap(a=1, b=2), FrozenMap(a=1, b=3), ["x['b']=3"]),
        (FrozenMap(a=1), FrozenMap(a=1, b=3), ["x['b']=3"]),
        (FrozenMap(a=1, b=2), FrozenMap(a=3, b=4), ["x={'a': 3, 'b': 4}"]),
        (FrozenMap(a=1, b=2, c=3), FrozenMap(a=1, c=3), ["no x['b']"]),
        (FrozenMap(a=1), FrozenMap[str, int](), ["x={}"]),
        (FrozenMap(a=LONG, b=0), FrozenMap(a=LONG | {"z"}, b=0), ["x['a'] + 'z'"]),
        (FrozenMap(a=None, b=0), FrozenMap(a=LONG, b=0), [f"x['a']={format_literal(LONG)}"]),
        ((1, 2), (1, 2, 3), ["x=[1, 2, 3]"]),
        (tuple(sorted(LONG)), (*sorted(LONG), "z"), ["x + ['z']"]),
        (tuple(sorted(LONG)), tuple(sorted(LONG))[2:], ["x=x[2:]"]),
        (card(1, "ann", LONG), card(2, "ann", LONG), ["x.rank=2"]),
        (card(1, "ann", LONG), card(1, "ann", LONG | {"z"}), ["x.held + 'z'"]),
    ],
)
def test_what_changed_is_shown(before: Any, after: Any, texts: list[str] | None) -> None:
    """A trace is cut at the width of a screen: what came must not stand behind what was there."""
    assert shown(before, after) == ([f"x={format_literal(after)}"] if texts is None else texts)


def applied(before: Any, texts: list[str]) -> Any:
    """Do what the texts say to a value, as a reader would."""
    for text in texts:
        before = _with_change(before, text.removeprefix("no ")[1:], gone=text.startswith("no "))
    return before


def _with_change(value: Any, said: str, *, gone: bool) -> Any:
    """Do what is said of the place where a value is: `['a']=1`, `.rank + 'z'`."""
    if said.startswith("["):
        key, rest = _key_and_rest(said)
        if gone and not rest:
            return FrozenMap({old: held for old, held in value.items() if old != key})
        return FrozenMap({**value, key: _with_change(value.get(key), rest, gone=gone)})
    if said.startswith("."):
        field = next(name for name in value._fields if said[1:].startswith(name))
        inner = _with_change(getattr(value, field), said[1 + len(field) :], gone=gone)
        return value._replace(**{field: inner})
    if said.startswith(" "):
        other = _read(said[3:])
        if isinstance(value, frozenset):
            return value | {other} if said[1] == "+" else value - {other}
        return (*value, *other)
    return value[int(said[3:-2]) :] if said.startswith("=x[") else _read(said[1:])


def _key_and_rest(said: str) -> tuple[Any, str]:
    end = said.index("]")
    return _read(said[1:end]), said[end + 1 :]


def _read(text: str) -> Any:
    """Read a value as it is written."""
    names = {"set": frozenset, "Card": lambda rank, owner, held: card(rank, owner, held)}
    return _frozen(eval(text, names))


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return FrozenMap({key: _frozen(held) for key, held in value.items()})
    if isinstance(value, set | frozenset):
        return frozenset(map(_frozen, value))
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


WORDS = st.sampled_from(["a", "b", "c", "a long word", "another long word"])
SETS = st.frozensets(WORDS)
CARDS = st.builds(card, st.integers(0, 1), WORDS, SETS)
KINDS: tuple[st.SearchStrategy[Any], ...] = (
    SETS,
    CARDS,
    st.dictionaries(WORDS, SETS).map(FrozenMap),
    st.dictionaries(WORDS, CARDS).map(FrozenMap),
    st.dictionaries(WORDS, st.none() | st.integers(0, 1)).map(FrozenMap),
    st.lists(WORDS).map(tuple),
)
SAME_KIND: st.SearchStrategy[Any] = st.one_of([st.tuples(kind, kind) for kind in KINDS])


@given(SAME_KIND)
def test_what_is_shown_leads_from_the_one_value_to_the_other(values: tuple[Any, Any]) -> None:
    """Whoever reads a trace knows what the variable holds, and reads no more than all of it."""
    before, after = values
    if before == after:
        assert shown(before, after) == []
        return
    texts = shown(before, after)
    assert applied(before, texts) == after
