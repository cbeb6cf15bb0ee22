"""From a file's bytes to a spec: the passes in their order, and everything that is wrong in one go."""

from __future__ import annotations

import hashlib
import keyword
import re
from collections.abc import Callable
from pathlib import Path

from attrs import evolve, frozen

from statemachines.model.diagnostics import Diagnostic, Severity, SpecError
from statemachines.model.machines import Spec
from statemachines.model.systems import SystemSpec
from statemachines.notation.data import passing
from statemachines.notation.followers import without_followers
from statemachines.notation.keys import KINDS
from statemachines.notation.literals import settle_literals
from statemachines.notation.nodes import Mapping
from statemachines.notation.passes.episodes import episodes
from statemachines.notation.passes.events import events
from statemachines.notation.passes.families import families, read_family
from statemachines.notation.passes.logs import logs
from statemachines.notation.passes.names import names
from statemachines.notation.passes.otherwises import otherwises
from statemachines.notation.passes.overlaps import overlaps
from statemachines.notation.passes.predicates import predicates
from statemachines.notation.passes.states import states
from statemachines.notation.passes.transitions import transitions
from statemachines.notation.shapecheck import fit_telling_losses
from statemachines.notation.systems.reading import read_system
from statemachines.notation.work import Known, Work
from statemachines.notation.yamltext import read_yaml

Pass = Callable[[Work], list[Diagnostic]]

PASSES: tuple[Pass, ...] = (families, names, states, predicates, events, transitions, passing.data, otherwises, overlaps, logs, episodes)
"""Each reports all that it finds; the order is that of what they need."""

SPECS = ("machine", "library")
"""Kinds of files that are a `Spec`; that of a library has definitions and one nameless state."""


@frozen
class Reading:
    """What became of one file."""

    spec: Spec | None
    """None where an error was found, and for a file that is no machine."""
    diagnostics: tuple[Diagnostic, ...]
    work: Work | None = None
    """The document with what the passes made of it; None where it is no mapping of a known kind."""
    system: SystemSpec | None = None
    """The system, for a file of one without errors."""

    @property
    def broken(self) -> bool:
        """Whether there is an error among the diagnostics."""
        return any(wrong.severity is Severity.ERROR for wrong in self.diagnostics)

    def checked(self) -> Spec:
        """Return the spec.

        Raises:
            SpecError: it has errors.
        """
        if self.spec is not None:
            return self.spec
        if self.work is None or self.broken:
            raise SpecError(self.diagnostics)
        kind = {"extends": "an extension"}.get(self.work.kind, f"a {self.work.kind}")
        hint = "name a machine" + ("; show, draw, explore, simulate and mutate take systems" if self.work.kind == "system" else "")
        raise SpecError((Diagnostic("SM606", f"this is {kind}, not a machine", self.work.root.span, hint),))


def read_text(
    data: bytes,
    file: str,
    *,
    name: str | None = None,
    path: Path | None = None,
    specs: Path | None = None,
    families: dict[Path, tuple[Known | None, tuple[Diagnostic, ...]]] | None = None,
) -> Reading:
    """Read one spec file.

    Args:
        data: the file's bytes.
        file: its name in places.
        name: the catalogue name; `file` without its ending where None.
        path: where it lies, for the family beside it.
        specs: the folder of catalogue names, for families that are not beside it.
        families: families that were read already; filled.
    """
    root, found = read_yaml(data, file)
    if root is None:
        return Reading(None, found)
    if not isinstance(root, Mapping):
        return Reading(None, (*found, Diagnostic("SM112", "a spec is a mapping", root.span, "begin with `notation: 1`")))
    kind, fitted, misfits, lost = _fit(root)
    lost = (*found, *lost)
    found += misfits
    if fitted is None:
        return Reading(None, found)
    work = Work(fitted, kind, file, name or file.rsplit(".", 1)[0], path, specs, {} if families is None else families)
    if kind == "family":
        return Reading(None, read_family(data, file)[1], work)
    if kind == "system":
        return _system(work, root, data, found, lost)
    if kind in SPECS:
        found = _in_order(without_consequences((*found, *run(work, root, lost)), data), file)
    broken = any(wrong.severity is Severity.ERROR for wrong in found)
    return Reading(None if broken or kind not in SPECS else spec_of(work, sha256_of(data)), found, work)


def _system(work: Work, root: Mapping, data: bytes, misfits: tuple[Diagnostic, ...], lost: tuple[Diagnostic, ...]) -> Reading:
    """Read a system, which is made of other machines."""
    system, wrong = read_system(work, sha256_of(data))
    wrong = without_followers(root, lost, wrong) if lost else wrong
    reading = Reading(None, _in_order((*misfits, *wrong), work.file), work, system)
    return evolve(reading, system=None) if reading.broken else reading


def _in_order(found: tuple[Diagnostic, ...], file: str) -> tuple[Diagnostic, ...]:
    """Return each diagnostic once, by its place; those of other files (a family's) last."""
    return tuple(sorted(dict.fromkeys(found), key=lambda one: (one.span.file != file, one.span.file, one.span.line, one.span.column)))


CONSEQUENCES = {"SM211", "SM301", "SM302", "SM303", "SM304", "SM320"}
"""Codes of what is wrong with an expression that uses a keyword as a name."""


def without_consequences(found: tuple[Diagnostic, ...], data: bytes) -> tuple[Diagnostic, ...]:
    """Leave out what only follows from a name that is a keyword of expressions: lines that use it, which no reader can make sense of."""
    named = (wrong.message.split("`")[1] for wrong in found if wrong.code == "SM315")
    words = [re.escape(word) for word in named if keyword.iskeyword(word)]
    if not words:
        return found
    uses, lines = re.compile(rf"\b(?:{'|'.join(words)})\b"), data.decode("utf-8-sig", "replace").split("\n")
    return tuple(wrong for wrong in found if wrong.code not in CONSEQUENCES or not uses.search(lines[wrong.span.line - 1]))


def sha256_of(data: bytes) -> str:
    """Return the hash that names a file's contents."""
    return hashlib.sha256(data).hexdigest()


def run(work: Work, root: Mapping, lost: tuple[Diagnostic, ...] = ()) -> tuple[Diagnostic, ...]:
    """Run the passes.

    Args:
        work: the document.
        root: the document as it was written; the one of `work` may lack pieces.
        lost: why pieces of it were left out for their shape; what only follows from that is not told.

    Returns:
        Everything that is wrong; where the family cannot be read nothing more, for every range would be wrong.
    """
    found: list[Diagnostic] = []
    for step in PASSES:
        wrong = step(work)
        found += without_followers(root, lost, wrong) if step is passing.data and lost else wrong
        if work.root.get("family") is not None and not work.family.name:
            break
    return tuple(found)


def _fit(root: Mapping) -> tuple[str, Mapping | None, tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Find out which kind of file it is and compare it with that kind's shape; last: what had to be left out."""
    kind = next((kind for kind in KINDS if root.get(kind) is not None), "machine")
    fitted, found, lost = fit_telling_losses(root, KINDS[kind])
    first = root.entries[0][0] if root.entries else None
    if first and first.text != "notation" and root.get("notation") is not None:
        found += (Diagnostic("SM116", "`notation` is not the first key", first.span, "begin with `notation: 1`"),)
    return kind, fitted if isinstance(fitted, Mapping) else None, found, lost


def spec_of(work: Work, sha256: str) -> Spec:
    """Put together what the passes made, with literals settled within the spec and its family."""
    spec = Spec(
        work.name,
        work.family,
        work.releases,
        work.states,
        tuple(arrow.transition for arrow in work.arrows),
        work.otherwise,
        work.predicates,
        work.events,
        log=work.log,
        doc=_text(work, "doc"),
        source=_text(work, "source"),
        file=work.name + ".yaml",
        sha256=sha256,
        family_log=work.family_log,
        versions=work.versions,
    )
    return settle_literals([spec])[0]


def _text(work: Work, key: str) -> str:
    node = work.root.get(key)
    return getattr(node, "text", "")
