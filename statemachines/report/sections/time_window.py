"""Cut a report to a stretch of time: what is shown is cut, what was judged is not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from attrs import evolve

from statemachines.model.evidence.incidents import Incident
from statemachines.model.evidence.moments import DAY_MS
from statemachines.model.evidence.reports import (
    Episode,
    EpisodeOutcome,
    Instant,
    Report,
    ReportWindow,
    SourceSummary,
    TimelineStep,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.model.values import frozen
from statemachines.report.sections.display_names import report_clock
from statemachines.report.sections.past_states import episode_at, incident_at, states_at
from statemachines.report.sections.timestamps import rfc3339

_UNITS_MS = {"s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": DAY_MS}
_BEFORE_THE_END = re.compile(r"(\d+(?:\.\d+)?)(s|m|min|h|d)")
_TIME_OF_DAY = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?")


class MomentError(ValueError):
    """A text that names no moment; the message says what would."""


def parse_moment(text: str, end: Instant | None) -> int:
    """Read a moment that a person gave.

    Args:
        text: `2026-11-21T15:30` (a zone is kept, none means the log's own clock), `15:30` (on the
            log's last day), or `2h`, `30m` before the end of the log.
        end: the last time of the log.

    Returns:
        Epoch milliseconds, an unknown zone taken as UTC.

    Raises:
        MomentError: the text is none of these, or is counted from the end of a log that tells no
            time.

    >>> parse_moment("00:30", Instant(86_400_000)), parse_moment("1h", Instant(86_400_000))
    (88200000, 82800000)
    """
    relative, of_day = _BEFORE_THE_END.fullmatch(text), _TIME_OF_DAY.fullmatch(text)
    if relative or of_day:
        if end is None or end.ms is None:
            raise MomentError(
                f"`{text}` counts from the last time of the log, and this log tells no time"
            )
        if relative:
            return end.ms - round(float(relative[1]) * _UNITS_MS[relative[2]])
        assert of_day is not None
        return (
            end.ms // DAY_MS * DAY_MS
            + int(of_day[1]) * 3_600_000
            + int(of_day[2]) * 60_000
            + round(float(of_day[3] or 0) * 1000)
        )
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise MomentError(
            f"`{text}` is not a time; write 2026-11-21T15:30, 15:30, or 2h (before the end of the"
            " log)"
        ) from None
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def window_problem(since: str | None, until: str | None) -> str:
    """Say what no log can put right about a stretch of time: who learnt it when all is read would
    have waited for it, and who follows would have lost the report.

    Args:
        since: as a person gave it; None: from the beginning.
        until: likewise; None: to the end.

    Returns:
        What is wrong; nothing where a log may have such a stretch.

    >>> window_problem("2h", "3h"), window_problem("2h", "15:30")
    ('--since 2h is after --until 3h', '')
    """
    end = Instant(DAY_MS)
    try:
        begins = None if since is None else parse_moment(since, end)
        ends = None if until is None else parse_moment(until, end)
    except MomentError as problem:
        return str(problem)
    if since is None or until is None or begins is None or ends is None or begins <= ends:
        return ""
    is_of_one_kind = _kind_of_moment(since) == _kind_of_moment(until)
    return f"--since {since} is after --until {until}" if is_of_one_kind else ""


def _kind_of_moment(text: str) -> tuple[bool, bool]:
    return bool(_BEFORE_THE_END.fullmatch(text)), bool(_TIME_OF_DAY.fullmatch(text))


@frozen
class TimeWindow:
    """A stretch of time, either end open."""

    since_ms: int | None
    until_ms: int | None

    def contains(self, instant: Instant | None) -> bool:
        """Tell whether a moment lies in it; what has no time is always in.

        Args:
            instant: None where the log tells no time.

        Returns:
            True at both ends, too.
        """
        if instant is None or instant.ms is None:
            return True
        return (self.since_ms is None or instant.ms >= self.since_ms) and (
            self.until_ms is None or instant.ms <= self.until_ms
        )

    def overlaps(self, lasting: Episode | Incident) -> bool:
        """Tell whether any part of an episode or an incident lies in it; what lasts no time has no
        part but its moment.

        Args:
            lasting: of the report.

        Returns:
            True of one that has no times, too.
        """
        over = lasting.outcome in (EpisodeOutcome.HEALED, EpisodeOutcome.ENDED)
        until = lasting.until or (lasting.since if over else None)
        begins = lasting.since.ms if lasting.since else None
        ends = until.ms if until else None
        late = self.until_ms is not None and begins is not None and begins > self.until_ms
        early = self.since_ms is not None and ends is not None and ends < self.since_ms
        return not (late or early)

    def is_too_long(self, episode: Episode) -> bool:
        """Tell whether an episode has lasted beyond what it may by the end of the window.

        Args:
            episode: of the report.

        Returns:
            True where the window ends after it, or its beginning is not known.
        """
        begins = episode.since.ms if episode.since else None
        if not episode.limit_ms or begins is None or self.until_ms is None:
            return True
        return self.until_ms - begins > episode.limit_ms

    def is_outside(self, begin: Instant | None, end: Instant | None) -> bool:
        """Tell whether nothing of a log lies in it.

        Args:
            begin: the first time of the log.
            end: the last one.

        Returns:
            False of a log that tells no time.
        """
        begins, ends = (instant.ms if instant else None for instant in (begin, end))
        late = self.since_ms is not None and ends is not None and ends < self.since_ms
        early = self.until_ms is not None and begins is not None and begins > self.until_ms
        return late or early

    def of_log(self, log_end: Instant | None) -> ReportWindow:
        """Write its ends as moments of a log.

        Args:
            log_end: the last time of the log, which knows its zone.

        Returns:
            The window of a report.
        """
        zone = log_end.zone if log_end else "unknown"
        since, until = (
            None if ms is None else Instant(ms, zone) for ms in (self.since_ms, self.until_ms)
        )
        return ReportWindow(since, until, log_end)


@frozen
class _StepsWithin(Iterable[TimelineStep]):
    """The steps of a timeline that lie in a window; may be read again and again."""

    steps: Iterable[TimelineStep]
    window: TimeWindow

    def __iter__(self) -> Iterator[TimelineStep]:
        """Yield them in their order."""
        return (step for step in self.steps if self.window.contains(step.at))


def report_within(report: Report, window: TimeWindow) -> Report:
    """Return what a report says of a stretch of time.

    Findings, steps, episodes and incidents outside are left out and the verdict is that of the
    findings that stay, INCONCLUSIVE where nothing of the log lies in it; states, and what goes on,
    are those of the window's end. The last time of a file is no later; counts, repeats, releases
    and machines are those of the whole log.

    Args:
        report: what a check found.
        window: first and last moment.

    Returns:
        A report of the same check.
    """
    findings = tuple(finding for finding in report.findings if window.contains(finding.at))
    dropped = len(findings) < len(report.findings)
    undecided = report.verdict is Verdict.INCONCLUSIVE and not any(
        f.verdict is Verdict.INCONCLUSIVE for f in report.findings
    )
    clock = report_clock(report)
    is_empty = window.is_outside(clock.begin, clock.end)
    least = Verdict.INCONCLUSIVE if is_empty else Verdict.HOLDS
    worst = max((f.verdict for f in findings), default=least)
    episodes = tuple(
        episode
        for episode in report.episodes
        if window.overlaps(episode) and window.is_too_long(episode)
    )
    incidents = _incidents_within(report, window)
    named = window.of_log(clock.end)
    if window.until_ms is not None:
        sources = tuple(_source_until(source, window.until_ms) for source in report.sources)
        report = evolve(report, now=states_at(report, window.until_ms), sources=sources)
        episodes = tuple(episode_at(episode, window.until_ms) for episode in episodes)
    return evolve(
        report,
        verdict=(
            max(worst, report.at_best) if dropped and not undecided else max(least, report.verdict)
        ),
        findings=findings,
        episodes=episodes,
        incidents=incidents,
        timeline=_StepsWithin(report.timeline, window),
        window=named,
        made_with={
            **report.made_with,
            "window": {"since": rfc3339(named.since), "until": rfc3339(named.until)},
        },
    )


def _incidents_within(report: Report, window: TimeWindow) -> tuple[Incident, ...]:
    """Return the incidents of a stretch of time as they were at its end, what went on first."""
    incidents = [incident for incident in report.incidents if window.overlaps(incident)]
    if window.until_ms is not None:
        cut = (incident_at(incident, report.episodes, window.until_ms) for incident in incidents)
        incidents = sorted(cut, key=lambda incident: not incident.is_ill)
    return tuple(
        evolve(incident, number=number) for number, incident in enumerate(incidents, start=1)
    )


def _source_until(source: SourceSummary, until_ms: int) -> SourceSummary:
    """Return a file as if it ended at a moment."""
    later = source.last is not None and source.last.ms is not None and source.last.ms > until_ms
    return (
        evolve(source, last=evolve(source.last, ms=until_ms))
        if later and source.last is not None
        else source
    )
