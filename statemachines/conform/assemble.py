"""From the judgements of all instances to the report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from attrs import define, field

from statemachines.conform.episodes import episodes_of
from statemachines.conform.judged import Found, Judged, StatePoint
from statemachines.conform.observations import KeyValues
from statemachines.conform.plan import LEVELS
from statemachines.conform.processes import Context
from statemachines.conform.profile import Profile
from statemachines.conform.summary import is_shared
from statemachines.conform.tables import Tables
from statemachines.model.reports import (
    Checked,
    Finding,
    Instant,
    Key,
    MachineSummary,
    Now,
    OpenOrClosed,
    Place,
    ProcessReleases,
    Quote,
    Report,
    Source,
    Step,
    Unjudged,
    Was,
)
from statemachines.model.verdicts import Verdict, worst

LISTED = 10_000
"""Rows of one kind and machine in a report; the rest are counted."""


@define
class Seen:
    """What was counted while the timeline went by."""

    hidden: int = 0
    missing: int = 0
    arrows: dict[int, set[tuple[str, str]]] = field(factory=lambda: defaultdict(set))
    """By machine, the steps that were told or proved."""


@define
class FileFacts:
    """What is known of a file beside its profile."""

    first: Instant | None = None
    last: Instant | None = None
    problems: tuple[str, ...] = ()
    first_text: str = ""


def key_of(context: Context, owner: int, values: KeyValues) -> Key:
    """Name the values of an instance's key."""
    log = context.plan.owners[owner].log
    assert log is not None
    return tuple((name, value if value is not None else "?") for name, value in zip(log.instance, values, strict=True))


def subject_of(context: Context, owner: int, values: KeyValues) -> Key:
    """Return the fields that stay the same thing for a person."""
    log = context.plan.owners[owner].log
    assert log is not None
    named = dict(key_of(context, owner, values))
    return tuple((name, named[name]) for name in log.subject or log.instance)


def generation_of(context: Context, owner: int, values: KeyValues) -> int | str:
    """Return what orders the instances of one subject."""
    log = context.plan.owners[owner].log
    assert log is not None
    value = values[log.instance.index(log.generation)] if log.generation in log.instance else 0
    return value if value is not None else 0


def sort_key(context: Context, identity: tuple[int, int, KeyValues]) -> tuple[object, ...]:
    """Sort instances by machine, subject (numbers as numbers), generation, the rest of the key and the process."""
    owner, process, values = identity
    subject = tuple((isinstance(v, str), v) for _, v in subject_of(context, owner, values))
    generation = generation_of(context, owner, values)
    return (
        context.plan.owners[owner].name,
        subject,
        (isinstance(generation, str), generation),
        tuple((isinstance(v, str), v) for v in values),
        context.processes[process].name if process >= 0 else "",
        process,
    )


class Assembly:
    """Names what the judge numbered, and puts everything into the order of the contract."""

    def __init__(self, context: Context, tables: Tables, profiles: Sequence[Profile], facts: Sequence[FileFacts]) -> None:
        self.context, self.tables, self.profiles, self.facts = context, tables, profiles, facts
        self.plan = context.plan

    def report(self, judged: Sequence[Judged], seen: Seen, timeline: Iterable[Step], **more: object) -> Report:
        """Return the report of instances that come in the order of the timeline."""
        findings = self.findings(judged)
        unjudged = self.unjudged(judged)
        observations = sum(j.observations for j in judged)
        verdict = worst([f.verdict for f in findings])
        if not observations:
            verdict = max(verdict, Verdict.INCONCLUSIVE)
            unjudged = unjudged or self._nothing()
        checked = Checked(
            len(self.context.files),
            sum(p.lines for p in self.profiles),
            sum(p.records for p in self.profiles),
            observations,
            len(judged),
            sum(j.steps for j in judged),
            sum(p.unread for p in self.profiles),
            seen.hidden,
            seen.missing,
            sum(u.count for u in unjudged),
        )
        return Report(
            verdict,
            checked,
            self.sources(),
            self.releases(),
            self.machines(judged, seen),
            self.now(judged),
            self.episodes(judged),
            findings,
            timeline,
            unjudged,
            **more,
        )  # type: ignore[arg-type]

    # ------------------------------------------------------------------------------------------------------------- findings

    def findings(self, judged: Sequence[Judged]) -> tuple[Finding, ...]:
        """Return the findings, VIOLATED first, then by time and place."""
        named = [self._finding(j, found) for j in judged for found in j.findings]
        named.sort(
            key=lambda f: (
                -f.verdict,
                f.at.ms if f.at and f.at.ms is not None else -1,
                f.place.file if f.place else "",
                f.place.line if f.place else 0,
                f.machine,
                [(isinstance(v, str), v) for _, v in f.instance],
                f.kind,
            )
        )
        listed: Counter[tuple[str, str]] = Counter()
        kept = []
        for finding in named:
            listed[finding.kind, finding.machine] += 1
            if listed[finding.kind, finding.machine] <= LISTED:
                kept.append(finding)
        return tuple(kept)

    def _finding(self, judged: Judged, found: Found) -> Finding:
        spec, seen, files = self.plan.specs[judged.owner], found.seen, self.context.files
        line = next((entry for entry in self.plan.owners[judged.owner].lines if entry.number == found.entry), None)
        was = Was(found.was.states, Place(files[found.was.file].name, found.was.line)) if found.was else None
        last = Place(files[found.last_file].name, found.last_line) if found.count > 1 else None
        return Finding(
            found.kind,
            found.verdict,
            spec.name,
            key_of(self.context, judged.owner, judged.key),
            self.context.processes[found.process].name,
            Instant(seen.at, seen.zone) if seen.at is not None else None,
            Place(files[seen.file].name, seen.line),
            seen.text,
            found.source,
            found.target,
            found.outcome,
            found.legal,
            found.missing,
            was,
            spec.family.ranges(found.legal_in) if found.legal_in else None,
            Place(spec.file, line.span.line) if line and line.span else None,
            found.count,
            found.message,
            last,
        )

    def unjudged(self, judged: Sequence[Judged]) -> tuple[Unjudged, ...]:
        """Return what could not be judged: by why, each with its first line."""
        rows: dict[tuple[str, int], list[tuple[int, int, int, str]]] = defaultdict(list)
        for j in judged:
            for why, count, file, line, text in j.unjudged:
                rows[why, file].append((line, count, file, text))
        for number, profile in enumerate(self.profiles):
            for why, count, line, text in profile.unjudged:
                rows[why, number].append((line, count, number, text))
        named = [
            Unjudged(why, sum(entry[1] for entry in entries), Place(self.context.files[file].name, min(entries)[0]), min(entries)[3])
            for (why, file), entries in rows.items()
        ]
        return tuple(sorted(named, key=lambda u: (u.why, u.place.file, u.place.line)))

    def _nothing(self) -> tuple[Unjudged, ...]:
        for number, profile in enumerate(self.profiles):
            if profile.lines:
                return (
                    Unjudged(
                        "no line of the catalogue was observed", 1, Place(self.context.files[number].name, 1), self.facts[number].first_text
                    ),
                )
        return ()

    # ----------------------------------------------------------------------------------------------------- files, processes

    def sources(self) -> tuple[Source, ...]:
        """Return what is known of each file, by path."""
        return tuple(sorted((self._source(number) for number in range(len(self.context.files))), key=lambda s: s.file))

    def _source(self, number: int) -> Source:
        profile, facts, file = self.profiles[number], self.facts[number], self.context.files[number]
        levels: dict[str, int] = {}
        for unit in profile.units.values():
            for (_, logger), rank in unit.levels.items():
                if logger:
                    levels[logger] = min(rank, levels.get(logger, rank))
        layout = min(profile.layouts, key=lambda name: (-profile.layouts[name], name), default=None)
        processes = {self.context.process_of[number, prefix] for prefix in profile.units or {None: None}}
        zone = next((t.zone for t in (facts.first, facts.last) if t is not None), "unknown")
        problems = dict.fromkeys(
            [*facts.problems, *sorted(profile.problems), *(p for n in sorted(processes) for p in self.context.processes[n].problems)]
        )
        return Source(
            file.name,
            layout,
            {logger: LEVELS[levels[logger]] for logger in sorted(levels)},
            zone,
            tuple(sorted(self.context.processes[n].name for n in processes)),
            profile.lines,
            profile.unread,
            facts.first,
            facts.last,
            tuple(problems),
        )

    def releases(self) -> tuple[ProcessReleases, ...]:
        """Return the releases that fit each process of which a line was read."""
        rows = []
        for process in self.context.processes:
            read = {
                s.owner
                for file, prefix in process.units
                for s in (self.profiles[file].units[prefix].read if prefix in self.profiles[file].units else ())
            }
            for family in self.plan.families:
                owners = [o for o in read if self.plan.owners[o].family == family.family.name]
                if not owners or not family.family.name:
                    continue
                own = next((process.own_fits[o] for o in sorted(owners) if o in process.own_fits), None)
                known = process.fits[family.family.name]
                known = own if own and known[0].how in ("lines", "assumed") else known
                rows += [
                    ProcessReleases(
                        process.name, family.family.ranges(fit.releases), fit.how, fit.start.line if fit.start.line > 0 else None
                    )
                    for fit in known
                ]
        return tuple(sorted(rows, key=lambda r: (r.process, r.from_line or 0)))

    # --------------------------------------------------------------------------------------------------- machines, subjects

    def machines(self, judged: Sequence[Judged], seen: Seen) -> tuple[MachineSummary, ...]:
        """Return what was seen of each machine that a line told of."""
        rows = []
        for owner in sorted({j.owner for j in judged}, key=lambda o: self.plan.owners[o].name):
            mine = [j for j in judged if j.owner == owner]
            rows.append(
                MachineSummary(
                    self.plan.owners[owner].name,
                    len(mine),
                    sum(j.steps for j in mine),
                    worst([f.verdict for j in mine for f in j.findings]),
                    self._never_seen(owner, mine, seen.arrows[owner]),
                )
            )
        return tuple(rows)

    def _never_seen(self, owner: int, judged: list[Judged], seen: set[tuple[str, str]]) -> tuple[str, ...]:
        fitting = 0
        for number in {p for j in judged for p in j.processes}:
            process = self.context.processes[number]
            for fit in process.own_fits.get(owner) or process.fits.get(self.plan.owners[owner].family) or ():
                fitting |= fit.releases
        classes = self.tables.classes(owner, fitting)
        arrows = max(classes, key=lambda rules: (rules.releases & fitting).bit_length()).arrows if classes else ()
        return tuple(dict.fromkeys(f"{a.source} -> {a.target}" for a in arrows if a.taken and (a.source, a.target) not in seen))

    def _subjects(self, judged: Sequence[Judged]) -> list[tuple[int, Key, list[Judged]]]:
        """Gather the instances of each subject, oldest generation first."""
        subjects: dict[tuple[int, int, Key], list[Judged]] = defaultdict(list)
        for j in judged:
            process = -1 if is_shared(self.context, j.owner) else j.processes[0] if j.processes else -1
            subjects[j.owner, process, subject_of(self.context, j.owner, j.key)].append(j)
        return [(owner, subject, instances) for (owner, _, subject), instances in subjects.items()]

    def now(self, judged: Sequence[Judged]) -> tuple[Now, ...]:
        """Return what is true at the end of the log, a row a subject."""
        rows = []
        for owner, subject, instances in self._subjects(judged):
            last = instances[-1]
            if last.states is None or last.since is None or last.over:
                continue
            finals = {s.name for s in self.plan.specs[owner].states if s.final}
            rows.append(
                Now(
                    self.plan.owners[owner].name,
                    subject,
                    last.states,
                    self._instant(last.since),
                    set(last.states) <= finals,
                    Place(self.context.files[last.since.file].name, last.since.line),
                )
            )
        return tuple(rows)

    def episodes(self, judged: Sequence[Judged]) -> tuple[OpenOrClosed, ...]:
        """Return the episodes of every subject, over its generations."""
        rows: list[OpenOrClosed] = []
        for owner, subject, instances in self._subjects(judged):
            log = self.plan.owners[owner].log
            for number, episode in enumerate(log.episodes if log else ()):
                points = [point for j in instances for point in j.points if point.episode == number]
                title = episode.title.format(**dict(subject))
                for since, until, blame in episodes_of(points):
                    rows.append(
                        OpenOrClosed(
                            episode.name,
                            self.plan.owners[owner].name,
                            subject,
                            title,
                            self._instant(since),
                            self._instant(until) if until else None,
                            until is None,
                            Quote(Place(self.context.files[blame.file].name, blame.line), blame.text),
                        )
                    )
        return tuple(rows)

    @staticmethod
    def _instant(point: StatePoint | object) -> Instant | None:
        at, zone = point.at, point.zone  # type: ignore[attr-defined]
        return Instant(at, zone) if at is not None else None
