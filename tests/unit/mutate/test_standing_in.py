"""A mutant stands in for its spec wherever the spec is loaded, and nowhere else.

Covers: statemachines.mutate.judges.equivalence, statemachines.mutate.judges.originals,
statemachines.mutate.plugin, statemachines.notation.sources.catalogue_names,
statemachines.notation.sources.file_cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest

import statemachines as sm
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.mutate.plugin import requested_spec
from statemachines.notation import cached_catalogue, load_catalogue, load_spec
from statemachines.notation.sources.catalogue_names import specs_folder
from statemachines.notation.sources.file_cache import remove_stand_ins, substitute_spec, was_loaded


@pytest.fixture
def mutant() -> Iterator[SpecDefinition]:
    """Peterson's lock without its first transition, standing in."""
    spec = requested_spec("examples/Peterson#1")
    substitute_spec(spec)
    yield spec
    remove_stand_ins()


def test_whoever_loads_the_spec_gets_the_mutant(mutant: SpecDefinition) -> None:
    """By its name, its last part, with the catalogue."""
    assert not was_loaded(mutant)
    assert sm.load("examples/Peterson").value.transitions == mutant.transitions
    assert load_spec("Peterson").transitions == mutant.transitions
    assert was_loaded(mutant)
    (one,) = load_catalogue(["examples/Peterson"])
    assert one.transitions == mutant.transitions


def test_other_specs_are_their_own(mutant: SpecDefinition) -> None:
    """One mutant at a time."""
    stood, before = load_spec("examples/Orders"), mutant
    remove_stand_ins()
    assert stood == load_spec("examples/Orders") != before


def test_a_mutant_is_never_kept_in_the_cache(mutant: SpecDefinition, tmp_path: Path) -> None:
    """The next program would judge by it."""
    specs, cache = tmp_path / "specs", tmp_path / "cache"
    specs.mkdir()
    copyfile(specs_folder() / "examples" / "Peterson.yaml", specs / "Lock.yaml")
    (standing,) = cached_catalogue(specs, cache=cache)
    assert standing.transitions == mutant.transitions
    assert not cache.exists()
    remove_stand_ins()
    (own,) = cached_catalogue(specs, cache=cache)
    assert len(own.transitions) == len(mutant.transitions) + 1


def test_a_mutant_is_named_by_spec_release_and_number() -> None:
    """As the documentation writes it."""
    assert (
        len(requested_spec("examples/Peterson#0").transitions)
        == len(requested_spec("Peterson#1").transitions) + 1
    )
    assert requested_spec("kafka/StreamThread@2.3#1").name == "kafka/StreamThread"
    with pytest.raises(ValueError, match="names no mutant; write SPEC#3"):
        requested_spec("Peterson")


def test_a_spec_is_mutated_from_python() -> None:
    """What the command line shows is a value."""
    found = sm.load("examples/Peterson").mutate(sample=6, seed=1)
    assert len(found.judged) == 6
    assert found.judged == sm.load("examples/Peterson").mutate(sample=6, seed=1).judged
