"""Lines that were written by a line of a spec, in words that it no longer reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike

from attrs import frozen

from statemachines.conform.checking import make_plan, select_layouts
from statemachines.conform.observe.catalogue_reader import CatalogueReader
from statemachines.mining.read_logs import ReadRecord, read_records
from statemachines.mining.repair.word_alignment import (
    TemplateWord,
    WordAlignment,
    align,
    needed_fields,
    template_words,
)
from statemachines.mining.templates.message_templates import MinedTemplate, TemplateMiner
from statemachines.mining.templates.message_words import SplitMessage
from statemachines.model.definitions.log_definitions import LineDefinition
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.evidence.moments import time_zone
from statemachines.model.evidence.reports import Place
from statemachines.notation.lines.line_templates import (
    STATE_FIELDS,
    compile_template,
    literal_runs,
    settle_literals,
    state_pattern,
)

_MOST_CHANGED = 0.5
"""Words that may be changed, of those of the template and the message that are no fields."""
_FEWEST_SHARED = 2
"""Words that must be the same."""


@frozen
class DriftedWording:
    """A wording that a line of a spec has in logs, and not in the spec."""

    line: LineDefinition
    known: str
    """The wording of the spec that is nearest."""
    wording: str
    """As the spec should have it."""
    count: int
    first: Place
    sample: str
    """The first message."""


def spec_reader(spec: SpecDefinition) -> CatalogueReader:
    """Return what reads records by the lines of one spec, and of its family.

    Args:
        spec: in all of its releases.

    Returns:
        A reader of records.
    """
    return CatalogueReader(make_plan(settle_literals([spec])))


def drifted_wordings(
    spec: SpecDefinition,
    paths: Sequence[str | PathLike[str]],
    layouts: Sequence[str] = (),
    zone: str | None = None,
) -> list[DriftedWording]:
    """Find lines near a wording of a spec that it does not read, of the lines of the spec that none
    of the logs has.

    Args:
        spec: what the lines are compared with.
        paths: files and folders.
        layouts: as for `check`.
        zone: as for `check`.

    Returns:
        Lines of the spec with what the program writes now, and a sample.

    Complexity: linear in the lines; the templates of unread lines are compared with the spec's.
    """
    reader = spec_reader(spec)
    (settled,) = reader.plan.specs
    miner, matched = TemplateMiner(), set[int]()

    def take(read: ReadRecord) -> None:
        record, readings = reader.read_with_headers(read.record)
        matched.update(match.line.index for reading in readings for _, match in reading.matches)
        if not readings:
            miner.add(
                record.message, record.logger, record.level, read.process, read.place, read.order
            )

    read_records(paths, take, select_layouts(layouts), time_zone(zone))
    lines = [line for line in settled.log.lines if line.index not in matched] if settled.log else []
    candidates = _Candidates(settled, lines)
    nearest = (candidates.nearest(template) for template in miner.templates())
    return list(_best_of_each(drifted for drifted in nearest if drifted is not None))


def _best_of_each(candidates: Iterator[DriftedWording]) -> Iterator[DriftedWording]:
    """Yield each wording once."""
    known = set[str]()
    for drifted in candidates:
        if drifted.wording not in known:
            known.add(drifted.wording)
            yield drifted


class _Candidates:
    """The wordings of a spec that no log has."""

    def __init__(self, spec: SpecDefinition, lines: Sequence[LineDefinition]) -> None:
        names = [word for state in spec.states for word in (state.name, *state.spellings)]
        states = dict.fromkeys(STATE_FIELDS, state_pattern(names))
        self._patterns: Mapping[str, str] = {
            **dict(spec.log.patterns if spec.log else ()),
            **states,
        }
        self._wordings: list[tuple[LineDefinition, str, tuple[TemplateWord, ...]]] = [
            (line, template.text, template_words(template.text, self._patterns))
            for line in lines
            for template in line.templates
        ]

    def nearest(self, template: MinedTemplate) -> DriftedWording | None:
        """Return the nearest of them to lines that nothing reads, if it is near enough."""
        place, sample = template.samples[0]
        message = SplitMessage(template.rows[0].words, template.gaps, template.cut)
        varying = frozenset(template.fields)
        own = {word for word in template.constants if word}
        best: tuple[float, LineDefinition, str, WordAlignment] | None = None
        for line, text, words in self._wordings:
            if not any(word.text in own for word in words) or not _same_logger(line, template):
                continue
            fit = align(words, message, varying)
            share = _changed_share(fit, words, message) if fit else 1.0
            if fit and share <= _MOST_CHANGED and (best is None or share < best[0]):
                best = (share, line, text, fit)
        if best is None or not self._reads(best[3].wording, best[2], sample):
            return None
        _, line, text, fit = best
        return DriftedWording(line, text, fit.wording, template.count, place, sample)

    def _reads(self, wording: str, known: str, sample: str) -> bool:
        """Tell whether a wording may stand in a spec: it has all fields, can be searched for, and
        reads the message.
        """
        if needed_fields(wording) < needed_fields(known) or not literal_runs(wording):
            return False
        pattern = compile_template(wording, self._patterns).pattern
        return re.match(pattern, sample.rstrip()) is not None


def _same_logger(line: LineDefinition, template: MinedTemplate) -> bool:
    return not line.loggers or template.logger is None or template.logger in line.loggers


def _changed_share(
    fit: WordAlignment, words: Sequence[TemplateWord], message: SplitMessage
) -> float:
    literal = sum(word.pattern is None for word in words)
    if fit.shared < min(_FEWEST_SHARED, literal):
        return 1.0
    return fit.cost / max(literal, fit.shared + fit.cost, 1)
