"""Cases: lists of them that have a name, `match` over the members of an enumeration, the case that
is taken `otherwise`, and one case for each error of `raises` with an expression.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from attrs import define, evolve, frozen

from statemachines.model.diagnosis.diagnostics import Diagnostic
from statemachines.model.diagnosis.suggestions import did_you_mean
from statemachines.notation.document.key_shapes import NAME
from statemachines.notation.document.yaml_nodes import (
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_items,
    node_text,
)

OTHERWISE = "otherwise"
_MEMBERS_KEY = "members"
"""Of a case that was written for members of an enumeration: which; never written by a person."""
_MOST_CASES = 20_000
"""Of one document, written out; a machine that a person wrote has hundreds."""
_MOST_CONDITIONS = 1_000
"""Of one case in all releases; a family has some hundred releases."""
_SIMPLE = re.compile(r"[\w.]+(\[[\w.]+\])?")


@define
class CaseBudget:
    """How many cases a document may still have: lists that include lists grow without end."""

    left: int = _MOST_CASES

    def take(self, at: YamlNode, diagnostics: list[Diagnostic]) -> bool:
        """Count one case; False, and a message once, where there were too many.

        Args:
            at: where the message points.
            diagnostics: takes what is wrong.

        Returns:
            True while there is room.
        """
        self.left -= 1
        if self.left == -1:
            message = f"the cases up to this one are more than {_MOST_CASES:,}"
            diagnostics.append(Diagnostic("SM330", message, at.span, "include less"))
        return self.left >= 0


@frozen
class NamedCases:
    """The lists of cases of a document, in their long form."""

    lists: dict[str, tuple[YamlMapping, ...]]
    budget: CaseBudget

    def operation_written_out(
        self, node: YamlMapping, diagnostics: list[Diagnostic]
    ) -> YamlMapping:
        """Return a transition or an event whose `cases` are a plain list.

        Args:
            node: a transition or an event.
            diagnostics: takes what is wrong.

        Returns:
            A mapping without names of lists.
        """
        cases = node.get("cases")
        if cases is None:
            if node.get("match") is not None:
                diagnostics.append(_match_without_members(node.get("match")))
            return node
        written = YamlSequence(tuple(self._written_cases(node, cases, diagnostics)), cases.span)
        return with_entry(node, "cases", written)

    def _written_cases(
        self, node: YamlMapping, cases: YamlNode, diagnostics: list[Diagnostic]
    ) -> Iterator[YamlMapping]:
        if not isinstance(cases, YamlMapping):
            if node.get("match") is not None:
                diagnostics.append(_match_without_members(node.get("match")))
            yield from self.included(cases, diagnostics)
            return
        subject = node.get("match")
        if subject is None:
            diagnostics.append(_members_without_match(cases))
            return
        for name, value in cases.entries:
            yield from self._cases_of_members(name, value, subject, diagnostics)

    def _cases_of_members(
        self, name: YamlScalar, value: YamlNode, subject: YamlNode, diagnostics: list[Diagnostic]
    ) -> Iterator[YamlMapping]:
        """Yield the cases that are for some members."""
        members = () if name.text == OTHERWISE else tuple(name.text.split(" or "))
        if isinstance(value, YamlScalar):
            value = YamlMapping((), name.span)
        for case in self.included(value, diagnostics):
            yield _case_of_members(case, members, subject, name) if members else case

    def included(self, cases: YamlNode, diagnostics: list[Diagnostic]) -> Iterator[YamlMapping]:
        """Yield the cases of a list, those that it includes in their place.

        Args:
            cases: a list; items may name other lists.
            diagnostics: takes what is wrong.

        Yields:
            Cases, in their order.
        """
        for case in node_items(cases):
            if not isinstance(case, YamlMapping):
                continue
            wanted = case.get("include")
            if wanted is None:
                yield _without_otherwise(case)
                continue
            known = self.lists.get(node_text(wanted))
            if known is None:
                diagnostics.append(_unknown_list(wanted, tuple(self.lists)))
            for inner in known or ():
                if not self.budget.take(case, diagnostics):
                    return
                yield _cut_case(inner, case.get("in"))


def named_cases(root: YamlMapping, diagnostics: list[Diagnostic]) -> NamedCases:
    """Return the lists of `cases:` of a document; each may include those before it.

    Args:
        root: the document.
        diagnostics: takes what is wrong.

    Returns:
        The lists by name.
    """
    node = root.get("cases")
    budget, lists = CaseBudget(), dict[str, tuple[YamlMapping, ...]]()
    for name, value in node.entries if isinstance(node, YamlMapping) else ():
        lists[name.text] = tuple(NamedCases(lists, budget).included(value, diagnostics))
    return NamedCases(lists, budget)


def with_entry(node: YamlMapping, name: str, value: YamlNode) -> YamlMapping:
    """Return a mapping with another value of a key, in its place or at the end.

    Args:
        node: stays as it is.
        name: the key.
        value: in place of what it has.

    Returns:
        A new mapping.
    """
    key = node.key_scalar(name) or YamlScalar(name, value.span)
    own = {key.text: (key, value) for key, value in node.entries}
    return YamlMapping(tuple((own | {name: (key, value)}).values()), node.span)


def with_condition(case: YamlMapping, condition: YamlNode) -> YamlMapping:
    """Return a case that asks for a condition before its own.

    Args:
        case: stays as it is.
        condition: put before its `when`.

    Returns:
        A new mapping.
    """
    own = case.get("when")
    if own is None:
        return with_entry(case, "when", condition)
    return with_entry(case, "when", _conjunction(condition, own))


def _conjunction(first: YamlNode, second: YamlNode) -> YamlNode:
    """Join two conditions, each a text or a list of texts with their releases."""
    pairs = itertools.islice(
        _pairs(tuple(_by_releases(first)), tuple(_by_releases(second))), _MOST_CONDITIONS
    )
    joined = [
        (cut_ranges(one[0], two[0]), f"{_grouped(one[1].text)} and {_grouped(two[1].text)}", two[1])
        for one, two in pairs
    ]
    if len(joined) == 1 and joined[0][0] is None:
        return YamlScalar(joined[0][1], joined[0][2].span)
    return YamlSequence(tuple(_ranged(*pair) for pair in joined), second.span)


_RangedText = tuple[YamlScalar | None, YamlScalar]


def _pairs(
    first: tuple[_RangedText, ...], second: tuple[_RangedText, ...]
) -> Iterator[tuple[_RangedText, _RangedText]]:
    """Yield what may stand together: of two lists with the same ranges, those of one range."""
    alike = len(first) > 1 and {_range(one) for one in first} == {_range(two) for two in second}
    for one, two in itertools.product(first, second):
        if not alike or _range(one) == _range(two):
            yield one, two


def _range(ranged: _RangedText) -> str:
    return node_text(ranged[0])


def _ranged(ranges: YamlScalar | None, text: str, at: YamlScalar) -> YamlMapping:
    whole = YamlMapping(((YamlScalar("is", at.span), YamlScalar(text, at.span)),), at.span)
    return whole if ranges is None else with_entry(whole, "in", ranges)


def _by_releases(node: YamlNode) -> Iterator[_RangedText]:
    """Yield the texts of an expression with the value of their `in`."""
    for item in node_items(node):
        text = item.get("is") if isinstance(item, YamlMapping) else item
        ranges = item.get("in") if isinstance(item, YamlMapping) else None
        if isinstance(text, YamlScalar):
            yield (ranges if isinstance(ranges, YamlScalar) else None), text


def cut_ranges(first: YamlNode | None, second: YamlNode | None) -> YamlScalar | None:
    """Return an `in` that says that two hold; None where there is none.

    Args:
        first: an `in`; None where there is none.
        second: another one.

    Returns:
        Ranges with `&` between them.
    """
    known = [scalar for scalar in (first, second) if isinstance(scalar, YamlScalar)]
    if len(known) < 2:
        return known[0] if known else None
    return evolve(known[1], text=f"{known[0].text} & {known[1].text}")


def _grouped(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def _cut_case(case: YamlMapping, ranges: YamlNode | None) -> YamlMapping:
    """Return a new node of a case, with the releases of what includes it."""
    both = cut_ranges(ranges, case.get("in"))
    return evolve(case) if both is None else with_entry(case, "in", both)


def _without_otherwise(case: YamlMapping) -> YamlMapping:
    """Return a case without a condition that always holds."""
    if node_text(case.get("when")) != OTHERWISE:
        return case
    entries = tuple(entry for entry in case.entries if entry[0].text != "when")
    return YamlMapping(entries, case.span)


def _case_of_members(
    case: YamlMapping, members: tuple[str, ...], subject: YamlNode, at: YamlScalar
) -> YamlMapping:
    """Return a case that is for some members of what is matched."""
    texts = tuple(
        _ranged(ranges, f"{_grouped(text.text)} {_comparison(members)}", at)
        for ranges, text in _by_releases(subject)
    )
    plain = texts[0].get("is") if len(texts) == 1 and texts[0].get("in") is None else None
    condition = plain or YamlSequence(texts, at.span)
    unconditional = case.get("when") is None
    case = with_condition(evolve(case, span=at.span), condition)
    names = tuple(YamlScalar(member, at.span) for member in members)
    return with_entry(case, _MEMBERS_KEY, YamlSequence(names, at.span)) if unconditional else case


def _comparison(members: tuple[str, ...]) -> str:
    if members == ("None",):
        return "is None"
    if len(members) == 1:
        return f"== '{members[0]}'"
    return "in [" + ", ".join(f"'{member}'" for member in members) + "]"


def _unknown_list(wanted: YamlNode, known: tuple[str, ...]) -> Diagnostic:
    message = f"there is no list of cases `{node_text(wanted)}`"
    hint = did_you_mean(node_text(wanted), known) if known else "name it under `cases:`"
    return Diagnostic("SM330", message, wanted.span, hint)


def _members_without_match(cases: YamlMapping) -> Diagnostic:
    hint = "write `match:` and the value that they are members of, or a list of cases"
    return Diagnostic("SM329", "these cases have names, and nothing is matched", cases.span, hint)


def _match_without_members(subject: YamlNode | None) -> Diagnostic:
    assert subject is not None
    hint = "write `cases: {member: {…}, otherwise: {…}}`"
    return Diagnostic("SM329", "`match` without a case for each member", subject.span, hint)


_NAMING_SECTIONS = ("parameters", "variables", "define", "args", "let")


@frozen
class RaisedErrors:
    """The errors that a document declares, and the names that an expression may use."""

    errors: tuple[tuple[str, YamlScalar | None], ...]
    """Each with its `in`."""
    names: frozenset[str]

    def operation_written_out(
        self, node: YamlMapping, budget: CaseBudget, diagnostics: list[Diagnostic]
    ) -> YamlMapping:
        """Return a transition or an event that raises errors by their names only.

        Args:
            node: a transition or an event.
            budget: how many entries may still be made.
            diagnostics: takes what is wrong.

        Returns:
            A mapping with a case for each error that may be raised.
        """
        own, cases = node.get("raises"), node.get("cases")
        if self.is_expression(own) and cases is None:
            whole = YamlMapping(tuple(e for e in node.entries if e[0].text == "raises"), node.span)
            rest = YamlMapping(tuple(e for e in node.entries if e[0].text != "raises"), node.span)
            return with_entry(
                rest,
                "cases",
                YamlSequence(tuple(self._cases(whole, budget, diagnostics)), node.span),
            )
        if isinstance(cases, YamlSequence):
            parts = (
                part
                for case in cases
                for part in (
                    self._cases(case, budget, diagnostics)
                    if isinstance(case, YamlMapping)
                    else (case,)
                )
            )
            return with_entry(node, "cases", YamlSequence(tuple(parts), cases.span))
        return node

    def is_expression(self, node: YamlNode | None) -> bool:
        """Tell whether a `raises` computes an error.

        Args:
            node: the value of `raises`.

        Returns:
            False of the name of a declared error.
        """
        if not isinstance(node, YamlScalar) or not self.errors:
            return False
        if any(node.text == error for error, _ in self.errors):
            return False
        return node.text in self.names or not re.fullmatch(NAME, node.text)

    def _cases(
        self, case: YamlMapping, budget: CaseBudget, diagnostics: list[Diagnostic]
    ) -> Iterator[YamlMapping]:
        """Yield a case once for each error that it may raise."""
        raises = case.get("raises")
        if not self.is_expression(raises) or not isinstance(raises, YamlScalar):
            yield case
            return
        text = raises.text if re.fullmatch(NAME, raises.text) else f"({raises.text})"
        for error, ranges in self.errors:
            if not budget.take(raises, diagnostics):
                return
            condition = YamlScalar(f"{text} == '{error}'", raises.span)
            raising = with_entry(
                _own_first(case, condition), "raises", YamlScalar(error, raises.span)
            )
            both = cut_ranges(ranges, case.get("in"))
            yield raising if both is None else with_entry(raising, "in", both)


def _own_first(case: YamlMapping, condition: YamlScalar) -> YamlMapping:
    """Return a case that asks for its own condition, then for another."""
    own = case.get("when")
    bare = YamlMapping(tuple(entry for entry in case.entries if entry[0].text != "when"), case.span)
    bare = with_entry(bare, "when", condition)
    return bare if own is None else with_condition(bare, own)


def raised_errors(root: YamlMapping) -> RaisedErrors:
    """Return what a document declares.

    Args:
        root: the document.

    Returns:
        The errors, with the expressions that may stand for them.
    """
    node = root.get("errors")
    errors = tuple(
        (name.text, value.get("in") if isinstance(value, YamlMapping) else None)
        for name, value in (node.entries if isinstance(node, YamlMapping) else ())
    )
    return RaisedErrors(
        tuple(
            (name, ranges if isinstance(ranges, YamlScalar) else None) for name, ranges in errors
        ),
        frozenset(_declared_names(root)) if errors else frozenset(),
    )


def _declared_names(node: YamlNode) -> Iterator[str]:
    """Yield the names of values that stand anywhere in a document."""
    if isinstance(node, YamlSequence):
        for item in node:
            yield from _declared_names(item)
    if isinstance(node, YamlMapping):
        for name, value in node.entries:
            if name.text in _NAMING_SECTIONS and isinstance(value, YamlMapping):
                yield from (inner.text for inner, _ in value.entries)
            yield from _declared_names(value)
