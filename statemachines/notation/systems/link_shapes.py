"""Which keys of a link go together: when it fires, and what it does then, each once."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import YamlMapping, is_true

_TRIGGER_KEYS = ("enters", "leaves", "event", "begins")
_AT_THE_BEGINNING = {
    "effect": "say how a variable begins where it is declared: `initial`",
    "create": "a part that is there from the beginning is not `created`",
    "only if": "say which beginnings are one of the system: `initially`",
}
"""What a link that begins does not say, and where it is said."""


def shape_errors(node: YamlMapping) -> Iterator[Diagnostic]:
    """Yield what is wrong with the keys of a link.

    Args:
        node: the link.

    Yields:
        Errors; the first one may be the cause of the others.
    """
    for message, hint in _clashes(node):
        yield Diagnostic("SM414", f"a link {message}", node.span, hint)


def _clashes(node: YamlMapping) -> Iterator[tuple[str, str]]:
    when = [key for key in _TRIGGER_KEYS if node.get(key) is not None]
    if len(when) != 1:
        named = " and ".join(f"`{key}`" for key in when) or "no moment"
        yield f"says {named}", "give it one of `enters`, `leaves`, `event`, `begins`"
    yield from _beginning_clashes(node)
    does = [key for key in ("send", "create", "effect") if node.get(key) is not None]
    if bool(does) == (node.get("only if") is not None):
        named = f"`only if` beside `{does[0]}`" if does else "not what it does"
        yield f"says {named}", "give it `send`, `create` or `effect`, or `only if` alone"
    if node.get("create") is not None and node.get("send") is not None:
        yield "says `create` and `send`", "write two links, `create` first"
    if node.get("through") is not None and node.get("later") is not None:
        yield "says `later` and `through`", "what waits in a channel comes later"
    for key in ("args", "later", "through"):
        if node.get(key) is not None and node.get("send") is None:
            yield f"has `{key}` and sends nothing", "add `send:`"


def _beginning_clashes(node: YamlMapping) -> Iterator[tuple[str, str]]:
    """Yield what a link may not do at the beginning but that something waits then."""
    if node.get("begins") is None:
        return
    if not is_true(node.get("begins")):
        yield "says that it does not begin", "write `begins: true`, or leave it out"
    for key, instead in _AT_THE_BEGINNING.items():
        if node.get(key) is not None:
            yield f"says `begins` and `{key}`", instead
    waits = is_true(node.get("later")) or node.get("through") is not None
    if node.get("send") is not None and not waits:
        hint = "write `through:` and a channel, or `later: true`; no part has taken a step then"
        yield "says `begins`, and what it sends does not wait", hint
