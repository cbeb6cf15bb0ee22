"""Kafka Streams that fails where the log has warnings and errors only, or no exception."""

from __future__ import annotations

from pathlib import Path

import pytest

import statemachines as sm

INTERNALS = "org.apache.kafka.streams.processor.internals"
THREAD = "orders-1-StreamThread-1"
TRACE = "java.lang.IllegalStateException: poison record\n\tat com.shop.Orders.price(Orders.java:41)"
DIES = {
    "1.0.0": ("StreamThread", "Encountered the following error during processing:"),
    "2.5.1": ("StreamThread", "Encountered the following error during processing:"),
    "2.7.2": (
        "StreamThread",
        "Encountered the following exception during processing and the thread is going to shut down: ",
    ),
    "3.0.0": ("TaskManager", "Failed to process stream task 0_1 due to the following error:"),
    "3.9.1": ("TaskExecutor", "Failed to process stream task 0_1 due to the following error:"),
}


def checked(folder: Path, release: str, *told: tuple[str, str, str]) -> sm.Report:
    """Judge lines `(<level>, <logger>, <text>)`, a second apart."""
    written = []
    for at, (level, logger, text) in enumerate(told):
        first, *rest = text.split("\n")
        written += [f"[2026-01-01 10:00:{at:02},000] {level} {first} ({INTERNALS}.{logger})", *rest]
    (folder / "app.log").write_text("\n".join(written) + "\n", "utf-8")
    return sm.check(folder / "app.log", release=release, engine="local")


@pytest.mark.parametrize("release", DIES)
def test_a_thread_that_dies_is_told_where_only_errors_are_logged(
    tmp_path: Path, release: str
) -> None:
    """Many run so, and nothing tells its steps: which thread, of what, and that it is not back."""
    logger, text = DIES[release]
    report = checked(
        tmp_path, release, ("ERROR", logger, f"stream-thread [{THREAD}] {text}\n{TRACE}")
    )
    (incident,) = report.incidents
    assert (incident.title, incident.is_ill) == (f"{THREAD} died", True)
    assert incident.cause is not None
    assert "poison record" in incident.cause.words
    assert incident.cause.thrown_at == "com.shop.Orders.price(Orders.java:41)"
    assert not report.findings


@pytest.mark.parametrize(
    ("release", "level", "end"), [("2.5.1", "WARN", ""), ("3.9.1", "ERROR", ".")]
)
def test_a_global_thread_that_cannot_begin_has_died(
    tmp_path: Path, release: str, level: str, end: str
) -> None:
    """No exception is logged; what it was doing is all that is known, and its client fails of it."""
    global_thread = "global-stream-thread [orders-1-GlobalStreamThread] "
    shut = f"Error happened during initialization of the global state store; this thread has shutdown{end}"
    steps = [
        ("INFO", "GlobalStreamThread", f"{global_thread}State transition from {step}")
        for step in ("CREATED to PENDING_SHUTDOWN", "PENDING_SHUTDOWN to DEAD")
    ]
    failed = (level, "GlobalStreamThread", f"{global_thread}{shut}")
    report = checked(tmp_path, release, *steps, failed)
    (incident,) = report.incidents
    assert (incident.title, incident.is_ill) == ("orders-1-GlobalStreamThread died", True)
    assert incident.cause is not None
    assert incident.cause.words == "during initialization of the global state store"
