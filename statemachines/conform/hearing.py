"""One observation, heard by the classes of releases that read it alike: what it proves, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from statemachines.conform.judged import Belief, Found, StatePoint
from statemachines.conform.observations import Observation, Telling
from statemachines.conform.processes import Context
from statemachines.conform.rules import Rules, shortest
from statemachines.conform.tables import Tables
from statemachines.conform.words import outcome_words, request_words
from statemachines.model.loglines import Line, Says
from statemachines.model.machines import Spec, Transition
from statemachines.model.verdicts import Verdict

if TYPE_CHECKING:
    from statemachines.conform.knowing import Knowing

MOVES = {Says.STEP, Says.FORCED, Says.EVENT}
"""What a line says that tells of a step."""
MOST_NAMES = 12
"""States that a message names."""
RESTART_MS = 60_000
"""So long as this, a silence may hide that a program was ended and begun anew."""
Row = tuple["str | None", "str | None", str]
"""From, to and how a step is known."""


class Instance(Protocol):
    """What a hearing asks of the instance that is judged."""

    context: Context
    tables: Tables
    owner: int
    spec: Spec
    life: int
    over: bool
    one_life: bool
    point: StatePoint | None
    instead: frozenset[str]
    told: tuple[str | None, str | None] | None
    knowing: Knowing | None

    def states(self) -> tuple[str, ...] | None:
        """The states that it may be in; None: any."""

    def believed(self, rules: Rules) -> Belief:
        """The states that a class of releases believes in."""


class Group:
    """The classes of releases that read an observation in the same way, and what comes of it for them."""

    def __init__(self, telling: Telling, line: Line, classes: Sequence[Rules]) -> None:
        self.telling, self.line, self.classes = telling, line, classes
        self.findings: list[Found] = []
        self.rows: list[Row] = []
        self.beliefs: dict[int, Belief] = {}
        """By the releases of a class."""
        self.new_life = False
        self.made = False
        """Whether a step was told."""
        self.taken: list[tuple[Rules, Transition]] = []
        """What a told step may have taken, of a machine whose lines tell values."""
        self.stays = False
        """Whether the event that is told may also have changed nothing."""
        self.instead: frozenset[str] = frozenset()
        """After a forbidden step: the states in which the instance may be if the line is not true."""

    @property
    def worst(self) -> int:
        """The worst verdict of the group's findings; -1 without any."""
        return max((finding.verdict for finding in self.findings), default=-1)


class Hearing:
    """One observation as one group of classes reads it; `judge` fills the group."""

    def __init__(self, instance: Instance, seen: Observation, process: int, group: Group, signed: bool) -> None:
        self.instance, self.seen, self.process, self.group, self.signed = instance, seen, process, group, signed
        self.classes = group.classes
        self.source, self.target = group.telling.source, group.telling.target
        self.beliefs = {rules.releases: instance.believed(rules) for rules in group.classes}

    def judge(self) -> None:
        """Fill the group with what comes of the observation."""
        says, knowing = self.group.line.says, self.instance.knowing
        if knowing is not None:
            knowing.forget_unseen(self.classes, self.shown())
        if unknown := self._unknown():
            self._is_unknown(unknown)
            return
        match says[0]:
            case Says.STEP | Says.FORCED | Says.EVENT if self.target is not None:
                self._step(forced=says[0] is Says.FORCED)
            case Says.IS | Says.BEGIN:
                state = self.group.telling.state or self.source
                if state is not None:
                    self._is(state, begins=says[0] is Says.BEGIN)
                elif says[0] is Says.BEGIN and not self.instance.one_life:
                    self._begins_somewhere()
            case Says.ASKED | Says.NOTE | Says.END:
                if self.source is not None:
                    self._is(self.source)
            case _:
                self._outcome(says)

    # ------------------------------------------------------------------------------------------------------- unknown states

    def _unknown(self) -> dict[str, str]:
        """Return the fields of the line that tell a state which the machine does not have, or not in these releases, and its name."""
        told = self.group.telling
        elsewhere = {} if told.state is None or any(told.state in rules.states for rules in self.classes) else {"state": told.state}
        return elsewhere | dict(told.unknown)

    def _is_unknown(self, unknown: dict[str, str]) -> None:
        """A line tells a state that nothing is known of: what it tells beside it counts, and behind it the instance may be anywhere."""
        telling, spec = self.group.telling, self.instance.spec
        if self.source is not None:
            self._is(self.source)
        self.source, self.target = unknown.get("from", self.source), unknown.get("to", self.target)
        names = " and ".join(dict.fromkeys(unknown.values()))
        has = ", ".join(self.classes[-1].states[:MOST_NAMES]) + (", …" if len(self.classes[-1].states) > MOST_NAMES else "")
        why = f"{names}: no state of {spec.name}, which has {has}; a spec that has it would decide what may follow"
        self.find("unknown state", Verdict.INCONCLUSIVE, why, source=unknown.get("state"))
        if self.group.line.says[0] not in MOVES and "state" not in unknown:
            return
        known = None if "to" in unknown or "state" in unknown else telling.target
        self.group.rows.append((telling.source, known, "unknown"))
        self.group.beliefs = {rules.releases: frozenset((known,)) if known else None for rules in self.classes}

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
        if refusal := self._refusal(legal, source, target):
            self._guarded(source, target, refusal)
        elif not legal or (forced and len(legal) < len(self.classes)):
            self._forbidden(forced)
        else:
            self._reach(source, legal)
            if not any(rules.takes(source, target) for rules in legal):
                self.find("unusual", Verdict.HOLDS, f"{source} -> {target} stands in the table, and the code never takes it")
        self.group.rows.append((source, target, "told"))
        self.group.made = True
        self.group.beliefs = {rules.releases: frozenset((target,)) for rules in self.classes}

    def _refusal(self, legal: Sequence[Rules], source: str, target: str) -> str | None:
        """Return the known values by which no release can take a step that its table has; None: it may be, and `taken` says by what."""
        knowing, telling = self.instance.knowing, self.group.telling
        if knowing is None or not legal:
            return None
        arrows = [(rules, arrow) for rules in legal for arrow in rules.arrows if (arrow.source, arrow.target) == (source, target)]
        arrows = [(rules, arrow) for rules, arrow in arrows if telling.event in (None, arrow.event)] or arrows
        self.group.taken = [(rules, arrow) for rules, arrow in arrows if not knowing.refuses(rules, arrow, telling)]
        return None if self.group.taken else knowing.words()

    def _guarded(self, source: str, target: str, refusal: str) -> None:
        """A guard is false on what the log tells."""
        why = f"{source} -> {target} is not allowed: its guard does not hold with {refusal}"
        self.find("forbidden", Verdict.VIOLATED, why, outcome="done")

    def _is_known(self) -> bool:
        """Say whether an echo only repeats what another line tells, or will tell."""
        instance, target = self.instance, self.target
        if instance.told == (self.source, target) or (self.source is None and instance.states() == (target,)):
            return True
        shown = instance.tables.shown_anywhere(instance.context, self.process, instance.owner)
        arrows = (
            (rules, arrow)
            for rules in self.classes
            for arrow in rules.arrows
            if arrow.target == target and self.source in (None, arrow.source)
        )
        return any(not line.echo and line.number in shown for rules, arrow in arrows for line in rules.tellers[arrow.source, arrow.target])

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
        spec = self.instance.spec
        legal_in = sum(
            rules.releases for rules in self.instance.tables.all(self.instance.owner) if rules.allows(source or "", target or "")
        )
        where = f"; legal in {spec.family.ranges(legal_in)}" if legal_in and spec.family.name else ""
        done = ", done all the same" if forced else ""
        self.find("forbidden", Verdict.VIOLATED, f"{source} -> {target} is not allowed{done}{where}", legal_in=legal_in, outcome="done")
        if not forced:
            self.group.instead = frozenset(
                (source or "", *(state for rules in self.classes for state in rules.legal.get(source or "", ())))
            )

    # --------------------------------------------------------------------------------------------------- what is told to be

    def _is(self, state: str, begins: bool = False) -> None:
        """The instance is told to be in a state."""
        self.signed = self.signed or (begins and not self.instance.one_life)
        self._reach(state, self.classes)
        self.group.beliefs = {rules.releases: frozenset((state,)) for rules in self.classes}

    def _begins_somewhere(self) -> None:
        """A life begins, and the line does not say in which state: what was believed is over unless a life may begin there."""
        if all(not (self.beliefs[rules.releases] or rules.initial) & rules.initial for rules in self.classes):
            self._new_life()
            self.group.beliefs = {rules.releases: rules.initial for rules in self.classes}

    def _reach(self, state: str, classes: Sequence[Rules]) -> None:
        """Judge how the instance came to be in a state: the rows of the table of `docs/judging.md` from the second on."""
        beliefs = [self.beliefs[rules.releases] for rules in classes]
        if any(belief is None or state in belief for belief in beliefs):
            return
        if unseen := self._way(state, classes):
            self.group.rows += unseen
            return
        initial = any(state in rules.initial for rules in classes)
        begins = self.signed or self._may_begin_unseen(classes)
        if begins and (begun := self._way_of_a_life(state, classes)) is not None:
            self._new_life()
            self.group.rows += begun
        elif self._is_as_if_nothing_were_forbidden(state, classes):
            return
        elif path := self._path(state, classes):
            self._gap(path)
        elif initial:
            self._began_again(state)
        elif self._is_over(classes) and (lost := self._path_of_a_life(state, classes)):
            self._lost_beginning(lost)
        else:
            self._impossible(state)

    def _is_over(self, classes: Sequence[Rules]) -> bool:
        """Say whether the life that was believed may be over, so that what is told may be of a later one whose first lines are lost.

        A final state that may still be left (an error that only closing ends) does not end a life where the line tells that very way on:
        then its from-state is wrong, and a later life would explain everything.
        """
        if self.instance.one_life:
            return False
        if self.signed or self.instance.over:
            return True
        beliefs = [(rules, self.beliefs[rules.releases] or frozenset()) for rules in classes]
        goes_on = self._is_soon() and all(rules.allows(state, self.target or "") for rules, belief in beliefs for state in belief)
        return not goes_on and any(belief and belief <= rules.final for rules, belief in beliefs)

    def _is_soon(self) -> bool:
        """Say whether a line comes so soon after the one that made the state that no program was ended and begun anew in between."""
        before, now = self.instance.point, self.seen.at
        return before is not None and before.at is not None and now is not None and now - before.at <= RESTART_MS

    def _is_as_if_nothing_were_forbidden(self, state: str, classes: Sequence[Rules]) -> bool:
        """Say whether the line before was forbidden and this one follows if it was not true: a fault is told once."""
        instead, shown = self.instance.instead, self.shown()
        return bool(instead) and any(shortest(rules, instead, state, rules.unseen.under(shown)) is not None for rules in classes)

    def shown(self) -> frozenset[int]:
        """Return the numbers of the lines that the file shows."""
        instance = self.instance
        return instance.tables.shown(instance.context, self.process, self.seen.file, instance.owner)

    def _way(self, state: str, classes: Sequence[Rules]) -> list[Row] | None:
        """Return the rows of the shortest way over steps that this file does not show; None: there is none."""
        shown = self.shown()
        for rules in reversed(classes):
            unseen = rules.unseen.under(shown)
            path = shortest(rules, self.beliefs[rules.releases] or (), state, unseen)
            if path is not None:
                return [(a, b, unseen[a, b]) for a, b in path]
        return None

    def _may_begin_unseen(self, classes: Sequence[Rules]) -> bool:
        """Say whether the last life was over in this process, and the lines that tell of a beginning are none that this file shows."""
        point = self.instance.point
        over = all((self.beliefs[rules.releases] or rules.initial) <= rules.final for rules in classes)
        if self.instance.one_life or not over or point is None or point.process != self.process:
            return False
        begins = {line.number for rules in classes for line in rules.lines if Says.BEGIN in line.says}
        return bool(begins) and not begins & self.shown()

    def _way_of_a_life(self, state: str, classes: Sequence[Rules]) -> list[Row] | None:
        """Return the rows of the shortest way from where a life begins over steps that this file does not show; None: there is none."""
        shown = self.shown()
        for rules in reversed(classes):
            unseen = rules.unseen.under(shown)
            path = shortest(rules, rules.initial, state, unseen)
            if path is not None:
                return [(a, b, unseen[a, b]) for a, b in path]
        return None

    def _path(self, state: str, classes: Sequence[Rules]) -> list[Row] | None:
        shown = self.shown()
        for rules in reversed(classes):
            path = shortest(rules, self.beliefs[rules.releases] or (), state)
            if path is not None:
                unseen = rules.unseen.under(shown)
                return [(a, b, unseen.get((a, b), "missing")) for a, b in path]
        return None

    def _path_of_a_life(self, state: str, classes: Sequence[Rules]) -> list[Row] | None:
        """Return the rows of the shortest path from where a life begins; None: there is none."""
        shown = self.shown()
        for rules in reversed(classes):
            path = shortest(rules, rules.initial, state)
            if path is not None:
                unseen = rules.unseen.under(shown)
                return [(a, b, unseen.get((a, b), "missing")) for a, b in path]
        return None

    def _lost_beginning(self, path: list[Row]) -> None:
        """A later life, whose first lines are not in the log."""
        missing = tuple(f"{a} -> {b}" for a, b, how in path if how == "missing")
        why = f"{self._was_words()}, and that life is over; the log should show the beginning of a new one: {', '.join(missing)}"
        self._new_life()
        self.find("gap", Verdict.INCONCLUSIVE, why, missing=missing)
        self.group.rows += path

    def _gap(self, path: list[Row]) -> None:
        missing = tuple(f"{a} -> {b}" for a, b, how in path if how == "missing")
        self.find("gap", Verdict.INCONCLUSIVE, f"{self._was_words()}; the log should show {', '.join(missing)} in between", missing=missing)
        self.group.rows += path

    def _began_again(self, state: str) -> None:
        why = f"{state} is where a life begins, and no line since says that one began; a line of the beginning would decide it"
        self.find("began again", Verdict.INCONCLUSIVE, why)
        self._new_life()

    def _impossible(self, state: str) -> None:
        legal = ", ".join(self._legal()) or "nothing"
        self.find("impossible", Verdict.VIOLATED, f"{self._was_words()}; nothing leads from there to {state} (legal there: {legal})")

    def _new_life(self) -> None:
        instance = self.instance
        states = instance.states() or ()
        finals = {s for rules in self.classes for s in rules.final}
        if not instance.over and not set(states) <= finals:
            self.group.rows.append((states[0] if len(states) == 1 else None, None, "ended unseen"))
        self.group.new_life = True

    # ------------------------------------------------------------------------------------------------------------- outcomes

    def _outcome(self, says: tuple[Says, ...]) -> None:
        """A request was swallowed, refused or raised, or a legal move failed."""
        if self.source is not None:
            self._is(self.source)
        source = self.source or (next(iter(states)) if (states := self.instance.states()) and len(states) == 1 else None)
        allowed = [source is not None and self.target is not None and rules.allows(source, self.target) for rules in self.classes]
        known = source is not None and self.target is not None
        kind = says[0]
        if len(says) > 1:
            kind = Says.REFUSED if known and not any(allowed) and Says.REFUSED in says else says[-1]
        if kind is not Says.FAILED and known and all(allowed):
            verdict = Verdict.INCONCLUSIVE if kind is Says.IGNORED else Verdict.VIOLATED
            self.find("contradiction", verdict, f"{source} -> {self.target} is allowed, and was {kind} all the same", outcome=str(kind))
            return
        expected = [rules.decided(source or "", self.target or "") for rules in self.classes] if known and not any(allowed) else []
        self.find(
            str(kind),
            Verdict.HOLDS,
            request_words(kind, source, self.target, expected, self.seen.reason),
            outcome=outcome_words(kind, expected, self.seen.reason),
        )

    # ---------------------------------------------------------------------------------------------------------------- words

    def _was_words(self) -> str:
        states = self.instance.states() or ()
        point = self.instance.point
        name = self.instance.context.files[point.file].name if point else ""
        return f"was {' or '.join(states)}" + (f" ({name}:{point.line})" if point else "")

    def _legal(self) -> tuple[str, ...]:
        rules = self.classes[-1]
        states = self.instance.states() or ((self.source,) if self.source else ())
        return tuple(dict.fromkeys(target for state in states for target in rules.legal.get(state, ())))

    def find(
        self,
        kind: str,
        verdict: Verdict,
        message: str,
        *,
        outcome: str | None = None,
        missing: tuple[str, ...] = (),
        legal_in: int = 0,
        source: str | None = None,
    ) -> None:
        instance = self.instance
        source = source or self.source or self.group.telling.state
        self.group.findings.append(
            Found(
                kind,
                verdict,
                self.seen,
                self.process,
                instance.life,
                source,
                self.target,
                self.group.line.number,
                outcome,
                self._legal(),
                missing,
                instance.point,
                legal_in,
                message,
            )
        )
