"""How people call an instance: a phrase of its spec, with its fields in it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from statemachines.model.values import frozen

CALLED_FIELD = "called"
"""In the title of an incident: what people call the instance, by the phrases of its spec."""


@frozen
class SubjectPhrase:
    """A wording, and of which instances it holds."""

    text: str
    """A template over key fields, remembered fields and `process`: `door {door} of {building}`."""
    fields: tuple[str, ...]
    """Those in the text."""
    where: tuple[tuple[str, str], ...] = ()
    """Fields, and the regular expression that all of a value must match."""

    def fits(self, values: Mapping[str, str]) -> bool:
        """Tell whether an instance has all the fields, with the values that are asked for.

        Args:
            values: what it is known by, as texts.

        Returns:
            Whether the phrase is one for it.
        """
        return all(name in values for name in self.fields) and all(
            re.fullmatch(pattern, values.get(name, "")) for name, pattern in self.where
        )
