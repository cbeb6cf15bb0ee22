"""What lines have in common, and what differs.

Covers: statemachines.mining.templates.message_templates,
statemachines.mining.templates.message_words.
"""

from __future__ import annotations

import pytest

from statemachines.mining.templates.message_templates import MinedTemplate, TemplateMiner
from statemachines.mining.templates.message_words import split_message, state_cue
from statemachines.model.evidence.reports import Place


def templates(*messages: str) -> list[MinedTemplate]:
    """Mine messages of one logger."""
    miner = TemplateMiner()
    for number, message in enumerate(messages, 1):
        miner.add(message, "app.Log", "INFO", "p", Place("app.log", number), number)
    return list(miner.templates())


def pattern(template: MinedTemplate) -> str:
    """A template's words, with `*` for those that differ."""
    return " ".join(word or "*" for word in template.constants)


def test_lines_that_differ_in_numbers_are_one_template() -> None:
    """A word with a digit is a field from its first line on."""
    found = templates("sent 5 bytes to 10.0.0.1:80", "sent 7 bytes to 10.0.0.2:81")
    assert [pattern(each) for each in found] == ["sent * bytes to *"]


def test_opposite_words_stay_apart() -> None:
    """`opened` and `closed` are not one line with a field, for half of the words differ."""
    assert len(templates("session 7 opened", "session 7 closed")) == 2


def test_names_without_digits_become_fields() -> None:
    """One word of five differs."""
    found = templates("the member alpha left the group", "the member beta left the group")
    assert [pattern(each) for each in found] == ["the member * left the group"]


def test_lists_of_different_lengths_are_one_word() -> None:
    """A line is the same however many replicas it lists."""
    found = templates("replicas are [1, 2, 3]", "replicas are [1, 2]", "replicas are [4]")
    assert [pattern(each) for each in found] == ["replicas are *"]


@pytest.mark.parametrize(
    ("message", "states"),
    [
        ("a went from NEW to OPEN", ("NEW", "OPEN")),
        ("a from state NEW to error state OPEN", ("NEW", "OPEN")),
        ("a: NEW -> OPEN", ("NEW", "OPEN")),
        ("a from NEW => OPEN now", ("NEW", "OPEN")),
        ("state of a changed to OPEN", (None, "OPEN")),
        ("a state=OPEN", (None, "OPEN")),
        ("a is sent from 10.0.0.1 to 10.0.0.2", None),
        ("moved from the shelf to the van", None),
        ("retries -> 3", None),
        ("preallocate -> false", None),
    ],
)
def test_wordings_say_where_states_stand(
    message: str, states: tuple[str | None, str] | None
) -> None:
    """Addresses, articles and settings are no states."""
    split = split_message(message)
    cue = state_cue(split)
    assert states == (
        cue and (None if cue.source is None else split.words[cue.source], split.words[cue.target])
    )


def test_words_and_gaps_give_the_message_again() -> None:
    """A template is written from them."""
    message = "  Assigned [a-1, b-2] to {x='7'}; state: OPEN."
    split = split_message(message)
    parts = [split.gaps[0]]
    for word, gap in zip(split.words, split.gaps[1:], strict=True):
        parts += [word, gap]
    assert "".join(parts) == message
