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
    flow_text,
    is_null,
)

_KEYS_SHOWN = 4
_ARROW = re.compile(
    rf"({NAME})\s*(?:[-=]+\s*(?:({NAME})\s*[-=]+)?)?>\s*({NAME})(?:\s*[:/]\s*({NAME}))?"
)
_LINK = re.compile(rf"({NAME})\.({NAME})\s*[-=]*>\s*(\S.*)")
_MOVE = re.compile(rf"({NAME})\.to\(\s*({NAME})\s*\)")
_PROMISE = re.compile(r"(.+?)\s*(?:~>|leads to|=>|->)\s*(.+)", re.DOTALL)
_DASH = "a list: put `- ` before it"


def syntax_hint(node: YamlNode, shape: Shape) -> str:
    """Say how what people write for a mapping is written.

    Args:
        node: what stands there.
        shape: what should.

    Returns:
        The advice; nothing where it cannot be guessed.
    """
    match node, shape:
        case YamlScalar(text), ListShape() if not is_null(node):
            return f"write `[{text}]`"
        case YamlMapping(), ListShape() if (known := _known_keys_of(node, shape)) or node.entries:
            first = node.entries[0][0].text
            return (
                _DASH if known else f"write a list: `- {{event: {first}, …}}` for `{first}: {{…}}`"
            )
        case YamlSequence((YamlMapping() as first, *_)), NamesShape() if first.entries:
            return _named_entry(first)
        case YamlScalar(), _ if (sent := _LINK.fullmatch(node.text)) and _has_key(shape, "send"):
            return f"write `{{on: {sent[1]}, event: {sent[2]}, send: {sent[3]}}}`"
        case YamlScalar(), _ if (move := _MOVE.fullmatch(node.text)) and _has_key(shape, "target"):
            return f"write `{{from: {move[1]}, to: {move[2]}, event: …}}` below `transitions:`"
        case YamlScalar(), _ if (promise := _PROMISE.fullmatch(node.text)) and _has_key(
            shape, "then"
        ):
            return f'write `{{when: "{promise[1]}", then: "{promise[2]}"}}`'
        case YamlSequence(
            (YamlScalar(text), YamlScalar(source), YamlScalar(to))
        ), MappingShape() if shape.key_named("to"):
            return f"write `{{from: {source}, to: {to}, event: {text}}}`"
        case YamlSequence((YamlScalar(text), *_)), NamesShape() if not re.fullmatch(NAME, text):
            return f"give each a name: `{{name: {text}}}`"
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
            transition := _ARROW.fullmatch(node.text)
        ) and shape.key_named("to"):
            source, event, to, last = transition.groups()
            named = f", event: {event or last}" if event or last else ""
            return f"write `{{from: {source}, to: {to}{named}}}`"
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


def _has_key(shape: Shape, name: str) -> bool:
    return any(
        isinstance(option, MappingShape) and option.key_named(name) is not None
        for option in _options(shape)
    )


def _known_keys_of(node: YamlMapping, shape: ListShape) -> int:
    """Return how many keys of a mapping the items of a list know."""
    return sum(_has_key(shape.item, name.text) for name, _ in node.entries)


def _named_entry(item: YamlMapping) -> str:
    """Say how the first item of a list that should be a mapping is written as an entry of it."""
    name = item.get("name") or item.get("id")
    if isinstance(name, YamlScalar):
        rest = ", ".join(
            f"{key.text}: {flow_text(value)}" for key, value in item.entries if value is not name
        )
        return f"write each as a key, without `- `: `{name.text}: {{{rest}}}`"
    return f"write each as a key, without `- `: `{item.entries[0][0].text}:`"


def meant_flag(text: str) -> str:
    """Return which of `true` and `false` somebody meant.

    Args:
        text: what stands there.

    Returns:
        The word.
    """
    return "false" if text.lower() in ("false", "no", "off", "0", "n", "f") else "true"


def name_hint(text: str, shape: NamesShape) -> str:
    """Say what was meant by a name with signs in it.

    Args:
        text: what stands for a name.
        shape: of the mapping that has it.

    Returns:
        The advice; nothing where it cannot be guessed.
    """
    if (call := re.fullmatch(rf"({NAME})\((.*)\)", text)) and _has_key(shape.value, "args"):
        named = ", ".join(f"{name.strip().split(':')[0]}: …" for name in call[2].split(","))
        return f"arguments have types, below `args`: `{call[1]}: {{args: {{{named}}}}}`"
    if item := re.fullmatch(rf"({NAME})\[(.+)\]", text):
        return f"the whole map gets a new value: `{item[1]}: {item[1]} | {{{item[2]}: …}}`"
    if new := re.fullmatch(rf"({NAME})'", text):
        return f"the new value has no sign: `{new[1]}`"
    return ""


def value_hint(name: str, value: YamlNode, shape: MappingShape) -> str:
    """Say what was meant by a value of another kind than its key has.

    Args:
        name: the key.
        value: what stands under it.
        shape: of the mapping that has it.

    Returns:
        The advice; nothing where the value says no more than others of its kind.
    """
    first = value.items[0] if isinstance(value, YamlSequence) and value.items else value
    text = first.text if isinstance(first, YamlScalar) else ""
    if name == "source" and isinstance(value, YamlSequence) and shape.key_named("from"):
        return f"`source` is a remark; where it starts is `from: {flow_text(value)}`"
    if name == "final" and isinstance(value, YamlSequence) and shape.key_named("states"):
        return f"write `{text}: {{final: true}}` below `states`"
    if name == "on" and (part := re.fullmatch(rf"({NAME})\.({NAME})", text)):
        return f"write `on: {part[1]}, event: {part[2]}`"
    if name == "each" and text.isdigit() and int(text) > 0:
        return f"write `each: 0..{int(text) - 1}` for {text} of them"
    return ""
