"""Tests from a machine: a Hypothesis test that drives a program and the machine side by side."""

from __future__ import annotations

from statemachines.testing.stateful import from_machine

__all__ = ["from_machine"]
