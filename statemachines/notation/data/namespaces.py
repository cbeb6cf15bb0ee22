"""Names that may be declared: words of the language are none, and nothing shadows."""

from __future__ import annotations

import keyword

from attrs import define, field

from statemachines.model.diagnosis.diagnostics import Diagnostic, Span
from statemachines.notation.document.yaml_nodes import YamlScalar
from statemachines.notation.expressions.call_rules import CALL_RULES

RESERVED_WORDS = frozenset(
    {*CALL_RULES, "state", "before", "any", "bool", "int", "text", "map", "list", "key", "returned"}
)
"""Words that mean something in expressions and types."""


@define
class Namespace:
    """The names of one namespace, and where each was declared."""

    diagnostics: list[Diagnostic]
    spans: dict[str, Span] = field(factory=dict)

    def declare(self, name: YamlScalar) -> bool:
        """Declare a name; False where it may not be, which is reported.

        A word of the language that could be a name is declared all the same: else every use of it
        would be told to be a mistake too.

        Args:
            name: as the spec writes it.

        Returns:
            Whether it may be used.
        """
        if keyword.iskeyword(name.text) or name.text in RESERVED_WORDS:
            self.diagnostics.append(
                Diagnostic(
                    "SM315",
                    f"`{name.text}` is a reserved word",
                    name.span,
                    "choose another name",
                )
            )
            return (
                not keyword.iskeyword(name.text)
                and self.spans.setdefault(name.text, name.span) is name.span
            )
        other = self.spans.get(name.text)
        if other is not None:
            where = f"it stands for something else on line {other.line}"
            hint = f"no name hides another: choose a different one ({where})"
            self.diagnostics.append(
                Diagnostic("SM315", f"`{name.text}` is already declared", name.span, hint)
            )
            return False
        self.spans[name.text] = name.span
        return True

    def declare_global(self, name: YamlScalar) -> bool:
        """Declare a name of the whole machine; that two sections declare it is reported by the pass
        `names`.

        Args:
            name: as the spec writes it.

        Returns:
            Whether it may be used.
        """
        if name.text in self.spans:
            return False
        return self.declare(name)

    def nested(self) -> Namespace:
        """Return the namespace for what is declared inside an operation."""
        return Namespace(self.diagnostics, dict(self.spans))
