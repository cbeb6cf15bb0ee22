"""Of what programs wrote, nearly all lines that hold a word are lines of known forms: what is not costs ten times as much, so a form that is refused shows here.

Covers: statemachines.conform.observe.spelled_digits, statemachines.logs.records.record_scan.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from statemachines.conform.checking import load_specs, make_plan
from statemachines.conform.engines.inputs import Input, list_inputs
from statemachines.conform.observe import line_forms
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.conform.observe.line_forms import CatalogueForms
from statemachines.logs import Scanner, default_layouts, open_log, scan
from statemachines.logs.records.plain_columns import PlainColumns
from statemachines.logs.records.plain_lines import PlainRun

LEAST = {
    "today/c332_kraft_quorum": 0.99,
    "today/c422_kraft_dead_debug": 0.97,
    "today/k282_connect_life": 0.96,
    "today/g422_groups2": 0.98,
    "captured/c282_failover": 0.95,
    "captured/s231_overwritten": 0.98,
    "captured/s391_debug": 0.98,
}
"""What share of their lines is plain at least, as measured: a smaller one is a relapse, and a larger
one belongs here.
"""


@cache
def catalogue() -> tuple[CatalogueForms, CatalogueReader, Scanner]:
    """The whole catalogue, and what is known of its lines."""
    plan = make_plan(load_specs(None).machines)
    reader = CatalogueReader(plan)
    words = Scanner(reader.scan_literals)
    return CatalogueForms(plan, reader, words, default_layouts()), reader, words


def counts(path: Path) -> Iterator[tuple[int, int]]:
    """Of what a file's lines tell, how many are plain, and how many there are."""
    forms, reader, words = catalogue()
    with open_log(path) as log:
        part = scan(log.buffer, 0, log.size, words, default_layouts(), loggers=reader.loggers)
        for read in part.with_plain_lines(forms):
            plain = read.line_count if isinstance(read, PlainRun | PlainColumns) else 0
            yield plain, plain or 1


@pytest.mark.corpus
@pytest.mark.parametrize("name", LEAST)
def test_nearly_all_lines_are_plain(
    shared: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once each form was met."""
    monkeypatch.setattr(line_forms, "LEARNT_AT", 1)
    folder = shared / "logs" / name
    inputs = [entry for entry in list_inputs([folder], folder) if isinstance(entry, Input)]
    logs = [entry.path for entry in inputs if ".log" in entry.name]
    counted = [pair for path in logs for pair in counts(path)]
    plain, read = (sum(column) for column in zip(*counted, strict=True))
    assert plain / read >= LEAST[name]
