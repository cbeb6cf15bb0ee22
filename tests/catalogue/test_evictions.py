"""Members that were put out of their groups, in the words of each release: who it was, and why, from the client's side and the coordinator's."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm

INTERNALS = "org.apache.kafka.clients.consumer.internals."
OLD, NEW = INTERNALS + "AbstractCoordinator", INTERNALS + "ConsumerCoordinator"
MEMBER = "Generation{generationId=7, memberId='c-1-5f', protocol='range'}"
UNKNOWN = "The coordinator is not aware of this member."
TOO_LATE = "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, which"
LEAVES = (
    "Member c-1-5f sending LeaveGroup request to coordinator b:9092 (id: 2147483646 rack: null)"
)
RESET = "encountered UNKNOWN_MEMBER_ID from HEARTBEAT response"
BEAT = f"Attempt to heartbeat with {MEMBER} and group instance id Optional.empty failed due to UNKNOWN_MEMBER_ID, resetting generation"
FENCED = "The group instance id Optional[i-1] has been fenced by another instance. Sent generation was -1"

Rows = tuple[tuple[str, str, str], ...]

CLIENT: list[tuple[str, str, str, Rows]] = [
    ("2.0.1", "member-fenced", "", (("INFO", OLD, "Attempt to heartbeat failed for since member id c-1-5f is not valid."),)),
    ("2.4.1", "member-fenced", "", (("ERROR", NEW, f"Offset commit failed on partition orders-2 at offset 15: {UNKNOWN}"),)),
    ("2.6.2", "member-fenced", "", (("INFO", OLD, f"SyncGroup with {MEMBER} failed: {UNKNOWN}, would request re-join"),)),
    ("2.8.1", "member-fenced", "", (("INFO", OLD, BEAT),)),
    ("2.8.1", "member-fenced", "", (("INFO", OLD, f"JoinGroup failed: {UNKNOWN} Need to re-join the group. Sent generation was {MEMBER}"),)),
    ("3.1.1", "member-fenced", "", (("INFO", NEW, BEAT), ("INFO", NEW, f"Resetting generation due to: {RESET}"))),
    ("4.3.1", "member-fenced", "", (("INFO", NEW, BEAT), ("INFO", NEW, f"Resetting generation and member id due to: {RESET} and requesting re-join"))),
    ("4.1.0", "member-fenced", "", (
        ("ERROR", NEW, f"Offset commit failed on partition orders-2 at offset 15: {UNKNOWN}"),
        ("INFO", NEW, f"OffsetCommit failed with {MEMBER}: {UNKNOWN}"),
        ("INFO", NEW, f"Resetting generation and member id due to: {RESET.replace('HEARTBEAT', 'OFFSET_COMMIT')} and requesting re-join"),
    )),
    ("2.1.1", "poll-too-late", "", (("WARN", OLD, f"This member will leave the group because {TOO_LATE}"),)),
    ("2.4.1", "poll-too-late", "", (("INFO", OLD, f"{LEAVES} due to {TOO_LATE}"),)),
    ("2.8.2", "poll-too-late", "", (("INFO", OLD, f"{LEAVES} due to {TOO_LATE}"),)),
    ("3.0.0", "poll-too-late", "", (("WARN", NEW, TOO_LATE), ("INFO", NEW, f"{LEAVES} due to consumer poll timeout has expired."))),
    ("4.3.1", "poll-too-late", "", (("WARN", NEW, TOO_LATE), ("INFO", NEW, f"{LEAVES} due to consumer poll timeout has expired."))),
    ("2.5.0", "instance-fenced", "instanceId=i-1, ", (("ERROR", OLD, "Received fatal exception: group.instance.id gets fenced"),)),
    ("2.6.3", "instance-fenced", "instanceId=i-1, ", (("ERROR", OLD, f"SyncGroup with {MEMBER} failed because the group instance id Optional[i-1] has been fenced by another instance"),)),
    ("2.7.1", "instance-fenced", "instanceId=i-1, ", (("ERROR", OLD, f"JoinGroup failed: {FENCED}"),)),
    ("4.2.0", "instance-fenced", "instanceId=i-1, ", (("ERROR", NEW, "Caught fenced group.instance.id Optional[i-1] error in heartbeat thread"),)),
]  # fmt: skip
"""A release, what is to be told, what stands before the client's name, and what the client writes: level, logger, text."""

SCALA, JAVA = (
    "kafka.coordinator.group.GroupCoordinator",
    "org.apache.kafka.coordinator.group.GroupMetadataManager",
)
HERE = "[GroupCoordinator id=1 topic=__consumer_offsets partition=1]"
LEFT = "consumer poll timeout has expired."
COORDINATOR = [
    ("2.4.1", SCALA, "[GroupCoordinator 1]: Member c-1-5f in group billing has failed, removing it from the group"),
    ("3.4.1", SCALA, f"[GroupCoordinator 1]: Member MemberMetadata(memberId=c-1-5f) has left group billing through explicit `LeaveGroup`; client reason: {LEFT}"),
    ("3.9.1", SCALA, "[GroupCoordinator 1]: Group billing removed dynamic members who haven't joined: Set(c-1-5f)"),
    ("4.1.1", JAVA, f"{HERE} Member c-1-5f in group billing has failed, removing it from the group."),
    ("4.3.1", JAVA, f"{HERE} [Group billing] Member c-1-5f has left group through explicit `LeaveGroup` request; client reason: {LEFT}"),
]  # fmt: skip
"""A release, a logger and what the coordinator writes of a member that it puts out."""


def judged(folder: Path, release: str, rows: Rows) -> sm.Report:
    """Judge what one program writes within a second."""
    lines = [
        f"[2026-11-22 20:00:00,{number:03}] {level} {text} ({logger})\n"
        for number, (level, logger, text) in enumerate(rows)
    ]
    log = folder / "app.log"
    log.write_text("".join(lines), "utf-8")
    return sm.check([log], release=release, engine="local")


@pytest.mark.parametrize(("release", "kind", "instance", "rows"), CLIENT)
def test_a_client_that_is_out_of_its_group_is_told_once(
    release: str, kind: str, instance: str, rows: Rows, tmp_path: Path
) -> None:
    """However many lines tell of it, and no line of them is strange to its release."""
    prefix = f"[Consumer {instance}clientId=c-1, groupId=billing] "
    report = judged(tmp_path, release, tuple((*row[:2], prefix + row[2]) for row in rows))
    told = [(one.kind, one.count) for one in report.incidents if one.kind == kind]
    assert (told, report.findings) == ([(kind, 1)], ())


@pytest.mark.parametrize(("release", "logger", "text"), COORDINATOR)
def test_the_coordinator_says_which_group_lost_a_member(
    release: str, logger: str, text: str, tmp_path: Path
) -> None:
    """Because it was silent, did not join or give up its partitions in time, or said itself that it does not poll."""
    report = judged(tmp_path, release, (("INFO", logger, text),))
    assert "member-lost" in {one.kind for one in report.incidents}
    assert report.findings == ()


@pytest.mark.parametrize(
    ("release", "joins"),
    [
        ("3.8.1", ""),
        ("3.9.2", " using the consumer protocol"),
        ("4.3.1", " using the consumer protocol"),
    ],
)
@pytest.mark.parametrize(
    "reason",
    [
        "the member session expired.",
        "it failed to transition from epoch 4 within 45000ms.",
    ],
)
def test_a_group_of_the_newer_protocol_says_that_it_lost_a_member(
    release: str, joins: str, reason: str, tmp_path: Path
) -> None:
    """Share groups fence in the same words: whose line it is is known by a member that joined."""
    prefix = f"{HERE} [GroupId billing] Member c-1-5f "
    texts = f"joins the consumer group{joins}.", f"fenced from the group because {reason}"
    report = judged(tmp_path, release, tuple(("INFO", JAVA, prefix + text) for text in texts))
    assert [one.kind for one in report.incidents] == ["member-lost"]
    assert report.findings == ()


@pytest.mark.parametrize(
    ("joins", "puts_out"),
    [
        ("Member c-1-5f joins the consumer group using the consumer protocol.", "Member"),
        ("Member c-1-5f joins the share group using the share protocol.", "Member"),
        ("[MemberId c-1-5f] Member joins the streams group.", "Streams member"),
    ],
    ids=["consumer", "share", "streams"],
)
def test_who_was_put_out_is_named(joins: str, puts_out: str, tmp_path: Path) -> None:
    """At INFO nothing else tells whom the group waited for: who it was stands below the reason."""
    group = f"{HERE} [GroupId billing]"
    texts = (
        f"{group}{'' if joins.startswith('[') else ' '}{joins}",
        f"{group} {puts_out} c-1-5f fenced from the group because the member session expired.",
    )
    report = judged(tmp_path, "4.3.1", tuple(("INFO", JAVA, text) for text in texts))
    (only,) = report.incidents
    assert only.kind == "member-lost"
    assert only.cause is not None
    assert only.cause.words == "the member session expired"
    titles = [effect.title for effect in only.effects]
    assert titles == ["member c-1-5f was put out of the group billing"]


def test_a_member_that_leaves_in_order_is_no_trouble(tmp_path: Path) -> None:
    """The same words with another reason."""
    text = f"{HERE} [Group billing] Member c-1-5f has left group through explicit `LeaveGroup` request; client reason: the consumer is being closed"
    assert judged(tmp_path, "4.3.1", (("INFO", JAVA, text),)).incidents == ()
