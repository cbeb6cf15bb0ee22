"""What a spec asks of a log beside its table of moves: its properties by name, and why logs cannot be judged by some of them."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from statemachines.model.data import Claim, Data, Property
from statemachines.model.machines import Spec
from statemachines.model.releases import Releases

ALL_RUNS = "speaks of all runs, and a log shows one"
UNTIL_RAISED = "speaks of runs until something is raised, and what raised is not always told"
KNOWN_BUG = "is known to fail"
NO_LINES = "without log lines in its spec"
NOT_SEEN = "not seen, no line tells a state or step of it"
NONE_JUDGED = "none of its lines could be judged"


@frozen
class Asked:
    """A property of one name and claim, in all releases that have it."""

    claim: Claim
    name: str
    versions: tuple[tuple[Releases, Property], ...]
    """Those that logs can be judged by; none where they cannot."""
    why: str = ""
    """Why they cannot."""


def asked_of(versions: Iterable[tuple[Releases, Data]]) -> tuple[Asked, ...]:
    """Return the properties of a machine or a system, in the author's order, each name once."""
    found: dict[tuple[Claim, str], list[tuple[Releases, Property]]] = {}
    for releases, data in versions:
        for one in data.properties:
            found.setdefault((one.claim, one.name), []).append((releases, one))
    return tuple(_asked(*key, entries) for key, entries in found.items())


def _asked(claim: Claim, name: str, entries: list[tuple[Releases, Property]]) -> Asked:
    usable = tuple((releases, one) for releases, one in entries if not why_not(one))
    return Asked(claim, name, usable, "" if usable else why_not(entries[-1][1]))


def why_not(one: Property) -> str:
    """Return why no log can be judged by a property; empty where one can."""
    if one.claim not in (Claim.ALWAYS, Claim.EACH_STEP):
        return ALL_RUNS
    if one.expect_fails:
        return KNOWN_BUG
    return UNTIL_RAISED if one.until_raised else ""


def properties_of(spec: Spec) -> tuple[Asked, ...]:
    """Return the properties of a machine in all its releases."""
    return asked_of(spec.versions or ((spec.releases, spec.data),))
