"""A machine that logs showed, as text of a spec."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from statemachines.interop.drafting.drafts import valid_name
from statemachines.interop.drafting.notation_writer import comment_line, yaml_scalar
from statemachines.mining.drafts.draft_lines import DraftLine, draft_lines
from statemachines.mining.inference.field_names import UNNAMED, name_fields
from statemachines.mining.inference.machines import Evidence, InferredMachine
from statemachines.mining.templates.message_templates import MinedTemplate
from statemachines.model.counts import count_text
from statemachines.notation.lines.line_templates import DEFAULT_PATTERN, state_pattern

SURE_FROM, LIKELY_FROM = 10, 3
"""Lines that stand for something, with none against it, from which on a draft calls it so."""
NUMBER, WORD = r"\d+", r"[^\s,;=()\[\]]+"
"""Patterns of keys."""
_ENDINGS = re.compile(r"(?:Impl|Logger|Log)$")


def _sureness(count: int, against: int = 0) -> str:
    """Say how sure a draft is of something.

    Args:
        count: lines that stand for it.
        against: lines that do not fit.

    >>> [_sureness(40), _sureness(40, 2), _sureness(5), _sureness(2)]
    ['sure', 'likely', 'likely', 'a guess']
    """
    if count >= SURE_FROM and not against:
        return "sure"
    return "likely" if count >= LIKELY_FROM and 10 * against <= count else "a guess"


def machine_name(machine: InferredMachine) -> str:
    """Return what a machine is best called: as its logger, or as its instances are.

    Args:
        machine: what logs showed.

    Returns:
        A name as specs have it.
    """
    loggers = {lines.template.logger for lines in machine.fit.lines}
    logger = (loggers.pop() or "") if len(loggers) == 1 else ""
    last = _ENDINGS.sub("", re.split(r"[.$/]", logger)[-1].split("@")[0].split(":")[-1])
    if last and last[0].isupper():
        return valid_name(last)
    names = key_names(machine)
    return valid_name("".join(part.title() for part in names[0].split("_"))) if names else "Program"


def key_names(machine: InferredMachine) -> tuple[str, ...]:
    """Return the names of the fields that name an instance.

    Args:
        machine: what logs showed.

    Returns:
        Names, one for each word of the key.
    """
    named = [
        (lines, key, name_fields(lines.template, dict(lines.field_names())))
        for lines, key in zip(machine.fit.lines, machine.fit.keys, strict=True)
    ]
    names = list[str]()
    for index in range(len(machine.fit.keys[0])):
        votes = Counter[str]()
        for lines, key, fields in named:
            if not fields[key[index]].startswith(UNNAMED):
                votes[fields[key[index]]] += lines.template.count
        best = votes.most_common(1)[0][0] if votes else "id"
        names.append(best if best not in names else f"{best}_{index + 1}")
    return tuple(names)


def is_writable(machine: InferredMachine) -> bool:
    """Tell whether a spec can have a line of the machine's steps: one that can be searched for.

    Args:
        machine: what logs showed.

    Returns:
        Whether a draft of it would have a line that says a step.
    """
    keys = key_names(machine)
    return any(line.says == "step" for line in draft_lines(machine, keys, _patterns(machine, keys)))


def draft_text(machine: InferredMachine, name: str, notes: Iterable[str]) -> str:
    """Write a machine as a spec.

    Args:
        machine: what logs showed.
        name: what it is called.
        notes: comments on top.

    Returns:
        The file, with how sure each part is and the first line that stands for it as comments.
    """
    names = {state: valid_name(state) for state in machine.states}
    parts = (
        (comment_line(note) for note in notes),
        ("notation: 1", f"machine: {yaml_scalar(name)}"),
        ("states:", *(f"  {line}" for line in _state_lines(machine, names))),
        ("transitions:", *(f"  {line}" for line in _transition_lines(machine, names))),
        ("log:", *(f"  {line}" for line in _log_lines(machine))),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def _state_lines(machine: InferredMachine, names: dict[str, str]) -> Iterator[str]:
    for state, evidence in machine.states.items():
        words, comments = list[str](), [_evidence_text(evidence)]
        if state in machine.initial:
            words.append("initial: true")
            count = machine.initial[state]
            comments.append(
                f"initial: {_sureness(count)}, {count} of"
                f" {count_text(machine.instances, 'instance')}"
                f" {'begins' if machine.instances == 1 else 'begin'} here"
            )
        if state in machine.final:
            words.append("final: true")
            comments.append("final: likely, nothing was seen to leave it")
        if names[state] != state:
            words.append(f"as: [{yaml_scalar(state)}]")
        value = f" {{{', '.join(words)}}}" if words else ""
        yield f"{yaml_scalar(names[state])}:{value}  {comment_line('; '.join(comments))}"


def _transition_lines(machine: InferredMachine, names: dict[str, str]) -> Iterator[str]:
    for (source, target), evidence in machine.steps.items():
        transition = f"from: {yaml_scalar(names[source])}, to: {yaml_scalar(names[target])}"
        yield f"- {{{transition}}}  " + comment_line(
            f"{_sureness(evidence.count)}: {_evidence_text(evidence)}"
        )
    for (source, target), evidence in machine.unseen.items():
        if (source, target) in machine.steps or source == target:
            continue
        transition = f"from: {yaml_scalar(names[source])}, to: {yaml_scalar(names[target])}"
        yield (
            f"- {{{transition}, silent: true}}  # a guess, {_evidence_text(evidence)}: no line"
            f" tells it, and the instance went on from {target}"
        )


def _evidence_text(evidence: Evidence) -> str:
    place = f", first {evidence.first.file}:{evidence.first.line}" if evidence.first else ""
    return f"{evidence.count:,} ×{place}"


def _log_lines(machine: InferredMachine) -> Iterator[str]:
    fit, keys = machine.fit, key_names(machine)
    if keys:
        count, against = fit.linked, fit.broken if fit.lines[0].source is not None else 0
        yield (
            f"instance: [{', '.join(keys)}]  # {_sureness(count, against)}:"
            f" {count_text(count, 'line goes', 'lines go')} on where the instance's line before"
            f" ended, {against:,} {'does' if against == 1 else 'do'} not"
        )
    patterns = _key_patterns(machine, keys)
    if written := [f"{name}: {_quoted(pattern)}" for name, pattern in patterns.items()]:
        yield f"patterns: {{{', '.join(written)}}}"
    yield "lines:"
    entries = _distinct(draft_lines(machine, keys, _patterns(machine, keys)))
    yield from (line[2:] for entry in entries for line in entry.yaml())


def _distinct(entries: Iterable[DraftLine]) -> Iterator[DraftLine]:
    """Leave out wordings that another entry has: nothing would tell the two apart."""
    known = set[str]()
    for entry in entries:
        if entry.text not in known:
            known.add(entry.text)
            yield entry


def _patterns(machine: InferredMachine, keys: tuple[str, ...]) -> dict[str, str]:
    """Return the patterns of the fields that a draft needs: keys and states."""
    states = state_pattern(machine.states)
    own = _key_patterns(machine, keys)
    return {**dict.fromkeys(keys, DEFAULT_PATTERN), **own, "from": states, "to": states}


def _key_patterns(machine: InferredMachine, keys: tuple[str, ...]) -> dict[str, str]:
    """Return the patterns of keys: numbers, or words that end at a sign; other keys end at a
    blank.
    """
    patterns = dict[str, str]()
    for index, name in enumerate(keys):
        pairs = zip(machine.fit.lines, machine.fit.keys, strict=True)
        words = [(lines.template, key[index]) for lines, key in pairs]
        values = {row.words[i] for template, i in words for row in template.rows}
        if all(map(str.isdigit, values)):
            patterns[name] = NUMBER
        elif any(not _ends_at_blank(template, i) for template, i in words) and all(
            map(re.compile(WORD).fullmatch, values)
        ):
            patterns[name] = WORD
    return patterns


def _ends_at_blank(template: MinedTemplate, i: int) -> bool:
    return not template.gaps[i + 1] or template.gaps[i + 1][0].isspace()


def _quoted(pattern: str) -> str:
    return "'" + pattern.replace("'", "''") + "'"
