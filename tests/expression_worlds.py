"""A small world of names and values, random expressions over it, and what real Python says they mean."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from statemachines.model.definitions.data_definitions import MachineData
from statemachines.model.diagnosis.diagnostics import Span
from statemachines.model.language.expression_nodes import (
    Comprehension,
    Expression,
    MapView,
    NameKind,
)
from statemachines.model.language.frozen_values import FrozenMap, record_class
from statemachines.model.language.value_types import (
    BagType,
    EnumType,
    IdType,
    IntType,
    OptionalType,
    PairsType,
    RecordType,
)
from statemachines.notation.data.type_reader import read_type
from statemachines.notation.expressions.expression_parser import SourceText
from statemachines.notation.expressions.expression_reader import read_expression
from statemachines.notation.proofs.facts import Facts
from statemachines.notation.typing.name_scope import DeclaredName, NameScope

ITEM = IdType("Item")
COLOUR = EnumType("Colour", ("red", "green", "blue"))
CARD = RecordType(
    "Card", (("colour", COLOUR), ("rank", IntType(0, 5)), ("owner", OptionalType(ITEM)))
)
Card = record_class("Card", ("colour", "rank", "owner"))
DECLARED = {
    "stock": "set[Item]",
    "sold": "set[stock]",
    "count": "0..5",
    "total": "int",
    "flag": "bool",
    "colour": "Colour",
    "line": "list[0..5]",
    "queue": "list[Item]",
    "price": "map[stock, 0..5]",
    "place": "map[Item, Item]",
    "cards": "map[Item, Card]",
    "card": "Card",
    "item": "Item",
    "kept": "stock?",
    "limit": "int?",
}


def written(text: str) -> SourceText:
    """Place a text as a test's only line."""
    return SourceText(text, Span("test.yaml", 1, 1, max(len(text), 1)))


def world() -> NameScope:
    """Return the names of the world."""
    scope = NameScope(
        types={
            "Item": ITEM,
            "Colour": COLOUR,
            "Card": CARD,
            "Rank": IntType(0, 5),
            "Long": IntType(0, 999),
            "Open": IntType(0, None),
        }
    )
    for name, text in DECLARED.items():
        type_, found = read_type(written(text), Facts(scope))
        assert type_ is not None, found
        scope = scope.with_names(DeclaredName(NameKind.VARIABLE, name, type_))
    return scope


WORLD = world()
NO_NAMES = MachineData()

ITEMS = st.sampled_from(["i1", "i2", "i3"])
COLOURS = st.sampled_from(COLOUR.members)
SMALL = st.integers(0, 5)
CARDS = st.builds(Card, COLOURS, SMALL, st.none() | ITEMS)


@st.composite
def values(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a value of each name, dependent types kept."""
    stock = draw(st.frozensets(ITEMS))
    some = st.sampled_from(sorted(stock)) if stock else st.nothing()
    return {
        "stock": stock,
        "sold": draw(st.frozensets(some)) if stock else frozenset(),
        "count": draw(SMALL),
        "total": draw(st.integers(-6, 6)),
        "flag": draw(st.booleans()),
        "colour": draw(COLOURS),
        "line": tuple(draw(st.lists(SMALL, max_size=4))),
        "queue": tuple(draw(st.lists(ITEMS, max_size=4))),
        "price": FrozenMap({item: draw(SMALL) for item in sorted(stock)}),
        "place": FrozenMap(draw(st.dictionaries(ITEMS, ITEMS))),
        "cards": FrozenMap(draw(st.dictionaries(ITEMS, CARDS))),
        "card": draw(CARDS),
        "item": draw(ITEMS),
        "kept": draw(st.none() | some) if stock else None,
        "limit": draw(st.none() | st.integers(-3, 3)),
    }


class Grammar:
    """Random texts of expressions by kind: most are of one kind throughout, many lack a fact."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.number = 0
        self.locals: dict[str, list[str]] = {}

    def pick(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def of(self, kind: str, depth: int) -> str:
        """Return a text of a kind: bool, int, item, colour, set, list, ints, map, card, items?."""
        known = self.locals.get(kind, [])
        if known and self.draw(st.integers(0, 2)) == 0:
            return self.pick(*known)
        return str(getattr(self, f"{kind}_")(depth - 1)) if depth > 0 else self.leaf(kind)

    def leaf(self, kind: str) -> str:
        return self.pick(*LEAVES[kind])

    def bound(self, kind: str, template: str, walked: str, depth: int, **parts: str) -> str:
        """Fill a template whose `{x}` is a fresh variable of a kind, and `{s}` what it walks."""
        walked = self.of(walked, depth)
        self.number += 1
        name = f"x{self.number}"
        self.locals.setdefault(kind, []).append(name)
        try:
            filled = {key: self.of(sort, depth) for key, sort in parts.items()}
        finally:
            self.locals[kind].remove(name)
        return template.format(x=name, s=walked, **filled)

    def first(self, kind: str, walked: str, otherwise: str, depth: int) -> str:
        """Return a text of the first of some elements, or of another value."""
        found = self.bound(kind, "({e} for {x} in {s} if {b})", walked, depth, e=kind, b="bool")
        return f"next({found}, {otherwise})"

    def bool_(self, depth: int) -> str:
        of = self.of
        match self.draw(st.integers(0, 15)):
            case 15:
                found = self.first("item", "list", "None", depth)
                return f"({found} {self.pick('is', 'is not')} None)"
            case 0:
                return f"({of('bool', depth)} {self.pick('and', 'or')} {of('bool', depth)})"
            case 1:
                return f"(not {of('bool', depth)})"
            case 2 | 3:
                return f"({of('int', depth)} {self.pick('<', '<=', '>', '>=', '==', '!=')} {of('int', depth)})"
            case 4 | 5:
                return f"({of('item', depth)} {self.pick('in', 'not in')} {of(self.pick('set', 'map', 'list'), depth)})"
            case 6:
                return f"({of('set', depth)} {self.pick('<=', '<', '==', '!=', '>')} {of('set', depth)})"
            case 7:
                return (
                    f"({self.pick('kept', 'limit', 'card.owner')} {self.pick('is', 'is not')} None)"
                )
            case 8:
                return f"implies({of('bool', depth)}, {of('bool', depth)})"
            case 9:
                return self.pick("any", "all") + self.bound(
                    "item", "({b} for {x} in {s})", self.pick("set", "map", "list"), depth, b="bool"
                )
            case 10:
                return f"({of('colour', depth)} {self.pick('==', '!=')} {of('colour', depth)})"
            case 11:
                return f"({of('colour', depth)} in ['red', 'blue'])"
            case 13:
                return self.pick("any", "all") + self.bound(
                    "int", "({b} for {x} in Rank)", "ints", depth, b="bool"
                )
            case 12:
                return f"({of('ints', depth)} {self.pick('==', '!=')} {self.pick('[]', of('ints', depth))})"
        return f"({of('map', depth)} == {of('map', depth)})"

    def int_(self, depth: int) -> str:
        of = self.of
        match self.draw(st.integers(0, 11)):
            case 0 | 1:
                return f"({of('int', depth)} {self.pick('+', '-', '*')} {of('int', depth)})"
            case 11:
                return self.first("int", "ints", of("int", depth), depth)
            case 2:
                divisor = self.pick("2", "3", "max(1, count)", "(count + 1)", "count", "len(line)")
                return f"({of('int', depth)} {self.pick('//', '%')} {divisor})"
            case 3:
                return f"len({of(self.pick('set', 'list', 'map', 'ints'), depth)})"
            case 4:
                key = of("item", depth)
                fact = self.pick(
                    f"{key} in price",
                    f"{key} in sold",
                    f"{key} in stock & set(place)",
                    f"{{{key}}} <= stock",
                    f"{key} in stock - sold",
                )
                return f"(price[{key}] if {fact} else 0)"
            case 5:
                return f"{of('card', depth)}.rank"
            case 6:
                return f"({of('int', depth)} if {of('bool', depth)} else {of('int', depth)})"
            case 7:
                return self.pick(
                    "sum{t}", "max{t}", "min{t}", "(max{t} if stock != set() else 2)"
                ).replace(
                    "{t}",
                    self.bound(
                        "item",
                        self.pick("({n} for {x} in {s})", "(price[{x}] for {x} in stock)"),
                        "set",
                        depth,
                        n="int",
                    ),
                )
            case 8:
                return f"{self.pick('max', 'min')}({of('ints', depth)}{self.pick(', default=1', ', default=count')})"
            case 9:
                items, index = of("ints", depth), self.pick("0", "-1", "count")
                fact = self.pick(
                    f"{items} != []",
                    f"len({items}) > 0",
                    f"count < len({items})",
                    f"1 <= len({items})",
                )
                return f"({items}[{index}] if {fact} else 4)"
        return f"(-{of('int', depth)})"

    def item_(self, depth: int) -> str:
        of = self.of
        match self.draw(st.integers(0, 5)):
            case 5:
                return self.first("item", "list", of("item", depth), depth)
            case 0:
                key = of("item", depth)
                fact = self.pick(
                    f"{key} in place",
                    f"stock <= set(place) and {key} in stock",
                    f"all(y in place for y in stock) and {key} in sold",
                )
                return f"(place[{key}] if {fact} else item)"
            case 1:
                return f"place.get({of('item', depth)}, {of('item', depth)})"
            case 2:
                return f"({of('item', depth)} if {of('bool', depth)} else {of('item', depth)})"
            case 3:
                return "(queue[0] if queue != [] else item)"
        return self.pick(
            "item",
            "(kept if kept is not None else item)",
            "(item if card.owner is None else card.owner)",
        )

    def colour_(self, depth: int) -> str:
        return f"{self.of('card', depth)}.colour"

    def set_(self, depth: int) -> str:
        of = self.of
        match self.draw(st.integers(0, 5)):
            case 0 | 1:
                return f"({of('set', depth)} {self.pick('|', '&', '-', '^')} {of('set', depth)})"
            case 2:
                return f"{{{of('item', depth)}, {of('item', depth)}}}"
            case 3:
                source = self.pick("set", "map", "list")
                return self.bound(
                    "item", "{{{e} for {x} in {s} if {b}}}", source, depth, e="item", b="bool"
                )
            case 4:
                return f"set({of(self.pick('map', 'list'), depth)})"
        return f"{of('map', depth)}.keys()"

    def list_(self, depth: int) -> str:
        of = self.of
        match self.draw(st.integers(0, 3)):
            case 0:
                return f"({of('list', depth)} + {of('list', depth)})"
            case 1:
                return f"[{of('item', depth)}, {of('item', depth)}]"
            case 2:
                return self.bound(
                    "item", "[{e} for {x} in {s} if {b}]", "list", depth, e="item", b="bool"
                )
        return f"{of('list', depth)}[{of('int', depth)}:{of('int', depth)}]"

    def ints_(self, depth: int) -> str:
        of = self.of
        match self.draw(st.integers(0, 2)):
            case 0:
                return self.bound(
                    "int", "[{e} for {x} in {s} if {b}]", "ints", depth, e="int", b="bool"
                )
            case 1:
                return f"[{of('int', depth)}]"
        return f"({of('ints', depth)} + {of('ints', depth)})"

    def map_(self, depth: int) -> str:
        of = self.of
        match self.draw(st.integers(0, 2)):
            case 0:
                return f"({of('map', depth)} | {{{of('item', depth)}: {of('item', depth)}}})"
            case 1:
                return self.bound(
                    "item", "{{{x}: {e} for {x} in {s} if {b}}}", "set", depth, e="item", b="bool"
                )
        return self.bound(
            "item", "{{{x}: v for {x}, v in {s}.items() if {b}}}", "map", depth, b="bool"
        )

    def card_(self, depth: int) -> str:
        of = self.of
        match self.draw(st.integers(0, 2)):
            case 0:
                return f"Card({of('colour', depth)}, {of('int', depth)}, {self.pick('None', of('item', depth))})"
            case 1:
                return f"replace({of('card', depth)}, rank={of('int', depth)})"
        return f"cards.get({of('item', depth)}, card)"


LEAVES = {
    "bool": (
        "flag",
        "True",
        "False",
        "item in stock",
        "line != []",
        "count > 0",
        "kept is not None",
        "stock <= set(place)",
        "item in cards",
    ),
    "int": ("count", "total", "0", "1", "3", "len(line)", "card.rank"),
    "item": ("item", "(kept if kept is not None else item)"),
    "colour": ("colour", "'red'", "'blue'", "card.colour"),
    "set": ("stock", "sold", "set()", "{item}"),
    "list": ("queue", "[]", "[item]"),
    "ints": ("line", "[]", "[1, 2]", "range(3)", "range(count)", "range(1, total)"),
    "map": ("place", "{}", "{item: item}"),
    "card": ("card", "Card('red', 1, None)"),
}


@st.composite
def texts(draw: st.DrawFn, *, depth: int = 3) -> str:
    """Draw the text of an expression."""
    return Grammar(draw).of(draw(st.sampled_from(sorted(LEAVES))), depth)


def expressions_with_values(
    many: int, take: Callable[[str, Expression, dict[str, Any]], None]
) -> None:
    """Hand over random expressions that have a value of their own, with values for their names; the same ones in each run.

    Args:
        many: how many texts are drawn; some are no expressions.
        take: is given the text, the typed expression, and the values.
    """

    @settings(
        max_examples=many,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )
    @given(texts(), values())
    def collect(text: str, known: dict[str, Any]) -> None:
        typed, _ = read_expression(written(text), Facts(WORLD))
        walked = isinstance(typed, MapView) or (
            isinstance(typed, Comprehension) and typed.kind == "generator"
        )
        if typed is not None and not walked and not isinstance(typed.type, BagType | PairsType):
            take(text, typed, known)

    collect()


class _Native(ast.NodeTransformer):
    """Python's displays make lists, sets and dicts; ours make what can be an element of a set."""

    def _called(self, name: str, node: ast.AST) -> ast.expr:
        assert isinstance(node, ast.expr)
        return ast.Call(ast.Name(name, ast.Load()), [node], [])

    def visit_List(self, node: ast.List) -> ast.expr:
        return self._called("tuple", self.generic_visit(node))

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self._called("tuple", self.generic_visit(node))

    def visit_Set(self, node: ast.Set) -> ast.expr:
        return self._called("frozenset", self.generic_visit(node))

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        return self._called("frozenset", self.generic_visit(node))

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        return self._called("FrozenMap", self.generic_visit(node))

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        return self._called("FrozenMap", self.generic_visit(node))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = (
            node.func.id
            if isinstance(node.func, ast.Name)
            else node.func.attr
            if isinstance(node.func, ast.Attribute)
            else ""
        )
        if name == "range":
            return self._called("tuple", node)
        if name == "keys":
            return self._called("frozenset", node)
        if name == "implies":
            return ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), node.args[0]), node.args[1]])
        return node


def python_says(text: str, given: dict[str, Any]) -> Any:
    """Evaluate a text as real Python over the same values."""
    tree = ast.fix_missing_locations(_Native().visit(ast.parse(text, mode="eval")))
    names = {
        "FrozenMap": FrozenMap,
        "Card": Card,
        "Colour": frozenset(COLOUR.members),
        "Rank": frozenset(range(6)),
        "set": frozenset,
        "replace": lambda record, **changes: record._replace(**changes),
    }
    return eval(compile(tree, "<python>", "eval"), {**names, **given})
