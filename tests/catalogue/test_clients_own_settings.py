"""How long a group may take is read from what its consumers print of their own configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm

CONSUMER = "org.apache.kafka.clients.consumer."
MEMBER = "[Consumer clientId=c-1, groupId=billing] "
ASKS = {
    "3.4.1": ("", "(Re-)joining group", "internals.ConsumerCoordinator"),
    "4.1.1": ("CLASSIC", "(Re-)joining group", "internals.ConsumerCoordinator"),
    "4.2.1": (
        "CONSUMER",
        "Member Qx7 with epoch 3 transitioned from STABLE to RECONCILING.",
        "internals.ConsumerMembershipManager",
    ),
}
"""By release: the protocol that is printed, and what a member writes that begins to wait for its group, or to take over its assignment."""


def told(folder: Path, release: str, interval_ms: int) -> list[str]:
    """Return the kinds of incidents where a consumer with this interval waits for a minute."""
    protocol, asks, logger = ASKS[release]
    prints = [
        "\tclient.id = c-1",
        "\tgroup.id = billing",
        *([f"\tgroup.protocol = {protocol}"] if protocol else []),
        f"\tmax.poll.interval.ms = {interval_ms}",
        f" ({CONSUMER}ConsumerConfig)",
    ]
    log = folder / "app.log"
    log.write_text(
        "[2026-11-22 20:00:00,000] INFO ConsumerConfig values: \n" + "\n".join(prints) + "\n"
        f"[2026-11-22 20:00:00,100] INFO Kafka version: {release} (org.apache.kafka.common.utils.AppInfoParser)\n"
        f"[2026-11-22 20:00:01,000] INFO {MEMBER}{asks} ({CONSUMER}{logger})\n"
        f"[2026-11-22 20:01:01,000] INFO {MEMBER}Resetting the last seen epoch of partition orders-2 to 0 ({CONSUMER}internals.SubscriptionState)\n",
        "utf-8",
    )
    return [one.kind for one in sm.check([log]).incidents]


@pytest.mark.parametrize("release", ASKS)
def test_a_group_does_not_settle_once_the_clients_own_interval_is_over(
    tmp_path: Path, release: str
) -> None:
    """Five minutes are long where the program allows itself ten seconds, and short where it allows ten minutes."""
    assert {"client-rebalance-late", "member-unsettled"} & set(told(tmp_path, release, 10_000))
    assert not {"client-rebalance-late", "member-unsettled"} & set(told(tmp_path, release, 600_000))


def test_a_consumer_without_a_group_is_no_member(tmp_path: Path) -> None:
    """It prints `group.id = null`, and waits for nobody."""
    log = tmp_path / "app.log"
    log.write_text(
        "[2026-11-22 20:00:00,000] INFO ConsumerConfig values: \n\tclient.id = c-1\n\tgroup.id = null\n"
        f"\tgroup.protocol = CLASSIC\n\tmax.poll.interval.ms = 10000\n ({CONSUMER}ConsumerConfig)\n"
        "[2026-11-22 20:00:00,100] INFO Kafka version: 4.1.1 (org.apache.kafka.common.utils.AppInfoParser)\n",
        "utf-8",
    )
    report = sm.check([log])
    assert not [one for one in report.now if "AbstractCoordinator" in one.machine]


@pytest.mark.parametrize(("allowed", "late"), [(10_000, True), (600_000, False)])
def test_a_worker_of_connect_waits_as_long_as_it_prints(
    tmp_path: Path, allowed: int, late: bool
) -> None:
    """Its rebalance.timeout.ms is what max.poll.interval.ms is to a consumer."""
    connect = "org.apache.kafka.connect.runtime.distributed."
    worker = "[Worker clientId=w-1, groupId=connect-cluster] "
    log = tmp_path / "connect.log"
    log.write_text(
        "[2026-11-22 20:00:00,000] INFO DistributedConfig values: \n\tclient.id = w-1\n\tgroup.id = connect-cluster\n"
        f"\trebalance.timeout.ms = {allowed}\n ({connect}DistributedConfig)\n"
        "[2026-11-22 20:00:00,100] INFO Kafka version: 3.9.1 (org.apache.kafka.common.utils.AppInfoParser)\n"
        f"[2026-11-22 20:00:01,000] INFO {worker}(Re-)joining group ({connect}WorkerCoordinator)\n"
        f"[2026-11-22 20:01:01,000] INFO {worker}Discovered group coordinator localhost:9092 (id: 1 rack: null) ({connect}WorkerCoordinator)\n",
        "utf-8",
    )
    kinds = [one.kind for one in sm.check([log]).incidents]
    assert ("client-rebalance-late" in kinds) is late
