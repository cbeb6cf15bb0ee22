"""stub"""

from __future__ import annotations
from collections.abc import Sequence
from statemachines.explore.search import Goal, Limits, Searched
from statemachines.explore.world import World


def have_arrays() -> bool:
    return False


def array_search(world: World, goals: Sequence[Goal], limits: Limits) -> Searched | None:
    return None
