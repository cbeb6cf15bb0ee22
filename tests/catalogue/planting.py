"""Faults planted in the texts of shipped specs."""

from __future__ import annotations

import re

from statemachines.notation import specs_folder


def planted(name: str, text: str, instead: str) -> str:
    """Return the text of a spec of the catalogue with something else in a place of it.

    Args:
        name: of the spec.
        text: what stands there, everywhere where it does; a line end is as good as a blank.
        instead: what shall.
    """
    written = (specs_folder() / f"{name}.yaml").read_text("utf-8")
    pattern = r"\s+".join(map(re.escape, text.split()))
    found, count = re.subn(pattern, lambda _: instead.strip(), written)
    assert count, f"{name} has no text {text!r}"
    return found
