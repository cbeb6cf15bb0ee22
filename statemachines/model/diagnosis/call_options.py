"""Options of calls: a misspelt one is answered with the one that was meant."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from statemachines.model.diagnosis.suggestions import did_you_mean

_P = ParamSpec("_P")
_R = TypeVar("_R")


def refuses_unknown_options(*more: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Make a function answer options that it does not have with the ones that were meant, all of
    them at once.

    Args:
        more: options that it takes by `**`, beside those that it names.

    Returns:
        A decorator.

    Raises:
        TypeError: by the function that was decorated: it is called with an option that it does not
            have.

    >>> @refuses_unknown_options()
    ... def paint(*, colour: str = "red") -> str:
    ...     return colour
    >>> paint(color="blue")
    Traceback (most recent call last):
    ...
    TypeError: paint() has no option `color`; did you mean `colour`?
    """

    def decorated(function: Callable[_P, _R]) -> Callable[_P, _R]:
        named = [
            parameter
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind is not parameter.VAR_KEYWORD
        ]
        known = (
            tuple(
                option.name
                for option in named
                if option.kind is not option.POSITIONAL_ONLY and option.name != "self"
            )
            + more
        )

        @functools.wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            if wrong := [name for name in kwargs if name not in known]:
                raise TypeError(_unknown_options_message(function.__name__, wrong, known))
            return function(*args, **kwargs)

        return call

    return decorated


def _unknown_options_message(called: str, wrong: Sequence[str], known: Sequence[str]) -> str:
    complaints = [f"no option `{name}`; {did_you_mean(name, known)}" for name in wrong]
    return f"{called}() has {', and '.join(complaints)}"
