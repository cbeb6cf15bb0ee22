"""Where in the instructions of a function a turn of another thread may matter."""

from __future__ import annotations

import dis
from types import CodeType

_PRIVATE_NAMES = frozenset(
    {
        *("CACHE", "NOP", "RESUME", "PUSH_NULL", "POP_TOP", "SWAP", "COPY", "PRECALL", "KW_NAMES"),
        *("EXTENDED_ARG", "MAKE_FUNCTION", "MAKE_CELL", "COPY_FREE_VARS", "LOAD_CLOSURE", "IS_OP"),
        *("RETURN_VALUE", "RETURN_CONST", "PUSH_EXC_INFO", "POP_EXCEPT", "END_FOR", "TO_BOOL"),
    }
)
_PRIVATE_BEGINNINGS = ("LOAD_FAST", "STORE_FAST", "DELETE_FAST", "LOAD_CONST", "BUILD_", "JUMP_")
_LOCALS = "_NONE"
"""How jumps end that look at nothing but whether a value of the thread's own is None."""
_known: dict[CodeType, frozenset[int]] = {}
_MOST_KNOWN = 4096


def shared_places(code: CodeType) -> frozenset[int]:
    """Return the instructions that may look at or change what other threads see.

    What stands between two of them is the thread's own, its stack and its local names: a turn
    there shows nothing that a turn before the next of them does not show.

    Args:
        code: of a function.

    Returns:
        Offsets, as `f_lasti` of a frame has them.

    >>> def add(account, amount):
    ...     account.coins = account.coins + amount
    >>> [dis.opname[add.__code__.co_code[place]] for place in sorted(shared_places(add.__code__))]
    ['LOAD_ATTR', 'BINARY_OP', 'STORE_ATTR']
    """
    places = _known.get(code)
    if places is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        places = _known[code] = frozenset(
            instruction.offset
            for instruction in dis.get_instructions(code)
            if not _is_private(instruction.opname)
        )
    return places


def _is_private(name: str) -> bool:
    return name in _PRIVATE_NAMES or name.startswith(_PRIVATE_BEGINNINGS) or name.endswith(_LOCALS)
