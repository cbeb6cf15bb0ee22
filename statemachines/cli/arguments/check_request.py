"""What `check` was asked to do, and which of its options go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statemachines.cli.arguments.option_types import is_folder_name
from statemachines.model.values import frozen
from statemachines.report.formats import FORMS_WITHOUT_TIMELINE
from statemachines.report.sections.time_window import window_problem

if TYPE_CHECKING:
    from statemachines.api.log_check import CheckOptions

PARQUET = "parquet"
JSON_LINES = "jsonl"
ENGINES = ("auto", "local", "spark")


@frozen
class CheckRequest:
    """What a person asked `check` to do, as the command line has it."""

    paths: tuple[str, ...]
    specs: tuple[str, ...]
    release: str | None
    levels: tuple[tuple[str | None, str], ...]
    layouts: tuple[str, ...]
    zone: str | None
    tolerance: float
    separate: bool
    engine: str
    master: str | None
    remote: str | None
    since: str | None
    until: str | None
    form: str
    baseline: str | None
    state: str | None
    jobs: int
    follow: bool
    command: str | None
    file: str | None
    timeline: bool
    everything: bool
    unread: bool
    fail_on: tuple[str, ...]
    quiet: bool

    def input_files(self) -> tuple[str, ...]:
        """Return what is read and no report may overwrite; a baseline may be written anew."""
        return (*self.paths, *self.specs, *self.layouts)

    def contradiction(self) -> str:
        """Say which options do not go together, or nothing."""
        if not self.paths:
            return "nothing to read; name logs or folders, or - for standard input"
        if self.master and self.remote:
            return "--master and --remote exclude each other: a cluster is reached by one of them"
        if self.engine == "local" and (self.master or self.remote):
            return (
                "--engine local reads on this machine; leave it out to use"
                f" --{'master' if self.master else 'remote'}"
            )
        if wrong := self._following_contradiction():
            return wrong
        if self.state and self.is_on_spark():
            return "--state keeps what this machine has read; leave it out to use Spark"
        if self.jobs > 1 and self.is_on_spark():
            return "--jobs shares the work on this machine; leave it out to use Spark"
        if wrong := window_problem(self.since, self.until):
            return wrong
        if self.paths.count("-") > 1:
            return "standard input can be read once"
        if self.form == PARQUET and self.file in (None, "-"):
            return (
                "Parquet is no text; give -o FOLDER, in which findings.parquet, episodes.parquet,"
                " timeline.parquet and observations.parquet are written"
            )
        if self.form != PARQUET and self.file is not None and is_folder_name(self.file):
            return f"{self.file} is the name of a folder; name the file to write"
        if self.form == PARQUET and self.is_on_spark() and (self.since or self.until):
            return (
                "--since and --until cut what is reported here; leave them out, and query the"
                " tables that Spark writes"
            )
        return ""

    def _following_contradiction(self) -> str:
        if not self.follow:
            if self.form == JSON_LINES:
                return "jsonl has a line for each change; it goes with --follow"
            return (
                "--exec is run when something changes; it goes with --follow"
                if (self.command)
                else ""
            )
        if self.is_on_spark():
            return "logs are followed on this machine; leave Spark out"
        if "-" in self.paths and self.state:
            return (
                "what comes through a pipe is not known again after a restart; leave --state out,"
                " or follow a file"
            )
        if self.form == JSON_LINES and self.file is not None:
            return "jsonl is written as it comes; for a report in a file give another form"
        return ""

    def needs_timeline(self) -> bool:
        """Say whether the report must have its timeline: not where no form of it shows one, or
        Spark's workers write it themselves.

        What was true at an earlier moment is read off it.
        """
        return self.until is not None or (
            self.timeline
            and self.form not in FORMS_WITHOUT_TIMELINE
            and not (self.form == PARQUET and self.is_on_spark())
        )

    def is_on_spark(self) -> bool:
        """Say whether Spark was asked for."""
        return bool(self.master or self.remote or self.engine == "spark")

    def check_options(self) -> CheckOptions:
        """Return what is for the judge; what was not given is left to its defaults.

        Raises:
            ValueError: an option that names nothing; the message says which there are.
        """
        from statemachines.api.log_check import CheckOptions

        return CheckOptions(
            specs=self.specs or None,
            release=self.release,
            engine=self.engine,
            levels=self.levels,
            layouts=self.layouts,
            zone=self.zone,
            tolerance=self.tolerance,
            separate=self.separate,
            master=self.master,
            remote=self.remote,
            state=self.state,
            jobs=self.jobs,
            timeline=self.needs_timeline(),
            unread=self.unread,
        )
