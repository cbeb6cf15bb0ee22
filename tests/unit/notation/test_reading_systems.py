"""What a system file may say, and what is told about one that says something else.

Covers: statemachines.model.diagnosis.diagnostics, statemachines.notation.data.data_reader,
statemachines.notation.data.release_data, statemachines.notation.loading.spec_reader,
statemachines.notation.passes.spec_builder, statemachines.notation.releases.system_selection,
statemachines.notation.systems.link_reader,
statemachines.notation.systems.link_shapes, statemachines.notation.systems.system_reader,
statemachines.notation.systems.part_reader, statemachines.notation.systems.part_types, statemachines.notation.expressions.expression_typer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.model.diagnosis.diagnostics import SpecError
from statemachines.notation import load_spec, load_system, read_spec, read_spec_text
from tests.systems import codes, found, house, written

LINK = "links:\n  - {on: %s}\n"


def test_expressions_see_state_parameters_variables_and_predicates_of_parts() -> None:
    """What a rule may need of a part is all that the part shows."""
    system = house(
        "define: {bright: sum(l.watts for l in lamps.values() if l.state == 'ON' and l.works and l.switched > 0)}"
    )
    assert [one.name for one in system.data.definitions] == ["bright"]


@pytest.mark.parametrize(
    ("define", "code"),
    [
        ("lamps['kitchen'].state == 'ON'", "SM304"),
        ("alarm.state == 'OPEN'", "SM309"),
        ("door.state == 'AJAR'", "SM306"),
        ("door.colour == 1", "SM307"),
        ("all(lamps[l].works for l in lamps)", ""),
        ("alarm is None or alarm.state == 'OPEN'", ""),
    ],
)
def test_what_may_be_missing_is_looked_at_first(define: str, code: str) -> None:
    """A rule that fails inside an expression would say nothing about the system."""
    assert codes(f'define: {{it: "{define}"}}') == ([code] if code else [])


@pytest.mark.parametrize(
    ("link", "code"),
    [
        ("door, enters: OPEN, send: lamps.press, args: {hard: 'True'}", ""),
        ("lamps, enters: ON, send: 'lamps[key].to_BROKEN'", ""),
        ("lamps, event: press, guard: hard and returned > 3, send: door.to_OPEN", ""),
        ("alarm, enters: OPEN, guard: alarm.state == 'OPEN', send: door.to_SHUT", ""),
        ("dor, enters: OPEN, send: door.to_SHUT", "SM413"),
        ("door, enters: AJAR, send: alarm.to_OPEN", "SM413"),
        ("door, enters: OPEN, send: alarm.ring", "SM413"),
        ("door, enters: OPEN, send: bell.to_OPEN", "SM413"),
        ("door, event: push, send: alarm.to_OPEN", "SM413"),
        ("door, enters: OPEN", "SM414"),
        ("door, enters: OPEN, leaves: SHUT, send: alarm.to_OPEN", "SM414"),
        ("door, enters: OPEN, send: alarm.to_OPEN, only if: 'True'", "SM414"),
        ("door, enters: OPEN, only if: 'True', later: true", "SM414"),
        ("door, enters: OPEN, send: alarm to_OPEN", "SM415"),
        ("door, enters: OPEN, send: lamps.press", "SM416"),
        ("door, enters: OPEN, send: 'lamps[key].to_ON'", "SM303"),
        ("door, enters: OPEN, effect: {door: '1'}", "SM320"),
        ("door, begins: true, send: alarm.to_OPEN, later: true", ""),
        ("door, begins: true, send: alarm.to_OPEN", "SM414"),
        ("door, begins: false, send: alarm.to_OPEN, later: true", "SM414"),
        ("door, begins: true, enters: OPEN, send: alarm.to_OPEN, later: true", "SM414"),
        ("door, begins: true, guard: returned, send: alarm.to_OPEN, later: true", "SM303"),
        ("lamps, enters: OFF, guard: hard, send: door.to_SHUT", "SM303"),
        ("lamps, event: press, guard: hard > 1, send: door.to_SHUT", "SM304"),
    ],
)
def test_a_link_names_what_there_is(link: str, code: str) -> None:
    """A link that never fires for a misspelt name is a rule that nobody keeps."""
    assert codes(LINK % link) == ([code] if code else [])


def test_one_of_many_needs_a_key_that_is_there() -> None:
    """`lamps[key]` is safe for the lamp that fired; another key needs a fact."""
    parts = 'variables: {lit: "Room? = None"}\nlinks:\n  - {on: door, enters: OPEN, guard: "%s", send: "lamps[lit].to_BROKEN"}\n'
    assert codes(parts % "lit is not None and lit in lamps") == []
    assert codes(parts % "lit is not None") == ["SM309"]
    (missing,) = found(parts % "lit is not None")
    assert missing.hint == (
        "the fact `lit in lamps` is missing; or write `lit in lamps and …`; a link that sends has"
        " `guard: lit in lamps`"
    )


@pytest.mark.parametrize(
    ("given", "define", "code"),
    [
        ("strong", "strong: '2 * 2'", ""),
        ("bright(key)", "bright: {args: {k: Kind}, is: \"1 if k == 'front' else most\"}", ""),
        ("late", "late: '1 if lit > 0 else 2'", "SM412"),
        ("later", "{late: \"a['front'].watts\", later: late + 1}", "SM412"),
        ("lit", "unused: '1'", "SM412"),
        ("missing", "unused: '1'", "SM303"),
    ],
)
def test_what_a_part_is_given_is_known_before_it_begins(given: str, define: str, code: str) -> None:
    """Definitions of what the system is given, and no part: it begins with this."""
    define = define if define.startswith("{") else f"{{{define}}}"
    text = f"""
parts:
  a: {{machine: Lamp, each: Kind, with: {{watts: "{given}"}}}}
variables: {{lit: "0..2 = 0"}}
define: {define}
"""
    head = "notation: 1\nsystem: House\ntypes: {Kind: [front, back]}\nparameters: {most: 0..9}\n"
    assert codes(text, head) == ([code] if code else [])


CARDS = """
notation: 1
machine: %s
types: {Suit: [red, black], Player: id, Card: {suit: Suit, rank: %s}, Hand: {of: Player, best: Card}}
variables: {card: {type: Card, initial: "Card('red', 0)"}}
events: {turn: {args: {to: Card}, effect: {card: to}}}
"""


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("variables: {last: {type: Card, initial: \"Card('black', 1)\"}}", ""),
        ("define: {reds: \"a.card.suit == 'red'\", better: {args: {c: Card}, is: c.rank > 0}}", ""),
        ("types: {Player: id}\nvariables: {last: Hand? = None}", ""),
        ("variables: {last: Hand? = None}", "SM314"),
        ("types: {Card: [a, b]}\nvariables: {last: \"Card = 'a'\"}", ""),
        ("variables: {last: Crad? = None}", "SM314"),
    ],
)
def test_types_of_a_part_need_not_be_declared_again(more: str, code: str) -> None:
    """But opaque names, of which the scope of the system speaks, and what the system itself calls so."""
    path = written(f"{more}\n", "notation: 1\nsystem: House\nparts: {a: {machine: Cards}}\n")
    (path.parent / "Cards.yaml").write_text((CARDS % ("Cards", "0..2")).lstrip())
    assert [one.code for one in read_spec(path).diagnostics] == ([code] if code else [])


def test_a_name_that_two_parts_mean_differently_is_said_once() -> None:
    """Nobody guesses which one is meant; where nobody names it nothing is wrong."""
    head = "notation: 1\nsystem: House\nparts: {a: {machine: Cards}, b: {machine: Tarot}}\n"
    for text, message in (
        ("variables: {last: Card? = None}\n", "type `Card` is not the same"),
        ("", ""),
    ):
        path = written(text, head)
        for name, ranks in (("Cards", "0..2"), ("Tarot", "0..9")):
            (path.parent / f"{name}.yaml").write_text((CARDS % (name, ranks)).lstrip())
        wrong = read_spec(path).diagnostics
        assert len(wrong) == bool(message)
        assert all(message in one.message for one in wrong)


def test_links_that_fire_each_other_need_a_later_one() -> None:
    """Without it a step would never end; what cannot fire the next link is no circle."""
    circle = "links:\n  - {on: door, enters: OPEN, send: alarm.to_OPEN}\n  - {on: alarm, enters: %s, send: door.to_OPEN%s}\n"
    assert codes(circle % ("OPEN", "")) == ["SM417"]
    assert codes(circle % ("OPEN", ", later: true")) == []
    assert codes(circle % ("SHUT", "")) == []
    assert (
        "`alarm.to_OPEN` sends `door.to_OPEN` sends `alarm.to_OPEN`"
        in found(circle % ("OPEN", ""))[0].message
    )


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ("a: {machine: Dor}", "SM410"),
        ("a: {machine: House}", "SM410"),
        ("a: {machine: Lamp}", "SM412"),
        ("a: {machine: Lamp, with: {watts: '3', volts: '4'}}", "SM412"),
        ("a: {machine: Lamp, with: {watts: '{1}'}}", "SM304"),
        ("a: {machine: Door, each: text}", "SM411"),
        ("a: {machine: Door, each: Rooms}", "SM314"),
        ("a: {machine: Door, optional: true, each: Kind}", "SM411"),
        ("a: {machine: Door, each: Kind}", ""),
        ("a: {machine: Door, each: 0..2}", ""),
        ("a: {machine: Door, each: 0..}", "SM411"),
    ],
)
def test_a_part_is_a_machine_that_can_begin(parts: str, code: str) -> None:
    """A part without its machine, its keys or its parameters cannot even begin."""
    assert codes(
        "", f"notation: 1\nsystem: House\ntypes: {{Kind: [front, back]}}\nparts:\n  {parts}\n"
    ) == ([code] if code else [])


def test_a_part_that_cannot_be_read_is_one_mistake_and_not_one_wherever_it_is_named() -> None:
    """What is asked of it may be right; the other parts' mistakes are told when it is there."""
    text = (
        "notation: 1\nsystem: House\nparts:\n  a: {machine: Dor}\n  b: {machine: Door}\n"
        "links: [{on: a, enters: OPEN, send: b.to_OPEN}]\n"
        "always: {shut: a.state == 'SHUT' or b.state == 'SHUT'}\n"
    )
    assert codes("", text) == ["SM410"]
    assert codes("", text.replace("Dor}", "Door}")) != ["SM410"]


@pytest.mark.parametrize("mistake", ["variables: {sum: 0..3 = 0}", "stats: {A: }"])
def test_errors_of_a_part_are_told_first_and_at_their_places(tmp_path: Path, mistake: str) -> None:
    """Else they read as if the part's name were wrong; what is written wrongly lies elsewhere."""
    (tmp_path / "Boss.yaml").write_text(f"notation: 1\nmachine: Boss\n{mistake}\n")
    (tmp_path / "Box.yaml").write_text(
        "notation: 1\nsystem: Box\nparts: {boss: {machine: Boss}, more: Boss}\n"
    )
    with pytest.raises(SpecError, match=r"Boss\.yaml:3:\d+ SM\d+ ") as error:
        load_system(tmp_path / "Box.yaml")
    first, *_ = error.value.diagnostics
    told = [
        (Path(wrong.span.file).name, wrong.code, wrong.hint) for wrong in error.value.diagnostics
    ]
    place = f"{first.span.file}:{first.span.line}:{first.span.column}"
    alone = read_spec_text((tmp_path / "Boss.yaml").read_bytes(), first.span.file).diagnostics
    assert error.value.diagnostics[: len(alone)] == alone
    assert told[len(alone) :] == [
        ("Box.yaml", "SM410", f"see {place}"),
        ("Box.yaml", "SM112", "write `{machine: Boss}`"),
    ]


@pytest.mark.parametrize("named", ["use: Boss", "refines: {spec: Boss, by: {n: '1'}}"])
def test_errors_of_a_spec_that_is_used_are_told_at_their_places_too(
    tmp_path: Path, named: str
) -> None:
    """What `use` and `refines` name is another file as well."""
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "Boss.yaml").write_text("notation: 1\nmachine: Boss\nvariables: {sum: 0..3 = 0}\n")
    (folder / "Door.yaml").write_text(
        f"notation: 1\nmachine: Door\nstates: {{A: {{initial: true}}}}\n{named}\n"
    )
    first, second = read_spec(folder / "Door.yaml", folder=folder).diagnostics
    assert (Path(first.span.file).name, first.span.line, first.code) == ("Boss.yaml", 3, "SM315")
    assert (second.message.split(": ")[1], second.span.line) == ("it has 1 error", 4)


def test_errors_of_a_machine_that_is_extended_are_told_at_their_places(tmp_path: Path) -> None:
    """An extension has only lines: what is wrong with its machine can be mended only there."""
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "Boss.yaml").write_text("notation: 1\nmachine: Boss\nvariables: {sum: 0..3 = 0}\n")
    (folder / "More.yaml").write_text(
        "notation: 1\nextends: Boss\nlog: {lines: [{text: the boss speaks, says: begin}]}\n"
    )
    first, second = read_spec("More", folder=folder).diagnostics
    assert (Path(first.span.file).name, first.span.line, first.code) == ("Boss.yaml", 3, "SM315")
    assert (second.code, second.message) == ("SM605", "cannot extend `Boss`: it has 1 error")


def test_a_name_stands_for_one_thing() -> None:
    """A shared variable of a part's name would hide the part."""
    assert codes('variables: {door: "bool = False"}') == ["SM205"]


def test_a_system_is_no_machine_and_a_machine_no_system() -> None:
    """Whoever asks for the wrong kind is told which kind it is."""
    path = written("")
    with pytest.raises(SpecError, match="this is a system, not a machine"):
        load_spec(path)
    with pytest.raises(SpecError, match="this is a machine, not a system"):
        load_system(path.parent / "Door.yaml")
