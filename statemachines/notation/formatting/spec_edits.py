"""Small changes of a spec's text: what is not changed stays as its author wrote it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, assert_never

from attrs import frozen

from statemachines.model.extras import install_command
from statemachines.notation.formatting.spec_formatting import CannotFormat


@frozen
class AddedTransition:
    """A step that a spec lacks."""

    source: str
    target: str
    silent: bool = False
    """Whether it passes without any line."""


@frozen
class AddedState:
    """A state that a spec lacks."""

    name: str


@frozen
class AddedSpelling:
    """Another name by which logs call a state."""

    state: str
    spelling: str


@frozen
class InitialState:
    """A state in which lives begin, too."""

    state: str


@frozen
class AddedWording:
    """Another wording of a line."""

    line: int
    """Where its entry stands in the file, from 1."""
    text: str
    sample: str


@frozen
class LongerDeadline:
    """A time by which something that a spec names must be over."""

    line: int
    """Where it stands in the file, from 1."""
    within: str


SpecEdit = (
    AddedTransition | AddedState | AddedSpelling | InitialState | AddedWording | LongerDeadline
)


def edited_spec(text: str, file: str, edits: Iterable[SpecEdit]) -> str:
    """Return a spec's text with changes made.

    Args:
        text: the file.
        file: its name in messages.
        edits: in the order in which they are made.

    Returns:
        The text with the changes; everything else, comments too, is as it was.

    Raises:
        CannotFormat: the library that keeps comments is missing, cannot read the file, or a change
            has no place in it.

    >>> spec = "machine: Door\\nstates: {OPEN: {initial: true}, SHUT: {}}   # two\\n"
    >>> print(edited_spec(spec, "Door.yaml", [AddedTransition("OPEN", "SHUT")]), end="")
    machine: Door
    states: {OPEN: {initial: true}, SHUT: {}}   # two
    transitions:
      - {from: OPEN, to: SHUT}
    """
    try:
        from statemachines.notation.formatting import yaml_round_trip
    except ImportError:
        raise CannotFormat(f"editing needs ruamel.yaml: {install_command('cli')}") from None
    try:
        document = yaml_round_trip.load(text)
        unchanged = yaml_round_trip.dump(document)
        editor = _Editor(document, yaml_round_trip)
        for edit in edits:
            editor.make(edit)
        return _carried_over(text, unchanged, yaml_round_trip.dump(document))
    except (
        yaml_round_trip.YAMLError, AttributeError, KeyError, StopIteration, TypeError,
    ) as problem:  # fmt: skip
        message = str(problem).splitlines()[0] if str(problem) else "its form is another one"
        raise CannotFormat(f"{file}: it cannot be changed: {message}") from None


class _Editor:
    """Changes a document as the library read it."""

    def __init__(self, document: Any, library: Any) -> None:
        self._document, self._mapping = document, library.CommentedMap
        self._sequence, self._quoted = library.CommentedSeq, library.quoted

    def make(self, edit: SpecEdit) -> None:
        """Make one change."""
        match edit:
            case AddedTransition():
                self._add_transition(edit)
            case AddedState():
                states = self._document["states"]
                states[edit.name] = self._flow({}) if states.fa.flow_style() else None
            case AddedSpelling():
                self._change_state(edit.state, "as", edit.spelling)
            case InitialState():
                self._change_state(edit.state, "initial", "true")
            case AddedWording():
                self._add_wording(edit)
            case LongerDeadline():
                self._change_deadline(edit)
            case _:
                assert_never(edit)

    def _flow(self, entries: dict[str, str]) -> Any:
        node = self._mapping(entries)
        node.fa.set_flow_style()
        return node

    def _flow_list(self, items: Sequence[str]) -> Any:
        node = self._sequence(items)
        node.fa.set_flow_style()
        return node

    def _add_transition(self, edit: AddedTransition) -> None:
        silent = {"silent": "true"} if edit.silent else {}
        entry = self._flow({"from": edit.source, "to": edit.target, **silent})
        self._document.setdefault("transitions", self._sequence()).append(entry)

    def _change_state(self, name: str, key: str, value: str) -> None:
        states = self._document["states"]
        if not states[name]:
            states[name] = self._flow({})
        entries = states[name] if isinstance(states[name], list) else [states[name]]
        for entry in entries:
            if key != "as":
                entry[key] = value
            elif isinstance(entry.get(key), list):
                entry[key].append(value)
            else:
                known = [entry[key]] if key in entry else []
                entry[key] = self._flow_list([*known, value])

    def _add_wording(self, edit: AddedWording) -> None:
        entry = next(
            node
            for node in _mappings(self._document["log"]["lines"])
            if node.lc.line + 1 == edit.line and "text" in node
        )
        if isinstance(entry["text"], list):
            entry["text"].append(self._quoted(edit.text))
        else:
            entry["text"] = self._sequence([entry["text"], self._quoted(edit.text)])
        if isinstance(entry.get("samples"), list):
            entry["samples"].append(self._quoted(edit.sample))

    def _change_deadline(self, edit: LongerDeadline) -> None:
        entry = next(
            node
            for node, line in _placed_mappings(self._document)
            if edit.line in {line, node.lc.line + 1} and isinstance(node.get("within"), str)
        )
        entry["within"] = edit.within


def _placed_mappings(node: Any) -> Iterator[tuple[Any, int]]:
    """Yield the mappings of a document, each with the line, from 1, on which its name stands."""
    named = hasattr(node, "items")
    for name, child in node.items() if named else enumerate(node):
        if hasattr(child, "items"):
            yield child, (node.lc.key(name)[0] if named else child.lc.line) + 1
        if hasattr(child, "items") or isinstance(child, list):
            yield from _placed_mappings(child)


def _mappings(node: Any) -> Iterator[Any]:
    """Yield the mappings of a list of lines, those of groups too."""
    for item in node:
        yield item
        if "lines" in item:
            yield from _mappings(item["lines"])


def _carried_over(text: str, unchanged: str, changed: str) -> str:
    """Make in an author's text the changes that are between two texts of the library's form.

    Where the author's form differs right where something changes, the library's is taken there.
    """
    own, base, new = (content.splitlines(keepends=True) for content in (text, unchanged, changed))
    if own and not own[-1].endswith("\n"):
        own[-1] += "\n"
    own_line = _line_places(base, own)
    written, at = list[str](), 0
    for kind, start, end, new_start, new_end in _differences(base, new):
        if kind == "equal":
            continue
        first, last = own_line[start], own_line[end]
        written += own[at:first] + new[new_start:new_end]
        at = max(first, last)
    return "".join([*written, *own[at:]])


def _differences(before: list[str], after: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    return difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()


def _line_places(base: list[str], own: list[str]) -> list[int]:
    """Return where each line of one text stands in another that says the same; one more for its
    end.
    """
    own_lines = list[int]()
    for _, start, end, own_start, own_end in _differences(base, own):
        own_lines += [min(own_start + i, own_end) for i in range(end - start)]
    return [*own_lines, len(own)]
