"""Reports made by hand: an orders shop and a turnstile, no judge needed."""

from __future__ import annotations

from attrs import evolve

from statemachines.model.definitions.incident_definitions import Harm
from statemachines.model.evidence.incidents import Incident, IncidentCause, IncidentEvidence
from statemachines.model.evidence.reports import (
    CheckCounts,
    CurrentState,
    Episode,
    EpisodeOutcome,
    Finding,
    InstanceKey,
    Instant,
    MachineSummary,
    Place,
    PriorBelief,
    ProcessReleases,
    Quote,
    Report,
    SourceSummary,
    TimelineStep,
    UnjudgedSummary,
)
from statemachines.model.evidence.verdicts import Verdict

NOON = 1_795_262_400_000
"""2026-11-21 12:00 UTC."""
EMPTY = Report(Verdict.HOLDS, CheckCounts(), (), (), (), (), (), (), (), ())


def at(seconds: float, zone: str = "unknown") -> Instant:
    """A moment so many seconds after noon."""
    return Instant(NOON + round(seconds * 1000), zone)


def order(number: int | str) -> InstanceKey:
    """The key of an order."""
    return (("shop", "north"), ("order", number))


def finding(
    kind: str = "forbidden", verdict: Verdict = Verdict.VIOLATED, line: int = 57, count: int = 1
) -> Finding:
    """An order that was shipped before it was paid."""
    return Finding(
        kind=kind,
        verdict=verdict,
        machine="shop/Order",
        instance=order(7),
        process="shop.log",
        at=at(line),
        place=Place("shop.log", line),
        text=f"12:00:{line:02} INFO order 7 went from NEW to SHIPPED",
        source="NEW",
        target="SHIPPED",
        outcome=None,
        legal=("PAID", "CANCELLED"),
        missing=(),
        was=PriorBelief(("NEW",), Place("shop.log", 40)),
        legal_in="from 2.1",
        spec=Place("shop/Order.yaml", 31),
        count=count,
        message="no transition leads from NEW to SHIPPED in 2.0",
        last=Place("shop.log", line + count - 1) if count > 1 else None,
    )


def incident(number: int, episode: Episode) -> Incident:
    """An episode as the incident that it is where its spec says nothing of incidents."""
    cause = None if episode.blame is None else IncidentCause(episode.blame, episode.reason)
    return Incident(
        number,
        episode.kind,
        Harm.LOSS,
        episode.machine,
        episode.subject,
        episode.process,
        episode.displayed_title,
        "",
        episode.since,
        episode.until,
        episode.outcome,
        IncidentEvidence.TOLD,
        cause,
    )


def with_incidents(report: Report) -> Report:
    """A report whose episodes are incidents, what goes on first."""
    troubles = [one for one in report.episodes if not one.orderly]
    ordered = sorted(troubles, key=lambda one: one.outcome is not EpisodeOutcome.OPEN)
    incidents = tuple(incident(number, one) for number, one in enumerate(ordered, start=1))
    return evolve(report, incidents=incidents)


STEPS = (
    TimelineStep(
        "shop/Order",
        order(7),
        "shop.log",
        1,
        at(1.5, "Z"),
        "NEW",
        "PAID",
        "told",
        Place("shop.log", 12),
    ),
    TimelineStep(
        "shop/Order",
        order(7),
        "shop.log",
        1,
        Instant(5, "none"),
        "PAID",
        None,
        "ended unseen",
        None,
    ),
    TimelineStep(
        "shop/Order",
        order('a "quoted" \u2028 £\n'),
        "shop.log",
        2,
        None,
        None,
        "PAID",
        "hidden",
        None,
    ),
)
FULL = with_incidents(
    Report(
        verdict=Verdict.VIOLATED,
        checked=CheckCounts(1, 120, 110, 8, 2, 3, 1, 1, 0, 1),
        sources=(
            SourceSummary(
                "shop.log",
                "simple",
                {"shop.orders": "INFO"},
                "unknown",
                ("shop.log",),
                120,
                1,
                at(0),
                at(60),
                ("a cut line",),
            ),
            SourceSummary("bytes\udcff.log", None, {}, "unknown", ("bytes.log",), 0, 0, None, None),
        ),
        releases=(
            ProcessReleases("shop.log", "2.0", "banner"),
            ProcessReleases("shop.log", "2.1..2.3", "banner 2.x", 80),
        ),
        machines=(MachineSummary("shop/Order", 2, 3, Verdict.VIOLATED, ("PAID -> CANCELLED",)),),
        now=(
            CurrentState(
                "shop/Order", order(7), ("SHIPPED",), at(57), False, Place("shop.log", 57)
            ),
        ),
        episodes=(
            Episode(
                "unpaid",
                "shop/Order",
                order(7),
                "order 7 is not paid",
                at(0),
                None,
                True,
                Quote(Place("shop.log", 3), "failed"),
            ),
            Episode(
                "unpaid", "shop/Order", order(8), "order 8 is not paid", at(0), at(14), False, None
            ),
        ),
        findings=(finding(), finding("failed", Verdict.HOLDS, 60, 5)),
        timeline=STEPS,
        unjudged=(UnjudgedSummary("no instance", 2, Place("shop.log", 77), "an order went away"),),
        made_with={
            "version": "0.1.0",
            "options": {"release": None},
            "specs": {"shop/Order": "00" * 32},
        },
    )
)
