"""The pytest plugin: what the code under test logged, judged by a spec; what the tests went
through, as a table.

Light on purpose: it is loaded in every run of pytest where this package is installed, and does
nothing for tests that do not ask.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from statemachines.model.diagnosis.suggestions import did_you_mean

if TYPE_CHECKING:
    from statemachines.model.evidence.reports import Report
    from statemachines.testing.session_coverage import SessionData

_MARKER = "statemachines"
_MARKER_OPTIONS = ("release", "level", "fail_on", "silent", "files")
"""Of the marker and of `judge_logs`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our option.

    Args:
        parser: pytest's, to which it is added.
    """
    group = parser.getgroup("statemachines", "life cycles")
    group.addoption(
        "--statemachines-coverage",
        action="store_true",
        help=(
            "show at the end which transitions, pairs and guards the tests of machines went"
            " through, and what no judged log showed"
        ),
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known.

    Args:
        config: pytest's, to which it is added.
    """
    config.addinivalue_line(
        "markers",
        f"{_MARKER}(*specs, release=None, level='DEBUG', fail_on=('violated',), silent=False):"
        " judge what the test logs by these specs",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Judge what a marked test has logged, when it has passed.

    Args:
        item: the test.

    Yields:
        Once, for the test to run; what that gave is handed on.
    """
    markers = list(item.iter_markers(_MARKER))
    if not markers:
        return (yield)
    with _LogRecorder(min(_marker_level(marker) for marker in markers)) as recorder:
        result = yield
    for marker in markers:
        _judge_item(item, marker.args, recorder.records, **marker.kwargs)
    return result


@pytest.fixture
def judge_logs(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Callable[..., Report]:
    """Judge what was logged until now (`caplog`), or files: `judge_logs("shop/Order",
    files=["app.log"], release=None)`.

    Fails the test where the verdict is in `fail_on`; returns the report.

    Args:
        request: of the test that is judged.
        caplog: pytest's fixture, which holds what was logged.

    Returns:
        A function that takes specs, and of the marker's options `release`, `level`, `fail_on` and
        `silent`, and gives the report.
    """

    def judge(*specs: str, files: Sequence[str | Path] = (), **options: Any) -> Report:
        records = [*caplog.get_records("setup"), *caplog.get_records("call")]
        return _judge_item(request.node, specs, records, files=files, **options)

    return judge


def _judge_item(
    item: pytest.Item, specs: Sequence[str], records: Sequence[logging.LogRecord], **options: Any
) -> Report:
    from statemachines.testing.log_judging import judge_by_specs

    folder = item.path.parent
    named = [str(folder / spec) if (folder / spec).is_file() else spec for spec in specs]
    report, wrong = None, _option_problem(options)
    if not wrong:
        try:
            report, wrong = judge_by_specs(named, records, **options)
        except ValueError as problem:
            # a spec that is broken or not there, a release that it does not have, nothing to judge
            wrong = str(problem)
    if report is None:
        pytest.fail(wrong, pytrace=False)
    item.user_properties.append(("statemachines.verdict", report.verdict.name))
    item.user_properties.append(("statemachines.observations", str(report.checked.observations)))
    if wrong:
        pytest.fail(wrong, pytrace=False)
    return report


def _option_problem(options: Mapping[str, Any]) -> str:
    """Say which option is none, or which level."""
    for name in options:
        if name not in _MARKER_OPTIONS:
            return f"`{name}` is no option; {did_you_mean(name, _MARKER_OPTIONS)}"
    level = options.get("level", "DEBUG")
    levels = logging.getLevelNamesMapping()
    return "" if level in levels else f"`{level}` is no level; {did_you_mean(level, levels)}"


def _marker_level(marker: pytest.Mark) -> int:
    return logging.getLevelNamesMapping().get(marker.kwargs.get("level", "DEBUG"), logging.DEBUG)


class _LogRecorder(logging.Handler):
    """Hears everything that is logged, from a level on, while a test runs.

    Limits: a logger that does not propagate is not heard, and one with a level of its own only from
    that level on.
    """

    def __init__(self, level: int) -> None:
        super().__init__()
        self.wanted_level = level
        self.records: list[logging.LogRecord] = []
        self._before = logging.WARNING

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.records.append(record)

    def __enter__(self) -> _LogRecorder:
        root = logging.getLogger()
        self._before = root.level
        root.setLevel(min(self.wanted_level, self._before) if self._before else self.wanted_level)
        root.addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)
        logging.getLogger().setLevel(self._before)


_WORKER_OUTPUT_KEY = "statemachines"
"""Under which name a worker of pytest-xdist sends what its tests went through."""
_FROM_WORKERS: pytest.StashKey[list[SessionData]] = pytest.StashKey()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send what the tests of this process went through, where it is a worker of pytest-xdist and
    this was asked for.

    Args:
        session: pytest's, at its end.
    """
    sent = getattr(session.config, "workeroutput", None)
    if sent is not None and session.config.getoption("--statemachines-coverage"):
        from statemachines.testing.session_coverage import session_data

        sent[_WORKER_OUTPUT_KEY] = json.dumps(session_data())


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Keep what a worker has sent.

    Args:
        node: the worker of pytest-xdist that has ended.
        error: why it ended, if it crashed; not looked at.
    """
    text = getattr(node, "workeroutput", {}).get(_WORKER_OUTPUT_KEY)
    if text is not None:
        node.config.stash.setdefault(_FROM_WORKERS, []).append(json.loads(text))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Show the tables, where they were asked for, those of several workers added up; else only what
    the tests never took.

    Args:
        terminalreporter: pytest's, on which lines are written.
        config: pytest's.
    """
    if not config.getoption("--statemachines-coverage"):
        _show_never_taken(terminalreporter)
        return
    from statemachines.testing.session_coverage import session_data, session_text

    sent = config.stash.get(_FROM_WORKERS, None)
    text = session_text(sent if sent is not None else [session_data()])
    terminalreporter.section("statemachines")
    terminalreporter.write_line(text or "no test was made from a machine, and no log was judged")


def _show_never_taken(terminalreporter: Any) -> None:
    """Say which transitions no test made from a machine took, where one has run in this process."""
    listed = sys.modules.get("statemachines.testing.session_coverage")
    messages = listed.never_taken_messages() if listed is not None else ()
    if messages:
        terminalreporter.section("statemachines")
    for line in messages:
        terminalreporter.write_line(line)
