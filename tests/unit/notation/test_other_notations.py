"""What newcomers write who know another notation: each mistake is one message, with what would be right.

Covers: statemachines.notation.expressions.other_languages,
statemachines.notation.document.meant_keys, statemachines.notation.document.shape_hints.
"""

from __future__ import annotations

import pytest

from statemachines.notation import read_spec, read_spec_text
from tests.systems import written

STATES = "states: {A: {initial: true}, B: }\n"
NUMBER = 'variables: {n: "0..3 = 0"}\n'
GO = "transitions:\n  - {from: A, to: B, event: go}\n"


def told(text: str) -> list[str]:
    """Codes and hints of what is wrong with a machine."""
    found = read_spec_text(f"notation: 1\nmachine: M\n{text}".encode(), "m.yaml").diagnostics
    return [f"{one.code} {one.hint}" for one in found]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (STATES + "transitions:\n  - {source: [A], to: B}\n", "SM112 `source` is a remark; where it starts is `from: [A]`"),
        (STATES + "transitions:\n  - {from: A, dest: B}\n", "SM111 did you mean `to`?"),
        (STATES + "transitions:\n  - {from: A, goto: B}\n", "SM111 did you mean `to`?"),
        (STATES + "transitions:\n  - [go, A, B]\n", "SM112 write `{from: A, to: B, event: go}`"),
        (STATES + "transitions:\n  - A --go--> B\n", "SM112 write `{from: A, to: B, event: go}`"),
        (STATES + "transitions:\n  - 'A -> B : go'\n", "SM112 write `{from: A, to: B, event: go}`"),
        (STATES + "transitions: {from: A, to: B}\n", "SM112 a list: put `- ` before it"),
        (STATES + "transitions:\n  go: {from: A, to: B}\n", "SM112 write a list: `- {event: go, …}` for `go: {…}`"),
        (STATES + "events: {go: A.to(B)}\n" + GO, "SM112 write `{from: A, to: B, event: …}` below `transitions:`"),
        ("states:\n  - {name: A, initial: true}\n", "SM112 write each as a key, without `- `: `A: {initial: true}`"),
        ("states: {A: {initial: yes}, B: }\n" + GO, "SM112 write true, unquoted"),
        ("states: {A: {initial: 'true'}, B: }\n" + GO, "SM112 write true, unquoted"),
        (STATES + GO + "final: [B]\n", "SM312 write `B: {final: true}` below `states`"),
        (STATES + GO + "final_states: [B]\n", "SM111 write `B: {final: true}` below `states`"),
        ("states: {A: {initial: true, on: {go: B}}, B: }\n", "SM111 write `{from: …, to: …, event: …}` into the list below `transitions:`"),
        ("states: {A: {initial: true, entry: beep}}\n", "SM111 what a program does then stands in the program"),
        ("states: {A: {initial: true}, B: {type: final}}\n" + GO, "SM111 a final state is `{final: true}`"),
        ("states: {A: {initial: true, states: {X: }}}\n", "SM111 states do not nest"),
        ("variables: {n: 0}\n", 'SM313 write `n: "int = 0"`'),
        ("variables: {b: false}\n", 'SM313 write `b: "bool = False"`'),
        ("variables: {n: {type: 0..3, value: 0}}\n", "SM111 did you mean `initial`?"),
        ('variables: {n: "float = 0"}\n', "SM314 numbers are whole"),
        ('variables: {n: "string = 0"}\n', "SM314 words that matter are an enumeration"),
        ('variables: {n: "List[int] = []"}\n', "SM314 write `list[int]`"),
        ('variables: {n: "dict[int, bool] = {}"}\n', "SM314 write `map[int, bool]`"),
        ('variables: {n: "int[] = []"}\n', "SM314 write `list[int]`"),
        ('variables: {n: "Optional[0..3] = None"}\n', "SM314 write `0..3?`"),
        ('variables: {n: "0..3 | None = None"}\n', "SM314 write `0..3?`"),
        ('variables: {n: "0...3 = 0"}\n', "SM314 write `0..3`"),
        ('variables: {n: "0-3 = 0"}\n', "SM314 write `0..3`"),
        ("types: {C: '{red, green}'}\n", "SM314 an enumeration is a list, without quotes around it: `[red, green]`"),
        ("types: {C: red | green}\n", "SM314 an enumeration is a list, without quotes around it: `[red, green]`"),
        (NUMBER + "events: {set(k): {effect: {n: '1'}}}\n", "SM114 arguments have types, below `args`: `set: {args: {k: …}}`"),
        (NUMBER + "events: {set: {payload: {k: 0..3}, effect: {n: k}}}\n", "SM111 did you mean `args`?"),
        (NUMBER + "events: {set: {args: {k: 0..3}, effect: {n: event.k}}}\n", "SM303 write `k` alone"),
        (NUMBER + "events: {set: {guard: self.n < 3, effect: {n: '1'}}}\n", "SM303 write `n` alone"),
        (NUMBER + "events: {inc: {requires: n < 3, effect: {n: n + 1}}}\n", "SM111 did you mean `guard`?"),
        (NUMBER + "events: {inc: {guard: n < 3, then: {n: n + 1}}}\n", "SM111 did you mean `effect`?"),
        (NUMBER + "events: {inc: {guard: n < 3, effect: {n': n + 1}}}\n", "SM114 the new value has no sign: `n`"),
        (NUMBER + 'events: {inc: {guard: "n < 3 /\\\\ n > 0", effect: {n: n + 1}}}\n', "SM301 write `and`"),
        (NUMBER + 'events: {inc: {guard: "n \\\\in {1}", effect: {n: n + 1}}}\n', "SM301 write `in`"),
        (NUMBER + 'events: {inc: {effect: {n: "n < 3 ? n : 0"}}}\n', "SM301 write `x if c else y`"),
        (NUMBER + 'always: {x: "if n < 3 then True else False"}\n', "SM301 write `x if c else y`"),
        (NUMBER + 'always: {x: "forall k in {1}: n > k"}\n', "SM301 write `all(… for x in s)`"),
        (NUMBER + 'always: {x: "exists(k in {1}, n > k)"}\n', "SM303 write `any(… for x in s)`"),
        (NUMBER + 'each step: {x: "n\' >= n"}\n', "SM301 the new value has no sign; the old one is `before.x`"),
        (NUMBER + 'each step: {x: "n >= old(n)"}\n', "SM303 the value before the step is `before.x`"),
        (NUMBER + "always: {x: n >= before.n}\n", "SM303 `before` is known where a step is: in `each step`"),
        (NUMBER + "always: [n >= 0]\n", "SM112 give each a name: `{name: n >= 0}`"),
        (NUMBER + "never: {x: n > 3}\n", "SM111 write `always: {name: not (…)}`"),
        (NUMBER + "eventually: {x: n > 2}\n", "SM111 `always eventually` (again and again)"),
        (NUMBER + 'leads to: {x: "n > 0 ~> n > 1"}\n', 'SM112 write `{when: "n > 0", then: "n > 1"}`'),
        ('variables: {q: "list[0..3] = []"}\nevents: {put: {effect: {q: q.append(1)}}}\n', "SM307 write `q + [1]`"),
        ('variables: {q: "set[0..3] = set()"}\nevents: {put: {effect: {q: q.add(1)}}}\n', "SM307 write `q | {1}`"),
        ('variables: {q: "set[0..3] = set()"}\nalways: {x: q.size < 4}\n', "SM307 write `len(q)`"),
        ('variables: {q: "set[0..3] = set()"}\nalways: {x: q.contains(1)}\n', "SM307 write `1 in q`"),
    ],
)  # fmt: skip
def test_what_others_write_is_told_once_with_what_is_written_here(text: str, hint: str) -> None:
    """A newcomer reads messages before the manual."""
    (only,) = told(text)
    assert only.startswith(hint)


GATE = """
notation: 1
machine: Gate
states: {OPEN: {initial: true}, SHUT: }
transitions:
  - {from: OPEN, to: SHUT, event: shut}
  - {from: SHUT, to: OPEN, event: open}
"""
TWO = "parts: {a: {machine: Gate}, b: {machine: Gate}}\n"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("components: {a: {machine: Gate}}\n", "SM111 did you mean `parts`?"),
        ("parts: {a: {states: {A: }}}\n", "SM111 the machine of a part is a file of its own"),
        ("parts: {a: {machine: Gate, each: 3}}\n", "SM112 write `each: 0..2` for 3 of them"),
        ("parts: {a: {machine: Gate, count: 3}}\n", "SM111 write `each: 0..2` for three"),
        (TWO + "links:\n  - {on: a.shut, send: b.shut}\n", "SM114 write `on: a, event: shut`"),
        (TWO + "links:\n  - a.shut -> b.shut\n", "SM112 write `{on: a, event: shut, send: b.shut}`"),
        (TWO + "links:\n  - {on: a, event: shut, send: b.shut()}\n", "SM415 write `b.shut`, without brackets"),
        (TWO + "links:\n  - {on: a, event: shut, send: b.*.shut}\n", "SM415 `b.shut` is for all of them"),
        (TWO + "channels: {c: {holds: 1, may: lose}}\n", "SM112 write `[lose]`"),
        (TWO + "channels: {c: {holds: 1, lossy: true}}\n", "SM111 write `may: [lose, repeat, reorder]`"),
        (TWO + "channels: {c: {holds: 1}}\nlinks:\n  - {on: a, event: shut, send: b.shut, via: c}\n", "SM111 did you mean `through`?"),
        (TWO + "always: {x: b.OPEN}\n", "SM307 write `b.state == 'OPEN'`"),
        (TWO + "always: {x: b == 'OPEN'}\n", "SM304 the state of a part is its `.state`"),
    ],
)  # fmt: skip
def test_what_others_write_of_systems_is_told_once(text: str, hint: str) -> None:
    """Processes, channels and messages have other words elsewhere."""
    path = written(text, "notation: 1\nsystem: House\n")
    (path.parent / "Gate.yaml").write_text(GATE.lstrip())
    (only,) = read_spec(path).diagnostics
    assert f"{only.code} {only.hint}".startswith(hint)


def test_a_list_of_nothing_says_the_same_as_no_list() -> None:
    """Where none is meant it may be written; a list of states that a step comes from cannot be empty."""
    assert told(STATES + GO + "otherwise: []\n") == []
    path = written(
        TWO + "channels: {c: {holds: 1, may: []}}\nlinks: []\n", "notation: 1\nsystem: House\n"
    )
    (path.parent / "Gate.yaml").write_text(GATE.lstrip())
    assert read_spec(path).diagnostics == ()
    assert told(STATES + "transitions:\n  - {from: [], to: B}\n") == ["SM112 leave the key out"]
