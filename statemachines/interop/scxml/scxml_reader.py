"""Machines from SCXML, as drafts: a chart is flattened into its innermost states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from attrs import field, frozen

from statemachines.interop.drafting.drafts import (
    NO_EVENT,
    Draft,
    ImportFailed,
    build_draft,
    unique_names,
    valid_name,
)
from statemachines.model.definitions.machine_definitions import State, Transition
from statemachines.model.diagnosis.call_options import refuses_unknown_options
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.model.evidence.durations import parse_duration

_STATE_TAGS = ("state", "final", "parallel")
DEEPEST_NESTING = 32
DURATION = re.compile(r"[1-9]\d{0,8} (?:ms|s|min|h|d)(?: [1-9]\d{0,8} (?:ms|s|min|h))*")
_OWN_PREFIX = "{urn:statemachines:1}"


@frozen
class _ScxmlChart:
    """A chart whose elements can be asked by their name."""

    root: Element
    titles: dict[Element, str]
    """Every state element and its id."""
    parents: dict[Element, Element]
    lost: list[str] = field(factory=list)
    _by_title: dict[str, Element] = field(init=False)

    @_by_title.default
    def _titled(self) -> dict[str, Element]:
        return {title: element for element, title in self.titles.items()}

    @property
    def leaves(self) -> list[Element]:
        """The innermost states, in the author's order; a parallel state counts as one."""
        return [title for title in self.titles if not _child_states(title)]

    def element(self, name: str) -> Element:
        """Return the state of this id; for one inside a parallel state, the parallel state.

        Raises:
            ImportFailed: there is none.
        """
        if name in self._by_title:
            return self._by_title[name]
        for title in self.titles:
            if _local_name(title) == "parallel" and any(
                inner.get("id") == name for inner in title.iter()
            ):
                return title
        raise ImportFailed(
            f"there is no state `{name}`; {did_you_mean(name, self.titles.values())}"
        )


@refuses_unknown_options()
def from_scxml(text: str) -> Draft:
    """Read a machine from SCXML, as a draft.

    Innermost states become states, those around them groups; a transition of an outer state becomes
    one of each state in it that has none of its own for that event; entering an outer state enters
    its initial one. Conditions, data, actions, histories and the regions of parallel states do not
    carry over.

    Args:
        text: a whole document.

    Returns:
        The machine, the text of its spec, and what did not carry over.

    Raises:
        ImportFailed: it is no well-formed XML, has a document type, or is no SCXML.

    Source: W3C, State Chart XML (SCXML), 2015.
    """
    if not isinstance(text, str):
        raise ImportFailed(f"SCXML is text, not {text!r}")
    chart = _parse_chart(text)
    entered = _entered_state(chart, chart.root)
    names = unique_names((chart.titles[leaf] for leaf in chart.leaves), chart.lost, "state")
    further = {
        chart.titles[leaf] for leaf in chart.leaves if leaf.get(f"{_OWN_PREFIX}initial") == "true"
    }
    initial = {chart.titles[entered], *further} if entered is not None else further
    states = [_read_state(chart, leaf, names, initial) for leaf in chart.leaves]
    moves = [move for leaf in chart.leaves for move in _leaf_transitions(chart, leaf)]
    events = unique_names((event for _, event, _, _ in moves), chart.lost, "event")
    timed = {source for source, _, _, element in moves if _own_duration(element)}
    transitions = (
        Transition(
            names[source],
            names[target],
            events[event],
            silent=element.get(f"{_OWN_PREFIX}silent") == "true",
            after_ms=_own_duration(element),
            restarts=source == target and source in timed and element.get("target") is not None,
            doc=_condition_doc(element),
        )
        for source, event, target, element in moves
    )
    _note_losses(chart)
    return build_draft(chart.root.get("name", "draft"), states, list(transitions), chart.lost)


def _parse_chart(text: str) -> _ScxmlChart:
    if re.search(r"<!(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise ImportFailed("a document type (`<!DOCTYPE`) is not read: it may blow up to anything")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ImportFailed(f"this is no well-formed XML: {error}") from None
    if _local_name(root) != "scxml":
        raise ImportFailed(f"the outermost element should be `scxml`, not `{_local_name(root)}`")
    titles: dict[Element, str] = {}
    parents: dict[Element, Element] = {}
    _collect_states(root, titles, parents, set())
    if not titles:
        raise ImportFailed("the chart has no state")
    return _ScxmlChart(root, titles, parents)


def _collect_states(
    element: Element,
    titles: dict[Element, str],
    parents: dict[Element, Element],
    taken: set[str],
    depth: int = 0,
) -> None:
    if depth > DEEPEST_NESTING:
        raise ImportFailed(f"states are nested deeper than {DEEPEST_NESTING}")
    for child in element:
        if _local_name(child) in _STATE_TAGS:
            title = child.get("id", f"state_{len(titles) + 1}")
            if title in taken:
                raise ImportFailed(f"two states are called `{title}`")
            taken.add(title)
            titles[child] = title
            parents[child] = element
            if _local_name(child) != "parallel":
                _collect_states(child, titles, parents, taken, depth + 1)


def _read_state(
    chart: _ScxmlChart, element: Element, given: dict[str, str], initial: set[str]
) -> State:
    title = chart.titles[element]
    around = chart.parents[element]
    group = valid_name(chart.titles[around]) if around in chart.titles else None
    top = around is chart.root
    final = (_local_name(element) == "final" and top) or element.get(
        f"{_OWN_PREFIX}final"
    ) == "true"
    return State(given[title], initial=title in initial, final=final, group=group)


def _entered_state(chart: _ScxmlChart, element: Element, entered: int = 0) -> Element | None:
    """Return the innermost state that is entered with an element: by its `initial`, else the first
    one.
    """
    inside = _child_states(element)
    if not inside:
        return element if element in chart.titles else None
    if entered > DEEPEST_NESTING:
        raise ImportFailed(
            f"entering `{chart.titles.get(element, 'the chart')}` never ends: its initial state"
            " leads back to it"
        )
    declared = next(
        (
            grandchild.get("target")
            for child in element
            if _local_name(child) == "initial"
            for grandchild in child
        ),
        element.get("initial"),
    )
    if not declared or not declared.strip():
        return _entered_state(chart, inside[0], entered + 1)
    first, *more = declared.split()
    chart.lost.extend(f"`{first}` is entered together with `{other}`" for other in more)
    return _entered_state(chart, chart.element(first), entered + 1)


def _own_duration(element: Element) -> int:
    """Return after how long time takes a transition, in milliseconds; 0 where nothing says so."""
    text = element.get(f"{_OWN_PREFIX}after", "")
    return parse_duration(text) if DURATION.fullmatch(text) else 0


def _leaf_transitions(chart: _ScxmlChart, leaf: Element) -> Iterator[tuple[str, str, str, Element]]:
    """Yield source, event, target and element: the state's own transitions, then those of the
    states around it.
    """
    taken: set[str] = set()
    around: Element | None = leaf
    while around is not None and around in chart.titles:
        own = [
            (event, element)
            for element in around
            if _local_name(element) == "transition"
            for event in element.get("event", NO_EVENT).split()
        ]
        for event, element in own:
            if event not in taken and element.get(f"{_OWN_PREFIX}otherwise") is None:
                yield chart.titles[leaf], event, _transition_target(chart, leaf, element), element
        taken |= {event for event, _ in own}
        around = chart.parents.get(around)


def _transition_target(chart: _ScxmlChart, leaf: Element, transition: Element) -> str:
    wanted, *more = (transition.get("target") or "").split() or [chart.titles[leaf]]
    chart.lost.extend(f"`{wanted}` is entered together with `{other}`" for other in more)
    history = next(
        (
            element
            for element in chart.root.iter()
            if _local_name(element) == "history" and element.get("id") == wanted
        ),
        None,
    )
    if history is not None:
        chart.lost.append(f"the history `{wanted}`: its state is entered from the beginning")
        around = [title for title in chart.titles if history in title.iter()]
        entered_state = _entered_state(chart, around[-1] if around else chart.root)
    else:
        entered_state = _entered_state(chart, chart.element(wanted))
    return chart.titles[entered_state] if entered_state is not None else wanted


def _condition_doc(element: Element) -> str:
    return f"only if {element.get('cond')}" if element.get("cond") else ""


def _note_losses(chart: _ScxmlChart) -> None:
    """Note everything that the draft does not say, in the order of the text."""
    for element in chart.root.iter():
        tag = _local_name(element)
        if tag in ("datamodel", "script", "onentry", "onexit", "invoke", "donedata"):
            chart.lost.append(f"`<{tag}>`{_location_text(chart, element)}")
        elif tag == "parallel":
            chart.lost.append(
                f"the regions of the parallel state `{element.get('id', '')}`: it is one state here"
            )
        elif tag == "transition" and element.get("event") is None and element.get("target"):
            chart.lost.append(
                f"a transition to `{element.get('target')}` without an event: the event"
                f" `{NO_EVENT}` stands for that"
            )
        elif tag == "transition" and element.get("event") is not None:
            chart.lost.extend(_transition_losses(element))


def _transition_losses(element: Element) -> Iterator[str]:
    about = f"`{element.get('event')}` to `{element.get('target', 'where it is')}`"
    if element.get("cond"):
        yield f"{about}: its condition `{element.get('cond')}`"
    if element.get(f"{_OWN_PREFIX}otherwise"):
        yield f"{about}: an `otherwise` entry that does `{element.get(f'{_OWN_PREFIX}otherwise')}`"
    else:
        yield from (f"{about}: its action `<{_local_name(child)}>`" for child in element)
    if any(part == "*" or part.endswith(".*") for part in element.get("event", "").split()):
        yield f"{about}: it stands for every event that it matches"


def _location_text(chart: _ScxmlChart, element: Element) -> str:
    around = next((title for parent, title in chart.titles.items() if element in list(parent)), "")
    return f" of `{around}`" if around else ""


def _child_states(element: Element) -> list[Element]:
    return (
        []
        if _local_name(element) == "parallel"
        else [child for child in element if _local_name(child) in _STATE_TAGS]
    )


def _local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
