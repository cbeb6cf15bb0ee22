"""Groups of the newer protocols, their coordinators and their clients: what the facts say of them, and what a log may be taken to tell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.conform import check
from statemachines.explore.exploration import explore
from statemachines.model.definitions.data_definitions import PropertyKind
from statemachines.model.definitions.machine_definitions import state_moves
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from tests.catalogue.facts import LATER, in_range, read
from tests.catalogue.planting import planted
from tests.catalogue.readings import readings, spec_of
from tests.catalogue.test_groups_and_transactions import as_it_stands, verdicts
from tests.shipped import shipped

CONSUMER, SHARE, STREAMS, RUNTIME = (
    "kafka/ModernConsumerGroup",
    "kafka/ShareGroup",
    "kafka/StreamsGroup",
    "kafka/CoordinatorRuntime",
)
LOOKUP, CONNECTION, MEMBER, CLASSIC = (
    "kafka/FindCoordinator",
    "kafka/NetworkClient",
    "kafka/ConsumerGroupMember",
    "kafka/ConsumerGroup",
)
ENUMS = {
    CONSUMER: "consumer.ConsumerGroup$ConsumerGroupState",
    SHARE: "share.ShareGroup$ShareGroupState",
    STREAMS: "streams.StreamsGroup$StreamsGroupState",
    RUNTIME: "runtime.CoordinatorRuntime$CoordinatorState",
}
RELEASES = spec_of(CONSUMER).family.releases
PREFIX = "[GroupCoordinator id=1 topic=__consumer_offsets partition=1] "
GROUPS = "org.apache.kafka.coordinator.group.GroupMetadataManager"


@pytest.mark.parametrize("name", ENUMS)
def test_the_states_are_those_of_the_enumeration(shared: Path, name: str) -> None:
    """With the spellings that tools print."""
    for row in read(shared, LATER)["other_enums_by_reflection"][ENUMS[name]]:
        spoken = row["table"].get("toString", {})
        for release in in_range(row["releases"], RELEASES):
            states = shipped(name).at(release).value.states
            assert {state.name for state in states} == set(row["table"]["order"]), release
            assert all(
                spoken.get(state.name, state.name) in (state.name, *state.spellings)
                for state in states
            )


def test_a_coordinator_moves_as_its_own_table_says(shared: Path) -> None:
    """What is closed is made anew, which is no move of that table."""
    (row,) = read(shared, LATER)["other_enums_by_reflection"][ENUMS[RUNTIME]]
    table = {
        (one, state) for state, many in row["table"]["canTransitionFrom(x)"].items() for one in many
    }
    moves = {
        (arrow.source, arrow.target)
        for arrow in state_moves(spec_of(RUNTIME).transitions)
        if arrow.event != "created"
    }
    assert moves == table


LINES = (
    ("GroupMetadataManager", r"Loaded (consumer|share|streams) group|Member \{\} (joins|left) the|Member joins the streams|left the streams group|Converted the|fenced from the group because \{\}\.|Bumped (streams )?group epoch|Unload(ed|ing) group metadata"),
    ("CoordinatorRuntime", r"Scheduling loading|Finished (un)?loading|Failed to load metadata|out of sync|already active|Writing records"),
    ("CoordinatorRequestManager", r"Discovered group|unavailable or invalid"),
    ("AbstractHeartbeatRequestManager", r"Consumer poll timeout"),
    ("AbstractCoordinator", r"Discovered group|unavailable or invalid|consumer poll timeout"),
)  # fmt: skip
"""Class, and the lines of the facts that tell of what a group, its coordinator or its client goes through."""
PREFIXES = {
    "GroupMetadataManager": PREFIX,
    "CoordinatorRuntime": "[GroupCoordinator id=1] ",
    "CoordinatorRequestManager": "[Consumer clientId=c-1, groupId=billing] ",
    "AbstractHeartbeatRequestManager": "[Consumer clientId=c-1, groupId=billing] ",
    "AbstractCoordinator": "[Consumer clientId=c-1, groupId=billing] ",
}
ALL = (
    CONSUMER,
    SHARE,
    STREAMS,
    RUNTIME,
    LOOKUP,
    MEMBER,
    CLASSIC,
    "kafka/MembershipManager",
    "kafka/AbstractCoordinator",
    "kafka/StreamsGroupMember",
)


def test_the_lines_of_the_facts_are_read_at_their_level(shared: Path) -> None:
    """In every release that writes them."""
    looked = 0
    for row in read(shared, LATER)["log_templates"]:
        wanted = [
            pattern for owner, pattern in LINES if owner == row["class"] and row["level"] != "DEBUG"
        ]
        if not any(re.search(pattern, row["template"]) for pattern in wanted):
            continue
        text = _written(row["template"])
        for release in in_range(row["releases"], RELEASES):
            found = readings(PREFIXES[row["class"]] + text, release, ALL)
            assert found, (release, text)
            assert row["level"] in {one.line.level for one in found}, (release, text)
            looked += 1
    assert looked > 300


def _written(template: str) -> str:
    """Fill in what a line prints."""
    of_a_partition = any(words in template for words in ("etadata", "oordinator {}", "records to"))
    values = iter(["__consumer_offsets-1", "3", "7", "1", "5", "9"] if of_a_partition else [])
    first, *parts = template.split("{}")
    for part in parts:
        number, group = (
            first.endswith(("with ", "epoch ", "generation ")),
            first.endswith(("GroupId ", "GroupId=", "group ")),
        )
        first += ("4" if number else "billing" if group else next(values, "m-1")) + part
    return first


def judged(folder: Path, *messages: str, release: str = "4.2.1") -> Report:
    """Judge a broker's log of some messages, each `logger|text`."""
    rows = []
    for number, each in enumerate(messages):
        logger, _, text = each.rpartition("|")
        rows.append(f"[2026-11-22 20:32:{number:02d},000] INFO {text} ({logger or GROUPS})")
    path = folder / "server.log"
    path.write_text("\n".join([*rows, ""]), "utf-8")
    return check([path], release=release, engine="local")


DELETED = f"org.apache.kafka.coordinator.group.GroupCoordinatorShard|{PREFIX}The following groups were deleted: billing, ledger, jobs. A total of 4 offsets were removed."


def test_the_end_of_another_kind_of_group_is_no_step_of_a_classic_one(tmp_path: Path) -> None:
    """One line deletes groups of every kind and tells no kind."""
    report = judged(
        tmp_path,
        f"{PREFIX}Loaded classic group billing with 2 members.",
        f"{PREFIX}[GroupId ledger] Member m-1 joins the consumer group using the consumer protocol.",
        f"{PREFIX}[GroupId jobs] Member m-2 joins the share group using the share protocol.",
        DELETED,
    )
    assert report.verdict is Verdict.HOLDS
    dead = [step for step in report.timeline if step.target == "Dead"]
    assert [(step.machine, dict(step.instance)["group"]) for step in dead] == [(CLASSIC, "billing")]


def test_where_nothing_told_the_kind_a_deleted_group_is_nobodys(tmp_path: Path) -> None:
    """A log that was cut before."""
    assert [step for step in judged(tmp_path, DELETED).timeline if step.machine == CLASSIC] == []


def test_a_group_that_changed_its_protocol_is_no_classic_one_any_more(tmp_path: Path) -> None:
    """And one that came back is."""
    to_consumer = f"{PREFIX}[GroupId billing] Converted the classic group to a consumer group."
    back = (
        f"{PREFIX}Preparing to rebalance group billing in state PreparingRebalance with old generation 4 (reason: a).",
    )
    loaded = f"{PREFIX}Loaded classic group billing with 2 members."
    report = judged(tmp_path, loaded, to_consumer, DELETED)
    assert [
        step for step in report.timeline if step.machine == CLASSIC and step.target == "Dead"
    ] == []
    assert judged(tmp_path, loaded, to_consumer, *back, DELETED).verdict is Verdict.HOLDS


def test_a_member_that_is_put_out_is_counted_for_its_group(tmp_path: Path) -> None:
    """Consumer and share groups use the same words; the group is known by what was told of it before."""
    fenced = "[GroupId {}] Member {} fenced from the group because the member session expired."
    report = judged(
        tmp_path,
        f"{PREFIX}[GroupId ledger] Member m-1 joins the consumer group using the consumer protocol.",
        f"{PREFIX}[GroupId jobs] Member m-2 joins the share group using the share protocol.",
        PREFIX + fenced.format("ledger", "m-1"),
        PREFIX + fenced.format("jobs", "m-2"),
        PREFIX + fenced.format("ledger", "m-3"),
        PREFIX + fenced.format("jobs", "m-4"),
        PREFIX + fenced.format("unheard", "m-5"),
    )
    lost = {
        (row.machine, *(value for _, value in row.subject)): row.count
        for row in report.repeated
        if row.kind == "lost a member"
    }
    assert lost == {(CONSUMER, "ledger"): 2, (SHARE, "jobs"): 2}


LOGGER = {
    "2.8.2": "AbstractCoordinator",
    "3.9.1": "ConsumerCoordinator",
    "4.3.1": "ConsumerCoordinator",
}


@pytest.mark.parametrize("release", LOGGER)
def test_a_client_that_does_not_poll_in_time_is_counted(tmp_path: Path, release: str) -> None:
    """From 2.4.0 to 2.8.2 it is the reason of the step that leaves the group, which other reasons
    have too: the wording that stands first is the one that counts."""
    words = "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, which"
    text = (
        f"Member c-1-5f sending LeaveGroup request to coordinator b:9092 (id: 2147483646 rack: null) due to {words}"
        if release == "2.8.2"
        else words
    )
    message = f"org.apache.kafka.clients.consumer.internals.{LOGGER[release]}|[Consumer clientId=c-1, groupId=billing] {text}"
    found = readings(message.partition("|")[2], release, ("kafka/AbstractCoordinator",))
    kind = "step" if release == "2.8.2" else "note"
    assert (str(found[0].line.kinds[0]), found[0].line.counter) == (kind, "did not poll in time")


def test_a_coordinator_is_lost_and_found(tmp_path: Path) -> None:
    """With the reason; what is lost at the end of the log is so now."""
    node, logger = (
        "b:9092 (id: 2147483646 rack: null)",
        "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator|",
    )
    who = f"{logger}[Consumer clientId=c-1, groupId=billing] "
    lost = f"{who}Group coordinator {node} is unavailable or invalid due to cause: coordinator unavailable. isDisconnected: true. Rediscovery will be attempted."
    found = f"{who}Discovered group coordinator {node}"
    report = judged(tmp_path, found, lost, found, lost)
    assert report.verdict is Verdict.HOLDS
    assert [(one.kind, one.until is None) for one in report.episodes] == [
        ("coordinator_unknown", False),
        ("coordinator_unknown", True),
    ]
    cut = judged(tmp_path, lost, found)
    assert [one.until is None for one in cut.episodes] == [False], "it was known before the log"


def test_a_coordinator_that_moved_away_and_came_back_is_loaded_anew(tmp_path: Path) -> None:
    """Nothing is missing between the end of the one and the beginning of the other."""
    logger = (
        "org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime|[GroupCoordinator id=1] "
    )
    report = judged(
        tmp_path,
        f"{logger}Scheduling loading of metadata from __consumer_offsets-1 with epoch 0",
        f"{logger}Finished loading of metadata from __consumer_offsets-1 with epoch 0 in 9ms where 9ms was spent in the scheduler. Loaded 0 records which total to 0 bytes.",
        f"{logger}Finished unloading metadata for __consumer_offsets-1 with epoch OptionalInt[1].",
        f"{logger}Scheduling loading of metadata from __consumer_offsets-1 with epoch 2",
        f"{logger}Failed to load metadata from __consumer_offsets-1 with epoch 2 due to Unknown record type 99.",
    )
    assert (report.verdict, report.findings) == (Verdict.HOLDS, ())
    assert [one.kind for one in report.episodes] == ["coordinator_failed"]


MUTANTS = [
    (CONSUMER, "stateIsComputed", '{when: "after == {}", to: EMPTY}', '{when: "after == {}", to: STABLE}'),
    (CONSUMER, "anyEpochMayBeSetAgain", 'where: "epoch >= groupEpoch"', 'where: "epoch > groupEpoch"'),
    (CONSUMER, "anyoneMayComeAndGo", "event: removeMember, from: EMPTY", 'event: removeMember, from: EMPTY, guard: "members != {}"'),
    (CONSUMER, "oneAtATime", '{after: "members | {member: held}"}', '{after: "{member: held}"}'),
    (CONSUMER, "assignedAnew", "effect: {targetAssignmentEpoch: epoch}", "effect: {targetAssignmentEpoch: targetAssignmentEpoch}"),
    (SHARE, "stateIsComputed", "to: EMPTY}", "to: STABLE}"),
    (SHARE, "anyEpochMayBeSetAgain", 'where: "epoch >= groupEpoch"', 'where: "epoch > groupEpoch"'),
    (SHARE, "anyoneMayComeAndGo", "event: removeMember, from: EMPTY", 'event: removeMember, from: EMPTY, guard: "members != set()"'),
    (SHARE, "oneAtATime", '{members: "members | {member}"}', '{members: "{member}"}'),
    (SHARE, "assignedAnew", "effect: {targetAssignmentEpoch: epoch}", "effect: {targetAssignmentEpoch: targetAssignmentEpoch}"),
    (SHARE, "beginsAtZero", "type: int\n    initial: 0", "type: int\n    initial: 1"),
    (STREAMS, "stateIsComputed", '{when: "after == {}", to: EMPTY}', '{when: "after == {}", to: STABLE}'),
    (STREAMS, "anyEpochMayBeSetAgain", 'where: "epoch >= groupEpoch"', 'where: "epoch > groupEpoch"'),
    (STREAMS, "anyoneMayComeAndGo", "event: removeMember, from: EMPTY", 'event: removeMember, from: EMPTY, guard: "members != {}"'),
    (STREAMS, "oneAtATime", '{after: "members | {member: held}"}', '{after: "{member: held}"}'),
    (STREAMS, "assignedAnew", "effect: {targetAssignmentEpoch: epoch}", "effect: {targetAssignmentEpoch: targetAssignmentEpoch}"),
    (STREAMS, "topologiesComeAndGo", "- {when: ready}", '- {when: "ready and members == {}"}'),
    (CONSUMER, "assignmentIsNotAhead", "epoch >= targetAssignmentEpoch and epoch <= groupEpoch", "epoch >= targetAssignmentEpoch"),
    (CONSUMER, "epochsGrow", 'where: "epoch >= groupEpoch"', 'where: "epoch >= targetAssignmentEpoch"'),
    (CONSUMER, "settled", "{to: STABLE}", "{to: RECONCILING}"),
    (CONSUMER, "waits", "to: RECONCILING}", "to: STABLE}"),
    (SHARE, "assignmentIsNotAhead", "epoch >= targetAssignmentEpoch and epoch <= groupEpoch", "epoch >= targetAssignmentEpoch"),
    (SHARE, "epochsGrow", 'where: "epoch >= groupEpoch"', 'where: "epoch >= targetAssignmentEpoch"'),
    (SHARE, "settled", "to: STABLE", "to: EMPTY"),
    (STREAMS, "assignmentIsNotAhead", "epoch >= targetAssignmentEpoch and epoch <= groupEpoch", "epoch >= targetAssignmentEpoch"),
    (STREAMS, "epochsGrow", 'where: "epoch >= groupEpoch"', 'where: "epoch >= targetAssignmentEpoch"'),
    (STREAMS, "settled", "{to: STABLE}", "{to: RECONCILING}"),
    (STREAMS, "waits", "to: RECONCILING}", "to: STABLE}"),
    (RUNTIME, "answersWhatItHasRead", "{from: LOADING, to: ACTIVE", "{from: [LOADING, FAILED], to: ACTIVE"),
    (RUNTIME, "closedIsForgotten", "event: created\n    from: CLOSED\n    to: INITIAL", "event: created\n    from: CLOSED\n    to: ACTIVE"),
    (RUNTIME, "loads", "{from: LOADING, to: ACTIVE", "{from: FAILED, to: ACTIVE"),
    (LOOKUP, "found", "{from: UNKNOWN, to: KNOWN", "{from: UNKNOWN, to: UNKNOWN"),
    (LOOKUP, "findsIt", "{from: UNKNOWN, to: KNOWN, by", "{from: UNKNOWN, to: UNKNOWN, by"),
    (CONNECTION, "asksFirst", "{from: CHECKING_API_VERSIONS, to: READY", "{from: [CHECKING_API_VERSIONS, DISCONNECTED], to: READY"),
    (CONNECTION, "comesBackByConnecting", "{from: [DISCONNECTED, AUTHENTICATION_FAILED], to: CONNECTING", "{from: [DISCONNECTED, AUTHENTICATION_FAILED], to: [CONNECTING, READY]"),
    (CONNECTION, "decided", "from: [CONNECTING, CHECKING_API_VERSIONS, READY]\n    to: DISCONNECTED", "from: [CHECKING_API_VERSIONS, READY]\n    to: DISCONNECTED"),
]  # fmt: skip
"""A machine; a property; a text of the spec, and what stands there in the mutant, everywhere."""


@pytest.mark.parametrize(
    ("name", "claim", "text", "instead"),
    MUTANTS,
    ids=[f"{row[0].split('/')[1]}-{row[1]}" for row in MUTANTS],
)
def test_a_mistake_in_the_spec_breaks_the_property(
    name: str, claim: str, text: str, instead: str, tmp_path: Path
) -> None:
    """A property that no mistake breaks says nothing; as it stands, it holds."""
    file = tmp_path / f"{name.split('/')[-1]}.yaml"
    file.write_text(planted(name, text, instead), "utf-8")
    assert verdicts(explore(sm.load(file).at("4.3.1").value), claim) == [Verdict.VIOLATED]
    assert verdicts(as_it_stands(name, "4.3.1"), claim) == [Verdict.HOLDS]


@pytest.mark.parametrize("name", [*ENUMS, LOOKUP, CONNECTION])
def test_every_property_has_a_mutant(name: str) -> None:
    """One that is added needs one too."""
    claims = {
        PropertyKind.ALWAYS,
        PropertyKind.EACH_STEP,
        PropertyKind.LEADS_TO,
        PropertyKind.SOMETIMES,
    }
    claimed = {
        one.name for one in shipped(name).at("4.3.1").value.data.properties if one.kind in claims
    }
    assert claimed == {row[1] for row in MUTANTS if row[0] == name}


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_client_that_was_closed_searches_for_no_coordinator(
    tmp_path: Path, is_closed: bool
) -> None:
    """It had lost it, and is gone: nobody needs to look for it. The close of another client says
    nothing of this one.
    """
    internals = "org.apache.kafka.clients.consumer.internals.CoordinatorRequestManager"
    prefix, node = "[Consumer clientId=c-1, groupId=g]", "b:9092 (id: 2147483646 rack: null)"
    told = (
        (0, f"{prefix} Discovered group coordinator {node}", internals),
        (1, f"{prefix} Group coordinator {node} is unavailable or invalid due to cause: x. Rediscovery will be attempted.", internals),
        (9, f"App info kafka.consumer for c-{1 if is_closed else 2} unregistered", "org.apache.kafka.common.utils.AppInfoParser"),
        (59, "Kafka version: 4.3.1", "org.apache.kafka.common.utils.AppInfoParser"),
    )  # fmt: skip
    log = tmp_path / "client.log"
    log.write_text(
        "".join(f"[2026-11-22 20:00:{at:02},000] INFO {text} ({who})\n" for at, text, who in told)
    )
    report = sm.check([log], specs=[LOOKUP])
    assert [one.until is None for one in report.incidents] == ([] if is_closed else [True])


@pytest.mark.parametrize(
    ("release", "who"),
    [
        ("2.8.2", "AbstractCoordinator"),
        ("3.9.1", "ConsumerCoordinator"),
        ("4.3.1", "CoordinatorRequestManager"),
    ],
)
def test_a_client_without_its_coordinator_is_told_where_an_older_file_has_the_loss(
    tmp_path: Path, release: str, who: str
) -> None:
    """Log files are rotated, and it goes on without: it says so only now and then."""
    gone = "Consumer has been disconnected from the group coordinator for 300100ms"
    found = "Discovered group coordinator b:9092 (id: 2147483646 rack: null)"
    lines = [
        f"20:00:00,000] WARN [Consumer clientId=c-1, groupId=g] {gone} ({INTERNALS}{who})",
        f"20:00:40,000] INFO [Consumer clientId=c-2, groupId=g] {found} ({INTERNALS}{who})",
    ]
    log = tmp_path / "client.log"
    log.write_text("".join(f"[2026-11-22 {line}\n" for line in lines))
    (only,) = sm.check([log], specs=[LOOKUP], release=release).incidents
    assert (only.kind, only.is_open) == ("coordinator-unknown", True)


INTERNALS = "org.apache.kafka.clients.consumer.internals."
SEARCHERS = {"3.9.1": "ConsumerCoordinator", "4.3.1": "CoordinatorRequestManager"}
"""Who finds the coordinator, in the classic protocol and in the newer one."""


@pytest.mark.parametrize(
    ("release", "machine", "logger", "text"),
    [
        ("3.9.1", "kafka/AbstractCoordinator", "ConsumerCoordinator", "(Re-)joining group"),
        (
            "4.3.1",
            "kafka/MembershipManager",
            "ConsumerMembershipManager",
            "Member m with epoch 0 transitioned from UNSUBSCRIBED to JOINING.",
        ),
    ],
)
def test_of_a_consumer_that_was_closed_nothing_is_told_as_if_it_lived(
    tmp_path: Path, release: str, machine: str, logger: str, text: str
) -> None:
    """Neither its membership nor its search for the coordinator goes on; those of another do."""
    info, node = "org.apache.kafka.common.utils.AppInfoParser", "b:9092 (id: 2147483646 rack: null)"
    found = f"Discovered group coordinator {node}"
    told = [
        (f"Kafka version: {release}", info),
        *(
            (f"[Consumer clientId={client}, groupId=g] {said}", INTERNALS + who)
            for client in ("c-1", "c-2")
            for said, who in ((found, SEARCHERS[release]), (text, logger))
        ),
        ("App info kafka.consumer for c-1 unregistered", info),
    ]
    log = tmp_path / "client.log"
    log.write_text(
        "".join(
            f"[2026-11-22 20:00:{at:02},000] INFO {text} ({who})\n"
            for at, (text, who) in enumerate(told)
        )
    )
    rows = [(one.machine, "c-2" in dict(one.subject).values()) for one in sm.check([log]).now]
    assert sorted(rows) == sorted([(machine, True), ("kafka/FindCoordinator", True)])
