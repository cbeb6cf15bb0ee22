"""Specs to start from: a small one, or a draft from another program's file."""

from __future__ import annotations

import os
from pathlib import Path

SCHEMA = "machine.schema.json"
STARTER = """\
notation: 1
machine: {name}
doc: One sentence on what goes through this life.
states:
  NEW: {{initial: true}}
  WORKING:
  DONE: {{final: true}}
  FAILED: {{final: true}}
transitions:
  - {{from: NEW, to: WORKING}}
  - {{from: WORKING, to: [DONE, FAILED]}}
otherwise:                                # what becomes of every other request: ignore, refuse, raise SomeError, force
  - {{from: [DONE, FAILED], does: ignore}}
  - {{does: refuse}}
log:
  instance: [id]                          # the fields that say which one a line is about
  patterns: {{id: '\\d+'}}
  lines:                                  # one entry a wording; `says` is step, begin, is, refused, failed, …
    - text: "{name} {{id}}: {{from}} -> {{to}}"
      says: step
      level: INFO
      logger: app.{name}                  # as the program names it, whole
      samples: ["{name} 7: NEW -> WORKING"]
"""
"""What `init` writes: a spec that holds together, to be changed line by line."""


class NoDraft(ValueError):
    """A file that is not what it was said to be; the message says why."""


def starter(file: Path) -> str:
    """Return a spec to start from, which names the notation's schema to editors where one lies near.

    Args:
        file: where it will stand; its stem is the machine's name.
    """
    schema = _near(file.absolute().parent)
    said = f"# yaml-language-server: $schema={schema}\n" if schema else ""
    return said + STARTER.format(name=file.stem)


def _near(folder: Path) -> str:
    """Return the way to a schema in a folder or in `specs/` of one above it; an absolute one would be wrong on every other machine."""
    places = (above / inner / SCHEMA for above in (folder, *folder.parents) for inner in ("", "specs"))
    schema = next((place for place in places if place.is_file()), None)
    return Path(os.path.relpath(schema, folder)).as_posix() if schema else ""


def draft(text: str, form: str, name: str) -> tuple[str, tuple[str, ...]]:
    """Make a spec from a file of another program.

    Args:
        text: the file.
        form: `mermaid` or `scxml`.
        name: of the machine, where the file has none.

    Returns:
        The spec's text, and what did not carry over, a sentence each.

    Raises:
        NoDraft: the file is not what it was said to be.
    """
    from statemachines.embed.imports import ImportFailed, from_mermaid, from_scxml

    try:
        found = from_mermaid(text, name=name) if form == "mermaid" else from_scxml(text)
    except ImportFailed as problem:
        raise NoDraft(str(problem)) from None
    return found.text, found.lost
