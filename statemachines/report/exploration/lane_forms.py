"""Lanes of a run as text, as a picture and as a page."""

from __future__ import annotations

from html import escape

from statemachines.report.exploration.trace_lanes import LaneRow, TraceLanes

LANE_FORMS = ("txt", "svg", "html")
"""How lanes are written, by the ending of the file."""
_WIDEST = 60
"""Characters of a cell; what is longer is cut."""
GAP = 3
LINE, CHARACTER, MARGIN = 22, 7.3, 16
"""Of a picture: the height of a row, the width of a character, and the space around all."""


def lanes_file(lanes: TraceLanes, form: str) -> bytes:
    """Return lanes as a file's content.

    Args:
        lanes: of one run.
        form: one of `LANE_FORMS`.

    Returns:
        UTF-8.
    """
    write = {"txt": lanes_text, "svg": lanes_svg, "html": lanes_html}[form]
    return write(lanes).encode()


def lanes_text(lanes: TraceLanes) -> str:
    """Return lanes as columns of text, an empty place where nothing happens.

    Args:
        lanes: of one run.

    Returns:
        Lines of one width each.
    """
    widths = _widths(lanes)
    head = _text_row("", list(lanes.lanes), widths)
    rows = [
        _text_row(_number(row, first=place == 0), _texts(row, len(widths)), widths)
        for place, row in enumerate(lanes.rows)
    ]
    ending = [lanes.ending] if lanes.ending else []
    return "\n".join([_headline(lanes), "", head, *rows, *ending, ""])


def lanes_html(lanes: TraceLanes) -> str:
    """Return lanes as a page that needs nothing else; no script.

    Args:
        lanes: of one run.

    Returns:
        A whole document.
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in ("", *lanes.lanes))
    rows = "\n".join(
        "<tr>"
        + f"<th>{_number(row, first=place == 0)}</th>"
        + "".join(f"<td>{escape(text)}</td>" for text in _texts(row, len(lanes.lanes), cut=False))
        + "</tr>"
        for place, row in enumerate(lanes.rows)
    )
    title = escape(_headline(lanes))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_PAGE_STYLE}</style></head>\n<body><h1>{title}</h1>\n<table>\n<tr>{head}</tr>\n"
        f"{rows}\n</table>\n<p>{escape(lanes.ending)}</p></body></html>\n"
    )


_PAGE_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem}h1{font-size:1.1rem}"
    "table{border-collapse:collapse}td,th{padding:.2rem 1rem;text-align:left;"
    "font-weight:normal;border-left:1px solid #bbb}th:first-child,td:first-child{border:0}"
    "tr:first-child th{font-weight:bold;border-bottom:1px solid #bbb}"
)


def lanes_svg(lanes: TraceLanes) -> str:
    """Return lanes as a picture: a line for each, and an arrow where one part sends to another.

    Args:
        lanes: of one run.

    Returns:
        A whole document.
    """
    widths = [(width + GAP) * CHARACTER for width in _widths(lanes)]
    begins = [MARGIN + 5 * CHARACTER + sum(widths[:lane]) for lane in range(len(widths))]
    bottom = MARGIN + LINE * (len(lanes.rows) + 3)
    right = max(
        [
            begins[-1] + widths[-1] if begins else 0,
            len(_headline(lanes)) * CHARACTER,
            len(lanes.ending) * CHARACTER,
        ]
    )
    shapes = [_svg_text(MARGIN, 1, _headline(lanes), bold=True)]
    for name, begin in zip(lanes.lanes, begins, strict=True):
        shapes.append(_svg_text(begin, 2, name, bold=True))
        shapes.append(
            f'<path d="M{begin - 6:.1f} {MARGIN + 1.4 * LINE:.1f}V{bottom - LINE:.1f}"'
            ' stroke="#bbb" fill="none"/>'
        )
    for place, row in enumerate(lanes.rows):
        shapes.append(_svg_text(MARGIN, place + 3, _number(row, first=place == 0)))
        for cell in row.cells:
            shapes.append(_svg_text(begins[cell.lane], place + 3, _cut(cell.text)))
            if cell.sent_from is not None and cell.sent_from != cell.lane:
                shapes.append(_svg_arrow(begins[cell.sent_from], begins[cell.lane], place + 3))
    shapes += [_svg_text(MARGIN, len(lanes.rows) + 3, lanes.ending)] if lanes.ending else []
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{right + MARGIN:.0f}"'
        f' height="{bottom + MARGIN:.0f}" font-family="monospace" font-size="12">\n'
        + "\n".join(shapes)
        + "\n</svg>\n"
    )


def _svg_text(left: float, line: int, text: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{left:.1f}" y="{MARGIN + line * LINE - 6}"{weight}>{escape(text)}</text>'


def _svg_arrow(begin: float, end: float, line: int) -> str:
    height, head = MARGIN + line * LINE - LINE, 5 if end > begin else -5
    tip = end - 6
    return (
        f'<path d="M{begin - 6:.1f} {height}H{tip:.1f}m{-head} -3l{head} 3l{-head} 3"'
        ' stroke="#555" fill="none"/>'
    )


def _headline(lanes: TraceLanes) -> str:
    return f"{lanes.title}: {lanes.message}" if lanes.message else lanes.title


def _number(row: LaneRow, *, first: bool) -> str:
    return "begins" if first else "" if row.number is None else str(row.number)


def _texts(row: LaneRow, many: int, *, cut: bool = True) -> list[str]:
    """Return the text of each lane, empty where nothing happens."""
    texts = [""] * many
    for cell in row.cells:
        texts[cell.lane] = _cut(cell.text) if cut else cell.text
    return texts


def _widths(lanes: TraceLanes) -> list[int]:
    texts = [_texts(row, len(lanes.lanes)) for row in lanes.rows]
    return [
        max([len(name), *(len(row[lane]) for row in texts)])
        for lane, name in enumerate(lanes.lanes)
    ]


def _text_row(number: str, texts: list[str], widths: list[int]) -> str:
    cells = "".join(text.ljust(width + GAP) for text, width in zip(texts, widths, strict=True))
    return f"  {number:<6}  {cells}".rstrip()


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
