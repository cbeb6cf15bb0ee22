"""How long something may last: `30 s`, or a field that gives it."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.definitions.log_definitions import LogDefinition, TimeLimit
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.evidence.durations import parse_duration
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    node_text,
)


def read_time_limit(node: YamlNode | None) -> TimeLimit | None:
    """Return how long something may last; None where nothing is said of it.

    Args:
        node: as the spec has it; None where it is missing.

    Returns:
        Milliseconds, or the field that tells them.
    """
    if node is None:
        return None
    if not isinstance(node, YamlMapping):
        return TimeLimit(parse_duration(node_text(node)))
    otherwise, more = (parse_duration(node_text(node.get(key))) for key in ("otherwise", "and"))
    return TimeLimit(otherwise, node_text(node.get("told")), more)


def unknown_limit_fields(node: YamlNode | None, log: LogDefinition | None) -> Iterator[Diagnostic]:
    """Report a field of a limit that is no number that the instance remembers.

    Args:
        node: of the limit.
        log: of the machine; None: it has none.

    Yields:
        A diagnostic, or nothing.
    """
    scalar = node.get("told") if isinstance(node, YamlMapping) else None
    numbers = [name for name in log.remembers if name in log.numeric_fields] if log else []
    if isinstance(scalar, YamlScalar) and scalar.text not in numbers:
        message = f"`{scalar.text}` is no number that the instance remembers"
        yield Diagnostic("SM514", message, scalar.span, did_you_mean(scalar.text, numbers))
