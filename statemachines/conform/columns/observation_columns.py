"""What many lines of known forms report, as columns: the schema of observations that were never
made one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve, field

from statemachines.conform.interchange.observations import (
    KeyValues,
    LineWords,
    Observation,
    plain_observation,
)
from statemachines.conform.interchange.profiles import Shift
from statemachines.model.arrays import load_numpy
from statemachines.model.values import frozen

InstanceKey = tuple[int, KeyValues]
"""Machine and key: which instance a line tells of, before it is known who tells it."""


@frozen(eq=False)
class FoldedSteps:
    """Plain steps of one instance with nothing of it in between, each from where the one before led
    and not before it: what judging needs of all of them.
    """

    fitting: int
    """The releases in each of which they are legal."""
    total: int
    first: Observation
    before: Observation
    """The last but one."""
    last: Observation
    came: Observation | None
    """The last that led to another state."""
    steps: Mapping[tuple[str, str], int]
    """From where to where, and how often."""
    words: tuple[LineWords, ...]
    """All that the lines say."""
    lines: Callable[[], ObservationColumns] = field(repr=False)
    """Gives the lines themselves, for where judging needs more; may be pickled."""

    @property
    def instance(self) -> InstanceKey:
        """Of which instance they are."""
        return self.first.owner, self.first.key

    @property
    def source(self) -> str | None:
        """Where the first step begins."""
        return self.first.readings[0].source

    @property
    def targets(self) -> frozenset[str]:
        """Where steps lead."""
        return frozenset(target for _, target in self.steps)


@frozen
class WrittenTexts:
    """Texts that lie in a file, where whoever needs one reads it."""

    file: int
    """Its number among those that several have written."""
    start: int
    size: int
    """Bytes."""


@frozen(eq=False)
class ObservationColumns:
    """Observations of lines without prefix that tell their date; a row a line, in their order.

    What few lines tell differently is a code: an index into the tuple behind its column.
    """

    file: int
    """Number of the file in the check."""
    texts: bytes
    """Has the text of each line; nothing where it is `written`."""
    starts: Any
    sizes: Any
    """Where in `texts` a line begins, and its bytes; int64."""
    lines: Any
    """1-based; int64."""
    at: Any
    reached: Any
    """Milliseconds, as `Observation` has them; int64."""
    instance_codes: Any
    instances: tuple[InstanceKey, ...]
    word_codes: Any
    words: tuple[LineWords, ...]
    folded: tuple[FoldedSteps, ...] = ()
    """Lines that are not among the rows."""
    written: WrittenTexts | None = None

    def shifted(self, shift: Shift) -> ObservationColumns:
        """Return the observations of a piece at their places in the whole file."""
        before, reached = shift.reached.get(None), self.reached
        if before is not None:
            reached = load_numpy().maximum(reached, before)
        return evolve(self, lines=self.lines + shift.lines, reached=reached)

    def with_each_instance_once(self) -> ObservationColumns:
        """Return the same observations with no instance twice behind their codes: less to hand on,
        where many lines tell of each.
        """
        numpy, index = load_numpy(), dict[InstanceKey, int]()
        codes = [index.setdefault(who, len(index)) for who in self.instances]
        if len(index) == len(codes):
            return self
        codes_once = numpy.array(codes, numpy.int64)[self.instance_codes]
        return evolve(self, instance_codes=codes_once, instances=tuple(index))

    def part(self, chosen: Any) -> ObservationColumns:
        """Return the observations that a mask chooses, with the texts of their lines alone; where
        these are written, they stay there.
        """
        numpy = load_numpy()
        sizes, starts, texts = self.sizes[chosen], self.starts[chosen], b""
        if self.written is None:
            ends = starts + sizes
            pieces = map(self.texts.__getitem__, map(slice, starts.tolist(), ends.tolist()))
            starts, texts = numpy.cumsum(sizes) - sizes, b"".join(pieces)
        instance_codes, instances = _used(self.instance_codes[chosen], self.instances)
        word_codes, words = _used(self.word_codes[chosen], self.words)
        return ObservationColumns(
            self.file,
            texts,
            starts,
            sizes,
            self.lines[chosen],
            self.at[chosen],
            self.reached[chosen],
            instance_codes,
            instances,
            word_codes,
            words,
            written=self.written,
        )

    def observations(self, chosen: Any = ...) -> list[Observation]:
        """Return the observations that a mask chooses; all of them without one."""
        columns = (
            self.starts, self.sizes, self.lines, self.at, self.reached, self.instance_codes,
            self.word_codes,
        )  # fmt: skip
        observations = list[Observation]()
        rows = zip(*(column[chosen].tolist() for column in columns), strict=True)
        for start, size, line, at, reached, instance, words in rows:
            owner, key = self.instances[instance]
            observed = self.words[words], self.file, line, reached, at
            text = self.texts[start : start + size].decode("ascii")
            observations.append(plain_observation(owner, key, *observed, text))
        return observations


def _used(codes: Any, values: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Return codes anew for the values that are used, and those."""
    numpy = load_numpy()
    used = numpy.flatnonzero(numpy.bincount(codes, minlength=len(values)))
    anew = numpy.zeros(len(values), numpy.int64)
    anew[used] = numpy.arange(len(used))
    return anew[codes], tuple(map(values.__getitem__, used.tolist()))
