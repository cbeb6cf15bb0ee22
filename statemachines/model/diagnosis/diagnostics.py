"""What is wrong with a spec, as values; `notation.rendering` shows them to a person."""

from __future__ import annotations

import enum

from statemachines.model.values import frozen


@frozen
class Span:
    """A stretch of one line of a spec file."""

    file: str
    line: int
    """1-based."""
    column: int
    """1-based, in characters."""
    length: int = 1
    """In characters; at least 1."""


class Severity(enum.StrEnum):
    """An error makes a spec unusable; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@frozen
class Diagnostic:
    """One thing that is wrong, with its place and what would be right."""

    code: str
    """SM1xx file and YAML, SM2xx names and states, SM3xx types and expressions, SM4xx properties
    and systems, SM5xx log lines, SM6xx catalogue.
    """
    message: str
    """Lower case, no full stop; the offender is quoted in backticks."""
    span: Span
    hint: str = ""
    """What would be right, such as "did you mean `SHIPPED`? (declared on line 6)"."""
    severity: Severity = Severity.ERROR
    about: str = ""
    """The type that is at fault: by it, what only follows from that is left out."""
    undeclared: str = ""
    """The name that nothing declares, as `Enumeration.member` where an enumeration lacks it: by it,
    further uses of the name are left out.
    """


class SpecError(ValueError):
    """A spec cannot be used; `diagnostics` says everything that is wrong with it."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        first = diagnostics[0]
        more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
        right = f"; {first.hint}" if first.hint else ""
        super().__init__(
            f"{first.span.file}:{first.span.line}:{first.span.column} {first.code}"
            f" {first.message}{right}{more}"
        )
        self.diagnostics = diagnostics
