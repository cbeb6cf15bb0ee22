"""Spec files in the form in which all are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from statemachines.model.diagnosis.diagnostics import SpecError


@frozen
class FormattedSpec:
    """A file and what its form should be."""

    file: str
    text: str
    """As it is to be; empty where it cannot be formatted."""
    is_changed: bool
    problem: str = ""
    """Why it cannot be formatted; empty where it can."""


def formatted_specs(specs: Sequence[str]) -> Iterator[FormattedSpec]:
    """Yield each file of some files and folders in its form; nothing is written.

    Args:
        specs: files and folders; of a folder, every spec below it.

    Yields:
        Each file with its text as it is and in its form, in the order of the names.

    Raises:
        ValueError: a folder holds no spec.
    """
    for name in specs:
        if not Path(name).is_dir():
            yield _formatted(name)
            continue
        files = sorted(Path(name).rglob("*.yaml"))
        if not files:
            raise ValueError(f"{name}: a folder without specs (*.yaml)")
        yield from (_formatted(str(file)) for file in files)


def _formatted(file: str) -> FormattedSpec:
    from statemachines.notation.formatting.spec_formatting import CannotFormat, format_spec
    from statemachines.report.specs.diagnostic_text import diagnostics_text

    try:
        before = Path(file).read_bytes().decode("utf-8-sig")
        after = format_spec(before.replace("\r\n", "\n"), file)
    except SpecError as problem:
        return FormattedSpec(file, "", False, diagnostics_text(problem.diagnostics))
    except CannotFormat as problem:
        return FormattedSpec(file, "", False, str(problem))
    except UnicodeDecodeError:
        return FormattedSpec(file, "", False, f"{file}: it is not UTF-8 text")
    except OSError as problem:
        return FormattedSpec(file, "", False, f"{file}: {problem.strerror}")
    return FormattedSpec(file, after, after != before)
