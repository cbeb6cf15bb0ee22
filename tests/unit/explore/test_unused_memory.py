"""What lies unused between what is used goes back to the system.

Covers: statemachines.explore.resources.unused_memory.
"""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

HELD = """
from statemachines.explore.resources.memory import used_memory
from statemachines.explore.resources.unused_memory import return_unused_memory

pieces = [bytes(60_000) for _ in range(3_000)]
del pieces[:2_990]  # the last ones stay, behind the others
before = used_memory()
return_unused_memory()
print(before - used_memory(), len(pieces))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has malloc_trim")
def test_what_is_not_used_any_more_does_not_stay_with_the_process() -> None:
    """A search that let go of 180 MB would else count as if it still held them."""
    command = [sys.executable, "-c", HELD]
    freed, left = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert float(freed) > 100
    assert int(left) == 10
