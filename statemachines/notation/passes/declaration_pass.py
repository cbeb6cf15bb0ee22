"""What a spec declares by name: states, events, predicates; and names that are declared twice."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.definitions.machine_definitions import Event, Predicate, State
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    is_true,
    node_text,
    node_texts,
)
from statemachines.notation.passes.spec_builder import (
    SpecBuilder,
    absent_states,
    known_states,
    read_time_limit,
)
from statemachines.notation.releases.release_ranges import union, values_by_release


def read_states(work: SpecBuilder) -> list[Diagnostic]:
    """Read the states; a machine without any has one nameless state.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    node = work.root.get("states")
    if not isinstance(node, YamlMapping):
        work.states = (State("", initial=True, releases=work.releases, span=work.root.span),)
        return []
    diagnostics: list[Diagnostic] = []
    work.states = tuple(_read_states_in_order(node, work, diagnostics))
    diagnostics += _duplicate_spellings(work.states)
    if not any(state.initial for state in work.states) and work.kind == "machine":
        key = work.root.key_scalar("states")
        span = key.span if key else node.span
        first = next((state.name for state in work.states), "NEW")
        diagnostics.append(
            Diagnostic("SM210", "no state is initial", span, f"write `{first}: {{initial: true}}`")
        )
    return diagnostics


def _read_states_in_order(
    node: YamlMapping, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> Iterator[State]:
    for name, value in node.entries:
        for own_node, releases, span in values_by_release(
            value, work.family, work.releases, diagnostics, name
        ):
            yield State(
                name.text,
                initial=is_true(own_node.get("initial")),
                final=is_true(own_node.get("final")),
                spellings=node_texts(own_node.get("as")),
                group=node_text(own_node.get("group")) or None,
                doc=node_text(own_node.get("doc")),
                releases=releases,
                within=read_time_limit(own_node.get("within")),
                span=span,
            )


def _duplicate_spellings(read: tuple[State, ...]) -> Iterator[Diagnostic]:
    """Report a spelling that means two states."""
    meaning = {state.name: state.name for state in read}
    for state in read:
        for spelling in state.spellings:
            other = meaning.setdefault(spelling, state.name)
            if other != state.name and state.span:
                yield Diagnostic(
                    "SM215",
                    f"`{spelling}` already stands for `{other}`",
                    state.span,
                    "a spelling can stand for one state only",
                )


def read_events(work: SpecBuilder) -> list[Diagnostic]:
    """Read the declared events.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    diagnostics: list[Diagnostic] = []
    node = work.root.get("events")
    read: list[tuple[Event, YamlMapping]] = []
    if isinstance(node, YamlMapping):
        for name, value in node.entries:
            for own_node, releases, span in values_by_release(
                value, work.family, work.releases, diagnostics, name
            ):
                diagnostics += absent_states(own_node, ("target",), releases, work)
                target = next(
                    (
                        known_state.text
                        for known_state in known_states(own_node.get("target"), work, diagnostics)
                    ),
                    None,
                )
                event = Event(
                    name.text, node_text(own_node.get("doc")), releases, span, target=target
                )
                read.append((event, own_node))
    work.events = tuple(event for event, _ in read)
    work.event_nodes = tuple(own_node for _, own_node in read)
    return diagnostics


def read_predicates(work: SpecBuilder) -> list[Diagnostic]:
    """Read the predicates.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        What is wrong, in the order of the document.
    """
    diagnostics: list[Diagnostic] = []
    node = work.root.get("predicates")
    if isinstance(node, YamlMapping):
        work.predicates = tuple(
            predicate
            for name, value in node.entries
            for predicate in _read_predicate(name, value, work, diagnostics)
        )
    return diagnostics


def _read_predicate(
    name: YamlScalar, value: YamlNode, work: SpecBuilder, diagnostics: list[Diagnostic]
) -> Iterator[Predicate]:
    for node, releases, span in values_by_release(
        value, work.family, work.releases, diagnostics, name
    ):
        states = node.get("states") if node.entries else value
        known = known_states(states, work, diagnostics)
        missing = absent_states(node, ("states",), releases, work)
        diagnostics.extend(missing)
        cut = releases & union(work.releases_of(state.text) for state in known)
        if known and not cut and not missing:
            ranges = work.family.ranges(releases)
            diagnostics.append(
                Diagnostic(
                    "SM203", f"none of the states of `{name.text}` exists in `{ranges}`", span
                )
            )
        listed = states.items if isinstance(states, YamlSequence) else ()
        if len({node_text(item) for item in listed}) < len(listed):
            diagnostics.append(Diagnostic("SM205", f"`{name.text}` lists a state twice", span))
        yield Predicate(
            name.text, tuple(state.text for state in known), node_text(node.get("doc")), cut, span
        )


_NAMING_SECTIONS = ("types", "parameters", "variables", "define", "predicates", "parts")


def duplicate_names(work: SpecBuilder) -> list[Diagnostic]:
    """Report a name that two sections declare.

    Args:
        work: the spec that is read; what is read is put into it.

    Returns:
        A diagnostic a name.
    """
    diagnostics, declared = [], dict[str, tuple[str, int]]()
    for section in _NAMING_SECTIONS:
        node = work.root.get(section)
        for name, _ in node.entries if isinstance(node, YamlMapping) else ():
            other, line = declared.setdefault(name.text, (section, name.span.line))
            if other != section:
                diagnostics.append(
                    Diagnostic(
                        "SM205",
                        f"`{name.text}` is already listed under `{other}`",
                        name.span,
                        f"see line {line}",
                    )
                )
    return diagnostics
