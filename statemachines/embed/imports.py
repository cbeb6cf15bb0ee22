"""Machines from elsewhere, as drafts with a list of what did not carry over."""

from __future__ import annotations

from statemachines.embed.drafts import Draft, ImportFailed
from statemachines.embed.from_transitions import from_transitions
from statemachines.embed.mappings import from_mapping
from statemachines.embed.mermaids import from_mermaid
from statemachines.embed.scxml import from_scxml

__all__ = ["Draft", "ImportFailed", "from_mapping", "from_mermaid", "from_scxml", "from_transitions"]
