"""What is mined from logs of a system that the catalogue knows is what the catalogue says of them."""

from __future__ import annotations

import pytest

import statemachines as sm
from tests.corpus.captures import CAPTURED

pytestmark = [pytest.mark.corpus, pytest.mark.usefixtures("shared")]
KNOWN = (
    ("s111_death_all", "StreamThread", "kafka/StreamThread"),
    ("s111_death_all", "KafkaStreams", "kafka/KafkaStreams"),
    ("s391_global", "StreamThread", "kafka/StreamThread"),
    ("g391_groups", "TransactionManager", "kafka/TransactionManager"),
)
"""Capture, what the draft is called, and the machine of the catalogue."""


@pytest.mark.parametrize(("capture", "name", "known"), KNOWN)
def test_a_machine_of_the_catalogue_is_found_again(capture: str, name: str, known: str) -> None:
    """Instances, states and steps, of nothing but the lines: just those that the catalogue's own spec reads."""
    folder = CAPTURED / capture
    draft = next(spec for spec in sm.mine(folder).specs if spec.name == name)
    assert draft.verdict is sm.Verdict.HOLDS
    report = sm.check(folder, specs=known)
    told = {(row.source, row.target) for row in report.timeline if row.how == "told"}
    assert told
    written = [line.split("}")[0] for line in draft.text.splitlines() if "- {from: " in line]
    found = {
        tuple(part.split(": ")[1] for part in line.split("{")[1].split(", ")[:2])
        for line in written
    }
    assert found == told
