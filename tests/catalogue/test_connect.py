"""What the logs of Connect's workers mislead about, and its own unit tests as calls of the machines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.definitions.snapshots import Ignored, Snapshot
from statemachines.model.evidence.reports import EpisodeOutcome
from statemachines.model.evidence.verdicts import Verdict
from statemachines.semantics.machine.step import step
from tests.shipped import shipped_machine, shipped_spec

HERDER, WORKER = "runtime.distributed.DistributedHerder", "runtime.Worker"
CONNECTOR, TASK, SOURCE = (
    "runtime.WorkerConnector",
    "runtime.WorkerTask",
    "runtime.AbstractWorkerSourceTask",
)
ID = "[Worker clientId=connect-1, groupId=connect] "
KILLED = "Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted"
JOINED = (
    "Joined group at generation 7 with protocol version 2 and got assignment: Assignment{error=0, "
    "leader='connect-1-19aa', leaderUrl='http://127.0.0.1:8083/', offset=2, connectorIds=[], "
    "taskIds=[], revokedConnectorIds=[], revokedTaskIds=[], delay=0}"
)
MADE = {
    "connector": [
        (HERDER, f"{ID}Starting connector numbers"),
        (WORKER, "[numbers|worker] Creating connector numbers of type com.example.Numbers"),
        (
            WORKER,
            "[numbers|worker] Instantiated connector numbers with version 1 of type class com.example.Numbers",
        ),
        (WORKER, "[numbers|worker] Finished creating connector numbers"),
    ],
    "asked for its tasks": [
        (
            "runtime.SourceConnectorConfig",
            "SourceConnectorConfig values: \n\tname = numbers\n\ttasks.max = 1",
        )
    ],
    "task": [
        (HERDER, f"{ID}Starting task numbers-0"),
        (WORKER, "[numbers|task-0] Creating task numbers-0"),
        (
            WORKER,
            "[numbers|task-0] Instantiated task numbers-0 with version 1 of type com.example.NumbersTask",
        ),
    ],
    "runs": [
        (
            SOURCE,
            "[numbers|task-0] WorkerSourceTask{id=numbers-0} Source task finished initialization and start",
        )
    ],
    "stop task": [(WORKER, "[numbers|task-0] Stopping task numbers-0")],
    "hangs": [(WORKER, "[numbers|task-0] Graceful stop of task numbers-0 failed.")],
    "dies": [
        (
            TASK,
            f"[numbers|task-0] WorkerSourceTask{{id=numbers-0}} {KILLED}\njava.io.IOException: Connection reset by peer",
        )
    ],
    "start fails": [
        (
            CONNECTOR,
            "[numbers|worker] WorkerConnector{id=numbers} Error while starting connector\njava.net.ConnectException: refused",
        )
    ],
    "ended": [(CONNECTOR, "[numbers|worker] Completed shutdown for WorkerConnector{id=numbers}")],
    "pause": [(WORKER, "Setting connector numbers state to PAUSED")],
    "resume": [(WORKER, "Setting connector numbers state to STARTED")],
    "removed": [(HERDER, f"{ID}Connector numbers config removed")],
    "flushed": [
        (HERDER, f"{ID}Finished flushing status backing store in preparation for rebalance")
    ],
    "plan": [
        (
            HERDER,
            f"{ID}Executing plan to restart 1 of 1 tasks for restart request for {{connectorName='numbers', onlyFailed=true, includeTasks=true}}",
        )
    ],
    "joined": [(HERDER, f"{ID}{JOINED} with rebalance delay: 0")],
    "waits": [(HERDER, f"{ID}{JOINED} with rebalance delay: 300000")],
    "told to stop": [("runtime.Connect", "Kafka Connect stopping")],
    "stopped": [("runtime.Connect", "Kafka Connect stopped")],
    "starts": [("runtime.Connect", "Kafka Connect starting")],
    "has an address": [
        (HERDER, "[Worker clientId=connect-10.0.0.1:8083, groupId=connect] Herder starting")
    ],
    "mirror begins": [("mirror.MirrorMaker", "Kafka MirrorMaker initializing ...")],
    "mirror is told to stop": [("mirror.MirrorMaker", "Kafka MirrorMaker stopping")],
    "mirror stopped": [("mirror.MirrorMaker", "Kafka MirrorMaker stopped.")],
    "silent": [
        (
            "runtime.distributed.WorkerCoordinator",
            f"{ID}Group coordinator 127.0.0.1:9092 (id: 2147483646 rack: null) is unavailable or"
            " invalid due to cause: session timed out without receiving a heartbeat response."
            " isDisconnected: false. Rediscovery will be attempted.",
        )
    ],
}
"""Lines of a worker, by what they are."""
RUNS = ["connector", "asked for its tasks", "task", "runs"]


def checked(folder: Path, *told: tuple[str, str], apart: int = 1) -> sm.Report:
    """Judge what workers told, in order, some seconds apart: worker, and what."""
    lines: dict[str, list[str]] = {}
    for second, (worker, what) in zip(range(0, 3600, apart), told, strict=False):
        for logger, text in MADE[what]:
            first, *rest = text.split("\n")
            level = (
                "ERROR"
                if any(word in first for word in ("exception", "Error", "failed."))
                else "INFO"
            )
            tail = f" (org.apache.kafka.connect.{logger}:1)"
            record = [
                f"[2026-11-22 10:{second // 60:02}:{second % 60:02},000] {level} {first}",
                *rest,
            ]
            lines.setdefault(worker, []).append("\n".join(record) + tail)
    for worker, texts in lines.items():
        (folder / worker).mkdir(exist_ok=True)
        (folder / worker / "connect.log").write_text("\n".join(texts) + "\n", "utf-8")
    return sm.check([folder / worker for worker in lines], release="3.9.1")


def path(report: sm.Report, machine: str) -> list[str]:
    """The states to which steps of the only instance of a machine are told, in order."""
    return [
        str(row.target)
        for row in report.timeline
        if row.machine == f"kafka/{machine}" and row.how == "told"
    ]


def by(worker: str, *what: str) -> list[tuple[str, str]]:
    """What one worker tells."""
    return [(worker, each) for each in what]


ROWS = {
    "a connector that runs, and its task": (by("a", *RUNS), ["RUNNING"], ["RUNNING"]),
    "a worker that dies says nothing, and another takes over": (
        by("a", *RUNS) + by("b", *RUNS),
        ["RUNNING", "RUNNING"],
        ["RUNNING", "RUNNING"],
    ),
    "one that is to begin paused runs not, and nothing says what it does": (
        by("a", "connector"),
        [],
        [],
    ),
    "one that fails at its start never ran": (by("a", "connector", "start fails"), ["FAILED"], []),
    "its failure may stand before the line that it was made": (
        [("a", "start fails"), ("a", "asked for its tasks")],
        ["FAILED"],
        [],
    ),
    "all workers write a wish, and one acts": (
        by("a", *RUNS)
        + by("b", "pause")
        + by("a", "pause")
        + by("b", "resume")
        + by("a", "resume", "asked for its tasks"),
        ["RUNNING", "PAUSED", "RUNNING"],
        ["RUNNING", "PAUSED", "RUNNING"],
    ),
    "a task that is stopped": (by("a", *RUNS, "stop task"), ["RUNNING"], ["RUNNING", "UNASSIGNED"]),
    "a task that hangs keeps its record": (
        by("a", *RUNS, "stop task", "hangs"),
        ["RUNNING"],
        ["RUNNING"],
    ),
    "a failed task has ended, and is not stopped": (
        by("a", *RUNS, "dies", "stop task"),
        ["RUNNING"],
        ["RUNNING", "FAILED"],
    ),
    "a zombie says of itself what is not so": (
        by("a", *RUNS) + by("b", "task", "runs") + by("a", "dies"),
        ["RUNNING"],
        ["RUNNING", "RUNNING"],
    ),
    "a failed task of a connector that is removed is gone": (
        by("a", *RUNS, "dies", "removed", "ended", "flushed"),
        ["RUNNING", "UNASSIGNED", "DESTROYED"],
        ["RUNNING", "FAILED", "DESTROYED"],
    ),
    "a plan restarts what failed": (
        by("a", *RUNS, "dies", "plan", "stop task", "task", "runs"),
        ["RUNNING"],
        ["RUNNING", "FAILED", "RESTARTING", "RUNNING"],
    ),
    "a task of a paused connector begins paused": (
        by("a", *RUNS, "pause", "stop task") + by("b", "task"),
        ["RUNNING", "PAUSED"],
        ["RUNNING", "PAUSED", "UNASSIGNED", "PAUSED"],
    ),
}


@pytest.mark.parametrize("told", ROWS)
def test_what_workers_tell_is_what_the_topic_has(told: str, tmp_path: Path) -> None:
    """The topic is what REST answers; the log of a worker says more than it, and less."""
    lines, connector, task = ROWS[told]
    report = checked(tmp_path, *lines)
    assert (path(report, "Connector"), path(report, "ConnectorTask")) == (connector, task)
    assert [
        finding.message for finding in report.findings if finding.verdict is not Verdict.HOLDS
    ] == []


def test_a_failed_task_is_told_with_its_cause(tmp_path: Path) -> None:
    """Which, since when, and by what: what somebody on call asks first."""
    report = checked(tmp_path, *by("a", *RUNS, "dies"))
    (episode,) = [one for one in report.episodes if one.kind == "failed"]
    assert (dict(episode.subject), episode.until) == ({"connector": "numbers", "task": 0}, None)
    assert "java.io.IOException: Connection reset by peer" in episode.reason


def test_what_was_given_up_is_counted(tmp_path: Path) -> None:
    """Its thread lives on, and no record says so."""
    report = checked(
        tmp_path, *by("a", *RUNS, "stop task", "hangs", "task", "runs", "stop task", "hangs")
    )
    assert [(row.kind, row.count) for row in report.repeated if "given up" in row.kind] == [
        ("did not stop and was given up", 2)
    ]


@pytest.mark.parametrize("again", ["mirror begins", "joined"])
def test_what_a_mirror_maker_gave_up_lasts_as_long_as_its_process(
    tmp_path: Path, again: str
) -> None:
    """It runs connectors by itself, with no worker's first line; killed and started, it holds nothing."""
    report = checked(tmp_path, *by("a", "mirror begins", *RUNS, "stop task", "hangs", again))
    outcomes = [one.outcome for one in report.incidents if one.kind == "task-not-stopped"]
    over, lives = EpisodeOutcome.HEALED, EpisodeOutcome.MAY_BE_OVER
    assert outcomes == [over if again == "mirror begins" else lives]


def test_a_mirror_maker_that_was_stopped_has_stopped(tmp_path: Path) -> None:
    """With the words of its own class, and not those of a worker of Connect."""
    told = by("a", "mirror begins", "joined", "mirror is told to stop", "mirror stopped")
    assert path(checked(tmp_path, *told), "ConnectWorker")[-2:] == ["Stopping", "Stopped"]


RUNNING = {
    "created": True,
    "resumed": False,
    "broken": False,
    "wish": "STARTED",
    "waits": False,
    "planned": False,
    "removed": False,
}
SCENARIOS = {
    "WorkerConnectorTest.testFailureIsFinalState": (
        "DESTROYED",
        RUNNING,
        ["fail", "shutdown"],
        "UNASSIGNED",
    ),
    "WorkerConnectorTest.testFailureIsFinalState: it does not start any more": (
        "FAILED",
        RUNNING | {"broken": True},
        ["taskConfigs"],
        "FAILED ignored",
    ),
    "WorkerConnectorTest.testStartupPaused": (
        "DESTROYED",
        RUNNING | {"wish": "PAUSED", "waits": True},
        ["created", "shutdown"],
        "UNASSIGNED",
    ),
    "WorkerConnectorTest.testTransitionPausedToPaused": (
        "RUNNING",
        RUNNING,
        ["pause", "pause"],
        "PAUSED ignored",
    ),
    "WorkerConnectorTest.testStopFailure": (
        "RUNNING",
        RUNNING | {"resumed": True},
        ["stop", "taskConfigs", "shutdown"],
        "UNASSIGNED",
    ),
    "a connector that has failed is not paused": ("FAILED", RUNNING, ["pause"], "FAILED ignored"),
    "a connector that has failed is stopped": ("FAILED", RUNNING, ["stop"], "STOPPED"),
}
ALIVE = {"alive": True, "waits": False, "planned": False, "removed": False}
TASKS = {
    "WorkerTaskTest.standardStartup": ("DESTROYED", ALIVE, ["run", "stop"], "UNASSIGNED"),
    "WorkerTaskTest.stopBeforeStarting": ("DESTROYED", ALIVE, ["stop"], "UNASSIGNED"),
    "a task that failed is not stopped": (
        "RUNNING",
        ALIVE | {"alive": False},
        ["fail", "stop"],
        "FAILED ignored",
    ),
    "a task that failed runs again": ("FAILED", ALIVE, ["run"], "RUNNING"),
    "a plan restarts a task that failed": (
        "FAILED",
        ALIVE | {"planned": True},
        ["startTask", "run"],
        "RUNNING",
    ),
}


@pytest.mark.parametrize(
    ("machine", "test"),
    [*(("Connector", test) for test in SCENARIOS), *(("ConnectorTask", test) for test in TASKS)],
)
def test_a_unit_test_of_connect_comes_out_as_there(machine: str, test: str) -> None:
    """What its authors found worth a test, of connect-runtime 3.9.1."""
    first, values, calls, expected = (SCENARIOS if machine == "Connector" else TASKS)[test]
    spec = shipped_machine(f"kafka/{machine}", "3.9.1")
    now, said = Snapshot(first, values), ""
    for call in calls:
        answer = step(spec, now, call)
        now, said = answer.after, " ignored" if isinstance(answer, Ignored) else ""
    assert f"{now.state}{said}" == expected


READ = [
    "2.8.2",
    "3.0.2",
    "3.1.2",
    "3.2.3",
    "3.3.2",
    "3.4.0",
    "3.5.2",
    "3.6.2",
    "3.7.2",
    "3.8.1",
    "3.9.1",
    "4.0.1",
    "4.1.1",
    "4.2.0",
    "4.3.1",
]
"""The releases whose source the facts were read from."""
ROW = re.compile(
    r"^\| (?P<level>[A-Z]+) \| `(?P<text>.*?)` \| (?P<classes>[\w, ]+) \| (?P<ranges>[\d., ;]+) \|",
    re.MULTILINE,
)
BEHIND = re.compile(r"^\[Worker [^\]]+\] |^\[[^|\]]+\|[^\]]+\] ")
"""What stands before the message of a herder, and of a connector's or a task's thread."""
OUTSIDE = {"SourceConnectorConfig", "SinkConnectorConfig", "LogReporter"}
"""Loggers whose lines are built by code, or are dumps of settings: the facts have no row of them."""

INHERITED = ("Group coordinator ", "Kafka MirrorMaker ")
"""How lines begin that the facts of Connect do not have: the clients' AbstractCoordinator writes the
first by the worker's logger, and they stand in the facts of clients; the others are those of a
program that runs connectors by itself, of connect-mirror 3.5.1 and 4.3.1.
"""


def rows_of_facts(shared: Path) -> list[tuple[str, re.Pattern[str], set[str], set[str]]]:
    """Level, wording, classes and releases of each line of the facts."""
    found = []
    for row in ROW.finditer((shared / "facts" / "kafka_connect_facts.md").read_text("utf-8")):
        wording = ".*".join(re.escape(part) for part in row["text"].rstrip().split("{}"))
        releases = set[str]()
        for one in row["ranges"].split(";"):
            first, _, last = one.strip().partition("..")
            releases |= set(READ[READ.index(first) : READ.index(last or first) + 1])
        found.append(
            (
                row["level"],
                re.compile(wording),
                {name.strip() for name in row["classes"].split(",")},
                releases,
            )
        )
    return found


@pytest.mark.parametrize("machine", ["Connector", "ConnectorTask", "ConnectWorker"])
def test_a_line_of_connect_stands_in_the_facts(machine: str, shared: Path) -> None:
    """Its level, its logger and the releases that write it are those of the source."""
    spec, facts = shipped_spec(f"kafka/{machine}"), rows_of_facts(shared)
    assert spec.log is not None
    wrong = []
    for line in spec.log.lines:
        names = {logger.rpartition(".")[2] for logger in line.loggers}
        if names & OUTSIDE:
            continue
        there = {release for release in READ if line.releases & spec.family.bit(release)}
        for sample in line.samples:
            message = BEHIND.sub("", sample.line.split("\n")[0])
            if message.startswith(INHERITED):
                continue
            read = [
                row
                for row in facts
                if row[1].fullmatch(message) and row[2] & names and line.level in (None, row[0])
            ]
            if there - {release for row in read for release in row[3]}:
                wrong.append((message, line.level, names, sorted(there), read))
    assert wrong == []


def incidents(report: sm.Report) -> list[tuple[str, list[str], bool]]:
    """The title of each incident of workers, those of its effects, and whether it is ill."""
    return [
        (one.title, [effect.title for effect in one.effects], one.is_ill)
        for one in report.incidents
        if one.machine == "kafka/ConnectWorker"
    ]


def test_a_worker_that_was_stopped_is_why_its_work_waits(tmp_path: Path) -> None:
    """Somebody who is asked why nothing is copied finds who went away, and when."""
    told = [*by("a", "joined"), *by("b", "told to stop", "stopped"), *by("a", "waits", "joined")]
    effect = "a worker of connect was gone, and its work waited"
    report = checked(tmp_path, *told, apart=3)
    assert incidents(report) == [("worker b is stopped", [effect], False)]


def test_a_worker_that_stops_in_order_is_no_incident(tmp_path: Path) -> None:
    """A rolling restart that nobody's work waits for, and a stop at the end of a log."""
    told = [*by("a", "joined"), *by("b", "told to stop", "stopped", "starts", "joined")]
    assert incidents(checked(tmp_path, *told, *by("a", "told to stop", "stopped"))) == []


def test_a_worker_that_was_frozen_is_why_its_work_waited(tmp_path: Path) -> None:
    """It says so itself when it wakes up, after the others have waited for it."""
    told = [*by("a", "joined", "waits", "joined"), *by("b", "silent", "joined")]
    silent = "worker b was silent for longer than its session, and lost its work"
    effect = "a worker of connect was gone, and its work waited"
    assert incidents(checked(tmp_path, *told, apart=3)) == [(silent, [effect], False)]


def test_a_worker_that_was_killed_is_why_its_work_waited(tmp_path: Path) -> None:
    """Its own log tells of it as it starts again; that two others wait is one thing, told once."""
    told = [
        *by("a", "starts", "joined"),
        *by("c", "starts", "joined"),
        *by("b", "starts", "joined"),
    ]
    waits = [*by("a", "waits"), *by("c", "waits"), *by("a", "joined"), *by("c", "joined")]
    killed = "worker b was killed, or crashed, before it started again"
    effect = "a worker of connect was gone, and its work waited"
    report = checked(tmp_path, *told, *waits, *by("b", "starts", "joined"), apart=3)
    assert incidents(report) == [(killed, [effect], False)]
    assert [one.count for one in report.incidents[0].effects] == [1]


@pytest.mark.parametrize(("apart", "kinds"), [(1, []), (3, ["worker-lost"])])
def test_work_that_is_moved_by_and_by_waits_for_nobody(
    tmp_path: Path, apart: int, kinds: list[str]
) -> None:
    """From 3.4 on a leader moves it in steps where workers are added, 40 ms and 1.6 s apart."""
    told = by("a", "joined", "waits", "joined")
    report = checked(tmp_path, *told, apart=apart)
    assert [one.kind for one in report.incidents] == kinds


def test_a_worker_is_called_by_its_address(tmp_path: Path) -> None:
    """As the group's own lines call it, wherever its log lies; from 3.6 on its client.id has it."""
    starts = ("starts", "has an address", "joined")
    report = checked(tmp_path, *by("b", *starts, *starts))
    assert [one.title for one in report.incidents] == [
        "worker 10.0.0.1:8083 was killed, or crashed, before it started again"
    ]


def test_a_task_that_did_not_stop_may_live_on(tmp_path: Path) -> None:
    """Its thread does until its worker ends; no line tells of that, so it is not called over."""
    report = checked(tmp_path, *by("a", *RUNS, "stop task", "hangs"))
    (stuck,) = (one for one in report.incidents if one.kind == "task-not-stopped")
    assert stuck.outcome is EpisodeOutcome.MAY_BE_OVER


def test_a_fenced_producer_has_failed_where_its_steps_are_hidden(tmp_path: Path) -> None:
    """Its steps are told at DEBUG, and the reason at INFO, as programs run."""
    who = "[Producer clientId=p-old, transactionalId=tx-1]"
    words = "org.apache.kafka.common.errors.ProducerFencedException: There is a newer producer"
    (tmp_path / "p.log").write_text(
        f"[2026-11-22 10:00:00,000] INFO {who} Transiting to fatal error state due to {words}"
        " (org.apache.kafka.clients.producer.internals.TransactionManager)\n"
        "[2026-11-22 10:00:01,000] INFO still here (com.example.Orders)\n",
        "utf-8",
    )
    (failed,) = sm.check([tmp_path / "p.log"], release="4.2.0").incidents
    assert (failed.title, failed.is_open) == ("producer p-old failed", True)
    assert failed.cause is not None
    assert "newer producer" in failed.cause.words
