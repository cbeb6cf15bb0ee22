"""What a scanner looks for: settled over all templates of a catalogue, for the best run is the one that other wordings lack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve

from statemachines.model.loglines import FamilyLog, Line, Template
from statemachines.model.machines import Spec
from statemachines.notation.templates import runs_of


def settle_literals(specs: Sequence[Spec]) -> tuple[Spec, ...]:
    """Choose each template's literal: of its runs the one that the fewest other templates contain, then the longest, then the first.

    Args:
        specs: the whole catalogue; their families' lines count too.

    Returns:
        The same specs with literals settled.

    Complexity: wordings times different runs; two thousand of each take half a second.
    """
    texts = dict.fromkeys(template.text for spec in specs for line in lines_of(spec) for template in line.templates)
    runs = {text: runs_of(text) for text in texts}
    joined = ["\n".join(own) for own in runs.values()]
    holders = {run: sum(run in other for other in joined) for run in {run for own in runs.values() for run in own}}
    choice = {text: min(own, key=lambda run: (holders[run], -len(run)), default="") for text, own in runs.items()}
    return tuple(_settled(spec, choice) for spec in specs)


def lines_of(spec: Spec) -> tuple[Line, ...]:
    """Return the lines of a machine and of its family."""
    family = spec.family_log.lines if spec.family_log else ()
    return (spec.log.lines if spec.log else ()) + family


def _settled(spec: Spec, choice: dict[str, str]) -> Spec:
    log = evolve(spec.log, lines=_lines(spec.log.lines, choice)) if spec.log else None
    return evolve(spec, log=log, family_log=_family(spec.family_log, choice))


def _family(log: FamilyLog | None, choice: dict[str, str]) -> FamilyLog | None:
    return evolve(log, lines=_lines(log.lines, choice)) if log else None


def _lines(lines: Iterable[Line], choice: dict[str, str]) -> tuple[Line, ...]:
    return tuple(evolve(line, templates=tuple(_template(template, choice) for template in line.templates)) for line in lines)


def _template(template: Template, choice: dict[str, str]) -> Template:
    return evolve(template, literal=choice.get(template.text, template.literal))
