"""Which key was meant by one that there is not: the words of other notations, what stands elsewhere
here, and what the parser made of a text without quotes.
"""

from __future__ import annotations

import re

from statemachines.model.diagnosis.suggestions import limited_hint, meant_hint
from statemachines.notation.document.key_shapes import NAME, MappingShape
from statemachines.notation.document.yaml_nodes import YamlNode, YamlScalar, is_null

UNQUOTED_COMMA = "a text that goes on behind a comma needs quotes"
FOR_EACH = "for each "
"""How keys begin that stand around names."""
_OTHER_WORDS = {
    "guard": ("when",), "when": ("guard",), "if": ("guard", "when"), "cond": ("guard", "when"),
    "condition": ("guard", "when"), "conditions": ("guard", "when"), "set": ("effect",),
    "assign": ("effect",), "do": ("effect",), "action": ("effect",), "actions": ("effect",),
    "src": ("from", "on"), "from": ("on",), "dst": ("to", "send"), "dest": ("to", "send"),
    "destination": ("to", "send"), "target": ("to", "send"), "to": ("send",), "next": ("to",),
    "trigger": ("event",), "params": ("args",), "arguments": ("args",), "delay": ("after",),
    "timeout": ("after", "within"), "fair": ("assuming",), "fairness": ("assuming",),
    "invariant": ("always", "holds"), "invariants": ("always",), "context": ("variables",),
    "constants": ("parameters",),
    "capacity": ("holds",), "size": ("holds",), "on": ("event",),
}  # fmt: skip
"""What other notations call a key, or this one elsewhere: no word that is nearer is meant."""
_OTHER_WAYS = {
    "initial": ("states", "write `{name}: {{initial: true}}` below `states`"),
    "unless": ("guard", "write `guard: not (…)`"),
}
"""What other notations say by a key, where another one is there by which it is said."""


def key_hint(name: YamlScalar, value: YamlNode, shape: MappingShape, reported: int) -> str:
    """Say which key was meant, under which one it stands, or that an unquoted text ended at a
    comma.

    Args:
        name: a key that there is not.
        value: what stands under it.
        shape: of the mapping that has it.
        reported: how many diagnostics there are already.

    Returns:
        What would be right.
    """
    if is_null(value) and not re.fullmatch(NAME, name.text):
        return UNQUOTED_COMMA
    if name.text.startswith(FOR_EACH):
        return f"it stands around names: `{name.text}: {{name: …}}`"
    inner = next(
        (
            key.name
            for key in shape.keys
            if isinstance(key.shape, MappingShape) and key.shape.key_named(name.text)
        ),
        None,
    )
    if inner:
        return f"it stands under `{inner}:`"
    beside, advice = _OTHER_WAYS.get(name.text, ("", ""))
    if shape.key_named(beside):
        return advice.format(name=value.text if isinstance(value, YamlScalar) else "…")
    meant = other_word(name.text, shape)
    return (
        meant_hint(meant)
        if meant
        else limited_hint(reported, name.text, [key.name for key in shape.keys])
    )


def other_word(text: str, shape: MappingShape) -> str | None:
    """Return the key for which a shape has another word, such as `when` of a case for `guard`.

    Args:
        text: a key that there is not.
        shape: of the mapping that has it.

    Returns:
        None where nothing is known of the word.
    """
    return next((word for word in _OTHER_WORDS.get(text, ()) if shape.key_named(word)), None)
