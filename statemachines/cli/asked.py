"""What `check` was asked to do, and which of its options go together."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from statemachines.report.formats import WITHOUT_TIMELINE

PARQUET = "parquet"
JUDGED = ("specs", "release", "engine", "levels", "layouts", "zone", "tolerance", "separate", "master", "remote", "unread")
"""Options that change what is judged, by the names that `api.check` gives them."""


@frozen
class Asked:
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
    file: str | None
    timeline: bool
    everything: bool
    unread: bool
    fail_on: tuple[str, ...]
    quiet: bool

    def contradiction(self) -> str:
        """Say which options do not go together, or nothing."""
        if not self.paths:
            return "nothing to read; name logs or folders, or - for standard input"
        if self.master and self.remote:
            return "--master and --remote exclude each other: a cluster is reached by one of them"
        if self.engine == "local" and (self.master or self.remote):
            return f"--engine local reads on this machine; leave it out to use --{'master' if self.master else 'remote'}"
        if self.paths.count("-") > 1:
            return "standard input can be read once"
        if self.form == PARQUET and self.file in (None, "-"):
            return "Parquet is no text; give -o FOLDER, in which findings.parquet and timeline.parquet are written"
        if self.form == PARQUET and self.is_on_spark() and (self.since or self.until):
            return "--since and --until cut what is reported here; leave them out, and query the tables that Spark writes"
        return ""

    def needs_timeline(self) -> bool:
        """Say whether the report must have its timeline: not where no form of it shows one, or Spark's workers write it themselves.

        What was true at an earlier moment is read off it.
        """
        return self.until is not None or (
            self.timeline and self.form not in WITHOUT_TIMELINE and not (self.form == PARQUET and self.is_on_spark())
        )

    def is_on_spark(self) -> bool:
        """Say whether Spark was asked for."""
        return bool(self.master or self.remote or self.engine == "spark")

    def options(self) -> dict[str, Any]:
        """Return what is for the judge: what was not given is left to its defaults."""
        given = {name: getattr(self, name) for name in JUDGED}
        return {name: value for name, value in given.items() if value not in (None, (), False)}
