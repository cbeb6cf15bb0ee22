"""Members of groups, at the client and at the coordinator, agree with the facts; their own classes are asked in tests/kafka."""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.machine_definitions import state_moves
from statemachines.model.definitions.snapshots import Raised, Snapshot
from statemachines.notation import machine_of
from statemachines.semantics.machine.step import step
from tests.catalogue.facts_members import (
    BROKER,
    CLASSIC,
    CLIENT,
    STREAMS,
    broker_states,
    classic_moves,
    client_moves,
    member_lines,
    older_client_moves,
)
from tests.catalogue.readings import readings, spec_of
from tests.shipped import shipped_spec

ALL = (CLIENT, CLASSIC, BROKER, STREAMS)
RELEASES = spec_of(CLIENT).family.releases


def moves(name: str, release: str) -> set[tuple[str, str]]:
    """Return the table of a machine in a release."""
    return {(arrow.source, arrow.target) for arrow in machine_of(spec_of(name), release).moves}


def test_a_member_of_the_newer_protocols_moves_where_the_facts_allow_it(shared: Path) -> None:
    """Every pair in every release; a state may follow itself, always."""
    facts = client_moves(shared, RELEASES)
    assert list(spec_of(CLIENT).family.names(spec_of(CLIENT).releases)) == list(facts)
    for release, pairs in facts.items():
        assert moves(CLIENT, release) == pairs, release
    for release, pairs in older_client_moves(shared, RELEASES).items():
        assert pairs == {
            (one, other) for one, other in facts[release] if one != other or one == "RECONCILING"
        }, release


def test_what_is_not_allowed_throws() -> None:
    """`transitionTo` writes nothing then."""
    for release in ("3.7.0", "3.8.0", "4.3.1"):
        machine = machine_of(spec_of(CLIENT), release)
        names = [state.name for state in machine.states]
        for pair in {(one, other) for one in names for other in names} - moves(CLIENT, release):
            answer = step(machine, Snapshot(pair[0]), f"to_{pair[1]}")
            assert isinstance(answer, Raised), (release, pair)
            assert answer.error == "IllegalStateException"


def test_a_member_of_the_classic_protocol_moves_as_its_code_does(shared: Path) -> None:
    """Kafka has no table of it."""
    facts = classic_moves(shared, RELEASES)
    assert list(spec_of(CLASSIC).family.names(spec_of(CLASSIC).releases)) == list(facts)
    for release, pairs in facts.items():
        assert moves(CLASSIC, release) == pairs, release


@pytest.mark.parametrize("name", [BROKER, STREAMS])
def test_the_coordinator_knows_four_states(shared: Path, name: str) -> None:
    """UNKNOWN is read and never written."""
    for release in spec_of(name).family.names(spec_of(name).releases):
        machine = machine_of(spec_of(name), release)
        states = {state.name for state in machine.states}
        assert states == broker_states(shared, name), release
        assert moves(name, release) == {
            (one, other) for one in states for other in states - {"UNKNOWN"}
        }, release


def test_the_lines_of_the_facts_are_read_with_their_level_and_logger(shared: Path) -> None:
    """Every line that names a step, in all its releases, by one machine."""
    lines = list(member_lines(shared, RELEASES))
    assert len(lines) > 25
    for line in lines:
        for release in line.releases:
            found = readings(line.message, release, ALL)
            assert [each.line.level for each in found] == [line.level], (release, line.message)
            assert line.logger in found[0].line.loggers, (release, line.message)


def test_a_line_is_read_in_no_release_that_lacks_it() -> None:
    """The wording of 2.6.0 is that of 2.6.1, and means something else."""
    words = "[Consumer clientId=c-1, groupId=billing] Successfully joined group with generation 7"
    assert {
        release: readings(words, release, ALL)[0].line.target
        for release in ("2.6.0", "2.6.1", "4.3.1")
    } == {
        "2.6.0": ("STABLE",),
        "2.6.1": ("COMPLETING_REBALANCE",),
        "4.3.1": ("COMPLETING_REBALANCE",),
    }
    assert readings(words, "0.11.0.3", ALL) == []


@pytest.mark.parametrize("name", ALL)
def test_every_kind_of_step_is_told_by_some_line(name: str) -> None:
    """Up to 0.11.0.3 the classic protocol's lines name no client."""
    spec = shipped_spec(name)
    assert spec.log is not None
    untold = set()
    for arrow in state_moves(spec.transitions):
        there = 0
        for line in spec.log.lines:
            there |= (
                line.releases
                if LineKind.STEP in line.kinds and (not line.target or arrow.target in line.target)
                else 0
            )
        if not arrow.silent and arrow.releases & ~there:
            untold.add(spec.family.ranges(arrow.releases & ~there))
    assert untold == ({"0.10.1.0..0.11.0.3"} if name == CLASSIC else set())
    assert [line.index for line in spec.log.lines if not line.samples] == []
