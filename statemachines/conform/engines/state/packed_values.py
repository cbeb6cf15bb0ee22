"""Readings as bytes and back: only values of ours come out, and only those that went in."""

from __future__ import annotations

import collections
import hashlib
import io
import pickle
from typing import Any

from statemachines.conform.engines.growing.content_readings import ContentReading
from statemachines.conform.engines.state import judged_facts, kept_results
from statemachines.conform.engines.state.kept_variants import KeptMembers, KeptVariant
from statemachines.conform.engines.state.observed_parts import PackedColumns
from statemachines.conform.engines.state.renumbering import Numbering
from statemachines.conform.interchange import (
    doubled_lines,
    judgements,
    loud_lines,
    observations,
    profiles,
)
from statemachines.conform.interchange.packed_rows import AlikeRows, RowModel
from statemachines.conform.join.report_sources import FileFacts
from statemachines.conform.judge.instance.believed_states import BelievedStates
from statemachines.conform.judge.instance.finding_list import FindingList
from statemachines.conform.judge.instance.instance_belief import (
    InstanceBelief,
    SingleReleaseWords,
)
from statemachines.conform.judge.instance.line_before import LastLine, LineCounts
from statemachines.conform.judge.judgement_pass import InstanceFold
from statemachines.conform.judge.repeated.judged_variants import JudgedVariant
from statemachines.conform.judge.tables.compiled_properties import PropertyTotals
from statemachines.conform.judge.tables.episode_tracker import EpisodeMemory
from statemachines.conform.settle.processes import ReleaseFit
from statemachines.logs import ClockSpan, Midnights
from statemachines.model.evidence.reports import Instant, StepValues
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.language.frozen_values import FrozenMap, make_record

_DIGEST_BYTES = 16
_VALUES_BETWEEN_STAGES = (
    doubled_lines,
    *(judgements, loud_lines, observations, profiles),
    *(judged_facts, kept_results),
)
_OTHERS: tuple[Any, ...] = (
    *(ClockSpan, ContentReading, FileFacts, Instant, Midnights, Numbering, ReleaseFit),
    *(JudgedVariant, AlikeRows, RowModel, KeptVariant, KeptMembers, PackedColumns),
    *(BelievedStates, FindingList, InstanceBelief, InstanceFold, LastLine, LineCounts),
    *(EpisodeMemory, PropertyTotals, SingleReleaseWords, StepValues, Verdict, FrozenMap),
    *(make_record, collections.Counter),
)
_CLASSES = {
    (kind.__module__, kind.__qualname__): kind
    for kind in (
        *_OTHERS,
        *(
            value
            for module in _VALUES_BETWEEN_STAGES
            for value in vars(module).values()
            if isinstance(value, type) and value.__module__ == module.__name__
        ),
    )
}
"""All that readings and judgements are made of."""


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
