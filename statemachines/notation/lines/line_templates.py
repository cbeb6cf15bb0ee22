"""The wording of a line: text with `{field}` and `{*}`, to a pattern and back; whether it is clear
where a field ends; and what a scanner looks for, settled over all templates of a catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from attrs import evolve

from statemachines.model.definitions.log_definitions import FamilyLog, LineDefinition, Template
from statemachines.model.definitions.machine_definitions import SpecDefinition
from statemachines.model.values import frozen
from statemachines.notation.lines.regex_automata import Automaton, AutomatonTooLarge

SHORTEST_LITERAL = 6
"""In characters; a scanner looks for nothing shorter."""
DEFAULT_PATTERN = r"\S+"
STATE_FIELDS = ("from", "to", "state")
"""Fields that match names and spellings of states."""

_TOKEN = re.compile(r"\{\{|\}\}|\{(\*|[A-Za-z_][A-Za-z0-9_]*)\}|[{}]|[^{}]+")
_RUN = re.compile(r"[A-Za-z0-9 _.:,()\[\]=-]+")


@frozen
class LiteralText:
    """Literal text."""

    text: str


@frozen
class FieldPlaceholder:
    """A captured field; `*` captures nothing and matches anything."""

    name: str


TemplatePart = LiteralText | FieldPlaceholder


class TemplateError(ValueError):
    """A template that cannot be read; `at` is the 0-based place in its text."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.offset = at


@lru_cache(maxsize=4096)
def parse_template(text: str) -> tuple[TemplatePart, ...]:
    """Take a template apart.

    Raises:
        TemplateError: a brace that neither opens nor closes a field.

    >>> parse_template("door {door} is {{open}}")
    (LiteralText(text='door '), FieldPlaceholder(name='door'), LiteralText(text=' is {open}'))
    """
    parts: list[TemplatePart] = []
    for token in _TOKEN.finditer(text):
        written = token.group()
        if token.group(1):
            parts.append(FieldPlaceholder(token.group(1)))
        elif written in "{}":
            raise TemplateError(
                f"a lonely `{written}`; a brace is written `{written * 2}`, a field `{{name}}`",
                token.start(),
            )
        else:
            plain = written if len(written) > 2 or written not in ("{{", "}}") else written[0]
            if parts and isinstance(parts[-1], LiteralText):
                parts[-1] = LiteralText(parts[-1].text + plain)
            else:
                parts.append(LiteralText(plain))
    if parts and isinstance(parts[-1], LiteralText):
        parts[-1] = LiteralText(parts[-1].text.rstrip())
    return tuple(part for part in parts if part != LiteralText(""))


def leading_text(text: str) -> str:
    """Return the text with which a template begins, without taking the rest apart; empty where it
    begins with a field.

    >>> leading_text("door {door} of {house}")
    'door '

    Args:
        text: of a template.

    Returns:
        Literal text.
    """
    plain = text.partition("{")[0]
    if "}" in plain or text.startswith("{{", len(plain)):
        first = parse_template(text)[:1]
        return first[0].text if first and isinstance(first[0], LiteralText) else ""
    return plain if len(plain) < len(text) else plain.rstrip()


def template_fields(text: str) -> tuple[str, ...]:
    """Return the fields that a template names, each once, in order.

    Args:
        text: of a template.

    Returns:
        Names without braces.

    Raises:
        TemplateError: the text cannot be read.

    >>> template_fields("door {door} of {house} {*}")
    ('door', 'house', '*')
    """
    return tuple(
        dict.fromkeys(
            part.name for part in parse_template(text) if isinstance(part, FieldPlaceholder)
        )
    )


def compile_template(text: str, patterns: Mapping[str, str], *, whole: bool = True) -> Template:
    """Make a template's pattern.

    Args:
        text: the template.
        patterns: field and regular expression; a field that is not there is `\\S+`.
        whole: all of a text must match; otherwise the pattern is searched for.

    Returns:
        The template, with its longest literal (`""` where it has none long enough).

    Raises:
        TemplateError: the text cannot be read.
    """
    body = _regex(parse_template(text), patterns)
    fields = tuple(name for name in template_fields(text) if name != "*")
    return Template(
        text, f"^{body}$" if whole else body, fields, max(literal_runs(text), key=len, default="")
    )


def _regex(parts: Sequence[TemplatePart], patterns: Mapping[str, str]) -> str:
    """Write a pattern: where anything may stand around words, their first place is as good as any
    later one, so no other is tried.

    Without it a line that holds the words of a template a thousand times each, and not its end, is
    looked at for an hour.
    """
    written, fields = list[str](), set[str]()
    for index, part in enumerate(parts):
        match part:
            case LiteralText(text) if (
                index
                and parts[index - 1] == FieldPlaceholder("*")
                and _matches_anything(parts, index + 1, patterns)
            ):
                written[-1] = f"(?>.*?{re.escape(text)})"
            case LiteralText(text):
                written.append(re.escape(text))
            case FieldPlaceholder("*"):
                written.append(".*?")
            case FieldPlaceholder(name) if name in fields:
                written.append(f"(?P={name})")
            case FieldPlaceholder(name):
                fields.add(name)
                written.append(f"(?P<{name}>{patterns.get(name, DEFAULT_PATTERN)})")
    return "".join(written)


def _matches_anything(
    parts: Sequence[TemplatePart], index: int, patterns: Mapping[str, str]
) -> bool:
    """Tell whether there is a part that matches anything, and more of it as well; a field that
    stands twice must agree with itself.
    """
    match parts[index : index + 1]:
        case (FieldPlaceholder("*"),):
            return True
        case (FieldPlaceholder(name) as field,):
            return parts.count(field) == 1 and patterns.get(name) in (".*", ".*?", ".+", ".+?")
    return False


@lru_cache(maxsize=4096)
def literal_runs(text: str) -> tuple[str, ...]:
    """Return the runs of a template that a scanner can look for, each at least six plain
    characters.

    >>> literal_runs("door [{door}] was opened by <{who}>")
    ('door [', '] was opened by ')
    """
    parts = parse_template(text)
    words = (part.text for part in parts if isinstance(part, LiteralText))
    return tuple(
        run for text in words for run in _RUN.findall(text) if len(run) >= SHORTEST_LITERAL
    )


def state_pattern(names: Iterable[str]) -> str:
    """Return the pattern of states' names and spellings, the longer ones first.

    Args:
        names: of states, and their spellings.

    Returns:
        The source of a regular expression.
    """
    ordered = sorted(dict.fromkeys(names), key=lambda name: -len(name))
    return "|".join(re.escape(name) for name in ordered) or r"(?!)"


def render_template(template: Template | str, values: Mapping[str, str]) -> str:
    """Write a message as a program would.

    Args:
        template: the template or its text.
        values: a text for each field; `*` for all of `{*}`, nothing where it is missing.

    Returns:
        One line.

    Raises:
        KeyError: a field has no value.

    >>> render_template("door [{door}] is {state}", {"door": "front", "state": "OPEN"})
    'door [front] is OPEN'
    """
    parts = parse_template(template if isinstance(template, str) else template.text)
    filled = {"*": "", **values}
    return "".join(
        part.text if isinstance(part, LiteralText) else filled[part.name] for part in parts
    )


def ambiguous_pair(text: str, patterns: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the first two neighbouring fields whose border is not settled; None where all are.

    Two named fields beside each other always are; with literal text between them they are if some
    message can be read in two ways. `{*}` takes as little as it can and is never the reason.

    >>> ambiguous_pair("{street} {number}", {"street": ".+", "number": r"[0-9]+"})
    >>> ambiguous_pair("{street} {town}", {"street": ".+", "town": ".+"})
    ('street', 'town')

    Args:
        text: of a template.
        patterns: a regular expression for each field.

    Returns:
        Names of the two fields, in the order of the template.
    """
    for first, between, second in _neighbouring_fields(text):
        one, other = (patterns.get(name, DEFAULT_PATTERN) for name in (first, second))
        if not between or has_two_readings(one, between, other):
            return first, second
    return None


def _neighbouring_fields(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield named fields with only literal text between them."""
    first, between = None, ""
    for part in parse_template(text):
        match part:
            case LiteralText(words):
                between = words
            case FieldPlaceholder("*"):
                first, between = None, ""
            case FieldPlaceholder(name):
                if first is not None:
                    yield first, between, name
                first, between = name, ""


@lru_cache(maxsize=4096)
def has_two_readings(first: str, between: str, second: str) -> bool:
    """Tell whether some text matches `first`, then the literal, then `second`, with the literal at
    two different places.

    Complexity: the product of the patterns' sizes.

    Limits: of a pattern that needs thousands of states, or beyond a million pairs of them, it says
    no.
    """
    automaton = Automaton()
    try:
        start = automaton.add_state()
        border = automaton.add_pattern(start, first)
        behind = automaton.add_state()
        end = automaton.add_pattern(automaton.add_text(behind, between), second)
    except (AutomatonTooLarge, RecursionError):
        return False
    return _ReadingPair(automaton, border, behind, end).can_diverge(start)


MOST_PAIRS = 1_000_000


class _ReadingPair:
    """Two readings of one text, the first of which passes the border earlier.

    Stage 0: neither has passed; 1: the first just has; 2: it has, and characters since; 3: both
    have.
    """

    def __init__(self, automaton: Automaton, border: int, behind: int, end: int) -> None:
        self.edges = automaton.edges
        self.border = border
        self.behind = behind
        self.end = end

    def can_diverge(self, start: int) -> bool:
        visited, waiting = {(start, start, 0)}, [(start, start, 0)]
        while waiting and len(visited) < MOST_PAIRS:
            here = waiting.pop()
            if here == (self.end, self.end, 3):
                return True
            for following in self._next_positions(*here):
                if following not in visited:
                    visited.add(following)
                    waiting.append(following)
        return False

    def _next_positions(self, one: int, other: int, stage: int) -> Iterator[tuple[int, int, int]]:
        if stage == 0 and one == self.border:
            yield self.behind, other, 1
        if stage == 2 and other == self.border:
            yield one, self.behind, 3
        for mask, target in self.edges[one]:
            if not mask:
                yield target, other, stage
                continue
            for others_mask, others_target in self.edges[other]:
                if mask & others_mask:
                    yield target, others_target, 2 if stage == 1 else stage
        for mask, target in self.edges[other]:
            if not mask:
                yield one, target, stage


def settle_literals(specs: Sequence[SpecDefinition]) -> tuple[SpecDefinition, ...]:
    """Choose each template's literal: of its runs the one that the fewest other templates contain,
    then the longest, then the first.

    Args:
        specs: the whole catalogue; their families' lines count too.

    Returns:
        The same specs with literals settled.

    Complexity: wordings times different runs; two thousand of each take half a second.
    """
    texts = dict.fromkeys(
        template.text for spec in specs for line in spec_lines(spec) for template in line.templates
    )
    runs = {text: literal_runs(text) for text in texts}
    joined = ["\n".join(own) for own in runs.values()]
    holders = {
        run: sum(run in other for other in joined)
        for run in {run for own in runs.values() for run in own}
    }
    choice = {
        text: min(own, key=lambda run: (holders[run], -len(run)), default="")
        for text, own in runs.items()
    }
    return tuple(_with_literals(spec, choice) for spec in specs)


def spec_lines(spec: SpecDefinition) -> tuple[LineDefinition, ...]:
    """Return the lines of a machine and of its family.

    Args:
        spec: in all its releases.

    Returns:
        Its own lines first, then those of the family.
    """
    family = spec.family_log.lines if spec.family_log else ()
    return (spec.log.lines if spec.log else ()) + family


def _with_literals(spec: SpecDefinition, choice: dict[str, str]) -> SpecDefinition:
    log = evolve(spec.log, lines=_lines_with_literals(spec.log.lines, choice)) if spec.log else None
    return evolve(spec, log=log, family_log=_family_log_with_literals(spec.family_log, choice))


def _family_log_with_literals(log: FamilyLog | None, choice: dict[str, str]) -> FamilyLog | None:
    return evolve(log, lines=_lines_with_literals(log.lines, choice)) if log else None


def _lines_with_literals(
    lines: Iterable[LineDefinition], choice: dict[str, str]
) -> tuple[LineDefinition, ...]:
    return tuple(
        evolve(
            line,
            templates=tuple(
                _template_with_literal(template, choice) for template in line.templates
            ),
        )
        for line in lines
    )


def _template_with_literal(template: Template, choice: dict[str, str]) -> Template:
    return evolve(template, literal=choice.get(template.text, template.literal))
