"""Names and parentheses of TLA+."""

from __future__ import annotations

import re
from collections.abc import Collection

_WORDS = """
ACTION ASSUME ASSUMPTION AXIOM BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN
ELSE ENABLED EXCEPT EXTENDS HAVE HIDE IF
IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED ONLY OTHER PICK PROOF PROPOSITION
PROVE QED RECURSIVE STATE SUBSET SUFFICES
TAKE TEMPORAL THEN THEOREM UNCHANGED UNION USE VARIABLE VARIABLES WITH WITNESS TRUE FALSE BOOLEAN
STRING
Nat Int Seq Len Head Tail Append SubSeq SelectSeq Cardinality IsFiniteSet Print PrintT Assert
JavaTime TLCGet TLCSet Permutations SortSeq
RandomElement Any ToString TLCEval
vars None States Final Stop TypeOK Init Next Quiet Spec QuietSpec NoDeadlock Sum SumOver Least
Greatest Range Joined Listed
"""
RESERVED_WORDS = frozenset(_WORDS.split())
"""Names that TLA+, its modules or ours have already."""

STANDARD_MODULES = frozenset(
    (
        "Bags",
        "FiniteSets",
        "Integers",
        "Json",
        "Naturals",
        "Randomization",
        "RealTime",
        "Reals",
        "Sequences",
        "TLC",
        "Toolbox",
    )
)
_ATOM = re.compile(r"[\w']+(\[[^\[\]()]*\]|\.\w+|\([^()]*\))*|\"[^\"]*\"")
_PAIRS = {"(": ")", "[": "]", "{": "}", "<<": ">>"}


def safe_tla_name(name: str, taken: Collection[str] = ()) -> str:
    """Return a name that TLA+ accepts and that is not taken.

    Args:
        name: as the spec has it.
        taken: names that are in use.

    Returns:
        The name.

    >>> [safe_tla_name(text) for text in ("count", "IF", "Task.State", "WF_x", "2")]
    ['count', 'IF_', 'Task_State', 'n_WF_x', 'n_2']
    """
    name = re.sub(r"\W+", "_", name, flags=re.ASCII)
    name = (
        f"n_{name}" if name.startswith(("WF_", "SF_")) or not re.search("[A-Za-z]", name) else name
    )
    while name in RESERVED_WORDS or name in taken:
        name += "_"
    return name


def record_field(name: str) -> str:
    """Return the name of a record's field.

    Args:
        name: as the spec has it.

    Returns:
        A name that TLA+ accepts.
    """
    return safe_tla_name(name)


def parenthesised(text: str) -> str:
    """Return a text in parentheses, but where no operator beside it could tear it apart.

    Args:
        text: an expression of TLA+.

    Returns:
        An expression of TLA+.

    >>> [parenthesised(text) for text in ("a + b", "orders[o].stage", "{a, b}", "(a) + (b)")]
    ['(a + b)', 'orders[o].stage', '{a, b}', '((a) + (b))']
    """
    return text if _ATOM.fullmatch(text) or _is_enclosed(text) else f"({text})"


def _is_enclosed(text: str) -> bool:
    """Tell whether the first bracket is closed by the last sign."""
    opened = next((sign for sign in ("<<", "(", "[", "{") if text.startswith(sign)), None)
    if opened is None or not text.endswith(_PAIRS[opened]):
        return False
    depth, index = 0, 0
    plain = re.sub(r'"[^"]*"', lambda match: "_" * len(match[0]), text)
    while index < len(plain):
        two = plain[index : index + 2]
        sign = two if two in ("<<", ">>") else plain[index]
        depth += (sign in _PAIRS) - (sign in _PAIRS.values())
        index += len(sign)
        if depth == 0 and index < len(plain):
            return False
    return True


def tla_value(value: object) -> str:
    """Return a value of the notation.

    Args:
        value: one of the notation's.

    Returns:
        An expression of TLA+; elements of sets in their order.

    >>> tla_value(frozenset({"tea"})), tla_value(True), tla_value(None), tla_value(-1)
    ('{"tea"}', 'TRUE', 'None', '-1')
    """
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case None:
            return "None"
        case dict():
            pairs = sorted(
                f"({tla_value(key)} :> {parenthesised(tla_value(member))})"
                for key, member in value.items()
            )
            return " @@ ".join(pairs) or "<<>>"
        case frozenset():
            return f"{{{', '.join(sorted(map(tla_value, value)))}}}"
        case tuple():
            names = getattr(value, "_fields", None)
            if names is not None:
                named = zip(names, value, strict=True)
                fields = (f"{record_field(name)} |-> {tla_value(field)}" for name, field in named)
                return f"[{', '.join(fields)}]"
            return f"<<{', '.join(map(tla_value, value))}>>"
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
