"""Layouts from YAML: the shipped ones and a user's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from attrs import evolve

from statemachines.logs.json_layout import JsonLayout
from statemachines.logs.layout import LayoutError, Layouts, TextLayout
from statemachines.logs.patterns import compile_pattern
from statemachines.logs.sampling import wrong_samples

MOST_CHARACTERS = 1 << 20
DEEPEST = 32


@cache
def default_layouts() -> Layouts:
    """The layouts that are shipped."""
    folder = resources.files("statemachines.logs") / "layouts"
    loaded = [load_layouts((folder / name).read_text(encoding="utf-8"), name) for name in ("text.yaml", "json.yaml")]
    return loaded[0].before(loaded[1])


def load_layout_file(path: str | Path) -> Layouts:
    """Load a user's own layouts.

    Args:
        path: a YAML file with a list `layouts`, each `{name, pattern}` or `{name, json: {message: key, time: key, …}}`, and with `samples`.

    Raises:
        LayoutError: for a file that cannot be read or used; the message names the layout.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise LayoutError(f"{path}: {error}") from error
    loaded = load_layouts(text, str(path))
    every: tuple[TextLayout | JsonLayout, ...] = (*loaded.texts, *loaded.jsons)
    for layout in every:
        for wrong in wrong_samples(layout):
            raise LayoutError(f"{path}: layout {layout.name!r}: {wrong}")
    return evolve(loaded, clock_anywhere=any(layout.reader.has_time for layout in loaded.texts))


def load_layouts(text: str, where: str) -> Layouts:
    """Load layouts from YAML text; `where` is what messages call it."""
    try:
        _check_plain(text, where)
        document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise LayoutError(f"{where}: {error}") from error
    rows = document.get("layouts") if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise LayoutError(f"{where}: a layout file is a mapping with a list 'layouts'")
    made = list(_made(rows, where))
    return Layouts(tuple(x for x in made if isinstance(x, TextLayout)), tuple(x for x in made if isinstance(x, JsonLayout)))


def _check_plain(text: str, where: str) -> None:
    """Refuse what makes a small file large or endless when it is read: too many bytes, deep nesting, aliases."""
    if len(text) > MOST_CHARACTERS:
        raise LayoutError(f"{where}: a layout file has at most {MOST_CHARACTERS:,} characters")
    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise LayoutError(f"{where}: it is nested deeper than {DEEPEST}")
        if isinstance(event, yaml.AliasEvent):
            raise LayoutError(f"{where}: alias `*{event.anchor}`: write the value out, or quote the text")


def _made(rows: list[Any], where: str) -> Iterator[TextLayout | JsonLayout]:
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            raise LayoutError(f"{where}: each layout has a 'name' and a 'pattern' or 'json': {str(row)[:80]!r}")
        samples = tuple(row.get("samples") or ())
        if isinstance(row.get("pattern"), str):
            try:
                reader = compile_pattern(row["pattern"], qualified=bool(row.get("qualified")))
                above = compile_pattern(f"{row['above']}%m") if isinstance(row.get("above"), str) else None
                yield TextLayout(row["name"], reader, bool(row.get("multiline")), row.get("epoch") is not False, samples, above)
            except ValueError as error:
                raise LayoutError(f"{where}: layout {row['name']!r}: {error}") from error
        elif isinstance(row.get("json"), dict):
            keys = {what: _keys(value) for what, value in row["json"].items()}
            yield JsonLayout(row["name"], keys, _keys(row.get("when")), samples)
        else:
            raise LayoutError(f"{where}: layout {row['name']!r} has neither 'pattern' nor 'json'")


def _keys(value: Any) -> tuple[str, ...]:
    return tuple(str(key) for key in value) if isinstance(value, list) else (str(value),) if value is not None else ()


def chosen_layouts(told: Sequence[str]) -> Layouts:
    """The layouts that a user asked for.

    Args:
        told: names of shipped layouts, and paths of layout files (they have a dot or a slash), in the order to try them.

    Raises:
        LayoutError: for an unknown name or a file that cannot be used.
    """
    chosen = Layouts(())
    for text in told:
        chosen = chosen.before(load_layout_file(text) if "." in text or "/" in text else default_layouts().named([text]))
    return chosen
