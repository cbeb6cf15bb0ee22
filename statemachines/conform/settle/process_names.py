"""How the process of a file is called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from statemachines.conform.interchange.check_plan import CheckPlan
from statemachines.conform.interchange.profiles import (
    Profile,
)
from statemachines.conform.settle.checked_files import CheckedFile, Unit


def process_names(
    plan: CheckPlan, files: tuple[CheckedFile, ...], profiles: list[Profile]
) -> Iterator[tuple[Unit, str]]:
    """Yield the name of every unit's process; a name that holds in one place only is led by that
    place and a NUL.
    """
    stems: dict[tuple[str, str | None], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    folders: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file, profile in zip(files, profiles, strict=True):
        for prefix, unit in profile.units.items():
            for family, values in unit.process_names.items():
                stems[file.stem, prefix][family] |= values
                if prefix is None:
                    folders[file.folder][family] |= values
    root = plan.options.systems_root
    for number, (file, profile) in enumerate(zip(files, profiles, strict=True)):
        for prefix in profile.prefixes:
            if prefix is not None:
                yield (number, prefix), f"{file.stem}\0{prefix}"
                continue
            named = _agreed_name(plan, stems[file.stem, None]) or (
                not any(stems[file.stem, None].values())
                and _agreed_name(plan, folders[file.folder])
            )
            apart = f"{file.system_below(root)}\0" if plan.options.separate_folders else ""
            yield (number, prefix), f"{apart}{named}" if named else file.stem


def _agreed_name(plan: CheckPlan, named: dict[str, set[str]]) -> str | None:
    for family in plan.families:
        values = named.get(family.family.name, set())
        if len(values) == 1:
            return f"{family.log.process_word or family.log.process} {next(iter(values))}"
    return None
