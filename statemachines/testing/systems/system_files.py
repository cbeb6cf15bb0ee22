"""The test made from a system, written as a pytest file that people read and change."""

from __future__ import annotations

import re

from statemachines.embed.code_generation.python_text import string_literal
from statemachines.model.definitions.system_definitions import SystemDefinition, SystemPart
from statemachines.testing.pytest_files import declared_errors, errors_source, spec_reference

_FILE = '''"""Does the program follow the life cycles of {title}, all of them together?

Made by `statemachines generate test {name}{release}`; it is yours now.
Put your program into `make_subject`.
"""

from __future__ import annotations

from typing import Any

import statemachines as sm
{imports}from statemachines.testing import check_threads, from_system

SYSTEM = sm.load_system({spec}).at({at})
REFUSALS = (sm.NotAllowed,)  # what the program refuses with
ERRORS: dict[str, type[Exception]] = {errors}  # what it calls the errors of the specs


def make_subject(begin: Any) -> Any:
    """Return what is tested, as it is in `begin`: it has {parts}."""
    return SYSTEM.bind().threadsafe(begin)


{kind} = from_system(SYSTEM, make_subject, refusals=REFUSALS, errors=ERRORS).TestCase
"""Random runs of all parts; what fails is shown as a short program."""


def test_threads() -> None:
    """Two threads call it at once: one order of their calls must explain all that they saw."""
    check_threads(SYSTEM, make_subject, refusals=REFUSALS, errors=ERRORS)
'''


def system_pytest_source(system: SystemDefinition, spec: str | None = None) -> str:
    """Return the text of a pytest file that drives a program and a system side by side.

    Args:
        system: what the subject shall be.
        spec: the name or path by which the file loads it; its own name or file where nothing is
            said.

    Returns:
        The text of one Python module, to be written to a file `test_….py`.
    """
    spec = spec or spec_reference(system)
    machines = (machine for _, machine in system.machines)
    names = dict.fromkeys(name for machine in machines for name in declared_errors(machine))
    return _FILE.format(
        title=f"{system.name} {system.release}".rstrip(),
        name=spec.replace("\\", "/").replace('"', "'"),
        release=f" --release {system.release}" if system.release else "",
        imports="from statemachines.embed.errors import declared\n" if names else "",
        spec=string_literal(spec),
        at=string_literal(system.release) if system.release else "",
        errors=errors_source(names),
        parts=", ".join(map(_part_text, system.parts)),
        kind="Test" + re.sub(r"\W", "", system.name.rpartition("/")[2]),
    )


def _part_text(part: SystemPart) -> str:
    return f"`{part.name}`" if part.each is None else f"`{part.name}[key]`"
