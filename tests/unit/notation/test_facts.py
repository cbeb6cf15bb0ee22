"""What is safe because a fact says so, and what is refused with the fact that is missing.

Covers: statemachines.notation.expressions.expression_reader, statemachines.notation.proofs.facts.
"""

from __future__ import annotations

import pytest

from statemachines.notation.expressions.expression_reader import read_expression
from statemachines.notation.proofs.facts import Facts
from tests.expression_worlds import WORLD, written

SAFE = [
    "[price[i] for i in queue if i in stock] == []",
    "all(price[i] > 0 for i in stock)",
    "all(price[i] > 0 for i in sold)",
    "line[count % len(line)] == 1 if line != [] else True",
    "min(n + m for n in [1, 2] for m in [3]) == 4",
    "sum(price[i] for i in stock - sold) > 1",
    "sum(price[i] for i in stock & {item}) > 1",
    "sum(price[i] for i in {j for j in queue if j in sold}) > 1",
    "item in place and place[item] == item",
    "item not in place or place[item] == item",
    "not (item not in place or place[item] != item)",
    "place[item] == item if item in place else False",
    "implies(item in place, place[item] == item)",
    "stock <= set(place) and all(place[i] == item for i in stock)",
    "all(i in place for i in stock) and all(place[i] == item for i in sold)",
    "not any(i not in place for i in stock) and all(place[i] == item for i in sold)",
    "all(place[i] == i for i in place)",
    "all(i == j for i, j in place.items() if place[i] == j)",
    "all((place | {item: i})[item] == i for i in stock)",
    "{i: i for i in stock}.get(item) == {j: j for j in stock}.get(item)",
    "item in {i: i for i in stock} and price[item] == 0",
    "{item: item}[item] == item",
    "item in stock and item in {i for i in stock if price[i] > 1} or count == 0",
    "item in cards and cards[item].rank == 1",
    "kept is not None and price[kept] > 0",
    "kept is None or price[kept] > 0",
    "kept == item and price[kept] > 0",
    "kept in stock and price[kept] > 0",
    "card.owner is not None and card.owner in stock and price[card.owner] == 0",
    "limit is not None and limit + 1 > 0",
    "all(c.owner is None or c.owner != item for c in cards.values())",
    "all(c.owner is not None for c in cards.values()) and all({c.owner} <= stock for c in cards.values())",
    "line != [] and line[0] == 1",
    "len(line) > 1 and line[1] == 1 and line[-2] == 1",
    "len(line) >= 2 and line[len(line) - 1] == line[-1]",
    "count < len(line) and line[count] == 1",
    "all(line[i] == 1 for i in range(len(line)))",
    "all(line[i] <= line[i + 1] for i in range(len(line) - 1))",
    "all(line[i] <= line[i + 2] for i in range(0, len(line) - 2))",
    "count + 1 < len(line) and line[count] == 1",
    "count <= len(line) - 1 and line[count] == 1",
    "min(n for n in Rank) == 0 and max({r: 1 for r in Rank}[n] for n in Rank) == 1",
    "min({n for n in line if n > 2}) == 3 if any(n > 2 for n in line) else True",
    "count > 0 and 10 // count > 1",
    "count != 0 and 10 % count > 1",
    "10 // (count + 1) > 1",
    "10 // max(1, total) > 1",
    "total > 3 and 10 // (total - 3) > 1",
    "count < total and 10 // (total - count) > 1",
    "len(line) > 0 and max(line) > 1",
    "item in stock and min(price[i] for i in stock) >= 0",
    "Colour == {c for c in Colour}",
    "all({r: 1 for r in Rank}[n] == 1 for n in Rank)",
    "{r: 1 for r in Rank}[count] == 1",
    "total in Rank and {r: 1 for r in Rank}[total] == 1",
    "{'red': 1, 'green': 2, 'blue': 3}[colour] == 1",
    "{0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1}[count] == 1",
    "colour in ['red', 'green'] and colour != 'blue'",
]

UNSAFE = [
    ("all(line[i] <= line[i + 1] for i in range(len(line)))", "i + 1 < len(line)"),
    ("all(line[i] <= line[i + 2] for i in range(len(line) - 1))", "i + 2 < len(line)"),
    ("count <= len(line) and line[count] == 1", "count < len(line)"),
    ("{r: 1 for r in Rank}[total]", "total in {r: 1 for r in Rank}"),
    ("{'red': 1, 'green': 2}[colour]", "colour in {'red': 1, 'green': 2}"),
    ("{0: 1, 1: 1, 2: 1, 3: 1, 4: 1}[count]", "count in {0: 1, 1: 1, 2: 1, 3: 1, 4: 1}"),
    ("place[item]", "item in place"),
    ("price[item]", "item in price"),
    ("sum(price[i] for i in queue)", "i in price"),
    ("item in place or place[item] == item", "item in place"),
    ("any(i in place for i in stock) and all(place[i] == item for i in stock)", "i in place"),
    ("set(place) <= stock and all(place[i] == item for i in stock)", "i in place"),
    ("price[kept]", "kept in price"),
    ("item in queue and price[item] == 1", "item in price"),
    ("limit + 1", "x is not None"),
    ("cards.get(item).rank", "cards.get(item) is not None"),
    ("line[0]", "line != []"),
    ("len(line) > 0 and line[1] == 1", "len(line) >= 2"),
    ("line[count]", "count < len(line)"),
    ("line[total] == 1 if total < len(line) else False", "total >= 0"),
    ("10 // count", "count > 0"),
    ("10 // (total - 3) if total >= 3 else 0", "total - 3 > 0"),
    ("max(line)", "len(line) > 0"),
]


@pytest.mark.parametrize("text", SAFE)
def test_what_a_fact_makes_safe_is_accepted(text: str) -> None:
    """A rule that asks for facts nobody would write teaches people to hate it."""
    typed, found = read_expression(written(text), Facts(WORLD))
    assert found == ()
    assert typed is not None


@pytest.mark.parametrize("said", ["any(n > 1 for n in line)", "any(n > 2 for n in line[1:])"])
def test_that_there_is_one_is_said_of_what_fulfils_the_same_condition_in_the_same_list(
    said: str,
) -> None:
    """Of another condition, or another list, it says nothing."""
    text = f"min({{n for n in line if n > 2}}) == 3 if {said} else True"
    typed, found = read_expression(written(text), Facts(WORLD))
    assert typed is None
    assert [wrong.message for wrong in found] == ["`{n for n in line if n > 2}` may be empty here"]


@pytest.mark.parametrize(("text", "fact"), UNSAFE)
def test_what_no_fact_makes_safe_is_refused_with_the_missing_one(text: str, fact: str) -> None:
    """The message is the repair: people write the fact that it names."""
    typed, found = read_expression(written(text), Facts(WORLD))
    assert typed is None
    assert any(f"`{fact}`" in wrong.hint for wrong in found), found
