"""From a file's bytes to a spec: the passes in order, and all that is wrong in one go."""

from __future__ import annotations

import hashlib
import keyword
import re
from collections.abc import Callable
from pathlib import Path

from attrs import evolve

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity
from statemachines.notation.data import data_pass
from statemachines.notation.document.consequential_errors import without_consequential_errors
from statemachines.notation.document.notation_keys import SHAPES_BY_FILE_KIND
from statemachines.notation.document.shape_checker import fit_with_losses
from statemachines.notation.document.yaml_nodes import YamlMapping, YamlNode
from statemachines.notation.document.yaml_reader import read_yaml
from statemachines.notation.lines.line_templates import settle_literals
from statemachines.notation.loading.repeated_names import once_for_each_name
from statemachines.notation.log_passes.doubt_pass import read_doubts
from statemachines.notation.log_passes.episode_pass import (
    read_deadlines,
    read_episodes,
    read_incidents,
)
from statemachines.notation.log_passes.family_pass import read_family, read_family_of_spec
from statemachines.notation.log_passes.log_pass import read_log
from statemachines.notation.passes.declaration_pass import (
    duplicate_names,
    read_events,
    read_predicates,
    read_states,
)
from statemachines.notation.passes.fallback_pass import overlapping_transitions, read_fallbacks
from statemachines.notation.passes.spec_builder import (
    ParsedFamilies,
    SpecBuilder,
    SpecFileReader,
    SpecReading,
)
from statemachines.notation.passes.transition_pass import read_transitions
from statemachines.notation.shorthands.written_out import written_out
from statemachines.notation.systems.system_reader import read_system

Pass = Callable[[SpecBuilder], list[Diagnostic]]

_PASSES: tuple[Pass, ...] = (
    read_family_of_spec,
    duplicate_names,
    read_states,
    read_predicates,
    read_events,
    read_transitions,
    data_pass.read_data,
    read_fallbacks,
    overlapping_transitions,
    read_log,
    read_episodes,
    read_deadlines,
    read_incidents,
    read_doubts,
)
"""Each reports all that it finds; the order is that of what they need."""

_NO_PART = "SM410"
"""Of a part whose machine cannot be read: its name is then missing everywhere."""
_SPEC_KINDS = ("machine", "library")
"""Kinds of files that are a `Spec`; that of a library has definitions and one nameless state."""


def read_document(
    data: bytes,
    file: str,
    *,
    name: str | None = None,
    path: Path | None = None,
    specs: Path | None = None,
    families: ParsedFamilies | None = None,
    read_other: SpecFileReader,
) -> SpecReading:
    """Read one spec file.

    Args:
        data: the file's bytes.
        file: its name in places.
        name: the catalogue name; `file` without its ending where None.
        path: where it lies, for the family beside it.
        specs: the folder of catalogue names, for families that are not beside it.
        families: families that were read already; filled.
        read_other: reads the specs that it uses, and the machines of parts.

    Returns:
        The machine or whatever the file is, None where it has errors, and all diagnostics.
    """
    root, diagnostics = read_yaml(data, file)
    if not isinstance(root, YamlMapping):
        return SpecReading(None, (*diagnostics, *_no_mapping(root)))
    kind, fitted, misfits, lost = _fit_to_kind(root)
    lost = (*diagnostics, *lost)
    diagnostics += misfits
    if fitted is None:
        return SpecReading(None, diagnostics)
    work = SpecBuilder(
        fitted,
        kind,
        file,
        name or file.rsplit(".", 1)[0],
        path,
        specs,
        {} if families is None else families,
        read_other,
    )
    if kind == "family":
        return SpecReading(None, read_family(data, file)[1], work)
    if kind == "system":
        return _read_system_reading(work, root, data, diagnostics, lost)
    if kind in _SPEC_KINDS:
        return _read_spec_reading(work, root, data, diagnostics, lost)
    return SpecReading(None, diagnostics, work)


def _no_mapping(root: YamlNode | None) -> tuple[Diagnostic, ...]:
    """Say that a file holds something else than a mapping; nothing where it holds nothing."""
    if root is None:
        return ()
    return (Diagnostic("SM112", "a spec is a mapping", root.span, "begin with `notation: 1`"),)


def _read_spec_reading(
    work: SpecBuilder,
    root: YamlMapping,
    data: bytes,
    misfits: tuple[Diagnostic, ...],
    lost: tuple[Diagnostic, ...],
) -> SpecReading:
    """Read a machine or a library."""
    diagnostics = _without_state_consequences(_run_passes(work, root, lost), root, misfits, lost)
    diagnostics = (*misfits, *diagnostics)
    diagnostics = _in_file_order(
        _without_keyword_consequences(diagnostics, data, work.file), work.file
    )
    diagnostics = once_for_each_name(_one_for_each_type(diagnostics))
    broken = any(wrong.severity is Severity.ERROR for wrong in diagnostics)
    return SpecReading(
        None if broken else _assembled_spec(work, _file_sha256(data)), diagnostics, work
    )


def _read_system_reading(
    work: SpecBuilder,
    root: YamlMapping,
    data: bytes,
    misfits: tuple[Diagnostic, ...],
    lost: tuple[Diagnostic, ...],
) -> SpecReading:
    """Read a system, which is made of other machines."""
    system, wrong = read_system(work, _file_sha256(data))
    no_parts = tuple(diagnostic for diagnostic in wrong if diagnostic.code == _NO_PART)
    lost = (*lost, *no_parts)
    if lost:
        others = tuple(diagnostic for diagnostic in wrong if diagnostic.code != _NO_PART)
        wrong = (*no_parts, *without_consequential_errors(root, lost, others))
    wrong = once_for_each_name(_in_file_order((*misfits, *wrong), work.file))
    reading = SpecReading(None, wrong, work, system)
    return evolve(reading, system=None) if reading.has_errors else reading


def _in_file_order(diagnostics: tuple[Diagnostic, ...], file: str) -> tuple[Diagnostic, ...]:
    """Return each diagnostic once, by its place; those of other files (a family's, a part's) first:
    what is wrong here may follow from them.
    """
    return tuple(
        sorted(
            dict.fromkeys(diagnostics),
            key=lambda diagnostic: (
                diagnostic.span.file == file,
                diagnostic.span.file,
                diagnostic.span.line,
                diagnostic.span.column,
            ),
        )
    )


def _without_state_consequences(
    diagnostics: tuple[Diagnostic, ...],
    root: YamlMapping,
    misfits: tuple[Diagnostic, ...],
    lost: tuple[Diagnostic, ...],
) -> tuple[Diagnostic, ...]:
    """Leave out what only follows from states that are no mapping, or of which one was to be
    initial by a key that there is not.
    """
    states, initial = root.get("states"), root.key_scalar("initial")
    places = {node.span for node in (states, initial) if node is not None}
    silent = {"SM210"} if any(wrong.span in places for wrong in misfits) else set[str]()
    if states is not None and any(wrong.span == states.span for wrong in lost):
        silent.add("SM204")
    return tuple(wrong for wrong in diagnostics if wrong.code not in silent)


_NO_VALUE_SET = "SM303"
_KEYWORD_CONSEQUENCE_CODES = {"SM211", "SM301", "SM302", "SM303", "SM304", "SM320"}
"""Codes of what is wrong with an expression that uses a keyword as a name."""


def _without_keyword_consequences(
    diagnostics: tuple[Diagnostic, ...], data: bytes, file: str
) -> tuple[Diagnostic, ...]:
    """Leave out what only follows from a name that is a keyword of expressions: lines that use it,
    which no reader can make sense of.
    """
    named = (wrong.message.split("`")[1] for wrong in diagnostics if wrong.code == "SM315")
    words = [re.escape(word) for word in named if keyword.iskeyword(word)]
    if not words:
        return diagnostics
    uses, lines = (
        re.compile(rf"\b(?:{'|'.join(words)})\b"),
        data.decode("utf-8-sig", "replace").split("\n"),
    )
    return tuple(
        wrong
        for wrong in diagnostics
        if wrong.code not in _KEYWORD_CONSEQUENCE_CODES
        or wrong.span.file != file
        or not uses.search(lines[wrong.span.line - 1])
    )


def _one_for_each_type(diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Say once of a type that it has no set of its values, and nothing of the maps that have such
    keys: none of them has all keys, which is why somebody asked for the set.
    """
    first = dict[str, Diagnostic]()
    for wrong in diagnostics:
        if wrong.about and wrong.code == _NO_VALUE_SET:
            first.setdefault(wrong.about, wrong)
    return tuple(
        wrong for wrong in diagnostics if wrong.about not in first or wrong is first[wrong.about]
    )


def _file_sha256(data: bytes) -> str:
    """Return the hash that names a file's contents."""
    return hashlib.sha256(data).hexdigest()


def _run_passes(
    work: SpecBuilder, root: YamlMapping, lost: tuple[Diagnostic, ...] = ()
) -> tuple[Diagnostic, ...]:
    """Run the passes.

    Args:
        work: the document.
        root: the document as it was written; the one of `work` may lack pieces.
        lost: why pieces of it were left out for their shape; what only follows from that is not
            told.

    Returns:
        Everything that is wrong; where the family cannot be read nothing more, for every range
        would be wrong.
    """
    diagnostics: list[Diagnostic] = []
    for step in _PASSES:
        wrong = step(work)
        diagnostics += (
            without_consequential_errors(root, lost, wrong)
            if step is data_pass.read_data and lost
            else wrong
        )
        if work.root.get("family") is not None and not work.family.name:
            break
    return tuple(diagnostics)


def _fit_to_kind(
    root: YamlMapping,
) -> tuple[str, YamlMapping | None, tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Find out which kind of file it is and compare it with that kind's shape; last: what had to be
    left out.
    """
    kind = next((kind for kind in SHAPES_BY_FILE_KIND if root.get(kind) is not None), "machine")
    fitted, diagnostics, lost = fit_with_losses(root, SHAPES_BY_FILE_KIND[kind])
    first = root.entries[0][0] if root.entries else None
    if first and first.text != "notation" and root.get("notation") is not None:
        diagnostics += (
            Diagnostic(
                "SM116", "`notation` is not the first key", first.span, "begin with `notation: 1`"
            ),
        )
    if not isinstance(fitted, YamlMapping):
        return kind, None, diagnostics, lost
    written, wrong = written_out(fitted)
    return kind, written, (*diagnostics, *wrong), lost


def _assembled_spec(work: SpecBuilder, sha256: str) -> SpecDefinition:
    """Put together what the passes made, with literals settled within the spec and its family."""
    spec = SpecDefinition(
        work.name,
        work.family,
        work.releases,
        work.states,
        tuple(transition.transition for transition in work.transitions),
        work.otherwise,
        work.predicates,
        work.events,
        log=work.log,
        doc=_root_text(work, "doc"),
        source=_root_text(work, "source"),
        file=work.name + ".yaml",
        sha256=sha256,
        family_log=work.family_log,
        versions=work.versions,
        abstracts=work.abstracts,
    )
    return settle_literals([spec])[0]


def _root_text(work: SpecBuilder, key: str) -> str:
    node = work.root.get(key)
    return getattr(node, "text", "")
