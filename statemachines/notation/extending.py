"""A file that adds lines to a machine of the catalogue."""

from __future__ import annotations

from attrs import evolve

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.machines import Spec
from statemachines.model.places import Span
from statemachines.notation.nodes import Mapping
from statemachines.notation.passes.logs import more_lines
from statemachines.notation.passes.tellings import named_of, untellable
from statemachines.notation.work import Work


def extend(work: Work, base: Spec) -> tuple[Spec, list[Diagnostic]]:
    """Return a machine with an extension's lines behind its own, and what is wrong with them.

    Args:
        work: the extension, its shape checked.
        base: the machine that it names.
    """
    if base.log is None:
        return base, [Diagnostic("SM605", f"`{base.name}` has no log to add lines to", place_of(work), "extend a machine that has a log")]
    work.family, work.family_log, work.releases, work.states = base.family, base.family_log, base.releases, base.states
    work.base_lines = len(base.log.lines)
    found: list[Diagnostic] = []
    node = work.root.get("log")
    added, patterns = more_lines(node, dict(base.log.patterns), work, found) if isinstance(node, Mapping) else ((), {})
    found += untellable(node, named_of(base)) if isinstance(node, Mapping) else ()
    log = evolve(base.log, lines=base.log.lines + added, patterns=tuple(patterns.items()))
    return evolve(base, log=log), found


def place_of(work: Work) -> Span:
    """Return where an extension names its machine."""
    node = work.root.get("extends")
    return node.span if node else work.root.span
