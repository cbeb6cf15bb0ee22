"""Does a document have the shape that `keys` writes down?

What does not fit is reported and left out, so that later passes go on.
"""

from __future__ import annotations

import re

from attrs import define, evolve, field

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import (
    did_you_mean,
    meant_hint,
    nearest_hint,
)
from statemachines.notation.document.key_shapes import (
    AlternativeShapes,
    EmptyShape,
    ExpressionShape,
    FlagShape,
    ListShape,
    MappingKey,
    MappingShape,
    NamesShape,
    NumberShape,
    Shape,
    TextShape,
)
from statemachines.notation.document.meant_keys import (
    FOR_EACH,
    UNQUOTED_COMMA,
    key_hint,
    meant_keys,
    other_way,
)
from statemachines.notation.document.shape_hints import (
    meant_flag,
    name_hint,
    syntax_hint,
    value_hint,
)
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    flow_text,
    is_null,
    native_text,
    scalar_kind,
)

_TOP_LEVEL_LISTS = ("transitions", "otherwise", "links")
_RANGED_EXPRESSION = MappingShape(
    (MappingKey("in", TextShape()), MappingKey("is", ExpressionShape(), required=True)),
    "`in` and `is`",
)


def fit_shape(node: YamlNode, shape: Shape) -> tuple[YamlNode | None, tuple[Diagnostic, ...]]:
    """Compare a node with a shape.

    Args:
        node: as it was written.
        shape: what it should be like.

    Returns:
        The node without what does not fit (None where nothing is left), and what is wrong with the
        rest.
    """
    fitted, diagnostics, _ = fit_with_losses(node, shape)
    return fitted, diagnostics


def fit_with_losses(
    node: YamlNode, shape: Shape
) -> tuple[YamlNode | None, tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Compare a node with a shape as `fit` does; third: what is wrong and had to be left out (a
    misspelt key stands as it was meant).

    Args:
        node: as it was written.
        shape: what it should be like.

    Returns:
        The node that is left (None: nothing), all diagnostics, and those of what was left out.
    """
    fitting = _ShapeChecker()
    fitted = fitting.fit_node(node, shape)
    return (
        fitted,
        tuple(fitting.diagnostics),
        tuple(wrong for wrong in fitting.diagnostics if wrong not in fitting.repaired),
    )


@define
class _ShapeChecker:
    """Collects what is wrong while it walks."""

    diagnostics: list[Diagnostic] = field(factory=list)
    repaired: list[Diagnostic] = field(factory=list)
    """Those after which nothing was left out."""

    def fit_node(self, node: YamlNode, shape: Shape) -> YamlNode | None:
        """Return the part of a node that fits."""
        chosen = chosen_shape(node, shape)
        match node, chosen:
            case YamlMapping(), MappingShape():
                return self._fit_mapping(node, chosen)
            case YamlMapping(), NamesShape():
                return self._fit_names(node, chosen)
            case YamlSequence(), ListShape() if node.items or chosen.may_be_empty:
                return self._fit_list(node, chosen.item)
            case YamlSequence(), ExpressionShape() if _is_ranged_expression(node):
                return self._fit_list(node, _RANGED_EXPRESSION)
            case _, ExpressionShape(native=True) if (value := native_text(node)) is not None:
                return YamlScalar(value, node.span)
        wrong = _shape_error(node, chosen, shape)
        if wrong:
            self.diagnostics.append(wrong)
            if isinstance(chosen, FlagShape) and isinstance(node, YamlScalar):
                self.repaired.append(wrong)
                return evolve(node, text=meant_flag(node.text), quoted=False)
            return self._names_of_list(node, chosen, wrong)
        return node

    def _names_of_list(self, node: YamlNode, shape: Shape, wrong: Diagnostic) -> YamlNode | None:
        """Return a list of names as the mapping that was meant, where names may stand alone."""
        if not isinstance(shape, NamesShape) or not isinstance(node, YamlSequence):
            return None
        entries = [
            (item, YamlScalar("", item.span))
            for item in node.items
            if isinstance(item, YamlScalar) and re.fullmatch(shape.pattern, item.text)
        ]
        if len(entries) < len(node.items) or any(
            fit_shape(value, shape.value)[1] for _, value in entries
        ):
            return None
        self.repaired.append(wrong)
        return YamlMapping(tuple(entries), node.span)

    def _fit_mapping(self, node: YamlMapping, shape: MappingShape) -> YamlMapping:
        entries, meant = list[tuple[YamlScalar, YamlNode]](), meant_keys(node, shape)
        for name, value in node.entries:
            key = shape.key_named(name.text)
            if key is None:
                entries += self._fit_unknown_key(name, value, node, shape, meant.get(name.text))
                continue
            first = len(self.diagnostics)
            fitted = self.fit_node(value, key.shape)
            if hint := value_hint(name.text, value, shape):
                self.diagnostics[first:] = [
                    evolve(wrong, hint=hint) for wrong in self.diagnostics[first:][:1]
                ]
            if fitted is not None:
                entries.append((name, fitted))
        advised = {other_way(name.text, shape)[0] for name, _ in node.entries}
        for key in shape.keys:
            if (
                key.required
                and node.get(key.name) is None
                and key.name not in advised
                and not any(name.text == key.name for name, _ in entries)
                and not any(name.text.startswith(FOR_EACH) for name, _ in node.entries)
            ):
                self.diagnostics.append(
                    Diagnostic(
                        "SM113", f"{shape.label} needs the key `{key.name}`", node.span, key.doc
                    )
                )
        return YamlMapping(tuple(entries), node.span)

    def _fit_unknown_key(
        self,
        name: YamlScalar,
        value: YamlNode,
        node: YamlMapping,
        shape: MappingShape,
        meant: str | None,
    ) -> list[tuple[YamlScalar, YamlNode]]:
        """Report a key that there is not; return the entry that was meant, so that not every use of
        what stands there is told as well.
        """
        hint = key_hint(name, value, shape, len(self.diagnostics), meant)
        wrong = Diagnostic("SM111", f"{shape.label} has no key `{name.text}`", name.span, hint)
        self.diagnostics.append(wrong)
        if meant is None or hint != meant_hint(meant) or node.get(meant) is not None:
            return []
        key = shape.key_named(meant)
        fitted, misfits = fit_shape(value, key.shape) if key is not None else (None, ())
        if key is None or fitted is None or misfits:
            return []
        self.repaired.append(wrong)
        return [(evolve(name, text=key.name), fitted)]

    def _fit_names(self, node: YamlMapping, shape: NamesShape) -> YamlMapping:
        entries = list[tuple[YamlScalar, YamlNode]]()
        for name, value in node.entries:
            if shape.each_pattern and re.fullmatch(shape.each_pattern, name.text):
                inside = self.fit_node(value, evolve(shape, each_pattern=""))
                entries += [] if inside is None else [(name, inside)]
                continue
            if not re.fullmatch(shape.pattern, name.text):
                hint = UNQUOTED_COMMA if is_null(value) and entries else ""
                hint = hint or name_hint(name.text, shape) or shape.rule
                self.diagnostics.append(
                    Diagnostic("SM114", f"`{name.text}` is not {shape.label}", name.span, hint)
                )
                continue
            if _is_indented_too_far(name, value):
                self.diagnostics.append(
                    Diagnostic(
                        "SM111",
                        f"`{name.text}` is a key of the whole file, and stands among names",
                        name.span,
                        "it is indented too far",
                    )
                )
                continue
            fitted = self.fit_node(value, shape.value)
            entries.append((name, YamlScalar("", value.span) if fitted is None else fitted))
        return YamlMapping(tuple(entries), node.span)

    def _fit_list(self, node: YamlSequence, item: Shape) -> YamlSequence:
        fitted = [self.fit_node(entry, item) for entry in node.items]
        return YamlSequence(tuple(entry for entry in fitted if entry is not None), node.span)


def _is_indented_too_far(name: YamlScalar, value: YamlNode) -> bool:
    """Tell whether a list that only the whole file has was indented below a mapping of names, such
    as `transitions` below `states`.
    """
    return (
        name.text in _TOP_LEVEL_LISTS
        and isinstance(value, YamlSequence)
        and any(isinstance(item, YamlMapping) and item.get("in") is None for item in value.items)
    )


def _shape_error(node: YamlNode, chosen: Shape, shape: Shape) -> Diagnostic | None:
    """Say what is wrong with a node that is no mapping or list of the chosen shape; nothing where
    it is a scalar that fits.
    """
    match node, chosen:
        case YamlSequence(), ListShape():
            return Diagnostic("SM112", "an empty list", node.span, "leave the key out")
        case YamlMapping() | YamlSequence(), ExpressionShape():
            read_as = "mapping" if isinstance(node, YamlMapping) else "list"
            quoted = f'put quotes around it: "{flow_text(node)}"'
            return Diagnostic(
                "SM312", f"quotes are missing: YAML read this as a {read_as}", node.span, quoted
            )
        case YamlScalar(), TextShape():
            return _text_error(node, chosen)
        case YamlScalar(), FlagShape() if scalar_kind(node) != "bool":
            return _mismatch(node, "`true` or `false`", f"write {meant_flag(node.text)}, unquoted")
        case YamlScalar(), NumberShape(only, minors) if node.quoted or node.text not in map(
            str, (only, *minors)
        ):
            return Diagnostic(
                "SM116",
                f"`{node.text}` is not a known version of the notation",
                node.span,
                f"write {only}",
            )
        case YamlScalar(), ExpressionShape() if is_null(node):
            return _mismatch(
                node, "an expression", "put quotes around it if YAML took it for a comment"
            )
        case YamlScalar(), FlagShape() | NumberShape() | ExpressionShape() | EmptyShape():
            return None
    return _mismatch(node, _shape_description(shape), syntax_hint(node, chosen))


def _text_error(node: YamlScalar, shape: TextShape) -> Diagnostic | None:
    kind = scalar_kind(node)
    if kind != "text":
        return _mismatch(node, shape.label, _meant_text(node.text, shape) if kind != "null" else "")
    if shape.choices and node.text not in shape.choices:
        wanted = shape.label if shape.label != "a text" else "one of the words for this"
        return Diagnostic(
            shape.code,
            f"`{node.text}` is not {wanted}",
            node.span,
            did_you_mean(node.text, shape.choices),
        )
    if shape.pattern and not re.fullmatch(shape.pattern, node.text):
        return Diagnostic(
            shape.code,
            f"`{node.text}` is not {shape.label}",
            node.span,
            shape.rule or _meant_word(node.text, shape),
        )
    return None


def _meant_text(text: str, shape: TextShape) -> str:
    """Say how what YAML reads as no text is written as one: with quotes only where that fits."""
    if shape.choices:
        fits = text in shape.choices
    else:
        fits = not shape.pattern or re.fullmatch(shape.pattern, text) is not None
    return f'put quotes around it: "{text}"' if fits else _meant_word(text, shape)


def _meant_word(text: str, shape: TextShape) -> str:
    """Guess which of the words that the shape names was meant, or which unit a number lacks."""
    if shape.unit and shape.pattern and re.fullmatch(shape.pattern, f"{text} {shape.unit}"):
        return f"write `{text} {shape.unit}`"
    return nearest_hint(text, shape.choices or re.findall(r"`(\w+)`", shape.label))


def _mismatch(node: YamlNode, wanted: str, hint: str = "") -> Diagnostic:
    return Diagnostic(
        "SM112", f"expected {wanted}, found {_node_description(node)}", node.span, hint
    )


def chosen_shape(node: YamlNode, shape: Shape) -> Shape:
    """Return the one of several shapes that a node is meant to have; the shape itself where none is
    near.

    Args:
        node: as it was written.
        shape: what it should be like.

    Returns:
        One of them, by the keys that the node has.
    """
    if not isinstance(shape, AlternativeShapes):
        return shape
    fitting = [option for option in shape.shapes if _is_of_kind(node, option)]
    if isinstance(node, YamlMapping) and len(fitting) > 1:
        whole = (option for option in fitting if _has_required_keys(node, option))
        return next(whole, None) or max(
            reversed(fitting), key=lambda option: _known_key_count(node, option)
        )
    return (
        fitting[0]
        if fitting
        else next((option for option in shape.shapes if isinstance(option, ExpressionShape)), shape)
    )


def _has_required_keys(node: YamlMapping, shape: Shape) -> bool:
    """Tell whether a mapping has all keys that a shape asks for."""
    return isinstance(shape, MappingShape) and all(
        node.get(key.name) is not None for key in shape.keys if key.required
    )


def _known_key_count(node: YamlMapping, shape: Shape) -> int:
    """Return how many keys of a mapping a shape knows."""
    if not isinstance(shape, MappingShape):
        return 0
    return sum(shape.key_named(name.text) is not None for name, _ in node.entries)


def _is_of_kind(node: YamlNode, shape: Shape) -> bool:
    """Tell whether a node is of the kind that a shape is for."""
    match node, shape:
        case YamlScalar(), EmptyShape():
            return is_null(node)
        case YamlScalar(), TextShape() | FlagShape() | NumberShape() | ExpressionShape():
            return not is_null(node) or isinstance(shape, ExpressionShape)
        case YamlSequence(), ListShape(item):
            return (
                not node.items
                or chosen_shape(node.items[0], item) is not item
                or _is_of_kind(node.items[0], item)
            )
        case YamlSequence(), ExpressionShape():
            return False
        case YamlMapping(), MappingShape() | NamesShape():
            return True
    return False


def _is_ranged_expression(node: YamlSequence) -> bool:
    return bool(node.items) and all(
        isinstance(item, YamlMapping) and item.get("is") is not None for item in node.items
    )


def _node_description(node: YamlNode) -> str:
    """Say what a node is."""
    match node:
        case YamlScalar():
            names = {
                "null": "nothing",
                "bool": "the truth value",
                "int": "the number",
                "float": "the number",
                "text": "the text",
            }
            kind = scalar_kind(node)
            return names[kind] + (f" `{node.text}`" if kind != "null" else "")
        case YamlSequence():
            return "a list"
        case YamlMapping():
            return "a mapping"


def _shape_description(shape: Shape) -> str:
    """Say what a shape is."""
    match shape:
        case TextShape():
            return shape.label
        case FlagShape():
            return "`true` or `false`"
        case NumberShape(only):
            return str(only)
        case ExpressionShape():
            return "an expression"
        case EmptyShape():
            return "nothing"
        case ListShape(item):
            return f"a list, each {_shape_description(item)}"
        case MappingShape():
            return shape.label
        case NamesShape():
            return "a mapping from names"
        case AlternativeShapes(shapes):
            return " or ".join(dict.fromkeys(_shape_description(option) for option in shapes))
