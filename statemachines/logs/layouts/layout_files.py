"""Layouts from YAML; a user's is tried on its samples before it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from statemachines.logs.fields.log_times import parse_time
from statemachines.logs.layouts.conversion_patterns import compile_pattern, mismatch
from statemachines.logs.layouts.json_layouts import JsonLayout
from statemachines.logs.layouts.parsed_lines import ParsedLine
from statemachines.logs.layouts.text_layouts import LayoutError, Layouts, TextLayout
from statemachines.model.opened_files import open_for_reading

MOST_CHARACTERS = 1 << 20
DEEPEST_NESTING = 32


def load_layout_file(path: str | Path) -> Layouts:
    """Load a user's own layouts.

    Args:
        path: a YAML file with a list `layouts`, each `{name, pattern}` or `{name, json: {message:
            key, time: key, …}}`, and with `samples`.

    Returns:
        The layouts in the order of the file; nothing of the shipped ones.

    Raises:
        LayoutError: for a file that cannot be read or used; the message names the layout.
    """
    try:
        with open_for_reading(path) as file:
            text = file.read().decode()
    except (OSError, UnicodeError) as error:
        raise LayoutError(f"{path}: {error}") from error
    loaded = load_layout_text(text, str(path))
    every: tuple[TextLayout | JsonLayout, ...] = (*loaded.text_layouts, *loaded.json_layouts)
    for layout in every:
        for wrong in sample_problems(layout):
            raise LayoutError(f"{path}: layout {layout.name!r}: {wrong}")
    return evolve(
        loaded, clock_anywhere=any(layout.pattern.has_time for layout in loaded.text_layouts)
    )


def load_layout_text(text: str, where: str) -> Layouts:
    """Load layouts from YAML text; `where` is what messages call it.

    Args:
        text: YAML, as of `load_layout_file`.
        where: name of the file in messages.

    Returns:
        The layouts in the order of the text.

    Raises:
        LayoutError: it cannot be read or used; the message names the layout.
    """
    import yaml  # here: layouts that are kept read need none, and importing it takes a while

    try:
        _refuse_expansion(text, where)
        document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise LayoutError(f"{where}: {error}") from error
    rows = document.get("layouts") if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise LayoutError(f"{where}: a layout file is a mapping with a list 'layouts'")
    made = list(_layouts_from_rows(rows, where))
    return Layouts(
        tuple(x for x in made if isinstance(x, TextLayout)),
        tuple(x for x in made if isinstance(x, JsonLayout)),
    )


def _refuse_expansion(text: str, where: str) -> None:
    """Refuse what makes a small file large or endless when it is read: too many bytes, deep
    nesting, aliases.
    """
    if len(text) > MOST_CHARACTERS:
        raise LayoutError(f"{where}: a layout file has at most {MOST_CHARACTERS:,} characters")
    import yaml

    depth, too_deep = 0, LayoutError(f"{where}: it is nested deeper than {DEEPEST_NESTING}")
    for event in _yaml_events(text, too_deep):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(
            event, yaml.CollectionEndEvent
        )
        if depth > DEEPEST_NESTING:
            raise too_deep
        if isinstance(event, yaml.AliasEvent):
            raise LayoutError(
                f"{where}: alias `*{event.anchor}`: write the value out, or quote the text"
            )


def _yaml_events(text: str, too_deep: LayoutError) -> Iterator[Any]:
    """Yield the events of a text; libyaml looks ahead of them, and has a bound of nesting itself.

    Raises:
        LayoutError: for a text nested deeper than libyaml reads.
        yaml.YAMLError: for one that is no YAML.
    """
    import yaml

    try:
        yield from yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        if "maximum nesting depth" in str(error):
            raise too_deep from error
        raise


def _layouts_from_rows(rows: list[Any], where: str) -> Iterator[TextLayout | JsonLayout]:
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            raise LayoutError(
                f"{where}: each layout has a 'name' and a 'pattern' or 'json': {str(row)[:80]!r}"
            )
        samples = tuple(row.get("samples") or ())
        if isinstance(row.get("pattern"), str):
            try:
                reader = compile_pattern(row["pattern"], qualified=bool(row.get("qualified")))
                above = (
                    compile_pattern(f"{row['above']}%m")
                    if isinstance(row.get("above"), str)
                    else None
                )
                yield TextLayout(
                    row["name"],
                    reader,
                    bool(row.get("multiline")),
                    row.get("epoch") is not False,
                    samples,
                    above,
                )
            except ValueError as error:
                raise LayoutError(f"{where}: layout {row['name']!r}: {error}") from error
        elif isinstance(row.get("json"), dict):
            keys = {what: _key_list(value) for what, value in row["json"].items()}
            yield JsonLayout(row["name"], keys, _key_list(row.get("when")), samples)
        else:
            raise LayoutError(f"{where}: layout {row['name']!r} has neither 'pattern' nor 'json'")


def _key_list(value: Any) -> tuple[str, ...]:
    return (
        tuple(str(key) for key in value)
        if isinstance(value, list)
        else (str(value),)
        if value is not None
        else ()
    )


_SAMPLE_FIELDS = ("message", "level", "logger", "thread")


def sample_problems(layout: TextLayout | JsonLayout) -> Iterator[str]:
    """Say what is wrong with each sample that a layout does not read as its author expects.

    Args:
        layout: with its samples.

    Yields:
        A sentence for each sample that is read otherwise, or not at all.
    """
    alone = Layouts((layout,)) if isinstance(layout, TextLayout) else Layouts((), (layout,))
    for sample in layout.samples:
        if not isinstance(sample, dict) or not isinstance(sample.get("text"), str):
            yield f"a sample has a 'text': {str(sample)[:80]!r}"
            continue
        reading = read_sample(alone, sample)
        if reading is None:
            yield (
                "it does not read its sample"
                f" {sample['text']!r}{_mismatch_message(layout, sample['text'])}"
            )
        else:
            yield from _field_differences(reading, sample)


def read_sample(layouts: Layouts, sample: Mapping[str, Any]) -> ParsedLine | None:
    """Read a sample, also one of two lines.

    Args:
        layouts: that may read it.
        sample: with `line`, and `above` of a record of two lines.

    Returns:
        What was read; None where no layout reads it.
    """
    return layouts.read(sample["text"]) or layouts.read_below(
        sample["text"], lambda: str(sample.get("above") or "")
    )


def _mismatch_message(layout: TextLayout | JsonLayout, text: str) -> str:
    """Say where a pattern stopped: the column, what stands there, and what was expected."""
    if not isinstance(layout, TextLayout):
        return ""
    at, wanted = mismatch(layout.pattern, text)
    return (
        f": it stops at column {at + 1}, before {text[at : at + 20]!r}, where {wanted} was expected"
    )


def _field_differences(reading: ParsedLine, sample: Mapping[str, Any]) -> Iterator[str]:
    for what in _SAMPLE_FIELDS:
        read = getattr(reading, what)
        if what in sample and read != sample[what]:
            yield (
                f"of its sample {sample['text']!r} it reads the {what} {read!r}, not"
                f" {sample[what]!r}"
            )
    if "at" in sample and reading.timestamp != parse_time(str(sample["at"])):
        yield f"of its sample {sample['text']!r} it reads another time than {sample['at']!r}"
