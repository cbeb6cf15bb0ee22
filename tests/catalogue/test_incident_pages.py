"""Every kind of trouble that a report may name has a page that helps."""

from __future__ import annotations

import re
from collections import defaultdict

from statemachines.model.definitions.incident_definitions import IncidentPage
from tests.shipped import shipped_specs

PARTS = ("means", "often", "look", "words", "sources")


def pages() -> dict[str, list[IncidentPage]]:
    """Kinds of incidents of the catalogue, and the pages that the machines have for each."""
    found = defaultdict[str, list[IncidentPage]](list)
    for spec in shipped_specs():
        for kind in spec.log.incidents if spec.log and spec.name.startswith("kafka/") else ():
            found[kind.kind] += [kind.page] if kind.page.means else []
    return found


def test_every_kind_has_all_parts_of_a_page() -> None:
    """`explain KIND` is what a report ends with: half an answer sends people elsewhere."""
    missing = {
        kind: [part for part in PARTS if not any(getattr(page, part) for page in of_kind)]
        for kind, of_kind in pages().items()
    }
    assert {kind: parts for kind, parts in missing.items() if parts} == {}
    assert len(missing) > 60


def test_every_page_names_a_source_that_can_be_looked_up() -> None:
    """An address, or a class: no advice of which nobody knows where it is from."""
    source = re.compile(r"https://\S+|[\w.$]+\.[A-Z][\w$]+.*")
    wrong = {
        (kind, text)
        for kind, of_kind in pages().items()
        for page in of_kind
        for text in page.sources
        if not source.fullmatch(text)
    }
    assert wrong == set()


def test_every_episode_is_of_a_kind_with_a_page() -> None:
    """An episode without a kind of its own would be told without a page."""
    told = set[tuple[str, str]]()
    for spec in shipped_specs():
        if spec.log and spec.name.startswith("kafka/"):
            kinds = {name for kind in spec.log.incidents for name in kind.of}
            told |= {(spec.name, one.name) for one in spec.log.episodes if one.name not in kinds}
    assert told == set()
