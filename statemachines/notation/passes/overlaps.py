"""Two transitions of one event from one state must exclude each other."""

from __future__ import annotations

from statemachines.model.diagnostics import Diagnostic
from statemachines.notation.nodes import Scalar, flow_text
from statemachines.notation.work import Arrow, Work


def overlaps(work: Work) -> list[Diagnostic]:
    """Report what syntax shows: two arrows of one event from one state in one release, one of them without guard or both with the same.

    Guards that differ are compared by exploring (`lint`), never here.
    """
    found, told = [], set[tuple[int, int]]()
    earlier: dict[tuple[str, str], list[Arrow]] = {}
    for arrow in work.arrows:
        transition = arrow.transition
        others = earlier.setdefault((transition.source, transition.event), [])
        for other in others:
            both = transition.releases & other.transition.releases
            pair = (other.transition.entry, transition.entry)
            if both and pair not in told and _may_both(arrow, other) and transition.span:
                told.add(pair)
                line = other.transition.span.line if other.transition.span else 0
                where = f" in `{work.family.ranges(both)}`" if work.family.name else ""
                message = f"two transitions take `{transition.event}` from `{transition.source}`{where}"
                same = arrow.entry is not other.entry and flow_text(arrow.entry) == flow_text(other.entry)
                mend = (
                    f"line {line} says the same; remove one" if same else f"the other is on line {line}; give them disjoint `in` or guards"
                )
                found.append(Diagnostic("SM207", message, transition.span, mend))
        others.append(arrow)
    return found


def _may_both(one: Arrow, other: Arrow) -> bool:
    if one.entry is other.entry:
        return one.case is other.case
    guards = [arrow.entry.get("guard") for arrow in (one, other)]
    if any(guard is None for guard in guards):
        return True
    texts = [guard.text if isinstance(guard, Scalar) else None for guard in guards]
    return texts[0] is not None and texts[0] == texts[1]
