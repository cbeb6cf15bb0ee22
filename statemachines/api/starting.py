"""Specs to start from: a small one, or a draft from another program's file."""

from __future__ import annotations

STARTER = """\
# yaml-language-server: $schema={schema}
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


def starter(name: str) -> str:
    """Return a spec to start from."""
    from statemachines.notation import specs_folder

    return STARTER.format(name=name, schema=specs_folder() / "machine.schema.json")


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
