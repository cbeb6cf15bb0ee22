"""Does a document have the shape that `keys` writes down? What does not fit is reported and left out, so that later passes go on."""

from __future__ import annotations

import re

from attrs import define, evolve, field

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.suggestions import did_you_mean, hint, meant, nearest
from statemachines.notation.nodes import Mapping, Node, Scalar, Sequence, flow_text
from statemachines.notation.scalars import is_null, kind_of
from statemachines.notation.shapes import NAME, Either, Expression, Flag, Key, Keys, Listed, Names, Nothing, Number, Shape, Text

GOES_ON = "a text that goes on behind a comma needs quotes"
_LISTS = ("transitions", "otherwise", "links")
_OUTSIDE = "it is indented too far: it is a key of the whole file, as `notation` is"
_NAMING = "names have letters, digits and `_`, and begin with no digit"
_RANGED_EXPRESSION = Keys((Key("in", Text()), Key("is", Expression(), required=True)), "`in` and `is`")


def fit(node: Node, shape: Shape) -> tuple[Node | None, tuple[Diagnostic, ...]]:
    """Compare a node with a shape.

    Returns:
        The node without what does not fit (None where nothing is left), and what is wrong with the rest.
    """
    fitted, found, _ = fit_telling_losses(node, shape)
    return fitted, found


def fit_telling_losses(node: Node, shape: Shape) -> tuple[Node | None, tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Compare a node with a shape as `fit` does; third: what is wrong and had to be left out (a misspelt key stands as it was meant)."""
    fitting = _Fitting()
    fitted = fitting.node(node, shape)
    return fitted, tuple(fitting.found), tuple(wrong for wrong in fitting.found if wrong not in fitting.mended)


@define
class _Fitting:
    """Collects what is wrong while it walks."""

    found: list[Diagnostic] = field(factory=list)
    mended: list[Diagnostic] = field(factory=list)
    """Those after which nothing was left out."""

    def node(self, node: Node, shape: Shape) -> Node | None:
        """Return the part of a node that fits."""
        chosen = choose(node, shape)
        match node, chosen:
            case Mapping(), Keys():
                return self._keys(node, chosen)
            case Mapping(), Names():
                return self._names(node, chosen)
            case Sequence(), Listed() if node.items:
                return self._list(node, chosen.item)
            case Sequence(), Expression() if _is_ranged(node):
                return self._list(node, _RANGED_EXPRESSION)
        wrong = misfit(node, chosen, shape)
        if wrong:
            self.found.append(wrong)
        return None if wrong else node

    def _keys(self, node: Mapping, shape: Keys) -> Mapping:
        entries = list[tuple[Scalar, Node]]()
        for name, value in node.entries:
            key = shape.named(name.text)
            if key is None:
                entries += self._unknown(name, value, node, shape)
                continue
            fitted = self.node(value, key.shape)
            if fitted is not None:
                entries.append((name, fitted))
        for key in shape.keys:
            if key.required and node.get(key.name) is None and not any(name.text == key.name for name, _ in entries):
                self.found.append(Diagnostic("SM113", f"{shape.called} needs the key `{key.name}`", node.span, key.doc))
        return Mapping(tuple(entries), node.span)

    def _unknown(self, name: Scalar, value: Node, node: Mapping, shape: Keys) -> list[tuple[Scalar, Node]]:
        """Report a key that there is not; return the entry that was meant, so that not every use of what stands there is told as well."""
        hint = _key_hint(name, value, shape, len(self.found))
        wrong = Diagnostic("SM111", f"{shape.called} has no key `{name.text}`", name.span, hint)
        self.found.append(wrong)
        near = nearest(name.text, [key.name for key in shape.keys]) if hint.startswith("did you mean") else None
        key = shape.named(near) if near is not None and node.get(near) is None else None
        fitted, misfits = fit(value, key.shape) if key is not None else (None, ())
        if key is None or fitted is None or misfits:
            return []
        self.mended.append(wrong)
        return [(evolve(name, text=key.name), fitted)]

    def _names(self, node: Mapping, shape: Names) -> Mapping:
        entries = list[tuple[Scalar, Node]]()
        for name, value in node.entries:
            if not re.fullmatch(shape.pattern, name.text):
                hint = GOES_ON if is_null(value) and entries else _NAMING
                self.found.append(Diagnostic("SM114", f"`{name.text}` is not a name", name.span, hint))
                continue
            if _too_deep(name, value):
                self.found.append(Diagnostic("SM111", f"`{name.text}` stands among names", name.span, _OUTSIDE))
                continue
            fitted = self.node(value, shape.value)
            entries.append((name, Scalar("", value.span) if fitted is None else fitted))
        return Mapping(tuple(entries), node.span)

    def _list(self, node: Sequence, item: Shape) -> Sequence:
        fitted = [self.node(entry, item) for entry in node.items]
        return Sequence(tuple(entry for entry in fitted if entry is not None), node.span)


def _too_deep(name: Scalar, value: Node) -> bool:
    """Tell whether a list that only the whole file has was indented below a mapping of names, such as `transitions` below `states`."""
    return (
        name.text in _LISTS
        and isinstance(value, Sequence)
        and any(isinstance(one, Mapping) and one.get("in") is None for one in value.items)
    )


def _key_hint(name: Scalar, value: Node, shape: Keys, told: int) -> str:
    """Say which key was meant, under which one it stands, or that an unquoted text ended at a comma."""
    if is_null(value) and not re.fullmatch(NAME, name.text):
        return GOES_ON
    inner = next((key.name for key in shape.keys if isinstance(key.shape, Keys) and key.shape.named(name.text)), None)
    return f"it stands under `{inner}:`" if inner else hint(told, name.text, [key.name for key in shape.keys])


def misfit(node: Node, chosen: Shape, shape: Shape) -> Diagnostic | None:
    """Say what is wrong with a node that is no mapping or list of the chosen shape; nothing where it is a scalar that fits."""
    match node, chosen:
        case Sequence(), Listed():
            return Diagnostic("SM112", "an empty list", node.span, "leave the key out")
        case Mapping() | Sequence(), Expression():
            read_as = "mapping" if isinstance(node, Mapping) else "list"
            quoted = f'put quotes around it: "{flow_text(node)}"'
            return Diagnostic("SM312", f"quotes are missing: YAML read this as a {read_as}", node.span, quoted)
        case Scalar(), Text():
            return _misfit_text(node, chosen)
        case Scalar(), Flag() if kind_of(node) != "bool":
            return _mismatch(node, "`true` or `false`", did_you_mean(node.text, ["true", "false"]))
        case Scalar(), Number(only) if kind_of(node) != "int" or node.text != str(only):
            return Diagnostic("SM116", f"`{node.text}` is no known version of the notation", node.span, f"write {only}")
        case Scalar(), Expression() if is_null(node):
            return _mismatch(node, "an expression", "put quotes around it if YAML took it for a comment")
        case Scalar(), Flag() | Number() | Expression() | Nothing():
            return None
    return _mismatch(node, expected(shape), _written(node, chosen))


def _written(node: Node, shape: Shape) -> str:
    """Say how what people write for a mapping is written; nothing where that cannot be guessed."""
    match node, shape:
        case Sequence((Scalar(text), *_)), Names() if re.fullmatch(NAME, text):
            return f"write each as a key, without `- `: `{text}:`"
        case Scalar(), Names() if assigned := re.fullmatch(rf"({NAME})\s*(?:=|:=)\s*([^=].*)", node.text):
            return f"write `{{{assigned[1]}: {assigned[2]}}}`"
        case Scalar(), Keys() if (arrow := re.fullmatch(rf"({NAME})\s*[-=]*>\s*({NAME})", node.text)) and shape.named("to"):
            return f"write `{{from: {arrow[1]}, to: {arrow[2]}}}`"
    return ""


def _misfit_text(node: Scalar, shape: Text) -> Diagnostic | None:
    kind = kind_of(node)
    if kind != "text":
        return _mismatch(node, shape.called, f'put quotes around it: "{node.text}"' if kind != "null" else "")
    if shape.choices and node.text not in shape.choices:
        return Diagnostic(shape.code, f"`{node.text}` is not {shape.called}", node.span, did_you_mean(node.text, shape.choices))
    if shape.pattern and not re.fullmatch(shape.pattern, node.text):
        return Diagnostic(
            shape.code, f"`{node.text}` is not {shape.called}", node.span, _NAMING if shape.code == "SM114" else _meant(node, shape)
        )
    return None


def _meant(node: Scalar, shape: Text) -> str:
    """Guess which of the words that the shape names was meant."""
    return meant(node.text, re.findall(r"`(\w+)`", shape.called))


def _mismatch(node: Node, wanted: str, hint: str = "") -> Diagnostic:
    return Diagnostic("SM112", f"expected {wanted}, found {describe(node)}", node.span, hint)


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
