"""Law: what an expression means in TLA+ is what it means here; TLC says so.

Covers: statemachines.interop.export_limits, statemachines.interop.tla.tla_data_module,
statemachines.interop.tla.tla_properties,
statemachines.interop.tla.tla_expressions, statemachines.interop.tla.tla_names,
statemachines.semantics.evaluation.compiler.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from statemachines.interop.export_limits import CannotExport
from statemachines.interop.tla.tla_data_module import OPERATOR_DEFINITIONS
from statemachines.interop.tla.tla_expressions import TlaWriter
from statemachines.interop.tla.tla_names import safe_tla_name, tla_value
from statemachines.model.language.expression_nodes import Expression, NameKind
from statemachines.semantics.evaluation.compiler import Compiler
from tests.expression_worlds import DECLARED, NO_NAMES, expressions_with_values
from tests.peers import tlc

HEAD = "---- MODULE Law ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\nCONSTANTS None\nVARIABLES ok\n"
MANY = 400


def test_tlc_gives_every_expression_the_value_that_we_give_it(tmp_path: Path) -> None:
    """Hundreds of random expressions with random values, in one run; what TLA+ has no words for is refused by name, and that is rare."""
    command, cases, refused = tlc(), list[str](), list[str]()

    def take(text: str, typed: Expression, known: dict[str, Any]) -> None:
        try:
            cases.append(_case(len(cases), text, typed, known))
        except CannotExport as why:
            refused.append(f"{text}: {why}")

    expressions_with_values(MANY, take)
    assert len(cases) > MANY / 4
    assert len(refused) < len(cases) / 10, refused
    checks = "\n".join(f"ASSUME PrintT(Case_{number})" for number in range(len(cases)))
    (tmp_path / "Law.tla").write_text(
        f"{HEAD}{OPERATOR_DEFINITIONS}\n{''.join(cases)}{checks}\nInit == ok = TRUE\nNext == UNCHANGED ok\n====\n"
    )
    (tmp_path / "Law.cfg").write_text("INIT Init\nNEXT Next\nCONSTANTS None = None\n")
    done = subprocess.run(
        [*command, "Law"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    said = [line for line in done.stdout.splitlines() if line in ("TRUE", "FALSE")]
    wrong = [cases[number] for number, line in enumerate(said) if line == "FALSE"]
    assert done.returncode == 0, done.stdout[-2000:] + (
        cases[len(said)] if len(said) < len(cases) else ""
    )
    assert len(said) == len(cases)
    assert not wrong, "".join(wrong)


def _case(number: int, text: str, typed: Expression, known: dict[str, Any]) -> str:
    names = {(NameKind.VARIABLE, name): safe_tla_name(name) for name in DECLARED}
    ours = Compiler.for_data(NO_NAMES).compile_expression(typed)("", known, {})
    lets = "\n".join(
        f"      {safe_tla_name(name)} == {tla_value(value)}" for name, value in known.items()
    )
    said = TlaWriter(names).write(typed)
    return f"\\* {text}\nCase_{number} ==\n  LET\n{lets}\n  IN ({said}) = {tla_value(ours)}\n"
