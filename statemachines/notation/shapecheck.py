"""Does a document have the shape that `keys` writes down? What does not fit is reported and left out, so that later passes go on."""

from __future__ import annotations

import re

from attrs import define, field

from statemachines.model.diagnostics import Diagnostic
from statemachines.notation.nodes import Mapping, Node, Scalar, Sequence
from statemachines.notation.scalars import is_null, kind_of
from statemachines.notation.shapes import Either, Expression, Flag, Key, Keys, Listed, Names, Nothing, Number, Reference, Shape, Text
from statemachines.notation.suggestions import did_you_mean

_RANGED_EXPRESSION = Keys((Key("in", Text()), Key("is", Expression(), required=True)), "`in` and `is`")


def fit(node: Node, shape: Shape) -> tuple[Node | None, tuple[Diagnostic, ...]]:
    """Compare a node with a shape.

    Returns:
        The node without what does not fit (None where nothing is left), and what is wrong with the rest.
    """
    fitting = _Fitting()
    return fitting.node(node, shape), tuple(fitting.found)


@define
class _Fitting:
    """Collects what is wrong while it walks."""

    found: list[Diagnostic] = field(factory=list)

    def node(self, node: Node, shape: Shape) -> Node | None:
        """Return the part of a node that fits."""
        chosen = choose(node, shape)
        match node, chosen:
            case Mapping(), Keys():
                return self._keys(node, chosen)
            case Mapping(), Names():
                return self._names(node, chosen)
            case Sequence(), Listed():
                return self._list(node, chosen.item)
            case Sequence(), Expression():
                return self._list(node, _RANGED_EXPRESSION) if _is_ranged(node) else self._unquoted(node, "list")
            case Mapping(), Expression():
                return self._unquoted(node, "mapping")
            case Scalar(), Text() | Flag() | Number() | Expression() | Nothing():
                return self._scalar(node, chosen)
        return self._wrong(node, shape)

    def _keys(self, node: Mapping, shape: Keys) -> Mapping:
        entries = []
        for name, value in node.entries:
            key = shape.named(name.text)
            if key is None:
                hint = did_you_mean(name.text, [known.name for known in shape.keys if known.name not in {n.text for n, _ in node.entries}])
                self.found.append(Diagnostic("SM111", f"{shape.called} has no key `{name.text}`", name.span, hint))
                continue
            fitted = self.node(value, key.shape)
            if fitted is not None:
                entries.append((name, fitted))
        for key in shape.keys:
            if key.required and node.get(key.name) is None:
                self.found.append(Diagnostic("SM113", f"{shape.called} needs the key `{key.name}`", node.span, key.doc))
        return Mapping(tuple(entries), node.span)

    def _names(self, node: Mapping, shape: Names) -> Mapping:
        entries = []
        for name, value in node.entries:
            if not re.fullmatch(shape.pattern, name.text):
                hint = "names have letters, digits and `_`, and begin with no digit"
                self.found.append(Diagnostic("SM114", f"`{name.text}` is no name", name.span, hint))
                continue
            fitted = self.node(value, shape.value)
            entries.append((name, Scalar("", value.span) if fitted is None else fitted))
        return Mapping(tuple(entries), node.span)

    def _list(self, node: Sequence, item: Shape) -> Sequence | None:
        if not node.items:
            self.found.append(Diagnostic("SM112", "an empty list", node.span, "leave the key out"))
            return None
        fitted = [self.node(entry, item) for entry in node.items]
        return Sequence(tuple(entry for entry in fitted if entry is not None), node.span)

    def _scalar(self, node: Scalar, shape: Shape) -> Scalar | None:
        kind = kind_of(node)
        match shape:
            case Flag() if kind != "bool":
                return self._mismatch(node, "`true` or `false`", did_you_mean(node.text, ["true", "false"]))
            case Number(only) if kind != "int" or node.text != str(only):
                self.found.append(
                    Diagnostic("SM116", f"`{node.text}` is no version of the notation that is known", node.span, f"write {only}")
                )
                return None
            case Text() if kind != "text":
                return self._mismatch(node, shape.called, f'put quotes around it: "{node.text}"' if kind != "null" else "")
            case Text(choices=choices) if choices and node.text not in choices:
                return self._value(node, shape, did_you_mean(node.text, choices))
            case Text(pattern=str(pattern)) if not re.fullmatch(pattern, node.text):
                return self._value(
                    node, shape, "names have letters, digits and `_`, and begin with no digit" if shape.code == "SM114" else ""
                )
            case Expression() if kind == "null":
                return self._mismatch(node, "an expression", "put quotes around it if YAML took it for a comment")
            case Nothing() if kind != "null":
                return self._mismatch(node, "nothing or a mapping", "")
        return node

    def _value(self, node: Scalar, shape: Text, hint: str) -> None:
        self.found.append(Diagnostic(shape.code, f"`{node.text}` is not {shape.called}", node.span, hint))

    def _mismatch(self, node: Node, expected: str, hint: str) -> None:
        self.found.append(Diagnostic("SM112", f"expected {expected}, found {describe(node)}", node.span, hint))

    def _wrong(self, node: Node, shape: Shape) -> None:
        self._mismatch(node, expected(shape), "")

    def _unquoted(self, node: Node, read_as: str) -> None:
        self.found.append(Diagnostic("SM312", f"quotes are missing: YAML read this as a {read_as}", node.span, "put quotes around it"))


def choose(node: Node, shape: Shape) -> Shape:
    """Return the one of several shapes that a node is meant to have; the shape itself where none is near."""
    if not isinstance(shape, Either):
        return shape
    fitting = [option for option in shape.shapes if _is_near(node, option)]
    return fitting[0] if fitting else next((option for option in shape.shapes if isinstance(option, Expression)), shape)


def _is_near(node: Node, shape: Shape) -> bool:
    """Tell whether a node is of the kind that a shape is for."""
    match node, shape:
        case Scalar(), Nothing():
            return is_null(node)
        case Scalar(), Text() | Flag() | Number() | Expression():
            return not is_null(node) or isinstance(shape, Expression)
        case Sequence(), Listed(item):
            return not node.items or choose(node.items[0], item) is not item or _is_near(node.items[0], item)
        case Sequence(), Expression():
            return False
        case Mapping(), Keys() | Names():
            return True
    return False


def _is_ranged(node: Sequence) -> bool:
    return bool(node.items) and all(isinstance(item, Mapping) and item.get("is") is not None for item in node.items)


def describe(node: Node) -> str:
    """Say what a node is."""
    match node:
        case Scalar():
            names = {"null": "nothing", "bool": "the truth value", "int": "the number", "float": "the number", "text": "the text"}
            kind = kind_of(node)
            return names[kind] + (f" `{node.text}`" if kind != "null" else "")
        case Sequence():
            return "a list"
        case Mapping():
            return "a mapping"


def expected(shape: Shape) -> str:
    """Say what a shape is."""
    match shape:
        case Text():
            return shape.called
        case Flag():
            return "`true` or `false`"
        case Number(only):
            return str(only)
        case Expression():
            return "an expression"
        case Nothing():
            return "nothing"
        case Listed(item):
            return f"a list, each {expected(item)}"
        case Keys():
            return shape.called
        case Names():
            return "a mapping from names"
        case Either(shapes):
            return " or ".join(dict.fromkeys(expected(option) for option in shapes))
        case Reference(name):
            return f"a {name}"
