"""Lines that name states: a template, and which of its words the states are."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from statemachines.mining.templates.message_templates import MinedTemplate, TemplateRow

_FEWEST_WORDS = 2
_FAILURES = ("fail", "cannot", "refus", "illegal", "invalid", "unable", "ignor", "reject", "denied")
"""What begins words of a wording that tells of a step that was not done."""


@frozen(eq=False)
class StateLines:
    """A template whose lines tell a step, or the state that a step led to."""

    template: MinedTemplate
    source: int | None
    """Which word is the state before; None: only the new one is told."""
    target: int | None
    """Which word is the new state; None: all lines tell the same, `label`."""
    label: str = ""

    @property
    def state_words(self) -> list[int]:
        """The words that are states."""
        return [i for i in (self.source, self.target) if i is not None]

    @property
    def other_fields(self) -> list[int]:
        """The words that differ and are no states."""
        return [i for i in self.template.fields if i not in self.state_words]

    @property
    def naming_fields(self) -> list[int]:
        """Those of them that may name an instance: one word in every line, and no list."""
        return [
            i
            for i in self.other_fields
            if not any(" " in row.words[i] for row in self.template.rows)
        ]

    def target_of(self, row: TemplateRow) -> str:
        """Return the state to which a line says that it went.

        Args:
            row: a line, as the template keeps it.

        Returns:
            The name of a state.
        """
        return self.label if self.target is None else row.words[self.target]

    def source_of(self, row: TemplateRow) -> str | None:
        """Return the state from which a line says that it went.

        Args:
            row: a line, as the template keeps it.

        Returns:
            The name of a state; None where the line does not tell it.
        """
        return None if self.source is None else row.words[self.source]

    def states(self) -> dict[str, None]:
        """Return all states that the lines name, in the order in which they first do."""
        rows = self.template.rows
        return dict.fromkeys(row.words[i] for row in rows for i in self.state_words)

    def is_like(self, other: StateLines) -> bool:
        """Tell whether two templates may tell of one machine: the same logger, the same words about
        the states or states in common, and both tell the state before, or neither does.

        Args:
            other: of another template.

        Returns:
            Whether they may be one machine's.
        """
        return (
            self.template.logger == other.template.logger
            and (self.source is None) == (other.source is None)
            and (self._has_words_of(other) or bool(self.states().keys() & other.states().keys()))
        )

    def names_a_failure(self) -> bool:
        """Tell whether the wording says that the step was not done."""
        words = (word.lower() for word in self.template.constants if word)
        return any(word.startswith(_FAILURES) or word == "not" for word in words)

    def field_names(self) -> Iterator[tuple[int, str]]:
        """Yield the words that the notation calls `from` and `to`."""
        if self.source is not None:
            yield self.source, "from"
        if self.target is not None:
            yield self.target, "to"

    def _has_words_of(self, other: StateLines) -> bool:
        """Tell whether states stand among the same words, and among more than `from` and `to`."""
        words = self._words_about_states()
        is_specific = sum(word is not None for word in words) > _FEWEST_WORDS
        return is_specific and words == other._words_about_states()

    def _words_about_states(self) -> tuple[str | None, ...]:
        first, last = min(self.state_words), max(self.state_words)
        return tuple(self.template.constants[max(first - 2, 0) : last + 1])
