"""Random small specs as text, with all that a mutant may change; and an edit, as it is printed, made to a text by hand."""

from __future__ import annotations

import re
from typing import Any

import yaml
from hypothesis import strategies as st

from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.language.expression_nodes import Expression
from statemachines.mutate.operators.mutants import Mutant, MutationOperator
from statemachines.mutate.operators.notation_diffs import (
    event_keys,
    otherwise_keys,
    transition_keys,
)
from statemachines.notation import machine_of
from statemachines.semantics.messages.expression_text import format_expression

Written = dict[Any, Any]
GUARDS = ("x < 2", "y <= x", "low", "x + y < 4 and low", "not full(x)", "implies(low, y == 0)")
CASES = ("x == 1", "full(x)", "y < 2 and ready", "ready")
EFFECTS = (
    {"x": "min(x + by, 3)"},
    {"y": "bumped"},
    {"x": "y", "y": "x"},
    {"x": "0"},
    {"seen": "seen | {by}", "x": "min(x + 1, 3)"},
)
WHERES = ("by <= 1 or low", "by != x", "by >= 1 and by <= 2")


class _Plain(yaml.SafeDumper):
    """Writes equal parts twice: the notation has no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _dumped(document: Written) -> str:
    filled = {key: said for key, said in document.items() if said != []}
    return yaml.dump(filled, Dumper=_Plain, sort_keys=False)


@st.composite
def specs_as_written(draw: st.DrawFn) -> str:
    """Draw a spec: three states, numbers and a set, definitions that use each other, `let`, `where`, cases, several manners."""
    document: Written = {
        "notation": 1,
        "machine": "Written",
        "errors": {"Broken": "It broke.", "Bent": "It bent."},
        "states": {"A": {"initial": True}, "B": {}, "C": {"final": True}},
        "variables": {"x": "0..3 = 0", "y": "0..3 = 1", "seen": "set[0..3] = set()"},
        "define": {
            "low": {"is": draw(st.sampled_from(["x < 2", "x + y <= 3", "x == 0 or y == 0"]))},
            "full": {
                "args": {"n": "0..3"},
                "is": draw(st.sampled_from(["n == 3", "n > 1 and not low", "n >= 2"])),
            },
        },
        "events": {
            "up": {
                "args": {"by": "0..2"},
                "let": {"bumped": "min(y + by, 3)", "ready": "by > 0"},
                "where": draw(st.sampled_from(WHERES)),
            }
        },
        "transitions": [],
        "otherwise": draw(st.lists(st.sampled_from(MANNERS), max_size=3, unique_by=str)),
        "always": {"fine": "x <= 3"},
    }
    for source in "ABC":
        if source != "C" or draw(
            st.booleans()
        ):  # an event with a `let` that no transition mentions is taken from every state
            document["transitions"].append(
                {"from": source, "event": "up", **draw(_outcome(cases=True))}
            )
        if draw(st.booleans()):
            document["transitions"].append(
                {"from": source, "to": draw(st.sampled_from("ABC")), "event": "go"}
            )
    return _dumped(document)


MANNERS: tuple[Written, ...] = (
    {"from": ["A", "B"], "does": "ignore"},
    {"event": "go", "does": "raise Broken"},
    {"from": ["B", "C"], "does": "raise Bent"},
    {"does": "ignore"},
)


@st.composite
def _outcome(draw: st.DrawFn, *, cases: bool) -> Written:
    found: Written = {"to": draw(st.sampled_from("ABC")), "effect": draw(st.sampled_from(EFFECTS))}
    found |= draw(
        st.sampled_from([{}, {"returns": "x + by"}, {"returns": "ready"}, {"raises": "Broken"}])
    )
    if not cases:
        return found
    if draw(st.booleans()):
        found["guard"] = draw(st.sampled_from(GUARDS))
    if draw(st.booleans()):
        lists = [
            {"when": draw(st.sampled_from(CASES)), **draw(_outcome(cases=False))}
            for _ in range(draw(st.integers(1, 2)))
        ]
        last = draw(_outcome(cases=False))
        of_one_type = [
            {key: value for key, value in each.items() if key != "returns"}
            for each in (*lists, last)
        ]
        found = {key: value for key, value in found.items() if key == "guard"} | {
            "cases": of_one_type
        }
    return found


def by_hand(text: str, mutant: Mutant) -> str:
    """Make the edit that a mutant prints to a text, knowing the notation only."""
    document, draft = yaml.safe_load(text), mutant.candidate
    gone, new = (
        [line[2:].partition(": ")[::2] for line in draft.diff if line[0] == sign] for sign in "-+"
    )
    told = dict(line[2:].partition(": ")[::2] for line in draft.diff if line[0] == " ")
    if draft.operator is MutationOperator.DEFINITION:
        for key, value in new:
            document["define"][key.removeprefix("define ")]["is"] = value
    elif draft.operator is MutationOperator.BEGINNING:
        _begin(document, draft.subject, dict(new)["initial"])
    elif draft.subject.startswith("otherwise "):
        _answer(document["otherwise"], draft.subject, draft.operator, dict(new), whole=bool(gone))
    elif (
        draft.subject in document["events"]
        and set(told) <= {"event"}
        and not any(key == "guard" for key, _ in (*gone, *new))
    ):
        _change(document["events"][draft.subject], gone, new)
    elif draft.operator is MutationOperator.ALLOW:
        document["transitions"].append(dict(new))
    elif draft.operator is MutationOperator.SWAP:
        _swap(document["transitions"], draft.diff)
    else:
        _transition(
            document["transitions"],
            draft.operator,
            draft.subject,
            {**told, **dict(gone)},
            (gone, new),
        )
    return _dumped(document)


def _begin(document: Written, what: str, value: str) -> None:
    if what == "an instance":
        document["states"] = {
            name: {**said, "initial": name in value.split(", ")}
            for name, said in document["states"].items()
        }
    else:
        name = what.split("`")[1]
        document["variables"][name] = (
            f"{document['variables'][name].rpartition(' = ')[0]} = {value}"
        )


def _answer(
    entries: list[Written],
    what: str,
    operator: MutationOperator,
    new: dict[str, str],
    *,
    whole: bool,
) -> None:
    place = int(what.split()[1]) - 1
    if operator is MutationOperator.ORDER:
        entries[place], entries[place + 1] = entries[place + 1], entries[place]
    elif not new:
        del entries[place]
    else:
        entries[place].update({key: _value(key, value) for key, value in new.items()})


def _value(key: str, text: str) -> Any:
    return yaml.safe_load(text) if key in ("from", "to") else text


def _change(entry: Written, gone: list[tuple[str, str]], new: list[tuple[str, str]]) -> None:
    """Take keys out of an entry and put others in: `effect x` is the key `x` below `effect`."""
    again = {key for key, _ in new}
    for key in (key for key, _ in gone if key not in again):
        first, _, name = key.partition(" ")
        if name:
            del entry[first][name]
        else:
            del entry[first]
    for key, value in new:
        first, _, name = key.partition(" ")
        if name:
            entry.setdefault(first, {})[name] = value
        else:
            entry[first] = _value(key, value)
    for key in [key for key, value in entry.items() if value == {}]:
        del entry[key]
    if new and new[0][0].startswith("let "):
        entry["let"] = dict(sorted(entry["let"].items()))


def _swap(entries: list[Written], diff: tuple[str, ...]) -> None:
    """Two transitions, each with a from, a target before and behind, and an event."""
    lines = [line.partition(": ")[::2] for line in diff]
    half = max(number for number, (key, _) in enumerate(lines) if key in ("  case", "  from"))
    half -= lines[half - 1][0] == "  case"
    for part in (lines[:half], lines[half:]):
        told = dict(part)
        (entry,) = [
            each
            for each in entries
            if each["from"] == told["  from"] and each["event"] == told["  event"]
        ]
        entry = entry["cases"][int(told["  case"]) - 1] if "  case" in told else entry
        entry.pop("to", None)
        if "+ to" in told:
            entry["to"] = told["+ to"]


def _transition(
    entries: list[Written],
    operator: MutationOperator,
    what: str,
    told: dict[str, str],
    changes: tuple[list[tuple[str, str]], list[tuple[str, str]]],
) -> None:
    named = re.search(r" on (\w+)", what)
    event = told.get("event") or (named[1] if named else what.split()[0])
    source = told["from"] if "from" in told else what.split(" -> ")[0]
    (entry,) = [each for each in entries if each["from"] == source and each["event"] == event]
    numbered = re.search(r"case (\d+)", what)
    place = int(told["case"]) - 1 if "case" in told else int(numbered[1]) - 1 if numbered else -1
    if operator is MutationOperator.ORDER:
        cases = entry["cases"]
        cases[place], cases[place + 1] = cases[place + 1], cases[place]
    elif operator is MutationOperator.DROP:
        if "cases" not in entry or len(entry["cases"]) == 1:
            entries.remove(entry)
        else:
            del entry["cases"][place]
    else:
        whole = any(key == "guard" or key.startswith("let ") for each in changes for key, _ in each)
        _change(entry if whole or "cases" not in entry else entry["cases"][place], *changes)


def parts(spec: SpecDefinition) -> dict[object, str]:
    """Return all that a spec says of behaviour, part by part, in words."""
    found: dict[object, str] = {}
    for place, arrow in enumerate(spec.transitions):
        mine = [
            one.case
            for one in spec.transitions
            if (one.entry, one.source, one.event) == (arrow.entry, arrow.source, arrow.event)
        ]
        before = sum(
            one is not None and arrow.case is not None and one.index < arrow.case.index
            for one in mine
        )
        found["arrow", place] = f"{transition_keys(spec, [arrow])} behind {before}"
    found |= {
        ("otherwise", place): str(otherwise_keys(spec, entry))
        for place, entry in enumerate(spec.otherwise)
    }
    found |= {
        ("event", event.name): str(event_keys(event)) for event in spec.events if event.signature
    }
    found |= {("initial", state.name): str(state.initial) for state in spec.states}
    data = machine_of(spec).data
    found |= {("first", one.name): _said(one.initial) for one in data.variables}
    return found | {("define", one.name): format_expression(one.body) for one in data.definitions}


def _said(node: Expression | None) -> str:
    return "" if node is None else format_expression(node)
