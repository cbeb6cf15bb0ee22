"""Of many choices those are listed that may have been meant.

Covers: statemachines.model.diagnosis.suggestions.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from statemachines.model.diagnosis.suggestions import MOST_LISTED, did_you_mean

WORDS = [f"berth{chr(97 + number)}" for number in range(2 * MOST_LISTED)]


def test_the_choice_that_was_meant_is_listed_however_many_there_are() -> None:
    """It stood behind `and 13 more` where it was declared last."""
    hint = did_you_mean("lastKnownHarbourMaster", [*WORDS, "masterOfTheHarbour"])
    assert hint.startswith("there are `masterOfTheHarbour`, `bertha`, ")
    assert hint.endswith(" and 13 more")


def test_few_choices_stay_in_their_order() -> None:
    """As they are declared, so that lists can be compared."""
    assert (
        did_you_mean("lock the door", ["push", "coin", "lock"])
        == "there are `push`, `coin`, `lock`"
    )


@given(st.text(max_size=8), st.lists(st.text(min_size=1, max_size=8), max_size=40, unique=True))
def test_no_list_is_longer_than_is_said(text: str, words: list[str]) -> None:
    """And what is left out is counted."""
    hint = did_you_mean(text, words)
    listed = [word for word in words if f"`{word}`" in hint]
    assert (
        hint.startswith("did you mean")
        or len(words) <= MOST_LISTED
        or hint.endswith(f" and {len(words) - MOST_LISTED} more")
    )
    assert listed or not words
