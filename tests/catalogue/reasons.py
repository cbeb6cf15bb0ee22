"""Why the catalogue leaves lines of the facts out: rules over class and event, the first that fits counts."""

from __future__ import annotations

import re

from tests.catalogue.fact_lines import FactLine
from tests.catalogue.facts import CONTROLLER, LATER

NO_REASON = "no reason"
OLDEST_WITH_STATES = "0.10.2.0"
STREAMS_RULES = (
    (r"Assigned(Tasks|StreamsTasks|StandbyTasks) ", "the registries of tasks up to 2.5.1: a machine of their own"),
    (r"\S*PartitionAssignor", "the assignor decides who gets what: no state of a machine"),
    (
        r"(StateDirectory|ProcessorStateManager|StoreChangelogReader|GlobalStateManagerImpl|StateManagerUtil|StreamsProducer)",
        "directories, stores, changelogs and producers: no state of a machine",
    ),
    (r"DefaultStateUpdater", "the state updater's own sets; the steps of a task have lines of their own"),
    (r"(DefaultTaskManager|DefaultTaskExecutor)", "processing threads are switched off in every release"),
    (r"TaskExecutionMetadata", "named topologies: no state of a machine"),
    (r"(TaskManager|TaskExecutor|Tasks) ", "work on many tasks, or inside one state of a task; its steps have lines of their own"),
    (r"(ActiveTaskCreator|StandbyTaskCreator|\S*TaskCreator) ", "clients, skipped tasks and tasks up to 2.5.1, which have no states"),
    (r"(StreamTask|StandbyTask|AbstractTask) ", "inside one state of a task, or tasks up to 2.5.1, which have no states"),
    (r"GlobalStreamThread\S* global", "0.10.2.0..0.11.0.3 do not print the name of the global thread here"),
    (
        r"(StreamThread|StreamsRebalanceListener)\S* (thread\.loop\.skipped_by_state|thread\.restore\.phase|rebalance\.assigned\.skipped)",
        "names a state that is read without the lock: it may be behind the line of the step",
    ),
    (
        r"(StreamThread|StreamsRebalanceListener|DefaultStreamsRebalanceListener)\S* ",
        "inside one state of a thread: its loop, commits, callbacks, tasks without states",
    ),
    (r"KafkaStreams\S* client\.(start|started|close\.begin|close\.complete)", "0.10.2.0 does not print the name of the client"),
    (r"KafkaStreams", "inside one state of a client: its threads, directories, telemetry, group membership"),
)  # fmt: skip
CONTROLLER_RULES = (
    (r"\S+ (REQ_|ISR_CHANGE|BROKER_UPDATE)", "requests to brokers and their answers"),
    (
        r"\S+ (RA_|PL_|CS_|DEL_|TOPIC_|PART_|BROKER_|UNCLEAN_|NO_PARTITIONS)",
        "what the controller was asked to do or found out; the steps that follow have lines of their own",
    ),
    (r"\S+ EPOCH", "an epoch that was read, before it is raised: not that of this controller's lines"),
    (
        r"\S+ (FAILOVER_STEP|CTRL_START_STOP|PSM_|RSM_|EVENT_ERROR|LEADER_DELETED)",
        "the course of a start-up or of an event inside one state of the controller",
    ),
    (
        r"\S+ (P_INIT_LEADER|P_ELECT_CACHE|OFFLINE_SELECT|NOOP_SELECT|R_ISR_SHRUNK|RETAIN_LAST_ISR)",
        "what an election looked at or wrote; its outcome has a line of its own",
    ),
    (r"\S+ (FEATURE|MISC)", "nothing of the life cycle"),
)  # fmt: skip
LATER_RULES = {
    "client_membership": "members, heartbeats and producers: machines of their own",
    "group_coordinator": "groups on the broker: a machine of its own",
    "transaction_coordinator": "transactions on the broker: a machine of its own",
    "raft": "KRaft's quorum: a machine of its own",
    "controller": "KRaft's controller keeps no partition states",
    "broker": "KRaft's brokers keep no partition states",
}

_STEPS = "what goes on as it should: steps and marks have lines of their own"
UNREAD_RULES = (
    (r"\w+ broker \S+ .*(StopReplica|LeaderAndIsr|LeaderAndISR|stray|become-)", "requests of a controller in ZooKeeper mode, or what a follower does of them: a broker of KRaft reads its metadata"),
    (r"INFO streams ", f"{_STEPS}, or are inside one state of a task"),
    (r"INFO \S+ .*([Ee]rror|[Ff]ail|[Rr]eject|[Ii]gnor|[Uu]nable|[Tt]imed? ?out)", "a request that is tried again or is given back to who asked: no state changes"),
    (r"INFO ", _STEPS),
    (r"\w+ streams (StateDirectory|ProcessorStateManager|StateManagerUtil|StoreChangelogReader|StreamsProducer) ", "directories, stores, changelogs and producers: no state of a machine"),
    (r"\w+ streams \S*(Assignor|Listener) ", "the assignor decides who gets what: no state of a machine"),
    (r"\w+ streams ", "inside one state of a client, a thread or a task; what it comes to has a line"),
    (r"\w+ client_membership \S*(Heartbeat|Coordinator)\S* ", "one answer that the program is given; what it makes of the membership has a line"),
    (r"\w+ client_membership ", "a callback, or a step that is not taken: the state is told by the line of its step"),
    (r"\w+ group_coordinator ", "one request, a timer or a write of the coordinator: the group stays as it is"),
    (r"\w+ transaction_coordinator ", "loading, expiring, or what must not happen: the transaction stays as it is"),
    (r"\w+ controller ", "one request, or a setting of the cluster: no broker and no partition changes"),
    (r"\w+ raft ", "one request or snapshot, or what must not happen: the node stays what it is"),
    (r"\w+ broker (Partition|ReplicaManager) ", "one request or directory; kafka/LogDir and kafka/Partition have what comes of it"),
    (r"\w+ broker ", "an error inside the broker: where it ends it, kafka/KafkaProcess has that"),
)  # fmt: skip
"""Level, group, class and template of a shape that no spec reads, to why; the first that fits counts."""


def unread_reason(shape: tuple[str, ...]) -> str:
    """Say why a shape of 3.8 to 4.3 is not read; `no reason` where no rule fits.

    Args:
        shape: group, class, level, releases, template.
    """
    group, owner, level, _, template = shape
    words = f"{level} {group} {owner} {template}"
    return next((said for rule, said in UNREAD_RULES if re.match(rule, words)), NO_REASON)


def reason(line: FactLine) -> str:
    """Say why a line is left out; `no reason` where no rule fits."""
    file, owner, event = line.group
    if file == LATER and event != "streams":
        return LATER_RULES.get(event, NO_REASON)
    if file not in (CONTROLLER, LATER) and all(
        release < OLDEST_WITH_STATES for release in line.releases
    ):
        return f"before {OLDEST_WITH_STATES} nothing of Kafka Streams has states"
    rules = CONTROLLER_RULES if file == CONTROLLER else STREAMS_RULES
    return next(
        (said for pattern, said in rules if re.match(pattern, f"{owner} {event}")), NO_REASON
    )
