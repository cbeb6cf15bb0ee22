"""Which specs a check takes for what it is asked."""

from __future__ import annotations

import pytest

from statemachines.conform import checking
from statemachines.conform.checking import ChosenSpecs, load_specs
from statemachines.model.diagnosis.diagnostics import SpecError
from statemachines.notation import spec_names


def names(chosen: ChosenSpecs) -> tuple[list[str], list[str]]:
    """The names of the machines and of the systems."""
    return [one.name for one in chosen.machines], [one.name for one in chosen.systems]


@pytest.mark.parametrize("patterns", [["examples/*"], ["examples/T*", "examples/*P[e-h]*"]])
def test_patterns_choose_what_its_files_say(
    patterns: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiled catalogue is there at once; reading the files again gives the same, later."""
    chosen = load_specs(patterns)
    monkeypatch.setattr(checking, "_choose_by_patterns", lambda _: None)
    read = load_specs(patterns)
    assert names(chosen) == names(read)
    assert chosen.machines == read.machines
    assert len(chosen.machines) > 1


def test_a_pattern_reads_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading all of a large catalogue takes longer than judging a small log."""
    monkeypatch.setattr("statemachines.notation.read_spec", lambda _: 1 // 0)
    machines, systems = names(load_specs(["*"]))
    assert sorted(machines) == sorted(spec_names())
    assert sorted(systems) == sorted(spec_names(kind="system"))


def test_a_name_beside_a_pattern_is_read() -> None:
    """What is no pattern may be a file of the user's own."""
    machines, _ = names(load_specs(["examples/Pet*", "examples/Queens"]))
    assert machines == ["examples/Peterson", "examples/Queens"]


@pytest.mark.parametrize("asked", [["nothing/*"], ["nothing/*", "nothing/a*"]])
def test_what_chooses_nothing_is_an_error(asked: list[str]) -> None:
    """A check by no specs would hold of every log."""
    with pytest.raises(SpecError):
        load_specs(asked)


def test_a_pattern_that_fits_nothing_is_told_beside_one_that_does() -> None:
    """It is misspelt."""
    chosen = load_specs(["examples/Pet*", "nothing/*"])
    assert names(chosen)[0] == ["examples/Peterson"]
    assert chosen.broken
