"""States: names, ranges, spellings."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.definitions.machine_definitions import State
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.document.yaml_nodes import YamlMapping, is_true, node_text, node_texts
from statemachines.notation.passes.spec_builder import SpecBuilder
from statemachines.notation.passes.time_limits import read_time_limit
from statemachines.notation.releases.release_ranges import values_by_release


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
                    f"`{spelling}` means `{other}` already",
                    state.span,
                    "a spelling means one state",
                )
