"""Law: what an expression means in SCXML's ECMAScript is what it means here; node says so.

Covers: statemachines.interop.ecmascript.ecmascript_expressions,
statemachines.interop.ecmascript.ecmascript_values, statemachines.semantics.evaluation.compiler.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from statemachines.interop.ecmascript.ecmascript_expressions import EcmascriptWriter
from statemachines.interop.ecmascript.ecmascript_values import RUNTIME_LIBRARY, literal
from statemachines.model.language.expression_nodes import Expression, NameKind
from statemachines.semantics.evaluation.compiler import Compiler
from tests.expression_worlds import DECLARED, NO_NAMES, expressions_with_values

NAMES = {(NameKind.VARIABLE, name): f"v_{name}" for name in DECLARED}
MANY = 600


def test_node_gives_every_expression_the_value_that_we_give_it(tmp_path: Path) -> None:
    """Hundreds of random expressions with random values, in one run; none is refused."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    cases, expected = list[str](), list[tuple[str, str]]()

    def take(text: str, typed: Expression, known: dict[str, Any]) -> None:
        given_ = "".join(f"var v_{name} = {literal(value)}; " for name, value in known.items())
        cases.append(f"(function () {{ {given_}return {EcmascriptWriter(NAMES).write(typed)}; }})")
        expected.append(
            (text, literal(Compiler.for_data(NO_NAMES).compile_expression(typed)("", known, {})))
        )

    expressions_with_values(MANY, take)
    assert len(cases) > MANY / 4
    script = f"{RUNTIME_LIBRARY}\nvar cases = [{','.join(cases)}];\nconsole.log(JSON.stringify(cases.map(function (f) {{ return JSON.stringify(f()); }})));\n"
    (tmp_path / "law.js").write_text(script)
    done = subprocess.run(
        [node, "law.js"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    wrong = [
        (text, said, ours)
        for (text, ours), said in zip(expected, json.loads(done.stdout), strict=True)
        if said != ours
    ]
    assert not wrong
