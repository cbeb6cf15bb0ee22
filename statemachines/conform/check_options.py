"""The options of a check: one frozen value for the command line, programs, Spark and tests."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from os import PathLike, fspath
from typing import TypedDict, Unpack

from attrs import Attribute, evolve, field, fields

from statemachines.conform.interchange.check_plan import LEVEL_ORDER
from statemachines.logs import parse_level
from statemachines.model.diagnosis.suggestions import did_you_mean, nearest_hint
from statemachines.model.evidence.moments import time_zone
from statemachines.model.values import frozen

Paths = Sequence["str | PathLike[str]"]
ENGINES = ("auto", "local", "spark")


class JudgingOptions(TypedDict, total=False):
    """The options that change what is judged, whatever engine does it, as keywords; their meaning
    and their defaults stand at `CheckOptions`.
    """

    specs: Paths | str | PathLike[str] | None
    release: str | None
    levels: Sequence[tuple[str | None, str]]
    layouts: Sequence[str]
    zone: str | None
    tolerance: float
    separate: bool


class ReportOptions(JudgingOptions, total=False):
    """Those, and the options that change what the report shows."""

    timeline: bool
    unread: bool


class CheckKeywords(ReportOptions, total=False):
    """All fields of `CheckOptions`, as keywords."""

    engine: str
    master: str | None
    remote: str | None
    state: str | PathLike[str] | None
    jobs: int


def parse_levels(levels: Sequence[tuple[str | None, str]]) -> tuple[tuple[str | None, str], ...]:
    """Return the levels of loggers by their names in records.

    Raises:
        ValueError: one is no level, or no pair: it would say nothing of any logger, and nobody
            would know.
    """
    named = []
    if isinstance(levels, str):
        raise ValueError(
            f"`levels` are pairs of a logger (None: all) and its level, such as [(None, 'INFO')],"
            f" not {levels!r}"
        )
    for pair in levels:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(
                f"a level is a pair of a logger (None: all) and its level, not {pair!r}"
            )
        if (level := parse_level(pair[1])) is None:
            raise ValueError(
                f"`{pair[1]}` is no level; {did_you_mean(str(pair[1]).upper(), LEVEL_ORDER)}"
            )
        named.append((pair[0], level))
    return tuple(named)


def _spec_names(specs: object) -> tuple[str | PathLike[str], ...] | None:
    """Return names and paths of specs; one alone stands for a list of one."""
    if specs is None:
        return None
    many = (specs,) if isinstance(specs, str | PathLike) else specs
    if not isinstance(many, Sequence):
        raise _no_spec_name(specs)
    for value in many:
        if not isinstance(value, str | PathLike):
            raise _no_spec_name(value)
    if not many:
        raise ValueError(
            "no spec is named to judge by; without `specs` all that are shipped are taken"
        )
    return tuple(many)


def _no_spec_name(given: object) -> TypeError:
    return TypeError(f"`specs` are names of the catalogue, patterns or files, not {given!r}")


def _layout_names(layouts: Sequence[str | PathLike[str]] | str | PathLike[str]) -> tuple[str, ...]:
    many = (layouts,) if isinstance(layouts, str | PathLike) else layouts
    return tuple(fspath(path) for path in many)


def _refuse_unclear_switch(_: object, option: Attribute[bool], value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"`{option.name}` is True or False, not {value!r}")


@frozen(kw_only=True)
class CheckOptions:
    """How logs are judged: the options of `statemachines.check`, checked when they are given.

    Raises:
        ValueError: an option that says nothing or contradicts another one; the message says what
            would be right.
        TypeError: a spec that is no name and no path.

    >>> CheckOptions(zone="Europe/Berlin", specs="examples/Orders").specs
    ('examples/Orders',)
    >>> CheckOptions(engine="sprk")
    Traceback (most recent call last):
    ...
    ValueError: there is no engine `sprk`; did you mean `spark`?
    """

    specs: tuple[str | PathLike[str], ...] | None = field(default=None, converter=_spec_names)
    """Names of the catalogue, patterns of them, folders or files; None: the whole catalogue."""
    release: str | None = None
    """The release that wrote the logs; None: found out from them."""
    engine: str = field(default="auto")
    """`auto`, `local` or `spark`; auto uses Spark where one machine is not enough."""
    levels: tuple[tuple[str | None, str], ...] = field(default=(), converter=parse_levels)
    """Logger (None: all) and the level that it was set to, where the log itself does not show
    it.
    """
    layouts: tuple[str, ...] = field(default=(), converter=_layout_names)
    """Names of known layouts or files; none: found out record by record."""
    zone: str | None = field(default=None)
    """Of times that tell none, such as `Europe/Berlin` or `+02:00`."""
    tolerance: float = field(default=1.0)
    """How far the clocks of processes may differ, in seconds."""
    separate: bool = field(default=False, validator=_refuse_unclear_switch)
    """Keep processes of one name in two folders apart."""
    master: str | None = None
    """A Spark cluster, such as `spark://host:7077`."""
    remote: str | None = None
    """A Spark Connect server, such as `sc://host:15002`."""
    timeline: bool = field(default=True, validator=_refuse_unclear_switch)
    """Whether the report has its timeline."""
    unread: bool = field(default=False, validator=_refuse_unclear_switch)
    """Whether the report lists lines that hold a word or a logger of the catalogue but match
    none of its lines.
    """

    state: str | PathLike[str] | None = None
    """A folder in which what was read is kept, so that the next check reads only what is new; on
    this machine only.
    """
    jobs: int = field(default=1)
    """Processes that read and judge logs on this machine; 0: as many as there are cores, where the
    logs are large. More than one keep a check on this machine. The report is the same. A script
    that asks for more than one keeps what it does under `if __name__ == "__main__":`, for the
    others import it.
    """

    @engine.validator
    def _refuse_unknown_engine(self, _: object, engine: str) -> None:
        """Refuse an engine that there is not: another one would judge in its place."""
        if engine not in ENGINES:
            raise ValueError(f"there is no engine `{engine}`; {did_you_mean(engine, ENGINES)}")

    @zone.validator
    def _refuse_unknown_zone(self, _: object, zone: str | None) -> None:
        try:
            time_zone(zone)
        except (KeyError, ValueError, OSError):
            from zoneinfo import available_timezones

            right = (
                nearest_hint(str(zone), available_timezones())
                or "write Europe/Berlin, UTC or +02:00"
            )
            raise ValueError(f"there is no time zone `{zone}`; {right}") from None

    @tolerance.validator
    def _refuse_odd_tolerance(self, _: object, tolerance: float) -> None:
        if isinstance(tolerance, bool) or not isinstance(tolerance, int | float):
            raise TypeError(f"the tolerance is a number of seconds, not {tolerance!r}")
        if not (isfinite(tolerance) and tolerance >= 0):
            raise ValueError(f"clocks cannot differ by {tolerance} seconds")

    @jobs.validator
    def _refuse_odd_jobs(self, _: object, jobs: int) -> None:
        if isinstance(jobs, bool) or not isinstance(jobs, int):
            raise TypeError(f"`jobs` is a number of processes, not {jobs!r}")
        if jobs < 0:
            raise ValueError(f"logs cannot be read by {jobs} processes; 0 takes all cores")

    def __attrs_post_init__(self) -> None:
        """Refuse options that exclude each other: one of them would be passed over in silence."""
        if self.master and self.remote:
            raise ValueError(
                f"a check has one place to run: give master={self.master!r} or"
                f" remote={self.remote!r}, not both"
            )
        if self.state is not None and self.is_on_spark():
            raise ValueError(
                "a state folder is read and written on this machine; leave it out to use Spark"
            )
        if self.jobs > 1 and self.is_on_spark():
            raise ValueError(
                f"jobs={self.jobs} shares the work on this machine; leave it out to use Spark"
            )
        if self.engine == "local" and (self.master or self.remote):
            raise ValueError(
                f"engine='local' reads on this machine; leave it out to use"
                f" {self.master or self.remote}"
            )

    def is_on_spark(self) -> bool:
        """Say whether Spark was asked for."""
        return bool(self.master or self.remote or self.engine == "spark")

    def updated(self, **changed: Unpack[CheckKeywords]) -> CheckOptions:
        """Return these options with some changed, which are checked as all are.

        Args:
            changed: fields of these options, by name.

        Returns:
            A new value; this one stays as it is.

        Raises:
            ValueError: the options do not fit each other, or name something that there is not.

        >>> CheckOptions(zone="UTC").updated(tolerance=2).zone
        'UTC'
        """
        return evolve(self, **changed) if changed else self


OPTION_NAMES = tuple(option.name for option in fields(CheckOptions))
"""In the order in which they are documented."""
