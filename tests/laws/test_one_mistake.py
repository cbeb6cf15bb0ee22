"""Law: one mistake in a spec is told once, where it is or where it shows first, with what would be right.

Covers: statemachines.notation.loading.repeated_names,
statemachines.notation.expressions.expression_reader, statemachines.notation.proofs.facts,
statemachines.notation.expressions.other_languages.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from statemachines.model.diagnosis.diagnostics import Diagnostic, Severity
from statemachines.notation import read_spec, specs_folder
from tests.published.counts import MODELS

SPECS = [
    *(MODELS / f"{name}.yaml" for name in (
        "NanoLattice", "QueueLock", "PaxosMessages", "Cluster", "BoundedRetransmission",
        "LinkedList", "RootContention", "EWD840", "BufferedFile", "Elevators",
    )),
    *(specs_folder() / "examples" / f"{name}.yaml" for name in ("BankAccount", "TwoPhaseCommit")),
]  # fmt: skip
OF_EACH = 3
"""How many places are tried for each kind of mistake in each spec."""
Place = tuple[int, int]
Kind = tuple[Callable[[str], Iterator[Place]], Callable[[str], str]]


def misspelt(word: str) -> str:
    """Exchange two letters; a short word gets two more."""
    if len(word) > 3 and word[1] != word[2]:
        return word[0] + word[2] + word[1] + word[3:]
    return word + "qz"


def matches(pattern: str) -> Callable[[str], Iterator[Place]]:
    """Find the first group of a pattern, but in what documents."""

    def found(text: str) -> Iterator[Place]:
        for match in re.finditer(pattern, text, re.MULTILINE):
            before = text[text.rfind("\n", 0, match.start(1)) + 1 : match.start(1)]
            if not re.search(r"\b(?:doc|source):|#", before):
                yield match.span(1)

    return found


def section(text: str, key: str) -> Place:
    """Return where a section of the spec stands."""
    found = re.search(rf"^{key}:(.*?)(?=^\w|\Z)", text, re.MULTILINE | re.DOTALL)
    return found.span(1) if found else (0, 0)


def declared(key: str) -> Callable[[str], Iterator[Place]]:
    """Find the names that a section declares, and that stand elsewhere too."""

    def found(text: str) -> Iterator[Place]:
        begin, end = section(text, key)
        for match in re.finditer(r"^  (\w+):|[{ ]([A-Z_]{3,}):", text[begin:end], re.MULTILINE):
            group = 1 if match[1] else 2
            if len(re.findall(rf"\b{match[group]}\b", text)) > 1:
                yield begin + match.start(group), begin + match.end(group)

    return found


def used(key: str) -> Callable[[str], Iterator[Place]]:
    """Find the places where a name stands that a section declares."""

    def found(text: str) -> Iterator[Place]:
        names = {text[begin:end] for begin, end in declared(key)(text)}
        for match in re.finditer(r"(?<![\w.'{])\w+(?![\w':])", text):
            begin, end = section(text, key)
            if match[0] in names and not begin <= match.start() < end and match.start() > 60:
                yield match.span()

    return found


KINDS: dict[str, Kind] = {
    **{f"{key} declared": (declared(key), misspelt) for key in ("types", "variables", "define", "states")},
    **{f"{key} used": (used(key), misspelt) for key in ("types", "variables", "define", "states")},
    "a key": (matches(r"\b(guard|effect|event|from|to|args|when|initial|holds|then|type|cases|send|each):"), misspelt),
    "another key": (matches(r"\b(effect|event|from|to|initial|holds|then|type|cases|send|each):"), lambda _: "zzqx"),
    "a word": (matches(r"'([a-zA-Z]{3,})'"), misspelt),
    "a function": (matches(r"\b(len|any|all|sum|max|min|range|enabled|implies)\("), misspelt),
    "a field": (matches(r"\w\.([a-z]\w{2,})\b"), misspelt),
    "=": (matches(r"(==)"), lambda _: "="),
    "&&": (matches(r"\w (and) "), lambda _: "&&"),
    "and for +": (matches(r" (\+) "), lambda _: "and"),
    "in for <": (matches(r"(==|<=|>=) \d"), lambda _: "in"),
    "a word for a number": (matches(r"(?<=[=<>+-] )(\d+)\b"), lambda _: "'many'"),
    "no )": (matches(r"(\))"), lambda _: ""),
    "no ]": (matches(r"\w(\])[^,]"), lambda _: ""),
    "no brace": (matches(r"(\})$"), lambda _: ""),
    "no colon": (matches(r"^  \w+(:)"), lambda _: ""),
    "no quotes": (matches(r': ("[^"{}\n]*, [^"{}\n]*")(?=[,}\n])'), lambda text: text.strip('"')),
    "no quote": (matches(r'(")'), lambda _: ""),
    "no comma": (matches(r"(,)"), lambda _: ""),
}  # fmt: skip


def says_what_is_right(wrong: Diagnostic) -> bool:
    """Tell whether there is a hint, or the message says what is needed."""
    return bool(wrong.hint) or "needed" in wrong.message or "stands beside it" in wrong.message


def test_specs_are_right_before_anything_is_planted() -> None:
    """Else the law counts what is there already."""
    assert [path.name for path in SPECS if read_spec(path).diagnostics] == []


@pytest.mark.parametrize("kind", KINDS)
def test_one_mistake_is_told_once(kind: str, tmp_path: Path) -> None:
    """A person looks for as many mistakes as are told; of those that follow from another there is nothing to find."""
    places, spoil = KINDS[kind]
    chance, several, unsaid, tried = random.Random(7), list[str](), list[str](), 0
    for path in SPECS:
        beside = tmp_path / path.stem
        beside.mkdir()
        for other in path.parent.glob("*.yaml"):
            (beside / other.name).symlink_to(other)
        text, found = path.read_text("utf-8"), list(places(path.read_text("utf-8")))
        for begin, end in chance.sample(found, min(OF_EACH, len(found))):
            planted = beside / path.name
            planted.unlink()
            planted.write_text(text[:begin] + spoil(text[begin:end]) + text[end:], "utf-8")
            told = [one for one in read_spec(planted).diagnostics if one.severity is Severity.ERROR]
            where = f"{path.stem}:{text.count(chr(10), 0, begin) + 1} {text[begin:end]}"
            tried += 1
            if len(told) > 1:
                several.append(
                    f"{where}: {[(one.span.line, one.code, one.message) for one in told]}"
                )
            unsaid += [f"{where}: {one}" for one in told if not says_what_is_right(one)]
    assert tried > OF_EACH
    assert not several, "\n".join(several)
    assert not unsaid, "\n".join(unsaid)
