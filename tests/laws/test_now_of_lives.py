"""Law: what is told last of an instance is true now, over ends, restarts, rotation and cuts, whatever lines tell of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statemachines.conform import check
from statemachines.model.evidence.reports import CurrentState, Report
from statemachines.model.evidence.verdicts import Verdict
from tests.doors import FAMILY, line
from tests.effort import some_of

SOME = settings(
    max_examples=some_of(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
START, STOP = "House program starting up", "House program has stopped"
NAMES = ("P", "Q", "R", "S")


@frozen
class Told:
    """A line: what it says, of which lamp, and the state that it tells; no state where a life ends."""

    text: str
    lamp: str = ""
    state: str | None = None


@frozen
class Lamps:
    """A spec, and the lines of a sound history."""

    spec: str
    finals: frozenset[str]
    lines: tuple[Told, ...]


@st.composite
def histories(draw: st.DrawFn) -> Lamps:
    """Draw a machine, which lines tell of it, and lives of three lamps with restarts in between."""
    names = NAMES[: draw(st.integers(2, 4))]
    finals = draw(st.frozensets(st.sampled_from(names[1:])))
    starts = {names[0], *draw(st.sets(st.sampled_from(names)))} - finals
    pairs = draw(
        st.lists(
            st.tuples(st.sampled_from(sorted(set(names) - finals)), st.sampled_from(names)).filter(
                lambda pair: pair[0] != pair[1]
            ),
            min_size=1,
            unique=True,
        )
    )
    begins, ends, whole = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    lines, alive = list[Told](), dict[str, str]()
    for _ in range(draw(st.integers(3, 20))):
        lamp, what = draw(st.sampled_from("abc")), draw(st.integers(0, 9))
        if what == 0:
            lines += [Told(STOP)] * draw(st.integers(0, 1)) + [Told(START)]
            alive.clear()
            continue
        state = alive.get(lamp)
        if state is None or state in finals:
            state = alive[lamp] = draw(st.sampled_from(sorted(starts)))
            if begins:
                lines.append(Told(f"Lamp {lamp} is hung as {state}", lamp, state))
        targets = [target for source, target in pairs if source == state]
        if ends and what == 1:
            lines.append(Told(f"Lamp {lamp} is taken down", lamp))
            del alive[lamp]
        elif what == 2 or not targets:
            lines.append(Told(f"Lamp {lamp} shines {state}", lamp, state))
        else:
            alive[lamp] = target = draw(st.sampled_from(targets))
            came = f"goes from {state} to {target}" if whole else f"goes to {target}"
            lines.append(Told(f"Lamp {lamp} {came}", lamp, target))
    return Lamps(spec_text(names, starts, finals, pairs, whole=whole), finals, tuple(lines))


def spec_text(
    names: tuple[str, ...],
    starts: set[str],
    finals: frozenset[str],
    pairs: list[tuple[str, str]],
    *,
    whole: bool,
) -> str:
    """Write a spec whose lines tell a step with or without where it began."""
    flags = {"initial": starts, "final": finals}
    states = "".join(
        f"  {name}: {{{', '.join(f'{flag}: true' for flag, of in flags.items() if name in of)}}}\n"
        for name in names
    )
    moves = ", ".join(f"{{from: {source}, to: {target}}}" for source, target in pairs)
    told = {
        "Lamp {lamp} goes from {from} to {to}" if whole else "Lamp {lamp} goes to {to}": "step",
        "Lamp {lamp} is hung as {state}": "begin",
        "Lamp {lamp} is taken down": "end",
        "Lamp {lamp} shines {state}": "is",
    }
    return (
        f"notation: 1\nmachine: Lamp\nfamily: house\nstates:\n{states}transitions: [{moves}]\n"
        "log:\n  instance: [lamp]\n  logger: house.Lamp\n  level: INFO\n  lines:\n"
        + "".join(f'    - {{text: "{text}", says: {says}}}\n' for text, says in told.items())
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a family."""
    found = tmp_path_factory.mktemp("lamps")
    (found / "house.yaml").write_text(FAMILY, "utf-8")
    return found


def judged(folder: Path, lamps: Lamps, lines: tuple[Told, ...], cut: int) -> Report:
    """Judge lines in two files that were rotated."""
    (folder / "Lamp.yaml").write_text(lamps.spec, "utf-8")
    files = folder / "house.log.1", folder / "house.log"
    rows = [line(told.text, 100 * place) for place, told in enumerate(lines)]
    for file, part in zip(files, (rows[:cut], rows[cut:]), strict=True):
        file.write_text("".join(f"{row}\n" for row in part), "utf-8")
    return check(list(files), specs=[folder / "Lamp.yaml"], engine="local")


def true_now(lines: tuple[Told, ...]) -> dict[str, str | None]:
    """Return the state of each lamp at the end of its log; None: its life or its program is over."""
    found = dict[str, str | None]()
    for told in lines:
        if told.lamp:
            found[told.lamp] = told.state
        else:
            found = dict.fromkeys(found)
    return found


@SOME
@given(histories(), st.data())
def test_what_is_told_last_is_true_now(folder: Path, lamps: Lamps, data: st.DataObject) -> None:
    """Nothing that was over before counts, and nothing that came since is left out; and no life is wrong whose lines were cut off.

    A final state that is told behind the end of its life is that end, told again.
    """
    low = data.draw(st.integers(0, len(lamps.lines) - 1))
    lines = lamps.lines[low : data.draw(st.integers(low + 1, len(lamps.lines)))]
    report = judged(folder, lamps, lines, data.draw(st.integers(0, len(lines))))
    assert report.verdict is not Verdict.VIOLATED, [finding.message for finding in report.findings]
    now = {dict(state.subject)["lamp"]: state for state in report.now}
    for lamp, state in true_now(lines).items():
        if state is None:
            assert is_as_of_before(now.get(lamp))
        elif state not in lamps.finals:
            assert now[lamp].state == (state,)


def is_as_of_before(state: CurrentState | None) -> bool:
    """Say whether a report tells nothing of an instance, or only how it was in the end."""
    return state is None or state.final or state.since is None or bool(state.doubt)
