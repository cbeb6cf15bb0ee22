"""Specs whose patterns explode, that are wide, or that walk for ever.

Covers: statemachines.notation.data.definition_reader.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.cli import main
from statemachines.notation.lines.explosive_patterns import is_explosive
from statemachines.report.specs.lint_results import lint

HEAD = "notation: 1\nmachine: Big\nstates: {A: {initial: true}, B: }\n"


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:a+)+",
        r"(?:a|a)*",
        r"(?:a|aa)+",
        r"(?:.*)*",
        r"(?:.*,)+x",
        r"(?:\w+\s?)*",
        r"(?:a*)*b",
        r"(?:[^ ]+,?)+",
        r"(?:a{1,99}){1,99}",
        r"(?=(?:a+)+b)a*",
        r"x(?!(?:a|aa)*b)",
        r"(?:(?<!a)(?=(?:x+x+)+y)b)",
        r"a*a*a*b",
        r".*.*=.*",
        r"\S+-\S+-\S+",
        r"(?:a*?){5}b",
    ],
)
def test_a_pattern_that_explodes_is_refused(tmp_path: Path, pattern: str) -> None:
    """Whoever writes into a log may choose the line."""
    assert is_explosive(pattern)
    (tmp_path / "Big.yaml").write_text(
        f"{HEAD}transitions: [{{from: A, to: B}}]\nlog: {{instance: [id], patterns: {{id: '{pattern}'}}, lines: []}}\n"
    )
    assert "SM508" in lint([str(tmp_path / "Big.yaml")]).text


@pytest.mark.parametrize(
    "pattern",
    [
        r"\S+",
        r".*",
        r"\d+(?:\.\d+)*",
        r"[a-z]+(?:-[a-z]+)*",
        r"(?:\d+, )*\d+",
        r"(?:\[[^\]]*\])+",
        r"(?:a|b)*",
        r"(?:\d{1,3}\.){3}\d{1,3}",
        r"\w+\.\w+\.\w+\.\w+",
        r"[^,]+, [^,]+, [^,]+, [^,]+",
        r"\S*\d\S*",
        r"(?!.*\bleader: ).*",
    ],
)
def test_a_pattern_that_does_not_is_taken(pattern: str) -> None:
    """Its time is measured: such a pattern ends at once on what it does not match."""
    assert not is_explosive(pattern)
    begun = time.process_time()
    for letters in ("a", "1", "1.", "a-", "1, ", "[]", "ab"):
        re.compile(pattern).fullmatch(letters * 2000 + "\0")
    assert time.process_time() - begun < 2


WIDE = {
    "equal transitions": lambda n: HEAD + "transitions:\n" + "  - {from: A, to: B, event: e}\n" * n,
    "guards": lambda n: (
        HEAD
        + "transitions:\n"
        + "".join(f"  - {{from: A, to: B, event: e, guard: 'n == {i}'}}\n" for i in range(n))
    ),
    "unknown keys": lambda n: HEAD + "".join(f"k{i}: 1\n" for i in range(n)),
    "unknown states": lambda n: (
        HEAD + "transitions:\n" + "".join(f"  - {{from: A, to: X{i}}}\n" for i in range(n))
    ),
    "releases": lambda n: (
        "notation: 1\nfamily: big\nreleases: [" + ", ".join(f'"{i}.0"' for i in range(n)) + "]\n"
    ),
    "definitions in a row": lambda n: (
        HEAD + "define:\n  d0: 1 < 2\n" + "".join(f"  d{i}: d{i - 1}\n" for i in range(1, n // 25))
    ),
    "otherwise": lambda n: HEAD + "otherwise:\n" + "  - {from: A, does: ignore}\n" * n,
}


@pytest.mark.parametrize("kind", WIDE)
def test_lint_takes_time_that_grows_with_the_file(tmp_path: Path, kind: str) -> None:
    """Four times as much of a thing takes no sixteen times as long; few are shown and all are counted."""
    small, large = (_lint_seconds(tmp_path / "Big.yaml", WIDE[kind](size)) for size in (500, 2000))
    assert large < 10 * small + 0.5


def _lint_seconds(path: Path, text: str) -> float:
    """The CPU seconds of the better of two runs: what the garbage of other tests costs falls upon one."""
    path.write_text(text)
    taken = []
    for _ in range(2):
        begun = time.process_time()
        found = lint([str(path)])
        taken.append(time.process_time() - begun)
        assert len(found.text.splitlines()) < 310
    return min(taken)


DOUBLED = "".join(f"  d{i}: d{i - 1} + d{i - 1}\n" for i in range(1, 60))
LONG = "9" * 5000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"define:\n  d0: '1'\n{DOUBLED}always: {{p: d59 > 0}}\n", ":20:3  SM317  `d15` has"),
        (f"variables: {{n: {{type: int, initial: {LONG}}}}}\n", ":4:37  SM317  a number of 5,000"),
        (f"variables: {{n: int = {LONG[:2000]}}}\n", "SM317  a number of 2,000"),
        (f"always: {{p: 1 < {LONG[:4900]}}}\n", "SM317  a number of 4,900"),
        ("types: {X: id}\nscope: {X: 100001}\n", ":5:12  SM404  `100001` is not a number"),
        (f"transitions: [{{from: A, to: B, after: {LONG} s}}]\n", ":4:39  SM115  `999"),
    ],
    ids=["doubled definitions", "a first value", "a default", "an operand", "a scope", "a time"],
)
def test_what_grows_without_bound_is_named_with_its_place(
    tmp_path: Path, text: str, said: str
) -> None:
    """Sixty short lines are more operations than there are grains of sand; Python reads no number of
    many thousand digits.
    """
    (tmp_path / "Big.yaml").write_text(HEAD + text)
    assert said in lint([str(tmp_path / "Big.yaml")]).text


def test_a_range_of_too_many_numbers_is_refused(tmp_path: Path) -> None:
    """By lint where its ends are written, and by the step where only the values tell."""
    text = (
        HEAD
        + 'variables: {k: "int = 0"}\nevents: {grow: {effect: {k: k + 1000000000}}, go: {guard: "all(i >= 0 for i in range(%s))", effect: {k: 0}}}\n'
    )
    (tmp_path / "Big.yaml").write_text(text % "1000000000")
    assert (
        "this walks 1,000,000,000 numbers; the most is 1,000,000"
        in lint([str(tmp_path / "Big.yaml")]).text
    )
    (tmp_path / "Big.yaml").write_text(text % "k")
    one = sm.load(tmp_path / "Big.yaml").at().instance()
    one.grow()
    with pytest.raises(
        ValueError, match="an expression walks 1,000,000,000 numbers; the most is 1,000,000"
    ):
        one.go()


@pytest.mark.parametrize(
    "word", ["all", "state", "len", "before", "None", "if", "True", "in", "lambda"]
)
def test_a_reserved_name_is_one_mistake(tmp_path: Path, word: str) -> None:
    """Not eight more that only follow from it."""
    uses = f"  - {{from: A, to: A, event: up, guard: {word} < 3, effect: {{{word}: {word} + 1}}}}\n  - {{from: A, to: B, event: end, guard: {word} == 3}}\n"
    (tmp_path / "Big.yaml").write_text(
        f'{HEAD}variables: {{{word}: "0..3 = 0"}}\ntransitions:\n{uses}always: {{some: {word} >= 0}}\n'
    )
    assert [
        one.code for one in lint([str(tmp_path / "Big.yaml")]).diagnostics if one.code != "SM208"
    ] == ["SM315"]


def test_a_test_of_a_spec_that_breaks_itself_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says which property, with the calls that show it."""
    events = "events: {up: {guard: n < 9, effect: {n: n + 1}}}\nalways: {small: n <= 3}\n"
    (tmp_path / "Big.yaml").write_text(
        f'notation: 1\nmachine: Big\nstates: {{A: {{initial: true}}}}\nvariables: {{n: "0..9 = 0"}}\n{events}'
    )
    assert main(["generate", "test", str(tmp_path / "Big.yaml")]) == 2
    assert "`small` (of `always`) is broken" in capsys.readouterr().err


@pytest.mark.parametrize("event", ["None", "class", "print", "import_"])
def test_what_is_generated_is_python(
    tmp_path: Path, event: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the events are called."""
    (tmp_path / "Big.yaml").write_text(f"{HEAD}transitions: [{{from: A, to: B, event: {event}}}]\n")
    for what in ("test", "code"):
        assert main(["generate", what, str(tmp_path / "Big.yaml")]) == 0
        compile(capsys.readouterr().out, what, "exec")
