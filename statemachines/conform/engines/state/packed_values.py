"""Readings as bytes and back: only values of ours come out, and only those that went in."""

from __future__ import annotations

import collections
import hashlib
import io
import pickle
from typing import Any

from statemachines.conform.engines.growing.content_readings import ContentReading
from statemachines.conform.interchange.loud_lines import LoudLine
from statemachines.conform.interchange.observations import LineReading, Observation, Placed
from statemachines.conform.interchange.profiles import (
    CarriedGeneration,
    LineSignature,
    ProcessEvent,
    Profile,
    UnitProfile,
)
from statemachines.conform.interchange.rare_lines import RareLine
from statemachines.conform.join.report_sources import FileFacts
from statemachines.logs import ClockSpan, Midnights
from statemachines.model.evidence.reports import Instant

_DIGEST_BYTES = 16
_CLASSES = {
    (kind.__module__, kind.__qualname__): kind
    for kind in (
        *(CarriedGeneration, ClockSpan, ContentReading, FileFacts, Instant, LineReading),
        *(
            LineSignature,
            LoudLine,
            Midnights,
            Observation,
            Placed,
            ProcessEvent,
            Profile,
            RareLine,
            UnitProfile,
        ),
        collections.Counter,
    )
}
"""All that a reading is made of."""


class DamagedValue(ValueError):
    """Bytes that are not what was written."""


class _Reader(pickle.Unpickler):
    """Makes values of a few classes, and runs nothing: whoever writes into a state folder can spoil
    a report, and no more.
    """

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _CLASSES[module, name]
        except KeyError:
            raise DamagedValue(f"{module}.{name} is no part of a reading") from None


def pack_value(value: object) -> bytes:
    """Return a value as bytes, with a digest before them."""
    body = pickle.dumps(value, protocol=5)
    return _digest(body) + body


def unpack_value(packed: bytes) -> Any:
    """Return the value of some bytes.

    Raises:
        DamagedValue: they are not as they were written.
    """
    body = packed_body(packed)
    try:
        return _Reader(io.BytesIO(body)).load()
    except DamagedValue:
        raise
    except Exception as problem:  # a pickle can be wrong in any way
        raise DamagedValue(str(problem)) from problem


def packed_body(packed: bytes) -> bytes:
    """Return the bytes of a value without their digest.

    Raises:
        DamagedValue: they are not as they were written.
    """
    body = packed[_DIGEST_BYTES:]
    if packed[:_DIGEST_BYTES] != _digest(body):
        raise DamagedValue("a row is not as it was written")
    return body


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest()
