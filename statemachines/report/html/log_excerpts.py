"""Lines of a log with the lines around them."""

from __future__ import annotations

from statemachines.model.evidence.reports import Place
from statemachines.report.html.elements import Markup, tag
from statemachines.report.html.page_context import PageContext
from statemachines.report.sections.display_names import place_name


def quoted_lines(place: Place | None, text: str | None, around: PageContext) -> list[Markup]:
    """Show where a line stands, the line, and a few before and after it where the file is still
    there.

    Args:
        place: of the line.
        text: the line; of a record of several lines, all of them.
        around: has the lines of the file.

    Returns:
        Elements, none where there is no line.
    """
    where = [tag("p", tag("code", place_name(place)))] if place else []
    lines = around.log_lines.get(place, ()) if place else ()
    if not lines:
        return [*where, *([tag("pre", text)] if text else [])]
    assert place is not None
    inside = Markup("\n").join(
        _excerpt_line(number, line, number == place.line) for number, line in lines
    )
    return [*where, tag("pre", Markup(inside), class_="lines", tabindex="0")]


def _excerpt_line(number: int, text: str, meant: bool) -> Markup:
    line = Markup(f"{tag('span', f'{number:>6}', class_='nr')} {tag('span', text)}")
    return tag("mark", line) if meant else line
