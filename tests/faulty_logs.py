"""Logs with planted faults: lines that are lost, doubled, swapped, cut, littered or retold."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

Lines = list[bytes]


def place_in(lines: Lines, chance: random.Random) -> int:
    """Choose a line: mostly one that seems to tell of a step."""
    told = [number for number, line in enumerate(lines[:-1]) if b" to " in line or b"->" in line]
    return (
        chance.choice(told) if told and chance.random() < 0.8 else chance.randrange(len(lines) - 1)
    )


def dropped(lines: Lines, chance: random.Random) -> Lines:
    """Lose a line."""
    del lines[place_in(lines, chance)]
    return lines


def doubled(lines: Lines, chance: random.Random) -> Lines:
    """Say a line twice."""
    place = place_in(lines, chance)
    return [*lines[: place + 1], *lines[place:]]


def swapped(lines: Lines, chance: random.Random) -> Lines:
    """Exchange two neighbours."""
    place = place_in(lines, chance)
    lines[place : place + 2] = lines[place + 1], lines[place]
    return lines


def cut(lines: Lines, chance: random.Random) -> Lines:
    """Begin late, or end early, within a line."""
    place = chance.randrange(1, len(lines))
    return (
        lines[place:]
        if chance.random() < 0.5
        else [*lines[:place], lines[place][: chance.randrange(1, 60)]]
    )


def littered(lines: Lines, chance: random.Random) -> Lines:
    """Put in what is no text, or a very long line."""
    dirt = [
        b"\xff\xfe\x80\n",
        b"\x00" * 50 + b"\n",
        b"x" * 300_000 + b"\n",
        b"\n",
        b"\tat a.b.C(D.java:1)\r\n",
        b"\xef\xbb\xbf",
    ]
    lines.insert(chance.randrange(len(lines)), chance.choice(dirt))
    return lines


RETOLD = (
    (b"to RUNNING", b"to CREATED"),
    (b"to OnlinePartition", b"to NewPartition"),
    (b"to OnlineReplica", b"to NonExistentReplica"),
)


def retold(lines: Lines, chance: random.Random) -> Lines:
    """Let a line tell another state."""
    told = [
        (number, old, new)
        for number, line in enumerate(lines)
        for old, new in RETOLD
        if old in line
    ]
    if told:
        number, old, new = chance.choice(told)
        lines[number] = lines[number].replace(old, new)
    return lines


Fault = Callable[[Lines, random.Random], Lines]

FAULTS: tuple[Fault, ...] = (
    dropped,
    doubled,
    swapped,
    cut,
    littered,
    retold,
)


def with_faults(
    folder: Path, target: Path, chance: random.Random, faults: int, kinds: Sequence[Fault] = FAULTS
) -> None:
    """Copy a folder of logs, with faults in its files."""
    shutil.copytree(folder, target)
    files = [path for path in sorted(target.rglob("*")) if path.is_file() and path.stat().st_size]
    for _ in range(faults):
        path = chance.choice(files)
        lines = path.read_bytes().splitlines(keepends=True)
        if len(lines) > 2:
            path.write_bytes(b"".join(chance.choice(kinds)(lines, chance)))
