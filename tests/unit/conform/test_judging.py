"""What judging means, a row of its tables at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.conform import check
from statemachines.model.verdicts import Verdict
from tests.doors import DOOR, House, kinds, line, lines, moves, only, told


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


VERSION = "House software version 1.1"


def test_a_legal_life_holds_and_every_step_is_in_the_timeline(house: House) -> None:
    """The plain case must say nothing but what happened."""
    report = house.judge(VERSION, "Door d goes from CLOSED to OPEN", "Door d goes from OPEN to CLOSED")
    assert report.verdict is Verdict.HOLDS
    assert moves(report) == [("CLOSED", "OPEN", "told"), ("OPEN", "CLOSED", "told")]
    assert [step.place.line for step in told(report) if step.place] == [2, 3]
    assert report.releases[0].releases == "1.1"
    assert report.releases[0].how == "banner"


def test_a_step_that_no_fitting_release_has_is_forbidden(house: House) -> None:
    """The evidence says what was legal here and where it would be legal."""
    report = house.judge(VERSION, "DEBUG Door d bolt moves it from CLOSED to LOCKED", "Door d goes from LOCKED to GONE")
    finding = only(report)
    assert (finding.kind, finding.verdict) == ("forbidden", Verdict.VIOLATED)
    assert finding.legal == ("CLOSED",)
    assert finding.legal_in == "2.0"
    assert "legal in 2.0" in finding.message
    assert told(report)[-1].target == "GONE"


def test_where_releases_that_fit_disagree_the_mildest_word_counts(house: House) -> None:
    """Without a banner 2.0 fits as well, and there it is legal."""
    report = house.judge("DEBUG Door d bolt moves it from CLOSED to LOCKED", "Door d goes from LOCKED to GONE")
    assert report.verdict is Verdict.HOLDS
    assert report.releases[0].how == "lines"


def test_lines_narrow_the_releases_and_never_the_steps_do(house: House) -> None:
    """A line that only 2.0 writes makes it 2.0; a step that only 2.0 allows does not."""
    report = house.judge("Door d greased with 3 drops", "Door d goes from CLOSED to OPEN")
    assert report.releases[0].releases == "2.0"
    assert house.judge("Door d goes from CLOSED to OPEN").releases[0].releases == "1.0..2.0"


def test_hidden_steps_explain_what_the_level_does_not_show(house: House) -> None:
    """The bolt writes at DEBUG, and this log is at INFO."""
    report = house.judge(
        VERSION, "Door d goes from OPEN to CLOSED", "ERROR Door d did not get from LOCKED to CLOSED", "Door d goes from CLOSED to OPEN"
    )
    assert moves(report) == [
        ("OPEN", "CLOSED", "told"),
        ("CLOSED", "LOCKED", "hidden"),
        ("LOCKED", "CLOSED", "missing"),
        ("CLOSED", "OPEN", "told"),
    ]
    assert kinds(report) == [("gap", "INCONCLUSIVE", 4), ("failed", "HOLDS", 3)]


def test_silent_steps_pass_without_a_line(house: House) -> None:
    """A jammed door may come free by itself."""
    report = house.judge(VERSION, "Door d goes from OPEN to JAMMED", "Door d goes from OPEN to CLOSED")
    assert report.verdict is Verdict.HOLDS
    assert moves(report)[1] == ("JAMMED", "OPEN", "silent")


def test_what_the_file_would_have_shown_is_a_gap_with_the_shortest_missing_steps(house: House) -> None:
    """A lost line is no violation, and the report says which one is lost."""
    report = house.judge(VERSION, "Door d goes from CLOSED to OPEN", "Door d goes from CLOSED to OPEN")
    finding = only(report)
    assert (finding.kind, finding.verdict, finding.missing) == ("gap", Verdict.INCONCLUSIVE, ("OPEN -> CLOSED",))
    assert finding.was is not None
    assert finding.was.place is not None
    assert finding.was.place.line == 2
    assert ("OPEN", "CLOSED", "missing") in moves(report)


def test_a_debug_line_in_the_file_makes_the_bolt_a_gap(house: House) -> None:
    """What the file shows at all, it shows always."""
    report = house.judge(
        VERSION,
        "DEBUG Door x bolt moves it from CLOSED to LOCKED",
        "Door d goes from OPEN to CLOSED",
        "ERROR Door d did not get from LOCKED to CLOSED",
    )
    assert ("gap", "INCONCLUSIVE", 4) in kinds(report)


def test_the_user_may_say_what_a_logger_shows(house: House) -> None:
    """`--level` decides where the log itself does not tell."""
    messages = (VERSION, "Door d goes from OPEN to CLOSED", "ERROR Door d did not get from LOCKED to CLOSED")
    assert house.judge(*messages).verdict is Verdict.HOLDS
    assert ("gap", "INCONCLUSIVE", 3) in kinds(house.judge(*messages, levels=[("house", "DEBUG")]))


def test_nothing_leads_there_is_impossible(house: House) -> None:
    """A door that is gone is never jammed again."""
    report = house.judge(VERSION, "Door d goes from OPEN to GONE", "ERROR Door d did not get from JAMMED to OPEN")
    assert kinds(report)[0] == ("impossible", "VIOLATED", 3)
    assert "GONE" in report.findings[0].message


def test_a_sign_of_a_beginning_lets_a_new_life_follow(house: House) -> None:
    """After the program began again, a door may begin where a life begins."""
    report = house.judge(VERSION, "Door d goes from OPEN to JAMMED", "House program starting up", "Door d goes from CLOSED to OPEN")
    assert report.verdict is Verdict.HOLDS
    assert moves(report)[1] == ("JAMMED", None, "ended unseen")
    assert [step.life for step in report.timeline] == [1, 1, 2]


def test_a_new_life_may_be_heard_of_only_after_its_first_hidden_steps(house: House) -> None:
    """What the file does not show of a life's beginning needs no line after a sign either: the program was killed and started again."""
    report = house.judge(
        VERSION, "Door d goes from OPEN to GONE", "House program starting up", "ERROR Door d did not get from LOCKED to CLOSED"
    )
    assert report.verdict is Verdict.HOLDS
    assert moves(report) == [("OPEN", "GONE", "told"), ("CLOSED", "LOCKED", "hidden")]
    assert [step.life for step in report.timeline] == [1, 2]


def test_a_new_life_may_begin_unseen_where_the_file_shows_no_beginnings(house: House) -> None:
    """What ended and is heard of again was made anew at a level that the log is not at; where beginnings are shown it is impossible."""
    messages = (VERSION, "Door d goes from OPEN to GONE", "ERROR Door d did not get from LOCKED to CLOSED")
    assert kinds(house.judge(*messages))[0] == ("impossible", "VIOLATED", 3)
    quiet = DOOR.replace("says: begin, logger: house.Door, level: INFO", "says: begin, logger: house.Door, level: DEBUG")
    house.spec.write_text(quiet, "utf-8")
    report = house.judge(*messages)
    assert report.verdict is Verdict.HOLDS
    assert [(step.life, step.how) for step in report.timeline] == [(1, "told"), (2, "hidden")]
    assert kinds(house.judge(*messages, levels=[("house", "DEBUG")]))[0] == ("impossible", "VIOLATED", 3)


def test_a_sign_ends_nothing(house: House) -> None:
    """The old life goes on where its next line fits."""
    report = house.judge(VERSION, "Door d goes from CLOSED to OPEN", "House program starting up", "Door d goes from OPEN to CLOSED")
    assert [step.life for step in report.timeline] == [1, 1]


def test_without_a_sign_the_door_began_again(house: House) -> None:
    """Nothing leads from GONE to OPEN, but a life may begin there."""
    report = house.judge(VERSION, "Door d goes from OPEN to GONE", "Door d goes from OPEN to CLOSED")
    assert kinds(report) == [("began again", "INCONCLUSIVE", 3)]


def test_a_begin_line_without_a_state_ends_what_no_life_begins_with(house: House) -> None:
    """The program was killed in the middle of something: the new object is not in it, wherever else it may be."""
    report = house.judge(VERSION, "Door d goes from OPEN to JAMMED", "Door d hung into its frame")
    assert report.verdict is Verdict.HOLDS
    assert [row.state for row in report.now] == [("CLOSED", "OPEN")]
    assert [(row.kind, row.open) for row in report.episodes] == [("jammed", False)]
    assert [step.how for step in report.timeline] == ["told", "ended unseen"]


def test_a_begin_line_without_a_state_leaves_what_a_life_may_begin_with(house: House) -> None:
    """It permits a beginning and says of none."""
    report = house.judge(VERSION, "Door d goes from CLOSED to OPEN", "Door d hung into its frame")
    assert [row.state for row in report.now] == [("OPEN",)]


def test_an_end_line_closes_the_episodes_of_its_life(house: House) -> None:
    """What is gone is not in trouble: its last state holds of nothing any more."""
    report = house.judge(VERSION, "Door d goes from OPEN to JAMMED", "Door d taken off its hinges")
    assert not list(report.now)
    assert [(row.kind, row.open, row.until is not None) for row in report.episodes] == [("jammed", False, True)]


def test_a_begin_line_is_a_sign(house: House) -> None:
    """The line of one instance's beginning counts like the program's."""
    report = house.judge(VERSION, "Door d goes from OPEN to GONE", "Door d hung into its frame", "Door d goes from OPEN to CLOSED")
    assert report.verdict is Verdict.HOLDS
    assert [step.life for step in report.timeline] == [1, 2]


def test_after_an_end_line_a_life_may_begin(house: House) -> None:
    """What was told to have ended did not end unseen."""
    report = house.judge(VERSION, "Door d goes from CLOSED to OPEN", "Door d taken off its hinges", "Door d goes from CLOSED to OPEN")
    assert report.verdict is Verdict.HOLDS
    assert [(step.life, step.how) for step in report.timeline] == [(1, "told"), (2, "told")]


def test_a_forced_step_is_forbidden_and_done(house: House) -> None:
    """The oldest release does it all the same; the state is the forced one."""
    report = house.judge(
        "House software version 1.0",
        "Door d goes from OPEN to GONE",
        "WARN Door d made to go from GONE to OPEN",
        "Door d goes from OPEN to CLOSED",
    )
    assert kinds(report) == [("forbidden", "VIOLATED", 3)]
    assert ("GONE", "OPEN", "told") in moves(report)
    assert "done all the same" in report.findings[0].message


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("DEBUG Door d swallowed the wish from LOCKED to OPEN", "ignored"),
        ("WARN Door d will not go from LOCKED to JAMMED", "refused"),
        ("ERROR Door d threw up at going from OPEN to LOCKED", "raised"),
    ],
)
def test_a_wrong_request_that_the_spec_expects_holds(house: House, message: str, kind: str) -> None:
    """The request was wrong, the program behaved."""
    finding = only(house.judge(VERSION, message))
    assert (finding.kind, finding.verdict) == (kind, Verdict.HOLDS)
    assert "expected" not in finding.message


def test_what_was_raised_is_named(house: House) -> None:
    """The outcome says the exception that the spec declares."""
    assert only(house.judge(VERSION, "ERROR Door d threw up at going from OPEN to LOCKED")).outcome == "raised StillOpen"


def test_another_manner_than_the_spec_says_holds_and_is_said(house: House) -> None:
    """Forbidden it is; that it was refused and not swallowed is worth a word."""
    finding = only(house.judge(VERSION, "WARN Door d will not go from LOCKED to OPEN"))
    assert (finding.kind, finding.verdict) == ("refused", Verdict.HOLDS)
    assert "the spec expected it to be ignored" in finding.message


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ("WARN Door d will not go from OPEN to CLOSED", Verdict.VIOLATED),
        ("ERROR Door d threw up at going from OPEN to CLOSED", Verdict.VIOLATED),
        ("DEBUG Door d swallowed the wish from OPEN to CLOSED", Verdict.INCONCLUSIVE),
    ],
)
def test_a_legal_request_that_was_not_granted_is_a_contradiction(house: House, message: str, verdict: Verdict) -> None:
    """The spec allows it, the program says no."""
    finding = only(house.judge(VERSION, message))
    assert (finding.kind, finding.verdict) == ("contradiction", verdict)


def test_one_wording_for_refused_and_failed_is_told_apart_by_the_table(house: House) -> None:
    """Legal moves fail, forbidden ones are refused."""
    report = house.judge(VERSION, "ERROR Door d did not get from OPEN to CLOSED", "ERROR Door d did not get from OPEN to LOCKED")
    assert kinds(report) == [("failed", "HOLDS", 2), ("refused", "HOLDS", 3)]


def test_repeated_failures_are_one_row_while_the_state_stays(house: House) -> None:
    """A flood is a count, not a list; a step in between begins a new row."""
    failure = "ERROR Door d did not get from OPEN to CLOSED"
    report = house.judge(VERSION, failure, failure, failure, "Door d goes from OPEN to CLOSED", "Door d goes from CLOSED to OPEN", failure)
    assert [(f.kind, f.count, f.place.line if f.place else 0, f.last.line if f.last else None) for f in report.findings] == [
        ("failed", 3, 2, 4),
        ("failed", 1, 7, None),
    ]


def test_an_overwritten_state_shows_in_an_error_line(house: House) -> None:
    """Every told from-state is judged, whatever the line is about."""
    report = house.judge(VERSION, "Door d goes from OPEN to GONE", "ERROR Door d threw up at going from JAMMED to LOCKED")
    assert ("impossible", "VIOLATED", 3) in kinds(report)
    assert ("raised", "HOLDS", 3) in kinds(report)


def test_a_step_that_the_code_never_takes_is_unusual(house: House) -> None:
    """It stands in the table, so it is not forbidden."""
    report = house.judge(VERSION, "Door d goes from OPEN to JAMMED", "Door d goes from JAMMED to CLOSED")
    assert kinds(report) == [("unusual", "HOLDS", 3)]


def test_what_is_asked_says_nothing(house: House) -> None:
    """A request alone changes nothing; only its from-state is a word about the state."""
    report = house.judge(VERSION, "Door d goes from CLOSED to OPEN", "DEBUG Door d was asked to go from OPEN to LOCKED")
    assert report.findings == ()
    assert report.now[0].state == ("OPEN",)


def test_an_echo_is_the_same_step_before_and_after_its_line(house: House) -> None:
    """A listener's line never counts twice."""
    heard = "Listener heard that door d is OPEN"
    for messages in ((heard, "Door d goes from CLOSED to OPEN"), ("Door d goes from CLOSED to OPEN", heard)):
        report = house.judge(VERSION, "Door d goes from OPEN to CLOSED", *messages)
        assert moves(report) == [("OPEN", "CLOSED", "told"), ("CLOSED", "OPEN", "told")]
        assert report.findings == ()


def test_an_echo_stands_for_a_line_that_is_hidden(house: House) -> None:
    """Where the program's own logger shows nothing, the listener is all there is."""
    report = house.judge(
        "Listener heard that door d is CLOSED", "Listener heard that door d is OPEN", "Listener heard that door d is CLOSED"
    )
    assert [(s, t) for s, t, how in moves(report) if how == "told"] == [("CLOSED", "OPEN"), ("OPEN", "CLOSED")]


def test_other_spellings_are_the_same_state(house: House) -> None:
    """`as:` names what a log writes."""
    report = house.judge(VERSION, "DEBUG Door d bolt moves it from CLOSED to Bolted")
    assert moves(report) == [("CLOSED", "LOCKED", "told")]


def test_a_dump_tells_of_many(house: House) -> None:
    """One line, an instance an item."""
    report = house.judge(VERSION, "Every door -> {a=OPEN, b=CLOSED}", "Door a goes from OPEN to CLOSED", "Door b goes from OPEN to CLOSED")
    assert kinds(report) == [("gap", "INCONCLUSIVE", 4)]
    assert report.checked.instances == 2


def test_episodes_open_and_close_with_the_state_and_blame_the_first_failure(house: House) -> None:
    """What people ask about, with the line that explains it."""
    stuck = "ERROR Door d did not get from JAMMED to OPEN"
    report = house.judge(VERSION, "Door d goes from OPEN to JAMMED", stuck, stuck, "Door d stands OPEN", "Door e goes from OPEN to JAMMED")
    first, second = report.episodes
    assert (first.title, first.open, first.blame.place.line if first.blame else None) == ("door d is jammed", False, 3)
    assert (second.title, second.open, second.blame.place.line if second.blame else None) == ("door e is jammed", True, 6)
    assert first.since is not None
    assert first.until is not None
    assert first.since.ms is not None
    assert first.until.ms == first.since.ms + 3000


def test_now_is_the_last_state_unless_the_program_stopped(house: House) -> None:
    """A process that ended is not now."""
    messages = (VERSION, "Door d goes from CLOSED to OPEN")
    assert [(n.state, n.place.line if n.place else None) for n in house.judge(*messages).now] == [(("OPEN",), 2)]
    assert house.judge(*messages, "House program has stopped").now == ()
    assert len(house.judge(*messages, "House program has stopped", "House program starting up", "Door d goes from CLOSED to OPEN").now) == 1


def test_an_upgrade_inside_a_file_changes_the_table(house: House) -> None:
    """A banner holds from the beginning of its process; one file, two releases."""
    bolted = "DEBUG Door d bolt moves it from CLOSED to LOCKED"
    first = ("House program starting up", VERSION, bolted, "DEBUG Door d bolt moves it from LOCKED to CLOSED")
    second = ("House program starting up", "House software version 2.0", bolted, "Door d goes from LOCKED to GONE")
    report = house.judge(*first, *second)
    assert report.verdict is Verdict.HOLDS
    assert [(row.releases, row.from_line) for row in report.releases] == [("1.1", None), ("2.0", 5)]


def test_a_line_that_the_told_release_does_not_have_is_unjudged(house: House) -> None:
    """1.1 has no grease; the line is counted, nothing is dropped."""
    report = house.judge(VERSION, "WARN Door d made to go from GONE to OPEN", "Door d goes from CLOSED to OPEN")
    assert [(row.why, row.count, row.place.line) for row in report.unjudged] == [("not a line of 1.1", 1, 2)]


def test_nothing_observed_is_no_success(house: House) -> None:
    """An empty check must not look green."""
    report = house.judge("something else altogether")
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.unjudged[0].why == "no line of the catalogue was observed"


def test_the_same_name_in_two_processes_is_two_instances(house: House) -> None:
    """Two files of two programs, one door name."""
    one = house.write("a.log", lines("Door d goes from CLOSED to OPEN"))
    other = house.write("b.log", lines("Door d goes from CLOSED to OPEN"))
    report = house.check(one, other)
    assert report.verdict is Verdict.HOLDS
    assert report.checked.instances == 2


def test_files_that_name_one_process_are_one_process(house: House) -> None:
    """The house's number, told in either file, joins them; a sign in one counts in the other."""
    doors = [*lines("This is house number 7", "Door d goes from OPEN to GONE"), *lines(*["x"] * 5, "Door d goes from OPEN to CLOSED")[5:]]
    main = lines("This is house number 7", "x", "x", "House program starting up")
    report = house.check(house.write("doors.log", doors), house.write("main.log", main))
    assert report.verdict is Verdict.HOLDS
    assert {row.process for row in report.sources} == {("house 7",)}


def test_rotated_files_are_one_log_oldest_first(house: House) -> None:
    """The number of a rotated file runs against time."""
    house.write("app.log.2", lines("Door d goes from CLOSED to OPEN"))
    house.write("app.log.1", lines("x", "Door d goes from OPEN to CLOSED"))
    house.write("app.log", lines("x", "x", "Door d goes from CLOSED to OPEN"))
    report = house.check(house.folder / "logs")
    assert report.verdict is Verdict.HOLDS
    assert [step.place.file for step in told(report) if step.place] == ["app.log.2", "app.log.1", "app.log"]


def test_one_wording_with_another_list_in_each_release_tells_of_each_instance_once(tmp_path: Path) -> None:
    """Two entries read the same dump, each for its releases; nothing may be counted as a line of another release."""
    house = House(tmp_path)
    dump = '- {text: "Every door -> {dump}", says: is, each: {dump: "{door}={state}"}, logger: house.Door, level: INFO}'
    both = dump.replace("INFO}", 'INFO, in: "1.0"}') + "\n    " + dump.replace("INFO}", 'INFO, in: "1.1.."}')
    house.spec.write_text(house.spec.read_text("utf-8").replace(dump, both), "utf-8")
    report = house.judge(VERSION, "Every door -> {a=OPEN, b=CLOSED}")
    assert report.unjudged == ()
    assert report.checked.observations == 2


def test_files_of_several_folders_keep_their_folders_in_their_names(tmp_path: Path) -> None:
    """Two brokers' folders hold files of one name; a report must say which."""
    house = House(tmp_path)
    for folder in ("one", "two"):
        house.write(f"{folder}/house.log", lines("Door d goes from CLOSED to OPEN"))
    both = house.check(house.folder / "logs" / "one", house.folder / "logs" / "two")
    assert [source.file.endswith(f"{name}/house.log") for source, name in zip(both.sources, ("one", "two"), strict=True)] == [True, True]
    assert both.checked.instances == 2
    assert [source.file for source in house.check(house.folder / "logs").sources] == ["one/house.log", "two/house.log"]


def test_an_extension_named_beside_its_machine_adds_its_lines(tmp_path: Path) -> None:
    """A person's own wording joins the shipped ones; the machine stands once."""
    house = House(tmp_path)
    more = house.spec.with_name("More.yaml")
    text = 'notation: 1\nextends: house/Door\nlog:\n  lines:\n    - {text: "Butler says door {door}: {from} then {to}", says: step, logger: butler, level: INFO}\n'
    more.write_text(text, "utf-8")
    path = house.write("house.log", lines("Door d goes from CLOSED to OPEN", "Butler says door d: OPEN then CLOSED"))
    both = check([path], specs=[house.spec, more], engine="local")
    assert [(step.source, step.target) for step in told(both)] == [("CLOSED", "OPEN"), ("OPEN", "CLOSED")]
    assert [row.machine for row in both.machines] == ["house/Door"]


def test_two_folders_that_tell_of_one_process_and_a_shared_instance_are_a_problem(tmp_path: Path) -> None:
    """Two systems in one check would be judged as one; the report says so, and an option keeps them apart."""
    house = House(tmp_path)
    house.spec.write_text(house.spec.read_text("utf-8").replace("  instance: [door]\n", "  instance: [door]\n  shared: true\n"), "utf-8")
    for folder in ("one", "two"):
        house.write(f"{folder}/house.log", lines("This is house number 7", "Door d goes from CLOSED to OPEN"))
    together = house.check(house.folder / "logs")
    assert all("--separate" in source.problems[0] for source in together.sources)
    assert together.checked.instances == 1
    apart = house.check(house.folder / "logs", separate=True)
    assert [source.problems for source in apart.sources] == [(), ()]
    assert apart.checked.instances == 2


def test_what_a_forbidden_step_does_to_the_next_line_is_not_told_again(house: House) -> None:
    """One wrong line is one finding: the next one follows if the wrong one was not true."""
    report = house.judge(VERSION, "Door d goes from CLOSED to JAMMED", "Door d goes from OPEN to CLOSED", "Door d goes from CLOSED to OPEN")
    assert kinds(report) == [("forbidden", "VIOLATED", 2)]


def test_after_a_forbidden_step_a_second_fault_is_still_found(house: House) -> None:
    """Only what the first one explains is passed over."""
    report = house.judge(VERSION, "Door d goes from LOCKED to JAMMED", "Door d goes from CLOSED to OPEN", "Door d goes from CLOSED to OPEN")
    assert kinds(report) == [("forbidden", "VIOLATED", 2), ("gap", "INCONCLUSIVE", 4)]


PARTS = """
notation: 1
machine: Wing
family: house
states:
  OPENING: {initial: true}
  WORKING:
  CLOSING:
  SHUT: {final: true}
transitions:
  - {from: OPENING, to: WORKING}
  - {from: WORKING, to: CLOSING}
  - {from: CLOSING, to: SHUT}
log:
  instance: [wing]
  program: true
  patterns: {wing: '[a-z-]+'}
  lines:
    - {text: "Wing {wing} turns from {from} to {to}", says: step, logger: house.Wing, level: INFO, samples: ["Wing w turns from WORKING to CLOSING"]}
  episodes:
    starting: {while: "state == 'WORKING'", title: "wing {wing} is working"}
"""


def test_what_ends_because_its_program_is_closed_is_orderly_and_what_died_before_is_not(tmp_path: Path) -> None:
    """Every closed program ends its threads; only the one that died before the closing is an alarm."""
    house = House(tmp_path)
    wing = house.spec.with_name("Wing.yaml")
    wing.write_text(PARTS, "utf-8")
    messages = ("Wing north turns from WORKING to CLOSING", "Door a goes from OPEN to JAMMED", "Wing north turns from CLOSING to SHUT")
    died = house.write(
        "house.log", lines(VERSION, "Wing north turns from OPENING to WORKING", "Door b goes from OPEN to JAMMED", *messages)
    )
    report = check([died], specs=[house.spec, wing], engine="local")
    assert {e.title: e.orderly for e in report.episodes if e.open} == {"door a is jammed": True, "door b is jammed": False}


def test_what_was_not_heard_of_since_its_program_began_again_is_not_now(tmp_path: Path) -> None:
    """A killed program takes its parts along; one of them that does not come back is in no state and in no trouble any more."""
    house = House(tmp_path)
    wing = house.spec.with_name("Wing.yaml")
    wing.write_text(PARTS, "utf-8")
    before = ("Wing north turns from OPENING to WORKING", "Door north_a goes from OPEN to JAMMED", "Door south goes from OPEN to JAMMED")
    after = ("Door north_b goes from OPEN to JAMMED", "Wing north turns from OPENING to WORKING")
    log = house.write("house.log", lines(VERSION, *before, "Door northern goes from OPEN to JAMMED", "House program starting up", *after))
    report = check([log], specs=[house.spec, wing], engine="local")
    assert {row.subject[0][1] for row in report.now} == {"north", "north_b", "south", "northern"}
    assert {e.title for e in report.episodes if e.open and e.kind == "jammed"} == {
        f"door {d} is jammed" for d in ("north_b", "south", "northern")
    }
    [closed] = [e for e in report.episodes if not e.open and e.kind == "jammed"]
    assert closed.title == "door north_a is jammed"
    assert closed.until is not None
    assert closed.since is not None
    assert (closed.until.ms or 0) > (closed.since.ms or 0)


def test_lines_that_could_all_not_be_judged_are_no_success(house: House) -> None:
    """Everything was read, nothing was judged: that must not look green."""
    report = house.judge(VERSION, "WARN Door d made to go from GONE to OPEN")
    assert report.verdict is Verdict.INCONCLUSIVE
    assert [row.why for row in report.unjudged] == ["not a line of 1.1"]


def test_a_given_release_that_the_log_contradicts_is_said(house: House) -> None:
    """The person may know better, and should know that the log says otherwise."""
    report = house.judge(VERSION, "Door d goes from CLOSED to OPEN", release="2.0")
    assert report.sources[0].problems == ("judged as 2.0, which was given; the log says 1.1",)
    assert report.releases[0].how == "given"


def test_an_order_within_the_tolerance_of_two_clocks_is_cannot_tell(tmp_path: Path) -> None:
    """Two processes tell of one door; half a second apart nobody knows which line was first."""
    house = House(tmp_path)
    house.spec.write_text(house.spec.read_text("utf-8").replace("  instance: [door]\n", "  instance: [door]\n  shared: true\n"), "utf-8")
    one = house.write("one.log", [line("Door d goes from OPEN to GONE", 10)])
    other = house.write("other.log", [line("ERROR Door d did not get from JAMMED to OPEN".removeprefix("ERROR "), 10.5, level="ERROR")])
    doubted = house.check(one, other)
    assert ("impossible", "INCONCLUSIVE", 1) in kinds(doubted)
    assert "clocks cannot tell" in doubted.findings[0].message
    assert ("impossible", "VIOLATED", 1) in kinds(house.check(one, other, tolerance=0.1))
