"""Specs from logs: the door through which the command line and programs reach mining and repair."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from statemachines.model.diagnosis.call_options import refuses_unknown_options

if TYPE_CHECKING:
    from statemachines.mining.mined_specs import MinedSpec, MiningResult
    from statemachines.mining.repair.drifted_wordings import DriftedWording
    from statemachines.mining.repair.spec_repair import SpecRepair

__all__ = ["DriftedWording", "MinedSpec", "MiningResult", "SpecRepair", "mine", "repair"]
Paths = Sequence["str | PathLike[str]"]


@refuses_unknown_options()
def mine(
    paths: Paths | str | PathLike[str],
    *,
    like: str | PathLike[str] | None = None,
    layouts: Sequence[str] = (),
    zone: str | None = None,
) -> MiningResult:
    """Draft specs of what the logs of an unknown program show.

    A draft has the wordings, the fields that name an instance, states, steps, and where lives begin
    and end; for each of them how sure it is and the first lines that stand for it, as comments. It
    is judged over the same logs before it is handed out.

    Args:
        paths: files and folders; one, or several.
        like: name or path of a spec of the program, as it once was: drafts are made of the lines
            that it does not read, and `drifted` has those near one of its wordings.
        layouts: names of known layouts or files of one's own; none: found out record by record.
        zone: of times that tell none, such as `Europe/Berlin`.

    Returns:
        Drafts of machines whose lines name states first, then those whose steps are lines only.

    Raises:
        ValueError: a layout or a zone that there is not.
        SpecError: `like` is no spec.
    """
    from statemachines.mining.mined_specs import mine_specs
    from statemachines.notation import load_spec

    known = None if like is None else load_spec(_spec_name(like))
    return mine_specs(_path_list(paths), like=known, layouts=layouts, zone=zone)


@refuses_unknown_options()
def repair(
    spec: str | PathLike[str],
    paths: Paths | str | PathLike[str],
    *,
    layouts: Sequence[str] = (),
    zone: str | None = None,
) -> SpecRepair:
    """Find the smallest change of a spec that admits logs which are known to be right.

    Nothing is written: the result has the new text, and a diff with the lines that stand for each
    change.

    Args:
        spec: its name in the catalogue, or its path.
        paths: files and folders of logs; one, or several.
        layouts: as for `mine`.
        zone: as for `mine`.

    Returns:
        The text of the changed spec, and each change with the lines that stand for it.

    Raises:
        SpecError: there is no such spec, or it has errors.
        ValueError: its text cannot be changed; a layout or a zone that there is not.
        OSError: it cannot be read.
    """
    from statemachines.mining.repair.spec_repair import repair_spec
    from statemachines.notation.sources.catalogue_names import locate_spec, specs_folder

    file = locate_spec(_spec_name(spec), specs_folder())[0]
    return repair_spec(file, _path_list(paths), layouts=layouts, zone=zone)


def _spec_name(given: str | PathLike[str]) -> str | Path:
    return given if isinstance(given, str) else Path(fspath(given))


def _path_list(paths: Paths | str | PathLike[str]) -> list[str | PathLike[str]]:
    return [paths] if isinstance(paths, str | PathLike) else list(paths)
