"""All mistakes of a spec are told at once, and each of them once: nothing is told that only follows from another.

Covers: statemachines.notation.data.declaration_reader,
statemachines.notation.expressions.name_rules, statemachines.notation.proofs.type_obligations,
statemachines.notation.typing.type_agreement, statemachines.notation.expressions.definition_rules,
statemachines.notation.expressions.iteration_rules, statemachines.notation.expressions.record_rules,
statemachines.notation.proofs.finite_types, statemachines.notation.proofs.inclusion,
statemachines.notation.proofs.known_containers.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.notation import read_spec_text, specs_folder
from tests.effort import some_of

GOOD = """\
notation: 1
machine: Good
types: {Colour: [red, green], Who: id}
parameters: {limit: 1..9}
variables: {n: 0..3 = 0, owner: Who? = None, light: Colour = 'red'}
define: {few: {args: {k: 0..3}, is: k < 2}}
states:
  A: {initial: true}
  B: {final: true}
predicates: {early: [A]}
events:
  put: {args: {who: Who}, where: who != owner, guard: few(n), effect: {owner: who, n: n + 1}, returns: n}
transitions:
  - {from: A, to: B, event: go, guard: "n > 0 and early"}
  - {from: B, to: A, event: back, effect: {light: "'green'"}}
otherwise:
  - {from: B, does: ignore}
always: {fine: "implies(state == 'B', n > 0)"}
scope: {Who: 2}
"""


def told(text: str) -> list[tuple[str, int]]:
    """Codes and lines of what is wrong."""
    return [
        (wrong.code, wrong.span.line)
        for wrong in read_spec_text(text.encode(), "good.yaml").diagnostics
    ]


def test_the_good_one_is_good() -> None:
    """Else the others say nothing."""
    assert told(GOOD) == []


KEYS = sorted(
    set(re.findall(r"(?<![\w'\"])([a-z]{3,})(?=: )", GOOD))
    - {"put", "few", "who", "fine", "early", "owner", "light", "limit"}
)


@pytest.mark.parametrize("key", KEYS)
def test_a_misspelt_key_is_one_mistake(key: str) -> None:
    """Whatever stands under it is read as it was meant; only what cannot be guessed is left out, in silence."""
    misspelt = key[:-1] + "x" + key[-1]
    found = re.search(rf"(?<![\w])({key})(?=: )", GOOD)
    assert found is not None
    text = GOOD[: found.start()] + misspelt + GOOD[found.end() :]
    assert [code for code, _ in told(text)] == ["SM111"] or key == "machine", told(text)


PLANTS = [
    ("  B: {final: true}", "  B: {finall: true}", "SM111"),
    ("to: B, event: go", "to: Bx, event: go", "SM204"),
    ("guard: few(n)", "guard: few(n +)", "SM301"),
    ("n > 0 and early", "m > 0 and early", "SM303"),
    ("event: back", "evnt: back", "SM111"),
    ("does: ignore", "does: ignor", "SM115"),
    ("n > 0)", "n >)", "SM301"),
    ("0..3 = 0,", "0..3 = 7,", "SM321"),
    ("effect: {light: ", "effect: {ligt: ", "SM320"),
    ("state == 'B'", "state == 'Q'", "SM306"),
]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=some_of(60))
@given(
    st.sets(st.integers(0, len(PLANTS) - 1), min_size=1, max_size=5).filter(
        lambda chosen: not chosen >= {6, 9}
    )
)  # the two stand in one expression
def test_every_planted_mistake_is_told_at_once(chosen: set[int]) -> None:
    """Not three now and three later: whatever stands beside it, a mistake is told."""
    text = GOOD
    for number in sorted(chosen):
        good, bad, _ = PLANTS[number]
        assert good in text
        text = text.replace(good, bad, 1)
    lines = {
        (code, line)
        for number in chosen
        for _, bad, code in [PLANTS[number]]
        for line, written in enumerate(text.splitlines(), 1)
        if bad in written
    }
    assert set(told(text)) == lines


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=some_of(40))
@given(st.data())
def test_a_damaged_spec_is_answered(data: st.DataObject) -> None:
    """Whatever is left out for its shape, what is read all the same raises nothing."""
    name = data.draw(
        st.sampled_from(sorted(path.stem for path in (specs_folder() / "examples").glob("*.yaml")))
    )
    lines = (specs_folder() / "examples" / f"{name}.yaml").read_text("utf-8").split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(1, len(lines) - 1))
        lines[place] = data.draw(
            st.sampled_from(
                [
                    lines[place].replace(": ", "x: ", 1),
                    lines[place].replace("{", "[", 1),
                    "",
                    lines[place] + "}",
                    "  " + lines[place],
                ]
            )
        )
    read_spec_text("\n".join(lines).encode(), "damaged.yaml")


@pytest.mark.parametrize(
    ("good", "bad", "codes"),
    [
        ("guard: few(n)", "guard: few(n, n)", ["SM312"]),
        ("effect: {owner: who, n: n + 1}", "effect: {owner: {who}, n: n + 1}", ["SM312"]),
        ("variables: {n", "variabels: {n", ["SM111"]),
        ("types: {Colour", "kinds: {Colour", ["SM111"]),
        ("  B: {final: true}", "  B: {final: maybe}", ["SM112"]),
    ],
)
def test_what_only_follows_is_not_told(good: str, bad: str, codes: list[str]) -> None:
    """A text that was cut at a comma, a value of the wrong shape, a section of another name: one message each."""
    assert good in GOOD
    assert [code for code, _ in told(GOOD.replace(good, bad, 1))] == codes


def test_each_that_stands_too_deep_is_one_mistake() -> None:
    """The promise's own keys are there, a level below; the message says where it belongs."""
    claim = "leads to: {served: {for each w in Who: {when: n > 0, then: n == 0}}}\n"
    (wrong,) = read_spec_text((GOOD + claim).encode(), "good.yaml").diagnostics
    assert wrong.message == "a promise has no key `for each w in Who`"
    assert wrong.hint == "it stands around names: `for each w in Who: {name: …}`"


@pytest.mark.parametrize(
    "event",
    [
        'guard: "who is not None and nowhere > 1", effect: {last: "[who]"}',
        'guard: "who is not None and seen[who] > 1", effect: {last: "[who]"}',
        'cases: [{when: "who is not None and seen[who] > 1", effect: {last: "[who]"}}]',
    ],
)
def test_what_the_sound_parts_of_a_guard_tell_is_known(event: str) -> None:
    """A mistake beside `who is not None` does not make `who` an optional value again."""
    text = (
        "notation: 1\nmachine: Last\ntypes: {Who: id}\n"
        'variables: {last: "list[Who] = []", seen: "map[Who, 0..3] = {}"}\n'
        f"events:\n  put: {{args: {{who: Who?}}, {event}}}\n"
    )
    assert [line for _, line in told(text)] == [6], told(text)
