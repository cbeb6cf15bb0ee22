"""States: names, ranges, spellings."""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import State
from statemachines.notation.nodes import Mapping, is_true, text_of, texts_of
from statemachines.notation.ranges import values_in
from statemachines.notation.work import Work


def states(work: Work) -> list[Diagnostic]:
    """Read the states; a machine without any has one nameless state."""
    node = work.root.get("states")
    if not isinstance(node, Mapping):
        work.states = (State("", initial=True, releases=work.releases, span=work.root.span),)
        return []
    found: list[Diagnostic] = []
    work.states = tuple(_states(node, work, found))
    found += _spellings(work.states)
    if not any(state.initial for state in work.states) and work.kind == "machine":
        key = work.root.key("states")
        span = key.span if key else node.span
        first = next((state.name for state in work.states), "NEW")
        found.append(Diagnostic("SM210", "no state is initial", span, f"write `{first}: {{initial: true}}`"))
    return found


def _states(node: Mapping, work: Work, found: list[Diagnostic]) -> Iterator[State]:
    for name, value in node.entries:
        for said, releases, span in values_in(value, work.family, work.releases, found, name):
            yield State(
                name.text,
                initial=is_true(said.get("initial")),
                final=is_true(said.get("final")),
                spellings=texts_of(said.get("as")),
                group=text_of(said.get("group")) or None,
                doc=text_of(said.get("doc")),
                releases=releases,
                span=span,
            )


def _spellings(read: tuple[State, ...]) -> Iterator[Diagnostic]:
    """Report a spelling that means two states."""
    meaning = {state.name: state.name for state in read}
    for state in read:
        for spelling in state.spellings:
            other = meaning.setdefault(spelling, state.name)
            if other != state.name and state.span:
                yield Diagnostic("SM215", f"`{spelling}` means `{other}` already", state.span, "a spelling means one state")
