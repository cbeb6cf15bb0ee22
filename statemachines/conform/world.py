"""What everything that was judged says together: which subjects there are, and what of them is over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from attrs import field, frozen

from statemachines.conform.eras import Eras, eras_of
from statemachines.conform.judged import Judged
from statemachines.conform.naming import instant, log_of, subject_of
from statemachines.conform.observations import Position
from statemachines.conform.processes import Context
from statemachines.conform.restarts import Restarts, Subject, restarts_of
from statemachines.conform.rules import Rules
from statemachines.conform.summary import is_shared, teller
from statemachines.conform.tables import Tables
from statemachines.model.reports import Instant, Key


@frozen
class Over:
    """Where something was over, whatever was told of it before."""

    at: Instant | None


@frozen
class World:
    """The subjects of a log in the order of the report, and what began anew."""

    context: Context
    tables: Tables
    subjects: Sequence[Subject]
    eras: Eras
    restarts: Restarts
    _led: dict[tuple[object, ...], bool] = field(factory=dict, init=False, eq=False)

    def over_since(self, subject: Key, last: Judged) -> Over | None:
        """Return where the program or the system began anew that a subject is a part of; None where it was heard of since.

        Args:
            subject: its key.
            last: its last instance.
        """
        restart = self.restarts.unheard_since(subject, last)
        if restart is not None:
            return Over(instant(restart))
        wiped = self.eras.ended(self.context, last)
        return self._over(wiped, last) if wiped is not None else None

    def restarted_since(self, last: Judged) -> Over | None:
        """Return where the only process that tells of an instance began anew since; None where it did not.

        What several processes tell of, and what has generations, outlives each of them.
        """
        log = log_of(self.context.plan, last.owner)
        if last.since is None or last.heard is None or is_shared(self.context, last.owner) or log.generation is not None:
            return None
        started = self.context.processes[last.since.process].started_after(last.heard)
        return self._over(started, last) if started is not None else None

    @staticmethod
    def _over(where: Position, last: Judged) -> Over:
        timed = last.since is not None and last.since.at is not None
        return Over(Instant(where.reached, last.since.zone) if timed and last.since is not None else None)

    def may_have_left(self, last: Judged, to: frozenset[str]) -> bool:
        """Tell whether steps that no file of the process shows lead from where an instance is to any of some states.

        Args:
            last: the instance.
            to: the states.
        """
        if last.since is None or last.states is None:
            return False
        key = last.owner, last.since.process, last.states, to
        if key not in self._led:
            shown = self.tables.would_show(self.context, last.since.process, last.owner)
            classes = self.tables.classes(last.owner, fitting(self.context, last.owner, [last]))
            self._led[key] = any(_leads(rules, last.states, to, shown) for rules in classes)
        return self._led[key]


def _leads(rules: Rules, start: Iterable[str], to: frozenset[str], shown: frozenset[int]) -> bool:
    """Tell whether hidden steps lead from some states to others."""
    hidden = [arrow for arrow, how in rules.unseen.under(shown).items() if how == "hidden"]
    reached = set(start)
    while more := {target for source, target in hidden if source in reached} - reached:
        reached |= more
    return bool((reached - set(start)) & to)


def world_of(context: Context, tables: Tables, judged: Sequence[Judged]) -> World:
    """Gather the instances of each subject; they come in the order of the report, and in it stay: what was made anew comes later."""
    eras = eras_of(context, judged)
    gathered: dict[tuple[int, int, Key], list[Judged]] = defaultdict(list)
    for j in judged:
        told_by = teller(context, j.owner, j.processes[0]) if j.processes else -1
        gathered[j.owner, told_by, subject_of(context, j.owner, j.key)].append(j)
    by_era = [(owner, key, sorted(found, key=lambda j: eras.of(context, j))) for (owner, _, key), found in gathered.items()]
    return World(context, tables, by_era, eras, restarts_of(context, by_era))


def fitting(context: Context, owner: int, judged: Sequence[Judged]) -> int:
    """Return the releases that fit any process that tells of some instances."""
    found = 0
    for number in {p for j in judged for p in j.processes}:
        process = context.processes[number]
        for fit in process.own_fits.get(owner) or process.fits.get(context.plan.owners[owner].family) or ():
            found |= fit.releases
    return found
