"""Incidents: which episodes and marks of a machine are trouble, and what brings them about."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from statemachines.model.definitions.incident_definitions import (
    CUT_SHORT,
    FollowedKind,
    Harm,
    IncidentDefinition,
    IncidentPage,
)
from statemachines.model.definitions.log_definitions import LogDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean, nearest_hint
from statemachines.model.evidence.durations import parse_duration
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    is_true,
    node_items,
    node_text,
    node_texts,
)
from statemachines.notation.lines.line_templates import template_fields
from statemachines.notation.log_passes.doubt_pass import catalogue_name
from statemachines.notation.log_passes.episode_pass import unknown_title_fields
from statemachines.notation.passes.spec_builder import SpecBuilder

_ANY = "any"
"""What a kind follows from, whoever the other one befell."""


def read_incidents(work: SpecBuilder) -> list[Diagnostic]:
    """Read the kinds of incidents of a log, after its lines and episodes.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    log = work.root.get("log")
    node = log.get("incidents") if isinstance(log, YamlMapping) else None
    if work.log is None or not isinstance(node, YamlMapping):
        return []
    entries = [(name, value) for name, value in node.entries if isinstance(value, YamlMapping)]
    diagnostics = [wrong for _, value in entries for wrong in _wrong_names(value, work.log)]
    read = tuple(_incident(name, value, work.name) for name, value in entries)
    work.log = evolve(work.log, incidents=read)
    return diagnostics


def _incident(name: YamlScalar, value: YamlMapping, machine: str) -> IncidentDefinition:
    through = node_text(value.get("through"))
    return IncidentDefinition(
        name.text,
        node_texts(value.get("of")),
        Harm(node_text(value.get("harm"), Harm.LOSS)),
        node_text(value.get("title")),
        node_text(value.get("was")),
        node_text(value.get("many")),
        parse_duration(node_text(value.get("within"))),
        parse_duration(node_text(value.get("repeats"))),
        node_texts(value.get("subject")),
        tuple(_followed_kinds(value.get("follows"))),
        parse_duration(node_text(value.get("settles"))),
        node_text(value.get("needs")) == "cause",
        node_text(value.get("needs")) == "effect",
        value.get("lasts") is not None,
        is_true(value.get("inferred")),
        _least_times(value),
        catalogue_name(through, machine) if through else "",
        IncidentPage(
            node_text(value.get("means")),
            *(node_texts(value.get(key)) for key in ("often", "look", "words", "sources")),
        ),
        name.span,
    )


def _least_times(value: YamlMapping) -> int:
    number = node_text(value.get("at least")).partition(" ")[0]
    return int(number) if number.isdecimal() else 0


def _followed_kinds(node: YamlNode | None) -> Iterator[FollowedKind]:
    if isinstance(node, YamlMapping):
        for kind, same in node.entries:
            fields = same.entries if isinstance(same, YamlMapping) else ()
            yield FollowedKind(
                kind.text,
                tuple((own.text, node_text(theirs)) for own, theirs in fields),
                is_any=isinstance(same, YamlScalar) and same.text == _ANY,
            )
    else:
        yield from (FollowedKind(kind) for kind in node_texts(node))


def _wrong_names(value: YamlMapping, log: LogDefinition) -> Iterator[Diagnostic]:
    """Yield what an incident names that its machine does not have."""
    marks = {CUT_SHORT, *(line.counter for line in log.lines if line.counter)}
    known = {*(episode.name for episode in log.episodes), *marks}
    for item in node_items(value.get("of")):
        if isinstance(item, YamlScalar) and item.text not in known:
            hint = nearest_hint(item.text, sorted(known)) or "name an episode, or a line's `mark`"
            message = f"no episode and no mark is called `{item.text}`"
            yield Diagnostic("SM523", message, item.span, hint)
        elif isinstance(item, YamlScalar) and item.text in marks and value.get("title") is None:
            message = f"`{item.text}` is a mark, and an incident of a mark needs a `title`"
            yield Diagnostic("SM523", message, item.span)
    yield from _missing_keys(value)
    keys = node_texts(value.get("subject")) or log.instance
    for title in (value.get("title"), value.get("was")):
        if isinstance(title, YamlScalar):
            yield from unknown_title_fields(title, (*keys, "process", "state"))
    if value.get("through") is None:
        yield from _unknown_own_fields(value.get("follows"), keys)
    for name in node_items(value.get("subject")):
        if isinstance(name, YamlScalar) and name.text not in log.instance:
            message = f"`{name.text}` is no key of the instance"
            yield Diagnostic("SM514", message, name.span, did_you_mean(name.text, log.instance))


def _unknown_own_fields(node: YamlNode | None, keys: tuple[str, ...]) -> Iterator[Diagnostic]:
    """Yield fields by which an incident looks for its cause, and that its subject does not have."""
    for _, same in node.entries if isinstance(node, YamlMapping) else ():
        for own, _ in same.entries if isinstance(same, YamlMapping) else ():
            for name in template_fields(own.text) if "{" in own.text else (own.text,):
                if name not in keys:
                    message = f"`{name}` is no field of the incident's subject"
                    yield Diagnostic("SM514", message, own.span, did_you_mean(name, keys))


def _missing_keys(value: YamlMapping) -> Iterator[Diagnostic]:
    """Yield what an incident of many times lacks: how far apart they may be, what it is called."""
    least = value.get("at least")
    for key, why in (("repeats", "how far apart the times may be"), ("title", "what it is called")):
        if isinstance(least, YamlScalar) and value.get(key) is None:
            message = f"`at least` needs `{key}`: {why}"
            yield Diagnostic("SM523", message, least.span)
