"""What a scanner looks for: settled over all templates of a catalogue, for the best run is the one
that other wordings lack.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve

from statemachines.model.definitions.log_definitions import FamilyLog, LineDefinition, Template
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.notation.lines.line_templates import literal_runs


def settle_literals(specs: Sequence[SpecDefinition]) -> tuple[SpecDefinition, ...]:
    """Choose each template's literal: of its runs the one that the fewest other templates contain,
    then the longest, then the first.

    Args:
        specs: the whole catalogue; their families' lines count too.

    Returns:
        The same specs with literals settled.

    Complexity: wordings times different runs; two thousand of each take half a second.
    """
    texts = dict.fromkeys(
        template.text for spec in specs for line in spec_lines(spec) for template in line.templates
    )
    runs = {text: literal_runs(text) for text in texts}
    joined = ["\n".join(own) for own in runs.values()]
    holders = {
        run: sum(run in other for other in joined)
        for run in {run for own in runs.values() for run in own}
    }
    choice = {
        text: min(own, key=lambda run: (holders[run], -len(run)), default="")
        for text, own in runs.items()
    }
    return tuple(_with_literals(spec, choice) for spec in specs)


def spec_lines(spec: SpecDefinition) -> tuple[LineDefinition, ...]:
    """Return the lines of a machine and of its family.

    Args:
        spec: in all its releases.

    Returns:
        Its own lines first, then those of the family.
    """
    family = spec.family_log.lines if spec.family_log else ()
    return (spec.log.lines if spec.log else ()) + family


def _with_literals(spec: SpecDefinition, choice: dict[str, str]) -> SpecDefinition:
    log = evolve(spec.log, lines=_lines_with_literals(spec.log.lines, choice)) if spec.log else None
    return evolve(spec, log=log, family_log=_family_log_with_literals(spec.family_log, choice))


def _family_log_with_literals(log: FamilyLog | None, choice: dict[str, str]) -> FamilyLog | None:
    return evolve(log, lines=_lines_with_literals(log.lines, choice)) if log else None


def _lines_with_literals(
    lines: Iterable[LineDefinition], choice: dict[str, str]
) -> tuple[LineDefinition, ...]:
    return tuple(
        evolve(
            line,
            templates=tuple(
                _template_with_literal(template, choice) for template in line.templates
            ),
        )
        for line in lines
    )


def _template_with_literal(template: Template, choice: dict[str, str]) -> Template:
    return evolve(template, literal=choice.get(template.text, template.literal))
