"""Lines of a log with the lines around them."""

from __future__ import annotations

from statemachines.model.reports import Place
from statemachines.report.html.around import Around
from statemachines.report.html.tags import Markup, tag
from statemachines.report.text.names import place_name


def quoted(place: Place | None, text: str | None, around: Around) -> list[Markup]:
    """Show where a line stands, the line, and a few before and after it where the file is still there.

    Args:
        place: of the line.
        text: the line; of a record of several lines, all of them.
        around: has the lines of the file.
    """
    where = [tag("p", tag("code", place_name(place)))] if place else []
    lines = around.lines.get(place, ()) if place else ()
    if not lines:
        return [*where, *([tag("pre", text)] if text else [])]
    assert place is not None
    inside = Markup("\n").join(_line(number, told, number == place.line) for number, told in lines)
    return [*where, tag("pre", Markup(inside), class_="lines", tabindex="0")]


def _line(number: int, told: str, meant: bool) -> Markup:
    line = Markup(f"{tag('span', f'{number:>6}', class_='nr')} {tag('span', told)}")
    return tag("mark", line) if meant else line
