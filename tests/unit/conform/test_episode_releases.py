"""An episode that is defined differently in two ranges of releases is one episode."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm

FAMILY = """\
notation: 1
family: shop
releases: ["1.0", "2.0"]
log: {lines: [{text: "order service {release} is up", says: release}]}
"""
ORDER = """\
notation: 1
machine: Order
family: shop
states: {NEW: {initial: true}, PAID: , LATE: {in: "2.0.."}}
transitions: [{from: NEW, to: PAID}, {from: NEW, to: LATE, in: "2.0.."}]
log:
  instance: [order]
  lines: [{text: "order {order}: {from} -> {to}", says: step}, {text: "order {order} was placed", says: begin, state: NEW}]
  episodes:
    unpaid:
      - {while: "state == 'NEW'", in: "..1.0", title: "order {order} is not paid"}
      - {while: "state in {'NEW', 'LATE'}", in: "2.0..", title: "order {order} is not paid yet"}
"""


@pytest.mark.parametrize(
    ("banner", "titles"),
    [
        ("1.0", ["order 7 is not paid"]),
        ("2.0", ["order 7 is not paid yet"]),
        (None, ["order 7 is not paid"]),
    ],
)
def test_only_the_definition_of_the_release_at_hand_counts(
    banner: str | None, titles: list[str], tmp_path: Path
) -> None:
    """Three definitions of one condition must not be three alarms; where the release is not known, the mildest is told."""
    (tmp_path / "shop.yaml").write_text(FAMILY, "utf-8")
    (tmp_path / "Order.yaml").write_text(ORDER, "utf-8")
    log = tmp_path / "shop.log"
    log.write_text(
        (f"order service {banner} is up\n" if banner else "") + "order 7 was placed\n", "utf-8"
    )
    report = sm.check([log], specs=[tmp_path / "Order.yaml"], engine="local")
    assert [episode.title for episode in report.episodes] == titles
