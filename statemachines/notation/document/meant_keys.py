"""Which key was meant by one that there is not: the words of other notations, what stands elsewhere
here, and what the parser made of a text without quotes.
"""

from __future__ import annotations

import re

from statemachines.model.diagnosis.suggestions import limited_hint, meant_hint, nearest_word
from statemachines.notation.document.key_shapes import NAME, MappingShape
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    is_null,
    node_items,
)

UNQUOTED_COMMA = "a text that goes on behind a comma needs quotes"
FOR_EACH = "for each "
"""How keys begin that stand around names."""
_OTHER_WORDS = {
    "guard": ("when",), "when": ("guard",), "if": ("guard", "when"), "cond": ("guard", "when"),
    "condition": ("guard", "when"), "conditions": ("guard", "when"), "set": ("effect",),
    "require": ("guard",), "requires": ("guard",), "precondition": ("guard",), "pre": ("guard",),
    "assign": ("effect",), "do": ("effect",), "action": ("effect",), "actions": ("effect",),
    "then": ("effect",), "update": ("effect",), "updates": ("effect",),
    "src": ("from", "on"), "from": ("on",), "dst": ("to", "send"), "dest": ("to", "send"),
    "destination": ("to", "send"), "target": ("to", "send"), "to": ("send",),
    "next": ("to", "transitions"),
    "goto": ("to",), "origin": ("from",),
    "trigger": ("event",), "params": ("args",), "arguments": ("args",), "delay": ("after",),
    "payload": ("args",), "inputs": ("args",),
    "timeout": ("after", "within"), "fair": ("assuming",), "fairness": ("assuming",),
    "invariant": ("always", "holds"), "invariants": ("always",), "context": ("variables",),
    "assertions": ("always",), "constants": ("parameters",), "vars": ("variables",),
    "functions": ("define",), "definitions": ("define",), "enums": ("types",),
    "capacity": ("holds",), "size": ("holds",), "buffer": ("holds",), "on": ("event",),
    "via": ("through",), "over": ("through",), "throw": ("raises",), "throws": ("raises",),
    "return": ("returns",), "result": ("returns",), "value": ("initial",), "default": ("initial",),
    "init": ("initial", "initially"), "name": ("machine", "system"), "version": ("notation",),
    "components": ("parts",), "machines": ("parts",), "processes": ("parts",),
    "instances": ("parts",), "connections": ("links",),
}  # fmt: skip
"""What other notations call a key, or this one elsewhere: no word that is nearer is meant."""
_TRANSITIONS_BELOW = "write `{{from: …, to: …, event: …}}` into the list below `transitions:`"
_BOUND = "what a program does then stands in the program: `bind` calls its `on_enter_STATE` and kin"
_FLAT = (
    "states do not nest: `group` and predicates name several, a system has machines side by side"
)
_FINAL = "write `{name}: {{final: true}}` below `states`"
_OTHER_WAYS = {
    "initial": (("states", "write `{name}: {{initial: true}}` below `states`"),),
    "unless": (("guard", "write `guard: not (…)`"),),
    **dict.fromkeys(("final_states", "finals", "terminal", "accepting"), (("states", _FINAL),)),
    **dict.fromkeys(("transitions",), (("group", _TRANSITIONS_BELOW),)),
    "on": (("group", _TRANSITIONS_BELOW),),
    **dict.fromkeys(
        ("entry", "exit", "on_enter", "on_entry", "on_exit", "onEntry", "onExit", "invoke"),
        (("group", _BOUND),),
    ),
    **dict.fromkeys(("before", "prepare"), (("silent", _BOUND),)),
    "type": (("group", "a final state is `{{final: true}}`; " + _FLAT),),
    "states": (
        ("group", _FLAT),
        ("machine", "the machine of a part is a file of its own: `machine: Name`"),
    ),
    **dict.fromkeys(
        ("history", "parallel", "parent", "children", "substates"), (("group", _FLAT),)
    ),
    "eventually": (
        (
            "always eventually",
            "`always eventually` (again and again), `leads to` (after something), `sometimes`"
            " (in some run)",
        ),
    ),
    "never": (("always", "write `always: {{name: not (…)}}`"),),
    **dict.fromkeys(("count", "number", "many"), (("each", "write `each: 0..2` for three"),)),
    **dict.fromkeys(
        ("lossy", "unreliable", "fifo", "ordered", "duplicates"),
        (("may", "write `may: [lose, repeat, reorder]`, as far as it does"),),
    ),
}
"""What other notations say by a key, where another one is there by which it is said."""


def meant_keys(node: YamlMapping, shape: MappingShape) -> dict[str, str]:
    """Say which keys were meant by those that there are not.

    Args:
        node: a mapping.
        shape: its shape.

    Returns:
        By each unknown key the one of which it is another word or a misspelling. Of the others
        nothing is known; where there are just as many as keys are missing that are needed, they
        stand for these in their order.
    """
    keys = [key.name for key in shape.keys]
    unknown = [name.text for name, _ in node.entries if not shape.key_named(name.text)]
    meant = {text: other_word(text, shape) or nearest_word(text, keys) for text in unknown}
    needed = [
        key.name
        for key in shape.keys
        if key.required and node.get(key.name) is None and key.name not in meant.values()
    ]
    strange = [
        text
        for text in unknown
        if meant[text] is None and re.fullmatch(NAME, text) and not _elsewhere(text, shape)
    ]
    if len(strange) == len(needed):
        meant |= zip(strange, needed, strict=True)
    return {text: key for text, key in meant.items() if key is not None}


def _elsewhere(text: str, shape: MappingShape) -> str:
    """Return the key of a mapping below which another one stands, or by which it is said."""
    below = (
        key.name
        for key in shape.keys
        if isinstance(key.shape, MappingShape) and key.shape.key_named(text)
    )
    return next(below, other_way(text, shape)[0])


def key_hint(
    name: YamlScalar, value: YamlNode, shape: MappingShape, reported: int, meant: str | None
) -> str:
    """Say which key was meant, under which one it stands, or that an unquoted text ended at a
    comma.

    Args:
        name: a key that there is not.
        value: what stands under it.
        shape: of the mapping that has it.
        reported: how many diagnostics there are already.
        meant: the key that was meant, if one is known.

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
    if advice := other_way(name.text, shape)[1]:
        first = next(iter(node_items(value)), value)
        return advice.format(name=first.text if isinstance(first, YamlScalar) else "…")
    if meant:
        return meant_hint(meant)
    return limited_hint(reported, name.text, [key.name for key in shape.keys])


def other_way(text: str, shape: MappingShape) -> tuple[str, str]:
    """Return the key beside which a mapping says what others say by a key of their own.

    Args:
        text: a key that there is not.
        shape: of the mapping that has it.

    Returns:
        The key and the advice, with `{name}` for what stands there; two empty texts where nothing
        is known of the word.
    """
    advised = (advice for advice in _OTHER_WAYS.get(text, ()) if shape.key_named(advice[0]))
    return next(advised, ("", ""))


def other_word(text: str, shape: MappingShape) -> str | None:
    """Return the key for which a shape has another word, such as `when` of a case for `guard`.

    Args:
        text: a key that there is not.
        shape: of the mapping that has it.

    Returns:
        None where nothing is known of the word.
    """
    return next((word for word in _OTHER_WORDS.get(text, ()) if shape.key_named(word)), None)
