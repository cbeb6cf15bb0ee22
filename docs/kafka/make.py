"""Write the release history of every machine of the catalogue that has releases, from the specs
alone.

python -m docs.kafka.make            write what changed, delete what is gone
python -m docs.kafka.make --check    say what is out of date, and fail where something is
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from statemachines.api.queries.catalogue import first_sentence
from statemachines.compare.machine_changes import ChangeKind
from statemachines.compare.machine_differences import MachineDifference
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.notation import cached_catalogue
from statemachines.report.exploration.difference_report import release_history, to_markdown

HERE = Path(__file__).parent / "history"
ABOUT = (
    "What changed from release to release, in the order of the family's list; made by `python"
    " -m docs.kafka.make` from the specs,\n"
    "never by hand. Each change of behaviour comes with a shortest run to which the two releases "
    "respond differently: it begins in an initial\n"
    "state, and each arrow leads to the state after the next step, or names its event. "
    "A release that is not named here changed nothing.\n"
)


def files() -> dict[str, str]:
    """Return all pages: name and text."""
    made: dict[str, str] = {}
    rows = [
        "# Release histories",
        "",
        ABOUT,
        "| machine | releases | what changed |",
        "|---|---|---|",
    ]
    for spec in cached_catalogue():
        if spec.family.name and spec.states:
            found = tuple(release_history(spec))
            title = spec.name.rpartition("/")[2]
            made[f"{title}.md"] = "\n".join(_page(spec, title, found))
            rows.append(
                f"| [{title}]({title}.md) | {spec.family.ranges(spec.releases)} |"
                f" {_counted(found)} |"
            )
    return made | {"README.md": "\n".join([*rows, ""])}


def _page(spec: SpecDefinition, title: str, found: tuple[MachineDifference, ...]) -> Iterator[str]:
    yield from (f"# {title}, release by release", "", first_sentence(spec.doc), "", ABOUT)
    if not found:
        yield "Nothing changed.\n"
    for one in found:
        text = to_markdown(one, level=2)
        yield text.replace(f"## {one.old.name} {one.old.release} → ", f"## {one.old.release} → ", 1)


def _counted(found: tuple[MachineDifference, ...]) -> str:
    """Say in how many releases the behaviour changed, and in how many only the log."""
    behaviour = [
        one for one in found if any(change.about is not ChangeKind.LINE for change in one.changes)
    ]
    names = ", ".join(one.new.release for one in behaviour) or "none"
    others = len(found) - len(behaviour)
    return f"behaviour: {names}" + (f"; log lines alone in {others} more" if others else "")


def stale(made: dict[str, str]) -> tuple[str, ...]:
    """Return the pages that are not as they would be made, missing and left over ones included."""
    there = {path.name for path in HERE.glob("*.md")}
    wrong = [
        name
        for name, text in made.items()
        if name not in there or (HERE / name).read_text("utf-8") != text
    ]
    return tuple(sorted({*wrong, *(there - made.keys())}))


def main(arguments: list[str]) -> int:
    """Write the pages, or look whether they are up to date."""
    made = files()
    wrong = stale(made)
    if "--check" in arguments:
        print("\n".join(wrong) or "up to date")
        return 1 if wrong else 0
    HERE.mkdir(exist_ok=True)
    for name in wrong:
        if name in made:
            (HERE / name).write_text(made[name], "utf-8")
        else:
            (HERE / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
