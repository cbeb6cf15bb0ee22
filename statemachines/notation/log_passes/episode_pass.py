"""Episodes: their conditions over `state` settled to sets of states, and the lines of other
machines by which they end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from statemachines.model.definitions.log_definitions import EndSign, EpisodeDefinition, LineKind
from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    is_true,
    node_items,
    node_text,
    node_texts,
)
from statemachines.notation.lines.line_templates import TemplateError, template_fields
from statemachines.notation.log_passes.doubt_pass import catalogue_name, unknown_template_fields
from statemachines.notation.log_passes.state_conditions import (
    condition_states,
    conditions_by_release,
)
from statemachines.notation.passes.spec_builder import SpecBuilder
from statemachines.notation.passes.time_limits import read_time_limit, unknown_limit_fields
from statemachines.notation.releases.release_ranges import values_by_release


def read_episodes(work: SpecBuilder) -> list[Diagnostic]:
    """Read the episodes of a log.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    log = work.root.get("log")
    node = log.get("episodes") if isinstance(log, YamlMapping) else None
    if work.log is None or not isinstance(node, YamlMapping):
        return []
    diagnostics: list[Diagnostic] = []
    read = tuple(
        episode
        for name, value in node.entries
        for episode in _read_episode(name, value, work, diagnostics)
    )
    work.log = evolve(work.log, episodes=read)
    return diagnostics


def _read_episode(
    name: YamlScalar, value: YamlNode, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> Iterator[EpisodeDefinition]:
    for node, releases, span in values_by_release(
        value, work.family, work.releases, diagnostics, name
    ):
        keys = work.log.instance if work.log else ()
        of = [item for item in node_items(node.get("of")) if isinstance(item, YamlScalar)]
        names = tuple(item.text for item in of)
        diagnostics.extend(
            _unknown_field(name.text, name.span, keys) for name in of if name.text not in keys
        )
        for title in (node.get("title"), node.get("was")):
            if isinstance(title, YamlScalar):
                diagnostics.extend(unknown_title_fields(title, (*(names or keys), STATE_FIELD)))
        for key in ("longer than", "within"):
            diagnostics.extend(unknown_limit_fields(node.get(key), work.log))
        if names and (limit := node.get("within")) is not None:
            message = "an episode with `of` has no deadline: nothing says whose line was late"
            diagnostics.append(Diagnostic("SM512", message, limit.span, "write `longer than`"))
        because, opened_by, not_opened_by = (
            _read_counters(node.get(key), work, diagnostics)
            for key in ("because", "opened by", "not opened by")
        )
        blame = tuple(LineKind(text) for text in node_texts(node.get("blame")))
        for condition, cut in conditions_by_release(node.get("while"), releases, work, diagnostics):
            states = condition_states(condition, work, diagnostics)
            until, orderly, replaced, left = (
                _states_of_condition(node.get(key), work, diagnostics)
                for key in ("until", "orderly", "replaced", "left")
            )
            yield EpisodeDefinition(
                name.text, states, node_text(node.get("title")), blame, node_text(node.get("doc")),
                cut, span, because,
                names, until, orderly, replaced,
                by_step=node_text(node.get("opens")) == "step",
                left=left,
                opened_by=opened_by,
                not_opened_by=not_opened_by,
                past_title=node_text(node.get("was")),
                maybe=is_true(node.get("maybe")),
                longer_than=read_time_limit(node.get("longer than")),
                within=read_time_limit(node.get("within")),
                ends_with=read_end_sign(node.get("ends with"), work, diagnostics),
            )  # fmt: skip


def _read_counters(
    node: YamlNode | None, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> tuple[str, ...]:
    counters = [item for item in node_items(node) if isinstance(item, YamlScalar)]
    diagnostics.extend(
        diagnostic for counter in counters for diagnostic in _unknown_counter(counter, work)
    )
    return tuple(counter.text for counter in counters)


def _states_of_condition(
    condition: YamlNode | None, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> tuple[str, ...]:
    return (
        condition_states(condition, work, diagnostics) if isinstance(condition, YamlScalar) else ()
    )


def unknown_title_fields(title: YamlScalar, keys: Sequence[str]) -> list[Diagnostic]:
    """Report fields of a title that are none of its keys.

    Args:
        title: a text with fields in braces.
        keys: fields that it may ask for.

    Returns:
        A diagnostic a field.
    """
    try:
        fields = template_fields(title.text)
    except TemplateError as error:
        return [Diagnostic("SM501", str(error), title.span)]
    return [
        _unknown_field(f"{{{field}}}", title.span, keys) for field in fields if field not in keys
    ]


def _unknown_field(text: str, span: Span, keys: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        "SM512",
        f"`{text}` is no key of what the episode is of",
        span,
        did_you_mean(text.strip("{}"), keys),
    )


def _unknown_counter(because: YamlScalar, work: SpecBuilder) -> list[Diagnostic]:
    marks = list(
        dict.fromkeys(line.counter for line in (work.log.lines if work.log else ()) if line.counter)
    )
    if because.text in marks:
        return []
    known = did_you_mean(because.text, marks) if marks else "give a line a `mark`"
    return [
        Diagnostic(
            "SM521",
            f"no line has the mark `{because.text}`",
            because.span,
            known,
        )
    ]


STATE_FIELD = "state"
"""In a title: the state that it is in, or was in last."""


def read_end_sign(
    node: YamlNode | None, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> EndSign | None:
    """Read what ends an episode from elsewhere; None where nothing does.

    Args:
        node: the mapping, if there is one.
        work: the spec that is read.
        diagnostics: takes what is wrong.

    Returns:
        The machine, the states and the instance by which it is over.
    """
    if not isinstance(node, YamlMapping):
        return None
    about = node.get("about")
    matched = about.entries if isinstance(about, YamlMapping) else ()
    keys, known_by = (work.log.instance, work.log.known_by) if work.log else ((), ())
    diagnostics.extend(unknown_template_fields(node.get("says"), keys))
    for _, template in matched:
        diagnostics.extend(unknown_template_fields(template, known_by))
    return EndSign(
        catalogue_name(node_text(node.get("of")), work.name),
        tuple((key.text, node_text(text)) for key, text in matched),
        node_texts(node.get("signs")),
        node_text(node.get("says")),
        node.span,
    )
