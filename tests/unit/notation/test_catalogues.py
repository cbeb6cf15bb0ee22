"""Names, paths, families and extensions of a catalogue; the compiled one is the same.

Covers: statemachines.notation.data.operation_reader, statemachines.notation.data.property_reader,
statemachines.notation.data.signature_reader, statemachines.notation.data.used_specs,
statemachines.notation.expressions.call_rules,
statemachines.notation.expressions.comprehension_rules,
statemachines.notation.expressions.operator_rules, statemachines.notation.lines.line_matching,
statemachines.notation.linting.line_samples, statemachines.notation.loading.catalogue_cache,
statemachines.notation.loading.log_catalogue,
statemachines.notation.loading.spec_catalogue, statemachines.notation.sources.catalogue_names,
statemachines.notation.loading.spec_extension,
statemachines.notation.log_passes.episode_pass, statemachines.notation.log_passes.line_pass,
statemachines.notation.proofs.membership, statemachines.notation.proofs.number_bounds,
statemachines.notation.typing.substitution.
"""

from __future__ import annotations

import gc
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from statemachines.model.definitions.log_definitions import LineKind
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.diagnosis.diagnostics import SpecError
from statemachines.model.language.value_types import Expression
from statemachines.notation import (
    cached_catalogue,
    cached_for_logs,
    cached_specs_and_systems,
    explain_line,
    lint,
    load_catalogue,
    load_spec,
    read_spec,
    spec_names,
)
from statemachines.notation.lines.line_matching import matching_templates
from statemachines.notation.linting.line_samples import may_compete
from statemachines.notation.loading.catalogue_cache import keyed_for_logs
from statemachines.notation.loading.log_catalogue import SpecsAndSystems, reduced_for_logs
from tests.shipped import shipped_specs
from tests.unit.notation.errors_page import FIXTURES
from tests.unit.notation.texts import with_log

HEAD = "notation: 1\nmachine: Door\nfamily: door\n"
LINE = '- {text: "the door {door} is {state}", says: is, samples: ["the door a is OPEN"]}\n'
MORE = """\
notation: 1
extends: house/Door
log:
  patterns: {door: "[a-z]+"}
  lines:
    - {text: "a wish that {door} goes to {to}", says: asked}
"""


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A catalogue of two machines, a family with lines, an extension and a library."""
    root = tmp_path / "specs"
    (root / "house" / "upper").mkdir(parents=True)
    family = (
        FIXTURES / "door.yaml"
    ).read_text() + 'log: {lines: [{text: "house release {release}", says: release}]}\n'
    (root / "house" / "door.yaml").write_text(family)
    (root / "house" / "Door.yaml").write_text(HEAD + with_log(LINE))
    (root / "house" / "upper" / "Window.yaml").write_text(
        HEAD.replace("Door", "Window") + with_log(LINE)
    )
    (root / "house" / "Louder.yaml").write_text(MORE)
    (root / "house" / "Rules.yaml").write_text("notation: 1\nlibrary: Rules\n")
    return root


def codes(name: str | Path, folder: Path) -> list[str]:
    with pytest.raises(SpecError) as error:
        load_spec(name, folder=folder)
    return [found.code for found in error.value.diagnostics]


def test_a_catalogue_lists_its_machines_and_nothing_else(specs: Path) -> None:
    """Families, libraries and extensions are no machines; the order is that of the names."""
    assert spec_names(specs) == ("house/Door", "house/upper/Window")
    assert spec_names(specs, kind="family") == ("house/door",)
    assert spec_names(specs, kind="extends") == ("house/Louder",)


def test_a_spec_is_found_by_its_name_or_the_end_of_it(specs: Path) -> None:
    """A name without folder is enough where it is the only one."""
    assert load_spec("house/Door", folder=specs).name == "house/Door"
    assert load_spec("Window", folder=specs).name == "house/upper/Window"
    assert codes("Windw", specs) == ["SM601"]
    assert codes("house/door", specs) == ["SM606"]
    assert codes("door", specs) == ["SM601"]
    (specs / "Door.yaml").write_text(
        HEAD.replace("family: door\n", "") + "states: {A: {initial: true, final: true}}\n"
    )
    assert load_spec("Door", folder=specs).name == "Door"
    (specs / "Door.yaml").rename(specs / "house" / "upper" / "Door.yaml")
    assert codes("Door", specs) == ["SM602"]


def test_a_spec_given_by_path_is_called_as_it_calls_itself(
    specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the folders below `specs` where there is one: a snapshot of it is its own after the file was renamed."""
    assert load_spec(specs / "house" / "upper" / "Window.yaml").name == "house/upper/Window"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lamp.yaml").write_text(
        "notation: 1\nmachine: Lamp\nstates: {ON: {initial: true, final: true}}\n"
    )
    lamp = load_spec("lamp.yaml")
    assert (lamp.name, lamp.file) == ("Lamp", "lamp.yaml")
    assert codes("nothing.yaml", specs) == ["SM604"]
    assert codes(tmp_path, specs) == ["SM604"]


def test_a_family_is_read_once_and_its_lines_come_with_every_machine(specs: Path) -> None:
    """A judge reads banners whatever machines it was given."""
    door, window = load_catalogue(folder=specs)
    assert door.family_log == window.family_log
    assert door.family_log is not None
    assert door.family_log.file == "house/door.yaml"
    assert [line.kinds for line in door.family_log.lines] == [(LineKind.RELEASE,)]


def test_all_broken_specs_are_told_at_once(specs: Path) -> None:
    """A person mends them once."""
    for name in ("house/Door", "house/upper/Window"):
        (specs / f"{name}.yaml").write_text(HEAD + "states: {A: {}}\n")
    with pytest.raises(SpecError) as error:
        load_catalogue(folder=specs)
    assert [(found.code, found.span.file) for found in error.value.diagnostics] == [
        ("SM210", "house/Door.yaml"),
        ("SM210", "house/upper/Window.yaml"),
    ]


def test_an_extension_adds_lines_to_its_machine(specs: Path) -> None:
    """Numbers go on, the machine's states and patterns hold, its own patterns stand over them."""
    louder = load_spec("Louder", folder=specs)
    assert louder.log is not None
    assert louder.name == "house/Door"
    assert [(line.index, line.kinds) for line in louder.log.lines] == [
        (0, (LineKind.IS,)),
        (1, (LineKind.ASKED,)),
    ]
    assert louder.log.lines[1].span is not None
    assert louder.log.lines[1].span.file == "house/Louder.yaml"
    assert "[a-z]+" in louder.log.lines[1].templates[0].pattern
    assert "AJAR" in louder.log.lines[1].templates[0].pattern


def test_a_machine_and_its_extensions_are_one(specs: Path) -> None:
    """Named together, in any order, all lines are there, each once."""
    (specs / "house" / "Quiet.yaml").write_text(MORE.replace("a wish that", "a whisper that"))
    for names in (
        ["house/Door", "house/Louder", "house/Quiet"],
        ["house/Quiet", "house/Louder", "house/Door"],
    ):
        (spec,) = load_catalogue(names, folder=specs)
        assert spec.log is not None
        assert len(spec.log.lines) == 3
        assert [line.index for line in spec.log.lines] == [0, 1, 2]


def test_an_extension_has_nothing_but_lines(specs: Path) -> None:
    """A machine's states are its own file's."""
    path = specs / "house" / "Louder.yaml"
    path.write_text(MORE + "states: {A: {initial: true}}\n")
    assert codes("Louder", specs) == ["SM111"]
    path.write_text(MORE.replace("house/Door", "house/Dor"))
    assert codes("Louder", specs) == ["SM605"]
    path.write_text(MORE.replace("house/Door", "house/Louder"))
    assert "SM605" in codes("Louder", specs)


def test_a_pasted_line_is_explained(specs: Path) -> None:
    """With its values; a layout before it does not matter; a line of the family comes once."""
    machines = load_catalogue(folder=specs)
    for text in ("the door a is OPEN", "12:00:01 INFO [main] the door a is OPEN  \n"):
        found = explain_line(machines, text)
        assert [(match.spec, match.values) for match in found] == [
            (name, (("door", "a"), ("state", "OPEN")))
            for name in ("house/Door", "house/upper/Window")
        ]
    assert [
        (match.spec, match.values) for match in explain_line(machines, "house release 1.0.1")
    ] == [("house/door", (("release", "1.0.1"),))]
    assert explain_line(machines, "nothing of the kind") == ()


def test_the_compiled_catalogue_is_the_catalogue(specs: Path, tmp_path: Path) -> None:
    """The law: equal to a fresh load, from the cache as without it."""
    fresh = load_catalogue(folder=specs)
    assert cached_catalogue(specs, cache=tmp_path / "cache") == fresh
    files = sorted((tmp_path / "cache").iterdir())
    again = cached_catalogue(specs, cache=tmp_path / "cache")
    assert again == fresh
    assert [line.span for spec in again for line in lines(spec)] == [
        line.span for spec in fresh for line in lines(spec)
    ]
    assert sorted((tmp_path / "cache").iterdir()) == files


def test_each_change_of_a_spec_shows_in_the_digest_of_a_catalogue(tmp_path: Path) -> None:
    """What depends on the catalogue is kept under it, wherever the catalogue lies."""
    digests = list[str]()
    for name in "abc":
        (specs := tmp_path / name).mkdir()
        (specs / "Door.yaml").write_text(
            f"notation: 1\nmachine: Lamp\nstates: {{ON: {{initial: true, final: true}}}}\n{'# new' if name == 'c' else ''}"
        )
        loaded, digest = keyed_for_logs(specs, cache=tmp_path / "cache")
        assert loaded == cached_for_logs(specs, cache=tmp_path / "cache")
        assert digest == keyed_for_logs(specs, cache=tmp_path / "other")[1]
        digests.append(digest)
    assert digests[0] == digests[1]
    assert digests[0] != digests[2]


def test_what_is_kept_for_logs_says_the_same_of_every_line() -> None:
    """Machines with lines are whole but for samples, and so are systems; of others a report names the release and the contents."""
    fresh, systems = (without_samples(part) for part in cached_specs_and_systems())
    for kept, kept_systems in (cached_for_logs(), reduced_for_logs((fresh, systems))):
        assert [spec for spec in kept if lines(spec)] == [spec for spec in fresh if lines(spec)]
        assert kept_systems == systems
        assert [
            (s.name, s.family, s.family_log, s.releases, s.states, s.log, s.sha256) for s in kept
        ] == [
            (s.name, s.family, s.family_log, s.releases, s.states, s.log, s.sha256) for s in fresh
        ]
        assert not any(spec.transitions for spec in kept if not lines(spec))
    assert any(spec.transitions for spec in fresh if not lines(spec))


def test_what_is_kept_for_logs_can_be_looked_up_by() -> None:
    """A first check judges by what was just made: expressions, which keep their hashes, are built again without being called."""
    kept = reduced_for_logs(cached_specs_and_systems())
    expressions = [each for each in attrs_values(kept) if isinstance(each, Expression)]
    assert len(expressions) > 1000
    assert all(isinstance(hash(each), int) for each in expressions)


def test_what_is_kept_for_logs_has_each_value_once_and_the_places_that_reports_name() -> None:
    """Loading it takes as long as it has objects; a place that went missing is missing in reports."""
    specs, _ = whole = cached_specs_and_systems()
    kept = reduced_for_logs(whole)
    once = {
        (type(each), tuple(id(getattr(each, one.name)) for one in attrs.fields(type(each))))
        for each in attrs_values(kept)
    }
    assert len(once) == sum(1 for _ in attrs_values(kept))
    assert len(once) * 3 < sum(1 for _ in attrs_values(reduced(whole)))
    for before, after in zip(specs, kept[0], strict=True):
        assert reported_places(after) == (reported_places(before) if lines(before) else [])


def reduced(whole: SpecsAndSystems) -> SpecsAndSystems:
    """The machines and systems that a check of logs needs whole."""
    specs, systems = whole
    return tuple(spec for spec in specs if lines(spec)), systems


def without_samples(value: object) -> object:
    """The same without the messages that lines must read, which `lint` looks at."""
    if isinstance(value, tuple):
        return tuple(map(without_samples, value))
    if not attrs.has(type(value)):
        return value
    init = {
        one.name: () if one.name == "samples" else without_samples(getattr(value, one.name))
        for one in attrs.fields(type(value))
        if one.init
    }
    return attrs.evolve(value, **init)


def reported_places(spec: SpecDefinition) -> list[object]:
    """Where the log lines, episodes and properties are written that a report names."""
    log = spec.log
    found = (*(log.lines if log else ()), *(log.episodes if log else ()), *spec.data.properties)
    return [one.span for one in found if one.span is not None]


def attrs_values(value: object) -> Iterator[object]:
    """All values of classes of ours that a value is made of, each object once."""
    known, waiting = {id(value)}, [value]
    while waiting:
        one = waiting.pop()
        fields = attrs.fields(type(one)) if attrs.has(type(one)) else ()
        parts = [getattr(one, field.name) for field in fields]
        if isinstance(one, tuple | frozenset):
            parts += one
        new = {id(part): part for part in parts if id(part) not in known}
        known.update(new)
        waiting += new.values()
        if fields:
            yield one


def lines(spec: SpecDefinition) -> tuple[object, ...]:
    return spec.log.lines if spec.log else ()


def test_the_shipped_catalogue_compiles() -> None:
    """Places, data and all: what other tests take for the catalogue is what its files say."""
    cached_catalogue()  # is in the cache from now on, wherever there is one
    assert cached_catalogue() == load_catalogue()


@pytest.mark.parametrize("collects", [True, False])
def test_loading_the_cache_leaves_the_collector_of_garbage_as_it_was(
    specs: Path, tmp_path: Path, collects: bool
) -> None:
    """It is switched off for the while; a program that embeds us must not notice."""
    cached_catalogue(specs, cache=tmp_path)
    before = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        cached_catalogue(specs, cache=tmp_path)
        assert gc.isenabled() is collects
    finally:
        (gc.enable if before else gc.disable)()


def test_a_changed_spec_or_family_is_read_anew(specs: Path, tmp_path: Path) -> None:
    """The key is the contents, not the times."""
    cached_catalogue(specs, cache=tmp_path)
    for name, old, new in (
        ("Door.yaml", "initial: true", "initial: true, doc: wide"),
        ("door.yaml", '"2.0.0"', '"2.0.0", "3.0.0"'),
    ):
        path = specs / "house" / name
        path.write_text(path.read_text().replace(old, new))
        assert cached_catalogue(specs, cache=tmp_path) == load_catalogue(folder=specs)


def test_a_spoilt_cache_is_as_good_as_none(specs: Path, tmp_path: Path) -> None:
    """Cut, overwritten, empty, or a pickle that would run something: never trusted, always replaced."""
    cache = tmp_path / "cache"
    fresh = cached_catalogue(specs, cache=cache)
    (file,) = cache.glob("catalogue-*")
    whole = file.read_bytes()
    for spoilt in (
        b"",
        whole[:-1],
        whole[:40],
        whole[:64] + b"x" + whole[65:],
        pickle.dumps(("not", "specs")),
    ):
        file.write_bytes(spoilt)
        assert cached_catalogue(specs, cache=cache) == fresh
        assert file.read_bytes() == whole


@pytest.mark.skipif(os.name == "nt", reason="permissions of files are another matter there")
def test_a_cache_that_others_may_write_is_not_read(specs: Path, tmp_path: Path) -> None:
    """Reading a pickle runs what it says."""
    cache = tmp_path / "cache"
    cached_catalogue(specs, cache=cache)
    (file,) = cache.glob("catalogue-*")
    file.chmod(0o666)
    written = file.stat().st_ino
    cached_catalogue(specs, cache=cache)
    assert file.stat().st_ino != written
    assert file.stat().st_mode & 0o077 == 0


def test_a_cache_that_cannot_be_written_is_silent(specs: Path, tmp_path: Path) -> None:
    """A read-only home is no error."""
    (tmp_path / "file").write_text("no folder")
    assert cached_catalogue(specs, cache=tmp_path / "file") == load_catalogue(folder=specs)


def test_paths_and_names_are_linted_alike(specs: Path) -> None:
    """And a file that is no machine is checked for what it is."""
    assert lint(["house/Door", specs / "house" / "upper" / "Window.yaml"], folder=specs) == []
    assert lint(specs / "house" / "door.yaml") == []
    (specs / "house" / "door.yaml").write_text(
        'notation: 1\nfamily: door\nreleases: ["1.0.0", "1.0.0"]\n'
    )
    assert [found.code for found in lint(specs / "house" / "door.yaml")] == ["SM205"]


def test_the_shipped_catalogue_has_no_errors() -> None:
    """Every sample is read by its line, and by no other with another meaning."""
    assert [found for found in lint(spec_names()) if found.severity == "error"] == []


def test_what_cannot_be_read_is_told(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is called like a spec, a family without permission: messages, never a crash."""
    (specs / "Folder.yaml").mkdir()
    assert "Folder" in spec_names(specs)
    assert codes("Folder", specs) == ["SM604"]

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("statemachines.notation.log_passes.family_pass.file_bytes", refuse)
    assert codes("house/Door", specs) == ["SM604"]


TOLD_TOGETHER = (
    {"kafka/QuorumState", "kafka/QuorumEpoch", "kafka/QuorumController"}
    | {"kafka/BrokerRegistration", "kafka/Partition"},
    {"kafka/ConsumerGroup", "kafka/ModernConsumerGroup", "kafka/ShareGroup", "kafka/StreamsGroup"},
    {"kafka/ConnectWorker", "kafka/ConnectAssignment"},
)
"""Machines of which one line tells: who leads an epoch leads as a node and as a controller; a group that ends as one kind begins as another; a
worker that joins its group prints what it was given."""


def test_no_machine_reads_the_lines_of_another() -> None:
    """Within a release and a logger, a message is of one machine: a catalogue that is tried as a whole must not guess.

    What one machine only notes may be of another: a task's exception is what its thread's end is blamed on. So may be a line
    that tells of instances it does not name (`about`): a broker that is fenced leads no partition.
    """
    specs = [
        (
            spec,
            [
                line
                for line in spec.log.lines
                if line.kinds != (LineKind.NOTE,) and line.about is None
            ],
        )
        for spec in shipped_specs()
        if spec.log
    ]
    taken = [
        (spec.name, other.name, sample.line)
        for spec, own in specs
        for line in own
        for sample in line.samples
        for other, lines_of_other in specs
        if other is not spec and not any({spec.name, other.name} <= told for told in TOLD_TOGETHER)
        for rival in lines_of_other
        if may_compete(line, rival) and any(matching_templates(rival, sample.line))
    ]
    assert taken == []


def test_reading_reports_and_never_raises(specs: Path) -> None:
    """A broken spec beside good ones is told, not thrown."""
    (specs / "house" / "Door.yaml").write_bytes(b"\xff\xfe")
    broken = read_spec("house/Door", folder=specs)
    assert (broken.spec, [found.code for found in broken.diagnostics]) == (None, ["SM102"])


def test_what_is_there_and_no_spec_is_called_what_it_is(tmp_path: Path) -> None:
    """A folder or a log in the place of a spec is a slip of the hand; the nearest name of the catalogue would not help."""
    (tmp_path / "app.log").write_text("a line\n", "utf-8")
    hints = [
        read_spec(str(path)).diagnostics[0].hint
        for path in (tmp_path, tmp_path / "app.log", tmp_path / "nothing")
    ]
    assert [
        hint is not None and part in hint
        for hint, part in zip(hints[:2], ("folder", ".yaml"), strict=True)
    ] == [True, True]
    assert not hints[2]


def test_a_file_name_that_is_nearly_right_is_answered_with_the_file_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A misspelt file, and one without its ending: what lies there is what was meant."""
    (tmp_path / "washer.yaml").write_text(
        "notation: 1\nmachine: Washer\nstates: {ON: {initial: true, final: true}}\n"
    )
    monkeypatch.chdir(tmp_path)
    for name in ("wascher.yaml", "washer"):
        (found,) = lint(name)
        assert found.hint == "did you mean `washer.yaml`?"
    (found,) = lint("somewhere/else.yaml")
    assert found.hint == ""


def test_two_machines_of_one_name_are_told_apart_by_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them would be judged in silence as the other."""
    monkeypatch.chdir(tmp_path)
    for folder, state in (("old", "ON"), ("new", "OFF")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "lamp.yaml").write_text(
            f"notation: 1\nmachine: Lamp\nstates: {{{state}: {{initial: true, final: true}}}}\n"
        )
    assert [spec.name for spec in load_catalogue(["old/lamp.yaml", "new/lamp.yaml"])] == [
        "old/lamp",
        "new/lamp",
    ]
    assert [spec.name for spec in load_catalogue(["old/lamp.yaml"])] == ["Lamp"]


@pytest.mark.parametrize(
    ("named", "below", "hint"),
    [
        ("Orders.yaml", "", "this is a folder without specs (*.yaml)"),
        ("orders", "deep", "this is a folder without specs (*.yaml)"),
        ("orders", "deep/Door.yaml/none", "this is a folder without specs (*.yaml)"),
        (
            "Orders.yaml",
            "deep/Door.yaml",
            "this is a folder; name a file in it that ends in `.yaml`",
        ),
    ],
)
def test_a_folder_is_no_spec(tmp_path: Path, named: str, below: str, hint: str) -> None:
    """Whatever it is called; what is to be named lies in it, if anything does."""
    place = tmp_path / named / below
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("", "utf-8") if below.endswith(".yaml") else place.mkdir()
    (wrong,) = read_spec(tmp_path / named).diagnostics
    assert wrong.hint == hint
