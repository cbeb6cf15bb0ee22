"""Logs against specs: records become observations, observations are judged, judgements make a
report.
"""

from __future__ import annotations

from statemachines.conform.engine_choice import check

__all__ = ["check"]
