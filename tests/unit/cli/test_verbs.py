"""The other verbs, as a person meets them.

Covers: statemachines.api.queries.catalogue, statemachines.api.queries.line_explanations,
statemachines.cli.console.terminal, statemachines.cli.root, statemachines.cli.verbs.ask,
statemachines.cli.verbs.completion, statemachines.cli.verbs.diff, statemachines.cli.verbs.explain,
statemachines.cli.verbs.list, statemachines.cli.verbs.show, statemachines.report.specs.descriptions,
statemachines.report.specs.diagnostic_text, statemachines.report.specs.legality,
statemachines.api.queries.incident_explanations,
statemachines.report.specs.incident_pages.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from statemachines.api.queries.incident_explanations import explain_incident, incident_kinds
from statemachines.cli import main
from statemachines.cli.root import VERB_NAMES
from statemachines.notation import cached_catalogue
from statemachines.notation.sources.catalogue_names import spec_names
from tests.unit.conform.test_incidents import CRANE, FAMILY

ROOT = Path(__file__).parents[3]
ORDER = str(ROOT / "examples" / "orders" / "Order.yaml")

ASKED = """\
it depends   {name}  SHIPPED -> RETURNED
  1.0.0..1.1.0   forbidden   there is no RETURNED
  2.0.0..2.0.1   legal       goes to RETURNED   by customer
"""


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, stdout, stderr."""
    code = main(words)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_no_words_print_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever types the name alone wants to know what there is."""
    code, out, err = told(capsys)
    assert code == 0
    assert all(f"\n  {verb} " in out + err for verb in VERB_NAMES)


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_every_verb_has_help_with_its_exit_codes_or_examples(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Help is worth reading: a sentence, and no option without a word."""
    code, out, _ = told(capsys, verb, "--help")
    assert code == 0
    assert out.startswith(f"Usage: statemachines {verb}")
    assert len(out.splitlines()) > 6


def test_a_misspelt_verb_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """Did you mean."""
    code, _, err = told(capsys, "chek")
    assert code == 2
    assert "did you mean `check`?" in err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """For a bug report."""
    code, out, _ = told(capsys, "--version")
    assert code == 0
    assert out.startswith("statemachines ")


def test_ask_answers_by_releases(capsys: pytest.CaptureFixture[str]) -> None:
    """Is this move legal, and since when."""
    code, out, _ = told(capsys, "ask", ORDER, "SHIPPED", "RETURNED")
    assert code == 3
    name = out.split()[2]
    assert out == ASKED.format(name=name)


def test_ask_says_what_is_done_with_a_forbidden_request(capsys: pytest.CaptureFixture[str]) -> None:
    """Forbidden is half an answer: swallowed, refused, thrown, or done all the same."""
    code, out, _ = told(capsys, "ask", ORDER, "SHIPPED", "PAID", "--release", "2.0")
    assert code == 1
    assert "refuses the request; nothing changes" in out
    assert "legal from SHIPPED in 2.0.1: RETURNED" in out
    code, out, _ = told(capsys, "ask", ORDER, "new", "paid")
    assert code == 0
    assert out.startswith("yes")


PAYMENT = """\
notation: 1
machine: Payment
types: {Till: id}
parameters: {till: Till}
variables: {captured: "0..3 = 0"}
states: {NEW: {initial: true}, HELD: {}, CAPTURED: {}, GONE: {final: true}}
events: {capture: {args: {amount: 1..3}}}
transitions:
  - {from: NEW, to: HELD}
  - {from: HELD, to: CAPTURED, event: capture, effect: {captured: amount}}
  - {from: CAPTURED, to: GONE, event: close, guard: captured > 1}
  - {from: NEW, to: NEW, event: close}
  - {from: HELD, to: NEW, event: close, guard: captured > 2}
otherwise:
  - {event: capture, does: raise WrongOrder}
  - {event: to_HELD, does: ignore}
"""


@pytest.mark.parametrize(
    ("source", "target", "does"),
    [
        ("NEW", "CAPTURED", "on capture: raises WrongOrder"),
        ("CAPTURED", "HELD", "ignores the request; nothing changes"),
        ("NEW", "GONE", "on close: stays as it is"),
        (
            "HELD",
            "GONE",
            "on close: goes to NEW if captured > 2, else refuses the request; nothing changes",
        ),
    ],
)
def test_ask_of_a_machine_with_data_says_what_a_forbidden_request_meets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, target: str, does: str
) -> None:
    """Nobody has to give parameters or arguments: the step is forbidden whatever they are."""
    path = tmp_path / "Payment.yaml"
    path.write_text(PAYMENT, "utf-8")
    code, out, err = told(capsys, "ask", str(path), source, target)
    assert (code, err) == (1, "")
    assert f"forbidden   {does}\n" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ask", ORDER, "SHIPED", "PAID"), "did you mean `SHIPPED`?"),
        (
            ("ask", ORDER, "SHIPPED", "PAID", "--release", "9.9"),
            "9.9 names no release of shop; it exists in 1.0.0..2.0.1",
        ),
        (
            ("ask", ORDER, "SHIPPED", "PAID", "--release", "2.00.9"),
            "did you mean `2.0.1`? it exists in",
        ),
        (("diff", ORDER, "1.0"), "for two releases write `--between 1.0 NEW`"),
        (("diff", ORDER, "1.0", "2.0"), "for two releases write `--between 1.0 2.0`"),
        (("ask", "Ordr", "A", "B"), "there is no spec `Ordr`"),
        (("show", "no/such.yaml"), "No such file"),
        (("show", str(ROOT)), "no spec"),
        (("draw", ORDER, "--release", "9"), "names no release"),
        (("explain", "SM999"), "there is no `SM999`"),
        (("completion", "tcsh"), "tcsh"),
    ],
)
def test_wrong_words_get_a_sentence(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, what is wrong, what would be right; never a traceback."""
    code, out, err = told(capsys, *words)
    assert code == 2
    assert said in err
    assert out == ""


def test_show_tells_states_and_manners(capsys: pytest.CaptureFixture[str]) -> None:
    """A machine on one screen."""
    code, out, _ = told(capsys, "show", ORDER, "--release", "1.0")
    assert code == 0
    assert "1.0.0  (of 1.0.0..2.0.1)" in out
    assert "-> SHIPPED, CANCELLED" in out
    assert "RETURNED" not in out
    assert "refused" in out


def test_list_leaves_out_nothing_that_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    """Machines and systems: the names of the folders of specs, each once."""
    _, out, _ = told(capsys, "list")
    listed = [line.split()[0] for line in out.splitlines() if "/" in line.partition(" ")[0]]
    assert sorted(listed) == sorted({*spec_names(), *spec_names(kind="system")})


def test_list_knows_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    """What is shipped, with releases."""
    code, out, _ = told(capsys, "list")
    assert code == 0
    assert len(out.splitlines()) >= 7
    assert told(capsys, "list", "no such machine")[0] == 1


def test_list_and_show_know_systems(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever looks for what can be explored finds systems too; a verb that takes none says which do."""
    code, out, _ = told(capsys, "list", "streamsappl")
    assert code == 0
    assert "system of 2 parts" in out or "system of 3 parts" in out
    code, out, _ = told(capsys, "show", "kafka/StreamsApplication")
    assert code == 0
    assert "one for each Thread" in out
    code, _, err = told(capsys, "ask", "kafka/StreamsApplication", "RUNNING", "DEAD")
    assert code == 2
    assert "show, draw, explore, simulate, mutate and generate take systems" in err


def test_show_tells_what_shall_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind of property with its condition and what it is asked under; what its author wrote of it stands below."""
    path = tmp_path / "till.yaml"
    text = """
notation: 1
machine: Till
states: {OPEN: {initial: true}, SHUT: {final: true}}
variables: {sold: {type: int, initial: 0}}
transitions:
  - {from: OPEN, to: OPEN, event: sell, effect: {sold: "min(sold + 1, 2)"}}
  - {from: OPEN, to: SHUT, event: shut}
always:
  few: {holds: sold <= 2, doc: The drawer holds two.}
each step: {grows: sold >= before.sold}
sometimes: {full: sold == 2}
leads to: {ends: {when: sold == 2, then: "state == 'SHUT'", assuming: [shut]}}
"""
    path.write_text(text, "utf-8")
    code, out, err = told(capsys, "show", str(path))
    assert (code, err) == (0, "")
    shown = out[out.index("Properties") :].splitlines()
    assert [line.strip().split("   ")[0] for line in shown[1:]] == [
        *(
            "always few",
            "The drawer holds two.",
            "each step grows",
            "sometimes full",
            "leads to ends",
            "no deadlock",
        ),
    ]
    assert "sold <= 2" in shown[1]
    assert "sold == 2 leads to state == 'SHUT'   (assuming shut)" in shown[5]


def test_show_names_events_that_need_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A turnstile is moved by coins and pushes, and nobody can guess that from its states; `to_B` goes without saying."""
    path = tmp_path / "turnstile.yaml"
    moves = "transitions: [{from: L, to: U, event: coin}, {from: U, to: L}]\n"
    path.write_text(
        f"notation: 1\nmachine: Turnstile\nstates: {{L: {{initial: true}}, U: }}\n{moves}", "utf-8"
    )
    code, out, _ = told(capsys, "show", str(path))
    assert code == 0
    assert "Events\n  coin   L -> U\n" in out
    assert "to_L" not in out


def test_lint_shows_every_error_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Like a good compiler, all in one go."""
    spec = tmp_path / "order.yaml"
    wrong = "transitions:\n  - {from: NEW, to: PIAD}\n  - {from: NWE, to: PAID}\n"
    spec.write_text(f"notation: 1\nmachine: Order\nstates: {{NEW: , PAID: }}\n{wrong}")
    code, out, _ = told(capsys, "lint", str(spec))
    assert code == 1
    assert "did you mean `PAID`?" in out
    assert "did you mean `NEW`?" in out
    assert told(capsys, "lint", ORDER)[0] == 0
    assert told(capsys, "lint", str(tmp_path / "nowhere.yaml"))[0] == 2


def test_draw_writes_what_the_ending_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No option is needed for the usual case."""
    assert told(capsys, "draw", ORDER, "-o", str(tmp_path / "order.dot"))[0] == 0
    assert (tmp_path / "order.dot").read_text("utf-8").startswith("digraph")
    assert told(capsys, "draw", ORDER, "-o", str(tmp_path / "order.mmd"))[0] == 0
    assert "stateDiagram" in (tmp_path / "order.mmd").read_text("utf-8")


def test_explain_reads_a_pasted_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which line of which spec reads it, and what it says."""
    pasted = io.TextIOWrapper(
        io.BytesIO(
            b"2026-11-21 12:00:05.871 INFO  [bank-1] shop.Orders - order 7: NEW -> PAID\n"
            b"2026-11-21 12:00:06.000 ERROR [bank-1] shop.Disk - no room is left\n"
        )
    )
    monkeypatch.setattr(sys, "stdin", pasted)
    code, out, _ = told(capsys, "explain", "-", "--spec", ORDER)
    assert code == 0
    assert "says step in 1.0.0..2.0.1" in out
    assert "to = PAID" in out
    assert out.endswith("line 2 holds no word that the catalogue looks for\n")
    assert told(capsys, "explain", "good morning", "--spec", ORDER)[0] == 1


def test_completion_knows_verbs_and_machines() -> None:
    """A shell asks the program itself; it must answer within a keystroke's patience."""
    words = {
        **os.environ,
        "_STATEMACHINES_COMPLETE": "bash_complete",
        "COMP_WORDS": "statemachines sh",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "statemachines.cli"],
        cwd=ROOT,
        env=words,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "plain,show"


def test_without_its_parts_the_program_says_what_to_install() -> None:
    """The console script comes with the core; a person who has only that gets a sentence."""
    code = "import sys; sys.modules['click'] = None; from statemachines.cli import main; sys.exit(main(['list']))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install 'lifecycle-statemachines[cli]'" in done.stderr


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    """`statemachines list | head -1` must not print a traceback."""
    run = f"{sys.executable} -m statemachines.cli show {ORDER} | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {run}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_was_found_is_the_exit_code_also_where_the_reader_left(
    form: str, tmp_path: Path
) -> None:
    """`set -o pipefail; statemachines check logs | head -1` in a pipeline must neither hide a violation nor invent one."""
    log, fine = tmp_path / "shop.log", tmp_path / "fine.log"
    steps = [
        f"2026-11-21 12:00:00.000 INFO  [http-1] shop.Orders - order {n}: NEW -> %s\n"
        for n in range(3000)
    ]
    log.write_text("".join(step % "SHIPPED" for step in steps))
    fine.write_text("".join(step % "PAID" for step in steps))
    for path, code in ((log, 1), (fine, 0)):
        run = f"{sys.executable} -m statemachines.cli check {path} --spec {ORDER} --all --format {form} --quiet | head -n 1"
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {run}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (code, "")


def test_a_line_whose_layout_nobody_took_off_is_told_from_one_that_says_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What a layout puts round a message is no mistake of the spec: a person who wrote it must not look for one there."""
    assert (
        main(
            [
                "explain",
                "2026-11-21 12:00:00,000 INFO order 7: NEW -> PAID <<shop>>",
                "--spec",
                ORDER,
            ]
        )
        == 1
    )
    told = capsys.readouterr().out
    assert "an entry would read order 7: NEW -> PAID\n" in told
    assert "--layout" in told
    assert main(["explain", "order seven: NEW -> PAID", "--spec", ORDER]) == 1
    assert "--layout" not in capsys.readouterr().out


VENDING = """\
notation: 1
machine: Vending
states: {PAYING: {initial: true}, DISPENSING: {final: true}}
variables: {coins: "0..3 = 0"}
events: {insert: {args: {count: 1..2}}}
transitions:
  - {from: PAYING, event: insert, guard: coins + count <= 3, effect: {coins: coins + count}}
  - {from: PAYING, to: DISPENSING, guard: coins >= 2}
"""


def test_a_guarded_move_is_legal_under_its_condition(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plain yes would be half a lie, and a person cannot see the guard elsewhere without reading the spec."""
    path = tmp_path / "Vending.yaml"
    path.write_text(VENDING, "utf-8")
    code, out, _ = told(capsys, "ask", str(path), "PAYING", "DISPENSING")
    assert code == 0
    assert out.startswith("yes, if coins >= 2   ")
    assert "goes there on to_DISPENSING if coins >= 2" in out
    assert told(capsys, "ask", str(path), "DISPENSING", "PAYING")[0] == 1
    code, out, _ = told(capsys, "show", str(path))
    assert code == 0
    shown = " ".join(out.split())
    for words in (
        "Variables coins 0..3 = 0",
        "insert (count: 1..2)",
        "insert PAYING -> PAYING if coins + count <= 3 coins = coins + count",
    ):
        assert words in shown


def test_explain_names_the_nearest_wording_of_a_spec_that_was_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line of one's own that is read by nothing differs by a word from what was written down; that is where to look."""
    path = tmp_path / "Tank.yaml"
    log = "log:\n  instance: [tank]\n  lines:\n    - {text: 'tank {tank} has water {level}', says: is, state: ON}\n"
    path.write_text(
        f"notation: 1\nmachine: Tank\nstates: {{ON: {{initial: true, final: true}}}}\n{log}",
        "utf-8",
    )
    code, out, _ = told(capsys, "explain", "INFO tank 7 has 2 water", "--spec", str(path))
    assert code == 1
    assert f"the nearest wording is  tank {{tank}} has water {{level}}   {path}:7" in out
    assert "nearest" not in told(capsys, "explain", "nothing alike", "--spec", str(path))[1]


def test_the_package_can_be_run_as_a_module() -> None:
    """Where the console script is not on the path, `python -m statemachines` is what people try."""
    done = subprocess.run(
        [sys.executable, "-m", "statemachines", "--version"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0


def test_explain_says_that_a_state_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    """An entry reads the line, and yet it is the line that `check` cannot judge."""
    code, out, _ = told(
        capsys,
        "explain",
        "2026-11-21 12:00:00,000 INFO [x] shop.Orders - order 7: NEW -> LOST",
        "--spec",
        ORDER,
    )
    assert (code, "LOST: no state of " in out) == (0, True)
    assert (
        "no state"
        not in told(
            capsys, "explain", "INFO [x] shop.Orders - order 7: NEW -> PAID", "--spec", ORDER
        )[1]
    )


def test_a_machine_whose_only_state_has_no_name_is_asked_for_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """*There are ``* is no answer."""
    code, _, err = told(capsys, "ask", "examples/CoffeeCan", "FULL", "EMPTY")
    assert (code, err) == (
        2,
        "statemachines: `FULL` is no state of examples/CoffeeCan; its states have no names; `show` says what it does\n",
    )


def test_releases_without_their_option_are_answered_with_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The words that everybody types first."""
    code, _, err = told(capsys, "diff", ORDER, "1.0", "2.0")
    assert code == 2
    assert "`--between OLD NEW`" in err


def test_explain_names_the_nearest_wording_of_a_line_whose_field_does_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The word is there and the number is none: *no entry reads it* leaves a person where she was."""
    code, out, _ = told(capsys, "explain", "order 7x: NEW -> PAID", "--spec", ORDER)
    assert code == 1
    assert "the nearest wording is  order {order}: {from} -> {to}" in out


def test_explain_names_the_incident_that_a_line_tells_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not what the line is called in its spec, but what it means for whoever is woken."""
    for name, text in (("harbour", FAMILY), ("Crane", CRANE)):
        (tmp_path / f"{name}.yaml").write_text(text)
    crane = ("--spec", str(tmp_path / "Crane.yaml"))
    said = [
        told(capsys, "explain", f"INFO [main] harbour.Crane - crane 1 {text}", *crane)[1]
        for text in (
            "goes from WORKING to BROKEN", "goes from BROKEN to WORKING", "cannot reach the office"
        )
    ]  # fmt: skip
    assert "tells of crane-broken: Nothing is lifted by it." in said[0]
    assert "statemachines explain crane-broken" in said[0]
    assert "tells of" not in said[1]
    assert "tells of office-unreachable" in said[2]


def test_explain_has_a_page_of_each_kind_of_incident(capsys: pytest.CaptureFixture[str]) -> None:
    """What it means, which lines tell it, what to look at, and who says so."""
    code, out, _ = told(capsys, "explain", "task-failed")
    assert code == 0
    titles = ("What people usually find", "What to look at next", "Sources", "Lines that tell it")
    places = [out.index(f"\n{title}\n") for title in titles]
    assert places == sorted(places), "help stands before a hundred lines of wordings"
    assert "may lead to connector-tasks-failed" in out
    code, _, err = told(capsys, "explain", "task-faild")
    assert code == 2
    assert "did you mean `task-failed`?" in err


def test_explain_lists_all_wordings_of_each_kind(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody greps for them: none is cut, none is left out, and no kind has none."""
    monkeypatch.delenv("COLUMNS", raising=False)  # workers have the width of pytest's own output
    _, out, _ = told(capsys, "explain", "thread-died")
    assert "…" not in out
    assert "more wordings" not in out
    _, out, _ = told(capsys, "explain", "broker-down")
    assert "Currently active brokers in the cluster: {brokers}" in out
    catalogue = cached_catalogue()
    monkeypatch.setattr("statemachines.notation.cached_catalogue", lambda: catalogue)  # read once
    silent = [
        (kind, line.machine)
        for kind in incident_kinds()
        if (page := explain_incident(kind)) is not None
        for line in page.lines
        if not line.templates
    ]
    assert silent == []
