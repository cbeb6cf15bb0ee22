"""Judging one instance: a fold over its observations in their order.

The rules are those of `docs/judging.md`; each class of releases that fits has a belief of its own, and where classes disagree the mildest
word counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from statemachines.conform.judged import Found, StatePoint, StepRow
from statemachines.conform.observations import Observation, Position, Telling
from statemachines.conform.processes import Context
from statemachines.conform.rules import Rules, shortest
from statemachines.conform.tables import Tables
from statemachines.conform.words import outcome_words, spec_words
from statemachines.model.loglines import Line, Says
from statemachines.model.verdicts import Verdict

Belief = "frozenset[str] | None"
ANY = None
"""The belief of an instance whose log began midway: any state."""
COUNTED = {"failed", "ignored", "refused", "raised"}
LISTED = 100
"""Findings that are not HOLDS are listed so often an instance, then counted."""


class Group:
    """The classes of releases that read an observation in the same way, and what comes of it for them."""

    def __init__(self, telling: Telling, line: Line, classes: list[Rules]) -> None:
        self.telling, self.line, self.classes = telling, line, classes
        self.findings: list[Found] = []
        self.rows: list[tuple[str | None, str | None, str]] = []
        """From, to and how; a row that is told or not."""
        self.beliefs: dict[int, frozenset[str] | None] = {}
        self.new_life = False
        self.made = False

    @property
    def worst(self) -> int:
        """The worst verdict of the group's findings; -1 without any."""
        return max((finding.verdict for finding in self.findings), default=-1)


class Judge:
    """Judges the observations of one instance, given one after the other."""

    def __init__(self, context: Context, tables: Tables, owner: int) -> None:
        self.context, self.tables, self.owner = context, tables, owner
        self.spec = context.plan.specs[owner]
        self.lines = {line.number: line for line in (self.spec.log.lines if self.spec.log else ())}
        self.beliefs: dict[int, frozenset[str] | None] = {}
        self.life, self.observations, self.steps = 1, 0, 0
        self.point: StatePoint | None = None
        self.findings: list[Found] = []
        self.unjudged: dict[str, list[object]] = {}
        self.over = False
        self._one_life = self.spec.log is not None and self.spec.log.generation is not None
        """A key with a generation names one life: no sign of a beginning touches it."""
        self._sign = False
        self._last: tuple[int, Position] | None = None
        self._counted: dict[tuple[object, ...], Found] = {}
        self._listed = 0
        self._told: tuple[str | None, str | None] | None = None

    # ------------------------------------------------------------------------------------------------------ one observation

    def feed(self, seen: Observation) -> Iterator[StepRow | StatePoint]:
        """Judge one observation.

        Yields:
            The timeline rows that it proves, and a point where the believed states change.
        """
        self.observations += 1
        number = self.context.process(seen)
        process = self.context.processes[number]
        position = self.context.position(seen)
        fitting = process.fitting(self.owner, self.spec.family.name, position)
        classes = self.tables.classes(self.owner, fitting)
        groups = self._groups(seen, classes)
        if not groups:
            self._unjudged(self._not_a_line(fitting), seen)
            return
        before = self._last
        signed = not self._one_life and (self._sign or (before is not None and before[0] == number and process.began_between(before[1], position)))
        for group in groups:
            _Reading(self, seen, number, group, signed).judge()
        chosen = min(groups, key=lambda group: (group.worst, -group.classes[-1].releases.bit_length()))
        yield from self._take(seen, number, position, groups, chosen)

    def _groups(self, seen: Observation, classes: list[Rules]) -> list[Group]:
        groups: dict[Telling, Group] = {}
        for rules in classes:
            telling = next((t for t in seen.tellings if t.releases & rules.releases), None)
            if telling is not None:
                groups.setdefault(telling, Group(telling, self.lines[telling.line], [])).classes.append(rules)
        return list(groups.values())

    def _take(self, seen: Observation, number: int, position: Position, groups: list[Group], chosen: Group) -> Iterator[StepRow | StatePoint]:
        """Put what was found into the state of the judge."""
        says = chosen.line.says[0]
        if chosen.new_life:
            self.life += 1
        after: dict[int, frozenset[str] | None] = {}
        for group in groups:
            after |= group.beliefs
        changed = bool(chosen.rows) or chosen.new_life
        if changed:
            self._counted.clear()
        for source, target, how in chosen.rows:
            told = how == "told"
            self.steps += told
            life = self.life - (how == "ended unseen")
            yield StepRow(life, seen.at, seen.zone, source, target, how, number, seen.file, seen.line if told else 0)
        for finding in chosen.findings:
            self._add(finding)
        if after:
            yield from self._believe(after, seen, number, chosen)
        self.over = says == Says.END or (self.over and not changed)
        self._sign = says in (Says.BEGIN, Says.END) or (self._sign and not after)
        if after or self._last is None:
            self._last = number, position
        if chosen.made:
            self._told = chosen.telling.source, chosen.telling.target

    def _believe(self, after: dict[int, frozenset[str] | None], seen: Observation, number: int, chosen: Group) -> Iterator[StatePoint]:
        self.beliefs = after
        states = self.states()
        assert states is not None
        if self.point is None or self.point.states != states or chosen.rows or chosen.new_life:
            self.point = StatePoint(states, seen.at, seen.zone, number, seen.file, seen.line, bool(chosen.rows))
            yield self.point

    def states(self) -> tuple[str, ...] | None:
        """Return the states that the instance may be in, in the author's order; None: any."""
        found: set[str] = set()
        for belief in self.beliefs.values():
            if belief is None:
                return None
            found |= belief
        return tuple(dict.fromkeys(s.name for s in self.spec.states if s.name in found)) if self.beliefs else None

    def believed(self, rules: Rules) -> frozenset[str] | None:
        """Return the states that a class of releases believes in; what another class believed holds where it was not asked before."""
        if rules.releases in self.beliefs or not self.beliefs:
            return self.beliefs.get(rules.releases, ANY)
        states = self.states()
        return ANY if states is None else frozenset(states)

    # ------------------------------------------------------------------------------------------------------------- findings

    def _add(self, finding: Found) -> None:
        key = (finding.kind, finding.process, finding.life, finding.source, finding.target, finding.outcome, finding.verdict)
        counts = finding.kind in COUNTED and finding.verdict == Verdict.HOLDS
        known = self._counted.get(key)
        if known is not None and (counts or self._listed >= LISTED):
            known.count += 1
            known.last_file, known.last_line = finding.seen.file, finding.seen.line
            return
        finding.life = self.life
        finding.last_file, finding.last_line = finding.seen.file, finding.seen.line
        self._counted[key] = finding
        self._listed += finding.verdict != Verdict.HOLDS
        self.findings.append(finding)

    def _unjudged(self, why: str, seen: Observation) -> None:
        known = self.unjudged.setdefault(why, [why, 0, seen.file, seen.line, seen.text])
        known[1] += 1  # type: ignore[operator]

    def _not_a_line(self, fitting: int) -> str:
        names = self.spec.family.ranges(fitting)
        return f"not a line of {names}" if names else "no release fits"


class _Reading:
    """One observation as one group of classes reads it."""

    def __init__(self, judge: Judge, seen: Observation, process: int, group: Group, signed: bool) -> None:
        self.judge_of, self.seen, self.process, self.group, self.signed = judge, seen, process, group, signed
        self.classes = group.classes
        self.source, self.target = group.telling.source, group.telling.target
        self.beliefs = {rules.releases: judge.believed(rules) for rules in group.classes}

    def judge(self) -> None:
        """Fill the group with what comes of the observation."""
        says = self.group.line.says
        match says[0]:
            case Says.STEP | Says.FORCED | Says.EVENT if self.target is not None:
                self._step(forced=says[0] is Says.FORCED)
            case Says.IS | Says.BEGIN:
                state = self.group.telling.state or self.source
                if state is not None:
                    self._is(state, begins=says[0] is Says.BEGIN)
            case Says.ASKED | Says.NOTE | Says.END:
                if self.source is not None:
                    self._is(self.source)
            case _:
                self._outcome(says)

    # ---------------------------------------------------------------------------------------------------------------- steps

    def _step(self, forced: bool) -> None:
        assert self.target is not None
        if self.group.line.echo and self._is_known():
            return
        if self.source is None and not self._settle_source():
            return
        assert self.source is not None
        source, target = self.source, self.target
        legal = [rules for rules in self.classes if rules.allows(source, target)]
        if not legal or (forced and len(legal) < len(self.classes)):
            self._forbidden(forced)
        else:
            self._reach(source, legal)
            if not any(rules.takes(source, target) for rules in legal):
                self._find("unusual", Verdict.HOLDS, f"{source} -> {target} stands in the table, and the code never takes it")
        self.group.rows.append((source, target, "told"))
        self.group.made = True
        self.group.beliefs = {rules.releases: frozenset((target,)) for rules in self.classes}

    def _is_known(self) -> bool:
        """Say whether an echo only repeats what another line tells, or will tell."""
        judge, pair = self.judge_of, (self.source, self.target)
        if judge._told == pair or (self.source is None and judge.states() == (self.target,)):
            return True
        shown = self._shown()
        return any(not line.echo and line.number in shown for rules in self.classes for line in rules.tellers.get(pair, ()))  # type: ignore[arg-type]

    def _settle_source(self) -> bool:
        """Find the state that a step began in which names only its target; False where the line only says what is."""
        target = self.target
        assert target is not None
        for rules in self.classes:
            belief = self.beliefs[rules.releases]
            may_be_there = belief is None or target in belief
            if may_be_there and not rules.allows(target, target):
                self._is(target)
                return False
        sources = [s for rules in self.classes for s in rules.states if rules.allows(s, target)]
        believed = [s for s in sources if any(b is None or s in b for b in self.beliefs.values())]
        reached = [s for s in sources if self._way(s, self.classes) is not None]
        self.source = next(iter(believed or reached or sources), None)
        if self.source is None:
            self._is(target)
        return self.source is not None

    def _forbidden(self, forced: bool) -> None:
        source, target = self.source, self.target
        spec = self.judge_of.spec
        legal_in = sum(rules.releases for rules in self.judge_of.tables.all(self.judge_of.owner) if rules.allows(source or "", target or ""))
        where = f"; legal in {spec.family.ranges(legal_in)}" if legal_in and spec.family.name else ""
        done = ", done all the same" if forced else ""
        self._find("forbidden", Verdict.VIOLATED, f"{source} -> {target} is not allowed{done}{where}", legal_in=legal_in, outcome="done")

    # --------------------------------------------------------------------------------------------------- what is told to be

    def _is(self, state: str, begins: bool = False) -> None:
        """The instance is told to be in a state."""
        self.signed = self.signed or (begins and not self.judge_of._one_life)
        self._reach(state, self.classes)
        self.group.beliefs = {rules.releases: frozenset((state,)) for rules in self.classes}

    def _reach(self, state: str, classes: list[Rules]) -> None:
        """Judge how the instance came to be in a state: the rows of the table of `docs/judging.md` from the second on."""
        beliefs = [self.beliefs[rules.releases] for rules in classes]
        if any(belief is None or state in belief for belief in beliefs):
            return
        if unseen := self._way(state, classes):
            self.group.rows += unseen
            return
        initial = any(state in rules.initial for rules in classes)
        if initial and self.signed:
            self._new_life()
        elif path := self._path(state, classes):
            self._gap(path, state)
        elif initial:
            self._find("began again", Verdict.INCONCLUSIVE,
                       f"{state} is where a life begins, and no line since says that one began; a line of the beginning would decide it")
            self._new_life()
        else:
            self._impossible(state)

    def _shown(self) -> frozenset[int]:
        judge = self.judge_of
        return judge.tables.shown(judge.context, self.process, self.seen.file, judge.owner)

    def _way(self, state: str, classes: list[Rules]) -> list[tuple[str | None, str | None, str]] | None:
        """Return the rows of the shortest way over steps that this file does not show; None: there is none."""
        shown = self._shown()
        for rules in reversed(classes):
            unseen = rules.unseen.under(shown)
            path = shortest(rules, self.beliefs[rules.releases] or (), state, unseen)
            if path is not None:
                return [(a, b, unseen[a, b]) for a, b in path]
        return None

    def _path(self, state: str, classes: list[Rules]) -> list[tuple[str | None, str | None, str]] | None:
        shown = self._shown()
        for rules in reversed(classes):
            path = shortest(rules, self.beliefs[rules.releases] or (), state)
            if path is not None:
                unseen = rules.unseen.under(shown)
                return [(a, b, unseen.get((a, b), "missing")) for a, b in path]
        return None

    def _gap(self, path: list[tuple[str | None, str | None, str]], state: str) -> None:
        missing = tuple(f"{a} -> {b}" for a, b, how in path if how == "missing")
        self._find("gap", Verdict.INCONCLUSIVE, f"{self._was_words()}; the log should show {', '.join(missing)} in between",
                   missing=missing)
        self.group.rows += path

    def _impossible(self, state: str) -> None:
        legal = ", ".join(self._legal()) or "nothing"
        self._find("impossible", Verdict.VIOLATED, f"{self._was_words()}; nothing leads from there to {state} (legal there: {legal})")

    def _new_life(self) -> None:
        judge = self.judge_of
        states = judge.states() or ()
        finals = {s for rules in self.classes for s in rules.final}
        if not judge.over and not set(states) <= finals:
            self.group.rows.append((states[0] if len(states) == 1 else None, None, "ended unseen"))
        self.group.new_life = True

    # ------------------------------------------------------------------------------------------------------------- outcomes

    def _outcome(self, says: tuple[Says, ...]) -> None:
        """A request was swallowed, refused or raised, or a legal move failed."""
        if self.source is not None:
            self._is(self.source)
        source = self.source or (next(iter(states)) if (states := self.judge_of.states()) and len(states) == 1 else None)
        allowed = [source is not None and self.target is not None and rules.allows(source, self.target) for rules in self.classes]
        known = source is not None and self.target is not None
        kind = says[0]
        if len(says) > 1:
            kind = Says.REFUSED if known and not any(allowed) and Says.REFUSED in says else says[-1]
        if kind is not Says.FAILED and known and all(allowed):
            verdict = Verdict.INCONCLUSIVE if kind is Says.IGNORED else Verdict.VIOLATED
            self._find("contradiction", verdict, f"{source} -> {self.target} is allowed, and was {kind} all the same", outcome=str(kind))
            return
        expected = [rules.decided(source or "", self.target or "") for rules in self.classes] if known and not any(allowed) else []
        self._find(str(kind), Verdict.HOLDS, spec_words(kind, source, self.target, expected, self.seen.reason),
                   outcome=outcome_words(kind, expected, self.seen.reason))

    # ---------------------------------------------------------------------------------------------------------------- words

    def _was_words(self) -> str:
        states = self.judge_of.states() or ()
        point = self.judge_of.point
        name = self.judge_of.context.files[point.file].name if point else ""
        return f"was {' or '.join(states)}" + (f" ({name}:{point.line})" if point else "")

    def _legal(self) -> tuple[str, ...]:
        rules = self.classes[-1]
        states = self.judge_of.states() or ((self.source,) if self.source else ())
        return tuple(dict.fromkeys(target for state in states for target in rules.legal.get(state, ())))

    def _find(self, kind: str, verdict: Verdict, message: str, *, outcome: str | None = None, missing: tuple[str, ...] = (),
              legal_in: int = 0) -> None:
        judge = self.judge_of
        source = self.source or self.group.telling.state
        self.group.findings.append(Found(kind, verdict, self.seen, self.process, judge.life, source, self.target, self.group.line.number,
                                         outcome, self._legal(), missing, judge.point, legal_in, message))
