"""A message as words and the gaps between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

MOST_WORDS = 60
"""Words of a message that are looked at; the rest of a longer one may be anything."""
_STATE_WORD = re.compile(r"[A-Za-z][A-Za-z_]*(?:-[A-Za-z_]+)*\d?")
"""What the name of a state looks like."""
_GAP = re.compile(r"""(?:->|=>|→|[\s=()\[\]{}<>"'|!?]|[:.,;](?=[\s,;)\]]|$))+""")
_LIST_GAP = re.compile(r"\s*[,;]\s*")
_DIGIT = re.compile(r"\d")
_ARROW = re.compile(r"->|=>|→")
_BLANKS = re.compile(r"\s+")
_STATE_NOUNS = frozenset(("state", "status", "phase", "mode"))
_NO_STATES = _STATE_NOUNS | {
    *("a", "an", "the", "it", "its", "this", "that", "be", "now", "not"),
    *("true", "false", "null", "none", "yes", "no"),
}
_MOVES = frozenset(
    (
        *("changed", "changes", "changing", "transitioned", "transitioning", "transitions"),
        *("moved", "moving", "switched", "switching", "went", "goes"),
    )
)


@frozen
class SplitMessage:
    """A message taken apart; gaps stand before, between and after the words."""

    words: tuple[str, ...]
    gaps: tuple[str, ...]
    """One more than words."""
    cut: bool = False
    """Whether the message goes on."""


@frozen
class StateCue:
    """Where the wording itself says that states stand."""

    source: int | None
    """Which word is the state before; None: it is not told."""
    target: int


def split_message(message: str) -> SplitMessage:
    """Take a message apart.

    Args:
        message: of one record.

    Returns:
        Words and the gaps around them, one more than words.

    >>> split_message("door [7] CLOSED -> OPEN").words
    ('door', '7', 'CLOSED', 'OPEN')
    >>> split_message("door [7] CLOSED -> OPEN").gaps
    ('', ' [', '] ', ' -> ', '')
    """
    first = _GAP.match(message)
    words, gaps = list[str](), [first[0] if first else ""]
    at, cut = len(gaps[0]), False
    for word, gap in _words_with_gaps(message, at):
        if len(words) == MOST_WORDS:
            cut = True
            break
        if words and _is_in_list(words[-1], gaps[-1], word):
            words[-1], gaps[-1] = f"{words[-1]}{gaps[-1]}{word}", gap
        else:
            words.append(word)
            gaps.append(gap)
    return SplitMessage(tuple(words), tuple(gaps), cut)


def _words_with_gaps(message: str, at: int) -> Iterator[tuple[str, str]]:
    """Yield each word from a place on, with the gap after it."""
    for match in _GAP.finditer(message, at):
        yield message[at : match.start()], match[0]
        at = match.end()
    if at < len(message):
        yield message[at:], ""


def _is_in_list(before: str, gap: str, word: str) -> bool:
    """Tell whether two words with digits are items of one list, of which others have more."""
    return bool(_LIST_GAP.fullmatch(gap) and _DIGIT.search(before) and _DIGIT.search(word))


def gap_shape(gaps: tuple[str, ...]) -> tuple[str, ...]:
    """Return gaps without how wide their blanks are.

    Args:
        gaps: what stands around words.

    Returns:
        One for each gap.
    """
    return tuple(_BLANKS.sub(" ", gap) for gap in gaps)


def is_state_word(word: str) -> bool:
    """Tell whether a word may be the name of a state.

    Args:
        word: of a message.

    Returns:
        Whether it is written as names of states are.

    >>> [is_state_word(word) for word in ("RUNNING", "the", "10.0.0.1", "Phase2")]
    [True, False, False, True]
    """
    return bool(_STATE_WORD.fullmatch(word)) and len(word) > 1 and word not in _NO_STATES


def shortened(split: SplitMessage, words: int) -> SplitMessage:
    """Return a message of at most so many words.

    Args:
        split: the message, taken apart.
        words: how many are kept.

    Returns:
        The message itself where it is short enough.
    """
    if len(split.words) <= words:
        return split
    return SplitMessage(split.words[:words], split.gaps[: words + 1], cut=True)


def state_cue(split: SplitMessage) -> StateCue | None:
    """Return where a wording says that states stand, such as `from X to Y`, `X -> Y`, `state: X`.

    Args:
        split: the message, taken apart.

    Returns:
        Indices of words, or None.

    >>> state_cue(split_message("order 7 went from PAID to SHIPPED"))
    StateCue(source=4, target=6)
    >>> state_cue(split_message("LOOKING"))
    StateCue(source=None, target=0)
    """
    words, gaps = split.words, split.gaps
    for i in range(len(words) - 1):
        if cue := _pair_cue(words, gaps, i):
            return cue
    for i in range(len(words) - 1):
        if (target := _target_after(words, gaps, i)) is not None:
            return StateCue(None, target)
    alone = len(words) == 1 and words[0].isupper() and is_state_word(words[0])
    return StateCue(None, 0) if alone else None


def _pair_cue(words: tuple[str, ...], gaps: tuple[str, ...], i: int) -> StateCue | None:
    """Return the cue whose first word, `from` or the state before an arrow, is the word at i."""
    if words[i].lower() == "from":
        source = _past_noun(words, i + 1)
        target = _past_noun(words, source + 2)
        if (
            target < len(words)
            and words[source + 1].lower() == "to"
            and _is_pair(words[source], words[target])
        ):
            return StateCue(source, target)
    if _ARROW.search(gaps[i + 1]) and _is_pair(words[i], words[i + 1]):
        return StateCue(i, i + 1)
    return None


def _is_pair(source: str, target: str) -> bool:
    """Tell whether two words between which a wording says that there is a step may be states: there
    a single capital letter may be one, too.
    """
    return all(
        is_state_word(word) or (len(word) == 1 and word.isupper()) for word in (source, target)
    )


def _past_noun(words: tuple[str, ...], i: int) -> int:
    """Return where a state stands that may be announced, as in `state X`, `error state X`."""
    for ahead in (0, 1):
        if i + ahead + 1 < len(words) and words[i + ahead].lower() in _STATE_NOUNS:
            return i + ahead + 1
    return i


def _target_after(words: tuple[str, ...], gaps: tuple[str, ...], i: int) -> int | None:
    """Return which word a state is that the word at i announces."""
    word, next_word = words[i].lower(), words[i + 1].lower()
    if word in _MOVES and next_word == "to" and i + 2 < len(words) and is_state_word(words[i + 2]):
        return i + 2
    if word in _MOVES and gaps[i + 1].startswith(":") and is_state_word(words[i + 1]):
        return i + 1
    if word not in _STATE_NOUNS:
        return None
    if next_word in ("is", "to", "now") and i + 2 < len(words) and is_state_word(words[i + 2]):
        return i + 2
    is_assigned = "=" in gaps[i + 1] or ":" in gaps[i + 1]
    return i + 1 if is_assigned and is_state_word(words[i + 1]) else None
