"""Calls that share nothing with other threads, which are neither stopped in nor watched."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

_PACKAGE = Path(__file__).parents[2]
COMPUTING = tuple(str(_PACKAGE / folder) + os.sep for folder in ("model", "semantics"))
"""What an instance of a machine or a system of ours computes with: it changes nothing that others
see. What the instance shows and changes, and its locks, stand in `embed`, which is stopped in.
"""

Tracer = Callable[[FrameType, str, Any], Any]


def pass_over_call(frame: FrameType, trace: Tracer, profile: Tracer) -> Tracer:
    """Let a call that has begun, and all that it calls, run without being watched.

    Args:
        frame: of the call.
        trace: what watches again when it is over, as `sys.settrace` takes it.
        profile: likewise, as `sys.setprofile` takes it.

    Returns:
        What traces the frame.
    """

    def at_return(_: FrameType, event: str, about: Any) -> Tracer:
        del about
        if event == "return":  # by an exception, and of a generator that yields, as well
            sys.settrace(trace)
            sys.setprofile(profile)
        return at_return

    frame.f_trace_lines = False
    sys.setprofile(None)
    # the frame is traced on, so something must trace; of all that it calls, `getattr(frame, "call",
    # None)` is None, which is found without running any Python
    sys.settrace(getattr)
    return at_return
