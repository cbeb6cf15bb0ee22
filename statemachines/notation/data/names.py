"""Names that may be declared: words of the language are none, and nothing shadows."""

from __future__ import annotations

import keyword

from attrs import define, field

from statemachines.model.diagnostics import Diagnostic
from statemachines.model.places import Span
from statemachines.notation.expressions.calls import FUNCTIONS
from statemachines.notation.nodes import Scalar

WORDS = frozenset({*FUNCTIONS, "state", "before", "any", "bool", "int", "text", "map", "list", "key", "returned"})
"""Words that mean something in expressions and types."""


@define
class Taken:
    """The names of one namespace, and where each was declared."""

    found: list[Diagnostic]
    places: dict[str, Span] = field(factory=dict)

    def take(self, name: Scalar) -> bool:
        """Declare a name; False where it may not be, which is reported.

        A word of the language that could be a name is declared all the same: else every use of it would be told to be a mistake too.
        """
        if keyword.iskeyword(name.text) or name.text in WORDS:
            self.found.append(Diagnostic("SM315", f"`{name.text}` is a word of the language", name.span, "choose another name"))
            return not keyword.iskeyword(name.text) and self.places.setdefault(name.text, name.span) is name.span
        other = self.places.get(name.text)
        if other is not None:
            where = f"it stands for something else on line {other.line}"
            hint = f"nothing shadows: choose another name ({where})"
            self.found.append(Diagnostic("SM315", f"`{name.text}` is declared already", name.span, hint))
            return False
        self.places[name.text] = name.span
        return True

    def hold(self, name: Scalar) -> bool:
        """Declare a name of the whole machine; that two sections declare it is reported by the pass `names`."""
        if name.text in self.places:
            return False
        return self.take(name)

    def inner(self) -> Taken:
        """Return the namespace for what is declared inside an operation."""
        return Taken(self.found, dict(self.places))
