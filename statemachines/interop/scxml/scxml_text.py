"""What both writers of SCXML write: namespaces, names and comments."""

from __future__ import annotations

import re

SCXML_NAMESPACE = "http://www.w3.org/2005/07/scxml"
OWN_NAMESPACE = "urn:statemachines:1"
"""Namespace of what SCXML has no word for."""


def name_attribute(name: str) -> str:
    """Return the attribute of a name, if there is one: SCXML allows no slashes and blanks.

    Args:
        name: of the machine.

    Returns:
        The attribute with a blank before it, or the empty text.
    """
    called = re.sub(r"\W+", "_", name)
    return f' name="{called}"' if name else ""


def comment_text(text: str) -> str:
    """Write a text so that it does not end an XML comment.

    Args:
        text: what is written.

    Returns:
        The text without two hyphens in a row.
    """
    return re.sub(r"-(?=-|$)", "- ", " ".join(text.split()))
