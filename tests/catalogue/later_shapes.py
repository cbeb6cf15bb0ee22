"""Which line shapes of the facts of 3.8 to 4.3 no spec of the catalogue reads: `python -m tests.catalogue.later_shapes` writes the list anew.

`tests/data/catalogue/unread_later.tsv` has one row for each shape at INFO and above: group, class, level, releases, template, and why it is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from statemachines.notation import cached_catalogue
from tests.catalogue.claims import CHECKOUT, DATA, Row, write
from tests.catalogue.facts import LATER, read
from tests.catalogue.reasons import unread_reason

UNREAD = DATA / "unread_later.tsv"
LOUD = ("INFO", "WARN", "ERROR", "FATAL")
FIELD = re.compile(r"\{[\w*]+\}")
PREFIX = re.compile(r"^(?:(?:[\w-]+ )*\[[^\]]*\][:,]? *)+")


@cache
def texts() -> tuple[str, ...]:
    """Return every wording of the catalogue, without what names its writer in brackets before it."""
    logs = [spec.log for spec in cached_catalogue() if spec.log]
    found = (template.text for log in logs for line in log.lines for template in line.templates)
    return tuple(dict.fromkeys(PREFIX.sub("", text) for text in found))


@cache
def wordings() -> str:
    """Return every wording, one a line, with a word in place of each field."""
    return "\n".join(FIELD.sub("value", text) for text in texts())


@cache
def patterns() -> tuple[re.Pattern[str], ...]:
    """Return every wording with anything in place of each field."""
    return tuple(
        re.compile(".*?".join(re.escape(part) for part in FIELD.split(text))) for text in texts()
    )


def is_read(template: str, regex: str) -> bool:
    """Tell whether a wording of the catalogue and a shape of the facts have a message in common, as far as one of the two leaves open what the other says."""
    first = PREFIX.sub("", template.split("\n")[0].strip())
    return bool(re.search(regex, wordings(), re.MULTILINE)) or any(
        pattern.fullmatch(first) for pattern in patterns()
    )


def shapes(folder: Path) -> Iterator[tuple[Row, str]]:
    """Yield the loud shapes of the facts, each with the expression that its messages match."""
    for row in read(folder, LATER)["log_templates"]:
        if row["level"] in LOUD:
            shape = row["group"], row["class"], row["level"], row["releases"], row["template"]
            yield tuple(" ".join(str(cell).split()) for cell in shape), row["regex"]


def unread_rows(folder: Path) -> list[Row]:
    """Return the rows of `unread_later.tsv`."""
    unread = {row for row, regex in shapes(folder) if not is_read(row[-1], regex)}
    return sorted((*row, unread_reason(row)) for row in unread)


if __name__ == "__main__":
    write(UNREAD, unread_rows(CHECKOUT.parent / "shared"))
