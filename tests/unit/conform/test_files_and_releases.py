"""Which program wrote a line, in which release, and in which order.

Covers: statemachines.conform.engines.inputs, statemachines.conform.join.report_assembly,
statemachines.conform.judge.line_orders, statemachines.conform.judge.instance.single_releases,
statemachines.conform.observe.observer, statemachines.conform.settle.processes,
statemachines.conform.settle.judging_context.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.conform import check
from statemachines.model.evidence.reports import Report
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.formats import report_in_form
from statemachines.report.text.document import to_text
from tests.doors import VERSION, House, kinds, line, lines, told


def test_an_upgrade_inside_a_file_changes_the_table(house: House) -> None:
    """A banner holds from the beginning of its process; one file, two releases."""
    bolted = "DEBUG Door d bolt moves it from CLOSED to LOCKED"
    first = (
        "House program starting up",
        VERSION,
        bolted,
        "DEBUG Door d bolt moves it from LOCKED to CLOSED",
    )
    second = (
        "House program starting up",
        "House software version 2.0",
        bolted,
        "Door d goes from LOCKED to GONE",
    )
    report = house.judge(*first, *second)
    assert report.verdict is Verdict.HOLDS
    assert [(row.releases, row.from_line) for row in report.releases] == [("1.1", None), ("2.0", 5)]


@pytest.mark.parametrize("ends", [True, False], ids=["it says that it ends", "it ends in silence"])
def test_a_program_may_say_its_release_before_it_begins(house: House, ends: bool) -> None:
    """What a run did before it ended is not judged by the release of the next one."""
    runs = [
        (
            f"House software version {release}",
            "House program starting up",
            "DEBUG Door d bolt moves it from CLOSED to LOCKED",
            *middle,
            *(["House program has stopped"] if ends else []),
        )
        for release, middle in (
            ("1.1", ["DEBUG Door d bolt moves it from LOCKED to CLOSED"] * 2),
            ("2.0", ["Door d goes from LOCKED to GONE"]),
        )
    ]
    report = house.judge(*runs[0], *runs[1])
    at = len(runs[0]) + 1
    assert [(row.releases, row.from_line) for row in report.releases] == [
        ("1.1", None),
        ("2.0", at),
    ]


def test_a_line_that_the_told_release_does_not_have_is_unjudged(house: House) -> None:
    """1.1 has no grease; the line is counted, nothing is dropped."""
    report = house.judge(
        VERSION, "WARN Door d made to go from GONE to OPEN", "Door d goes from CLOSED to OPEN"
    )
    assert [(row.why, row.count, row.place.line) for row in report.unjudged] == [
        ("not a line of 1.1", 1, 2)
    ]


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
    doors = [
        *lines("This is house number 7", "Door d goes from OPEN to GONE"),
        *lines(*["x"] * 5, "Door d goes from OPEN to CLOSED")[5:],
    ]
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
    assert [step.place.file for step in told(report) if step.place] == [
        "app.log.2",
        "app.log.1",
        "app.log",
    ]


def test_one_wording_with_another_list_in_each_release_tells_of_each_instance_once(
    tmp_path: Path,
) -> None:
    """Two entries read the same dump, each for its releases; nothing may be counted as a line of another release."""
    house = House(tmp_path)
    dump = '- {text: "Every door -> {dump}", says: is, each: {dump: "{door}={state}"}, logger: house.Door, level: INFO}'
    both = (
        dump.replace("INFO}", 'INFO, in: "1.0"}')
        + "\n    "
        + dump.replace("INFO}", 'INFO, in: "1.1.."}')
    )
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
    assert [
        source.file.endswith(f"{name}/house.log")
        for source, name in zip(both.sources, ("one", "two"), strict=True)
    ] == [True, True]
    assert both.checked.instances == 2
    assert [source.file for source in house.check(house.folder / "logs").sources] == [
        "one/house.log",
        "two/house.log",
    ]


def test_an_extension_named_beside_its_machine_adds_its_lines(tmp_path: Path) -> None:
    """A person's own wording joins the shipped ones; the machine stands once."""
    house = House(tmp_path)
    more = house.spec.with_name("More.yaml")
    text = 'notation: 1\nextends: house/Door\nlog:\n  lines:\n    - {text: "Butler says door {door}: {from} then {to}", says: step, logger: butler, level: INFO}\n'
    more.write_text(text, "utf-8")
    path = house.write(
        "house.log",
        lines("Door d goes from CLOSED to OPEN", "Butler says door d: OPEN then CLOSED"),
    )
    both = check([path], specs=[house.spec, more], engine="local")
    assert [(step.source, step.target) for step in told(both)] == [
        ("CLOSED", "OPEN"),
        ("OPEN", "CLOSED"),
    ]
    assert [row.machine for row in both.machines] == ["house/Door"]


def test_two_folders_that_tell_of_one_process_and_a_shared_instance_are_a_problem(
    tmp_path: Path,
) -> None:
    """Two systems in one check would be judged as one; the report says so, and an option keeps them apart."""
    house = House(tmp_path)
    house.spec.write_text(
        house.spec.read_text("utf-8").replace(
            "  instance: [door]\n", "  instance: [door]\n  shared: true\n"
        ),
        "utf-8",
    )
    for folder in ("one", "two"):
        house.write(
            f"{folder}/house.log",
            lines("This is house number 7", "Door d goes from CLOSED to OPEN"),
        )
    together = house.check(house.folder / "logs")
    assert all("--separate" in source.problems[0] for source in together.sources)
    several = "told of in several folders: --separate keeps several systems apart"
    assert several in "\n".join(to_text(together))
    for form in ("markdown", "html"):
        assert several in "".join(report_in_form(together, form))
    assert together.checked.instances == 1
    apart = house.check(house.folder / "logs", separate=True)
    assert [source.problems for source in apart.sources] == [(), ()]
    assert several not in "\n".join(to_text(apart))
    assert apart.checked.instances == 2
    house.write("house.log", lines("This is house number 7", "Door d goes from CLOSED to OPEN"))
    source, *_ = house.check(house.folder / "logs").sources
    assert "is told of in the folder itself and one and two: " in source.problems[0]


@pytest.mark.parametrize("relative", [True, False])
def test_folders_that_are_named_are_kept_apart_wherever_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relative: bool
) -> None:
    """Several paths, whose names begin with what is the same for all: the report is that of the folder above them."""
    house = House(tmp_path)
    shared = house.spec.read_text("utf-8").replace(
        "  instance: [door]\n", "  instance: [door]\n  shared: true\n"
    )
    house.spec.write_text(shared, "utf-8")
    for folder in ("north/7", "north/8", "south/7", "south/8"):
        told = lines(f"This is house number {folder[-1]}", "Door d goes from CLOSED to OPEN")
        house.write(f"{folder}/house.log", told)
    (away := tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(away)
    logs = (
        Path("..") / house.folder.relative_to(tmp_path) / "logs"
        if relative
        else house.folder / "logs"
    )
    whole = house.check(logs, separate=True)
    named = house.check(logs / "north", logs / "south", separate=True)
    assert whole.checked.instances == named.checked.instances == 2
    assert [one.kind for one in named.findings] == [one.kind for one in whole.findings]
    assert house.check(logs / "north", logs / "south").checked.instances == 1


_FERRIES = """
notation: 1
family: ferries
releases: ["1.0", "2.0", "3.0"]
"""
_FERRY = """
notation: 1
machine: Ferry
family: ferries
states: {MOORED: {initial: true}, AT_SEA: }
transitions:
  - {from: MOORED, to: AT_SEA}
  - {from: AT_SEA, to: MOORED}
log:
  instance: [ferry]
  logger: ferries.Ferry
  level: INFO
  lines:
    - {text: "ferry {ferry} casts off", says: step, to: AT_SEA, in: "..1.0"}
    - {text: "ferry {ferry} put to sea", says: step, to: AT_SEA, in: "2.0.."}
    - {text: "ferry {ferry} is back", says: step, to: MOORED}
"""
_BERTH = """
notation: 1
machine: Berth
family: ferries
in: "2.0.."
states: {FREE: {initial: true}, TAKEN: }
transitions:
  - {from: FREE, to: TAKEN}
log:
  instance: [ferry]
  logger: ferries.Ferry
  level: INFO
  lines:
    - {text: "ferry {ferry} is back", says: step, to: TAKEN, in: BACK}
"""


def _ferry_report(tmp_path: Path, *messages: str, back: str = "2.0..") -> Report:
    for name, text in (("ferries", _FERRIES), ("Ferry", _FERRY), ("Berth", _BERTH)):
        (tmp_path / f"{name}.yaml").write_text(text.replace("BACK", f'"{back}"'), "utf-8")
    log = tmp_path / "ferries.log"
    log.write_text(
        "".join(
            f"2026-11-21 08:00:0{second},000 INFO {message} (ferries.Ferry)\n"
            for second, message in enumerate(messages)
        ),
        "utf-8",
    )
    specs = [tmp_path / "Ferry.yaml", tmp_path / "Berth.yaml"]
    return check([log], specs=specs, engine="local")


def test_a_machine_of_later_releases_is_no_proof_that_a_line_is_of_them(tmp_path: Path) -> None:
    """Another machine reads the line in the releases before, so a log of those is no log of later
    ones in which half of its lines would not exist.
    """
    report = _ferry_report(tmp_path, "ferry 7 casts off", "ferry 7 is back")
    assert [row.releases for row in report.releases] == ["1.0"]
    assert (report.verdict, report.findings) == (Verdict.HOLDS, ())
    assert not any(row.why.startswith("not a line of") for row in report.unjudged)


def test_in_the_releases_of_a_machine_its_own_lines_tell(tmp_path: Path) -> None:
    """What it says of a wording counts where it exists; of releases before, the others tell."""
    report = _ferry_report(tmp_path, "ferry 7 is back", back="3.0..")
    assert [row.releases for row in report.releases] == ["1.0, 3.0"]


def test_lines_that_could_all_not_be_judged_are_no_success(house: House) -> None:
    """Everything was read, nothing was judged: that must not look green."""
    report = house.judge(VERSION, "WARN Door d made to go from GONE to OPEN")
    assert report.verdict is Verdict.INCONCLUSIVE
    assert [row.why for row in report.unjudged] == [
        "none of its lines could be judged: house/Door",
        "not a line of 1.1",
    ]


def test_a_given_release_that_the_log_contradicts_is_said(house: House) -> None:
    """The person may know better, and should know that the log says otherwise."""
    report = house.judge(VERSION, "Door d goes from CLOSED to OPEN", release="2.0")
    assert report.sources[0].problems == ("judged as 2.0, which was given; the log says 1.1",)
    assert report.releases[0].how == "given"


def test_an_order_within_the_tolerance_of_two_clocks_is_cannot_tell(tmp_path: Path) -> None:
    """Two processes tell of one door; half a second apart nobody knows which line was first."""
    house = House(tmp_path)
    spec = house.spec.read_text("utf-8").replace(
        "  instance: [door]\n", "  instance: [door]\n  shared: true\n"
    )
    house.spec.write_text(spec.replace("GONE: {final: true}", "GONE:"), "utf-8")
    one = house.write("one.log", [line("Door d goes from OPEN to GONE", 10)])
    other = house.write(
        "other.log",
        [
            line(
                "ERROR Door d did not get from JAMMED to OPEN".removeprefix("ERROR "),
                10.5,
                level="ERROR",
            )
        ],
    )
    doubted = house.check(one, other)
    assert ("impossible", "INCONCLUSIVE", 1) in kinds(doubted)
    assert "clocks cannot tell" in doubted.findings[0].message
    assert ("impossible", "VIOLATED", 1) in kinds(house.check(one, other, tolerance=0.1))


def test_lines_that_tell_no_state_judge_nothing(house: House) -> None:
    """A beginning without a state, a restart, a note: the life cycle was not looked at, so it cannot hold."""
    report = house.judge("House program starting up", "Door d hung into its frame")
    assert report.checked.observations == 1
    assert report.verdict is Verdict.INCONCLUSIVE
