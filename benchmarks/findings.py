"""What a line costs of which there is something to say, again and again: microseconds of CPU for
each line of a log that says one thing, beside a log whose steps are all legal.

python -m benchmarks.findings [--lines 1000000]
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import cycle, islice
from pathlib import Path

from benchmarks.reading import seconds
from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import check_locally, make_request

SPEC = """\
notation: 1
machine: Seal
states: {WET: {initial: true}, DRY: , BROKEN: , LOST: , STAMPED: }
transitions:
  - {from: WET, to: DRY}
  - {from: DRY, to: [STAMPED, WET]}
  - {from: STAMPED, to: DRY}
  - {from: WET, to: [BROKEN, LOST]}
otherwise: [{does: refuse}]
log:
  instance: [id]
  lines:
    - {text: "seal {id} went from {from} to {to}", says: step, logger: zoo.Keeper, level: INFO}
    - {text: "seal {id} was found {state}", says: is, logger: zoo.Keeper, level: INFO}
    - {text: "seal {id} stayed as it was, {from}, not {to}", says: refused, logger: zoo.Keeper}
"""
KINDS = {
    "legal": ["went from WET to DRY", "went from DRY to WET"],
    "began again": ["went from WET to DRY", "went from DRY to STAMPED", "went from WET to LOST"],
    "gap": ["went from WET to DRY", "went from STAMPED to DRY", "went from DRY to WET"],
    "forbidden": ["went from DRY to LOST", "went from LOST to DRY"],
    "impossible": ["was found BROKEN", "was found LOST"],
    "unknown state": ["went from WET to GREEN", "went from GREEN to WET"],
    "refused": ["stayed as it was, WET, not STAMPED"],
    "refused, moved": ["stayed as it was, WET, not STAMPED", "went from WET to DRY",
                       "went from DRY to WET"],
}  # fmt: skip


def main() -> None:
    """Print a row for each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spec, path = Path(folder, "Seal.yaml"), Path(folder, "some.log")
        spec.write_text(SPEC)
        request = make_request(CheckOptions(specs=[str(spec)]))
        print("            kind  µs a line  times a legal one")
        legal = 0.0
        for kind, messages in KINDS.items():
            with path.open("w") as file:
                for place, message in enumerate(islice(cycle(messages), given.lines)):
                    minute, second = divmod(place // 1000, 60)
                    time = f"2026-03-04 {8 + minute // 60:02}:{minute % 60:02}:{second:02},000"
                    file.write(f"{time} INFO seal 7 {message} (zoo.Keeper)\n")
            took = seconds(lambda: check_locally([path], request, timeline=False))
            legal = legal or took
            print(f"{kind:>16} {took / given.lines * 1e6:10.1f} {took / legal:18.1f}")


if __name__ == "__main__":
    main()
