"""Maps that are columns, one a key: what brute force finds, whatever events look at and write.

The search here asks the public `step` about every argument; it shares no code with `explore`.

Covers: statemachines.explore.models.map_columns, statemachines.explore.models.row_columns.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.explore.exploration import explore
from statemachines.explore.models.machine_model import build_machine_model
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.scopes import DEFAULT_SCOPE
from statemachines.model.definitions.machine_definitions import MachineDefinition, Transition
from statemachines.model.definitions.snapshots import Advanced, Raised, Snapshot
from statemachines.semantics.machine.initial_snapshots import initial_snapshots
from statemachines.semantics.machine.step import step
from tests.data_machines import machine
from tests.effort import some_of

HEAD = """
types: {P: 0..2, Mode: [idle, busy, done]}
errors: {Broken: It broke.}
variables:
  mode: {type: "map[P, Mode]", initial: "{q: 'idle' for q in P}"}
  flag: {type: "map[P, bool]", initial: "{q: q == 1 for q in P}"}
  count: {type: "map[P, 0..1]", initial: "{q: 0 for q in P}"}
  turn: {type: P, initial: 0}
define:
  busy: {args: {q: P}, is: "mode[q] == 'busy' and any(flag[o] for o in P if o != q)"}
  crowded: "sum(1 for q in P if flag[q]) > 1"
  mover: {args: {q: P}, is: "busy((q + 1) % 3) or turn == q"}
events:
"""
ARGUMENTS = {"{p: P}": ("p",), "{p: P, r: P}": ("p", "r")}
GUARDS = (
    "True",
    "flag[p]",
    "not flag[p] and turn != p",
    "mode[(p + 1) % 3] != 'busy'",
    "all(not flag[q] or q == p for q in P)",
    "busy(p) or flag[0]",
    "mover(p)",
    "any(q != p and mode[q] == mode[p] for q in P)",
    "not crowded and flag.get(p, False)",
    "mode[turn] == 'idle' or both",
)
EFFECTS = (
    "flag: 'flag | {p: not flag[p]}'",
    "mode: \"mode | {p: 'busy'}\", flag: 'flag | {p: False}'",
    "mode: \"mode | {p: 'done' if flag[p] else 'idle'} | {(p + 1) % 3: 'busy'}\"",
    "flag: '{q: q == p or flag[q] for q in P}'",
    "flag: 'flag | {p: True} if both else flag', turn: p",
    "flag: 'flag | {p: flag[(p + 1) % 3]}', mode: \"mode | {p: mode[0], 0: mode[p]}\"",
    "turn: '(turn + 1) % 3', mode: \"{q: 'idle' for q in P}\"",
    "count: 'count | {p: count[p] + 1}'",
    "count: 'count | {p: (count[p] + 1) % 2}', mode: \"mode | {q: 'done' for q in {0, 1}}\"",
)
WHOLE = (
    "flag: 'flag | {turn: both}'",
    "mode: \"mode | {q: 'busy' for q in P if flag[q]}\"",
    "flag: 'flag | {q: True for q in {p, turn}}'",
)
"""Effects that no key is known of: the map is one column then."""
CONDITIONS = (
    "flag[0] or flag[1] or flag[2]",
    "not crowded",
    "all(mode[q] != 'done' or flag[q] for q in P)",
)


@st.composite
def machines(draw: st.DrawFn) -> tuple[MachineDefinition, tuple[tuple[str, ...], ...]]:
    """Draw a machine with maps, and the names of each event's arguments."""
    effects = EFFECTS + (WHOLE if draw(st.integers(0, 3)) == 0 else ())
    lines, arguments = [HEAD], list[tuple[str, ...]]()
    for number in range(draw(st.integers(1, 3))):
        text = draw(st.sampled_from(sorted(ARGUMENTS)))
        guard, when = (draw(st.sampled_from(GUARDS)) for _ in range(2))
        first, other = (draw(st.sampled_from(effects)) for _ in range(2))
        raises = ", raises: Broken" if draw(st.integers(0, 5)) == 0 else ""
        where = f'where: "{draw(st.sampled_from(GUARDS))}", ' if draw(st.booleans()) else ""
        both = "flag[p] and flag[r]" if "r" in ARGUMENTS[text] else "flag[p]"
        lines.append(
            f'  e{number}: {{args: {text}, let: {{both: "{both}"}}, {where}guard: "{guard}", cases:'
            f' [{{when: "{when}", effect: {{{first}}}}}, {{effect: {{{other}}}{raises}}}]}}'
        )
        arguments.append(ARGUMENTS[text])
    lines.append("always:")
    lines += [f'  a{place}: "{one}"' for place, one in enumerate(CONDITIONS)]
    fair = draw(st.sampled_from(["[e0]", "[{e0: each p}]"]))
    lines += [
        "leads to:",
        f"  ends: {{when: 'flag[0]', then: 'not flag[0]', assuming: {fair}}}",
        f"  comes: {{when: 'not crowded', then: 'mode[turn] == \"busy\"', assuming: {fair}}}",
    ]
    return machine("\n".join(lines)), tuple(arguments)


def brute_force(
    of: MachineDefinition, arguments: tuple[tuple[str, ...], ...]
) -> tuple[int, int, int]:
    """States, steps, and how far the last state is."""
    far, steps = dict.fromkeys(initial_snapshots(of), 0), 0
    for now in (pending := list(far)):
        for after in every_step(of, now, arguments):
            steps += 1
            if after not in far:
                far[after] = far[now] + 1
                pending.append(after)
    return len(far), steps, max(far.values())


def every_step(
    of: MachineDefinition, now: Snapshot, arguments: tuple[tuple[str, ...], ...]
) -> list[Snapshot]:
    """Where steps lead; arguments against `where` are nobody's."""
    afters = list[Snapshot]()
    for number, names in enumerate(arguments):
        for values in itertools.product(range(3), repeat=len(names)):
            try:
                answer = step(of, now, f"e{number}", **dict(zip(names, values, strict=True)))
            except ValueError:
                continue
            if isinstance(answer, Advanced) or (
                isinstance(answer, Raised) and isinstance(answer.decided_by, Transition)
            ):
                afters.append(answer.after)
    return afters


@settings(
    max_examples=some_of(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(machines())
def test_maps_are_explored_as_brute_force_does(
    drawn: tuple[MachineDefinition, tuple[tuple[str, ...], ...]],
) -> None:
    """By rows and on arrays: states, steps, how far; and the two find the same, traces included."""
    pytest.importorskip("numpy")
    of, arguments = drawn
    rows, arrays = (
        explore(of, how=ExplorationOptions(engine=engine)) for engine in ("rows", "arrays")
    )
    assert (rows.states, rows.transitions, rows.depth) == brute_force(of, arguments)
    assert rows == arrays
    two = (
        [
            explore(of, how=ExplorationOptions(engine=engine, copies=2))
            for engine in ("rows", "arrays")
        ]
        if rows.states < 60
        else []
    )
    assert not two or (two[0].states == rows.states**2 and two[0] == two[1])


def items(body: str) -> list[object]:
    """The keys that have columns."""
    model = build_machine_model(machine(HEAD + body), DEFAULT_SCOPE)
    return [(column.name, column.key) for column in model.columns if column.is_item]


def test_a_map_that_is_written_by_key_is_a_column_a_key() -> None:
    """One that some event writes as a whole is one column, and so is one whose keys are too many."""
    flip = "  flip: {args: {p: P}, effect: {flag: 'flag | {p: not flag[p]}'}}\n"
    keys = [(name, key) for name in ("mode", "flag", "count") for key in range(3)]
    assert items(flip) == keys
    whole = "  fill: {args: {p: P}, effect: {flag: 'flag | {q: True for q in {p, turn}}'}}\n"
    assert items(flip + whole) == [one for one in keys if one[0] != "flag"]
    wide = machine(
        "types: {W: 0..40}\n"
        "variables: {wide: {type: 'map[W, bool]', initial: '{q: False for q in W}'}}\n"
        "events: {set_: {args: {p: W}, effect: {wide: 'wide | {p: True}'}}}\n"
    )
    assert not any(one.is_item for one in build_machine_model(wide, DEFAULT_SCOPE).columns)
