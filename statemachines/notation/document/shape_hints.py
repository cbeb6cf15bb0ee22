"""What would be right where another kind of value stands than the notation has there."""

from __future__ import annotations

import re

from statemachines.notation.document.key_shapes import (
    NAME,
    AlternativeShapes,
    ExpressionShape,
    ListShape,
    MappingKey,
    MappingShape,
    NamesShape,
    Shape,
    TextShape,
)
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    is_null,
)

_KEYS_SHOWN = 4


def syntax_hint(node: YamlNode, shape: Shape) -> str:
    """Say how what people write for a mapping is written.

    Args:
        node: what stands there.
        shape: what should.

    Returns:
        The advice; nothing where it cannot be guessed.
    """
    match node, shape:
        case YamlSequence((YamlScalar(text), *_)), NamesShape() if re.fullmatch(NAME, text):
            return _as_keys(node)
        case YamlScalar(), NamesShape() if assigned := re.fullmatch(
            rf"({NAME})\s*([-+*]?)(?:=|:=)\s*([^=].*)", node.text
        ):
            return f"write `{{{assigned[1]}: {_assigned_value(assigned)}}}`"
        case YamlScalar(), NamesShape() if not is_null(node) and _takes_text(shape.value):
            return f"give it a name: `{{name: {node.text}}}`"
        case YamlScalar(), _ if key := _only_key_needed(node, shape):
            return f"write `{{{key}: {node.text}}}`"
        case YamlScalar(), MappingShape() if (
            transition := re.fullmatch(rf"({NAME})\s*[-=]*>\s*({NAME})", node.text)
        ) and shape.key_named("to"):
            return f"write `{{from: {transition[1]}, to: {transition[2]}}}`"
        case YamlSequence((YamlMapping() as first, *_)), MappingShape() if key := _key_of_list(
            first, shape
        ):
            return f"write the list below `{key}:`"
        case YamlSequence() | YamlScalar(), MappingShape():
            return f"a mapping has keys, here {_some_keys(shape)}"
    return ""


def _as_keys(node: YamlSequence) -> str:
    """Say how names that stand in a list stand as keys: in braces where the list has brackets."""
    names = [item.text for item in node.items if isinstance(item, YamlScalar)]
    if len(names) < 2 or len({item.span.line for item in node.items}) > 1:
        return f"write each as a key, without `- `: `{names[0]}:`"
    return f"write each as a key: `{{{', '.join(f'{name}: ' for name in names)}}}`"


def _assigned_value(assigned: re.Match[str]) -> str:
    """The right-hand side of an assignment, and of `n += 1` the sum."""
    return f"{assigned[1]} {assigned[2]} {assigned[3]}" if assigned[2] else assigned[3]


def _takes_text(shape: Shape) -> bool:
    """Tell whether an expression or a text may stand there."""
    return any(isinstance(option, ExpressionShape | TextShape) for option in _options(shape))


def _only_key_needed(node: YamlScalar, shape: Shape) -> str:
    """Return the one key that a mapping needs, where what stands for the mapping may be its value;
    nothing where it needs none or several.
    """
    needed = [
        [key for key in option.keys if key.required]
        for option in _options(shape)
        if isinstance(option, MappingShape)
    ]
    if len(needed) != 1 or len(needed[0]) != 1 or is_null(node):
        return ""
    return needed[0][0].name if _takes_text(needed[0][0].shape) else ""


def _key_of_list(item: YamlMapping, shape: MappingShape) -> str:
    """Return the key whose list would hold this item; nothing where none knows any of its keys."""
    known = {key.name: _known_keys(item, key) for key in shape.keys}
    best = max(known, key=known.__getitem__, default="")
    return best if best and known[best] else ""


def _known_keys(item: YamlMapping, key: MappingKey) -> int:
    """Return how many keys of an item the lists of a key know."""
    lists = [shape for shape in _options(key.shape) if isinstance(shape, ListShape)]
    items = [option for shape in lists for option in _options(shape.item)]
    names = [name.text for name, _ in item.entries]
    return max(
        (
            sum(option.key_named(name) is not None for name in names)
            for option in items
            if isinstance(option, MappingShape)
        ),
        default=0,
    )


def _options(shape: Shape) -> tuple[Shape, ...]:
    return shape.shapes if isinstance(shape, AlternativeShapes) else (shape,)


def _some_keys(shape: MappingShape) -> str:
    """Return the first keys of a mapping, those first that must be there."""
    names = [key.name for key in sorted(shape.keys, key=lambda key: not key.required)]
    shown = ", ".join(f"`{name}`" for name in names[:_KEYS_SHOWN])
    return f"{shown}, …" if len(names) > _KEYS_SHOWN else shown
