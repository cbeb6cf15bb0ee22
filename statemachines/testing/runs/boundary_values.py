"""Where whole numbers turn: the least, the greatest, and those beside which the machine answers
otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.value_types import IntType
from statemachines.semantics.machine.value_enumeration import ValueContext, integer_range

NamedValues = Mapping[str, Value]
AnswerKind = Callable[[NamedValues], Hashable]
"""What the machine does with arguments, as far as two answers are told apart; None where the
arguments do not fit.
"""
_FARTHER = (4, 16, 64, 256, 1024, 4096)
"""How far beyond what is enumerated a number that has no bound is asked for."""


def boundary_arguments(
    base: NamedValues, types: Mapping[str, object], moment: ValueContext, answer_kind: AnswerKind
) -> Iterator[tuple[NamedValues, str]]:
    """Yield arguments in which one whole number of some others is at an edge, with what kind of
    edge that is.

    Args:
        base: arguments that fit; all others than the one number stay as they are.
        types: of the arguments.
        moment: now.
        answer_kind: what the machine does with arguments.

    Yields:
        The arguments by name, and which number stands at which edge, such as `amount least`.

    Limits: between two numbers that are answered alike nothing is looked for but at the middle, and
    where a type has no bound, nothing farther out than some thousands.
    """
    for name, type_ in types.items():
        numbers = (
            integer_range(type_, moment.domain_sizes) if isinstance(type_, IntType) else range(0)
        )
        if len(numbers) < 2:
            continue

        def answer(number: int, name: str = name) -> Hashable:
            return answer_kind({**base, name: number})

        kinds = (
            {numbers[0]: "least", numbers[-1]: "greatest", numbers[-2]: "second greatest"}
            if len(numbers) > 2
            else {}
        )
        for number in _answer_boundaries(_picked_numbers(numbers, type_), answer):
            kinds.setdefault(number, f"turn at {answer(number)}")
        for number, kind in kinds.items():
            if answer(number) is not None:
                yield {**base, name: number}, f"{name} {kind}"


def _picked_numbers(numbers: range, type_: object) -> list[int]:
    """Return the ends and the middle of some numbers, in order, and others farther and farther out
    where their type has no bound: a guard may ask for more than what is enumerated.
    """
    assert isinstance(type_, IntType)
    below = [numbers[0] - far for far in reversed(_FARTHER)] if type_.low is None else []
    above = [numbers[-1] + far for far in _FARTHER] if type_.high is None else []
    return [*below, numbers[0], numbers[len(numbers) // 2], numbers[-1], *above]


def _answer_boundaries(picked: Sequence[int], answer: Callable[[int], Hashable]) -> Iterator[int]:
    """Yield both numbers on either side of each turn that halving finds."""
    for low, high in itertools.pairwise(picked):
        here, there = answer(low), answer(high)
        while here != there and high - low > 1:
            middle = (low + high) // 2
            if answer(middle) == here:
                low = middle
            else:
                high = middle
        if here != there:
            yield from (low, high)
