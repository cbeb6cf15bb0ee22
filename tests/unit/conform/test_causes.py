"""Why something is wrong: the deepest cause of what was thrown, and what was answered to it.

Covers: statemachines.conform.observe.observer, statemachines.conform.observe.reasons.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm
from statemachines.conform.observe.reasons import cause_text, reason_text
from statemachines.report.html.document import to_html
from statemachines.report.text.document import to_text

THROWN = (
    "shop.TillError: cannot pay",
    "\tat shop.Till.pay(Till.java:3)",
    "Caused by: shop.CoinError: bad coin",
    "\t... 5 more",
    "Caused by: java.lang.IllegalStateException: no rate for XTS",
)
PYTHON = "Traceback (most recent call last):"
SPEC = """
notation: 1
machine: Till
family: tills
in: RELEASES
states:
  OPEN: {initial: true}
  STUCK: {final: true}
transitions:
  - {from: OPEN, to: STUCK}
log:
  instance: [till]
  lines:
    - {text: "till {till} had to {reason}.", says: note, mark: had to, in: "2.0", logger: shop.Till, level: ERROR}
    - {text: "till {till} goes from {from} to {to}", says: step, logger: shop.Till, level: INFO}
  episodes:
    stuck: {while: "state == 'STUCK'", title: "till {till} does not work", because: [had to]}
"""
FAMILY = """
notation: 1
family: tills
releases: ["1.0", "2.0"]
log:
  lines:
    - {text: "tills {release}", says: release, logger: shop.Till, level: INFO}
"""


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ((), ""),
        (("\tat shop.Till.pay(Till.java:3)",), ""),
        (THROWN[:1], "shop.TillError: cannot pay"),
        (THROWN, "java.lang.IllegalStateException: no rate for XTS; in shop.TillError: cannot pay"),
        (("Caused by: shop.CoinError",), "shop.CoinError"),
        ((PYTHON, '  File "till.py", line 3', "CoinError: bad coin"), "CoinError: bad coin"),
        (
            (
                PYTHON,
                "KeyError: 'XTS'",
                "",
                "The above exception was the direct cause",
                "",
                PYTHON,
                "  pay()",
                "TillError: cannot pay",
            ),
            "KeyError: 'XTS'; in TillError: cannot pay",
        ),
        ((PYTHON, "  the rest is lost"), ""),
    ],
)
def test_the_deepest_cause_comes_first(rest: tuple[str, ...], found: str) -> None:
    """The outermost exception says mostly that something failed, the deepest one what."""
    assert cause_text(rest) == found


def test_what_was_answered_stands_before_it() -> None:
    """That a handler chose to stop is half of the answer."""
    assert reason_text("STOP", THROWN[:1]) == "STOP: shop.TillError: cannot pay"
    assert reason_text("STOP", ()) == "STOP"
    assert reason_text(None, ()) == ""


@pytest.mark.parametrize("release", ["1.0", "2.0"])
def test_an_episode_tells_its_state_and_its_cause(tmp_path: Path, release: str) -> None:
    """Also where the line that tells the cause is none of this release: it is not judged, and it is the answer."""
    (tmp_path / "tills.yaml").write_text(FAMILY, "utf-8")
    (tmp_path / "Till.yaml").write_text(SPEC.replace("RELEASES", '"1.0.."'), "utf-8")
    head = "[2026-01-01 10:00:0{},000] {} {} (shop.Till)"
    lines = [
        head.format(0, "INFO", f"tills {release}"),
        head.format(1, "ERROR", "till a had to STOP."),
        *THROWN,
    ]
    lines.append(head.format(2, "INFO", "till a goes from OPEN to STUCK"))
    (tmp_path / "till.log").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    report = sm.check([tmp_path / "till.log"], specs=[tmp_path / "Till.yaml"])
    [episode] = report.episodes
    why = "STOP: java.lang.IllegalStateException: no rate for XTS; in shop.TillError: cannot pay"
    assert episode.reason == why
    text = list(to_text(report))
    [alarm] = [
        line for line in text if "✗ a does not work" in line or "✗ till a does not work" in line
    ]
    assert "since 10:00:02" in alarm
    assert any(why.replace("java.lang.", "") in line for line in text)
    assert why in "".join(to_html(report))
    assert bool(report.unjudged) == (release == "1.0")


def test_a_cause_that_stands_before_the_first_state_is_kept(tmp_path: Path) -> None:
    """A log that begins midway often begins with the very exception: what was never open is not over, and forgets nothing."""
    lines = (
        SPEC.replace("family: tills\nin: RELEASES\n", "")
        .replace('in: "2.0", ', "")
        .replace("STUCK: {final", "SLOW:\n  STUCK: {final")
    )
    (tmp_path / "Till.yaml").write_text(
        lines.replace("to: STUCK", "to: SLOW}\n  - {from: SLOW, to: STUCK"), "utf-8"
    )
    head = "[2026-01-01 10:00:0{},000] {} {} (shop.Till)\n"
    said = [
        head.format(1, "ERROR", "till a had to STOP."),
        head.format(2, "INFO", "till a goes from OPEN to SLOW"),
    ]
    (tmp_path / "till.log").write_text(
        "".join([*said, head.format(3, "INFO", "till a goes from SLOW to STUCK")]), "utf-8"
    )
    [episode] = sm.check([tmp_path / "till.log"], specs=[tmp_path / "Till.yaml"]).episodes
    assert episode.reason == "STOP"
    assert episode.blame
    assert "had to STOP" in episode.blame.text
