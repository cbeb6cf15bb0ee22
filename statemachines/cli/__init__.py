"""The command line: one module a verb, no logic.

Verbs are imported when they are used, so that an answer comes at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

from statemachines.model.arrays import loaded_without_threads
from statemachines.model.end_signals import end_quietly_from_here
from statemachines.model.extras import install_command
from statemachines.model.garbage import rarely_collected

INSTALL = f"""\
statemachines: the command line needs two more packages, click and rich; install them with

    {install_command("cli")}

or `all` in place of `cli` for everything. Without them `import statemachines` works."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: words after the program's name; None: those of this process.

    Returns:
        0 all well, 1 something that `--fail-on` lists (a violation), 2 wrong usage or input, 3
        inconclusive, 130 interrupted.
    """
    if find_spec("click") is None or find_spec("rich") is None:
        print(INSTALL, file=sys.stderr)
        return 2
    with rarely_collected(), loaded_without_threads():
        try:
            from statemachines.cli.root import run_command_line
        except KeyboardInterrupt:  # the first quarter of a second of a process is spent here
            print("statemachines: interrupted", file=sys.stderr)
            return 130
        if arguments is not None:
            return run_command_line(list(arguments))
        code = run_command_line(sys.argv[1:])
        end_quietly_from_here()
        return code
