"""Channels: the queues in which events wait between parts, and how far they are to be trusted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from statemachines.model.definitions.system_definitions import Channel
from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.notation.data.data_reader import DataReader, doc_text
from statemachines.notation.document.yaml_nodes import YamlMapping, node_text, node_texts
from statemachines.notation.releases.release_selection import entries_in_release

_QUEUE_LENGTH = re.compile("[1-9][0-9]{0,8}")


def read_channels(reader: DataReader, root: YamlMapping) -> tuple[Channel, ...]:
    """Read `channels:` in one release, in the author's order.

    Args:
        reader: the release, and where mistakes go.
        root: the system.

    Returns:
        Those of this release.
    """
    return tuple(_existing_channels(reader, root))


def _existing_channels(reader: DataReader, root: YamlMapping) -> Iterator[Channel]:
    for name, node in entries_in_release(root.get("channels"), reader.family, reader.bit):
        if not isinstance(node, YamlMapping):
            continue
        holds, may = node_text(node.get("holds")), node_texts(node.get("may"))
        if not _QUEUE_LENGTH.fullmatch(holds):
            message = f"`{name.text}` holds `{holds}`"
            hint = "say how many events wait in one queue at most: 1 or more"
            reader.diagnostics.append(Diagnostic("SM419", message, name.span, hint))
            continue
        yield Channel(
            name.text,
            int(holds),
            "lose" in may,
            "repeat" in may,
            "reorder" in may,
            doc_text(node),
            name.span,
        )
