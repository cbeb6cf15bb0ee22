"""Pages in a real browser: headless Chromium, where it is installed (Debian's package `chromium`)."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    (
        found
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (found := shutil.which(name))
    ),
    None,
)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="needs chromium (Debian's package of that name)"
)
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-extensions",
    "--no-first-run",
    "--log-level=3",
)
ASKING = """
<script>
addEventListener("load", () => setTimeout(async () => {{
  let told;
  try {{ told = await (async () => {{ {question} }})(); }} catch (error) {{ told = {{ error: String(error) }}; }}
  document.documentElement.dataset.told = JSON.stringify(told);
}}, 0));
</script>
"""


def run(folder: Path, page: Path, *flags: str, size: tuple[int, int] = (1280, 800)) -> str:
    """Open a page and return what the browser prints."""
    assert CHROMIUM
    command = [
        CHROMIUM,
        *FLAGS,
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={size[0]},{size[1]}",
        *flags,
        page.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def ask(folder: Path, page: str, question: str, *, size: tuple[int, int] = (1280, 800)) -> Any:
    """Open a page and answer a question to it.

    Args:
        folder: for the page and the browser's profile.
        page: HTML.
        question: the body of an asynchronous function in the page, which returns plain data.
        size: of the window, CSS pixels.
    """
    file = folder / "asked.html"
    asking = ASKING.format(question=question)
    allowed = page.replace("script-src ", f"script-src {_script_hash(asking)} ", 1)
    file.write_text(allowed.replace("</body>", asking + "</body>"), "utf-8")
    dom = run(folder, file, "--dump-dom", "--virtual-time-budget=10000", size=size)
    found = re.search(r'<html[^>]* data-told="([^"]*)"', dom)
    assert found, dom[:2_000]
    return json.loads(html.unescape(found[1]))


def _script_hash(element: str) -> str:
    """Return how a page's policy allows a script: the question, beside what the page has itself."""
    text = element.partition("<script>")[2].partition("</script>")[0]
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
