"""Print how much of a life cycle `mine` finds in logs whose life cycle is known.

`python -m benchmarks.mined MACHINE LOG…` mines the logs and holds the draft against the spec of the
catalogue. *Shown* is what the logs tell by that spec, and no draft can know more; *wrong* is what
the draft has, and the spec in no release.
"""

from __future__ import annotations

import sys

from tests.mined import MinedAgainstSpec, mined_against_spec


def lines(machine: str, found: MinedAgainstSpec) -> list[str]:
    """Return what was found, as a table."""
    head = f"{machine} as {found.draft or 'no draft'}"
    rows = [("states", found.states), ("transitions", found.transitions)]
    table = [f"{head}\n  {'':<12}{'in spec':>9}{'shown':>7}{'found':>7}{'missed':>8}{'wrong':>7}"]
    for name, counts in rows:
        table.append(
            f"  {name:<12}{counts.known:>9}{len(counts.shown):>7}"
            f"{len(counts.shown & counts.found):>7}{len(counts.shown - counts.found):>8}"
            f"{len(counts.wrong):>7}"
        )
        for word, items in (
            ("missed", counts.shown - counts.found),
            ("wrong", counts.wrong),
        ):
            table += [f"    {word} {item}" for item in sorted(items)]
    return table


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    print("\n".join(lines(sys.argv[1], mined_against_spec(sys.argv[1], sys.argv[2:]))))
