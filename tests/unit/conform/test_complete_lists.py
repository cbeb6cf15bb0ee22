"""A list that is complete says of those whom it does not name that they are elsewhere.

Covers: statemachines.conform.observe.observer, statemachines.notation.lines.line_matching,
statemachines.conform.incidents.incident_kinds.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.reports import Report
from statemachines.notation import lint

SHIP = r"""
notation: 1
machine: Ship
states: {AWAY: {initial: true}, MOORED: {initial: true}}
transitions:
  - {from: "*", to: MOORED}
  - {from: "*", to: AWAY}
log:
  instance: [ship]
  shared: true
  patterns: {ship: '\d+', ships: '.*'}
  logger: coast.Harbour
  level: INFO
  lines:
    - {text: "the harbour master sees ship {ship} moor", says: step, to: MOORED}
    - {text: "the harbour master sees these ships: {ships}", SAYS, each: {ships: "{ship}"}OTHERS}
  episodes:
    away: {while: "state == 'AWAY'", title: "ship {ship} is away", was: "ship {ship} was away"}
"""
STEP, IS = "says: step, to: MOORED", "says: is, state: MOORED"


def judged(
    folder: Path, says: str, others: str, *, text: str = SHIP, **logs: list[tuple[int, str]]
) -> Report:
    """Judge the logs of harbour masters, whose lines have a second each."""
    spec = folder / "Ship.yaml"
    spec.write_text(text.replace("SAYS", says).replace("OTHERS", others), "utf-8")
    for name, lines in logs.items():
        lines_of_log = "".join(
            f"[2026-01-01 10:00:{at:02},000] INFO the harbour master sees {line} (coast.Harbour)\n"
            for at, line in lines
        )
        (folder / f"{name}.log").write_text(lines_of_log, "utf-8")
    return sm.check([folder / f"{name}.log" for name in logs], specs=[spec], engine="local")


def states(report: Report) -> dict[object, str]:
    """Return where each ship is at the end."""
    return {dict(row.subject)["ship"]: "".join(row.state) for row in report.now}


TOLD = {
    "one": [(1, "ship 1 moor"), (2, "ship 2 moor"), (3, "ship 3 moor")],
    "two": [(9, "these ships: 2, 4")],
}


@pytest.mark.parametrize("says", [STEP, IS])
def test_whom_a_complete_list_does_not_name_is_elsewhere(tmp_path: Path, says: str) -> None:
    """A harbour master who takes over lists the ships: those that left in between are not there."""
    report = judged(tmp_path, says, ", others: AWAY", **TOLD)
    assert states(report) == {1: "AWAY", 2: "MOORED", 3: "AWAY", 4: "MOORED"}


def test_a_list_that_is_not_complete_says_nothing_of_others(tmp_path: Path) -> None:
    """The fault that the key is for: without it ships that left are taken for moored."""
    report = judged(tmp_path, STEP, "", **TOLD)
    assert states(report) == {1: "MOORED", 2: "MOORED", 3: "MOORED", 4: "MOORED"}


def test_a_list_would_tell_of_whoever_is_elsewhere(tmp_path: Path) -> None:
    """No line says that a ship is AWAY but lists that leave it out, and none does: it is MOORED."""
    log = {"one": [(1, "ship 1 moor"), (9, "these ships: 1")]}
    moored = SHIP.replace("state == 'AWAY'", "state == 'MOORED'")
    for others, outcome in ((", others: AWAY", "open"), ("", "may be over")):
        (episode,) = judged(tmp_path, STEP, others, text=moored, **log).episodes
        assert episode.outcome.value == outcome


def test_an_empty_list_is_complete_too(tmp_path: Path) -> None:
    """Nobody is there."""
    report = judged(
        tmp_path, STEP, ", others: AWAY", one=[(1, "ship 1 moor"), (5, "these ships: ")]
    )
    assert states(report) == {1: "AWAY"}


def test_a_list_is_about_those_who_were_known_before(tmp_path: Path) -> None:
    """What moors later was not looked for, whatever file tells of it first."""
    later = {"one": [(5, "these ships: 2")], "two": [(7, "ship 3 moor")]}
    assert states(judged(tmp_path, STEP, ", others: AWAY", **later)) == {2: "MOORED", 3: "MOORED"}


def test_what_a_list_leaves_out_opens_an_episode_at_its_line(tmp_path: Path) -> None:
    """The line to look at is the list, and the episode ends where the ship is seen again."""
    report = judged(
        tmp_path,
        STEP,
        ", others: AWAY",
        one=[*TOLD["one"], (9, "these ships: 2, 3"), (12, "ship 1 moor")],
    )
    (episode,) = report.episodes
    assert (episode.displayed_title, episode.blame.place.line, episode.open) == (
        "ship 1 was away",
        4,
        False,
    )


def test_others_need_a_list(tmp_path: Path) -> None:
    """Without `each` nobody is named, and a note says nothing of states."""
    spec = tmp_path / "Ship.yaml"
    text = SHIP.replace("SAYS", "says: note").replace("OTHERS", ", others: LOST")
    spec.write_text(text, "utf-8")
    assert {one.code for one in lint([spec])} == {"SM517", "SM204"}


BERTH = r"""
notation: 1
machine: Berth
types: {Ship: id}
variables: {ship: {type: "Ship?", initial: "None"}, tide: {type: "int?", initial: "None"}}
states: {FREE: {initial: true}, TAKEN: {}}
events: {to_TAKEN: {args: {who: Ship, at: int}}}
transitions:
  - {from: FREE, to: TAKEN, effect: {ship: who, tide: at}}
  - {from: TAKEN, to: TAKEN, guard: "ship is None or ship == who or tide is None or at > tide", effect: {ship: who, tide: at}}
  - {from: [FREE, TAKEN], to: FREE, effect: {ship: None}}
log:
  instance: [harbour, berth]
  shared: true
  patterns: {harbour: '\w+', berth: '\d+', ship: '\w+', tide: '\d+', berths: '[^)]*'}
  logger: coast.Harbour
  level: INFO
  lines:
    - {text: "harbour {harbour} frees berth {berth}", says: step, to: FREE}
    - text: "harbour {harbour} plans tide {tide}: {plan}"
      each: {plan: "{ship}=({berths})", berths: "{berth}"}
      says: step
      to: TAKEN
      args: {who: "{ship}", at: "{tide}"}
      others: FREE
      about: {harbour: "{harbour}"}
    - text: "harbour {harbour} lets {ship} have: {berths}"
      each: {berths: "{berth}"}
      says: step
      to: TAKEN
      args: {who: "{ship}", at: "0"}
      others: FREE
      about: {harbour: "{harbour}", ship: "{ship}"}
"""


def planned(folder: Path, *lines: str) -> Report:
    """Judge what harbour masters plan, a line a second."""
    spec = folder / "Berth.yaml"
    spec.write_text(BERTH, "utf-8")
    assert not lint([spec])
    log = folder / "a.log"
    log.write_text(
        "".join(
            f"[2026-01-01 10:00:{at:02},000] INFO harbour {line} (coast.Harbour)\n"
            for at, line in enumerate(lines, 1)
        ),
        "utf-8",
    )
    return sm.check([log], specs=[spec], engine="local")


def berths(report: Report) -> dict[tuple[object, object], str]:
    """Return how each berth of each harbour is at the end."""
    return {tuple(dict(row.subject).values()): "".join(row.state) for row in report.now}


def test_a_list_of_lists_tells_of_each_item_of_the_inner_ones(tmp_path: Path) -> None:
    """A plan names who has what: each berth is one thing, and its ship stands before the list."""
    report = planned(tmp_path, "north plans tide 1: {anna=(1, 2), bea=(3)}")
    assert berths(report) == {("north", n): "TAKEN" for n in (1, 2, 3)}


def test_a_list_is_complete_for_those_that_it_is_about(tmp_path: Path) -> None:
    """What one harbour plans says nothing of another one's berths."""
    report = planned(
        tmp_path,
        "north plans tide 1: {anna=(1, 2)}",
        "south plans tide 1: {zoe=(1)}",
        "north plans tide 2: {anna=(2)}",
    )
    assert berths(report) == {("north", 1): "FREE", ("north", 2): "TAKEN", ("south", 1): "TAKEN"}


def test_a_list_may_be_complete_for_those_of_one_value(tmp_path: Path) -> None:
    """All that one ship has: what another one has is not touched."""
    report = planned(
        tmp_path,
        "north lets anna have: 1, 2",
        "north lets bea have: 3",
        "north lets anna have: 2",
    )
    assert berths(report) == {("north", 1): "FREE", ("north", 2): "TAKEN", ("north", 3): "TAKEN"}


def test_what_a_list_gives_to_two_is_found_at_its_line(tmp_path: Path) -> None:
    """One line tells both, and whichever comes first, the second is forbidden."""
    report = planned(
        tmp_path,
        "north plans tide 1: {anna=(1, 2), bea=(3)}",
        "north plans tide 2: {bea=(1), anna=(1, 2)}",
        "north plans tide 3: {bea=(1), anna=(2)}",
    )
    assert [(one.kind, one.place and one.place.line) for one in report.findings] == [
        ("forbidden", 2)
    ]


def test_what_a_list_names_twice_alike_is_told_once(tmp_path: Path) -> None:
    """A berth that stands twice behind one ship is one berth."""
    assert not planned(tmp_path, "north plans tide 1: {anna=(1, 1)}").findings


def test_an_inner_list_stands_in_the_items_of_the_outer_one(tmp_path: Path) -> None:
    """Two lists side by side are no list of lists."""
    spec = tmp_path / "Berth.yaml"
    spec.write_text(BERTH.replace("{ship}=({berths})", "{ship}=({*})"), "utf-8")
    assert "SM517" in {one.code for one in lint([spec])}


PIER = r"""
notation: 1
machine: Pier
states: {FREE: {initial: true}, TAKEN: }
transitions: [{from: "*", to: TAKEN}, {from: "*", to: FREE}]
log:
  instance: [ship]
  remembers: [pilot]
  called: ["ship {ship} with {pilot}", "ship {ship}"]
  shared: true
  patterns: {ship: '[a-z]+', ships: '.*'}
  logger: coast.Harbour
  level: INFO
  lines:
    - {text: "at the pier: {ships}; pilot {pilot}", says: step, to: TAKEN, each: {ships: "{ship}"}, others: FREE}
  episodes:
    out: {while: "state == 'FREE'", title: "ship {ship} is out"}
  incidents:
    ship-out: {of: out, title: "TITLE is out"}
"""


@pytest.mark.parametrize(
    ("title", "expected"),
    [("{called}", "ship mary with ada is out"), ("ship {ship}", "ship mary is out")],
)
def test_what_a_list_tells_besides_is_about_those_that_it_names(
    tmp_path: Path, title: str, expected: str
) -> None:
    """The pilot of the ship that came is not the pilot of the one that went; and an incident may
    call its subject as all reports do.
    """
    (tmp_path / "Pier.yaml").write_text(PIER.replace("TITLE", title), "utf-8")
    lines = ("mary; pilot ada", "rose; pilot bob")
    text = "".join(
        f"[2026-01-01 10:00:0{at},000] INFO at the pier: {line} (coast.Harbour)\n"
        for at, line in enumerate(lines)
    )
    (tmp_path / "harbour.log").write_text(text, "utf-8")
    report = sm.check([tmp_path / "harbour.log"], specs=[tmp_path / "Pier.yaml"], engine="local")
    assert [incident.title for incident in report.incidents] == [expected]


def test_only_a_spec_with_phrases_may_call_its_subject_by_them(tmp_path: Path) -> None:
    """Else `{called}` would be an empty promise; what the marks share is no whole instance."""
    spec = tmp_path / "Pier.yaml"
    called = '  called: ["ship {ship} with {pilot}", "ship {ship}"]\n'
    spec.write_text(PIER.replace("TITLE", "{called}").replace(called, ""), "utf-8")
    assert "SM512" in [diagnostic.code for diagnostic in lint([spec])]
