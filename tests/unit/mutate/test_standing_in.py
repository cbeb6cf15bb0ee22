"""A mutant stands in for its spec wherever the spec is loaded, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest

import statemachines as sm
from statemachines.model.machines import Spec
from statemachines.mutate.plugin import chosen
from statemachines.notation import cached_catalogue, load_catalogue, load_spec
from statemachines.notation.folders import specs_folder
from statemachines.notation.standins import dismiss, stand_in, was_handed_out


@pytest.fixture
def mutant() -> Iterator[Spec]:
    """Peterson's lock without its first transition, standing in."""
    spec = chosen("examples/Peterson#1")
    stand_in(spec)
    yield spec
    dismiss()


def test_whoever_loads_the_spec_gets_the_mutant(mutant: Spec) -> None:
    """By its name, its last part, with the catalogue."""
    assert not was_handed_out(mutant)
    assert sm.load("examples/Peterson").value.transitions == mutant.transitions
    assert load_spec("Peterson").transitions == mutant.transitions
    assert was_handed_out(mutant)
    (one,) = load_catalogue(["examples/Peterson"])
    assert one.transitions == mutant.transitions


def test_other_specs_are_their_own(mutant: Spec) -> None:
    """One mutant at a time."""
    stood, before = load_spec("examples/Orders"), mutant
    dismiss()
    assert stood == load_spec("examples/Orders") != before


def test_a_mutant_is_never_kept_in_the_cache(mutant: Spec, tmp_path: Path) -> None:
    """The next program would judge by it."""
    specs, cache = tmp_path / "specs", tmp_path / "cache"
    specs.mkdir()
    copyfile(specs_folder() / "examples" / "Peterson.yaml", specs / "Lock.yaml")
    (standing,) = cached_catalogue(specs, cache=cache)
    assert standing.transitions == mutant.transitions
    assert not cache.exists()
    dismiss()
    (own,) = cached_catalogue(specs, cache=cache)
    assert len(own.transitions) == len(mutant.transitions) + 1


def test_a_mutant_is_named_by_spec_release_and_number() -> None:
    """As the documentation writes it."""
    assert len(chosen("examples/Peterson#0").transitions) == len(chosen("Peterson#1").transitions) + 1
    assert chosen("kafka/StreamThread@2.3#1").name == "kafka/StreamThread"
    with pytest.raises(ValueError, match="names no mutant; write SPEC#3"):
        chosen("Peterson")


def test_a_spec_is_mutated_from_python() -> None:
    """What the command line shows is a value."""
    found = sm.load("examples/Peterson").mutate(sample=6, seed=1)
    assert len(found.judged) == 6
    assert found.judged == sm.load("examples/Peterson").mutate(sample=6, seed=1).judged
