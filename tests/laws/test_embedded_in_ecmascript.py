"""Law: what an expression means in SCXML's ECMAScript is what it means here; node says so."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from statemachines.embed.ecmascript import OPERATIONS, ScriptWriter, literal
from statemachines.model.expressions import Comprehension, Kind, View
from statemachines.model.types import BagType, PairsType
from statemachines.notation.expressions.facts import Facts
from statemachines.notation.expressions.reading import read_expression
from statemachines.semantics.compile import Compiler
from tests.expression_worlds import DECLARED, NO_NAMES, WORLD, texts, values, written

NAMES = {(Kind.VARIABLE, name): f"v_{name}" for name in DECLARED}
MANY = 600


def test_node_gives_every_expression_the_value_that_we_give_it(tmp_path: Path) -> None:
    """Hundreds of random expressions with random values, in one run; none is refused."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    cases, expected = list[str](), list[tuple[str, str]]()

    @settings(
        max_examples=MANY,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )
    @given(texts(), values())
    def collect(text: str, known: dict[str, Any]) -> None:
        typed, _ = read_expression(written(text), Facts(WORLD))
        is_value = not isinstance(typed, View) and not (isinstance(typed, Comprehension) and typed.kind == "generator")
        if typed is None or not is_value or isinstance(typed.type, BagType | PairsType):
            return
        given_ = "".join(f"var v_{name} = {literal(value)}; " for name, value in known.items())
        cases.append(f"(function () {{ {given_}return {ScriptWriter(NAMES).write(typed)}; }})")
        expected.append((text, literal(Compiler.of(NO_NAMES).expression(typed)("", known, {}))))

    collect()
    assert len(cases) > MANY / 4
    script = f"{OPERATIONS}\nvar cases = [{','.join(cases)}];\nconsole.log(JSON.stringify(cases.map(function (f) {{ return JSON.stringify(f()); }})));\n"
    (tmp_path / "law.js").write_text(script)
    done = subprocess.run([node, "law.js"], cwd=tmp_path, capture_output=True, text=True, check=True)
    wrong = [(text, said, ours) for (text, ours), said in zip(expected, json.loads(done.stdout), strict=True) if said != ours]
    assert not wrong
