"""Law: of short lives that are followed no more is held than of those that go on, and nobody can tell.

Covers: statemachines.conform.engines.follow.live_judging,
statemachines.conform.engines.follow.followed_files,
statemachines.conform.engines.follow.continued_contexts,
statemachines.conform.engines.follow.quiet_instances,
statemachines.conform.engines.follow.followed_observations,
statemachines.conform.engines.follow.whole_report.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import JudgingRequest, make_request
from statemachines.conform.engines.follow import followed_files
from statemachines.conform.engines.follow.followed_observations import (
    FollowedObservations,
    RenumberedObservations,
)
from statemachines.conform.engines.follow.follower import Follower
from statemachines.conform.engines.follow.live_judging import LiveJudging
from statemachines.conform.engines.follow.quiet_instances import QuietInstances
from statemachines.conform.engines.growing import content_readings
from statemachines.conform.judge.repeated.repeated_instances import RepeatedInstances
from statemachines.conform.settle.judging_context import InstanceIdentity
from statemachines.report.json_format import to_json
from tests.doors import House, line
from tests.effort import some_of
from tests.laws.test_followed_logs import checked, violated

Patch = pytest.MonkeyPatch
SOME = settings(
    max_examples=some_of(15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
SIGNS = (
    "House software version 1.0",
    "House software version 2.0",
    "House program starting up",
    "House program has stopped",
)


@pytest.fixture(scope="module")
def request_(tmp_path_factory: pytest.TempPathFactory) -> JudgingRequest:
    house = House(tmp_path_factory.mktemp("house"))
    return make_request(CheckOptions(specs=[house.spec]))


@pytest.fixture(autouse=True, params=[1, 10**6], ids=["on disk", "in memory"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Observations settle early, and lie on disk or in memory."""
    monkeypatch.setattr(followed_files, "_AT_REST_NS", 0)
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 300)
    monkeypatch.setattr(FollowedObservations.__init__, "__defaults__", (request.param,))


def mornings(chance: random.Random) -> Iterator[list[str]]:
    """What is told from one look to the next: doors open and go for ever, some are told of again,
    and now and then the program says which release it is, or begins anew.
    """
    gone = list[str]()
    for look in range(8):
        told = list[str]()
        names = [f"{look}x{door}" for door in range(chance.randint(0, 5))]
        for name in names:
            first = chance.choice(["stands OPEN", "goes from CLOSED to OPEN", "stands LOCKED"])
            last = first.split()[-1]
            told += [f"Door {name} {first}", f"Door {name} goes from {last} to GONE"]
        for name in chance.sample(gone, min(len(gone), chance.randint(0, 2))):
            told.append(
                chance.choice(
                    [
                        f"Door {name} made to go from GONE to OPEN",
                        f"Door {name} goes from OPEN to JAMMED",
                        f"Door {name} goes from JAMMED to OPEN",
                        f"Door {name} stands LOCKED",
                        f"Door {name} hung into its frame",
                    ]
                )
            )
        gone += names
        if chance.random() < 0.1:
            told.append("Every door -> 0x0=OPEN, 1x1=LOCKED")
        if chance.random() < 0.3:
            told.insert(chance.randint(0, len(told)), chance.choice(SIGNS))
        yield told


WAYS = (
    ("goes from CLOSED to OPEN", "goes from OPEN to CLOSED", "goes from CLOSED to OPEN"),
    ("stands OPEN", "goes from OPEN to CLOSED", "goes from CLOSED to GONE"),
    ("stands LOCKED", "goes from LOCKED to CLOSED", "goes from CLOSED to OPEN"),
    ("goes from CLOSED to OPEN", "goes from OPEN to JAMMED", "goes from JAMMED to OPEN"),
    ("stands LOCKED", "goes from LOCKED to GONE"),
)
ASTRAY = ("goes from CLOSED to OPEN", "stands LOCKED", "is stuck")


def evenings(chance: random.Random) -> Iterator[list[str]]:
    """What is told from one look to the next: doors go few ways, a step now and then, and some
    leave them.
    """
    going = list[tuple[str, list[str]]]()
    ways = chance.sample(WAYS, 2)
    for look in range(8):
        going += [(f"{look}x{door}", list(chance.choice(ways))) for door in range(6)]
        told = list[str]()
        for name, steps in chance.sample(going, len(going)):
            for _ in range(chance.choice([0, 1, 1, 2])):
                if steps:
                    told.append(f"Door {name} {steps.pop(0)}")
            if chance.random() < 0.03:
                told.append(f"Door {name} {chance.choice(ASTRAY)}")
        if chance.random() < 0.1:
            told.append("Every door -> 0x0=OPEN, 1x1=LOCKED")
        if look in (3, 6) and chance.random() < 0.5:
            signs = "House software version 1.1", *SIGNS
            told.insert(chance.randint(0, len(told)), chance.choice(signs))
        yield told


def rotate(folder: Path) -> None:
    """Give every part the name of the one before it."""
    for path in sorted(folder.glob("house.log.*"), reverse=True):
        path.rename(path.with_suffix(f".{int(path.suffix[1:]) + 1}"))
    if (log := folder / "house.log").exists():
        log.rename(folder / "house.log.1")


def written(text: str, now: int) -> str:
    """A line as its logger writes it."""
    logger = "house.Main" if text.startswith("House") else "house.Door"
    return line(text, now, logger) + "\n"


def differences(
    request: JudgingRequest,
    folder: Path,
    seed: int,
    looks: Callable[[random.Random], Iterator[list[str]]] = mornings,
    rotations: float = 0.5,
) -> Iterator[bool]:
    """Yield after each look whether something else is known than a check of everything finds."""
    chance, now = random.Random(seed), 0
    with Follower([str(folder)], request) as follower:
        for told in looks(chance):
            if chance.random() < rotations:
                rotate(folder)
            with (folder / "house.log").open("a") as log:
                for text in told:
                    now += 1
                    log.write(written(text, now))
            follower.poll()
            whole, known = checked(request, folder), follower.latest
            if known is not None:
                yield violated(known) != violated(whole) or known.episodes != whole.episodes
        yield "".join(to_json(follower.report())) != "".join(to_json(checked(request, folder)))


@SOME
@given(seed=st.integers(0, 10**6))
def test_nobody_can_tell_that_what_ended_was_let_go(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """Whatever is told of it later, and whatever is learnt of its process."""
    assert not any(differences(request_, tmp_path_factory.mktemp("logs"), seed))


@SOME
@given(seed=st.integers(0, 10**6))
def test_nobody_can_tell_who_is_not_judged_for_going_as_others_did(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """Whatever is told of it next, and whatever is learnt of its process."""
    folder = tmp_path_factory.mktemp("logs")
    assert not any(differences(request_, folder, seed, evenings, rotations=0.15))


def test_most_are_not_judged(
    request_: JudgingRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: Patch
) -> None:
    """Else the law above would say nothing."""
    outcomes, went = [0, 0], LiveJudging._went_as_others

    def counted(self: LiveJudging, context: object, who: InstanceIdentity, *rest: Any) -> bool:
        done = went(self, context, who, *rest)
        outcomes[who in self._judged or not done] += 1
        return done

    monkeypatch.setattr(LiveJudging, "_went_as_others", counted)
    for seed in range(5):
        folder = tmp_path_factory.mktemp("logs")
        assert not any(differences(request_, folder, seed, evenings, rotations=0))
    quiet, judged = outcomes
    assert quiet > judged / 3, outcomes


def opened(names: str) -> list[str]:
    """Doors that were opened, one after the other."""
    return [f"Door {name} goes from CLOSED to OPEN" for name in names]


JAMMED = [f"Door {name} goes from OPEN to JAMMED" for name in "abcdefgh"]
OTHER_FILE = "another file"
VERSION = ["House software version 2.0"]
LOOKS = {
    "ends": [VERSION + opened("abcdefgh"), opened("a")],
    "lines before": [VERSION + opened("abcdefgh"), [OTHER_FILE], opened("ijklm"), opened("a")],
    "more counts": [VERSION + opened("abcdefgh"), JAMMED],
}


def known_by_following(request: JudgingRequest, folder: Path, looks: list[list[str]]) -> bool:
    """Whether what is known at the end is what a check of everything finds."""
    now = 0
    with Follower([str(folder)], request) as follower:
        for told in looks:
            name = "other.log" if told == [OTHER_FILE] else "house.log"
            with (folder / name).open("a") as log:
                for text in told:
                    now += 1
                    log.write(written(text, now))
            follower.poll()
        whole, known = checked(request, folder), follower.latest
    assert known is not None
    assert whole.findings or whole.episodes
    return known.findings == whole.findings and known.episodes == whole.episodes


@pytest.mark.parametrize("fault", LOOKS)
def test_a_mistake_in_who_is_not_judged_shows(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: Patch, fault: str
) -> None:
    """Whoever looks at too little misses what is found or true of a door that goes as others do."""
    (tmp_path / "well").mkdir()
    (tmp_path / "ill").mkdir()
    assert known_by_following(request_, tmp_path / "well", LOOKS[fault])
    take = QuietInstances.take
    if fault == "ends":
        monkeypatch.setattr(QuietInstances, "take", lambda self, *told: take(self, *told[:2], ()))
    if fault == "lines before":
        monkeypatch.setattr(QuietInstances, "knows_lines", lambda *_: True)
    if fault == "more counts":
        monkeypatch.setattr(RepeatedInstances, "may_be_in_group", lambda *_: True)
    assert not known_by_following(request_, tmp_path / "ill", LOOKS[fault])


def told_again(request: JudgingRequest, folder: Path) -> int:
    """How many lines are known of a door that was let go, and of which another log tells again."""
    steps = ("stands LOCKED", "goes from LOCKED to CLOSED", "goes from CLOSED to GONE")
    others = [line(f"Door e stands {state}", 9) for state in 10 * ["OPEN", "CLOSED"]]
    told = [line(f"Door d {step}", at) for at, step in enumerate(steps)]
    with Follower([str(folder)], request) as follower:
        (folder / "house.log").write_text("\n".join((*told, *others, "")))
        follower.poll()
        rotate(folder)
        (folder / "house.log").write_text(line("Door d stands JAMMED", 20) + "\n")
        follower.poll()
        assert follower.latest is not None
        return follower.latest.checked.observations - len(others)


def test_who_is_told_of_again_is_known_from_the_beginning(
    request_: JudgingRequest, tmp_path: Path
) -> None:
    """What went before decides what may follow."""
    assert told_again(request_, tmp_path) == 4


def test_a_mistake_in_that_shows(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where what was let go is not looked for."""
    monkeypatch.setattr(RenumberedObservations, "tellers_of", lambda *_: ())
    assert told_again(request_, tmp_path) == 1


def learnt_late(request: JudgingRequest, folder: Path) -> tuple[int, int]:
    """How many steps are forbidden after it was learnt which release a program is: as a check says,
    and who follows.
    """
    told = [
        line(f"Door {name} {step}", at)
        for at, name in enumerate("abcdefgh")
        for step in ("stands LOCKED", "goes from LOCKED to GONE")
    ]
    with Follower([str(folder)], request) as follower:
        (folder / "house.log").write_text("\n".join((*told, "")))
        follower.poll()
        with (folder / "house.log").open("a") as log:
            log.write(line("House software version 1.1", 20, "house.Main") + "\n")
        follower.poll()
        assert follower.latest is not None
        return len(violated(checked(request, folder))), len(violated(follower.latest))


def test_what_is_learnt_late_is_asked_of_what_was_let_go(
    request_: JudgingRequest, tmp_path: Path
) -> None:
    """A step that the release does not have was forbidden all the same."""
    assert learnt_late(request_, tmp_path) == (8, 8)


def test_only_what_goes_on_is_judged(request_: JudgingRequest, tmp_path: Path) -> None:
    """A door that is gone costs nothing any more, after a rotation neither."""
    with Follower([str(tmp_path)], request_) as follower:
        for look in range(30):
            if look == 20:
                rotate(tmp_path)
            with (tmp_path / "house.log").open("a") as log:
                for door in range(10):
                    name, at = f"{look}x{door}", look * 10 + door
                    log.write(line(f"Door {name} goes from CLOSED to OPEN", at) + "\n")
                    log.write(line(f"Door {name} goes from OPEN to GONE", at) + "\n")
            follower.poll()
            assert follower.latest is not None
            assert follower.latest.checked.instances <= 20
        assert follower.report().checked.instances == 300


def test_a_deleted_file_stays_the_oldest(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: Patch
) -> None:
    """Its log was taken for newer than those that were renamed: when the program had begun was
    another matter then, and all that ever was had to be judged again, at each rotation.
    """
    judged_again = list[int]()
    monkeypatch.setattr(FollowedObservations, "touch_all", lambda _: judged_again.append(look))
    with Follower([str(tmp_path)], request_) as follower:
        for look in range(10):
            with (tmp_path / "house.log").open("a") as log:
                log.write(written("House program starting up", 3 * look))
                log.write(written(f"Door {look} goes from CLOSED to OPEN", 3 * look + 1))
                log.write(written(f"Door {look} goes from OPEN to GONE", 3 * look + 2))
            follower.poll()
            rotate(tmp_path)
            (tmp_path / "house.log.3").unlink(missing_ok=True)
        follower.poll()
        files = [row.file for row in follower.report().sources]
    assert judged_again == []
    assert len(files) == 10


STAYING = "abcdefgh"


def test_a_rotation_has_nothing_judged_again(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: Patch
) -> None:
    """Each of them had all judged again that goes on, from the first of its lines on; and who
    told of it in logs that are gone was known for ever.
    """
    judged, judge = Counter[int](), LiveJudging._judge

    def counted(self: LiveJudging, *of: Any) -> None:
        judged[look] += 1
        judge(self, *of)

    monkeypatch.setattr(LiveJudging, "_judge", counted)
    with Follower([str(tmp_path)], request_) as follower:
        for look in range(20):
            with (tmp_path / "house.log").open("a") as log:
                for door in STAYING if not look else "a":
                    log.write(written(f"Door {door} goes from CLOSED to OPEN", look))
                    log.write(written(f"Door {door} goes from OPEN to CLOSED", look))
            follower.poll()
            rotate(tmp_path)
            (tmp_path / "house.log.2").unlink(missing_ok=True)
        tellers = max(map(len, follower._live._tellers.values()))
        whole = follower.report()
    assert whole.checked.files == 20
    assert whole.checked.steps == 54
    assert max(judged[look] for look in range(1, 20)) <= 3, judged
    assert tellers <= 3 + followed_files._MOST_UNSETTLED, tellers  # and what may still be written


def lines_read_again(request: JudgingRequest, folder: Path, patch: Patch) -> list[int]:
    """Of a door that stays, in a log that is rotated now and then: how many of its settled lines
    are read to judge it, at each look.
    """
    read, settled = Counter[int](), FollowedObservations.settled

    def counted(self: FollowedObservations, teller: Any) -> Iterator[Any]:
        for row in settled(self, teller):
            read[look] += 1
            yield row

    patch.setattr(FollowedObservations, "settled", counted)
    with Follower([str(folder)], request) as follower:
        for look in range(40):
            with (folder / "house.log").open("a") as log:
                for _ in range(3):
                    log.write(written("Door a goes from CLOSED to OPEN", look))
                    log.write(written("Door a goes from OPEN to CLOSED", look))
            follower.poll()
            if look % 8 == 7:
                rotate(folder)
        looks = [read[look] for look in range(40)]
        report = "".join(to_json(follower.report()))
    assert report == "".join(to_json(checked(request, folder)))
    return looks


def test_who_stays_over_rotations_is_judged_from_where_he_was(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: Patch
) -> None:
    """The end of a log that was rotated was never taken for settled while its file was there, and
    all lines of who has one there were read again whenever there was another.
    """
    looks = lines_read_again(request_, tmp_path, monkeypatch)
    assert sum(looks[8:]) <= 2 * sum(looks[:8]) + 8 * 40, looks


def followed_while_files_go(request: JudgingRequest, folder: Path) -> tuple[str, int]:
    """The report of a log that is rotated at each look, where but three files stay; and how many
    observations near the ends of logs are held then.
    """
    folder.mkdir()
    chance = random.Random(5)
    with Follower([str(folder)], request) as follower:
        for now, told in enumerate(evenings(chance)):
            for part in range(4):
                with (folder / "house.log").open("a") as log:
                    log.writelines(written(text, 4 * now + part) for text in told[part::4])
                follower.poll()
                rotate(folder)
                (folder / "house.log.4").unlink(missing_ok=True)
        follower.poll()
        ends = follower.observations._tails.values()
        held = sum(len(rows) for tail in ends for rows in tail.values())
        return "".join(to_json(follower.report())), held


def test_the_ends_of_logs_that_are_gone_are_not_held(
    request_: JudgingRequest, tmp_path: Path, monkeypatch: Patch
) -> None:
    """A log that is rotated for weeks leaves hundreds, and the report is the same."""
    monkeypatch.setattr(content_readings, "TAIL_BYTES", 10_000)
    monkeypatch.setattr(followed_files, "_MOST_UNSETTLED", 100)
    whole, all_ends = followed_while_files_go(request_, tmp_path / "all")
    monkeypatch.setattr(followed_files, "_MOST_UNSETTLED", 2)
    report, few_ends = followed_while_files_go(request_, tmp_path / "few")
    assert report == whole
    assert few_ends < all_ends / 3, (few_ends, all_ends)


FED = """
import sys
from benchmarks.holding import parcel_lines
from statemachines.conform.check_options import CheckOptions
from statemachines.conform.checking import make_request
from statemachines.conform.engines.follow.follower import Follower
from pathlib import Path

with Follower(["-"], make_request(CheckOptions(specs=[Path(sys.argv[1])]))) as follower:
    for number, block in enumerate(parcel_lines(60_000), start=1):
        follower.feed(block)
        if number % 5 == 0:
            follower.poll()
        if number in (150, 300):
            print(Path("/proc/self/status").read_text())
"""


@pytest.mark.long
def test_memory_is_flat(tmp_path: Path) -> None:
    """Twice the lines of short lives take a tenth more at most, by the kernel's figure."""
    from benchmarks.holding import SPEC

    spec = tmp_path / "Parcel.yaml"
    spec.write_text(SPEC)
    command = [sys.executable, "-c", FED, str(spec)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    half, whole = map(int, re.findall(r"VmRSS:\s+(\d+)", said))
    assert whole <= 1.1 * half, (half, whole)
