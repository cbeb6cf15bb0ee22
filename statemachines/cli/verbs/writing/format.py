"""`format`: specs in the form in which all are written."""

from __future__ import annotations

import click

from statemachines.cli.console import terminal
from statemachines.cli.console.output_files import write_bytes
from statemachines.cli.outcomes.command_errors import reported_errors
from statemachines.cli.outcomes.exit_codes import BAD_INPUT, FINE, FOUND


@click.command()
@click.argument("specs", nargs=-1, required=True, metavar="SPEC…", type=click.Path())
@click.option("--check", is_flag=True, help="Write nothing; list the specs that are not formatted.")
def verb(specs: tuple[str, ...], check: bool) -> int:
    """Rewrite specs in the one form that all specs share: top-level keys in a fixed order, an entry
    on one line where it fits in 100 columns and else one line per key, long texts folded. Comments
    are kept, and what the spec means does not change.

    SPEC is a file or a folder of specs.

    Exit code: 0 done, or nothing to do; 1 with --check where a spec is not in it; 2 something
    that cannot be read or formatted (it is left as it is, and the others are formatted).
    """
    from statemachines.api.queries.formatted_specs import formatted_specs

    changed, problems = 0, 0
    with reported_errors():
        for spec in formatted_specs(specs):
            if spec.problem:
                problems += 1
                terminal.print_note(spec.problem)
            elif spec.is_changed:
                changed += 1
                terminal.print_lines(
                    [f"{'has another form' if check else 'formatted'}: {spec.file}"]
                )
                if not check:
                    write_bytes(spec.file, spec.text.encode())
    if problems:
        return BAD_INPUT
    return FOUND if check and changed else FINE
