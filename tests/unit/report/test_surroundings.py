"""What a page shows beside a report: the lines around a line, the machines; whatever is gone is left out.

Covers: statemachines.api.log_check, statemachines.api.queries.page_evidence,
statemachines.report.html.log_excerpts, statemachines.report.html.machine_diagrams,
statemachines.report.html.page_context.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from statemachines.api.log_check import check
from statemachines.api.queries import page_evidence
from statemachines.api.queries.page_evidence import collect_page_context, lines_around
from statemachines.model.evidence.reports import Place
from statemachines.report.html.document import to_html

SPEC = r"""notation: 1
machine: Order
states:
  CART: {initial: true}
  PAID:
  SHIPPED: {final: true}
transitions:
  - {from: CART, to: PAID, event: pay}
  - {from: PAID, to: SHIPPED, event: ship}
log:
  instance: [order]
  patterns: {order: '\d+'}
  lines:
    - {text: "order {order}: {from} -> {to}", says: step, logger: shop.orders, level: INFO}
"""
LOG = """2026-11-21 12:00:00,000 INFO before <it> (shop.orders)
2026-11-21 12:00:01,000 INFO order 7: CART -> PAID (shop.orders)
2026-11-21 12:00:02,000 INFO order 7: CART -> SHIPPED (shop.orders)
2026-11-21 12:00:03,000 INFO after (shop.orders)
"""


def shop(folder: Path, *, packed: bool = False) -> tuple[Path, Path]:
    """An order that was shipped from the cart: its log and its spec."""
    spec, log = folder / "Order.yaml", folder / ("shop.log.gz" if packed else "shop.log")
    spec.write_text(SPEC, "utf-8")
    log.write_bytes(gzip.compress(LOG.encode()) if packed else LOG.encode())
    return log, spec


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=12), max_size=40
    ),
    st.sets(st.integers(1, 45)),
    st.integers(0, 4),
    st.booleans(),
    st.integers(1, 60),
)
def test_lines_around_are_those_that_splitting_gives(
    texts: list[str], numbers: set[int], beside: int, ended: bool, chunk: int
) -> None:
    """However the log is cut into chunks, with or without a last line feed."""
    whole = ("\n".join(texts) + ("\n" if ended else "")).encode()
    lines = whole.decode().split("\n")[
        : whole.count(b"\n") + (not whole.endswith(b"\n") and bool(whole))
    ]
    before, page_evidence.CHUNK_BYTES = page_evidence.CHUNK_BYTES, chunk
    try:
        found = lines_around(whole, numbers, beside)
    finally:
        page_evidence.CHUNK_BYTES = before
    expected = {
        n: tuple(
            (m, lines[m - 1]) for m in range(max(n - beside, 1), min(n + beside, len(lines)) + 1)
        )
        for n in numbers
        if n <= len(lines)
    }
    assert found == expected


def test_a_finding_is_shown_with_its_neighbours_and_the_line_of_the_spec(tmp_path: Path) -> None:
    """Escaped, the line itself marked; packed logs too."""
    for packed in (False, True):
        log, spec = shop(tmp_path, packed=packed)
        report = check([log], specs=[spec])
        told = collect_page_context(report, [log], [spec])
        html = "".join(to_html(report, told))
        place = next(iter(told.log_lines))
        assert place == Place(str(log), 3)
        assert [number for number, _ in told.log_lines[place]] == [1, 2, 3, 4]
        assert "INFO before &lt;it&gt;" in html
        assert "<mark>" in html
        assert all(told.spec_lines.values())
        assert [machine.name for machine in told.machines] == [report.machines[0].machine]


def test_a_file_that_is_gone_leaves_a_page_without_its_lines(tmp_path: Path) -> None:
    """Logs are rotated away between the check and the report, standard input is over: the report is written all the same."""
    log, spec = shop(tmp_path)
    report = check([log], specs=[spec])
    log.unlink()
    assert collect_page_context(report, [log], [spec]).log_lines == {}
    assert collect_page_context(report, ["-"], [spec]).log_lines == {}
    spec.unlink()
    bare = collect_page_context(report, ["-"], [spec])
    assert bare.machines == ()
    assert "CART -&gt; SHIPPED" in "".join(to_html(report, bare))


def test_names_below_a_folder_are_found_again(tmp_path: Path) -> None:
    """As the report calls them: below the only folder without it, below several with it."""
    log, spec = shop(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "quiet.log").write_text(LOG.splitlines()[0] + "\n")
    folder = tmp_path / "logs"
    folder.mkdir()
    log.rename(folder / "shop.log")
    for paths in ([folder], [folder, other], [folder, "-"]):
        report = check([path for path in paths if path != "-"], specs=[spec])
        told = collect_page_context(report, paths, [spec])
        assert len(told.log_lines) == (0 if "-" in paths else 1)
