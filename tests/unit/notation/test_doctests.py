"""The examples in the docstrings of the reader run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import statemachines.notation

MODULES = [
    module.name
    for module in pkgutil.walk_packages(statemachines.notation.__path__, "statemachines.notation.")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    """An example that is wrong teaches worse than none."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0
