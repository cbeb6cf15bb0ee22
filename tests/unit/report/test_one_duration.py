"""The same time is the same words, wherever a report says it and in whatever form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import statemachines as sm
from statemachines.model.evidence.durations import format_duration
from statemachines.report.formats import report_in_form
from statemachines.report.text.document import to_text

ORDER = Path(__file__).parents[3] / "examples" / "orders" / "Order.yaml"
DURATION = re.compile(r"(?<![\d.:])\d+(?:\.\d+)? (?:ms|s|min|h|d)\b(?: \d+ (?:s|min|h)\b)?")
NO_LENGTH = "0 ms"
"""So long is what a bar on the page shows that begins where the log ends."""
LOG = """\
2026-11-21 12:00:00.000 INFO  [main] shop.Main - order service 2.0.1 is up
2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order 7 was placed
{paid} INFO  [bank-1] shop.Orders - order 7: NEW -> PAID
"""


@pytest.mark.parametrize("ms", [7, 999, 1_960, 9_999, 59_500, 59_999, 60_000, 3_599_999])
@pytest.mark.parametrize("form", ["text", "html"])
def test_a_duration_has_one_wording(ms: int, form: str, tmp_path: Path) -> None:
    """One page said 59.999 s as "60 s" in one place and as "59 s" in another."""
    paid = f"2026-11-21 {12 + ms // 3_600_000}:{ms // 60_000 % 60:02}:{ms // 1000 % 60:02}.{ms % 1000:03}"
    log = tmp_path / "shop.log"
    log.write_text(LOG.format(paid=paid), "utf-8")
    report = sm.check(log, specs=[str(ORDER)])
    page = "\n".join(to_text(report) if form == "text" else report_in_form(report, form))
    shown = re.sub(r"<script>.*?</script>|<style>.*?</style>", "", page, flags=re.DOTALL)
    assert set(DURATION.findall(shown)) - {NO_LENGTH} == {format_duration(ms)}
