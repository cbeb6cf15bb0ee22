"""Laws: what is written shortly means, in every release, what it means written out.

Covers: eras in statemachines.notation.releases.release_ranges,
statemachines.notation.document.yaml_nodes, statemachines.notation.log_passes.family_pass,
statemachines.notation.shorthands.written_out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from statemachines.notation import read_spec_text
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlSequence,
    node_texts,
)
from statemachines.notation.shorthands.written_out import lines_written_out
from tests.unit.notation.rewriting import (
    assert_rewriting_changes_nothing,
    assert_same_machines,
    changed,
    document_of,
    machine_files,
    mapping,
    scalar,
)
from tests.unit.notation.texts import DOOR, codes, reading, spec, with_log


def grouped(root: YamlMapping) -> YamlMapping:
    """Put every line into a group of its own, which says what can be said once."""
    log = root.get("log")
    assert isinstance(log, YamlMapping)
    log = lines_written_out(log)
    lines = log.get("lines")
    assert isinstance(lines, YamlSequence)
    return changed(
        root, "log", changed(log, "lines", YamlSequence(tuple(map(group, lines)), lines.span))
    )


def group(line: YamlNode) -> YamlMapping:
    """Make a group of one line."""
    assert isinstance(line, YamlMapping)
    shared = {name: line.get(name) for name in ("logger", "level", "in")}
    texts = node_texts(line.get("text"))
    lengths = range(min(map(len, texts)))
    prefix = texts[0][
        : next((at for at in lengths if len({text[at] for text in texts}) > 1), len(lengths))
    ]
    prefix = prefix[: prefix.find("{")] if "{" in prefix else prefix[:-1]
    for name in shared:
        line = changed(line, name, None)
    rest = [scalar(text.removeprefix(prefix)) for text in texts]
    line = changed(line, "text", YamlSequence(tuple(rest), line.span))
    own = {name: value for name, value in shared.items() if value is not None}
    return mapping(lines=YamlSequence((line,), line.span), prefix=scalar(prefix), **own)


def with_named_eras(root: YamlMapping) -> YamlMapping:
    """Give every range of a document a name, beside those that it has."""
    names: dict[str, str] = {}
    own = root.get("eras")
    known = own.entries if isinstance(own, YamlMapping) else ()

    def renamed(node: YamlNode, *, top: bool = False) -> YamlNode:
        if isinstance(node, YamlSequence):
            return YamlSequence(tuple(map(renamed, node.items)), node.span)
        if not isinstance(node, YamlMapping):
            return node
        return YamlMapping(
            tuple(
                (key, scalar(names.setdefault(node_texts(value)[0], f"era{len(names)}")))
                if key.text == "in" and not top and not node_texts(value)[0][:1].isalpha()
                else (key, renamed(value))
                for key, value in node.entries
            ),
            node.span,
        )

    whole = renamed(root, top=True)
    assert isinstance(whole, YamlMapping)
    eras = mapping(**{name: scalar(ranges) for ranges, name in names.items()})
    return changed(whole, "eras", YamlMapping((*known, *eras.entries), eras.span))


@pytest.mark.parametrize(
    "path",
    [path for path in machine_files() if document_of(path).get("log")],
    ids=lambda path: path.stem,
)
def test_lines_in_groups_are_the_lines_written_out(path: Path) -> None:
    """What a group says once counts for its lines, or half of a catalogue's lines lose their logger."""
    assert_rewriting_changes_nothing(path, grouped)


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in machine_files()
        if "  in: " in path.read_text("utf-8") or "{in: " in path.read_text("utf-8")
    ],
    ids=lambda path: path.stem,
)
def test_a_named_range_is_the_range(path: Path) -> None:
    """A name of a range may stand wherever a range does."""
    assert_rewriting_changes_nothing(path, with_named_eras)


LONG = with_log(
    """
    - {text: "door {door} is open now", says: is, state: OPEN, logger: a.Door, level: INFO}
    - {text: "door {door} is ajar now", says: is, state: AJAR, logger: b.Door, level: DEBUG, in: "1.1.0"}
    - {text: ["door {door} went {from} to {to}", "door {door} jumped {from} to {to}"], says: step, logger: a.Door, level: WARN}
    """
)
SHORT = with_log(
    """
    - {text: "is open now", says: is, state: OPEN}
    - in: "1.1.0.."
      logger: b.Door
      level: DEBUG
      prefix: "door {door} is "
      lines:
        - {text: "ajar now", says: is, state: AJAR, in: "..1.1.0"}
    - {text: ["door {door} went {from} to {to}", "door {door} jumped {from} to {to}"], says: step, level: WARN, prefix: ""}
    """,
    more='logger: a.Door\nlevel: INFO\nprefix: "door {door} "\n',
)


def test_a_line_says_otherwise_than_its_group_and_a_group_than_its_log() -> None:
    """The nearest counts; `in` alone is cut."""
    assert_same_machines(spec(LONG), spec(SHORT))


def test_several_prefixes_stand_before_each_text() -> None:
    """The order is that of the texts, then that of the prefixes."""
    long = with_log(
        '- {text: ["door {door}: opened", "gate {door}: opened", "door {door}: closed", "gate {door}: closed"], says: note}'
    )
    short = with_log(
        '- {text: ["opened", "closed"], says: note}',
        more='prefix: ["door {door}: ", "gate {door}: "]\n',
    )
    assert_same_machines(spec(long), spec(short))


def test_an_empty_cut_with_the_group_is_told() -> None:
    """A line that exists in no release of its group is a slip."""
    line = '- {in: "1.1.0..", lines: [{text: "door {door} is open now", says: is, state: OPEN, in: "1.0.0"}]}'
    assert codes(with_log(line)) == ["SM203"]


def test_groups_do_not_nest() -> None:
    """A group in a group is no line."""
    line = '- {lines: [{lines: [{text: "door {door} is open now", says: is, state: OPEN}]}]}'
    assert set(codes(with_log(line))) >= {"SM111"}


def test_an_era_uses_eras_before_it_and_is_cut_with_others() -> None:
    """A word for a range may be part of other ranges."""
    eras = 'eras: {early: "1.0.0..1.0.1", even: {is: "early, 2.0.0", doc: "All but one."}}\n'
    short = spec(eras + DOOR.replace('"1.1.0.."', '"even & 1.0.1.."'))
    assert_same_machines(spec(DOOR.replace('"1.1.0.."', '"1.0.1, 2.0.0"')), short)


@pytest.mark.parametrize(
    ("eras", "told"),
    [
        ('eras: {late: "1.1.0..", late2: "lte"}\n', ["SM201"]),
        ('eras: {late: "2.0.0..1.1.0"}\n', ["SM202"]),
        ("eras: {late: [1]}\n", ["SM112"]),
    ],
)
def test_what_is_wrong_with_an_era_is_told_where_it_is_named(eras: str, told: list[str]) -> None:
    """Not at each of its uses."""
    assert codes(eras + DOOR) == told


def test_an_unknown_era_is_a_release_that_there_is_not_and_the_near_one_is_named() -> None:
    """A slip in a name is found as one in a number is."""
    (wrong,) = reading(
        'eras: {forcing: "1.1.0.."}\n' + DOOR.replace('"1.1.0.."', "forcng")
    ).diagnostics
    assert (wrong.code, wrong.hint) == ("SM201", "did you mean `forcing`?")


def test_eras_need_a_family() -> None:
    """Without releases there is nothing to name."""
    body = 'eras: {late: "1.1.0.."}\nstates: {OPEN: {initial: true, final: true}}\n'
    assert codes(body, family=False) == ["SM211"]


def test_prefixes_do_not_multiply_without_end() -> None:
    """A thousand prefixes before a thousand texts are a million wordings: too many, told at once."""
    prefixes = ", ".join(f'"number {n}: "' for n in range(1000))
    texts = ", ".join(f'"door {n} moves"' for n in range(1000))
    lines = "".join(f"- {{text: [{texts}], says: note}}\n" for _ in range(3))
    assert "SM518" in codes(with_log(lines, more=f"prefix: [{prefixes}]\n"))


def test_a_spec_may_name_the_minor_version_of_the_notation() -> None:
    """1.1 is 1 with more ways to write the same."""
    text = "notation: 1.1\nmachine: Door\nstates: {OPEN: {initial: true, final: true}}\n"
    assert read_spec_text(text.encode(), "Door.yaml").diagnostics == ()
    later = read_spec_text(text.replace("1.1", "1.2").encode(), "Door.yaml").diagnostics
    assert [wrong.code for wrong in later] == ["SM116"]
