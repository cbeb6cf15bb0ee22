"""Logs of a cluster without ZooKeeper, written line by line: controllers 101 to 103, brokers 1 to 3."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from attrs import define, field

import statemachines as sm

ID, OTHER = "8rCbj06YSLmVR1rUQaBkfg", "SIfjV7HvSL6G7qNBe_9ScA"
LOGGERS = {
    "partition change for": "ReplicationControlManager",
    "PartitionRecord": "ReplicationControlManager",
    "RemoveTopicRecord": "ReplicationControlManager",
    "changing": "ReplicationControlManager",
    "Fencing broker": "ReplicationControlManager",
    "BrokerRecord": "ClusterControlManager",
    "RegistrationChangeRecord": "ClusterControlManager",
    "request from broker": "BrokerHeartbeatManager",
    "enced broker": "BrokerHeartbeatManager",
    "Setting new leader": "PartitionChangeBuilder",
}


@define
class Cluster:
    """The logs of a cluster."""

    folder: Path
    lines: dict[str, list[str]] = field(factory=lambda: defaultdict(list))

    def controller(self, node: int, second: float, text: str, level: str = "INFO") -> None:
        """Have a controller write a line."""
        logger = next(
            (name for words, name in LOGGERS.items() if words in text), "QuorumController"
        )
        prefix = "" if text.startswith("Setting new leader") else f"[QuorumController id={node}] "
        line = f"[{_clock(second)}] {level} {prefix}{text} (org.apache.kafka.controller.{logger})\n"
        self.lines[f"controller{node}/controller.log"].append(line)

    def change(
        self,
        node: int,
        second: float,
        changes: str,
        *,
        topic: str = "t-0",
        topic_id: str = ID,
        unclean: bool = False,
    ) -> None:
        """Have a controller replay a change of a partition."""
        text = f"partition change for {topic} with topic ID {topic_id}: {changes}"
        self.controller(
            node, second, f"UNCLEAN {text}" if unclean else text, "INFO" if unclean else "DEBUG"
        )

    def partition(
        self,
        node: int,
        second: float,
        leader: int = 1,
        epoch: int = 0,
        *,
        topic: str = "t-0",
        topic_id: str = ID,
        isr: str = "1, 2",
    ) -> None:
        """Have a controller replay the record of a partition."""
        registration = (
            f"PartitionRegistration(replicas=[1, 2], directories=[], isr=[{isr}], removingReplicas=[], addingReplicas=[], elr=[], "
            f"lastKnownElr=[], leader={leader}, leaderRecoveryState=RECOVERED, leaderEpoch={epoch}, partitionEpoch={epoch})"
        )
        self.controller(
            node,
            second,
            f"Replayed PartitionRecord for new partition {topic} with topic ID {topic_id} and {registration}.",
        )

    def registered(self, node: int, second: float, broker: int, epoch: int) -> None:
        """Have a controller replay the registration of a broker."""
        record = f"RegisterBrokerRecord(brokerId={broker}, incarnationId=x, brokerEpoch={epoch}, endPoints=[], features=[], rack=null"
        end = "fenced=true, inControlledShutdown=false, logDirs=[])"
        self.controller(
            node,
            second,
            f"Replayed initial RegisterBrokerRecord for broker {broker}: {record}, {end}",
        )

    def fenced(
        self, node: int, second: float, broker: int, epoch: int, fenced: int, leaving: int = 0
    ) -> None:
        """Have a controller replay that a broker is fenced (1), unfenced (-1), or leaves."""
        change = f"BrokerRegistrationChangeRecord(brokerId={broker}, brokerEpoch={epoch}, fenced={fenced}, inControlledShutdown={leaving})"
        text = f"Replayed BrokerRegistrationChangeRecord modifying the registration for broker {broker}: {change}"
        self.controller(node, second, text.removesuffix(")") + ", logDirs=[])")

    def starts(self, node: int, second: float) -> None:
        """Have a controller start."""
        self.controller(
            node, second, "Creating new QuorumController with clusterId MkU3OEVBNTcwNTJENDM2Qg"
        )

    def renounces(self, node: int, second: float) -> None:
        """Have a controller renounce."""
        why = "We were the leader at epoch 1, but in the new epoch 2, the leader is (none). Reverting to last stable offset 30."
        self.controller(
            node, second, f"Renouncing the leadership due to a metadata log event. {why}", "WARN"
        )

    def follows(
        self,
        broker: int,
        second: float,
        leader: int,
        epoch: int,
        partition_epoch: int,
        *,
        topic: str = "t-0",
    ) -> None:
        """Have a broker hear who leads."""
        text = f"Follower {topic} starts at leader epoch {epoch} from offset 0 with partition epoch {partition_epoch} and high watermark 0."
        self._broker(
            broker,
            second,
            f"{text} Current leader is {leader}. Previous leader Some(1) and previous leader epoch was 0.",
        )

    def leads(
        self,
        broker: int,
        second: float,
        epoch: int,
        partition_epoch: int,
        *,
        topic: str = "t-0",
        isr: str = "1,2",
    ) -> None:
        """Have a broker hear that it leads."""
        text = f"Leader {topic} with topic id Some({ID}) starts at leader epoch {epoch} from offset 0 with partition epoch {partition_epoch}"
        end = "adding replicas [] and removing replicas [] . Previous leader None and previous leader epoch was -1."
        self._broker(broker, second, f"{text}, high watermark 0, ISR [{isr}], {end}")

    def shrinks_or_grows(
        self, leader: int, second: float, isr: str, partition_epoch: int, *, topic: str = "t-0"
    ) -> None:
        """Have a leader hear that the controllers have taken its set of in-sync replicas."""
        text = f"ISR updated to {isr}  and version updated to {partition_epoch}"
        line = f"[{_clock(second)}] INFO [Partition {topic} broker={leader}] {text} (kafka.cluster.Partition)\n"
        self.lines[f"broker{leader}/server.log"].append(line)

    def _broker(self, broker: int, second: float, text: str) -> None:
        line = f"[{_clock(second)}] INFO [Broker id={broker}] {text} (state.change.logger)\n"
        self.lines[f"broker{broker}/state-change.log"].append(line)

    def check(self, machine: str = "Partition") -> sm.Report:
        """Judge all of them."""
        for name, lines in self.lines.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text("".join(lines), "utf-8")
        return sm.check([self.folder], specs=[f"kafka/{machine}"], engine="local")


def _clock(second: float) -> str:
    return (
        f"2026-11-22 20:{int(second) // 60:02}:{int(second) % 60:02},{round(second % 1 * 1000):03}"
    )


def told(report: sm.Report) -> list[str]:
    """The told steps that lead elsewhere: second, from and to."""
    rows = [one for one in report.timeline if one.how == "told" and one.source != one.target]
    return [f"{_second(one.at)} {one.source} {one.target}" for one in rows]


def episodes(report: sm.Report) -> list[str]:
    """The episodes: kind, first and last second."""
    return [f"{one.kind} {_second(one.since)}..{_second(one.until)}" for one in report.episodes]


def said(report: sm.Report) -> list[str]:
    """The findings: kind, verdict, place."""
    return [
        f"{one.kind} {one.verdict.name} {'/'.join(one.place.file.split('/')[-2:])}:{one.place.line}"
        for one in report.findings
        if one.place
    ]


def _second(instant: object) -> object:
    ms = getattr(instant, "ms", None)
    return "" if ms is None else round(ms / 1000 % 3600, 1)
