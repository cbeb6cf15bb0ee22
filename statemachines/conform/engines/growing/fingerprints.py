"""Whether some bytes are a log that was read before, or begin like it: decided by samples of them.

A log grows at its end, and is moved, copied and compressed; it is not edited. So its first and last
bytes, and a few of every megabyte, say which one it is without reading it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Protocol

from attrs import frozen

EDGE_BYTES = 1 << 16
"""Bytes at both ends that are looked at (64 KiB)."""
_SAMPLE_STEP = 1 << 20
"""From each so many bytes (1 MiB) …"""
_SAMPLE_BYTES = 1 << 12
"""… so many are looked at (4 KiB)."""
_LONGEST_HEAD = 1 << 12
"""Bytes by which candidates are found; of a shorter log the largest power of two that it has."""
_DIGEST_BYTES = 16


class Bytes(Protocol):
    """Bytes of which any range can be had."""

    def __len__(self) -> int:
        """Return how many there are."""

    def read_range(self, start: int, end: int) -> bytes:
        """Return a range, less where there is less by now."""


@frozen
class Fingerprint:
    """What the first `size` bytes of a log are known by."""

    size: int
    samples: bytes

    @property
    def key(self) -> bytes:
        """The two in one."""
        return self.size.to_bytes(8, "big") + self.samples


def fingerprint(content: Bytes, size: int | None = None) -> Fingerprint:
    """Return the fingerprint of the first bytes of a log.

    Args:
        content: the log.
        size: how many bytes count; None: all.

    Complexity: reads 128 KiB and 4 KiB of every megabyte.

    Limits: an edit in place that changes no length and lies between samples is not noticed.
    """
    size = len(content) if size is None else size
    whole = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for start, end in _sampled_ranges(size):
        whole.update(content.read_range(start, end))
    return Fingerprint(size, whole.digest())


def head_digest(content: Bytes, length: int) -> bytes:
    """Return the digest of the first `length` bytes, which is what candidates are found by."""
    return hashlib.blake2b(content.read_range(0, length), digest_size=_DIGEST_BYTES).digest()


def head_length(size: int) -> int:
    """Return of how many bytes a log of a size has its head.

    >>> [head_length(size) for size in (0, 1, 100, 4096, 10**9)]
    [0, 1, 64, 4096, 4096]
    """
    return min(_LONGEST_HEAD, 1 << (size.bit_length() - 1)) if size else 0


def head_lengths(size: int) -> list[int]:
    """Return the lengths of the heads of all logs that a log of a size may begin with, longest
    first.

    >>> head_lengths(5)
    [4, 2, 1]
    """
    return [1 << power for power in reversed(range(head_length(size).bit_length()))]


def _sampled_ranges(size: int) -> Iterator[tuple[int, int]]:
    if size <= 2 * EDGE_BYTES:
        yield 0, size
        return
    yield 0, EDGE_BYTES
    for start in range(_SAMPLE_STEP, size - EDGE_BYTES, _SAMPLE_STEP):
        yield start, min(start + _SAMPLE_BYTES, size)
    yield size - EDGE_BYTES, size
