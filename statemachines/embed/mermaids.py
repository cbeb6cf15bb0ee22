"""Machines from Mermaid's state diagrams, as drafts."""

from __future__ import annotations

import re
from collections.abc import Callable

from attrs import define, field

from statemachines.embed.drafts import Draft, ImportFailed, drafted, named, names
from statemachines.model.machines import State, Transition

END = "[*]"
LONGEST = 5_000
"""Characters of a line: how long a line is read may grow with the square of it."""
ARROW = re.compile(r"(?P<source>\[\*\]|[^\s:{}]+)\s*-->\s*(?P<target>\[\*\]|[^\s:{}]+)\s*(?::\s*(?P<label>.*))?")
TITLED = re.compile(r'state\s+"(?P<title>[^"]*)"\s+as\s+(?P<name>[^\s{]+)\s*(?P<open>\{)?')
OPENED = re.compile(r"state\s+(?P<name>[^\s{<]+)\s*(?P<open>\{)?")
KIND = re.compile(r"state\s+(?P<name>\S+)\s+<<(?P<kind>\w+)>>")
TEXT = re.compile(r"(?P<name>[^\s:]+)\s*:\s*(?P<title>.+)")
LABEL = re.compile(r"(?P<event>[^\[/]*?)\s*(?:\[(?P<guard>.*?)\])?\s*(?:/\s*(?P<effect>.*))?")
QUIET = ("direction ", "classDef ", "class ", "accTitle", "accDescr", "hide ", "scale ", "style ", "click ")
"""What says nothing about the machine."""


@define
class Diagram:
    """What was read so far."""

    titles: dict[str, str] = field(factory=dict)
    """Every state's name and the text in its box, in order of first mention."""
    groups: dict[str, str] = field(factory=dict)
    arrows: list[tuple[str, str, str]] = field(factory=list)
    """Source, target and label."""
    initial: set[str] = field(factory=set)
    final: set[str] = field(factory=set)
    around: list[str] = field(factory=list)
    """Composite states that are open, the innermost last."""
    composite: dict[str, str] = field(factory=dict)
    """Every composite state, and its first inner one or the one that its inner beginning names."""
    lost: list[str] = field(factory=list)

    def mention(self, name: str, title: str | None = None) -> None:
        """Take note of a state."""
        if name in self.composite or name == END:
            return
        self.titles[name] = title if title is not None else self.titles.get(name, name)
        if self.around:
            self.groups.setdefault(name, self.around[-1])
            if not self.composite[self.around[-1]]:
                self.composite[self.around[-1]] = name


def from_mermaid(text: str, *, name: str = "draft") -> Draft:
    """Read a machine from a Mermaid state diagram, as a draft.

    A label `event [guard] / effect` gives its event; an arrow without one is a plain move. Composite states become groups. Guards and
    effects stay as documentation; choices, forks, notes and regions do not carry over.

    Args:
        text: the diagram, with or without front matter and code fence.
        name: of the machine; the diagram's title where it has one.

    Raises:
        ImportFailed: it is no state diagram, or a line cannot be read; the message has its number.
    """
    diagram = Diagram()
    title = re.search(r'(?m)^title:\s*"?(.*?)"?\s*$', text)
    for number, line in _lines(text):
        if len(line) > LONGEST:
            raise ImportFailed(f"line {number} has {len(line):,} characters; the most is {LONGEST:,}")
        if not any(reader(diagram, line) for reader in READERS):
            raise ImportFailed(f"line {number}: `{line}` is no line of a state diagram that is known here")
    return _draft(diagram, named(title[1].split(" ")[0].rpartition("/")[2]) if title and title[1] else name)


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines after the head, numbered from 1, without comments and fences.

    Raises:
        ImportFailed: there is no head.
    """
    numbered = [(number, line.strip().rstrip(";")) for number, line in enumerate(text.splitlines(), start=1)]
    heads = [place for place, (_, line) in enumerate(numbered) if re.fullmatch(r"stateDiagram(-v2)?", line)]
    if not heads:
        raise ImportFailed("a state diagram begins with a line `stateDiagram-v2`")
    return [(number, line) for number, line in numbered[heads[0] + 1 :] if line and not line.startswith(("%%", "```"))]


def _quiet(diagram: Diagram, line: str) -> bool:
    return line.startswith(QUIET)


def _note(diagram: Diagram, line: str) -> bool:
    """Notes of one line and of several: the text of the latter is read as lost too, up to `end note`."""
    if diagram.around and diagram.around[-1] == "note":
        if line == "end note":
            diagram.around.pop()
        return True
    if not line.startswith("note "):
        return False
    diagram.lost.append(f"a note: {line}")
    if ":" not in line:
        diagram.around.append("note")
    return True


def _kind(diagram: Diagram, line: str) -> bool:
    found = KIND.fullmatch(line)
    if found:
        diagram.mention(found["name"])
        diagram.lost.append(f"`{found['name']}` is a {found['kind']}; it is a state here")
    return found is not None


def _declared(diagram: Diagram, line: str) -> bool:
    found = TITLED.fullmatch(line) or OPENED.fullmatch(line)
    if found is None:
        return False
    title = found.groupdict().get("title")
    if not found["open"]:
        diagram.mention(found["name"], title)
        return True
    if diagram.around:
        diagram.lost.append(f"`{found['name']}` is inside `{diagram.around[-1]}`; groups do not nest here")
    diagram.titles.pop(found["name"], None)
    diagram.groups.pop(found["name"], None)
    diagram.composite[found["name"]] = ""
    diagram.around.append(found["name"])
    return True


def _closed(diagram: Diagram, line: str) -> bool:
    if line == "}" and diagram.around:
        diagram.around.pop()
        return True
    if line == "--":
        diagram.lost.append(f"the regions of `{diagram.around[-1] if diagram.around else 'the diagram'}` that run at the same time")
    return line == "--"


def _arrow(diagram: Diagram, line: str) -> bool:
    found = ARROW.fullmatch(line)
    if found is None:
        return False
    source, target, label = found["source"], found["target"], found["label"] or ""
    diagram.mention(source)
    diagram.mention(target)
    inside = diagram.around[-1] if diagram.around else None
    if source == END and inside:
        diagram.composite[inside] = target
    elif target == END and inside:
        diagram.lost.append(f"`{source}` ends `{inside}`")
    elif source == END:
        diagram.initial.add(target)
    elif target == END:
        diagram.final.add(source)
    else:
        diagram.arrows.append((source, target, label.strip()))
    return True


def _text(diagram: Diagram, line: str) -> bool:
    found = TEXT.fullmatch(line)
    if found:
        diagram.mention(found["name"], found["title"])
    return found is not None


def _bare(diagram: Diagram, line: str) -> bool:
    if re.fullmatch(r"[^\s:{}]+", line):
        diagram.mention(line)
        return True
    return False


READERS: tuple[Callable[[Diagram, str], bool], ...] = (_note, _quiet, _kind, _declared, _closed, _arrow, _text, _bare)
"""The first that can read a line does."""


def _draft(diagram: Diagram, name: str) -> Draft:
    lost = diagram.lost
    inner = {group: _innermost(diagram, group) for group in diagram.composite}
    titles = {state: title for state, title in diagram.titles.items() if state not in inner}
    given = names(titles.values(), lost, "state") if len(set(titles.values())) == len(titles) else names(titles, lost, "state")
    known = {state: given.get(title) or given[state] for state, title in titles.items()}
    begins = {inner.get(each, each) for each in diagram.initial} or set(list(titles)[:1])
    ends = {each for each in diagram.final if each in titles}
    groups = {state: named(group) for state, group in diagram.groups.items() if state in titles}
    states = (State(known[each], initial=each in begins, final=each in ends, group=groups.get(each)) for each in titles)
    arrows = []
    for source, target, label in diagram.arrows:
        sources = [state for state, group in diagram.groups.items() if group == source] if source in inner else [source]
        arrows += [_transition(known[each], known[inner.get(target, target)], label, lost) for each in sources if each in known]
    return drafted(name, states, arrows, lost)


def _innermost(diagram: Diagram, group: str) -> str:
    """Return the state that is entered with a composite one."""
    first, seen = diagram.composite[group], {group}
    while first in diagram.composite and first not in seen:
        seen.add(first)
        first = diagram.composite[first]
    if first not in diagram.titles:
        raise ImportFailed(f"the composite state `{group}` has no state inside")
    return first


def _transition(source: str, target: str, label: str, lost: list[str]) -> Transition:
    found = LABEL.fullmatch(label.replace("<br>", " ").replace("<br/>", " "))
    event = found["event"].strip() if found else label
    guard, effect = (found["guard"], found["effect"]) if found else (None, None)
    about = f"`{label}` from {source}"
    lost.extend([f"{about}: its guard `{guard}`"] if guard else [])
    lost.extend([f"{about}: its effect `{effect}`"] if effect else [])
    doc = " ".join((*([f"only if {guard}"] if guard else []), *([f"does {effect}"] if effect else [])))
    name = named(event) if event else f"to_{target}"
    lost.extend([f"the event `{event}` is called `{name}` here"] if event and name != event else [])
    return Transition(source, target, name, doc=doc)
