"""Several copies of a machine as what is tried out: each steps alone."""

from __future__ import annotations

from attrs import define

from statemachines.explore.arguments.value_sampling import NamedValues
from statemachines.model.definitions.snapshots import Value
from statemachines.report.exploration.interactive_session import SessionChoice, SessionModel
from statemachines.semantics.messages.argument_errors import ArgumentsError


@define
class CopiesSession:
    """Copies that are tried out, numbered from 1; where they are is a tuple of snapshots."""

    model: SessionModel
    """Any of them."""
    copies: int

    def initial_snapshots(self) -> list[object]:
        """Return where all of them begin alike."""
        return [(first,) * self.copies for first in self.model.initial_snapshots()]

    def snapshot_line(self, now: object) -> str:
        """Write where each is.

        Args:
            now: where it is.

        Returns:
            One line.
        """
        assert isinstance(now, tuple)
        return "  |  ".join(map(self.model.snapshot_line, now))

    def choices(self, now: object) -> tuple[list[SessionChoice], list[tuple[str, str]]]:
        """Return what each may take, and why not the rest.

        Args:
            now: where it is.

        Returns:
            Choices in order; names of events with their reasons.
        """
        assert isinstance(now, tuple)
        choices, others = list[SessionChoice](), list[tuple[str, str]]()
        for copy, snapshot in enumerate(now):
            possible, impossible = self.model.choices(snapshot)
            choices += [
                SessionChoice(f"{copy + 1}: {choice.label}", choice.outcome, (copy, choice.action))
                for choice in possible
            ]
            others += [(f"{copy + 1}: {name}", reason) for name, reason in impossible]
        return choices, others

    def broken_properties(self, now: object) -> list[str]:
        """Return the rules that do not hold of some copy.

        Args:
            now: where it is.

        Returns:
            Names, in the author's order.
        """
        assert isinstance(now, tuple)
        return list(
            dict.fromkeys(
                name for snapshot in now for name in self.model.broken_properties(snapshot)
            )
        )

    def take(self, now: object, choice: object) -> tuple[object, str]:
        """Take what one copy was shown to be able to.

        Args:
            now: where it is.
            choice: one of `choices`.

        Returns:
            The snapshots after, and one line.
        """
        assert isinstance(now, tuple)
        assert isinstance(choice, tuple)
        copy, action = choice
        after, message = self.model.take(now[copy], action)
        return (*now[:copy], after, *now[copy + 1 :]), f"{copy + 1}: {message}"

    def request(
        self, now: object, name: str, key: Value, arguments: NamedValues
    ) -> tuple[object, str]:
        """Refuse an event by its name: it does not say whose it is.

        Args:
            now: where it is.
            name: of the event, in a system with its part.
            key: which one, of a part that there is several times; else None.
            arguments: by name.

        Returns:
            Nothing; it always refuses.

        Raises:
            ArgumentsError: in any case.
        """
        raise ArgumentsError(f"`{name}` of which copy? Copies are stepped by number")
