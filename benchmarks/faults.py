"""Print how many planted faults the judge finds: in random legal histories of every machine and
release of the catalogue.

`python -m benchmarks.faults [HISTORIES]` plants each kind of fault in so many histories of each
world (a machine in a class of releases that behave alike). A fault that hidden or silent steps
explain must not be found; the column `explained` counts those.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator

from statemachines.model.evidence.verdicts import Verdict
from tests.laws.test_planted_faults import (
    DOUBTS,
    World,
    found_at,
    values,
    violated,
    worlds,
    written,
)

Outcome = tuple[str, bool]
"""What was expected (`found`, `explained`, `quiet`) and whether it came."""


def legal(here: World) -> Iterator[Outcome]:
    """A legal history holds."""
    yield "quiet", here.judge().verdict is Verdict.HOLDS


def retarget(here: World) -> Iterator[Outcome]:
    """A to-state that the table does not have."""
    from statemachines.notation import render_template
    from tests.laws.test_planted_faults import judged

    for place, (source, target) in enumerate(here.way):
        texts = [
            t for t in here.told[source, target][0].templates if {"from", "to"} <= set(t.fields)
        ]
        wrong = [state for state in here.rules.states if not here.rules.allows(source, state)]
        if not texts or not wrong:
            continue
        messages = written(here.spec, here.told, here.way)
        filled = {
            field: values(here.spec, (source, here.rng.choice(wrong))).get(field, "7")
            for field in texts[0].fields
        }
        messages[place] = (render_template(texts[0], filled), *messages[place][1:])
        yield "found", "forbidden" in found_at(judged(here.name, here.release, messages), place + 1)


def drop(here: World) -> Iterator[Outcome]:
    """A line in the middle is lost."""
    for place in range(1, len(here.way) - 1):
        way = here.way[:place] + here.way[place + 1 :]
        before, after = way[place - 1][1], way[place][0]
        explained = before == after or here.follows(way, before, after)
        hit = bool(found_at(here.judge(way), place + 1) & {"gap", "began again"})
        yield ("explained", not hit) if explained else ("found", hit)


def duplicate(here: World) -> Iterator[Outcome]:
    """A line stands twice."""
    for place, (source, target) in enumerate(here.way):
        way = [*here.way[: place + 1], *here.way[place:]]
        explained = source == target or here.follows(way, target, source)
        hit = bool(found_at(here.judge(way), place + 2) & DOUBTS)
        yield ("explained", not hit) if explained else ("found", hit)


def swap(here: World) -> Iterator[Outcome]:
    """Two neighbouring lines change places."""
    for place in range(1, len(here.way) - 1):
        way = [*here.way[:place], here.way[place + 1], here.way[place], *here.way[place + 2 :]]
        joints = [(way[place - 1][1], way[place][0]), (way[place][1], way[place + 1][0])]
        explained = all(a == b or here.follows(way, a, b) for a, b in joints)
        report = here.judge(way)
        hit = bool((found_at(report, place + 1) | found_at(report, place + 2)) & DOUBTS)
        yield ("explained", not hit) if explained else ("found", hit)


def cut(here: World) -> Iterator[Outcome]:
    """The log begins later, or ends earlier."""
    for place in range(len(here.way)):
        yield (
            "quiet",
            not violated(here.judge(here.way[place:]))
            and not violated(here.judge(here.way[:place])),
        )


FAULTS: tuple[Callable[[World], Iterator[Outcome]], ...] = (
    legal,
    retarget,
    drop,
    duplicate,
    swap,
    cut,
)


def main(histories: int) -> None:
    """Print the table."""
    counts: Counter[tuple[str, str, bool]] = Counter()
    for world in worlds():
        for seed in range(histories):
            for fault in FAULTS:
                counts.update((fault.__name__, *outcome) for outcome in fault(World(world, seed)))
    print(f"{len(worlds())} machines and classes of releases, {histories} histories each")
    print(f"{'fault':<10} {'planted':>8} {'found':>8} {'explained':>10} {'quiet':>8} {'wrong':>6}")
    for fault in FAULTS:
        mine = {
            (kind, right): number
            for (name, kind, right), number in counts.items()
            if name == fault.__name__
        }
        right = [mine.get((kind, True), 0) for kind in ("found", "explained", "quiet")]
        print(
            f"{fault.__name__:<10} {sum(mine.values()):>8} {right[0]:>8} {right[1]:>10}"
            f" {right[2]:>8} {sum(mine.values()) - sum(right):>6}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
