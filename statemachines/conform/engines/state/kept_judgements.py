"""Judgements of earlier checks in a state folder, and what they rest on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from statemachines.conform.engines.state.judged_facts import JudgedFacts, JudgementHead
from statemachines.conform.engines.state.kept_results import KeptJudgement
from statemachines.conform.engines.state.kept_variants import KeptMembers, KeptVariant
from statemachines.conform.engines.state.packed_values import pack_value, unpack_value
from statemachines.conform.engines.state.renumbering import Numbering
from statemachines.conform.interchange.judgements import RowCounts, StepRow

JUDGEMENT_TABLES = """
CREATE TABLE IF NOT EXISTS judgements (
    who TEXT PRIMARY KEY, head BLOB, judged BLOB, fold BLOB, rows INTEGER);
CREATE TABLE IF NOT EXISTS step_rows (
    who TEXT, number INTEGER, numbering INTEGER, rows BLOB, PRIMARY KEY (who, number));
CREATE TABLE IF NOT EXISTS grouped (
    id INTEGER PRIMARY KEY, head BLOB, variants BLOB, members BLOB);
CREATE TABLE IF NOT EXISTS judged_contents (
    content INTEGER PRIMARY KEY, parts INTEGER, tail INTEGER);
CREATE TABLE IF NOT EXISTS numberings (id INTEGER PRIMARY KEY, numbering BLOB);
CREATE TABLE IF NOT EXISTS rested_on (facts BLOB, numbering INTEGER);
"""


class KeptJudgements:
    """The judgements in the database of a state folder.

    Raises (all methods):
        DamagedValue, sqlite3.Error: something in it is not as it was written.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def heads(self) -> Iterator[tuple[str, JudgementHead]]:
        """Yield the heads of all judgements."""
        for who, head in self._database.execute("SELECT who, head FROM judgements"):
            yield who, unpack_value(head)

    def judgement(self, who: str) -> KeptJudgement | None:
        """Return a judgement; None where only a fold is kept."""
        row = self._database.execute("SELECT judged FROM judgements WHERE who = ?", (who,))
        (judged,) = row.fetchone()
        return None if judged is None else unpack_value(judged)

    def fold(self, who: str) -> tuple[object, RowCounts]:
        """Return what judging came to, and what was counted until then."""
        row = self._database.execute("SELECT fold FROM judgements WHERE who = ?", (who,))
        fold, counts = unpack_value(row.fetchone()[0])
        return fold, counts

    def rows(self, who: str) -> Iterator[tuple[int, list[StepRow]]]:
        """Yield the steps before the fold, and the numbering that they are written with."""
        rows = self._database.execute(
            "SELECT numbering, rows FROM step_rows WHERE who = ? ORDER BY number", (who,)
        )
        for numbering, packed in rows.fetchall():
            yield numbering, [StepRow(*row) for row in zip(*unpack_value(packed), strict=True)]

    def put(
        self, who: str, head: JudgementHead, judged: KeptJudgement | None, fold: bytes | None
    ) -> None:
        """Keep a judgement; `fold` is packed."""
        packed = None if judged is None else pack_value(judged)
        self._database.execute(
            "INSERT OR REPLACE INTO judgements VALUES (?, ?, ?, ?, 0)",
            (who, pack_value(head), packed, fold),
        )

    def add_rows(self, who: str, numbering: int, rows: Sequence[StepRow]) -> None:
        """Put steps, written with a numbering, behind those that are kept."""
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            self._database.execute(
                "INSERT INTO step_rows SELECT ?, 1 + coalesce(max(number), 0), ?, ?"
                " FROM step_rows WHERE who = ?",
                (who, numbering, pack_value(columns), who),
            )

    def forget_rows(self, who: str) -> None:
        """Forget the steps of an instance."""
        self._database.execute("DELETE FROM step_rows WHERE who = ?", (who,))

    def forget(self, instances: Iterable[str]) -> None:
        """Forget the judgements of some instances."""
        for who in instances:
            self._database.execute("DELETE FROM judgements WHERE who = ?", (who,))
            self.forget_rows(who)

    def forget_all(self) -> None:
        """Forget all judgements."""
        tables = (
            "judgements",
            "step_rows",
            "grouped",
            "judged_contents",
            "numberings",
            "rested_on",
        )
        for table in tables:
            self._database.execute(f"DELETE FROM {table}")

    def group_heads(self) -> dict[int, JudgementHead]:
        """Return what the groups rest on, by what their rows are called."""
        rows = self._database.execute("SELECT id, head FROM grouped")
        return {number: unpack_value(head) for number, head in rows}

    def group(self, number: int) -> tuple[list[KeptVariant], KeptMembers]:
        """Return how the instances of a group went, and who they are."""
        row = self._database.execute(
            "SELECT variants, members FROM grouped WHERE id = ?", (number,)
        )
        variants, members = map(unpack_value, row.fetchone())
        return variants, members

    def put_group(
        self,
        head: JudgementHead,
        variants: Sequence[KeptVariant],
        members: KeptMembers,
        number: int | None = None,
    ) -> None:
        """Keep a group, in the place of another or as a new one."""
        packed = map(pack_value, (head, variants, members))
        self._database.execute(
            "INSERT OR REPLACE INTO grouped VALUES (?, ?, ?, ?)", (number, *packed)
        )

    def forget_groups(self, numbers: Iterable[int]) -> None:
        """Forget some groups."""
        rows = [(number,) for number in numbers]
        self._database.executemany("DELETE FROM grouped WHERE id = ?", rows)

    def rested_on(self) -> tuple[JudgedFacts, int] | None:
        """Return what the last check knew, and the numbering of that; None before the first."""
        row = self._database.execute("SELECT facts, numbering FROM rested_on").fetchone()
        return None if row is None else (unpack_value(row[0]), row[1])

    def numberings(self) -> dict[int, Numbering]:
        """Return the numberings with which judgements are written."""
        rows = self._database.execute("SELECT id, numbering FROM numberings")
        return {number: unpack_value(packed) for number, packed in rows}

    def judged_contents(self) -> dict[int, tuple[int, int]]:
        """Return how many parts of each content are judged, and how long it was where its end is
        judged too (0 where it is not).
        """
        rows = self._database.execute("SELECT content, parts, tail FROM judged_contents")
        return {content: (parts, tail) for content, parts, tail in rows}

    def add_numbering(self, numbering: Numbering) -> int:
        """Keep a numbering, and return what it is called."""
        cursor = self._database.execute(
            "INSERT INTO numberings (numbering) VALUES (?)", (pack_value(numbering),)
        )
        return int(cursor.lastrowid or 0)

    def conclude(
        self, facts: JudgedFacts, numbering: int, contents: Mapping[int, tuple[int, int]],
        used: Iterable[int],
    ) -> None:  # fmt: skip
        """Note what all judgements rest on now, and how far the contents are judged.

        Args:
            facts: what was known.
            numbering: of this check.
            contents: how many parts of each, and how long it is where its end is judged too.
            used: the numberings with which judgements are written.
        """
        self._database.execute("DELETE FROM rested_on")
        self._database.execute(
            "INSERT INTO rested_on VALUES (?, ?)", (pack_value(facts), numbering)
        )
        self._database.execute("DELETE FROM judged_contents")
        rows = [(content, *judged) for content, judged in contents.items()]
        self._database.executemany("INSERT INTO judged_contents VALUES (?, ?, ?)", rows)
        of_rows = self._database.execute("SELECT DISTINCT numbering FROM step_rows").fetchall()
        used_numberings = {numbering, *used, *chain.from_iterable(of_rows)}
        for (number,) in self._database.execute("SELECT id FROM numberings").fetchall():
            if number not in used_numberings:
                self._database.execute("DELETE FROM numberings WHERE id = ?", (number,))
