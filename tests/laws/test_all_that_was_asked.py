"""Laws: every machine, system and property that was asked for is accounted for; told values that break a property are found, others accuse nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from pkgutil import resolve_name
from random import Random

import pytest
from attrs import evolve, frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import statemachines as sm
from statemachines.model.evidence.reports import Report, RuleSummary
from tests.effort import some_of

SOME = settings(max_examples=some_of(40), deadline=None, suppress_health_check=list(HealthCheck))
STATES = ("IDLE", "BUSY", "FULL")
FAMILY = """
notation: 1
family: works
releases: ["1", "2"]
log: {lines: [{text: "works software release {release}", says: release, logger: W, level: INFO}]}
"""
ALWAYS = (
    "low <= 4",
    "low <= high",
    "state != 'FULL' or high > 0",
    "implies(state == 'BUSY', low < 5)",
    "not (state == 'FULL' and low == 0)",
)
STEPS = ("low >= before.low", "high != before.high or low == before.low", "state != before.state or low <= 3",
         "implies(before.state == 'IDLE', state != 'FULL')")  # fmt: skip
EFFECTS = ("low: amount", "high: amount", "low: amount, high: 'min(low + amount, 9)'", "")


@frozen
class Written:
    """A spec, the properties that it claims by name, and what Python says of those that a log can be judged by."""

    name: str
    text: str
    asked: tuple[str, ...]
    always: dict[str, str]
    each_step: dict[str, str]
    told: tuple[str, ...]
    """The variables that its lines tell."""


def tank(random: Random, family: str, name: str = "Tank") -> Written:
    """Make a machine with two variables, rules over them, and promises that no log shows."""
    always = {
        f"always{number}": rule
        for number, rule in enumerate(random.sample(ALWAYS, random.randint(0, 3)))
    }
    steps = {
        f"step{number}": rule
        for number, rule in enumerate(random.sample(STEPS, random.randint(0, 3)))
    }
    moves = [f"  - {{from: {a}, to: {random.choice(STATES)}, event: move{b}, effect: {{{random.choice(EFFECTS)}}}}}"
             for a in STATES for b in range(3) if b == 0 or random.random() < 0.5]  # fmt: skip
    told = tuple(one for one in ("low", "high") if random.random() < 0.7)
    values = "".join(f", {one} now {{{one}}}" for one in told)
    sets = ", ".join(f'{one}: "{{{one}}}"' for one in told)
    lines = [f"    - {{text: \"tank {{tank}} did move{b} by {{amount}}{values}.\", says: event, event: move{b}, "
             f"args: {{amount: \"{{amount}}\"}}, set: {{{sets}}}, logger: T, level: INFO}}" for b in range(3)]  # fmt: skip
    text = "\n".join([
        "notation: 1", f"machine: {name}", *([f"family: {family}"] if family else []), "variables: {low: '0..9 = 0', high: '0..9 = 0'}",
        "events:", *(f"  move{b}: {{args: {{amount: 0..9}}}}" for b in range(3)),
        "states: {IDLE: {initial: true}, BUSY: {}, FULL: {}}", "transitions:", *moves,
        *_claims("always", {**always, "bug": "{holds: low < 0, expect: fails}"}), *_claims("each step", steps),
        "sometimes: {some: low > 2}", "leads to: {later: {when: state == 'FULL', then: state == 'IDLE'}}",
        "log:", "  instance: [tank]", "  patterns: {tank: '[a-z]+', low: '\\d', high: '\\d', amount: '\\d'}", "  lines:",
        '    - {text: "tank {tank} is new", says: begin, state: IDLE, logger: T, level: INFO}', *lines, "",
    ])  # fmt: skip
    return Written(
        name, text, (*always, "bug", *steps, "some", "later", "no deadlock"), always, steps, told
    )


def _claims(claim: str, rules: dict[str, str]) -> Iterator[str]:
    if rules:
        yield f"{claim}:"
    yield from (
        f"  {name}: {rule}" if rule.startswith("{") else f'  {name}: "{rule}"'
        for name, rule in rules.items()
    )


def run(
    made: Written, machine: sm.Machine, random: Random, steps: int
) -> tuple[list[str], list[tuple[str, int]]]:
    """Return the lines of a legal run, and what it breaks: the property, and the line (from 1)."""
    now, lines = machine.start(), ["tank a is new"]
    broken = [(name, 1) for name, rule in made.always.items() if not _true(rule, now, now)]
    for _ in range(steps):
        event, amount = f"move{random.randint(0, 2)}", random.randint(0, 9)
        answer = sm.step(machine, now, event, amount=amount)
        if not isinstance(answer, sm.Advanced):
            continue
        was, now = now, answer.after
        values = "".join(f", {one} now {now.variables[one]}" for one in made.told)
        lines.append(f"tank a did {event} by {amount}{values}.")
        rules = {**made.always, **made.each_step}
        broken += [(name, len(lines)) for name, rule in rules.items() if not _true(rule, now, was)]
    return lines, broken


def _true(rule: str, now: sm.Snapshot, was: sm.Snapshot) -> bool:
    """Say what Python says of a rule."""
    before = type("Before", (), {**was.variables, "state": was.state})
    names = {
        **now.variables,
        "state": now.state,
        "before": before,
        "implies": lambda a, b: not a or b,
    }
    return bool(eval(rule, {}, names))  # the rules are those above


def judged(folder: Path, specs: list[str], **files: list[str]) -> Report:
    """Write the lines, one every five seconds over all files, and judge them by specs of the folder."""
    places = {
        name: [int(line.partition("|")[0]) if "|" in line else at for at, line in enumerate(lines)]
        for name, lines in files.items()
    }
    for name, lines in files.items():
        written = [f"[2026-01-01 {10 + at // 720:02}:{at // 12 % 60:02}:{at % 12 * 5:02},001] INFO {line.rpartition('|')[2]} (T)\n"
                   for at, line in zip(places[name], lines, strict=True)]  # fmt: skip
        (folder / f"{name}.log").write_text("".join(written), "utf-8")
    return sm.check(
        [folder / f"{name}.log" for name in files],
        specs=[folder / f"{one}.yaml" for one in specs],
        engine="local",
    )


def see_accounts(report: Report, asked: dict[str, tuple[str, ...]]) -> None:
    """See that a report has a row with a count or a reason for all that was asked for, and for nothing else."""
    expected = {(name, rule) for name, rules in asked.items() for rule in (None, *rules)}
    assert {(row.machine, row.rule) for row in report.rules} == expected
    assert len(report.rules) == len(expected)
    named = " ".join(row.why for row in report.unjudged)
    for row in report.rules:
        assert (row.verdict is None) == (not row.judged) == bool(row.why), row
        assert (row.verdict in (None, sm.Verdict.HOLDS)) == (not row.broken) or (
            row.rule is None and row.undecided
        ), row
        if row.verdict is None and row.claim != "no deadlock":
            assert row.machine in named, row
        assert row.verdict is None or row.verdict <= report.verdict


@SOME
@given(
    seed=st.integers(0, 10**6),
    family=st.sampled_from(["", "works"]),
    upgrade=st.booleans(),
    cut=st.integers(0, 6),
)
def test_each_property_of_a_machine_is_accounted_for_and_what_is_told_decides_it(
    tmp_path_factory: pytest.TempPathFactory, seed: int, family: str, upgrade: bool, cut: int
) -> None:
    """A run of the machine itself breaks what it breaks: with all values told each is found where it begins, and nothing else ever is."""
    machines_law(tmp_path_factory.mktemp("tanks"), seed, family, upgrade=upgrade, cut=cut)


def machines_law(folder: Path, seed: int, family: str, *, upgrade: bool, cut: int) -> None:
    random = Random(seed)
    made, other = tank(random, family), tank(random, family, "Other")
    (folder / "works.yaml").write_text(FAMILY, "utf-8")
    (folder / "Tank.yaml").write_text(made.text, "utf-8")
    (folder / "Other.yaml").write_text(other.text.replace("tank", "drum"), "utf-8")
    lines, broken = run(made, sm.load(folder / "Tank.yaml").at(), random, 12)
    rules = {**made.always, **made.each_step}
    asked = {"Tank": made.asked, "Other": other.asked}
    banners = (
        (["works software release 1"], ["works software release 2"])
        if family and upgrade
        else ([], [])
    )
    middle = len(lines) // 2
    whole = judged(
        folder, ["Tank", "Other"], a=[*banners[0], *lines[:middle], *banners[1], *lines[middle:]]
    )
    see_accounts(whole, asked)
    wrong = [
        (one.message.partition(":")[0], one.place.line)
        for one in whole.findings
        if one.place and one.verdict is sm.Verdict.VIOLATED
    ]
    at = {
        number + 1: number + 1 + len(banners[0]) + len(banners[1]) * (number >= middle)
        for number in range(len(lines))
    }
    truth = {(name, at[line]) for name, line in broken}
    assert set(wrong) <= truth
    for name, rule in rules.items():
        first = min((line for one, line in truth if one == name), default=None)
        if first is not None and (
            set(made.told) >= {one for one in ("low", "high") if one in rule}
        ):
            assert (name, first) in wrong
    later = judged(folder, ["Tank", "Other"], a=lines[cut:])
    see_accounts(later, asked)
    assert {
        one.message.partition(":")[0]
        for one in later.findings
        if one.verdict is sm.Verdict.VIOLATED
    } <= {name for name, _ in broken}


PUMP = """
notation: 1
machine: {machine}
{family}states: {{{off}: {{initial: true}}, {on}: }}
transitions: [{{from: {off}, to: {on}}}, {{from: {on}, to: {off}}}]
log:
  instance: [{key}]
  shared: {shared}
  lines:
    - {{text: "{key} {{{key}}} changed from {{from}} to {{to}}", says: step, logger: T, level: INFO}}
"""
PLANT = """
notation: 1
system: Plant
{family}types: {{K: id}}
{parameters}parts:
  main: {{machine: Pump}}
  valves: {{machine: Valve, each: {each}}}
links:
  - {{on: valves, enters: OPEN, only if: main.state == 'ON', doc: the pump is off}}
always:
  flows: "implies(any(p.state == 'OPEN' for p in valves.values()), main.state == 'ON')"
each step:
  slow: "implies(before.main.state == 'ON', all(p.state == 'OPEN' or p.state == 'SHUT' for p in valves.values()))"
sometimes: {{ever: main.state == 'ON'}}
"""
RULES = ("flows", "slow", "ever", "no deadlock", "valves enters OPEN too early")


def write_plant(folder: Path, family: str, shared: tuple[bool, bool], *, parameters: bool) -> None:
    said = f"family: {family}\n" if family else ""
    (folder / "works.yaml").write_text(FAMILY, "utf-8")
    words = {"family": said}
    pump, valve = (str(one).lower() for one in shared)
    (folder / "Pump.yaml").write_text(
        PUMP.format(machine="Pump", off="OFF", on="ON", key="pump", shared=pump, **words), "utf-8"
    )
    (folder / "Valve.yaml").write_text(
        PUMP.format(machine="Valve", off="SHUT", on="OPEN", key="valve", shared=valve, **words),
        "utf-8",
    )
    given_ = 'parameters: {names: "set[K]"}\n' if parameters else ""
    (folder / "Plant.yaml").write_text(
        PLANT.format(parameters=given_, each="names" if parameters else "K", **words), "utf-8"
    )


@SOME
@given(
    seed=st.integers(0, 10**6),
    family=st.sampled_from(["", "works"]),
    shared=st.tuples(st.booleans(), st.booleans()),
    hosts=st.booleans(),
    upgrade=st.booleans(),
    parameters=st.sampled_from([False, False, False, True]),
)
def test_each_rule_of_a_system_is_accounted_for(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    family: str,
    shared: tuple[bool, bool],
    hosts: bool,
    upgrade: bool,
    parameters: bool,
) -> None:
    """With and without a family, on one host or on two, through an upgrade; a valve that is open for seconds without its pump is found, also by a system with parameters that no line tells."""
    systems_law(
        tmp_path_factory.mktemp("plant"),
        seed,
        family,
        shared,
        hosts=hosts,
        upgrade=upgrade,
        parameters=parameters,
    )


def plant_run(random: Random) -> tuple[list[tuple[str, str]], bool, bool]:
    """Return machine and line of each step, whether the rule is broken anywhere, and whether the log alone tells it for certain.

    It does where each part has told a step since the pump's life began (from then on nothing is known of the valves), and tells one later.
    """
    now, lines, broken = (
        {"north": "OFF", "north-1": "SHUT", "north-2": "SHUT"},
        list[tuple[str, str]](),
        list[int](),
    )
    for number in range(random.randint(0, 14)):
        who = random.choice(sorted(now))
        names = ("OFF", "ON") if who == "north" else ("SHUT", "OPEN")
        source, target = names if now[who] == names[0] else names[::-1]
        now[who] = target
        lines.append(
            ("pump" if who == "north" else "valve", f"{who} changed from {source} to {target}")
        )
        broken += (
            [number] if "OPEN" in (now["north-1"], now["north-2"]) and now["north"] == "OFF" else []
        )
    parts = [line.partition(" ")[0] for _, line in lines]
    began = [at for at, (_, line) in enumerate(lines) if line.startswith("north changed from OFF")]
    since = {at: max((one for one in began if one <= at), default=0) for at in broken}
    sure = any(
        {"north", *parts[since[at] : at + 1]} == set(parts[at + 1 :]) == set(now)
        and since[at] in began
        for at in broken
    )
    return lines, bool(broken), sure


def systems_law(
    folder: Path,
    seed: int,
    family: str,
    shared: tuple[bool, bool],
    *,
    hosts: bool,
    upgrade: bool,
    parameters: bool,
) -> None:
    random = Random(seed)
    write_plant(folder, family, shared, parameters=parameters)
    lines, broken, sure = plant_run(random)
    banners = (
        [(0, "works software release 1"), (len(lines) // 2, "works software release 2")]
        if upgrade and family
        else []
    )
    texts = [(at, f"{at}|{kind} {line}", kind) for at, (kind, line) in enumerate(lines, 1)]
    texts += [
        (at, f"{at}|{line}", kind)
        for at, line in banners
        for kind in ("pump", "valve")[: 1 + hosts]
    ]
    texts.sort(key=lambda row: (row[0], "release" not in row[1]))
    texts.append((len(lines) + 3, f"{len(lines) + 3}|the end", "pump"))
    files = {
        "a": [line for _, line, kind in texts if not hosts or kind == "pump"],
        "b": [line for _, line, kind in texts if hosts and kind == "valve"],
    }
    report = judged(folder, ["Plant"], **{name: found for name, found in files.items() if found})
    see_accounts(report, {"Plant": RULES, "Pump": (), "Valve": ()})
    wrong = [
        one
        for one in report.findings
        if one.kind == "broken rule" and one.verdict is sm.Verdict.VIOLATED
    ]
    together = not hosts or any(shared)
    if not broken or not together:
        assert wrong == []
    if sure and together:
        assert any(one.message.startswith("flows") for one in wrong)
    system = next(row for row in report.rules if row.machine.endswith("Plant") and row.rule is None)
    parts = {kind for kind, _ in lines}
    if system.verdict is not None and "valve" in parts and hosts and not any(shared):
        assert any("belong together" in row.why for row in report.unjudged)


def _without_the_last(
    function: Callable[..., tuple[object, ...]],
) -> Callable[..., tuple[object, ...]]:
    return lambda *given: tuple(function(*given))[:-1]


def _without_the_first(
    function: Callable[..., tuple[object, ...]],
) -> Callable[..., tuple[object, ...]]:
    return lambda *given: tuple(function(*given))[1:]


def _but_the_last_system(merge: Callable[..., Report]) -> Callable[..., Report]:
    return lambda report, accounts: merge(report, accounts[:-1])


def _without_what_was_found(merge: Callable[..., Report]) -> Callable[..., Report]:
    return lambda report, accounts: evolve(merge(report, accounts), findings=report.findings)


def _as_it_was(_: object) -> Callable[..., Report]:
    return lambda report, *given, **named: report


def _never_decided(function: Callable[..., RuleSummary]) -> Callable[..., RuleSummary]:
    return lambda *given: evolve(
        function(*given), judged=0, undecided=0, verdict=None, why="no line tells enough"
    )


def _nothing(_: object) -> Callable[..., tuple[object, ...]]:
    return lambda *given, **named: ()


MACHINE_MUTANTS = [
    ("join.rule_accounts.spec_properties", _without_the_last),
    ("judge.tables.compiled_properties.spec_properties", _without_the_first),
    ("join.report_assembly.machine_rule_rows", _without_the_last),
    ("join.rule_accounts._unjudged_rows", _nothing),
    ("join.rule_accounts._property_row", _never_decided),
    ("judge.tables.compiled_properties.PropertyWatch.check_line", _nothing),
    ("judge.instance.property_findings._step_cases", _nothing),
]
SYSTEM_MUTANTS = [
    ("systems.system_account.SystemAccount.rule_rows", _without_the_last),
    ("systems.system_account.versioned_properties", _without_the_first),
    ("systems.system_judge.judgeable_properties", _without_the_first),
    ("systems.system_groups.group_processes", _nothing),
    ("systems.system_groups._usable_instances", lambda _: lambda *given: []),
    ("systems.system_account.SystemAccount.skip", _nothing),
    ("systems._merge_accounts", _but_the_last_system),
    ("systems._merge_accounts", _without_what_was_found),
    ("checking.with_system_findings", _as_it_was),
]


@pytest.mark.parametrize(
    ("name", "mutant"), MACHINE_MUTANTS, ids=[name for name, _ in MACHINE_MUTANTS]
)
def test_a_judge_that_skips_a_property_in_silence_is_noticed(
    name: str,
    mutant: Callable[..., object],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A law that was never seen to fail is untested."""
    _plant(monkeypatch, name, mutant)
    with pytest.raises(AssertionError):
        _all_hold(
            lambda seed: machines_law(
                tmp_path_factory.mktemp("tanks"), seed, "works", upgrade=True, cut=1
            )
        )


@pytest.mark.parametrize(
    ("name", "mutant"), SYSTEM_MUTANTS, ids=[name for name, _ in SYSTEM_MUTANTS]
)
def test_a_judge_that_skips_a_system_in_silence_is_noticed(
    name: str,
    mutant: Callable[..., object],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same for what lies between machines."""
    _plant(monkeypatch, name, mutant)

    def law(seed: int) -> None:
        shared = bool(seed & 1), bool(seed & 1)
        systems_law(
            tmp_path_factory.mktemp("plant"),
            seed,
            "works",
            shared,
            hosts=bool(seed & 2),
            upgrade=True,
            parameters=False,
        )

    with pytest.raises(AssertionError):
        _all_hold(law)


def _all_hold(law: Callable[[int], None]) -> None:
    for seed in range(25):
        law(seed)


def _plant(monkeypatch: pytest.MonkeyPatch, name: str, mutant: Callable[..., object]) -> None:
    """Put a mutant in the place of a function of the judge."""
    whole = f"statemachines.conform.{name}"
    monkeypatch.setattr(
        whole,
        mutant(
            resolve_name(
                whole.replace(".PropertyWatch", ":PropertyWatch").replace(
                    ".SystemAccount", ":SystemAccount"
                )
            )
        ),
    )
