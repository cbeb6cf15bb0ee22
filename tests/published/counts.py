"""Models of the literature, and what others counted: `python -m tests.published.counts` explores all and writes the table of the docs.

python -m tests.published.counts            explore every model (some minutes of one core), say where a count differs, write the page
python -m tests.published.counts NAME ...   explore these only, and print what was found
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from attrs import frozen

from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.results.property_results import Exploration
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.definitions.system_definitions import SystemDefinition
from statemachines.notation import machine_of, read_spec, system_of
from statemachines.report.exploration.scope_texts import scope_from_texts
from tests.published.known import COUNTS, Count

MODELS = Path(__file__).parent / "models"
PAGE = Path(__file__).parent.parent.parent / "docs" / "published-counts.md"
BEGIN, END = "<!-- counts -->\n", "<!-- the end of counts -->\n"


@frozen
class Found:
    """What exploring a model gave."""

    value: Exploration
    seconds: float

    def steps_to(self, goal: str) -> int | None:
        """Return the length of the shortest run to a goal."""
        trace = next(
            (one.trace for one in self.value.examined if one.name == f"sometimes {goal}"), None
        )
        return None if trace is None else len(trace.steps)


def explored(
    count: Count, *, symmetry: bool = False, engine: Literal["auto", "rows", "arrays"] = "auto"
) -> Found:
    """Explore a model within the scope of its count."""
    how, before = ExplorationOptions(symmetry=symmetry, engine=engine), time.process_time()
    name = f"examples/{count.model}" if count.shipped else str(MODELS / f"{count.model}.yaml")
    read = read_spec(name)
    found = (
        _explored(system_of(read.system), count, how)
        if read.system
        else _explored(machine_of(read.valid_spec(), None), count, how)
    )
    return Found(found, time.process_time() - before)


def _explored(
    model: MachineDefinition | SystemDefinition, count: Count, how: ExplorationOptions
) -> Exploration:
    return explore(
        model, scope_from_texts(model, count.scope.split("; ") if count.scope else []), how
    )


def differences(count: Count, found: Found) -> Iterator[str]:
    """Yield where a count is not the published one."""
    one = found.value
    if one.states != count.states:
        yield f"{one.states} states, published are {count.states}"
    if (
        count.generated is not None
        and count.begins + one.transitions + count.more != count.generated
    ):
        yield f"{count.begins} + {one.transitions} + {count.more} generated, published are {count.generated}"
    if count.deepest is not None and one.depth != count.deepest:
        yield f"at most {one.depth} steps away, published are {count.deepest}"
    if count.goal and found.steps_to(count.goal) != count.steps:
        yield f"{count.goal} after {found.steps_to(count.goal)} steps, published are {count.steps}"
    if one.verdict.name != "HOLDS":
        yield f"{one.verdict.name}: {', '.join(each.name for each in one.examined if each.verdict.name != 'HOLDS')}"


def table() -> str:
    """Return the table of the page."""
    rows = [
        "| model | scope | states | steps | what else is known | source |",
        "|---|---|---|---|---|---|",
    ]
    for one in COUNTS:
        name = (
            f"`examples/{one.model}`"
            if one.shipped
            else f"[{one.model}](../tests/published/models/{one.model}.yaml)"
        )
        scope = f"`{one.scope}`" if one.scope else ""
        states = f"({one.states:,})" if one.only_steps else f"{one.states:,}"
        rows.append(
            f"| {name} | {scope} | {states} | {one.steps_said} | {one.known} | {one.source} |"
        )
    return "\n".join([*rows, ""])


def page(text: str) -> str:
    """Return the page with its table as it would be made."""
    head, rest = text.split(BEGIN)
    return head + BEGIN + table() + END + rest.split(END)[1]


def main(names: list[str]) -> int:
    """Explore, say what differs, write the page."""
    wrong = 0
    for count in (one for one in COUNTS if not names or one.model in names):
        found = explored(count)
        said = list(differences(count, found))
        wrong += bool(said)
        print(
            f"{count.model:22} {count.scope:12} {found.value.states:>9,} states {found.seconds:6.1f} CPU s  {'; '.join(said) or 'as published'}"
        )
    if not names:
        PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
