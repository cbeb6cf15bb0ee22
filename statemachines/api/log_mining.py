"""Specs from logs: the door through which the command line and programs reach mining."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

from statemachines.model.diagnosis.call_options import refuses_unknown_options

if TYPE_CHECKING:
    from statemachines.mining.mined_specs import MinedSpec, MiningResult

__all__ = ["MinedSpec", "MiningResult", "mine"]
Paths = Sequence["str | PathLike[str]"]


@refuses_unknown_options()
def mine(
    paths: Paths | str | PathLike[str], *, layouts: Sequence[str] = (), zone: str | None = None
) -> MiningResult:
    """Draft specs of what the logs of an unknown program show.

    A draft has the wordings, the fields that name an instance, states, steps, and where lives begin
    and end; for each of them how sure it is and the first lines that stand for it, as comments. It
    is judged over the same logs before it is handed out.

    Args:
        paths: files and folders; one, or several.
        layouts: names of known layouts or files of one's own; none: found out record by record.
        zone: of times that tell none, such as `Europe/Berlin`.

    Returns:
        Drafts of machines whose lines name states first, then those whose steps are lines only.

    Raises:
        ValueError: a layout or a zone that there is not.
    """
    from statemachines.mining.mined_specs import mine_specs

    return mine_specs(_path_list(paths), layouts=layouts, zone=zone)


def _path_list(paths: Paths | str | PathLike[str]) -> list[str | PathLike[str]]:
    return [paths] if isinstance(paths, str | PathLike) else list(paths)
