"""Specs to start from: a small one, or a draft from another program's file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from statemachines.notation import specs_folder

if TYPE_CHECKING:
    from statemachines.interop.drafting.drafts import Draft

MOST_DRAFT_BYTES = 1 << 20
"""Of a file that a draft is made from, as of a spec."""
_SCHEMA = "machine.schema.json"
_STARTER = """\
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
otherwise:              # what becomes of other requests: ignore, refuse, raise SomeError, force
  - {{from: [DONE, FAILED], does: ignore}}
  - {{does: refuse}}
log:
  instance: [id]                          # the fields that say which one a line is about
  patterns: {{id: '\\d+'}}
  lines:                       # one entry a wording; `says` is step, begin, is, refused, failed, …
    - text: "{name} {{id}}: {{from}} -> {{to}}"
      says: step
      level: INFO
      logger: app.{name}                  # as the program names it, whole
      samples: ["{name} 7: NEW -> WORKING"]
"""
"""What `init` writes: a spec that holds together, to be changed line by line."""


class CannotDraft(ValueError):
    """A file that is not what it was said to be; the message says why."""


def starter_spec(file: Path) -> str:
    """Return a spec to start from, which names the notation's schema to editors.

    Args:
        file: where it will stand; its stem is the machine's name.

    Returns:
        The text of a small machine that loads and has no error.
    """
    return spec_with_schema(file, _STARTER.format(name=file.stem))


def spec_with_schema(file: Path, text: str) -> str:
    """Return a spec's text with the line that tells editors the schema, which is on this machine:
    they need no network.

    Args:
        file: where it will stand.
        text: the spec.

    Returns:
        The text with that line above it.
    """
    schema = _nearest_schema(file.absolute().parent) or (specs_folder() / _SCHEMA).as_uri()
    return f"# yaml-language-server: $schema={schema}\n{text}"


def _nearest_schema(folder: Path) -> str:
    """Return the way to a schema in a folder or in `specs/` of one above it: unlike the installed
    one's it holds on every machine.
    """
    candidates = (
        above / inner / _SCHEMA for above in (folder, *folder.parents) for inner in ("", "specs")
    )
    schema = next((candidate for candidate in candidates if candidate.is_file()), None)
    return Path(os.path.relpath(schema, folder)).as_posix() if schema else ""


DRAFT_FORMS = {
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".md": "mermaid",
    ".scxml": "scxml",
    ".xml": "scxml",
    ".json": "mapping",
}
"""A file's ending to what a draft is made from."""


def draft_from_text(text: str, form: str, name: str) -> tuple[str, tuple[str, ...]]:
    """Make a spec from a file of another program.

    Args:
        text: the file.
        form: `mermaid`, `scxml` or `mapping`.
        name: of the machine, where the file has none.

    Returns:
        The spec's text, and what did not carry over, a sentence each.

    Raises:
        CannotDraft: the file is not what it was said to be.
    """
    from statemachines.interop.drafting.drafts import ImportFailed
    from statemachines.interop.mermaid.mermaid_reader import from_mermaid
    from statemachines.interop.scxml.scxml_reader import from_scxml

    try:
        match form:
            case "mapping":
                draft = _draft_from_json(text, name)
            case "mermaid":
                draft = from_mermaid(text, name=name)
            case _:
                draft = from_scxml(text)
    except ImportFailed as problem:
        raise CannotDraft(str(problem)) from None
    except RecursionError:
        raise CannotDraft("it is nested deeper than any state machine is") from None
    return _without_surrogates(draft.text), draft.lost


def _without_surrogates(text: str) -> str:
    """Return a text that UTF-8 can hold: half a character, which two escapes of JSON may tell,
    becomes a question mark.
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def _draft_from_json(text: str, name: str) -> Draft:
    import json

    from statemachines.interop.drafting.drafts import ImportFailed
    from statemachines.interop.json.mapping_reader import from_mapping

    try:
        mapping = json.loads(text)
    except ValueError as problem:
        raise ImportFailed(f"it is no JSON: {problem}") from None
    if not isinstance(mapping, dict):
        raise ImportFailed(
            "it should be an object: state to event to target, or with `states` and `transitions`"
        )
    return from_mapping(mapping, name=name)


def draft_from_attribute(location: str, name: str) -> tuple[str, tuple[str, ...]]:
    """Make a spec from a machine of `transitions` in a program.

    Args:
        location: `module:attribute`; the module is imported, from the working folder too.
        name: of the machine.

    Returns:
        The spec's text, and what did not carry over, a sentence each.

    Raises:
        CannotDraft: there is no such module or attribute, it cannot be imported, or it is no
            machine.
    """
    import importlib
    import sys

    from statemachines.interop.drafting.drafts import ImportFailed
    from statemachines.interop.transitions.transitions_reader import from_transitions

    module, _, attribute = location.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        value = importlib.import_module(module)
        for part in attribute.split("."):
            value = getattr(value, part)
        transitions = from_transitions(value, name=name)
    except (ImportError, AttributeError, ImportFailed) as problem:
        raise CannotDraft(f"{location}: {problem}") from None
    finally:
        sys.path.pop(0)
    return transitions.text, transitions.lost
