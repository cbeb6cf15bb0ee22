"""Where whole numbers turn: the least, the greatest, and those beside which the machine answers
otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping

from statemachines.model.definitions.snapshots import Value
from statemachines.model.language.value_types import IntType
from statemachines.semantics.machine.value_enumeration import ValueContext, integer_range

NamedValues = Mapping[str, Value]
AnswerKind = Callable[[NamedValues], Hashable]
"""What the machine does with arguments, as far as two answers are told apart; None where the
arguments do not fit.
"""


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

    Limits: between two numbers that are answered alike nothing is looked for but at the middle.
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
        for number in _answer_boundaries(numbers, answer):
            kinds.setdefault(number, f"turn at {answer(number)}")
        for number, kind in kinds.items():
            if answer(number) is not None:
                yield {**base, name: number}, f"{name} {kind}"


def _answer_boundaries(numbers: range, answer: Callable[[int], Hashable]) -> Iterator[int]:
    """Yield both numbers on either side of each turn that halving finds."""
    picked = (0, len(numbers) // 2, len(numbers) - 1)
    for low, high in itertools.pairwise(picked):
        here, there = answer(numbers[low]), answer(numbers[high])
        while here != there and high - low > 1:
            middle = (low + high) // 2
            if answer(numbers[middle]) == here:
                low = middle
            else:
                high = middle
        if here != there:
            yield from (numbers[low], numbers[high])
