"""What the catalogue reads in the shipped layout it reads in the layouts of the images that people run.

The patterns are those of the images' own configuration, as far as it is public: the tarball's
log4j2.yaml, Connect's with its context, Strimzi's two, what containers and their collectors put
around a line.
"""

from __future__ import annotations

import re

import pytest

from statemachines.conform.checking import make_plan
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.logs import Scanner, default_layouts, scan
from tests.shipped import shipped_specs

SHIPPED = "[2026-01-02 12:00:00,000] LEVEL MSG (LOGGER)"
LAYOUTS = {
    "Connect's connect-log4j2.yaml": "[2026-01-02 12:00:00,000] LEVEL MSG (LOGGER:123)",
    "Strimzi with log4j 1": "2026-01-02 12:00:00,000 LEVEL MSG (LOGGER) [main]",
    "Strimzi with log4j 2": "2026-01-02 12:00:00 LEVEL  [main] SHORT:123 - MSG",
    "the official image, by docker logs -t": f"2026-01-02T12:00:00.000000000Z {SHIPPED}",
    "the official image, in a pod": f"2026-01-02T12:00:00.000000000Z stdout F {SHIPPED}",
    "Confluent's image, by docker compose": f"broker-1  | {SHIPPED}",
    "Confluent's image without loggers": "2026-01-02T12:00:00,000 LEVEL MSG",
    "Confluent's operator, JSON": '{"timestamp":"2026-01-02T12:00:00.000Z","level":"LEVEL","logger":"LOGGER","message":"MSG"}',
    "kubectl --prefix": f"[pod/kafka-0/kafka] {SHIPPED}",
}  # fmt: skip
MACHINES = (
    "QuorumState", "QuorumController", "BrokerLifecycle", "BrokerRegistration", "Partition",
    "LogDir", "Fetcher", "KafkaProcess", "ModernConsumerGroup", "ConsumerGroup", "ShareGroup",
    "TransactionCoordinator", "TransactionManager", "MembershipManager", "AbstractCoordinator",
    "Connector", "ConnectorTask", "ConnectWorker",
)  # fmt: skip

Line = tuple[str, str, str]
"""Level, logger and message."""


@pytest.fixture(scope="module")
def reader() -> CatalogueReader:
    """Reads the machines of clusters without ZooKeeper, of Connect and of clients."""
    wanted = {f"kafka/{name}" for name in MACHINES}
    return CatalogueReader(make_plan([one for one in shipped_specs() if one.name in wanted]))


@pytest.fixture(scope="module")
def samples(reader: CatalogueReader) -> list[Line]:
    """Return all messages of one line that their specs show, each by its logger."""
    return [
        (line.level or "INFO", line.loggers[0], sample.line)
        for owner in reader.plan.owners
        for line in owner.lines
        if line.loggers and line.thread is None
        for sample in line.samples
        if "\n" not in sample.line
    ]


def readings(reader: CatalogueReader, layout: str, samples: list[Line]) -> list[object]:
    """Return what is read of each message in a layout, by its line: machines and fields.

    Which entry of one text it is, for the releases in which the class lay in another package, a
    layout that names no package cannot tell.
    """
    is_json = layout.startswith("{")
    lines = [
        layout.replace("LEVEL", level)
        .replace("LOGGER", logger)
        .replace("SHORT", logger.rpartition(".")[2])
        .replace("MSG", message.replace('"', '\\"') if is_json else message)
        for level, logger, message in samples
    ]
    data = ("\n".join(lines) + "\n").encode()
    found: dict[int, object] = {}
    scanner, layouts = Scanner(reader.scan_literals), default_layouts()
    for record in scan(data, 0, len(data), scanner, layouts, loggers=reader.loggers):
        _, read = reader.read_with_headers(record)
        found[record.line] = {
            (one.owner, *match.fields.items()) for one in read for _, match in one.matches
        }
    return [found.get(number + 1) for number in range(len(lines))]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_sample_is_read_as_in_the_shipped_layout(
    reader: CatalogueReader, samples: list[Line], layout: str
) -> None:
    """A machine and its fields: neither the place of the logger nor its length matters. Where there
    is none at all, lines whose words are anybody's (`strict`) are left out, and those that begin as
    a thread and a logger do.
    """
    nameless = "LOGGER" not in LAYOUTS[layout] and "SHORT" not in LAYOUTS[layout]
    known = readings(reader, SHIPPED, samples)
    assert len(samples) > 300
    assert not any(readings(reader, "2026-01-02 12:00:00 he wrote: MSG", samples[:20]))
    assert all(known)
    lines = [line for owner in reader.plan.owners for line in owner.lines if line.strict]
    strict = {sample.line for line in lines for sample in line.samples}
    strict |= {message for _, _, message in samples if re.match(r"\[[^\]]*\] \w+: ", message)}
    differing = [
        (sample[2], one, other)
        for sample, one, other in zip(
            samples, known, readings(reader, LAYOUTS[layout], samples), strict=True
        )
        if one != other and not (nameless and sample[2] in strict and not other)
    ]
    assert not differing, (len(differing), differing[:3])
