"""Logs of programs that no spec of ours knows, with the shapes of lines that their public logs have."""

from __future__ import annotations

import random
from collections.abc import Iterator

QUORUM_STEPS = {
    "LOOKING": ("FOLLOWING", "LEADING"),
    "FOLLOWING": ("LOOKING",),
    "LEADING": ("LOOKING",),
}
TASK_STEPS = {
    "NEW": ("SCHEDULED",),
    "SCHEDULED": ("RUNNING", "KILL_WAIT"),
    "RUNNING": ("SUCCEEDED", "FAILED"),
    "KILL_WAIT": ("KILLED",),
}
APP_STEPS = {"NEW": ("NEW_SAVING",), "NEW_SAVING": ("SUBMITTED",), "SUBMITTED": ("ACCEPTED",), "ACCEPTED": ("RUNNING",), "RUNNING": ("FINISHED",)}  # fmt: skip


def zookeeper_log(lines: int = 60, seed: int = 1) -> str:
    """A peer of a quorum tells its state as a word alone; sessions come and go between."""
    draw, text, state, open_sessions = random.Random(seed), list[str](), "LOOKING", list[str]()
    for number in range(lines):
        head = f"2015-07-29 17:{number // 60:02}:{number % 60:02},747 - INFO "
        peer = f"{head} [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:QuorumPeer@774] - "
        session = f"0x14f05578bd8{number:04x}"
        if number % 5 == 0:
            text.append(f"{peer}{state}")
            state = draw.choice(QUORUM_STEPS[state])
        elif number % 5 in (1, 2):
            open_sessions.append(session)
            text.append(
                f"{head} [CommitProcessor:1:ZooKeeperServer@673] - Established session {session} with negotiated timeout 10000 for client /10.10.34.{number}:5{number:03}"
            )
        elif open_sessions:
            text.append(
                f"{head} [ProcessThread(sid:1 cport:-1)::PrepRequestProcessor@476] - Processed session termination for sessionid: {open_sessions.pop(0)}"
            )
    return "\n".join(text) + "\n"


def _lives(
    steps: dict[str, tuple[str, ...]], names: list[str], draw: random.Random
) -> Iterator[tuple[str, str, str]]:
    """Yield steps of several instances, one after the other at random, until all have ended."""
    left = dict.fromkeys(names, "NEW")
    while left:
        name = draw.choice(list(left))
        before = left[name]
        after = left[name] = draw.choice(steps[before])
        yield name, before, after
        if after not in steps:
            del left[name]


def yarn_log(tasks: int = 12, seed: int = 1) -> str:
    """Tasks of a job and the application, each with its own logger; names stand before the words."""
    draw = random.Random(seed)
    task_names = [f"task_1445144423722_0020_m_{number:06}" for number in range(tasks)]
    apps = [f"application_1445144423722_{number:04}" for number in range(1, 5)]
    written = [
        f"INFO [AsyncDispatcher event handler] org.apache.hadoop.mapreduce.v2.app.job.impl.TaskImpl: {name} Task Transitioned from {one} to {other}"
        for name, one, other in _lives(TASK_STEPS, task_names, draw)
    ] + [
        f"INFO [AsyncDispatcher event handler] org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppImpl: {name} State change from {one} to {other} on event = {draw.choice(['START', 'KILL'])}"
        for name, one, other in _lives(APP_STEPS, apps, draw)
    ]
    return (
        "\n".join(
            f"2015-10-18 18:{n // 60:02}:{n % 60:02},978 {line}" for n, line in enumerate(written)
        )
        + "\n"
    )


def hdfs_log(blocks: int = 20, seed: int = 1) -> str:
    """Blocks that are allocated, received, stored and deleted: no line names a state."""
    draw, text = random.Random(seed), list[str]()
    ways = [
        "org.apache.hadoop.hdfs.server.namenode.FSNamesystem: BLOCK* allocateBlock: /user/root/part-{n}. {block}",
        "org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving block {block} src: /10.250.19.{n}:54106 dest: /10.250.19.102:50010",
        "org.apache.hadoop.hdfs.server.datanode.DataNode: Received block {block} of size 6710{n} from /10.250.10.6",
        "org.apache.hadoop.hdfs.server.namenode.FSNamesystem: BLOCK* addStoredBlock: blockMap updated: 10.251.73.{n}:50010 is added to {block} size 67108864",
        "org.apache.hadoop.hdfs.server.datanode.FSDataset: Deleting block {block} file /mnt/hadoop/dfs/data/current/{block}",
    ]  # fmt: skip
    left = {f"blk_{draw.randrange(10**17, 10**18)}": 0 for _ in range(blocks)}
    while left:
        block = draw.choice(list(left))
        text.append(ways[left[block]].format(block=block, n=draw.randrange(10, 250)))
        left[block] += 1
        if left[block] == len(ways):
            del left[block]
    return (
        "\n".join(
            f"2008-11-09 20:{n // 60:02}:{n % 60:02},148 INFO {line}" for n, line in enumerate(text)
        )
        + "\n"
    )
