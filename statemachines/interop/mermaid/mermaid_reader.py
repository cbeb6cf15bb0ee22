"""Machines from Mermaid's state diagrams, as drafts."""

from __future__ import annotations

import re
from collections.abc import Callable

from attrs import define, field

from statemachines.interop.drafting.drafts import (
    Draft,
    ImportFailed,
    build_draft,
    unique_names,
    valid_name,
)
from statemachines.model.definitions.machine_definitions import State, Transition
from statemachines.model.diagnosis.call_options import refuses_unknown_options

_START_OR_END = "[*]"
LONGEST_LINE = 5_000
"""Characters of a line: how long a line is read may grow with the square of it."""
_TRANSITION_LINE = re.compile(
    r"(?P<source>\[\*\]|[^\s:{}]+)\s*-->\s*(?P<target>\[\*\]|[^\s:{}]+)\s*(?::\s*(?P<label>.*))?"
)
_TITLED_STATE = re.compile(r'state\s+"(?P<title>[^"]*)"\s+as\s+(?P<name>[^\s{]+)\s*(?P<open>\{)?')
_STATE_DECLARATION = re.compile(r"state\s+(?P<name>[^\s{<]+)\s*(?P<open>\{)?")
_PSEUDOSTATE = re.compile(r"state\s+(?P<name>\S+)\s+<<(?P<kind>\w+)>>")
_STATE_TEXT = re.compile(r"(?P<name>[^\s:]+)\s*:\s*(?P<title>.+)")
_TRANSITION_LABEL = re.compile(
    r"(?P<event>[^\[/]*?)\s*(?:\[(?P<guard>.*?)\])?\s*(?:/\s*(?P<effect>.*))?"
)
_REMARK = r"silent|never taken|never seen|and \d+ more events"
_ANNOTATION = re.compile(
    r"(?:^|\s)(after \d+ \w+(?: \d+ \w+)*|time begins again|\(\d+ ways\)"
    rf"|{_REMARK})$"
)
"""What `draw` writes beside the name of an event."""
_IGNORED_PREFIXES = (
    "direction ",
    "classDef ",
    "class ",
    "accTitle",
    "accDescr",
    "hide ",
    "scale ",
    "style ",
    "click ",
)
"""What says nothing about the machine."""


@define
class _MermaidDiagram:
    """What was read so far."""

    titles: dict[str, str] = field(factory=dict)
    """Every state's name and the text in its box, in order of first mention."""
    groups: dict[str, str] = field(factory=dict)
    transitions: list[tuple[str, str, str]] = field(factory=list)
    """Source, target and label."""
    initial: set[str] = field(factory=set)
    final: set[str] = field(factory=set)
    open_groups: list[str] = field(factory=list)
    """Composite states that are open, the innermost last."""
    entry_states: dict[str, str] = field(factory=dict)
    """Every composite state, and its first inner one or the one that its inner beginning names."""
    lost: list[str] = field(factory=list)

    def mention(self, name: str, title: str | None = None) -> None:
        """Take note of a state."""
        if name in self.entry_states or name == _START_OR_END:
            return
        self.titles[name] = title if title is not None else self.titles.get(name, name)
        if self.open_groups:
            self.groups.setdefault(name, self.open_groups[-1])
            if not self.entry_states[self.open_groups[-1]]:
                self.entry_states[self.open_groups[-1]] = name


@refuses_unknown_options()
def from_mermaid(text: str, *, name: str = "draft") -> Draft:
    """Read a machine from a Mermaid state diagram, as a draft.

    A label `event [guard] / effect` gives its event, one of several lines a transition a line; an
    arrow without one is a plain move. Composite states become groups. Guards, effects and times
    stay as documentation; choices, forks, notes and regions do not carry over.

    Args:
        text: the diagram, with or without front matter and code fence.
        name: of the machine; the diagram's title where it has one.

    Returns:
        The machine, the text of its spec, and what did not carry over.

    Raises:
        ImportFailed: it is no state diagram, or a line cannot be read; the message has its number.

    Source: mermaid, State diagrams (https://mermaid.js.org/syntax/stateDiagram.html).
    """
    if not isinstance(text, str):
        raise ImportFailed(f"a diagram is text, not {text!r}")
    diagram = _MermaidDiagram()
    title = re.search(r'(?m)^title:\s*"?(.*?)"?\s*$', text)
    for number, line in _diagram_lines(text):
        if len(line) > LONGEST_LINE:
            raise ImportFailed(
                f"line {number} has {len(line):,} characters; the most is {LONGEST_LINE:,}"
            )
        if not any(reader(diagram, line) for reader in _LINE_READERS):
            raise ImportFailed(
                f"line {number}: `{line}` is no line of a state diagram that is known here"
            )
    return _build_diagram_draft(
        diagram,
        valid_name(title[1].split(" ")[0].rpartition("/")[2]) if title and title[1] else name,
    )


def _diagram_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines after the head, numbered from 1, without comments and fences.

    Raises:
        ImportFailed: there is no head.
    """
    numbered = [
        (number, line.strip().rstrip(";")) for number, line in enumerate(text.splitlines(), start=1)
    ]
    heads = [
        index
        for index, (_, line) in enumerate(numbered)
        if re.fullmatch(r"stateDiagram(-v2)?", line)
    ]
    if not heads:
        raise ImportFailed("a state diagram begins with a line `stateDiagram-v2`")
    return [
        (number, line)
        for number, line in numbered[heads[0] + 1 :]
        if line and not line.startswith(("%%", "```"))
    ]


def _skip_line(diagram: _MermaidDiagram, line: str) -> bool:
    return line.startswith(_IGNORED_PREFIXES)


def _read_note(diagram: _MermaidDiagram, line: str) -> bool:
    """Notes of one line and of several: the text of the latter is read as lost too, up to `end
    note`.
    """
    if diagram.open_groups and diagram.open_groups[-1] == "note":
        if line == "end note":
            diagram.open_groups.pop()
        return True
    if not line.startswith("note "):
        return False
    diagram.lost.append(f"a note: {line}")
    if ":" not in line:
        diagram.open_groups.append("note")
    return True


def _read_pseudostate(diagram: _MermaidDiagram, line: str) -> bool:
    match = _PSEUDOSTATE.fullmatch(line)
    if match:
        diagram.mention(match["name"])
        diagram.lost.append(f"`{match['name']}` is a {match['kind']}; it is a state here")
    return match is not None


def _read_declaration(diagram: _MermaidDiagram, line: str) -> bool:
    match = _TITLED_STATE.fullmatch(line) or _STATE_DECLARATION.fullmatch(line)
    if match is None:
        return False
    title = match.groupdict().get("title")
    if not match["open"]:
        diagram.mention(match["name"], title)
        return True
    if diagram.open_groups:
        diagram.lost.append(
            f"`{match['name']}` is inside `{diagram.open_groups[-1]}`; groups do not nest here"
        )
    diagram.titles.pop(match["name"], None)
    diagram.groups.pop(match["name"], None)
    diagram.entry_states[match["name"]] = ""
    diagram.open_groups.append(match["name"])
    return True


def _read_group_end(diagram: _MermaidDiagram, line: str) -> bool:
    if line == "}" and diagram.open_groups:
        diagram.open_groups.pop()
        return True
    if line == "--":
        diagram.lost.append(
            f"the regions of `{diagram.open_groups[-1] if diagram.open_groups else 'the diagram'}`"
            " that run at the same time"
        )
    return line == "--"


def _read_transition(diagram: _MermaidDiagram, line: str) -> bool:
    match = _TRANSITION_LINE.fullmatch(line)
    if match is None:
        return False
    source, target, label = match["source"], match["target"], match["label"] or ""
    diagram.mention(source)
    diagram.mention(target)
    inside = diagram.open_groups[-1] if diagram.open_groups else None
    if source == _START_OR_END and inside:
        diagram.entry_states[inside] = target
    elif target == _START_OR_END and inside:
        diagram.lost.append(f"`{source}` ends `{inside}`")
    elif source == _START_OR_END:
        diagram.initial.add(target)
    elif target == _START_OR_END:
        diagram.final.add(source)
    else:
        diagram.transitions.append((source, target, label.strip()))
    return True


def _read_state_text(diagram: _MermaidDiagram, line: str) -> bool:
    match = _STATE_TEXT.fullmatch(line)
    if match:
        diagram.mention(match["name"], match["title"])
    return match is not None


def _read_bare_state(diagram: _MermaidDiagram, line: str) -> bool:
    if re.fullmatch(r"[^\s:{}]+", line):
        diagram.mention(line)
        return True
    return False


_LINE_READERS: tuple[Callable[[_MermaidDiagram, str], bool], ...] = (
    _read_note,
    _skip_line,
    _read_pseudostate,
    _read_declaration,
    _read_group_end,
    _read_transition,
    _read_state_text,
    _read_bare_state,
)
"""The first that can read a line does."""


def _build_diagram_draft(diagram: _MermaidDiagram, name: str) -> Draft:
    lost = diagram.lost
    inner = {group: _entered_state(diagram, group) for group in diagram.entry_states}
    titles = {state: title for state, title in diagram.titles.items() if state not in inner}
    given = (
        unique_names(titles.values(), lost, "state")
        if len(set(titles.values())) == len(titles)
        else unique_names(titles, lost, "state")
    )
    known = {state: given.get(title) or given[state] for state, title in titles.items()}
    initial_ids = {inner.get(node_id, node_id) for node_id in diagram.initial} or set(
        list(titles)[:1]
    )
    ends = {node_id for node_id in diagram.final if node_id in titles}
    groups = {
        state: valid_name(group) for state, group in diagram.groups.items() if state in titles
    }
    states = (
        State(
            known[node_id],
            initial=node_id in initial_ids,
            final=node_id in ends,
            group=groups.get(node_id),
        )
        for node_id in titles
    )
    transitions = []
    for source, target, label in diagram.transitions:
        sources = (
            [state for state, group in diagram.groups.items() if group == source]
            if source in inner
            else [source]
        )
        transitions += [
            _labelled_transition(known[node_id], known[inner.get(target, target)], text, lost)
            for node_id in sources
            if node_id in known
            for text in _single_labels(label)
        ]
    return build_draft(name, states, transitions, lost)


def _entered_state(diagram: _MermaidDiagram, group: str) -> str:
    """Return the state that is entered with a composite one."""
    first, entered = diagram.entry_states[group], {group}
    while first in diagram.entry_states and first not in entered:
        entered.add(first)
        first = diagram.entry_states[first]
    if first not in diagram.titles:
        raise ImportFailed(f"the composite state `{group}` has no state inside")
    return first


def _single_labels(label: str) -> list[str]:
    """Return the labels of an arrow that stands for several: each has a line of its own, below
    which its guard, its effect and remarks may stand.
    """
    labels = list[str]()
    for line in re.split(r"\s*<br\s*/?>\s*", label):
        if labels and (line.startswith(("[", "/")) or re.fullmatch(_REMARK, line)):
            labels[-1] += f" {line}"
        else:
            labels.append(line)
    return labels


def _without_annotations(event: str) -> tuple[str, list[str]]:
    """Return an event, and what a picture says of it beside its name."""
    annotations = list[str]()
    while match := _ANNOTATION.search(event):
        annotations.insert(0, match[1])
        event = event[: match.start()].rstrip()
    return event, annotations


def _labelled_transition(source: str, target: str, label: str, lost: list[str]) -> Transition:
    match = _TRANSITION_LABEL.fullmatch(label)
    event = match["event"].strip() if match else label
    event, annotations = _without_annotations(event)
    guard, effect = (match["guard"], match["effect"]) if match else (None, None)
    about = f"`{label}` from {source}"
    lost.extend(f"{about}: `{annotation}`" for annotation in annotations)
    lost.extend([f"{about}: its guard `{guard}`"] if guard else [])
    lost.extend([f"{about}: its effect `{effect}`"] if effect else [])
    doc = " ".join(
        (
            *annotations,
            *([f"only if {guard}"] if guard else []),
            *([f"does {effect}"] if effect else []),
        )
    )
    name = valid_name(event) if event else f"to_{target}"
    lost.extend([f"the event `{event}` is called `{name}` here"] if event and name != event else [])
    return Transition(source, target, name, doc=doc)
