"""Instances that went as others did, as a state folder keeps them: by log, in columns, with what
all of them rest on. One of which a new line tells is taken out and judged anew.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import NamedTuple, cast

from attrs import evolve, field

from statemachines.conform.engines.state.judged_facts import JudgementHead
from statemachines.conform.engines.state.renumbering import Renumbering
from statemachines.conform.interchange.judgements import InstanceJudgement, RowCounts
from statemachines.conform.interchange.observations import KeyValues, Observation, Position
from statemachines.conform.interchange.variants import FirstLine, MemberKey, Variant, VariantTable
from statemachines.conform.join.current_states import TimelineCounts
from statemachines.conform.judge.judgement_pass import ended_with_process
from statemachines.conform.judge.repeated.judged_variants import (
    JudgedVariant,
    VariantLines,
)
from statemachines.conform.judge.repeated.repeated_instances import RepeatedPass
from statemachines.conform.settle.judging_context import InstanceIdentity, JudgingContext
from statemachines.model.values import define, frozen

MOST_MEMBERS = 10_000
"""Instances that are kept together."""
_POINTS = 4
"""Numbers of each in `InstanceGroup.points`."""


class KeptVariant(NamedTuple):
    """How some instances went."""

    judged: JudgedVariant
    """Of that one of them whose lines end last."""
    model: int
    """Which of the group it is."""
    line_count: int
    """Lines of each."""
    first_line: FirstLine
    """Of all of them."""
    first: int
    """Whose that is."""


class KeptMembers(NamedTuple):
    """What is kept of each, in the order of the report."""

    keys: list[MemberKey]
    texts: list[str]
    """Of the lines where its episodes begin and end, one instance behind the other; none where no
    judgements are kept.
    """
    variants: bytes
    """Numbers of 32 bits, as all others of 64."""
    points: bytes
    """As `InstanceGroup.points` has them."""
    at: bytes
    """When each of its lines was written, one instance behind the other; nothing where neither rows
    nor judgements are kept.
    """
    lines: bytes
    """Likewise their numbers."""
    reached: bytes
    """Likewise until when their process had come; nothing where no judgements are kept."""


# --------------------------------------------------------------------------------------------------
# what is kept


@define
class _OpenVariant:
    """How some members of a group went that is being made."""

    judged: JudgedVariant
    first_line: FirstLine
    first: int
    model: int
    model_who: InstanceIdentity
    model_lines: VariantLines
    ends: Position


@define
class OpenGroup:
    """Instances that one log tells of and that went as others did, to be kept."""

    has_rows: bool
    are_apart: bool
    """Whether each has a judgement."""
    is_in_tail: bool = False
    """Whether some of their lines are near the end of their log."""
    keys: list[MemberKey] = field(factory=list)
    _variants: array[int] = field(factory=lambda: array("i"))
    _points: array[int] = field(factory=lambda: array("q"))
    _at: array[int] = field(factory=lambda: array("q"))
    _lines: array[int] = field(factory=lambda: array("q"))
    _reached: array[int] = field(factory=lambda: array("q"))
    _texts: list[str] = field(factory=list)
    _numbers: dict[int, int] = field(factory=dict)
    """Of variants, by their identity."""
    _open_variants: list[_OpenVariant] = field(factory=list)

    def add(self, who: InstanceIdentity, judged: JudgedVariant, lines: VariantLines) -> None:
        """Take in an instance that comes behind the others."""
        place, ends = len(self.keys), lines.position(len(lines.at) - 1)
        first = lines.file, lines.lines[0], lines.text(0)
        number = self._numbers.get(id(judged))
        if number is None:
            number = self._numbers[id(judged)] = len(self._open_variants)
            self._open_variants.append(_OpenVariant(judged, first, place, place, who, lines, ends))
        open_variant = self._open_variants[number]
        if first[1] < open_variant.first_line[1]:
            open_variant.first_line, open_variant.first = first, place
        if ends > open_variant.ends:
            open_variant.model, open_variant.ends = place, ends
            open_variant.model_who, open_variant.model_lines = who, lines
        self.keys.append(cast("MemberKey", who[2]))  # all of it is told
        self._variants.append(number)
        self._points.extend(judged.points_of(lines))
        if self.has_rows or self.are_apart:
            self._at.extend(lines.at)
            self._lines.extend(lines.lines)
        if self.are_apart:
            self._reached.extend(lines.reached)
            self._texts += map(lines.text, _quoted(judged))

    @property
    def last(self) -> Position:
        """Where the last of their lines stands."""
        return max(open_variant.ends for open_variant in self._open_variants)

    def variants(self) -> list[KeptVariant]:
        """Return how they went."""
        return list(map(_kept_variant, self._open_variants))

    def members(self) -> KeptMembers:
        """Return what is kept of each."""
        columns = self._variants, self._points, self._at, self._lines, self._reached
        return KeptMembers(self.keys, self._texts, *(column.tobytes() for column in columns))


def _quoted(judged: JudgedVariant) -> list[int]:
    """Return the indexes of the lines whose texts a judgement has, but for the first one."""
    return sorted(set(judged.points))


def _kept_variant(open_variant: _OpenVariant) -> KeptVariant:
    lines = open_variant.model_lines
    judgement = open_variant.judged.judgement_of(open_variant.model_who, lines)._replace(
        first_line=(lines.file, lines.lines[0], lines.text(0)), is_over=open_variant.judged.is_over
    )
    judged = evolve(open_variant.judged, judgement=judgement, variant=None)
    return KeptVariant(
        judged, open_variant.model, len(lines.at), open_variant.first_line, open_variant.first
    )


# --------------------------------------------------------------------------------------------------
# what was kept


@define(eq=False)
class KeptGroup:
    """Instances of an earlier check whose judgements stand."""

    number: int
    """What its row in the folder is called."""
    head: JudgementHead
    """What all of them rest on; its key is empty."""
    teller: int
    file: int
    kept_variants: Sequence[KeptVariant]
    """As they were written."""
    variants: Sequence[KeptVariant]
    """With the numbers of this check."""
    keys: list[MemberKey]
    _texts: list[str]
    _codes: array[int]
    _points: array[int]
    _at: array[int]
    _lines: array[int]
    _reached: array[int]
    are_columns: bool = field(init=False, default=False)
    """Whether its instances, but for those that stand for others, are added at once."""
    _removed: set[int] = field(init=False, factory=set)
    _known: dict[int, Variant] = field(init=False, factory=dict)
    _models: dict[int, JudgedVariant] = field(init=False, factory=dict)
    """By variant, what says of others what came of them."""

    @staticmethod
    def with_numbers(
        number: int,
        head: JudgementHead,
        teller: int,
        kept_variants: Sequence[KeptVariant],
        members: KeptMembers,
        renumbering: Renumbering,
        file: int,
    ) -> KeptGroup:
        """Return a group with the numbers of this check.

        Args:
            number: what its row is called.
            head: what it rests on.
            teller: who tells of it.
            kept_variants: how they went, as it was written.
            members: who they are.
            renumbering: from the numbers that it is written with.
            file: in which their lines stand.
        """
        moved = [
            variant._replace(
                judged=renumbering.moved(variant.judged), first_line=(file, *variant.first_line[1:])
            )
            for variant in kept_variants
        ]
        packed = members.variants, members.points, members.at, members.lines, members.reached
        columns = map(_as_array, "iqqqq", packed)
        return KeptGroup(
            number, head, teller, file, kept_variants, moved, members.keys, members.texts, *columns
        )

    @property
    def are_apart(self) -> bool:
        """Whether each has a judgement."""
        return bool(self._reached)

    def leave_out(self, told_keys: set[KeyValues]) -> None:
        """Take those out of which new lines tell; and those that went as one did whose line was
        the first of all, for which line is now is not known.
        """
        removed = {place for place, key in enumerate(self.keys) if key in told_keys}
        if removed:
            unknown = {
                code for code, variant in enumerate(self.variants) if variant.first in removed
            }
            removed |= {place for place, code in enumerate(self._codes) if code in unknown}
        self._removed |= removed

    @property
    def is_changed(self) -> bool:
        """Whether some were taken out."""
        return bool(self._removed)

    def standing_keys(self) -> Iterator[MemberKey]:
        """Yield those that are left."""
        return (key for place, key in enumerate(self.keys) if place not in self._removed)

    def as_kept(self) -> tuple[list[KeptVariant], KeptMembers]:
        """Return those that are left as they were written."""
        places = [place for place in range(len(self.keys)) if place not in self._removed]
        index = {place: number for number, place in enumerate(places)}
        left = [code for code, variant in enumerate(self.kept_variants) if variant.first in index]
        codes = {code: number for number, code in enumerate(left)}
        variants = [
            variant._replace(model=index.get(variant.model, -1), first=index[variant.first])
            for variant in map(self.kept_variants.__getitem__, left)
        ]
        points, at, lines, reached = (array("q") for _ in range(4))
        texts, starts, quoted = list[str](), self._starts(), self._quoted_starts()
        for place in places:
            points.extend(self._points[_POINTS * place : _POINTS * (place + 1)])
            of_lines = slice(*starts[place : place + 2])
            at.extend(self._at[of_lines])
            lines.extend(self._lines[of_lines])
            reached.extend(self._reached[of_lines])
            texts += self._texts[slice(*quoted[place : place + 2])]
        codes_kept = array("i", (codes[self._codes[place]] for place in places))
        columns = (column.tobytes() for column in (codes_kept, points, at, lines, reached))
        return variants, KeptMembers([self.keys[place] for place in places], texts, *columns)

    def _starts(self) -> Sequence[int]:
        """Return where the lines of each begin, and where those of the last one end."""
        if not self._lines:
            return [0] * (len(self.keys) + 1)
        counts = [variant.line_count for variant in self.variants]
        return list(accumulate(map(counts.__getitem__, self._codes), initial=0))

    def _quoted_starts(self) -> Sequence[int]:
        """Return where the texts of each begin, and where those of the last one end."""
        if not self.are_apart:
            return [0] * (len(self.keys) + 1)
        counts = [len(_quoted(variant.judged)) for variant in self.variants]
        return list(accumulate(map(counts.__getitem__, self._codes), initial=0))

    def pairs(self, context: JudgingContext) -> Iterator[tuple[InstanceIdentity, StandingInstance]]:
        """Yield those that are left, in the order of the report; of columns those that stand for
        others.
        """
        models = self._models_left()
        starts, quoted = self._starts(), self._quoted_starts()
        for place in sorted(models) if self.are_columns else range(len(self.keys)):
            key = self.keys[place]
            if place not in self._removed:
                of_lines = slice(*starts[place : place + 2])
                lines = VariantLines(
                    context,
                    self.file,
                    self._lines[of_lines],
                    self._at[of_lines],
                    self._reached[of_lines],
                    (),
                    partial(self._text, place, quoted[place]),
                )
                who = self.head.owner, self.teller, key
                yield who, StandingInstance(self, place, place in models, lines)

    def _models_left(self) -> set[int]:
        """Return those that stand for others; one that was taken out is not there any more."""
        return {variant.model for variant in self.variants if variant.model >= 0}

    def _text(self, place: int, quoted_from: int, index: int) -> str:
        """Return the text of a line that the judgement of one of them has."""
        variant = self.variants[self._codes[place]]
        if index == 0 and place == variant.first:
            return variant.first_line[2]
        return self._texts[quoted_from + _quoted(variant.judged).index(index)]

    def judged(self, place: int) -> JudgedVariant:
        """Return how one of them went."""
        return self.variants[self._codes[place]].judged

    def judgement(self, place: int, context: JudgingContext) -> InstanceJudgement:
        """Return the judgement of that one of a variant which stands for the others."""
        return self._judgement_of(self.judged(place), context)

    @staticmethod
    def _judgement_of(judged: JudgedVariant, context: JudgingContext) -> InstanceJudgement:
        judgement = judged.judgement
        assert judgement.last_heard is not None
        ended = ended_with_process(
            context, judgement.owner, judgement.processes[0], judgement.last_heard
        )
        return judgement._replace(is_over=judged.is_over or ended)

    def own_judgement(self, place: int, lines: VariantLines) -> InstanceJudgement:
        """Return the judgement of any of them, where each has one."""
        code = self._codes[place]
        model = self._models.get(code)
        if model is None:
            variant = self.variants[code]
            # its model may be taken out: what it went like stands with the variant
            judgement = self._judgement_of(variant.judged, lines.context)
            judgement = judgement._replace(first_line=variant.first_line)
            model = self._models[code] = evolve(variant.judged, judgement=judgement)
        return model.judgement_of((self.head.owner, self.teller, self.keys[place]), lines)

    def add_to(self, grouped: VariantTable, place: int, context: JudgingContext) -> None:
        """Have one of them in a group, behind the others of its machine."""
        variant = self._variant(grouped, place, context)
        points = self._points[_POINTS * place : _POINTS * (place + 1)]
        grouped.add(variant, self.keys[place], points)

    def _variant(self, grouped: VariantTable, place: int, context: JudgingContext) -> Variant:
        code = self._codes[place]
        variant = self._known.get(code)
        if variant is None:
            variant = self._known[code] = grouped.new_variant(self.judgement(place, context))
            variant.first_line = self.variants[code].first_line
        return variant

    def add_all_to(
        self, grouped: VariantTable, counts: TimelineCounts, context: JudgingContext
    ) -> None:
        """Have all that are left in a group, but for those that stand for others.

        Complexity: a copy of columns.
        """
        bounds = [-1, *sorted(self._removed | self._models_left()), len(self.keys)]
        keys, codes, points = list[MemberKey](), array("i"), array("q")
        for before, end in pairwise(bounds):
            keys += self.keys[before + 1 : end]
            codes += self._codes[before + 1 : end]
            points += self._points[_POINTS * (before + 1) : _POINTS * end]
        numbers = dict[int, int]()
        for code, count in Counter(codes).items():
            numbers[code] = self._variant(grouped, self._codes.index(code), context).number
            counts.add(self.head.owner, _repeated(self.variants[code].judged.counts, count))
        variants = array("i", map(numbers.__getitem__, codes))
        grouped.add_columns(self.head.owner, keys, variants, points)


@frozen(eq=False)
class StandingInstance:
    """One of a group, of which no new line tells; iterates over those."""

    group: KeptGroup
    place: int
    stands_for_others: bool
    lines: VariantLines

    def __iter__(self) -> Iterator[Observation]:
        return iter(())

    def judge(self, grouped: VariantTable) -> RepeatedPass:
        """Return what has judged it: as one of a group, or with a judgement where each has one or
        it stands for others, of whose machine there is one with a judgement at least.
        """
        context, judgement = self.lines.context, None
        if self.group.are_apart:
            judgement = self.group.own_judgement(self.place, self.lines)
        elif self.stands_for_others:
            judgement = self.group.judgement(self.place, context)
        else:
            self.group.add_to(grouped, self.place, context)
        return RepeatedPass(judgement, self.group.judged(self.place), self.lines)


def _repeated(counts: RowCounts, times: int) -> RowCounts:
    return counts._replace(hidden=counts.hidden * times, missing=counts.missing * times)


def _as_array(code: str, packed: bytes) -> array[int]:
    made = array(code)
    made.frombytes(packed)
    return made
