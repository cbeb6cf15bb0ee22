"""What is noticed of the catalogue's mutants is what is recorded beside it, and what the page says."""

from __future__ import annotations

import re

import pytest

from tests.catalogue import mutated
from tests.catalogue.tables import CARRIED
from tests.effort import without_largest
from tests.sampling import few_always

KINDS = ("drop a transition", "another target", "take it elsewhere", "other releases")
ALWAYS = ("kafka/Controller", "kafka/GlobalStreamThread", "kafka/KafkaStreams")
LARGEST = ("kafka/QuorumState", "kafka/StreamThreadLoop", "kafka/TransactionMetadata")
"""Their mutants take two to eight minutes of a core each."""
MOVE = re.compile(r"\w+ -> \w+ (is|leads) ")


@pytest.mark.parametrize("name", few_always(without_largest(mutated.names(), LARGEST), ALWAYS))
def test_the_catalogues_mutants_are_judged_as_recorded(name: str) -> None:
    """A change of a spec that changes what its properties notice must change the record and the page: look at it, then write them anew."""
    assert mutated.kept()[name] == mutated.texts(mutated.mutated(name)), (
        f"`python -m tests.catalogue.mutated {name}` records it"
    )


def test_the_record_and_the_page_have_all_machines_and_nothing_else() -> None:
    """A spec that is gone leaves nothing behind."""
    kept = mutated.kept()
    assert tuple(sorted(kept)) == tuple(sorted(mutated.names()))
    assert mutated.written(kept) == (
        mutated.RECORD.read_text("utf-8"),
        mutated.PAGE.read_text("utf-8"),
    )


def test_kafkas_own_table_notices_every_mutant_of_a_move() -> None:
    """A move too few, too many or elsewhere would accuse a sound log, or pass a bad one; moves have no event of their own."""
    rows = [row.split("\t") for row in mutated.RECORD.read_text("utf-8").splitlines()[1:]]
    moves = [
        row
        for row in rows
        if row[0] in CARRIED and row[3] in KINDS and ("the move to" in row[4] or MOVE.match(row[4]))
    ]
    assert len(moves) > 300
    assert [row for row in moves if row[5] == "survived"] == []
