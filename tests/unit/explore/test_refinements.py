"""A machine that refines another: what specs say of it, what is wrong with them, and what a person is shown.

Covers: statemachines.notation.data.refinement_reader, statemachines.notation.data.each_reader,
statemachines.report.exploration.abstract_rows, statemachines.explore.refinements.promises_kept,
statemachines.explore.verdicts.promises.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from statemachines.cli import main
from statemachines.explore.exploration import explore
from statemachines.explore.options import ExplorationOptions
from statemachines.explore.resources.limits import Limits
from statemachines.explore.scopes import ExplorationScope
from statemachines.model.definitions.machine_definitions import MachineDefinition
from statemachines.model.diagnosis.diagnostics import SpecError
from statemachines.model.evidence.verdicts import Verdict
from statemachines.notation.loading.spec_catalogue import load_spec, load_system
from statemachines.notation.releases.machine_selection import machine_of
from statemachines.notation.releases.system_selection import system_of
from statemachines.report.exploration.abstract_rows import (
    abstract_data,
    abstract_texts,
)
from statemachines.report.exploration.exploration_markdown import to_markdown
from statemachines.report.exploration.exploration_report import exploration_report, to_json
from tests.data_machines import example
from tests.shipped import shipped_machine

CHECKOUT = Path(__file__).parents[3]
SWITCH = """
notation: 1
machine: Switch
states: {OFF: {initial: true}, ON: }
transitions:
  - {from: OFF, to: ON, event: up}
  - {from: ON, to: OFF, event: down}
"""
COUNT = """
notation: 1
machine: Count
types: {Item: id}
parameters: {most: 0..3}
variables: {count: "0..3 = 0", seen: "set[Item] = set()"}
events:
  up: {guard: count < most, effect: {count: count + 1}}
  see: {args: {item: Item}, effect: {seen: "seen | {item}"}}
scope: {Item: 1, most: "2"}
"""
LAMP = """
notation: 1
machine: Lamp
states: {DARK: {initial: true}, DIM: , BRIGHT: }
transitions:
  - {from: DARK, to: DIM}
  - {from: DIM, to: BRIGHT}
  - {from: [DIM, BRIGHT], to: DARK}
"""
MANY = """
notation: 1
machine: Many
types: {Lamp: id}
variables: {lit: "set[Lamp] = set()"}
events:
  light: {args: {one: Lamp}, effect: {lit: "lit | {one}"}}
  dark: {effect: {lit: "set()"}}
scope: {Lamp: 3}
"""


def written(folder: Path, **texts: str) -> Path:
    for name, text in {"Switch": SWITCH, "Count": COUNT, **texts}.items():
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    return folder


def machine(folder: Path, text: str) -> MachineDefinition:
    return machine_of(load_spec(written(folder, Own=text) / "Own.yaml"))


def refinements(found: Any) -> list[tuple[str, str, str, int | None]]:
    """Return name, verdict, words and length of the trace of each refinement."""
    return [
        (one.name, one.verdict.name, one.said, None if one.trace is None else len(one.trace.steps))
        for one in found.examined
        if one.name.startswith("refines")
    ]


def wrong(folder: Path, text: str) -> list[tuple[str, str]]:
    with pytest.raises(SpecError) as error:
        machine(folder, text)
    return [(one.code, one.message) for one in error.value.diagnostics]


def test_two_phase_commit_refines_transaction_commit() -> None:
    """What Gray and Lamport prove of it."""
    found = explore(shipped_machine("examples/TwoPhaseCommit"))
    assert refinements(found) == [("refines TransactionCommit", "HOLDS", "", None)]


def test_a_coordinator_that_does_not_wait_breaks_it_in_two_steps() -> None:
    """It tells to commit before all are prepared; whoever obeys commits against TransactionCommit."""
    hasty = example("TwoPhaseCommit", (", guard: told == managers", ""))
    found = explore(hasty)
    assert refinements(found) == [
        ("refines TransactionCommit", "VIOLATED", "this is no step of it", 2)
    ]
    broken = next(one for one in found.examined if one.name.startswith("refines"))
    assert broken.abstract is not None
    assert [(one.event, one.is_legal) for one in broken.abstract.steps] == [("", True), ("", False)]


def test_steps_that_change_nothing_there_are_no_steps_of_it(tmp_path: Path) -> None:
    """A lamp that is dim or bright is on: brighter is nothing new to a switch."""
    own = LAMP + "refines: {spec: Switch, by: {state: \"'OFF' if state == 'DARK' else 'ON'\"}}\n"
    assert refinements(explore(machine(tmp_path, own))) == [("refines Switch", "HOLDS", "", None)]


def test_both_sides_of_a_counterexample_are_shown(tmp_path: Path) -> None:
    """Whoever reads it sees what each step is to the abstract machine, in every form."""
    own = (
        LAMP
        + 'refines: {spec: Count, by: {count: "1 if state == \'DIM\' else 0", most: "2", seen: set()}}\n'
    )
    report = exploration_report(machine(tmp_path, own), [], ExplorationOptions(), "m")
    shown = next(one for one in report.examined if one.title == "refines Count")
    assert shown.abstract_start == "Count: most=2  count=0  seen=set()"
    assert [row.abstract for row in shown.rows] == ["up()  count=1", "impossible: count=0"]
    assert "| 2 | `to_BRIGHT()` | `DIM -> BRIGHT` | `impossible: count=0` |" in to_markdown(report)
    data = next(one for one in to_json(report)["properties"] if one["name"] == "refines Count")
    assert [(one["event"], one["legal"]) for one in data["abstract"]["steps"]] == [
        ("up", True),
        ("", False),
    ]


def test_what_begins_as_the_other_may_not_breaks_it_without_a_step(tmp_path: Path) -> None:
    """A switch begins OFF."""
    own = LAMP + "refines: {spec: Switch, by: {state: \"'ON'\"}}\n"
    for options in (ExplorationOptions(), ExplorationOptions(symmetry=True)):
        found = refinements(explore(machine(tmp_path, own), how=options))
        assert found == [("refines Switch", "VIOLATED", "it does not begin so", 0)]


def test_parameters_against_the_rules_of_the_other_break_it(tmp_path: Path) -> None:
    """A machine whose parameters the abstract one would refuse is none of it."""
    counts = COUNT.replace("scope:", "where: most > 0\nscope:")
    own = LAMP + "refines: {spec: Count, by: {count: 0, most: 0, seen: set()}}\n"
    written(tmp_path, Own=own, Count=counts)
    found = explore(machine_of(load_spec(tmp_path / "Own.yaml")))
    assert refinements(found)[0][1:] == ("VIOLATED", "it does not begin so", 0)


def test_a_refinement_in_which_nothing_happens_is_vacuous(tmp_path: Path) -> None:
    """Whoever maps everything to one state has claimed nothing."""
    own = LAMP + "refines: {spec: Switch, by: {state: \"'OFF'\"}}\n"
    assert refinements(explore(machine(tmp_path, own))) == [
        ("refines Switch", "HOLDS", "vacuous: nothing ever changes there", None)
    ]


def test_what_is_known_to_fail_must(tmp_path: Path) -> None:
    """As with other properties, `expect: fails` turns the verdict round."""
    claim = "refines: {spec: Switch, by: {state: \"'ON'\"}, expect: fails}\n"
    found = refinements(explore(machine(tmp_path, LAMP + claim)))
    assert found == [("refines Switch", "HOLDS", "it does not begin so, as expected", 0)]


def test_what_is_not_named_has_its_own_name(tmp_path: Path) -> None:
    """As the variables of an INSTANCE in TLA+."""
    own = COUNT.replace("machine: Count", "machine: Own") + "refines: {spec: Count}\n"
    assert refinements(explore(machine(tmp_path, own)))[0][1] == "HOLDS"


def test_types_of_one_name_have_as_many_values_as_here(tmp_path: Path) -> None:
    """The abstract machine's own scope has one Item, and three are seen here."""
    own = COUNT.replace("machine: Count", "machine: Own") + "refines: {spec: Count}\n"
    found = explore(machine(tmp_path, own), ExplorationScope(sizes={"Item": 3}))
    assert refinements(found)[0][1] == "HOLDS"


DOUBLE = """
notation: 1
machine: Double
types: {Seat: 0..2}
variables: {holder: "Seat? = None"}
events:
  grab: {args: {seat: Seat}, guard: holder is None, effect: {holder: seat}}
  pass: {args: {seat: Seat}, guard: holder is not None and holder != seat, effect: {holder: seat}}
  free: {guard: holder is not None, effect: {holder: None}}
"""
QUEUE = """
notation: 1
machine: Queue
types: {Who: id}
scope: {Who: 1}
variables: {holder: "Who? = None", waiting: "set[Who] = set()"}
events:
  ask: {args: {who: Who}, guard: who not in waiting and holder != who, effect: {waiting: "waiting | {who}"}}
  take: {args: {who: waiting}, guard: holder is None, effect: {waiting: "waiting - {who}", holder: who}}
  free: {args: {who: Who}, guard: holder == who, effect: {holder: None}}
"""


@pytest.mark.parametrize("engine", ["rows", "arrays"])
def test_a_step_may_be_several_of_the_abstract_machine(tmp_path: Path, engine: str) -> None:
    """Whoever passes something on gives it back, and another one asks for it and takes it. Its names are numbers here."""
    how, claim = ExplorationOptions(engine=engine), "refines: {spec: Queue, by: {waiting: set()}"
    for steps, verdict in (
        ("", "VIOLATED"),
        (", steps: up to 2", "VIOLATED"),
        (", steps: up to 3", "HOLDS"),
    ):
        written(tmp_path, Queue=QUEUE, Own=f"{DOUBLE}{claim}{steps}}}\n")
        found = explore(machine_of(load_spec(tmp_path / "Own.yaml")), how=how)
        assert refinements(found)[0][1] == verdict
        if steps.endswith("2"):
            run = next(one.abstract for one in found.examined if one.abstract is not None)
            assert (
                abstract_texts(run, 2)[0]
                == "ask(who=0)  waiting={0}, then take(who=0)  holder=0  waiting=set()"
            )
            assert [one["event"] for one in abstract_data(run)["steps"][0]["earlier"]] == ["ask"]


@pytest.mark.parametrize("engine", ["rows", "arrays"])
def test_a_refinement_for_each_value_says_for_which_it_fails(tmp_path: Path, engine: str) -> None:
    """Each lamp of many is a switch; if two steps could be taken at once, it would be said of which."""
    claim = "for each: l in Lamp, by: {state: \"'ON' if l in lit else 'OFF'\"}"
    how = ExplorationOptions(engine=engine)
    own = MANY + f"refines: {{spec: Switch, {claim}}}\n"
    assert refinements(explore(machine(tmp_path, own), how=how))[0][1] == "HOLDS"
    latch = SWITCH.replace("  - {from: ON, to: OFF, event: down}\n", "")
    written(tmp_path, Own=own, Switch=latch)
    found = refinements(explore(machine_of(load_spec(tmp_path / "Own.yaml")), how=how))
    assert found == [("refines Switch", "VIOLATED", "this is no step of it for l = 'Lamp1'", 2)]


def test_only_elements_of_a_set_are_claimed(tmp_path: Path) -> None:
    """A set of parameters has those for which it is so."""
    own = MANY.replace("variables:", 'parameters: {ours: "set[Lamp]"}\nvariables:')
    own += "refines: {spec: Switch, for each: l in ours, by: {state: \"'ON' if l in lit else 'OFF'\"}}\n"
    own = own.replace("Lamp: 3}", 'Lamp: 2, ours: "set()"}')
    latch = SWITCH.replace("  - {from: ON, to: OFF, event: down}\n", "")
    written(tmp_path, Own=own, Switch=latch)
    machine = machine_of(load_spec(tmp_path / "Own.yaml"))
    for engine in ("rows", "arrays"):
        how = ExplorationOptions(engine=engine)
        assert refinements(explore(machine, how=how))[0][1] == "HOLDS"
        given = ExplorationScope(parameters={"ours": frozenset(["Lamp2"])})
        found = refinements(explore(machine, given, how))
        assert found[0][2] == "this is no step of it for l = 'Lamp2'"


@pytest.mark.parametrize("engine", ["rows", "arrays"])
def test_every_copy_refines(tmp_path: Path, engine: str) -> None:
    """Of two lamps that are side by side, each is a switch of its own."""
    own = LAMP + "refines: {spec: Switch, by: {state: \"'OFF' if state == 'DARK' else 'ON'\"}}\n"
    how = ExplorationOptions(copies=2, engine=engine)
    assert refinements(explore(machine(tmp_path, own), how=how))[0][1] == "HOLDS"


@pytest.mark.parametrize("engine", ["rows", "arrays"])
def test_a_system_refines_a_machine(tmp_path: Path, engine: str) -> None:
    """Two lamps of which one at least is on are a switch; one that turns on what is on is none."""
    system = """
notation: 1
system: Room
parts: {left: {machine: Lamp}, right: {machine: Lamp}}
refines: {spec: Switch, by: {state: "'OFF' if left.state == 'DARK' and right.state == 'DARK' else 'ON'"}}
"""
    folder = written(tmp_path, Lamp=LAMP, Room=system)
    how = ExplorationOptions(engine=engine)
    found = explore(system_of(load_system(folder / "Room.yaml")), how=how)
    assert refinements(found) == [("refines Switch", "HOLDS", "", None)]
    latch = SWITCH.replace("  - {from: ON, to: OFF, event: down}\n", "")
    written(tmp_path, Switch=latch)
    found = explore(system_of(load_system(folder / "Room.yaml")), how=how)
    assert refinements(found) == [("refines Switch", "VIOLATED", "this is no step of it", 2)]


def test_arguments_that_were_left_out_leave_it_open(tmp_path: Path) -> None:
    """A step that was not found among the first arguments may be there among the others."""
    free = """
notation: 1
machine: Free
types: {Item: id}
variables: {seen: "set[Item] = set()"}
events:
  see: {args: {items: "set[Item]", more: "set[Item]", most: "set[Item]"}, effect: {seen: items}}
scope: {Item: 9}
"""
    own = """
notation: 1
machine: Own
types: {Item: id}
variables: {seen: "set[Item] = set()"}
events:
  all: {args: {one: Item}, effect: {seen: "seen | {one}"}}
scope: {Item: 9}
refines: {spec: Free}
"""
    written(tmp_path, Free=free)
    found = refinements(explore(machine(tmp_path, own)))
    assert found[0][1] in ("HOLDS", "INCONCLUSIVE")
    assert found[0][1] == "HOLDS" or "more arguments than were looked at" in found[0][2]


def test_a_machine_of_a_family_is_taken_in_the_same_release() -> None:
    """STARTING is a state of both from 2.2.0 on."""
    loop = load_spec("kafka/StreamThreadLoop")
    for release in ("2.1.1", "2.2.0", "4.3.1"):
        abstract = dict(machine_of(loop, release).abstracts)["kafka/StreamThread"]
        assert abstract.release == release


@pytest.mark.parametrize("release", ["1.0.0", "2.0.1", "2.1.1", "2.5.1", "2.6.0", "3.8.0", "4.3.1"])
def test_the_loop_of_a_stream_thread_asks_for_what_its_table_allows(release: str) -> None:
    """Its numbers are bounded by the scope, so that nothing is left out in silence."""
    found = explore(shipped_machine("kafka/StreamThreadLoop", release))
    (said,) = refinements(found)
    assert said[:2] == ("refines StreamThread", "HOLDS")
    assert found.verdict is Verdict.HOLDS


BLINK = """
notation: 1
machine: Blink
states: {OFF: {initial: true}, ON: }
transitions:
  - {from: OFF, to: ON, event: up}
  - {from: ON, to: OFF, event: down}
always eventually:
  lit: {holds: "state == 'ON'", assuming: [up]}
leads to:
  known: {when: "state == 'ON'", then: "False", expect: fails}
  raised: {when: "state == 'ON'", then: "state == 'OFF'", until: raised}
"""
SEEN = "state: \"'OFF' if state == 'DARK' else 'ON'\""


def blink(folder: Path, more: str) -> list[tuple[str, str, str, int | None]]:
    """What is said of a lamp that refines one that blinks."""
    texts = {"Blink": BLINK, "Own": LAMP}
    texts["Own"] += f"refines: {{spec: Blink, by: {{{SEEN}}}{more}}}\n"
    return refinements(explore(machine_of(load_spec(written(folder, **texts) / "Own.yaml"))))


def test_what_the_abstract_machine_promises_is_kept_where_fairness_says_so(tmp_path: Path) -> None:
    """Its promises hold of the finer machine under the fairness of that one; what is known to fail is not claimed."""
    kept = [("refines Blink", "HOLDS", "and what it promises", None)]
    assert blink(tmp_path, ", assuming: [to_DIM, to_DARK]") == kept
    assert blink(tmp_path, ", assuming: {strongly: [to_DIM, to_DARK]}") == kept


def test_a_promise_that_is_not_kept_is_named_with_the_run(tmp_path: Path) -> None:
    """A lamp that may stay dark for ever does not blink, though every step is a step of one that does."""
    said = "always eventually lit: does not hold again"
    assert blink(tmp_path, ", assuming: [to_DARK]") == [("refines Blink", "VIOLATED", said, 0)]
    assert blink(tmp_path, ", assuming: [to_DARK], expect: fails") == [
        ("refines Blink", "HOLDS", f"{said}, as expected", 0)
    ]
    assert blink(tmp_path, ", assuming: [to_DIM, to_DARK], expect: fails") == [
        ("refines Blink", "VIOLATED", "was expected to fail, and holds", None)
    ]


def test_without_fairness_no_promise_is_claimed(tmp_path: Path) -> None:
    """Who says nothing of fairness claims steps only."""
    assert blink(tmp_path, "") == [("refines Blink", "HOLDS", "", None)]


def test_a_machine_without_promises_says_so(tmp_path: Path) -> None:
    """Whoever assumes fairness expects that something is promised."""
    own = LAMP + f"refines: {{spec: Switch, by: {{{SEEN}}}, assuming: [to_DIM]}}\n"
    said = "it promises nothing of whole runs"
    assert refinements(explore(machine(tmp_path, own))) == [("refines Switch", "HOLDS", said, None)]


def test_promises_are_not_looked_at_with_symmetry_or_beyond_a_limit(tmp_path: Path) -> None:
    """What was not seen to its end is not said to be kept."""
    own = MANY + (
        "refines: {spec: Blink, for each: l in Lamp, assuming: [light, dark],"
        " by: {state: \"'ON' if l in lit else 'OFF'\"}}\n"
    )
    written(tmp_path, Own=own, Blink=BLINK)
    many = machine_of(load_spec(tmp_path / "Own.yaml"))
    (found,) = refinements(explore(many, how=ExplorationOptions(symmetry=True)))
    said = "always eventually lit: not looked at with symmetry"
    assert found == ("refines Blink", "INCONCLUSIVE", said, None)
    (found,) = refinements(explore(many, how=ExplorationOptions(limits=Limits(most_states=3))))
    assert found[1] == "INCONCLUSIVE"
    (found,) = refinements(explore(many))
    assert found[1:3] == ("VIOLATED", "always eventually lit: does not hold again for l = 'Lamp1'")


def test_two_phase_commit_decides_as_transaction_commit_does(tmp_path: Path) -> None:
    """With its liveness: each manager gets ready, hears what was decided and obeys; who need not abort may wait for ever."""
    fair = ["{prepare: each rm}", "decideAbort", "{obeyCommit: each rm}", "{obeyAbort: each rm}"]
    abstract = (Path(__file__).parents[2] / "published/models/FairCommit.yaml").read_text("utf-8")
    whole = (CHECKOUT / "specs/examples/TwoPhaseCommit.yaml").read_text("utf-8")
    for events, verdict in ((fair, "HOLDS"), (fair[:-1], "VIOLATED")):
        text = whole.replace("examples/TransactionCommit", "FairCommit").replace(
            "by: {state_of: stage}",
            f"by: {{state_of: stage}}\n  assuming: [{', '.join(events)}]",
        )
        folder = written(tmp_path, FairCommit=abstract, Own=text)
        found = refinements(explore(machine_of(load_spec(folder / "Own.yaml"))))
        assert found[0][:2] == ("refines FairCommit", verdict)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("{spec: Nothing}", "cannot refine `Nothing`: "),
        ("{spec: Switch, by: {stat: 1}}", "`Switch` has no `stat` that could be something here"),
        (
            "{spec: Switch, by: {state: \"'UP'\"}}",
            "this is of type `'UP'`, and `state` of Switch of type `State`",
        ),
        ("{spec: Count, by: {count: 0, most: 1}}", "it is not said what `seen` of Count is here"),
        (
            "{spec: Switch, by: {state: \"'ON'\"}, for each: lamps}",
            "`lamps` names nothing of which",
        ),
        (
            "{spec: Switch, by: {state: \"'ON'\"}, assuming: [up]}",
            "unknown event `up`",
        ),
        (
            "{spec: Switch, by: {state: \"'ON'\"}, steps: up to 2, assuming: [to_DIM]}",
            "what is promised there cannot be claimed where a step is several of its steps",
        ),
        (
            '{spec: Queue, by: {holder: state, waiting: "{1}"}}',
            "`Who` of Queue would be of type `1..1` here, and of type `State`",
        ),
        (
            "{spec: Queue, by: {holder: 'len({state})', waiting: set()}}",
            "this is of type `1..`, and `holder` of Queue of type `Who?`",
        ),
        ("{spec: Own}", "specs refine each other in a circle: `Own` refines `Own`"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(tmp_path: Path, claim: str, message: str) -> None:
    """Each mistake has a code, a place and what was meant."""
    written(tmp_path, Queue=QUEUE)
    found = wrong(tmp_path, LAMP.replace("machine: Lamp", "machine: Own") + f"refines: {claim}\n")
    assert any(code in ("SM420", "SM403") and text.startswith(message) for code, text in found), (
        found
    )


@pytest.mark.parametrize(
    ("claim", "hint"),
    [
        ("{spec: Door}", "`Way` there has no `ajar` and no `stuck`"),
        ("{spec: Door, by: {way: way}}", "`Way` there has no `ajar` and no `stuck`"),
        ("{spec: Door, by: {way: \"'open'\"}}", "write `by: {count: …}`"),
    ],
)
def test_types_of_one_name_and_names_of_something_else_are_told_apart(
    tmp_path: Path, claim: str, hint: str
) -> None:
    """`Way` is no `Way` says nothing, nor does that `count` was meant by `count`."""
    head = (
        "notation: 1\nmachine: {}\ntypes: {{Way: [{}]}}\nvariables: {{way: \"Way = 'open'\"{}}}\n"
    )
    own = head.format("Own", "open, ajar, stuck", ', count: "set[Way] = set()"')
    written(tmp_path, Door=head.format("Door", "open", ', count: "0..1 = 0"'), Own=own)
    (tmp_path / "Own.yaml").write_text(own + f"refines: {claim}\n", "utf-8")
    with pytest.raises(SpecError) as error:
        load_spec(tmp_path / "Own.yaml")
    assert hint in [one.hint for one in error.value.diagnostics]


def test_specs_that_refine_each_other_are_told(tmp_path: Path) -> None:
    """Not read for ever."""
    head = 'notation: 1\nmachine: {0}\nvariables: {{n: "0..1 = 0"}}\nrefines: {{spec: {1}}}\n'
    written(tmp_path, A=head.format("A", "B"), B=head.format("B", "A"))
    with pytest.raises(SpecError, match="in a circle"):
        load_spec(tmp_path / "A.yaml")


def test_a_system_is_not_refined(tmp_path: Path) -> None:
    """It has no one state."""
    written(tmp_path, Lamp=LAMP, Room="notation: 1\nsystem: Room\nparts: {left: {machine: Lamp}}\n")
    found = wrong(tmp_path, LAMP + "refines: {spec: Room}\n")
    assert found == [("SM420", "cannot refine `Room`: it is a system")]


def test_show_has_what_is_refined(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever looks at a machine sees of what it is a finer picture."""
    assert main(["show", "examples/TwoPhaseCommit"]) == 0
    assert "refines TransactionCommit" in capsys.readouterr().out
