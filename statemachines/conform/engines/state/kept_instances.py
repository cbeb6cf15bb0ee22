"""Which instances are judged again, and from where: those that no new line is about keep the
judgement of an earlier check, others go on from what judging came to, where nothing that it rests
on is otherwise by now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from heapq import merge

from attrs import define, field, frozen

from statemachines.conform.columns.column_lines import ColumnLines, FoldedLines
from statemachines.conform.engines.observation_store import ColumnStore
from statemachines.conform.engines.ordered_instances import (
    InstanceLines,
    SortedInstances,
    ordered_instances,
)
from statemachines.conform.engines.spilled_observations import units_of
from statemachines.conform.engines.state.judged_facts import (
    ChangedFacts,
    JudgedFacts,
    JudgementHead,
    judged_facts,
    numbering_of,
)
from statemachines.conform.engines.state.kept_files import FileContent
from statemachines.conform.engines.state.kept_variants import KeptGroup
from statemachines.conform.engines.state.observed_parts import ObservedPart
from statemachines.conform.engines.state.renumbering import Numbering, Renumbering
from statemachines.conform.engines.state.state_folder import StateFolder
from statemachines.conform.interchange.judgements import InstanceJudgement, StepRow
from statemachines.conform.interchange.observations import FileTeller, KeyValues, Observation
from statemachines.conform.interchange.variants import MemberKey
from statemachines.conform.join.report_sources import instance_sort_key
from statemachines.conform.judge.judgement_pass import may_go_on
from statemachines.conform.settle.judging_context import (
    InstanceIdentity,
    JudgingContext,
    instance_identity,
    reporting_process,
)
from statemachines.conform.settle.processes import Unit

_NOTHING_KNOWN = JudgedFacts({}, {}, ())


@define
class KnownInstance:
    """An instance whose judgement still holds for the lines that it is of."""

    name: str
    """What it is called in the folder."""
    head: JudgementHead
    renumbering: Renumbering


@frozen
class _AllInstances(SortedInstances):
    """Those that new lines tell of, and those that none does."""

    context: JudgingContext
    with_lines: Mapping[InstanceIdentity, Iterable[Observation]]
    known: Sequence[InstanceIdentity]
    """Whose judgements stand, of those with judgements of their own; some are told of, too."""
    grouped: Sequence[KeptGroup]
    """Those that are asked for one by one, and those of which only some stand for the others."""

    def pairs(self) -> Iterator[InstanceLines]:
        """Yield all instances with what lines tell of them, in the order of the report."""
        streams = [ordered_instances(self.context, self.with_lines), self._untold()]
        return merge(*streams, *map(self._standing, self.grouped), key=self._sort_key)

    def _untold(self) -> Iterator[InstanceLines]:
        with_new_lines = set(self.with_lines)  # at once: of columns, each look-up goes through all
        untold = [who for who in self.known if who not in with_new_lines]
        return ((who, ()) for who in sorted(untold, key=partial(instance_sort_key, self.context)))

    def _standing(self, group: KeptGroup) -> Iterator[InstanceLines]:
        return group.pairs(self.context)

    def _sort_key(self, pair: InstanceLines) -> tuple[object, ...]:
        return instance_sort_key(self.context, pair[0])


@define
class KeptInstances:
    """The instances of a check that uses a state folder; its store holds what was read just now."""

    state: StateFolder
    store: ColumnStore
    context: JudgingContext
    files: Mapping[int, FileContent]
    """Of each file what is kept; where one has none, nothing is kept of what is judged."""
    keeps_rows: Callable[[int], bool]
    """Whether the report has the steps of a machine."""
    may_be_in_group: Callable[[InstanceJudgement], bool]
    """Whether where it is, is all that is told of an instance, and of those of its variant."""
    numbering: Numbering = field(init=False)
    facts: JudgedFacts = field(init=False)
    known: dict[InstanceIdentity, KnownInstance] = field(init=False)
    grouped: list[KeptGroup] = field(init=False)
    """Instances whose judgements still hold, too."""
    outdated: set[str] = field(init=False, factory=set)
    """What those are called in the folder whose judgements do not hold any more."""
    outdated_groups: set[int] = field(init=False, factory=set)
    """Groups of which that is so."""
    _standing: dict[tuple[int, int], set[MemberKey]] = field(init=False, factory=dict)
    """The keys of those of `grouped` that are left, by machine and teller."""
    _moves: Mapping[int, Renumbering | None] = field(init=False, factory=dict)
    """From the numbers of earlier checks to those of this one."""
    _judged: Mapping[int, tuple[int, int]] = field(init=False)
    _by_content: Mapping[int, int] = field(init=False)
    """Files; of a content that several have, any of them."""
    _places: frozenset[tuple[int, int]] = field(init=False)
    """Of all files among the rotated files of their stems."""
    _fallow: dict[InstanceIdentity, list[Observation]] = field(init=False, factory=dict)
    """Lines near the ends of logs that a judgement takes in already."""

    def __attrs_post_init__(self) -> None:
        contents = [self.files[file].content for file in range(len(self.context.files))]
        self.numbering = numbering_of(self.context, contents)
        self.facts = judged_facts(self.context, contents)
        self._by_content = {content: file for file, content in enumerate(contents)}
        self._places = frozenset(self.numbering.places)
        self._judged = self.state.judgements.judged_contents() if self.are_apart else {}
        self.known, self.grouped = {}, []
        if self.are_apart:
            self._find_standing()

    @property
    def are_apart(self) -> bool:
        """Whether all files have contents of their own: of one that stands twice nothing would say
        whose a line of it was.
        """
        return len({of.content for of in self.files.values()}) == len(self.files)

    def instances(
        self, context: JudgingContext, lost: list[Observation]
    ) -> Mapping[InstanceIdentity, Iterable[Observation]]:
        """Return the observations of each instance that are not judged, in their order: none of one
        whose judgement stands, and all of one that is judged anew.

        Args:
            context: that of the check.
            lost: takes those whose generation no line told.
        """
        for file, of in self.files.items():
            judged = self._judged.get(of.content, (0, 0))[0]
            for part in self.state.observed_parts(of.content, judged + 1, of.parts_before):
                self._add(part.of_file(file))  # who followed the logs has read them
        self._add_ends()
        told_keys = defaultdict[tuple[int, int], set[KeyValues]](set)
        nothing_stands = not (self.known or self.grouped)
        for who, observations in () if nothing_stands else self._newly_told(context):
            told_keys[who[:2]].add(who[2])
            if who in self.known and not self._goes_on(self.known[who], observations):
                self.outdated.add(self.known.pop(who).name)
                self.store.add(self._fallow.pop(who, ()))
        self._leave_out(told_keys)
        for file in self.files:
            self._add_judged(file)
        return _AllInstances(
            context, self.store.instances(context, lost), list(self.known), self.grouped
        )

    def _newly_told(self, context: JudgingContext) -> list[InstanceLines]:
        """Return whom lines tell of that are not judged."""
        return list(ordered_instances(context, self.store.instances(context, [], more=True)))

    def is_end(self, observation: Observation) -> bool:
        """Say whether a line stands near the end of its log."""
        return self.is_end_line(observation.file, observation.line)

    def is_end_line(self, file: int, line: int) -> bool:
        """Say so of the line of a file that has a number."""
        return line > self.files[file].reading.settled.lines

    def is_open(self, observation: Observation) -> bool:
        """Say whether a line stands near the end of a log that may grow: it may be read otherwise
        when more is there.
        """
        return self.is_end(observation) and not self.is_finished(observation.file)

    def is_finished(self, file: int) -> bool:
        """Say whether a log is judged to its end: it was rotated away, and no more comes."""
        stem, part = self.numbering.places[file]
        return (stem, part + 1) in self._places or self._is_judged_to_the_end(file)

    def count_settled(self, lines: ColumnLines | FoldedLines) -> int:
        """Return how many lines of one file there are before the first one that `is_open`."""
        if self.is_finished(lines.file):
            return len(lines)
        return lines.count_until(self.files[lines.file].reading.settled.lines)

    def units_of(
        self, known: KnownInstance | None, observations: Iterable[Observation]
    ) -> set[Unit]:
        """Return what tells of an instance: what its judgement is of, and what is told now."""
        before = known.head.units if known is not None else ()
        by_content = self._by_content
        return {(by_content[content], unit) for content, unit in before} | units_of(observations)

    def judged_contents(self) -> dict[int, tuple[int, int]]:
        """Return how far the contents are judged when this check has judged all."""
        return {
            of.content: (
                self.state.parts(of.content),
                of.reading.size if self.is_finished(file) else 0,
            )
            for file, of in self.files.items()
        }

    def moved(self, numbering: int, rows: list[StepRow]) -> list[StepRow]:
        """Return the steps of an earlier check with the numbers of this one."""
        moves = self._moves[numbering]
        assert moves is not None  # else the judgement that they belong to would not stand
        return list(moves.moved(rows))

    # ----------------------------------------------------------------------------------------------
    # which judgements hold

    def _find_standing(self) -> None:
        rested_on = self.state.judgements.rested_on()
        numberings = self.state.judgements.numberings()
        before, numbered = rested_on or (_NOTHING_KNOWN, 0)
        moves = self._moves = {
            number: Renumbering.between(numbering, self.numbering)
            for number, numbering in numberings.items()
        }
        moved = moves.get(numbered)
        changed = ChangedFacts(before, self.facts, moved, self.context) if moved else None
        sizes = {of.content: of.reading.size for of in self.files.values()}
        tellers = self._tellers()

        def still_holds(head: JudgementHead) -> Renumbering | None:
            renumbering = moves.get(head.numbering)
            holds = (
                changed is not None
                and renumbering is not None
                and head.teller in tellers
                and (head.has_rows or not self.keeps_rows(head.owner))
                and all(sizes.get(content) == size for content, size in head.tails)
                and all(content in sizes for content, _ in head.units)
                and changed.hold(head, renumbering)
            )
            return renumbering if holds else None

        for name, head in self.state.judgements.heads():
            if (renumbering := still_holds(head)) is not None:
                who = head.owner, tellers[head.teller], head.key
                self.known[who] = KnownInstance(name, head, renumbering)
            else:
                self.outdated.add(name)
        for number, head in self.state.judgements.group_heads().items():
            renumbering = still_holds(head)
            group = None if renumbering is None else self._group(number, head, tellers, renumbering)
            if group is None:
                self.outdated_groups.add(number)
            else:
                self.grouped.append(group)

    def _group(
        self,
        number: int,
        head: JudgementHead,
        tellers: Mapping[str, int],
        renumbering: Renumbering,
    ) -> KeptGroup | None:
        """Return a group; None where more is told of its instances by now than where they are."""
        kept_variants, members = self.state.judgements.group(number)
        ((content, _),) = head.units
        file = self._by_content[content]
        group = KeptGroup.with_numbers(
            number, head, tellers[head.teller], kept_variants, members, renumbering, file
        )
        group.are_columns = not (group.are_apart or self.keeps_rows(head.owner))
        if group.are_apart:
            return group
        judgements = (variant.judged.judgement for variant in group.variants)
        may_stand = all(map(self.may_be_in_group, judgements))
        return group if may_stand else None

    def groups_as_columns(self) -> list[KeptGroup]:
        """Return the groups of which nothing is asked for one by one."""
        return [group for group in self.grouped if group.are_columns]

    def _leave_out(self, told_keys: Mapping[tuple[int, int], set[KeyValues]]) -> None:
        """Take those out of `grouped` of which new lines tell."""
        for group in self.grouped:
            if mine := told_keys.get((group.head.owner, group.teller)):
                group.leave_out(mine)

    def _stands(self, who: InstanceIdentity | None) -> bool:
        """Say whether the judgement of an instance is there from earlier checks."""
        if who is None or who in self.known:
            return who is not None
        if not self._standing:
            for group in self.grouped:
                keys = self._standing.setdefault((group.head.owner, group.teller), set())
                keys.update(group.standing_keys())
        return who[2] in self._standing.get(who[:2], ())

    def _tellers(self) -> dict[str, int]:
        """Return processes and systems by their identities."""
        numbers = {
            process.identity: number for number, process in enumerate(self.context.processes)
        }
        for number in range(len(self.context.processes)):
            system = self.context.system_index(number)
            numbers[self.teller_identity(system)] = system
        return numbers

    def teller_identity(self, teller: int) -> str:
        """Return what a process, or a system, is called in every check."""
        return self.context.processes[teller].identity if teller >= 0 else f"\0system {teller}"

    def _goes_on(self, known: KnownInstance, rows: Iterable[Observation]) -> bool:
        """Say whether judging can go on with some lines from where it came to."""
        last = known.head.last
        if not known.head.may_go_on or last is None:
            return False
        first = self.context.position(next(iter(rows)))
        files = {file for file, _ in self.units_of(known, rows)}
        is_later = first > known.renumbering.moved(last)
        return is_later and may_go_on(self.context, known.head.owner, files)

    # ----------------------------------------------------------------------------------------------
    # which lines are judged

    def _add_ends(self) -> None:
        """Add the lines near the ends of logs, but for those that a judgement takes in already."""
        for file, of in self.files.items():
            for observation in (
                () if self._is_judged_to_the_end(file) else of.reading.tail_observations
            ):
                who = self._identity(observation)
                known = self.known.get(who) if who is not None else None
                if who is not None and known and of.content in dict(known.head.tails):
                    self._fallow.setdefault(who, []).append(observation)
                else:
                    self.store.add((observation,))

    def _add(self, part: ObservedPart) -> None:
        """Add what a piece of a log tells."""
        self.store.add(part.observations)
        self.store.add_columns(part.columns)

    def _add_judged(self, file: int) -> None:
        """Add what earlier checks have judged of instances that are judged anew, and what nobody
        knows whose it is.
        """
        of = self.files[file]
        judged = min(self._judged.get(of.content, (0, 0))[0], of.parts_before)
        all_stand = not (
            self.outdated or self.outdated_groups or any(group.is_changed for group in self.grouped)
        )
        is_wanted, only_untold = partial(self._is_asked, file), all_stand
        for part in self.state.observed_parts(
            of.content, 1, judged, is_wanted, only_untold=only_untold
        ):
            mine = part.of_file(file)
            self._add(mine._replace(observations=self._not_standing(mine.observations)))
        ends = of.reading.tail_observations if self._is_judged_to_the_end(file) else ()
        self.store.add(self._not_standing(ends))

    def _not_standing(self, observations: Iterable[Observation]) -> list[Observation]:
        """Return those of instances that are judged anew."""
        return [
            observation
            for observation in observations
            if not self._stands(self._identity(observation))
        ]

    def _is_asked(self, file: int, teller: FileTeller) -> bool:
        """Say whether lines may be of an instance that is judged anew."""
        owner, key, unit = teller
        process = self.context.process_by_unit[file, unit]
        who = owner, reporting_process(self.context, owner, process), key
        return None in key or not self._stands(who)

    def _identity(self, observation: Observation) -> InstanceIdentity | None:
        """Return whose a line is; None where no line tells its generation."""
        whole = self.context.with_generation(observation)
        return None if whole is None else instance_identity(self.context, whole)

    def _is_judged_to_the_end(self, file: int) -> bool:
        of = self.files[file]
        return 0 < of.reading.size == self._judged.get(of.content, (0, 0))[1]
