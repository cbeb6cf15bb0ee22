"""What a line told once of an instance names it in other machines' words from there on.

Covers: statemachines.conform.interchange.judgements, statemachines.conform.join.log_subjects,
statemachines.notation.log_passes.episode_pass, statemachines.notation.loading.spec_catalogue,
statemachines.notation.linting.doubted_machines.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.cli import main
from statemachines.conform.interchange.judgements import RememberedField, RememberedFields
from statemachines.model.evidence.reports import Episode, EpisodeOutcome, Report
from statemachines.notation import lint
from tests.effort import some_of

SHIP = """
notation: 1
machine: Ship
states: {DOCKED: {initial: true}, AT_SEA: }
transitions:
  - {from: DOCKED, to: AT_SEA}
  - {from: AT_SEA, to: DOCKED}
log:
  instance: [ship]
  remembers: [licence]
  logger: coast.Ship
  level: INFO
  lines:
    - {text: "the ship {ship} was built under licence {licence}", says: begin, state: DOCKED}
    - {text: "the ship {ship} was built without a licence", says: begin, state: DOCKED}
    - {text: "the ship {ship} shows licence {licence}", says: note}
    - {text: "the ship {ship} is now {to}", says: step}
  episodes:
    out:
      while: "state == 'AT_SEA'"
      title: "ship {ship} is at sea"
      ends with:
        of: Licence
        about: {licence: "{licence}"}
        signs: [in_use, was revoked]
        says: "its licence is no longer in use"
"""
LICENCE = """
notation: 1
machine: Licence
states: {FREE: {initial: true}, USED: }
transitions:
  - {from: FREE, to: USED}
  - {from: USED, to: FREE}
log:
  instance: [licence]
  shared: true
  logger: coast.Register
  level: INFO
  lines:
    - {text: "the licence {licence} is now {to}", says: step}
    - {text: "the licence {licence} was taken away", says: note, mark: was revoked}
  episodes:
    in_use: {while: "state == 'USED'", title: "licence {licence} is used"}
"""
BUILT, SAILS = (0, "the ship 7 was built under licence A4"), (2, "the ship 7 is now AT_SEA")
EARLIER = (1, "the ship 7 is now AT_SEA")
USED, FREE = (3, "the licence A4 is now USED"), (9, "the licence A4 is now FREE")


def judged(folder: Path, **logs: list[tuple[int, str]]) -> Report:
    """Judge logs with lines `(<second>, <text>)`; each file is a process."""
    for name, text in {"Ship": SHIP, "Licence": LICENCE}.items():
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    for name, lines in logs.items():
        written = [f"[2026-01-01 10:00:{at:02},000] INFO {line} (C)\n" for at, line in lines]
        (folder / f"{name}.log").write_text("".join(written), "utf-8")
    specs = [folder / f"{name}.yaml" for name in ("Ship", "Licence")]
    return sm.check([folder / f"{name}.log" for name in logs], specs=specs, engine="local")


def at_sea(report: Report) -> list[tuple[EpisodeOutcome, int | None]]:
    """Return how the times at sea ended, and at which second."""
    return [(one.outcome, _second(one)) for one in report.episodes if one.kind == "out"]


def _second(one: Episode) -> int | None:
    return None if one.until is None or one.until.ms is None else one.until.ms // 1000 % 60


ENDED, OPEN = (EpisodeOutcome.ENDED, 9), (EpisodeOutcome.OPEN, None)


def test_who_else_knows_of_it_ends_the_episode_of_a_silent_instance(tmp_path: Path) -> None:
    """The ship sank without a word, and its licence is free again; the state is of before."""
    report = judged(tmp_path, ship=[BUILT, SAILS], register=[USED, FREE])
    assert at_sea(report) == [ENDED]
    assert [row.doubt for row in report.now if row.machine == "Ship"] == [
        "no longer heard of: its licence is no longer in use"
    ]


def test_a_line_that_people_count_is_a_sign_too(tmp_path: Path) -> None:
    """Where the register's steps are hidden, it still says what it did."""
    taken = (9, "the licence A4 was taken away")
    assert at_sea(judged(tmp_path, ship=[BUILT, SAILS], register=[taken])) == [ENDED]


def test_a_note_tells_what_an_instance_is_known_by(tmp_path: Path) -> None:
    """Nothing else of the line is of interest."""
    shows = (1, "the ship 7 shows licence A4")
    assert at_sea(judged(tmp_path, ship=[shows, SAILS], register=[USED, FREE])) == [ENDED]


def test_a_line_of_its_own_process_ends_it_and_a_namesake_s_does_not(tmp_path: Path) -> None:
    """Each harbour has a ship 7, and only one is broken up."""
    sign = "        of: Ship\n        about: {ship: '{ship}'}\n        signs: [was broken up]\n"
    before = SHIP[SHIP.index("        of: Licence") : SHIP.index("        says:")]
    line = '    - {text: "the ship {ship} was broken up", says: note, mark: was broken up}\n'
    spec = SHIP.replace(before, sign).replace("  episodes:\n", f"{line}  episodes:\n")
    (tmp_path / "Ship.yaml").write_text(spec, "utf-8")
    for name, ends in {"east": [(9, "the ship 7 was broken up")], "west": []}.items():
        lines = [BUILT, SAILS, *ends]
        written = [f"[2026-01-01 10:00:{at:02},000] INFO {text} (C)\n" for at, text in lines]
        (tmp_path / f"{name}.log").write_text("".join(written), "utf-8")
    logs = [tmp_path / "east.log", tmp_path / "west.log"]
    report = sm.check(logs, specs=[tmp_path / "Ship.yaml"], engine="local")
    assert sorted((Path(one.process).stem, one.outcome) for one in report.episodes) == [
        ("east", EpisodeOutcome.ENDED),
        ("west", EpisodeOutcome.OPEN),
    ]


@pytest.mark.parametrize(
    "ship",
    [
        [(0, "the ship 7 was built without a licence"), SAILS],
        [(0, "the ship 7 was built under licence B1"), SAILS],
        [BUILT, EARLIER, (1, "the ship 7 was built without a licence"), SAILS],
        [BUILT, SAILS, (12, "the ship 7 shows licence A4")],
    ],
    ids=["unknown", "another", "of another life", "heard of since"],
)
def test_what_is_not_known_or_heard_of_since_goes_on(
    tmp_path: Path, ship: list[tuple[int, str]]
) -> None:
    """The end of a licence says nothing of a ship that has another one, or sails on."""
    report = judged(tmp_path, ship=ship, register=[USED, FREE])
    assert at_sea(report)[-1] == OPEN
    assert [row.doubt for row in report.now if row.machine == "Ship"] == [""]


@settings(
    max_examples=some_of(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    moves=st.lists(st.integers(1, 50), min_size=1, max_size=5, unique=True).map(sorted),
    ends=st.lists(st.integers(1, 50), max_size=6, unique=True).map(sorted),
)
def test_the_first_sign_after_the_last_word_counts(
    tmp_path: Path, moves: list[int], ends: list[int]
) -> None:
    """Whatever both told before: a sign before the last word is of another journey."""
    ship = [BUILT] + [
        (at, f"the ship 7 is now {'DOCKED' if number % 2 else 'AT_SEA'}")
        for number, at in enumerate(moves)
    ]
    register = [
        (at, f"the licence A4 is now {'FREE' if number % 2 else 'USED'}")
        for number, at in enumerate(sorted({0, *ends}))
    ]
    lasting = at_sea(judged(tmp_path, ship=ship, register=register))[-1]
    later = [at for at in sorted({0, *ends})[1::2] if at >= moves[-1]]
    home = (EpisodeOutcome.HEALED, moves[-1])
    sunk = (EpisodeOutcome.ENDED, later[0]) if later else OPEN
    assert lasting == (sunk if len(moves) % 2 else home)


def test_a_life_is_known_by_its_own_lines() -> None:
    """And a value that is not the only one names no instance over all its lives."""
    fields = RememberedFields()
    fields.take(1, [("licence", "A4")])
    fields.take(1, [])
    assert fields.fields() == (RememberedField("licence", "A4", is_only=True),)
    fields.take(2, [])
    assert fields.fields() == ()
    fields.take(2, [("licence", "B1")])
    assert fields.fields() == (RememberedField("licence", "B1", is_only=False),)


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        ("of: Licence", "of: Licenze", "SM524"),
        ("about: {licence:", "about: {paper:", "SM524"),
        ("was revoked", "was revokt", "SM524"),
        ('"{licence}"', '"{paper}"', "SM514"),
        ('says: "its licence', 'says: "{licence}', "SM514"),
        ("remembers: [licence]", "remembers: [licence, paper]", "SM515"),
    ],
)
def test_an_end_that_nobody_can_tell_is_found(
    tmp_path: Path, right: str, wrong: str, code: str
) -> None:
    """It would be silently none."""
    judged(tmp_path, ship=[BUILT])
    path = tmp_path / "Ship.yaml"
    assert lint(path) == []
    path.write_text(path.read_text("utf-8").replace(right, wrong), "utf-8")
    assert [found.code for found in lint(path)] == [code]


def test_a_spec_shows_what_it_remembers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever reads a report looks up there why an episode has ended."""
    judged(tmp_path, ship=[BUILT])
    main(["show", str(tmp_path / "Ship.yaml")])
    shown = capsys.readouterr().out
    assert "(of one ship, known by licence too)" in shown
    assert "ends with in_use or was revoked of Licence" in shown


COAST = """
notation: 1
system: Coast
types: {Hull: id}
parts:
  licence: {machine: Licence}
  ships: {machine: Ship, each: Hull}
always:
  licensed: "implies(any(s.state == 'AT_SEA' for s in ships.values()), licence.state == 'USED')"
"""
LICENSING = ("always", "licensed")


def broken(folder: Path, ship: list[tuple[int, str]], register: list[tuple[int, str]]) -> list[int]:
    """Judge a ship and the register together; return the lines at which the rule is broken."""
    judged(folder, ship=ship, register=register)
    (folder / "Coast.yaml").write_text(COAST, "utf-8")
    logs = [folder / "ship.log", folder / "register.log"]
    report = sm.check(logs, specs=[folder / "Coast.yaml"], engine="local")
    return [one.place.line for one in report.findings if one.rule == LICENSING and one.place]


HOME = (30, "the ship 7 is now DOCKED")
LICENSED = [(1, "the licence A4 is now USED"), (40, "the licence A4 is now FREE")]
REVOKED = [LICENSED[0], (10, "the licence A4 is now FREE"), (50, "the licence A4 is now USED")]


def test_a_system_is_gathered_by_what_its_parts_remember(tmp_path: Path) -> None:
    """Nothing in the key of a ship says whose licence it sails under."""
    assert broken(tmp_path, [BUILT, SAILS, HOME], LICENSED) == []
    assert broken(tmp_path, [BUILT, SAILS, HOME], REVOKED) == [2]


def test_a_ship_of_another_or_of_two_licences_is_no_part(tmp_path: Path) -> None:
    """What it did under one of them would be told of the other."""
    other = (0, "the ship 7 was built under licence B1")
    assert broken(tmp_path, [other, SAILS, HOME], REVOKED) == []
    both = [other, EARLIER, (1, "the ship 7 was built under licence A4"), SAILS, HOME]
    assert broken(tmp_path, both, REVOKED) == []


@settings(
    max_examples=some_of(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    journeys=st.lists(st.tuples(st.integers(3, 8), st.integers(3, 8)), min_size=1, max_size=3),
    cut=st.integers(0, 2),
)
def test_a_sound_log_is_never_accused_and_a_fault_always_found(
    tmp_path: Path, journeys: list[tuple[int, int]], cut: int
) -> None:
    """A licence is used from a second before each journey to a second after it; in one journey it
    is freed two seconds too early.
    """
    now, ship, register = 0, [BUILT], list[tuple[int, str]]()
    faulty = cut if cut < len(journeys) else None
    for number, (rest, sails) in enumerate(journeys):
        out, home = now + rest, now + rest + sails
        early = 2 if number == faulty else -1
        ship += [(out, "the ship 7 is now AT_SEA"), (home, "the ship 7 is now DOCKED")]
        register += [
            (out - 1, "the licence A4 is now USED"),
            (home - early, "the licence A4 is now FREE"),
        ]
        now = home
    found = broken(tmp_path, ship, register)
    assert found == ([] if faulty is None else [2 * faulty + 2])
