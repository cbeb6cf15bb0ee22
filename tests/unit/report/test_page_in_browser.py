"""The HTML report as a browser shows it: headless Chromium opens it, types, clicks and prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from attrs import evolve

from statemachines.api.log_check import check
from statemachines.api.queries.page_evidence import collect_page_context
from statemachines.model.evidence.reports import (
    CurrentState,
    Instant,
    MachineSummary,
    Place,
    Report,
    TimelineStep,
)
from statemachines.model.evidence.verdicts import Verdict
from statemachines.report.html.document import to_html
from statemachines.report.html.page_context import PageContext
from tests.browsing import ask, needs_chromium, run
from tests.machines import TURNSTILE
from tests.unit.report.handmade import FULL, NOON, finding

pytestmark = needs_chromium
MANY = 700
BAD = 650


def steps(number: int) -> list[TimelineStep]:
    """Two steps of a turnstile."""
    key = (("gate", number),)
    first, second = (Instant(NOON + number * 100 + more) for more in (0, 30_000))
    return [
        TimelineStep(
            "turnstile",
            key,
            "hall.log",
            1,
            first,
            "LOCKED",
            "OPEN",
            "told",
            Place("hall.log", number * 2 + 1),
        ),
        TimelineStep(
            "turnstile",
            key,
            "hall.log",
            1,
            second,
            "OPEN",
            "LOCKED",
            "told",
            Place("hall.log", number * 2 + 2),
        ),
    ]


def crowd() -> str:
    """A page of many turnstiles, one of which did something forbidden."""
    bad = evolve(
        finding(),
        machine="turnstile",
        instance=(("gate", BAD),),
        process="hall.log",
        at=Instant(NOON + 70_000),
    )
    report = evolve(
        FULL,
        timeline=[step for number in range(MANY) for step in steps(number)],
        findings=(bad,),
        incidents=(),
        machines=(MachineSummary("turnstile", MANY, 2 * MANY, Verdict.VIOLATED, ()),),
        now=tuple(
            CurrentState(
                "turnstile",
                (("gate", n),),
                ("LOCKED",),
                Instant(NOON + n * 100 + 30_000),
                False,
                None,
                "hall.log",
            )
            for n in range(MANY)
        ),
    )
    return page(report)


def page(report: Report) -> str:
    """A report as a page, with the machine that the turnstiles are of."""
    return "".join(to_html(report, PageContext(machines=(evolve(TURNSTILE, name="turnstile"),))))


VISIBLE = "const visible = () => [...document.querySelectorAll('#strips li')].filter((row) => row.checkVisibility());"
TYPE = "const type = (text) => { const box = document.getElementById('search'); box.value = text; box.dispatchEvent(new Event('input')); };"


def test_search_filters_and_the_rest_on_demand(tmp_path: Path) -> None:
    """Among hundreds of instances one is found by its name, one by what is wrong with it; of the others the first are shown, and it is said."""
    told = ask(
        tmp_path,
        crowd(),
        VISIBLE
        + TYPE
        + """
        const told = [[visible().length, document.getElementById('shown').textContent]];
        document.getElementById('more').click(); told.push(visible().length);
        type('hall.log:247'); told.push(visible().map((row) => row.querySelector('.name').firstChild.textContent.trim()));
        type(''); document.getElementById('wrong').click();
        told.push(visible().map((row) => row.querySelector('.name').firstChild.textContent.trim()));
        return told;""",
    )
    assert told == [
        [200, "the first 200 of 700 that fit, 700 in all"],
        700,
        ["gate 123"],
        [f"gate {BAD}"],
    ]


def test_zoom_stretches_the_bars_and_the_axis(tmp_path: Path) -> None:
    """By button and by key; the whole time is one key away, and a stretch is chosen by dragging over the axis."""
    told = ask(
        tmp_path,
        crowd(),
        """
        const bar = document.querySelector('#strips li .strip i'), wide = () => Math.round(bar.getBoundingClientRect().width);
        const ticks = () => [...document.querySelectorAll('#axis span')].map((mark) => mark.textContent);
        const press = (key) => document.getElementById('tools').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        const told = [wide()], before = ticks();
        document.querySelector('[data-zoom=in]').click(); document.querySelector('[data-zoom=left]').click(); press('ArrowLeft'); press('ArrowLeft');
        told.push(wide()); const after = ticks();
        press('0'); told.push(wide());
        const axis = document.getElementById('axis'), box = axis.getBoundingClientRect();
        const drag = (type, part) => axis.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: box.left + box.width * part, bubbles: true }));
        axis.setPointerCapture = () => {};
        drag('pointerdown', 0); drag('pointermove', 0.2); drag('pointerup', 0.25); told.push(wide());
        return { told, before, after };""",
    )
    begun, near, back, chosen = told["told"]
    assert near == pytest.approx(begun * 2, abs=14)
    assert back == begun
    assert chosen > near
    assert told["before"] != told["after"]
    assert all(re.fullmatch(r"\d\d:\d\d(:\d\d(\.\d+)?)?", text) for text in told["after"])


def test_keys_lead_from_row_to_row_and_to_the_search(tmp_path: Path) -> None:
    """Whoever uses no mouse gets everywhere."""
    told = ask(
        tmp_path,
        crowd(),
        """
        const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        const name = () => document.activeElement.querySelector('.name')?.firstChild.textContent.trim() || document.activeElement.id;
        const told = [];
        press('/'); told.push(name());
        document.querySelector('#strips summary').focus(); told.push(name());
        press('ArrowDown'); press('ArrowDown'); told.push(name()); press('ArrowUp'); told.push(name());
        document.activeElement.click(); told.push(document.activeElement.parentElement.open, document.activeElement.parentElement.innerText.includes('hall.log:3'));
        return told;""",
    )
    assert told == ["search", "gate 0", "gate 2", "gate 1", True, True]


@pytest.mark.parametrize("size", [(500, 900), (1280, 800)])
def test_no_page_is_wider_than_its_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    """What is wide scrolls in itself."""
    long = evolve(
        finding(), text="x" * 3_000, message="no.blank." * 80, instance=(("order", "k" * 200),)
    )
    report = evolve(
        FULL,
        findings=(long,),
        timeline=[evolve(step, instance=long.instance) for step in FULL.timeline],
    )
    told = ask(
        tmp_path,
        page(report),
        "return [document.documentElement.scrollWidth, innerWidth];",
        size=size,
    )
    assert told[0] <= told[1]


def test_the_answer_is_above_the_fold(tmp_path: Path) -> None:
    """What is wrong now is named on the first screen."""
    question = "return [...document.querySelectorAll('.urgent, #now h3')].map((each) => Math.round(each.getBoundingClientRect().bottom));"
    told = ask(tmp_path, page(FULL), question)
    assert told
    assert max(told[:2]) < 800


def test_nothing_of_a_log_runs_and_nothing_breaks(tmp_path: Path) -> None:
    """A hostile line is shown in every place where a log's text stands."""
    bad = "</script></style></pre><script>document.title = 'broken'</script><img src=x onerror=\"document.title = 'broken'\">"
    hostile = evolve(
        finding(), text=bad, message=bad, process=bad, instance=(("order", bad),), source=bad
    )
    report = evolve(
        FULL,
        findings=(hostile,),
        timeline=[evolve(step, process=bad, source=bad, target=bad) for step in FULL.timeline],
    )
    told = ask(
        tmp_path,
        page(report),
        "return [document.title, document.querySelectorAll('img').length, document.querySelectorAll('#strips li').length];",
    )
    assert told[0].startswith("VIOLATED")
    assert told[1] == 0
    assert told[2] > 0


def test_without_scripts_everything_is_there_to_read(tmp_path: Path) -> None:
    """The bars, the steps, the table of what is wrong; the tools that need a script are not shown."""
    html = crowd().replace("</body>", "<p>the end</p></body>")
    file = tmp_path / "page.html"
    file.write_text(re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL), "utf-8")
    dom = run(tmp_path, file, "--dump-dom")
    assert dom.count("<li") >= MANY
    assert 'class="js"' not in dom
    told = ask(
        tmp_path,
        file.read_text("utf-8"),
        VISIBLE + "return [visible().length, document.getElementById('tools').checkVisibility()];",
    )
    assert told == [200, False]


def test_it_prints(tmp_path: Path) -> None:
    """All parts, in a few sheets: of seven hundred rows the first, and it is said that there are more."""
    file = tmp_path / "page.html"
    file.write_text(crowd(), "utf-8")
    run(tmp_path, file, f"--print-to-pdf={tmp_path / 'page.pdf'}", "--no-pdf-header-footer")
    printed = (tmp_path / "page.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 8


def test_the_browser_finds_nothing_wrong(tmp_path: Path) -> None:
    """No error of a script, no style that it does not know."""
    told = ask(
        tmp_path,
        crowd(),
        """
        const sheet = [...document.styleSheets].flatMap((each) => [...each.cssRules]).length;
        return { sheet, left: getComputedStyle(document.querySelector('#strips .strip i')).left, grid: getComputedStyle(document.querySelector('#strips .row')).display };""",
    )
    assert told["sheet"] > 50
    assert told["left"].endswith("px")
    assert told["grid"] == "grid"


def test_the_policy_stops_what_was_not_written_with_the_page(tmp_path: Path) -> None:
    """A script and a style that somebody smuggles in do nothing; the page's own do."""
    html = crowd().replace(
        "</main>", "<style>h1 { display: none }</style><p style='color: red'>x</p></main>"
    )
    html = html.replace("</main>", "<script>document.title = 'smuggled'</script></main>")
    told = ask(
        tmp_path,
        html,
        """
        const shown = document.querySelector('h1').checkVisibility(), text = document.querySelector('main > p');
        return [document.title, shown, getComputedStyle(text).color, document.documentElement.className];""",
    )
    assert told[0].startswith("VIOLATED")
    assert told[1] is True
    assert told[2] != "rgb(255, 0, 0)"
    assert told[3] == "js"


def test_pictures_keep_their_looks_without_attributes(tmp_path: Path, shared: Path) -> None:
    """An arrow that was taken often is thick, and states have their colours."""
    paths = [shared / "logs" / "captured" / "c391_failures"]
    report = check(paths)
    html = "".join(to_html(report, collect_page_context(report, paths)))
    assert ' style="' not in html
    question = """
        const widths = [...document.querySelectorAll('#machines svg .arrow path')].map((each) => parseFloat(getComputedStyle(each).strokeWidth));
        const fills = [...document.querySelectorAll('#machines svg .state rect')].map((each) => getComputedStyle(each).fill);
        const bars = [...document.querySelectorAll('#strips .incident.bad')].map((each) => Math.round(each.getBoundingClientRect().width));
        return [Math.max(...widths), new Set(fills).size, bars];"""
    widest, colours, bars = ask(tmp_path, html, question)
    assert widest > 3
    assert colours > 1
    assert len(bars) == 2
    assert min(bars) > 3


def test_what_is_down_and_what_followed_is_named_above_the_fold(
    tmp_path: Path, shared: Path
) -> None:
    """Of a real log, in the form that the command writes: the question that brings somebody here at night."""
    paths = [shared / "logs" / "captured" / "c391_failures"]
    report = check(paths)
    html = "".join(to_html(report, collect_page_context(report, paths)))
    question = """
        const seen = (each) => each.getBoundingClientRect().bottom < innerHeight;
        const lines = [...document.querySelectorAll('.lines')];
        return { names: [...document.querySelectorAll('.names a')].filter(seen).map((each) => each.textContent).sort(),
                 marked: lines.map((each) => each.querySelector('mark .nr').textContent.trim()), around: lines.map((each) => each.querySelectorAll('.nr').length),
                 pictures: document.querySelectorAll('#machines svg').length, rows: document.querySelectorAll('#strips li.now').length,
                 effects: [...document.querySelectorAll('#now li')].filter(seen).map((each) => each.textContent) };"""
    told = ask(tmp_path, html, question)
    assert told["names"] == ["broker 1 is down", "broker 2 is down"]
    assert told["effects"][0] == "audit.log_1-1 has no leader since 15:29:57"
    assert told["marked"] == ["11", "11"]
    assert told["around"] == [7, 7]
    assert told["pictures"] >= 3
    assert told["rows"] == 7


ANSWER = """
    const first = document.querySelector('#now article') ?? document.querySelector('main section summary');
    const told = first.matches('article') ? [...first.querySelectorAll(':scope > h3, :scope > p, mark')] : [first];
    const bottom = (each) => Math.round(each.getBoundingClientRect().bottom);
    return { health: document.querySelector('h1 .health').textContent, answer: bottom(document.querySelector('h1')),
             first: told.map((each) => each.textContent).join(' '), bottom: Math.max(...told.map(bottom)) };"""
SCREEN = 800


@pytest.mark.parametrize(
    ("capture", "health", "parts"),
    [
        (
            "captured/s111_death_one",
            "OVER",
            ("StreamThread-1 was dead for 18 s (15:41:19 to 15:41:37)", "poison record BOOM"),
        ),
        (
            "captured/c391_failures",
            "ILL",
            (
                "broker 1 is down",
                "since 15:29:57, for 5.2 s",
                "active brokers in the cluster: Set(3)",
            ),
        ),
        (
            "captured/c282_rolling",
            "WELL",
            (
                "broker 1 was away after an orderly stop for 12 s (15:57:30",
                "failure callback for 1",
            ),
        ),
        (
            "captured/c251_rolled",
            "HEALED",
            (
                "broker 2 was down for 5 s (22:00:02 to 22:00:07)",
                "Set(1, 3)",
                "solo-0 had no leader",
            ),
        ),
        (
            "today/g422_groups2",
            "HEALED",
            ("group pipeline lost a member 2 times from 20:32:48 to 20:32:55", "session expired"),
        ),
    ],
)
def test_the_answer_of_a_real_log_is_on_the_first_screen(
    capture: str, health: str, parts: tuple[str, ...], tmp_path: Path, shared: Path
) -> None:
    """One trouble, many, none, restarts, groups: how it is, and the first thing that happened, with
    why, since when, and whether it is over, before anybody scrolls.
    """
    paths = [shared / "logs" / capture]
    report = check(paths)
    told = ask(tmp_path, "".join(to_html(report, collect_page_context(report, paths))), ANSWER)
    assert told["health"] == health
    assert [part for part in parts if part not in told["first"]] == []
    assert told["answer"] < told["bottom"] < SCREEN


def test_what_is_worst_of_very_much_is_on_the_first_screen(tmp_path: Path) -> None:
    """Hundreds of names stood above the first reason."""
    first = FULL.incidents[0]
    many = tuple(
        evolve(first, number=number, title=f"order {number} of the shop in the north is not paid")
        for number in range(150)
    )
    told = ask(tmp_path, page(evolve(FULL, incidents=many)), ANSWER)
    assert told["first"].startswith("order 0 of the shop in the north is not paid since 12:00:00")
    assert told["bottom"] < SCREEN
