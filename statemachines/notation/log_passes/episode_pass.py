"""Episodes: their conditions over `state` settled to sets of states, and the lines of other
machines by which they end; deadlines, which are episodes that must be over by then; and incidents:
which episodes are trouble, and what brings them about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

from attrs import evolve

from statemachines.model.definitions.incident_definitions import (
    CUT_SHORT,
    FollowedKind,
    Harm,
    IncidentDefinition,
    IncidentPage,
    Lasting,
)
from statemachines.model.definitions.log_definitions import (
    EndSign,
    EpisodeDefinition,
    LineDefinition,
    LineKind,
    LogDefinition,
    TimeLimit,
)
from statemachines.model.definitions.subject_phrases import CALLED_FIELD
from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
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
from statemachines.notation.lines.line_templates import TemplateError, template_fields
from statemachines.notation.log_passes.doubt_pass import (
    catalogue_name,
    condition_states,
    conditions_by_release,
    unknown_template_fields,
)
from statemachines.notation.passes.spec_builder import (
    SpecBuilder,
    read_time_limit,
    unknown_limit_fields,
)
from statemachines.notation.releases.release_ranges import values_by_release

UNANSWERED = "unanswered"
"""The episode of a request until it is answered."""


def read_deadlines(work: SpecBuilder) -> list[Diagnostic]:
    """Read `within` of states and of lines, beside the episodes of a log.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    if work.log is None:
        return []
    diagnostics = [wrong for node in _nodes(work) for wrong in _wrong_limits(node, work.log)]
    diagnostics += [_no_request(line) for line in work.log.lines if line.within and not _asks(line)]
    subject = _subject_text(node_text(work.root.get("machine"), work.name), work.log)
    more = (*_state_deadlines(work, subject), *_request_deadlines(work.log, subject))
    work.log = evolve(work.log, episodes=(*work.log.episodes, *more))
    return diagnostics


def _subject_text(machine: str, log: LogDefinition) -> str:
    """Return what titles call an instance: its spec's phrase for all, if that needs keys only."""
    for phrase in log.called:
        if not phrase.where and set(phrase.fields) <= set(log.instance):
            return phrase.text
    return " ".join((machine.rpartition("/")[2], *(f"{{{key}}}" for key in log.instance)))


def _asks(line: LineDefinition) -> bool:
    return line.kinds == (LineKind.ASKED,)


def _no_request(line: LineDefinition) -> Diagnostic:
    assert line.span is not None
    message = "`within` stands on a line that asks for something"
    return Diagnostic("SM509", message, line.span, "write `says: asked`, or take `within` away")


def _nodes(work: SpecBuilder) -> Iterator[YamlNode]:
    """Yield the states, and the lines of the log."""
    states, log = work.root.get("states"), work.root.get("log")
    if isinstance(states, YamlMapping):
        for _, value in states.entries:
            yield from (value,) if isinstance(value, YamlMapping) else node_items(value)
    if isinstance(log, YamlMapping):
        yield from node_items(log.get("lines"))


def _wrong_limits(node: YamlNode, log: LogDefinition) -> Iterator[Diagnostic]:
    if isinstance(node, YamlMapping):
        yield from unknown_limit_fields(node.get("within"), log)


def _state_deadlines(work: SpecBuilder, subject: str) -> Iterator[EpisodeDefinition]:
    names = tuple(dict.fromkeys(state.name for state in work.states))
    for state in work.states:
        if state.within is not None:
            yield EpisodeDefinition(
                f"{state.name} too long", (state.name,), f"{subject} is in {state.name} too long",
                releases=state.releases, span=state.span, longer_than=state.within,
                within=state.within, past_title=f"{subject} stayed in {state.name} too long",
                until=tuple(name for name in names if name != state.name),
            )  # fmt: skip


def _request_deadlines(log: LogDefinition, subject: str) -> Iterator[EpisodeDefinition]:
    """Yield an episode for the requests of each time: one request is open until it is answered."""
    by_limit: dict[TimeLimit, list[LineDefinition]] = defaultdict(list)
    for line in log.lines:
        if line.within is not None and _asks(line):
            by_limit[line.within].append(line)
    for number, (limit, lines) in enumerate(by_limit.items(), start=1):
        name = UNANSWERED if len(by_limit) == 1 else f"{UNANSWERED} {number}"
        releases = reduce(or_, (line.releases for line in lines))
        yield EpisodeDefinition(
            name, (), f"{subject} has not done what it was asked to",
            releases=releases, span=lines[0].span, longer_than=limit, within=limit,
            past_title=f"{subject} was late to do what it was asked to",
            requests=tuple(line.index for line in lines),
        )  # fmt: skip


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
        Lasting(lasts) if (lasts := node_text(value.get("lasts"))) else None,
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
    called = (CALLED_FIELD,) if log.called and value.get("subject") is None else ()
    for title in (value.get("title"), value.get("was")):
        if isinstance(title, YamlScalar):
            yield from unknown_title_fields(title, (*keys, "process", "state", *called))
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
