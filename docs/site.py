"""Build the site of the documentation: pages, the reference of the Python API, a search.

python -m docs.site [FOLDER]    build it strictly into a folder (default: .site)

A link that leads nowhere and a name that the API does not have fail the build.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
KINDS = {".md", ".mmd", ".svg", ".png", ".yaml", ".yml", ".json", ".py", ".log"}
"""Endings of the files that pages show or link to."""
PARTS = {"docs", "specs", "diagrams", "examples", "tests", "benchmarks"}
"""Folders in which they lie, beside the pages of the checkout's own folder."""


def stage(folder: Path) -> None:
    """Copy the files that git knows and that pages show or link to."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in map(Path, listed.stdout.splitlines()):
        if name.suffix in KINDS and (len(name.parts) == 1 or name.parts[0] in PARTS):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
            if name.suffix == ".md":
                text = (ROOT / name).read_text("utf-8")
                (folder / name).write_text(with_deep_lists(text), "utf-8")
    (folder / "docs" / "reference-python.md").write_text(python_page(), "utf-8")


def with_deep_lists(text: str) -> str:
    """Set the items of lists in lists as deep as the builder wants them: by four blanks each."""
    lines, fenced = [], False
    for line in text.splitlines(keepends=True):
        fenced ^= line.lstrip().startswith("```")
        item = None if fenced else re.match(r"((?:  )+)(?=[-*] )", line)
        lines.append(f"{item[1]}{line}" if item else line)
    return "".join(lines)


def python_page() -> str:
    """Return the page of the Python API: what `statemachines` and its open packages give."""
    homes = "statemachines", "statemachines.testing", "statemachines.conform.spark"
    lines = ["# Python", "", "What a program may import; everything else may change."]
    for home in homes:
        names = importlib.import_module(home).__all__
        lines += ["", f"## `{home}`"]
        lines += [f"\n::: {home}.{name}\n    options: {{heading_level: 3}}" for name in names]
    return "\n".join(lines) + "\n"


def build(target: Path) -> int:
    """Build the site; return the exit code of the builder."""
    with tempfile.TemporaryDirectory() as place:
        pages = Path(place, "pages")
        stage(pages)
        settings = yaml.safe_load((ROOT / "docs" / "site.yml").read_text("utf-8"))
        settings |= {"docs_dir": str(pages), "site_dir": str(target.resolve())}
        settings["plugins"][1]["mkdocstrings"]["handlers"]["python"]["paths"] = [str(ROOT)]
        config = Path(place, "mkdocs.yml")
        config.write_text(yaml.safe_dump(settings), "utf-8")
        command = [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "-f",
            str(config),
        ]
        quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        return subprocess.run(command, cwd=ROOT, env=quiet, check=False).returncode


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else ".site")))
