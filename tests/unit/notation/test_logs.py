"""Lines, keys, episodes and literals of a log.

Covers: statemachines.notation.log_passes.log_pass,
statemachines.notation.log_passes.observable_names.
"""

from __future__ import annotations

import pytest

from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.notation import machine_of, settle_literals
from tests.unit.notation.texts import codes, reading, spec, with_log

WHOLE = with_log(
    """\
    - {text: ["[door {door} in {room}] went from {from} to {to}", "[door {door} in {room}] now {to} (was {from})"],
       says: step, logger: house.Door, level: INFO}
    - {text: "[door {door} in {room}] refuses to go to {to}", says: [refused, failed], from: [OPEN, AJAR], in: "1.1.0.."}
    - {text: "all doors of {room}: {doors}", says: is, each: {doors: "{door} is {state};"},
       samples: ["all doors of 7: a is OPEN;b is CLOSED;"]}
    - {text: "bell of {door} in {room}", says: event, event: ring, args: {loud: "{room}"}, set: {rung: "{door}"}, echo: true, strict: true}
    """,
    more="""\
    patterns: {door: '[a-z]+', room: '\\d+'}
    shared: true
    subject: door
    generation: {room: keeper}
    episodes:
      open: {while: "state in ['OPEN', 'AJAR'] and not state == 'AJAR'", title: "{door} stands open", blame: [failed]}
    """,
).replace("instance: [door]", "instance: [door, room]")  # fmt: skip


RINGS = "variables: {rung: \"text = ''\"}\nevents: {ring: }\n"


def door() -> SpecDefinition:
    return spec(RINGS + WHOLE)


@pytest.mark.parametrize("told", ["{door.__class__}", "{door:>2000000000}", "{door!r}", "{0}", "{"])
def test_what_a_line_tells_names_fields_and_no_more(told: str) -> None:
    """A spec comes from anybody: Python's own formats would look into values, or fill the memory with blanks."""
    assert codes(RINGS + WHOLE.replace('set: {rung: "{door}"}', f'set: {{rung: "{told}"}}')) == [
        "SM501"
    ]


def test_a_line_has_all_that_its_entry_says() -> None:
    """Nothing of the notation is read and forgotten."""
    log = door().log
    assert log is not None
    step, refusal, dump, ring = log.lines
    assert [len(line.templates) for line in log.lines] == [2, 1, 1, 1]
    assert (step.kinds, step.loggers, step.level, step.index) == (
        (LineKind.STEP,),
        ("house.Door",),
        "INFO",
        0,
    )
    assert (refusal.kinds, refusal.source) == (
        (LineKind.REFUSED, LineKind.FAILED),
        ("OPEN", "AJAR"),
    )
    assert dump.each is not None
    assert dump.each.item.fields == ("door", "state")
    assert dump.templates[0].pattern.endswith("(?P<doors>.*)$")
    assert (
        ring.event,
        ring.argument_templates,
        ring.variable_templates,
        ring.echo,
        ring.strict,
    ) == (
        "ring",
        (("loud", "{room}"),),
        (("rung", "{door}"),),
        True,
        True,
    )
    assert (
        log.shared,
        log.subject,
        log.generation,
        log.generation_carrier,
        log.numeric_fields,
    ) == (
        True,
        ("door",),
        "room",
        "keeper",
        frozenset({"room"}),
    )


def test_an_episode_is_a_set_of_states() -> None:
    """Whatever the condition's form."""
    log = door().log
    assert log is not None
    assert [(episode.name, episode.states, episode.blame) for episode in log.episodes] == [
        ("open", ("OPEN",), (LineKind.FAILED,))
    ]


def test_a_machine_of_a_release_has_the_lines_of_it() -> None:
    """And states of other releases are still read: the log may be of any."""
    log = machine_of(door(), "1.0.1").log
    assert log is not None
    assert [line.index for line in log.lines] == [0, 2, 3]
    assert "AJAR" in log.lines[0].templates[0].pattern


def test_an_episode_may_change_with_the_releases() -> None:
    """Wherever there is an expression, a list of `in` and `is` may stand."""
    more = "episodes: {shut: {title: '{door}', while: [{in: ..1.0.1, is: state == 'CLOSED'}, {in: 1.1.0.., is: state != 'OPEN'}]}}\n"
    log = spec(with_log('- {text: "the door {door} is {state}", says: is}\n', more=more)).log
    assert log is not None
    assert [(episode.states, episode.releases) for episode in log.episodes] == [
        (("CLOSED",), 0b0011),
        (("AJAR", "CLOSED"), 0b1100),
    ]


def test_spellings_are_read_as_states() -> None:
    """Old releases wrote shorter names."""
    body = RINGS + WHOLE.replace("OPEN: {initial: true}", "OPEN: {initial: true, as: [Up]}")
    log = spec(body).log
    assert log is not None
    assert "Up" in log.lines[0].templates[0].pattern


def test_a_literal_is_the_run_that_the_fewest_others_hold() -> None:
    """The longest run, the prefix, stands in every line of the log."""
    log = door().log
    assert log is not None
    assert [template.literal for line in log.lines for template in line.templates] == [
        "] went from ",
        "] now ",
        "] refuses to go to ",
        "all doors of ",
        "bell of ",
    ]


def test_literals_are_settled_over_a_whole_catalogue() -> None:
    """What is rare in one spec may be everywhere in another."""
    lines = '- {text: "the long door {door} went to the long wall of {*}", says: note}\n'
    other = '- {text: "some went to the long wall of {door}", says: note}\n'
    one, two = spec(with_log(lines)), spec(with_log(other))
    alone, both = settle_literals([one])[0], settle_literals([one, two])[0]
    assert alone.log is not None
    assert both.log is not None
    assert alone.log.lines[0].templates[0].literal == " went to the long wall of "
    assert both.log.lines[0].templates[0].literal == "the long door "


def test_every_literal_is_long_enough() -> None:
    """Six characters; shorter ones would hit every line of a log."""
    assert codes(with_log('- {text: "<{door}> {to} now", says: step, logger: a}\n')) == ["SM503"]


def test_a_fixed_state_must_exist() -> None:
    """In a line as in a transition."""
    assert codes(
        with_log('- {text: "the door {door} shut", says: step, to: SHUT, logger: a}\n')
    ) == ["SM204"]


def test_an_event_of_a_line_must_exist() -> None:
    """Declared or used by a transition."""
    line = '- {text: "the bell of {door}", says: event, event: EVENT}\n'
    assert codes(with_log(line.replace("EVENT", "to_CLOSED"))) == []
    assert codes(with_log(line.replace("EVENT", "ring"))) == ["SM216"]


def test_what_a_line_tells_of_an_event_and_of_variables_must_exist() -> None:
    """A value for a name that the machine does not have would be forgotten in silence."""
    data = 'variables: {width: "0..9 = 0"}\nevents: {push: {args: {far: "0..9"}, effect: {width: far}}}\n'
    line = '- {text: "the door {door} was pushed {n} far", says: event, event: push, args: {ARG: "{n}"}, set: {SET: "{n}"}}\n'
    wrong = {("far", "width"): [], ("fra", "width"): ["SM522"], ("far", "wdith"): ["SM320"]}
    for (argument, variable), expected in wrong.items():
        assert (
            codes(data + with_log(line.replace("ARG", argument).replace("SET", variable)))
            == expected
        )


def test_the_familys_patterns_hold_and_a_machines_own_stand_over_them() -> None:
    """A field means the same in all machines of a family, unless one says otherwise."""
    from statemachines.model.definitions.log_definitions import FamilyLog
    from statemachines.notation.log_passes.log_pass import read_log

    work = reading(RINGS + WHOLE).builder
    assert work is not None
    work.family_log = FamilyLog(patterns=(("keeper", r"\w+"), ("room", "never")))
    assert not read_log(work)
    assert work.log is not None
    assert dict(work.log.patterns) == {"keeper": r"\w+", "room": r"\d+", "door": "[a-z]+"}


def test_conditions_that_ask_for_more_than_the_state_are_refused() -> None:
    """They are told, not guessed at."""
    conditions = (
        "len(state) > 3",
        "state",
        "'OPEN'",
        "state == OPEN",
        "state in 'OPEN'",
        "state < 'OPEN'",
        "(",
        "state == 'OPEN' and width > 2",
    )
    for condition in conditions:
        more = f'episodes: {{open: {{while: "{condition}", title: t}}}}\n'
        assert codes(with_log('- {text: "the door {door} is {state}", says: is}\n', more=more)) == [
            "SM511"
        ], condition


def test_a_step_that_names_an_event_only_is_told_of_the_other_word() -> None:
    """`says: step` wants a state; whoever has a line for each call needs `says: event`, and would not find it by the hint alone."""
    lines = '- {text: "door {door} was pushed by hand", says: step, event: push, samples: ["door 7 was pushed by hand"]}\n'
    found = {one.code: one.hint for one in reading(with_log(lines)).diagnostics}
    assert "`says: event`" in found["SM509"]
