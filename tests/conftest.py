"""What all tests share."""

from __future__ import annotations

import gc
import re
import signal
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.effort import HYPOTHESIS_TRIES, some_cases, some_of, try_everything

SHARED = Path(__file__).parent.parent.parent / "shared"

settings.register_profile(
    "thorough", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "steady", settings.get_profile("thorough"), max_examples=some_of(HYPOTHESIS_TRIES)
)
settings.register_profile(
    "hostile", settings.get_profile("thorough"), max_examples=80_000, derandomize=False
)
settings.register_profile("anew", settings.get_profile("thorough"), derandomize=False)
settings.load_profile("steady")
# The same examples in every run, so that a commit's result does not change, and no clock: a busy machine is no failure.
# `pytest --thorough` tries several times as many, `--hypothesis-profile=anew` others in each run.


@pytest.fixture(scope="session")
def shared() -> Path:
    """The captures and facts beside the checkout; a test that needs them is skipped where they are not."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared (captured logs, facts) beside the checkout")
    return SHARED


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are as wide as by default in every test: processes of `-n auto` say 80 columns."""
    monkeypatch.delenv("COLUMNS", raising=False)


LONG = ("long", "cluster", "kafka")
"""Marks of tests that need more than minutes, or more than Python: they run with `--long` only."""

ONE_PROCESS = ("architecture", "kafka")
"""Folders whose tests share what is dear: the package's code, parsed; a Java with all of Kafka."""
ENGINES = ("spark", "cluster", "kafka")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that say which tests run."""
    parser.addoption(
        "--long",
        action="store_true",
        help="also run the long laws, a Spark cluster and Kafka's classes",
    )
    parser.addoption("--long-only", action="store_true", help="run just those")
    parser.addoption(
        "--thorough", action="store_true", help="try all the random examples that a test names"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Keep what shares an engine in one process, wherever there are several (`-n auto`); let Ctrl-C reach what is tested."""
    if config.getoption("--thorough"):
        try_everything()
        settings.load_profile(config.getoption("--hypothesis-profile", None) or "thorough")
    if config.pluginmanager.hasplugin("xdist") and getattr(config.option, "dist", "no") == "load":
        config.option.dist = "loadgroup"
        config.option.loadscopereorder = False  # by `_put_in_groups`
    if hasattr(config, "workerinput"):
        config.option.loadgroup = (
            True  # a worker was told what the command line said, before this hook
        )
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(
            signal.SIGINT, signal.default_int_handler
        )  # a shell's background job ignores it, and so would all it starts


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what was not asked for; say what runs in one process where there are several."""
    also, only = config.getoption("--long"), config.getoption("--long-only")
    left_out = {item for item in items if _is_long(item) != only and not also}
    left_out |= _cases_left_out([item for item in items if item not in left_out])
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]
    if hasattr(config, "workerinput"):
        _put_in_groups(items)


def _cases_left_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return three of four cases of each long test that has many; none with `--thorough`."""
    cases = defaultdict[tuple[Path, str], list[pytest.Item]](list)
    for item in items:
        if _is_long(item):
            cases[item.path, getattr(item, "originalname", item.name)].append(item)
    return {item for same in cases.values() for item in set(same) - set(some_cases(same))}


def _put_in_groups(items: list[pytest.Item]) -> None:
    """Begin with what shares an engine, as it takes longest; then come the files with the most tests, and of the long ones those with the fewest, of which each takes longest."""
    groups = {item: _group(item) for item in items}
    sizes = Counter(groups.values())
    files = Counter(item.path for item in items)
    items.sort(
        key=lambda item: (
            groups[item] not in ENGINES,
            files[item.path] if _is_long(item) else -sizes[groups[item]],
        )
    )
    for item in items:
        item.add_marker(pytest.mark.xdist_group(groups[item]))


def _group(item: pytest.Item) -> str:
    """Name those with which a test shares a process: a file's tests, or all that share an engine; a long test only those of its file that are about the same, where nothing else is shared."""
    file = item.path.relative_to(Path(__file__).parent)
    engines = {"spark", "cluster"}.intersection(getattr(item, "fixturenames", ()))
    if engines:
        return min(engines)
    if file.parts[0] in ONE_PROCESS:
        return file.parts[0]
    if not _is_long(item) or _shares_a_fixture(item):
        return str(file)
    case = item.callspec.id if hasattr(item, "callspec") else item.name
    return re.sub(r"[@\[\]]", " ", f"{file} {case}")


def _shares_a_fixture(item: pytest.Item) -> bool:
    """Tell whether a file has made something that several of its tests use."""
    defined = getattr(item, "_fixtureinfo", None)
    known = defined.name2fixturedefs.items() if defined else ()
    return any(fixtures[-1].scope == "module" for _, fixtures in known)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Search for no garbage while tests are read, and never again among the million objects that they are."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def _is_long(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in LONG)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say in one line each what was left out and what was skipped, and why."""
    if not (config.getoption("--long") or config.getoption("--long-only")):
        terminalreporter.write_line(
            "left out: the long laws, the cluster and Kafka's classes (`pytest --long` runs them)"
        )
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", ()))
    if reasons:
        terminalreporter.write_line(
            "skipped: "
            + "; ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
        )


def _reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")
