"""Logs that grow on a host: written, rotated, packed, cut and lost, as programs and logrotate do."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import define

from tests.doors import line

STATES = ("CLOSED", "OPEN", "LOCKED", "JAMMED", "GONE")
WORDINGS = (
    ("INFO", "Door {d} goes from {a} to {b}"),
    ("ERROR", "Door {d} did not get from {a} to {b}"),
    ("INFO", "Door {d} stands {a}"),
    ("INFO", "Door {d} hung into its frame"),
    ("INFO", "Every door -> d={a}, e={b}"),
    ("INFO", "House program starting up"),
    ("INFO", "House software version 1.1"),
    ("INFO", "House program has stopped"),
    ("INFO", "This is house number 7"),
    ("INFO", "nothing of interest"),
)


@define
class Host:
    """A folder in which logs are written, rotated and compressed, as programs and logrotate do."""

    folder: Path
    chance: random.Random
    seconds: int = 0

    def text(self) -> str:
        """Some more lines; the last one may be cut anywhere."""
        lines = []
        for _ in range(self.chance.randint(1, 12)):
            level, wording = self.chance.choice(WORDINGS)
            states = {name: self.chance.choice(STATES) for name in "ab"}
            self.seconds += self.chance.randint(0, 2)
            text = wording.format(d=self.chance.choice("de"), **states)
            lines.append(line(text, self.seconds, level=level) + "\n")
        whole = "".join(lines)
        return whole[: self.chance.randint(1, len(whole))] if self.chance.random() < 0.3 else whole

    def logs(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if path.is_file())

    def write(self) -> None:
        """A program goes on writing, or begins."""
        name = self.chance.choice(["house.log", "house.log", "shed.log"])
        with (self.folder / name).open("a") as log:
            log.write(self.text())

    def rotate(self) -> None:
        """house.log -> house.log.1 -> house.log.2 …, perhaps packed."""
        for path in sorted(self.folder.glob("house.log.*"), reverse=True):
            number = int(path.name.split(".")[2])
            path.rename(self.folder / path.name.replace(f".{number}", f".{number + 1}", 1))
        if (self.folder / "house.log").exists():
            (self.folder / "house.log").rename(self.folder / "house.log.1")

    def pack(self) -> None:
        for path in self.folder.glob("house.log.?"):
            if self.chance.random() < 0.5:
                path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
                path.unlink()

    def copy_and_truncate(self) -> None:
        if (self.folder / "shed.log").exists():
            content = (self.folder / "shed.log").read_bytes()
            (self.folder / "shed.log.1").write_bytes(content)
            (self.folder / "shed.log").write_text(self.chance.choice(["", self.text()]))

    def rewrite(self) -> None:
        """Somebody writes another log of the same name, perhaps of the same length."""
        for path in self.logs()[:1]:
            content = path.read_bytes()
            if not path.name.endswith(".gz"):
                path.write_bytes(content.replace(b"OPEN", b"GONE") if content else b"")

    def lose(self) -> None:
        for path in self.logs()[-1:]:
            path.unlink()

    def one_day(self) -> None:
        things = (
            *(self.write, self.write, self.write, self.rotate),
            *(self.pack, self.copy_and_truncate, self.rewrite, self.lose),
        )
        for _ in range(self.chance.randint(0, 4)):
            self.chance.choice(things)()


@define
class RestlessHost(Host):
    """A host of which several programs write of the same doors, and whose logs are rotated in the
    ways that lose most.
    """

    folders: tuple[str, ...] = ("", "", "annex")

    def write(self) -> None:
        """One of the programs goes on writing, or begins."""
        super().write()
        self._append(self.folder / self.chance.choice(self.folders) / "house.log", self.text())

    def _append(self, path: Path, text: str) -> None:
        path.parent.mkdir(exist_ok=True)
        with path.open("a") as log:
            log.write(text)

    def rotate_and_pack(self) -> None:
        """Between two looks: what was house.log is house.log.1.gz."""
        self.rotate()
        for path in self.folder.glob("house.log.1"):
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()

    def copy_and_truncate_within_a_line(self) -> None:
        """The program is in the middle of a line: its rest begins the log that is left; where it
        does not append, behind as many NUL bytes as were there.
        """
        log, text = self.folder / "shed.log", self.text()
        cut = self.chance.randint(1, len(text))
        self._append(log, text[:cut])
        self._shift_copies()
        (self.folder / "shed.log.1").write_bytes(log.read_bytes())
        hole = b"\0" * log.stat().st_size if self.chance.random() < 0.3 else b""
        log.write_bytes(hole + text[cut:].encode())

    def _shift_copies(self) -> None:
        for path in sorted(self.folder.glob("shed.log.?"), reverse=True):
            path.rename(path.with_suffix(f".{int(path.suffix[1:]) + 1}"))

    def shrink_and_grow(self) -> None:
        """Somebody cuts the end off a log, and it grows beyond what it was."""
        log = self.folder / "shed.log"
        if log.exists():
            content = log.read_text()
            log.write_text(content[: self.chance.randint(0, len(content))])
            while log.stat().st_size <= len(content):
                self._append(log, self.text())

    @property
    def keeping(self) -> tuple[Callable[[], None], ...]:
        """What may happen without anything being lost."""
        return (
            *(self.write, self.write, self.write, self.rotate, self.pack),
            *(self.rotate_and_pack, self.copy_and_truncate_within_a_line),
        )

    def one_day(self) -> None:
        things = *self.keeping, self.shrink_and_grow, self.rewrite, self.lose
        for _ in range(self.chance.randint(0, 4)):
            self.chance.choice(things)()


def growing(capture: Path, logs: Path, chance: random.Random, cuts: int) -> Iterator[None]:
    """Let the files of a capture be written, each in steps of its own."""
    files = {path: path.read_bytes() for path in sorted(capture.rglob("*")) if path.is_file()}
    marks = {
        path: [*sorted(chance.randint(0, len(text)) for _ in range(cuts - 1)), len(text)]
        for path, text in files.items()
    }
    for step in range(cuts):
        for path, text in files.items():
            log = logs / path.relative_to(capture)
            log.parent.mkdir(parents=True, exist_ok=True)
            known = log.stat().st_size if log.exists() else 0
            with log.open("ab") as written:
                written.write(text[known : marks[path][step]])
        yield
