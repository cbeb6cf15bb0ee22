"""Small numbers of many edges in as few bits as they need: added at the end, looked up anywhere."""

from __future__ import annotations

from array import array
from typing import Any

from attrs import define, field

Array = Any
"""An array of numpy."""
_SHORT_TARGETS = 1 << 24
"""Rows that three bytes tell apart."""
_LABEL_BITS = (1, 2, 4, 8, 16)
"""Bits that a label may have."""
_REPACKED = 1 << 20
"""Labels that are given more bits at once."""


@define(eq=False)
class PackedTargets:
    """Of each edge the row that it leads to: three bytes, or four where there are more rows."""

    numpy: Any
    size: int
    """How many rows there are."""
    low: array[int] = field(factory=lambda: array("H"))
    high: array[int] = field(factory=lambda: array("B"))
    """Eight bits more, or sixteen."""

    def __attrs_post_init__(self) -> None:
        if self.size > _SHORT_TARGETS:
            self.high = array("H")

    def __len__(self) -> int:
        return len(self.low)

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return len(self.low) * (self.low.itemsize + self.high.itemsize)

    def append(self, targets: Array) -> None:
        """Add the rows that edges lead to."""
        high = targets >> 16
        self.low.frombytes(targets.astype(self.numpy.uint16).tobytes())
        self.high.frombytes(high.astype(self.high.typecode).tobytes())

    def take(self, edges: Array) -> Array:
        """Return the rows that some edges lead to."""
        numpy = self.numpy
        targets = numpy.frombuffer(self.high, self.high.typecode).take(edges).astype(numpy.int32)
        targets <<= 16
        targets |= numpy.frombuffer(self.low, numpy.uint16).take(edges)
        return targets


@define(eq=False)
class PackedLabels:
    """Of each edge the number of the set of fair events that it is."""

    numpy: Any
    bits: int = _LABEL_BITS[0]
    """Of a label."""
    size: int = 0
    packed: bytearray = field(factory=bytearray)
    """Labels of less than a byte lie side by side in one, the first in its lowest bits."""

    def append(self, labels: Array, many: int) -> None:
        """Add labels; there are at most so many different ones."""
        while 1 << self.bits < many:
            self._widen()
        numpy, per_byte = self.numpy, 8 // self.bits
        if not per_byte:
            self.packed += labels.astype(numpy.uint16).tobytes()
        else:
            begun = self.size % per_byte
            if begun:
                labels = numpy.concatenate([self._labels(self.size - begun, self.size), labels])
                del self.packed[-1:]
            whole = numpy.zeros(-(-len(labels) // per_byte) * per_byte, dtype=numpy.uint8)
            whole[: len(labels)] = labels
            shifts = numpy.arange(per_byte, dtype=numpy.uint8) * numpy.uint8(self.bits)
            rows = whole.reshape(-1, per_byte) << shifts
            self.packed += numpy.bitwise_or.reduce(rows, axis=1).tobytes()
            self.size -= begun
        self.size += len(labels)

    def take(self, edges: Array) -> Array:
        """Return the labels of some edges."""
        numpy = self.numpy
        if self.bits >= 8:
            dtype = numpy.uint8 if self.bits == 8 else numpy.uint16
            return numpy.frombuffer(self.packed, dtype).take(edges)
        log = (8 // self.bits).bit_length() - 1
        held = numpy.frombuffer(self.packed, numpy.uint8).take(edges >> log)
        shifts = ((edges & ((1 << log) - 1)) * self.bits).astype(numpy.uint8)
        return held >> shifts & numpy.uint8((1 << self.bits) - 1)

    def _labels(self, begin: int, end: int) -> Array:
        return self.take(self.numpy.arange(begin, end))

    def _widen(self) -> None:
        """Give labels twice the bits."""
        wider = PackedLabels(self.numpy, 2 * self.bits)
        for begin in range(0, self.size, _REPACKED):
            wider.append(self._labels(begin, min(begin + _REPACKED, self.size)), 0)
        self.bits, self.packed = wider.bits, wider.packed
