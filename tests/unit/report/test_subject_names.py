"""What reports call an instance: the words of the system, never the keys of a spec.

Covers: statemachines.model.definitions.subject_phrases,
statemachines.notation.log_passes.log_pass, statemachines.report.sections.subject_names.
"""

from __future__ import annotations

import pytest
from attrs import evolve

from statemachines.model.definitions.subject_phrases import SubjectPhrase
from statemachines.model.evidence.reports import InstanceKey, ProcessReleases
from statemachines.report.formats import report_in_form
from statemachines.report.sections.subject_names import SubjectNames
from statemachines.report.text.document import to_text
from statemachines.report.text.text_columns import OutputStyle
from tests.shipped import shipped_specs
from tests.unit.notation.texts import codes, spec, with_log
from tests.unit.report.handmade import EMPTY, FULL

LINE = '- {text: "the door {door} is now {state} again", says: is}'
GATE = "keep/Gate"
PHRASES = (
    SubjectPhrase("gate {gate} of the wall", ("gate",), (("gate", r"\d+"),)),
    SubjectPhrase("the {gate} gate of {process}", ("gate", "process")),
)


def names(key: InstanceKey, process: str = "") -> str:
    """The name of a gate in a log of two processes."""
    releases = tuple(
        ProcessReleases(file, "1.0", "banner") for file in ("east/gate.log", "west/gate.log")
    )
    report = evolve(EMPTY, called={GATE: PHRASES}, releases=releases)
    return SubjectNames(report).name_within(GATE, key, process)


def test_the_first_phrase_that_fits_is_the_name() -> None:
    """A number needs another phrase than a name, and what has no phrase keeps its key."""
    assert names((("gate", 7),), "east/gate.log") == "gate 7 of the wall in east"
    assert names((("gate", "north"),), "east/gate.log") == "the north gate of east"
    assert names((("gate", "north"),)).startswith("Gate north")


def test_remembered_fields_are_words_too() -> None:
    """What a person knows a thing by may stand in another line than its key."""
    key = (("gate", 7),)
    phrase = SubjectPhrase("the gate of {guard}", ("guard",))
    report = evolve(
        EMPTY, called={GATE: (phrase,)}, remembered={(GATE, "p", key): (("guard", "Ann"),)}
    )
    assert SubjectNames(report).name(GATE, key, "p") == "the gate of Ann"
    assert SubjectNames(report).name_below(GATE, key, "q") == "gate 7"


def test_a_spec_says_what_its_instances_are_called() -> None:
    """A text, a list, or a text for some values."""
    more = r"""
called:
  - {text: "door {door} of {process}", where: {door: '\d+'}}
  - "the door {door}"
"""
    log = spec(with_log(LINE, more=more)).log
    assert log is not None
    assert log.called[0].fits({"door": "7", "process": "p"})
    assert not log.called[0].fits({"door": "front", "process": "p"})
    assert [one.text for one in log.called] == ["door {door} of {process}", "the door {door}"]


@pytest.mark.parametrize(
    ("called", "code"),
    [
        ('"the door {room}"', "SM514"),
        ('"the door {door"', "SM501"),
        ("{text: \"{door}\", where: {door: '('}}", "SM508"),
    ],
)
def test_a_phrase_that_cannot_be_filled_is_reported(called: str, code: str) -> None:
    """Found when the spec is read, not in the report of somebody's log."""
    assert code in codes(with_log(LINE, more=f"called: {called}\n"))


@pytest.mark.parametrize("form", ["html", "markdown", "junit", "sarif"])
def test_all_forms_use_the_phrase(form: str) -> None:
    """Who reads two forms of a report finds one name in both."""
    phrase = SubjectPhrase("purchase {order} in the {shop}", ("order", "shop"))
    report = evolve(FULL, called={"shop/Order": (phrase,)})
    assert "purchase 7 in the north" in "".join(report_in_form(report, form))
    assert "purchase 7 in the north" in "\n".join(to_text(report, OutputStyle()))


def test_every_shipped_machine_has_a_phrase_for_each_instance() -> None:
    """The law behind the names: `Fetcher leader 1 fetcher 0` is no word of the system."""
    for one in shipped_specs():
        if one.log is None or not one.name.startswith("kafka/") or not one.log.lines:
            continue
        fields = dict.fromkeys((*one.log.subject, "process"), "x")
        fitting = [phrase for phrase in one.log.called if phrase.fits(fields)]
        assert fitting, one.name
        assert not any(one.name.rpartition("/")[2] in phrase.text for phrase in fitting), one.name
