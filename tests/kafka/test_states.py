"""Every table of states in the catalogue equals the one in Kafka's own class, in every release that has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kafka.judged import JUDGES, Judge, releases_of, spec

if TYPE_CHECKING:
    from tests.kafka.jvm import Jvm
from tests.kafka.tables import Table, differences, of_spec

pytestmark = pytest.mark.kafka


@pytest.mark.parametrize(
    "judge",
    JUDGES,
    ids=lambda judge: f"{judge.machine}-{judge.name.rpartition('.')[2]}-{judge.since}",
)
def test_the_class_and_the_spec_agree_on_every_pair_and_predicate(jvm: Jvm, judge: Judge) -> None:
    """Kafka is right: where this fails the spec is corrected."""
    found = {release: disagreement(jvm, judge, release, release) for release in releases_of(judge)}
    assert {release: words for release, words in found.items() if words} == {}


def test_far_more_than_forty_releases_are_judged() -> None:
    """The newest among them, so that a new release of the family is not forgotten here."""
    judged = {release for judge in JUDGES for release in releases_of(judge)}
    assert len(judged) >= 75
    assert spec("StreamThread").releases[-1] in judged


def disagreement(jvm: Jvm, judge: Judge, real: str, told: str) -> list[str]:
    """Compare the class of one release with the spec in one, usually the same."""
    classes = jvm.release(real)
    table = judge.read(classes)
    said = of_spec(spec(judge.machine).at(told), table.states)
    own = {name for name, _ in table.predicates}
    rest = dict(each for each in said.predicates if each[0] not in own)
    words = differences(
        table,
        attrs.evolve(
            said, predicates=frozenset(each for each in said.predicates if each[0] in own)
        ),
    )
    return words + of_owners(jvm, judge, real, rest)


def of_owners(jvm: Jvm, judge: Judge, release: str, rest: dict[str, frozenset[str]]) -> list[str]:
    """Ask the objects that hold a state for the predicates that the states do not have themselves."""
    from tests.kafka.owners import Owner

    if not rest:
        return []
    classes, words, heard = jvm.release(release), [], set[str]()
    for name in (name for name in judge.owners if classes.has(name)):
        for predicate, states in Owner(classes, name, judge.name).predicates(rest).items():
            heard.add(predicate)
            if states != rest[predicate]:
                words.append(
                    f"{predicate}: {name.rpartition('.')[2]} says {', '.join(sorted(states))}"
                )
    return words + [f"{predicate}: nobody says it" for predicate in rest.keys() - heard]


def test_a_wrong_release_is_noticed(jvm: Jvm) -> None:
    """RUNNING -> RUNNING came with 2.6.0."""
    threads = next(judge for judge in JUDGES if judge.machine == "StreamThread")
    assert disagreement(jvm, threads, "2.6.0", "2.5.1") == [
        "RUNNING -> RUNNING: legal only for the class"
    ]


def planted(table: Table) -> dict[str, Table]:
    """Return tables with one fault each."""
    name, states = min(table.predicates)
    return {
        "CREATED -> STARTING: legal only for the class": attrs.evolve(
            table, pairs=table.pairs - {("CREATED", "STARTING")}
        ),
        "DEAD -> CREATED: legal only for the spec": attrs.evolve(
            table, pairs=table.pairs | {("DEAD", "CREATED")}
        ),
        "state LOST: only the spec has it": attrs.evolve(table, states=table.states | {"LOST"}),
        "isAlive: the spec says RUNNING": attrs.evolve(
            table, predicates=frozenset({(name, states & {"RUNNING"})})
        ),
    }


def test_planted_faults_are_noticed(jvm: Jvm) -> None:
    """A pair more, a pair less, a state more, a predicate that is too narrow."""
    threads = next(judge for judge in JUDGES if judge.machine == "StreamThread")
    real = threads.read(jvm.release("3.9.0"))
    for words, table in planted(of_spec(spec("StreamThread").at("3.9.0"))).items():
        assert words in differences(real, table)
